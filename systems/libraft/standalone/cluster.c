/* cluster.c - a few servers of libraft in one process, driven by hand.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct parcel {
    unsigned from;
    unsigned to;
    struct raft_message message;          /* without what it points to */
    struct stored_entry entries[LOG_MAX]; /* of an AppendEntries */
    struct stored_snapshot snapshot;      /* of an InstallSnapshot */
};

struct server servers[CLUSTER_MAX + 1];
int send_status;
unsigned messages_to_nobody;
long blocks;
int apply_status[10];

static struct parcel *queue[QUEUE_MAX];
static unsigned n_queue;
static unsigned n_servers;
static unsigned n_voters;
static unsigned snapshot_threshold;
static const char *const addresses[] = {"0", "1", "2", "3", "4", "5"};

static void must(bool holds, const char *what)
{
    if (!holds) {
        (void)fprintf(stderr, "standalone: %s\n", what);
        exit(2);
    }
}

/* ---- Memory --------------------------------------------------------------------------------- */

static void *count(void *p)
{
    blocks += p != NULL;
    return p;
}

static void *heap_malloc(void *data, size_t size)
{
    (void)data;
    return count(malloc(size));
}

static void heap_free(void *data, void *p)
{
    (void)data;
    blocks -= p != NULL;
    free(p);
}

static void *heap_calloc(void *data, size_t n, size_t size)
{
    (void)data;
    return count(calloc(n, size));
}

static void *heap_realloc(void *data, void *p, size_t size)
{
    (void)data;
    return p == NULL ? count(malloc(size)) : realloc(p, size);
}

static void *heap_aligned_alloc(void *data, size_t alignment, size_t size)
{
    (void)data;
    return count(aligned_alloc(alignment, size));
}

static void heap_aligned_free(void *data, size_t alignment, void *p)
{
    (void)alignment;
    heap_free(data, p);
}

static struct raft_heap heap = {
    .malloc = heap_malloc,
    .free = heap_free,
    .calloc = heap_calloc,
    .realloc = heap_realloc,
    .aligned_alloc = heap_aligned_alloc,
    .aligned_free = heap_aligned_free,
};

/* ---- Copies --------------------------------------------------------------------------------- */

static void pack_entry(struct stored_entry *stored, const struct raft_entry *entry)
{
    must(entry->buf.len <= sizeof(stored->data), "an entry is too long");
    stored->term = entry->term;
    stored->type = entry->type;
    stored->length = entry->buf.len;
    memcpy(stored->data, entry->buf.base, entry->buf.len);
}

static struct raft_entry *unpack_entries(const struct stored_entry *stored, size_t n)
{
    if (n == 0)
        return NULL;

    struct raft_entry *entries = raft_malloc(n * sizeof(*entries));
    unsigned char *batch = raft_malloc(n * sizeof(stored->data));

    for (size_t i = 0; i < n; i++) {
        entries[i].term = stored[i].term;
        entries[i].type = stored[i].type;
        entries[i].buf.base = batch + i * sizeof(stored->data);
        entries[i].buf.len = stored[i].length;
        entries[i].batch = batch;
        memcpy(entries[i].buf.base, stored[i].data, stored[i].length);
    }
    return entries;
}

static void pack_configuration(struct stored_snapshot *stored, const struct raft_configuration *c)
{
    stored->n = c->n;
    for (unsigned i = 0; i < c->n; i++) {
        stored->ids[i] = c->servers[i].id;
        stored->roles[i] = c->servers[i].role;
    }
}

static void unpack_configuration(struct raft_configuration *c, const struct stored_snapshot *stored)
{
    raft_configuration_init(c);
    for (unsigned i = 0; i < stored->n; i++) {
        int rc =
            raft_configuration_add(c, stored->ids[i], addresses[stored->ids[i]], stored->roles[i]);

        must(rc == 0, "raft_configuration_add");
    }
}

static struct raft_snapshot *unpack_snapshot(const struct stored_snapshot *stored)
{
    struct raft_snapshot *snapshot = raft_malloc(sizeof(*snapshot));

