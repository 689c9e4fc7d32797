/* comparison_json.c - a comparison as one JSON object. docs/comparing.md describes its members.
 * SPDX-License-Identifier: MIT
 */
#include "base/json.h"
#include "report/comparison.h"

#include <inttypes.h>
#include <string.h>

enum { FORMAT = 1 };

static void put_string(struct sn_text *out, const char *key, const char *value)
{
    text_print(out, "\"%s\":", key);
    json_put_string(out, value, strlen(value));
}

static void put_bool(struct sn_text *out, const char *key, bool value)
{
    text_print(out, ",\"%s\":%s", key, value ? "true" : "false");
}

static void put_number(struct sn_text *out, const char *key, uint64_t value)
{
    text_print(out, ",\"%s\":%" PRIu64, key, value);
}

static void put_real(struct sn_text *out, const char *key, double value, bool is_known)
{
    if (is_known)
        text_print(out, ",\"%s\":%.10g", key, value);
    else
        text_print(out, ",\"%s\":null", key);
}

static void put_trials_to_failure(struct sn_text *out, const struct comparison_row *row)
{
    put_real(out, "mean", row->mean, row->mean > 0);
    put_real(out, "median", (double)row->median, row->median > 0);
    put_bool(out, "median_is_least", row->is_least);
}

static void put_row(struct sn_text *out, const struct comparison_row *row)
{
    double n = (double)row->trials;

    text_putc(out, '{');
    put_string(out, "strategy", row->strategy);
    put_bool(out, "run", row->is_run);
    put_bool(out, "stopped", row->is_cut_short);
    put_bool(out, "sampled", row->is_sampled);
    put_number(out, "trials", row->trials);
    put_number(out, "failed", row->failed);
    put_real(out, "ratio", (double)row->failed / n, row->trials > 0);
    put_real(out, "low", row->interval.low, row->rank_first > 0);
    put_real(out, "high", row->interval.high, row->rank_first > 0);
    put_real(out, "rank_first", row->rank_first, row->rank_first > 0);
    put_real(out, "rank_last", row->rank_last, row->rank_first > 0);
    put_trials_to_failure(out, row);
    put_number(out, "orders", row->orders);
    put_real(out, "steps", (double)row->steps / n, row->trials > 0);
    put_real(out, "seconds", row->seconds, row->is_run);
    text_putc(out, ',');
    if (row->problem[0] != '\0')
        put_string(out, "problem", row->problem);
    else
        text_puts(out, "\"problem\":null");
    text_putc(out, '}');
}

static void put_test(struct sn_text *out, const struct comparison *c,
                     const struct comparison_test *test)
{
    text_putc(out, '{');
    put_string(out, "test", test->name);
    text_puts(out, ",\"strategies\":[");
    for (uint32_t i = 0; i < c->n_strategies; i++) {
        text_puts(out, i > 0 ? ",\n  " : "\n  ");
        put_row(out, &test->rows[i]);
    }
    text_puts(out, "]}");
}

void comparison_json(struct sn_text *out, const struct comparison *c)
{
    text_print(out, "{\"format\":%d,", FORMAT);
    put_string(out, "suite", c->suite);
    text_putc(out, ',');
    put_string(out, "program", c->program);
    text_puts(out, ",\"args\":[");
    for (size_t i = 0; i < c->n_args; i++) {
        text_puts(out, i > 0 ? "," : "");
        json_put_string(out, c->args[i], strlen(c->args[i]));
    }
    text_putc(out, ']');
    put_number(out, "iterations", c->iterations);
    put_number(out, "seed", c->seed);
    put_bool(out, "interrupted", c->is_interrupted);
    text_puts(out, ",\"tests\":[");
    for (size_t i = 0; i < c->n_tests; i++) {
        text_puts(out, i > 0 ? ",\n" : "\n");
        put_test(out, c, &c->tests[i]);
    }
    text_puts(out, "]}\n");
}
