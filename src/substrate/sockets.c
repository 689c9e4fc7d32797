/* sockets.c - descriptors of processes that are the trial's, and what becomes of them.
 *
 * A process is to descriptors what a process of the operating system is, and its tasks are its
 * threads: they share a table, in which the lowest free number is given next, and what is open when
 * the process ends is closed. Tasks conflict with their process in every step, so the table needs
 * no object of its own. SPDX-License-Identifier: MIT
 */
#include "substrate/sockets.h"

#include "engine/mem.h"
#include "substrate/liveness.h"
#include "substrate/task.h"

/* Above the ids of other objects. */
#define SOCKET_OBJECT UINT64_C(0x74656b636f73)
#define PORTS_OBJECT UINT64_C(0x7374726f70)

/* ---- Joining a trial ------------------------------------------------------------------------ */

int sockets_join(struct trial *t, struct err *why)
{
    struct sockets *all = mem_reserve_shared(sizeof(*all), why);

    t->processes->sockets = all;
    if (all == NULL)
        return SN_ENOMEM;
    trial_range_add(t, all->all, &t->now.n_own[OWN_SOCKETS], sizeof(*all->all));
    trial_range_add(t, all->watches, &t->now.n_own[OWN_SOCKET_WATCHES], sizeof(*all->watches));
    trial_range_add(t, all->hosts, &t->now.n_own[OWN_HOSTS], sizeof(*all->hosts));
    return 0;
}

void sockets_leave(struct trial *t)
{
    if (t->processes->sockets != NULL)
        mem_release(t->processes->sockets, sizeof(*t->processes->sockets));
    t->processes->sockets = NULL;
}

struct trial *sockets_trial(struct process **out)
{
    struct trial *t = trial_of_thread();

    if (likely(t == NULL || t->may_act != ACTS_IN_TURN))
        return NULL;
    *out = t->process;
    return t;
}

struct host *socket_host(struct trial *t, sn_node node)
{
    struct host *hosts = t->processes->sockets->hosts;

    while (t->now.n_own[OWN_HOSTS] <= node) {
        uint32_t n = t->now.n_own[OWN_HOSTS]++;

        hosts[n] = (struct host){.ports.id = mix_pair(PORTS_OBJECT, n)};
    }
    return &hosts[node];
}

/* ---- Descriptors ---------------------------------------------------------------------------- */

struct socket *socket_find(struct trial *t, int fd)
{
    uint32_t owner;

    if (fd < SOCKET_FD_FIRST || fd >= SOCKET_FD_MAX)
        return NULL;
    owner = task_owner(t);
    for (uint32_t i = 1; i < t->now.n_own[OWN_SOCKETS]; i++) {
        if (socket_at(t, i)->fd == fd && socket_at(t, i)->owner == owner)
            return socket_at(t, i);
    }
    return NULL;
}

static uint16_t next_port(struct host *host)
{
    return (uint16_t)(SOCKET_EPHEMERAL_FIRST + host->n_made++ % (65536 - SOCKET_EPHEMERAL_FIRST));
}

struct socket *socket_new(struct trial *t, sn_node node, enum socket_kind kind, int family)
{
    struct host *host = socket_host(t, node);
    struct socket *s;

    if (t->now.n_own[OWN_SOCKETS] == 0)
        t->now.n_own[OWN_SOCKETS] = 1;
    if (t->now.n_own[OWN_SOCKETS] == SOCKETS_MAX)
        op_too_many(t, "sockets");
    s = socket_at(t, t->now.n_own[OWN_SOCKETS]++);
    *s = (struct socket){.kind = (uint8_t)kind, .family = family, .local.node = node};
    s->object.id = mix_pair(SOCKET_OBJECT, op_child_id(t));
    s->ephemeral = next_port(host);
    return s;
}

uint16_t socket_port(struct trial *t, const struct socket *s)
{
    return s->local.port == 0 ? s->ephemeral : next_port(socket_host(t, s->local.node));
}