    snapshot->index = stored->index;
    snapshot->term = stored->term;
    snapshot->configuration_index = stored->conf_index;
    unpack_configuration(&snapshot->configuration, stored);
    snapshot->bufs = raft_malloc(sizeof(*snapshot->bufs));
    snapshot->n_bufs = 1;
    snapshot->bufs[0].len = sizeof(stored->state);
    snapshot->bufs[0].base = raft_malloc(sizeof(stored->state));
    memcpy(snapshot->bufs[0].base, &stored->state, sizeof(stored->state));
    return snapshot;
}

/* ---- struct raft_io ------------------------------------------------------------------------- */

static int io_init(struct raft_io *io, raft_id id, const char *address)
{
    (void)io;
    (void)id;
    (void)address;
    return 0;
}

static void io_close(struct raft_io *io, raft_io_close_cb cb)
{
    struct server *server = io->impl;

    server->close_cb = cb;
}

static int io_load(struct raft_io *io, raft_term *term, raft_id *vote,
                   struct raft_snapshot **snapshot, raft_index *start_index,
                   struct raft_entry *entries[], size_t *n)
{
    struct server *server = io->impl;
    struct disk *disk = &server->disk;

    *term = disk->term;
    *vote = disk->vote;
    *snapshot = disk->snapshot.index != 0 ? unpack_snapshot(&disk->snapshot) : NULL;
    *start_index = disk->first_index;
    *n = disk->last_index + 1 - disk->first_index;
    *entries = unpack_entries(&disk->log[disk->first_index], *n);
    return 0;
}

static int io_start(struct raft_io *io, unsigned msecs, raft_io_tick_cb tick, raft_io_recv_cb recv)
{
    struct server *server = io->impl;

    (void)msecs;
    server->tick = tick;
    server->recv = recv;
    return 0;
}

static int io_bootstrap(struct raft_io *io, const struct raft_configuration *conf)
{
    struct server *server = io->impl;
    struct raft_entry entry = {.term = 1, .type = RAFT_CHANGE};
    int rc = raft_configuration_encode(conf, &entry.buf);

    must(rc == 0, "raft_configuration_encode");
    pack_entry(&server->disk.log[1], &entry);
    raft_free(entry.buf.base);
    server->disk.term = 1;
    server->disk.last_index = 1;
    return 0;
}

static int io_recover(struct raft_io *io, const struct raft_configuration *conf)
{
    (void)io;
    (void)conf;
    return RAFT_INVALID;
}

static int io_set_term(struct raft_io *io, raft_term term)
{
    struct server *server = io->impl;

    server->disk.term = term;
    server->disk.vote = 0;
    return 0;
}

static int io_set_vote(struct raft_io *io, raft_id vote)
{
    struct server *server = io->impl;

    server->disk.vote = vote;
    return 0;
}

static void post(const struct server *server, const struct raft_message *message)
{
    struct parcel *parcel = calloc(1, sizeof(*parcel));

    must(parcel != NULL && n_queue < QUEUE_MAX, "too many messages");
    parcel->from = server->id;
    parcel->to = (unsigned)message->server_id;
    parcel->message = *message;
    if (message->type == RAFT_IO_APPEND_ENTRIES) {
        for (unsigned i = 0; i < message->append_entries.n_entries; i++)
            pack_entry(&parcel->entries[i], &message->append_entries.entries[i]);
    }
    if (message->type == RAFT_IO_INSTALL_SNAPSHOT) {
        pack_configuration(&parcel->snapshot, &message->install_snapshot.conf);
        memcpy(&parcel->snapshot.state, message->install_snapshot.data.base,
               sizeof(parcel->snapshot.state));
    }
    queue[n_queue++] = parcel;
}

/* Reported at once when the library has come to rest: see rest(). */
static struct raft_io_send *sends[QUEUE_MAX];
static unsigned n_sends;

