/* process_model.c - see process_model.h. SPDX-License-Identifier: MIT */
#include "process_model.h"

#include "base/rng.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
    BOX = 16,
    TIES = 24,
    STEPS = MODEL_STEPS,
    PATHS = 2000, /* interleavings of a program that is not too large */
    KEYS = 1 << 16,
};

/* Objects as bits of a mask: of each process its mailbox, its life, whether it has a name, itself;
 * names of each node and of none; nodes, and the connection between the two. */
#define BIT(n_) (UINT64_C(1) << (n_))
#define MAILBOX(i_) BIT(i_)
#define LIFE(i_) BIT(8 + (i_))
#define SLOT(i_) BIT(16 + (i_))
#define TASK(i_) BIT(24 + (i_))
#define NAME(node_, n_) BIT(32 + NAMES * (node_) + (n_))
#define NODE(n_) BIT(48 + (n_))
#define CONNECTION BIT(56)

enum what { WHAT_EVENT, WHAT_DOWN, WHAT_EXIT, WHAT_NODE_DOWN, WHAT_NODE_UP };

struct message {
    uint8_t what;
    uint8_t event;
    uint8_t from; /* an id */
    uint8_t whom; /* of a signal: who has ended, or which node */
    char reason;
    uint8_t ref;  /* of a DOWN, a request or an answer */
    uint8_t sent; /* the step that sent it: process and number */
    uint8_t sent_number;
};

enum tie_kind { TIE_LINK, TIE_MONITOR, TIE_CALL };

struct tie {
    uint8_t kind;
    uint8_t owner; /* indexes */
    uint8_t target;
    uint8_t ref;
    uint8_t is_answered;
};

struct actor {
    uint8_t is_there; /* always, unless it is a child */
    uint8_t is_resident;
    uint8_t node;
    uint8_t lives;                  /* that it has begun */
    uint8_t is_watching[NODES + 1]; /* nodes */
    uint8_t is_started;
    uint8_t has_ended;
    uint8_t is_trapping;
    uint8_t at;        /* the next call */
    uint8_t is_inside; /* a call that waits for its answer */
    uint8_t is_woken;  /* by time, ... */
    uint8_t n_before;  /* ... after so many steps of all */
    uint8_t steps;
    uint8_t name; /* of its node, plus 1 */
    uint8_t n_refs;
    uint8_t made; /* refs so far */
    uint8_t refs[REFS];
    uint8_t ref_targets[REFS]; /* ids; 0: a name that nobody had */
    uint8_t call_ref;
    uint8_t requester; /* an id, 0: nobody has asked */
    uint8_t request;
    uint8_t n;
    uint32_t deadline; /* of what is pending; 0: none */
    struct message box[BOX];
    char log[LOG_SIZE];
};

struct state {
    struct actor all[ACTORS];
    uint8_t n_ties;
    struct tie ties[TIES];
    uint8_t holders[NODES + 1][NAMES]; /* ids */
    uint8_t is_down[NODES + 1];
    uint8_t is_broken; /* the connection */
    uint32_t now;
};

/* A step that was taken. */
struct step {
    uint64_t reads;
    uint64_t writes;
    uint8_t self;
    uint8_t number;
    uint8_t n_before; /* it comes after so many because time had to pass */
    bool has_taken;
    uint8_t sent;
    uint8_t sent_number;
};

struct model {
    const struct program *p;
    struct model_result *result;
    struct state s;
    uint32_t n_steps;
    struct step steps[STEPS];
    uint64_t n_paths;
    bool is_too_large;
    uint64_t keys[KEYS];
};

static struct model *m;

/* ---- Programs ------------------------------------------------------------------------------- */

static uint32_t n_all(const struct program *p)
{
    return p->n + p->n_children;
}

/* Nobody calls itself. */
static void mend_call(const struct program *p, uint32_t self, struct call *c)
{
    if (c->kind == CALL_CALL && c->whom == self + 1)
        c->whom = 1 + (self + 1) % p->n;
}

void program_draw(struct program *p, uint64_t seed, uint64_t i)
{
    struct rng rng;

    rng_init(&rng, seed, i);
    *p = (struct program){.n = 2 + (uint32_t)rng_below(&rng, 3)};
    for (uint32_t k = 0; k < p->n; k++) {
        p->n_calls[k] = 1 + (uint32_t)rng_below(&rng, p->n == 2 ? CALLS : CALLS - 1);
        for (uint32_t c = 0; c < p->n_calls[k]; c++) {
            uint32_t kind = (uint32_t)rng_below(&rng, CALL_KINDS + 6);

            p->calls[k][c] = (struct call){
                .kind = kind < CALL_KINDS       ? (enum call_kind)kind
                        : kind < CALL_KINDS + 3 ? CALL_SEND
                                                : CALL_RECEIVE,
                .whom = 1 + (uint32_t)rng_below(&rng, p->n),
                .event = (uint32_t)rng_below(&rng, EVENTS),
                .name = (uint32_t)rng_below(&rng, NAMES),
                .reason = (uint32_t)rng_below(&rng, 3),
                .timeout = (uint32_t)rng_below(&rng, 3),
                .flag = rng_below(&rng, 4) != 0,
            };
            if (p->calls[k][c].kind == CALL_SLEEP)
                p->calls[k][c].timeout = 1 + (uint32_t)rng_below(&rng, 2);
            mend_call(p, k, &p->calls[k][c]);
        }
    }
}

