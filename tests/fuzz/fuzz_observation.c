/* fuzz_observation.c - a libFuzzer target: any bytes as an observation of a synchroniser.
 *
 * What is taken is judged by several rules, with little memory, and printed; the files together
 * must give the verdict that they give apart. SPDX-License-Identifier: MIT
 */
#include "base/text.h"
#include "sync/observation.h"
#include "sync/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 24, STATES_MAX = 20000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_lines(struct observation *observation, const uint8_t *data, size_t size,
                      struct err *why)
{
    uint64_t line = 1;

    for (size_t at = 0; at < size; line++) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t n = end == NULL ? size - at : (size_t)(end - (data + at));
        char *text = malloc(n + 1); /* so that running off the end is noticed */
        int rc;

        sn_check(text != NULL);
        memcpy(text, data + at, n);
        text[n] = '\0';
        rc = observation_line(observation, text, n, line, why);
        free(text);
        if (rc < 0)
            return rc;
        at += n + 1;
    }
    return observation_end(observation, why);
}

static void judge(const struct observation *observation, const char *rules)
{
    static char text[1 << 16];
    struct sn_sync_limits limits = {.states = STATES_MAX};
    struct sync_print what = {.rules = rules,
                              .n_nodes = observation->n_nodes,
                              .events = observation->events,
                              .n = observation->n < EVENTS_MAX ? observation->n : EVENTS_MAX,
                              .names = &observation->names,
                              .limits = &limits,
                              .lines = observation->lines};
    struct sn_sync_result apart;
    struct sn_sync_result together;
    struct sn_text out;

    (void)sn_sync_judge(rules, what.n_nodes, what.events, what.n, &limits, &apart);
    limits.is_joint = true;
    (void)sn_sync_judge(rules, what.n_nodes, what.events, what.n, &limits, &together);
    sn_check(apart.explained <= what.n);
    if (apart.verdict != SN_CONJECTURED_UNKNOWN && together.verdict != SN_CONJECTURED_UNKNOWN)
        sn_check(apart.verdict == together.verdict && apart.hidden == together.hidden);
    limits.is_joint = false;
    text_init(&out, text, sizeof(text));
    sn_check(sync_print_table(&what, SN_SYNC_EXPLAINED, &out) == 0);
    text_init(&out, text, sizeof(text));
    sn_check(sync_print_table(&what, SN_SYNC_REJECTED, &out) == 0);
    text_init(&out, text, sizeof(text));
    sn_check(sync_print_json(&what, &out) == 0);
    (void)sn_sync_judge_order(what.n_nodes, what.events, what.n, &together);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct observation observation;
    struct err why = {""};

    observation_init(&observation, "fuzz", (size_t)1 << 24);
    if (read_lines(&observation, data, size, &why) < 0) {
        sn_check(strncmp(why.text, "fuzz:", 5) == 0);
    } else {
        judge(&observation, observation.rules);
        judge(&observation, "either");
        judge(&observation, "newest-kept");
        judge(&observation, "skip");
    }
    observation_done(&observation);
    return 0;
}
