/* one_leader.c - at most one leader per term. SPDX-License-Identifier: MIT */
#include "oracle/seen.h"

#include <sennit/oracles.h>

static const struct sn_field leader_fields[] = {
    SN_FIELD(struct sn_leader, term, SN_UINT), SN_FIELD(struct sn_leader, who, SN_MACHINE), {0}};

const struct sn_event sn_became_leader = {
    .name = "BecameLeader", .size = sizeof(struct sn_leader), .fields = leader_fields};

static void on_leader(void *self, const void *payload)
{
    struct seen *leaders = self;
    const struct sn_leader *leader = payload;
    const struct seen_entry *before = seen_find(leaders, leader->term, 0);

    if (before == NULL)
        seen_add(leaders, (struct seen_entry){.key = {leader->term, 0}, .who = leader->who});
    else
        sn_assertf(before->who == leader->who, "%s and %s are both leader of term %llu",
                   sn_name(before->who), sn_name(leader->who), (unsigned long long)leader->term);
}

static const struct sn_state watching = {
    .name = "Watching",
    .on = (const struct sn_on[]){{.event = &sn_became_leader, .run = on_leader}, {0}},
};

const struct sn_machine sn_one_leader = {
    .name = "OneLeader", .size = sizeof(struct seen), .start = &watching};
