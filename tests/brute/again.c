/* again.c - see again.h. SPDX-License-Identifier: MIT */
#include "again.h"

#include "api/engine.h"
#include "engine/explore.h"
#include "substrate/machine.h"

void again_open(struct again *a, const struct sn_test *test)
{
    const struct explore_options options = {.test = test, .fair_from = UINT64_MAX};
    struct err why = {""};
    struct engine *engine = engine_get(&why);

    sn_check(engine != NULL);
    a->t = engine->t;
    sn_check(opnames_new(&a->names, &why) == 0);
    sn_check(happened_new(&a->happened, a->t, a->names, &why) == 0);
    machines_forget(a->t);
    sn_check(explore_open(&a->explore, a->t, &options, &why) == 0);
}

void again_close(struct again *a)
{
    explore_close(a->explore);
    happened_free(a->happened);
    opnames_free(a->names);
}

bool again_run(struct again *a, const struct again_decision *log, uint64_t n)
{
    const struct explore_repeat repeat = {.recorder = happened_recorder(a->happened),
                                          .decisions = n,
                                          .before = happened_before,
                                          .after = happened_after,
                                          .self = a->happened};

    a->t->log.n = 0;
    for (uint64_t i = 0; i < n; i++)
        log_push(&a->t->log, log[i].is_draw ? LOG_DRAW : LOG_OP, log[i].value, 0);
    explore_repeat(a->explore, &repeat);
    return a->t->divergence.text[0] == '\0' && a->t->verdict.verdict == SN_PASSED;
}
