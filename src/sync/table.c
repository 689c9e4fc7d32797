/* table.c - an observation as people read it: a column for each node, time runs downward.
 * SPDX-License-Identifier: MIT
 */
#include "sync/table.h"
#include "base/text.h"
#include "oracle/conjecture.h"
#include "sync/judge.h"
#include "sync/words.h"

#include <sennit/test.h>

#include <string.h>

enum {
    CELL_BYTES = 256,
    GAP = 3, /* between columns */
};

/* What is printed, and how wide. */
struct table {
    struct sync_following following;
    const struct sn_sync_event *events;
    size_t n;
    const struct sn_sync_names *names;
    bool has_files;
    size_t explained; /* events of the longest explained prefix; n if all are, or nobody asked */
    enum sn_conjectured verdict;
    uint32_t n_nodes;
    size_t widths[SN_SYNC_NODES_MAX];
    struct sn_text *out;
};

/* ---- Cells ---------------------------------------------------------------------------------- */

/* Characters, not bytes: names of files may have others than those of ASCII. */
static size_t width_of(const char *text)
{
    size_t width = 0;

    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void put_event(const struct table *table, const struct sn_sync_event *event, char *cell)
{
    struct sn_text out;

    text_init(&out, cell, CELL_BYTES);
    words_event(&out, table->names, table->n_nodes, table->has_files, event);
}

static void put_hidden(const struct table *table, const struct sn_conjectured_event *event,
                       char *cell)
{
    const struct sync_model *model = &table->following.model;
    struct sn_text out;

    text_init(&out, cell, CELL_BYTES);
    text_puts(&out, event->hidden == SYNC_UP ? "(up" : "(down");
    if (table->has_files) {
        text_putc(&out, ' ');
        words_file(&out, table->names, event->part);
    }
    if (event->hidden == SYNC_UP && event->variant >= model->n_nodes)
        text_puts(&out, ", wins");
    text_putc(&out, ')');
}

static void measure(struct table *table)
{
    char cell[CELL_BYTES];

    for (uint32_t node = 0; node < table->n_nodes; node++)
        table->widths[node] = strlen("node 1");
    for (size_t i = 0; i < table->n; i++) {
        const struct sn_sync_event *event = &table->events[i];
        size_t width;

        if (event->kind == SN_SYNC_STABILIZE)
            continue;
        put_event(table, event, cell);
        width = width_of(cell);
        if (width > table->widths[event->node])
            table->widths[event->node] = width;
    }
}

static void put_spaces(struct sn_text *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_putc(out, ' ');
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static void put_line(const struct table *table, uint32_t node, const char *cell, const char *mark)
{
    put_spaces(table->out, 2);
    for (uint32_t i = 0; i < node; i++)
        put_spaces(table->out, table->widths[i] + GAP);
    text_print(table->out, "%s%s\n", cell, mark);
}

static void put_head(const struct table *table)
{
    put_spaces(table->out, 2);
    for (uint32_t node = 0; node < table->n_nodes; node++) {
        text_print(table->out, "node %u", node + 1);
        if (node + 1 < table->n_nodes)
            put_spaces(table->out, table->widths[node] - strlen("node 1") + GAP);
    }
    text_putc(table->out, '\n');
}

static void put_observed(const struct table *table, size_t i)
{
    const struct sn_sync_event *event = &table->events[i];
    bool is_bad = i == table->explained && table->verdict == SN_CONJECTURED_NO;
    char cell[CELL_BYTES];

    put_event(table, event, cell);
    put_line(table, event->kind == SN_SYNC_STABILIZE ? 0 : event->node, cell,
             is_bad ? "   <- cannot be explained" : "");
}

/* The events, with those that are hidden, `n_hidden` of them, in between. */
static void put_table(struct table *table, const struct sn_conjectured_event *hidden,
                      size_t n_hidden)
{
    size_t next = 0;
    char cell[CELL_BYTES];

    measure(table);
    put_head(table);
    for (size_t i = 0; i < table->n; i++) {
        for (; next < n_hidden && hidden[next].before == i; next++) {
            put_hidden(table, &hidden[next], cell);
            put_line(table, hidden[next].variant % table->n_nodes, cell, "");
        }
        put_observed(table, i);
    }
}

/* ---- Why ------------------------------------------------------------------------------------ */

static void put_refusals(struct table *table)
{
    struct sn_conjecture *conjecture = table->following.conjecture;
    const struct sn_sync_event *event = &table->events[table->explained];
    size_t n = sn_conjecture_possible(conjecture, event->file);
    char text[2 * CELL_BYTES];

    text_print(table->out, "  before event %zu, %zu state%s", table->explained + 1, n,
               n == 1 ? "" : "s");
    if (table->has_files) {
        text_puts(table->out, " of ");
        words_file(table->out, table->names, event->file);
    }
    text_print(table->out, " %s possible:\n", n == 1 ? "was" : "were");
    for (size_t i = 0; i < n && i < SYNC_STATES_SHOWN; i++) {
        char *why;

        (void)sn_conjecture_refusal(conjecture, event->file, i, event->kind, event, text,
                                    sizeof(text));
        why = strchr(text, '\n');
        if (why != NULL)
            *why++ = '\0';
        text_print(table->out, "    %s\n      %s\n", text, why != NULL ? why : "");
    }
    if (n > SYNC_STATES_SHOWN)
        text_print(table->out, "    and %zu more\n", n - SYNC_STATES_SHOWN);
}

/* Feeds all events, as far as they can be explained. */
static void follow(struct table *table)
{
    for (size_t i = 0; i < table->n && table->verdict == SN_CONJECTURED_YES; i++) {
        table->verdict = following_feed(&table->following, &table->events[i]);
        table->explained = table->verdict == SN_CONJECTURED_YES ? i + 1 : i;
    }
}

static void put_explained(struct table *table)
{
    struct sn_conjecture *conjecture = table->following.conjecture;
    long n = sn_conjecture_explanation(conjecture, NULL, 0);
    struct sn_conjectured_event *hidden =
        pool_alloc(&conjecture->pool, (size_t)n * sizeof(*hidden));

    if (hidden == NULL) {
        table->out->cut = true;
        return;
    }
    (void)sn_conjecture_explanation(conjecture, hidden, (size_t)n);
    put_table(table, hidden, (size_t)n);
}

static int print(struct table *table, const struct sn_sync_limits *limits, enum sn_sync_form form)
{
    const char *why;

    if (form == SN_SYNC_TABLE) {
        put_table(table, NULL, 0);
        return 0;
    }
    why = following_open(&table->following, sync_count_files(table->events, table->n), limits,
                         form == SN_SYNC_EXPLAINED, NULL, 0);
    if (why != NULL)
        return SN_EINVAL;
    follow(table);
    if (form == SN_SYNC_EXPLAINED)
        put_explained(table);
    else
        put_table(table, NULL, 0);
    if (form == SN_SYNC_REJECTED && table->verdict == SN_CONJECTURED_NO)
        put_refusals(table);
    following_done(&table->following);
    return 0;
}

int sync_print_table(const struct sync_print *what, enum sn_sync_form form, struct sn_text *out)
{
    struct table table = {
        .following = {{sn_sync_rules_find(what->rules), what->n_nodes, what->names}, NULL},
        .events = what->events,
        .n = what->n,
        .names = what->names,
        .has_files = sync_count_files(what->events, what->n) > 1,
        .explained = what->n,
        .n_nodes = what->n_nodes,
        .out = out};

    if (table.following.model.rules == NULL || what->n_nodes == 0 ||
        what->n_nodes > SN_SYNC_NODES_MAX)
        return SN_EINVAL;
    for (size_t i = 0; i < what->n; i++)
        if (sync_nonsense(what->n_nodes, &what->events[i]) != NULL)
            return SN_EINVAL;
    return print(&table, what->limits, form);
}

long sn_sync_print(const char *rules, uint32_t n_nodes, const struct sn_sync_event *events,
                   size_t n, const struct sn_sync_names *names, enum sn_sync_form form, char *text,
                   size_t size)
{
    struct sync_print what = {
        .rules = rules, .n_nodes = n_nodes, .events = events, .n = n, .names = names};
    struct sn_text out;

    text_init(&out, text, size);
    if (sync_print_table(&what, form, &out) < 0)
        return SN_EINVAL;
    return out.cut ? SN_ENOMEM : (long)out.used;
}
