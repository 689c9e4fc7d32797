/* events.c - what the monitors of Raft are told, and how it is shown.
 *
 * SPDX-License-Identifier: MIT
 */
#include "oracles.h"

static const struct sn_field elected_fields[] = {
    SN_FIELD(struct elected, server, SN_UINT),
    SN_FIELD(struct elected, term, SN_UINT),
    SN_FIELD(struct elected, last_index, SN_UINT),
    {0},
};

static const struct sn_field appended_fields[] = {
    SN_FIELD(struct appended, server, SN_UINT), SN_FIELD(struct appended, index, SN_UINT),
    SN_FIELD(struct appended, term, SN_UINT),   SN_FIELD(struct appended, prev_term, SN_UINT),
    SN_FIELD(struct appended, digest, SN_HEX),  {0},
};

static const struct sn_field committed_fields[] = {
    SN_FIELD(struct committed, server, SN_UINT),
    SN_FIELD(struct committed, server_term, SN_UINT),
    SN_FIELD(struct committed, index, SN_UINT),
    SN_FIELD(struct committed, term, SN_UINT),
    {0},
};

const struct sn_event elected_event = {
    .name = "Elected",
    .size = sizeof(struct elected),
    .fields = elected_fields,
};

const struct sn_event appended_event = {
    .name = "Appended",
    .size = sizeof(struct appended),
    .fields = appended_fields,
};

const struct sn_event committed_event = {
    .name = "Committed",
    .size = sizeof(struct committed),
    .fields = committed_fields,
};

const struct sn_event wanted_event = {.name = "Wanted"};
const struct sn_event had_event = {.name = "Had"};
