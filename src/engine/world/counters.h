/* counters.h - what coverage instrumentation counts in a process that ends without reporting it.
 *
 * gcc's and clang's counters lie in the program's memory and are written to files when the program
 * exits. A worker does not exit, it just ends; so it leaves its counts to its parent, which adds
 * them to its own. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_WORLD_COUNTERS_H
#define ENGINE_WORLD_COUNTERS_H

#include "engine/world/spans.h"

/* The counters of this program, if it has any; zeroed is none. */
struct counters {
    struct spans spans;
    size_t bytes; /* of all of them */
};

/* Finds them. A program whose counters cannot be found has none. */
void counters_open(struct counters *c);
void counters_close(struct counters *c);

/* Copies the counts to a place of c->bytes bytes. */
void counters_copy(const struct counters *c, unsigned char *to);

/* Makes the counts what they were when they were copied. */
void counters_return(const struct counters *c, const unsigned char *from);

/* Adds by how much the counts of another process grew from `before` to `after`. */
void counters_add(const struct counters *c, const unsigned char *before,
                  const unsigned char *after);

#endif
