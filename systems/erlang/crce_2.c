/* crce_2.c - a chain of log servers grows at its tail while it is written to and read (Corfu).
 *
 * What is repaired is written to after all others, and is the tail afterwards, from which is read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bugs.h"
#include "crce.h"
#include "noise.h"
#include "tests.h"

enum {
    VALUE_A = 1, /* what the first writer writes */
};

const struct crce crce_2 = {
    .stage = 2,
    .layouts_max = 2,
    .during = {.epoch = 2, .n_chain = 2, .n_repairing = 1, .order = {UNIT_A, UNIT_B, UNIT_C}},
    .after = {.epoch = 3, .n_chain = 3, .order = {UNIT_A, UNIT_B, UNIT_C}},
    .repairs_by = CALL_WRITE,
};

/* Once all servers are in an epoch that no client knows of, nothing changes but by the repair. What
 * was read came from the old tail: the new one must have it before clients read from there. */
static void change_layout(const void *payload)
{
    const struct layout *during = &crce_2.during;
    const struct layout *after = &crce_2.after;
    bool is_racing = bug_crce_2 || bug_crce_2_pattern;
    struct servers servers = *(const struct servers *)payload;
    struct outcome outcome = {.results[0].result = LOG_OK};
    struct noise noise;

    noise_open(&noise, NOISE_POINTS);
    noise_pass(&noise);
    crce_publish(&servers, during);
    crce_install(&servers, during);
    noise_pass(&noise);
    if (!is_racing)
        crce_install(&servers, after);
    crce_repair(&servers, is_racing ? during : after, UNIT_B);
    noise_pass(&noise);
    crce_publish(&servers, after);
    if (is_racing)
        crce_install(&servers, after);
    sn_send(servers.parent, &crce_outcome_event, &outcome);
}

static const struct sn_process changer_process = {
    .name = "Changer",
    .run = change_layout,
    .birth = &crce_birth_event,
};

/* The test as it was committed: a variable of its pattern has a value already. */
static void check_pattern(const struct outcome *outcome)
{
    for (int i = 0; i < READS && outcome->is_reader; i++)
        sn_assertf(outcome->results[i].result != LOG_OK || outcome->results[i].value == VALUE_A,
                   "value %u was read", outcome->results[i].value);
}

static void test(const void *payload)
{
    struct servers servers;

    (void)payload;
    noise_before();
    crce_start(&crce_2, &servers);
    (void)sn_spawn(&changer_process, &servers);
    noise_beside();
    for (int i = 0; i < CLIENTS; i++) {
        const struct sn_message *m = sn_receive_event(&crce_outcome_event, SN_FOREVER);

        crce_check(m->payload);
        if (bug_crce_2_pattern)
            check_pattern(m->payload);
    }
    noise_after();
}

static const struct sn_process test_process = {.name = "Test", .run = test};

void crce_2_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}
