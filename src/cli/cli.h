/* cli.h - the verbs of the command. Each has a file of its own. SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_H
#define CLI_CLI_H

enum cli_exit {
    CLI_OK = 0,
    CLI_USAGE = 2, /* usage, or malformed input */
};

struct cli_verb {
    const char *name;
    const char *usage; /* what follows the name */
    const char *about; /* one line */

    /* argv[0] is the verb's name. Returns the exit code. */
    int (*run)(int argc, char **argv);
};

extern const struct cli_verb cli_check;
extern const struct cli_verb cli_compare;
extern const struct cli_verb cli_coverage;
extern const struct cli_verb cli_events;
extern const struct cli_verb cli_explain;
extern const struct cli_verb cli_init;
extern const struct cli_verb cli_replay;
extern const struct cli_verb cli_report;
extern const struct cli_verb cli_show;
extern const struct cli_verb cli_shrink;
extern const struct cli_verb cli_step;
extern const struct cli_verb cli_sync;
extern const struct cli_verb cli_test;

/* Prints «sennit: sentence» to stderr and returns CLI_USAGE. */
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Becomes another program; argv[0] is its path, looked for in PATH if there is no slash in it.
 * Returns, with an exit code after a message, only if that fails. */
int cli_become(char **argv);

/* The same with a program that lies beside this one, under its name with this behind it; argv[0]
 * will be its path. `why_not` is said if it is not there. */
int cli_become_beside(const char *ending, const char *why_not, char **argv);

/* Prints what a verb's --help says; returns the exit code. */
int cli_print_help(const char *text);

#endif
