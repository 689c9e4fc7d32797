/* options.c - see options.h. SPDX-License-Identifier: MIT */
#include "api/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] =
    "Runs each test many times, each time with other decisions, until one fails.\n"
    "\n"
    "  -i, --iterations N   trials per test (10000)\n"
    "  -s, --strategy NAME  how decisions are taken: random, pos, posr, pct:D, sr, portfolio,\n"
    "                       dfs, delay:D, fair, oldest, script:FILE, or one of the program's;\n"
    "                       A@STEP,B: by A up to a step, then by B (random)\n"
    "      --seed N         trial i of a seed is always the same (1)\n"
    "      --max-steps N    length of a trial at most (the test's own, or 10000)\n"
    "      --timers WHEN    any: a started timer may fire at any moment; ideal: in order of their\n"
    "                       deadlines, when nothing else can happen (as each test says)\n"
    "  -f, --filter TEXT    only tests whose name contains TEXT\n"
    "  -o, --outdir DIR     where the trace of a failing trial is written (sennit-out)\n"
    "  -k, --keep-going     run all trials even after one failed\n"
    "  -l, --list           list the tests\n"
    "      --replay TRACE   run the trial of a trace again and compare\n"
    "      --step           take each decision yourself; `sennit step PROGRAM` does the same\n"
    "      --json           with --step: a program takes them; questions are lines of JSON\n"
    "      --bug NAME       switch on a bug that this program has for demonstration\n"
    "      --bugs           list those bugs\n"
    "      --isolate=fork   run each trial in a process of its own\n"
    "      --rerun          dfs: go back by running the prefix again instead of restoring memory\n"
    "  -v, --verbose        say more;  -q, --quiet: say only what failed\n"
    "  -h, --help           this text;  --version\n"
    "\n"
    "Exit: 0 no bug, 1 a bug, 2 usage or malformed input, 3 nothing ran, 4 nondeterminism.\n"
    "Replay: 1 failed again, 0 did not fail, 4 went another way.\n";

enum {
    OPT_SEED = 256,
    OPT_MAX_STEPS,
    OPT_REPLAY,
    OPT_BUG,
    OPT_BUGS,
    OPT_ISOLATE,
    OPT_RERUN,
    OPT_TIMERS,
    OPT_STEP,
    OPT_JSON,
    OPT_VERSION
};

static const struct option table[] = {
    {"iterations", required_argument, NULL, 'i'},
    {"strategy", required_argument, NULL, 's'},
    {"seed", required_argument, NULL, OPT_SEED},
    {"max-steps", required_argument, NULL, OPT_MAX_STEPS},
    {"filter", required_argument, NULL, 'f'},
    {"outdir", required_argument, NULL, 'o'},
    {"keep-going", no_argument, NULL, 'k'},
    {"list", no_argument, NULL, 'l'},
    {"replay", required_argument, NULL, OPT_REPLAY},
    {"bug", required_argument, NULL, OPT_BUG},
    {"bugs", no_argument, NULL, OPT_BUGS},
    {"isolate", required_argument, NULL, OPT_ISOLATE},
    {"timers", required_argument, NULL, OPT_TIMERS},
    {"step", no_argument, NULL, OPT_STEP},
    {"json", no_argument, NULL, OPT_JSON},
    {"rerun", no_argument, NULL, OPT_RERUN},
    {"verbose", no_argument, NULL, 'v'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

static int number(const char *text, const char *what, uint64_t *out, struct err *why)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
        return err_set(why, SN_EINVAL, "%s needs a whole number, not \"%.60s\"", what, text);
    if (*out == 0)
        return err_set(why, SN_EINVAL, "%s must be at least 1", what);
    return 0;
}

static int add_bug(struct options *out, const char *name, struct err *why)
{
    if (out->n_bugs == OPTIONS_BUGS_MAX)
        return err_set(why, SN_EINVAL, "more than %d bugs", OPTIONS_BUGS_MAX);
    out->bugs[out->n_bugs++] = name;
    return 0;
}

static int isolate(struct options *out, const char *how, struct err *why)
{
    if (strcmp(how, "fork") != 0 && strcmp(how, "none") != 0)
        return err_set(why, SN_EINVAL, "--isolate can be fork or none, not \"%.60s\"", how);
    out->fork = strcmp(how, "fork") == 0;
    return 0;
}

static int timers(struct options *out, const char *when, struct err *why)
{
    if (strcmp(when, "any") != 0 && strcmp(when, "ideal") != 0)
        return err_set(why, SN_EINVAL, "--timers can be any or ideal, not \"%.60s\"", when);
    out->run.timers = strcmp(when, "any") == 0 ? SN_RUN_TIMERS_ANY : SN_RUN_TIMERS_IDEAL;
    return 0;
}

/* Options that carry a value. */
static int apply_value(struct options *out, int option, const char *value, struct err *why)
{
    switch (option) {
    case 'i':
        return number(value, "--iterations", &out->run.iterations, why);
    case OPT_SEED:
        return number(value, "--seed", &out->run.seed, why);
    case OPT_MAX_STEPS:
        return number(value, "--max-steps", &out->run.max_steps, why);
    case 's':
        out->run.strategy = value;
        return 0;
    case 'f':
        out->filter = value;
        return 0;
    case 'o':
        out->run.outdir = value;
        return 0;
    case OPT_REPLAY:
        out->action = OPTIONS_REPLAY;
        out->replay = value;
        return 0;
    case OPT_BUG:
        return add_bug(out, value, why);
    case OPT_TIMERS:
        return timers(out, value, why);
    case OPT_ISOLATE:
        return isolate(out, value, why);
    default:
        return err_set(why, SN_EINVAL, "unknown option or missing value; --help lists the options");
    }
}

/* Options that are only there or not. True: it was one of them. */
static bool apply_flag(struct options *out, int option)
{
    switch (option) {
    case 'k':
        out->run.keep_going = true;
        return true;
    case 'l':
        out->action = OPTIONS_LIST;
        return true;
    case OPT_BUGS:
        out->action = OPTIONS_BUGS;
        return true;
    case OPT_RERUN:
        out->run.rerun = true;
        return true;
    case OPT_STEP:
        out->step = true;
        return true;
    case OPT_JSON:
        out->json = true;
        return true;
    case 'v':
        out->verbosity = 1;
        return true;
    case 'q':
        out->verbosity = -1;
        return true;
    case 'h':
        out->action = OPTIONS_HELP;
        return true;
    case OPT_VERSION:
        out->action = OPTIONS_VERSION;
        return true;
    default:
        return false;
    }
}

int options_parse(struct options *out, int argc, char **argv, struct err *why)
{
    int option;
    int rc;

    *out = (struct options){.run = {.outdir = "sennit-out"}};
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "+:i:s:f:o:klvqh", table, NULL)) != -1) {
        if (apply_flag(out, option))
            continue;
        if (option == '?' || option == ':')
            return err_set(why, SN_EINVAL, "%s: %s; --help lists the options", argv[optind - 1],
                           option == ':' ? "needs a value" : "there is no such option");
        rc = apply_value(out, option, optarg, why);
        if (rc < 0)
            return rc;
    }
    if (optind < argc)
        return err_set(why, SN_EINVAL, "\"%.100s\" is not an option; --help lists them",
                       argv[optind]);
    if (out->json && !out->step)
        return err_set(why, SN_EINVAL, "--json goes with --step");
    return 0;
}
