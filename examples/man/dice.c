/* dice.c - sn_choose, sn_maybe, sn_alloc, sn_note, sn_assert, sn_assertf and sn_assert_failed: what
 * the test does not know, and what is right. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

struct throw
{
    uint64_t eyes;
    struct throw *before;
};

static void play(void *self, const void *payload)
{
    struct throw *last = NULL;
    uint64_t sum = 0;

    (void)self;
    (void)payload;
    do {
        struct throw *it = sn_alloc(sizeof(*it)); /* gone when the trial ends */

        it->eyes = 1 + sn_choose("eyes", 6);
        it->before = last;
        last = it;
        sum += it->eyes;
        sn_note("%d eyes, %d together", (int)it->eyes, (int)sum);
    } while (sum < 12 && sn_maybe("again"));

    sn_assert(last != NULL);
    sn_assertf(sum < 18, "%d eyes are too many", (int)sum);
    if (last->before != NULL && last->before->eyes > 6) /* what the two do if they must */
        sn_assert_failed(__FILE__, __LINE__, "eyes <= 6", "%d eyes", (int)last->before->eyes);
}

static const struct sn_state playing = {.name = "Playing", .entry = play};
static const struct sn_machine player = {.name = "Player", .start = &playing};

static void run(void)
{
    sn_create(&player, NULL);
}

static const struct sn_test tests[] = {{.name = "dice", .run = run}, {0}};
static const struct sn_suite suite = {.name = "dice", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
