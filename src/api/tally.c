/* tally.c - see tally.h. SPDX-License-Identifier: MIT */
#include "api/tally.h"

#include "base/rng.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t add_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++) {
        if (!isdigit((unsigned char)*text))
            hash = mix_pair(hash, (unsigned char)*text);
    }
    return mix64(hash);
}

uint64_t finding_kind(const struct finding *f)
{
    uint64_t hash = (uint64_t)f->verdict.verdict * 2 + f->nondeterministic;

    if (f->verdict.verdict == SN_FAILED && !f->nondeterministic)
        return mix_pair(hash, signature_hash(&f->signature));
    hash = add_text(hash, f->verdict.message);
    return mix_pair(hash, stack_place(&f->stack));
}

uint64_t tally_orders(const struct tally *tally)
{
    uint64_t all = distinct_count(&tally->orders);

    return all > tally->earlier_orders ? all - tally->earlier_orders : 0; /* may be estimates */
}

void tally_trial(struct tally *tally, const struct explore_end *end)
{
    struct sn_result *r = tally->result;

    r->trials++;
    r->steps += end->steps;
    r->cut += end->cut;
    r->draws += end->decisions - end->steps;
    r->stuck += end->stuck;
    r->discarded += end->discarded;
    for (uint32_t i = 0; i < end->classed.n && !end->discarded; i++)
        tally->classes[end->classed.numbers[i]]++;
    if (likely(!end->stuck && !end->discarded) &&
        (!tally->is_sampled || discovery_add(&tally->discovery, end->arm, end->mind, end->order)))
        distinct_add(&tally->orders, end->order);
    if (unlikely(r->trials >= tally->mark_at))
        tally->mark_at = discovery_mark(&tally->discovery, r->trials, tally_orders(tally));
}

void finding_describe(const struct verdict *v, char *text, size_t size)
{
    if (v->oracle[0] == '\0')
        (void)snprintf(text, size, "%s", v->message);
    else if (v->at[0] != '\0')
        (void)snprintf(text, size, "%s: %.180s: %.300s", v->oracle, v->at, v->message);
    else
        (void)snprintf(text, size, "%s: %.480s", v->oracle, v->message);
}

/* The first failure of a run is what its result tells of. */
static void tell_first(struct sn_result *r, const struct finding *f)
{
    r->verdict = f->verdict.verdict;
    r->nondeterministic = f->nondeterministic;
    r->failing_trial = f->trial;
    r->failing_steps = f->steps;
    finding_describe(&f->verdict, r->failure, sizeof(r->failure));
}

/* The failure of this kind; NULL: there was none. */
static struct run_failure *find_kind(struct tally *tally, uint64_t kind)
{
    for (uint32_t i = 0; i < tally->found.n_failures; i++) {
        if (tally->kinds[i] == kind)
            return &tally->found.failures[i];
    }
    return NULL;
}

void tally_again(struct tally *tally, uint64_t kind, uint64_t trial, uint64_t steps)
{
    struct run_failure *failure = find_kind(tally, kind);

    tally->result->failures++;
    if (failure == NULL)
        return;
    failure->count++;
    if (failure->n_trials < RUN_TRIALS_MAX)
        failure->trials[failure->n_trials++] = trial;
    if (steps > failure->shortest_steps ||
        (steps == failure->shortest_steps && trial > failure->shortest_trial))
        return; /* of two as short as each other the first, whoever came first */
    failure->shortest_trial = trial;
    failure->shortest_steps = steps;
}

struct run_failure *tally_failure(struct tally *tally, const struct finding *f)
{
    struct run_found *found = &tally->found;
    uint64_t kind = finding_kind(f);
    struct run_failure *failure;

    if (found->n_failures == 0)
        tell_first(tally->result, f);
    if (find_kind(tally, kind) != NULL || found->n_failures == RUN_FAILURES_MAX) {
        tally_again(tally, kind, f->trial, f->steps);
        return NULL;
    }
    tally->result->failures += !f->nondeterministic; /* that was not the same trial */
    tally->kinds[found->n_failures] = kind;
    failure = &found->failures[found->n_failures++];
    *failure = (struct run_failure){
        .trial = f->trial,
        .steps = f->steps,
        .trials = {f->trial},
        .n_trials = 1,
        .shortest_trial = f->trial,
        .shortest_steps = f->steps,
        .count = 1,
        .verdict = f->verdict.verdict,
        .nondeterministic = f->nondeterministic,
    };
    memcpy(failure->oracle, f->verdict.oracle, sizeof(failure->oracle));
    finding_describe(&f->verdict, failure->text, sizeof(failure->text));
    if (f->run > 0)
        (void)snprintf(failure->repeats, sizeof(failure->repeats), "run %" PRIu32 " of it failed",
                       f->run);
    return failure;
}
