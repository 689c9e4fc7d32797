/* store.h - a campaign of recorded events in an SQLite database: docs/events.md has the schema.
 *
 * What is kept of an interleaving is written together with all others of its batch, or not at all,
 * so a campaign whose process is killed goes on behind the last one that is there.
 * SPDX-License-Identifier: MIT
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "events/recording.h"

struct store;

/* What a campaign is about: another one cannot go on with its database. */
struct store_campaign {
    const struct recording *recording;
    const char *program; /* what performs the events */
    const char *rules;   /* how orders are chosen and judged, in words */
};

/* How an interleaving came out. Texts are JSON but for the last three; NULL: none. */
struct store_outcome {
    const char *const *results; /* one for each event */
    const char *const *states;  /* one for each replica */
    const char *oracle;         /* that found something wrong; NULL: none has */
    const char *message;
    const char *at;
};

/* Opens or makes a database. 0; SN_EIO, or SN_EINVAL if it is of another campaign. */
int store_open(struct store **out, const char *path, const struct store_campaign *campaign,
               struct err *why);
void store_close(struct store *s);

/* What is added in between is there wholly or not at all. 0 or SN_EIO. */
int store_begin(struct store *s, struct err *why);
int store_commit(struct store *s, struct err *why);

/* Adds an interleaving that is not there yet. */
int store_add(struct store *s, const uint8_t *order, uint32_t n, const struct store_outcome *how,
              struct err *why);

/* The largest interleaving there is. False: there is none. */
bool store_last(struct store *s, uint8_t *order, uint32_t n);

/* Notes a file of constraints, taken or refused (with the reason), unless it is there. */
int store_constraint(struct store *s, const char *name, const char *text, const char *refused,
                     struct err *why);

/* Notes that every interleaving was run. */
int store_finish(struct store *s, struct err *why);

struct store_counts {
    uint64_t interleavings;
    uint64_t failed;
    uint64_t outcomes;
    bool is_finished;
};

int store_count(struct store *s, struct store_counts *counts, struct err *why);

#endif
