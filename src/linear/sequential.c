/* sequential.c - looks for an order that only keeps the order within each process.
 *
 * Depth first, as search.c. A configuration is how far each process is, the state of each object,
 * and which operations that are not known to have returned have been used: a vector with a number
 * for each content (tree.h). Such an operation waits for those that its process called before it;
 * nobody waits for it. Of alike ones that wait for nobody the first is used.
 *
 * sequential_check > arrange > arrange_processes, arrange_unknown; run > next_move > take > settle
 * SPDX-License-Identifier: MIT
 */
#include "linear/sequential.h"

#include "linear/sort.h"
#include "linear/tree.h"

#include <string.h>

#define NOBODY UINT32_MAX

struct process {
    uint32_t first; /* of its completed operations, in order[] */
    uint32_t n;
};

struct unknown {
    const struct sn_operation *op;
    uint32_t process;
    uint32_t after; /* so many operations of its process */
    uint32_t alike; /* the one before that is alike, or NOBODY */
};

struct frame {
    uint32_t move; /* a process, or from n_processes on an unknown operation */
    uint32_t choice;
    size_t journal;
};

/* A place of the vector, and what stood there. */
struct change {
    uint32_t place;
    uint32_t was;
};

struct sequence {
    const struct object *all;
    const struct partition *partition;
    struct outcome *out;
    uint32_t *object_of; /* by the number of an operation */
    uint32_t *order;     /* numbers of completed operations, by process and then by call */
    struct process *processes;
    uint32_t n_processes;
    struct unknown *unknown;
    uint32_t n_unknown;
    uint32_t n_completed;
    uint32_t n_placed; /* completed ones that are in order */
    uint32_t n_placed_max;
    const struct sn_operation *furthest;
    struct intern states;
    struct tree tree;     /* per process, per object, and 32 bits for 32 unknown operations */
    struct grown met;     /* a byte for each root */
    struct grown journal; /* struct change */
    size_t n_journal;
    struct grown frames;
    size_t n_frames;
    bool is_full;
};

/* ---- Arranging ------------------------------------------------------------------------------ */

static void note_alike(struct sequence *s, uint32_t number, struct intern *likes, uint32_t *last)
{
    const struct sn_operation *op = s->unknown[number].op;
    int64_t like[4] = {op->argument[0], op->argument[1], op->key, op->function};
    uint32_t class = intern_add(likes, like, sizeof(like));

    if (class == INTERN_NONE) {
        s->is_full = true;
        return;
    }
    s->unknown[number].alike = last[class] == 0 ? NOBODY : last[class] - 1;
    last[class] = number + 1;
}

/* Goes through operations that are sorted by process and call. */
static void arrange_sorted(struct sequence *s, const struct sortable *entries, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t index = (uint32_t)entries[i].index;
        const struct sn_operation *op = &s->all->operations[index];
        struct process *process;

        if (i == 0 || entries[i].key != entries[i - 1].key)
            s->processes[s->n_processes++] = (struct process){.first = s->n_completed};
        process = &s->processes[s->n_processes - 1];
        if (op->ret != SN_TIME_NEVER) {
            s->order[s->n_completed++] = index;
            process->n++;
        } else if (!object_is_observer(s->all->model, op)) {
            s->unknown[s->n_unknown++] =
                (struct unknown){op, s->n_processes - 1, process->n, NOBODY};
        }
    }
}

static bool arrange(struct sequence *s)
{
    struct pool *pool = s->all->pool;
    size_t n = s->all->n;
    struct sortable *entries = pool_alloc(pool, (n + 1) * sizeof(*entries));
    struct sortable *other = pool_alloc(pool, (n + 1) * sizeof(*other));
    uint32_t *last = pool_alloc(pool, (n + 1) * sizeof(*last));
    struct intern likes;

    s->object_of = pool_alloc(pool, (n + 1) * sizeof(*s->object_of));
    s->order = pool_alloc(pool, (n + 1) * sizeof(*s->order));
    s->processes = pool_alloc(pool, (n + 1) * sizeof(*s->processes));
    s->unknown = pool_alloc(pool, (n + 1) * sizeof(*s->unknown));
    if (entries == NULL || other == NULL || last == NULL || s->object_of == NULL ||
        s->order == NULL || s->processes == NULL || s->unknown == NULL)
        return false;
    for (uint32_t object = 0; object < s->partition->n; object++) {
        for (uint32_t i = s->partition->starts[object]; i < s->partition->starts[object + 1]; i++)
            s->object_of[s->partition->index[i]] = object;
    }
    for (size_t i = 0; i < n; i++)
        entries[i] = (struct sortable){s->all->operations[i].call, i};
    sort_by_key(entries, other, n);
    for (size_t i = 0; i < n; i++)
        entries[i].key = s->all->operations[entries[i].index].process;
    sort_by_key(entries, other, n);
    arrange_sorted(s, entries, n);
    intern_init(&likes, pool);
    for (uint32_t i = 0; i < s->n_unknown && !s->is_full; i++)
        note_alike(s, i, &likes, last);
    intern_done(&likes);
    return !s->is_full;
}

