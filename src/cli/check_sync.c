/* check_sync.c - `sennit check --model sync`: observations of file synchronisers.
 * SPDX-License-Identifier: MIT
 */
#include "api/exit_code.h"
#include "base/json.h"
#include "cli/check.h"
#include "cli/cli.h"
#include "history/source.h"
#include "sync/observation.h"
#include "sync/table.h"
#include "sync/words.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MEMORY_MB_DEFAULT 1024

/* Of one file, written when it is done. */
static char buffer[1 << 16];

/* How it went with one file. */
struct judged {
    const char *path;
    const struct check_request *request;
    struct observation observation;
    struct sn_sync_limits limits;
    struct sn_sync_result result;
    const char *rules;
    int rc; /* below 0: it could not be read, and why says why */
    struct err why;
};

int check_sync_options(const struct check_request *request)
{
    const char *algorithm = request->check.algorithm;

    if (request->rules != NULL && sn_sync_rules_find(request->rules) == NULL)
        return cli_fail("there are no rules %s; `sennit check --list-models` lists them",
                        request->rules);
    if (algorithm != NULL && strcmp(algorithm, "order") != 0 &&
        strcmp(algorithm, "conjecture") != 0)
        return cli_fail("--algorithm of the model sync is conjecture or order, not \"%s\"",
                        algorithm);
    if (request->initial != NULL || request->history.is_independent ||
        request->history.has_failed_cas_seen || request->check.is_sequential ||
        request->check.seconds > 0 || request->check.jobs > 0 || request->html != NULL)
        return cli_fail("the model sync takes none of --init, --independent, --failed-cas, "
                        "--consistency, --time, --jobs and --html");
    if (request->history.format != HISTORY_DETECT && request->history.format != HISTORY_JSONL)
        return cli_fail("observations of synchronisers are JSON Lines: --format jsonl");
    return CLI_OK;
}

/* ---- Reading and judging -------------------------------------------------------------------- */

static bool is_order(const struct judged *judged)
{
    const char *algorithm = judged->request->check.algorithm;

    return algorithm != NULL && strcmp(algorithm, "order") == 0;
}

static int read_lines(struct judged *judged, struct source *source)
{
    const char *text;
    uint64_t line;
    size_t n;
    int rc;

    while ((rc = source_line(source, &text, &n, &line, &judged->why)) > 0) {
        rc = observation_line(&judged->observation, text, n, line, &judged->why);
        if (rc < 0)
            return rc;
    }
    return rc < 0 ? rc : observation_end(&judged->observation, &judged->why);
}

static void judge(struct judged *judged)
{
    const struct observation *observation = &judged->observation;

    if (is_order(judged))
        (void)sn_sync_judge_order(observation->n_nodes, observation->events, observation->n,
                                  &judged->result);
    else
        (void)sn_sync_judge(judged->rules, observation->n_nodes, observation->events,
                            observation->n, &judged->limits, &judged->result);
}

static void read_and_judge(struct judged *judged)
{
    const struct check_request *request = judged->request;
    uint64_t mb = request->check.memory_mb > 0 ? request->check.memory_mb : MEMORY_MB_DEFAULT;
    struct source source;

    judged->limits = (struct sn_sync_limits){.states = request->states, .memory_mb = mb};
    observation_init(&judged->observation, judged->path, (size_t)mb << 20);
    judged->observation.n_nodes = (uint32_t)request->nodes;
    judged->rc = source_open(&source, judged->path, &judged->why);
    if (judged->rc < 0)
        return;
    judged->rc = read_lines(judged, &source);
    source_close(&source);
    judged->rules = request->rules != NULL ? request->rules : judged->observation.rules;
    judged->rules = sn_sync_rules_find(judged->rules)->name;
    if (judged->rc == 0)
        judge(judged);
}

/* ---- Output --------------------------------------------------------------------------------- */

static struct sync_print print_of(const struct judged *judged)
{
    return (struct sync_print){.rules = judged->rules,
                               .n_nodes = judged->observation.n_nodes,
                               .events = judged->observation.events,
                               .n = judged->observation.n,
                               .names = &judged->observation.names,
                               .limits = &judged->limits,
                               .lines = judged->observation.lines};
}

