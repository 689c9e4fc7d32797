/* core.c - the smallest part of a history that is still illegal: see core.h.
 *
 * Each operation has a fate: it is kept as it is, relaxed or dropped. First the history is cut at
 * the return at which it becomes illegal, found by halving, since every longer prefix is illegal
 * too. Then operations are dropped where that is allowed, or else relaxed, in blocks that get
 * smaller, from the last to the first; what makes the history legal is taken back. The last rounds
 * try one at a time until a whole round changes nothing, so that the result is minimal: no allowed
 * reduction of one operation, or of one value, leaves it illegal.
 *
 * Sequential consistency has no prefixes: an operation may explain another one that returned long
 * before it was called. There the history is not cut, and several keys may be needed.
 * SPDX-License-Identifier: MIT
 */
#include "linear/core.h"

#include "linear/core_own.h"
#include "linear/models/models.h"

#include <sennit/test.h>
#include <string.h>
#include <time.h>

/* Of the time for all checks one may use up this part at first, and then so many times more, as
 * often as this, after which it could be all of the time. */
enum { CHECK_SHARE = 64, CHECK_PATIENCE = 4, PATIENCE_MAX = 3 };

enum fate { FATE_KEPT = 0, FATE_RELAXED, FATE_DROPPED };

enum {
    CONFIGURATIONS_MORE = 100000,      /* that a smaller history may take at first */
    CONFIGURATIONS_PATIENT = 20000000, /* that all of them may take that are given more */
};

/* Sets of operations each of which may be dropped as a whole. */
struct groups {
    size_t *members; /* of one after another */
    size_t *starts;  /* where each one's begin; one more: where the last one's end */
    size_t n;
};

struct work {
    const struct sn_model *model;
    const struct sn_operation *given;
    size_t n;
    struct sn_check_options check;
    uint64_t checks;
    uint64_t checks_max;
    uint64_t deadline_ns;     /* 0: none */
    double check_seconds_max; /* if there is a deadline */
    bool may_grow;            /* nobody has limited the configurations of a check */
    unsigned int patience;    /* how often checks may still be given more */
    uint64_t configurations;  /* of checks that were given more */
    bool is_over;             /* the budget is used up, or a check was not decided */
    bool is_only_cut;         /* nothing else is to be left out */

    unsigned char *fate;  /* of each operation, so far; enum fate */
    unsigned char *saved; /* the same before the reduction that is being tried */
    struct groups values;
    struct groups keys;
    const struct groups *groups; /* those that are being dropped */
    struct sn_operation *at;     /* the history that the fates make */
    size_t *by_return;           /* completed operations, the first to return first */
    size_t n_returns;
    struct ranked *ranked;         /* for sorting */
    struct sn_check_result result; /* of the last check */
    struct arena *arena;
};

/* ---- What may be dropped -------------------------------------------------------------------- */

static bool is_register(const struct sn_model *model)
{
    return model == &sn_model_register || model == &sn_model_cas_register || model == &sn_model_map;
}

static bool is_container(const struct sn_model *model)
{
    return model == &sn_model_queue || model == &sn_model_stack ||
           model == &sn_model_priority_queue;
}

static bool has_values(const struct sn_model *model)
{
    return is_register(model) || is_container(model) || model == &sn_model_set;
}

/* Whether all that is about one value may be dropped: a container without it is as it was for the
 * others, unless somebody has looked at all of it. So is a register: whoever reads another value
 * reads what was written last, as before. But a compare-and-set that failed, because the value was
 * there, could succeed without it. */
static bool may_drop_values(const struct work *w)
{
    for (size_t i = 0; i < w->n; i++) {
        uint32_t function = w->given[i].function;

        if (w->fate[i] == FATE_DROPPED)
            continue;
        if ((is_register(w->model) && function == REGISTER_CAS) ||
            (w->model == &sn_model_set && function == SET_READ))
            return false;
    }
    return has_values(w->model);
}

/* Whether an operation of such a model is about one value, and which. By its argument or by its
 * result, whichever the model looks at: whoever records a history may give a write a result. */
static bool find_value(const struct sn_model *model, const struct sn_operation *op, sn_value *value)
{
    bool is_read = is_register(model) && model->functions[op->function].is_observer;
    bool is_taken = is_container(model) && op->function == CONTAINER_TAKE;
    bool is_deleted = model == &sn_model_map && op->function == MAP_DELETE;

    if ((is_read || is_taken) && op->ret == SN_TIME_NEVER)
        return false;
    *value = is_read || is_taken ? op->result : is_deleted ? SN_VALUE_NIL : op->argument[0];
    return !is_container(model) || *value != SN_VALUE_NIL;
}