/* ---- The vector ----------------------------------------------------------------------------- */

static void change(struct sequence *s, uint32_t place, uint32_t value)
{
    size_t bytes = (s->n_journal + 1) * sizeof(struct change);

    if (!grown_reserve(&s->journal, s->all->pool, bytes)) {
        s->is_full = true;
        return;
    }
    ((struct change *)s->journal.base)[s->n_journal++] =
        (struct change){place, tree_get(&s->tree, place)};
    tree_set(&s->tree, place, value);
}

static void undo(struct sequence *s, size_t journal)
{
    const struct change *changes = s->journal.base;

    while (s->n_journal > journal) {
        struct change last = changes[--s->n_journal];

        if (last.place < s->n_processes)
            s->n_placed -= tree_get(&s->tree, last.place) - last.was;
        tree_set(&s->tree, last.place, last.was);
    }
}

static void place_next(struct sequence *s, uint32_t process)
{
    change(s, process, tree_get(&s->tree, process) + 1);
    s->n_placed++;
}

static uint32_t state_place(const struct sequence *s, const struct sn_operation *op)
{
    return s->n_processes + s->object_of[op - s->all->operations];
}

static uint32_t used_place(const struct sequence *s, uint32_t i)
{
    return s->n_processes + s->partition->n + i / 32;
}

static bool is_used(const struct sequence *s, uint32_t i)
{
    return (tree_get(&s->tree, used_place(s, i)) >> i % 32 & 1) != 0;
}

/* The next completed operation of a process; NULL: it has ended. */
static const struct sn_operation *next_of(const struct sequence *s, uint32_t process)
{
    uint32_t done = tree_get(&s->tree, process);

    if (done == s->processes[process].n)
        return NULL;
    return &s->all->operations[s->order[s->processes[process].first + done]];
}

static bool is_waiting(const struct sequence *s, uint32_t i)
{
    return tree_get(&s->tree, s->unknown[i].process) < s->unknown[i].after;
}

/* Whether this unknown operation may be used and no alike one before it may. */
static bool is_usable(const struct sequence *s, uint32_t i)
{
    if (is_used(s, i) || is_waiting(s, i))
        return false;
    for (uint32_t j = s->unknown[i].alike; j != NOBODY; j = s->unknown[j].alike) {
        if (!is_used(s, j) && !is_waiting(s, j))
            return false;
    }
    return true;
}

/* ---- Moves ---------------------------------------------------------------------------------- */

static bool looks_on(const struct sequence *s, const struct sn_operation *op)
{
    const void *state;

    if (!object_is_observer(s->all->model, op))
        return false;
    state = intern_at(&s->states, tree_get(&s->tree, state_place(s, op)));
    return s->all->model->step((void *)state, op, 0) != SN_STEP_REFUSED;
}

/* Puts in order what only looks at the state and may. */
static void settle(struct sequence *s)
{
    for (uint32_t process = 0; process < s->n_processes; process++) {
        const struct sn_operation *op = next_of(s, process);

        for (; op != NULL && looks_on(s, op) && !s->is_full; op = next_of(s, process))
            place_next(s, process);
    }
}

static void note_furthest(struct sequence *s)
{
    if (s->n_placed < s->n_placed_max || s->n_placed == s->n_completed)
        return;
    s->n_placed_max = s->n_placed;
    s->furthest = NULL;
    for (uint32_t process = 0; process < s->n_processes; process++) {
        const struct sn_operation *op = next_of(s, process);

        if (op != NULL && (s->furthest == NULL || op->call < s->furthest->call))
            s->furthest = op;
    }
}

static bool enter(struct sequence *s)
{
    uint32_t root = tree_root(&s->tree);
    struct frame *frame;

    if (s->is_full || s->tree.is_full || !grown_reserve(&s->met, s->all->pool, (size_t)root + 1) ||
        !grown_reserve(&s->frames, s->all->pool, (s->n_frames + 1) * sizeof(*frame))) {
        s->is_full = true;
        return false;
    }
    if (((unsigned char *)s->met.base)[root] != 0)
        return false;
    ((unsigned char *)s->met.base)[root] = 1;
    s->out->configurations++;
    note_furthest(s);
    frame = (struct frame *)s->frames.base + s->n_frames++;
    *frame = (struct frame){.journal = s->n_journal};
    return true;
}

