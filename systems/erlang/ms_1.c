/* ms_1.c - a supervisor joins a group while another one is being stopped (RabbitMQ's
 * mirrored_supervisor).
 *
 * Supervisors of a group know each other: if one ends, the first of the others starts its children
 * again. Each consists of three processes: an overall one, by which it is known to the group, and
 * its two children: a delegate, which has the children proper, and a mirroring process, which
 * watches the other supervisors. That of a new one asks each other overall process for its
 * mirroring process, to be watched by it. Who is in a group is kept by a server, which removes
 * those that have ended, and read from a table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bugs.h"
#include "noise.h"
#include "tests.h"

#include <sennit/sennit.h>

enum {
    MEMBERS_MAX = 4,
    NOISE_POINTS = 14,
};

/* What is there for all supervisors. */
struct world {
    sn_id groups;
    sn_id table;
    sn_id store;
    sn_id parent;
};

/* One process: who joins, is to be watched, ... */
struct one {
    sn_id id;
};

struct members {
    uint32_t count;
    sn_id ids[MEMBERS_MAX]; /* in their order, which is that of their age */
};

struct children {
    sn_id delegate;
    sn_id mirroring;
};

/* The child of `from` is one of `to` now. SN_NOBODY: there was none before. */
struct transfer {
    sn_id from;
    sn_id to;
};

struct found {
    uint32_t is_found;
};

static const struct sn_field world_fields[] = {
    SN_FIELD(struct world, parent, SN_MACHINE),
    {0},
};

static const struct sn_field one_fields[] = {
    SN_FIELD(struct one, id, SN_MACHINE),
    {0},
};

static const struct sn_field members_fields[] = {
    SN_FIELD(struct members, count, SN_UINT),
    SN_FIELD_ARRAY(struct members, ids, SN_MACHINE),
    {0},
};

static const struct sn_field children_fields[] = {
    SN_FIELD(struct children, delegate, SN_MACHINE),
    SN_FIELD(struct children, mirroring, SN_MACHINE),
    {0},
};

static const struct sn_field transfer_fields[] = {
    SN_FIELD(struct transfer, from, SN_MACHINE),
    SN_FIELD(struct transfer, to, SN_MACHINE),
    {0},
};

static const struct sn_field found_fields[] = {
    SN_FIELD(struct found, is_found, SN_BOOL),
    {0},
};

#define EVENT_OF(name_, type_, fields_)                                                            \
    {                                                                                              \
        .name = name_, .size = sizeof(type_), .fields = fields_                                    \
    }
#define ONE_EVENT(name_) EVENT_OF(name_, struct one, one_fields)

static const struct sn_event birth_event = EVENT_OF("Birth", struct world, world_fields);
static const struct sn_event one_birth_event = ONE_EVENT("Birth");
static const struct sn_event join_event = ONE_EVENT("Join");
static const struct sn_event insert_event = ONE_EVENT("Insert");
static const struct sn_event delete_event = ONE_EVENT("Delete");
static const struct sn_event get_members_event = {.name = "GetMembers"};
static const struct sn_event members_event = EVENT_OF("Members", struct members, members_fields);
static const struct sn_event which_event = {.name = "WhichChildren"};
static const struct sn_event children_event =
    EVENT_OF("Children", struct children, children_fields);
static const struct sn_event init_event = ONE_EVENT("Init");
static const struct sn_event ensure_event = ONE_EVENT("EnsureMonitoring");
static const struct sn_event start_child_event = {.name = "StartChild"};
static const struct sn_event transfer_event =
    EVENT_OF("Transfer", struct transfer, transfer_fields);
static const struct sn_event found_event = EVENT_OF("Found", struct found, found_fields);
static const struct sn_event ok_event = {.name = "Ok"};
static const struct sn_event running_event = {.name = "Running"};
static const struct sn_event report_event = {.name = "Report"};

/* ---- The group ------------------------------------------------------------------------------ */

static void remove_member(struct members *members, sn_id id)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < members->count; i++) {
        if (members->ids[i] != id)
            members->ids[kept++] = members->ids[i];
    }
    for (uint32_t i = kept; i < members->count; i++)
        members->ids[i] = SN_NOBODY;
    members->count = kept;
}

static void keep_table(const void *payload)
{
    struct members members = {.count = 0};

    (void)payload;
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

        if (m->event == &insert_event) {
            sn_assert(members.count < MEMBERS_MAX);
            members.ids[members.count++] = ((const struct one *)m->payload)->id;
            sn_answer(m->from, m->call, &ok_event, NULL);
        } else if (m->event == &delete_event) {
            remove_member(&members, ((const struct one *)m->payload)->id);
        } else {
            sn_answer(m->from, m->call, &members_event, &members);
        }
    }
}

