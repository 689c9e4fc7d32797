/* shrink_held.c - what the operations of exceptions are called that the shrunk trial does not run.
 *
 * Exceptions are about a trial of their own, by the default schedule. What runs only there is known
 * to a reader by its name, so that trial is recorded, too, and read.
 * SPDX-License-Identifier: MIT
 */
#include "api/identity.h"
#include "api/shrink_own.h"
#include "engine/mem.h"
#include "report/show_shrunk.h"

#include <string.h>
#include <unistd.h>

static bool runs_here(const struct shrink *s, uint64_t id)
{
    for (uint64_t i = 0; i < s->best.result.steps; i++) {
        if (s->best.ops[i].id == id)
            return true;
    }
    return false;
}

static bool all_run_here(const struct shrink *s)
{
    for (uint32_t i = 0; i < s->n_holds; i++) {
        if (!runs_here(s, s->holds[i].held) || !runs_here(s, s->holds[i].until))
            return false;
    }
    return true;
}

/* Records the trial of the exceptions and reads that. */
static int read_held(struct shrink *s, const char *path, struct trace *out)
{
    const struct lab_result *result = shrink_run_held(s);
    char aside[4096];
    int rc;

    if (result == NULL)
        return SN_EINVAL;
    rc = shrink_name_aside(s, path, aside, sizeof(aside));
    if (rc < 0)
        return rc;
    rc = lab_record(s->lab, result, &s->trace->header, NULL, 0, aside, &s->why);
    if (rc == 0)
        rc = trace_read(out, aside, &s->why);
    (void)unlink(aside);
    return rc;
}

static const char *name_of(const struct shrink *s, const struct trace *held, uint64_t id,
                           char name[SHRINK_NAME])
{
    struct sn_text out;

    text_init(&out, name, SHRINK_NAME);
    return !runs_here(s, id) && show_put_operation(&out, held, id) ? name : NULL;
}

void shrink_name_holds(struct shrink *s, const char *path, struct trace_record *holds, uint32_t n,
                       char (*names)[SHRINK_NAME])
{
    struct trace held = {.n_records = 0};

    if (all_run_here(s) || read_held(s, path, &held) < 0)
        return; /* they have no names then */
    for (uint32_t i = 0; i < n; i++) {
        holds[i].hold.name = name_of(s, &held, holds[i].hold.held, names[2 * i]);
        holds[i].hold.until_name = name_of(s, &held, holds[i].hold.until, names[2 * i + 1]);
    }
    trace_done(&held);
}
