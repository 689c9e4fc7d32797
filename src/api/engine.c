/* engine.c - see engine.h. SPDX-License-Identifier: MIT */
#include "api/engine.h"

#include "engine/here.h"
#include "engine/mem.h"
#include "substrate/machine.h"

struct engine *engine_get(struct err *why)
{
    struct engine *engine;

    if (trial_here() != NULL)
        return trial_here()->owner;
    engine = mem_reserve_shared(sizeof(*engine), why);
    if (engine == NULL || trial_new(&engine->t, why) < 0 || machines_join(engine->t, why) < 0)
        return NULL;
    strategies_init(&engine->strategies);
    engine->t->owner = engine;
    root_set_engine(engine->t);
    return engine;
}

int sn_strategy_register(const struct sn_strategy *strategy)
{
    struct engine *engine = engine_get(NULL);

    return engine != NULL ? strategies_add(&engine->strategies, strategy, NULL) : SN_ENOMEM;
}
