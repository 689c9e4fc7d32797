/* window.h - the operations of an object, sorted for the search: which of them are open when the
 * k-th one returns.
 *
 * Completed operations are known by their rank, the order in which they return. Each has a slot, a
 * number that no other completed operation has while it is open, so that a set of open operations
 * is a few bits. Operations that are not known to have returned have bits of their own: alike ones
 * stand side by side in the order of their calls and are used in that order.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_WINDOW_H
#define LINEAR_WINDOW_H

#include "linear/object.h"

struct window_op {
    const struct sn_operation *op;
    uint32_t called;    /* how many completed ones are called before this one returns */
    uint32_t slot : 30; /* of its kind: those that may be hidden have slots of their own */
    uint32_t is_observer : 1;
    uint32_t is_hidable : 1; /* others may hide it, see sn_model */
    uint32_t likeness;       /* the same for operations that are alike, and rarely for others */
};

/* Operations that are not known to have returned, and are alike. */
struct window_class {
    uint32_t first;
    uint32_t n;
};

struct window {
    uint32_t n; /* completed operations */
    struct window_op *ops;
    uint32_t *by_call;  /* ranks in the order of calls */
    uint32_t n_open;    /* at most at a time */
    uint32_t n_slots;   /* of operations that are not hidable */
    uint32_t n_hidable; /* slots of those that are */
    uint32_t n_unknown;
    const struct sn_operation **unknown;
    uint32_t n_classes;
    struct window_class *classes;
};

/* Whether two completed operations are the same but for when and by whom. */
bool window_is_alike(const struct window *window, uint32_t a, uint32_t b);

/* Whether the earlier of two operations could as well be left out if the later one follows. */
static inline bool window_hides(const struct object *object, const struct sn_operation *earlier,
                                const struct sn_operation *later)
{
    return object->model->hides != NULL && object->model->hides(earlier, later);
}

/* Returns 0 or SN_ENOMEM. Lives in the object's pool. */
int window_init(struct window *window, const struct object *object);

#endif
