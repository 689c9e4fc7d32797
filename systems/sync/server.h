/* server.h - the server: what is said about a file here counts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SYNC_SERVER_H
#define SYNC_SERVER_H

#include "protocol.h"

struct server_io {
    void (*send)(void *self, uint32_t node, enum sync_kind kind, const void *message);
};

/* A daemon that has asked for a turn. */
struct server_asker {
    uint32_t node;
    uint32_t session;
};

/* What became of a node's last upload: a daemon that died before it was told asks again. */
struct server_last {
    uint32_t serial;
    uint32_t version;
};

struct server_file {
    uint32_t value;
    uint32_t version;
    uint32_t revision;
    uint64_t conflicts;
    uint32_t turn; /* whose it is: node + 1; 0: nobody's */
    uint32_t n_askers;
    struct server_asker askers[SYNC_NODES];
    struct server_last last[SYNC_NODES];
};

/* To be treated as opaque; here so that it can be embedded. */
struct server {
    const struct server_io *io;
    void *io_self;
    const struct sync_wrong *wrong;
    uint32_t n_nodes;
    struct server_file files[SYNC_FILES];
};

/* Starts without any file. Keeps the pointers. */
void server_init(struct server *s, const struct sync_wrong *wrong, uint32_t n_nodes,
                 const struct server_io *io, void *io_self);

void server_on_download(struct server *s, const struct sync_download *m);
void server_on_upload(struct server *s, const struct sync_upload *m);
void server_on_done(struct server *s, const struct sync_done *m);
void server_on_hello(struct server *s, const struct sync_node *m);
void server_on_gone(struct server *s, const struct sync_node *m);

#endif
