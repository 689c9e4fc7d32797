/* paper.c - see paper.h.
 *
 * Al-Mahfoudh, Stutsman and Gopalakrishnan, "Efficient linearizability checking for actor-based
 * systems", algorithm 1. Where the published text and the published program
 * (github.com/mohdsm81/ds2) differ, this is what is done here:
 *
 *   - At each point, all messages that can be received are looked at, as the text says; the program
 *     looks at the one that is received.
 *   - The event that a message is in a race with is the latest that depends on it, and if that has
 *     led to the message, there is none. The text looks for the latest that has not; as long as
 *     what depends on each other is ordered, that comes to the same.
 *   - The backtrack set of a point begins with one message, in the text as in the program, and
 *     nothing is added to it where no message is found that could be received.
 *   - IRed's text speaks of chains in which each receiver is the next one's sender; the program
 *     finds one by going back from the message and taking each event whose receiver is the sender
 *     of the last that it took. So does this.
 *   - Two messages that only read depend on each other in LiViola's program, in the text they do
 *     not; here they do.
 *
 * Steps depend on each other if one machine takes both, and for no other reason: not by monitors,
 * not by the order of calls and returns. A machine's first step is not in a race with anything.
 * SPDX-License-Identifier: MIT
 */
#include "strategy/paper.h"

#include "strategy/backtrack.h"
#include "strategy/views.h"

/* The event in which an operation was performed; 0: it was not. */
static uint32_t find_event(const struct course *c, uint64_t id, uint32_t from)
{
    for (uint32_t k = from; k < c->n; k++) {
        if (c->events[k].act.id == id)
            return k;
    }
    return 0;
}

/* The latest event before `now` that depends on a candidate; 0: none. */
static uint32_t find_dependent(const struct course *c, const struct candidate *m, uint32_t now)
{
    uint32_t performed = find_event(c, m->id, now);

    for (uint32_t i = now; performed != 0 && i-- > 1;) {
        if (c->events[i].task == m->task &&
            course_conflict(c, c->events[i].act.footprint, c->events[performed].act.footprint))
            return c->events[i].is_start ? 0 : i;
    }
    return 0;
}

static uint64_t find_first_enabler(const struct course *c, const struct candidate *m, uint32_t i,
                                   uint32_t now)
{
    for (uint32_t k = i + 1; k < now; k++) {
        if (course_is_before(c, k, m->cause))
            return c->events[k].act.id;
    }
    return 0;
}

static uint64_t find_root_enabler(const struct course *c, const struct candidate *m, uint32_t i,
                                  uint32_t now)
{
    uint64_t sender = m->from;
    uint64_t root = 0;

    for (uint32_t k = now; k-- > i + 1;) {
        if (c->events[k].task != sender)
            continue;
        root = c->events[k].act.id;
        sender = c->events[k].from;
    }
    return root;
}

static void learn_candidate(struct walk *w, const struct candidate *m, uint32_t now,
                            uint64_t (*find_other)(const struct course *c,
                                                   const struct candidate *m, uint32_t i,
                                                   uint32_t now))
{
    const struct course *c = &w->course;
    uint32_t i = find_dependent(c, m, now);
    uint64_t id = m->id;

    if (i == 0 || w->is_frozen[i] || course_is_before(c, i, m->cause))
        return;
    if (!backtrack_could_run(c, i, id))
        id = find_other(c, m, i, now);
    if (id == 0 || !backtrack_could_run(c, i, id) || plans_has(&w->plans, c, i, id))
        return;
    backtrack_try(&w->plans, c, i, id);
    w->is_frozen[i] = true;
}

static void learn(struct walk *w,
                  uint64_t (*find_other)(const struct course *c, const struct candidate *m,
                                         uint32_t i, uint32_t now))
{
    const struct course *c = &w->course;

    for (uint32_t now = c->fresh; now < c->n; now++)
        w->is_frozen[now] = false;
    for (uint32_t now = c->fresh + 1; now < c->n; now++) {
        for (uint32_t i = c->events[now].candidates; i < c->events[now + 1].candidates; i++)
            learn_candidate(w, course_candidate(c, i), now, find_other);
    }
}

static void learn_transdpor(struct walk *w)
{
    learn(w, find_first_enabler);
}

static void learn_ired(struct walk *w)
{
    learn(w, find_root_enabler);
}

const struct walk_rules paper_transdpor = {.learn = learn_transdpor};
const struct walk_rules paper_ired = {.learn = learn_ired};
const struct walk_rules paper_liviola = {.learn = learn_ired, .attach = view_keys_as_published};
