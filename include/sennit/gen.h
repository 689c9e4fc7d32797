/* sennit/gen.h - values that a test does not choose: generators, properties, stateful commands.
 *
 * A property is a test whose run function draws values and asserts something about them:
 *
 *     static void sorting_keeps_the_length(void)
 *     {
 *         size_t n;
 *         int64_t *xs = sn_ints("xs", 0, 20, -100, 100, &n);
 *
 *         sn_assert(sort(xs, n) == n);
 *     }
 *
 *     static const struct sn_test tests[] = {SN_PROPERTY(sorting_keeps_the_length), {0}};
 *
 * What is drawn are decisions, as which operation runs next is: a failing trial is shrunk, written,
 * replayed and explained as any other, values and schedule together. Smaller decisions mean simpler
 * values everywhere, and 0 means the simplest one.
 *
 * Labels are string constants, or texts that outlive the trial. They name values in traces. A value
 * is known by who draws it, its label, how often that label was drawn before, and the scope
 * it is drawn in: each element of a list is a scope, so that an element which is left out leaves
 * the others as they are. docs/properties.md has all of it.
 *
 * The functions may be called wherever code of a test runs: in its run function, by machines and by
 * processes. Memory that they return lives until the trial ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_GEN_H
#define SENNIT_GEN_H

#include <sennit/machine.h>
#include <sennit/test.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Numbers -------------------------------------------------------------------------------- */

/* A number from min to max, both included; any that an int64_t can hold. The simplest is 0, or the
 * one nearest to it; of -n and n that is n. Small numbers, and those at the bounds and beside
 * powers of two, are drawn more often than others: for all equally often there is sn_choose.
 * Returns the number. */
int64_t sn_int(const char *label, int64_t min, int64_t max);

/* The same without a sign. Returns the number. */
uint64_t sn_uint(const char *label, uint64_t min, uint64_t max);

/* A number of things, from min to max, which is small most of the time, also if max is large.
 * Returns the number. */
size_t sn_size(const char *label, size_t min, size_t max);

/* True or false; false is simpler. Returns which. */
bool sn_bool(const char *label);

/* A finite number from min to max, which are finite, too. Whole numbers are simpler than others,
 * and among them those near 0. Returns the number. */
double sn_double(const char *label, double min, double max);

/* Any double at all: infinities, NaN, -0.0, subnormal numbers. Returns it. */
double sn_double_any(const char *label);

/* ---- Choices -------------------------------------------------------------------------------- */

/* One of n, each as likely as its weight; those of weight 0 are not drawn, though a person or a
 * systematic strategy may choose them. The first is the simplest. Returns its index. */
size_t sn_weighted(const char *label, const unsigned *weights, size_t n);

/* An element of an array; the first is the simplest. */
#define sn_one_of(label_, array_) ((array_)[sn_choose(label_, sizeof(array_) / sizeof(*(array_)))])

/* Puts the n elements of an array, of `size` bytes each, into another order; the simplest is the
 * one that they are in. */
void sn_shuffle(const char *label, void *array, size_t n, size_t size);

/* Says of n things whether each is in a subset; the simplest is empty. Returns how many are. */
size_t sn_subset(const char *label, bool *is_in, size_t n);

/* ---- Lists, texts, bytes -------------------------------------------------------------------- */

/* A list that is being drawn. */
struct sn_list {
    size_t n; /* elements so far, the present one included; after the last one, of the list */
    /* The rest is the library's. */
    const char *label_;
    uint64_t key_;
    size_t min_;
    size_t max_;
    size_t length_;
    uint32_t group_;
    uint32_t scope_;
};

/* Begins a list of min to max elements. Its length is small most of the time. Whatever is drawn
 * between two calls of sn_list_next belongs to an element; the shrinker leaves out elements
 * anywhere, and joins lists.
 *
 *     struct sn_list list = sn_list_begin("names", 0, 10);
 *
 *     while (sn_list_next(&list))
 *         names[list.n - 1] = sn_string("name", NULL, 1, 8);
 *
 * Returns the list. */
struct sn_list sn_list_begin(const char *label, size_t min, size_t max);

/* Ends the present element, if there is one. Returns whether there is another. */
bool sn_list_next(struct sn_list *list);

/* Ends a list before sn_list_next has returned false, as when a loop over it is left by break. */
void sn_list_end(struct sn_list *list);

/* A list of numbers. Returns them; *n is how many there are. */
int64_t *sn_ints(const char *label, size_t min_n, size_t max_n, int64_t min, int64_t max,
                 size_t *n);

/* A text of min to max characters of an alphabet, whose first character is the simplest; NULL: what
 * can be printed in ASCII, letters first. Returns it, with a zero at its end. */
char *sn_string(const char *label, const char *alphabet, size_t min, size_t max);

/* Bytes. Returns them; *n is how many there are. */
unsigned char *sn_bytes(const char *label, size_t min, size_t max, size_t *n);

/* ---- Recursive data ------------------------------------------------------------------------- */