static int io_send(struct raft_io *io, struct raft_io_send *req, const struct raft_message *message,
                   raft_io_send_cb cb)
{
    struct server *server = io->impl;

    req->cb = cb;
    must(n_sends < QUEUE_MAX, "too many sends");
    sends[n_sends++] = req;
    if (message->server_id == 0 && message->server_address == NULL)
        messages_to_nobody++;
    else
        post(server, message);
    return 0;
}

static struct pending_write *enqueue(struct server *server, enum write_kind kind)
{
    struct pending_write *write = &server->writes[server->n_writes++];

    must(server->n_writes < QUEUE_MAX, "too many writes");
    *write = (struct pending_write){.kind = kind};
    return write;
}

static int io_append(struct raft_io *io, struct raft_io_append *req,
                     const struct raft_entry entries[], unsigned n, raft_io_append_cb cb)
{
    struct pending_write *write = enqueue(io->impl, WRITE_APPEND);

    req->cb = cb;
    write->append = req;
    write->entries = entries;
    write->n = n;
    return 0;
}

static int io_truncate(struct raft_io *io, raft_index index)
{
    enqueue(io->impl, WRITE_TRUNCATE)->index = index;
    return 0;
}

static int io_snapshot_put(struct raft_io *io, unsigned trailing, struct raft_io_snapshot_put *req,
                           const struct raft_snapshot *snapshot, raft_io_snapshot_put_cb cb)
{
    struct pending_write *write = enqueue(io->impl, WRITE_SNAPSHOT);

    req->cb = cb;
    write->put = req;
    write->trailing = trailing;
    write->snapshot = snapshot;
    return 0;
}

static struct raft_io_snapshot_get *gets[QUEUE_MAX];
static struct server *getters[QUEUE_MAX];
static unsigned n_gets;

static int io_snapshot_get(struct raft_io *io, struct raft_io_snapshot_get *req,
                           raft_io_snapshot_get_cb cb)
{
    req->cb = cb;
    getters[n_gets] = io->impl;
    gets[n_gets++] = req;
    return 0;
}

static raft_time io_time(struct raft_io *io)
{
    return ((struct server *)io->impl)->now;
}

static int io_random(struct raft_io *io, int min, int max)
{
    (void)io;
    (void)max;
    return min;
}

/* ---- The state machine ---------------------------------------------------------------------- */

static int fsm_apply(struct raft_fsm *fsm, const struct raft_buffer *buf, void **result)
{
    struct server *server = fsm->data;
    unsigned long long digit;

    memcpy(&digit, buf->base, sizeof(digit));
    server->state = server->state * 10 + digit;
    *result = NULL;
    return 0;
}

static int fsm_snapshot(struct raft_fsm *fsm, struct raft_buffer *bufs[], unsigned *n)
{
    struct server *server = fsm->data;

    *bufs = raft_malloc(sizeof(**bufs));
    (*bufs)[0].len = sizeof(server->state);
    (*bufs)[0].base = raft_malloc(sizeof(server->state));
    memcpy((*bufs)[0].base, &server->state, sizeof(server->state));
    *n = 1;
    return 0;
}

static int fsm_restore(struct raft_fsm *fsm, struct raft_buffer *buf)
{
    struct server *server = fsm->data;

    memcpy(&server->state, buf->base, sizeof(server->state));
    raft_free(buf->base);
    return 0;
}

/* ---- Driving -------------------------------------------------------------------------------- */

/* Reports what is done at once: that messages were sent, and snapshots read. */
static void rest(void)
{
    while (n_sends + n_gets != 0) {
        if (n_sends != 0) {
            struct raft_io_send *first = sends[0];

            memmove(sends, sends + 1, --n_sends * sizeof(sends[0]));
            if (first->cb != NULL)
                first->cb(first, send_status);
            continue;
        }

        struct raft_io_snapshot_get *first = gets[--n_gets];

        first->cb(first, unpack_snapshot(&getters[n_gets]->disk.snapshot), 0);
    }
}

