/* cards.c - sn_weighted, sn_one_of, sn_shuffle, sn_subset, sn_assume, sn_discard, sn_classify and
 * sn_collect: choices, and what trials were about. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

enum { CARDS = 8 };

static void a_hand_has_cards_of_the_pack(void)
{
    static const char *const colours[] = {"red", "black"};
    static const unsigned weights[] = {8, 1, 1};
    int pack[CARDS];
    bool is_in_hand[CARDS];
    int sum = 0;
    size_t n;

    for (int i = 0; i < CARDS; i++)
        pack[i] = i;
    sn_shuffle("pack", pack, CARDS, sizeof(*pack));
    n = sn_subset("hand", is_in_hand, CARDS);
    sn_assume(n > 0);
    if (n == CARDS)
        sn_discard(); /* the same in other words */
    for (int i = 0; i < CARDS; i++)
        sum += is_in_hand[i] ? pack[i] : 0;

    sn_classify(pack[0] == 0, "first card is first");
    sn_collect("cards", "%d", (int)n);
    sn_collect("colour", "%s", sn_one_of("colour", colours));
    sn_collect("move", "%d", (int)sn_weighted("move", weights, 3));
    sn_assert(sum >= 0 && sum < CARDS * CARDS / 2);
}

static const struct sn_test tests[] = {SN_PROPERTY_PURE(a_hand_has_cards_of_the_pack), {0}};
static const struct sn_suite suite = {.name = "cards", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
