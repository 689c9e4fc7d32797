/* events.c - what the machines of the harness say to each other. SPDX-License-Identifier: MIT */
#include "events.h"

static const char *const kind_names[] = {"?",     "PREPARE", "YES",   "NO", "COMMIT",
                                         "ABORT", "ACK",     "QUERY", NULL};
static const char *const outcome_names[] = {"?", "committed", "aborted", NULL};

static const struct sn_field message_fields[] = {
    SN_FIELD_ENUM(struct tpc_message, kind, kind_names),
    SN_FIELD(struct tpc_message, transaction, SN_UINT),
    SN_FIELD(struct tpc_message, from, SN_UINT),
    SN_FIELD(struct tpc_message, key, SN_UINT),
    {0},
};

static const struct sn_field begin_fields[] = {
    SN_FIELD(struct begin, key, SN_UINT),
    {0},
};

static const struct sn_field outcome_fields[] = {
    SN_FIELD(struct outcome, transaction, SN_UINT),
    SN_FIELD_ENUM(struct outcome, outcome, outcome_names),
    {0},
};

static const struct sn_field timeout_fields[] = {
    SN_FIELD(struct timeout, transaction, SN_UINT),
    {0},
};

static const struct sn_field vote_fields[] = {
    SN_FIELD(struct vote, transaction, SN_UINT),
    SN_FIELD(struct vote, site, SN_UINT),
    {0},
};

static const struct sn_field decision_fields[] = {
    SN_FIELD(struct decision, transaction, SN_UINT),
    SN_FIELD(struct decision, site, SN_UINT),
    SN_FIELD_ENUM(struct decision, outcome, outcome_names),
    {0},
};

static const struct sn_field recovery_fields[] = {
    SN_FIELD(struct recovery, site, SN_UINT),
    SN_FIELD(struct recovery, is_over, SN_BOOL),
    {0},
};

/* What tells messages of one type apart. */
static uint64_t message_key(const void *payload)
{
    const struct tpc_message *p = payload;

    return (uint64_t)p->transaction * 10 + p->kind;
}

static uint64_t begin_key(const void *payload)
{
    const struct begin *p = payload;

    return p->key;
}

static uint64_t outcome_key(const void *payload)
{
    const struct outcome *p = payload;

    return p->transaction;
}

static uint64_t timeout_key(const void *payload)
{
    const struct timeout *p = payload;

    return p->transaction;
}

const struct sn_event message_event = {
    .name = "Message",
    .size = sizeof(struct tpc_message),
    .fields = message_fields,
    .key = message_key,
};

const struct sn_event begin_event = {
    .name = "Begin",
    .size = sizeof(struct begin),
    .fields = begin_fields,
    .key = begin_key,
};

const struct sn_event outcome_event = {
    .name = "Outcome",
    .size = sizeof(struct outcome),
    .fields = outcome_fields,
    .key = outcome_key,
};

const struct sn_event timeout_event = {
    .name = "Timeout",
    .size = sizeof(struct timeout),
    .fields = timeout_fields,
    .key = timeout_key,
};

const struct sn_event boot_event = {.name = "Boot"};
const struct sn_event patience_event = {.name = "Patience"};

const struct sn_event vote_event = {
    .name = "VotedYes",
    .size = sizeof(struct vote),
    .fields = vote_fields,
};

const struct sn_event decision_event = {
    .name = "Decided",
    .size = sizeof(struct decision),
    .fields = decision_fields,
};

const struct sn_event recovery_event = {
    .name = "Recovery",
    .size = sizeof(struct recovery),
    .fields = recovery_fields,
};
