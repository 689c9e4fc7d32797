/* events.c - `sennit events`: becomes sennit-events, which lies beside this program; or writes
 * wrappers, which takes no more than this one.
 * SPDX-License-Identifier: MIT
 */
#include "cli/cli.h"
#include "cli/wrap.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int run(int argc, char **argv)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof("-events"));

    if (argc > 1 && (strcmp(argv[1], "--wrap") == 0 || strcmp(argv[1], "--wrap-flags") == 0))
        return argc == 3 ? wrap_print(argv[2], argv[1][6] != '\0')
                         : cli_fail("%s needs one file, a list of functions", argv[1]);
    if (n <= 0)
        return cli_fail("where this program lies cannot be found out");
    path[n] = '\0';
    (void)strcat(path, "-events");
    if (access(path, X_OK) != 0)
        return cli_fail("%s is not there: this build is without it, for lack of jansson or SQLite",
                        path);
    argv[0] = path;
    return cli_become(argv);
}

const struct cli_verb cli_events = {
    .name = "events",
    .usage = "--exec PROGRAM [OPTION...]",
    .about = "explores interleavings of recorded events",
    .run = run,
};
