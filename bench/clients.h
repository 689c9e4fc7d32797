/* clients.h - histories of clients that use an object all the time, for benchmarks.
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_CLIENTS_H
#define BENCH_CLIENTS_H

#include <sennit/history.h>

enum { CLIENTS_MAX = 64, CLIENTS_KEYS_MAX = 1024 };

/* What the clients use: a model, and what it does, which makes the histories. */
enum clients_object {
    CLIENTS_REGISTER, /* model cas-register: read, write, cas of few values */
    CLIENTS_DISTINCT, /* model register: read, write of distinct values */
    CLIENTS_MAP,      /* model map: get, put of few values */
    CLIENTS_STORE,    /* get, put and append of texts; a text is known by its hash */
};

struct clients {
    enum clients_object object;
    bool is_whole; /* the model of the store does not say that its keys are independent */
    uint32_t n_clients;
    uint32_t n_keys;
    size_t n;         /* operations */
    size_t n_unknown; /* so many of them, spread evenly */
    bool is_stale;    /* one read, late, finds an old value that it must not find */
    /* A server performs one operation after the other and answers at once, nearly always, and some
     * clients get through more often than others, as with stores behind a lock. False: when an
     * operation takes effect and when it returns have nothing to do with each other. */
    bool is_served;
    uint64_t seed;
};

const struct sn_model *clients_model(const struct clients *clients);

/* Fills an array of n operations. */
void clients_run(const struct clients *clients, struct sn_operation *operations);

#endif
