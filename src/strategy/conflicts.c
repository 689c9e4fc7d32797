/* conflicts.c - see conflicts.h. SPDX-License-Identifier: MIT */
#include "strategy/conflicts.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "engine/epoch.h"
#include "engine/opname.h"

#include <string.h>

static const uint64_t conflicts_tag = UINT64_C(0x7374636c666e6f63); /* "conflcts" */

/* ---- The table ------------------------------------------------------------------------------ */

/* The place of a signature, which may be empty. There always is one. */
static struct signature *place_of(struct conflicts *c, uint64_t hash)
{
    uint32_t i = (uint32_t)(mix64(hash) % CONFLICTS_SLOTS);

    while (c->table[i].hash != 0 && c->table[i].hash != hash)
        i = (i + 1) % CONFLICTS_SLOTS;
    return &c->table[i];
}

static bool is_quiet(uint32_t flags)
{
    return (flags & ~(uint32_t)SIGNATURE_START) == SIGNATURE_SEEN;
}

/* Whether that was new. */
static bool add_signature(struct conflicts *c, uint64_t hash, uint32_t flags)
{
    struct signature *place = place_of(c, hash);
    uint32_t before = place->flags;

    if (hash == 0 || (place->hash == 0 && c->n == CONFLICTS_SIGNATURES_MAX))
        return false;
    if (place->hash == 0)
        c->places[c->n++] = (uint32_t)(place - c->table);
    place->hash = hash;
    place->flags |= flags;
    c->n_racy += ((place->flags & ~before) & SIGNATURE_RACED) != 0;
    c->n_quiet -= before == SIGNATURE_SEEN;
    c->n_quiet += place->flags == SIGNATURE_SEEN;
    return place->flags != before;
}

/* ---- Trials --------------------------------------------------------------------------------- */

/* Whether the epoch before that of a trial, or this one, has shown anything new. */
static bool is_settled(const struct conflicts *c, uint64_t trial)
{
    uint64_t epoch = epoch_of(trial);

    return epoch >= CONFLICTS_FIRST && (c->changed == 0 || c->changed - 1 < epoch_of(epoch - 1));
}

void conflicts_begin(struct conflicts *c, uint64_t trial)
{
    c->trial = trial;
    c->serial++;
    c->streak = 0;
    c->n_kinds = 0;
    c->n_skipped = 0;
    c->is_plain = trial % CONFLICTS_SAMPLE == 0;
    c->is_wanted = c->is_plain               ? true
                   : is_settled(c, trial)    ? false
                   : trial >= CONFLICTS_MANY ? trial % CONFLICTS_OFTEN == 0
                                             : true;
    c->is_analysed = false;
    races_clear(&c->races);
}

void conflicts_enter(struct conflicts *c, struct trial *t)
{
    c->t = t;
    c->base = t->now.steps;
    c->waits = t->now.waits;
    c->is_analysed = c->is_wanted;
    if (!c->is_analysed)
        return;
    touches_clear(&c->touches);
    t->touches = &c->touches;
}

/* ---- Signatures ----------------------------------------------------------------------------- */

static uint64_t name_hash(struct conflicts *c, const struct trial *t, const struct sn_op *op)
{
    struct conflict_name *known = &c->names[((uintptr_t)op->what >> 4) % CONFLICTS_NAMES];

    if (unlikely(c->forgettings != t->forgettings))
        memset(c->names, 0, sizeof(c->names));
    c->forgettings = t->forgettings;
    if (known->what != op->what || op->what == NULL)
        *known = (struct conflict_name){op->what, opname_hash(HASH_START, op_event_name(op))};
    return known->hash;
}

static uint64_t hash_of(struct conflicts *c, const struct trial *t, const struct sn_op *op,
                        uint64_t who)
{
    uint64_t hash = mix_pair(name_hash(c, t, op), op->kind);

    if (op->kind > SN_OP_FAULT)
        hash = mix_pair(hash, op->site);
    if (!c->by_site)
        hash = mix_pair(hash, who);
    return hash + (hash == 0);
}

