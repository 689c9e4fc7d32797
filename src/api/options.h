/* options.h - the command line of a test program. SPDX-License-Identifier: MIT */
#ifndef API_OPTIONS_H
#define API_OPTIONS_H

#include "base/err.h"

#include <sennit/test.h>
#include <stdbool.h>

enum options_action {
    OPTIONS_RUN = 0,
    OPTIONS_HELP,
    OPTIONS_VERSION,
    OPTIONS_LIST,
    OPTIONS_BUGS,
    OPTIONS_REPLAY,
};

enum { OPTIONS_BUGS_MAX = 32 };

struct options {
    enum options_action action;
    struct sn_options run;
    const char *filter; /* NULL: all tests */
    const char *replay; /* path of a trace */
    const char *bugs[OPTIONS_BUGS_MAX];
    int n_bugs;
    bool fork;
    bool step;
    bool json;
    int verbosity; /* -1 quiet, 0, 1 */
};

/* 0, or SN_EINVAL with a sentence. */
int options_parse(struct options *out, int argc, char **argv, struct err *why);

extern const char options_help[];

#endif
