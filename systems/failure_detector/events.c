/* events.c - what the machines of the harness say to each other. SPDX-License-Identifier: MIT */
#include "events.h"

static const char *const kind_names[] = {"?", "PING", "PONG", "JOIN", "JOINED", NULL};

static const struct sn_field message_fields[] = {
    SN_FIELD_ENUM(struct fd_message, kind, kind_names),
    SN_FIELD(struct fd_message, from, SN_UINT),
    SN_FIELD(struct fd_message, incarnation, SN_UINT),
    SN_FIELD(struct fd_message, round, SN_HEX),
    {0},
};

static const struct sn_field notice_fields[] = {
    SN_FIELD(struct notice, node, SN_UINT),
    SN_FIELD(struct notice, peer, SN_UINT),
    {0},
};

static const struct sn_field suspicion_fields[] = {
    SN_FIELD(struct suspicion, node, SN_UINT),
    SN_FIELD(struct suspicion, peer, SN_UINT),
    SN_FIELD(struct suspicion, waited_ms, SN_UINT),
    SN_FIELD(struct suspicion, timeout_ms, SN_UINT),
    {0},
};

static const struct sn_field view_fields[] = {
    SN_FIELD(struct view, node, SN_UINT),
    SN_FIELD(struct view, incarnation, SN_UINT),
    SN_FIELD(struct view, leader, SN_UINT),
    SN_FIELD(struct view, joined, SN_UINT),
    SN_FIELD_ARRAY(struct view, alive, SN_UINT),
    SN_FIELD_ARRAY(struct view, members, SN_UINT),
    {0},
};

/* What tells messages of one type apart. */
static uint64_t message_key(const void *payload)
{
    const struct fd_message *p = payload;

    return p->kind;
}

const struct sn_event message_event = {
    .name = "Message",
    .size = sizeof(struct fd_message),
    .fields = message_fields,
    .key = message_key,
};

const struct sn_event slow_event = {
    .name = "Slow",
    .size = sizeof(struct fd_message),
    .fields = message_fields,
    .key = message_key,
};

const struct sn_event pause_event = {.name = "Pause"};
const struct sn_event answers_event = {.name = "Answers"};
const struct sn_event boot_event = {.name = "Boot"};

const struct sn_event born_event = {
    .name = "Born",
    .size = sizeof(struct notice),
    .fields = notice_fields,
};

const struct sn_event round_event = {
    .name = "Round",
    .size = sizeof(struct notice),
    .fields = notice_fields,
};

const struct sn_event answer_event = {
    .name = "Answer",
    .size = sizeof(struct notice),
    .fields = notice_fields,
};

const struct sn_event suspicion_event = {
    .name = "Suspicion",
    .size = sizeof(struct suspicion),
    .fields = suspicion_fields,
};

const struct sn_event view_event = {
    .name = "View",
    .size = sizeof(struct view),
    .fields = view_fields,
};
