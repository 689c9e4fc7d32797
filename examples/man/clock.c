/* clock.c - sn_node_clock and sn_true_time_ns: a clock that is wrong and slow.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

enum { SECOND = 1000000000 };

static const struct sn_event tick = {.name = "Tick"};

static void start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_timer_start(&tick, SECOND, NULL);
}

static void on_tick(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assert(sn_now_ns() >= 3 * (uint64_t)SECOND);      /* what the node believes */
    sn_assert(sn_true_time_ns() < 2 * (uint64_t)SECOND); /* what is so */
}

static const struct sn_state running = {
    .name = "Running",
    .entry = start,
    .on = (const struct sn_on[]){{.event = &tick, .run = on_tick}, {0}},
};
static const struct sn_machine server = {.name = "Server", .start = &running};

static void run(void)
{
    sn_node node = sn_node_new("old");

    sn_node_clock(node, 2 * (int64_t)SECOND, -500); /* two seconds ahead, 500 ppm too slow */
    sn_create_on(node, &server, NULL);
}

static const struct sn_test tests[] = {{.name = "clock", .run = run}, {0}};
static const struct sn_suite suite = {.name = "clock", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
