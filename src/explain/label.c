/* label.c - see label.h. SPDX-License-Identifier: MIT */
#include "explain/label.h"

/* Of a set, one of whose items is left out or reversed. */
static int ask_without(const struct sufficient_search *s, const struct items *set, uint32_t at,
                       bool is_reversed, struct answer *out)
{
    struct choice choices[EXPLAIN_ITEMS_MAX];
    struct question q = {.choices = choices,
                         .from = s->from,
                         .stream = STREAM_LABEL,
                         .trials = EXPLAIN_VERIFY_TRIALS,
                         .misses_max = UINT32_MAX};

    for (uint32_t i = 0; i < set->n; i++) {
        if (i != at || is_reversed)
            choices[q.n_choices++] = (struct choice){set->list[i], i == at};
    }
    *out = (struct answer){0};
    return s->asker->ask(s->asker->self, &q, out);
}

static bool is_mostly_stuck(const struct answer *a)
{
    return a->trials > 0 && a->stuck * 2 >= a->trials;
}

bool label_is_enabling(const struct answer *dropped)
{
    uint32_t rest = dropped->trials - dropped->stuck;

    return dropped->stuck > 0 && !is_mostly_stuck(dropped) &&
           (uint64_t)dropped->failed * 100 >= (uint64_t)rest * 99;
}

static enum label label_of(const struct labelled *l, const struct answer *whole)
{
    if (l->dropped.trials > 0 && label_is_enabling(&l->dropped))
        return LABEL_ENABLING;
    if (is_mostly_stuck(&l->dropped) || is_mostly_stuck(&l->flipped))
        return LABEL_SET_UP;
    if (l->flipped.trials > 0 && answer_share(&l->flipped) <= 0.1)
        return LABEL_DECISIVE;
    if (answer_share(&l->dropped) >= 0.8 * answer_share(whole))
        return LABEL_HELPING;
    return LABEL_NEEDED;
}

static bool is_said_alone(const struct sufficient_search *s, const struct items *set, uint32_t at)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < set->n; i++)
        n += s->items[set->list[i]].is_grouped;
    return n < 2 || !s->items[set->list[at]].is_grouped;
}

int label_all(const struct sufficient_search *s, const struct sufficient *found,
              struct labelled *out)
{
    for (uint32_t i = 0; i < found->chosen.n; i++) {
        struct labelled *l = &out[i];
        int rc;

        *l = (struct labelled){.item = found->chosen.list[i]};
        if (!is_said_alone(s, &found->chosen, i))
            continue;
        rc = ask_without(s, &found->chosen, i, false, &l->dropped);
        if (rc == 0 && !label_is_enabling(&l->dropped) && item_is_order(s->items[l->item].kind))
            rc = ask_without(s, &found->chosen, i, true, &l->flipped);
        if (rc != 0) {
            *l = (struct labelled){.item = l->item}; /* half of an answer is none */
            return rc;
        }
        l->label = label_of(l, &found->verified);
    }
    return 0;
}
