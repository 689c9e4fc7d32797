/* raft_world.h - a world made by hand for the tests of Raft: up to six servers, a network that
 * waits for the test, disks that remember what was synced, timers that the test lets run out.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_RAFT_WORLD_H
#define TESTS_RAFT_WORLD_H

#include "raft.h"
#include "registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    WORLD_SERVERS = 6,
    WORLD_QUEUE_MAX = 512,
    WORLD_FILES = 5,
    WORLD_FILE_MAX = 4096,
    WORLD_REPLIES_MAX = 128,
    DISK_WORKS = -1,
    CLIENT = 100,
};

struct world_bytes {
    bool exists;
    uint64_t size;
    unsigned char bytes[WORLD_FILE_MAX];
};

/* A file as it is read, and as a crash would leave it. */
struct world_file {
    char name[16];
    struct world_bytes now;
    struct world_bytes durable;
    char renamed_from[16]; /* not synced since; "": no */
};

struct world_message {
    uint32_t from;
    uint32_t to;
    enum raft_message_kind kind;
    union {
        struct raft_header header;
        struct raft_vote_request vote_request;
        struct raft_vote_reply vote_reply;
        struct raft_append append;
        struct raft_install install;
        struct raft_append_reply append_reply;
    } body;
};

struct world;

struct world_server {
    struct world *world;
    struct raft raft;
    struct raft_config config;
    struct registers registers;
    struct world_file files[WORLD_FILES];
    bool has_timer[RAFT_TIMERS];
    uint32_t delay_ms[RAFT_TIMERS];
    uint32_t applied[2 * RAFT_LOG_MAX]; /* sequence numbers of commands, in order */
    uint32_t applied_count;
    uint32_t elected_count;
    uint32_t syncs;
    int disk_operations_left; /* then one fails; DISK_WORKS: none does */
    bool fails_after_rename;  /* the next operation after the next renaming fails */
    bool is_down;
};

struct world {
    struct world_server servers[WORLD_SERVERS + 1];
    struct world_message queue[WORLD_QUEUE_MAX];
    uint32_t queue_count;
    uint32_t cut; /* servers that nothing comes from and nothing reaches */
    struct raft_reply replies[WORLD_REPLIES_MAX];
    uint32_t reply_count;
    uint64_t clock_ms;
    uint32_t random; /* what the next random numbers are, modulo their bound */
};

extern const struct raft_env world_env;

/* Five servers, all members, started and waiting. As a fixture: *state is the world. */
int set_up(void **state);

/* Servers 1 to `servers`, the first `members` of which are members, with this configuration (id and
 * members are filled in; NULL: the default). */
void world_init(struct world *world, uint32_t servers, uint32_t members,
                const struct raft_config *config);

struct raft *raft_of(struct world *world, uint32_t server);

/* Lets a timer of a server run out. */
void time_out(struct world *world, uint32_t server, enum raft_timer timer);

/* Delivers what is under way, and what comes of it, until nothing is. */
void deliver_all(struct world *world);

/* The same, but at most so many messages of any kind; returns how many there were. */
uint32_t deliver_some(struct world *world, uint32_t n);

/* Loses what is under way. */
void lose_all(struct world *world);

/* Takes the first message of a kind to a server off the network. There must be one. */
struct world_message take(struct world *world, uint32_t to, enum raft_message_kind kind);

/* How many messages of a kind to a server are under way. */
uint32_t count_sent(const struct world *world, uint32_t to, enum raft_message_kind kind);

void hand_over(struct world *world, const struct world_message *message);

/* The server's timeout passes, and everybody whom the network reaches votes. Time passes before,
 * so that nobody believes in an older leader. */
void elect(struct world *world, uint32_t server);

/* One heartbeat and all answers. */
void beat(struct world *world, uint32_t leader);

/* A client's request to a server. */
void ask(struct world *world, uint32_t server, const struct raft_request *request);
void ask_write(struct world *world, uint32_t server, uint32_t sequence, uint32_t value);
void ask_read(struct world *world, uint32_t server, uint32_t sequence);
void ask_change(struct world *world, uint32_t server, uint32_t sequence,
                enum raft_request_kind kind, uint32_t changed);

/* The last answer. Fails the test if there is none. */
struct raft_reply last_reply(const struct world *world);

/* What becomes of what was not synced. */
enum loss {
    LOSE_UNSYNCED,
    KEEP_ALL,
    KEEP_NAMES, /* a file has its new name, but only what was synced under the old one */
};

/* A server loses its memory. */
void crash(struct world *world, uint32_t server, enum loss loss);
int restart(struct world *world, uint32_t server);

struct world_file *file_of(struct world *world, uint32_t server, const char *name);

#define IN_WORLD(claim_) cmocka_unit_test_setup(claim_, set_up)

#endif
