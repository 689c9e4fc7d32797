/* engine.c - see engine.h. SPDX-License-Identifier: MIT */
#include "api/engine.h"

#include "engine/here.h"
#include "engine/mem.h"
#include "engine/require.h"
#include "engine/sites.h"
#include "events/events.h"
#include "oracle/lasso.h"
#include "oracle/linear.h"
#include "substrate/environment.h"
#include "substrate/machine.h"
#include "substrate/process.h"
#include "substrate/services.h"

#include <sys/prctl.h>
#include <unistd.h>

static int join_all(struct engine *engine, struct err *why)
{
    int rc = machines_join(engine->t, why);

    if (rc == 0)
        rc = processes_join(engine->t, why);
    if (rc == 0)
        rc = environment_join(engine->t, why);
    if (rc == 0)
        rc = linear_join(engine->t, why);
    if (rc == 0)
        rc = events_join(engine->t, why);
    return rc == 0 ? lasso_join(engine->t, why) : rc;
}

int engine_clone(struct engine **out, const struct engine *like, struct err *why)
{
    struct engine *engine = mem_reserve_shared(sizeof(*engine), why);
    int rc;

    *out = engine;
    if (engine == NULL)
        return SN_ENOMEM;
    rc = trial_new(&engine->t, like->t, why);
    if (rc < 0)
        return rc;
    engine->strategies = like->strategies;
    engine->has_exit_hook = like->has_exit_hook;
    engine->t->owner = engine;
    engine->t->sites = like->t->sites;
    engine->t->classes = like->t->classes;
    rc = join_all(engine, why);
    if (rc == 0)
        events_inherit(engine->t, like->t);
    return rc;
}

void engine_free(struct engine *engine)
{
    if (engine == NULL)
        return;
    if (engine->t != NULL) {
        require_close(engine->t);
        lasso_leave(engine->t);
        events_leave(engine->t);
        linear_leave(engine->t);
        environment_leave(engine->t);
        processes_leave(engine->t);
        machines_leave(engine->t);
        trial_free(engine->t);
    }
    mem_release(engine, sizeof(*engine));
}

void engine_enter(struct engine *engine, pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0); /* it died before it could be said that this process is to die with it */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_DFL);
    root_set_engine(engine->t);
    death_watch(engine->t);
}

struct engine *engine_get(struct err *why)
{
    struct engine *engine;

    if (trial_here() != NULL)
        return trial_here()->owner;
    engine = mem_reserve_shared(sizeof(*engine), why);
    if (engine == NULL || trial_new(&engine->t, NULL, why) < 0 || join_all(engine, why) < 0)
        return NULL;
    engine->t->sites = mem_reserve_shared(sizeof(*engine->t->sites), why);
    engine->t->classes = mem_reserve_shared(sizeof(*engine->t->classes), why);
    if (engine->t->sites == NULL || engine->t->classes == NULL)
        return NULL;
    services_prepare();
    stack_prepare();
    strategies_init(&engine->strategies);
    strategies_add_entry(&engine->strategies, &strategy_events);
    engine->t->owner = engine;
    root_set_engine(engine->t);
    return engine;
}

int sn_strategy_register(const struct sn_strategy *strategy)
{
    struct engine *engine = engine_get(NULL);

    return engine != NULL ? strategies_add(&engine->strategies, strategy, NULL) : SN_ENOMEM;
}
