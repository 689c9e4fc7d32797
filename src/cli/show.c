/* show.c - `sennit show TRACE`: prints or exports a trace. SPDX-License-Identifier: MIT */
#include "report/show.h"

#include "base/err.h"
#include "cli/cli.h"
#include "trace/trace.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char help[] =
    "usage: sennit show [OPTION...] TRACE\n"
    "Prints a trace, one line a step. TRACE may be - for standard input.\n\n"
    "  -v, --verbose      everything that happened in a step, beneath it\n"
    "      --brief        only steps that changed a state, drew, noted or printed something; with\n"
    "                     --lanes, only the steps\n"
    "      --from N       begin with step N\n"
    "      --to N         end with step N\n"
    "      --wide         cut nothing to the width of the terminal, and hide no lane\n"
    "      --color WHEN   auto (only on a terminal), always, never\n"
    "      --lanes        a space-time diagram: a column for each machine, arrows for messages\n"
    "      --json         one JSON document, for other tools\n"
    "      --dot          what happened before what, as a graph for Graphviz\n"
    "      --shiviz       a log with vector clocks, for ShiViz\n"
    "      --mermaid      a sequence diagram for Mermaid\n"
    "      --perfetto     a trace for Perfetto (ui.perfetto.dev) or Chrome (chrome://tracing)\n"
    "      --script       a script that runs the same trial: PROGRAM -s script:FILE\n"
    "  -h, --help         this text\n\n"
    "Exit: 0, or 2 if the trace cannot be read; the message says why.\n";

enum {
    OPTION_FROM = 256,
    OPTION_TO,
    OPTION_WIDE,
    OPTION_COLOR,
    OPTION_BRIEF,
    OPTION_FORM, /* and what follows: one for each of the forms */
};

enum form {
    FORM_LANES = 0,
    FORM_JSON,
    FORM_DOT,
    FORM_SHIVIZ,
    FORM_MERMAID,
    FORM_PERFETTO,
    FORM_SCRIPT,
    FORMS,
};

static int (*const forms[FORMS])(struct sn_text *out, const struct trace *trace,
                                 const struct show_options *options) = {
    [FORM_LANES] = show_lanes,   [FORM_JSON] = show_json,       [FORM_DOT] = show_dot,
    [FORM_SHIVIZ] = show_shiviz, [FORM_MERMAID] = show_mermaid, [FORM_PERFETTO] = show_perfetto,
    [FORM_SCRIPT] = show_script,
};

static const struct option long_options[] = {
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"brief", no_argument, NULL, OPTION_BRIEF},
    {"from", required_argument, NULL, OPTION_FROM},
    {"to", required_argument, NULL, OPTION_TO},
    {"wide", no_argument, NULL, OPTION_WIDE},
    {"color", required_argument, NULL, OPTION_COLOR},
    {"colour", required_argument, NULL, OPTION_COLOR},
    {"json", no_argument, NULL, OPTION_FORM + FORM_JSON},
    {"lanes", no_argument, NULL, OPTION_FORM + FORM_LANES},
    {"dot", no_argument, NULL, OPTION_FORM + FORM_DOT},
    {"shiviz", no_argument, NULL, OPTION_FORM + FORM_SHIVIZ},
    {"mermaid", no_argument, NULL, OPTION_FORM + FORM_MERMAID},
    {"perfetto", no_argument, NULL, OPTION_FORM + FORM_PERFETTO},
    {"script", no_argument, NULL, OPTION_FORM + FORM_SCRIPT},
    {NULL, 0, NULL, 0},
};

struct request {
    struct show_options options;
    int (*show)(struct sn_text *out, const struct trace *trace, const struct show_options *options);
    const char *path;
    bool is_help;
};

/* A step number of the command line, at least 1. */
static int parse_step(const char *option, const char *s, uint64_t *step)
{
    char *end;

    errno = 0;
    *step = strtoull(s, &end, 10);
    if (s[0] < '0' || s[0] > '9' || *end != '\0' || errno != 0 || *step == 0)
        return cli_fail("%s needs the number of a step, from 1 on, not \"%s\"", option, s);
    return CLI_OK;
}

static int parse_color(const char *s, bool *is_coloured)
{
    if (strcmp(s, "auto") == 0)
        *is_coloured = isatty(STDOUT_FILENO) != 0;
    else if (strcmp(s, "always") == 0)
        *is_coloured = true;
    else if (strcmp(s, "never") == 0)
        *is_coloured = false;
    else
        return cli_fail("--color is auto, always or never, not \"%s\"", s);
    return CLI_OK;
}