/* The number of a signature in this trial; 0: there are too many. */
static uint32_t kind_of(struct conflicts *c, uint64_t hash)
{
    uint32_t i = (uint32_t)(mix64(hash) % CONFLICTS_SLOTS);

    for (; c->kind_slots[i].serial == c->serial; i = (i + 1) % CONFLICTS_SLOTS) {
        if (c->kinds[c->kind_slots[i].kind].hash == hash)
            return c->kind_slots[i].kind;
    }
    if (c->n_kinds == CONFLICTS_SIGNATURES_MAX)
        return 0;
    c->kinds[++c->n_kinds] =
        (struct conflict_kind){.hash = hash, .known = place_of(c, hash)->flags};
    c->kind_slots[i].serial = c->serial;
    c->kind_slots[i].kind = c->n_kinds;
    return c->n_kinds;
}

/* Of what is known: both only grow. */
static uint32_t version_of(const struct conflicts *c, const struct trial *t)
{
    return (uint32_t)(c->version + t->forgettings);
}

/* Whether it was met there in an earlier trial, since which nothing was learned or forgotten. */
static bool is_as_before(const struct conflict_known *known, const struct sn_op *op, uint64_t who,
                         uint32_t version)
{
    return known->what == op->what && known->who == who && known->task == op->task &&
           known->site == (op->kind > SN_OP_FAULT ? op->site : 0) && known->op_kind == op->kind &&
           known->version == version && known->serial != 0;
}

void conflicts_look(struct trial *t, struct conflicts *c, const struct sn_op *op,
                    struct conflict_known *known)
{
    uint64_t who = trial_who(t, op->task);
    uint32_t version = version_of(c, t);
    uint64_t hash;

    if (likely(op->what != NULL && is_as_before(known, op, who, version))) {
        known->serial = (uint32_t)c->serial;
        return;
    }
    hash = hash_of(c, t, op, who);
    *known = (struct conflict_known){.what = op->what,
                                     .hash = hash,
                                     .who = who,
                                     .serial = (uint32_t)c->serial,
                                     .version = version,
                                     .task = op->task,
                                     .site = op->kind > SN_OP_FAULT ? op->site : 0,
                                     .op_kind = op->kind,
                                     .is_quiet = is_quiet(place_of(c, hash)->flags) &&
                                                 op->kind != SN_OP_FAULT};
}

/* ---- What happens in a trial ---------------------------------------------------------------- */

/* The task of an operation in the analysis, which knows tasks by the order of their first steps. */
static bool fits(const struct conflicts *c, const struct sn_op *op)
{
    const struct races *r = &c->races;

    return r->n < RACES_EVENTS_MAX && op->task < RACES_EVENTS_MAX &&
           r->n_touches + TOUCHES_MAX <= RACES_TOUCHES_MAX;
}

/* The event of a step; 0: that was another strategy's. */
static uint32_t event_of(const struct conflicts *c, uint32_t step)
{
    return step > c->base ? step - (uint32_t)c->base : 0;
}

/* What the step before has touched and taken. */
static void add_touches(struct conflicts *c)
{
    struct races *r = &c->races;
    struct race_event *e = &r->events[r->n];

    if (r->n > 0 && c->touches.n > 0) {
        memcpy(&r->touches[r->n_touches], c->touches.all, c->touches.n * sizeof(r->touches[0]));
        r->n_touches += c->touches.n;
    }
    if (r->n > 0) {
        e->is_wild = c->touches.is_wild;
        e->after = event_of(c, c->touches.after);
    }
    e[1].touches = r->n_touches;
    touches_clear(&c->touches);
}

static void know_tasks(struct conflicts *c, const struct trial *t, uint32_t task)
{
    struct races *r = &c->races;

    while (r->n_tasks <= task) {
        r->tasks[r->n_tasks] = t->tasks[r->n_tasks].id;
        r->n_tasks++;
    }
}

