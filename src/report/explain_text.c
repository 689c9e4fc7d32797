/* explain_text.c - an explanation in words, in the order in which a reader wants to know: what
 * failed, why, when it was lost, what else. SPDX-License-Identifier: MIT
 */
#include "report/explain_text.h"

#include "report/explain_pieces.h"

#include <inttypes.h>
#include <string.h>

enum {
    LISTED_ALWAYS = 24, /* steps of a trial that is short enough to be shown in any case */
};

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- What failed, and when it was lost ------------------------------------------------------ */

static void put_size(struct sn_text *out, const struct explanation *e)
{
    uint64_t steps = e->is_liveness ? e->steps_all - e->fair_steps : e->steps;

    if (!e->is_shrunk) {
        text_print(out, "; %" PRIu64 " step%s\n", e->steps_all, plural(e->steps_all));
        return;
    }
    text_print(out, "; shrunk from %" PRIu64 " to %" PRIu64 " step%s", e->steps_before, steps,
               plural(steps));
    if (e->is_liveness)
        text_print(out, " before its fair end");
    if (e->exceptions > 0)
        text_print(out, ", %" PRIu32 " exception%s to the default schedule", e->exceptions,
                   plural(e->exceptions));
    text_print(out, " (%" PRIu64 " trials)\n", e->shrink_trials);
}

static void put_failure(struct sn_text *out, const struct explanation *e)
{
    explain_put_section(out, "FAILS");
    text_print(out, "%s/%s: %s\n", e->suite, e->test, e->failure);
    explain_put_section(out, "");
    text_print(out, "found by %s in trial %" PRIu64, e->strategy, e->trial);
    put_size(out, e);
    if (e->instead_by != NULL) {
        explain_put_section(out, "");
        text_print(out,
                   "instead of it, a smaller one is explained that %s has found and that fails in "
                   "the same way\n",
                   e->instead_by);
    }
    if (e->is_liveness) {
        explain_put_section(out, "");
        text_print(out,
                   "Liveness: not repaired within the last %" PRIu64
                   " steps; not proved to be for ever.\n",
                   e->fair_steps);
        explain_put_section(out, "");
        text_print(out,
                   "Trials that are asked are left to chance up to step %" PRIu64
                   ", and are fair from there on.\n",
                   e->fair_from - 1);
    }
    if (e->default_fails) {
        explain_put_section(out, "");
        text_puts(out, "The default schedule already fails; there is no exception to show.\n");
    }
}

static void put_jumps(struct sn_text *out, const struct explanation *e)
{
    const struct pnr *p = &e->pnr;
    bool is_first = true;

    for (uint32_t i = 0; i < p->n_jumps; i++) {
        const struct pnr_jump *jump = &p->jumps[i];

        if (p->is_found && jump->step == p->step) /* that was said */
            continue;
        explain_put_section(out, "");
        text_print(out, "%-17s",
                   !is_first     ? ""
                   : p->is_found ? "jumps before it: "
                                 : "largest jumps: ");
        text_print(out, "step %" PRIu64 ", \"%s\": %" PRIu32 " -> %" PRIu32 " of %" PRIu32 "\n",
                   jump->step, explain_step_words(e, jump->step), jump->before.failed,
                   jump->after.failed, jump->after.trials);
        is_first = false;
    }
}

/* After which step all continuations fail. */
static void put_point(struct sn_text *out, const struct explanation *e)
{
    const struct pnr *p = &e->pnr;
    const char *words = explain_step_words(e, p->step);

    if (p->step == 0)
        text_puts(out, "from the start, with the values of its set-up:\n");
    else if (p->step == e->steps && !e->is_liveness)
        text_print(out, "only with its last step, %" PRIu64 ", \"%s\":\n", p->step, words);
    else
        text_print(out, "after step %" PRIu64 " of %" PRIu64 ", \"%s\":\n", p->step, e->steps,
                   words);
    if (explain_step_changes(e, p->step)[0] != '\0')
        text_print(out, "         %s\n", explain_step_changes(e, p->step));
    explain_put_section(out, "");
    text_print(out, "%" PRIu32 " of %" PRIu32 " sampled continuations fail (", p->after.failed,
               p->after.trials);
    explain_put_interval(out, &p->after);
    text_puts(out, ")");
    if (p->step > 0 && p->before.trials > 0)
        text_print(out, "; before it %" PRIu32 " of %" PRIu32, p->before.failed, p->before.trials);
    text_puts(out, ".\n");
}

static void put_lost(struct sn_text *out, const struct explanation *e)
{
    const struct pnr *p = &e->pnr;

    if (p->n_points == 0 && !p->is_found)
        return;
    explain_put_section(out, "LOST");
    if (p->is_found) {
        put_point(out, e);
    } else {
        const struct answer *last = &p->points[p->n_points - 1].answer;

        text_print(out,
                   "No point of no return: even after the last step only %" PRIu32 " of %" PRIu32
                   " continuations fail.\n",
                   last->failed, last->trials);
    }
    put_jumps(out, e);
}

