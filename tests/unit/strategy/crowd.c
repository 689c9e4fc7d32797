/* crowd.c - see crowd.h. SPDX-License-Identifier: MIT */
#include "crowd.h"

#include "engine/mem.h"

#include <stdlib.h>
#include <string.h>

static struct crowd crowd; /* of the present test */

static const struct sn_event note = {.name = "Note", .size = sizeof(int)};
static const struct sn_event ask = {.name = "Ask", .size = sizeof(sn_id)};
static const struct sn_event timeout = {.name = "Timeout"};

/* ---- Machines ------------------------------------------------------------------------------- */

static void take_note(void *self, const void *payload)
{
    uint32_t *sum = self;
    int value = *(const int *)payload;

    if (crowd.kind == CROWD_DRAWS && *sum == 0 && value == crowd.n - 1)
        (void)sn_choose("value", 2);
    *sum = *sum * 31 + (uint32_t)value + 1;
}

static const struct sn_machine collector = {
    .name = "Collector",
    .size = sizeof(uint32_t),
    .start =
        &(const struct sn_state){
            .name = "Collecting",
            .on = (const struct sn_on[]){{.event = &note, .run = take_note}, {0}},
        },
};

static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};

/* Sends to the machines from the one that it was told of on. */
static void send_notes(void *self, const void *payload)
{
    sn_id first = *(const sn_id *)payload;
    int value = (int)sn_self();

    (void)self;
    for (int i = 0; i < crowd.each; i++)
        sn_send(crowd.kind == CROWD_BROADCAST ? first + (sn_id)i : first, &note, &value);
}

static const struct sn_machine sender = {
    .name = "Sender",
    .birth = &birth,
    .start = &(const struct sn_state){.name = "Sending", .entry = send_notes},
};

static const struct sn_machine replier = {
    .name = "Replier",
    .start =
        &(const struct sn_state){
            .name = "Replying",
            .on = (const struct sn_on[]){{.event = &ask, .run = send_notes}, {0}},
        },
};

/* Asks the machine after the next one for what it was asked for. */
static void ask_other(void *self, const void *payload)
{
    (void)self;
    sn_send(sn_self() + 2, &ask, payload);
}

static const struct sn_machine asker = {
    .name = "Asker",
    .start =
        &(const struct sn_state){
            .name = "Asking",
            .on = (const struct sn_on[]){{.event = &ask, .run = ask_other}, {0}},
        },
};

static void pass_on(void *self, const void *payload)
{
    int left = *(const int *)payload - 1;

    (void)self;
    if (left > 0)
        sn_send(sn_self(), &note, &left);
}

static const struct sn_machine chain = {
    .name = "Chain",
    .start =
        &(const struct sn_state){
            .name = "Passing",
            .on = (const struct sn_on[]){{.event = &note, .run = pass_on}, {0}},
        },
};

static void reply(void *self, const void *payload)
{
    int value = 0;

    (void)self;
    sn_send(*(const sn_id *)payload, &note, &value);
}

static const struct sn_machine server = {
    .name = "Server",
    .start =
        &(const struct sn_state){
            .name = "Serving",
            .on = (const struct sn_on[]){{.event = &ask, .run = reply}, {0}},
        },
};

static void begin_client(void *self, const void *payload)
{
    sn_id me = sn_self();

    *(sn_timer *)self = sn_timer_start_any(&timeout, NULL);
    sn_send(*(const sn_id *)payload, &ask, &me);
}

static void stop_waiting(void *self, const void *payload)
{
    (void)payload;
    (void)sn_timer_cancel(*(sn_timer *)self);
}

static void ignore(void *self, const void *payload)
{
    (void)self;
    (void)payload;
}

static const struct sn_machine client = {
    .name = "Client",
    .size = sizeof(sn_timer),
    .birth = &birth,
    .start =
        &(const struct sn_state){
            .name = "Waiting",
            .entry = begin_client,
            .on = (const struct sn_on[]){{.event = &note, .run = stop_waiting},
                                         {.event = &timeout, .run = ignore},
                                         {0}},
        },
};

/* ---- Tests ---------------------------------------------------------------------------------- */

static void create_many(const struct sn_machine *type, int n, const void *payload)
{
    for (int i = 0; i < n; i++)
        (void)sn_create(type, payload);
}

static void run_inbox(void)
{
    sn_id to = sn_create(&collector, NULL);

    for (int i = 0; i < crowd.n; i++)
        sn_send(to, &note, &i);
}

static void run_senders(void)
{
    sn_id to = 1;

    create_many(&collector, crowd.kind == CROWD_BROADCAST ? crowd.each : 1, NULL);
    create_many(&sender, crowd.n, &to);
}

static void ask_all(sn_id first, sn_id to)
{
    for (int i = 0; i < crowd.n; i++)
        sn_send(first + (sn_id)i, &ask, &to);
}

static void run_gather(void)
{
    sn_id to = sn_create(&collector, NULL);

    create_many(&replier, crowd.n, NULL);
    ask_all(to + 1, to);
}

static void run_late(void)
{
    create_many(&replier, crowd.n, NULL);
    ask_all(1, sn_create(&collector, NULL));
}

/* The reply that comes first among those that are there is sent neither first nor last. */
static void run_detour(void)
{
    sn_id last = sn_create(&replier, NULL);
    sn_id around = sn_create(&asker, NULL);
    sn_id first = sn_create(&replier, NULL);
    sn_id to;

    (void)sn_create(&replier, NULL);
    to = sn_create(&collector, NULL);
    sn_send(last, &ask, &to);
    sn_send(around, &ask, &to);
    sn_send(first, &ask, &to);
}