/* Half of the calls are what only programs with nodes have, or what comes of that. */
static enum call_kind draw_kind(struct rng *rng)
{
    static const uint8_t common[] = {
        CALL_SPAWN, CALL_SPAWN, CALL_SPAWN,   CALL_DISCONNECT, CALL_DISCONNECT,   CALL_CONNECT,
        CALL_CRASH, CALL_CRASH, CALL_RESTART, CALL_RESTART,    CALL_MONITOR_NODE, CALL_MONITOR,
        CALL_LINK,  CALL_TRAP,  CALL_RECEIVE, CALL_RECEIVE,    CALL_SEND,
    };
    uint32_t kind = (uint32_t)rng_below(rng, CALL_KINDS + sizeof(common));

    return kind < CALL_KINDS ? (enum call_kind)kind : (enum call_kind)common[kind - CALL_KINDS];
}

/* Those that a process knows are all that were there from the start, the children it has spawned
 * before this call, and itself. */
static uint32_t draw_whom(struct rng *rng, const struct program *p, uint32_t self)
{
    uint32_t known[ACTORS];
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_all(p); i++) {
        if (i < p->n || i == self || p->parent[i] == self)
            known[n++] = i + 1;
    }
    return known[rng_below(rng, n)];
}

static void draw_call(struct rng *rng, struct program *p, uint32_t self)
{
    struct call *c = &p->calls[self][p->n_calls[self]++];

    *c = (struct call){
        .kind = draw_kind(rng),
        .whom = draw_whom(rng, p, self),
        .event = (uint32_t)rng_below(rng, EVENTS),
        .name = (uint32_t)rng_below(rng, NAMES),
        .reason = (uint32_t)rng_below(rng, 3),
        .timeout = (uint32_t)rng_below(rng, 3),
        .node = (uint32_t)rng_below(rng, NODES + 1),
        .flag = rng_below(rng, 4) != 0,
    };
    mend_call(p, self, c);
    if (c->kind == CALL_SLEEP && c->timeout == 0)
        c->timeout = 1;
    if (c->kind >= CALL_CRASH && c->node == 0)
        c->node = 1;
    if (c->kind != CALL_SPAWN)
        return;
    if (self >= p->n || p->n_children == CHILDREN) {
        c->kind = CALL_MONITOR;
        return;
    }
    c->whom = n_all(p) + 1;
    p->parent[n_all(p)] = self;
    p->n_children++;
}

void program_draw_nodes(struct program *p, uint64_t seed, uint64_t i)
{
    struct rng rng;
    uint32_t n_calls;

    rng_init(&rng, ~seed, i);
    *p = (struct program){.n = 2 + (uint32_t)rng_below(&rng, 2), .has_nodes = true};
    for (uint32_t k = 0; k < p->n; k++)
        p->node[k] = (uint32_t)rng_below(&rng, NODES + 1);
    for (uint32_t k = 0; k < n_all(p); k++) {
        n_calls = k < p->n ? 1 + (uint32_t)rng_below(&rng, CALLS) : (uint32_t)rng_below(&rng, 2);
        while (p->n_calls[k] < n_calls)
            draw_call(&rng, p, k);
    }
}

bool program_has_two_parents(const struct program *p)
{
    return p->n_children == 2 && p->parent[p->n] != p->parent[p->n + 1];
}

void program_print(const struct program *p)
{
    static const char *const kinds[CALL_KINDS_ALL] = {
        "send",         "receive",     "receive_event", "look",       "sleep",   "exit",
        "kill",         "link",        "unlink",        "trap",       "alive",   "monitor",
        "monitor_name", "demonitor",   "register",      "unregister", "whereis", "send_name",
        "call",         "reply",       "spawn",         "disconnect", "connect", "crash",
        "restart",      "monitor_node"};

    for (uint32_t k = 0; k < n_all(p); k++) {
        if (k < p->n)
            print_error("  process %u, node %u:\n", k + 1, p->node[k]);
        else
            print_error("  process %u, spawned by %u:\n", k + 1, p->parent[k] + 1);
        for (uint32_t c = 0; c < p->n_calls[k]; c++) {
            const struct call *call = &p->calls[k][c];

            print_error("    %s whom=%u event=%u name=%u reason=%u timeout=%u node=%u flag=%d\n",
                        kinds[call->kind], call->whom, call->event, call->name, call->reason,
                        call->timeout, call->node, call->flag);
        }
    }
}

/* ---- Outcomes ------------------------------------------------------------------------------- */

void outcomes_add(struct outcomes *all, const struct outcome *one)
{
    uint32_t i = 0;

    while (i < all->n && memcmp(&all->all[i], one, sizeof(*one)) != 0)
        i++;
    if (i == all->n && all->n < OUTCOMES)
        all->all[all->n++] = *one;
}

bool outcomes_are_same(const struct outcomes *a, const struct outcomes *b)
{
    uint32_t n_found = 0;

    for (uint32_t i = 0; i < a->n; i++) {
        for (uint32_t k = 0; k < b->n; k++)
            n_found += memcmp(&a->all[i], &b->all[k], sizeof(a->all[i])) == 0;
    }
    return a->n == b->n && n_found == a->n && a->n < OUTCOMES;
}

/* ---- What a step does ----------------------------------------------------------------------- */

