/* monotone_reads.c - a client never reads an older version than before.
 * SPDX-License-Identifier: MIT
 */
#include "oracle/seen.h"

#include <sennit/oracles.h>

static const struct sn_field version_fields[] = {SN_FIELD(struct sn_version, client, SN_MACHINE),
                                                 SN_FIELD(struct sn_version, key, SN_UINT),
                                                 SN_FIELD(struct sn_version, version, SN_UINT),
                                                 {0}};

const struct sn_event sn_read = {
    .name = "Read", .size = sizeof(struct sn_version), .fields = version_fields};

static void on_read(void *self, const void *payload)
{
    struct seen *versions = self;
    const struct sn_version *v = payload;
    struct seen_entry *before = seen_find(versions, v->client, v->key);

    if (before == NULL) {
        seen_add(versions, (struct seen_entry){.key = {v->client, v->key}, .value = v->version});
        return;
    }
    sn_assertf(v->version >= before->value,
               "%s reads version %llu of key %llu, but has read version %llu before",
               sn_name(v->client), (unsigned long long)v->version, (unsigned long long)v->key,
               (unsigned long long)before->value);
    before->value = v->version;
}

static const struct sn_state watching = {
    .name = "Watching",
    .on = (const struct sn_on[]){{.event = &sn_read, .run = on_read}, {0}},
};

const struct sn_machine sn_monotone_reads = {
    .name = "MonotoneReads", .size = sizeof(struct seen), .start = &watching};