/* How much more a recursive value may grow. */
struct sn_budget {
    size_t size;  /* so many more parts in all */
    size_t depth; /* so many more levels below the present one */
    /* The rest is the library's. */
    uint32_t scopes_[64];
    size_t n_;
};

/* Whether the value has another part here, in a scope of its own; the simplest answer is no, and it
 * is the only one when the budget is used up. At most 64 levels. Returns whether it has; then
 * sn_back is due when all of the part is drawn.
 *
 *     static struct tree *grow(struct sn_budget *budget)
 *     {
 *         struct tree *tree;
 *
 *         if (!sn_deeper("node", budget))
 *             return NULL;
 *         tree = sn_alloc(sizeof(*tree));
 *         tree->left = grow(budget);
 *         tree->right = grow(budget);
 *         sn_back(budget);
 *         return tree;
 *     }
 */
bool sn_deeper(const char *label, struct sn_budget *budget);

/* Ends the part that the last call of sn_deeper that returned true has begun. */
void sn_back(struct sn_budget *budget);

/* ---- Properties ----------------------------------------------------------------------------- */

/* A test of a property, for a table of tests: a function without arguments that draws and asserts.
 * It is a test as any other: who wants more of struct sn_test fills one in. */
#define SN_PROPERTY(function_)                                                                     \
    {                                                                                              \
        .name = #function_, .run = function_, .strategy = "random"                                 \
    }

/* The same of one that keeps its state in what sn_alloc gives, or has none: trials then start in
 * well under a microsecond (SN_WORLD_TRIAL). */
#define SN_PROPERTY_PURE(function_)                                                                \
    {                                                                                              \
        .name = #function_, .run = function_, .strategy = "random", .world = SN_WORLD_TRIAL        \
    }

/* Runs a property as a test of this name, from a program with its own main: with the options of a
 * run, or NULL. Returns 0 if no trial has failed and not every one was discarded, 1 otherwise, or
 * what sn_run returns if that is negative; *result, which may be NULL, says more. */
int sn_forall(const char *name, void (*property)(void), const struct sn_options *options,
              struct sn_result *result);

/* The values are of interest only if the condition holds: otherwise the trial ends here and proves
 * nothing. A run says how many were discarded, and has tested nothing if all were. */
#define sn_assume(cond_) ((cond_) ? (void)0 : sn_discard())

/* Ends the trial, which proves nothing. */
void sn_discard(void);

/* If the condition holds, the trial is one of those that have this name: the report of a run says
 * how many of the trials that were not discarded are. */
void sn_classify(bool condition, const char *name);

/* The trial has this value (as printf) in a table: the report of a run has a table with all values
 * and how many trials have each. A trial counts once for each, and for at most 8 names and values.
 */
void sn_collect(const char *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- Stateful commands ---------------------------------------------------------------------- */

/* Something that can be done with a system, and what a model says of it. The model is plain memory
 * that is copied by bytes. */
struct sn_command {
    const char *name;
    unsigned weight; /* how often it is drawn, next to the others; 0 means 1 */
    /* The precondition: whether it may be done now. Asked before arguments are drawn, with NULL for
     * them, and once more with them. NULL: always. */
    bool (*can)(const void *model, const void *args);
    void (*draw)(const void *model, void *args); /* draws arguments; NULL: it has none */
    void (*run)(void *system, unsigned client, const void *args, void *result); /* does it */
    /* The postcondition: whether the model, as it was before, allows the result. NULL: any. */
    bool (*holds)(const void *model, const void *args, const void *result);
    /* The next state of the model. NULL: the same. */
    void (*next)(void *model, const void *args, const void *result);
    void (*print)(struct sn_text *out, const void *args, const void *result); /* may be NULL */
};

struct sn_stateful {
    const struct sn_command *commands; /* ends with an entry without a name; at most 64 */
    size_t model_size;
    size_t args_size;          /* of the command with the most; zeroed before they are drawn */
    size_t result_size;        /* the same */
    void (*init)(void *model); /* its first state; NULL: zeroes */
    size_t max;                /* commands in a sequence, at most; 0 means 50 */
    unsigned clients;          /* that do them; 0 means 1, or 2 if they work in parallel */
    size_t parallel;           /* commands of each client then, at most; 0 means 4 */
    /* Each trial leaves out some of the commands, at random: swarm testing. What needs many of one
     * kind in a row is found by it, if another kind would undo it. */
    bool is_swarm;
};

/* Draws commands and does them, one after the other, each by one of the clients, as long as the
 * model allows it: a result that it does not allow fails the trial. Commands whose precondition
 * does not hold when it is their turn, because others were left out, are skipped. */
void sn_commands(const struct sn_stateful *stateful, void *system);

/* The same by a process (sennit/process.h), and then each client is a process that draws and does
 * commands of its own, under the scheduler. When all have ended, there must be an order of their
 * commands that the model allows, in which none comes before another that had returned when it was
 * called. Preconditions are asked of what a client knows: the commands before, and its own. Returns
 * at once: nothing has been done then. What it is given must outlive the trial, but for *stateful.
 * Clients together do at most 20 commands. */
void sn_commands_parallel(const struct sn_stateful *stateful, void *system);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
