/* mark.h - what every file contains that has sn_main in it, symbols or not: so a program is known
 * for a test program before it is run. SPDX-License-Identifier: MIT
 */
#ifndef API_MARK_H
#define API_MARK_H

#define MARK_TEXT "this is a test program of Sennit"

#endif
