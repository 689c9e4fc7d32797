/* search.c - looks for an order of any object's operations.
 *
 * A configuration says which operations have been put in order, and the state after them: all that
 * return before the k-th one have been, and of those that are open when it returns the ones in
 * `mask`. The search goes through configurations depth first and never into one that it has met.
 * It follows Wing and Gong, and Lowe, but keeps no set of all operations: the window of open ones
 * and k are enough.
 *
 * An operation that never changes the state is put in order at once where the object allows it:
 * any order in which it comes later stays one if it is moved here. So only the others branch.
 *
 * Of operations that are alike the one that returns first is put in order first: any order in which
 * it is the other way round stays one if the two are exchanged.
 *
 * If the operation that must be put in order next only looks at the state, moves that lead to a
 * state that fits it are tried before the others: where many operations are open, the right one is
 * seldom the first. That is a matter of luck only, not of what is found.
 *
 * Operations that are not known to have returned may be left out, hence
 *   - one that leaves the state as it is is never used;
 *   - of alike ones the one called first is used;
 *   - one is of no use if what comes next leads to the same state without it;
 *   - having used fewer of them is better: a configuration is not entered if one was met that has
 *     used a subset and is the same otherwise.
 *
 * Some operations hide others: what was written before a write is gone (sn_model.hides). When such
 * an operation is put in order, each open one that it hides may have come just before it, without a
 * trace. So it is settled: it need not be put in order, and yet it still may be, until it returns.
 * Which ones came before is never guessed. From then on it is like one that may be left out until
 * the moment at which it leaves:
 *   - it is not used if that changes and hides nothing, or if what comes next makes up for it;
 *   - a configuration is not entered if one was met that has settled at least as much, has put in
 *     order at most as much of what can be hidden, and is the same otherwise: whatever can be done
 *     from here can be done from there.
 * And what is hidden by the operation that follows it is not put in order: it is settled then.
 *
 * search_object > open_search, run > next_move > take_move > settle; meet; leave
 * SPDX-License-Identifier: MIT
 */
#include "linear/search.h"

#include "linear/intern.h"
#include "linear/window.h"

#include <string.h>

/* The operation that led to a configuration, if it has served for nothing yet: it hides nothing,
 * nobody has seen the state, nothing has returned. Otherwise op is NULL. */
struct idle {
    const struct sn_operation *op;
    uint32_t before; /* the state before it */
    bool is_optional;
};

/* Sets of operations: bits, or the numbers of interned sets. */
struct names {
    uint64_t mask;    /* what is in order, without those that can be hidden */
    uint64_t done;    /* which of those that can be hidden are in order */
    uint64_t settled; /* and which need not be; they include `done` */
    uint64_t used;    /* operations that may be left out */
};

/* A configuration on the way, and which of its moves is the next to be tried. */
struct frame {
    struct names names;
    uint32_t k;
    uint32_t state;
    uint32_t move; /* a rank, or from n + 2 on the class of unknown ones */
    uint32_t choice;
    enum pass { PASS_FITTING, PASS_OTHERS, PASS_ALL } pass;
    bool is_staying; /* the operation that leaves next must be put in order before */
    struct idle idle;
    size_t journal; /* entries that led here */
};

/* A set of bits with what is needed to refer to it by 64 bits. */
struct bits {
    uint64_t *words;
    size_t n_words;
    struct intern sets; /* if there is more than one word */
};

struct search {
    const struct object *object;
    struct window window;
    struct outcome *out;
    uint32_t k;
    uint32_t state;
    uint32_t best_k;
    struct idle idle; /* for the frame that is entered next, as is the one below */
    bool is_staying;
    bool is_full; /* memory has run out */
    struct bits mask;
    struct bits done;
    struct bits settled;
    struct bits used;
    struct intern states;
    /* Open operations that are not in order yet, in two rings: those that change the state by rank,
     * and the others. The two entries behind the last rank are where the rings begin. */
    uint32_t *next;
    uint32_t *prev;
    struct grown journal; /* uint32_t: 2 * rank, + 1 if it was inserted, not removed */
    size_t n_journal;
    struct grown frames;
    size_t n_frames;
    struct grown met; /* entries of 2 to 5 words: k + 1 and state, mask; done, settled; used */
    size_t met_size;
    size_t met_n;
    size_t met_words;
};

