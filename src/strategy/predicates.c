/* predicates.c - dependence as the test's own predicates say: see views.h.
 * SPDX-License-Identifier: MIT
 */
#include "engine/op.h"
#include "strategy/views.h"

static void see(struct course *c, struct trial *t, const struct sn_op *op)
{
    struct sn_taken_step step = {
        .machine = t->tasks[op->task].id,
        .from = t->tasks[op->from].id,
        .kind = op->kind,
        .event = op->kind != SN_OP_START ? op->what : NULL,
        .payload = op_payload(t, op),
        .size = op->size,
    };

    c->step = steps_get(c->steps, &step);
}

/* A footprint is what predicates are asked about: the step itself. */
static uint32_t footprint_of_step(struct course *c, const struct trial *t,
                                  const struct candidate *candidate)
{
    struct touch touch = {c->step, TOUCH_STEP};

    (void)t;
    (void)candidate;
    return c->step != 0 ? footprints_get(&c->footprints, &touch, 1) : FOOTPRINT_WILD;
}

void view_predicates(struct walk *w, const struct trial *t)
{
    static const struct course_view by_steps = {.before = see, .footprint = footprint_of_step};
    static const struct course_view by_touches = {.before = see};
    const struct sn_dependence *asks = t->test->dependence;

    if (asks == NULL || (asks->dependent == NULL && asks->enabled_by == NULL))
        return;
    w->steps.asks = asks;
    w->course.steps = &w->steps;
    w->course.view = asks->dependent != NULL ? &by_steps : &by_touches;
    w->course.footprints.steps = asks->dependent != NULL ? &w->steps : NULL;
    w->course.has_objects = true;
    w->is_by_test = true;
}
