/* explain_cause.c - the orders and values that make a test fail, in words.
 *
 * What decides comes first. Orders that only let the others come about are named behind them, since
 * they say how a trial gets there and not why it fails. SPDX-License-Identifier: MIT
 */
#include "report/explain_pieces.h"

#include <inttypes.h>
#include <string.h>

enum {
    COLUMNS = 100,
    VALUES_LABELLED_MAX = 8,
};

/* How many there are of what a cause is made of. */
struct counts {
    uint32_t orders;   /* those that are said together count as one */
    uint32_t enabling; /* that let the others come about */
    uint32_t values;
    uint32_t grouped;
    bool is_quiet;
};

static bool is_enabling(const struct explanation_item *item)
{
    return item->is_labelled && item->labelled.label == LABEL_ENABLING && item->kind != ITEM_QUIET;
}

static struct counts count(const struct explanation_cause *c)
{
    struct counts n = {0};

    for (uint32_t i = 0; i < c->n_items; i++) {
        const struct explanation_item *item = &c->items[i];

        n.grouped += item->is_grouped;
        n.values += item->kind == ITEM_DRAW && !is_enabling(item);
        n.is_quiet |= item->kind == ITEM_QUIET;
        n.enabling += is_enabling(item);
        n.orders += item_is_order(item->kind) && !is_enabling(item);
    }
    if (n.grouped > 1)
        n.orders -= n.grouped - 1;
    return n;
}

/* ---- Items ---------------------------------------------------------------------------------- */

static void put_label(struct sn_text *out, const struct explanation_item *item)
{
    const struct labelled *l = &item->labelled;

    text_puts(out, "           ");
    if (l->label != LABEL_NEEDED) /* which the figures say as well */
        text_print(out, "%s: ", explain_label(l->label));
    if (l->flipped.trials > 0) {
        text_puts(out, "reversed, ");
        explain_put_answer(out, &l->flipped);
        text_puts(out, "; ");
    }
    text_puts(out, "without it, ");
    explain_put_answer(out, &l->dropped);
    text_putc(out, '\n');
}

static void put_order(struct sn_text *out, const struct explanation_item *item)
{
    size_t width = strlen(item->first) + strlen(item->second) + 32;

    text_print(out, "%s%sbefore  %s%s\n", item->first, width <= COLUMNS ? "  " : "\n           ",
               item->second, item->is_pending ? " could run" : "");
}

/* The length of what is said of a value without its number. */
static size_t unnumbered(const char *words)
{
    const char *number = strstr(words, " (number ");

    return number != NULL ? (size_t)(number - words) : strlen(words);
}

static bool is_alike(const struct explanation_item *a, const struct explanation_item *b)
{
    size_t n = unnumbered(a->first);

    return a->kind == ITEM_DRAW && b->kind == ITEM_DRAW && unnumbered(b->first) == n &&
           strncmp(a->first, b->first, n) == 0 && strcmp(a->second, b->second) == 0;
}

/* Says values that are drawn again and again in one line. False: that was done before. */
static bool put_alike(struct sn_text *out, const struct explanation_cause *c, uint32_t i,
                      uint32_t number)
{
    const struct explanation_item *item = &c->items[i];
    uint32_t n = 0;

    for (uint32_t k = 0; k < i; k++) {
        if (is_alike(&c->items[k], item))
            return false;
    }
    for (uint32_t k = i; k < c->n_items; k++)
        n += is_alike(&c->items[k], item);
    text_print(out, "%9" PRIu32 "  ", number);
    if (n == 1)
        text_print(out, "%s = %s\n", item->first, item->second);
    else
        text_print(out, "%.*s = %s, %" PRIu32 " times\n", (int)unnumbered(item->first), item->first,
                   item->second, n);
    return true;
}

static void put_item(struct sn_text *out, const struct explanation_item *item, uint32_t number)
{
    text_print(out, "%9" PRIu32 "  ", number);
    if (item->kind == ITEM_DRAW)
        text_print(out, "%s = %s\n", item->first, item->second);
    else if (item->kind == ITEM_QUIET)
        text_print(out, "no other fault (%s)\n           before  %s\n", item->first, item->second);
    else
        put_order(out, item);
    if (item->is_labelled)
        put_label(out, item);
}

