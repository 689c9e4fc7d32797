/* comparison_text.c - a comparison for people. SPDX-License-Identifier: MIT */
#include "report/comparison.h"

#include <inttypes.h>
#include <string.h>

enum {
    NAME_WIDTH = 12, /* at least */
    CELL_MAX = 64,
};

/* ---- The table ------------------------------------------------------------------------------ */

struct column {
    const char *head;
    void (*put)(struct sn_text *out, const struct comparison_row *row);
};

static void put_rank(struct sn_text *out, const struct comparison_row *row)
{
    if (row->rank_first == 0)
        text_putc(out, '-');
    else if (row->rank_first == row->rank_last)
        text_print(out, "%" PRIu32, row->rank_first);
    else
        text_print(out, "%" PRIu32 "-%" PRIu32, row->rank_first, row->rank_last);
}

static void put_trials(struct sn_text *out, const struct comparison_row *row)
{
    text_print(out, "%" PRIu64, row->trials);
}

static void put_failed(struct sn_text *out, const struct comparison_row *row)
{
    text_print(out, "%" PRIu64, row->failed);
}

static void put_ratio(struct sn_text *out, const struct comparison_row *row)
{
    comparison_put_share(out, row->trials > 0 ? (double)row->failed / (double)row->trials : 0);
}

static void put_interval(struct sn_text *out, const struct comparison_row *row)
{
    if (row->rank_first == 0) {
        text_putc(out, '-');
        return;
    }
    comparison_put_share(out, row->interval.low);
    text_puts(out, " to ");
    comparison_put_share(out, row->interval.high);
}

static void put_median(struct sn_text *out, const struct comparison_row *row)
{
    if (row->median == 0)
        text_putc(out, '-');
    else
        text_print(out, "%s%" PRIu64, row->is_least ? ">" : "", row->median);
}

static void put_mean(struct sn_text *out, const struct comparison_row *row)
{
    if (row->mean == 0)
        text_print(out, ">%" PRIu64, row->trials);
    else
        text_print(out, "%.1f", row->mean);
}

static void put_orders(struct sn_text *out, const struct comparison_row *row)
{
    text_print(out, "%" PRIu64, row->orders);
}

static void put_steps(struct sn_text *out, const struct comparison_row *row)
{
    text_print(out, "%.1f", row->trials > 0 ? (double)row->steps / (double)row->trials : 0);
}

static void put_speed(struct sn_text *out, const struct comparison_row *row)
{
    text_print(out, "%.0f/s", row->seconds > 0 ? (double)row->trials / row->seconds : 0);
}

static const struct column columns[] = {
    {"rank", put_rank},   {"trials", put_trials},          {"failed", put_failed},
    {"ratio", put_ratio}, {"95 % interval", put_interval}, {"median", put_median},
    {"mean", put_mean},   {"orders", put_orders},          {"steps", put_steps},
    {"speed", put_speed},
};

enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static size_t cell_width(const struct comparison_row *row, const struct column *column)
{
    char cell[CELL_MAX];
    struct sn_text text;

    text_init(&text, cell, sizeof(cell));
    column->put(&text, row);
    return text.used;
}

static bool has_figures(const struct comparison_row *row)
{
    return row->is_run && row->problem[0] == '\0';
}

/* The last one is not the same twice, and moves nothing else. */
static void put_cell(struct sn_text *out, const char *cell, size_t column, const size_t *widths)
{
    text_print(out, "  %*s", column + 1 < N_COLUMNS ? (int)widths[column] : 0, cell);
}

static void put_row(struct sn_text *out, const struct comparison_row *row, size_t name_width,
                    const size_t *widths)
{
    text_print(out, "    %-*s", (int)name_width, row->strategy);
    if (!has_figures(row))
        text_print(out, "  %s", row->is_run ? row->problem : "not run");
    for (size_t i = 0; i < N_COLUMNS && has_figures(row); i++) {
        char cell[CELL_MAX];
        struct sn_text text;

        text_init(&text, cell, sizeof(cell));
        columns[i].put(&text, row);
        put_cell(out, cell, i, widths);
    }
    text_putc(out, '\n');
}