int socket_give(struct trial *t, struct socket *s)
{
    int fd = SOCKET_FD_FIRST;

    while (socket_find(t, fd) != NULL)
        fd++;
    s->owner = task_owner(t);
    s->fd = fd;
    return fd;
}

/* Who looks at such a descriptor looks at the mailbox, which the running step has touched. */
void sockets_posted(struct trial *t, uint32_t task)
{
    for (uint32_t i = 1; i < t->now.n_own[OWN_SOCKETS]; i++) {
        struct socket *s = socket_at(t, i);

        if (s->kind == SOCKET_POSTS && s->count == task && !s->is_closed) {
            s->changes++;
            process_wake(t);
        }
    }
}

int socket_of_posts(struct trial *t, struct process *p)
{
    struct socket *s;

    for (uint32_t i = 1; i < t->now.n_own[OWN_SOCKETS]; i++) {
        s = socket_at(t, i);
        if (s->kind == SOCKET_POSTS && s->count == p->task && s->fd != 0)
            return s->fd;
    }
    s = socket_new(t, environment_node_here(t), SOCKET_POSTS, AF_UNIX);
    s->count = p->task;
    return socket_give(t, s);
}

/* ---- Ends ----------------------------------------------------------------------------------- */

/* What nobody has accepted is as if it had been refused. */
static void close_pending(struct trial *t, struct socket *listener)
{
    while (listener->first_pending != 0) {
        struct socket *s = socket_at(t, listener->first_pending);

        listener->first_pending = s->next_pending;
        s->is_closed = true;
        segment_send(t, s, SEGMENT_RESET, NULL, 0);
    }
    listener->n_pending = 0;
}

/* The other side is told; of bytes that were not read, by a reset. */
static void close_stream(struct trial *t, struct socket *s)
{
    if (s->state == SOCKET_CONNECTING)
        segment_stop_timer(t, s);
    if (s->state != SOCKET_CONNECTED)
        return;
    if (s->in.used > 0)
        segment_send(t, s, SEGMENT_RESET, NULL, 0);
    else if (!s->is_ended)
        segment_send(t, s, SEGMENT_END, NULL, 0);
}

void socket_stop_listening(struct trial *t, struct socket *s)
{
    trial_write(t, &socket_host(t, s->local.node)->ports);
    close_pending(t, s);
    s->kind = SOCKET_STREAM;
}

void socket_close(struct trial *t, struct socket *s)
{
    s->fd = 0;
    s->is_closed = true;
    socket_unwatch(t, s);
    if (s->is_bound)
        trial_write(t, &socket_host(t, s->local.node)->ports);
    if (s->kind == SOCKET_LISTENER)
        socket_stop_listening(t, s);
    else if (s->kind == SOCKET_STREAM)
        close_stream(t, s);
    else if (s->kind == SOCKET_PIPE)
        segment_send(t, s, SEGMENT_END, NULL, 0);
    socket_changed(t, s);
}

void sockets_end_process(struct trial *t, uint32_t task)
{
    for (uint32_t i = 1; i < t->now.n_own[OWN_SOCKETS]; i++) {
        if (socket_at(t, i)->fd != 0 && socket_at(t, i)->owner == task)
            socket_close(t, socket_at(t, i));
    }
}

/* The other end of a connection that a node had when it crashed. NULL: it has none elsewhere. */
static struct socket *peer_elsewhere(struct trial *t, const struct socket *s)
{
    struct socket *peer = socket_at(t, s->peer);

    if (s->peer == 0 || peer->is_closed || peer->is_dead || peer->local.node == s->local.node)
        return NULL;
    return peer;
}

/* Whoever is connected with a node that crashes either learns of it at once or, as when power
 * fails, waits in vain until it sends something to a node that is up again. */
