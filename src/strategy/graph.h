/* graph.h - a trial of machines as a graph: what each receives, and what it sends then.
 *
 * A partial order of machines that only exchange messages is exactly this: for each machine the row
 * of messages it has received. Receive k of the graph is step k of the trial; receive 0 is the
 * set-up of the test. What a receive sends is known as soon as it has run, but a send belongs to
 * the graph only once it was added: `order` has receives and sends in the order in which they were
 * added, which need not be that of the trial. A timer is a message to oneself, the start of a
 * machine its first message.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_GRAPH_H
#define STRATEGY_GRAPH_H

#include "engine/announced.h"
#include "engine/mem.h"
#include "engine/trial.h"

enum {
    GRAPH_RECEIVES_MAX = 1 << 16,
    GRAPH_SENDS_MAX = (1 << 20) >> MEM_SAVING_SHIFT,
    GRAPH_ORDER_MAX = GRAPH_RECEIVES_MAX + GRAPH_SENDS_MAX,
    GRAPH_ACTORS_MAX = 1 << 16,
};

/* Of a send that was not added yet. */
#define GRAPH_NOWHERE UINT32_MAX

/* Of a timer that nobody has cancelled. */
#define GRAPH_NEVER UINT32_MAX

/* What a receive reads: enough to run it again, and to know what came before it. */
struct graph_read {
    uint64_t id;     /* of the operation */
    uint32_t sender; /* the receive that announced it */
    uint32_t k;      /* which of those announced there, from 0 */
    uint32_t before; /* the receive before it of the same machine; 0: none */
};

/* An element of the order. */
struct graph_place {
    uint32_t receive;
    uint32_t send; /* 0: the receive itself; k + 1: its send k */
};

struct graph_receive {
    uint32_t reads; /* a send */
    uint32_t actor;
    uint32_t index;  /* among those of its actor, from 0 */
    uint32_t before; /* as in graph_read */
    uint32_t position;
    uint32_t first_send;
    uint32_t n_sends;
    uint32_t n_added; /* of these, to the graph */
};

struct graph_send {
    uint64_t id;
    uint32_t receive; /* that announced it */
    uint32_t k;
    uint32_t from; /* actor */
    uint32_t to;
    uint32_t position;  /* in the order, from 1; 0: announced by the set-up; GRAPH_NOWHERE */
    uint32_t read_by;   /* receive; 0: none */
    uint32_t older;     /* send to the same actor; 0: none */
    uint32_t ahead;     /* the one before it in the same queue; 0: none */
    uint32_t cancelled; /* index of the receive whose handler did so; GRAPH_NEVER */
    uint32_t op;
    uint32_t source;
    uint16_t kind;
    bool is_ordered; /* what `from` sends to `to` keeps its order */
};

/* Something that receives: a task. Those of the set-up have the number of the task. */
struct graph_actor {
    uint64_t rank; /* in a fixed order of all actors, the same in every trial */
    uint32_t n_receives;
    uint32_t last;     /* receive */
    uint32_t newest;   /* send to it */
    uint32_t n_timers; /* among those */
};

/* The first element of all but `order` stands for none. */
struct graph {
    bool is_set_up;
    bool is_full;      /* the set-up has more than there is room for */
    uint32_t n;        /* the last receive */
    uint32_t n_sends;  /* used prefix */
    uint32_t n_actors; /* ... */
    uint32_t n_order;  /* ... */
    uint32_t n_pasts;  /* how often `past` was found */
    struct graph_read reads[GRAPH_RECEIVES_MAX];
    struct graph_place order[GRAPH_ORDER_MAX];
    struct graph_receive receives[GRAPH_RECEIVES_MAX];
    struct graph_send sends[GRAPH_SENDS_MAX];
    struct graph_actor actors[GRAPH_ACTORS_MAX];
    uint32_t actor_of_task[TRIAL_TASKS_MAX];
    /* The past of one send: receives marked with n_pasts are in it, and so many of their sends. */
    uint32_t past[GRAPH_RECEIVES_MAX];
    uint32_t past_sends[GRAPH_RECEIVES_MAX];
};

/* Nothing is known any more. */
void graph_clear(struct graph *g);

/* Takes in what is pending after the set-up. */
void graph_set_up(struct graph *g, const struct trial *t);

/* The actor of a task. */
static inline const struct graph_actor *graph_actor_of(const struct graph *g, uint32_t task)
{
    return &g->actors[g->actor_of_task[task]];
}

/* A step has received a send, and announced this. The receive is not in the order yet. False: there
 * is no room for it. */
bool graph_receive(struct graph *g, const struct trial *t, uint32_t send,
                   const struct announced *announced);

/* Adds the last receive, or the next send of a receive, to the order. */
void graph_add_receive(struct graph *g);
uint32_t graph_add_send(struct graph *g, uint32_t receive);

/* Of the receives of which not every send was added, the first in the fixed order; 0: none. */
uint32_t graph_unfinished(const struct graph *g);

/* What an actor can receive next, in the fixed order of sends; returns how many these are. */
uint32_t graph_available(const struct graph *g, uint32_t actor, uint32_t *sends);

/* Goes back to what the graph was with so many receives and elements of the order. */
void graph_cut(struct graph *g, uint32_t n, uint32_t n_order);

/* The same, but nothing that is left is in the order, which is another one now. */
void graph_cut_receives(struct graph *g, uint32_t n);

/* Gives everything the position that it has in the order. False: that is no order of it. */
bool graph_settle(struct graph *g);

/* Marks the past of send k of a receive, going by what is read. */
void graph_find_past(struct graph *g, const struct graph_read *reads, uint32_t receive, uint32_t k);

static inline bool graph_is_past_receive(const struct graph *g, uint32_t receive)
{
    return g->past[receive] == g->n_pasts;
}

static inline bool graph_is_past_send(const struct graph *g, uint32_t receive, uint32_t k)
{
    return g->past[receive] == g->n_pasts && k < g->past_sends[receive];
}

/* The receives that are to be tried again with a send that was just added, instead of what they
 * read; returns how many these are. */
uint32_t graph_revisits(struct graph *g, uint32_t send, uint32_t *receives);

#endif
