/* server.c - see server.h. SPDX-License-Identifier: MIT */
#include "server.h"

#include <string.h>

void server_init(struct server *s, const struct sync_wrong *wrong, uint32_t n_nodes,
                 const struct server_io *io, void *io_self)
{
    *s = (struct server){.io = io, .io_self = io_self, .wrong = wrong, .n_nodes = n_nodes};
    for (uint32_t file = 0; file < SYNC_FILES; file++)
        s->files[file].version = SYNC_FIRST_VERSION;
}

/* ---- Turns ---------------------------------------------------------------------------------- */

static void reply(struct server *s, uint32_t file, const struct server_asker *to)
{
    const struct server_file *f = &s->files[file];
    struct sync_download_reply m = {
        .file = file,
        .session = to->session,
        .value = f->value,
        .version = f->version,
        .revision = f->revision,
        .last_serial = f->last[to->node].serial,
        .last_version = f->last[to->node].version,
        .conflicts = f->conflicts,
    };

    s->io->send(s->io_self, to->node, SYNC_DOWNLOAD_REPLY, &m);
}

/* Gives the next turn if nobody has one. */
static void next_turn(struct server *s, uint32_t file)
{
    struct server_file *f = &s->files[file];
    struct server_asker next;

    while (f->n_askers > 0 && (f->turn == 0 || s->wrong->no_turns)) {
        next = f->askers[0];
        f->n_askers--;
        memmove(&f->askers[0], &f->askers[1], f->n_askers * sizeof(f->askers[0]));
        f->turn = next.node + 1;
        reply(s, file, &next);
    }
}

static void end_turn(struct server *s, uint32_t file, uint32_t node)
{
    if (s->files[file].turn == node + 1)
        s->files[file].turn = 0;
    next_turn(s, file);
}

void server_on_download(struct server *s, const struct sync_download *m)
{
    struct server_file *f = &s->files[m->file];

    if (f->n_askers == SYNC_NODES)
        return;
    f->askers[f->n_askers++] = (struct server_asker){.node = m->node, .session = m->session};
    next_turn(s, m->file);
}

void server_on_done(struct server *s, const struct sync_done *m)
{
    end_turn(s, m->file, m->node);
}

/* ---- Uploads -------------------------------------------------------------------------------- */

/* Tells all nodes but one that there is something new. */
static void notify(struct server *s, uint32_t file, uint32_t but)
{
    struct sync_notify m = {.file = file, .revision = ++s->files[file].revision};

    for (uint32_t node = 0; node < s->n_nodes; node++) {
        if (node != but)
            s->io->send(s->io_self, node, SYNC_NOTIFY, &m);
    }
}

/* Decides about what a node has written. It replaces the server's if the node has seen that, or if
 * there is none: a deletion gives way to a write. Otherwise it becomes a conflict file, unless
 * nothing is lost without one. Returns the version that the node has now; 0: an old one. */
static uint32_t decide(struct server *s, const struct sync_upload *m)
{
    struct server_file *f = &s->files[m->file];
    bool yields = f->value == 0 && !s->wrong->delete_beats_write;

    if (m->base == f->version || yields) {
        if (m->value != f->value) {
            f->value = m->value;
            f->version++;
            notify(s, m->file, m->node);
        }
        return f->version;
    }
    if (m->value != 0 && (m->value != f->value || s->wrong->same_is_conflict) &&
        !s->wrong->drop_conflict) {
        f->conflicts |= UINT64_C(1) << m->value;
        notify(s, m->file, m->node);
    }
    return 0;
}

void server_on_upload(struct server *s, const struct sync_upload *m)
{
    struct sync_upload_ack ack = {.file = m->file, .session = m->session, .serial = m->serial};

    ack.version = decide(s, m);
    ack.revision = s->files[m->file].revision;
    s->files[m->file].last[m->node] =
        (struct server_last){.serial = m->serial, .version = ack.version};
    s->io->send(s->io_self, m->node, SYNC_UPLOAD_ACK, &ack);
    end_turn(s, m->file, m->node);
}

/* ---- Daemons that come and go --------------------------------------------------------------- */

void server_on_hello(struct server *s, const struct sync_node *m)
{
    for (uint32_t file = 0; file < SYNC_FILES; file++) {
        struct sync_notify news = {.file = file, .revision = s->files[file].revision};

        if (news.revision > 0)
            s->io->send(s->io_self, m->node, SYNC_NOTIFY, &news);
    }
}

/* All that the daemon has sent has come before this. */
void server_on_gone(struct server *s, const struct sync_node *m)
{
    for (uint32_t file = 0; file < SYNC_FILES; file++) {
        struct server_file *f = &s->files[file];
        uint32_t n = 0;

        for (uint32_t i = 0; i < f->n_askers; i++) {
            if (f->askers[i].node != m->node)
                f->askers[n++] = f->askers[i];
        }
        f->n_askers = n;
        end_turn(s, file, m->node);
    }
}