static const struct sn_operation *move_op(const struct sequence *s, uint32_t move)
{
    if (move < s->n_processes)
        return next_of(s, move);
    return is_usable(s, move - s->n_processes) ? s->unknown[move - s->n_processes].op : NULL;
}

/* Takes a step of the model. Returns the number of the state after it, or INTERN_NONE. */
static uint32_t try_step(struct sequence *s, const struct sn_operation *op, struct frame *frame)
{
    const struct object *all = s->all;
    uint32_t before = tree_get(&s->tree, state_place(s, op));
    enum sn_step step;
    uint32_t after;

    memcpy(all->scratch, intern_at(&s->states, before), intern_size(&s->states, before));
    step = all->model->step(all->scratch, op, frame->choice);
    frame->choice = step == SN_STEP_TAKEN_MORE ? frame->choice + 1 : 0;
    if (step == SN_STEP_REFUSED)
        return INTERN_NONE;
    after = intern_add(&s->states, all->scratch, object_used(all, all->scratch));
    s->is_full = s->is_full || after == INTERN_NONE;
    return after;
}

/* Tries the next move of the last configuration. Returns false if there are no more. */
static bool next_move(struct sequence *s, bool *is_taken)
{
    struct frame *frame = (struct frame *)s->frames.base + s->n_frames - 1;
    uint32_t move = frame->move;
    const struct sn_operation *op;
    uint32_t state = INTERN_NONE;

    *is_taken = false;
    if (move == s->n_processes + s->n_unknown)
        return false;
    op = move_op(s, move);
    if (op != NULL && !object_is_observer(s->all->model, op))
        state = try_step(s, op, frame);
    if (frame->choice == 0)
        frame->move++;
    if (state == INTERN_NONE)
        return true;
    if (move >= s->n_processes) {
        uint32_t place = used_place(s, move - s->n_processes);

        if (state == tree_get(&s->tree, state_place(s, op)))
            return true;
        change(s, place, tree_get(&s->tree, place) | 1U << (move - s->n_processes) % 32);
    } else {
        place_next(s, move);
    }
    change(s, state_place(s, op), state);
    settle(s);
    *is_taken = true;
    return true;
}

static enum sn_linear run(struct sequence *s)
{
    bool is_taken;

    while (s->n_frames > 0 && !s->is_full) {
        if (!next_move(s, &is_taken)) {
            s->n_frames--;
            if (s->n_frames > 0)
                undo(s, ((struct frame *)s->frames.base)[s->n_frames - 1].journal);
            continue;
        }
        if (!is_taken || s->is_full)
            continue;
        if (s->n_placed == s->n_completed)
            return outcome_yes(s->out);
        if (!enter(s))
            undo(s, ((struct frame *)s->frames.base)[s->n_frames - 1].journal);
        else if (budget_is_spent(s->all, s->out, s->furthest))
            return SN_LINEAR_UNKNOWN;
    }
    if (s->is_full)
        return outcome_unknown(s->out, "not decided within %zu MiB of memory",
                               s->all->pool->limit >> 20);
    return SN_LINEAR_NO;
}

static bool open_sequence(struct sequence *s)
{
    size_t places;
    uint32_t state;

    if (!arrange(s))
        return false;
    places = (size_t)s->n_processes + s->partition->n + s->n_unknown / 32 + 1;
    intern_init(&s->states, s->all->pool);
    s->states.equal = s->all->model->equal;
    s->states.hash = s->all->model->hash;
    /* The state at the beginning has the number 0, as all places have. */
    state = intern_add(&s->states, s->all->scratch, object_begin(s->all));
    return state == 0 && tree_init(&s->tree, places, s->all->pool) == 0;
}

static enum sn_linear say_stuck(struct sequence *s)
{
    char name[128];

    return outcome_no(s->out, (size_t)(s->furthest - s->all->operations),
                      "%s cannot be put in order after what its process did before",
                      object_name(s->all, s->furthest, name, sizeof(name)));
}

enum sn_linear sequential_check(const struct object *all, const struct partition *partition,
                                struct outcome *out)
{
    struct sequence s = {.all = all, .partition = partition, .out = out};
    struct pool_mark mark = pool_mark(all->pool);

    s.is_full = !open_sequence(&s);
    if (!s.is_full) {
        settle(&s);
        (void)enter(&s);
    }
    if (!s.is_full && s.n_placed == s.n_completed)
        (void)outcome_yes(out);
    else if (run(&s) == SN_LINEAR_NO)
        (void)say_stuck(&s);
    grown_done(&s.met, all->pool);
    grown_done(&s.journal, all->pool);
    grown_done(&s.frames, all->pool);
    if (s.states.pool != NULL)
        intern_done(&s.states);
    tree_done(&s.tree);
    pool_return(all->pool, mark);
    return out->verdict;
}
