/* own_options.h - the options that a program has besides those of every test program.
 *
 * They are read with the others, and take effect when the program is about to run: a replay first
 * sees which ones its trace was written with. SPDX-License-Identifier: MIT
 */
#ifndef API_OWN_OPTIONS_H
#define API_OWN_OPTIONS_H

#include "base/err.h"
#include "base/text.h"

#include <sennit/test.h>

enum { OWN_OPTIONS_MAX = 16, OWN_OPTIONS_NAME = 40 };

/* What was given for each; NULL: nothing. The texts are the command line's, or a trace's. */
struct own_options {
    const struct sn_option *table; /* NULL: there are none */
    const char *values[OWN_OPTIONS_MAX];
    char dashed[OWN_OPTIONS_MAX][OWN_OPTIONS_NAME]; /* --NAME, of those that were given */
};

int own_options_count(const struct own_options *own);

/* Whether the table is one: 0, or SN_EINVAL with a sentence. */
int own_options_check(const struct own_options *own, struct err *why);

/* Takes a value for the option of that name. False: there is none. */
bool own_options_give(struct own_options *own, const char *name, const char *value);

/* Sets what the options that were given point to, in the order of the table, and adds them and
 * their values to args, which has room for all and keeps pointers into `own`. 0, or SN_EINVAL with
 * a sentence that names the option: its value makes no sense. */
int own_options_apply(struct own_options *own, const char **args, size_t *n_args, struct err *why);

/* What --help says of them; nothing if there are none. */
void own_options_print_help(const struct sn_option *table, struct sn_text *out);

#endif