/* ---- Sets of operations --------------------------------------------------------------------- */

static bool bits_init(struct bits *bits, struct pool *pool, uint32_t n)
{
    bits->n_words = n == 0 ? 1 : (n + 63) / 64;
    bits->words = pool_alloc(pool, bits->n_words * sizeof(*bits->words));
    intern_init(&bits->sets, pool);
    return bits->words != NULL;
}

static inline bool bits_has(const struct bits *bits, uint32_t i)
{
    return (bits->words[i / 64] >> i % 64 & 1) != 0;
}

static inline void bits_flip(struct bits *bits, uint32_t i)
{
    bits->words[i / 64] ^= UINT64_C(1) << i % 64;
}

static inline void bits_set(struct bits *bits, uint32_t i)
{
    bits->words[i / 64] |= UINT64_C(1) << i % 64;
}

static inline void bits_clear(struct bits *bits, uint32_t i)
{
    bits->words[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* Notes if there is no memory for a set of several words. */
static inline uint64_t bits_name(struct bits *bits, bool *is_full)
{
    uint32_t number;

    if (bits->n_words == 1)
        return bits->words[0];
    number = intern_add(&bits->sets, bits->words, bits->n_words * sizeof(*bits->words));
    *is_full = *is_full || number == INTERN_NONE;
    return number;
}

static inline void bits_load(struct bits *bits, uint64_t name)
{
    if (bits->n_words == 1)
        bits->words[0] = name;
    else
        memcpy(bits->words, intern_at(&bits->sets, (uint32_t)name),
               bits->n_words * sizeof(*bits->words));
}

static bool bits_is_subset(const struct bits *bits, uint64_t a, uint64_t b)
{
    const uint64_t *of_a = &a;
    const uint64_t *of_b = &b;

    if (bits->n_words > 1) {
        of_a = intern_at(&bits->sets, (uint32_t)a);
        of_b = intern_at(&bits->sets, (uint32_t)b);
    }
    for (size_t i = 0; i < bits->n_words; i++) {
        if ((of_a[i] & ~of_b[i]) != 0)
            return false;
    }
    return true;
}

static struct names name_sets(struct search *s)
{
    struct names names = {.mask = bits_name(&s->mask, &s->is_full),
                          .used = bits_name(&s->used, &s->is_full)};

    if (s->window.n_hidable > 0) {
        names.done = bits_name(&s->done, &s->is_full);
        names.settled = bits_name(&s->settled, &s->is_full);
    }
    return names;
}

static void load_sets(struct search *s, const struct names *names)
{
    bits_load(&s->mask, names->mask);
    bits_load(&s->used, names->used);
    if (s->window.n_hidable > 0) {
        bits_load(&s->done, names->done);
        bits_load(&s->settled, names->settled);
    }
}

/* ---- Open operations ------------------------------------------------------------------------ */

static inline uint32_t ring_of(const struct search *s, uint32_t rank)
{
    return s->window.n + (s->window.ops[rank].is_observer ? 1 : 0);
}

static inline void note(struct search *s, uint32_t entry)
{
    if (!grown_reserve(&s->journal, s->object->pool, (s->n_journal + 1) * sizeof(entry))) {
        s->is_full = true;
        return;
    }
    ((uint32_t *)s->journal.base)[s->n_journal++] = entry;
}

static inline void ring_remove(struct search *s, uint32_t rank)
{
    s->next[s->prev[rank]] = s->next[rank];
    s->prev[s->next[rank]] = s->prev[rank];
    note(s, 2 * rank);
}

static inline void ring_insert(struct search *s, uint32_t rank)
{
    uint32_t ring = ring_of(s, rank);
    uint32_t before = s->prev[ring];

    while (before != ring && before > rank)
        before = s->prev[before];
    s->prev[rank] = before;
    s->next[rank] = s->next[before];
    s->prev[s->next[before]] = rank;
    s->next[before] = rank;
    note(s, 2 * rank + 1);
}

/* Entries are undone last first, so that what a removed one knows of its neighbours is true. */
static void undo(struct search *s, size_t journal)
{
    const uint32_t *entries = s->journal.base;

    while (s->n_journal > journal) {
        uint32_t entry = entries[--s->n_journal];
        uint32_t rank = entry / 2;

        if (entry % 2 == 1) {
            s->next[s->prev[rank]] = s->next[rank];
            s->prev[s->next[rank]] = s->prev[rank];
        } else {
            s->next[s->prev[rank]] = rank;
            s->prev[s->next[rank]] = rank;
        }
    }
}

/* ---- What is in order ----------------------------------------------------------------------- */

/* Whether an operation need not be put in order. */
static inline bool is_settled(const struct search *s, uint32_t rank)
{
    const struct window_op *op = &s->window.ops[rank];

    return op->is_hidable ? bits_has(&s->settled, op->slot) : bits_has(&s->mask, op->slot);
}

/* An operation that is open and is not an observer. */
static void put_in_order(struct search *s, uint32_t rank)
{
    const struct window_op *op = &s->window.ops[rank];

    ring_remove(s, rank);
    if (op->is_hidable) {
        bits_set(&s->done, op->slot);
        bits_set(&s->settled, op->slot);
    } else {
        bits_set(&s->mask, op->slot);
    }
}

/* Whether the operation that returns next is settled, but not in order: this is the last moment at
 * which it can be. */
static inline bool is_leaving(const struct search *s)
{
    const struct window_op *op = &s->window.ops[s->k];

    return op->is_hidable && bits_has(&s->settled, op->slot) && !bits_has(&s->done, op->slot);
}

/* Whether an open operation is hidden if this one is put in order, and was not settled before. */
static inline bool is_hidden(const struct search *s, uint32_t rank, const struct sn_operation *by)
{
    const struct window_op *op = &s->window.ops[rank];

    return op->is_hidable && op->op != by && !bits_has(&s->settled, op->slot) &&
           window_hides(s->object, op->op, by);
}

static bool hides_any(const struct search *s, const struct sn_operation *by)
{
    if (s->window.n_hidable == 0)
        return false;
    for (uint32_t rank = s->next[s->window.n]; rank < s->window.n; rank = s->next[rank]) {
        if (is_hidden(s, rank, by))
            return true;
    }
    return false;
}

static void settle_hidden(struct search *s, const struct sn_operation *by)
{
    for (uint32_t rank = s->next[s->window.n]; rank < s->window.n; rank = s->next[rank]) {
        if (is_hidden(s, rank, by))
            bits_set(&s->settled, s->window.ops[rank].slot);
    }
}

/* ---- Configurations ------------------------------------------------------------------------- */

static inline bool is_allowed(const struct search *s, uint32_t rank)
{
    return s->object->model->step(intern_at(&s->states, s->state), s->window.ops[rank].op, 0) !=
           SN_STEP_REFUSED;
}

/* What is called before the k-th returns, from the by_call-th call on, is open now. */
static void open_called(struct search *s, uint32_t from)
{
    for (uint32_t i = from; i < s->window.ops[s->k].called; i++) {
        uint32_t rank = s->window.by_call[i];

        if (s->window.ops[rank].is_observer && is_allowed(s, rank))
            bits_flip(&s->mask, s->window.ops[rank].slot);
        else
            ring_insert(s, rank);
    }
}

/* The next operation, which is settled, returns. */
static void let_return(struct search *s)
{
    const struct window_op *op = &s->window.ops[s->k];

    if (!op->is_hidable) {
        bits_clear(&s->mask, op->slot);
    } else {
        if (!bits_has(&s->done, op->slot))
            ring_remove(s, s->k);
        bits_clear(&s->done, op->slot);
        bits_clear(&s->settled, op->slot);
    }
    s->k++;
    if (s->k < s->window.n)
        open_called(s, op->called);
}

/* Puts in order what only looks at the state, and goes to the first return that is not in order. */
static void settle(struct search *s)
{
    uint32_t ring = s->window.n + 1;

    for (uint32_t rank = s->next[ring]; rank != ring; rank = s->next[rank]) {
        if (is_allowed(s, rank)) {
            ring_remove(s, rank);
            bits_flip(&s->mask, s->window.ops[rank].slot);
        }
    }
    while (s->k < s->window.n && is_settled(s, s->k) && !is_leaving(s))
        let_return(s);
    if (s->k > s->best_k)
        s->best_k = s->k;
}

static inline size_t met_place(const struct search *s, uint64_t where, uint64_t mask)
{
    return (size_t)(intern_mix(intern_mix(0, where), mask) >> 20) & (s->met_size - 1);
}

static bool met_grow(struct search *s)
{
    struct grown old = s->met;
    size_t old_size = s->met_size;
    const uint64_t *entries = old.base;

    s->met = (struct grown){0};
    if (!grown_reserve(&s->met, s->object->pool, 2 * old_size * s->met_words * sizeof(uint64_t))) {
        s->met = old;
        return false;
    }
    s->met_size = 2 * old_size;
    for (size_t i = 0; i < old_size; i++, entries += s->met_words) {
        size_t place;
        uint64_t *to;

        if (entries[0] == 0)
            continue;
        place = met_place(s, entries[0], entries[1]);
        while (*(to = (uint64_t *)s->met.base + place * s->met_words) != 0)
            place = (place + 1) & (s->met_size - 1);
        memcpy(to, entries, s->met_words * sizeof(*to));
    }
    grown_done(&old, s->object->pool);
    return true;
}

/* Whether a configuration that was met, as far as it may differ, is as good as another one. */
static bool is_as_good(const struct search *s, const uint64_t *met, const struct names *names)
{
    if (s->window.n_hidable > 0) {
        if (!bits_is_subset(&s->done, met[0], names->done) ||
            !bits_is_subset(&s->settled, names->settled, met[1]))
            return false;
        met += 2;
    }
    return s->window.n_unknown == 0 || bits_is_subset(&s->used, met[0], names->used);
}

static bool is_better(const struct search *s, const struct names *names, const uint64_t *met)
{
    if (s->window.n_hidable > 0) {
        if (!bits_is_subset(&s->done, names->done, met[0]) ||
            !bits_is_subset(&s->settled, met[1], names->settled))
            return false;
        met += 2;
    }
    return s->window.n_unknown == 0 || bits_is_subset(&s->used, names->used, met[0]);
}

static void write_met(const struct search *s, uint64_t *met, const struct names *names)
{
    if (s->window.n_hidable > 0) {
        *met++ = names->done;
        *met++ = names->settled;
    }
    if (s->window.n_unknown > 0)
        *met = names->used;
}

/* Whether this configuration is new, and not worse than one that is not. */
static bool meet(struct search *s, const struct names *names)
{
    uint64_t where = (uint64_t)s->is_staying << 63 | ((uint64_t)s->k + 1) << 32 | s->state;
    size_t place;
    uint64_t *entry;

    if (4 * s->met_n >= 3 * s->met_size && !met_grow(s)) {
        s->is_full = true;
        return false;
    }
    place = met_place(s, where, names->mask);
    for (;; place = (place + 1) & (s->met_size - 1)) {
        entry = (uint64_t *)s->met.base + place * s->met_words;
        if (entry[0] == 0)
            break;
        if (entry[0] != where || entry[1] != names->mask)
            continue;
        if (is_as_good(s, &entry[2], names))
            return false;
        if (is_better(s, names, &entry[2])) {
            write_met(s, &entry[2], names);
            return true;
        }
    }
    entry[0] = where;
    entry[1] = names->mask;
    write_met(s, &entry[2], names);
    s->met_n++;
    return true;
}

static enum pass first_pass(const struct search *s)
{
    return s->k < s->window.n && s->window.ops[s->k].is_observer ? PASS_FITTING : PASS_ALL;
}

/* Whether a move that leads to this state belongs to another pass. */
static bool is_put_off(const struct search *s, enum pass pass, uint32_t state)
{
    bool is_fitting;

    if (pass == PASS_ALL)
        return false;
    is_fitting = s->object->model->step(intern_at(&s->states, state), s->window.ops[s->k].op, 0) !=
                 SN_STEP_REFUSED;
    return is_fitting != (pass == PASS_FITTING);
}

/* Goes into the configuration that a move led to, unless that is of no use. */
static bool enter(struct search *s)
{
    struct names names = name_sets(s);
    struct frame *frame;

    if (s->is_full || !meet(s, &names))
        return false;
    if (!grown_reserve(&s->frames, s->object->pool, (s->n_frames + 1) * sizeof(*frame))) {
        s->is_full = true;
        return false;
    }
    s->out->configurations++;
    frame = (struct frame *)s->frames.base + s->n_frames++;
    *frame = (struct frame){.names = names,
                            .k = s->k,
                            .state = s->state,
                            .move = s->next[s->window.n],
                            .pass = first_pass(s),
                            .is_staying = s->is_staying,
                            .idle = s->idle,
                            .journal = s->n_journal};
    return true;
}

/* Back to the last configuration that was entered. */
static void go_back(struct search *s)
{
    const struct frame *frame = (struct frame *)s->frames.base + s->n_frames - 1;

    undo(s, frame->journal);
    load_sets(s, &frame->names);
    s->k = frame->k;
    s->state = frame->state;
}

/* ---- Moves ---------------------------------------------------------------------------------- */

/* The first one of a class that is not used, if it is called before the k-th return; else n. */
static uint32_t unused_of(const struct search *s, uint32_t class)
{
    uint32_t i = s->window.classes[class].first;
    uint32_t end = i + s->window.classes[class].n;

    while (i < end && bits_has(&s->used, i))
        i++;
    if (i == end || s->window.unknown[i]->call > s->window.ops[s->k].op->ret)
        return s->window.n_unknown;
    return i;
}

/* Whether an open operation that returns sooner is alike, and could change places with this one. If
 * it is settled and this one is not, they are not worth the same. */
static bool has_like(const struct search *s, uint32_t rank)
{
    for (uint32_t i = s->prev[rank]; i < s->window.n; i = s->prev[i]) {
        if (s->window.ops[i].likeness == s->window.ops[rank].likeness &&
            window_is_alike(&s->window, i, rank) && (!is_settled(s, i) || is_settled(s, rank)))
            return true;
    }
    return false;
}

/* The operation of a move; NULL: there is none at this time. */
static const struct sn_operation *move_op(const struct search *s, uint32_t move)
{
    uint32_t i;

    if (move < s->window.n)
        return has_like(s, move) ? NULL : s->window.ops[move].op;
    i = unused_of(s, move - s->window.n - 2);
    return i == s->window.n_unknown ? NULL : s->window.unknown[i];
}

static inline uint32_t move_after(const struct search *s, uint32_t move)
{
    return move < s->window.n ? s->next[move] : move + 1;
}

/* Takes a step of the model; the number of the state that it leads to, or INTERN_NONE. */
static uint32_t try_step(struct search *s, const struct sn_operation *op, struct frame *frame)
{
    const struct object *object = s->object;
    enum sn_step step;
    uint32_t state;

    memcpy(object->scratch, intern_at(&s->states, s->state), intern_size(&s->states, s->state));
    step = object->model->step(object->scratch, op, frame->choice);
    frame->choice = step == SN_STEP_TAKEN_MORE ? frame->choice + 1 : 0;
    if (step == SN_STEP_REFUSED)
        return INTERN_NONE;
    state = intern_add(&s->states, object->scratch, object_used(object, object->scratch));
    s->is_full = s->is_full || state == INTERN_NONE;
    return state;
}

/* Whether a move that need not be made is good for nothing. */
static bool is_idle(const struct search *s, uint32_t move, const struct sn_operation *op,
                    uint32_t state)
{
    return state == s->state && (move > s->window.n || is_settled(s, move)) && !hides_any(s, op);
}

/* Whether the same state would be reached without the operation just before. */
static bool is_detour(struct search *s, const struct sn_operation *op, const struct idle *idle,
                      uint32_t state)
{
    const struct object *object = s->object;

    if (idle->op == NULL)
        return false;
    if (window_hides(object, idle->op, op))
        return true;
    if (!idle->is_optional)
        return false;
    memcpy(object->scratch, intern_at(&s->states, idle->before),
           intern_size(&s->states, idle->before));
    if (object->model->step(object->scratch, op, 0) != SN_STEP_TAKEN)
        return false;
    return intern_add(&s->states, object->scratch, object_used(object, object->scratch)) == state;
}

/* Makes a move, and notes whether it has served for anything but the state that it led to. */
static void take_move(struct search *s, uint32_t move, const struct sn_operation *op,
                      const struct frame *frame)
{
    bool is_hiding = hides_any(s, op);
    bool is_optional = move > s->window.n || is_settled(s, move);
    size_t journal = frame->journal + (move < s->window.n ? 1 : 0);

    if (move < s->window.n)
        put_in_order(s, move);
    else
        bits_flip(&s->used, unused_of(s, move - s->window.n - 2));
    if (is_hiding)
        settle_hidden(s, op);
    settle(s);
    /* What is done before an operation leaves could be done after that, unless it ends with it. */
    s->is_staying = s->k == frame->k && is_leaving(s);
    s->idle = (struct idle){0};
    if (!is_hiding && s->n_journal == journal && s->k == frame->k &&
        (is_optional || s->window.ops[move].is_hidable))
        s->idle = (struct idle){op, frame->state, is_optional};
}

/* Lets the next operation return, which is hidden. */
static void let_leave(struct search *s)
{
    let_return(s);
    settle(s);
    s->is_staying = false;
    s->idle = (struct idle){0};
}

/* Tries the next move of the last configuration. Returns false if there are no more. */
static bool next_move(struct search *s, bool *is_taken)
{
    struct frame *frame = (struct frame *)s->frames.base + s->n_frames - 1;
    uint32_t move = frame->move == s->window.n ? s->window.n + 2 : frame->move;
    const struct sn_operation *op;
    uint32_t state;

    *is_taken = false;
    if (move == s->window.n + 2 + s->window.n_classes && is_leaving(s) && !frame->is_staying) {
        frame->move = move + 1;
        let_leave(s);
        *is_taken = true;
        return true;
    }
    if (move >= s->window.n + 2 + s->window.n_classes) {
        if (frame->pass != PASS_FITTING)
            return false;
        frame->pass = PASS_OTHERS;
        frame->move = s->next[s->window.n];
        return true;
    }
    op = move_op(s, move);
    state = op == NULL ? INTERN_NONE : try_step(s, op, frame);
    if (frame->choice == 0 || op == NULL)
        frame->move = move_after(s, move);
    else
        frame->move = move;
    if (state == INTERN_NONE || is_idle(s, move, op, state) || is_put_off(s, frame->pass, state) ||
        is_detour(s, op, &frame->idle, state))
        return true;
    s->state = state;
    take_move(s, move, op, frame);
    *is_taken = true;
    return true;
}

static enum sn_linear say_stuck(struct search *s)
{
    const struct sn_operation *op = s->window.ops[s->best_k].op;
    char name[128];

    return outcome_no(s->out, (size_t)(op - s->object->operations),
                      "%s cannot be put in order before it returns",
                      object_name(s->object, op, name, sizeof(name)));
}

static enum sn_linear run(struct search *s)
{
    bool is_taken;

    while (s->n_frames > 0 && !s->is_full) {
        if (!next_move(s, &is_taken)) {
            s->n_frames--;
            if (s->n_frames > 0)
                go_back(s);
            continue;
        }
        if (!is_taken)
            continue;
        if (s->k == s->window.n && !s->is_full)
            return outcome_yes(s->out);
        if (!enter(s))
            go_back(s);
        else if (budget_is_spent(s->object, s->out, s->window.ops[s->best_k].op))
            return SN_LINEAR_UNKNOWN;
    }
    if (s->is_full)
        return outcome_unknown(s->out, "not decided within %zu MiB of memory",
                               s->object->pool->limit >> 20);
    return say_stuck(s);
}

/* ---- Beginning ------------------------------------------------------------------------------ */

static bool open_search(struct search *s)
{
    struct pool *pool = s->object->pool;
    uint32_t n;

    if (window_init(&s->window, s->object) < 0)
        return false;
    n = s->window.n;
    s->next = pool_alloc(pool, ((size_t)n + 2) * sizeof(*s->next));
    s->prev = pool_alloc(pool, ((size_t)n + 2) * sizeof(*s->prev));
    intern_init(&s->states, pool);
    s->states.equal = s->object->model->equal;
    s->states.hash = s->object->model->hash;
    s->met_words = 2 + (s->window.n_hidable > 0 ? 2U : 0U) + (s->window.n_unknown > 0 ? 1U : 0U);
    s->met_size = 64;
    while (s->met_size < n && s->met_size < 4096)
        s->met_size *= 2;
    if (s->next == NULL || s->prev == NULL || !bits_init(&s->mask, pool, s->window.n_slots) ||
        !bits_init(&s->done, pool, s->window.n_hidable) ||
        !bits_init(&s->settled, pool, s->window.n_hidable) ||
        !bits_init(&s->used, pool, s->window.n_unknown) ||
        !grown_reserve(&s->met, pool, s->met_size * s->met_words * sizeof(uint64_t)))
        return false;
    for (uint32_t ring = n; ring < n + 2; ring++)
        s->next[ring] = s->prev[ring] = ring;
    s->state = intern_add(&s->states, s->object->scratch, object_begin(s->object));
    return s->state != INTERN_NONE;
}

static void close_search(struct search *s)
{
    struct pool *pool = s->object->pool;

    grown_done(&s->met, pool);
    grown_done(&s->frames, pool);
    grown_done(&s->journal, pool);
    if (s->states.pool != NULL)
        intern_done(&s->states);
    if (s->mask.sets.pool != NULL)
        intern_done(&s->mask.sets);
    if (s->done.sets.pool != NULL)
        intern_done(&s->done.sets);
    if (s->settled.sets.pool != NULL)
        intern_done(&s->settled.sets);
    if (s->used.sets.pool != NULL)
        intern_done(&s->used.sets);
}

enum sn_linear search_object(const struct object *object, struct outcome *out)
{
    struct search s = {.object = object, .out = out};
    struct pool_mark mark = pool_mark(object->pool);

    s.is_full = !open_search(&s);
    if (!s.is_full && s.window.n > 0) {
        open_called(&s, 0);
        settle(&s);
        (void)enter(&s);
    }
    if (!s.is_full && s.k == s.window.n)
        (void)outcome_yes(out);
    else
        (void)run(&s);
    close_search(&s);
    pool_return(object->pool, mark);
    return out->verdict;
}
