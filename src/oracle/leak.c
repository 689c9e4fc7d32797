/* leak.c - see leak.h. SPDX-License-Identifier: MIT */
#include "oracle/leak.h"

#include "engine/explore.h"
#include "engine/here.h"
#include "engine/mem.h"
#include "engine/op.h"
#include "engine/world/block.h"
#include "substrate/machine.h"

#include <inttypes.h>
#include <link.h>
#include <stdio.h>

enum { SITES = 1 << 16 }; /* a power of two */

/* Where a block was allocated. A newer one takes the place of an older one with the same hash. */
struct site {
    const void *block;
    const void *caller;
    uint64_t step;
    uint32_t task;
};

struct leak {
    struct reach reach;
    struct site sites[SITES];
};

/* ---- Where ---------------------------------------------------------------------------------- */

static struct site *site_of(struct leak *leak, const void *block)
{
    return &leak->sites[mix64((uint64_t)(uintptr_t)block) & (SITES - 1)];
}

static void told(const void *block, const void *caller)
{
    struct trial *t = trial_of_thread();

    if (t != NULL && t->leak != NULL)
        *site_of(t->leak, block) = (struct site){
            .block = block, .caller = caller, .step = t->now.steps, .task = t->now.task};
}

/* An address as program+offset, which is the same in every process. */
struct place {
    uintptr_t address;
    char text[128];
};

static int find_object(struct dl_phdr_info *object, size_t size, void *self)
{
    struct place *place = self;
    const char *slash = strrchr(object->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : object->dlpi_name;

    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;

        if (segment->p_type != PT_LOAD || place->address - start >= segment->p_memsz)
            continue;
        (void)snprintf(place->text, sizeof(place->text), "%.80s+0x%" PRIxPTR,
                       name[0] != '\0' ? name : "the program", place->address - object->dlpi_addr);
        return 1;
    }
    return 0;
}

static void print_site(struct sn_text *out, struct trial *t, const struct reach_block *block)
{
    const struct site *site = site_of(t->leak, block->start);
    struct place place = {.address = (uintptr_t)site->caller};
    char name[128];

    if (site->block != block->start)
        return;
    if (site->task == 0)
        text_puts(out, " by the test");
    else
        text_print(out, " by %.60s",
                   machine_name(t, &t->machines->all[site->task], name, sizeof(name)));
    text_print(out, " in step %" PRIu64, site->step);
    if (dl_iterate_phdr(find_object, &place) != 0)
        text_print(out, ", called from %s", place.text);
}

/* ---- Judging -------------------------------------------------------------------------------- */

/* What the engine keeps of the trial: machines, what sn_alloc returned, events not delivered yet.
 */
static void reach_from_trial(struct reach *r, const struct trial *t)
{
    reach_from(r, t->memory, (size_t)t->now.memory_lines * 64);
    for (uint32_t i = 1; i < t->now.n_sources; i++) {
        const struct source *source = &t->sources[i];

        if (source_is_free(source))
            continue;
        for (uint32_t op = source->head; op != 0; op = t->ops[op].next) {
            if (t->ops[op].size > 0)
                reach_from(r, op_payload(t, &t->ops[op]), t->ops[op].size);
        }
    }
}

/* The bytes that malloc was asked for. */
static uint64_t asked(const struct reach_block *block)
{
    return ((const struct block *)(const void *)block->start - 1)->value;
}

static void judge(struct trial *t, bool at_limit)
{
    struct reach *r = &t->leak->reach;
    const struct reach_block *first = NULL;
    uint64_t n = 0;
    uint64_t bytes = 0;
    char where[256] = "";
    struct sn_text out;

    (void)at_limit;
    if (!reach_find(r))
        return;
    reach_from_trial(r, t);
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->blocks[i].is_reached)
            continue;
        if (n++ == 0)
            first = &r->blocks[i];
        bytes += asked(&r->blocks[i]);
    }
    if (n == 0)
        return;
    text_init(&out, where, sizeof(where));
    print_site(&out, t, first);
    trial_fail(t, "leak", NULL,
               "%" PRIu64 " block%s of the heap, %" PRIu64 " bytes, %s lost: nothing points to "
               "%s; %s was allocated%s",
               n, n == 1 ? "" : "s", bytes, n == 1 ? "is" : "are", n == 1 ? "it" : "them",
               n == 1 ? "it" : "the first", where);
}

/* Where the heap is not put back, what trials before have lost is theirs. */
static void arm(struct trial *t)
{
    if (t->explore->mode == SN_WORLD_TRIAL && t->now.steps == 0)
        reach_begin(&t->leak->reach);
}

/* Memory that nobody points to is no part of what machines can tell. */
static int state(struct trial *t, struct state_key *key, struct err *why)
{
    (void)t;
    (void)key;
    return err_set(why, SN_EINVAL, "what leaks depends on more than the states of machines");
}

static const struct oracle leak_oracle = {.arm = arm, .judge = judge, .state = state};

/* ---- Opening and closing -------------------------------------------------------------------- */

int leak_open(struct trial *t, const void *stack, struct err *why)
{
    struct leak *leak = mem_reserve_shared(sizeof(*leak), why);
    uint32_t i = 0;
    int rc;

    if (leak == NULL)
        return SN_ENOMEM;
    rc = reach_init(&leak->reach, stack, why);
    if (rc < 0) {
        mem_release(leak, sizeof(*leak));
        return rc;
    }
    /* A process that died has left its entry behind. */
    while (t->oracles[i] != NULL && t->oracles[i] != &leak_oracle)
        i++;
    sn_check(i < TRIAL_ORACLES_MAX);
    t->oracles[i] = &leak_oracle; /* the last one: what else is wrong comes first */
    t->leak = leak;
    reach_begin(&leak->reach);
    world_root.heap.told = told;
    return 0;
}

void leak_close(struct trial *t)
{
    if (t->leak == NULL)
        return;
    world_root.heap.told = NULL;
    for (int i = 0; i < TRIAL_ORACLES_MAX; i++) {
        if (t->oracles[i] == &leak_oracle)
            t->oracles[i] = NULL;
    }
    reach_done(&t->leak->reach);
    mem_release(t->leak, sizeof(*t->leak));
    t->leak = NULL;
}