static int parse_option(struct request *request, int option)
{
    if (option >= OPTION_FORM) {
        if (request->show != show_text)
            return cli_fail("give one of --lanes, --json, --dot, --shiviz, --mermaid, --perfetto "
                            "and --script");
        request->show = forms[option - OPTION_FORM];
        return CLI_OK;
    }
    switch (option) {
    case 'v':
        request->options.is_verbose = true;
        return CLI_OK;
    case 'h':
        request->is_help = true;
        return CLI_OK;
    case OPTION_BRIEF:
        request->options.is_brief = true;
        return CLI_OK;
    case OPTION_FROM:
        return parse_step("--from", optarg, &request->options.from);
    case OPTION_TO:
        return parse_step("--to", optarg, &request->options.to);
    case OPTION_WIDE:
        request->options.is_wide = true;
        return CLI_OK;
    case OPTION_COLOR:
        return parse_color(optarg, &request->options.is_coloured);
    default:
        return cli_fail("`sennit show --help` lists the options");
    }
}

/* Where there is no terminal, who asks may say how wide it would be; 0: nobody does. */
static uint32_t columns_told(void)
{
    enum { COLUMNS_MAX = 100000 };
    const char *said = getenv("COLUMNS");
    unsigned long columns =
        said == NULL || said[0] < '0' || said[0] > '9' ? 0 : strtoul(said, NULL, 10);

    return columns > COLUMNS_MAX ? COLUMNS_MAX : (uint32_t)columns;
}

/* What cannot be seen on the command line: the terminal, and how it reads bytes. */
static void look_around(struct show_options *options)
{
    struct winsize size;

    (void)parse_color("auto", &options->is_coloured);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        options->columns = size.ws_col;
    else
        options->columns = columns_told();
    options->is_unicode =
        setlocale(LC_CTYPE, "") != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static int parse(struct request *request, int argc, char **argv)
{
    int option;

    *request = (struct request){.show = show_text};
    look_around(&request->options);
    while ((option = getopt_long(argc, argv, "vh", long_options, NULL)) != -1) {
        int rc = parse_option(request, option);

        if (rc != CLI_OK || request->is_help)
            return rc;
    }
    if (optind + 1 != argc)
        return cli_fail("show needs one trace; `sennit show --help` says more");
    request->path = argv[optind];
    request->options.path = argv[optind];
    if (strcmp(argv[optind], "-") == 0) {
        request->path = "/dev/stdin";
        request->options.path = NULL;
    }
    if (request->show == show_script && request->options.from > 1)
        return cli_fail("a script begins with the first step: --from does not go with it");
    if (request->options.to != 0 && request->options.from > request->options.to)
        return cli_fail("--from %" PRIu64 " comes after --to %" PRIu64, request->options.from,
                        request->options.to);
    return CLI_OK;
}

static int print(const struct request *request, const struct trace *trace)
{
    static char buffer[1 << 16];
    struct show_options options = request->options;
    struct err remark = {0};
    struct sn_text out;
    int rc;

    options.remark = &remark;
    if (request->options.from > trace->n_steps)
        return cli_fail("%s has %" PRIu64 " steps, there is no step %" PRIu64, request->path,
                        trace->n_steps, request->options.from);
    text_init_fd(&out, buffer, sizeof(buffer), STDOUT_FILENO);
    rc = request->show(&out, trace, &options);
    if (rc == SN_EINVAL)
        return cli_fail("%s: %s", request->path, remark.text);
    if (rc == 0 && remark.text[0] != '\0')
        (void)cli_fail("%s", remark.text);
    if (rc == SN_ENOMEM)
        return cli_fail("there is not enough memory");
    return rc < 0 ? cli_fail("cannot write to standard output: %s", strerror(errno)) : CLI_OK;
}

static int run(int argc, char **argv)
{
    struct request request;
    struct trace trace;
    struct err why;
    int rc = parse(&request, argc, argv);

    if (rc != CLI_OK)
        return rc;
    if (request.is_help) {
        (void)fputs(help, stdout);
        return CLI_OK;
    }
    if (trace_read(&trace, request.path, &why) < 0)
        return cli_fail("%s", why.text);
    rc = print(&request, &trace);
    trace_done(&trace);
    return rc;
}

const struct cli_verb cli_show = {
    .name = "show",
    .usage = "[OPTION...] TRACE",
    .about = "prints or exports a trace",
    .run = run,
};