static void start(struct server *server)
{
    int rc = raft_init(&server->raft, &server->io, &server->fsm, server->id, addresses[server->id]);

    must(rc == 0, "raft_init");
    server->raft.data = server;
    raft_set_election_timeout(&server->raft, 300);
    raft_set_heartbeat_timeout(&server->raft, 100);
    if (snapshot_threshold != 0) {
        raft_set_snapshot_threshold(&server->raft, snapshot_threshold);
        raft_set_snapshot_trailing(&server->raft, 1);
    }
    if (server->disk.term == 0 && server->id <= n_voters) {
        struct raft_configuration c;

        raft_configuration_init(&c);
        for (unsigned id = 1; id <= n_voters && rc == 0; id++)
            rc = raft_configuration_add(&c, id, addresses[id], RAFT_VOTER);
        if (rc == 0)
            rc = raft_bootstrap(&server->raft, &c);
        raft_configuration_close(&c);
    }
    if (rc == 0)
        rc = raft_start(&server->raft);
    must(rc == 0, "the server cannot be started");
    rest();
}

static void create(unsigned id)
{
    struct server *server = &servers[id];

    server->id = id;
    server->disk.first_index = 1;
    server->io = (struct raft_io){
        .version = 1,
        .impl = server,
        .init = io_init,
        .close = io_close,
        .load = io_load,
        .start = io_start,
        .bootstrap = io_bootstrap,
        .recover = io_recover,
        .set_term = io_set_term,
        .set_vote = io_set_vote,
        .send = io_send,
        .append = io_append,
        .truncate = io_truncate,
        .snapshot_put = io_snapshot_put,
        .snapshot_get = io_snapshot_get,
        .time = io_time,
        .random = io_random,
    };
    server->fsm = (struct raft_fsm){
        .version = 1,
        .data = server,
        .apply = fsm_apply,
        .snapshot = fsm_snapshot,
        .restore = fsm_restore,
    };
}

void cluster_start(unsigned n, unsigned voters, unsigned threshold)
{
    raft_heap_set(&heap);
    memset(servers, 0, sizeof(servers));
    n_queue = 0;
    messages_to_nobody = 0;
    send_status = 0;
    blocks = 0;
    n_servers = n;
    n_voters = voters;
    snapshot_threshold = threshold;
    for (unsigned i = 0; i < 10; i++)
        apply_status[i] = APPLY_WAITS;
    for (unsigned id = 1; id <= n; id++) {
        create(id);
        start(&servers[id]);
    }
}

void cluster_crash(unsigned id)
{
    struct server *server = &servers[id];

    for (unsigned other = 1; other <= n_servers; other++)
        (void)cluster_drop(other, id);
    server->n_writes = 0;
    server->state = 0;
    memset(&server->raft, 0, sizeof(server->raft));
}

void cluster_restart(unsigned id)
{
    start(&servers[id]);
}

void cluster_tick(unsigned id, unsigned ticks)
{
    while (ticks-- != 0) {
        servers[id].now += 100;
        servers[id].tick(&servers[id].io);
        rest();
    }
}

static struct parcel *take(unsigned from, unsigned to)
{
    for (unsigned i = 0; i < n_queue; i++) {
        struct parcel *parcel = queue[i];

        if (parcel->from != from || parcel->to != to)
            continue;
        memmove(queue + i, queue + i + 1, (--n_queue - i) * sizeof(queue[0]));
        return parcel;
    }
    return NULL;
}

static void hand_over(struct parcel *parcel)
{
    struct server *server = &servers[parcel->to];
    struct raft_message message = parcel->message;

    message.server_id = parcel->from;
    message.server_address = addresses[parcel->from];
    if (message.type == RAFT_IO_APPEND_ENTRIES)
        message.append_entries.entries =
            unpack_entries(parcel->entries, message.append_entries.n_entries);
    if (message.type == RAFT_IO_INSTALL_SNAPSHOT) {
        unpack_configuration(&message.install_snapshot.conf, &parcel->snapshot);
        message.install_snapshot.data.base = raft_malloc(sizeof(parcel->snapshot.state));
        memcpy(message.install_snapshot.data.base, &parcel->snapshot.state,
               sizeof(parcel->snapshot.state));
    }
    free(parcel);
    server->recv(&server->io, &message);
    rest();
}

