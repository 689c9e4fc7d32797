/* options.c - see options.h.
 *
 * One table says everything about an option: getopt_long, the environment and --help go by it.
 * SPDX-License-Identifier: MIT
 */
#include "api/options.h"

#include "api/phases.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One value that is being read, and what to call it in a complaint. */
struct reading {
    struct options *out;
    const char *what; /* "--seed" or "SENNIT_SEED" */
    struct err *why;
};

struct row {
    const char *name;
    const char *value; /* what --help calls the value; NULL: there is none */
    const char *help;  /* NULL: another spelling, which --help does not mention */
    /* Stores the value (NULL if the option has none) where `offset` and `number` say. */
    int (*read)(const struct reading *reading, const struct row *row, const char *value);
    size_t offset;
    int number;
    char letter;
    bool is_no_variable; /* it only makes sense on a command line */
};

/* ---- Kinds of values ------------------------------------------------------------------------ */

static void *member(const struct reading *reading, const struct row *row)
{
    return (char *)reading->out + row->offset;
}

static int refuse(const struct reading *reading, const char *choices, const char *value)
{
    return err_set(reading->why, SN_EINVAL, "%s can be %s, not \"%.60s\"", reading->what, choices,
                   value);
}

static int parse_number(const char *text, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 10);
    return text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 ? SN_EINVAL : 0;
}

static int read_number(const struct reading *reading, const struct row *row, const char *value)
{
    uint64_t *out = member(reading, row);

    if (parse_number(value, out) < 0)
        return err_set(reading->why, SN_EINVAL, "%s needs a whole number, not \"%.60s\"",
                       reading->what, value);
    if (*out == 0)
        return err_set(reading->why, SN_EINVAL, "%s must be at least 1", reading->what);
    return 0;
}

static int read_text(const struct reading *reading, const struct row *row, const char *value)
{
    *(const char **)member(reading, row) = value;
    return 0;
}

static int read_flag(const struct reading *reading, const struct row *row, const char *value)
{
    (void)value;
    *(bool *)member(reading, row) = true;
    return 0;
}

/* Takes row->number for a member of type int, or of an enumeration. */
static int read_constant(const struct reading *reading, const struct row *row, const char *value)
{
    (void)value;
    memcpy(member(reading, row), &row->number, sizeof(row->number));
    return 0;
}

static int read_replay(const struct reading *reading, const struct row *row, const char *value)
{
    reading->out->action = OPTIONS_REPLAY;
    return read_text(reading, row, value);
}

static int read_explain(const struct reading *reading, const struct row *row, const char *value)
{
    reading->out->action = OPTIONS_EXPLAIN;
    return read_text(reading, row, value);
}

static int read_shrink(const struct reading *reading, const struct row *row, const char *value)
{
    reading->out->action = OPTIONS_SHRINK;
    return read_text(reading, row, value);
}

static int read_repeats(const struct reading *reading, const struct row *row, const char *value)
{
    uint64_t *repeats = member(reading, row);

    if (parse_number(value, repeats) < 0 || *repeats < 1 || *repeats > OPTIONS_REPEATS_MAX)
        return err_set(reading->why, SN_EINVAL, "%s needs a number from 1 to %d, not \"%.60s\"",
                       reading->what, OPTIONS_REPEATS_MAX, value);
    return 0;
}

static int read_bug(const struct reading *reading, const struct row *row, const char *value)
{
    struct options *out = reading->out;

    (void)row;
    if (out->n_bugs == OPTIONS_BUGS_MAX)
        return err_set(reading->why, SN_EINVAL, "more than %d bugs", OPTIONS_BUGS_MAX);
    out->bugs[out->n_bugs++] = value;
    return 0;
}

static int read_require(const struct reading *reading, const struct row *row, const char *value)
{
    struct options *out = reading->out;

    (void)row;
    if (out->n_require == OPTIONS_REQUIRE_MAX)
        return err_set(reading->why, SN_EINVAL, "%s can be given at most %d times", reading->what,
                       OPTIONS_REQUIRE_MAX);
    out->require[out->n_require++] = value;
    out->require[out->n_require] = NULL;
    out->run.require = out->require;
    return 0;
}

static int read_strategies(const struct reading *reading, const struct row *row, const char *value)
{
    struct options *out = reading->out;

    (void)row;
    if (out->n_strategies == OPTIONS_STRATEGIES_MAX)
        return err_set(reading->why, SN_EINVAL, "%s can be given at most %d times", reading->what,
                       OPTIONS_STRATEGIES_MAX);
    if (out->action == OPTIONS_RUN)
        out->action = OPTIONS_COMPARE;
    out->strategies[out->n_strategies++] = value;
    return 0;
}

