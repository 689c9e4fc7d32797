/* compare_main.c - a program whose tests fail with probabilities that are known exactly.
 *
 * A chain of k messages to machines of their own ends with one to a machine that also gets a single
 * message, and the test fails if the chain was faster: with a probability of 1/2^(k+1) in a random
 * walk, 1/(k+2) with `pos`, 1/2 with `pct:1`. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

enum { CHAIN_MAX = 16 };

static uint64_t length = 2;

static const struct sn_event link_event = {.name = "Link", .size = sizeof(sn_id)};
static const struct sn_event last_event = {.name = "Last"};
static const struct sn_event single_event = {.name = "Single"};

struct meeting {
    bool has_single;
};

static void on_last(void *self, const void *payload)
{
    const struct meeting *meeting = self;

    (void)payload;
    sn_assertf(meeting->has_single, "the chain was faster");
}

static void on_single(void *self, const void *payload)
{
    struct meeting *meeting = self;

    (void)payload;
    meeting->has_single = true;
}

static const struct sn_state waiting = {
    .name = "Waiting",
    .on = (const struct sn_on[]){{.event = &last_event, .run = on_last},
                                 {.event = &single_event, .run = on_single},
                                 {0}},
};
static const struct sn_machine meeting_machine = {
    .name = "Meeting", .size = sizeof(struct meeting), .start = &waiting};

/* The machines of the chain are created one after the other, and the payload is the last one. */
static void on_link(void *self, const void *payload)
{
    sn_id end = *(const sn_id *)payload;

    (void)self;
    if (sn_self() == end)
        sn_send(1, &last_event, NULL);
    else
        sn_send(sn_self() + 1, &link_event, &end);
}

static const struct sn_state linked = {
    .name = "Linked",
    .on = (const struct sn_on[]){{.event = &link_event, .run = on_link}, {0}},
};
static const struct sn_machine link_machine = {.name = "Link", .start = &linked};

static void chain(void)
{
    sn_id meeting = sn_create(&meeting_machine, NULL);
    sn_id end = meeting + (sn_id)length;

    for (uint64_t i = 0; i < length; i++)
        sn_create(&link_machine, NULL);
    sn_send(meeting + 1, &link_event, &end);
    sn_send(meeting, &single_event, NULL);
}

static void never(void)
{
    sn_send(sn_create(&meeting_machine, NULL), &single_event, NULL);
}

static const struct sn_test tests[] = {
    {.name = "chain", .run = chain, .starts_first = true, .links = SN_UNORDERED},
    {.name = "never", .run = never, .starts_first = true},
    {0},
};
static const struct sn_option options[] = {
    {.name = "length", .about = "of the chain (2)", .number = &length, .min = 1, .max = CHAIN_MAX},
    {0},
};
static const struct sn_suite suite = {.name = "compare", .tests = tests, .options = options};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
