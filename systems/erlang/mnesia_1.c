/* mnesia_1.c - a table is copied to a node that is being started again (mnesia of OTP).
 *
 * The node has a lock manager and a transaction manager. While it starts it merges its schema with
 * those of others in two transactions, X and Y, each of which takes the lock of the schema. Another
 * node adds a copy of a table in a transaction Z of its own: it takes the same lock and commits,
 * and is told when that is done. Commits are put off until the node is fully started.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bugs.h"
#include "noise.h"
#include "tests.h"

#include <sennit/sennit.h>

enum {
    WAITING_MAX = 8,
    BUSY_RETRIES = 4, /* before the other node takes its time */
    RETRIES_MAX = 20,
    NOISE_POINTS = 8,
};

static const uint64_t retry_ns = UINT64_C(100000000);

/* What a transaction of another node knows the node by: what it did to an earlier one is void. */
struct life {
    uint32_t life;
};

struct managers {
    sn_id locker;
    sn_id committer;
    sn_id parent;
};

static const struct sn_field life_fields[] = {
    SN_FIELD(struct life, life, SN_UINT),
    {0},
};

static const struct sn_field managers_fields[] = {
    SN_FIELD(struct managers, locker, SN_MACHINE),
    SN_FIELD(struct managers, committer, SN_MACHINE),
    {0},
};

#define LIFE_EVENT(name_)                                                                          \
    {                                                                                              \
        .name = name_, .size = sizeof(struct life), .fields = life_fields                          \
    }

static const struct sn_event lock_event = LIFE_EVENT("Lock");
static const struct sn_event commit_event = LIFE_EVENT("Commit");
static const struct sn_event begun_event = LIFE_EVENT("Begun"); /* life 0: the node is not up */
static const struct sn_event started_event = LIFE_EVENT("Started");
static const struct sn_event begin_event = {.name = "Begin"};
static const struct sn_event unlock_event = {.name = "Unlock"};
static const struct sn_event granted_event = {.name = "Granted"};
static const struct sn_event committed_event = {.name = "Committed"};
static const struct sn_event aborted_event = {.name = "Aborted"};
static const struct sn_event stop_event = {.name = "Stop"};
static const struct sn_event stopped_event = {.name = "Stopped"};
static const struct sn_event running_event = {.name = "Running"};
static const struct sn_event initialised_event = {.name = "Initialised"};
static const struct sn_event report_event = {.name = "Report"};

static const struct sn_event birth_event = {
    .name = "Birth",
    .size = sizeof(struct managers),
    .fields = managers_fields,
};

/* Processes in the order in which they came. */
struct waiting {
    sn_id who[WAITING_MAX];
    uint32_t count;
};

static void waiting_add(struct waiting *waiting, sn_id who)
{
    sn_assert(waiting->count < WAITING_MAX);
    waiting->who[waiting->count++] = who;
}

static void waiting_pop(struct waiting *waiting)
{
    waiting->count--;
    for (uint32_t i = 0; i < waiting->count; i++)
        waiting->who[i] = waiting->who[i + 1];
}

/* ---- The lock manager ----------------------------------------------------------------------- */

static void lock(struct waiting *queue, uint32_t life, const struct sn_message *m)
{
    sn_id from = m->from;

    if (((const struct life *)m->payload)->life != life) {
        sn_send(from, &aborted_event, NULL);
        return;
    }
    waiting_add(queue, from);
    if (queue->count == 1)
        sn_send(from, &granted_event, NULL);
    else
        sn_note("%s waits for the schema's lock, which %s has", sn_name(from),
                sn_name(queue->who[0]));
}

static void unlock(struct waiting *queue, sn_id from)
{
    if (queue->count == 0 || queue->who[0] != from)
        return; /* it had the lock in an earlier life */
    waiting_pop(queue);
    if (queue->count > 0)
        sn_send(queue->who[0], &granted_event, NULL);
}

/* Of the waiting queue the head has the lock. */
static void manage_locks(const void *payload)
{
    struct waiting queue = {0};
    uint32_t life = 1;

    (void)payload;
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

        if (m->event == &lock_event) {
            lock(&queue, life, m);
        } else if (m->event == &unlock_event) {
            unlock(&queue, m->from);
        } else {
            struct life started = {.life = ++life};
            sn_id from = m->from;

            for (uint32_t i = 1; i < queue.count; i++)
                sn_send(queue.who[i], &aborted_event, NULL);
            queue.count = 0;
            sn_send(from, &started_event, &started);
        }
    }
}

/* ---- The transaction manager ---------------------------------------------------------------- */

struct committer {
    uint32_t life;
    bool is_running;
    bool is_initialised;
    struct waiting deferred;
};

static void commit(struct committer *committer, const struct sn_message *m)
{
    sn_id from = m->from;

    if (((const struct life *)m->payload)->life != committer->life) {
        sn_send(from, &aborted_event, NULL);
    } else if (committer->is_initialised) {
        sn_send(from, &committed_event, NULL);
    } else {
        sn_note("%s has to wait until the node is initialised", sn_name(from));
        waiting_add(&committer->deferred, from);
    }
}

