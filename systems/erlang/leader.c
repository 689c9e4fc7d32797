/* leader.c - a candidate: elections, and the registry while there is a leader.
 *
 * In an election (elect) only messages of the election are taken; what clients want waits in the
 * mailbox. It has two stages: a candidate first waits until all before it are down (stage 1), then
 * asks those after it, one by one, to halt (stage 2). Once it has a leader, the candidate serves
 * clients until it hears that the leader is down (serve).
 *
 * SPDX-License-Identifier: MIT
 */
#include "leader.h"

#include "bugs.h"
#include "leader_calls.h"

enum status {
    ELECTION_1 = 1,
    ELECTION_2,
    WAITING, /* for the leader of the election whose id is known */
    NORMAL,
};

enum {
    CHECKS_MAX = 4, /* rounds in which a leader asks those that are down */
};

static const uint64_t interval_ns = UINT64_C(1000000000);

struct leader {
    uint32_t me;
    enum status status;
    struct election_id id;
    uint32_t next_count;
    uint32_t pending; /* stage 2: the candidate that has not acknowledged yet */
    uint32_t leader;  /* a node, also while waiting for it */
    uint32_t checks;
    bool is_down[NODES + 1];
    bool is_monitored[NODES + 1];
    bool was_heard[NODES + 1]; /* since it is monitored */
    bool has_acked[NODES + 1];
    sn_id helper;
    uint32_t names;         /* that are registered, as a set */
    struct request syncing; /* the one that waits for a sync; without a client: none */
    bool is_syncing[NODES + 1];
    bool is_calling;
    struct leader_calls calls;
    struct noise noise;
};

static void start_stage_2(struct leader *l);
static void contin_stage_2(struct leader *l);

static void send_to(uint32_t node, const struct sn_event *event, const void *payload)
{
    char name[LEADER_NAME_SIZE];

    leader_name(node, name);
    sn_send_name(name, event, payload);
}

static void say(const struct leader *l, uint32_t node, const struct sn_event *event,
                struct election_id id)
{
    struct election message = {.from = l->me, .leader = l->leader, .id = id, .names = l->names};

    send_to(node, event, &message);
}

static bool is_same(struct election_id a, struct election_id b)
{
    return a.node == b.node && a.count == b.count;
}

/* ---- Monitors ------------------------------------------------------------------------------- */

static void watch(struct leader *l, uint32_t node)
{
    struct report wanted = {.node = node};

    if (l->is_monitored[node])
        return;
    sn_send(l->helper, &monitor_event, &wanted);
    (void)sn_receive_event(&monitored_event, SN_FOREVER);
    l->is_monitored[node] = true;
    l->was_heard[node] = false;
}

/* A node that has answered is up. */
static void watch_answering(struct leader *l, uint32_t node)
{
    watch(l, node);
    l->was_heard[node] = true;
    l->is_down[node] = false;
}

static void watch_with_heartbeat(struct leader *l, uint32_t node)
{
    say(l, node, &heartbeat_event, l->id);
    watch(l, node);
}

/* Notes a report. False: it is void, since it says that nobody was there yet when the helper began
 * to watch, and somebody has answered in the meantime. That one is watched anew: if there is nobody
 * again, it has ended. */
static bool take_down(struct leader *l, const struct report *report)
{
    uint32_t node = report->node;

    l->is_monitored[node] = false;
    if (report->is_early && l->was_heard[node] && !bug_gproc_1) {
        watch(l, node);
        l->is_down[node] = false;
        return false;
    }
    if (report->is_early && l->was_heard[node])
        sn_note("node %u has answered, but is taken to be down", node);
    l->is_down[node] = true;
    return true;
}

/* ---- Becoming the leader -------------------------------------------------------------------- */

/* Sends this to itself after an interval. */
struct delayed {
    uint32_t node;
    uint32_t is_check;
};

static const struct sn_field delayed_fields[] = {
    SN_FIELD(struct delayed, node, SN_UINT),
    SN_FIELD(struct delayed, is_check, SN_BOOL),
    {0},
};

static const struct sn_event delayed_event = {
    .name = "Delayed",
    .size = sizeof(struct delayed),
    .fields = delayed_fields,
};

static void send_delayed(const void *payload)
{
    struct delayed delayed = *(const struct delayed *)payload;
    struct election heartbeat = {.from = delayed.node};

    sn_sleep_ns(interval_ns);
    if (delayed.is_check)
        send_to(delayed.node, &send_check_event, NULL);
    else
        send_to(delayed.node, &heartbeat_event, &heartbeat);
}

