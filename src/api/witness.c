/* witness.c - see witness.h. SPDX-License-Identifier: MIT */
#include "api/witness.h"

#include "api/record.h"
#include "base/hash.h"
#include "base/rng.h"
#include "substrate/machine.h"
#include "substrate/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PAYLOAD_SHOWN = 160 };

struct witness {
    struct witness_board *board;
    struct names *names;
    void (*before)(struct trial *t, void *self);
    void *self;
    uint64_t returned; /* a hash of what code that is not under control has returned so far */
};

static struct witness *of(struct trial *t)
{
    return t->recorder->self;
}

/* ---- Ends ----------------------------------------------------------------------------------- */

void witness_take_end(const struct trial *t, struct witness_end *end)
{
    *end = (struct witness_end){.decisions = t->log.n,
                                .steps = t->now.steps,
                                .order = t->now.order,
                                .verdict = t->verdict.verdict,
                                .is_cut = t->cut,
                                .has_diverged = t->divergence.text[0] != '\0'};
    memcpy(end->oracle, t->verdict.oracle, sizeof(end->oracle));
    memcpy(end->at, t->verdict.at, sizeof(end->at));
    (void)snprintf(end->why, sizeof(end->why), "%.250s",
                   end->has_diverged ? t->divergence.text : t->verdict.message);
}

/* Not what the oracle says: it may mention what need not be the same, such as an address. */
bool witness_is_same_end(const struct witness_end *a, const struct witness_end *b)
{
    return a->decisions == b->decisions && a->steps == b->steps && a->order == b->order &&
           a->verdict == b->verdict && a->is_cut == b->is_cut &&
           a->has_diverged == b->has_diverged && strcmp(a->oracle, b->oracle) == 0 &&
           strcmp(a->at, b->at) == 0;
}

static void describe_end(struct witness_board *board, const struct trial *t)
{
    const struct witness_end *end = &board->came;
    struct sn_text out;

    text_init(&out, board->text, sizeof(board->text));
    board->step = t->now.steps;
    if (end->has_diverged)
        text_puts(&out, end->why);
    else if (end->verdict != SN_PASSED)
        text_print(&out, "%s%s%s: %s", end->oracle, end->at[0] != '\0' ? ": " : "", end->at,
                   end->why);
    else
        text_print(&out, "the end, order %016" PRIx64, end->order);
}

/* ---- Decisions ------------------------------------------------------------------------------ */

static void describe_step(struct trial *t, const struct sn_op *op, const void *payload)
{
    struct witness *w = of(t);
    struct witness_board *board = w->board;
    const char *task = names_get(w->names, op->task);
    char shown[PAYLOAD_SHOWN];
    struct sn_text out;
    struct sn_text value;

    text_init(&out, board->text, sizeof(board->text));
    text_print(&out, "%.80s of %.64s", op_event_name(op), task != NULL ? task : "the test");
    if (payload == NULL)
        return;
    text_init(&value, shown, sizeof(shown));
    print_op(&value, t, op, payload);
    text_print(&out, " (%s) at %" PRIu64 " ns", shown, t->now.time_ns);
}

static void describe_draw(struct trial *t, const struct sn_draw *draw, uint64_t value)
{
    struct witness_board *board = of(t)->board;
    struct sn_text out;

    text_init(&out, board->text, sizeof(board->text));
    text_print(&out, "the draw \"%.80s\", %" PRIu64 " of %" PRIu64, draw->label, value, draw->n);
}

/* True: this is the decision to be described. */
static bool look(struct trial *t, uint64_t digest)
{
    struct witness_board *board = of(t)->board;
    uint64_t index = t->log.n - 1;

    board->progress++;
    if (board->mode == WITNESS_RECORD) {
        board->digests[index] = digest;
        return false;
    }
    if (board->mode == WITNESS_DESCRIBE && index != board->differs_at)
        return false;
    if (board->mode == WITNESS_COMPARE && index < board->expected.decisions &&
        board->digests[index] == digest)
        return false;
    board->differs_at = index;
    board->step = t->now.steps;
    return true;
}

static void stop_if_comparing(struct trial *t)
{
    if (of(t)->board->mode == WITNESS_COMPARE)
        trial_diverge(t, "it went another way");
}

static uint64_t hash_word(uint64_t hash, const char *word)
{
    return word != NULL ? hash_add(hash, word, strlen(word) + 1) : hash;
}

static void on_step(struct trial *t, const struct sn_op *op, const void *payload)
{
    const struct witness *w = of(t);
    uint64_t hash =
        hash_word(hash_word(HASH_START, op_event_name(op)), names_get(w->names, op->task));

    hash = mix_pair(mix_pair(hash, op->id), op->kind);
    hash = mix_pair(hash, w->returned);
    hash = mix_pair(mix_pair(hash, record_digest_step(t, op, payload)), t->now.time_ns);
    if (!look(t, hash))
        return;
    describe_step(t, op, payload);
    stop_if_comparing(t);
}

static void on_draw(struct trial *t, const struct sn_draw *draw, uint64_t value)
{
    if (!look(t, mix_pair(mix_pair(draw->key, draw->n), value)))
        return;
    describe_draw(t, draw, value);
    stop_if_comparing(t);
}

/* It shows in the next decision. */
static void on_foreign(struct trial *t, const char *name, uint64_t result)
{
    struct witness *w = of(t);

    w->returned = mix_pair(hash_word(w->returned, name), result);
}

static void on_create(struct trial *t, uint32_t task, const struct sn_machine *type)
{
    names_add(of(t)->names, task, type);
}

static void on_name(struct trial *t, uint32_t task, const char *name)
{
    names_set(of(t)->names, task, name);
}

static const char *task_name(struct trial *t, uint32_t task)
{
    const char *name = names_get(of(t)->names, task);

    return name != NULL ? name : "nobody";
}

static const struct recorder callbacks = {
    .step = on_step,
    .draw = on_draw,
    .create = on_create,
    .foreign = on_foreign,
    .name = on_name,
    .task_name = task_name,
};

/* ---- A run ---------------------------------------------------------------------------------- */

static void before_trial(struct trial *t, void *self)
{
    struct witness *w = self;

    if (w->before != NULL)
        w->before(t, w->self);
}

static void after_trial(struct trial *t, void *self)
{
    struct witness_board *board = ((struct witness *)self)->board;

    witness_take_end(t, &board->came);
    switch (board->mode) {
    case WITNESS_RECORD:
        board->expected = board->came;
        break;
    case WITNESS_COMPARE:
        if (board->differs_at == UINT64_MAX && !witness_is_same_end(&board->expected, &board->came))
            board->differs_at = t->log.n;
        else
            break;
        describe_end(board, t);
        break;
    case WITNESS_DESCRIBE:
        if (board->text[0] == '\0')
            describe_end(board, t);
        break;
    }
}

void witness_run(struct witness_board *board, struct explore *e, struct names *names,
                 void (*before)(struct trial *t, void *self), void *self)
{
    struct witness w = {.board = board, .names = names, .before = before, .self = self};
    struct recorder recorder = callbacks;
    struct explore_repeat repeat = {.recorder = &recorder,
                                    .decisions = board->n,
                                    .before = before_trial,
                                    .after = after_trial,
                                    .self = &w};

    recorder.self = &w;
    names_clear(names);
    memcpy(e->t->log.entries, board->log, board->n * sizeof(board->log[0]));
    e->t->log.n = board->n;
    e->t->fair_from = board->fair_from;
    board->text[0] = '\0';
    if (board->mode != WITNESS_DESCRIBE)
        board->differs_at = UINT64_MAX;
    explore_repeat(e, &repeat);
}