void cluster_deliver_one(unsigned from, unsigned to)
{
    struct parcel *parcel = take(from, to);

    must(parcel != NULL, "there is no message to deliver");
    hand_over(parcel);
}

unsigned cluster_deliver(unsigned from, unsigned to)
{
    unsigned n = 0;

    for (struct parcel *parcel = take(from, to); parcel != NULL; parcel = take(from, to)) {
        hand_over(parcel);
        n++;
    }
    return n;
}

unsigned cluster_drop(unsigned from, unsigned to)
{
    unsigned n = 0;

    for (struct parcel *parcel = take(from, to); parcel != NULL; parcel = take(from, to)) {
        free(parcel);
        n++;
    }
    return n;
}

static void put_snapshot(struct disk *disk, const struct pending_write *write)
{
    const struct raft_snapshot *snapshot = write->snapshot;

    disk->snapshot.index = snapshot->index;
    disk->snapshot.term = snapshot->term;
    disk->snapshot.conf_index = snapshot->configuration_index;
    pack_configuration(&disk->snapshot, &snapshot->configuration);
    memcpy(&disk->snapshot.state, snapshot->bufs[0].base, sizeof(disk->snapshot.state));
    if (write->trailing == 0)
        disk->last_index = snapshot->index;
    disk->first_index = snapshot->index - write->trailing + 1;
}

static void perform(struct disk *disk, const struct pending_write *write)
{
    if (write->kind == WRITE_TRUNCATE)
        disk->last_index = write->index - 1;
    else if (write->kind == WRITE_SNAPSHOT)
        put_snapshot(disk, write);
    for (unsigned i = 0; i < write->n; i++)
        pack_entry(&disk->log[++disk->last_index], &write->entries[i]);
}

static void end_write(struct server *server, unsigned at, int status)
{
    struct pending_write write = server->writes[at];

    must(at < server->n_writes, "there is nothing to write");
    memmove(server->writes + at, server->writes + at + 1,
            (--server->n_writes - at) * sizeof(write));
    if (status == 0)
        perform(&server->disk, &write);
    if (write.append != NULL)
        write.append->cb(write.append, status);
    if (write.put != NULL)
        write.put->cb(write.put, status);
    rest();
}

void cluster_end_write(unsigned id, int status)
{
    end_write(&servers[id], 0, status);
}

void cluster_end_writes(unsigned id)
{
    while (servers[id].n_writes != 0)
        cluster_end_write(id, 0);
}

void cluster_replicate(unsigned leader, unsigned to)
{
    cluster_end_writes(leader);
    (void)cluster_deliver(leader, to);
    cluster_end_writes(to);
    (void)cluster_deliver(to, leader);
    cluster_end_writes(leader);
}

void cluster_replicate_all(unsigned leader, const char *to)
{
    for (int i = 0; i < 8; i++) {
        cluster_tick(leader, 1);
        for (const char *id = to; *id != '\0'; id++)
            cluster_replicate(leader, (unsigned)(*id - '0'));
    }
}

bool cluster_stand(unsigned id, unsigned first, unsigned second)
{
    for (unsigned i = 0; i < 40 && servers[id].raft.state != RAFT_LEADER; i++) {
        cluster_tick(id, 1);
        (void)cluster_deliver(id, first);
        (void)cluster_deliver(first, id);
        if (first == second || servers[id].raft.state == RAFT_LEADER)
            continue;
        (void)cluster_deliver(id, second);
        (void)cluster_deliver(second, id);
    }
    return servers[id].raft.state == RAFT_LEADER;
}

void cluster_elect(unsigned id, unsigned by)
{
    must(cluster_stand(id, by, by), "the server is not elected");
}