static const struct sn_process delay_process = {
    .name = "Delay",
    .run = send_delayed,
    .birth = &delayed_event,
};

static void lead(struct leader *l)
{
    struct delayed heartbeat = {.node = l->me};

    sn_note("node %u leads", l->me);
    l->leader = l->me;
    l->status = NORMAL;
    l->checks = 0;
    for (uint32_t node = 1; node <= NODES; node++) {
        if (l->has_acked[node])
            say(l, node, &leads_event, l->id);
    }
    (void)sn_spawn(&delay_process, &heartbeat);
    send_to(l->me, &send_check_event, NULL);
}

static void start_stage_1(struct leader *l)
{
    l->id = (struct election_id){.node = l->me, .count = l->next_count++};
    l->status = ELECTION_1;
    for (uint32_t node = 1; node <= NODES; node++)
        l->is_down[node] = false;
    for (uint32_t node = 1; node < l->me; node++)
        watch_with_heartbeat(l, node);
    if (l->me == 1)
        start_stage_2(l);
}

static void start_stage_2(struct leader *l)
{
    l->status = ELECTION_2;
    l->pending = l->me;
    for (uint32_t node = 1; node <= NODES; node++)
        l->has_acked[node] = false;
    contin_stage_2(l);
}

static void contin_stage_2(struct leader *l)
{
    if (l->pending == NODES) {
        lead(l);
        return;
    }
    l->pending++;
    watch_with_heartbeat(l, l->pending);
    say(l, l->pending, &halt_event, l->id);
}

/* ---- Elections ------------------------------------------------------------------------------ */

static void wait_for(struct leader *l, uint32_t node, struct election_id id)
{
    watch_answering(l, node);
    l->id = id;
    l->status = WAITING;
    l->leader = node;
}

/* Those who wait for an election of this candidate wait for another one's leader instead. */
static void pass_on_leader(struct leader *l, uint32_t leader, struct election_id id)
{
    struct election passed = {.from = l->me, .leader = leader, .id = id};

    for (uint32_t node = 1; node <= NODES; node++) {
        if (l->has_acked[node])
            send_to(node, &has_leader_event, &passed);
        l->has_acked[node] = false;
    }
}

static void on_has_leader(struct leader *l, const struct election *e)
{
    pass_on_leader(l, e->leader, e->id);
    wait_for(l, e->leader, e->id);
    say(l, e->leader, &is_leader_event, e->id);
}

/* One that was taken to be down may answer late, and waits from then on. */
static void on_ack_leader(struct leader *l, const struct election *e)
{
    if (l->status == ELECTION_2 && !is_same(l->id, e->id))
        return;
    if (bug_gproc_1_late && (l->status != ELECTION_2 || l->pending != e->from))
        return;
    l->has_acked[e->from] = true;
    if (l->status != ELECTION_2)
        return;
    watch_answering(l, e->from);
    if (l->pending == e->from)
        contin_stage_2(l);
}

/* The leader may know of a process on this node that this node does not know of: somebody else has
 * registered its name while this node had no leader. */
static void take_names(struct leader *l, uint32_t names)
{
    struct request removal = {.kind = REQUEST_UNREGISTER, .name = l->me};
    uint32_t own = UINT32_C(1) << l->me;

    if (bug_gproc_2 && (names & ~l->names & own) != 0) {
        sn_note("node %u does not know its process %u", l->me, l->me);
        send_to(l->leader, &request_event, &removal);
        names &= ~own;
    }
    l->names = names;
}

static void on_leads(struct leader *l, const struct election *e)
{
    if (l->status != WAITING || !is_same(l->id, e->id))
        return;
    watch_answering(l, e->from);
    l->leader = e->from;
    l->status = NORMAL;
    take_names(l, e->names);
    sn_note("node %u follows node %u", l->me, l->leader);
    pass_on_leader(l, l->leader, l->id);
}

static void on_norm_query(struct leader *l, const struct election *e)
{
    if (l->status != ELECTION_1 && (l->status != WAITING || !is_same(l->id, e->id)))
        return;
    wait_for(l, e->from, e->id);
    say(l, e->from, &not_norm_event, e->id);
}

/* A leader that is behind this candidate would not hear of it otherwise. */
static void on_check(struct leader *l, const struct election *e)
{
    if (l->status == ELECTION_1 && e->from > l->me)
        say(l, e->from, &heartbeat_event, l->id);
}