/* ---- The trial ------------------------------------------------------------------------------ */

static void put_elided(struct sn_text *out, uint64_t n)
{
    if (n > 0)
        text_print(out, "%20s(%" PRIu64 " step%s)\n", "", n, plural(n));
}

static bool has_named(const struct explanation *e)
{
    for (uint32_t i = 0; i < e->n_steps_list; i++) {
        if (e->steps_list[i].is_named)
            return true;
    }
    return false;
}

/* The trial, with the share of continuations that failed after each step: all of it, or what is of
 * note in it. */
static void put_trial(struct sn_text *out, const struct explanation *e, bool is_verbose)
{
    bool is_whole = is_verbose || e->steps <= LISTED_ALWAYS;
    uint64_t last = 0;

    if (e->n_steps_list == 0)
        return;
    explain_put_section(out, "TRIAL");
    text_print(out, "%s; on the left, how many of %d continuations failed after it%s\n",
               is_whole ? "step by step" : "what is of note in it (--verbose: all)",
               EXPLAIN_AFTER_TRIALS, has_named(e) ? "; * is named in WHY" : "");
    for (uint32_t i = 0; i < e->n_steps_list; i++) {
        const struct explanation_step *s = &e->steps_list[i];

        if (!is_whole && !s->is_of_note)
            continue;
        put_elided(out, s->step - last - 1);
        last = s->step;
        if (s->is_sampled)
            text_print(out, "%10" PRIu32, s->after.failed);
        else
            text_print(out, "%10s", "");
        text_print(out, "%7" PRIu64 " %c %s\n", s->step, s->is_named ? '*' : ' ', s->words);
        if (s->changes[0] != '\0')
            text_print(out, "%20s  %s\n", "", s->changes);
    }
    put_elided(out, e->steps - last);
}

/* ---- What else ------------------------------------------------------------------------------ */

static void put_core(struct sn_text *out, const struct explanation *e)
{
    for (uint32_t i = 0; i < e->n_core; i++) {
        const struct explanation_core *c = &e->core[i];

        explain_put_section(out, i == 0 ? "CORE" : "");
        text_print(out, "%s  before  %s\n", c->first, c->second);
        text_print(out,
                   "           in %" PRIu32 " of %s%" PRIu32 " failing trials and %" PRIu32
                   " of %" PRIu32 " passing ones%s\n",
                   c->order.in_failing, e->n_core_failing < COVER_RUNS_MAX ? "only " : "",
                   e->n_core_failing, c->order.in_passing, e->n_core_passing,
                   c->is_modulo ? ", where machines of one type may change places" : "");
        text_puts(out, "           forced, ");
        explain_put_unstuck(out, &c->order.forced);
        text_puts(out, "; reversed, ");
        explain_put_unstuck(out, &c->order.reversed);
        text_putc(out, '\n');
    }
}

static void put_neighbour(struct sn_text *out, const struct explanation *e)
{
    text_puts(out, "It passes, and all else stays as it can, if only this is reversed:\n");
    text_print(out, "           %s  before  %s\n", e->near_first, e->near_second);
    if (e->near_difference[0] != '\0')
        text_print(out, "           first difference: %s\n", e->near_difference);
}

static void put_nearest(struct sn_text *out, const struct explanation *e)
{
    if (e->near == NEAR_NOT_SOUGHT)
        return;
    explain_put_section(out, "NEAR");
    if (e->near == NEAR_LIVENESS)
        text_puts(out, "Not compared with a passing trial: this failure is about what never "
                       "happens.\n");
    else if (e->near == NEAR_NONE && e->near_tried == 1)
        text_puts(out, "The one order that was tried does not make this trial pass when "
                       "reversed.\n");
    else if (e->near == NEAR_NONE)
        text_print(out,
                   "None of the %" PRIu32 " orders that were tried makes this trial pass when "
                   "reversed alone.\n",
                   e->near_tried);
    else if (e->near == NEAR_FAR)
        text_print(out,
                   "The passing trials with one order reversed differ in %" PRIu32
                   " orders or more: too much to compare.\n",
                   e->near_inversions);
    else
        put_neighbour(out, e);
}

static bool has_values(const struct explanation *e)
{
    for (uint32_t i = 0; i < e->n_causes; i++) {
        for (uint32_t k = 0; k < e->causes[i].n_items; k++) {
            if (!item_is_order(e->causes[i].items[k].kind))
                return true;
        }
    }
    return false;
}

/* Where it is nearly as common in trials that pass, nothing follows from it. */
static bool tells(const struct explanation_share *failing, const struct explanation_share *passing)
{
    return (uint64_t)failing->n * passing->of > 2 * (uint64_t)passing->n * failing->of;
}

