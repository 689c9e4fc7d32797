/* server_machine.c - the server as a machine. SPDX-License-Identifier: MIT */
#include "events.h"
#include "machines.h"
#include "server.h"

struct server_machine {
    struct server server;
    sn_id nodes[SYNC_NODES]; /* SN_NOBODY: it has not said hello yet */
};

/* Who has not said hello yet will be told then. */
static void send(void *self, uint32_t node, enum sync_kind kind, const void *message)
{
    const struct server_machine *m = self;

    if (m->nodes[node] != SN_NOBODY)
        sn_send(m->nodes[node], sync_events[kind], message);
}

static const struct server_io io = {.send = send};

static void set_up(void *self, const void *payload)
{
    struct server_machine *m = self;
    const struct server_birth *birth = payload;

    server_init(&m->server, &sync_wrong, birth->n_nodes, &io, m);
}

static void on_download(void *self, const void *payload)
{
    server_on_download(&((struct server_machine *)self)->server, payload);
}

static void on_upload(void *self, const void *payload)
{
    server_on_upload(&((struct server_machine *)self)->server, payload);
}

static void on_done(void *self, const void *payload)
{
    server_on_done(&((struct server_machine *)self)->server, payload);
}

static void on_hello(void *self, const void *payload)
{
    struct server_machine *m = self;
    const struct sync_node *hello = payload;

    m->nodes[hello->node] = sn_sender();
    server_on_hello(&m->server, hello);
}

static void on_gone(void *self, const void *payload)
{
    server_on_gone(&((struct server_machine *)self)->server, payload);
}

static const struct sn_on serving_on[] = {
    {.event = &download_event, .run = on_download}, {.event = &upload_event, .run = on_upload},
    {.event = &done_event, .run = on_done},         {.event = &hello_event, .run = on_hello},
    {.event = &gone_event, .run = on_gone},         {0},
};

static const struct sn_state serving = {.name = "Serving", .entry = set_up, .on = serving_on};

static const struct sn_field birth_fields[] = {
    SN_FIELD(struct server_birth, n_nodes, SN_UINT),
    {0},
};

static const struct sn_event birth_event = {
    .name = "ServerBirth",
    .size = sizeof(struct server_birth),
    .fields = birth_fields,
};

const struct sn_machine server_machine = {
    .name = "Server",
    .size = sizeof(struct server_machine),
    .start = &serving,
    .birth = &birth_event,
};
