/* list.c - lists: an element is a scope, and whether there is one more a decision in it.
 *
 * When trials are drawn at random, the length is chosen at the first element, which makes all
 * lengths that matter likely enough; but what the log holds is one decision per element. So
 * elements can be taken out anywhere, together with the decision that they are there, and two lists
 * become one when the end of the first and the beginning of the second are taken out.
 * SPDX-License-Identifier: MIT
 */
#include "base/rng.h"
#include "gen/gen.h"

#include <stdio.h>

enum {
    USUAL_MAX = 32,   /* elements of most lists, above the least, ... */
    LARGE_MAX = 1024, /* ... and of some */
    AVERAGE = 8,      /* where each decision is taken by itself */
    LABEL_MAX = 256,
};

/* How much longer than the least it is to be. */
static uint64_t pick_length(const void *self, uint64_t n, uint64_t bits)
{
    uint64_t most = n - 1;
    uint64_t usual = most < USUAL_MAX ? most : USUAL_MAX;
    uint64_t rest = mix64(bits);

    (void)self;
    if (bits >> 60 == 0 && most <= LARGE_MAX) /* 1 of 16: the longest there is, or nearly */
        return most - (rest % 4 == 0 && most > 0 ? 1 : 0);
    if (bits >> 58 == 63)
        usual = most < LARGE_MAX ? most : LARGE_MAX;
    if (bits >> 63 == 0) /* half of them: any length */
        return rest % (usual + 1);
    return rest % ((rest >> 32) % (usual + 1) + 1); /* and half: rather short ones */
}

struct sn_list sn_list_begin(const char *label, size_t min, size_t max)
{
    struct trial *t = gen_trial("sn_list_begin");
    struct sn_list list = {.label_ = label, .min_ = min, .max_ = max, .length_ = SIZE_MAX};

    if (unlikely(min > max))
        gen_refuse(t, "sn_list_begin", label, "the least is more than the most");
    list.key_ = trial_scopes(t, label, &list.group_);
    return list;
}

/* What is drawn freely is drawn once for the whole list. */
static void choose_length(struct trial *t, struct sn_list *list)
{
    static const struct draw_shape shape = {.value = pick_length};
    uint64_t bits;

    if (!trial_draws_freely(t) || t->strategy == NULL || t->strategy->draw == NULL)
        return;
    bits = t->strategy->draw(t->strategy_self, &(struct sn_draw){.label = list->label_,
                                                                 .n = UINT64_MAX,
                                                                 .task = t->now.task,
                                                                 .key = list->key_});
    list->length_ = list->min_ + shape.value(NULL, (uint64_t)(list->max_ - list->min_) + 1, bits);
}

static bool draw_more(struct trial *t, struct sn_list *list)
{
    bool is_open = list->n >= list->min_ && list->n < list->max_;

    /* Every element begins alike, so that one can take the place of another. */
    if (!is_open && list->min_ < list->max_)
        gen_pad(t, "more", 1);
    if (!is_open)
        return list->n < list->min_;
    if (list->length_ != SIZE_MAX)
        return trial_draw_known(t, "more", 2, list->n < list->length_) != 0;
    return gen_chance(t, "more", AVERAGE, AVERAGE + 1);
}

static void leave(struct trial *t, struct sn_list *list)
{
    if (list->scope_ != 0)
        trial_scope_leave(t, list->scope_);
    list->scope_ = 0;
}

bool sn_list_next(struct sn_list *list)
{
    struct trial *t = gen_trial("sn_list_next");

    leave(t, list);
    if (list->n == 0 && list->min_ < list->max_ && list->length_ == SIZE_MAX)
        choose_length(t, list);
    list->scope_ = trial_scope_enter(t, list->key_, list->label_, list->group_, (uint32_t)list->n);
    if (draw_more(t, list)) {
        list->n++;
        return true;
    }
    leave(t, list);
    return false;
}

void sn_list_end(struct sn_list *list)
{
    leave(gen_trial("sn_list_end"), list);
}

static void tell_ints(struct trial *t, const char *label, const int64_t *all, size_t n)
{
    char buffer[1024];
    struct sn_text text;

    text_init(&text, buffer, sizeof(buffer));
    for (size_t i = 0; i < n && !text.cut; i++)
        text_print(&text, "%s%lld", i > 0 ? ", " : "", (long long)all[i]);
    gen_tell(t, label, "[%s%s]", buffer, text.cut ? " ..." : "");
}

int64_t *sn_ints(const char *label, size_t min_n, size_t max_n, int64_t min, int64_t max, size_t *n)
{
    struct trial *t = gen_trial("sn_ints");
    struct sn_list list = sn_list_begin(label, min_n, max_n);
    size_t room = min_n + 8;
    int64_t *all = trial_alloc(t, room * sizeof(*all));

    if (unlikely(min > max))
        gen_refuse(t, "sn_ints", label, "the least is more than the most");
    while (sn_list_next(&list)) {
        if (list.n > room) {
            int64_t *larger = trial_alloc(t, 2 * room * sizeof(*all));

            memcpy(larger, all, room * sizeof(*all));
            all = larger;
            room *= 2;
        }
        all[list.n - 1] = gen_int(t, "value", min, max);
    }
    *n = list.n;
    if (gen_is_told(t))
        tell_ints(t, label, all, list.n);
    return all;
}

size_t sn_size(const char *label, size_t min, size_t max)
{
    static const struct draw_shape shape = {.value = pick_length};
    struct trial *t = gen_trial("sn_size");
    size_t value;

    if (unlikely(min > max || max - min == SIZE_MAX))
        gen_refuse(t, "sn_size", label, "the bounds are too far apart, or in the wrong order");
    value = min + trial_draw_shaped(t, label, max - min + 1, &shape);
    if (gen_is_told(t))
        gen_tell(t, label, "%zu", value);
    return value;
}
