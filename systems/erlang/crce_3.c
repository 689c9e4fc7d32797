/* crce_3.c - a chain of log servers grows at its head while it is written to and read (Corfu).
 *
 * What is repaired is written to before all others, and is the head afterwards ("head of heads").
 *
 * SPDX-License-Identifier: MIT
 */
#include "bugs.h"
#include "crce.h"
#include "noise.h"
#include "tests.h"

const struct crce crce_3 = {
    .stage = 3,
    .is_head = true,
    .layouts_max = 4,
    .during = {.epoch = 2, .n_chain = 2, .n_repairing = 1, .order = {UNIT_C, UNIT_A, UNIT_B}},
    .after = {.epoch = 3, .n_chain = 3, .order = {UNIT_C, UNIT_A, UNIT_B}},
    .repairs_by = CALL_CLOBBER,
};

/* Once all servers are in an epoch that no client knows of, nothing changes but by the repair. The
 * old head then has what the chain has agreed on; the tail may not have it yet. */
static void change_layout(const void *payload)
{
    const struct layout *during = &crce_3.during;
    const struct layout *after = &crce_3.after;
    struct servers servers = *(const struct servers *)payload;
    struct outcome outcome = {.results[0].result = LOG_OK};
    struct noise noise;

    noise_open(&noise, NOISE_POINTS);
    noise_pass(&noise);
    crce_publish(&servers, during);
    crce_install(&servers, during);
    noise_pass(&noise);
    if (!bug_crce_3)
        crce_install(&servers, after);
    if (!bug_crce_3)
        crce_repair(&servers, after, UNIT_A);
    else
        crce_repair(&servers, during, UNIT_B);
    noise_pass(&noise);
    crce_publish(&servers, after);
    if (bug_crce_3)
        crce_install(&servers, after);
    sn_send(servers.parent, &crce_outcome_event, &outcome);
}

static const struct sn_process changer_process = {
    .name = "Changer",
    .run = change_layout,
    .birth = &crce_birth_event,
};

/* What is written in the end begins at the head of the chain, and is the same as far as it goes. */
static void check_chain(const struct servers *servers)
{
    const struct layout *layout = &crce_3.after;
    uint32_t values[UNITS];
    bool is_right = true;

    for (uint32_t i = 0; i < UNITS; i++) {
        values[i] = crce_read(servers, layout->order[i], layout->epoch).value;
        if (i > 0 && values[i] != 0 && values[i] != values[i - 1])
            is_right = false;
    }
    sn_assertf(is_right, "the chain c, a, b has the values %u, %u, %u (0: not written)", values[0],
               values[1], values[2]);
}

static void test(const void *payload)
{
    struct servers servers;

    (void)payload;
    noise_before();
    crce_start(&crce_3, &servers);
    (void)sn_spawn(&changer_process, &servers);
    noise_beside();
    for (int i = 0; i < CLIENTS; i++)
        crce_check(sn_receive_event(&crce_outcome_event, SN_FOREVER)->payload);
    check_chain(&servers);
    noise_after();
}

static const struct sn_process test_process = {.name = "Test", .run = test};

void crce_3_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}