static void put_table(struct sn_text *out, const struct comparison *c,
                      const struct comparison_test *test)
{
    size_t widths[N_COLUMNS];
    size_t name_width = NAME_WIDTH;

    for (size_t i = 0; i < N_COLUMNS; i++)
        widths[i] = strlen(columns[i].head);
    for (uint32_t k = 0; k < c->n_strategies; k++) {
        const struct comparison_row *row = &test->rows[k];
        size_t length = strlen(row->strategy);

        name_width = length > name_width ? length : name_width;
        for (size_t i = 0; i < N_COLUMNS && has_figures(row); i++) {
            size_t width = cell_width(row, &columns[i]);

            widths[i] = width > widths[i] ? width : widths[i];
        }
    }
    text_print(out, "    %-*s", (int)name_width, "strategy");
    for (size_t i = 0; i < N_COLUMNS; i++)
        put_cell(out, columns[i].head, i, widths);
    text_putc(out, '\n');
    for (uint32_t k = 0; k < c->n_strategies; k++)
        put_row(out, &test->rows[k], name_width, widths);
}

/* ---- What it says --------------------------------------------------------------------------- */

/* The strategies that may be the best one, given what is known: none has an interval above it, so
 * that of any two the intervals overlap. */
static uint32_t put_first(struct sn_text *out, const struct comparison *c,
                          const struct comparison_test *test)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_strategies; i++) {
        if (test->rows[i].rank_first == 1)
            text_print(out, "%s%s", n++ == 0 ? "" : ", ", test->rows[i].strategy);
    }
    return n;
}

static bool has_shared_rank(const struct comparison *c, const struct comparison_test *test)
{
    for (uint32_t i = 0; i < c->n_strategies; i++) {
        if (test->rows[i].rank_first != test->rows[i].rank_last)
            return true;
    }
    return false;
}

static void put_ranks(struct sn_text *out, const struct comparison *c,
                      const struct comparison_test *test)
{
    uint32_t ranked = 0;
    uint64_t failed = 0;

    for (uint32_t i = 0; i < c->n_strategies; i++) {
        ranked += test->rows[i].rank_first > 0;
        failed += test->rows[i].rank_first > 0 ? test->rows[i].failed : 0;
    }
    if (ranked == 0)
        return;
    if (failed == 0) {
        text_puts(out, "    no trial failed: nothing tells the strategies apart\n");
        return;
    }
    text_puts(out, "    best: ");
    if (put_first(out, c, test) > 1)
        text_puts(out, ": their intervals overlap");
    text_putc(out, '\n');
    if (has_shared_rank(c, test))
        text_puts(out, "    strategies whose intervals overlap share a rank: more trials (-i) may "
                       "tell them apart\n");
}

static void put_notes(struct sn_text *out, const struct comparison *c,
                      const struct comparison_test *test)
{
    for (uint32_t i = 0; i < c->n_strategies; i++) {
        const struct comparison_row *row = &test->rows[i];

        if (has_figures(row) && !row->is_sampled)
            text_print(out,
                       "    %s does not draw its trials: they are no sample, and it has no "
                       "interval and no rank\n",
                       row->strategy);
        if (has_figures(row) && row->is_cut_short)
            text_print(out, "    %s was stopped after %" PRIu64 " trials\n", row->strategy,
                       row->trials);
    }
}

void comparison_text(struct sn_text *out, const struct comparison *c,
                     const struct comparison_test *test)
{
    text_print(out, "%s/%s: %" PRIu64 " trials of each strategy, seed %" PRIu64 "\n", c->suite,
               test->name, c->iterations, c->seed);
    put_table(out, c, test);
    put_ranks(out, c, test);
    put_notes(out, c, test);
}
