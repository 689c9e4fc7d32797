/* segments.c - what connected sockets send to each other, on its way and when it arrives.
 *
 * Within a node it arrives at once. Between nodes it is a message between two wires, which keep
 * order, so that the network's faults apply: but since a kernel sends again what is lost, and drops
 * what comes twice, a loss is a delay, a cut holds what is sent across it, and nothing is doubled
 * (network.c asks sockets_is_wire). SPDX-License-Identifier: MIT
 */
#include "substrate/sockets.h"

#include "engine/naming.h"

#include <stdio.h>

/* One that connects tries again after one second, then after two, and so on: as Linux does it gives
 * up after 127 seconds. */
#define CONNECT_NS UINT64_C(1000000000)

enum { CONNECT_TRIES = 7, QUEUE_LEAST = 512 };

struct segment {
    uint32_t kind; /* enum segment_kind */
    uint32_t from; /* sockets */
    uint32_t to;
    struct address address; /* of who connects: where to */
};

/* What is in front of the bytes; an address only where somebody connects. */
#define HEAD offsetof(struct segment, address)

static void arrive(struct trial *t, const struct segment *segment, const char *bytes, uint32_t n);
static void try_to_connect(struct trial *t, struct socket *from);

/* ---- Bytes ---------------------------------------------------------------------------------- */

/* Makes room; the old place is lost until the trial ends, which at most doubles what is needed. */
static void grow(struct trial *t, struct socket_bytes *in, uint32_t n)
{
    uint32_t size = in->size != 0 ? in->size : QUEUE_LEAST;
    char *to;

    while (size < in->used + n)
        size *= 2;
    to = trial_alloc(t, size);
    socket_bytes_get(in, to, in->used, true);
    *in = (struct socket_bytes){.at = to, .size = size, .used = in->used};
}

void socket_bytes_put(struct trial *t, struct socket_bytes *in, const char *bytes, uint32_t n)
{
    uint32_t begin;
    uint32_t first;

    if (in->size < in->used + n)
        grow(t, in, n);
    begin = (in->first + in->used) % in->size;
    first = n < in->size - begin ? n : in->size - begin;
    memcpy(in->at + begin, bytes, first);
    memcpy(in->at, bytes + first, n - first);
    in->used += n;
}

void socket_bytes_get(struct socket_bytes *in, char *to, uint32_t n, bool is_peeking)
{
    uint32_t first = n < in->size - in->first ? n : in->size - in->first;

    if (n == 0)
        return;
    memcpy(to, in->at + in->first, first);
    memcpy(to + first, in->at, n - first);
    if (is_peeking)
        return;
    in->first = (in->first + n) % in->size;
    in->used -= n;
}

/* ---- Wires ---------------------------------------------------------------------------------- */

static void on_message(void *self, sn_id from, const void *bytes, size_t n)
{
    struct segment segment = {0};
    size_t head;

    (void)self;
    (void)from;
    memcpy(&segment, bytes, HEAD);
    head = segment.kind == SEGMENT_CONNECT ? sizeof(segment) : HEAD;
    memcpy(&segment, bytes, head);
    arrive(trial_here(), &segment, (const char *)bytes + head, (uint32_t)(n - head));
}

/* Nothing came of an attempt to connect so far. */
static void on_timer(void *self, uint64_t tag)
{
    struct trial *t = trial_here();
    struct socket *s = socket_at(t, (uint32_t)tag);

    (void)self;
    if (s->tries < CONNECT_TRIES) {
        try_to_connect(t, s);
    } else {
        socket_end(s, ETIMEDOUT);
    }
    socket_changed(t, s);
}

static void print_byte(struct sn_text *out, unsigned char byte)
{
    if (byte == '\r' || byte == '\n' || byte == '\t')
        text_print(out, "\\%c", byte == '\r' ? 'r' : byte == '\n' ? 'n' : 't');
    else if (byte < ' ' || byte > '~' || byte == '\\')
        text_print(out, "\\x%02x", byte);
    else
        text_print(out, "%c", byte);
}