static void keep_groups(const void *payload)
{
    sn_id table = ((const struct one *)payload)->id;

    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);
        sn_id from = m->from;
        sn_ref call = m->call;
        struct one one;

        if (m->event == &join_event) {
            one = *(const struct one *)m->payload;
            (void)sn_monitor_process(one.id);
            (void)sn_call(table, &insert_event, &one, SN_FOREVER, NULL);
            sn_answer(from, call, &ok_event, NULL);
        } else {
            one.id = ((const struct sn_down_signal *)m->payload)->process;
            sn_send(table, &delete_event, &one);
        }
    }
}

/* Whose child it is, for when that one ends. */
static void keep_store(const void *payload)
{
    sn_id owner = SN_NOBODY;

    (void)payload;
    for (;;) {
        const struct sn_message *m = sn_receive_event(&transfer_event, SN_FOREVER);
        const struct transfer *transfer = m->payload;
        struct found found = {.is_found = transfer->from == owner};

        if (found.is_found)
            owner = transfer->to;
        sn_answer(m->from, m->call, &found_event, &found);
    }
}

/* ---- The delegate --------------------------------------------------------------------------- */

static void live(const void *payload)
{
    sn_send(((const struct one *)payload)->id, &running_event, NULL);
    (void)sn_receive(NULL, NULL, SN_FOREVER);
}

static const struct sn_process child_process = {
    .name = "Child",
    .run = live,
    .birth = &one_birth_event,
    .may_wait = true,
};

/* Linked to its child, which ends with it. */
static void delegate(const void *payload)
{
    struct one parent = *(const struct one *)payload;

    for (;;) {
        const struct sn_message *m = sn_receive_event(&start_child_event, SN_FOREVER);
        sn_id from = m->from;
        sn_ref call = m->call;

        (void)sn_spawn_link(&child_process, &parent);
        sn_answer(from, call, &ok_event, NULL);
    }
}

static const struct sn_process delegate_process = {
    .name = "Delegate",
    .run = delegate,
    .birth = &one_birth_event,
    .may_wait = true,
};

/* ---- The mirroring process ------------------------------------------------------------------ */

struct mirror {
    struct world world;
    sn_id overall;
    sn_id delegate;
    struct noise noise;
};

/* Asks an overall process. Nobody: it has ended, or ends before it answers. */
static struct children children_of(sn_id overall)
{
    const struct sn_message *m = sn_call(overall, &which_event, NULL, SN_FOREVER, NULL);

    return m != NULL ? *(const struct children *)m->payload : (struct children){0};
}

static struct members other_members(const struct mirror *mirror, sn_id except)
{
    const struct sn_message *m =
        sn_call(mirror->world.table, &get_members_event, NULL, SN_FOREVER, NULL);
    struct members members = *(const struct members *)m->payload;

    remove_member(&members, except);
    return members;
}

/* Another supervisor may end at any moment, also after it was found in the group. Then there is
 * nobody to be introduced to, and the monitor says so. */
static void introduce(const struct mirror *mirror, sn_id other)
{
    struct one me = {.id = mirror->overall};
    sn_id mirroring = children_of(other).mirroring;

    if (mirroring != SN_NOBODY) {
        sn_send(mirroring, &ensure_event, &me);
    } else {
        sn_note("%s has ended", sn_name(other));
        if (bug_ms_1)
            sn_exit(SN_NOPROC);
    }
    (void)sn_monitor_process(other);
}

static void init(struct mirror *mirror, sn_id overall)
{
    struct one me = {.id = overall};
    struct members others;

    mirror->overall = overall;
    noise_pass(&mirror->noise);
    (void)sn_call(mirror->world.groups, &join_event, &me, SN_FOREVER, NULL);
    noise_pass(&mirror->noise);
    others = other_members(mirror, overall);
    for (uint32_t i = 0; i < others.count; i++) {
        noise_pass(&mirror->noise);
        introduce(mirror, others.ids[i]);
    }
    mirror->delegate = children_of(overall).delegate;
}

/* Starts the child if it is one of `from`. */
static void start_child(const struct mirror *mirror, sn_id from)
{
    struct transfer transfer = {.from = from, .to = mirror->overall};
    const struct sn_message *m =
        sn_call(mirror->world.store, &transfer_event, &transfer, SN_FOREVER, NULL);

    if (((const struct found *)m->payload)->is_found)
        (void)sn_call(mirror->delegate, &start_child_event, NULL, SN_FOREVER, NULL);
}

/* The server of groups may not have heard of the end yet. */
static void on_down(const struct mirror *mirror, sn_id ended)
{
    struct members others = other_members(mirror, ended);

    if (others.count > 0 && others.ids[0] == mirror->overall)
        start_child(mirror, ended);
}