/* «in 58 of 60 failing trials found independently and in 3 of 60 that pass» */
static void put_alike(struct sn_text *out, const struct explanation *e)
{
    const struct explanation_share *failing = &e->alike_failing;
    const struct explanation_share *passing = &e->alike_passing;

    if (!e->has_alike || (e->has_covers && e->covered == e->n_pool) || !tells(failing, passing))
        return;
    explain_put_section(out, e->has_covers ? "" : "COVERS");
    text_print(
        out,
        "Whichever messages of the same types they are of, the orders that are not set-up or "
        "help are\n       in %" PRIu32 " of %" PRIu32
        " failing trials found independently and in %" PRIu32 " of %" PRIu32 " that pass.\n",
        failing->n, failing->of, passing->n, passing->of);
}

/* «33, 12 and 27 of 60 failing trials found independently, together 60» */
static void put_covers(struct sn_text *out, const struct explanation *e)
{
    if (!e->has_covers || e->n_pool == 0)
        return;
    explain_put_section(out, "COVERS");
    for (uint32_t i = 0; i < e->n_causes; i++)
        text_print(out, "%s%" PRIu32,
                   i == 0                ? ""
                   : i + 1 < e->n_causes ? ", "
                                         : " and ",
                   e->causes[i].covers);
    text_print(out, " of %" PRIu32 " failing trials found independently", e->n_pool);
    if (e->n_causes > 1)
        text_print(out, ", together %" PRIu32, e->covered);
    if (has_values(e))
        text_puts(out, ", values and faults apart");
    text_puts(out, e->is_covered_modulo
                       ? ",\n       where machines of one type may change places.\n"
                       : ".\n");
    if (e->covered < e->n_pool) {
        explain_put_section(out, "");
        text_print(out,
                   "%" PRIu32 " of %" PRIu32 " %s not covered: the same happens to other "
                   "messages, or there are other ways to fail.\n",
                   e->n_pool - e->covered, e->n_pool, e->n_pool - e->covered == 1 ? "is" : "are");
    }
    if (e->n_unknown > 0) {
        explain_put_section(out, "");
        text_print(out, "%" PRIu32 " more %s too long to be compared.\n", e->n_unknown,
                   e->n_unknown == 1 ? "is" : "are");
    }
}

static void put_group(struct sn_text *out, const struct explanation *e)
{
    const struct explanation_group *g = &e->group;

    if (g->looked == 0)
        return;
    explain_put_section(out, "GROUPS");
    text_print(out, "Of the %" PRIu64 " failing trials of its run %" PRIu32 " were looked at:\n",
               g->count, g->looked);
    for (uint32_t i = 0; i < e->n_causes; i++) {
        if (g->covers[i] == 0)
            continue;
        text_print(out, "       %4" PRIu32 "  as ", g->covers[i]);
        if (i == 0)
            text_puts(out, "WHY says");
        else
            text_print(out, "OR number %" PRIu32 " says", i);
        text_print(out, ", trial %" PRIu64 " first\n", g->first[i]);
    }
    if (g->none > 0)
        text_print(out, "       %4" PRIu32 "  in another way\n", g->none);
}

static void put_rates(struct sn_text *out, const struct explanation *e)
{
    for (uint32_t i = 0; i < e->n_rates; i++) {
        const struct explanation_rate *r = &e->rates[i];

        explain_put_section(out, i == 0 ? "RATES" : "");
        text_print(out, "%-8s", r->strategy);
        explain_put_answer(out, &r->answer);
        text_putc(out, '\n');
    }
}

static void put_end(struct sn_text *out, const struct explanation *e)
{
    static const char *const where[] = {
        [STAGE_BEGINNING] = "at the beginning",
        [STAGE_LOST] = "while the point of no return was looked for",
        [STAGE_WHY] = "while the orders were looked for",
        [STAGE_LABELS] = "while the orders were tried one by one",
        [STAGE_RATES] = "while strategies were compared",
        [STAGE_CAUSES] = "while further causes were looked for",
        [STAGE_NEAREST] = "while the nearest passing trial was looked for",
        [STAGE_CORE] = "while the common core was looked for",
        [STAGE_DONE] = "",
    };

    text_print(
        out, "\nThese are sampled statements, not proofs: %" PRIu64 " trials, seed %" PRIu64 ".\n",
        e->executions, e->seed);
    if (e->stage != STAGE_DONE)
        text_print(out, "The budget ended %s: the rest is missing.\n", where[e->stage]);
}

void explain_text(struct sn_text *out, const struct explanation *e, bool is_verbose)
{
    put_failure(out, e);
    if (e->n_causes > 0)
        explain_put_cause(out, e, 0);
    put_lost(out, e);
    put_trial(out, e, is_verbose);
    put_core(out, e);
    put_nearest(out, e);
    for (uint32_t i = 1; i < e->n_causes; i++)
        explain_put_cause(out, e, i);
    put_covers(out, e);
    put_alike(out, e);
    put_group(out, e);
    put_rates(out, e);
    put_end(out, e);
}
