/* rule_files.h - a directory of constraints that may grow while a campaign runs.
 * SPDX-License-Identifier: MIT
 */
#ifndef REMOTE_RULE_FILES_H
#define REMOTE_RULE_FILES_H

#include "events/rules.h"

/* Reads all files NAME.json, in the order of their names. 0, or SN_E* with a sentence that names
 * the first bad one. */
int rule_files_read(const char *directory, const struct recording *r, struct rules *rules,
                     struct err *why);

#endif
