/* process_model.h - small programs of processes, and what can come of them by rules of their own.
 *
 * Written from docs/processes.md and nothing else: each step of a process reads and writes objects;
 * two steps depend on each other if they are the same process's, if one writes what the other
 * touches, or if the one takes what the other has sent.
 *
 * A program has processes that are there from the start, on one of two nodes or on none, and
 * children that these spawn. A process knows of those that were there from the start, of its own
 * children once it has spawned them, and of itself. SPDX-License-Identifier: MIT
 */
#ifndef TESTS_BRUTE_PROCESS_MODEL_H
#define TESTS_BRUTE_PROCESS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PROCESSES = 4,
    CHILDREN = 2,
    ACTORS = PROCESSES + CHILDREN,
    NODES = 2,
    CALLS = 4,
    EVENTS = 2,
    NAMES = 2,
    REFS = 4,
    LOG_SIZE = 48,
    OUTCOMES = 4096,
};

enum call_kind {
    CALL_SEND,
    CALL_RECEIVE,
    CALL_RECEIVE_EVENT,
    CALL_LOOK,
    CALL_SLEEP,
    CALL_EXIT,
    CALL_KILL,
    CALL_LINK,
    CALL_UNLINK,
    CALL_TRAP,
    CALL_ALIVE,
    CALL_MONITOR,
    CALL_MONITOR_NAME,
    CALL_DEMONITOR,
    CALL_REGISTER,
    CALL_UNREGISTER,
    CALL_WHEREIS,
    CALL_SEND_NAME,
    CALL_CALL,
    CALL_REPLY,
    CALL_KINDS,
    /* In programs with nodes only: */
    CALL_SPAWN = CALL_KINDS,
    CALL_DISCONNECT,
    CALL_CONNECT,
    CALL_CRASH,
    CALL_RESTART,
    CALL_MONITOR_NODE,
    CALL_KINDS_ALL,
};

struct call {
    enum call_kind kind;
    uint32_t whom;    /* an id, from 1: those of children come behind all others */
    uint32_t event;   /* below EVENTS */
    uint32_t name;    /* below NAMES */
    uint32_t reason;  /* 0 normal, 1 another, 2 kill; of a spawn: 1 linked, 2 monitored */
    uint32_t node;    /* 0: that of the process; or none */
    uint32_t timeout; /* 0: none */
    bool flag;
};

struct program {
    uint32_t n; /* that are there from the start */
    uint32_t n_children;
    uint32_t node[PROCESSES]; /* 0: none */
    uint32_t parent[ACTORS];  /* of children: an index */
    uint32_t n_calls[ACTORS];
    struct call calls[ACTORS][CALLS];
    bool has_nodes;
    bool any_timers;
    /* Which of two parents has the smaller id is not the model's to say: the children of the second
     * one come first where several processes end at once. */
    bool is_second_first;
};

/* What the processes saw. */
struct outcome {
    char text[ACTORS][LOG_SIZE];
};

struct outcomes {
    uint32_t n;
    struct outcome all[OUTCOMES];
};

void outcomes_add(struct outcomes *all, const struct outcome *one);
bool outcomes_are_same(const struct outcomes *a, const struct outcomes *b);

struct model_result {
    uint64_t orders;
    char why[256]; /* steps that should commute and do not; "": there are none */
    struct outcomes outcomes;
};

/* The i-th program of a seed. */
void program_draw(struct program *p, uint64_t seed, uint64_t i);
void program_draw_nodes(struct program *p, uint64_t seed, uint64_t i);
bool program_has_two_parents(const struct program *p);
void program_print(const struct program *p);

/* Runs every interleaving. False: there are too many. */
bool model_run(const struct program *p, struct model_result *result);

enum { MODEL_STEPS = 64 };

/* A step of one interleaving. */
struct model_step {
    uint32_t self; /* the process */
    uint32_t sent; /* the step that sent what it takes, from 1; 0: it takes nothing */
    bool is_late;  /* nothing could happen before but that time passed */
    /* It depends on these earlier steps because of what both touch, its own process included: a
     * set with bit n for step n. */
    uint64_t clashes;
};

/* Runs one interleaving: whose step is next, n times. Steps are counted from 1. False: one of them
 * cannot run. */
bool model_follow(const struct program *p, const uint8_t *next, uint32_t n,
                  struct model_step *steps);

#endif
