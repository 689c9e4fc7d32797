/* shrunk_ends.c - see shrunk_tests.h: systems that do not end by an assertion.
 * SPDX-License-Identifier: MIT
 */
#include "shrunk_own.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Locks ---------------------------------------------------------------------------------- */

struct taker {
    sn_id first;
    sn_id second;
};

static const struct sn_event taker_birth = {.name = "Taker", .size = sizeof(struct taker)};
static const struct sn_event take_event = {.name = "Take"};
static const struct sn_event taken_event = {.name = "Taken"};
static const struct sn_event give_event = {.name = "Give"};

static const struct sn_state lock_taken;

static void grant(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(sn_sender(), &taken_event, NULL);
}

static const struct sn_state lock_free = {
    .name = "Free",
    .on = (const struct sn_on[]){{.event = &take_event, .run = grant, .go_to = &lock_taken}, {0}},
};
static const struct sn_state lock_taken = {
    .name = "Held",
    .on = (const struct sn_on[]){{.event = &give_event, .go_to = &lock_free},
                                 {.event = &take_event, .defer = true},
                                 {0}},
};
static const struct sn_machine lock = {.name = "Lock", .start = &lock_free};

static void take_first(void *self, const void *payload)
{
    struct taker *t = self;

    *t = *(const struct taker *)payload;
    sn_send(t->first, &take_event, NULL);
}

static void take_second(void *self, const void *payload)
{
    (void)payload;
    sn_send(((struct taker *)self)->second, &take_event, NULL);
}

static void give_both(void *self, const void *payload)
{
    struct taker *t = self;

    (void)payload;
    sn_send(t->first, &give_event, NULL);
    sn_send(t->second, &give_event, NULL);
}

static const struct sn_state taker_done = {.name = "Done"};
static const struct sn_state taker_second = {
    .name = "Second",
    .must_leave = true,
    .entry = take_second,
    .on = (const struct sn_on[]){{.event = &taken_event, .run = give_both, .go_to = &taker_done},
                                 {0}},
};
static const struct sn_state taker_first = {
    .name = "First",
    .must_leave = true,
    .entry = take_first,
    .on = (const struct sn_on[]){{.event = &taken_event, .go_to = &taker_second}, {0}},
};
static const struct sn_machine taker = {
    .name = "Taker", .size = sizeof(struct taker), .start = &taker_first, .birth = &taker_birth};

void run_deadlock(void)
{
    struct taker one = {.first = sn_create(&lock, NULL)};
    struct taker other;

    one.second = sn_create(&lock, NULL);
    other = (struct taker){.first = one.second, .second = one.first};
    (void)sn_create(&taker, &one);
    (void)sn_create(&taker, &other);
}

/* ---- Liveness ------------------------------------------------------------------------------- */

static const struct sn_event asked_event = {.name = "Asked"};
static const struct sn_event answered_event = {.name = "Answered"};

static const struct sn_state owing;
static const struct sn_state quits = {
    .name = "Quits",
    .temperature = SN_COLD,
    .on = (const struct sn_on[]){{.event = &asked_event, .go_to = &owing},
                                 {.event = &answered_event, .ignore = true},
                                 {0}},
};
static const struct sn_state owing = {
    .name = "Owing",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &answered_event, .go_to = &quits},
                                 {.event = &asked_event, .ignore = true},
                                 {0}},
};
const struct sn_machine shrunk_answers = {.name = "Answers", .start = &quits};

/* Answers, unless it has heard B before A. */
static void on_question(void *self, sn_id from, const void *bytes, size_t n)
{
    struct hub *h = self;

    (void)from;
    (void)n;
    hub_hear(h, bytes);
    if (*(const char *)bytes == 'C')
        sn_monitor(&shrunk_answers, &asked_event, NULL);
    if (*(const char *)bytes == 'C' && h->heard[0] != 'B')
        sn_monitor(&shrunk_answers, &answered_event, NULL);
}