static int read_isolate(const struct reading *reading, const struct row *row, const char *value)
{
    (void)row;
    if (strcmp(value, "fork") != 0 && strcmp(value, "none") != 0)
        return refuse(reading, "fork or none", value);
    reading->out->fork = strcmp(value, "fork") == 0;
    return 0;
}

static int read_timers(const struct reading *reading, const struct row *row, const char *value)
{
    (void)row;
    if (strcmp(value, "any") != 0 && strcmp(value, "ideal") != 0)
        return refuse(reading, "any or ideal", value);
    reading->out->run.timers = strcmp(value, "any") == 0 ? SN_RUN_TIMERS_ANY : SN_RUN_TIMERS_IDEAL;
    return 0;
}

static int read_color(const struct reading *reading, const struct row *row, const char *value)
{
    (void)row;
    if (strcmp(value, "auto") == 0)
        reading->out->color = OPTIONS_COLOR_AUTO;
    else if (strcmp(value, "always") == 0)
        reading->out->color = OPTIONS_COLOR_ALWAYS;
    else if (strcmp(value, "never") == 0)
        reading->out->color = OPTIONS_COLOR_NEVER;
    else
        return refuse(reading, "auto, always or never", value);
    return 0;
}

/* The processors that this process may use. */
static uint64_t processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint64_t)CPU_COUNT(&set) : 1;
}

static int read_jobs(const struct reading *reading, const struct row *row, const char *value)
{
    uint64_t *jobs = member(reading, row);

    if (strcmp(value, "auto") == 0)
        *jobs = 0;
    else if (parse_number(value, jobs) < 0 || *jobs > OPTIONS_JOBS_MAX)
        return err_set(reading->why, SN_EINVAL,
                       "%s needs a number of processes up to %d, or auto, not \"%.60s\"",
                       reading->what, OPTIONS_JOBS_MAX, value);
    if (*jobs == 0)
        *jobs = processors();
    return 0;
}

static int read_shard(const struct reading *reading, const struct row *row, const char *value)
{
    const char *slash = strchr(value, '/');
    struct options *out = reading->out;
    char first[24] = "";

    (void)row;
    if (slash != NULL && (size_t)(slash - value) < sizeof(first))
        memcpy(first, value, (size_t)(slash - value));
    if (slash == NULL || parse_number(first, &out->shard) < 0 ||
        parse_number(slash + 1, &out->shards) < 0 || out->shard == 0 || out->shard > out->shards)
        return err_set(reading->why, SN_EINVAL, "%s needs I/N with I from 1 to N, not \"%.60s\"",
                       reading->what, value);
    return 0;
}

/* ---- The table ------------------------------------------------------------------------------ */

#define AT(member_) .offset = offsetof(struct options, member_)

