/* revisit.h - optimal search for machines that only exchange messages: each partial order once.
 *
 * Instead of schedules it goes through graphs (graph.h). A receive is tried with everything that
 * its machine can receive there. What is sent later could have been received earlier: each new send
 * revisits receives of its machine. For that the graph goes back to what was there when the receive
 * was added and to the past of the send, and only if what is dropped would come up again by itself:
 * so each graph is met from one side. (This is the idea of execution graphs, Kokologiannakis et
 * al., "Truly stateless, optimal dynamic partial order reduction", POPL 2022, for messages.)
 *
 * A trial is a path from one graph to one that is complete. What is open on the way are frames, and
 * each of their choices is a subproblem that depends on no other one. A trial after a revisit has
 * fewer steps in common with the one before; what can still be needed of the graph that it leaves
 * is kept on a level.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_REVISIT_H
#define STRATEGY_REVISIT_H

#include "base/descent.h"
#include "strategy/graph.h"

enum {
    REVISIT_FRAMES_MAX = (1 << 20) >> MEM_SAVING_SHIFT,
    REVISIT_CHOICES_MAX = (1 << 22) >> MEM_SAVING_SHIFT,
    REVISIT_LEVELS_MAX = 1 << 16,
    REVISIT_ROOTS_MAX = (1 << 20) >> MEM_SAVING_SHIFT,
    REVISIT_STORE_BYTES = (1 << 28) >> MEM_SAVING_SHIFT, /* of levels, and as many of roots */
};

/* Of the whole search. */
#define REVISIT_MASS UINT64_MAX

/* What this search cannot do. */
enum revisit_refusal {
    REVISIT_COVERED = 0,
    REVISIT_DRAWS,
    REVISIT_SHARES,
    REVISIT_DEFERS,
    REVISIT_WAITS,
    REVISIT_FAULTS,
    REVISIT_SLEEPS,
    REVISIT_SENDS,
    REVISIT_PROCESSES,
};

/* A graph without what is known of its operations. Receive 0 has an element. */
struct revisit_script {
    const struct graph_read *reads;
    const struct graph_place *order;
};

/* One thing to try. */
struct revisit_choice {
    uint64_t id; /* of what is received */
    uint32_t at; /* who has sent it; in a revisit, the receive that gets it */
    uint32_t k;
};

/* A point at which there is more to try: receive n + 1 reads something else, or a send that was
 * just added is received earlier. */
struct revisit_frame {
    uint64_t share; /* of the mass, for each choice */
    uint32_t level;
    uint32_t n;
    uint32_t n_order;
    uint32_t first; /* choice */
    uint32_t n_left;
    struct graph_place send; /* .send is 0 unless it is about a send */
};

/* A subproblem that was handed over: a graph that is to be completed, or revisited first. */
struct revisit_root {
    uint64_t mass;
    uint64_t at; /* where the script lies */
    uint32_t n;
    uint32_t n_order;
    struct graph_place send; /* .send is 0 unless `choice` is a revisit by it */
    struct revisit_choice choice;
};

/* The part of the store of a graph that was left for a revisit. */
struct revisit_level {
    uint64_t at;
    uint32_t n;
    bool is_kept; /* otherwise the graph is the present one */
};

/* How much was used at most. */
struct revisit_peak {
    uint64_t levels;
    uint64_t frames;
    uint64_t choices;
    uint64_t bytes;    /* of all these and what is kept on levels */
    uint64_t receives; /* of a graph */
    uint64_t sends;
};

/* Zeroed is the whole search. */
struct revisit {
    bool is_begun;
    bool is_running;   /* a trial has begun, and its mass is not done yet */
    bool is_stepping;  /* a step of it has not come to its end */
    bool is_unsettled; /* the order is the one that the script says */
    bool is_lost;      /* this trial cannot be followed any more */
    bool is_incomplete;
    bool is_done;
    bool falls_back; /* what cannot be done is another strategy's, ... */
    bool is_divided; /* ... but no more: not all that was done is known here */
    enum revisit_refusal refusal;
    uint32_t common;   /* receives of the last trial that are kept */
    uint32_t n_run;    /* receives of the last trial */
    uint32_t n_script; /* receives of which it is known what they read */
    uint32_t send;     /* that is being received */
    uint64_t time_ns;  /* after the set-up */
    struct trial *t;
    uint64_t mass; /* of the present trial */
    uint64_t done; /* of the trials before, and of what is someone else's */
    uint32_t n_frames;
    uint32_t n_choices;
    uint32_t n_levels;
    uint32_t n_roots;
    uint64_t kept_bytes;
    uint64_t root_bytes;
    struct revisit_peak peak;
    struct descent descent; /* if it is on, each trial takes any of the choices that it meets */
    struct touches touches;
    struct announced announced;
    struct graph graph;
    struct revisit_frame frames[REVISIT_FRAMES_MAX];
    struct revisit_choice choices[REVISIT_CHOICES_MAX];
    struct revisit_level levels[REVISIT_LEVELS_MAX];
    struct revisit_root roots[REVISIT_ROOTS_MAX];
    uint32_t found[GRAPH_SENDS_MAX];
    uint32_t renumbered[GRAPH_RECEIVES_MAX];
    _Alignas(8) char kept[REVISIT_STORE_BYTES];
    _Alignas(8) char root_scripts[REVISIT_STORE_BYTES];
};

/* Takes the decisions of a trial. */
void revisit_run(struct revisit *s, struct trial *t);

/* The callbacks of a strategy whose state is a revisit; see sennit/strategy.h. */
bool revisit_begin(void *self, uint64_t trial, uint64_t *keep);
uint32_t revisit_pick(void *self, const struct sn_pending *pending);
uint64_t revisit_draw(void *self, const struct sn_draw *draw);
void revisit_told(void *self, const struct sn_op *op);
bool revisit_is_exhausted(const void *self);
double revisit_progress(const void *self);
size_t revisit_save(const void *self, void *bytes, size_t room);
int revisit_load(void *self, const void *bytes, size_t n);
bool revisit_split(void *self, void *other);

/* What it cannot do, as in "machines that defer events"; NULL: nothing of the kind was met. */
const char *revisit_refusal(const struct revisit *s);

/* What is done, or is someone else's, of REVISIT_MASS; between trials. */
static inline uint64_t revisit_done(const struct revisit *s)
{
    return s->done + (s->is_running ? s->mass : 0);
}

/* The graph of a level. */
struct revisit_script revisit_script_of(const struct revisit *s, uint32_t level);

/* Bytes of a script. */
static inline uint64_t revisit_script_bytes(uint32_t n, uint32_t n_order)
{
    return ((uint64_t)n + 1) * sizeof(struct graph_read) +
           (uint64_t)n_order * sizeof(struct graph_place);
}

/* Writes a script into a store. */
void revisit_script_put(char *store, const struct revisit_script *script, uint32_t n,
                        uint32_t n_order);

/* The script that lies there. */
static inline struct revisit_script revisit_script_at(const char *store, uint32_t n)
{
    const struct graph_read *reads = (const struct graph_read *)(const void *)store;

    return (struct revisit_script){reads,
                                   (const struct graph_place *)(const void *)(reads + n + 1)};
}

#endif
