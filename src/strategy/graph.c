/* graph.c - see graph.h. SPDX-License-Identifier: MIT */
#include "strategy/graph.h"

#include "engine/op.h"

#include <string.h>

/* Those come first that were made last, since they know of more that they can send to: what has
 * been sent when a machine receives need not revisit it. Those that are made on the way are ordered
 * by their ids, because in which order they are made may differ. */
#define RANK_OF_SET_UP UINT64_MAX

#define ALL_SENDS UINT32_MAX

/* ---- Growing -------------------------------------------------------------------------------- */

/* The last send before this one in the same queue. */
static uint32_t find_ahead(const struct graph *g, uint32_t from, uint32_t to)
{
    uint32_t send = g->actors[to].newest;

    while (send != 0 && (!g->sends[send].is_ordered || g->sends[send].from != from))
        send = g->sends[send].older;
    return send;
}

static void append_send(struct graph *g, const struct graph_send *new)
{
    struct graph_actor *to = &g->actors[new->to];
    struct graph_send *send = &g->sends[g->n_sends];

    *send = *new;
    send->ahead = new->is_ordered ? find_ahead(g, new->from, new->to) : 0;
    send->older = to->newest;
    send->cancelled = GRAPH_NEVER;
    to->newest = g->n_sends++;
    to->n_timers += new->kind == SN_OP_TIMER;
}

/* Whether an operation still waits in its source. If it was dropped, it may be another one now. */
static bool is_pending(const struct trial *t, uint64_t id, uint32_t op, uint32_t source)
{
    const struct source *s = &t->sources[source];

    return s->tail != 0 && s->head == op && t->ops[op].id == id;
}

static bool keeps_order(const struct trial *t, const struct sn_op *op)
{
    return op->kind != SN_OP_TIMER && !t->sources[op->source].is_single;
}

/* ---- The set-up ----------------------------------------------------------------------------- */

/* Inserts what waits in a source among the others, by number. */
static void take_in_source(struct graph *g, const struct trial *t, uint32_t source)
{
    for (uint32_t op = t->sources[source].head; op != 0; op = t->ops[op].next) {
        uint32_t at = g->n_sends;

        if (at == GRAPH_SENDS_MAX) {
            g->is_full = true;
            return;
        }
        for (; at > 1 && t->ops[g->sends[at - 1].op].number > t->ops[op].number; at--)
            g->sends[at].op = g->sends[at - 1].op;
        g->sends[at].op = op;
        g->n_sends++;
    }
}

void graph_clear(struct graph *g)
{
    g->is_set_up = false;
    g->is_full = false;
    g->n = 0;
    g->n_sends = 0;
    g->n_order = 0;
}

