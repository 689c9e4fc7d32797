/* agreement.c - nobody decides differently about one place of a log. SPDX-License-Identifier: MIT
 */
#include "oracle/seen.h"

#include <sennit/oracles.h>

static const struct sn_field decision_fields[] = {SN_FIELD(struct sn_decision, index, SN_UINT),
                                                  SN_FIELD(struct sn_decision, value, SN_UINT),
                                                  SN_FIELD(struct sn_decision, who, SN_MACHINE),
                                                  {0}};

const struct sn_event sn_decided = {
    .name = "Decided", .size = sizeof(struct sn_decision), .fields = decision_fields};

static void on_decided(void *self, const void *payload)
{
    struct seen *decisions = self;
    const struct sn_decision *d = payload;
    const struct seen_entry *before = seen_find(decisions, d->index, 0);

    if (before == NULL)
        seen_add(decisions,
                 (struct seen_entry){.key = {d->index, 0}, .value = d->value, .who = d->who});
    else
        sn_assertf(before->value == d->value,
                   "%s decides %llu at place %llu, where %s has decided %llu", sn_name(d->who),
                   (unsigned long long)d->value, (unsigned long long)d->index, sn_name(before->who),
                   (unsigned long long)before->value);
}

static const struct sn_state watching = {
    .name = "Watching",
    .on = (const struct sn_on[]){{.event = &sn_decided, .run = on_decided}, {0}},
};

const struct sn_machine sn_agreement = {
    .name = "Agreement", .size = sizeof(struct seen), .start = &watching};
