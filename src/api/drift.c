/* drift.c - see drift.h. SPDX-License-Identifier: MIT */
#include "api/drift.h"

#include "base/hash.h"
#include "base/rng.h"
#include "engine/mem.h"
#include "engine/op.h"
#include "strategy/listed.h"
#include "strategy/oldest.h"

#include <inttypes.h>
#include <string.h>

enum { LOOK_BEHIND = 64 }; /* operations looked at in the queue behind one that can run */

/* Makes the id of what the trace does not have another one than any in it. */
#define NOT_LISTED UINT64_C(0x6e6577)

/* Something that the trace lists: a step, a draw or the creation of a machine. */
struct item {
    uint64_t id;
    uint64_t name;  /* hash of all that names it */
    uint64_t place; /* hash of who does it */
    uint64_t what;  /* hash of what is done */
    uint32_t record;
};

struct list {
    struct listed listed;
    struct item *items; /* the same as there, from 0 on */
    size_t n_max;
    uint32_t lowest; /* all before it are used */
    uint32_t end;    /* all from it on are unused */
};

enum how { BY_ID = 1, BY_NAME, RENAMED };

struct match {
    uint32_t item; /* plus 1; 0: the trace does not have it */
    enum how how;
    uint32_t source;
    bool is_ready; /* it is what can run in its source, not something behind it */
};

struct drift {
    const struct trace *trace;
    const struct names *names;
    struct guide guide;
    struct list steps;
    struct list draws;
    struct list creates;
    uint64_t place; /* of the running step, for draws */
    uint64_t followed;
    uint64_t by_name; /* of those */
    uint64_t invented;
    char first[512];
};

/* ---- Names ---------------------------------------------------------------------------------- */

static uint64_t add_word(uint64_t hash, const char *word)
{
    return word != NULL ? hash_add(hash, word, strlen(word) + 1) : hash_add(hash, "\1", 1);
}

static struct item item_of(unsigned kind, const char *from, const char *task, const char *event)
{
    unsigned char byte = (unsigned char)kind;
    uint64_t hash = hash_add(HASH_START, &byte, 1);
    struct item item = {.what = add_word(hash, event),
                        .place = add_word(add_word(hash, from), task)};

    item.name = mix_pair(item.what, item.place);
    return item;
}

/* As record.c names it in a trace. */
static struct item item_of_op(const struct drift *d, const struct sn_op *op)
{
    bool has_sender = op->kind == SN_OP_START || op->kind == SN_OP_DELIVER;
    struct item item = item_of(op->kind, has_sender ? names_get(d->names, op->from) : NULL,
                               names_get(d->names, op->task), op_event_name(op));

    item.id = op->id;
    return item;
}

/* ---- Lists ---------------------------------------------------------------------------------- */

static int list_init(struct list *list, size_t n, struct err *why)
{
    list->n_max = n;
    list->items = mem_reserve_shared((n + 1) * sizeof(*list->items), why);
    return listed_init(&list->listed, n, why) == 0 && list->items != NULL ? 0 : SN_ENOMEM;
}

static void list_done(struct list *list)
{
    listed_done(&list->listed);
    mem_release(list->items, (list->n_max + 1) * sizeof(*list->items));
}

static void list_add(struct list *list, struct item item)
{
    list->items[list->listed.n] = item;
    listed_add(&list->listed, item.id, item.name);
}

static bool list_is_used(const struct list *list, uint32_t index)
{
    return list->listed.items[index].is_used;
}

static void list_use(struct list *list, uint32_t number)
{
    listed_use(&list->listed, number);
    if (number > list->end)
        list->end = number;
    while (list->lowest < list->listed.n && list_is_used(list, list->lowest))
        list->lowest++;
}

/* How many were passed over. */
static uint64_t list_skipped(const struct list *list)
{
    uint64_t n = 0;

    for (uint32_t i = list->lowest; i < list->end; i++)
        n += !list_is_used(list, i);
    return n;
}

/* ---- The first difference ------------------------------------------------------------------- */

static bool is_first(struct drift *d, struct sn_text *out, uint64_t step)
{
    if (d->first[0] != '\0')
        return false;
    text_init(out, d->first, sizeof(d->first));
    text_print(out, "step %" PRIu64 ": ", step);
    return true;
}

static void print_listed(struct sn_text *out, const struct trace_record *record)
{
    text_print(out, "%.80s of %.64s", record->step.event, record->step.task);
    if (record->step.from != NULL)
        text_print(out, " from %.64s", record->step.from);
}