void conflicts_note_step(struct conflicts *c, struct trial *t, const struct sn_op *op)
{
    struct races *r = &c->races;
    bool is_link = !t->sources[op->source].is_single;
    struct race_event *e;

    if (!fits(c, op)) {
        r->is_full = true;
        c->n_skipped++;
        return;
    }
    add_touches(c);
    know_tasks(c, t, op->task);
    e = &r->events[++r->n];
    e->task = op->task;
    e->cause = event_of(c, op->cause);
    e->previous = 0;
    e->after = 0;
    if (is_link && c->taken_serial[op->source] == c->serial)
        e->previous = c->last_taken[op->source];
    if (is_link) {
        c->last_taken[op->source] = r->n;
        c->taken_serial[op->source] = c->serial;
    }
    e->signature = kind_of(c, conflicts_of(t, c, op)->hash);
    e->is_start = op->kind == SN_OP_START;
    c->kinds[e->signature].is_start = e->is_start;
    e->is_late = t->now.waits != c->waits;
    e->is_wild = false;
    c->waits = t->now.waits;
}

/* ---- Lessons -------------------------------------------------------------------------------- */

enum { LESSON_HEAD = CONFLICTS_LESSON_HEAD_BYTES, LESSON_SIGNATURE = 9 };

/* Counts what was found, and marks the kinds that raced. */
static struct sn_conflicts judge(struct conflicts *c)
{
    struct races *r = &c->races;
    struct sn_conflicts f = {.trials = 1, .operations = r->n};

    for (uint32_t i = 1; i <= r->n; i++) {
        const struct race_event *e = &r->events[i];
        struct conflict_kind *kind = &c->kinds[e->signature];
        bool was_marked = (kind->known & SIGNATURE_RACED) != 0;

        kind->is_calm |= !e->raced && !e->is_blind;
        f.raced += e->raced;
        f.false_negatives += e->raced && !was_marked;
        f.false_positives += !e->raced && was_marked;
        kind->raced |= e->raced;
    }
    return f;
}

/* Analyses the trial. */
static struct sn_conflicts analyse(struct conflicts *c)
{
    struct sn_conflicts f;
    uint32_t n;

    add_touches(c);
    n = c->races.n;
    races_find(&c->races);
    c->kinds[0] = (struct conflict_kind){.hash = 0};
    f = judge(c);
    f.skipped = c->n_skipped + (n - c->races.n);
    return f;
}

size_t conflicts_lesson(struct conflicts *c, unsigned char *bytes, size_t room)
{
    struct sn_conflicts f;
    size_t n = LESSON_HEAD;
    bool is_whole;

    if (!c->is_analysed || room < LESSON_HEAD || c->races.n == 0)
        return 0;
    f = analyse(c);
    is_whole = c->t->verdict.verdict == SN_PASSED && !c->t->stuck && !c->t->discarded;
    bytes_put(bytes, c->trial);
    bytes_put(bytes + 8, f.operations);
    bytes_put(bytes + 16, f.raced);
    bytes_put(bytes + 24, f.false_negatives);
    bytes_put(bytes + 32, f.false_positives);
    bytes_put(bytes + 40, f.skipped);
    for (uint32_t i = 1; i <= c->n_kinds && n + LESSON_SIGNATURE <= room; i++) {
        const struct conflict_kind *kind = &c->kinds[i];
        uint32_t flags = SIGNATURE_SEEN | (kind->raced ? SIGNATURE_RACED : 0) |
                         (kind->is_start ? SIGNATURE_START : 0);

        if ((flags & ~kind->known) == 0 || (!kind->raced && !(is_whole && kind->is_calm)))
            continue;
        bytes_put(bytes + n, kind->hash);
        bytes[n + 8] = (unsigned char)flags;
        n += LESSON_SIGNATURE;
    }
    return n;
}

void conflicts_learn(struct conflicts *c, const unsigned char *bytes, size_t n)
{
    uint64_t trial;
    bool is_new = false;

    if (n < LESSON_HEAD || (n - LESSON_HEAD) % LESSON_SIGNATURE != 0)
        return;
    trial = bytes_get(bytes);
    c->figures.trials++;
    c->figures.operations += bytes_get(bytes + 8);
    c->figures.raced += bytes_get(bytes + 16);
    c->figures.false_negatives += bytes_get(bytes + 24);
    c->figures.false_positives += bytes_get(bytes + 32);
    c->figures.skipped += bytes_get(bytes + 40);
    for (size_t at = LESSON_HEAD; at < n; at += LESSON_SIGNATURE)
        is_new |= add_signature(c, bytes_get(bytes + at),
                                (bytes[at + 8] & SIGNATURE_ALL) | SIGNATURE_SEEN);
    if (!is_new)
        return;
    c->version++;
    if (trial >= c->changed && trial < UINT64_MAX)
        c->changed = trial + 1;
}