static bool is_observer(const struct sn_model *model, const struct sn_operation *op)
{
    if (model->functions[op->function].is_observer)
        return true;
    return op->ret != SN_TIME_NEVER && model->observes != NULL && model->observes(op);
}

/* ---- Checking ------------------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static size_t build(struct work *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n; i++) {
        if (w->fate[i] == FATE_DROPPED)
            continue;
        w->at[n] = w->given[i];
        if (w->fate[i] == FATE_RELAXED) {
            w->at[n].ret = SN_TIME_NEVER;
            w->at[n].result = SN_VALUE_NIL;
        }
        n++;
    }
    return n;
}

/* A relaxed history can be harder than the one that was given. No check may use up all the time,
 * since others may be easy. */
static void limit_check(struct work *w, uint64_t now)
{
    double left = (double)(w->deadline_ns - now) / 1e9;

    w->check.seconds = left < w->check_seconds_max ? left : w->check_seconds_max;
}

/* Checks may take longer from now on; false: not even one could. */
static bool be_patient(struct work *w)
{
    if (w->patience == 0 || (w->deadline_ns == 0 ? !w->may_grow : now_ns() >= w->deadline_ns))
        return false;
    w->patience--;
    w->check_seconds_max *= CHECK_PATIENCE;
    if (w->may_grow)
        w->check.configurations *= CHECK_PATIENCE;
    return true;
}

static bool is_budget_used_up(const struct work *w, uint64_t now)
{
    return w->checks >= w->checks_max || w->configurations >= CONFIGURATIONS_PATIENT ||
           (w->deadline_ns != 0 && now >= w->deadline_ns);
}

/* Whether the history that the fates make is known to be illegal. */
static bool is_illegal(struct work *w)
{
    uint64_t now = w->deadline_ns != 0 ? now_ns() : 0;
    size_t n = build(w);

    if (is_budget_used_up(w, now)) {
        w->is_over = true;
        return false;
    }
    if (w->deadline_ns != 0)
        limit_check(w, now);
    w->checks++;
    if (sn_check_history(w->model, w->at, n, &w->check, &w->result) < 0) {
        w->is_over = true;
        return false;
    }
    if (w->patience < PATIENCE_MAX)
        w->configurations += w->result.configurations;
    if (w->result.verdict == SN_LINEAR_UNKNOWN)
        w->is_over = true;
    return w->result.verdict == SN_LINEAR_NO;
}

/* Whether the reduction that is being tried changes nothing. */
static bool is_same(const struct work *w)
{
    return memcmp(w->fate, w->saved, w->n) == 0;
}

/* Keeps the fates if the history is still illegal, and takes them back otherwise. */
static bool settle(struct work *w)
{
    if (is_same(w))
        return false;
    if (is_illegal(w)) {
        memcpy(w->saved, w->fate, w->n);
        return true;
    }
    memcpy(w->fate, w->saved, w->n);
    return false;
}

/* ---- Reductions ----------------------------------------------------------------------------- */

static bool drop_or_relax(struct work *w, size_t i)
{
    if (w->fate[i] != FATE_KEPT)
        return false;
    w->fate[i] = is_observer(w->model, &w->given[i]) ? FATE_DROPPED : FATE_RELAXED;
    return true;
}

/* Forgets the result of an operation. Nothing is done because of that result, as above. */
static void forget(struct work *w, size_t i)
{
    bool is_observer = w->model->functions[w->given[i].function].is_observer;

    if (w->fate[i] == FATE_KEPT)
        w->fate[i] = is_observer ? FATE_DROPPED : FATE_RELAXED;
}

/* Leaves nothing that was called after this moment. */
static void cut_calls(struct work *w, uint64_t time)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->given[i].call > time)
            w->fate[i] = FATE_DROPPED;
    }
}

/* Leaves what had happened when so many had returned. Of those that return at the same moment one
 * is the first. */
static void cut(struct work *w, size_t n_returned)
{
    cut_calls(w, w->given[w->by_return[n_returned - 1]].ret);
    for (size_t i = n_returned; i < w->n_returns; i++) {
        if (w->is_only_cut)
            forget(w, w->by_return[i]);
        else
            (void)drop_or_relax(w, w->by_return[i]);
    }
}