static void note(uint32_t self, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(uint32_t self, const char *format, ...)
{
    char *log = m->s.all[self].log;
    size_t used = strlen(log);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(log + used, LOG_SIZE - used, format, args);
    va_end(args);
}

static void put(struct step *step, uint32_t to, struct message message)
{
    struct actor *a = &m->s.all[to];

    step->writes |= MAILBOX(to);
    if (a->has_ended)
        return;
    message.sent = step->self;
    message.sent_number = step->number;
    a->box[a->n++] = message;
    if (a->n == BOX)
        m->is_too_large = true, a->n--;
}

static void remove_tie(uint32_t i)
{
    struct state *s = &m->s;

    memmove(&s->ties[i], &s->ties[i + 1], (--s->n_ties - i) * sizeof(s->ties[0]));
    memset(&s->ties[s->n_ties], 0, sizeof(s->ties[0]));
}

static void add_tie(struct tie tie)
{
    if (m->s.n_ties == TIES)
        m->is_too_large = true;
    else
        m->s.ties[m->s.n_ties++] = tie;
}

struct queue {
    uint32_t n;
    uint32_t at;
    uint8_t who[ACTORS];
    char reason[ACTORS];
};

static void end(struct step *step, struct queue *q, uint32_t i, char reason)
{
    m->s.all[i].has_ended = true;
    step->writes |= LIFE(i) | TASK(i) | (i != step->self ? MAILBOX(i) : 0);
    q->who[q->n] = (uint8_t)i;
    q->reason[q->n++] = reason;
}

static void signal_exit(struct step *step, struct queue *q, uint32_t to, uint32_t from, char reason)
{
    struct actor *a = &m->s.all[to];

    if (a->has_ended)
        return;
    step->writes |= LIFE(to);
    if (a->is_trapping)
        put(step, to,
            (struct message){.what = WHAT_EXIT, .whom = (uint8_t)(from + 1), .reason = reason});
    else if (reason != 'n')
        end(step, q, to, reason);
}

static void put_down(struct step *step, uint32_t to, uint32_t ref, uint32_t id, char reason)
{
    put(step, to,
        (struct message){
            .what = WHAT_DOWN, .whom = (uint8_t)id, .reason = reason, .ref = (uint8_t)ref});
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

/* Whether two nodes are up and see each other. */
static bool are_joined(uint32_t a, uint32_t b)
{
    return a == b ||
           (!m->s.is_down[a] && !m->s.is_down[b] && (a == 0 || b == 0 || !m->s.is_broken));
}

/* Whether a process can reach a node, which the step then depends on. */
static bool can_reach(struct step *step, uint32_t self, uint32_t node)
{
    uint32_t own = m->s.all[self].node;

    if (node == 0 || node == own)
        return true;
    step->reads |= NODE(node) | (own != 0 ? CONNECTION : 0);
    return are_joined(own, node);
}

/* The actor that comes n-th where several are met in one step. */
static uint32_t ranked(uint32_t n)
{
    return m->p->is_second_first && n >= m->p->n ? 2 * m->p->n + 1 - n : n;
}

static bool is_lost(const struct tie *tie)
{
    return !are_joined(m->s.all[tie->owner].node, m->s.all[tie->target].node);
}

/* A process is told of what it does not see any more: first in the order of its own ties. */
static void tell_losses(struct step *step, struct queue *q, uint32_t i)
{
    struct state *s = &m->s;

    for (uint32_t k = 0; k < s->n_ties; k++) {
        const struct tie *tie = &s->ties[k];

        if (tie->owner != i || !is_lost(tie))
            continue;
        if (s->is_down[s->all[i].node])
            step->reads |= LIFE(tie->target);
        if (s->is_down[s->all[i].node] || tie->is_answered)
            continue;
        step->writes |= LIFE(tie->target);
        if (tie->kind == TIE_LINK)
            signal_exit(step, q, i, tie->target, 'c');
        else
            put_down(step, i, tie->ref, tie->target + 1U, 'c');
    }
    for (uint32_t k = 0; k < s->n_ties; k++) {
        const struct tie *tie = &s->ties[k];

        if (tie->target == i && tie->kind == TIE_LINK && is_lost(tie))
            signal_exit(step, q, i, tie->owner, 'c');
    }
}

static void cut_ties(struct step *step, struct queue *q)
{
    for (uint32_t i = 0; i < n_all(m->p); i++) {
        if (m->s.all[ranked(i)].is_there)
            tell_losses(step, q, ranked(i));
    }
    for (uint32_t k = 0; k < m->s.n_ties;) {
        if (is_lost(&m->s.ties[k]))
            remove_tie(k);
        else
            k++;
    }
}

static void tell_of_node(struct step *step, uint32_t i, uint32_t node, bool is_up)
{
    if (m->s.all[i].is_watching[node])
        put(step, i,
            (struct message){.what = is_up ? WHAT_NODE_UP : WHAT_NODE_DOWN, .whom = (uint8_t)node});
}

/* Tells of a node that has gone or come those that could see it, or can. */
static void tell_watchers(struct step *step, uint32_t node, bool is_up)
{
    for (uint32_t i = 0; i < n_all(m->p); i++) {
        uint32_t own = m->s.all[i].node;

        if (own != node && (own == 0 || !m->s.is_broken))
            tell_of_node(step, i, node, is_up);
    }
}

static void end_all(struct step *step, struct queue *q);

static void crash(struct step *step, uint32_t node)
{
    struct queue q = {0};

    step->reads |= NODE(node);
    if (m->s.is_down[node])
        return;
    step->writes |= NODE(node);
    m->s.is_down[node] = true;
    for (uint32_t i = 0; i < n_all(m->p); i++) {
        uint32_t who = ranked(i);

        if (!m->s.all[who].is_there || m->s.all[who].node != node)
            continue;
        step->writes |= LIFE(who) | TASK(who) | MAILBOX(who);
        if (!m->s.all[who].has_ended)
            end(step, &q, who, 'c');
    }
    cut_ties(step, &q);
    end_all(step, &q);
    tell_watchers(step, node, false);
}

static void restart(struct step *step, uint32_t node)
{
    step->reads |= NODE(node);
    if (!m->s.is_down[node])
        return;
    step->writes |= NODE(node);
    m->s.is_down[node] = false;
    for (uint32_t i = 0; i < n_all(m->p); i++) {
        struct actor *a = &m->s.all[i];

        if (!a->is_there || a->node != node || !a->is_resident)
            continue;
        step->writes |= LIFE(i) | TASK(i);
        a->has_ended = a->is_started = a->is_inside = false;
        a->at = 0;
    }
    tell_watchers(step, node, true);
}

static void set_broken(struct step *step, bool is_broken)
{
    struct queue q = {0};

    step->writes |= CONNECTION;
    step->reads |= NODE(1) | NODE(2);
    if (m->s.is_broken == is_broken)
        return;
    m->s.is_broken = is_broken;
    if (m->s.is_down[1] || m->s.is_down[2])
        return;
    cut_ties(step, &q);
    end_all(step, &q);
    for (uint32_t i = 0; i < n_all(m->p); i++) {
        if (m->s.all[i].node != 0)
            tell_of_node(step, i, 3U - m->s.all[i].node, !is_broken);
    }
}

static void monitor_node(struct step *step, uint32_t self, const struct call *c)
{
    m->s.all[self].is_watching[c->node] = c->flag;
    if (!can_reach(step, self, c->node) && c->flag)
        tell_of_node(step, self, c->node, false);
}

/* ---- Ends ----------------------------------------------------------------------------------- */

/* Tells those who are tied to it. */
static void tell(struct step *step, struct queue *q, uint32_t i, char reason)
{
    struct state *s = &m->s;

    for (uint32_t k = 0; k < s->n_ties;) {
        struct tie tie = s->ties[k];

        if (tie.owner != i || tie.kind != TIE_LINK) {
            k++;
            continue;
        }
        remove_tie(k);
        (void)can_reach(step, i, s->all[tie.target].node);
        signal_exit(step, q, tie.target, i, reason);
    }
    for (uint32_t k = 0; k < s->n_ties;) {
        struct tie tie = s->ties[k];

        if (tie.target != i) {
            k++;
            continue;
        }
        remove_tie(k);
        if (!tie.is_answered)
            (void)can_reach(step, i, s->all[tie.owner].node);
        if (tie.kind == TIE_LINK)
            signal_exit(step, q, tie.owner, i, reason);
        else if (!tie.is_answered)
            put_down(step, tie.owner, tie.ref, i + 1, reason);
    }
}

static void end_all(struct step *step, struct queue *q)
{
    for (; q->at < q->n; q->at++) {
        uint32_t i = q->who[q->at];
        struct actor *a = &m->s.all[i];

        step->reads |= SLOT(i);
        for (uint32_t node = 1; node <= NODES; node++) {
            if (a->is_watching[node])
                (void)can_reach(step, i, node);
        }
        if (a->name != 0) {
            step->writes |= NAME(a->node, a->name - 1);
            m->s.holders[a->node][a->name - 1] = 0;
        }
        tell(step, q, i, q->reason[q->at]);
        {
            char log[LOG_SIZE];

            /* What it was is of no interest any more. */
            memcpy(log, a->log, sizeof(log));
            *a = (struct actor){.has_ended = true,
                                .is_started = true,
                                .steps = a->steps,
                                .is_there = true,
                                .is_resident = a->is_resident,
                                .node = a->node,
                                .made = a->made,
                                .lives = a->lives};
            memcpy(a->log, log, sizeof(log));
        }
    }
}

/* ---- Receiving ------------------------------------------------------------------------------ */

static const struct call *call_of(uint32_t self)
{
    const struct actor *a = &m->s.all[self];

    return a->at < m->p->n_calls[self] ? &m->p->calls[self][a->at] : NULL;
}

static bool is_wanted(uint32_t self, const struct call *c, const struct message *message)
{
    const struct actor *a = &m->s.all[self];

    if (c->kind == CALL_CALL)
        return message->ref == a->call_ref;
    return c->kind != CALL_RECEIVE_EVENT ||
           (message->what == WHAT_EVENT && message->event == c->event);
}

/* The place of the message that a receive would take, from 1; 0: there is none. */
static uint32_t find(uint32_t self, const struct call *c)
{
    const struct actor *a = &m->s.all[self];

    for (uint32_t i = 0; i < a->n; i++) {
        if (is_wanted(self, c, &a->box[i]))
            return i + 1;
    }
    return 0;
}

static struct message take(struct step *step, uint32_t self, uint32_t place)
{
    struct actor *a = &m->s.all[self];
    struct message message = a->box[place - 1];

    memmove(&a->box[place - 1], &a->box[place], (--a->n - (place - 1)) * sizeof(a->box[0]));
    memset(&a->box[a->n], 0, sizeof(a->box[0]));
    step->has_taken = true;
    step->sent = message.sent;
    step->sent_number = message.sent_number;
    return message;
}

/* One that could have ended without a message has looked at all of them. */
static bool is_eager(uint32_t self, const struct call *c)
{
    const struct actor *a = &m->s.all[self];

    if (c->kind == CALL_LOOK)
        return true;
    return c->timeout != 0 && (m->p->any_timers || a->deadline <= m->s.now);
}

static void receive(struct step *step, uint32_t self, const struct call *c)
{
    uint32_t place = find(self, c);
    struct message message;

    if (is_eager(self, c))
        step->reads |= MAILBOX(self);
    if (place == 0) {
        note(self, "-");
        return;
    }
    message = take(step, self, place);
    if (message.what == WHAT_EVENT) {
        note(self, "%c%u", 'a' + message.event, message.from);
        if (message.ref != 0) {
            m->s.all[self].requester = message.from;
            m->s.all[self].request = message.ref;
        }
    } else if (message.what == WHAT_NODE_DOWN || message.what == WHAT_NODE_UP) {
        note(self, "%c%u", message.what == WHAT_NODE_UP ? 'Y' : 'N', message.whom);
    } else {
        note(self, "%c%u%c", message.what == WHAT_DOWN ? 'D' : 'E', message.whom, message.reason);
    }
}

static void drop_ref(uint32_t self, uint32_t ref)
{
    struct actor *a = &m->s.all[self];
    uint32_t n = 0;

    for (uint32_t i = 0; i < a->n; i++) {
        if (a->box[i].ref != ref)
            a->box[n++] = a->box[i];
    }
    memset(&a->box[n], 0, (a->n - n) * sizeof(a->box[0]));
    a->n = (uint8_t)n;
}

static bool end_ref(uint32_t self, uint32_t ref)
{
    for (uint32_t i = 0; i < m->s.n_ties; i++) {
        if (m->s.ties[i].owner == self && m->s.ties[i].kind != TIE_LINK &&
            m->s.ties[i].ref == ref) {
            remove_tie(i);
            return true;
        }
    }
    return false;
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static uint32_t watch(struct step *step, uint32_t self, uint32_t id, enum tie_kind kind)
{
    struct actor *a = &m->s.all[self];
    uint32_t ref = 1 + self * 16 + a->made++;

    if (id != 0 && !can_reach(step, self, m->s.all[id - 1].node)) {
        put_down(step, self, ref, id, 'c');
        return ref;
    }
    if (id != 0)
        step->reads |= LIFE(id - 1);
    if (id == 0 || m->s.all[id - 1].has_ended)
        put_down(step, self, ref, id, 'p');
    else
        add_tie((struct tie){.kind = (uint8_t)kind,
                             .owner = (uint8_t)self,
                             .target = (uint8_t)(id - 1),
                             .ref = (uint8_t)ref});
    return ref;
}

static void keep_ref(uint32_t self, uint32_t ref, uint32_t target)
{
    struct actor *a = &m->s.all[self];

    if (a->n_refs == REFS)
        return;
    a->refs[a->n_refs] = (uint8_t)ref;
    a->ref_targets[a->n_refs++] = (uint8_t)target;
}

/* Whether a monitor still stands depends on whether that which it is of has ended, and is seen. */
static void look(struct step *step, uint32_t self, uint32_t id)
{
    step->reads |= LIFE(id - 1);
    (void)can_reach(step, self, m->s.all[id - 1].node);
}

static void finish_call(struct step *step, uint32_t self, const struct call *c)
{
    struct actor *a = &m->s.all[self];
    uint32_t place = find(self, c);
    uint32_t ref = a->call_ref;

    if (is_eager(self, c))
        step->reads |= MAILBOX(self);
    if (place == 0) {
        look(step, self, c->whom);
        note(self, "AT");
    } else {
        struct message message = take(step, self, place);

        if (message.what == WHAT_DOWN)
            note(self, "AD");
        else
            note(self, "A%u", message.from);
    }
    (void)end_ref(self, ref);
    drop_ref(self, ref);
    a->call_ref = 0;
}

static void reply(struct step *step, uint32_t self, const struct call *c)
{
    struct actor *a = &m->s.all[self];
    uint32_t to = a->requester - 1U;

    if (!can_reach(step, self, m->s.all[to].node))
        return;
    for (uint32_t i = 0; i < m->s.n_ties; i++) {
        struct tie *tie = &m->s.ties[i];

        if (tie->kind != TIE_CALL || tie->ref != a->request)
            continue;
        tie->is_answered = true;
        put(step, to,
            (struct message){
                .event = (uint8_t)c->event, .from = (uint8_t)(self + 1), .ref = a->request});
    }
    step->writes |= MAILBOX(to);
}

static void register_call(struct step *step, uint32_t self, const struct call *c)
{
    struct state *s = &m->s;
    uint32_t here = s->all[self].node;
    struct actor *whom = &s->all[c->whom - 1];
    uint8_t *holder = &s->holders[here][c->name];
    bool is_fine =
        *holder == 0 && whom->name == 0 && !whom->has_ended && whom->node == s->all[self].node;

    step->writes |= NAME(here, c->name) | SLOT(c->whom - 1);
    step->reads |= LIFE(c->whom - 1);
    note(self, "R%d", is_fine);
    if (!is_fine)
        return;
    *holder = (uint8_t)c->whom;
    whom->name = (uint8_t)(c->name + 1);
}

static void unregister_call(struct step *step, uint32_t self, const struct call *c)
{
    uint32_t here = m->s.all[self].node;
    uint8_t *holder = &m->s.holders[here][c->name];

    step->writes |= NAME(here, c->name);
    note(self, "U%d", *holder != 0);
    if (*holder == 0)
        return;
    step->writes |= SLOT(*holder - 1);
    m->s.all[*holder - 1].name = 0;
    *holder = 0;
}

static bool post(struct step *step, uint32_t self, uint32_t to, struct message message)
{
    message.from = (uint8_t)(self + 1);
    if (!can_reach(step, self, m->s.all[to].node))
        return false;
    put(step, to, message);
    return true;
}

/* Calls that ask who has a name, which may be another node's. */
static void ask_call(struct step *step, uint32_t self, const struct call *c)
{
    uint32_t node = c->node != 0 ? c->node : m->s.all[self].node;
    bool is_reached = can_reach(step, self, node);
    uint32_t holder = is_reached ? m->s.holders[node][c->name] : 0;

    step->reads |= is_reached ? NAME(node, c->name) : 0;
    if (c->kind == CALL_WHEREIS) {
        note(self, "W%u", holder);
    } else if (c->kind == CALL_SEND_NAME) {
        if (holder != 0)
            (void)post(step, self, holder - 1, (struct message){.event = (uint8_t)c->event});
    } else if (!is_reached) {
        uint32_t ref = 1 + self * 16 + m->s.all[self].made++;

        put_down(step, self, ref, 0, 'c');
        keep_ref(self, ref, 0);
    } else {
        keep_ref(self, watch(step, self, holder, TIE_MONITOR), holder);
    }
}

static void name_call(struct step *step, uint32_t self, const struct call *c)
{
    if (c->kind == CALL_REGISTER)
        register_call(step, self, c);
    else if (c->kind == CALL_UNREGISTER)
        unregister_call(step, self, c);
    else
        ask_call(step, self, c);
}

static void link_call(struct step *step, struct queue *q, uint32_t self, const struct call *c)
{
    uint32_t whom = c->whom - 1;
    struct state *s = &m->s;
    uint32_t i = 0;

    step->writes |= LIFE(self);
    if (c->kind == CALL_LINK && self == whom)
        return;
    step->writes |= LIFE(whom);
    while (i < s->n_ties && !(s->ties[i].kind == TIE_LINK &&
                              ((s->ties[i].owner == self && s->ties[i].target == whom) ||
                               (s->ties[i].owner == whom && s->ties[i].target == self))))
        i++;
    if (c->kind == CALL_UNLINK) {
        (void)can_reach(step, self, s->all[whom].node);
        if (i < s->n_ties)
            remove_tie(i);
    } else if (!can_reach(step, self, s->all[whom].node)) {
        signal_exit(step, q, self, whom, 'c');
    } else if (s->all[whom].has_ended) {
        signal_exit(step, q, self, whom, 'p');
    } else if (i == s->n_ties) {
        add_tie((struct tie){.kind = TIE_LINK, .owner = (uint8_t)self, .target = (uint8_t)whom});
    }
}

static void kill_call(struct step *step, struct queue *q, uint32_t self, const struct call *c)
{
    uint32_t whom = c->whom - 1;

    if (!can_reach(step, self, m->s.all[whom].node))
        return;
    if (m->s.all[whom].has_ended)
        step->reads |= LIFE(whom);
    else if (c->reason == 2)
        end(step, q, whom, 'k');
    else
        signal_exit(step, q, whom, self, c->reason == 0 ? 'n' : 'x');
}

static void spawn_call(struct step *step, uint32_t self, const struct call *c)
{
    uint32_t child = c->whom - 1;
    struct actor *a = &m->s.all[child];
    bool is_fine = can_reach(step, self, c->node);

    note(self, "S%d", is_fine);
    if (!is_fine)
        return;
    a->is_there = true;
    a->is_resident = c->node != 0;
    a->node = c->node != 0 ? (uint8_t)c->node : m->s.all[self].node;
    if (c->node == 0 && c->reason == 1) {
        step->writes |= LIFE(self) | LIFE(child);
        add_tie((struct tie){.kind = TIE_LINK, .owner = (uint8_t)self, .target = (uint8_t)child});
    } else if (c->node == 0 && c->reason == 2) {
        keep_ref(self, watch(step, self, c->whom, TIE_MONITOR), c->whom);
    }
}

/* Calls that only programs with nodes have. */
static void node_call(struct step *step, uint32_t self, const struct call *c)
{
    if (c->kind == CALL_SPAWN)
        spawn_call(step, self, c);
    else if (c->kind == CALL_CRASH)
        crash(step, c->node);
    else if (c->kind == CALL_RESTART)
        restart(step, c->node);
    else if (c->kind == CALL_MONITOR_NODE)
        monitor_node(step, self, c);
    else
        set_broken(step, c->kind == CALL_DISCONNECT);
}

static void other_call(struct step *step, struct queue *q, uint32_t self, const struct call *c)
{
    struct actor *a = &m->s.all[self];
    uint32_t whom = c->whom - 1;

    switch (c->kind) {
    case CALL_SEND:
        (void)post(step, self, whom, (struct message){.event = (uint8_t)c->event});
        break;
    case CALL_KILL:
        kill_call(step, q, self, c);
        break;
    case CALL_LINK:
    case CALL_UNLINK:
        link_call(step, q, self, c);
        break;
    case CALL_TRAP:
        step->writes |= LIFE(self);
        a->is_trapping = c->flag;
        break;
    case CALL_ALIVE:
        step->reads |= LIFE(whom);
        note(self, "L%d", !m->s.all[whom].has_ended);
        break;
    case CALL_MONITOR:
        keep_ref(self, watch(step, self, c->whom, TIE_MONITOR), c->whom);
        break;
    case CALL_DEMONITOR:
        if (a->ref_targets[a->n_refs - 1] != 0)
            look(step, self, a->ref_targets[a->n_refs - 1]);
        note(self, "M%d", end_ref(self, a->refs[a->n_refs - 1]));
        if (c->flag)
            drop_ref(self, a->refs[a->n_refs - 1]);
        break;
    case CALL_REPLY:
        reply(step, self, c);
        break;
    case CALL_RECEIVE:
    case CALL_RECEIVE_EVENT:
    case CALL_LOOK:
        receive(step, self, c);
        break;
    case CALL_SLEEP:
        break;
    default:
        if (c->kind < CALL_KINDS)
            name_call(step, self, c);
        else
            node_call(step, self, c);
        break;
    }
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static bool waits_for_message(const struct actor *a, const struct call *c)
{
    return c->kind == CALL_RECEIVE || c->kind == CALL_RECEIVE_EVENT || c->kind == CALL_LOOK ||
           (c->kind == CALL_CALL && a->is_inside);
}

/* Passes over calls that are none, and sets the deadline of the next one. */
static void announce(uint32_t self)
{
    struct actor *a = &m->s.all[self];
    const struct call *c = call_of(self);

    while (c != NULL && ((c->kind == CALL_DEMONITOR && a->n_refs == 0) ||
                         (c->kind == CALL_REPLY && a->requester == 0) ||
                         (c->kind == CALL_SPAWN) == m->s.all[c->whom - 1].is_there)) {
        a->at++;
        c = call_of(self);
    }
    a->deadline = 0;
    a->is_woken = false;
    a->n_before = 0;
    if (c != NULL && c->timeout != 0 && (c->kind == CALL_SLEEP || waits_for_message(a, c)))
        a->deadline = m->s.now + c->timeout;
}

static bool is_enabled(uint32_t self)
{
    const struct actor *a = &m->s.all[self];
    const struct call *c = call_of(self);

    if (a->has_ended || !a->is_there)
        return false;
    if (!a->is_started || c == NULL || (c->kind != CALL_SLEEP && !waits_for_message(a, c)))
        return true;
    if (c->kind == CALL_SLEEP)
        return m->p->any_timers || a->is_woken;
    return c->kind == CALL_LOOK || find(self, c) != 0 || a->is_woken ||
           (m->p->any_timers && c->timeout != 0);
}

static struct step take_step(uint32_t self)
{
    struct actor *a = &m->s.all[self];
    struct step step = {.self = (uint8_t)self,
                        .number = a->steps++,
                        .writes = TASK(self),
                        .n_before = a->is_woken ? a->n_before : 0};
    const struct call *c = a->is_started ? call_of(self) : NULL;
    struct queue q = {0};

    if (!a->is_started) {
        a->is_started = true;
        if (a->lives++ > 0)
            note(self, "^");
    } else if (c == NULL || c->kind == CALL_EXIT) {
        end(&step, &q, self, c == NULL || c->reason == 0 ? 'n' : c->reason == 1 ? 'x' : 'x');
    } else if (c->kind == CALL_CALL && !a->is_inside) {
        a->call_ref = (uint8_t)watch(&step, self, c->whom, TIE_CALL);
        (void)post(&step, self, c->whom - 1,
                   (struct message){.event = (uint8_t)c->event, .ref = a->call_ref});
        a->is_inside = true;
    } else {
        if (c->kind == CALL_CALL)
            finish_call(&step, self, c);
        else
            other_call(&step, &q, self, c);
        a->at++;
        a->is_inside = false;
    }
    end_all(&step, &q);
    if (!a->has_ended)
        announce(self);
    return step;
}

/* Nothing can happen: time passes to the next deadline. False: there is none. */
static bool pass_time(void)
{
    uint32_t next = UINT32_MAX;

    for (uint32_t i = 0; i < n_all(m->p); i++) {
        const struct actor *a = &m->s.all[i];

        if (!a->has_ended && a->is_started && a->deadline != 0 && !a->is_woken &&
            a->deadline < next)
            next = a->deadline;
    }
    if (next == UINT32_MAX || m->p->any_timers)
        return false;
    m->s.now = next;
    for (uint32_t i = 0; i < n_all(m->p); i++) {
        struct actor *a = &m->s.all[i];

        if (!a->has_ended && a->is_started && a->deadline == next) {
            a->is_woken = true;
            a->n_before = (uint8_t)m->n_steps;
        }
    }
    return true;
}

/* ---- Dependence ----------------------------------------------------------------------------- */

static bool do_clash(const struct step *later, const struct step *earlier)
{
    return (later->writes & (earlier->writes | earlier->reads)) != 0 ||
           (later->reads & earlier->writes) != 0;
}

/* Whether a later step takes what an earlier one has sent. */
static bool takes_from(const struct step *later, const struct step *earlier)
{
    return later->has_taken && later->sent == earlier->self &&
           later->sent_number == earlier->number;
}

/* Whether a later step depends on an earlier one, the i-th. */
static bool depends(const struct step *later, const struct step *earlier, uint32_t i)
{
    return do_clash(later, earlier) || takes_from(later, earlier) || i < later->n_before;
}

static uint64_t label_of(const struct step *step)
{
    return (uint64_t)step->self << 8 | step->number;
}

/* The same for two paths exactly if they order all steps that depend on each other alike. */
static uint64_t key_of_path(void)
{
    uint64_t key = 0;

    for (uint32_t k = 0; k < m->n_steps; k++) {
        uint64_t before = 0;

        for (uint32_t i = 0; i < k; i++) {
            if (depends(&m->steps[k], &m->steps[i], i))
                before += mix64(label_of(&m->steps[i]) + 1);
        }
        key += mix_pair(label_of(&m->steps[k]), before);
    }
    return key != 0 ? key : 1;
}

static void end_path(void)
{
    uint64_t key = key_of_path();
    uint32_t slot = (uint32_t)mix64(key) & (KEYS - 1);
    struct outcome outcome;

    while (m->keys[slot] != 0 && m->keys[slot] != key)
        slot = (slot + 1) & (KEYS - 1);
    m->result->orders += m->keys[slot] == 0;
    m->keys[slot] = key;
    memset(&outcome, 0, sizeof(outcome));
    for (uint32_t i = 0; i < n_all(m->p); i++)
        memcpy(outcome.text[i], m->s.all[i].log, LOG_SIZE);
    outcomes_add(&m->result->outcomes, &outcome);
    m->n_paths++;
    m->is_too_large |= m->n_paths == PATHS;
}

/* The order of ties with different owners is of no consequence, unless they are links. */
static void sort_ties(struct state *s)
{
    for (uint32_t i = 1; i < s->n_ties; i++) {
        for (uint32_t k = i; k > 0; k--) {
            struct tie *a = &s->ties[k - 1];
            struct tie *b = &s->ties[k];
            struct tie swapped = *a;

            if (a->owner <= b->owner)
                break;
            *a = *b;
            *b = swapped;
        }
    }
}

/* Two steps that do not depend on each other lead to the same state in either order. */
static void check_pair(uint32_t i, uint32_t k)
{
    struct state before = m->s;
    struct state after;
    struct step first = take_step(i);
    struct step second;
    bool is_second_enabled = is_enabled(k);

    if (is_second_enabled) {
        second = take_step(k);
        after = m->s;
    }
    m->s = before;
    if (!is_second_enabled || depends(&second, &first, STEPS))
        return;
    (void)take_step(k);
    if (is_enabled(i))
        (void)take_step(i);
    sort_ties(&after);
    sort_ties(&m->s);
    if (memcmp(&after, &m->s, sizeof(after)) != 0)
        (void)snprintf(m->result->why, sizeof(m->result->why),
                       "step %u of process %u and step %u of process %u do not commute",
                       first.number, i + 1, second.number, k + 1);
    m->s = before;
}

static void explore(void)
{
    struct state before = m->s;
    bool can_any = false;

    if (m->is_too_large)
        return;
    for (uint32_t i = 0; i < n_all(m->p); i++) {
        if (!is_enabled(i))
            continue;
        can_any = true;
        for (uint32_t k = 0; k < n_all(m->p); k++) {
            if (k != i && is_enabled(k))
                check_pair(i, k);
        }
        if (m->n_steps == STEPS) {
            m->is_too_large = true;
            return;
        }
        m->steps[m->n_steps] = take_step(i);
        m->n_steps++;
        explore();
        m->n_steps--;
        m->s = before;
    }
    if (can_any)
        return;
    if (pass_time())
        explore();
    else
        end_path();
    m->s = before;
}

static void begin(const struct program *p)
{
    static struct model model;

    m = &model;
    memset(&m->s, 0, sizeof(m->s));
    m->p = p;
    m->n_steps = 0;
    m->n_paths = 0;
    m->is_too_large = false;
    for (uint32_t i = 0; i < p->n; i++) {
        m->s.all[i].is_there = true;
        m->s.all[i].node = (uint8_t)p->node[i];
        m->s.all[i].is_resident = p->node[i] != 0;
    }
}

bool model_run(const struct program *p, struct model_result *result)
{
    begin(p);
    memset(m->keys, 0, sizeof(m->keys));
    memset(result, 0, sizeof(*result));
    m->result = result;
    explore();
    return !m->is_too_large;
}

/* ---- One interleaving ----------------------------------------------------------------------- */

static bool is_any_enabled(void)
{
    bool is_any = false;

    for (uint32_t i = 0; i < n_all(m->p); i++)
        is_any |= is_enabled(i);
    return is_any;
}

/* What the last step depends on. */
static void look_back(struct model_step *step)
{
    uint32_t last = m->n_steps - 1;

    for (uint32_t i = 0; i < last; i++) {
        if (do_clash(&m->steps[last], &m->steps[i]))
            step->clashes |= UINT64_C(1) << (i + 1);
        if (takes_from(&m->steps[last], &m->steps[i]))
            step->sent = i + 1;
    }
}

bool model_follow(const struct program *p, const uint8_t *next, uint32_t n,
                  struct model_step *steps)
{
    begin(p);
    for (uint32_t i = 0; i < n && n < MODEL_STEPS; i++) {
        struct model_step *step = &steps[i + 1];

        *step = (struct model_step){.self = next[i]};
        while (!is_any_enabled()) {
            if (!pass_time())
                return false;
            step->is_late = true;
        }
        if (next[i] >= p->n || !is_enabled(next[i]))
            return false;
        m->steps[m->n_steps] = take_step(next[i]);
        m->n_steps++;
        look_back(step);
    }
    return n < MODEL_STEPS && !is_any_enabled() && !pass_time() && !m->is_too_large;
}
