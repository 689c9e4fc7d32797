/* locks_1.c - agents that lock several things, notice circles, and give way (locks, uwiger).
 *
 * A server keeps the queues and tells those who are in them of every change. An agent that does not
 * hold what it wants looks for circles in all it knows. If there is one, the greatest agent in it
 * surrenders a lock; if there is none, agents that hold something are told of queues that they are
 * not in, since one of them may know the rest of a circle. Agents are ordered by their ids.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bugs.h"
#include "lock_view.h"
#include "noise.h"
#include "tests.h"

#include <sennit/sennit.h>

#include <string.h>

enum { NOISE_POINTS = 50 };

const char *locks_1_tell = "holders";

struct lock_request {
    uint32_t lock;
};

struct lock_info {
    struct lock_entry entry;
    sn_id surrendered_by; /* SN_NOBODY: nobody */
};

struct agent_birth {
    uint32_t locks[LOCKS]; /* that it wants, in order */
    uint32_t n_locks;
    sn_id server;
    sn_id parent;
};

static void print_info(struct sn_text *out, const void *payload)
{
    const struct lock_info *info = payload;

    sn_print(out, "lock %u version %u [", info->entry.lock, info->entry.version);
    for (uint32_t i = 0; i < info->entry.count; i++) {
        sn_print(out, i > 0 ? " " : "");
        sn_print_id(out, info->entry.queue[i]);
    }
    sn_print(out, "]");
    if (info->surrendered_by != SN_NOBODY) {
        sn_print(out, " surrendered by ");
        sn_print_id(out, info->surrendered_by);
    }
}

static uint64_t info_key(const void *payload)
{
    const struct lock_info *info = payload;

    return info->entry.lock;
}

static const struct sn_field request_fields[] = {
    SN_FIELD(struct lock_request, lock, SN_UINT),
    {0},
};

static const struct sn_field birth_fields[] = {
    SN_FIELD_ARRAY(struct agent_birth, locks, SN_UINT),
    SN_FIELD(struct agent_birth, n_locks, SN_UINT),
    {0},
};

static const struct sn_event request_event = {
    .name = "Request",
    .size = sizeof(struct lock_request),
    .fields = request_fields,
};

static const struct sn_event surrender_event = {
    .name = "Surrender",
    .size = sizeof(struct lock_request),
    .fields = request_fields,
};

static const struct sn_event surrendered_event = {
    .name = "Surrendered",
    .size = sizeof(struct lock_request),
    .fields = request_fields,
};

static const struct sn_event info_event = {
    .name = "LocksInfo",
    .size = sizeof(struct lock_info),
    .print = print_info,
    .key = info_key,
};

static const struct sn_event birth_event = {
    .name = "Birth",
    .size = sizeof(struct agent_birth),
    .fields = birth_fields,
};

static const struct sn_event remove_event = {.name = "RemoveAgent"};
static const struct sn_event report_event = {.name = "Report"};

/* ---- The server ----------------------------------------------------------------------------- */

static void tell_queue(const struct lock_table *table, uint32_t lock, sn_id surrendered_by)
{
    struct lock_info info = {.entry = table->entries[lock], .surrendered_by = surrendered_by};

    for (uint32_t i = 0; i < info.entry.count; i++)
        sn_send(info.entry.queue[i], &info_event, &info);
}

static void remove_agent(struct lock_table *table, sn_id agent)
{
    for (uint32_t lock = 0; lock < LOCKS; lock++) {
        if (!lock_table_remove(table, lock, agent))
            continue;
        if (table->entries[lock].count == 0)
            sn_note("nobody wants lock %u: its entry is dropped", lock);
        tell_queue(table, lock, SN_NOBODY);
    }
}

