/* core.h - why a history is not linearizable, or not sequentially consistent: a small part of it
 * that is not either, and how far it can be ordered.
 *
 * An operation must not simply be left out: what remains could be illegal although the whole is
 * not. Only what never makes a legal history illegal is done to one: an operation is relaxed (its
 * result is forgotten, and it may take effect at any time after its call or never); an operation
 * that never changes the object is dropped; all operations of one key, or of one value of a
 * register, a container or a set, are dropped; the end of the history is cut off. So every core is
 * a violation that was in the history.
 *
 * All of these leave a legal history legal by program order alone, too, but for the last one: a
 * process may have seen what was called later. There a relaxed operation still waits for what its
 * process did before it, and what can only come after all that counts is dropped instead.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_CORE_H
#define LINEAR_CORE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"

#include <sennit/history.h>

enum {
    CORE_STATE_MAX = 256,   /* bytes of a printed state */
    CORE_STATES_MAX = 16,   /* of more keys, the states are not told */
    CORE_RESULTS_MAX = 4,   /* of those that the model would give, so many are told */
    CORE_CHECKS_MAX = 4000, /* checks of smaller histories, unless the options say otherwise */
    CORE_STEPS_MAX = 4096,  /* of a longer order, only the last state is told */
};

/* How values, processes and times are printed. Zeroed, or NULL instead of one: as numbers. */
struct core_words {
    void (*value)(void *self, sn_value value, struct sn_text *out);
    void (*process)(void *self, uint32_t process, struct sn_text *out);
    void (*time)(void *self, uint64_t time, struct sn_text *out);
    void *self;
};

struct core_operation {
    size_t index;    /* in the history that was given */
    bool is_relaxed; /* may have happened at any time after its call, or never */
};

/* An operation that could come next after the longest prefix, but for the model. */
struct core_candidate {
    size_t index;
    bool is_refused; /* whatever its result: the object does not do this in this state */
    sn_value results[CORE_RESULTS_MAX]; /* that the model would have allowed instead; ... */
    uint32_t n_results;                 /* ... 0: none was found among the values around */
};

/* The state of an object after the longest prefix, as the model prints it. */
struct core_state {
    sn_value key; /* if the model is partitioned */
    char text[CORE_STATE_MAX];
};

/* Zeroed is an empty one. All arrays lie in the arena. */
struct core {
    const struct sn_model *model;
    const struct sn_operation *history; /* borrowed from who asked */
    bool is_sequential;                 /* it is about sequential consistency */
    sn_value key; /* of the object, if the model is partitioned and there is only one */
    bool has_key;

    struct core_operation *operations; /* by call; relaxed ones included */
    size_t n;
    size_t n_definite;
    bool is_minimal; /* false: the budget was used up before all was tried */
    uint64_t checks;
    size_t stuck; /* the operation at whose return the history becomes illegal: see linear_stuck */
    bool has_stuck; /* false: there is none, or the budget was used up before it was found */

    /* The longest prefix: so many definite operations can be put in order, with relaxed ones
     * between them where they help. */
    size_t *order; /* indices in the history, in that order */
    size_t n_order;
    struct core_state *steps;  /* after each of the order, that of its key; NULL: not told */
    struct core_state *states; /* after it: one, or one for each key of the core, ... */
    size_t n_states;           /* ... or only the first CORE_STATES_MAX */
    size_t n_keys;
    struct core_candidate *candidates;
    size_t n_candidates;
    bool is_longest; /* false: the search for it was given up, and this is the longest seen */

    struct arena arena;
};

struct core_options {
    struct sn_check_options check; /* as it was when the history was found to be illegal */
    uint64_t checks;               /* at most so many; 0: CORE_CHECKS_MAX */
    double seconds;                /* for all of it; 0: no limit */
};

/* The operation at whose return the history becomes illegal: what was called and has returned up to
 * that moment is not linearizable, and what had before is. If keys are independent that is said of
 * the operations of its key. `stuck` is its number. 0, or a negative SN_E* as below. Not for
 * sequential consistency, where no moment is earlier than another. */
int linear_stuck(const struct sn_model *model, const struct sn_operation *operations, size_t n,
                 const struct core_options *options, size_t *stuck, struct err *why);

/* Finds the core of a history that is known not to be linearizable, or not to be sequentially
 * consistent if the options ask for that. The history must stay where it is as long as the core is
 * used. 0; SN_EINVAL with a sentence if the history is legal, or is not known to be illegal within
 * the budget of the options; or SN_ENOMEM. core_done is due in any case. */
int linear_core(const struct sn_model *model, const struct sn_operation *operations, size_t n,
                const struct core_options *options, struct core *out, struct err *why);
void core_done(struct core *core);

/* An operation in words: "write(x, 1)", "read(x) = 1", "read() = ?" if its result is unknown. */
void core_print_operation(const struct sn_model *model, const struct sn_operation *op,
                          const struct core_words *words, struct sn_text *out);

/* One of the core: what was relaxed has no result. */
void core_print_member(const struct core *core, size_t index, const struct core_words *words,
                       struct sn_text *out);

/* Why a candidate cannot be next, as a clause: "its result would be 1". Nothing: it is not known.
 */
void core_print_reason(const struct core_candidate *candidate, const struct core_words *words,
                       struct sn_text *out);

/* The state after the longest order: "1", "x = 1, y = nil"; and that after its i-th operation,
 * nothing if it is not told. */
void core_print_state(const struct core *core, const struct core_words *words, struct sn_text *out);
void core_print_step(const struct core *core, size_t i, const struct core_words *words,
                     struct sn_text *out);

/* The core as lines of text, each beginning with `indent`. words may be NULL. */
void core_print(const struct core *core, const struct core_words *words, const char *indent,
                struct sn_text *out);

/* The core as one JSON object on one line: docs/linearizability.md. words may be NULL. */
void core_print_json(const struct core *core, const struct core_words *words, struct sn_text *out);

#endif