static const struct row table[] = {
    {"iterations", "N", "trials per test (10000)", read_number, AT(run.iterations), .letter = 'i'},
    {"timeout", "SECONDS", "begin no further trial of a test after so long", read_number,
     AT(timeout_s), .letter = 't'},
    {"strategy", "NAME",
     "how decisions are taken: random, pos, posr, pct:D, pctcp:D, urw,\n"
     "surw, ql, fest, sr, portfolio, dfs, delay:D, delay:D:cache, odpor, dpor,\n"
     "transdpor, ired, liviola, fair, oldest, script:FILE, or one of the\n"
     "program's; random+ca, pos+ca, posr+ca, pct+ca:D: as without, but\n"
     "what never races runs at once; tapct:D: as pctcp:D, changed only\n"
     "where something races;\n"
     "A@STEP,B: by A up to a step, then by B\n"
     "(the test's own, or " PHASES_USUAL ")",
     read_text, AT(run.strategy), .letter = 's'},
    {"estimate", NULL,
     "tell about how many schedules there are, by N trials that go down at\n"
     "random in the tree of dfs, delay:D or odpor:revisit",
     read_flag, AT(estimate)},
    {"seed", "N", "trial i of a seed is always the same (1)", read_number, AT(run.seed)},
    {"jobs", "N", "run trials in N processes; 0 or auto: one for each processor (1)", read_jobs,
     AT(jobs), .letter = 'j'},
    {"shard", "I/N", "run only the I-th of N parts of the trials", read_shard, AT(shard)},
    {"max-steps", "N", "length of a trial at most (the test's own, or 10000)", read_number,
     AT(run.max_steps)},
    {"hang", "SECONDS", "time of the processor, or of waiting, that a step may take (10)",
     read_number, AT(hang_s)},
    {"memory", "MB", "that a trial may allocate (1024)", read_number, AT(memory_mb)},
    {"timers", "WHEN",
     "any: a started timer may fire at any moment; ideal: in order of their\n"
     "deadlines, when nothing else can happen (as each test says)",
     read_timers, AT(run.timers)},
    {"require", "ORDER",
     "only trials in which \"A before B\" holds, or a draw has a value, as in\n"
     "\"deliver X to M before start N\", \"draw coin of M = 1\"; several times",
     read_require, AT(require)},
    {"filter", "TEXT", "only tests whose name contains TEXT", read_text, AT(filter), .letter = 'f'},
    {"outdir", "DIR", "where traces and the summary are written (sennit-out)", read_text,
     AT(run.outdir), .letter = 'o'},
    {"corpus", "DIR", "keep traces of failing trials here, and run these first", read_text,
     AT(corpus)},
    {"leaks", NULL, "memory that a trial has allocated and lost is a bug", read_flag, AT(leaks)},
    {"strict", NULL,
     "what must hold in some trial (sn_sometimes, sn_reachable) and did not is a bug", read_flag,
     AT(strict)},
    {"keep-going", NULL, "run all trials even after one failed", read_flag, AT(run.keep_going),
     .letter = 'k'},
    {"resume", NULL, "go on where the last run with this --outdir ended", read_flag, AT(resume)},
    {"checkpoint", "FILE", "go on where the run of one test ended that wrote FILE, and write it",
     read_text, AT(checkpoint)},
    {"checkpoint-every", "SECONDS", "how often a systematic search writes FILE (10)", read_number,
     AT(save_s)},
    {"list", NULL, "list the tests", read_constant, AT(action), OPTIONS_LIST, .letter = 'l'},
    {"replay", "TRACE", "run the trial of a trace again and compare", read_replay, AT(replay)},
    {"explain", "TRACE", "say why the trial of a trace failed, in SECONDS (60) or N trials at most",
     read_explain, AT(explain), .is_no_variable = true},
    {"tolerant", NULL, "with --replay: go on although the program has changed, and tell drift",
     read_flag, AT(tolerant), .is_no_variable = true},
    {"strategies", "A,B,C",
     "run all trials with each of these strategies and compare how often they\n"
     "fail; `sennit compare PROGRAM` does the same; several times",
     read_strategies, AT(strategies), .is_no_variable = true},
    {"picture", "FILE", "with --strategies: write the comparison as SVG", read_text, AT(picture),
     .is_no_variable = true},
    {"no-shrink", NULL, "leave a failing trial as it was found", read_flag, AT(no_shrink)},
    {"no-report", NULL, "write no report.html for a run that failed or a trial that is explained",
     read_flag, AT(no_report)},
    {"shrink", "TRACE", "make the trial of a trace smaller; `sennit shrink TRACE` does the same",
     read_shrink, AT(shrink), .is_no_variable = true},
    {"shrunk", "FILE", "with --shrink: where to write it (beside the trace)", read_text, AT(shrunk),
     .is_no_variable = true},
    {"any-failure", NULL, "with --shrink: it may fail in another way", read_flag, AT(any_failure),
     .is_no_variable = true},
    {"repeats", "N",
     "run each trial N times, of which one must fail: for what is not under\n"
     "control; with --shrink: each candidate (as the test says, or 1)",
     read_repeats, AT(repeats), .is_no_variable = true},
    {"shrink-repeats", "N",
     "the same while a failing trial is recorded and shrunk, and with --replay\n"
     "(as the test says, or as --repeats)",
     read_repeats, AT(shrink_repeats), .is_no_variable = true},
    {"step", NULL, "take each decision yourself; `sennit step PROGRAM` does the same", read_flag,
     AT(step)},
    {"json", NULL,
     "with --step: a program takes them; questions are lines of JSON;\n"
     "with --explain and --strategies: one JSON object",
     read_flag, AT(json)},
    {"bug", "NAME", "switch on a bug that this program has for demonstration", read_bug, AT(bugs)},
    {"bugs", NULL, "list those bugs", read_constant, AT(action), OPTIONS_BUGS},
    {"isolate", "HOW", "fork: run each trial in a process of its own; none: do not", read_isolate,
     AT(fork)},
    {"verify-determinism", NULL, "run each trial twice, in different processes, and compare",
     read_flag, AT(verify_determinism)},
    {"rerun", NULL, "dfs: go back by running the prefix again instead of restoring memory",
     read_flag, AT(run.rerun)},
    {"tap", NULL, "print results as TAP 14, for other test runners", read_flag, AT(tap)},
    {"xml", "FILE", "write results to FILE as JUnit's XML", read_text, AT(xml)},
    {"color", "WHEN", "auto (only on a terminal), always, never", read_color, AT(color)},
    {"colour", "WHEN", NULL, read_color, AT(color)},
    {"verbose", NULL, "say more", read_constant, AT(verbosity), 1, .letter = 'v'},
    {"quiet", NULL, "say only what failed", read_constant, AT(verbosity), -1, .letter = 'q'},
    {"help", NULL, "this text", read_constant, AT(action), OPTIONS_HELP, .letter = 'h',
     .is_no_variable = true},
    {"version", NULL, "the version of Sennit", read_constant, AT(action), OPTIONS_VERSION,
     .is_no_variable = true},
};

