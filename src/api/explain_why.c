/* explain_why.c - the orders and values that make a test fail, found and put into words.
 * SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Searching ------------------------------------------------------------------------------ */

/* Of the budget, after which each way to search is given up, so that something is left for the
 * others, and for what is said beside. */
#define SHARE_BACKWARD 0.45
#define SHARE_FORWARD 0.55
#define SHARE_SINCE 0.72
#define SHARE_SETTLE 0.80

static struct sufficient_search search_of(struct explaining *x, const struct asker *asker,
                                          uint32_t n_items)
{
    return (struct sufficient_search){.asker = asker,
                                      .items = x->candidates.items,
                                      .n_items = n_items,
                                      .n_known = x->candidates.n,
                                      .next_stream = x->search.next_stream};
}

static bool is_short(const struct explaining *x)
{
    uint32_t values = 0;

    for (uint32_t i = 0; i < x->found.chosen.n; i++)
        values += !item_is_order(x->candidates.items[x->found.chosen.list[i]].kind);
    return x->found.is_enough && values <= EXPLANATION_VALUES_MAX &&
           sufficient_orders(&x->search, &x->found) <= EXPLAIN_ORDERS_MAX;
}

/* What a part of the search has come to: that it was given up is no end of the work. */
static int part_of(struct explaining *x, int rc)
{
    x->is_given_up |= rc == EXPLAIN_OVER;
    return rc == EXPLAIN_OVER && !explaining_is_over(x) ? 0 : rc;
}

/* Orders that only keep trials from getting stuck do not make a set too long. */
static int weigh(struct explaining *x)
{
    bool is_short;

    return x->found.is_enough ? sufficient_is_short(&x->search, &x->found, &is_short) : 0;
}

static int backward(struct explaining *x, const struct asker *asker)
{
    int rc;

    x->search = search_of(x, asker, x->candidates.n_basic);
    x->share_max = SHARE_BACKWARD;
    rc = sufficient_backward(&x->search, &x->found);
    x->share_max = SHARE_FORWARD;
    if (rc == 0)
        rc = weigh(x);
    return part_of(x, rc);
}

static int forward(struct explaining *x, const struct asker *asker)
{
    x->search = search_of(x, asker, x->candidates.n_forward);
    x->share_max = SHARE_FORWARD;
    return part_of(x, sufficient_forward(&x->search, &x->found));
}

/* From the start: among what came before it was lost, then among everything, then by adding one
 * order after the other. */
static int search_start(struct explaining *x, const struct asker *asker, const struct happened *h)
{
    struct sufficient *longest = &x->longest;
    uint32_t n;
    uint32_t n_ran;
    int rc;

    if (!x->is_lost) /* not even the whole trial makes nearly all others fail */
        return forward(x, asker);
    rc = backward(x, asker);
    if (rc != 0 || is_short(x))
        return rc;
    (void)happened_events(h, &n, &n_ran);
    if (!x->found.is_too_long && x->lost < n_ran - 1) {
        explaining_list(x, h, n_ran - 1, x->decisive, &x->candidates);
        rc = backward(x, asker);
        if (rc != 0 || is_short(x))
            return rc;
        explaining_list(x, h, x->lost, x->decisive, &x->candidates);
        x->found.is_too_long = false;
    }
    *longest = x->found;
    return x->candidates.is_recurrent || !longest->is_too_long ? forward(x, asker) : 0;
}

/* From the earliest step on from which few orders are enough. */
static int search_since(struct explaining *x, const struct asker *asker, uint64_t lost)
{
    int rc;

    x->search = search_of(x, asker, x->candidates.n_basic);
    x->share_max = SHARE_SINCE;
    rc = part_of(x, since_find(&x->search, lost, &x->since));
    if (rc != 0 || x->since.n == 0)
        return rc;
    x->share_max = SHARE_SETTLE;
    rc = since_settle(&x->search, &x->since, &x->found);
    if (rc == 0)
        rc = weigh(x);
    return part_of(x, rc);
}

/* The step with which it was lost is only known from a sample: nothing may be enough up to there
 * because it was lost later. */
static int search_late(struct explaining *x, const struct asker *asker, const struct happened *h)
{
    uint32_t n;
    uint32_t n_ran;
    int rc = search_since(x, asker, x->lost);

    (void)happened_events(h, &n, &n_ran);
    if (rc != 0 || is_short(x) || x->since.n > 0 || x->lost >= n_ran - 1)
        return rc;
    explaining_list(x, h, n_ran - 1, x->decisive, &x->candidates);
    rc = search_since(x, asker, n_ran - 1);
    if (rc == 0 && !is_short(x))
        explaining_list(x, h, x->lost, x->decisive, &x->candidates);
    return rc;
}