static void note_step(struct drift *d, struct trial *t, const struct sn_op *op,
                      const struct match *match)
{
    const struct list *steps = &d->steps;
    const char *from = names_get(d->names, op->from);
    struct sn_text out;

    if (!is_first(d, &out, t->now.steps + 1))
        return;
    if (steps->lowest < steps->listed.n) {
        text_puts(&out, "expected was ");
        print_listed(&out, &d->trace->records[steps->items[steps->lowest].record]);
    } else {
        text_puts(&out, "expected was the end");
    }
    text_print(&out, ", but %.80s of %.64s", op_event_name(op), names_get(d->names, op->task));
    if (from != NULL && (op->kind == SN_OP_START || op->kind == SN_OP_DELIVER))
        text_print(&out, " from %.64s", from);
    text_print(&out, " came%s", match->item == 0 ? ", which the trace does not have" : "");
}

static void note_draw(struct drift *d, struct trial *t, const struct sn_draw *draw,
                      const struct trace_record *record)
{
    struct sn_text out;

    if (!is_first(d, &out, t->now.steps))
        return;
    if (record == NULL)
        text_print(&out, "the value \"%.100s\" is drawn, which the trace does not have",
                   draw->label);
    else
        text_print(&out, "\"%.100s\" was %" PRIu64 ", but must now be below %" PRIu64, draw->label,
                   record->draw.value, draw->n);
}

/* ---- Deciding ------------------------------------------------------------------------------- */

/* What the trace has for an operation. Two operations can have the id of one that is listed, if
 * something was added before it: an id alone counts only if what is done, or who does it, is the
 * same, and nothing else has the right name. */
static struct match match_op(const struct drift *d, const struct sn_op *op)
{
    struct item item = item_of_op(d, op);
    uint32_t with_id = listed_find_id(&d->steps.listed, item.id);
    const struct item *listed = with_id != 0 ? &d->steps.items[with_id - 1] : NULL;
    uint32_t with_name;

    if (listed != NULL && listed->name == item.name)
        return (struct match){.item = with_id, .how = BY_ID};
    with_name = listed_find_name(&d->steps.listed, item.name);
    if (with_name != 0)
        return (struct match){.item = with_name, .how = BY_NAME};
    if (listed != NULL && (listed->what == item.what || listed->place == item.place))
        return (struct match){.item = with_id, .how = RENAMED};
    return (struct match){0};
}

static bool is_better(const struct match *a, const struct match *b)
{
    if (b->item == 0 || a->item != b->item)
        return b->item == 0 || a->item < b->item;
    return a->how != b->how ? a->how < b->how : a->is_ready && !b->is_ready;
}

/* What waits behind something that can run counts, too: a message that was added in front of a
 * listed one has to go first. */
static void look_at_source(const struct drift *d, const struct trial *t, uint32_t source,
                           struct match *best)
{
    uint32_t number = t->sources[source].ready;

    for (int i = 0; number != 0 && i < LOOK_BEHIND; i++, number = t->ops[number].next) {
        struct match match = match_op(d, &t->ops[number]);

        match.source = source;
        match.is_ready = i == 0;
        if (match.item != 0 && is_better(&match, best))
            *best = match;
    }
}

static void take(struct drift *d, struct trial *t, struct sn_op *op, const struct match *match)
{
    if (match->item != d->steps.lowest + 1 || match->how == RENAMED)
        note_step(d, t, op, match);
    d->place = item_of_op(d, op).place;
    if (match->item == 0) {
        d->invented++;
        op->id = mix_pair(op->id, NOT_LISTED);
        return;
    }
    d->followed++;
    d->by_name += match->how != BY_ID;
    d->place = d->steps.items[match->item - 1].place; /* whatever it is called now */
    op->id = d->steps.items[match->item - 1].id;
    list_use(&d->steps, match->item);
}

static uint32_t pick(struct trial *t, void *self)
{
    struct drift *d = self;
    struct match best = {0};
    struct sn_op *op;

    for (uint32_t i = 0; i < t->now.n_enabled; i++)
        look_at_source(d, t, (uint32_t)t->enabled[i], &best);
    if (best.item == 0) {
        best.source = (uint32_t)t->enabled[oldest_index(t)];
        op = &t->ops[t->sources[best.source].ready];
        if (op->kind == SN_OP_FAULT && op->deadline == 0)
            return 0; /* nothing goes wrong that did not then */
    } else {
        op = &t->ops[t->sources[best.source].ready];
        if (!best.is_ready) {
            uint32_t source = best.source;

            best = match_op(d, op);
            best.source = source;
            if (best.how == RENAMED)
                best.item = 0; /* what it was taken for waits behind it */
        }
    }
    take(d, t, op, &best);
    return best.source;
}

