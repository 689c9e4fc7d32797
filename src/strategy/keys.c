/* keys.c - dependence by keys, for LiViola: see views.h.
 *
 * Two steps of a machine are dependent if they are about the same key, or one of them may be about
 * any, and one of them changes something. What is about a key touches three things: the key; what a
 * step writes that may be about any key, which it only reads; and, if it changes something, one
 * side of a thing of which steps that read any key touch the other side.
 *
 * A test's word is taken for which keys there are. That a step changes nothing, sends nothing and
 * answers nobody is looked at when it has been taken, and one that is not as the test says is taken
 * for what it is. If it was excluded, nothing is claimed any more. Steps for which a key cannot
 * tell everything are about any key: first steps, timers, and those that halt their machine, change
 * what it defers, create machines, start timers or send over a link that keeps an order.
 * SPDX-License-Identifier: MIT
 */
#include "engine/op.h"
#include "strategy/views.h"

#include <stdio.h>
#include <string.h>

static const struct sn_key *find_key(const struct sn_key *keys, const struct sn_op *op)
{
    if (op->kind != SN_OP_DELIVER || op->what == NULL)
        return NULL;
    while (keys->event != NULL && keys->event != op->what)
        keys++;
    return keys->event != NULL ? keys : NULL;
}

static uint64_t key_of(const struct sn_key *entry, const void *payload, size_t size)
{
    uint64_t hash = entry->size;
    const unsigned char *bytes = payload;

    if (entry->key != NULL)
        return entry->key(payload);
    for (size_t i = entry->offset; i < size && i < (size_t)entry->offset + entry->size; i++)
        hash = mix_pair(hash, bytes[i]);
    return hash;
}

static uint64_t memory_of(struct trial *t, const struct sn_op *op)
{
    uint64_t (*look)(struct trial * t, uint32_t task) = t->substrates[op->kind]->look;

    return look != NULL ? look(t, op->task) : 0;
}

static void see(struct course *c, struct trial *t, const struct sn_op *op)
{
    struct walk *w = c->view_self;
    struct keys *now = &w->keys;

    now->kind = op->kind;
    now->entry = find_key(t->test->dependence->keys, op);
    now->key = now->entry != NULL ? key_of(now->entry, op_payload(t, op), op->size) : 0;
    now->memory = 0;
    if (now->entry != NULL && (now->entry->reads || now->entry->excluded) && !w->is_published)
        now->memory = memory_of(t, op);
    if (now->entry == NULL && op->kind == SN_OP_DELIVER && w->note[0] == '\0' && !w->is_published)
        (void)snprintf(
            w->note, sizeof(w->note),
            "liviola: the test's keys do not list %.60s, which may therefore be about any",
            op_event_name(op));
}

/* ---- What a step was ------------------------------------------------------------------------ */

/* Whether all that the last step announced are messages that keep no order. */
static bool sent_only_datagrams(const struct trial *t)
{
    for (uint32_t i = 1; i < t->now.n_sources; i++) {
        const struct source *source = &t->sources[i];
        const struct sn_op *op = &t->ops[source->tail];

        if (source_is_free(source) || source->tail == 0 || op->cause != t->now.steps)
            continue;
        if (!source->is_single || op->kind != SN_OP_DELIVER)
            return false;
    }
    return true;
}

static void blame(struct walk *w, const char *what)
{
    if (w->note[0] == '\0')
        (void)snprintf(w->note, sizeof(w->note), "liviola: %.60s is said to %s, but it does",
                       w->keys.entry->event->name, what);
}

/* Whether the memory of the machine, and what it does with events, is as it was. */
static bool has_changed(struct walk *w, const struct trial *t)
{
    return t->substrates[w->keys.kind]->look != NULL &&
           t->substrates[w->keys.kind]->look((struct trial *)(uintptr_t)t, t->now.task) !=
               w->keys.memory;
}