/* Nothing that was called after the last return that counts says anything. */
static void cut_tail(struct work *w)
{
    uint64_t last = 0;

    for (size_t i = 0; i < w->n; i++) {
        if (w->fate[i] == FATE_KEPT && w->given[i].ret > last)
            last = w->given[i].ret;
    }
    cut_calls(w, last);
}

/* If only one process counts, nor does what it may have done after all that counts. */
static void cut_tail_of_process(struct work *w)
{
    const struct sn_operation *last = NULL;

    for (size_t i = 0; i < w->n; i++) {
        if (w->fate[i] != FATE_KEPT)
            continue;
        if (last != NULL && w->given[i].process != last->process)
            return;
        if (last == NULL || w->given[i].call > last->call)
            last = &w->given[i];
    }
    for (size_t i = 0; i < w->n && last != NULL; i++) {
        if (w->given[i].process == last->process && w->given[i].call > last->call)
            w->fate[i] = FATE_DROPPED;
    }
}

static bool drop_tail(struct work *w)
{
    if (w->check.is_sequential)
        cut_tail_of_process(w);
    else
        cut_tail(w);
    return settle(w);
}

/* Cuts at the first return at which the history is illegal. */
static size_t cut_prefix(struct work *w)
{
    size_t legal = 0;              /* so many returns are not enough, ... */
    size_t illegal = w->n_returns; /* ... but so many are */

    while (illegal - legal > 1) {
        size_t middle = legal + (illegal - legal) / 2;

        cut(w, middle);
        if (is_same(w) || settle(w))
            illegal = middle;
        else
            legal = middle;
    }
    return w->by_return[illegal - 1];
}

/* Tries the n units in blocks of this size, the last first. */
static bool reduce_blocks(struct work *w, size_t n, size_t size,
                          bool (*reduce)(struct work *w, size_t unit))
{
    bool has_changed = false;

    for (size_t end = n; end > 0 && w->checks < w->checks_max; end -= end < size ? end : size) {
        bool is_other = false;

        for (size_t i = end < size ? 0 : end - size; i < end; i++)
            is_other |= reduce(w, i);
        if (is_other)
            has_changed |= settle(w);
    }
    return has_changed;
}

static bool drop(struct work *w, size_t i)
{
    bool is_other = w->fate[i] != FATE_DROPPED;

    w->fate[i] = FATE_DROPPED;
    return is_other;
}

static bool drop_group(struct work *w, size_t unit)
{
    bool is_other = false;

    for (size_t i = w->groups->starts[unit]; i < w->groups->starts[unit + 1]; i++)
        is_other |= drop(w, w->groups->members[i]);
    return is_other;
}

static bool drop_observer(struct work *w, size_t unit)
{
    return w->fate[unit] == FATE_KEPT && is_observer(w->model, &w->given[unit]) && drop(w, unit);
}

static bool reduce_groups(struct work *w, const struct groups *groups, size_t size)
{
    w->groups = groups;
    return reduce_blocks(w, groups->n, size, drop_group);
}

static bool reduce_values(struct work *w, size_t size)
{
    return may_drop_values(w) && reduce_groups(w, &w->values, size);
}

/* One at a time, until nothing changes. */
static void reduce_singly(struct work *w)
{
    for (bool has_changed = true; has_changed && w->checks < w->checks_max;) {
        w->is_over = false; /* what was not decided so far is tried again */
        has_changed = reduce_groups(w, &w->keys, 1);
        has_changed |= reduce_values(w, 1);
        has_changed |= reduce_blocks(w, w->n, 1, drop_or_relax);
        has_changed |= drop_tail(w);
    }
    w->is_over |= w->checks >= w->checks_max;
}

/* What is dropped early need not be dropped with its neighbours later, so what leaves nothing
 * behind comes first. */
static void reduce(struct work *w)
{
    for (size_t size = w->keys.n; size > 1; size /= 2)
        (void)reduce_groups(w, &w->keys, size);
    for (size_t size = w->values.n; size > 0; size /= 2)
        (void)reduce_values(w, size);
    for (size_t size = w->n; size > 0; size /= 2)
        (void)reduce_blocks(w, w->n, size, drop_observer);
    for (size_t size = w->n; size > 1; size /= 2)
        (void)reduce_blocks(w, w->n, size, drop_or_relax);
    do
        reduce_singly(w);
    while (w->is_over && be_patient(w));
}

/* ---- Beginning and end ---------------------------------------------------------------------- */