static uint64_t decide_draw(struct trial *t, const struct sn_draw *draw, void *self)
{
    struct drift *d = self;
    uint32_t number = listed_find_id(&d->draws.listed, draw->key);
    const struct trace_record *record;

    if (number == 0) {
        number = listed_find_name(&d->draws.listed, add_word(d->place, draw->label));
        d->by_name += number != 0;
    }
    if (number == 0) {
        d->invented++;
        note_draw(d, t, draw, NULL);
        return 0;
    }
    d->followed++;
    list_use(&d->draws, number);
    record = &d->trace->records[d->draws.items[number - 1].record];
    if (record->draw.value < draw->n)
        return record->draw.value;
    note_draw(d, t, draw, record);
    return draw->n - 1;
}

/* What the trace has for a machine, plus 1. One of the same type that was added before it can have
 * its id, so its name comes first. */
static uint32_t match_create(const struct drift *d, uint64_t id, uint32_t task)
{
    const char *type = d->names->types[task]->name;
    struct item item = item_of(0, type, names_get(d->names, task), NULL);
    uint32_t with_id = listed_find_id(&d->creates.listed, id);
    uint32_t with_name;
    const struct item *listed;

    if (with_id != 0 && d->creates.items[with_id - 1].name == item.name)
        return with_id;
    with_name = listed_find_name(&d->creates.listed, item.name);
    if (with_name != 0 || with_id == 0)
        return with_name;
    listed = &d->creates.items[with_id - 1];
    return strcmp(d->trace->records[listed->record].create.type, type) == 0 ? with_id : 0;
}

void drift_create(struct drift *d, struct trial *t, uint32_t task)
{
    uint64_t *id = &t->tasks[task].id;
    uint32_t number = match_create(d, *id, task);

    if (number == 0) {
        *id = mix_pair(*id, NOT_LISTED);
        return;
    }
    *id = d->creates.items[number - 1].id;
    list_use(&d->creates, number);
}

/* ---- Life ----------------------------------------------------------------------------------- */

static void add_record(struct drift *d, uint32_t index)
{
    const struct trace_record *record = &d->trace->records[index];
    struct item item;

    if (record->kind == TRACE_STEP) {
        item = item_of(record->step.op, record->step.from, record->step.task, record->step.event);
        item.id = record->step.id;
        item.record = index;
        d->place = item.place;
        list_add(&d->steps, item);
    } else if (record->kind == TRACE_DRAW) {
        item = (struct item){.id = record->draw.key,
                             .name = add_word(d->place, record->draw.label),
                             .record = index};
        list_add(&d->draws, item);
    } else if (record->kind == TRACE_CREATE) {
        item = item_of(0, record->create.type, record->create.name, NULL);
        item.id = record->create.id;
        item.record = index;
        list_add(&d->creates, item);
    }
}

int drift_new(struct drift **out, const struct trace *trace, const struct names *names,
              struct err *why)
{
    struct drift *d = mem_reserve_shared(sizeof(*d), why);

    *out = d;
    if (d == NULL)
        return SN_ENOMEM;
    d->trace = trace;
    d->names = names;
    d->guide = (struct guide){.pick = pick, .draw = decide_draw, .self = d};
    if (list_init(&d->steps, trace->n_records, why) < 0 ||
        list_init(&d->draws, trace->n_records, why) < 0 ||
        list_init(&d->creates, trace->n_records, why) < 0) {
        drift_free(d);
        *out = NULL;
        return SN_ENOMEM;
    }
    for (uint32_t i = 0; i < trace->n_records; i++)
        add_record(d, i);
    d->place = 0;
    return 0;
}

void drift_free(struct drift *d)
{
    if (d == NULL)
        return;
    list_done(&d->steps);
    list_done(&d->draws);
    list_done(&d->creates);
    mem_release(d, sizeof(*d));
}

const struct guide *drift_guide(const struct drift *d)
{
    return &d->guide;
}

bool drift_describe(const struct drift *d, char *text, size_t size)
{
    uint64_t skipped = list_skipped(&d->steps) + list_skipped(&d->draws);
    struct sn_text out;

    text_init(&out, text, size);
    text_print(&out, "%" PRIu64 " decision%s followed", d->followed, d->followed == 1 ? "" : "s");
    if (d->by_name > 0)
        text_print(&out, " (%" PRIu64 " found by name)", d->by_name);
    text_print(&out, ", %" PRIu64 " skipped, %" PRIu64 " invented", skipped, d->invented);
    if (d->first[0] != '\0')
        text_print(&out, "; first drift in %s", d->first);
    return skipped > 0 || d->invented > 0 || d->first[0] != '\0';
}
