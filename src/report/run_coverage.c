/* run_coverage.c - see run_coverage.h. SPDX-License-Identifier: MIT */
#include "report/run_coverage.h"

#include <inttypes.h>
#include <string.h>

/* ---- The next trial ------------------------------------------------------------------------- */

/* An arm of which less is known has more to show. */
static double promise(const struct run_arm *arm)
{
    return arm->estimate.answer == DISCOVERY_KNOWN ? arm->estimate.next : 2;
}

const struct run_arm *run_coverage_best(const struct run_coverage *c)
{
    const struct run_arm *best = NULL;

    for (uint32_t i = 0; c->is_sampled && i < c->n_arms; i++) {
        if (c->arms[i].figures.trials > 0 && (best == NULL || promise(&c->arms[i]) > promise(best)))
            best = &c->arms[i];
    }
    return best;
}

void run_coverage_put_part(struct sn_text *out, double part)
{
    uint64_t millionths = part > 0 ? (uint64_t)(part * 1e6 + 0.5) : 0;

    text_print(out, "%" PRIu64 ".%06" PRIu64, millionths / 1000000, millionths % 1000000);
}

const char *run_coverage_answer(enum discovery_answer answer)
{
    static const char *const names[] = {
        [DISCOVERY_KNOWN] = "known",
        [DISCOVERY_FEW_TRIALS] = "few trials",
        [DISCOVERY_MOSTLY_NEW] = "mostly new",
        [DISCOVERY_TOO_MANY] = "too many orders",
    };

    return names[answer];
}

/* At most two digits that count: it is an estimate. */
static void put_percent(struct sn_text *out, double part)
{
    double percent = part * 100;

    if (percent >= 99.5 || percent == 0)
        text_puts(out, percent == 0 ? "0" : "100");
    else if (percent >= 1)
        text_print(out, "%.2g", percent);
    else
        text_print(out, "%.1g", percent >= 0.0001 ? percent : 0.0001);
}

static void put_known(struct sn_text *out, const struct run_arm *arm, const char *whose)
{
    const struct discovery_estimate *e = &arm->estimate;

    if (whose[0] != '\0')
        text_print(out, "the next trial of %s shows an order new to it", whose);
    else
        text_puts(out, "the next trial shows a new order");
    text_puts(out, " with a probability of about ");
    put_percent(out, e->next);
    text_puts(out, " % (");
    put_percent(out, e->low);
    text_puts(out, " to ");
    put_percent(out, e->high);
    text_puts(out, " %)");
    if (e->least > arm->figures.orders)
        text_print(out, "; there are probably at least %" PRIu64 " orders", e->least);
}

static void put_arm(struct sn_text *out, const char *indent, const struct run_arm *arm,
                    bool is_named, uint64_t trials)
{
    const char *whose = is_named ? arm->name : "";
    const char *gap = is_named ? " of " : "";

    text_puts(out, indent);
    switch (arm->estimate.answer) {
    case DISCOVERY_KNOWN:
        put_known(out, arm, whose);
        break;
    case DISCOVERY_MOSTLY_NEW:
        text_print(out, "almost every trial%s%s showed a new order: most have not been seen", gap,
                   whose);
        break;
    case DISCOVERY_FEW_TRIALS:
        text_print(out, "too few trials%s%s to say how likely the next one is to show a new order",
                   gap, whose);
        break;
    case DISCOVERY_TOO_MANY:
        text_print(out,
                   "how likely the next trial%s%s is to show a new order is not known: there were "
                   "more than %d to count",
                   gap, whose, DISCOVERY_ORDERS_MAX);
        break;
    }
    if (!is_named && arm->estimate.answer == DISCOVERY_KNOWN && arm->figures.trials < trials)
        text_print(out, " (by the last %" PRIu64 " trials, before which the strategy learned)",
                   arm->figures.trials);
    text_putc(out, '\n');
}

void run_coverage_put_next(struct sn_text *out, const char *indent, const struct run_coverage *c,
                           bool is_verbose)
{
    const struct run_arm *best = run_coverage_best(c);

    if (best == NULL || c->trials == 0)
        return;
    if (c->n_arms == 1 || !is_verbose) {
        put_arm(out, indent, best, c->n_arms > 1, c->trials - c->discarded);
        return;
    }
    for (uint32_t i = 0; i < c->n_arms; i++) {
        if (c->arms[i].figures.trials > 0)
            put_arm(out, indent, &c->arms[i], true, c->trials - c->discarded);
    }
}

/* ---- What trials were said to be ------------------------------------------------------------- */

enum { ROWS = 10 }; /* of a table that not everybody wants to see */

static void put_class(struct sn_text *out, const char *indent, const struct run_class *row,
                      uint64_t trials)
{
    double percent = trials > 0 ? 100 * (double)row->trials / (double)trials : 0;

    text_print(out, "%s%6.2f %% %s\n", indent, percent, row->value);
}