static bool is_excluded(struct walk *w, const struct trial *t)
{
    if (!w->keys.entry->excluded)
        return false;
    if (t->now.children != 0)
        blame(w, "send nothing");
    else if (has_changed(w, t))
        blame(w, "change nothing");
    else if (w->course.touches.n > 0)
        blame(w, "answer nobody");
    else
        return true;
    /* Elsewhere it may have done nothing, only because it came at another time. */
    w->course.is_incomplete = w->is_contradicted = true;
    return false;
}

static bool only_reads(struct walk *w, const struct trial *t)
{
    bool is_said = w->keys.entry->reads;

    if (!is_said || !has_changed(w, t))
        return is_said;
    blame(w, "change nothing");
    return false;
}

/* Whether the step may be about more than its key, whatever the test says. */
static bool is_about_any(const struct walk *w, const struct trial *t,
                         const struct candidate *candidate)
{
    uint32_t flags = t->tasks[t->now.task].flags;

    return w->keys.entry == NULL || candidate->is_gated ||
           (flags & (TASK_GATED | TASK_HALTED)) != 0 || !sent_only_datagrams(t);
}

/* ---- Footprints ----------------------------------------------------------------------------- */

static struct touch key_touch(const struct walk *w, uint64_t task, enum touch_mode mode)
{
    return (struct touch){mix_pair(task, w->keys.key), mode};
}

/* The side of those that change a key, and the side of those that read any. */
static struct touch changes(uint64_t task)
{
    return (struct touch){mix64(~task), TOUCH_CALL};
}

static struct touch reads_any(uint64_t task)
{
    return (struct touch){mix64(~task), TOUCH_RETURN};
}

static uint32_t footprint_by_key(struct course *c, const struct trial *t,
                                 const struct candidate *candidate)
{
    struct walk *w = c->view_self;
    uint64_t task = candidate->task;
    struct touch own[COURSE_OWN_TOUCHES] = {{task, TOUCH_WRITE}};
    bool is_any;

    if (is_about_any(w, t, candidate))
        return course_footprint(c, own, 1);
    if (w->keys.entry->excluded) /* one that is not as it should be is about any key */
        return course_footprint(c, own, is_excluded(w, t) ? 0 : 1);
    is_any = w->keys.entry->any;
    own[0].mode = TOUCH_READ;
    if (only_reads(w, t)) {
        own[1] = is_any ? reads_any(task) : key_touch(w, task, TOUCH_READ);
        return course_footprint(c, own, 2);
    }
    if (is_any) {
        own[0].mode = TOUCH_WRITE;
        return course_footprint(c, own, 1);
    }
    own[1] = key_touch(w, task, TOUCH_WRITE);
    own[2] = changes(task);
    return course_footprint(c, own, 3);
}

/* Messages without an entry, and those that are excluded, depend on nothing; all others change
 * something. */
static uint32_t footprint_as_published(struct course *c, const struct trial *t,
                                       const struct candidate *candidate)
{
    const struct walk *w = c->view_self;
    struct touch own[2] = {{candidate->task, TOUCH_READ}, {0}};

    (void)t;
    if (w->keys.entry == NULL || w->keys.entry->excluded)
        return course_footprint(c, own, 0);
    if (w->keys.entry->any) {
        own[0].mode = TOUCH_WRITE;
        return course_footprint(c, own, 1);
    }
    own[1] = key_touch(w, candidate->task, TOUCH_WRITE);
    return course_footprint(c, own, 2);
}

static void view(struct walk *w, const struct trial *t, const struct course_view *view)
{
    if (t->test->dependence == NULL || t->test->dependence->keys == NULL) {
        (void)snprintf(w->note, sizeof(w->note),
                       "the test has no keys (sennit/dependence.h), so liviola is ired");
        return;
    }
    w->course.view = view;
    w->course.view_self = w;
    w->is_by_test = true;
}

void view_keys(struct walk *w, const struct trial *t)
{
    static const struct course_view by_key = {.before = see, .footprint = footprint_by_key};

    view(w, t, &by_key);
}

void view_keys_as_published(struct walk *w, const struct trial *t)
{
    static const struct course_view published = {.before = see,
                                                 .footprint = footprint_as_published};

    view(w, t, &published);
}
