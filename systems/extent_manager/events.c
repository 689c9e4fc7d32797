/* events.c - what the machines of the harness say to each other. SPDX-License-Identifier: MIT */
#include "events.h"

static const struct sn_field heartbeat_fields[] = {
    SN_FIELD(struct heartbeat, node, SN_MACHINE),
    {0},
};

static const struct sn_field sync_report_fields[] = {
    SN_FIELD(struct sync_report, node, SN_MACHINE),
    SN_FIELD(struct sync_report, extents, SN_SET),
    {0},
};

static const struct sn_field repair_request_fields[] = {
    SN_FIELD(struct repair_request, destination, SN_MACHINE),
    SN_FIELD(struct repair_request, extent, SN_UINT),
    SN_FIELD(struct repair_request, source, SN_MACHINE),
    {0},
};

static const struct sn_field copy_request_fields[] = {
    SN_FIELD(struct copy_request, extent, SN_UINT),
    SN_FIELD(struct copy_request, destination, SN_MACHINE),
    {0},
};

static const struct sn_field copy_response_fields[] = {
    SN_FIELD(struct copy_response, extent, SN_UINT),
    SN_FIELD(struct copy_response, is_copied, SN_BOOL),
    {0},
};

static const struct sn_field node_notice_fields[] = {
    SN_FIELD(struct node_notice, node, SN_MACHINE),
    {0},
};

/* What tells messages of one type apart. */
static uint64_t heartbeat_key(const void *payload)
{
    const struct heartbeat *p = payload;

    return p->node;
}

static uint64_t sync_report_key(const void *payload)
{
    const struct sync_report *p = payload;

    return p->node;
}

static uint64_t repair_request_key(const void *payload)
{
    const struct repair_request *p = payload;

    return p->destination;
}

const struct sn_event heartbeat_event = {
    .name = "Heartbeat",
    .size = sizeof(struct heartbeat),
    .fields = heartbeat_fields,
    .key = heartbeat_key,
};

const struct sn_event heartbeat_ack_event = {.name = "HeartbeatAck"};

const struct sn_event sync_report_event = {
    .name = "SyncReport",
    .size = sizeof(struct sync_report),
    .fields = sync_report_fields,
    .key = sync_report_key,
};

const struct sn_event sync_report_ack_event = {.name = "SyncReportAck"};

const struct sn_event repair_request_event = {
    .name = "RepairRequest",
    .size = sizeof(struct repair_request),
    .fields = repair_request_fields,
    .key = repair_request_key,
};

const struct sn_event copy_request_event = {
    .name = "CopyRequest",
    .size = sizeof(struct copy_request),
    .fields = copy_request_fields,
};

const struct sn_event copy_response_event = {
    .name = "CopyResponse",
    .size = sizeof(struct copy_response),
    .fields = copy_response_fields,
};

const struct sn_event all_reported_event = {.name = "AllReported"};

const struct sn_event fail_event = {.name = "Fail"};

const struct sn_event node_failed_event = {
    .name = "NodeFailed",
    .size = sizeof(struct node_notice),
    .fields = node_notice_fields,
};

const struct sn_event extent_repaired_event = {
    .name = "ExtentRepaired",
    .size = sizeof(struct node_notice),
    .fields = node_notice_fields,
};

const struct sn_event heartbeat_tick_event = {.name = "HeartbeatTick"};
const struct sn_event sync_tick_event = {.name = "SyncTick"};
const struct sn_event expiration_tick_event = {.name = "ExpirationTick"};
const struct sn_event repair_tick_event = {.name = "RepairTick"};
const struct sn_event failure_tick_event = {.name = "FailureTick"};