void graph_set_up(struct graph *g, const struct trial *t)
{
    uint32_t n;

    g->is_set_up = true;
    g->is_full |= t->now.n_tasks > GRAPH_ACTORS_MAX;
    if (g->is_full)
        return;
    g->n_sends = 1;
    for (uint32_t i = 1; i < t->now.n_sources; i++) {
        if (!source_is_free(&t->sources[i]))
            take_in_source(g, t, i);
    }
    n = g->n_sends;
    for (uint32_t task = 0; task < t->now.n_tasks; task++) {
        g->actors[task] = (struct graph_actor){.rank = RANK_OF_SET_UP - task};
        g->actor_of_task[task] = task;
    }
    g->n_actors = t->now.n_tasks;
    g->n_sends = 1;
    for (uint32_t i = 1; i < n; i++) {
        const struct sn_op *op = &t->ops[g->sends[i].op];

        append_send(g, &(struct graph_send){.id = op->id,
                                            .k = i - 1,
                                            .from = op->from,
                                            .to = op->task,
                                            .op = op_index(t, op),
                                            .source = op->source,
                                            .kind = op->kind,
                                            .is_ordered = keeps_order(t, op)});
    }
    g->receives[0] = (struct graph_receive){.first_send = 1, .n_sends = n - 1, .n_added = n - 1};
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static bool has_room(const struct graph *g, const struct announced *announced)
{
    return g->n + 1 < GRAPH_RECEIVES_MAX && announced->n <= GRAPH_SENDS_MAX - g->n_sends &&
           announced->n <= GRAPH_ACTORS_MAX - g->n_actors;
}

static void make_actor(struct graph *g, const struct trial *t, uint32_t task)
{
    g->actors[g->n_actors] = (struct graph_actor){.rank = t->tasks[task].id >> 1};
    g->actor_of_task[task] = g->n_actors++;
}

/* A timer that is cancelled within the same step never was. */
static void take_in(struct graph *g, const struct trial *t, const struct announcement *what)
{
    struct graph_receive *r = &g->receives[g->n];
    const struct sn_op *op = &t->ops[what->op];
    struct graph_send send = {.id = what->id,
                              .receive = g->n,
                              .k = r->n_sends,
                              .from = r->actor,
                              .position = GRAPH_NOWHERE,
                              .kind = what->kind,
                              .is_ordered = what->is_ordered};

    if (what->op != 0 && op->id == what->id) {
        send.op = what->op;
        send.source = op->source;
        send.is_ordered = keeps_order(t, op);
    }
    if (what->kind == SN_OP_TIMER && !is_pending(t, what->id, what->op, send.source))
        return;
    if (what->kind == SN_OP_START)
        make_actor(g, t, what->task);
    send.to = g->actor_of_task[what->task];
    append_send(g, &send);
    r->n_sends++;
}

static void note_cancelled(struct graph *g, const struct trial *t, const struct graph_actor *actor,
                           uint32_t index)
{
    for (uint32_t i = actor->newest; i != 0; i = g->sends[i].older) {
        struct graph_send *send = &g->sends[i];

        if (send->kind == SN_OP_TIMER && send->read_by == 0 && send->cancelled == GRAPH_NEVER &&
            !is_pending(t, send->id, send->op, send->source))
            send->cancelled = index;
    }
}

bool graph_receive(struct graph *g, const struct trial *t, uint32_t send,
                   const struct announced *announced)
{
    struct graph_send *read = &g->sends[send];
    struct graph_actor *actor = &g->actors[read->to];
    struct graph_receive *r;

    if (!has_room(g, announced))
        return false;
    r = &g->receives[++g->n];
    *r = (struct graph_receive){.reads = send,
                                .actor = read->to,
                                .index = actor->n_receives++,
                                .before = actor->last,
                                .position = GRAPH_NOWHERE,
                                .first_send = g->n_sends};
    g->reads[g->n] = (struct graph_read){read->id, read->receive, read->k, actor->last};
    actor->last = g->n;
    read->read_by = g->n;
    if (actor->n_timers > 0)
        note_cancelled(g, t, actor, r->index);
    for (uint32_t i = 0; i < announced->n; i++)
        take_in(g, t, &announced->all[i]);
    return true;
}

void graph_add_receive(struct graph *g)
{
    g->order[g->n_order++] = (struct graph_place){.receive = g->n};
    g->receives[g->n].position = g->n_order;
}

uint32_t graph_add_send(struct graph *g, uint32_t receive)
{
    struct graph_receive *r = &g->receives[receive];
    uint32_t send = r->first_send + r->n_added++;

    g->order[g->n_order++] = (struct graph_place){receive, r->n_added};
    g->sends[send].position = g->n_order;
    return send;
}

/* ---- Shrinking ------------------------------------------------------------------------------ */

static void drop_last_send(struct graph *g)
{
    const struct graph_send *send = &g->sends[--g->n_sends];
    struct graph_actor *to = &g->actors[send->to];

    to->newest = send->older;
    to->n_timers -= send->kind == SN_OP_TIMER;
    if (send->kind == SN_OP_START)
        g->n_actors--;
}

static void drop_last_receive(struct graph *g)
{
    const struct graph_receive *r = &g->receives[g->n];
    struct graph_actor *actor = &g->actors[r->actor];

    while (g->n_sends > r->first_send)
        drop_last_send(g);
    for (uint32_t i = actor->n_timers > 0 ? actor->newest : 0; i != 0; i = g->sends[i].older) {
        if (g->sends[i].cancelled == r->index)
            g->sends[i].cancelled = GRAPH_NEVER;
    }
    actor->n_receives--;
    actor->last = r->before;
    g->sends[r->reads].read_by = 0;
    g->n--;
}

void graph_cut(struct graph *g, uint32_t n, uint32_t n_order)
{
    while (g->n_order > n_order) {
        const struct graph_place *place = &g->order[--g->n_order];
        struct graph_receive *r = &g->receives[place->receive];

        if (place->send == 0)
            continue;
        r->n_added--;
        g->sends[r->first_send + place->send - 1].position = GRAPH_NOWHERE;
    }
    while (g->n > n)
        drop_last_receive(g);
}

void graph_cut_receives(struct graph *g, uint32_t n)
{
    while (g->n > n)
        drop_last_receive(g);
    for (uint32_t i = 1; i <= n; i++) {
        g->receives[i].n_added = 0;
        g->receives[i].position = GRAPH_NOWHERE;
    }
    for (uint32_t i = g->receives[0].n_sends + 1; i < g->n_sends; i++)
        g->sends[i].position = GRAPH_NOWHERE;
}

bool graph_settle(struct graph *g)
{
    for (uint32_t i = 0; i < g->n_order; i++) {
        const struct graph_place *place = &g->order[i];
        struct graph_receive *r = &g->receives[place->receive];

        if (place->receive == 0)
            return false;
        if (place->send == 0) {
            if (r->position != GRAPH_NOWHERE)
                return false;
            r->position = i + 1;
        } else {
            if (place->send != r->n_added + 1 || place->send > r->n_sends)
                return false;
            r->n_added++;
            g->sends[r->first_send + place->send - 1].position = i + 1;
        }
    }
    return true;
}

/* ---- What comes next ------------------------------------------------------------------------ */

static bool is_before(const struct graph *g, const struct graph_receive *a,
                      const struct graph_receive *b)
{
    uint64_t x = g->actors[a->actor].rank;
    uint64_t y = g->actors[b->actor].rank;

    return x != y ? x < y : a->index < b->index;
}

uint32_t graph_unfinished(const struct graph *g)
{
    uint32_t first = 0;

    for (uint32_t i = 1; i <= g->n; i++) {
        const struct graph_receive *r = &g->receives[i];

        if (r->n_added < r->n_sends && (first == 0 || is_before(g, r, &g->receives[first])))
            first = i;
    }
    return first;
}

/* The fixed order of sends: those of the set-up first. */
static bool is_send_before(const struct graph *g, const struct graph_send *a,
                           const struct graph_send *b)
{
    if (a->receive == b->receive)
        return a->k < b->k;
    if (a->receive == 0 || b->receive == 0)
        return a->receive == 0;
    return is_before(g, &g->receives[a->receive], &g->receives[b->receive]);
}

/* Whether a send had been received when its actor had received so much. */
static bool was_read(const struct graph *g, uint32_t send, uint32_t n_receives)
{
    uint32_t by = g->sends[send].read_by;

    return by != 0 && g->receives[by].index < n_receives;
}

/* Whether an actor could receive it then, if it was there. */
static bool was_next(const struct graph *g, uint32_t send, uint32_t n_receives)
{
    const struct graph_send *s = &g->sends[send];

    if (was_read(g, send, n_receives) || s->cancelled < n_receives)
        return false;
    return s->ahead == 0 || was_read(g, s->ahead, n_receives);
}

uint32_t graph_available(const struct graph *g, uint32_t actor, uint32_t *sends)
{
    uint32_t n_receives = g->actors[actor].n_receives;
    uint32_t n = 0;

    for (uint32_t i = g->actors[actor].newest; i != 0; i = g->sends[i].older) {
        uint32_t at = n;

        if (g->sends[i].position == GRAPH_NOWHERE || !was_next(g, i, n_receives))
            continue;
        if (g->sends[i].kind == SN_OP_START) {
            sends[0] = i;
            return 1;
        }
        for (; at > 0 && is_send_before(g, &g->sends[i], &g->sends[sends[at - 1]]); at--)
            sends[at] = sends[at - 1];
        sends[at] = i;
        n++;
    }
    return n;
}

/* ---- Revisits ------------------------------------------------------------------------------- */

static void mark(struct graph *g, uint32_t receive, uint32_t n_sends)
{
    if (g->past[receive] != g->n_pasts) {
        g->past[receive] = g->n_pasts;
        g->past_sends[receive] = 0;
    }
    if (n_sends > g->past_sends[receive])
        g->past_sends[receive] = n_sends;
}

/* Whoever sends comes before who receives in the trial, so one pass finds all. */
void graph_find_past(struct graph *g, const struct graph_read *reads, uint32_t receive, uint32_t k)
{
    if (++g->n_pasts == 0) { /* marks from so long ago must not count */
        memset(g->past, 0, sizeof(g->past));
        g->n_pasts = 1;
    }
    mark(g, receive, k + 1);
    for (uint32_t i = receive; i > 0; i--) {
        if (!graph_is_past_receive(g, i))
            continue;
        if (reads[i].before != 0)
            mark(g, reads[i].before, ALL_SENDS);
        if (reads[i].sender != 0)
            mark(g, reads[i].sender, reads[i].k + 1);
    }
}

/* Whether a send is in the past of the new one, or was added before this position. */
static bool is_there(const struct graph *g, const struct graph_send *send, uint32_t position)
{
    return send->position < position || graph_is_past_send(g, send->receive, send->k);
}

/* Whether a receive reads what it would have read first, had only the past of the new send and what
 * was added before the receive been there. What it reads was there: otherwise that send, which was
 * added later, would have been met before. */
static bool is_first_choice(const struct graph *g, const struct graph_receive *r, uint32_t new)
{
    const struct graph_send *read = &g->sends[r->reads];

    if (read->kind == SN_OP_START)
        return true;
    for (uint32_t i = g->actors[r->actor].newest; i != 0; i = g->sends[i].older) {
        const struct graph_send *other = &g->sends[i];

        if (i != new &&i != r->reads && is_send_before(g, other, read) &&
            is_there(g, other, r->position) && was_next(g, i, r->index))
            return false;
    }
    return true;
}

/* The last receive of an actor that is in the past, or if none is, the one that starts it. */
static uint32_t last_fixed(const struct graph *g, uint32_t actor)
{
    uint32_t receive = g->actors[actor].last;

    while (receive != 0 && !graph_is_past_receive(g, receive) &&
           g->sends[g->receives[receive].reads].kind != SN_OP_START)
        receive = g->receives[receive].before;
    return receive;
}

/* What would be dropped for a revisit must be just what comes up again by itself, or the same trace
 * would be met from several sides. That does not depend on which receive is revisited, so all of
 * them are found in one pass from the latest element of the order on, which ends at the first that
 * may not be dropped. */
uint32_t graph_revisits(struct graph *g, uint32_t new, uint32_t *receives)
{
    const struct graph_send *send = &g->sends[new];
    const struct graph_actor *to = &g->actors[send->to];
    uint32_t least; /* receives of this index and below cannot be revisited */
    uint32_t n = 0;

    if (send->kind != SN_OP_DELIVER || to->last == 0 || send->to == send->from ||
        g->sends[g->receives[to->last].reads].kind == SN_OP_START)
        return 0;
    if (send->ahead != 0 && g->sends[send->ahead].read_by == 0)
        return 0;
    graph_find_past(g, g->reads, send->receive, send->k);
    least = last_fixed(g, send->to);
    if (send->ahead != 0 && g->sends[send->ahead].read_by > least)
        least = g->sends[send->ahead].read_by;
    if (least == to->last)
        return 0;
    for (uint32_t i = g->n_order - 1; i-- > 0;) {
        const struct graph_place *place = &g->order[i];
        const struct graph_receive *r = &g->receives[place->receive];

        if (place->send != 0) {
            uint32_t other = r->first_send + place->send - 1;
            uint32_t by = g->sends[other].read_by;

            if (!graph_is_past_send(g, place->receive, place->send - 1) && by != 0 &&
                g->receives[by].position <= i)
                break;
        } else if (!graph_is_past_receive(g, place->receive)) {
            if (!is_first_choice(g, r, new))
                break;
            if (r->actor != send->to)
                continue;
            receives[n++] = place->receive;
            if (r->before == least)
                break;
        }
    }
    return n;
}
