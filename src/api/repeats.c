/* repeats.c - see repeats.h. SPDX-License-Identifier: MIT */
#include "api/repeats.h"

#include "engine/trial.h"

uint32_t request_repeats(const struct run_request *request)
{
    uint32_t repeats = request->options.repeats;

    if (repeats == 0 && request->test != NULL)
        repeats = request->test->repeats;
    return repeats > 1 ? repeats : 1;
}

uint32_t request_shrink_repeats(const struct run_request *request)
{
    uint32_t repeats = request->shrink_repeats;

    if (repeats == 0 && request->test != NULL)
        repeats = request->test->shrink_repeats;
    return repeats > 0 ? repeats : request_repeats(request);
}

bool request_is_uncontrolled(const struct run_request *request)
{
    return request_repeats(request) > 1 || request_shrink_repeats(request) > 1 ||
           (request->test != NULL && request->test->repeats > 1);
}

static void ignore_step(struct trial *t, const struct sn_op *op, const void *payload)
{
    (void)t;
    (void)op;
    (void)payload;
}

uint32_t repeats_run(struct explore *e, uint32_t runs)
{
    /* A trial that is listened to takes no checkpoints. */
    static const struct recorder nobody = {.step = ignore_step};
    struct trial *t = e->t;
    struct explore_repeat repeat = {.recorder = &nobody, .decisions = t->log.n};
    uint32_t run = 1;

    while (run < runs && t->verdict.verdict == SN_PASSED && t->divergence.text[0] == '\0') {
        t->log.n = repeat.decisions;
        explore_repeat(e, &repeat);
        run++;
    }
    return run;
}
