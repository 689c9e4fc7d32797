/* check.c - `sennit check FILE... --model NAME`: whether histories are linearizable, and
 * observations of synchronisers explained. SPDX-License-Identifier: MIT
 */
#include "cli/check.h"

#include "api/exit_code.h"
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <sennit/sync.h>
#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "usage: sennit check FILE... --model NAME [OPTION...]\n"
    "Checks whether histories of operations are linearizable. FILE is a history of Jepsen or\n"
    "Knossos in EDN, a log of Jepsen, or JSON Lines; each may be compressed by gzip. It may be -\n"
    "for standard input, or a directory.\n\n"
    "  -m, --model NAME        what the operations were performed on; or ./FILE.so, which defines\n"
    "                          `const struct sn_model sn_model`\n"
    "      --list-models       print the models that are there\n"
    "      --init VALUE        what the object holds at the beginning\n"
    "      --independent       values are [key value], each key an object of its own\n"
    "      --failed-cas WHAT   drop: one that failed tells nothing; see: it saw another value\n"
    "      --format NAME       edn, log or jsonl, whatever the file looks like\n"
    "      --consistency NAME  linearizable, or sequential: clocks of processes do not matter\n"
    "      --algorithm NAME    search, or a special one, instead of whatever fits\n"
    "      --time SECONDS      give up after so long, for each file\n"
    "      --memory MB         give up beyond so much memory\n"
    "  -j, --jobs N            processes that check keys apart\n"
    "      --json              one JSON object a file, for other tools\n"
    "      --html FILE         write a page to look at, too: when each process did what, and why\n"
    "                          there is no order\n"
    "  -h, --help              this text\n\n"
    "With --model sync, FILE is what was observed of a file synchroniser, as JSON Lines: the\n"
    "question is whether uploads and downloads that nobody saw explain it. --algorithm order\n"
    "judges by what happened before what instead.\n\n"
    "      --rules NAME        who wins where nodes disagree, whatever the file says;\n"
    "                          --list-models lists them, too\n"
    "      --nodes N           how many nodes there are, whatever the file says\n"
    "      --states N          give up beyond so many states at a time\n"
    "      --explain           print a shortest explanation if there is one\n\n"
    "Exit: 0 all fit, 1 one does not, 3 one is unknown within the budget, 2 one is malformed or\n"
    "cannot be read; the message says where and why.\n";

enum {
    OPTION_LIST = 256,
    OPTION_INIT,
    OPTION_INDEPENDENT,
    OPTION_FAILED_CAS,
    OPTION_FORMAT,
    OPTION_CONSISTENCY,
    OPTION_ALGORITHM,
    OPTION_TIME,
    OPTION_MEMORY,
    OPTION_JSON,
    OPTION_HTML,
    OPTION_RULES,
    OPTION_NODES,
    OPTION_STATES,
    OPTION_EXPLAIN,
};

static const struct option long_options[] = {
    {"model", required_argument, NULL, 'm'},
    {"list-models", no_argument, NULL, OPTION_LIST},
    {"init", required_argument, NULL, OPTION_INIT},
    {"independent", no_argument, NULL, OPTION_INDEPENDENT},
    {"failed-cas", required_argument, NULL, OPTION_FAILED_CAS},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"consistency", required_argument, NULL, OPTION_CONSISTENCY},
    {"algorithm", required_argument, NULL, OPTION_ALGORITHM},
    {"time", required_argument, NULL, OPTION_TIME},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"jobs", required_argument, NULL, 'j'},
    {"json", no_argument, NULL, OPTION_JSON},
    {"html", required_argument, NULL, OPTION_HTML},
    {"rules", required_argument, NULL, OPTION_RULES},
    {"nodes", required_argument, NULL, OPTION_NODES},
    {"states", required_argument, NULL, OPTION_STATES},
    {"explain", no_argument, NULL, OPTION_EXPLAIN},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

enum { EXPLAIN_SECONDS = 10 }; /* spent at most on making it small */

/* ---- Options -------------------------------------------------------------------------------- */

/* The position of a word in a list, from 0; -1 after a message. */
static int parse_word(const char *option, const char *const *words, int n)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(words[i], optarg) == 0)
            return i;
    }
    (void)cli_fail("%s is %s%s%s or %s, not \"%s\"", option, n > 2 ? words[0] : "",
                   n > 2 ? ", " : "", words[n - 2], words[n - 1], optarg);
    return -1;
}

static int parse_number(const char *option, uint64_t max, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(optarg, &end, 10);
    if (optarg[0] < '0' || optarg[0] > '9' || *end != '\0' || errno != 0 || *out == 0 || *out > max)
        return cli_fail("%s needs a number from 1 to %llu, not \"%s\"", option,
                        (unsigned long long)max, optarg);
    return CLI_OK;
}

