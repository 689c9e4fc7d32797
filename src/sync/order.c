/* order.c - the specification of section VII of the paper: what happened before what.
 *
 * It knows no server. Events of one file are ordered by what came earlier on their node, and a
 * write comes before whoever sees its value. From this follow three conditions:
 *
 *   - what is seen was written before, or is the initial nothing;
 *   - whoever sees a value knows of no write that overwrote it: there is none between the write and
 *     the one who sees it. The paper has not written this down, but its example needs it;
 *   - when everything has calmed down all nodes have the same, and every value that no other write
 *     comes after is there, as the value or as a conflict. A deletion may give way to a write.
 *
 * If a value is written more than once, any of its writes may be the one that is seen. All ways are
 * tried, one event after the other, and one will do. A STABILIZE happens on every node.
 * SPDX-License-Identifier: MIT
 */
#include "base/arena.h"
#include "base/text.h"
#include "sync/judge.h"
#include "sync/words.h"

#include <string.h>

enum {
    EVENTS_MAX = 4096,   /* of one file: memory grows with the square */
    TRIES_MAX = 1000000, /* ways that are tried for one file */
};

#define NO_WRITE UINT32_MAX /* what is seen is the initial nothing */

struct step {
    const struct sn_sync_event *event;
    size_t number;  /* in the whole observation */
    uint64_t *past; /* the steps before it, by bits; not itself */
    uint32_t seen;  /* the write that is tried as the one whose value it sees */
    bool has_seen;  /* `seen` means something */
};

struct order {
    struct step *steps;
    size_t n;
    size_t words; /* of a set of steps */
    size_t deepest;
    uint64_t tries;
    uint32_t n_nodes;
};

/* ---- Sets of steps -------------------------------------------------------------------------- */

static bool has(const uint64_t *set, size_t i)
{
    return (set[i / 64] >> (i % 64) & 1) != 0;
}

/* A step, and what comes before it, comes before another one. */
static void add_past(const struct order *order, struct step *step, size_t before)
{
    const uint64_t *past = order->steps[before].past;

    for (size_t i = 0; i < order->words; i++)
        step->past[i] |= past[i];
    step->past[before / 64] |= UINT64_C(1) << (before % 64);
}

static bool is_write(const struct order *order, size_t i)
{
    return order->steps[i].event->kind == SN_SYNC_WRITE;
}

/* ---- Conditions ----------------------------------------------------------------------------- */

/* Whether a step knows of no write after the one it sees. */
static bool is_current(const struct order *order, const struct step *step, uint32_t seen)
{
    size_t n = (size_t)(step - order->steps);

    for (size_t i = 0; i < n; i++)
        if (is_write(order, i) && has(step->past, i) &&
            (seen == NO_WRITE || has(order->steps[i].past, seen)))
            return false;
    return true;
}

/* Whether no write before the n-th step comes after this one. */
static bool is_maximal(const struct order *order, size_t n, size_t write)
{
    for (size_t i = write + 1; i < n; i++)
        if (is_write(order, i) && has(order->steps[i].past, write))
            return false;
    return true;
}

static bool is_unanimous(const struct order *order, const struct sn_sync_event *event)
{
    for (uint32_t node = 1; node < order->n_nodes; node++)
        if (event->seen[node].value != event->seen[0].value ||
            event->seen[node].conflicts != event->seen[0].conflicts)
            return false;
    return true;
}

/* Whether all that nothing comes after is there when all has calmed down. */
static bool is_stable(const struct order *order, size_t n)
{
    const struct sn_sync_event *event = order->steps[n].event;
    uint64_t shown = event->seen[0].conflicts | UINT64_C(1) << event->seen[0].value;
    uint64_t maximal = 0;
    uint64_t wanted;

    if (!is_unanimous(order, event))
        return false;
    for (size_t i = 0; i < n; i++)
        if (is_write(order, i) && is_maximal(order, n, i))
            maximal |= UINT64_C(1) << order->steps[i].event->value;
    if (maximal == 0) /* nothing was ever written */
        maximal = 1;
    wanted = maximal == 1 ? 1 : maximal & ~UINT64_C(1);
    return (wanted & ~shown) == 0 && (maximal >> event->seen[0].value & 1) != 0;
}

/* ---- Search --------------------------------------------------------------------------------- */

/* What comes before the n-th step on its node, or on all nodes. */
static void begin_step(const struct order *order, size_t n)
{
    struct step *step = &order->steps[n];

    memset(step->past, 0, order->words * sizeof(*step->past));
    step->has_seen = false;
    for (size_t i = n; i-- > 0;) {
        const struct sn_sync_event *event = order->steps[i].event;

        if (event->kind == SN_SYNC_STABILIZE || step->event->kind == SN_SYNC_STABILIZE ||
            event->node == step->event->node)
            add_past(order, step, i);
        /* What comes before a STABILIZE has been added with it. */
        if (event->kind == SN_SYNC_STABILIZE)
            return;
    }
}

