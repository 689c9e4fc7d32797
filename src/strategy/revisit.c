/* revisit.c - see revisit.h. SPDX-License-Identifier: MIT */
#include "strategy/revisit.h"

#include "engine/loop.h"

#include <string.h>

const char *revisit_refusal(const struct revisit *s)
{
    static const char *const words[] = {
        [REVISIT_COVERED] = NULL,
        [REVISIT_DRAWS] = "tests that draw values",
        [REVISIT_SHARES] =
            "steps that share more than messages, as a monitor, a history, a disk or "
            "a common inbox",
        [REVISIT_DEFERS] = "machines that defer events",
        [REVISIT_WAITS] = "timers that wait until virtual time has come to their deadlines",
        [REVISIT_FAULTS] = "faults",
        [REVISIT_SLEEPS] = "steps that sleep",
        [REVISIT_SENDS] = "steps that announce more than 4096 operations",
        [REVISIT_PROCESSES] = "processes",
    };

    return words[s->refusal];
}

/* The test does what this search knows nothing of: what it would find is not all there is. */
static void refuse(struct revisit *s, struct trial *t, enum revisit_refusal why)
{
    s->refusal = why;
    s->is_incomplete = true;
    if (s->falls_back && !s->is_divided)
        trial_forget(t);
    else if (s->falls_back)
        trial_lose_control(t, "strategy",
                           "odpor has divided its search before it met %s; use odpor:trees",
                           revisit_refusal(s));
    else
        trial_lose_control(t, "strategy",
                           "odpor:revisit cannot search %s; odpor:trees can, and odpor chooses",
                           revisit_refusal(s));
}

/* ---- Scripts -------------------------------------------------------------------------------- */

void revisit_script_put(char *store, const struct revisit_script *script, uint32_t n,
                        uint32_t n_order)
{
    size_t bytes = ((size_t)n + 1) * sizeof(*script->reads);

    memcpy(store, script->reads, bytes);
    if (n_order > 0)
        memcpy(store + bytes, script->order, (size_t)n_order * sizeof(*script->order));
}

struct revisit_script revisit_script_of(const struct revisit *s, uint32_t level)
{
    const struct revisit_level *l = &s->levels[level];

    if (!l->is_kept)
        return (struct revisit_script){s->graph.reads, s->graph.order};
    return revisit_script_at(s->kept + l->at, l->n);
}

/* Says what a receive of the next trial reads, in order. As long as that is what it read in the
 * last one, the step need not be taken again. */
static void put_read(struct revisit *s, uint32_t receive, const struct graph_read *read)
{
    struct graph_read *old = &s->graph.reads[receive];

    if (s->common + 1 == receive && receive <= s->n_run && old->id == read->id)
        s->common = receive;
    *old = *read;
}

static void begin_script(struct revisit *s)
{
    s->n_run = s->graph.n;
    s->common = 0;
}

/* The last step is taken again in any case: the trial goes on from what is then told. */
static void end_script(struct revisit *s, uint32_t n, uint32_t n_order)
{
    s->n_script = n;
    s->is_unsettled = true;
    s->common = s->common < n ? s->common : n - 1;
    s->graph.n_order = n_order;
    graph_cut_receives(&s->graph, s->common);
}

/* The graph of a script becomes the present one. */
static void adopt(struct revisit *s, const struct revisit_script *script, uint32_t n,
                  uint32_t n_order)
{
    begin_script(s);
    for (uint32_t i = 1; i <= n; i++)
        put_read(s, i, &script->reads[i]);
    memmove(s->graph.order, script->order, (size_t)n_order * sizeof(*script->order));
}

/* The order without what comes after a receive and is not in the past of a send. Marks the receives
 * that stay. */
static uint32_t filter_order(struct revisit *s, const struct revisit_script *script,
                             uint32_t n_order, uint32_t revisited)
{
    struct graph *g = &s->graph;
    bool is_after = false;
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_order; i++) {
        struct graph_place place = script->order[i];
        bool is_past = place.send == 0 ? graph_is_past_receive(g, place.receive)
                                       : graph_is_past_send(g, place.receive, place.send - 1);

        if (is_after && !is_past)
            continue;
        g->order[n++] = place;
        if (place.send == 0)
            s->renumbered[place.receive] = 1;
        is_after |= place.send == 0 && place.receive == revisited;
    }
    return n;
}

