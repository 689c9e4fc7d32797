/* alarm.c - sn_timer_start, sn_timer_start_any, sn_timer_cancel and sn_now_ns: an alarm clock.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

static const struct sn_event ring = {.name = "Ring"};
static const struct sn_event give_up = {.name = "GiveUp"};
static const struct sn_event noise = {.name = "Noise"};

struct sleeper {
    sn_timer patience;
};

static void lie_down(void *self, const void *payload)
{
    struct sleeper *sleeper = self;

    (void)payload;
    sn_timer_start(&ring, 8 * UINT64_C(1000000000), NULL);
    sleeper->patience = sn_timer_start(&give_up, 9 * UINT64_C(1000000000), NULL);
    sn_timer_start_any(&noise, NULL); /* before or after the bell, as the strategy likes */
}

static void on_ring(void *self, const void *payload)
{
    struct sleeper *sleeper = self;

    (void)payload;
    sn_assert(sn_now_ns() == 8 * UINT64_C(1000000000));
    sn_assert(sn_timer_cancel(sleeper->patience)); /* true: it has not fired yet */
    sn_assert(!sn_timer_cancel(sleeper->patience));
}

/* GiveUp is not in the table: if it came, that would be a bug. */
static const struct sn_state sleeping = {
    .name = "Sleeping",
    .entry = lie_down,
    .on =
        (const struct sn_on[]){
            {.event = &ring, .run = on_ring},
            {.event = &noise, .ignore = true},
            {0},
        },
};
static const struct sn_machine sleeper = {
    .name = "Sleeper", .size = sizeof(struct sleeper), .start = &sleeping};

static void run(void)
{
    sn_create(&sleeper, NULL);
}

static const struct sn_test tests[] = {{.name = "alarm", .run = run}, {0}};
static const struct sn_suite suite = {.name = "alarm", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