static void print_segment(struct sn_text *out, const void *bytes, size_t n)
{
    static const char *const words[] = {
        [SEGMENT_CONNECT] = "connect", [SEGMENT_OPEN] = "open",   [SEGMENT_BYTES] = "",
        [SEGMENT_END] = "end",         [SEGMENT_RESET] = "reset",
    };
    uint32_t kind;

    memcpy(&kind, bytes, sizeof(kind));
    text_puts(out, words[kind]);
    for (size_t i = HEAD; kind == SEGMENT_BYTES && i < n; i++)
        print_byte(out, ((const unsigned char *)bytes)[i]);
}

static const struct sn_machine wire_machine = {
    .name = "wire", .on_message = on_message, .on_timer = on_timer, .print_message = print_segment};

bool sockets_is_wire(const struct trial *t, uint32_t task)
{
    return t->machines->all[task].type == &wire_machine;
}

static uint32_t wire_new(struct trial *t, sn_node node, const char *name)
{
    uint32_t task = trial_task_new(t);
    struct machine *m = &t->machines->all[task];

    *m = (struct machine){.type = &wire_machine, .task = task, .node = node, .is_started = true};
    t->machines->clocks[task] = 0;
    t->tasks[task].flags = environment_is_used(t) ? TASK_ROUTED : 0;
    trial_record(t, create, task, &wire_machine);
    trial_created(t, task, wire_machine.name);
    sn_set_name(task, "%s", name);
    machine_update_gate(t, m);
    return task;
}

static uint32_t wire_between(struct trial *t, const struct socket *s)
{
    char name[2 * SOCKET_TEXT + 2];
    char from[SOCKET_TEXT];
    char to[SOCKET_TEXT];

    (void)snprintf(name, sizeof(name), "%s>%s", address_text(t, &s->local, from),
                   address_text(t, &s->remote, to));
    return wire_new(t, s->local.node, name);
}

void segment_listen(struct trial *t, sn_node node)
{
    struct host *host = socket_host(t, node);

    if (host->task == 0)
        host->task = wire_new(t, node, node != 0 ? t->environment->nodes[node].name : "network");
}

/* ---- Sending -------------------------------------------------------------------------------- */

/* The wire of the sending end sends, whoever is running: so all of a connection keeps its order. */
static void carry(struct trial *t, struct socket *from, uint32_t task,
                  const struct segment *segment, const char *bytes, uint32_t n)
{
    char whole[sizeof(*segment) + SOCKET_SEGMENT];
    size_t head = segment->kind == SEGMENT_CONNECT ? sizeof(*segment) : HEAD;
    uint32_t running = t->now.task;

    memcpy(whole, segment, head);
    if (n > 0)
        memcpy(whole + head, bytes, n);
    t->now.task = from->task;
    machine_send(t, task, NULL, whole, head + n);
    t->now.task = running;
}

/* A node that was down in between does not know the connection any more. */
static bool is_forgotten(const struct trial *t, const struct socket *peer)
{
    return peer->is_dead && !t->environment->nodes[peer->local.node].is_down;
}

void segment_send(struct trial *t, struct socket *from, enum segment_kind kind, const char *bytes,
                  uint32_t n)
{
    struct socket *peer = socket_at(t, from->peer);
    struct segment segment = {
        .kind = (uint32_t)kind, .from = socket_index(t, from), .to = from->peer};

    if (from->peer == 0)
        return;
    if (peer->is_dead)
        trial_touch_read(t, t->environment->nodes[peer->local.node].object);
    if (kind == SEGMENT_BYTES)
        peer->under_way += n;
    if (peer->local.node == from->local.node)
        arrive(t, &segment, bytes, n);
    else if (is_forgotten(t, peer) && kind != SEGMENT_RESET)
        segment_send(t, peer, SEGMENT_RESET, NULL, 0);
    else
        carry(t, from, peer->task, &segment, bytes, n);
}