/* Orders that have the same first operation: «A before each of B, C, D». */
static void put_group(struct sn_text *out, const struct explanation_cause *c, uint32_t number)
{
    bool is_first = true;

    for (uint32_t i = 0; i < c->n_items; i++) {
        const struct explanation_item *item = &c->items[i];

        if (!item->is_grouped)
            continue;
        if (is_first)
            text_print(out, "%9" PRIu32 "  %s\n           before each of these could run\n", number,
                       item->first);
        is_first = false;
        text_print(out, "             %s\n", item->second);
    }
}

static void put_enabling(struct sn_text *out, const struct explanation_cause *c)
{
    explain_put_section(out, "");
    text_puts(out, "so that these come about:\n");
    for (uint32_t i = 0; i < c->n_items; i++) {
        if (!is_enabling(&c->items[i]))
            continue;
        text_puts(out, "         - ");
        if (c->items[i].kind == ITEM_DRAW)
            text_print(out, "%s = %s\n", c->items[i].first, c->items[i].second);
        else
            put_order(out, &c->items[i]);
    }
}

/* Orders, then values, then what else there is. */
static void put_items(struct sn_text *out, const struct explanation_cause *c)
{
    struct counts n = count(c);
    bool has_group = n.grouped > 1;
    uint32_t number = 0;

    for (uint32_t i = 0; i < c->n_items; i++) {
        const struct explanation_item *item = &c->items[i];

        if (item_is_order(item->kind) && !is_enabling(item) && !(has_group && item->is_grouped))
            put_item(out, item, ++number);
    }
    if (has_group)
        put_group(out, c, ++number);
    for (uint32_t i = 0; i < c->n_items; i++) {
        const struct explanation_item *item = &c->items[i];

        if (is_enabling(item))
            continue;
        if (item->kind == ITEM_QUIET ||
            (item->kind == ITEM_DRAW && c->is_enough && n.values <= VALUES_LABELLED_MAX))
            put_item(out, item, ++number);
        else if (item->kind == ITEM_DRAW)
            number += put_alike(out, c, i, number + 1);
    }
    if (n.enabling > 0)
        put_enabling(out, c);
}

/* ---- Sentences ------------------------------------------------------------------------------ */

/* «this order», «these 2 values», if there are any. */
static void put_amount(struct sn_text *out, uint32_t n, const char *what, const char *before)
{
    if (n == 1)
        text_print(out, "%sthis %s", before, what);
    else if (n > 1)
        text_print(out, "%sthese %" PRIu32 " %ss", before, n, what);
}

/* «these 3 orders», «this order and these 2 values» */
static void put_counts(struct sn_text *out, const struct explanation_cause *c)
{
    struct counts n = count(c);

    put_amount(out, n.orders, "order", "");
    put_amount(out, n.values, "value", n.orders > 0 ? " and " : "");
    if (n.orders + n.values == 0)
        text_puts(out, n.is_quiet ? "no other fault" : "what follows");
}

static void put_base(struct sn_text *out, const struct explanation *e,
                     const struct explanation_cause *c)
{
    const struct answer *base = c->from.is_kept ? &c->base : &e->base;

    if (base->trials > 0)
        text_print(out, " (without: %" PRIu32 " of %" PRIu32 ")", base->failed, base->trials);
}

static void put_ladder(struct sn_text *out, const struct explanation_cause *c)
{
    for (uint32_t i = 0; i < c->n_ladder; i++) {
        explain_put_section(out, "");
        text_print(out, "%" PRIu32 " orders: %" PRIu32 " of %" PRIu32 " fail\n",
                   c->ladder[i].orders, c->ladder[i].answer.failed, c->ladder[i].answer.trials);
    }
}