enum {
    N_ROWS = sizeof(table) / sizeof(table[0]),
    LONG_ONLY = 256, /* what getopt_long returns for row i is LONG_ONLY + i */
    HELP_COLUMN = 23,
    LONGS_MAX = N_ROWS + OWN_OPTIONS_MAX + 1,
};

void options_print_help(struct sn_text *out)
{
    text_puts(out, "Runs each test many times, each time with other decisions, until one fails.\n"
                   "\n");
    for (const struct row *row = table; row < table + N_ROWS; row++) {
        char left[64];
        int n;

        if (row->help == NULL)
            continue;
        n = snprintf(left, sizeof(left), "  %c%c%s --%s%s%s", row->letter != 0 ? '-' : ' ',
                     row->letter != 0 ? row->letter : ' ', row->letter != 0 ? "," : " ", row->name,
                     row->value != NULL ? " " : "", row->value != NULL ? row->value : "");
        text_puts(out, left);
        text_print(out, "%s%*s", n > HELP_COLUMN - 2 ? "\n" : "",
                   n > HELP_COLUMN - 2 ? HELP_COLUMN : HELP_COLUMN - n, "");
        for (const char *c = row->help; *c != '\0'; c++)
            text_print(out, "%c%*s", *c, *c == '\n' ? HELP_COLUMN : 0, "");
        text_putc(out, '\n');
    }
    text_puts(
        out,
        "\n"
        "A variable SENNIT_ITERATIONS, SENNIT_STRATEGY, ... gives an option where the command\n"
        "line does not; 1 or 0 stands for an option without a value.\n"
        "Exit: 0 no bug, 1 a bug, 2 usage or malformed input, 3 interrupted or nothing ran,\n"
        "4 nondeterminism. Replay: 1 failed again, 0 did not fail, 4 went another way.\n"
        "Shrink: 0 done, 3 its time was up, 4 the trial does not fail any more.\n");
}

/* ---- The environment ------------------------------------------------------------------------ */

/* Whether a word says yes or no; -1: it says neither. */
static int truth(const char *word)
{
    static const char *const words[] = {"0", "1", "no", "yes", "false", "true", "off", "on"};

    for (int i = 0; i < (int)(sizeof(words) / sizeof(words[0])); i++) {
        if (strcasecmp(word, words[i]) == 0)
            return i & 1;
    }
    return -1;
}

/* An empty variable is as good as none. */
static int read_variable(struct options *out, const struct row *row, struct err *why)
{
    char name[64];
    struct reading reading = {.out = out, .what = name, .why = why};
    const char *value;
    size_t n = (size_t)snprintf(name, sizeof(name), "SENNIT_%s", row->name);

    for (size_t i = 0; i < n; i++)
        name[i] = name[i] == '-' ? '_' : (char)toupper((unsigned char)name[i]);
    value = getenv(name);
    if (value == NULL || value[0] == '\0')
        return 0;
    if (row->value != NULL)
        return row->read(&reading, row, value);
    if (truth(value) < 0)
        return refuse(&reading, "1 or 0", value);
    return truth(value) == 1 ? row->read(&reading, row, NULL) : 0;
}

