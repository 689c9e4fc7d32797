/* explain_pieces.c - see explain_pieces.h. SPDX-License-Identifier: MIT */
#include "report/explain_pieces.h"

#include "base/estimate.h"

#include <inttypes.h>
#include <string.h>

enum { INDENT = 7 /* of all but the first line of a section */ };

/* Of orders that are not enough: with fewer failing trials they are hardly worth reading. */
#define WORTH_SAYING 0.5

void explain_put_section(struct sn_text *out, const char *title)
{
    text_puts(out, title);
    for (size_t i = strlen(title); i < INDENT; i++)
        text_putc(out, ' ');
}

/* A share in per cent, with as many digits as it takes not to say 0 or 100 of what is neither. */
static void put_percent(struct sn_text *out, double share)
{
    double percent = 100 * share;
    bool is_extreme = percent < 1 || percent > 99;

    text_print(out, is_extreme && percent > 0 && percent < 100 ? "%.2f" : "%.1f", percent);
}

void explain_put_interval(struct sn_text *out, const struct answer *a)
{
    struct interval i = estimate_wilson(a->failed, a->trials);

    if (a->failed == 0) {
        text_puts(out, "at most ");
    } else {
        put_percent(out, i.low);
        text_puts(out, a->failed == a->trials ? " % or more" : " to ");
        if (a->failed == a->trials)
            return;
    }
    put_percent(out, i.high);
    text_puts(out, " %");
}

void explain_put_answer(struct sn_text *out, const struct answer *a)
{
    text_print(out, "%" PRIu32 " of %" PRIu32 " fail (", a->failed, a->trials);
    explain_put_interval(out, a);
    if (a->stuck > 0)
        text_print(out, "; %" PRIu32 " stuck", a->stuck);
    text_puts(out, ")");
}

void explain_put_unstuck(struct sn_text *out, const struct answer *a)
{
    const struct answer left = {.trials = a->trials - a->stuck, .failed = a->failed};

    text_print(out, "%" PRIu32 " of %" PRIu32 " fail (", left.failed, left.trials);
    explain_put_interval(out, &left);
    if (a->stuck > 0)
        text_print(out, "; %" PRIu32 " more got stuck", a->stuck);
    text_puts(out, ")");
}

const char *explain_label(enum label label)
{
    static const char *const words[] = {
        [LABEL_NEEDED] = "needed",   [LABEL_DECISIVE] = "decisive", [LABEL_SET_UP] = "set-up",
        [LABEL_HELPING] = "helping", [LABEL_ENABLING] = "enabling",
    };

    return words[label];
}

static const struct explanation_step *find_step(const struct explanation *e, uint64_t step)
{
    static const struct explanation_step none;

    for (uint32_t i = 0; i < e->n_steps_list; i++) {
        if (e->steps_list[i].step == step)
            return &e->steps_list[i];
    }
    return &none;
}

const char *explain_step_words(const struct explanation *e, uint64_t step)
{
    return find_step(e, step)->words;
}

const char *explain_step_changes(const struct explanation *e, uint64_t step)
{
    return find_step(e, step)->changes;
}

bool explain_is_worth_saying(const struct explanation *e, const struct explanation_cause *c)
{
    struct interval with = estimate_wilson(c->verified.failed, c->verified.trials);
    const struct answer *base = c->from.is_kept ? &c->base : &e->base;
    struct interval without = estimate_wilson(base->failed, base->trials);

    return c->n_items > 0 && answer_share(&c->verified) >= WORTH_SAYING &&
           (base->trials == 0 || with.low > without.high);
}
