/* sometimes_plugin.h - places in a shared object, and in a function of a header.
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_API_SOMETIMES_PLUGIN_H
#define UNIT_API_SOMETIMES_PLUGIN_H

#include <sennit/sometimes.h>

void plugin_note(int came);

static inline void note_in_header(int came)
{
    sn_sometimes(came == 1, "in a header");
}

#endif