static void tick_start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start_tag(1, 1000);
}

static void on_tick(void *self, uint64_t tag)
{
    (void)self;
    (void)sn_choose("colour", 5);
    (void)sn_timer_start_tag(tag, 1000);
}

static const struct sn_machine hot_hub = {.name = "Hub",
                                          .size = sizeof(struct hub),
                                          .on_start = tick_start,
                                          .on_message = on_question,
                                          .on_timer = on_tick};

void run_hot(void)
{
    (void)hub_create_three(&hot_hub);
}

/* The same, but an answer is owed from the beginning. */
const struct sn_machine shrunk_debts = {.name = "Debts", .start = &owing};

static void on_debt(void *self, sn_id from, const void *bytes, size_t n)
{
    struct hub *h = self;

    (void)from;
    (void)n;
    hub_hear(h, bytes);
    if (*(const char *)bytes == 'C' && h->heard[0] != 'B')
        sn_monitor(&shrunk_debts, &answered_event, NULL);
}

static const struct sn_machine debt_hub = {.name = "Hub",
                                           .size = sizeof(struct hub),
                                           .on_start = tick_start,
                                           .on_message = on_debt,
                                           .on_timer = on_tick};

void run_debt(void)
{
    (void)hub_create_three(&debt_hub);
}

/* An answer is owed until the fourth tick, and for ever after four times the same colour. */
struct gambler {
    uint64_t ticks;
    uint64_t blue;
};

static void on_gamble(void *self, uint64_t tag)
{
    struct gambler *g = self;

    g->ticks++;
    g->blue += sn_choose("colour", 5) == 3;
    if (g->ticks == 4 && g->blue < 4)
        sn_monitor(&shrunk_debts, &answered_event, NULL);
    (void)sn_timer_start_tag(tag, 1000);
}

static const struct sn_machine gambler = {.name = "Gambler",
                                          .size = sizeof(struct gambler),
                                          .on_start = tick_start,
                                          .on_message = on_question,
                                          .on_timer = on_gamble};

void run_gamble(void)
{
    (void)sn_create(&gambler, NULL);
}

/* ---- Signals -------------------------------------------------------------------------------- */

static void on_segfault(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)from;
    (void)n;
    hub_hear(self, bytes);
    if (hub_is_wrong_order(self))
        (void)raise(SIGSEGV);
}

static void on_abort(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)from;
    (void)n;
    hub_hear(self, bytes);
    if (hub_is_wrong_order(self))
        abort();
}

static const struct sn_machine segfault_hub = {
    .name = "Hub", .size = sizeof(struct hub), .on_message = on_segfault};
static const struct sn_machine abort_hub = {
    .name = "Hub", .size = sizeof(struct hub), .on_message = on_abort};

void run_segfault(void)
{
    (void)hub_create_three(&segfault_hub);
}

void run_abort(void)
{
    (void)hub_create_three(&abort_hub);
}

/* ---- Waiting -------------------------------------------------------------------------------- */

_Atomic uint32_t *shrunk_executions;

/* As the order; but the second and the third time it waits for something that does not come. */
static void on_wait(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)from;
    (void)n;
    hub_hear(self, bytes);
    if (shrunk_executions != NULL && ((struct hub *)self)->n == 1) {
        uint32_t executions = ++*shrunk_executions;

        while (executions == 2 || executions == 3)
            (void)pause();
    }
    sn_assertf(!hub_is_wrong_order(self), "B after C, but before A");
}

static const struct sn_machine waiting_hub = {
    .name = "Hub", .size = sizeof(struct hub), .on_message = on_wait};

void run_waits(void)
{
    (void)hub_create_three(&waiting_hub);
}

/* ---- Faults --------------------------------------------------------------------------------- */

const struct sn_faults shrunk_crashes = {
    .crashes = 2, .drops = 2, .horizon = 12, .down_ns = 1000000000};

