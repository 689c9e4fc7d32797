/* observation.h - observations of synchronisers that somebody else recorded, as JSON Lines.
 *
 *   {"model":"sync","nodes":2,"rules":"fixed"}               may be first; both members are
 * optional
 *   {"op":"read","node":1,"file":"a","value":"x"}
 *   {"op":"write","node":1,"file":"a","value":"y","old":"x"}
 *   {"op":"delete","node":1,"file":"a","old":"y"}            a write of null
 *   {"op":"stabilize","file":"a","value":"x","conflicts":["y"]}
 *   {"op":"stabilize","file":"a","nodes":[{"value":"x","conflicts":[]},{"value":"y"}]}
 *
 * Values are strings, integers, null where there is no file, or {"directory":true}. "file" may be
 * left out if there is one; "time" and "note" are skipped, and other members refused.
 * SPDX-License-Identifier: MIT
 */
#ifndef SYNC_OBSERVATION_H
#define SYNC_OBSERVATION_H

#include "base/arena.h"
#include "base/err.h"

#include <sennit/sync.h>

struct observation {
    struct arena arena;
    struct arena scratch; /* of one line */
    const char *name;     /* of the file; borrowed */
    struct sn_sync_event *events;
    uint64_t *lines;  /* where the events stand */
    uint32_t *n_seen; /* of a STABILIZE: how many nodes it names; 0: all have the same */
    size_t n;
    size_t room;
    struct sn_sync_names names;
    const char *contents[SN_SYNC_VALUES_MAX + 1]; /* whole, as they stand there */
    uint32_t n_values;                            /* 0 included */
    uint32_t n_files;
    uint32_t n_nodes; /* that it is known to have, from the first line or whoever reads; 0: not */
    uint32_t nodes_seen; /* the largest number that is mentioned */
    const char *rules;   /* of the first line; NULL: none */
    bool has_begun;
};

/* An empty one that may take so many bytes. Borrows the name. */
void observation_init(struct observation *observation, const char *name, size_t memory_max);
void observation_done(struct observation *observation);

/* Adds a line. 0; SN_EFORMAT if it is malformed; SN_ENOMEM if there is too much of something. With
 * «name:line: cause». */
int observation_line(struct observation *observation, const char *text, size_t n, uint64_t line,
                     struct err *why);

/* Call it after the last line: sees to it that the number of nodes is known. 0, or as above. */
int observation_end(struct observation *observation, struct err *why);

#endif