static int parse_seconds(double *out)
{
    char *end;

    *out = strtod(optarg, &end);
    if (end == optarg || *end != '\0' || !(*out > 0 && *out < 1e9))
        return cli_fail("--time needs a number of seconds above 0, not \"%s\"", optarg);
    return CLI_OK;
}

static int parse_choice(struct check_request *request, int option)
{
    static const char *const formats[] = {"edn", "log", "jsonl"};
    static const char *const consistencies[] = {"linearizable", "sequential"};
    static const char *const failed[] = {"drop", "see"};
    int chosen;

    switch (option) {
    case OPTION_FORMAT:
        chosen = parse_word("--format", formats, 3);
        request->history.format = (enum history_format)(HISTORY_EDN + chosen);
        break;
    case OPTION_CONSISTENCY:
        chosen = parse_word("--consistency", consistencies, 2);
        request->check.is_sequential = chosen == 1;
        break;
    default:
        chosen = parse_word("--failed-cas", failed, 2);
        request->history.has_failed_cas_seen = chosen == 1;
        break;
    }
    return chosen < 0 ? CLI_USAGE : CLI_OK;
}

static int parse_jobs(struct check_request *request)
{
    uint64_t jobs;
    int rc = parse_number("--jobs", 1024, &jobs);

    request->check.jobs = (uint32_t)jobs;
    return rc;
}

static int parse_memory(struct check_request *request)
{
    int rc = parse_number("--memory", 1 << 24, &request->check.memory_mb);

    request->history.memory_mb = request->check.memory_mb;
    return rc;
}

static int parse_sync_option(struct check_request *request, int option)
{
    switch (option) {
    case OPTION_RULES:
        request->rules = optarg;
        return CLI_OK;
    case OPTION_NODES:
        return parse_number("--nodes", SN_SYNC_NODES_MAX, &request->nodes);
    case OPTION_STATES:
        return parse_number("--states", UINT32_MAX, &request->states);
    default:
        request->is_explained = true;
        return CLI_OK;
    }
}

static int parse_option(struct check_request *request, int option)
{
    switch (option) {
    case 'm':
        request->model = optarg;
        return CLI_OK;
    case 'j':
        return parse_jobs(request);
    case 'h':
        request->is_help = true;
        return CLI_OK;
    case OPTION_LIST:
        request->is_list = true;
        return CLI_OK;
    case OPTION_INIT:
        request->initial = optarg;
        return CLI_OK;
    case OPTION_INDEPENDENT:
        request->history.is_independent = true;
        return CLI_OK;
    case OPTION_ALGORITHM:
        request->check.algorithm = optarg;
        return CLI_OK;
    case OPTION_TIME:
        return parse_seconds(&request->check.seconds);
    case OPTION_MEMORY:
        return parse_memory(request);
    case OPTION_JSON:
        request->is_json = true;
        return CLI_OK;
    case OPTION_HTML:
        request->html = optarg;
        return CLI_OK;
    case OPTION_FORMAT:
    case OPTION_CONSISTENCY:
    case OPTION_FAILED_CAS:
        return parse_choice(request, option);
    case OPTION_RULES:
    case OPTION_NODES:
    case OPTION_STATES:
    case OPTION_EXPLAIN:
        return parse_sync_option(request, option);
    default:
        return cli_fail("`sennit check --help` lists the options");
    }
}

