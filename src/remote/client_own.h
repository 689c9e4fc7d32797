/* client_own.h - what the parts of a client share: client.c asks, client_read.c understands.
 * SPDX-License-Identifier: MIT
 */
#ifndef REMOTE_CLIENT_OWN_H
#define REMOTE_CLIENT_OWN_H

#include "remote/client.h"

#include <jansson.h>

struct client_known {
    struct client_outcome *outcome; /* NULL: this place is free */
    uint32_t number;
};

struct client {
    struct client_options options;
    struct channel channel;
    struct recording recording;
    struct outcome recorded;
    bool can_restore;
    int asker;      /* the process that has asked last: others have not heard of its outcomes */
    uint64_t id;    /* of the last question */
    json_t *answer; /* to it: what was handed out is part of it, or of `texts` */
    struct client_known *known; /* outcomes by their numbers */
    uint32_t n_places;          /* a power of two */
    uint32_t n_known;
    char **texts; /* all that stay valid */
    size_t n_texts;
    size_t texts_max;
};

/* A text that stays valid as long as the client; NULL if there is no memory. Takes `text`. */
const char *client_keep(struct client *c, char *text);

/* JSON that is equal for equal values. NULL if there is no memory. */
char *client_dump(const json_t *value);

/* Understands a line: an object. */
enum client_trouble client_parse(const struct client *c, const char *line, size_t n, json_t **out,
                                 struct err *why);

/* Understands what follows "recording". */
enum client_trouble client_read_recording(struct client *c, const json_t *value, struct err *why);

/* Understands the answer to `run`: fills in n outcomes. */
enum client_trouble client_read_outcomes(struct client *c, const json_t *answer,
                                         const struct client_outcome **outcomes, uint32_t n,
                                         struct err *why);

/* Fills in a text for each replica, or NULL. */
enum client_trouble client_read_states(struct client *c, const json_t *states, const char **out,
                                       struct err *why);

/* Complains of the line that was read last. */
enum client_trouble client_nonsense(const struct client *c, struct err *why, const char *format,
                                    ...) __attribute__((format(printf, 3, 4)));

#endif
