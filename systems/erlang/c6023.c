/* c6023.c - three proposers write to a register by Paxos (Cassandra, issue 6023).
 *
 * A proposer asks all replicas for a promise and needs two. If they tell it of a value in progress
 * that is newer than the last one committed, it finishes that first; otherwise it proposes its own,
 * and needs two that accept. A proposer whose own value is refused gives up: it cannot know whether
 * somebody else will finish it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "acceptor.h"
#include "bugs.h"
#include "noise.h"
#include "tests.h"

#include <sennit/sennit.h>

enum {
    REPLICAS = 3,
    QUORUM = 2,
    PROPOSERS = 3,
    ATTEMPTS_MAX = 4,
    ROUND = 10, /* a ballot is a number of a round times this, plus the proposer's own */
    DECISIONS_MAX = PROPOSERS * ATTEMPTS_MAX,
    NOISE_POINTS = 7,
};

struct proposer_birth {
    uint32_t number; /* from 1; also the value that it proposes */
    sn_id replicas[REPLICAS];
    sn_id parent;
};

/* Of all answers. */
struct reply {
    uint32_t ballot; /* that was asked about */
    uint32_t is_yes;
    uint32_t promised; /* what is in the way, if not */
    struct proposal in_progress;
    struct proposal committed;
};

static void print_reply(struct sn_text *out, const void *payload)
{
    const struct reply *reply = payload;

    sn_print(out, "ballot %u: ", reply->ballot);
    if (!reply->is_yes)
        sn_print(out, "no, %u was promised", reply->promised);
    else
        sn_print(out, "yes, in progress %u@%u, committed %u@%u", reply->in_progress.value,
                 reply->in_progress.ballot, reply->committed.value, reply->committed.ballot);
}

static const struct sn_field birth_fields[] = {
    SN_FIELD(struct proposer_birth, number, SN_UINT),
    {0},
};

static const struct sn_field proposal_fields[] = {
    SN_FIELD(struct proposal, ballot, SN_UINT),
    SN_FIELD(struct proposal, value, SN_UINT),
    {0},
};

static uint64_t proposal_key(const void *payload)
{
    const struct proposal *proposal = payload;

    return proposal->ballot;
}

#define PROPOSAL_EVENT(name_)                                                                      \
    {                                                                                              \
        .name = name_, .size = sizeof(struct proposal), .fields = proposal_fields,                 \
        .key = proposal_key                                                                        \
    }
#define REPLY_EVENT(name_)                                                                         \
    {                                                                                              \
        .name = name_, .size = sizeof(struct reply), .print = print_reply                          \
    }

static const struct sn_event prepare_event = PROPOSAL_EVENT("Prepare");
static const struct sn_event propose_event = PROPOSAL_EVENT("Propose");
static const struct sn_event commit_event = PROPOSAL_EVENT("Commit");
static const struct sn_event decided_event = PROPOSAL_EVENT("Decided");
static const struct sn_event promise_event = REPLY_EVENT("Promise");
static const struct sn_event accept_event = REPLY_EVENT("Accept");
static const struct sn_event report_event = {.name = "Report"};

static const struct sn_event birth_event = {
    .name = "Birth",
    .size = sizeof(struct proposer_birth),
    .fields = birth_fields,
};

/* ---- Replicas ------------------------------------------------------------------------------- */

static void serve(const void *payload)
{
    struct acceptor acceptor;

    (void)payload;
    acceptor_init(&acceptor, bug_c6023);
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);
        struct proposal proposal = *(const struct proposal *)m->payload;
        struct reply reply = {.ballot = proposal.ballot};

        if (m->event == &commit_event) {
            acceptor_commit(&acceptor, proposal);
            continue;
        }
        if (m->event == &prepare_event)
            reply.is_yes =
                acceptor_prepare(&acceptor, proposal.ballot, &reply.in_progress, &reply.committed);
        else
            reply.is_yes = acceptor_propose(&acceptor, proposal);
        reply.promised = acceptor.promised;
        sn_send(m->from, m->event == &prepare_event ? &promise_event : &accept_event, &reply);
    }
}

/* ---- Proposers ------------------------------------------------------------------------------ */

struct proposer {
    struct proposer_birth birth;
    uint32_t round;
    struct noise noise;
};

/* What a quorum has promised. */
struct promises {
    struct proposal in_progress; /* the newest value */
    struct proposal committed;
};

/* Which answers a proposer waits for. */
struct wanted {
    const struct sn_event *event;
    uint32_t ballot;
};

static bool is_wanted(const struct sn_message *m, const void *with)
{
    const struct wanted *wanted = with;

    return m->event == wanted->event &&
           ((const struct reply *)m->payload)->ballot == wanted->ballot;
}

static void send_all(const struct proposer *p, const struct sn_event *event,
                     struct proposal proposal)
{
    for (int i = 0; i < REPLICAS; i++)
        sn_send(p->birth.replicas[i], event, &proposal);
}