/* The graph in which a receive reads a send that was added after it. Nothing that stays comes after
 * that receive, so it can be the last step. */
static void restrict_to(struct revisit *s, const struct revisit_script *script,
                        const struct revisit_root *what)
{
    struct graph *g = &s->graph;
    uint32_t revisited = what->choice.at;
    uint32_t before = script->reads[revisited].before;
    uint32_t n_order;
    uint32_t n = 0;

    begin_script(s);
    graph_find_past(g, script->reads, what->send.receive, what->send.send - 1);
    memset(s->renumbered, 0, ((size_t)what->n + 1) * sizeof(s->renumbered[0]));
    n_order = filter_order(s, script, what->n_order, revisited);
    s->renumbered[revisited] = 0;
    for (uint32_t i = 1; i <= what->n; i++) {
        struct graph_read read = script->reads[i];

        if (s->renumbered[i] == 0)
            continue;
        s->renumbered[i] = ++n;
        read.sender = s->renumbered[read.sender];
        read.before = s->renumbered[read.before];
        put_read(s, n, &read);
    }
    s->renumbered[revisited] = ++n;
    put_read(s, n,
             &(struct graph_read){what->choice.id, s->renumbered[what->send.receive],
                                  what->send.send - 1, s->renumbered[before]});
    for (uint32_t i = 0; i < n_order; i++)
        g->order[i].receive = s->renumbered[g->order[i].receive];
    end_script(s, n, n_order);
}

/* ---- Frames and levels ---------------------------------------------------------------------- */

static void note_peak(struct revisit *s)
{
    struct revisit_peak *p = &s->peak;
    uint64_t bytes = s->n_frames * sizeof(s->frames[0]) + s->n_choices * sizeof(s->choices[0]) +
                     s->n_levels * sizeof(s->levels[0]) + s->kept_bytes;

    p->levels = s->n_levels > p->levels ? s->n_levels : p->levels;
    p->frames = s->n_frames > p->frames ? s->n_frames : p->frames;
    p->choices = s->n_choices > p->choices ? s->n_choices : p->choices;
    p->bytes = bytes > p->bytes ? bytes : p->bytes;
    p->receives = s->graph.n > p->receives ? s->graph.n : p->receives;
    p->sends = s->graph.n_sends > p->sends ? s->graph.n_sends : p->sends;
}

/* Opens a frame with n choices besides the one that is taken now; they are put on the stack next.
 * False: there is no room. */
static bool open_frame(struct revisit *s, uint32_t n, struct graph_place send)
{
    uint64_t share = s->mass / ((uint64_t)n + 1);

    if (s->n_frames == REVISIT_FRAMES_MAX || n > REVISIT_CHOICES_MAX - s->n_choices) {
        s->is_incomplete = true;
        return false;
    }
    s->frames[s->n_frames++] = (struct revisit_frame){.share = share,
                                                      .level = s->n_levels - 1,
                                                      .n = s->graph.n,
                                                      .n_order = s->graph.n_order,
                                                      .first = s->n_choices,
                                                      .n_left = n,
                                                      .send = send};
    s->mass -= share * n;
    return true;
}

static void push_choice(struct revisit *s, const struct revisit_choice *choice)
{
    s->choices[s->n_choices++] = *choice;
}

/* Takes the last choice of the last frame, and the frame away if there is no other one. */
static struct revisit_frame take_choice(struct revisit *s, struct revisit_choice *choice)
{
    struct revisit_frame *frame = &s->frames[s->n_frames - 1];
    struct revisit_frame taken = *frame;

    *choice = s->choices[--s->n_choices];
    if (--frame->n_left == 0)
        s->n_frames--;
    s->mass = taken.share;
    return taken;
}

/* Levels above this one have nothing open any more. */
static void drop_levels(struct revisit *s, uint32_t level)
{
    const struct revisit_level *l = &s->levels[level];

    if (s->n_levels == level + 1)
        return;
    s->kept_bytes = s->levels[level + 1].at;
    s->n_levels = level + 1;
    sn_check(l->is_kept);
}