static void run_pairs(void)
{
    create_many(&chain, crowd.n, NULL);
    for (int i = 0; i < crowd.n; i++)
        sn_send((sn_id)i + 1, &note, &crowd.each);
}

static void run_timer(void)
{
    int n_servers = crowd.kind == CROWD_TIMER ? crowd.n : 1;

    create_many(&server, n_servers, NULL);
    for (int i = 0; i < crowd.n; i++) {
        sn_id to = (sn_id)(i % n_servers) + 1;

        (void)sn_create(&client, &to);
    }
}

const struct sn_test *crowd_test(const struct crowd *of)
{
    static void (*const runs[])(void) = {
        [CROWD_INBOX] = run_inbox,     [CROWD_DRAWS] = run_inbox,
        [CROWD_SENDERS] = run_senders, [CROWD_BROADCAST] = run_senders,
        [CROWD_GATHER] = run_gather,   [CROWD_LATE] = run_late,
        [CROWD_DETOUR] = run_detour,   [CROWD_PAIRS] = run_pairs,
        [CROWD_TIMER] = run_timer,     [CROWD_TIMER_SHARED] = run_timer,
    };
    static struct sn_test test;

    crowd = *of;
    if (crowd.each == 0)
        crowd.each = 1;
    test = (struct sn_test){.name = "crowd",
                            .run = runs[crowd.kind],
                            .world = SN_WORLD_TRIAL,
                            .links = runs[crowd.kind] == run_inbox ? SN_UNORDERED : SN_FIFO};
    return &test;
}

/* ---- The strategy --------------------------------------------------------------------------- */

static struct {
    struct revisit *state;
    uint64_t reload_before;
    uint64_t split_before;
    uint64_t descent_seed; /* 0: everything is tried */
    bool falls_back;
    struct revisit *half;            /* that was given away; NULL: none was */
    const unsigned char *begin_with; /* NULL: nothing */
    size_t n_begin_with;
    unsigned char bytes[1 << 20];
} * searched; /* in a mapping that no run rolls back */

struct revisit *crowd_state_new(void)
{
    struct revisit *state = mem_reserve_shared(sizeof(*state), NULL);

    if (state == NULL)
        abort();
    return state;
}

struct revisit *crowd_state(void)
{
    return searched->state;
}

void crowd_reload_before(uint64_t n)
{
    searched->reload_before = n;
}

void crowd_falls_back(bool falls_back)
{
    searched->falls_back = falls_back;
}

void crowd_descent(uint64_t seed)
{
    searched->descent_seed = seed;
}

void crowd_split_before(uint64_t n)
{
    searched->split_before = n;
}

void crowd_begin_with(const unsigned char *bytes, size_t n)
{
    searched->begin_with = bytes;
    searched->n_begin_with = n;
}

static bool begin(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    if (searched->begin_with != NULL) {
        if (revisit_load(searched->state, searched->begin_with, searched->n_begin_with) != 0)
            return false;
        searched->begin_with = NULL;
    }
    if (trial == searched->reload_before) {
        size_t n = revisit_save(searched->state, searched->bytes, sizeof(searched->bytes));

        if (n > sizeof(searched->bytes) || revisit_load(searched->state, searched->bytes, n) != 0)
            abort();
    }
    if (trial == searched->split_before) {
        searched->half = crowd_state_new();
        searched->half->falls_back = searched->falls_back;
        if (!revisit_split(searched->state, searched->half))
            abort();
    }
    if (revisit_begin(searched->state, trial, keep))
        return true;
    if (searched->half == NULL)
        return false;
    mem_release(searched->state, sizeof(*searched->state));
    searched->state = searched->half;
    searched->half = NULL;
    return revisit_begin(searched->state, trial, keep);
}

static uint32_t pick(void *self, const struct sn_pending *pending)
{
    (void)self;
    return revisit_pick(searched->state, pending);
}

static void told(void *self, const struct sn_op *op)
{
    (void)self;
    revisit_told(searched->state, op);
}

static uint64_t draw(void *self, const struct sn_draw *asked)
{
    (void)self;
    return revisit_draw(searched->state, asked);
}

static bool is_exhausted(const void *self)
{
    (void)self;
    return revisit_is_exhausted(searched->state);
}

void crowd_register(void)
{
    static const struct sn_strategy strategy = {
        .name = "crowd",
        .begin = begin,
        .pick = pick,
        .draw = draw,
        .told = told,
        .is_exhausted = is_exhausted,
    };

    searched = mem_reserve_shared(sizeof(*searched), NULL);
    if (searched == NULL || sn_strategy_register(&strategy) < 0)
        abort();
    searched->reload_before = UINT64_MAX;
    searched->split_before = UINT64_MAX;
}

static void watch(void *self, const struct sn_trial_view *trial)
{
    struct crowd_run *run = self;

    if (run->n < CROWD_TRIALS_MAX)
        run->orders[run->n] = trial->order;
    run->n++;
}

void crowd_run(const struct crowd *of, uint64_t n_trials, struct crowd_run *run)
{
    const struct sn_options options = {
        .strategy = "crowd", .iterations = n_trials, .watch = watch, .watch_self = run};

    if (searched->state != NULL)
        mem_release(searched->state, sizeof(*searched->state));
    searched->state = crowd_state_new();
    searched->state->falls_back = searched->falls_back;
    if (searched->descent_seed != 0)
        descent_start(&searched->state->descent, searched->descent_seed);
    memset(run, 0, sizeof(*run));
    if (sn_run(crowd_test(of), &options, &run->result) < 0)
        abort();
}