void sockets_crash(struct trial *t, sn_node node)
{
    for (uint32_t i = 1; i < t->now.n_own[OWN_SOCKETS]; i++) {
        struct socket *s = socket_at(t, i);
        bool was_open = !s->is_closed && !s->is_dead;
        struct socket *peer;

        if (s->local.node != node || s->is_dead)
            continue;
        s->fd = 0;
        s->is_dead = true;
        socket_unwatch(t, s);
        trial_write(t, &s->object);
        peer = was_open ? peer_elsewhere(t, s) : NULL;
        if (peer != NULL && environment_draw(t, "crash goes unnoticed", 2) == 0)
            segment_send(t, s, SEGMENT_RESET, NULL, 0);
    }
    trial_write(t, &socket_host(t, node)->ports);
}

void sockets_stop(struct trial *t, sn_node node)
{
    for (uint32_t i = 1; i < t->now.n_own[OWN_SOCKETS]; i++) {
        struct socket *s = socket_at(t, i);

        if (s->local.node != node)
            continue;
        if (s->fd != 0)
            socket_close(t, s);
        s->is_dead = true;
    }
}

/* What was sent to a node that did not answer is sent again when it is up, and the answer is that
 * nobody knows the connection. */
static void answer_late(struct trial *t, struct socket *s)
{
    const struct socket *peer = peer_elsewhere(t, s);

    if (peer != NULL && peer->state == SOCKET_CONNECTED &&
        (s->under_way > 0 || (peer->is_ended && !s->has_end)))
        segment_send(t, s, SEGMENT_RESET, NULL, 0);
}

void sockets_bring_up(struct trial *t, sn_node node)
{
    struct host *host = socket_host(t, node);
    struct machine *m = &t->machines->all[host->task];

    for (uint32_t i = 1; i < t->now.n_own[OWN_SOCKETS]; i++) {
        if (socket_at(t, i)->local.node == node && socket_at(t, i)->is_dead)
            answer_late(t, socket_at(t, i));
    }

    if (host->task == 0)
        return;
    m->is_halted = false;
    m->is_started = true;
    t->tasks[host->task].flags = TASK_ROUTED;
    machine_update_gate(t, m);
    source_recheck_task(t, host->task);
}

/* ---- Faults --------------------------------------------------------------------------------- */

static bool is_between_nodes(struct trial *t, const struct socket *s, sn_node node)
{
    return s->kind == SOCKET_STREAM && s->local.node == node && s->state == SOCKET_CONNECTED &&
           !s->is_closed && !s->is_dead && s->task != 0 && peer_elsewhere(t, s) != NULL;
}

static uint32_t count_connections(struct trial *t, sn_node node)
{
    uint32_t n = 0;

    for (uint32_t i = 1; i < t->now.n_own[OWN_SOCKETS]; i++)
        n += is_between_nodes(t, socket_at(t, i), node);
    return n;
}

bool sockets_can_reset(struct trial *t, sn_node node)
{
    return count_connections(t, node) > 0;
}

void sockets_reset_one(struct trial *t, sn_node node)
{
    uint32_t n = count_connections(t, node);
    uint64_t left = n > 1 ? environment_draw(t, "which is reset", n) : 0;

    for (uint32_t i = 1; i < t->now.n_own[OWN_SOCKETS]; i++) {
        struct socket *s = socket_at(t, i);

        if (!is_between_nodes(t, s, node) || left-- != 0)
            continue;
        segment_send(t, s, SEGMENT_RESET, NULL, 0);
        socket_end(s, ECONNRESET);
        trial_record(t, fault, "reset", t->environment->nodes[node].name, NULL);
        socket_changed(t, s);
        return;
    }
}

size_t sockets_shorten(struct trial *t, const struct socket *s, size_t n)
{
    struct node *node;

    if (n < 2 || !environment_is_used(t) || s->kind != SOCKET_STREAM)
        return n;
    node = &t->environment->nodes[s->local.node];
    if (node->short_transfers == 0 || trial_draw(t, "short transfer later", 2) != 0)
        return n;
    node->short_transfers--;
    liveness_disturb(t);
    trial_record(t, fault, "short-transfer", node->name, NULL);
    return 1 + (size_t)trial_draw(t, "bytes less one", n - 1);
}