/* False: somebody has promised more to another one. */
static bool prepare(struct proposer *p, uint32_t ballot, struct promises *promises)
{
    struct wanted wanted = {.event = &promise_event, .ballot = ballot};

    *promises = (struct promises){0};
    send_all(p, &prepare_event, (struct proposal){.ballot = ballot});
    for (int n = 0; n < QUORUM; n++) {
        const struct reply *reply = sn_receive(is_wanted, &wanted, SN_FOREVER)->payload;

        if (!reply->is_yes) {
            p->round = reply->promised / ROUND;
            return false;
        }
        if (reply->in_progress.value != 0 &&
            reply->in_progress.ballot > promises->in_progress.ballot)
            promises->in_progress = reply->in_progress;
        if (reply->committed.ballot > promises->committed.ballot)
            promises->committed = reply->committed;
    }
    return true;
}

/* Whether a quorum accepts; if so, it is committed. */
static bool propose(struct proposer *p, struct proposal proposal)
{
    struct wanted wanted = {.event = &accept_event, .ballot = proposal.ballot};
    int yes = 0;
    int no = 0;

    send_all(p, &propose_event, proposal);
    while (yes < QUORUM && no < REPLICAS - QUORUM + 1) {
        const struct reply *reply = sn_receive(is_wanted, &wanted, SN_FOREVER)->payload;

        if (reply->is_yes)
            yes++;
        else
            no++;
    }
    if (yes < QUORUM)
        return false;
    sn_note("value %u is decided in ballot %u", proposal.value, proposal.ballot);
    sn_send(p->birth.parent, &decided_event, &proposal);
    send_all(p, &commit_event, proposal);
    return true;
}

static void compare_and_set(const void *payload)
{
    struct proposer p = {.birth = *(const struct proposer_birth *)payload};

    noise_open(&p.noise, NOISE_POINTS);
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        uint32_t ballot = ++p.round * ROUND + p.birth.number;
        struct proposal proposal = {.ballot = ballot, .value = p.birth.number};
        struct promises promises;

        noise_pass(&p.noise);
        if (!prepare(&p, ballot, &promises))
            continue;
        noise_pass(&p.noise);
        if (promises.in_progress.ballot <= promises.committed.ballot) {
            (void)propose(&p, proposal);
            break;
        }
        sn_note("finishes value %u of ballot %u", promises.in_progress.value,
                promises.in_progress.ballot);
        proposal.value = promises.in_progress.value;
        (void)propose(&p, proposal);
    }
    sn_send(p.birth.parent, &report_event, NULL);
}

/* ---- The test ------------------------------------------------------------------------------- */

static const struct sn_process replica_process = {
    .name = "Replica",
    .run = serve,
    .may_wait = true,
};

static const struct sn_process proposer_process = {
    .name = "Proposer",
    .run = compare_and_set,
    .birth = &birth_event,
};

/* Decisions in the order of their ballots. */
struct decisions {
    struct proposal all[DECISIONS_MAX];
    uint32_t count;
};

static void add_decision(struct decisions *decisions, const struct proposal *decision)
{
    uint32_t at = decisions->count++;

    for (; at > 0 && decisions->all[at - 1].ballot > decision->ballot; at--)
        decisions->all[at] = decisions->all[at - 1];
    decisions->all[at] = *decision;
}

/* Nobody proposes a value of its own twice, so a value that another one has replaced must not come
 * back. */
static void check_decisions(const struct decisions *decisions)
{
    for (uint32_t i = 2; i < decisions->count; i++) {
        uint32_t value = decisions->all[i].value;
        bool is_replaced = false;

        for (uint32_t j = i; j-- > 0;) {
            if (decisions->all[j].value != value)
                is_replaced = true;
            sn_assertf(!is_replaced || decisions->all[j].value != value,
                       "value %u, decided in ballot %u and then replaced, is decided again in %u",
                       value, decisions->all[j].ballot, decisions->all[i].ballot);
        }
    }
}

static bool is_for_parent(const struct sn_message *m, const void *with)
{
    (void)with;
    return m->event == &decided_event || m->event == &report_event;
}

static void test(const void *payload)
{
    struct proposer_birth birth = {.parent = sn_self()};
    struct decisions decisions = {.count = 0};

    (void)payload;
    noise_before();
    for (int i = 0; i < REPLICAS; i++)
        birth.replicas[i] = sn_spawn(&replica_process, NULL);
    for (birth.number = 1; birth.number <= PROPOSERS; birth.number++)
        (void)sn_spawn(&proposer_process, &birth);
    noise_beside();
    for (int reports = 0; reports < PROPOSERS;) {
        const struct sn_message *m = sn_receive(is_for_parent, NULL, SN_FOREVER);

        if (m->event == &report_event)
            reports++;
        else
            add_decision(&decisions, m->payload);
    }
    check_decisions(&decisions);
    noise_after();
}

static const struct sn_process test_process = {.name = "Test", .run = test};

void c6023_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}