static void put_insufficient(struct sn_text *out, const struct explanation *e,
                             const struct explanation_cause *c)
{
    text_print(out, "No set of at most %d orders was found with which 99 in 100 trials fail",
               EXPLAIN_ORDERS_MAX);
    if (explain_is_worth_saying(e, c)) {
        text_puts(out, "; best,\n");
        explain_put_section(out, "");
        put_counts(out, c);
        text_puts(out, ": ");
        explain_put_answer(out, &c->verified);
        put_base(out, e, c);
        text_puts(out, ".\n");
        put_items(out, c);
    } else {
        text_puts(out, ".\n");
    }
    put_ladder(out, c);
    explain_put_section(out, "");
    text_puts(out,
              c->is_given_up
                  ? "The search was not finished: more time (-t) may find one. See the trial.\n"
                  : "See the trial instead.\n");
}

/* What else must be known of a set that is enough. */
static void put_remarks(struct sn_text *out, const struct explanation_cause *c)
{
    if (c->trace[0] != '\0') {
        explain_put_section(out, "");
        text_print(out, "Its trial: %s\n", c->trace);
    }
    if (c->from.is_kept && c->from.steps > 0) {
        explain_put_section(out, "");
        text_puts(out, "How the trial comes to that step is needed, too: see the trial.\n");
    }
    if (c->also[0] != '\0') {
        explain_put_section(out, "");
        text_puts(out, "Faults can strike from the start in these trials: the orders say when.\n");
    }
    if (!c->is_minimal) {
        explain_put_section(out, "");
        text_puts(out, "It is not certain that each of them is needed.\n");
    }
    if (c->verified.stuck > 0) {
        explain_put_section(out, "");
        text_print(out,
                   "%" PRIu32 " of the %" PRIu32 " could not satisfy the orders (stuck) and %s "
                   "counted as passing.\n",
                   c->verified.stuck, c->verified.trials, c->verified.stuck == 1 ? "was" : "were");
    }
}

/* Nothing need happen after the step: that only says when it was lost. */
static void put_over(struct sn_text *out, const struct explanation *e,
                     const struct explanation_cause *c)
{
    const char *words = explain_step_words(e, c->from.steps);

    text_print(out, "No order is needed any more once the trial has come to step %" PRIu64,
               c->from.steps);
    if (words[0] != '\0')
        text_print(out, ", \"%s\"", words);
    text_puts(out, ":\n");
    explain_put_section(out, "");
    text_print(out, "%" PRIu32 " of %" PRIu32 " random continuations fail. ", c->verified.failed,
               c->verified.trials);
    text_puts(out, "How it comes to that step is what counts: see LOST, and the trial.\n");
}

static void put_enough(struct sn_text *out, const struct explanation *e,
                       const struct explanation_cause *c)
{
    bool is_late = c->from.is_kept && c->from.steps > 0;

    text_print(out, "In %" PRIu32 " of %" PRIu32 " random %s ", c->verified.failed,
               c->verified.trials, is_late ? "continuations" : "schedules");
    if (c->from.is_kept && c->from.steps == 0)
        text_puts(out, c->n_items > 0 ? "with the values of its set-up and "
                                      : "with the values of its set-up ");
    else if (c->n_items > 0)
        text_puts(out, "with ");
    if (c->n_items > 0) {
        put_counts(out, c);
        text_putc(out, ' ');
    }
    text_puts(out, "the test fails");
    put_base(out, e, c);
    if (is_late) {
        text_puts(out, ",\n");
        explain_put_section(out, "");
        text_print(out, "once the trial has come to step %" PRIu64 ", \"%s\"", c->from.steps,
                   explain_step_words(e, c->from.steps));
    }
    if (c->n_items == 0) {
        text_puts(out, c->from.is_kept ? ": no order is needed.\n"
                                       : ": no order and no value is needed.\n");
        return;
    }
    text_puts(out, ":\n");
    put_items(out, c);
    put_remarks(out, c);
}

void explain_put_cause(struct sn_text *out, const struct explanation *e, uint32_t number)
{
    const struct explanation_cause *c = &e->causes[number];

    explain_put_section(out, number == 0 ? "WHY" : "OR");
    if (c->verified.trials == 0) /* the budget ended in the search */
        text_puts(out, "Not known: the search was not finished. See where the trial was lost.\n");
    else if (c->is_enough && c->n_items == 0 && c->from.is_kept && c->from.steps > 0)
        put_over(out, e, c);
    else if (c->is_enough)
        put_enough(out, e, c);
    else
        put_insufficient(out, e, c);
}