static int search(struct explaining *x, const struct asker *asker, const struct happened *h,
                  uint32_t cause)
{
    struct sufficient started;
    struct sufficient_search how;
    int rc;

    x->is_given_up = false;
    x->longest.is_too_long = false;
    explaining_list(x, h, x->lost, x->decisive, &x->candidates);
    rc = search_start(x, asker, h);
    if (rc != 0 || is_short(x))
        return rc;
    started = x->found;
    how = x->search;
    if (x->is_lost && cause == 0) { /* further causes are for whole trials */
        rc = search_late(x, asker, h);
        if (rc != 0 || is_short(x))
            return rc;
    }
    how.next_stream = x->search.next_stream;
    x->search = how;
    x->found = started;
    if (!x->longest.is_too_long)
        return 0;
    x->found = x->longest;
    x->search.n_items = x->candidates.n_basic;
    return part_of(x, sufficient_shorten(&x->search, &x->found));
}

/* ---- Words ---------------------------------------------------------------------------------- */

/* By the trace if it has the operation, with its payload; else by its name. */
static void put_event(const struct explaining *x, const struct happened *h,
                      const struct trace *trace, uint32_t event, uint32_t name, char *words)
{
    bool is_alias = opnames_get(x->names, name)->anchor != 0;
    uint32_t n = 0;
    uint32_t n_ran;
    const struct happening *events = h != NULL ? happened_events(h, &n, &n_ran) : NULL;

    if (trace != NULL && event <= trace->n_steps && !is_alias)
        explaining_step_words(trace, event, words, EXPLANATION_WORDS);
    else if (trace == NULL || is_alias || event >= n ||
             !explaining_sent_words(trace, events[event].id, words, EXPLANATION_WORDS)) {
        explaining_name_words(x->names, name, words, EXPLANATION_WORDS);
        return;
    }
    explaining_add_number(x->names, name, words, EXPLANATION_WORDS);
}

/* Which step of the trace an event is; 0: none. */
static uint64_t step_of(const struct trace *trace, uint32_t event)
{
    return trace != NULL && event <= trace->n_steps ? event : 0;
}

void explaining_event_words(const struct explaining *x, uint32_t item, uint32_t which, char *words)
{
    const struct constraint *c = &x->candidates.constraints[item];

    put_event(x, NULL, x->trace, x->candidates.events[item][which],
              which == 0 ? c->first : c->later, words);
}

static const char *quiet_fault(const struct explaining *x, uint32_t i)
{
    const struct opname *name = opnames_get(x->names, x->candidates.quiet[i].later);

    return opnames_get_text(x->names, name->event);
}

/* The faults that must not strike, and until when. */
static void describe_quiet(const struct explaining *x, const struct trace *trace, uint32_t item,
                           struct explanation_item *out)
{
    const struct candidates *c = &x->candidates;
    struct sn_text text;

    text_init(&text, out->first, sizeof(out->first));
    for (uint32_t i = 0; i < c->n_quiet; i++) {
        const char *fault = quiet_fault(x, i);
        bool is_said = false;

        for (uint32_t k = 0; k < i && !is_said; k++)
            is_said = strcmp(quiet_fault(x, k), fault) == 0;
        if (!is_said)
            text_print(&text, "%s%s", i > 0 ? ", " : "", fault);
    }
    text_init(&text, out->require, sizeof(out->require));
    for (uint32_t i = 0; i < c->n_quiet; i++) {
        text_puts(&text, i > 0 ? "\n" : "");
        constraint_put(&text, x->names, &c->quiet[i]);
    }
    put_event(x, NULL, trace, c->events[item][0], c->quiet[0].first, out->second);
    out->steps[1] = step_of(trace, c->events[item][0]);
}

static void describe_item(const struct explaining *x, const struct happened *h,
                          const struct trace *trace, uint32_t item, struct explanation_item *out)
{
    const struct candidates *c = &x->candidates;
    const struct constraint *constraint = &c->constraints[item];
    struct sn_text text;

    *out = (struct explanation_item){.kind = c->items[item].kind,
                                     .is_grouped = c->items[item].is_grouped};
    text_init(&text, out->require, sizeof(out->require));
    constraint_put(&text, x->names, constraint);
    if (constraint->kind == CONSTRAINT_DRAW) {
        explaining_name_words(x->names, constraint->first, out->first, sizeof(out->first));
        /* Of a value that is drawn each time, whom it stands for may differ. */
        explaining_value_words(
            opnames_get(x->names, constraint->first)->number != 0 ? trace : NULL,
            c->events[item][0],
            opnames_get_text(x->names, opnames_get(x->names, constraint->first)->event),
            constraint->value, out->second);
        out->steps[0] = step_of(trace, c->events[item][0]);
        return;
    }
    if (out->kind == ITEM_QUIET) {
        describe_quiet(x, trace, item, out);
        return;
    }
    put_event(x, h, trace, c->events[item][0], constraint->first, out->first);
    put_event(x, h, trace, c->events[item][1], constraint->later, out->second);
    out->steps[0] = step_of(trace, c->events[item][0]);
    out->steps[1] = step_of(trace, c->events[item][1]);
    out->is_pending = explaining_is_pending(h, c->events[item][1]);
}