static void on_memory(void *self, sn_id from, const void *bytes, size_t n)
{
    struct hub *h = self;

    (void)from;
    (void)n;
    hub_hear(h, bytes);
    sn_assertf(*(const char *)bytes != 'B' || h->heard[0] == 'A', "A is forgotten");
}

static const struct sn_machine memory_hub = {
    .name = "Hub", .size = sizeof(struct hub), .on_message = on_memory};

static void forward(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)from;
    (void)n;
    sn_send_bytes(*(sn_id *)self, bytes, 1);
    (void)sn_timer_start_tag(1, 2000000000);
}

/* A node that is down has come back by then. */
static void send_b(void *self, uint64_t tag)
{
    static const char b = 'B';

    (void)tag;
    sn_send_bytes(*(sn_id *)self, &b, 1);
}

static void keep_hub(void *self, const void *payload)
{
    memcpy(self, payload, sizeof(sn_id));
}

static const struct sn_event hub_birth = {.name = "Hub", .size = sizeof(sn_id)};
static const struct sn_machine forwarder = {.name = "Forwarder",
                                            .size = sizeof(sn_id),
                                            .birth = &hub_birth,
                                            .on_start = keep_hub,
                                            .on_message = forward,
                                            .on_timer = send_b};

void run_fault(void)
{
    sn_node fragile = sn_node_new("fragile");
    sn_id hub = sn_create_on(fragile, &memory_hub, NULL);

    (void)shrunk_sender(sn_create(&forwarder, &hub), 'A');
}

/* ---- A history ------------------------------------------------------------------------------ */

struct keeper {
    int64_t value;
    bool is_stale;
};

/* A write is acknowledged before it is done; what else comes first sees the old value. */
static void on_operation(void *self, sn_id from, const void *bytes, size_t n)
{
    struct keeper *k = self;
    char what = *(const char *)bytes;
    char answer = (char)('0' + k->value);

    (void)n;
    if (what == 'R')
        sn_send_bytes(from, &answer, 1);
    if (what == 'W') {
        sn_send_bytes(from, &what, 1);
        sn_send_bytes(sn_self(), "+", 1);
    }
    if (what == '+')
        k->value = 1;
}

static const struct sn_machine keeper = {
    .name = "Keeper", .size = sizeof(struct keeper), .on_message = on_operation};

struct caller {
    struct letter work;
    unsigned left;
    sn_op_id call;
};

static void call_next(struct caller *c)
{
    if (c->left-- == 0)
        return;
    if (c->work.letter == 'R')
        c->call = sn_op_begin("read", 0, SN_VALUE_NIL, SN_VALUE_NIL);
    else
        c->call = sn_op_begin("write", 0, 1, SN_VALUE_NIL);
    sn_send_bytes(c->work.to, &c->work.letter, 1);
}

static const struct sn_event caller_birth = {.name = "Caller", .size = sizeof(struct caller)};

static void caller_start(void *self, const void *payload)
{
    struct caller *c = self;

    *c = *(const struct caller *)payload;
    call_next(c);
}

static void on_answer(void *self, sn_id from, const void *bytes, size_t n)
{
    struct caller *c = self;

    (void)from;
    (void)n;
    sn_op_end(c->call, c->work.letter == 'R' ? *(const char *)bytes - '0' : SN_VALUE_NIL);
    call_next(c);
}

static const struct sn_machine caller = {.name = "Caller",
                                         .size = sizeof(struct caller),
                                         .birth = &caller_birth,
                                         .on_start = caller_start,
                                         .on_message = on_answer};

void run_history(void)
{
    struct caller reader = {.work = {.to = sn_create(&keeper, NULL), .letter = 'R'}, .left = 60};
    struct caller writer = {.work = {.to = reader.work.to, .letter = 'W'}, .left = 1};

    (void)sn_create(&caller, &reader);
    (void)sn_create(&caller, &writer);
}
