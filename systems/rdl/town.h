/* town.h - an application by which residents report what needs fixing in their town.
 *
 * Each resident has a replica of the set of problems. Who sees one reports it; who sees that one
 * has been fixed resolves it; the others hear of both. When the residents have finished, one of
 * them transmits the set to the municipality. He waits until he has heard from all others that they
 * have finished, and what they know: replicas that will come to the same state are not yet there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RDL_TOWN_H
#define RDL_TOWN_H

#include "or_set.h"

enum { TOWN_REPORT_MAX = 256 };

struct town_config {
    uint32_t resident; /* from 0, below residents */
    uint32_t residents;

    /* Wrong: an update that is heard of is done again here, instead of being merged. */
    bool hears_raw;
    /* Wrong: transmits without asking whether the others have finished. */
    bool transmits_alone;
};

/* The application of one resident. */
struct town {
    struct or_set problems;
    struct town_config config;
    uint32_t finished;                 /* a bit for each resident who is known to have finished */
    char transmitted[TOWN_REPORT_MAX]; /* the last report, a sorted array of JSON; "": none */
};

void town_init(struct town *app, const struct town_config *config);
void town_done(struct town *app);

/* Both return what the others have to hear, to be freed with or_set_message_free. To resolve a
 * problem that is not known here does nothing and returns NULL. */
struct or_set_message *town_report(struct town *app, const char *problem);
struct or_set_message *town_resolve(struct town *app, const char *problem);

/* Takes in what another resident has reported or resolved. NULL: nothing. */
void town_hear(struct town *app, const struct or_set_message *message);

/* Finishes: returns what the one who will transmit has to hear, to be freed with
 * or_set_message_free. */
struct or_set_message *town_finish(struct town *app);
void town_hear_finish(struct town *app, const struct or_set_message *message);

/* Transmits the set of problems. Returns what was sent, as an array of JSON, owned by the
 * application; NULL: nothing, because somebody has not finished. */
const char *town_transmit(struct town *app);

/* Writes the problems that are known here as or_set_print does. */
size_t town_print(const struct town *app, char *out, size_t size);

#endif