/* Where the table of a row ends. */
static uint32_t end_of_table(const struct run_coverage *c, uint32_t from)
{
    uint32_t to = from;

    while (to < c->n_classes && strcmp(c->classes[to].table, c->classes[from].table) == 0)
        to++;
    return to;
}

void run_coverage_put_classes(struct sn_text *out, const char *indent, const struct run_coverage *c,
                              bool is_verbose)
{
    uint64_t trials = c->trials - c->discarded;

    for (uint32_t from = 0; from < c->n_classes; from = end_of_table(c, from)) {
        uint32_t to = end_of_table(c, from);
        uint32_t shown = is_verbose || to - from <= ROWS ? to : from + ROWS;

        if (c->classes[from].table[0] != '\0')
            text_print(out, "%s%s:\n", indent, c->classes[from].table);
        for (uint32_t i = from; i < shown; i++)
            put_class(out, indent, &c->classes[i], trials);
        if (shown < to)
            text_print(out, "%s   and %u more; -v shows all\n", indent, to - shown);
    }
    if (c->unclassed > 0)
        text_print(out, "%s%" PRIu64 " trials were said to be more than can be counted\n", indent,
                   c->unclassed);
}

/* ---- States, handlers, races ---------------------------------------------------------------- */

uint32_t run_coverage_never(const struct run_coverage *c)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->machines.n; i++)
        n += !c->machines.pairs[i].is_covered;
    return n;
}

uint32_t run_coverage_one_sided(const struct run_coverage *c)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_races; i++)
        n += c->races[i].came[0] != c->races[i].came[1];
    return n;
}

bool run_part_overlaps(const struct run_part *a, const struct run_part *b)
{
    return a->stream == b->stream && a->trials > 0 && b->trials > 0 &&
           a->first < b->first + b->trials && b->first < a->first + a->trials;
}

bool run_met_is_same(const struct run_met *a, const struct run_met *b)
{
    return a->line == b->line && strcmp(a->name, b->name) == 0 && strcmp(a->file, b->file) == 0;
}

int run_race_compare(const struct run_race *a, const struct run_race *b)
{
    int order = strcmp(a->machine, b->machine);

    if (order == 0)
        order = strcmp(a->events[0], b->events[0]);
    return order != 0 ? order : strcmp(a->events[1], b->events[1]);
}

static void put_never(struct sn_text *out, const char *indent, const struct coverage *machines)
{
    for (uint32_t i = 0; i < machines->n; i++) {
        const struct coverage_pair *pair = &machines->pairs[i];

        if (!pair->is_covered)
            text_print(out, "%snever: %s of %s in state %s\n", indent, pair->event_name,
                       pair->machine_name, pair->state_name);
    }
}

static void put_races(struct sn_text *out, const char *indent, const struct run_coverage *c)
{
    for (uint32_t i = 0; i < c->n_races; i++) {
        const struct run_race *race = &c->races[i];
        int order = race->came[0] ? 0 : 1;

        if (race->came[0] != race->came[1])
            text_print(out, "%sonly in this order: %s, then %s of %s\n", indent,
                       race->events[order], race->events[!order], race->machine);
    }
}

static void put_unknown(struct sn_text *out, const char *indent, const struct run_coverage *c,
                        bool is_verbose)
{
    if (is_verbose && !c->is_sampled && c->trials > 0 && c->surveyed == 0)
        text_print(out,
                   "%sstates and races are not known: they are counted once a search has run every "
                   "schedule\n",
                   indent);
}

void run_coverage_put_rest(struct sn_text *out, const char *indent, const struct run_coverage *c,
                           bool is_verbose)
{
    uint32_t never = run_coverage_never(c);
    uint32_t one_sided = run_coverage_one_sided(c);
    const char *gap = indent;

    if (c->has_states && c->steps > 0) {
        text_print(out, "%s%s%" PRIu64 " states", gap,
                   c->is_survey_cut || c->is_states_least ? "at least " : "", c->states);
        gap = ", ";
    }
    if (never > 0) {
        text_print(out, "%s%" PRIu32 " of %" PRIu32 " events of states never came", gap, never,
                   c->machines.n);
        gap = ", ";
    }
    if (one_sided > 0 || (is_verbose && c->n_races > 0)) {
        text_print(out, "%s%" PRIu32 " of %" PRIu32 " races in one order only", gap, one_sided,
                   c->n_races);
        gap = ", ";
    }
    if (gap == indent) {
        put_unknown(out, indent, c, is_verbose);
        return;
    }
    if (c->has_states || c->n_races > 0)
        text_print(out, " (in %" PRIu64 " trial%s looked at)", c->surveyed,
                   c->surveyed == 1 ? "" : "s");
    text_puts(out, is_verbose || (never == 0 && one_sided == 0) ? "\n" : "; -v names them\n");
    if (!is_verbose)
        return;
    put_never(out, indent, &c->machines);
    put_races(out, indent, c);
    put_unknown(out, indent, c, is_verbose);
}
