/* noise.c - see noise.h.
 *
 * Each pair takes exactly its part of the steps: two starts, two for each word and its echo, one
 * for each rest. SPDX-License-Identifier: MIT
 */
#include "noise.h"

enum {
    PAIRS = 4,
    STARTS = 2, /* steps in which the machines of a pair start */
    WORDS = 3,  /* between two rests */
    TESTS_MAX = 16,
};

uint64_t noise_steps;

struct talker_birth {
    sn_id other;
    uint64_t steps; /* of both machines, after their starts */
    uint64_t rest_ns;
};

struct talker {
    struct talker_birth birth;
    uint64_t left; /* steps */
    uint64_t said; /* since the last rest */
};

static const struct sn_event word_event = {.name = "Word"};
static const struct sn_event echo_event = {.name = "Echo"};
static const struct sn_event rested_event = {.name = "Rested"};

/* ---- One who talks -------------------------------------------------------------------------- */

static void rest(struct talker *talker)
{
    talker->said = 0;
    talker->left--;
    if (talker->birth.rest_ns > 0)
        sn_timer_start(&rested_event, talker->birth.rest_ns, NULL);
    else
        sn_timer_start_any(&rested_event, NULL);
}

static void go_on(struct talker *talker)
{
    if (talker->left == 0)
        return;
    if (talker->said == WORDS || talker->left == 1) {
        rest(talker);
        return;
    }
    talker->said++;
    talker->left -= 2;
    sn_send(talker->birth.other, &word_event, NULL);
}

static void begin(void *self, const void *payload)
{
    struct talker *talker = self;

    talker->birth = *(const struct talker_birth *)payload;
    talker->left = talker->birth.steps;
    go_on(talker);
}

static void on_heard(void *self, const void *payload)
{
    (void)payload;
    go_on(self);
}

static const struct sn_state talking = {
    .name = "Talking",
    .entry = begin,
    .on = (const struct sn_on[]){{.event = &echo_event, .run = on_heard},
                                 {.event = &rested_event, .run = on_heard},
                                 {0}},
};

static const struct sn_field birth_fields[] = {
    SN_FIELD(struct talker_birth, other, SN_MACHINE),
    SN_FIELD(struct talker_birth, steps, SN_UINT),
    SN_FIELD(struct talker_birth, rest_ns, SN_UINT),
    {0},
};

static const struct sn_event birth_event = {
    .name = "TalkerBirth",
    .size = sizeof(struct talker_birth),
    .fields = birth_fields,
};

/* The other one and the rest never change. */
static uint64_t fingerprint(const void *self)
{
    const struct talker *talker = self;

    return talker->left * (WORDS + 1) + talker->said;
}

static const struct sn_machine talker_machine = {
    .name = "Talker",
    .size = sizeof(struct talker),
    .start = &talking,
    .birth = &birth_event,
    .fingerprint = fingerprint,
};

/* ---- One who echoes ------------------------------------------------------------------------- */

static void on_word(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(sn_sender(), &echo_event, NULL);
}

static const struct sn_state listening = {
    .name = "Listening",
    .on = (const struct sn_on[]){{.event = &word_event, .run = on_word}, {0}},
};

static const struct sn_machine echo_machine = {.name = "Echo", .start = &listening};

/* ---- All of them ---------------------------------------------------------------------------- */

void noise_start(uint64_t rest_ns)
{
    static const uint64_t rests[PAIRS] = {1, 2, 3, 5};

    for (uint64_t i = 0; i < PAIRS; i++) {
        uint64_t steps = noise_steps / PAIRS + (i < noise_steps % PAIRS);
        struct talker_birth birth = {.rest_ns = rest_ns * rests[i]};

        if (steps < STARTS)
            continue;
        birth.steps = steps - STARTS;
        birth.other = sn_create(&echo_machine, NULL);
        sn_create(&talker_machine, &birth);
    }
}

void noise_make_room(struct sn_test *tests)
{
    static struct sn_faults faults[TESTS_MAX];

    if (noise_steps == 0)
        return;
    for (struct sn_test *test = tests; test->name != NULL; test++) {
        test->max_steps += noise_steps;
        if (test->fair_steps != 0) { /* nobody knows on which side of its beginning the noise is */
            test->fair_steps += noise_steps;
            test->max_steps += noise_steps;
        }
        if (test->faults == NULL || test->faults->horizon == 0)
            continue;
        faults[test - tests] = *test->faults;
        faults[test - tests].horizon += (uint32_t)noise_steps;
        test->faults = &faults[test - tests];
    }
}
