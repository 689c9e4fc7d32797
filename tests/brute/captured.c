/* captured.c - see captured.h. SPDX-License-Identifier: MIT */
#include "captured.h"

#include "strategy/conflicts.h"

#include <string.h>

struct captures captures;

size_t __real_conflicts_lesson(struct conflicts *c, unsigned char *bytes, size_t room);
size_t __wrap_conflicts_lesson(struct conflicts *c, unsigned char *bytes, size_t room);

static void on_found(void *self, uint32_t earlier, uint32_t later)
{
    struct captured *to = self;

    if (later <= PATHS_STEPS_MAX)
        to->races[later] |= STEP_BIT(earlier);
}

static void capture(struct captured *to, const struct conflicts *c)
{
    to->n = c->races.n;
    to->is_odd = to->n > PATHS_STEPS_MAX || c->races.is_full;
    for (uint32_t i = 1; i <= to->n && !to->is_odd; i++) {
        const struct race_event *e = &c->races.events[i];

        to->raced |= e->raced ? STEP_BIT(i) : 0;
        to->hashes[i] = c->kinds[e->signature].hash;
        to->known[i] = c->kinds[e->signature].known;
    }
}

size_t __wrap_conflicts_lesson(struct conflicts *c, unsigned char *bytes, size_t room)
{
    struct captured *to = &captures.all[c->trial];
    size_t n;

    if (c->trial >= CAPTURED_TRIALS_MAX)
        return __real_conflicts_lesson(c, bytes, room);
    memset(to, 0, sizeof(*to));
    c->races.found = on_found;
    c->races.self = to;
    n = __real_conflicts_lesson(c, bytes, room);
    c->races.found = NULL;
    to->is_analysed = c->is_analysed;
    if (to->is_analysed)
        capture(to, c);
    return n;
}

void captures_watch(void *self, const struct sn_trial_view *trial)
{
    struct captured *to = &captures.all[trial->trial];

    (void)self;
    if (trial->trial >= CAPTURED_TRIALS_MAX)
        return;
    captures.n = (uint32_t)trial->trial + 1;
    to->is_odd |= trial->verdict != SN_PASSED || trial->cut || trial->decisions > CAPTURED_LOG_MAX;
    if (to->is_odd)
        return;
    to->n_log = (uint32_t)trial->decisions;
    memcpy(to->log, trial->log, to->n_log * sizeof(to->log[0]));
}
