/* list_tests.c - two people write a shopping list. SPDX-License-Identifier: MIT */
#include "shopping.h"
#include "tests.h"

#include <sennit/sennit.h>

enum {
    TEXT_MAX = 256,
    EXPECTED = SN_EXPECT_CONVERGENCE | SN_EXPECT_NO_DUPLICATES,
};

static struct shopping a;
static struct shopping b;

static void print_shopping(struct sn_text *out, const void *app)
{
    char text[TEXT_MAX];

    (void)shopping_print(app, text, sizeof(text));
    sn_print(out, "%s", text);
}

static void start(void)
{
    struct shopping_config config = {
        .list.moves_by_inserting = bug_move,
        .list.moves_behind_elements = bug_anchor,
        .appends = bug_append,
    };

    config.list.replica = 1;
    shopping_init(&a, &config);
    config.list.replica = 2;
    shopping_init(&b, &config);
    sn_replica(&a, "A", print_shopping);
    sn_replica(&b, "B", print_shopping);
}

/* Three things that are on the list from the beginning. */
static void fill(void)
{
    shopping_hear(&b, shopping_add(&a, "bread"));
    shopping_hear(&b, shopping_add(&a, "milk"));
    shopping_hear(&b, shopping_add(&a, "salt"));
}

/* Both add something. */
void list_run(void)
{
    start();
    begin_events(EXPECTED, NULL);
    shopping_hear(&b, shopping_add(&a, "bread"));
    shopping_hear(&a, shopping_add(&b, "milk"));
    shopping_hear(&b, shopping_add(&a, "salt"));
    sn_events_end(NULL);
}

/* Both move the same thing. */
void move_run(void)
{
    start();
    fill();
    begin_events(EXPECTED | SN_EXPECT_IDEMPOTENCE, NULL);
    shopping_hear(&b, shopping_move(&a, "bread", 2));
    shopping_hear(&a, shopping_move(&b, "bread", 1));
    shopping_hear(&b, shopping_add(&a, "tea"));
    sn_events_end(NULL);
}

/* One moves something behind what the other moves. */
void anchor_run(void)
{
    start();
    fill();
    begin_events(EXPECTED | SN_EXPECT_IDEMPOTENCE, NULL);
    shopping_hear(&b, shopping_move(&a, "salt", 1));
    shopping_hear(&a, shopping_move(&b, "bread", 2));
    sn_events_end(NULL);
}