static void open_queue(struct committer *committer)
{
    committer->is_initialised = true;
    for (; committer->deferred.count > 0; waiting_pop(&committer->deferred))
        sn_send(committer->deferred.who[0], &committed_event, NULL);
}

static void manage_transactions(const void *payload)
{
    struct committer committer = {.life = 1, .is_running = true, .is_initialised = true};

    (void)payload;
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

        if (m->event == &begin_event) {
            struct life begun = {.life = committer.is_running ? committer.life : 0};

            sn_send(m->from, &begun_event, &begun);
        } else if (m->event == &commit_event) {
            commit(&committer, m);
        } else if (m->event == &running_event) {
            committer.is_running = true;
        } else if (m->event == &initialised_event) {
            open_queue(&committer);
        } else {
            sn_id from = m->from;

            committer = (struct committer){.life = committer.life + 1};
            sn_send(from, &stopped_event, NULL);
        }
    }
}

/* ---- Starting the node again ---------------------------------------------------------------- */

static void merge_schema(const struct managers *managers, uint32_t life_number, const char *name)
{
    struct life life = {.life = life_number};

    sn_send(managers->locker, &lock_event, &life);
    (void)sn_receive_event(&granted_event, SN_FOREVER);
    sn_note("transaction %s merges the schema", name);
    sn_send(managers->locker, &unlock_event, NULL);
}

/* Others must not begin anything here before the last merge: they could take the lock that it needs
 * and keep it until the node is initialised, which it is only afterwards. */
static void restart(const void *payload)
{
    struct managers managers = *(const struct managers *)payload;
    struct noise noise;
    uint32_t life;

    noise_open(&noise, NOISE_POINTS);
    noise_pass(&noise);
    sn_send(managers.committer, &stop_event, NULL);
    (void)sn_receive_event(&stopped_event, SN_FOREVER);
    sn_send(managers.locker, &stop_event, NULL);
    life = ((const struct life *)sn_receive_event(&started_event, SN_FOREVER)->payload)->life;
    noise_pass(&noise);
    merge_schema(&managers, life, "X");
    if (bug_mnesia_1)
        sn_send(managers.committer, &running_event, NULL);
    noise_pass(&noise);
    merge_schema(&managers, life, "Y");
    if (!bug_mnesia_1)
        sn_send(managers.committer, &running_event, NULL);
    noise_pass(&noise);
    sn_send(managers.committer, &initialised_event, NULL);
    sn_send(managers.parent, &report_event, NULL);
}

/* ---- The other node ------------------------------------------------------------------------- */

static bool is_answer(const struct sn_message *m, const void *with)
{
    (void)with;
    return m->event == &granted_event || m->event == &committed_event || m->event == &aborted_event;
}

/* Transaction Z. False: it was aborted. */
static bool add_table_copy(const struct managers *managers, struct noise *noise)
{
    struct life life;
    bool is_ok;

    sn_send(managers->committer, &begin_event, NULL);
    life = *(const struct life *)sn_receive_event(&begun_event, SN_FOREVER)->payload;
    if (life.life == 0)
        return false;
    noise_pass(noise);
    sn_send(managers->locker, &lock_event, &life);
    if (sn_receive(is_answer, NULL, SN_FOREVER)->event == &aborted_event)
        return false;
    noise_pass(noise);
    sn_note("transaction Z has the schema's lock");
    sn_send(managers->committer, &commit_event, &life);
    is_ok = sn_receive(is_answer, NULL, SN_FOREVER)->event == &committed_event;
    sn_send(managers->locker, &unlock_event, NULL);
    return is_ok;
}

static void copy(const void *payload)
{
    struct managers managers = *(const struct managers *)payload;
    struct noise noise;

    noise_open(&noise, NOISE_POINTS);
    noise_pass(&noise);
    for (uint32_t tries = 0; !add_table_copy(&managers, &noise); tries++) {
        sn_assertf(tries < RETRIES_MAX, "the node never takes the copy");
        if (tries >= BUSY_RETRIES)
            sn_sleep_ns(retry_ns);
    }
    sn_send(managers.parent, &report_event, NULL);
}

/* ---- The test ------------------------------------------------------------------------------- */

static const struct sn_process locker_process = {
    .name = "Locker",
    .run = manage_locks,
    .may_wait = true,
};

static const struct sn_process committer_process = {
    .name = "Committer",
    .run = manage_transactions,
    .may_wait = true,
};

static const struct sn_process initialiser_process = {
    .name = "Initialiser",
    .run = restart,
    .birth = &birth_event,
};

static const struct sn_process copier_process = {
    .name = "Copier",
    .run = copy,
    .birth = &birth_event,
};

static void test(const void *payload)
{
    struct managers managers = {.parent = sn_self()};

    (void)payload;
    noise_before();
    managers.locker = sn_spawn(&locker_process, NULL);
    managers.committer = sn_spawn(&committer_process, NULL);
    (void)sn_spawn(&initialiser_process, &managers);
    (void)sn_spawn(&copier_process, &managers);
    noise_beside();
    for (int i = 0; i < 2; i++)
        (void)sn_receive_event(&report_event, SN_FOREVER);
    noise_after();
}

static const struct sn_process test_process = {.name = "Test", .run = test};

void mnesia_1_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}
