/* cover.c - see cover.h. SPDX-License-Identifier: MIT */
#include "explain/cover.h"

#include "base/err.h"

static void count_cause(struct cover *c, uint32_t cause, bool *covered)
{
    c->explained[cause] = 0;
    for (uint32_t i = 0; i < c->n_runs; i++) {
        if (!c->holds(c->self, i, cause))
            continue;
        c->explained[cause]++;
        c->covered += !covered[i];
        covered[i] = true;
    }
}

int cover_run(struct cover *c)
{
    bool covered[COVER_RUNS_MAX] = {false};
    int rc = 0;

    sn_check(c->n_runs <= COVER_RUNS_MAX && c->n_causes <= COVER_CAUSES_MAX);
    c->covered = 0;
    c->attempts = 0;
    for (uint32_t i = 0; i < c->n_causes; i++)
        count_cause(c, i, covered);
    for (uint32_t i = 0; i < c->n_runs; i++) {
        if (covered[i])
            continue;
        if (c->n_causes == COVER_CAUSES_MAX || c->attempts == COVER_CAUSES_MAX)
            break;
        c->attempts++;
        rc = c->explain(c->self, i, c->n_causes);
        if (rc == EXPLAIN_NONE)
            continue;
        if (rc != 0)
            return rc;
        count_cause(c, c->n_causes++, covered);
    }
    return rc == EXPLAIN_NONE ? 0 : rc;
}