/* The graph of the last level is the present one from now on. */
static void release_level(struct revisit *s)
{
    struct revisit_level *l = &s->levels[s->n_levels - 1];

    if (l->is_kept)
        s->kept_bytes = l->at;
    l->is_kept = false;
}

/* Keeps the graph of the last level as far as its frames need it, for later. False: there is no
 * room, and its frames are lost. */
static bool keep_level(struct revisit *s)
{
    struct revisit_level *l = &s->levels[s->n_levels - 1];
    const struct revisit_frame *frame = &s->frames[s->n_frames - 1];
    uint64_t bytes = revisit_script_bytes(frame->n, frame->n_order);
    struct revisit_script script = revisit_script_of(s, s->n_levels - 1);

    if (l->is_kept)
        return true;
    if (bytes > REVISIT_STORE_BYTES - s->kept_bytes || s->n_levels == REVISIT_LEVELS_MAX) {
        while (s->n_frames > 0 && s->frames[s->n_frames - 1].level == s->n_levels - 1)
            s->n_choices -= s->frames[--s->n_frames].n_left;
        s->is_incomplete = true;
        return false;
    }
    l->at = s->kept_bytes;
    l->n = frame->n;
    l->is_kept = true;
    revisit_script_put(s->kept + l->at, &script, frame->n, frame->n_order);
    s->kept_bytes += bytes;
    return true;
}

static void take_receive(struct revisit *s, const struct revisit_frame *frame,
                         const struct revisit_choice *choice)
{
    const struct graph_read read = {.id = choice->id, .sender = choice->at, .k = choice->k};
    struct revisit_script script = revisit_script_of(s, frame->level);
    struct graph *g = &s->graph;
    uint32_t n = frame->n + 1;

    if (!s->levels[frame->level].is_kept) {
        graph_cut(g, frame->n, frame->n_order);
        g->reads[n] = read;
        s->n_script = n;
        s->is_unsettled = false;
        s->common = frame->n;
        return;
    }
    adopt(s, &script, frame->n, frame->n_order);
    release_level(s);
    put_read(s, n, &read);
    g->order[frame->n_order] = (struct graph_place){.receive = n};
    end_script(s, n, frame->n_order + 1);
}

static void take_revisit(struct revisit *s, const struct revisit_frame *frame,
                         const struct revisit_choice *choice)
{
    const struct revisit_root what = {
        .n = frame->n, .n_order = frame->n_order, .send = frame->send, .choice = *choice};
    struct revisit_script script = revisit_script_of(s, frame->level);
    bool is_open = s->n_frames > 0 && s->frames[s->n_frames - 1].level == frame->level;
    bool is_kept = is_open && keep_level(s);

    restrict_to(s, &script, &what);
    if (!is_kept)
        release_level(s);
    else
        s->levels[s->n_levels++] = (struct revisit_level){.at = s->kept_bytes};
}

static void take_root(struct revisit *s)
{
    const struct revisit_root *root = &s->roots[--s->n_roots];
    struct revisit_script script = revisit_script_at(s->root_scripts + root->at, root->n);

    s->n_levels = 1;
    s->levels[0] = (struct revisit_level){.at = 0};
    s->kept_bytes = 0;
    s->mass = root->mass;
    if (root->send.send != 0) {
        restrict_to(s, &script, root);
    } else {
        adopt(s, &script, root->n, root->n_order);
        end_script(s, root->n, root->n_order);
    }
    s->root_bytes = root->at;
}

static bool take_next(struct revisit *s)
{
    struct revisit_frame frame;
    struct revisit_choice choice;

    if (s->n_frames == 0 && s->n_roots == 0)
        return false;
    if (s->n_frames == 0) {
        take_root(s);
        return true;
    }
    drop_levels(s, s->frames[s->n_frames - 1].level);
    frame = take_choice(s, &choice);
    if (frame.send.send == 0)
        take_receive(s, &frame, &choice);
    else
        take_revisit(s, &frame, &choice);
    return true;
}

/* The next descent begins with no graph. One that has come to a revisit goes on with that. */
static void begin_descent(struct revisit *s)
{
    if (s->n_frames > 0)
        return;
    descent_begin(&s->descent);
    s->is_begun = false;
    s->is_running = false;
    s->is_unsettled = false;
    s->levels[0] = (struct revisit_level){.at = 0};
    s->kept_bytes = 0;
    s->common = 0;
    s->n_script = 0;
    graph_clear(&s->graph);
}