static void start_timer(struct trial *t, struct socket *s)
{
    uint64_t tag = socket_index(t, s);
    uint32_t number;
    struct sn_op *op;

    if (s->task == 0) /* within a node only clocks need one */
        s->task = wire_between(t, s);
    number = machine_announce(t, SN_OP_TIMER, s->task, NULL);
    op = &t->ops[number];
    op->from = s->task;
    machine_saw_clock(t);
    op->deadline = machine_time_ns(t, t->now.task) + (CONNECT_NS << s->tries++);
    op_set_payload(t, number, &tag, sizeof(tag));
    s->timer = timer_start(t, number, false);
}

void segment_stop_timer(struct trial *t, struct socket *s)
{
    uint32_t source = s->task != 0 ? timer_find(t, s->task, s->timer) : 0;

    if (source != 0)
        timer_cancel(t, source);
}

static void try_to_connect(struct trial *t, struct socket *from)
{
    struct host *host = socket_host(t, from->remote.node);
    struct segment segment = {
        .kind = SEGMENT_CONNECT, .from = socket_index(t, from), .address = from->remote};

    if (from->remote.node == from->local.node) {
        arrive(t, &segment, NULL, 0);
        if (from->state == SOCKET_CONNECTING)
            start_timer(t, from);
        return;
    }
    trial_read(t, &host->ports);
    if (from->remote.node != SN_NO_NODE)
        trial_touch_read(t, t->environment->nodes[from->remote.node].object);
    if (host->task == 0 && !t->environment->nodes[from->remote.node].is_down) {
        socket_end(from, ECONNREFUSED);
        return;
    }
    start_timer(t, from);
    if (host->task != 0)
        carry(t, from, host->task, &segment, NULL, 0);
}

void segment_connect(struct trial *t, struct socket *from)
{
    from->state = SOCKET_CONNECTING;
    from->attempt++;
    from->tries = 0;
    if (from->task == 0 && from->remote.node != from->local.node)
        from->task = wire_between(t, from);
    try_to_connect(t, from);
}

/* ---- Arriving ------------------------------------------------------------------------------- */

struct socket *socket_listener(struct trial *t, const struct address *a)
{
    trial_read(t, &socket_host(t, a->node)->ports);
    for (uint32_t i = 1; i < t->now.n_own[OWN_SOCKETS]; i++) {
        struct socket *s = socket_at(t, i);

        if (s->kind == SOCKET_LISTENER && !s->is_closed && !s->is_dead &&
            address_covers(&s->local, a))
            return s;
    }
    return NULL;
}

/* Nobody listens where somebody wants to connect. */
static void refuse(struct trial *t, struct socket *client, sn_node node)
{
    struct segment segment = {.kind = SEGMENT_RESET, .to = socket_index(t, client)};
    struct socket host = {.task = socket_host(t, node)->task, .local.node = node};

    if (client->local.node == node)
        arrive(t, &segment, NULL, 0);
    else
        carry(t, &host, client->task, &segment, NULL, 0);
}

/* Whether an earlier attempt of the same client has arrived. */
static bool is_known(const struct trial *t, uint32_t client)
{
    for (uint32_t i = 1; i < t->now.n_own[OWN_SOCKETS]; i++) {
        const struct socket *s = socket_at(t, i);

        if (s->peer == client && s->attempt == socket_at(t, client)->attempt && !s->is_dead)
            return true;
    }
    return false;
}

