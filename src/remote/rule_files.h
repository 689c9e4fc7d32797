/* rule_files.h - a directory of constraints that may grow while a campaign runs.
 * SPDX-License-Identifier: MIT
 */
#ifndef REMOTE_RULE_FILES_H
#define REMOTE_RULE_FILES_H

#include "events/rules.h"

/* Told of each file: refused is NULL if it was taken. `name` is the path. */
typedef void rule_files_told(void *self, const char *name, const char *text, const char *refused);

struct rule_files {
    const char *directory;
    struct rules base;  /* what holds without any file */
    uint64_t signature; /* of the files as they were read last */
    rule_files_told *told;
    void *self;
};

/* Reads all files NAME.json, in the order of their names, onto what holds without them; rules that
 * cannot all be respected are refused, too. 0, or SN_E* with a sentence that names the first bad
 * one. */
int rule_files_read(struct rule_files *files, const struct recording *r, struct rules *rules,
                    struct err *why);

/* Tells of each file once more, and changes nothing. */
void rule_files_tell(const struct rule_files *files, const struct recording *r);

/* If there are other files than at the last time, reads them: what is bad is told and left out.
 * True: the rules are others. */
bool rule_files_read_again(struct rule_files *files, const struct recording *r,
                           struct rules *rules);

#endif
