/* events.c - what the machines of the harness say to each other. SPDX-License-Identifier: MIT */
#include "events.h"

static const char *const request_names[] = {"?", "update", "query", NULL};
static const char *const note_names[] = {"-", "STATUS", "FORWARD", "CAUGHT_UP", "ACK", NULL};

#define EVENT(name_, type_, fields_)                                                               \
    {                                                                                              \
        .name = (name_), .size = sizeof(type_), .fields = (fields_)                                \
    }

static const struct sn_field heartbeat_fields[] = {
    SN_FIELD(struct chain_heartbeat, server, SN_UINT),
    SN_FIELD(struct chain_heartbeat, boot, SN_UINT),
    SN_FIELD(struct chain_heartbeat, is_synced, SN_BOOL),
    SN_FIELD(struct chain_heartbeat, time_ms, SN_UINT),
    {0},
};

static void print_chain(struct sn_text *out, const struct chain *chain)
{
    sn_print(out, "epoch=%u chain=", chain->epoch);
    for (uint32_t i = 0; i < chain->count; i++)
        sn_print(out, "%s%u.%u", i > 0 ? ">" : "", chain->servers[i], chain->boots[i]);
}

static void print_chain_event(struct sn_text *out, const void *payload)
{
    print_chain(out, payload);
}

static void print_state(struct sn_text *out, const void *payload)
{
    const struct chain_state *state = payload;

    print_chain(out, &state->chain);
    sn_print(out, " boot=%u time_ms=%u", state->boot, state->time_ms);
}

static void print_request(struct sn_text *out, const void *payload)
{
    const struct chain_request *request = payload;

    sn_print(out, "%s client=%u request=%u value=%u",
             request_names[request->kind <= CHAIN_QUERY ? request->kind : 0],
             request->update.client, request->update.request, request->update.value);
}

static const struct sn_field reply_fields[] = {
    SN_FIELD_ENUM(struct chain_reply, kind, request_names),
    SN_FIELD(struct chain_reply, request, SN_UINT),
    SN_FIELD(struct chain_reply, sequence, SN_UINT),
    SN_FIELD(struct chain_reply, value, SN_UINT),
    {0},
};

static void print_segment(struct sn_text *out, const void *payload)
{
    const struct chain_segment *segment = payload;
    const struct chain_note *note = &segment->note;

    sn_print(out, "from=%u epoch=%u number=%u receipt=%u %s", segment->from, segment->epoch,
             segment->number, segment->receipt,
             note_names[note->kind <= CHAIN_ACK ? note->kind : 0]);
    if (note->kind != 0)
        sn_print(out, " sequence=%u stable=%u", note->sequence, note->stable);
    if (note->kind == CHAIN_FORWARD)
        sn_print(out, " client=%u request=%u value=%u", note->update.client, note->update.request,
                 note->update.value);
}

static const struct sn_field server_notice_fields[] = {
    SN_FIELD(struct server_notice, server, SN_UINT),
    SN_FIELD(struct server_notice, boot, SN_UINT),
    SN_FIELD(struct server_notice, stable, SN_UINT),
    SN_FIELD(struct server_notice, is_synced, SN_BOOL),
    {0},
};

static const struct sn_field apply_fields[] = {
    SN_FIELD(struct apply, server, SN_UINT),         SN_FIELD(struct apply, boot, SN_UINT),
    SN_FIELD(struct apply, sequence, SN_UINT),       SN_FIELD(struct apply, update.client, SN_UINT),
    SN_FIELD(struct apply, update.request, SN_UINT), {0},
};

static const struct sn_field commit_fields[] = {
    SN_FIELD(struct commit, server, SN_UINT),
    SN_FIELD(struct commit, sequence, SN_UINT),
    SN_FIELD(struct commit, update.client, SN_UINT),
    SN_FIELD(struct commit, update.request, SN_UINT),
    {0},
};

static const struct sn_field client_notice_fields[] = {
    SN_FIELD(struct client_notice, client, SN_UINT),
    SN_FIELD_ENUM(struct client_notice, kind, request_names),
    SN_FIELD(struct client_notice, sequence, SN_UINT),
    SN_FIELD(struct client_notice, value, SN_UINT),
    {0},
};

/* What tells messages of one type apart. */
static uint64_t request_key(const void *payload)
{
    const struct chain_request *p = payload;

    return (uint64_t)p->update.request * 10 + p->kind;
}

static uint64_t segment_key(const void *payload)
{
    const struct chain_segment *p = payload;

    return (uint64_t)p->note.sequence * 10 + p->note.kind;
}

const struct sn_event heartbeat_event =
    EVENT("Heartbeat", struct chain_heartbeat, heartbeat_fields);
const struct sn_event state_event = {
    .name = "State",
    .size = sizeof(struct chain_state),
    .print = print_state,
};
const struct sn_event request_event = {
    .name = "Request",
    .size = sizeof(struct chain_request),
    .print = print_request,
    .key = request_key,
};
const struct sn_event reply_event = EVENT("Reply", struct chain_reply, reply_fields);
const struct sn_event segment_event = {
    .name = "Segment",
    .size = sizeof(struct chain_segment),
    .print = print_segment,
    .key = segment_key,
};
const struct sn_event where_event = {.name = "Where"};

const struct sn_event done_event = {.name = "Done"};
const struct sn_event hello_event = {.name = "Hello"};
const struct sn_event tick_event = {.name = "Tick"};

const struct sn_event chain_event = {
    .name = "Chain",
    .size = sizeof(struct chain),
    .print = print_chain_event,
};
const struct sn_event born_event = EVENT("Born", struct server_notice, server_notice_fields);
const struct sn_event status_event = EVENT("Status", struct server_notice, server_notice_fields);
const struct sn_event apply_event = EVENT("Apply", struct apply, apply_fields);
const struct sn_event commit_event = EVENT("Commit", struct commit, commit_fields);
const struct sn_event asked_event = EVENT("Asked", struct client_notice, client_notice_fields);
const struct sn_event answered_event =
    EVENT("Answered", struct client_notice, client_notice_fields);
const struct sn_event client_done_event =
    EVENT("ClientDone", struct client_notice, client_notice_fields);
