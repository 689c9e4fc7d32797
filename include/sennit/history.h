/* sennit/history.h - histories of operations on a shared object, and whether they are linearizable.
 *
 * A history is a set of operations, each with the moments at which it was called and returned. It
 * is linearizable if the operations can be put into an order that the object, used by one client
 * alone, would allow, and in which each takes effect between its call and its return. What the
 * object would allow is said by a model: a small state and a function that takes one step.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_HISTORY_H
#define SENNIT_HISTORY_H

#include <sennit/machine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Histories ------------------------------------------------------------------------------ */

/* An argument or a result. Numbers stand for themselves. Readers of files give texts and nested
 * values a number of their own, above SN_VALUE_TEXTS; equal ones have equal numbers. */
typedef int64_t sn_value;

#define SN_VALUE_NIL INT64_MIN            /* nothing: no argument, no result, an empty queue */
#define SN_VALUE_TEXTS (INT64_C(1) << 62) /* a number of a text is at least this */
#define SN_TIME_NEVER UINT64_MAX          /* the return of an operation that is not known */

struct sn_operation {
    uint32_t process;     /* who called it */
    uint32_t function;    /* number in the model's table */
    sn_value key;         /* of an object that consists of independent ones; otherwise 0 */
    sn_value argument[2]; /* a compare-and-set has two; unused ones are SN_VALUE_NIL */
    sn_value result;      /* of a completed operation */
    uint64_t call;        /* where two times are equal, calls come before returns */
    uint64_t ret;         /* SN_TIME_NEVER: it may have taken effect at any time after its call, or
                           * never, and its result is not known. Operations that are known to have
                           * failed have no effect: leave them out */
    uint64_t line;        /* where it stands in a file; 0: nowhere */
};

/* ---- Models --------------------------------------------------------------------------------- */

enum sn_step {
    SN_STEP_REFUSED = 0, /* the object does not do this in this state, or not with this result */
    SN_STEP_TAKEN,
    SN_STEP_TAKEN_MORE, /* ... and there is another way: step is called again with choice + 1 */
};

/* None but SN_ROLE_SHOWS is ever refused, and each step has one outcome. */
enum sn_role {
    SN_ROLE_OTHER = 0,
    SN_ROLE_BEGINS,  /* leads to a state that is the same whatever was before */
    SN_ROLE_EXTENDS, /* leads to a state that tells which operation it was and the state before: no
                      * operation that is not like it and no other state leads there, and none
                      * begins with it */
    SN_ROLE_SHOWS,   /* is an observer, and if it has returned it is allowed in one state only */
};

struct sn_function {
    const char *name; /* as in files: "read", "cas" */
    bool is_observer; /* never writes into the state, not even if it is refused */
};

/* What the object allows. States are bytes; two states behave alike if and only if their bytes are
 * equal, unless the model says otherwise with equal and hash. */
struct sn_model {
    const char *name;
    const char *about;                   /* one line for --help */
    const struct sn_function *functions; /* ends with an entry without a name */
    size_t state_size; /* bytes that every state needs; may be 0 if room is given */

    /* Bytes that a state may need beside state_size, for any object of a history with these
     * operations. NULL: no more. */
    size_t (*room)(const struct sn_operation *operations, size_t n);

    /* The bytes of a state that are in use, state_size included; those behind them mean nothing.
     * NULL: all. */
    size_t (*used)(const void *state);

    /* The state at the beginning; it is zeroed. `initial` is SN_VALUE_NIL unless somebody says
     * otherwise. NULL: zeros. */
    void (*init)(void *state, sn_value initial);

    /* Performs an operation. If its ret is not SN_TIME_NEVER its result must be the one that the
     * object gives. What a refused step leaves in the state does not matter, except by observers.
     * Choice is 0 unless the step before said that there is more. Depends on the state and on the
     * function, the key, the arguments and the result, and on nothing else. */
    enum sn_step (*step)(void *state, const struct sn_operation *op, uint32_t choice);

    /* Whether two states behave alike, and a number that is the same if they do. Both NULL: by
     * their bytes. */
    bool (*equal)(const void *a, const void *b);
    uint64_t (*hash)(const void *state);

    /* Operations with different keys are about independent objects, each with a state of its own:
     * they are checked apart. False: the key is an argument like any other. */
    bool is_partitioned;

    /* Prints a state; NULL: as bytes. */
    void (*print)(const void *state, struct sn_text *out);

    /* Whether a completed operation never writes into the state because of its result, as a
     * compare-and-set that failed: it is then an observer too. NULL: that depends on the function
     * alone. Saying so makes checking faster, not different. */
    bool (*observes)(const struct sn_operation *op);

    /* Whether `later`, performed directly after `earlier`, leaves nothing of it in any state: that
     * `earlier` is never refused there, and that `later` then does and leads to what it would
     * without it, as a write does after a write. Neither is an observer. NULL: never. Saying so
     * makes checking faster, not different. */
    bool (*hides)(const struct sn_operation *earlier, const struct sn_operation *later);

    /* What an operation is to an object whose states tell how they came about, as a list does.
     * NULL, or SN_ROLE_OTHER: that is not said. Saying so makes checking faster, not different. */
    enum sn_role (*role)(const struct sn_operation *op);

