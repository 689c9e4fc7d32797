/* fuzz_rules.c - a libFuzzer target: any bytes as a file of constraints.
 *
 * What is taken must make units or be refused with a sentence; units must lead to interleavings
 * that are all different, and that the walk itself knows. SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "events/interleave.h"

#include <stdio.h>
#include <string.h>

enum { WALK_MAX = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add(struct recording *r, enum sn_event_kind kind, uint8_t replica, uint8_t peer,
                uint8_t of)
{
    struct recorded *e = &r->events[r->n++];

    *e = (struct recorded){.kind = kind, .replica = replica, .peer = peer, .of = of, .op = "op"};
}

/* Events of all kinds. */
static struct recording make_recording(void)
{
    struct recording r = {.n_replicas = 3, .replicas = {"A", "B", "C"}};
    struct err why = {""};

    add(&r, SN_EVENT_UPDATE, 0, 0, 0);
    add(&r, SN_EVENT_REQUEST, 0, 1, 0);
    add(&r, SN_EVENT_UPDATE, 1, 1, 0);
    add(&r, SN_EVENT_EXECUTE, 1, 0, 1);
    add(&r, SN_EVENT_DELIVER, 2, 1, 2);
    add(&r, SN_EVENT_QUERY, 0, 0, 0);
    add(&r, SN_EVENT_REQUEST, 2, 0, 0);
    add(&r, SN_EVENT_EXECUTE, 0, 2, 6);
    sn_check(recording_settle(&r, &why) == 0);
    return r;
}

static void walk(const struct units *u)
{
    struct interleave it;
    struct interleave other;
    uint8_t last[RECORDING_EVENTS_MAX] = {0};
    uint32_t n = 0;

    interleave_init(&it, u);
    for (; n < WALK_MAX && interleave_next(&it); n++) {
        sn_check(n == 0 || memcmp(last, it.order, it.n) < 0);
        sn_check(interleave_has(u, it.order));
        memcpy(last, it.order, it.n);
    }
    sn_check(n > 0);
    interleave_init(&other, u);
    interleave_seek(&other, last);
    if (it.has_ended)
        sn_check(!interleave_next(&other));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t prunings[] = {0, PRUNE_GROUPS, PRUNE_ALL,
                                        PRUNE_ALL | PRUNE_GROUPS_PAPER | PRUNE_REPLICAS_PAPER};
    const struct recording r = make_recording();
    struct rules rules = {.watched = 1};
    struct err why = {""};

    if (rules_read(&rules, &r, "fuzz", (const char *)data, size, &why) < 0) {
        sn_check(strncmp(why.text, "fuzz: ", 6) == 0);
        return 0;
    }
    for (size_t i = 0; i < 2 * sizeof(prunings) / sizeof(prunings[0]); i++) {
        struct units units;

        rules.is_free = i % 2 != 0;
        rules.prunings = prunings[i / 2];
        why.text[0] = '\0';
        if (units_make(&units, &r, &rules, &why) == 0)
            walk(&units);
        else
            sn_check(why.text[0] != '\0');
    }
    return 0;
}
