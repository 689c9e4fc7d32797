/* sennit/conjecture.h - judges what was observed of a system whose inside cannot be seen.
 *
 * A system that one can only poke from outside does things in between that nobody sees: it uploads,
 * delivers, forgets. A model says what the system is (a small state), which events can be observed
 * of it, and which hidden ones may happen at any time. What was observed is accepted if hidden
 * events can be put between the observed ones so that the model allows the whole: that is an
 * explanation. The oracle does not look for one explanation after the other. It follows the set of
 * all states that are possible, closed under hidden events; when an event is possible in none of
 * them, nothing explains what was observed. docs/conjecture.md shows it in use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_CONJECTURE_H
#define SENNIT_CONJECTURE_H

#include <sennit/machine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Models --------------------------------------------------------------------------------- */

/* A kind of event that can be observed. `event` is what the caller gives with each of them: what
 * was read, who did it. */
struct sn_observed {
    const char *name;

    /* Whether it can be observed in this state. NULL: always. */
    bool (*is_possible)(const void *self, const void *state, const void *event);

    /* What it does to the state. NULL: nothing. */
    void (*effect)(const void *self, void *state, const void *event);

    /* Says in half a sentence why it is not possible in a state. NULL: nobody knows. */
    void (*why_not)(const void *self, const void *state, const void *event, struct sn_text *out);
};

/* A kind of event that nobody sees. Variants are numbers from 0: the node that does it, and the
 * outcome if there are several. */
struct sn_hidden {
    const char *name;
    uint32_t (*variants)(const void *self); /* how many there are; NULL: one */
    bool (*is_possible)(const void *self, const void *state, uint32_t variant);
    void (*effect)(const void *self, void *state, uint32_t variant);
};

/* States are bytes, and two states are the same if and only if their bytes are: padding must be
 * zero, and what makes no difference must not be there. All functions depend on their arguments
 * alone and do not call the library, except to print. */
struct sn_conjecture_model {
    const char *name;
    size_t state_size;
    const struct sn_observed *observed;          /* ends with an entry without a name */
    const struct sn_hidden *hidden;              /* the same */
    void (*init)(const void *self, void *state); /* `state` is zeroed; NULL: that will do */
    void (*print)(const void *self, const void *state, struct sn_text *out); /* NULL: as bytes */
};

/* ---- Judging -------------------------------------------------------------------------------- */

enum sn_conjectured {
    SN_CONJECTURED_YES = 0, /* there is an explanation */
    SN_CONJECTURED_NO,
    SN_CONJECTURED_UNKNOWN, /* not within the limits */
};

struct sn_conjecture_options {
    /* Independent parts, each with a state as the model describes it, such as files; 0: one. An
     * event belongs to one of them, and a set of states is kept for each. */
    uint32_t parts;
    bool is_joint;     /* keeps one set of states of all parts together: slower, the same verdict */
    bool is_explained; /* keeps what sn_conjecture_explanation needs */
    uint64_t states;   /* at most so many at a time; 0: no limit but 2^32 */
    uint64_t memory_mb; /* 0: 1024 */
    void *memory;       /* takes no other memory than this, aligned to 16: from sn_alloc in a trial
                         * that may be put back to an earlier step. NULL: mappings of its own, which
                         * must be released before the trial ends */
    size_t memory_size; /* of `memory` */
};

/* What was observed so far, and what is possible now. */
struct sn_conjecture;

/* Begins with nothing observed. Keeps `model` and `self`, which is given to the functions of the
 * model. NULL for options: zeros. Returns NULL if there is no memory for a single state, or if
 * `options` make no sense. */
struct sn_conjecture *sn_conjecture_new(const struct sn_conjecture_model *model, const void *self,
                                        const struct sn_conjecture_options *options);

/* Gives back all memory. NULL is fine. */
void sn_conjecture_free(struct sn_conjecture *conjecture);

/* Adds an event: `observed` is its number in the model's table. Returns whether all events so far
 * can be explained. If not, they are left as they were before it, and so they stay. */
enum sn_conjectured sn_conjecture_feed(struct sn_conjecture *conjecture, uint32_t part,
                                       uint32_t observed, const void *event);

/* Returns what sn_conjecture_feed would return, and adds nothing. SN_CONJECTURED_UNKNOWN does not
 * end anything here. */
enum sn_conjectured sn_conjecture_would(struct sn_conjecture *conjecture, uint32_t part,
                                        uint32_t observed, const void *event);

/* Returns how many states a part may be in now, hidden events included; 0 if that is not known
 * within the limits. With is_joint, of all parts together. */
size_t sn_conjecture_possible(struct sn_conjecture *conjecture, uint32_t part);

/* Returns the i-th of these states, in a fixed order; valid until the next call with this
 * conjecture. With is_joint, the part's piece of it. */
const void *sn_conjecture_state(struct sn_conjecture *conjecture, uint32_t part, size_t i);

/* Writes the i-th of these states and why it refuses an event, on two lines; "" as the second if
 * it does not. Returns the length of the text, which is cut to what fits. */
size_t sn_conjecture_refusal(struct sn_conjecture *conjecture, uint32_t part, size_t i,
                             uint32_t observed, const void *event, char *text, size_t size);

/* A hidden event of an explanation. */
struct sn_conjectured_event {
    size_t before; /* the number, from 0, of the observed event that it comes before */
    uint32_t part;
    uint32_t hidden; /* number in the model's table */
    uint32_t variant;
};

/* Writes the hidden events of an explanation of all events that were accepted, in order, up to
 * `max` of them; returns how many there are, or a negative SN_E*: SN_EINVAL if nothing was kept
 * for it. No explanation has fewer. Of those that have as few it is the one whose hidden events
 * come late: as many as can be before the last event, then before the one before it, and so on;
 * among equals the order of the model's table decides. */
long sn_conjecture_explanation(const struct sn_conjecture *conjecture,
                               struct sn_conjectured_event *events, size_t max);

struct sn_conjecture_figures {
    size_t explained;       /* events that were accepted */
    uint64_t hidden;        /* hidden events of a shortest explanation of these */
    uint64_t states;        /* different ones that were ever possible, of all parts; one that was
                             * forgotten for want of room is counted again */
    uint64_t closures;      /* sets that were closed under hidden events */
    uint64_t closed_states; /* states in these sets, together: each was followed along all hidden
                             * events that are possible in it */
    uint64_t hidden_steps;  /* along which they were followed */
    size_t set_max;         /* states of the largest closed set */
    double set_mean;
    size_t memory_bytes; /* taken now */
};

/* How much was followed so far. */
/* Says how much was followed so far. */
void sn_conjecture_measure(const struct sn_conjecture *conjecture,
                           struct sn_conjecture_figures *figures);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
