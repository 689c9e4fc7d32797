/* daemon.c - see daemon.h. SPDX-License-Identifier: MIT */
#include "daemon.h"

#include <string.h>

void daemon_init(struct daemon *d, const struct sync_wrong *wrong, uint32_t node,
                 struct files *files, const struct daemon_io *io, void *io_self)
{
    *d =
        (struct daemon){.io = io, .io_self = io_self, .wrong = wrong, .node = node, .files = files};
    for (uint32_t file = 0; file < SYNC_FILES; file++)
        d->entries[file].version = SYNC_FIRST_VERSION;
}

/* ---- What there is to do -------------------------------------------------------------------- */

/* Whether somebody has changed the file since it was replaced or uploaded. That its contents are
 * the same does not mean that nobody has: what was written may be meant to stay. */
static bool is_changed(const struct daemon *d, uint32_t file)
{
    const struct daemon_entry *e = &d->entries[file];
    const struct file *f = &d->files->all[file];

    if (e->is_replaced ? d->wrong->mtime_size_check : d->wrong->upload_mtime_check)
        return f->stamp.second != e->stamp.second || f->stamp.size != e->stamp.size;
    if (d->wrong->compare_contents)
        return f->value != e->value;
    if (d->progress[file].is_reordered)
        return true;
    return f->stamp.change != e->stamp.change;
}

static bool has_work(const struct daemon *d, uint32_t file)
{
    const struct daemon_entry *e = &d->entries[file];

    return is_changed(d, file) || e->upload.serial != 0 || d->progress[file].known > e->revision;
}

/* Asks for a turn if there is something to do. What exactly is decided when the turn comes. */
static void look_after(struct daemon *d, uint32_t file)
{
    struct daemon_progress *p = &d->progress[file];
    struct sync_download m = {.node = d->node, .file = file, .session = d->session};

    if (p->is_waiting || !has_work(d, file))
        return;
    p->is_waiting = true;
    p->was_changed = is_changed(d, file);
    d->io->send(d->io_self, SYNC_DOWNLOAD, &m);
}

void daemon_start(struct daemon *d)
{
    struct sync_node hello = {.node = d->node};

    memset(d->progress, 0, sizeof(d->progress));
    d->session++;
    d->io->send(d->io_self, SYNC_HELLO, &hello);
    for (uint32_t file = 0; file < SYNC_FILES; file++) {
        if (d->wrong->forget_upload)
            d->entries[file].upload.serial = 0;
        if (!d->wrong->no_rescan)
            look_after(d, file);
    }
}

void daemon_on_change(struct daemon *d, const struct daemon_event *event)
{
    struct daemon_entry *e = &d->entries[event->file];
    struct daemon_progress *p = &d->progress[event->file];

    /* Wrong: the upload has nothing left to send, and the database knows of no file to be gone. */
    if (d->wrong->reupload_after_delete && e->upload.serial != 0 && event->value == 0 &&
        e->stamp.change == 0) {
        e->upload.serial = 0;
        p->is_waiting = false;
    }
    /* Wrong: of what happens to directories in one second, what makes them is sorted before what
     * removes them, as it has to be where they are different directories. */
    if (d->wrong->directory_reorder && event->old == SYNC_DIRECTORY && event->value == 0)
        p->removed = event->second + 1;
    else if (event->value == SYNC_DIRECTORY && p->removed == event->second + 1)
        p->is_reordered = e->value == SYNC_DIRECTORY;
    look_after(d, event->file);
}

void daemon_on_notify(struct daemon *d, const struct sync_notify *m)
{
    struct daemon_entry *e = &d->entries[m->file];

    /* Wrong: makes way for what comes in place of a file that was deleted here, whatever is there
     * by now. */
    if (d->wrong->apply_old_delete && e->value == 0 && e->version != SYNC_FIRST_VERSION &&
        e->aside == 0)
        e->aside = local_files_write(d->files, m->file, 0);
    if (m->revision > d->progress[m->file].known)
        d->progress[m->file].known = m->revision;
    look_after(d, m->file);
}

/* ---- Turns ---------------------------------------------------------------------------------- */

static void upload(struct daemon *d, uint32_t file)
{
    struct daemon_entry *e = &d->entries[file];
    struct sync_upload m = {
        .node = d->node,
        .file = file,
        .session = d->session,
        .value = d->progress[file].is_reordered ? 0 : d->files->all[file].value,
        .base = e->version,
        .serial = ++d->serial,
    };

    e->upload.serial = m.serial;
    e->upload.value = m.value;
    e->upload.stamp = d->files->all[file].stamp;
    d->io->send(d->io_self, SYNC_UPLOAD, &m);
}

/* What was uploaded is from now on what changes are told by. If the server has kept its own, the
 * node's version is an old one, to be replaced. */
static void finish_upload(struct daemon_entry *e, uint32_t version)
{
    e->stamp = e->upload.stamp;
    e->value = e->upload.value;
    e->is_replaced = false;
    e->upload.serial = 0;
    if (version != 0)
        e->version = version;
}

/* Puts what the server has in place of the node's file, which nobody has changed. */
static void replace(struct daemon *d, const struct sync_download_reply *m)
{
    struct daemon_record record = {
        .file = m->file, .session = d->session, .entry = d->entries[m->file]};
    struct daemon_entry *e = &record.entry;

    if (e->version != m->version) {
        (void)local_files_write(d->files, m->file, m->value);
        e->stamp = d->files->all[m->file].stamp;
        e->value = m->value;
        e->version = m->version;
        e->is_replaced = true;
    }
    e->revision = m->revision;
    if (d->wrong->delete_vs_metadata_update)
        d->io->record(d->io_self, &record);
    else
        daemon_on_record(d, &record);
}

void daemon_on_record(struct daemon *d, const struct daemon_record *record)
{
    if (record->session == d->session)
        d->entries[record->file] = record->entry;
}

void daemon_on_reply(struct daemon *d, const struct sync_download_reply *m)
{
    struct daemon_entry *e = &d->entries[m->file];
    struct daemon_progress *p = &d->progress[m->file];
    struct sync_done done = {.node = d->node, .file = m->file};

    if (m->session != d->session)
        return;
    /* An upload that an earlier life of this daemon has sent. */
    if (e->upload.serial != 0 && e->upload.serial == m->last_serial)
        finish_upload(e, m->last_version);
    if (e->aside != 0 && d->files->all[m->file].value == 0)
        (void)local_files_write(d->files, m->file, e->aside);
    e->aside = 0;
    d->files->all[m->file].conflicts |= m->conflicts;
    /* Now, and not when it asked: it has the turn, so nobody changes the server's, and nobody
     * changes the file before this step is over. */
    if (d->wrong->replace_unseen ? p->was_changed : is_changed(d, m->file)) {
        upload(d, m->file);
        return;
    }
    replace(d, m);
    p->is_waiting = false;
    d->io->send(d->io_self, SYNC_DONE, &done);
}

void daemon_on_ack(struct daemon *d, const struct sync_upload_ack *m)
{
    struct daemon_entry *e = &d->entries[m->file];
    struct daemon_progress *p = &d->progress[m->file];
    uint32_t version = p->is_reordered ? 0 : m->version;

    if (m->session != d->session)
        return;
    if (e->upload.serial == m->serial) {
        finish_upload(e, version);
        if (version != 0)
            e->revision = m->revision;
        p->is_waiting = false;
        p->is_reordered = false;
    }
    if (m->revision > p->known)
        p->known = m->revision;
    if (!d->wrong->deaf_while_uploading)
        look_after(d, m->file);
}