/* An operation and what it is sorted by. */
struct ranked {
    uint64_t first;
    uint64_t rank; /* if the first ones are equal */
    size_t index;
};

static bool is_before(const struct ranked *a, const struct ranked *b)
{
    if (a->first != b->first)
        return a->first < b->first;
    return a->rank != b->rank ? a->rank < b->rank : a->index < b->index;
}

static void sift(struct ranked *all, size_t i, size_t n)
{
    for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        struct ranked moved = all[i];

        if (child + 1 < n && is_before(&all[child], &all[child + 1]))
            child++;
        if (!is_before(&all[i], &all[child]))
            return;
        all[i] = all[child];
        all[child] = moved;
        i = child;
    }
}

/* Heap sort: libc's qsort may allocate. */
static void sort(struct ranked *all, size_t n)
{
    for (size_t i = n / 2; i > 0; i--)
        sift(all, i - 1, n);
    for (size_t end = n; end > 1; end--) {
        struct ranked last = all[end - 1];

        all[end - 1] = all[0];
        all[0] = last;
        sift(all, 0, end - 1);
    }
}

/* Of keys, or of values, each of one key. */
static int make_groups(struct work *w, struct groups *groups, bool is_by_key)
{
    size_t n = 0;

    groups->members = arena_array(w->arena, w->n, sizeof(*groups->members));
    groups->starts = arena_array(w->arena, w->n + 1, sizeof(*groups->starts));
    if (groups->members == NULL || groups->starts == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i < w->n; i++) {
        sn_value value = 0;

        if (is_by_key || find_value(w->model, &w->given[i], &value))
            w->ranked[n++] = (struct ranked){(uint64_t)w->given[i].key, (uint64_t)value, i};
    }
    sort(w->ranked, n);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || w->ranked[i].first != w->ranked[i - 1].first ||
            w->ranked[i].rank != w->ranked[i - 1].rank)
            groups->starts[groups->n++] = i;
        groups->members[i] = w->ranked[i].index;
    }
    groups->starts[groups->n] = n;
    return 0;
}

static void sort_returns(struct work *w)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->given[i].ret != SN_TIME_NEVER)
            w->ranked[w->n_returns++] = (struct ranked){w->given[i].ret, 0, i};
    }
    sort(w->ranked, w->n_returns);
    for (size_t i = 0; i < w->n_returns; i++)
        w->by_return[i] = w->ranked[i].index;
}

static int prepare(struct work *w, const struct core_options *options, struct err *why)
{
    /* Otherwise only one key is left anyway: see keep_key. */
    bool is_by_key = w->model->is_partitioned && options->check.is_sequential;

    w->check = options->check;
    /* Smaller histories may be for other algorithms, and are not worth a process. */
    w->check.algorithm = NULL;
    w->check.jobs = 0;
    w->checks_max = options->checks != 0 ? options->checks : CORE_CHECKS_MAX;
    w->patience = PATIENCE_MAX;
    if (options->seconds > 0) {
        w->deadline_ns = now_ns() + (uint64_t)(options->seconds * 1e9);
        w->check_seconds_max = options->seconds / CHECK_SHARE;
    }
    w->fate = arena_alloc(w->arena, w->n);
    w->saved = arena_alloc(w->arena, w->n);
    w->at = arena_array(w->arena, w->n, sizeof(*w->at));
    w->by_return = arena_array(w->arena, w->n, sizeof(*w->by_return));
    w->ranked = arena_array(w->arena, w->n, sizeof(*w->ranked));
    if (w->fate == NULL || w->saved == NULL || w->at == NULL || w->by_return == NULL ||
        w->ranked == NULL || (has_values(w->model) && make_groups(w, &w->values, false) < 0) ||
        (is_by_key && make_groups(w, &w->keys, true) < 0))
        return err_set(why, SN_ENOMEM, "there is no memory for the core of the history");
    for (size_t i = 0; i < w->n; i++) {
        if (w->given[i].ret == SN_TIME_NEVER)
            w->fate[i] = is_observer(w->model, &w->given[i]) ? FATE_DROPPED : FATE_RELAXED;
    }
    memcpy(w->saved, w->fate, w->n);
    sort_returns(w);
    return 0;
}