static int parse(struct check_request *request, int argc, char **argv)
{
    int option;

    while ((option = getopt_long(argc, argv, "m:j:h", long_options, NULL)) != -1) {
        int rc = parse_option(request, option);

        if (rc != CLI_OK || request->is_help)
            return rc;
    }
    if (request->is_list)
        return CLI_OK;
    if (request->model == NULL)
        return cli_fail("check needs --model NAME; `sennit check --list-models` lists them");
    if (optind == argc)
        return cli_fail("check needs %s; `sennit check --help` says more",
                        check_is_sync(request) ? "an observation" : "a history");
    return CLI_OK;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static double now_seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Each key of an independent history is an object of its own, whatever the model says. A copy is
 * made only if it must be, since the checker may know a model by its address. */
static void choose_model(const struct check_request *request, struct check_outcome *outcome)
{
    outcome->model = request->history.model;
    if (!request->history.is_independent || outcome->model->is_partitioned)
        return;
    outcome->own_model = *outcome->model;
    outcome->own_model.is_partitioned = true;
    outcome->model = &outcome->own_model;
}

static void explain(struct check_outcome *outcome, const struct sn_check_options *options)
{
    struct core_options core = {.check = *options, .seconds = EXPLAIN_SECONDS};
    struct err why;

    if (options->seconds > 0 && options->seconds < core.seconds)
        core.seconds = options->seconds;
    check_progress_explain();
    outcome->has_core = linear_core(outcome->model, history_operations(&outcome->history),
                                    outcome->history.n, &core, &outcome->core, &why) == 0;
    if (outcome->has_core && outcome->core.has_stuck) {
        outcome->result.stuck = outcome->core.stuck;
        outcome->result.key = history_operations(&outcome->history)[outcome->core.stuck].key;
    }
}

static void check_history(const struct check_request *request, struct check_outcome *outcome)
{
    struct sn_check_options options = request->check;
    double started;

    options.elements = history_elements;
    options.self = &outcome->history;

    outcome->is_sequential = options.is_sequential;
    choose_model(request, outcome);
    outcome->rc = history_read(&outcome->history, outcome->path, &request->history, &outcome->why);
    if (outcome->rc == 0 && request->initial != NULL) {
        options.has_initial = true;
        outcome->rc =
            history_value(&outcome->history, request->initial, &options.initial, &outcome->why);
    }
    if (outcome->rc < 0)
        return;
    check_progress_check();
    started = now_seconds();
    outcome->rc = sn_check_history(outcome->model, history_operations(&outcome->history),
                                   outcome->history.n, &options, &outcome->result);
    outcome->seconds = now_seconds() - started;
    if (outcome->rc < 0)
        (void)err_set(&outcome->why, outcome->rc, "%s: %s", outcome->path, outcome->result.why);
    else if (outcome->result.verdict == SN_LINEAR_NO)
        explain(outcome, &options);
}

/* Adds the outcome to the figures. Its exit code. */
static int count(struct check_run *run, const struct check_outcome *outcome)
{
    if (outcome->rc == SN_ENOMEM ||
        (outcome->rc == 0 && outcome->result.verdict == SN_LINEAR_UNKNOWN)) {
        run->n_unknown++;
        return EXIT_NOTHING;
    }
    if (outcome->rc < 0) {
        run->n_malformed++;
        return EXIT_USAGE;
    }
    if (outcome->result.verdict == SN_LINEAR_NO) {
        run->n_not++;
        return EXIT_BUG;
    }
    run->n_fits++;
    return EXIT_NO_BUG;
}

static int check_file(void *self, const char *path)
{
    struct check_run *run = self;
    struct check_outcome outcome = {.path = path};
    struct check_request request = *run->request;
    int code;

    request.history.on_read = check_progress_read;
    request.history.self = &outcome;
    check_progress_begin(&outcome);
    check_history(&request, &outcome);
    check_progress_end();
    code = count(run, &outcome);
    if (request.is_json)
        check_print_json(&outcome);
    else
        check_print(&outcome);
    (void)fflush(stdout);
    check_add_history(run, &outcome);
    core_done(&outcome.core);
    history_done(&outcome.history);
    return code;
}

static void print_total(const struct check_run *run, size_t n)
{
    printf("%zu files: %zu %s, %zu not", n, run->n_fits,
           check_is_sync(run->request) ? "explained" : "linearizable", run->n_not);
    if (run->n_unknown > 0)
        printf(", %zu unknown", run->n_unknown);
    if (run->n_malformed > 0)
        printf(", %zu not read", run->n_malformed);
    printf("\n");
}

/* What is done with each file. */
static int choose(struct check_request *request, int (**check)(void *self, const char *path))
{
    *check = check_sync_file;
    if (check_is_sync(request))
        return check_sync_options(request);
    *check = check_file;
    if (request->rules != NULL || request->nodes > 0 || request->states > 0 ||
        request->is_explained)
        return cli_fail("--rules, --nodes, --states and --explain are for the model sync");
    request->history.model = check_find_model(request->model);
    if (request->history.model == NULL)
        return CLI_USAGE;
    if (request->initial != NULL && request->history.model->init == NULL)
        return cli_fail("--init makes no sense for the model %s: it always begins in the same way",
                        request->model);
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    int (*check)(void *self, const char *path);
    struct check_request request = {.is_json = false};
    struct check_run all = {.request = &request};
    size_t n = 0;
    int rc = parse(&request, argc, argv);

    if (rc != CLI_OK)
        return rc;
    if (request.is_help || request.is_list) {
        if (request.is_help)
            (void)fputs(help, stdout);
        else
            check_list_models();
        return CLI_OK;
    }
    rc = choose(&request, &check);
    if (rc != CLI_OK)
        return rc;
    all.title = argc - optind == 1 ? argv[optind] : "Histories";
    rc = check_page_try(&all);
    if (rc != CLI_OK)
        return rc;
    for (int i = optind; i < argc; i++)
        rc = exit_code_worse(rc, check_files(argv[i], check, &all, &n));
    rc = exit_code_worse(rc, check_page_end(&all));
    if (n > 1 && !request.is_json)
        print_total(&all, n);
    if (fflush(stdout) != 0)
        return cli_fail("cannot write to standard output: %s", strerror(errno));
    return rc;
}

const struct cli_verb cli_check = {
    .name = "check",
    .usage = "FILE... --model NAME",
    .about = "is a history linearizable, an observation explained?",
    .run = run,
};
