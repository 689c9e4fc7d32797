/* client.h - a program that records events and performs them as it is told: docs/protocol.md.
 *
 * What it says is checked here; what it means is decided elsewhere. SPDX-License-Identifier: MIT
 */
#ifndef REMOTE_CLIENT_H
#define REMOTE_CLIENT_H

#include "events/checks.h"
#include "remote/channel.h"

#include <stdbool.h>
#include <stdint.h>

enum { CLIENT_VERSION = 1 };

struct client_options {
    const char *command; /* NULL: descriptors are given */
    int in;
    int out;
    int timeout_ms; /* for one event */
    uint64_t random;
    uint64_t time_ms;
    bool is_greeted; /* somebody has done that before us: only the recording is asked for */
    const struct outcome *recorded; /* of one that cannot go back: it is told what was returned */
};

/* How an interleaving came out. Texts are JSON, owned by the client, and stay valid. */
struct client_outcome {
    struct outcome seen;
    const char *failed; /* the message of an assertion; NULL: none failed */
    const char *at;     /* where; NULL: not known */
};

/* What went wrong with the program itself. */
enum client_trouble {
    CLIENT_OK = 0,
    CLIENT_ENDED,    /* it is not there any more */
    CLIENT_SILENT,   /* it does not answer in time */
    CLIENT_NONSENSE, /* it does not keep to the protocol */
    CLIENT_REFUSED,  /* it says that it cannot */
};

struct client;

/* Starts or greets a program and takes its recording, which must be the one that was recorded
 * before; NULL: none was. Returns CLIENT_OK, or what went wrong with a sentence. */
enum client_trouble client_open(struct client **out, const struct client_options *options,
                                const struct recording *before, struct err *why);
void client_close(struct client *c);

/* Tells the program that it is over, ends it, and keeps what it has told. */
void client_send_away(struct client *c);

/* The same without a word. */
void client_stop(struct client *c);

/* Forgets a program that another process has started: it goes on. */
void client_abandon(struct client *c);

const struct recording *client_recording(const struct client *c);
/* As it came out when it was recorded. */
const struct outcome *client_recorded(const struct client *c);
bool client_can_restore(const struct client *c);

/* An interleaving, which may be incomplete or have events several times. */
struct client_order {
    const uint8_t *events;
    uint32_t n;
};

/* Has it run interleavings; outcomes[i] is how the i-th came out. Without `checks` the test's own
 * assertions are left out. */
enum client_trouble client_run(struct client *c, const struct client_order *orders, uint32_t n,
                               bool checks, const struct client_outcome **outcomes,
                               struct err *why);

/* The same step by step. */
enum client_trouble client_begin(struct client *c, struct err *why);
/* `result` is JSON; `states` may be NULL, or gets one text for each replica, or NULL. All are valid
 * until the next call. */
enum client_trouble client_event(struct client *c, uint32_t event, const char **result,
                                 const char **states, struct err *why);
/* `failed` and `at` as in struct client_outcome, valid until the next call. */
enum client_trouble client_end(struct client *c, const char **failed, const char **at,
                               struct err *why);

/* Tells it that it is over. `summary` is a JSON object; NULL: none. */
void client_dismiss(struct client *c, const char *summary);

/* Reads the recording of a file: a line as a client would send it. 0, SN_EIO or SN_EFORMAT. The
 * outcome's texts are kept in *client, which the caller closes. */
int client_read_file(struct client **out, const char *path, struct err *why);

#endif