static void arrive_connect(struct trial *t, const struct segment *segment)
{
    struct socket *client = socket_at(t, segment->from);
    struct socket *listener = socket_listener(t, &segment->address);
    struct socket *s;

    if (listener == NULL) {
        refuse(t, client, segment->address.node);
        return;
    }
    trial_read(t, &listener->object);
    if (socket_is_full(listener) || is_known(t, segment->from))
        return; /* as if it had never come */
    s = socket_new(t, listener->local.node, SOCKET_STREAM, listener->family);
    s->local = segment->address;
    s->remote = client->local;
    s->state = SOCKET_CONNECTED;
    s->told = TOLD_CONNECTED;
    s->peer = segment->from;
    s->attempt = client->attempt;
    if (client->local.node != s->local.node)
        s->task = wire_between(t, s);
    if (listener->first_pending == 0)
        listener->first_pending = socket_index(t, s);
    else
        socket_at(t, listener->last_pending)->next_pending = socket_index(t, s);
    listener->last_pending = socket_index(t, s);
    listener->n_pending++;
    segment_send(t, s, SEGMENT_OPEN, NULL, 0);
    socket_changed(t, listener);
}

static void arrive_open(struct trial *t, struct socket *s, const struct segment *segment)
{
    uint32_t peer = s->peer;

    s->peer = segment->from;
    if (s->state != SOCKET_CONNECTING || s->is_closed) {
        segment_send(t, s, SEGMENT_RESET, NULL, 0);
        s->peer = peer;
        return;
    }
    segment_stop_timer(t, s);
    s->state = SOCKET_CONNECTED;
}

void socket_end(struct socket *s, int error)
{
    s->state = SOCKET_OVER;
    s->error = error;
    s->reads_shut = s->writes_shut = true;
    s->is_bound &= s->is_locked;
}

/* What comes after a process has shut both directions is answered as if it had closed them. */
static void arrive_bytes(struct trial *t, struct socket *s, const char *bytes, uint32_t n)
{
    bool is_deaf = socket_is_tcp(s) && s->reads_shut && s->is_ended;

    s->under_way -= n;
    if (!s->is_closed && s->state == SOCKET_CONNECTED && !is_deaf) {
        socket_bytes_put(t, &s->in, bytes, n);
        return;
    }
    segment_send(t, s, SEGMENT_RESET, NULL, 0);
    if (s->state == SOCKET_CONNECTED)
        socket_end(s, ECONNRESET);
}

/* The other side has shut this direction or, of a local socket or a pipe, closed its end. */
static void arrive_end(struct socket *s)
{
    if (s->state != SOCKET_CONNECTED)
        return;
    s->has_end = true;
    if (s->kind == SOCKET_PIPE)
        return;
    s->reads_shut = true;
    if (!socket_is_tcp(s))
        s->writes_shut = true;
    else if (s->is_ended)
        socket_end(s, s->error);
}

static void arrive_reset(struct trial *t, struct socket *s)
{
    bool has_half = s->has_end && !s->is_ended;

    if (!socket_is_tcp(s)) {
        arrive_end(s);
        s->error = ECONNRESET;
        return;
    }
    if (s->state == SOCKET_OVER || s->state == SOCKET_NEW)
        return;
    segment_stop_timer(t, s);
    socket_end(s, s->state == SOCKET_CONNECTING ? ECONNREFUSED : has_half ? EPIPE : ECONNRESET);
}

/* Whether a segment is of a connection that the socket has given up, for another one maybe. */
static bool is_stale(const struct socket *s, const struct segment *segment)
{
    return segment->kind != SEGMENT_OPEN && segment->from != s->peer;
}

static void arrive(struct trial *t, const struct segment *segment, const char *bytes, uint32_t n)
{
    struct socket *s = socket_at(t, segment->to);

    if (segment->kind == SEGMENT_CONNECT) {
        arrive_connect(t, segment);
        return;
    }
    if (is_stale(s, segment)) {
        s->under_way -= n;
        return;
    }
    if (segment->kind == SEGMENT_OPEN)
        arrive_open(t, s, segment);
    else if (segment->kind == SEGMENT_BYTES)
        arrive_bytes(t, s, bytes, n);
    else if (segment->kind == SEGMENT_END)
        arrive_end(s);
    else
        arrive_reset(t, s);
    socket_changed(t, s);
}