static uint32_t value_seen(const struct sn_sync_event *event)
{
    return event->kind == SN_SYNC_WRITE ? event->old : event->value;
}

/* The next write, from the latest to the earliest, that the n-th step may see; NO_WRITE at the end
 * stands for the initial nothing. False: there are no more. */
static bool next_seen(const struct order *order, size_t n)
{
    struct step *step = &order->steps[n];
    uint32_t value = value_seen(step->event);
    size_t i = step->has_seen ? step->seen : n;

    if (step->has_seen && step->seen == NO_WRITE)
        return false;
    while (i-- > 0)
        if (is_write(order, i) && order->steps[i].event->value == value &&
            is_current(order, step, (uint32_t)i)) {
            step->seen = (uint32_t)i;
            return step->has_seen = true;
        }
    step->seen = NO_WRITE;
    step->has_seen = true;
    return value == 0 && is_current(order, step, NO_WRITE);
}

/* Takes the next way of the n-th step. False: there are no more. */
static bool take_way(const struct order *order, size_t n)
{
    struct step *step = &order->steps[n];
    bool is_first = !step->has_seen;

    if (step->event->kind == SN_SYNC_STABILIZE) {
        step->has_seen = true;
        return is_first && is_stable(order, n);
    }
    if (!is_first) {
        struct step kept = *step;

        begin_step(order, n);
        step->seen = kept.seen;
        step->has_seen = true;
    }
    if (!next_seen(order, n))
        return false;
    if (step->seen != NO_WRITE)
        add_past(order, step, step->seen);
    return true;
}

static enum sn_conjectured search(struct order *order)
{
    size_t n = 0;

    if (order->n > 0)
        begin_step(order, 0);
    while (n < order->n) {
        if (++order->tries > TRIES_MAX)
            return SN_CONJECTURED_UNKNOWN;
        if (take_way(order, n)) {
            n++;
            if (n > order->deepest)
                order->deepest = n;
            if (n < order->n)
                begin_step(order, n);
        } else if (n-- == 0) {
            return SN_CONJECTURED_NO;
        }
    }
    return SN_CONJECTURED_YES;
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* The steps of one file. False: there are too many, or no memory. */
static bool list_steps(struct order *order, struct arena *arena, uint32_t file,
                       const struct sn_sync_event *events, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += events[i].file == file;
    if (count > EVENTS_MAX)
        return false;
    order->words = (count + 63) / 64;
    order->steps = arena_array(arena, count, sizeof(*order->steps));
    if (order->steps == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct step *step = &order->steps[order->n];

        if (events[i].file != file)
            continue;
        *step = (struct step){.event = &events[i], .number = i};
        step->past = arena_array(arena, order->words, sizeof(*step->past));
        if (step->past == NULL)
            return false;
        order->n++;
    }
    return true;
}

/* An event that was not reached counts most if it comes first. */
static void take_verdict(struct sn_sync_result *result, const struct order *order,
                         enum sn_conjectured verdict)
{
    size_t stuck = order->n == 0 || verdict == SN_CONJECTURED_YES
                       ? SIZE_MAX
                       : order->steps[order->deepest].number;
    struct sn_text out;

    if (verdict == SN_CONJECTURED_YES ||
        (result->verdict == SN_CONJECTURED_NO &&
         (verdict != SN_CONJECTURED_NO || stuck > result->explained)))
        return;
    result->verdict = verdict;
    result->explained = stuck;
    text_init(&out, result->why, sizeof(result->why));
    text_print(&out, "event %zu, ", stuck + 1);
    words_event(&out, NULL, order->n_nodes, false, order->steps[order->deepest].event);
    text_puts(&out, verdict == SN_CONJECTURED_NO ? ", fits no order" : ": there are too many ways");
}

enum sn_conjectured sn_sync_judge_order(uint32_t n_nodes, const struct sn_sync_event *events,
                                        size_t n, struct sn_sync_result *result)
{
    struct sn_text out;

    *result = (struct sn_sync_result){.verdict = SN_CONJECTURED_YES, .explained = n};
    text_init(&out, result->why, sizeof(result->why));
    for (size_t i = 0; i < n; i++)
        if (sync_nonsense(n_nodes, &events[i]) != NULL) {
            text_print(&out, "event %zu: %s", i + 1, sync_nonsense(n_nodes, &events[i]));
            return result->verdict = SN_CONJECTURED_UNKNOWN;
        }
    for (uint32_t file = 0; file < sync_count_files(events, n); file++) {
        struct arena arena = {0};
        struct order order = {.n_nodes = n_nodes};

        if (list_steps(&order, &arena, file, events, n)) {
            take_verdict(result, &order, search(&order));
        } else if (result->verdict == SN_CONJECTURED_YES) {
            result->verdict = SN_CONJECTURED_UNKNOWN;
            text_puts(&out, "there are too many events of one file");
        }
        arena_done(&arena);
    }
    return result->verdict;
}
