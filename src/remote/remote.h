/* remote.h - events that another program performs, as operations of trials of this one.
 *
 * A trial decides the order; when it has, the program is asked to run it. The strategy `events`
 * knows what comes next, so many interleavings are run with one question.
 * SPDX-License-Identifier: MIT
 */
#ifndef REMOTE_REMOTE_H
#define REMOTE_REMOTE_H

#include "events/events.h"
#include "remote/client.h"
#include "remote/rule_files.h"
#include "store/store.h"

enum { REMOTE_BATCH_MAX = 1024 };

/* An interleaving that was run ahead of its trial. */
struct remote_run {
    uint8_t order[RECORDING_EVENTS_MAX];
    const struct client_outcome *outcome;
};

struct remote {
    struct client_options options;
    struct recording recording; /* as the first client told it */
    struct client *first;       /* its client, which has the texts of ... */
    const struct outcome *recorded;
    uint32_t expect;
    struct rule_files files; /* without a directory: there are none */
    const char *emit;        /* a file that gets a failing interleaving; NULL: none does */
    bool infers;             /* what commutes is found out by trying */
    int complaints;          /* a descriptor for what people should know at once */
    uint32_t batch_max;
    const char *store_path; /* NULL: nothing is kept */
    struct store_campaign campaign;
    struct store *store; /* of this process */

    struct client *client; /* of this process; NULL: none is open */
    struct client *judged; /* whose outcome is looked at: it has its texts */
    int owner;             /* the process that opened it */
    bool is_used;          /* it has run something, and cannot go back */
    uint32_t batch;        /* how many are asked for together at present */
    uint32_t careful;      /* so many trials are asked for one by one */
    bool is_walking;       /* the present trial is part of a walk over all interleavings */
    bool is_end;           /* nothing comes behind what is run at present */
    bool is_kept;          /* the present trial is in the store already */
    uint32_t n_runs;
    uint32_t next_run;
    struct remote_run runs[REMOTE_BATCH_MAX];
};

extern const struct events_host remote_host;

/* Fills in what the options say, with a client that has recorded; the engine knows of it from then
 * on. 0, or SN_E* with a sentence. */
int remote_attach(struct remote *r, const struct rules *rules, struct err *why);

#endif
