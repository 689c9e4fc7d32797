/* leader_events.c - what candidates, helpers and clients say. SPDX-License-Identifier: MIT */
#include "leader.h"

static const char *const request_kinds[] = {"?",      "register", "unregister", "sync",
                                            "lookup", "leader",   NULL};

static const struct sn_field election_fields[] = {
    SN_FIELD(struct election, from, SN_UINT),
    SN_FIELD(struct election, leader, SN_UINT),
    SN_FIELD_INIT_("id", SN_UINT, offsetof(struct election, id), sizeof(uint32_t), 2, NULL),
    SN_FIELD(struct election, names, SN_SET),
    {0},
};

static const struct sn_field report_fields[] = {
    SN_FIELD(struct report, node, SN_UINT),
    SN_FIELD(struct report, is_early, SN_BOOL),
    {0},
};

static const struct sn_field request_fields[] = {
    SN_FIELD_ENUM(struct request, kind, request_kinds),
    SN_FIELD(struct request, name, SN_UINT),
    SN_FIELD(struct request, client, SN_MACHINE),
    SN_FIELD(struct request, ref, SN_UINT),
    {0},
};

static const struct sn_field answer_fields[] = {
    SN_FIELD(struct answer, is_there, SN_BOOL),
    SN_FIELD(struct answer, leader, SN_UINT),
    SN_FIELD(struct answer, ref, SN_UINT),
    {0},
};

static const struct sn_field leader_birth_fields[] = {
    SN_FIELD(struct leader_birth, node, SN_UINT),
    {0},
};

static const struct sn_field helper_birth_fields[] = {
    SN_FIELD(struct helper_birth, leader, SN_MACHINE),
    {0},
};

#define EVENT_OF(name_, type_, fields_)                                                            \
    {                                                                                              \
        .name = name_, .size = sizeof(type_), .fields = fields_                                    \
    }
#define ELECTION_EVENT(name_) EVENT_OF(name_, struct election, election_fields)

const struct sn_event halt_event = ELECTION_EVENT("Halt");
const struct sn_event ack_leader_event = ELECTION_EVENT("AckLeader");
const struct sn_event has_leader_event = ELECTION_EVENT("HasLeader");
const struct sn_event is_leader_event = ELECTION_EVENT("IsLeader");
const struct sn_event not_leader_event = ELECTION_EVENT("NotLeader");
const struct sn_event norm_query_event = ELECTION_EVENT("NormQuery");
const struct sn_event not_norm_event = ELECTION_EVENT("NotNorm");
const struct sn_event leads_event = ELECTION_EVENT("Leads");
const struct sn_event heartbeat_event = ELECTION_EVENT("Heartbeat");
const struct sn_event check_event = ELECTION_EVENT("CheckLead");
const struct sn_event send_check_event = {.name = "SendCheckLead"};
const struct sn_event down_event = EVENT_OF("Down", struct report, report_fields);
const struct sn_event monitor_event = EVENT_OF("Monitor", struct report, report_fields);
const struct sn_event monitored_event = {.name = "Monitored"};
const struct sn_event request_event = EVENT_OF("Request", struct request, request_fields);
const struct sn_event answer_event = EVENT_OF("Answer", struct answer, answer_fields);
const struct sn_event change_event = EVENT_OF("Change", struct request, request_fields);
const struct sn_event sync_event = {.name = "Sync"};
const struct sn_event synced_event = ELECTION_EVENT("Synced");
const struct sn_event started_event = {.name = "Started"};
const struct sn_event leader_birth_event =
    EVENT_OF("Birth", struct leader_birth, leader_birth_fields);
const struct sn_event helper_birth_event =
    EVENT_OF("Birth", struct helper_birth, helper_birth_fields);
