/* engine.c - see engine.h. SPDX-License-Identifier: MIT */
#include "api/engine.h"

#include "engine/here.h"
#include "engine/mem.h"
#include "oracle/lasso.h"
#include "substrate/environment.h"
#include "substrate/machine.h"
#include "substrate/services.h"

#include <stdio.h>
#include <stdlib.h>

/* SENNIT_HEAP_FILL=5a: what malloc fills new blocks with. A program that depends on it reads memory
 * that it has not written. */
static void choose_fill(void)
{
    const char *text = getenv("SENNIT_HEAP_FILL");
    unsigned value;

    if (text != NULL && sscanf(text, "%2x", &value) == 1)
        world_root.heap.fill = value + 1;
}

struct engine *engine_get(struct err *why)
{
    struct engine *engine;

    if (trial_here() != NULL)
        return trial_here()->owner;
    engine = mem_reserve_shared(sizeof(*engine), why);
    if (engine == NULL || trial_new(&engine->t, why) < 0 || machines_join(engine->t, why) < 0 ||
        environment_join(engine->t, why) < 0 || lasso_join(engine->t, why) < 0)
        return NULL;
    choose_fill();
    services_prepare();
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