void conflicts_share(const struct conflicts *c, struct conflicts *other)
{
    other->n = c->n;
    other->n_racy = c->n_racy;
    other->n_quiet = c->n_quiet;
    other->version = c->version;
    other->changed = c->changed;
    memcpy(other->table, c->table, sizeof(other->table));
    memcpy(other->places, c->places, c->n * sizeof(c->places[0]));
    memset(other->known, 0, sizeof(other->known));
}

uint64_t conflicts_count_racy(const struct conflicts *c, uint64_t otherwise)
{
    const struct races *r = &c->races;
    uint64_t n = 0;

    if (!c->is_analysed || r->is_full)
        return otherwise;
    for (uint32_t i = 1; i <= r->n; i++) {
        const struct conflict_kind *kind = &c->kinds[r->events[i].signature];

        n += kind->raced || (kind->known & SIGNATURE_RACED) != 0;
    }
    return n;
}

struct sn_conflicts conflicts_figures(const struct conflicts *c)
{
    struct sn_conflicts f = c->figures;

    f.signatures = c->n;
    f.racy = c->n_racy;
    return f;
}

/* ---- As bytes ------------------------------------------------------------------------------- */

/* Tag, signatures, version, change, figures; then each signature with its flags, in the order in
 * which they were learned. */
size_t conflicts_save(const struct conflicts *c, unsigned char *bytes, size_t room)
{
    const uint64_t words[] = {conflicts_tag,
                              c->by_site,
                              c->n,
                              c->version,
                              c->changed,
                              c->figures.trials,
                              c->figures.operations,
                              c->figures.raced,
                              c->figures.false_negatives,
                              c->figures.false_positives,
                              c->figures.skipped};
    size_t size = CONFLICTS_HEAD_BYTES + (size_t)c->n * 16;

    static_assert(sizeof(words) == CONFLICTS_HEAD_BYTES, "all of them");
    if (size > room)
        return size;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        bytes_put(bytes + 8 * i, words[i]);
    bytes += CONFLICTS_HEAD_BYTES;
    for (uint32_t i = 0; i < c->n; i++, bytes += 16) {
        bytes_put(bytes, c->table[c->places[i]].hash);
        bytes_put(bytes + 8, c->table[c->places[i]].flags);
    }
    return size;
}

static bool are_signatures(const unsigned char *bytes, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t flags = bytes_get(bytes + 16 * i + 8);

        if (bytes_get(bytes + 16 * i) == 0 || (flags & SIGNATURE_SEEN) == 0 ||
            flags > SIGNATURE_ALL)
            return false;
    }
    return true;
}

int conflicts_load(struct conflicts *c, const unsigned char *bytes, size_t n)
{
    const unsigned char *at = bytes + CONFLICTS_HEAD_BYTES;
    uint64_t signatures;

    if (n < CONFLICTS_HEAD_BYTES || bytes_get(bytes) != conflicts_tag ||
        bytes_get(bytes + 8) != c->by_site)
        return -1;
    signatures = bytes_get(bytes + 16);
    if (signatures > CONFLICTS_SIGNATURES_MAX || n != CONFLICTS_HEAD_BYTES + signatures * 16 ||
        !are_signatures(at, signatures))
        return -1;
    memset(c->table, 0, sizeof(c->table));
    memset(c->known, 0, sizeof(c->known));
    c->n = c->n_racy = c->n_quiet = 0;
    c->version = bytes_get(bytes + 24);
    c->changed = bytes_get(bytes + 32);
    c->figures = (struct sn_conflicts){
        .trials = bytes_get(bytes + 40),
        .operations = bytes_get(bytes + 48),
        .raced = bytes_get(bytes + 56),
        .false_negatives = bytes_get(bytes + 64),
        .false_positives = bytes_get(bytes + 72),
        .skipped = bytes_get(bytes + 80),
    };
    for (uint64_t i = 0; i < signatures; i++)
        (void)add_signature(c, bytes_get(at + 16 * i), (uint32_t)bytes_get(at + 16 * i + 8));
    return 0;
}