bool revisit_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct revisit *s = self;

    (void)trial;
    if (unlikely(s->descent.is_on))
        begin_descent(s);
    if (s->is_done || s->refusal != REVISIT_COVERED)
        return false;
    if (s->is_running)
        s->done += s->mass;
    note_peak(s);
    /* A step that has failed hides what others would have sent. */
    s->is_incomplete |= s->is_stepping;
    s->is_stepping = false;
    s->is_lost = false;
    if (!s->is_begun) {
        s->is_begun = true;
        s->mass = REVISIT_MASS;
        s->n_levels = 1;
    } else if (!take_next(s)) {
        s->is_running = false;
        s->is_done = true;
        return false;
    }
    s->is_running = true;
    *keep = s->common;
    return true;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* The first task in the fixed order that has something to do; those that start come first, since
 * that is all they can do. */
static uint32_t next_task(struct revisit *s, struct trial *t)
{
    uint64_t best = UINT64_MAX;
    uint32_t task = 0;
    bool is_start = false;

    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        const struct sn_op *op = &t->ops[t->sources[(uint32_t)t->enabled[i]].ready];
        bool starts = op->kind == SN_OP_START;
        uint64_t rank = graph_actor_of(&s->graph, op->task)->rank;

        if (starts < is_start || (starts == is_start && rank >= best))
            continue;
        best = rank;
        task = op->task;
        is_start = starts;
    }
    return task;
}

static bool is_ready(const struct trial *t, const struct graph_send *send)
{
    const struct source *source = &t->sources[send->source];

    return source->position != 0 && source->ready == send->op && t->ops[send->op].id == send->id;
}

/* What the next receive of the script reads. */
static uint32_t find_scripted(struct revisit *s, struct trial *t)
{
    const struct graph *g = &s->graph;
    const struct graph_read *read = &g->reads[g->n + 1];
    const struct graph_receive *sender = &g->receives[read->sender <= g->n ? read->sender : 0];
    uint32_t send = sender->first_send + read->k;

    if (read->sender > g->n || read->k >= sender->n_sends || g->sends[send].id != read->id ||
        !is_ready(t, &g->sends[send]))
        trial_diverge(t, "an operation that ran in an equal past is not pending");
    return send;
}

static uint32_t find_next(struct revisit *s, struct trial *t)
{
    uint32_t task = next_task(s, t);
    uint32_t n = graph_available(&s->graph, s->graph.actor_of_task[task], s->found);

    if (n == 0 || !is_ready(t, &s->graph.sends[s->found[0]]))
        refuse(s, t, REVISIT_DEFERS);
    if (unlikely(s->descent.is_on))
        return s->found[descent_choose(&s->descent, n)];
    if (n > 1 && open_frame(s, n - 1, (struct graph_place){0})) {
        for (uint32_t i = n; i-- > 1;) {
            const struct graph_send *send = &s->graph.sends[s->found[i]];

            push_choice(s, &(struct revisit_choice){send->id, send->receive, send->k});
        }
    }
    return s->found[0];
}

/* Its first decision in a trial. */
static void join(struct revisit *s, struct trial *t)
{
    s->t = t;
    t->touches = &s->touches;
    t->announced = &s->announced;
    if (!s->graph.is_set_up) {
        s->time_ns = t->now.time_ns;
        graph_set_up(&s->graph, t);
    }
}

static void lose(struct revisit *s)
{
    s->is_lost = true;
    s->is_incomplete = true;
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct revisit *s = self;
    struct graph *g = &s->graph;

    if (unlikely(t->announced == NULL))
        join(s, t);
    if (unlikely(t->now.n_faults > 0)) /* for which something may have been drawn */
        refuse(s, t, REVISIT_FAULTS);
    if (unlikely(s->refusal != REVISIT_COVERED))
        refuse(s, t, s->refusal);
    if (unlikely(t->now.n_waiting > 0))
        refuse(s, t, REVISIT_WAITS);
    if (unlikely(g->is_full))
        lose(s);
    if (unlikely(s->is_lost))
        return (uint32_t)t->enabled[0];
    s->send = g->n < s->n_script ? find_scripted(s, t) : find_next(s, t);
    touches_clear(&s->touches);
    s->announced.n = 0;
    s->announced.is_full = false;
    s->is_stepping = true;
    return g->sends[s->send].source;
}