static void serve(const void *payload)
{
    struct lock_table table;

    (void)payload;
    lock_table_init(&table, bug_locks_1);
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);
        const struct lock_request *request = m->payload;
        sn_id from = m->from;

        if (m->event == &request_event) {
            uint32_t lock = request->lock;

            lock_table_request(&table, lock, from);
            tell_queue(&table, lock, SN_NOBODY);
        } else if (m->event == &surrender_event) {
            uint32_t lock = request->lock;

            lock_table_surrender(&table, lock, from);
            tell_queue(&table, lock, from);
        } else {
            remove_agent(&table, from);
        }
    }
}

/* ---- Agents --------------------------------------------------------------------------------- */

struct agent {
    struct agent_birth birth;
    struct lock_view view;
    struct noise noise;
};

static void send_info(const struct agent *agent, uint32_t lock, sn_id to)
{
    struct lock_info info = {.entry = agent->view.known[lock]};

    sn_send(to, &info_event, &info);
}

/* Tells an agent what is known of a lock, unless it is in the queue and will hear of it. */
static void pass_on(const struct agent *agent, uint32_t lock, sn_id to)
{
    const struct lock_entry *known = &agent->view.known[lock];

    if (known->count >= 2 && lock_entry_place(known, to) == known->count)
        send_info(agent, lock, to);
}

static bool is_holder(const struct agent *agent, uint32_t lock, sn_id other)
{
    const struct lock_entry *known = &agent->view.known[lock];

    return known->count > 0 && known->queue[0] == other;
}

/* A set of agents, each once. */
struct agents {
    sn_id all[LOCKS * LOCK_AGENTS];
    uint32_t count;
};

static void agents_add(struct agents *agents, sn_id agent)
{
    for (uint32_t i = 0; i < agents->count; i++) {
        if (agents->all[i] == agent)
            return;
    }
    agents->all[agents->count++] = agent;
}

/* Somebody greater may know the rest of a circle: one that holds something, since others are not in
 * any. Figure 6 of the paper has one that only waits; --tell all does as it says. */
static void send_indirects(const struct agent *agent)
{
    bool is_to_all = strcmp(locks_1_tell, "all") == 0;
    struct agents greater = {.count = 0};

    for (uint32_t lock = 0; lock < LOCKS; lock++) {
        const struct lock_entry *known = &agent->view.known[lock];

        for (uint32_t i = 0; i < known->count && (i == 0 || is_to_all); i++) {
            if (known->queue[i] > agent->view.self)
                agents_add(&greater, known->queue[i]);
        }
    }
    for (uint32_t i = 0; i < greater.count; i++) {
        for (uint32_t lock = 0; lock < LOCKS; lock++)
            pass_on(agent, lock, greater.all[i]);
    }
}

/* Those who wait in the circle, but not for this lock, do not hear of it from the server. */
static void tell_surrendered(const struct agent *agent, const struct lock_victim *victim)
{
    const struct lock_entry *given = &agent->view.known[victim->lock];
    struct lock_request surrendered = {.lock = victim->lock};
    struct agents told = {.count = 0};

    for (uint32_t lock = 0; lock < LOCKS; lock++) {
        const struct lock_entry *known = &agent->view.known[lock];

        for (uint32_t i = 0; victim->in_circle[lock] && i < known->count; i++) {
            if (lock_entry_place(given, known->queue[i]) == given->count)
                agents_add(&told, known->queue[i]);
        }
    }
    for (uint32_t i = 0; i < told.count; i++)
        sn_send(told.all[i], &surrendered_event, &surrendered);
}

static void surrender(struct agent *agent, const struct lock_victim *victim)
{
    struct lock_request request = {.lock = victim->lock};

    sn_note("a circle: I surrender lock %u", victim->lock);
    agent->view.is_surrendered[victim->lock] = true;
    sn_send(agent->birth.server, &surrender_event, &request);
    tell_surrendered(agent, victim);
}

static void relay(const struct agent *agent, const struct lock_victim *victim)
{
    sn_note("a circle: %s has to surrender lock %u", sn_name(victim->agent), victim->lock);
    for (uint32_t lock = 0; lock < LOCKS; lock++) {
        if (victim->in_circle[lock] && !bug_locks_1_relay)
            pass_on(agent, lock, victim->agent);
    }
}