static void mirror(const void *payload)
{
    struct mirror self = {.world = *(const struct world *)payload};

    noise_open(&self.noise, NOISE_POINTS);
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);
        sn_id from = m->from;
        sn_ref call = m->call;

        if (m->event == &init_event) {
            init(&self, ((const struct one *)m->payload)->id);
            sn_answer(from, call, &ok_event, NULL);
        } else if (m->event == &start_child_event) {
            start_child(&self, SN_NOBODY);
            sn_answer(from, call, &ok_event, NULL);
        } else if (m->event == &ensure_event) {
            (void)sn_monitor_process(((const struct one *)m->payload)->id);
        } else {
            on_down(&self, ((const struct sn_down_signal *)m->payload)->process);
        }
    }
}

static const struct sn_process mirroring_process = {
    .name = "Mirroring",
    .run = mirror,
    .birth = &birth_event,
    .may_wait = true,
};

/* ---- The overall process -------------------------------------------------------------------- */

static void stop_child(sn_id child)
{
    (void)sn_monitor_process(child);
    sn_kill(child, SN_SHUTDOWN);
    (void)sn_receive_event(&sn_down, SN_FOREVER);
}

/* Ends when it is told to, or when a child of its own has ended. */
static void oversee(const void *payload)
{
    struct world world = *(const struct world *)payload;
    struct one parent = {.id = world.parent};
    struct children children;

    (void)sn_trap_exit(true);
    children.delegate = sn_spawn_link(&delegate_process, &parent);
    children.mirroring = sn_spawn_link(&mirroring_process, &world);
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

        if (m->event == &sn_exited)
            break;
        sn_answer(m->from, m->call, &children_event, &children);
    }
    stop_child(children.mirroring);
    stop_child(children.delegate);
    sn_exit(SN_SHUTDOWN);
}

static const struct sn_process overall_process = {
    .name = "Overall",
    .run = oversee,
    .birth = &birth_event,
    .may_wait = true,
};

/* ---- The test ------------------------------------------------------------------------------- */

static const struct sn_process table_process = {
    .name = "Table",
    .run = keep_table,
    .may_wait = true,
};

static const struct sn_process groups_process = {
    .name = "Groups",
    .run = keep_groups,
    .birth = &one_birth_event,
    .may_wait = true,
};

static const struct sn_process store_process = {
    .name = "Store",
    .run = keep_store,
    .may_wait = true,
};

/* Starts a supervisor, and returns its overall process. */
static sn_id start(const struct world *world, const char *name)
{
    struct one overall = {.id = sn_spawn(&overall_process, world)};
    const struct sn_message *m;

    sn_set_name(overall.id, "%s", name);
    m = sn_call(children_of(overall.id).mirroring, &init_event, &overall, SN_FOREVER, NULL);
    sn_assertf(m != NULL, "supervisor %s could not be started", name);
    return overall.id;
}

struct stopper_birth {
    sn_id supervisor;
    sn_id parent;
};

static const struct sn_field stopper_fields[] = {
    SN_FIELD(struct stopper_birth, supervisor, SN_MACHINE),
    {0},
};

static const struct sn_event stopper_event =
    EVENT_OF("Birth", struct stopper_birth, stopper_fields);

static void stop(const void *payload)
{
    struct stopper_birth birth = *(const struct stopper_birth *)payload;
    struct noise noise;

    noise_open(&noise, NOISE_POINTS);
    noise_pass(&noise);
    stop_child(birth.supervisor);
    noise_pass(&noise);
    sn_send(birth.parent, &report_event, NULL);
}

static const struct sn_process stopper_process = {
    .name = "Stopper",
    .run = stop,
    .birth = &stopper_event,
};

static void test(const void *payload)
{
    struct world world = {.parent = sn_self()};
    struct stopper_birth birth = {.parent = sn_self()};
    struct one table;

    (void)payload;
    noise_before();
    table.id = world.table = sn_spawn(&table_process, NULL);
    world.groups = sn_spawn(&groups_process, &table);
    world.store = sn_spawn(&store_process, NULL);
    (void)start(&world, "a");
    birth.supervisor = start(&world, "b");
    (void)sn_call(children_of(birth.supervisor).mirroring, &start_child_event, NULL, SN_FOREVER,
                  NULL);
    (void)sn_receive_event(&running_event, SN_FOREVER);
    (void)sn_spawn(&stopper_process, &birth);
    noise_beside();
    (void)start(&world, "c");
    (void)sn_receive_event(&report_event, SN_FOREVER);
    (void)sn_receive_event(&running_event, SN_FOREVER);
    noise_after();
}

static const struct sn_process test_process = {.name = "Test", .run = test};

void ms_1_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}