static bool are_lesser_down(const struct leader *l)
{
    for (uint32_t node = 1; node < l->me; node++) {
        if (!l->is_down[node])
            return false;
    }
    return true;
}

static void on_down_electing(struct leader *l, const struct report *report)
{
    if (!take_down(l, report))
        return;
    if (l->status == WAITING && report->node == l->leader)
        start_stage_1(l);
    else if (report->node < l->me && l->status == ELECTION_1 && are_lesser_down(l))
        start_stage_2(l);
    else if (l->status == ELECTION_2 && report->node == l->pending)
        contin_stage_2(l);
}

static bool is_of_election(const struct sn_message *m, const void *with)
{
    (void)with;
    return m->event != &request_event && m->event != &change_event && m->event != &sync_event &&
           m->event != &synced_event && m->event != &answer_event;
}

/* Until there is a leader. */
static void elect(struct leader *l)
{
    while (l->status != NORMAL) {
        const struct sn_message *m = sn_receive(is_of_election, NULL, SN_FOREVER);
        const struct sn_event *event = m->event;
        struct election e = {0};

        if (event == &down_event) {
            struct report report = *(const struct report *)m->payload;

            on_down_electing(l, &report);
            continue;
        }
        if (event != &send_check_event)
            e = *(const struct election *)m->payload;
        if (event == &halt_event) {
            wait_for(l, e.from, e.id);
            say(l, e.from, &ack_leader_event, e.id);
        } else if (event == &has_leader_event) {
            on_has_leader(l, &e);
        } else if (event == &is_leader_event) {
            say(l, e.from, &not_leader_event, e.id);
        } else if (event == &not_leader_event) {
            if (l->status == WAITING && is_same(l->id, e.id))
                start_stage_1(l);
        } else if (event == &ack_leader_event) {
            on_ack_leader(l, &e);
        } else if (event == &leads_event) {
            on_leads(l, &e);
        } else if (event == &norm_query_event) {
            on_norm_query(l, &e);
        } else if (event == &check_event) {
            on_check(l, &e);
        }
        noise_pass(&l->noise);
    }
}

/* ---- The registry --------------------------------------------------------------------------- */

static void change_names(struct leader *l, const struct request *request)
{
    if (request->kind == REQUEST_REGISTER)
        l->names |= UINT32_C(1) << request->name;
    else
        l->names &= ~(UINT32_C(1) << request->name);
}

static void answer(const struct leader *l, const struct request *request, bool is_there)
{
    struct answer answer = {.is_there = is_there, .leader = l->leader, .ref = request->ref};

    if (request->client != SN_NOBODY)
        sn_send(request->client, &answer_event, &answer);
}

/* The leader answers when nobody is left whom it has asked. */
static void end_sync(struct leader *l)
{
    for (uint32_t node = 1; node <= NODES; node++) {
        if (l->is_syncing[node])
            return;
    }
    answer(l, &l->syncing, true);
    l->syncing.client = SN_NOBODY;
}

static void handle_as_leader(struct leader *l, const struct request *request)
{
    if (request->kind == REQUEST_SYNC) {
        l->syncing = *request;
        for (uint32_t node = 1; node <= NODES; node++) {
            l->is_syncing[node] = node != l->me && !l->is_down[node];
            if (l->is_syncing[node])
                send_to(node, &sync_event, NULL);
        }
        end_sync(l);
        return;
    }
    change_names(l, request);
    for (uint32_t node = 1; node <= NODES; node++) {
        if (l->is_monitored[node])
            send_to(node, &change_event, request);
    }
    answer(l, request, true);
}

static void call_leader(const struct leader *l, const struct request *request, uint32_t ref)
{
    struct request call = {
        .kind = request->kind,
        .name = request->name,
        .client = sn_self(),
        .ref = ref,
    };

    send_to(l->leader, &request_event, &call);
}

static void on_request(struct leader *l, const struct request *request)
{
    if (request->kind == REQUEST_LOOKUP || request->kind == REQUEST_LEADER)
        answer(l, request, (l->names >> request->name & 1) != 0);
    else if (l->leader == l->me)
        handle_as_leader(l, request);
    else if (l->is_calling && request->client != SN_NOBODY)
        call_leader(l, request, leader_calls_add(&l->calls, request));
    else
        send_to(l->leader, &request_event, request);
}

static void on_answer(struct leader *l, const struct answer *answered)
{
    struct request request;

    if (leader_calls_take(&l->calls, answered->ref, &request))
        answer(l, &request, answered->is_there != 0);
}

/* What an earlier leader has not answered may never have reached it. It may also have been done,
 * but to do it twice is no harm. */