static void analyse(struct agent *agent)
{
    struct lock_victim victim;

    if (!lock_view_find_victim(&agent->view, &victim)) {
        send_indirects(agent);
        return;
    }
    if (victim.agent == agent->view.self)
        surrender(agent, &victim);
    else
        relay(agent, &victim);
    lock_view_forget(&agent->view, victim.lock);
}

static void hear(struct agent *agent)
{
    const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);
    struct lock_info info;
    bool is_news;

    if (m->event == &surrendered_event) {
        uint32_t lock = ((const struct lock_request *)m->payload)->lock;

        if (is_holder(agent, lock, m->from))
            lock_view_forget(&agent->view, lock);
        return;
    }
    info = *(const struct lock_info *)m->payload;
    is_news = lock_view_learn(&agent->view, &info.entry, info.surrendered_by);
    if (!is_news && info.entry.queue[0] == sn_self())
        sn_note("I hold lock %u, but know a version %u and ignore this one, %u", info.entry.lock,
                agent->view.known[info.entry.lock].version, info.entry.version);
    if (is_news && !lock_view_has_all(&agent->view))
        analyse(agent);
}

static void live(const void *payload)
{
    struct agent agent = {
        .birth = *(const struct agent_birth *)payload,
        .view.self = sn_self(),
    };

    noise_open(&agent.noise, NOISE_POINTS);
    for (uint32_t i = 0; i < agent.birth.n_locks; i++) {
        struct lock_request request = {.lock = agent.birth.locks[i]};

        noise_pass(&agent.noise);
        agent.view.is_wanted[request.lock] = true;
        sn_send(agent.birth.server, &request_event, &request);
        while (!lock_view_has_all(&agent.view)) {
            hear(&agent);
            noise_pass(&agent.noise);
        }
        sn_note("I hold lock %u and all before", request.lock);
    }
    sn_send(agent.birth.server, &remove_event, NULL);
    sn_send(agent.birth.parent, &report_event, NULL);
}

/* ---- The test ------------------------------------------------------------------------------- */

static const struct sn_process server_process = {
    .name = "Server",
    .run = serve,
    .may_wait = true,
};

static const struct sn_process agent_process = {
    .name = "Agent",
    .run = live,
    .birth = &birth_event,
};

static void start_and_wait(const struct agent_birth births[LOCK_AGENTS])
{
    sn_id server;

    noise_before();
    server = sn_spawn(&server_process, NULL);
    for (uint32_t i = 0; i < LOCK_AGENTS; i++) {
        struct agent_birth birth = births[i];

        birth.server = server;
        birth.parent = sn_self();
        (void)sn_spawn(&agent_process, &birth);
    }
    noise_beside();
    for (uint32_t i = 0; i < LOCK_AGENTS; i++)
        (void)sn_receive_event(&report_event, SN_FOREVER);
    noise_after();
}

static void test(const void *payload)
{
    static const struct agent_birth in_turn[LOCK_AGENTS] = {
        {.locks = {0, 1, 2}, .n_locks = 3},
        {.locks = {1, 2, 0}, .n_locks = 3},
        {.locks = {2, 0, 1}, .n_locks = 3},
    };

    (void)payload;
    start_and_wait(in_turn);
}

/* Figure 6 of the paper: A wants x and y, B and C want y and x. */
static void test_figure_6(const void *payload)
{
    static const struct agent_birth two_locks[LOCK_AGENTS] = {
        {.locks = {0, 1}, .n_locks = 2},
        {.locks = {1, 0}, .n_locks = 2},
        {.locks = {1, 0}, .n_locks = 2},
    };

    (void)payload;
    start_and_wait(two_locks);
}

static const struct sn_process test_process = {.name = "Test", .run = test};
static const struct sn_process figure_6_process = {.name = "Test", .run = test_figure_6};

void locks_1_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}

void figure_6_run(void)
{
    (void)sn_spawn(&figure_6_process, NULL);
}
