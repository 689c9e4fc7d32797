/* qtable.h - what Q-learning knows: how often each state was reached, and what each action is worth
 * there. Whole numbers only, so that it is the same on every machine.
 *
 * A state is a key; an action is the signature of an operation. Values are never above 0, which is
 * what an action is worth that was never taken. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_QTABLE_H
#define STRATEGY_QTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    QTABLE_STATES_MAX = 1 << 13,
    QTABLE_STATES_KEPT = QTABLE_STATES_MAX / 2, /* when there were too many: the newest */
    QTABLE_ACTIONS_MAX = 4 * QTABLE_STATES_MAX,
    QTABLE_SLOTS = 2 * QTABLE_STATES_MAX,
    QTABLE_ONE_BITS = 16, /* a value of 1 is 1 << this */
};

struct qstate {
    uint64_t key;
    uint64_t visits;
    uint64_t touched; /* the trial, counted by qtable_next, that last reached it */
    uint32_t first;   /* action; 0: none was taken here */
    uint32_t n_actions;
};

struct qaction {
    uint64_t action;
    int64_t value;
    uint32_t next; /* of the same state */
};

/* Zeroed is empty. */
struct qtable {
    uint64_t now; /* trials that were learned from */
    uint32_t n_states;
    uint32_t n_actions;
    uint32_t slots[QTABLE_SLOTS]; /* numbers of states; 0: empty */
    struct qstate states[QTABLE_STATES_MAX + 1];
    struct qaction actions[QTABLE_ACTIONS_MAX + 1];
    struct qtable_spare {
        uint32_t order[QTABLE_STATES_MAX];
        struct qstate states[QTABLE_STATES_KEPT + 1];
        struct qaction actions[QTABLE_ACTIONS_MAX + 1];
    } spare; /* for throwing away */
};

/* What an action is worth in a state: 0 unless it was taken there. */
int64_t qtable_value(const struct qtable *q, uint64_t state, uint64_t action);

/* A trial is to be learned from; it begins in this state. */
void qtable_next(struct qtable *q, uint64_t state);

/* It went from one state to another by an action. In the latter so many actions were possible, none
 * if the trial was over there. How much the visits of that state weigh is `penalty`. */
struct qstep {
    uint64_t from;
    uint64_t action;
    uint64_t to;
    uint64_t n_possible;
    uint64_t penalty;
};

void qtable_learn(struct qtable *q, const struct qstep *step);

/* exp(-x) for x >= 0, in units of 2^-QTABLE_ONE_BITS and 2^-32. */
uint64_t qtable_exp(uint64_t x);

/* As bytes: how many, of which nothing is written if they are more than room. */
size_t qtable_save(const struct qtable *q, unsigned char *bytes, size_t room);

/* Whether bytes are a table; then qtable_load takes them up. */
bool qtable_is_saved(const unsigned char *bytes, size_t n);
void qtable_load(struct qtable *q, const unsigned char *bytes, size_t n);

#endif
