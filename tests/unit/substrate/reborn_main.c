/* reborn_main.c - residents of nodes that crash and come back, under any strategy.
 *
 * A process that is born again begins with a receive, or with a sleep: what it then waits for must
 * be told of this life, and not of the one before, whose stack is gone. "beats" and "rests" are
 * correct; in "remembers" the second life fails. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

static const struct sn_event beat = {.name = "Beat", .size = sizeof(uint64_t)};
static const struct sn_event peer = {.name = "Peer", .size = sizeof(sn_node)};
static const struct sn_event where = {.name = "Where", .size = sizeof(sn_node)};

/* ---- Receives first ------------------------------------------------------------------------- */

static void serve(const void *payload)
{
    sn_node other = *(const sn_node *)payload;

    for (uint64_t i = 0; i < 6; i++) {
        (void)sn_receive_event(&beat, 10);
        if (i == 0)
            (void)sn_register("server", sn_self());
        sn_send_name_on(other, "server", &beat, &i);
    }
}

static const struct sn_process server = {.name = "Server", .run = serve, .birth = &peer};

static void run_beats(void)
{
    sn_node a = sn_node_new("a");
    sn_node b = sn_node_new("b");

    (void)sn_spawn_on(a, &server, &b);
    (void)sn_spawn_on(b, &server, &a);
}

/* ---- Sleeps first, and returns -------------------------------------------------------------- */

static void rest(const void *payload)
{
    (void)payload;
    sn_sleep_ns(3);
    (void)sn_receive(NULL, NULL, 100);
}

static void wait_for_ever(const void *payload)
{
    (void)payload;
    for (;;)
        (void)sn_receive(NULL, NULL, SN_FOREVER);
}

static const struct sn_process resting = {.name = "Resting", .run = rest};
static const struct sn_process waiting = {
    .name = "Waiting", .run = wait_for_ever, .may_wait = true};

static void run_rests(void)
{
    sn_node node = sn_node_new("n");

    (void)sn_spawn_on(node, &resting, NULL);
    (void)sn_spawn_on(node, &waiting, NULL);
    (void)sn_spawn(&resting, NULL);
}

/* ---- Fails when it comes back --------------------------------------------------------------- */

static void leave_something_on_the_stack(void)
{
    volatile char bytes[8192];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = 'A';
}

static void live(const void *payload)
{
    bool is_back;

    (void)payload;
    leave_something_on_the_stack();
    is_back = sn_now_ns() > 0;
    (void)sn_receive_event(&beat, 1000);
    sn_assert(!is_back);
    for (uint64_t i = 0; i < 3; i++)
        sn_send_name("nobody-has-this", &beat, &i);
}

static void crash(const void *payload)
{
    sn_node node = *(const sn_node *)payload;

    sn_sleep_ns(1000);
    sn_yield();
    sn_node_crash(node);
    sn_node_restart(node);
}

static const struct sn_process resident = {.name = "Resident", .run = live};
static const struct sn_process crasher = {.name = "Crasher", .run = crash, .birth = &where};

static void run_remembers(void)
{
    sn_node node = sn_node_new("n");

    (void)sn_spawn_on(node, &resident, NULL);
    (void)sn_spawn(&crasher, &node);
}

static const struct sn_faults crashes = {.crashes = 3, .horizon = 20, .down_ns = 20};
static const struct sn_test tests[] = {{.name = "beats", .run = run_beats, .faults = &crashes},
                                       {.name = "rests", .run = run_rests, .faults = &crashes},
                                       {.name = "remembers", .run = run_remembers},
                                       {0}};

int main(int argc, char **argv)
{
    const struct sn_suite suite = {.name = "reborn", .tests = tests};

    return sn_main(argc, argv, &suite);
}
