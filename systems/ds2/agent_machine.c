/* agent_machine.c - an agent of an object as a machine: receives, sends, and writes the history.
 * SPDX-License-Identifier: MIT
 */
#include "harness.h"

#include <string.h>

struct agent {
    const struct ds2_exhibit *exhibit;
    struct ds2_desk *desk;
    uint32_t number;
    void *state; /* begins with a struct ds2_place */
};

static void send_message(void *self, uint32_t to, const struct ds2_message *message)
{
    const struct agent *a = self;

    sn_send(sn_self() - a->number + to, &a->exhibit->events[message->kind], message);
}

static void respond(void *self, uint32_t client, int64_t value)
{
    const struct agent *a = self;
    sn_op_id open = a->desk->open[client];

    a->desk->open[client] = 0;
    if (open != 0)
        sn_op_end(open, value != DS2_NOTHING ? value : SN_VALUE_NIL);
}

static const struct ds2_io agent_io = {.send = send_message, .respond = respond};

static void be_born(void *self, const void *payload)
{
    const struct ds2_birth *birth = payload;
    const struct ds2_object *object = birth->exhibit->object;
    struct agent *a = self;
    struct ds2_place *place;

    *a = (struct agent){.exhibit = birth->exhibit,
                        .desk = birth->desk,
                        .number = birth->agent,
                        .state = sn_alloc(object->size)};
    /* Member by member: states are compared by their bytes, and those between the members of a
     * whole struct would be what the stack had. */
    place = a->state;
    place->agent = birth->agent;
    place->agents = birth->agents;
    place->is_as_published = strcmp(ds2_parameters.variant, "asis") == 0;
    place->has_bug = birth->exhibit->has_bug != NULL && *birth->exhibit->has_bug;
    place->io = &agent_io;
    place->io_self = self;
    if (object->init != NULL)
        object->init(a->state);
}

static void call(const struct agent *a, const struct ds2_message *m)
{
    bool is_write = m->kind == DS2_WRITE;

    a->desk->open[m->client] = sn_op_begin(is_write ? "write" : "read", m->key,
                                           is_write ? m->value : SN_VALUE_NIL, SN_VALUE_NIL);
}

static void on_message(void *self, const void *payload)
{
    const struct ds2_message *m = payload;
    struct agent *a = self;

    if (m->from == 0 && m->client != 0)
        call(a, m);
    a->exhibit->object->receive(a->state, m);
}

static const struct sn_event birth = {.name = "Birth", .size = sizeof(struct ds2_birth)};
static const struct sn_state working = {
    .name = "Working",
    .entry = be_born,
    .on = (const struct sn_on[]){{.event = &sn_any, .run = on_message}, {0}},
};

/* What the object remembers; the rest never changes. */
static uint64_t fingerprint(const void *self)
{
    const struct agent *a = self;
    const unsigned char *bytes = a->state;
    uint64_t hash = a->number;

    for (size_t i = 0; a->state != NULL && i < a->exhibit->object->size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

const struct sn_machine ds2_agent = {
    .name = "Agent",
    .size = sizeof(struct agent),
    .start = &working,
    .birth = &birth,
    .fingerprint = fingerprint,
};
