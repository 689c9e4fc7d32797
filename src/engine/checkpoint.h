/* checkpoint.h - a stack of saved moments of a trial, so that a search can return to one.
 *
 * A checkpoint holds the trial's own state (copied here) and, when the world is in use, a mark of
 * the program's memory. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_CHECKPOINT_H
#define ENGINE_CHECKPOINT_H

#include "engine/trial.h"
#include "engine/world/world.h"

struct checkpoints;

/* world may be NULL: only the trial's own state is saved then. */
int checkpoints_new(struct checkpoints **out, struct world *world, struct err *why);
void checkpoints_free(struct checkpoints *c);

/* Saves the present. Negative, with a sentence, when it cannot be saved; nothing is changed then,
 * and returning to this point means running more steps again. */
int checkpoint_push(struct checkpoints *c, const struct trial *t, struct err *why);

/* Returns to the deepest checkpoint at or before this decision; later ones are forgotten. The
 * bottom one always qualifies. */
void checkpoint_return(struct checkpoints *c, struct trial *t, uint64_t decision);

uint32_t checkpoint_count(const struct checkpoints *c);

/* How much of the trial's own state the last one holds. */
size_t checkpoint_bytes(const struct checkpoints *c);

/* Forgets all but the n lowest. */
void checkpoint_keep(struct checkpoints *c, uint32_t n);

#endif