static int read_environment(struct options *out, struct err *why)
{
    for (const struct row *row = table; row < table + N_ROWS; row++) {
        int rc = row->is_no_variable ? 0 : read_variable(out, row, why);

        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- The command line ----------------------------------------------------------------------- */

/* An option of the program's own must not hide behind one that there is. */
static int check_own(const struct own_options *own, struct err *why)
{
    int rc = own_options_check(own, why);

    for (int i = 0; rc == 0 && i < own_options_count(own); i++) {
        for (int k = 0; k < N_ROWS; k++) {
            if (strcmp(own->table[i].name, table[k].name) == 0)
                rc = err_set(why, SN_EINVAL, "the program's own option --%s is there already",
                             table[k].name);
        }
    }
    return rc;
}

/* The tables as getopt_long wants them. */
static void describe(const struct own_options *own, struct option longs[LONGS_MAX],
                     char shorts[3 * N_ROWS + 3])
{
    int n = own_options_count(own);
    char *end = shorts;

    *end++ = '+'; /* stops at the first word that is no option */
    *end++ = ':'; /* tells a missing value from an unknown option */
    for (int i = 0; i < N_ROWS; i++) {
        longs[i] =
            (struct option){table[i].name, table[i].value != NULL ? required_argument : no_argument,
                            NULL, LONG_ONLY + i};
        if (table[i].letter == 0)
            continue;
        *end++ = table[i].letter;
        if (table[i].value != NULL)
            *end++ = ':';
    }
    *end = '\0';
    for (int i = 0; i < n; i++)
        longs[N_ROWS + i] =
            (struct option){own->table[i].name, required_argument, NULL, LONG_ONLY + N_ROWS + i};
    longs[N_ROWS + n] = (struct option){0};
}

static const struct row *find_row(int option)
{
    for (int i = 0; i < N_ROWS; i++) {
        if (option == LONG_ONLY + i || option == table[i].letter)
            return &table[i];
    }
    return NULL;
}

static int read_command_line(struct options *out, int argc, char **argv, struct err *why)
{
    struct option longs[LONGS_MAX];
    char shorts[3 * N_ROWS + 3];
    int n_bugs = out->n_bugs;
    int n_require = out->n_require;
    int option;

    describe(&out->own, longs, shorts);
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const struct row *row = find_row(option);
        struct reading reading = {.out = out, .why = why};
        char name[64];
        int rc;

        if (option >= LONG_ONLY + N_ROWS) {
            out->own.values[option - LONG_ONLY - N_ROWS] = optarg;
            continue;
        }
        if (row == NULL)
            return err_set(why, SN_EINVAL, "%s: %s; --help lists the options", argv[optind - 1],
                           option == ':' ? "needs a value" : "there is no such option");
        (void)snprintf(name, sizeof(name), "--%s", row->name);
        reading.what = name;
        if (row->read == read_bug && n_bugs > 0)
            out->n_bugs = n_bugs = 0; /* the command line wins over the environment */
        if (row->read == read_require && n_require > 0)
            out->n_require = n_require = 0; /* the same */
        rc = row->read(&reading, row, optarg);
        if (rc < 0)
            return rc;
    }
    if (optind < argc)
        return err_set(why, SN_EINVAL, "\"%.100s\" is not an option; --help lists them",
                       argv[optind]);
    return 0;
}

/* What is about one run does not go with a comparison of several. */
static int check_comparison(const struct options *out, struct err *why)
{
    if (out->n_strategies == 0)
        return out->picture == NULL ? 0
                                    : err_set(why, SN_EINVAL, "--picture goes with --strategies");
    if (out->step || out->resume || out->checkpoint != NULL || out->estimate || out->shards > 1 ||
        out->corpus != NULL || out->tap || out->xml != NULL || out->run.strategy != NULL ||
        (out->action != OPTIONS_COMPARE && out->action != OPTIONS_HELP &&
         out->action != OPTIONS_VERSION))
        return err_set(why, SN_EINVAL,
                       "--strategies compares whole runs: --strategy, --step, --resume, "
                       "--checkpoint, --estimate, --shard, --corpus, --tap, --xml, --list, --bugs "
                       "and traces do not go with it");
    return 0;
}

int options_parse(struct options *out, const struct sn_option *own, int argc, char **argv,
                  struct err *why)
{
    int rc;

    *out = (struct options){
        .run = {.outdir = "sennit-out"}, .jobs = 1, .shard = 1, .shards = 1, .own = {.table = own}};
    rc = check_own(&out->own, why);
    if (rc == 0)
        rc = read_environment(out, why);
    if (rc == 0)
        rc = read_command_line(out, argc, argv, why);
    if (rc == 0 && out->json && !out->step && out->action != OPTIONS_EXPLAIN &&
        out->action != OPTIONS_COMPARE)
        rc = err_set(why, SN_EINVAL, "--json goes with --step, --explain and --strategies");
    if (rc == 0 && out->tolerant && out->action != OPTIONS_REPLAY && out->action != OPTIONS_EXPLAIN)
        rc = err_set(why, SN_EINVAL, "--tolerant goes with --replay and --explain");
    if (rc == 0 && out->action != OPTIONS_SHRINK && (out->shrunk != NULL || out->any_failure))
        rc = err_set(why, SN_EINVAL, "--shrunk and --any-failure go with --shrink");
    return rc == 0 ? check_comparison(out, why) : rc;
}