static void check_step(struct revisit *s, struct trial *t, const struct sn_op *op)
{
    if (unlikely(s->refusal != REVISIT_COVERED))
        refuse(s, t, s->refusal);
    if (unlikely(t->now.time_ns != s->time_ns && t->now.n_waiting == 0))
        refuse(s, t, REVISIT_SLEEPS);
    if (unlikely(s->touches.n > 0 || s->touches.is_wild))
        refuse(s, t,
               (t->tasks[op->task].flags & TASK_PROCESS) != 0 ? REVISIT_PROCESSES : REVISIT_SHARES);
    if (unlikely((t->tasks[op->task].flags & TASK_PROCESS) != 0))
        refuse(s, t, REVISIT_PROCESSES);
    if (unlikely((t->tasks[op->task].flags & TASK_GATED) != 0))
        refuse(s, t, REVISIT_DEFERS);
    if (unlikely(t->now.n_waiting > 0))
        refuse(s, t, REVISIT_WAITS);
    if (unlikely(s->announced.is_full))
        refuse(s, t, REVISIT_SENDS);
}

/* A descent goes on, or leaves this trial for one of the n receives that a send revisits. */
static void descent_revisits(struct revisit *s, uint64_t id, struct graph_place place, uint32_t n)
{
    uint64_t chosen = descent_choose(&s->descent, (uint64_t)n + 1);

    if (chosen == 0 || !open_frame(s, 1, place))
        return;
    push_choice(s, &(struct revisit_choice){.id = id, .at = s->found[chosen - 1]});
    trial_forget(s->t);
}

/* Adds the next send of a receive, and opens the receives that it revisits. */
static void add_send(struct revisit *s, uint32_t receive)
{
    struct graph *g = &s->graph;
    uint32_t send = graph_add_send(g, receive);
    uint32_t n = graph_revisits(g, send, s->found);
    const struct graph_place place = {receive, g->sends[send].k + 1};

    if (unlikely(s->descent.is_on) && n > 0)
        descent_revisits(s, g->sends[send].id, place, n);
    if (n == 0 || s->descent.is_on || !open_frame(s, n, place))
        return;
    for (uint32_t i = n; i-- > 0;)
        push_choice(s, &(struct revisit_choice){.id = g->sends[send].id, .at = s->found[i]});
}

void revisit_told(void *self, const struct sn_op *op)
{
    struct revisit *s = self;
    struct graph *g = &s->graph;
    uint32_t receive;

    if (unlikely(s->is_lost))
        return;
    s->is_stepping = false;
    check_step(s, s->t, op);
    if (unlikely(!graph_receive(g, s->t, s->send, &s->announced))) {
        lose(s);
        return;
    }
    if (g->n < s->n_script)
        return;
    if (s->is_unsettled && g->n == s->n_script) {
        s->is_unsettled = false;
        if (!graph_settle(g))
            trial_diverge(s->t, "a step announces less than it did in an equal past");
        while ((receive = graph_unfinished(g)) != 0)
            add_send(s, receive);
    } else {
        graph_add_receive(g);
        while (g->receives[g->n].n_added < g->receives[g->n].n_sends)
            add_send(s, g->n);
    }
}

void revisit_run(struct revisit *s, struct trial *t)
{
    trial_loop_with(t, pick_source, revisit_told, s);
}

uint32_t revisit_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;

    return t->sources[pick_source(t, self)].position - 1;
}

uint64_t revisit_draw(void *self, const struct sn_draw *draw)
{
    struct revisit *s = self;

    (void)draw;
    s->refusal = REVISIT_DRAWS; /* which the next decision, or the end of this step, will find */
    return 0;
}

bool revisit_is_exhausted(const void *self)
{
    const struct revisit *s = self;

    return s->is_done && !s->is_incomplete;
}

double revisit_progress(const void *self)
{
    return (double)revisit_done(self) / (double)REVISIT_MASS;
}