static void call_again(struct leader *l)
{
    for (uint32_t place = 0; place < LEADER_CALLS_MAX; place++) {
        struct request request;
        uint32_t ref = leader_calls_at(&l->calls, place, &request);

        if (ref == 0)
            continue;
        if (l->leader != l->me)
            call_leader(l, &request, ref);
        else if (leader_calls_take(&l->calls, ref, &request))
            handle_as_leader(l, &request);
    }
}

/* ---- Serving -------------------------------------------------------------------------------- */

static void on_down_serving(struct leader *l, const struct report *report)
{
    if (!take_down(l, report))
        return;
    if (report->node == l->leader) {
        start_stage_1(l);
    } else if (l->leader == l->me) {
        l->is_syncing[report->node] = false;
        end_sync(l);
        send_to(l->me, &send_check_event, NULL);
    }
}

static void welcome(struct leader *l, const struct election *e)
{
    watch_answering(l, e->from);
    say(l, e->from, &leads_event, l->id);
}

/* Asks those that are down whether they are, and again after a while. */
static void check_down(struct leader *l)
{
    struct delayed again = {.node = l->me, .is_check = true};
    bool is_any_down = false;

    for (uint32_t node = 1; node <= NODES && l->leader == l->me; node++) {
        is_any_down = is_any_down || l->is_down[node];
        if (l->is_down[node])
            say(l, node, &check_event, l->id);
    }
    if (is_any_down && l->checks++ < CHECKS_MAX)
        (void)sn_spawn(&delay_process, &again);
}

/* Asks those that are down whether they are in an election. The first candidate never is. */
static void query_down(struct leader *l)
{
    for (uint32_t node = 2; node <= NODES && l->leader == l->me; node++) {
        if (l->is_down[node])
            say(l, node, &norm_query_event, l->id);
    }
}

static void on_election_serving(struct leader *l, const struct sn_event *event,
                                const struct election *e)
{
    if (event == &halt_event) {
        say(l, e->from, &has_leader_event, l->id);
    } else if (event == &ack_leader_event) {
        if (l->leader != l->me && !bug_gproc_1_late)
            say(l, e->from, &has_leader_event, l->id);
    } else if (event == &is_leader_event) {
        if (l->leader == l->me)
            welcome(l, e);
        else
            say(l, e->from, &not_leader_event, e->id);
    } else if (event == &not_norm_event) {
        if (l->leader == l->me && is_same(l->id, e->id))
            welcome(l, e);
    } else if (event == &heartbeat_event) {
        query_down(l);
    } else if (event == &synced_event) {
        l->is_syncing[e->from] = false;
        end_sync(l);
    }
}

/* Until the leader is down. */
static void serve(struct leader *l)
{
    while (l->status == NORMAL) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);
        const struct sn_event *event = m->event;

        if (event == &down_event) {
            struct report report = *(const struct report *)m->payload;

            on_down_serving(l, &report);
        } else if (event == &request_event) {
            struct request request = *(const struct request *)m->payload;

            on_request(l, &request);
        } else if (event == &answer_event) {
            struct answer answered = *(const struct answer *)m->payload;

            on_answer(l, &answered);
        } else if (event == &change_event) {
            change_names(l, m->payload);
        } else if (event == &sync_event) {
            say(l, l->leader, &synced_event, l->id);
        } else if (event == &send_check_event) {
            check_down(l);
        } else {
            struct election e = *(const struct election *)m->payload;

            on_election_serving(l, event, &e);
        }
        noise_pass(&l->noise);
    }
}

static void run(const void *payload)
{
    struct leader_birth mine = *(const struct leader_birth *)payload;
    struct leader l = {.me = mine.node, .is_calling = mine.is_calling != 0};
    struct helper_birth birth = {.leader = sn_self()};
    char name[LEADER_NAME_SIZE];

    noise_open(&l.noise, mine.noise_points);
    leader_name(l.me, name);
    (void)sn_register(name, sn_self());
    l.helper = sn_spawn_link(&leader_helper_process, &birth);
    sn_set_name(l.helper, "helper%u", l.me);
    start_stage_1(&l);
    sn_send(mine.starter, &started_event, NULL);
    for (;;) {
        elect(&l);
        if (!bug_gproc_3)
            call_again(&l);
        serve(&l);
        sn_note("node %u has no leader any more", l.me);
    }
}

const struct sn_process leader_process = {
    .name = "Leader",
    .run = run,
    .birth = &leader_birth_event,
    .may_wait = true,
};