void cluster_forget(unsigned id)
{
    cluster_tick(id, 8);
    for (unsigned other = 1; other <= n_servers; other++) {
        (void)cluster_drop(id, other);
        (void)cluster_drop(other, id);
    }
}

/* ---- Requests ------------------------------------------------------------------------------- */

static void on_applied(struct raft_apply *req, int status, void *result)
{
    (void)result;
    apply_status[(size_t)req->data] = status;
    free(req);
}

int cluster_apply(unsigned id, unsigned digit)
{
    unsigned long long command = digit;
    struct raft_apply *req = calloc(1, sizeof(*req));
    struct raft_buffer buf = {.base = raft_malloc(sizeof(command)), .len = sizeof(command)};

    must(req != NULL, "no memory");
    memcpy(buf.base, &command, sizeof(command));
    req->data = (void *)(size_t)digit;

    int rc = raft_apply(&servers[id].raft, req, &buf, 1, on_applied);

    if (rc != 0) {
        raft_free(buf.base);
        free(req);
    }
    rest();
    return rc;
}

static void on_changed(struct raft_change *req, int status)
{
    (void)status;
    free(req);
}

static int change(int rc, struct raft_change *req)
{
    if (rc != 0)
        free(req);
    rest();
    return rc;
}

int cluster_add(unsigned id, unsigned server)
{
    struct raft_change *req = calloc(1, sizeof(*req));

    return change(raft_add(&servers[id].raft, req, server, addresses[server], on_changed), req);
}

int cluster_assign(unsigned id, unsigned server, int role)
{
    struct raft_change *req = calloc(1, sizeof(*req));

    return change(raft_assign(&servers[id].raft, req, server, role, on_changed), req);
}

int cluster_remove(unsigned id, unsigned server)
{
    struct raft_change *req = calloc(1, sizeof(*req));

    return change(raft_remove(&servers[id].raft, req, server, on_changed), req);
}

static void on_transferred(struct raft_transfer *req)
{
    free(req);
}

int cluster_transfer(unsigned id, unsigned server)
{
    struct raft_transfer *req = calloc(1, sizeof(*req));
    int rc = raft_transfer(&servers[id].raft, req, server, on_transferred);

    if (rc != 0)
        free(req);
    rest();
    return rc;
}

static void on_closed(struct raft *raft)
{
    (void)raft;
}

void cluster_close(unsigned id, int status)
{
    struct server *server = &servers[id];

    raft_close(&server->raft, on_closed);
    while (server->n_writes != 0)
        cluster_end_write(id, status);
    rest();
    server->close_cb(&server->io);
}

raft_term cluster_term(unsigned id, raft_index index)
{
    const struct raft_log *log = &servers[id].raft.log;
    size_t n =
        log->back >= log->front ? log->back - log->front : log->size - log->front + log->back;

    if (index <= log->offset || index > log->offset + n)
        return 0;
    return log->entries[(log->front + index - log->offset - 1) % log->size].term;
}

/* ---- The end -------------------------------------------------------------------------------- */

void cluster_show(bool is_shown, const char *what)
{
    (void)printf("%s: %s\n", is_shown ? "shown" : "NOT shown", what);
    if (!is_shown)
        exit(1);
}

void cluster_conclude(bool is_shown, const char *what)
{
    cluster_show(is_shown, what);
    exit(0);
}

static int run_apart(void (*run)(bool is_to_blame), bool is_to_blame)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        (void)signal(SIGSEGV, SIG_DFL); /* also where a sanitizer would catch it */
        (void)signal(SIGABRT, SIG_DFL);
        run(is_to_blame);
        _exit(0);
    }
    must(child > 0 && waitpid(child, &status, 0) == child, "fork");
    return status;
}

void cluster_conclude_crash(void (*run)(bool is_to_blame), const char *what)
{
    int without = run_apart(run, false);

    cluster_conclude(without == 0 && WIFSIGNALED(run_apart(run, true)), what);
}
