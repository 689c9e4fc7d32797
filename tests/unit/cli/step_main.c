/* step_main.c - tests to be stepped through: values, names that change, input, output, faults.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <stdio.h>

/* ---- Values, output ------------------------------------------------------------------------- */

static const struct sn_event toss = {.name = "Toss"};

static void start_player(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)printf("ready\n");
    sn_send(sn_self(), &toss, NULL);
}

static void on_toss(void *self, const void *payload)
{
    uint64_t only = sn_choose("no choice", 1);
    uint64_t first = sn_choose("first coin", 3);
    uint64_t second = sn_choose("second coin", 3);

    (void)self;
    (void)payload;
    (void)printf("tossed %d and %d\n", (int)(first + only), (int)second);
    sn_assertf(first + second < 4, "both coins fell on their edge");
}

static const struct sn_state tossing = {
    .name = "Tossing",
    .entry = start_player,
    .on = (const struct sn_on[]){{.event = &toss, .run = on_toss}, {0}},
};
static const struct sn_machine player = {.name = "Player", .start = &tossing};

static void coins(void)
{
    sn_create(&player, NULL);
}

/* ---- Names that change ---------------------------------------------------------------------- */

struct walker {
    unsigned steps;
};

static const struct sn_event walk = {.name = "Walk"};

static void on_walk(void *self, const void *payload)
{
    struct walker *w = self;

    (void)payload;
    sn_set_name(sn_self(), "Walker at %u", w->steps);
    if (w->steps++ < 5)
        sn_send(sn_self(), &walk, NULL);
}

static const struct sn_state walking = {
    .name = "Walking",
    .entry = on_walk,
    .on = (const struct sn_on[]){{.event = &walk, .run = on_walk}, {0}},
};
static const struct sn_machine walker = {
    .name = "Walker", .size = sizeof(struct walker), .start = &walking};

static void renames(void)
{
    sn_create(&walker, NULL);
    sn_create(&walker, NULL);
}

static void misleads(void)
{
    sn_create(&walker, NULL);
    sn_set_name(sn_create(&walker, NULL), "to start Walker");
}

/* ---- Input ---------------------------------------------------------------------------------- */

static void read_input(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assertf(getchar() == EOF, "the code under test got what was meant for the session");
}

static const struct sn_state reading = {.name = "Reading", .entry = read_input};
static const struct sn_machine reader = {.name = "Reader", .start = &reading};

static void reads(void)
{
    sn_create(&reader, NULL);
    sn_create(&reader, NULL);
}

/* ---- Faults --------------------------------------------------------------------------------- */

static const struct sn_event ask = {.name = "Ask"};
static const struct sn_event answer = {.name = "Answer"};

struct asker {
    sn_id server;
    int missing;
};

static const struct sn_event asker_birth = {.name = "Birth", .size = sizeof(struct asker)};

static void on_ask(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(sn_sender(), &answer, NULL);
}

static const struct sn_state answering = {
    .name = "Answering",
    .on = (const struct sn_on[]){{.event = &ask, .run = on_ask}, {0}},
};
static const struct sn_machine server = {.name = "Server", .start = &answering};

static void start_asking(void *self, const void *payload)
{
    struct asker *a = self;

    *a = *(const struct asker *)payload;
    for (a->missing = 0; a->missing < 3; a->missing++)
        sn_send(a->server, &ask, NULL);
}

static void on_answer(void *self, const void *payload)
{
    struct asker *a = self;

    (void)payload;
    if (--a->missing == 0)
        sn_halt();
}

static const struct sn_state waiting = {
    .name = "Waiting",
    .entry = start_asking,
    .on = (const struct sn_on[]){{.event = &answer, .run = on_answer}, {0}},
    .must_leave = true,
};
static const struct sn_machine asker = {
    .name = "Asker", .size = sizeof(struct asker), .start = &waiting, .birth = &asker_birth};

static void faults(void)
{
    sn_node left = sn_node_new("left");
    sn_node right = sn_node_new("right");
    struct asker to = {.server = sn_create_on(left, &server, NULL)};

    sn_create_on(right, &asker, &to);
    sn_create_on(right, &asker, &to);
}

static const struct sn_faults some_faults = {
    .crashes = 1, .drops = 1, .duplicates = 1, .delays = 2, .down_ns = 1000};

/* ---- A strategy that never decides anything ------------------------------------------------- */

static bool begin_never(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    (void)trial;
    (void)keep;
    return false;
}

static uint32_t pick_first(void *self, const struct sn_pending *pending)
{
    (void)self;
    (void)pending;
    return 0;
}

static const struct sn_strategy never = {
    .name = "never", .about = "nothing to try", .begin = begin_never, .pick = pick_first};

/* ---- The suite ------------------------------------------------------------------------------ */

static const struct sn_test tests[] = {
    {.name = "coins", .run = coins, .about = "three values, one of which is no choice"},
    {.name = "renames",
     .run = renames,
     .about = "machines that change their names, and put back step by step",
     .world = SN_WORLD_TRIAL},
    {.name = "misleads", .run = misleads, .about = "a name that looks like an operation"},
    {.name = "reads", .run = reads, .about = "machines that read standard input"},
    {.name = "faults",
     .run = faults,
     .about = "messages in any order, some of them lost",
     .links = SN_UNORDERED,
     .faults = &some_faults},
    {.name = "coins_again", .run = reads, .about = "its name begins with that of another"},
    {0},
};

static const struct sn_suite suite = {.name = "step", .tests = tests};

int main(int argc, char **argv)
{
    if (sn_strategy_register(&never) < 0)
        return 99;
    return sn_main(argc, argv, &suite);
}