/* The history as it was given must be illegal. */
static int check_first(struct work *w, const struct sn_check_options *check, struct err *why)
{
    int rc;

    w->checks++;
    rc = sn_check_history(w->model, w->given, w->n, check, &w->result);
    if (rc < 0)
        return err_set(why, rc, "%s", w->result.why);
    if (w->result.verdict == SN_LINEAR_NO) {
        /* Smaller histories may be much harder, since more of them is unknown: these are given
         * up. */
        w->may_grow = w->check.configurations == 0;
        if (w->may_grow)
            w->check.configurations = CONFIGURATIONS_MORE + 10 * w->result.configurations;
        return 0;
    }
    return err_set(why, SN_EINVAL,
                   w->result.verdict == SN_LINEAR_YES
                       ? "there is nothing to explain: the history is %s"
                       : "it is not known within the budget whether the history is %s",
                   check->is_sequential ? "sequentially consistent" : "linearizable");
}

/* Of an object that consists of independent ones only the one that is wrong is of interest. */
static void keep_key(struct work *w)
{
    if (!w->model->is_partitioned || w->check.is_sequential)
        return;
    for (size_t i = 0; i < w->n; i++) {
        if (w->given[i].key != w->result.key)
            w->fate[i] = FATE_DROPPED;
    }
    (void)settle(w);
}

/* By program order keys are not independent, but one that is illegal alone is enough, and it is
 * found sooner than all of them together are seen to be illegal once more. */
static bool keep_illegal_key(struct work *w)
{
    w->is_over = false;
    for (size_t key = 0; key < w->keys.n && w->keys.n > 1 && w->checks < w->checks_max / 2; key++) {
        for (size_t i = 0; i < w->keys.starts[w->keys.n]; i++) {
            if (i < w->keys.starts[key] || i >= w->keys.starts[key + 1])
                w->fate[w->keys.members[i]] = FATE_DROPPED;
        }
        if (settle(w))
            return true;
    }
    return false;
}

static void note_key(struct core *out)
{
    out->has_key = out->model->is_partitioned && out->n > 0;
    for (size_t i = 0; i < out->n; i++) {
        sn_value key = out->history[out->operations[i].index].key;

        if (i > 0 && key != out->key)
            out->has_key = false;
        out->key = key;
    }
}

static int collect(const struct work *w, struct core *out)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->fate[i] != FATE_DROPPED)
            w->ranked[out->n++] = (struct ranked){w->given[i].call, 0, i};
    }
    sort(w->ranked, out->n);
    out->operations = arena_array(&out->arena, out->n, sizeof(*out->operations));
    if (out->operations == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i < out->n; i++) {
        size_t index = w->ranked[i].index;

        out->operations[i] =
            (struct core_operation){.index = index, .is_relaxed = w->fate[index] == FATE_RELAXED};
        out->n_definite += w->fate[index] == FATE_KEPT;
    }
    note_key(out);
    return 0;
}

int linear_stuck(const struct sn_model *model, const struct sn_operation *operations, size_t n,
                 const struct core_options *options, size_t *stuck, struct err *why)
{
    struct arena arena = {0};
    struct work w = {.model = model, .given = operations, .n = n, .arena = &arena};
    int rc = prepare(&w, options, why);

    if (rc == 0)
        rc = check_first(&w, &options->check, why);
    if (rc == 0) {
        keep_key(&w);
        w.is_only_cut = true;
        *stuck = cut_prefix(&w);
    }
    arena_done(&arena);
    return rc;
}

int linear_core(const struct sn_model *model, const struct sn_operation *operations, size_t n,
                const struct core_options *options, struct core *out, struct err *why)
{
    struct arena arena = {0};
    struct work w = {.model = model, .given = operations, .n = n, .arena = &arena};
    int rc = prepare(&w, options, why);

    *out = (struct core){
        .model = model, .history = operations, .is_sequential = options->check.is_sequential};
    if (rc == 0 && !keep_illegal_key(&w) && !(w.is_over && be_patient(&w) && keep_illegal_key(&w)))
        rc = check_first(&w, &options->check, why);
    if (rc == 0) {
        keep_key(&w);
        if (!w.check.is_sequential) {
            out->stuck = cut_prefix(&w);
            out->has_stuck = !w.is_over;
        }
        reduce(&w);
        out->is_minimal = !w.is_over;
        out->checks = w.checks;
        rc = collect(&w, out);
    }
    if (rc == 0)
        rc = core_explain(out, w.check.has_initial ? w.check.initial : SN_VALUE_NIL);
    arena_done(&arena);
    return rc;
}

void core_done(struct core *core)
{
    arena_done(&core->arena);
    *core = (struct core){0};
}
