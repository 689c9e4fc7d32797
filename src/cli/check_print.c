/* check_print.c - what `sennit check` says. SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/check.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of one file, written when it is done. */
static char buffer[1 << 16];

/* ---- Text ----------------------------------------------------------------------------------- */

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

const char *check_verdict(const struct check_outcome *outcome)
{
    static const char *const verdicts[2][3] = {
        {"linearizable", "not linearizable", "unknown"},
        {"sequentially consistent", "not sequentially consistent", "unknown"},
    };

    if (outcome->rc < 0)
        return outcome->rc == SN_ENOMEM ? "unknown" : "malformed";
    return verdicts[outcome->is_sequential ? 1 : 0][outcome->result.verdict];
}

static void print_word(void *self, sn_value value, struct sn_text *out)
{
    history_print_value(self, value, out);
}

struct core_words check_words(const struct check_outcome *outcome)
{
    return (struct core_words){.value = print_word, .self = (void *)(uintptr_t)&outcome->history};
}

static void print_figures(const struct check_outcome *outcome, struct sn_text *out)
{
    const struct sn_check_result *result = &outcome->result;
    double ms = outcome->seconds * 1e3;

    text_print(out, " (%" PRIu64 " operation%s, %" PRIu64 " key%s, %s algorithm, ",
               result->operations, plural(result->operations), result->partitions,
               plural(result->partitions), result->algorithm);
    if (ms < 1000)
        text_print(out, "%.1f ms)\n", ms);
    else
        text_print(out, "%.1f s)\n", outcome->seconds);
}

static bool has_stuck(const struct check_outcome *outcome)
{
    return outcome->result.verdict != SN_LINEAR_YES && outcome->result.stuck < outcome->history.n;
}

static const struct sn_operation *stuck(const struct check_outcome *outcome)
{
    return history_operations(&outcome->history) + outcome->result.stuck;
}

void check_print(const struct check_outcome *outcome)
{
    const struct sn_check_result *result = &outcome->result;
    struct core_words words = check_words(outcome);
    struct sn_text out;

    if (outcome->rc < 0) {
        (void)fprintf(stderr, "sennit: %s\n", outcome->why.text);
        return;
    }
    text_init_fd(&out, buffer, sizeof(buffer), STDOUT_FILENO);
    text_print(&out, "%s: %s", outcome->path,
               result->verdict == SN_LINEAR_UNKNOWN ? "unknown within the budget"
                                                    : check_verdict(outcome));
    print_figures(outcome, &out);
    if (result->verdict == SN_LINEAR_UNKNOWN)
        text_print(&out, "  %s\n", result->why);
    if (has_stuck(outcome)) {
        text_puts(&out, result->verdict == SN_LINEAR_NO ? "  no order allows "
                                                        : "  the search got as far as ");
        history_print_operation(&outcome->history, stuck(outcome), &out);
        if (outcome->history.has_keys) {
            text_puts(&out, " of key ");
            history_print_value(&outcome->history, result->key, &out);
        }
        text_putc(&out, '\n');
    }
    if (outcome->has_core)
        core_print(&outcome->core, &words, "  ", &out);
    (void)text_flush(&out);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void put_member(struct sn_text *out, const char *name, const char *value)
{
    text_print(out, ",\"%s\":", name);
    json_put_string(out, value, strlen(value));
}

static void put_value(const struct check_outcome *outcome, const char *name, sn_value value,
                      struct sn_text *out)
{
    static char text[1 << 14];
    struct sn_text printed;

    text_init(&printed, text, sizeof(text));
    history_print_value(&outcome->history, value, &printed);
    put_member(out, name, text);
}

static void put_stuck(const struct check_outcome *outcome, struct sn_text *out)
{
    static char text[1 << 14];
    const struct sn_operation *op = stuck(outcome);
    struct sn_text printed;

    text_init(&printed, text, sizeof(text));
    history_print_operation(&outcome->history, op, &printed);
    text_print(out, ",\"stuck\":{\"line\":%" PRIu64 ",\"process\":%" PRIu32, op->line, op->process);
    put_member(out, "f", outcome->history.options.model->functions[op->function].name);
    put_member(out, "text", text);
    if (outcome->history.has_keys)
        put_value(outcome, "key", op->key, out);
    text_putc(out, '}');
}

void check_print_json(const struct check_outcome *outcome)
{
    const struct sn_check_result *result = &outcome->result;
    struct core_words words = check_words(outcome);
    struct sn_text out;

    text_init_fd(&out, buffer, sizeof(buffer), STDOUT_FILENO);
    text_puts(&out, "{\"file\":");
    json_put_string(&out, outcome->path, strlen(outcome->path));
    put_member(&out, "verdict", check_verdict(outcome));
    if (outcome->rc < 0) {
        put_member(&out, "why", outcome->why.text);
    } else {
        text_print(&out, ",\"operations\":%" PRIu64 ",\"keys\":%" PRIu64, result->operations,
                   result->partitions);
        put_member(&out, "algorithm", result->algorithm);
        text_print(&out, ",\"configurations\":%" PRIu64 ",\"seconds\":%.6f", result->configurations,
                   outcome->seconds);
        if (result->verdict == SN_LINEAR_UNKNOWN)
            put_member(&out, "why", result->why);
        if (has_stuck(outcome))
            put_stuck(outcome, &out);
        if (outcome->has_core) {
            text_puts(&out, ",\"core\":");
            core_print_json(&outcome->core, &words, &out);
        }
    }
    text_puts(&out, "}\n");
    (void)text_flush(&out);
}