    /* Whether operations that extend a state may turn it into the one that `look` shows, or it is
     * that one: whether a list begins with another. It may be true without need. NULL: always.
     * Saying so makes checking faster, not different. */
    bool (*leads)(const void *state, const struct sn_operation *look);
};

/* The models that are there. `value` is argument[0]; results in brackets; nil is SN_VALUE_NIL.
 *
 *   register        read [value], write value
 *   cas-register    the same; cas expected new [1 or nil: done; 0: it had another value]
 *   map             a cas-register for each key: read, write, cas; get and put; delete [nil]
 *   set             add, remove, contains value [1: changed or there; 0: not; nil: not told];
 *                   read [all of them: sn_set_value]
 *   counter         inc [nil], get [count]; add value, read are the same with an amount
 *   fetch-add       fetch-add amount (nil: 1) [count before it], read [count]
 *   queue           enqueue value, dequeue [value; nil: empty]
 *   priority-queue  the same; the smallest value leaves first
 *   stack           push value, pop [value; nil: empty]
 *   mutex           acquire, release [1 or nil: done; 0: it was taken, it was free]
 *   lease           acquire, renew, release owner [1 or nil: done; 0: somebody else has it]; expire
 *                   owner: it has it no more. The model knows no clock: record an expire whose
 *                   return is not known, called when the lease may begin to run out
 *   list            append value [its place or nil], get place [value; nil: none], size, read
 */
extern const struct sn_model sn_model_register;
extern const struct sn_model sn_model_cas_register;
extern const struct sn_model sn_model_map;
extern const struct sn_model sn_model_set;
extern const struct sn_model sn_model_counter;
extern const struct sn_model sn_model_fetch_add;
extern const struct sn_model sn_model_queue;
extern const struct sn_model sn_model_priority_queue;
extern const struct sn_model sn_model_stack;
extern const struct sn_model sn_model_mutex;
extern const struct sn_model sn_model_lease;
extern const struct sn_model sn_model_list;

/* The model of that name; NULL: there is none. */
const struct sn_model *sn_model_find(const char *name);

/* The i-th of them; NULL: there are fewer. */
const struct sn_model *sn_model_at(size_t i);

/* The value that stands for a whole list: the result of "read" in the model list. Equal lists have
 * equal values; different ones have different values but for one chance in 2^61. */
sn_value sn_list_value(const sn_value *values, size_t n);

/* The same for a whole set, in any order: the result of "read" in the model set. A value that is
 * there twice makes it one that no set has. */
sn_value sn_set_value(const sn_value *values, size_t n);

/* ---- Checking ------------------------------------------------------------------------------- */

enum sn_linear {
    SN_LINEAR_YES = 0,
    SN_LINEAR_NO,
    SN_LINEAR_UNKNOWN, /* not within the budget */
};

struct sn_check_options {
    sn_value initial; /* SN_VALUE_NIL is what a zeroed struct does not say: see has_initial */
    bool has_initial;
    bool is_sequential;    /* sequential consistency: real time between processes does not count */
    const char *algorithm; /* NULL: whatever fits; "search", or the name of a special one */
    uint64_t configurations; /* at most so many; 0: no limit */
    double seconds;          /* 0: no limit */
    uint64_t memory_mb;      /* 0: 4096 */
    uint32_t jobs;           /* processes that check objects apart; 0: one */

    /* What a whole list or set consists of that is the result of "read": *n values, of a set the
     * smallest first. NULL, or NULL returned: not known. Reads are checked all the same, but
     * finding out which operations they show, and in which order, may then take very long. */
    const sn_value *(*elements)(void *self, sn_value whole, size_t *n);
    void *self; /* for elements */
};

struct sn_check_result {
    enum sn_linear verdict;
    char algorithm[32];
    uint64_t operations; /* that were looked at */
    uint64_t partitions;
    uint64_t configurations; /* that the search visited */
    sn_value key;            /* of the object that is not linearizable */
    size_t stuck;            /* the operation, by its number, that could not be put in order */
    char why[512];           /* one line; "" if it is linearizable */
};

/* While a check is running, `configurations` and `stuck` say how far it is; they are written now
 * and then, so that a handler of a signal may look at them. */

/* Checks a history. Returns 0 with the verdict in result, or a negative SN_E* with a sentence in
 * result->why: an operation returns before it is called, or its function is none of the model's.
 * May be called from any program, outside of trials; takes no memory of the program. */
int sn_check_history(const struct sn_model *model, const struct sn_operation *operations, size_t n,
                     const struct sn_check_options *options, struct sn_check_result *result);

enum sn_explanation {
    SN_EXPLANATION_TEXT = 0, /* lines for people, as `sennit check` prints them */
    SN_EXPLANATION_JSON,     /* one object on one line: docs/linearizability.md */
};

/* Says why a history is not linearizable, or not sequentially consistent if the options ask for
 * that: a minimal core of it, the longest order of that which the model allows, and why nothing can
 * follow. Values, processes and times are told as numbers. Takes some thousand smaller checks, or
 * what the options allow for each. Returns the length of the text; or a negative SN_E*, with a
 * sentence in text: SN_EINVAL if the history is legal, or not known to be illegal within the budget
 * of the options, and SN_ENOMEM if the explanation does not fit into size bytes, the final 0
 * included. */
long sn_explain_history(const struct sn_model *model, const struct sn_operation *operations,
                        size_t n, const struct sn_check_options *options, enum sn_explanation form,
                        char *text, size_t size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
