/* names_main.c - programs that have very many names, types of processes, types of machines or types
 * of events, a few of them in each trial: more than any table that a process keeps from one trial
 * to the next has room for. Which trials fail tells in which order things happened.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

#include <stdint.h>
#include <stdio.h>

enum { MANY = 20000, FEW = 6000, ACTORS = 4, WAYS = 64 };

static char texts[FEW][16];
static struct sn_event events[FEW];
static struct sn_process processes[FEW];
static struct sn_machine machines[FEW];
static struct sn_state states[FEW];
static struct sn_on tables[FEW][2];

/* What has happened in the trial, in order. */
static uint32_t story;
static int n_told;

static void tell(uint32_t what)
{
    story = (story ^ what) * 16777619U;
}

/* The last one to finish judges: one order in some fails. */
static void finish(int of)
{
    if (++n_told == of)
        sn_assert((story >> 8) % WAYS != 3);
}

/* ---- Names ---------------------------------------------------------------------------------- */

static void take_a_name(const void *payload)
{
    char name[32];
    unsigned number = (unsigned)sn_choose("name", MANY);

    (void)payload;
    (void)snprintf(name, sizeof(name), "user%u", number);
    (void)sn_register(name, sn_self());
    tell(number % 7);
    (void)sn_whereis(name);
    tell(8);
    finish(ACTORS);
}

static const struct sn_process namer = {.name = "Namer", .run = take_a_name};

static void run_names(void)
{
    for (int i = 0; i < ACTORS; i++)
        (void)sn_spawn(&namer, NULL);
}

/* ---- Types of processes --------------------------------------------------------------------- */

static void rest(const void *payload)
{
    (void)payload;
    sn_yield();
    tell(9);
    sn_yield();
    tell(10);
    finish(2 * ACTORS);
}

static void spawn_some(const void *payload)
{
    (void)payload;
    for (int i = 0; i < 2; i++) {
        uint32_t number = (uint32_t)sn_choose("type", FEW);

        (void)sn_spawn(&processes[number], NULL);
        tell(number % 7);
    }
}

static const struct sn_process spawner = {.name = "Spawner", .run = spawn_some};

static void run_types(void)
{
    for (int i = 0; i < ACTORS; i++)
        (void)sn_spawn(&spawner, NULL);
}

/* ---- Types of events that processes send ---------------------------------------------------- */

static void listen(const void *payload)
{
    (void)payload;
    for (;;) {
        const struct sn_message *message = sn_receive(NULL, NULL, SN_FOREVER);

        tell((uint32_t)(message->event - events) % 7);
        finish(2 * ACTORS);
    }
}

static const struct sn_process listener = {.name = "Listener", .run = listen, .may_wait = true};
static const struct sn_event to_event = {.name = "To", .size = sizeof(sn_id)};

static void talk(const void *payload)
{
    sn_id to = *(const sn_id *)payload;

    for (int i = 0; i < 2; i++)
        sn_send(to, &events[sn_choose("event", FEW)], NULL);
}

static const struct sn_process talker = {.name = "Talker", .run = talk, .birth = &to_event};

static void run_events(void)
{
    sn_id to = sn_spawn(&listener, NULL);

    for (int i = 0; i < ACTORS; i++)
        (void)sn_spawn(&talker, &to);
}

/* ---- Types of machines and of their events -------------------------------------------------- */

static void on_event(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    tell((uint32_t)sn_self() % 7);
    finish(2 * ACTORS);
}

static void run_machines(void)
{
    for (int i = 0; i < ACTORS; i++) {
        uint32_t number = (uint32_t)sn_choose("machine", FEW);
        sn_id to = sn_create(&machines[number], NULL);

        sn_send(to, &events[number], NULL);
        sn_send(to, &events[number], NULL);
    }
}

/* ---- All of them ---------------------------------------------------------------------------- */

static void fill(void)
{
    for (uint32_t i = 0; i < FEW; i++) {
        (void)snprintf(texts[i], sizeof(texts[i]), "N%u", i);
        events[i] = (struct sn_event){.name = texts[i]};
        processes[i] = (struct sn_process){.name = texts[i], .run = rest};
        tables[i][0] = (struct sn_on){.event = &events[i], .run = on_event};
        states[i] = (struct sn_state){.name = texts[i], .on = tables[i]};
        machines[i] = (struct sn_machine){.name = texts[i], .start = &states[i]};
    }
}

int main(int argc, char **argv)
{
    static const struct sn_test tests[] = {
        {.name = "names", .run = run_names},
        {.name = "types", .run = run_types},
        {.name = "events", .run = run_events},
        {.name = "machines", .run = run_machines},
        {0},
    };
    static const struct sn_suite suite = {.name = "names", .tests = tests};

    fill();
    return sn_main(argc, argv, &suite);
}