static const char *verdict_of(const struct judged *judged)
{
    static const char *const verdicts[2][3] = {
        {"explained", "not explained", "unknown"},
        {"ordered", "not ordered", "unknown"},
    };

    return verdicts[is_order(judged) ? 1 : 0][judged->result.verdict];
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void print_figures(const struct judged *judged, struct sn_text *out)
{
    const struct observation *observation = &judged->observation;
    const struct sn_sync_result *result = &judged->result;

    text_print(out, " (%zu event%s, %u node%s, %u file%s", observation->n, plural(observation->n),
               observation->n_nodes, plural(observation->n_nodes), observation->n_files,
               plural(observation->n_files));
    if (!is_order(judged))
        text_print(out,
                   ", rules %s; %" PRIu64 " hidden event%s, at most %zu state%s at a time, "
                   "%.1f on average",
                   judged->rules, result->hidden, plural(result->hidden), result->set_max,
                   plural(result->set_max), result->set_mean);
    text_puts(out, ")\n");
}

/* Where it ends, in the words of the file. */
static void print_stuck(const struct judged *judged, struct sn_text *out)
{
    const struct observation *observation = &judged->observation;
    const struct sn_sync_result *result = &judged->result;
    const struct sn_sync_event *event = &observation->events[result->explained];

    if (result->explained >= observation->n) {
        text_puts(out, result->why);
        return;
    }
    text_print(out, "line %" PRIu64 ", ", observation->lines[result->explained]);
    words_event(out, &observation->names, observation->n_nodes, observation->n_files > 1, event);
    if (event->kind != SN_SYNC_STABILIZE)
        text_print(out, " on node %u", event->node + 1);
    text_puts(out, result->verdict == SN_CONJECTURED_UNKNOWN ? ", needs more than the budget allows"
                   : is_order(judged)                        ? ", fits no order"
                                                             : ", cannot be explained");
}

static void print_text(const struct judged *judged)
{
    const struct sn_sync_result *result = &judged->result;
    struct sync_print what = print_of(judged);
    struct sn_text out;

    if (judged->rc < 0) {
        (void)fprintf(stderr, "sennit: %s\n", judged->why.text);
        return;
    }
    text_init_fd(&out, buffer, sizeof(buffer), STDOUT_FILENO);
    text_print(&out, "%s: %s", judged->path,
               result->verdict == SN_CONJECTURED_UNKNOWN ? "unknown within the budget"
                                                         : verdict_of(judged));
    print_figures(judged, &out);
    if (result->verdict != SN_CONJECTURED_YES) {
        text_puts(&out, "  ");
        print_stuck(judged, &out);
        text_putc(&out, '\n');
    }
    if (result->verdict == SN_CONJECTURED_NO && !is_order(judged))
        (void)sync_print_table(&what, SN_SYNC_REJECTED, &out);
    else if (result->verdict == SN_CONJECTURED_YES && judged->request->is_explained)
        (void)sync_print_table(&what, is_order(judged) ? SN_SYNC_TABLE : SN_SYNC_EXPLAINED, &out);
    (void)text_flush(&out);
}

static void put_member(struct sn_text *out, const char *name, const char *value)
{
    text_print(out, ",\"%s\":", name);
    json_put_string(out, value, strlen(value));
}

static void put_result(const struct judged *judged, struct sn_text *out)
{
    const struct observation *observation = &judged->observation;
    const struct sn_sync_result *result = &judged->result;
    struct sync_print what = print_of(judged);
    char words[512];
    struct sn_text text;

    text_print(out, ",\"events\":%zu,\"nodes\":%u,\"files\":%u,\"explained\":%zu", observation->n,
               observation->n_nodes, observation->n_files, result->explained);
    if (result->verdict != SN_CONJECTURED_YES) {
        text_init(&text, words, sizeof(words));
        print_stuck(judged, &text);
        put_member(out, "why", words);
    }
    if (is_order(judged))
        return;
    put_member(out, "rules", judged->rules);
    text_print(
        out, ",\"hidden\":%" PRIu64 ",\"different\":%" PRIu64 ",\"set_max\":%zu,\"set_mean\":%.1f",
        result->hidden, result->states, result->set_max, result->set_mean);
    if (result->verdict != SN_CONJECTURED_UNKNOWN)
        (void)sync_print_json(&what, out);
}

static void print_json(const struct judged *judged)
{
    struct sn_text out;

    text_init_fd(&out, buffer, sizeof(buffer), STDOUT_FILENO);
    text_puts(&out, "{\"file\":");
    json_put_string(&out, judged->path, strlen(judged->path));
    put_member(&out, "verdict",
               judged->rc == 0           ? verdict_of(judged)
               : judged->rc == SN_ENOMEM ? "unknown"
                                         : "malformed");
    if (judged->rc < 0)
        put_member(&out, "why", judged->why.text);
    else
        put_result(judged, &out);
    text_puts(&out, "}\n");
    (void)text_flush(&out);
}

/* ---- Files ---------------------------------------------------------------------------------- */

static int count(struct check_run *run, const struct judged *judged)
{
    if (judged->rc == SN_ENOMEM ||
        (judged->rc == 0 && judged->result.verdict == SN_CONJECTURED_UNKNOWN)) {
        run->n_unknown++;
        return EXIT_NOTHING;
    }
    if (judged->rc < 0) {
        run->n_malformed++;
        return EXIT_USAGE;
    }
    if (judged->result.verdict == SN_CONJECTURED_NO) {
        run->n_not++;
        return EXIT_BUG;
    }
    run->n_fits++;
    return EXIT_NO_BUG;
}

int check_sync_file(void *self, const char *path)
{
    struct check_run *run = self;
    struct judged judged = {.path = path, .request = run->request};

    read_and_judge(&judged);
    if (run->request->is_json)
        print_json(&judged);
    else
        print_text(&judged);
    observation_done(&judged.observation);
    return count(run, &judged);
}
