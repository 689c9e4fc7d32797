/* fresh_reads.c - every operation sees those that ended before it began, as clients see it.
 *
 * A register counts its writes, and each operation returns the count that it has found or made. An
 * operation that begins after one with count n ended must return at least n, and a write more than
 * that. Two operations that return the same count have seen the same value. For writes of different
 * values, as here, that is what it takes for a register to be linearizable, but for values from
 * nowhere, which the other monitors exclude.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"
#include "machines.h"
#include "registers.h"

enum { VERSIONS_MAX = 256 };

struct monitor {
    uint32_t versions[REGISTERS];             /* the highest one that an operation has returned */
    uint32_t values[REGISTERS][VERSIONS_MAX]; /* that a version was returned with */
    uint32_t begun_versions[CLIENTS_MAX + 1]; /* of its register, when a client's operation began */
};

static void on_begun(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct operation *operation = payload;

    monitor->begun_versions[operation->client] = monitor->versions[operation->key];
}

static void on_ended(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct operation *operation = payload;
    uint32_t version = operation->version;
    uint32_t begun_version = monitor->begun_versions[operation->client];

    sn_assertf(version >= begun_version,
               "client %u sees version %u of register %u, but version %u was seen before it asked",
               operation->client, version, operation->key, begun_version);
    sn_assertf(operation->is_write == 0 || version > begun_version,
               "client %u writes version %u of register %u, which was seen before it asked",
               operation->client, version, operation->key);
    if (version > monitor->versions[operation->key])
        monitor->versions[operation->key] = version;
    if (version == 0 || version >= VERSIONS_MAX)
        return;

    uint32_t *value = &monitor->values[operation->key][version];

    sn_assertf(*value == 0 || *value == operation->value,
               "client %u sees %u as version %u of register %u, another one saw %u",
               operation->client, operation->value, version, operation->key, *value);
    *value = operation->value;
}

static const struct sn_on watching_on[] = {
    {.event = &begun_event, .run = on_begun},
    {.event = &ended_event, .run = on_ended},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine fresh_reads = {
    .name = "FreshReads",
    .size = sizeof(struct monitor),
    .start = &watching,
};
