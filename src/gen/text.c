/* text.c - texts and bytes: lists whose elements are characters. SPDX-License-Identifier: MIT */
#include "gen/gen.h"

/* Letters are easier to read than digits, and these than the rest. */
static const char printable[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "
                                "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

struct letters {
    char *all;
    size_t room;
};

static void put(struct trial *t, struct letters *l, size_t i, char c)
{
    char *larger;

    if (i + 1 >= l->room) { /* there is room for a zero behind it */
        larger = trial_alloc(t, 2 * l->room);
        memcpy(larger, l->all, l->room);
        l->all = larger;
        l->room *= 2;
    }
    l->all[i] = c;
}

char *sn_string(const char *label, const char *alphabet, size_t min, size_t max)
{
    struct trial *t = gen_trial("sn_string");
    const char *from = alphabet != NULL ? alphabet : printable;
    size_t n_letters = strlen(from);
    struct letters letters = {.all = trial_alloc(t, 64), .room = 64};
    struct sn_list list = sn_list_begin(label, min, max);

    if (unlikely(n_letters == 0 && max > 0))
        gen_refuse(t, "sn_string", label, "the alphabet is empty");
    while (sn_list_next(&list))
        put(t, &letters, list.n - 1, from[trial_draw(t, "letter", n_letters)]);
    letters.all[list.n] = '\0';
    if (gen_is_told(t))
        gen_tell_text(t, label, letters.all, list.n);
    return letters.all;
}

unsigned char *sn_bytes(const char *label, size_t min, size_t max, size_t *n)
{
    struct trial *t = gen_trial("sn_bytes");
    struct letters letters = {.all = trial_alloc(t, 64), .room = 64};
    struct sn_list list = sn_list_begin(label, min, max);

    while (sn_list_next(&list))
        put(t, &letters, list.n - 1, (char)gen_below(t, "byte", 256));
    *n = list.n;
    if (gen_is_told(t))
        gen_tell_text(t, label, letters.all, list.n);
    return (unsigned char *)letters.all;
}
