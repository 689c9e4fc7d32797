/* watchman.c - sn_monitor, sn_name and sn_set_name: a monitor says what is right.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

static const struct sn_event entered = {.name = "Entered", .size = sizeof(sn_id)};
static const struct sn_event left = {.name = "Left", .size = sizeof(sn_id)};

struct watchman {
    sn_id inside;
};

static void on_entered(void *self, const void *payload)
{
    struct watchman *watchman = self;
    sn_id who = *(const sn_id *)payload;

    sn_assertf(watchman->inside == SN_NOBODY, "%s came in, but %s is inside", sn_name(who),
               sn_name(watchman->inside));
    watchman->inside = who;
}

static void on_left(void *self, const void *payload)
{
    struct watchman *watchman = self;

    (void)payload;
    watchman->inside = SN_NOBODY;
}

static const struct sn_state watching = {
    .name = "Watching",
    .on = (const struct sn_on[]){{.event = &entered, .run = on_entered},
                                 {.event = &left, .run = on_left},
                                 {0}},
};
static const struct sn_machine watchman = {
    .name = "Watchman", .size = sizeof(struct watchman), .start = &watching};

/* A visitor comes and goes in one step: nobody can meet another. */
static void visit(void *self, const void *payload)
{
    sn_id me = sn_self();

    (void)self;
    (void)payload;
    sn_monitor(&watchman, &entered, &me);
    sn_monitor(&watchman, &left, &me);
}

static const struct sn_state visiting = {.name = "Visiting", .entry = visit};
static const struct sn_machine visitor = {.name = "Visitor", .start = &visiting};

static void run(void)
{
    sn_set_name(sn_create(&visitor, NULL), "early bird");
    sn_set_name(sn_create(&visitor, NULL), "visitor of %d o'clock", 9);
}

static const struct sn_test tests[] = {
    {
        .name = "one_at_a_time",
        .run = run,
        .monitors = (const struct sn_machine *const[]){&watchman, NULL},
    },
    {0},
};
static const struct sn_suite suite = {.name = "watchman", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