/* In the order of the trial: values first, then orders by what comes later. */
static void sort(const struct explaining *x, uint32_t *list, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t item = list[i];
        uint32_t at = i;

        while (at > 0 && x->candidates.events[list[at - 1]][1] > x->candidates.events[item][1] &&
               item_is_order(x->candidates.items[item].kind)) {
            list[at] = list[at - 1];
            at--;
        }
        list[at] = item;
    }
}

static void keep_constraints(const struct explaining *x, const struct explanation_cause *from,
                             struct cause *out)
{
    for (uint32_t i = 0; i < from->n_items; i++)
        out->list[i] = x->candidates.constraints[from->list[i]];
}

/* What is required beside the items: that the faults which they name can strike at any time. */
static void describe_faults(const struct explaining *x, struct explanation_cause *out)
{
    struct sn_text text;

    text_init(&text, out->also, sizeof(out->also));
    for (uint32_t i = 0; i < out->n_items && !out->from.is_kept; i++) {
        if (!explaining_names_faults(x, out->list[i]))
            continue;
        constraint_put(&text, x->names, &x->candidates.faults_from);
        return;
    }
}

static void describe(struct explaining *x, const struct happened *h, const struct trace *trace,
                     struct explanation_cause *out)
{
    const struct sufficient *f = &x->found;
    uint32_t list[EXPLAIN_ITEMS_MAX];

    out->verified = f->verified;
    out->from = f->from;
    out->is_enough = is_short(x);
    out->is_minimal = f->is_minimal;
    out->is_given_up = x->is_given_up;
    memcpy(out->ladder, f->ladder, sizeof(out->ladder));
    out->n_ladder = f->n_ladder;
    out->n_items = f->chosen.n < EXPLANATION_ITEMS_MAX ? f->chosen.n : EXPLANATION_ITEMS_MAX;
    memcpy(list, f->chosen.list, f->chosen.n * sizeof(list[0]));
    sort(x, list, f->chosen.n);
    for (uint32_t i = 0; i < out->n_items; i++) {
        describe_item(x, h, trace, list[i], &out->items[i]);
        if (items_has(&f->enabling, list[i])) {
            out->items[i].is_labelled = true;
            out->items[i].labelled = (struct labelled){.item = list[i], .label = LABEL_ENABLING};
        }
    }
    memcpy(out->list, list, out->n_items * sizeof(list[0]));
    describe_faults(x, out);
    keep_constraints(x, out, &x->causes[out - x->e->causes]);
}

/* How often trials fail that begin in the same way, and of which nothing else is asked. */
static int find_base(struct explaining *x, struct explanation_cause *out)
{
    const struct question q = {.stream = STREAM_BASE,
                               .trials = EXPLAIN_VERIFY_TRIALS,
                               .misses_max = UINT32_MAX,
                               .from = out->from};

    out->base = x->e->base;
    return out->is_enough && out->from.is_kept ? explaining_ask(x, &q, &out->base) : 0;
}

int explaining_why(struct explaining *x, const struct happened *h, const struct trace *trace,
                   uint32_t cause)
{
    const struct asker asker = {.self = x, .ask = explaining_ask, .after = explaining_after};
    struct explanation_cause *out = &x->e->causes[cause];
    int rc;

    *out = (struct explanation_cause){.n_items = 0};
    rc = search(x, &asker, h, cause);
    x->share_max = 0;
    describe(x, h, trace, out);
    if (rc == 0)
        rc = find_base(x, out);
    if (rc != 0)
        return rc;
    return out->is_enough ? 0 : EXPLAIN_NONE;
}

static const struct labelled *label_of(const struct explaining *x, uint32_t item)
{
    for (uint32_t i = 0; i < x->found.chosen.n; i++) {
        if (x->labels[i].item == item && x->labels[i].dropped.trials > 0)
            return &x->labels[i];
    }
    return NULL;
}

int explaining_labels(struct explaining *x, uint32_t cause)
{
    const struct asker asker = {.self = x, .ask = explaining_ask, .after = explaining_after};
    struct explanation_cause *out = &x->e->causes[cause];
    int rc;

    memset(x->labels, 0, sizeof(x->labels));
    x->search.asker = &asker;
    rc = label_all(&x->search, &x->found, x->labels);
    for (uint32_t i = 0; i < out->n_items; i++) {
        const struct labelled *l = label_of(x, out->list[i]);

        out->items[i].is_labelled = l != NULL;
        if (l != NULL)
            out->items[i].labelled = *l;
    }
    return rc;
}
