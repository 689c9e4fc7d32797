/* disk.c - what programs do with disks, and what a crash leaves of it.
 *
 * Each operation is written down at the disk's object, since the machines of one node share its
 * disk. Its errors come before anything is done, its effect is announced when all is done: a crash
 * in the middle of a step finds every operation either not begun or complete, and complete means
 * not more than that it waits to become durable. SPDX-License-Identifier: MIT
 */
#include "substrate/disk.h"

#include "engine/mem.h"
#include "substrate/files.h"
#include "substrate/machine.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Joining a trial ------------------------------------------------------------------------- */

int disks_join(struct trial *t, struct err *why)
{
    struct disks *all = mem_reserve_shared(sizeof(*all), why);

    t->disks = all;
    if (all == NULL)
        return SN_ENOMEM;
    trial_range_add(t, all->all, &t->now.n_own[OWN_DISKS], sizeof(*all->all));
    trial_range_add(t, all->files, &t->now.n_own[OWN_FILES], sizeof(*all->files));
    trial_range_add(t, all->writes, &t->now.n_own[OWN_WRITES], sizeof(*all->writes));
    trial_range_add(t, all->lines, &t->now.n_own[OWN_DISK_LINES], sizeof(*all->lines));
    return 0;
}

void disks_leave(struct trial *t)
{
    mem_release(t->disks, sizeof(*t->disks));
    t->disks = NULL;
}

/* ---- Misuse ---------------------------------------------------------------------------------- */

static void check_name(struct trial *t, const char *function, const char *name)
{
    if (name == NULL)
        trial_fail(t, "usage", NULL, "%s: the name of the file is NULL", function);
    if (name[0] == '\0')
        trial_fail(t, "usage", NULL, "%s: the name of the file is empty", function);
    if (strnlen(name, FILE_NAME_MAX) == FILE_NAME_MAX)
        trial_fail(t, "usage", NULL, "%s: the name of the file has more than %d bytes: %.63s...",
                   function, FILE_NAME_MAX - 1, name);
}

static void check_bytes(struct trial *t, const char *function, const void *bytes, size_t n)
{
    if (bytes == NULL && n > 0)
        trial_fail(t, "usage", NULL, "%s: %zu bytes at NULL", function, n);
    if (n > SSIZE_MAX)
        trial_fail(t, "usage", NULL, "%s: %zu bytes are more than there can be", function, n);
}

/* A file may not grow beyond its largest size. */
static void check_end(struct trial *t, const char *function, const char *name, uint64_t offset,
                      uint64_t n)
{
    if (offset > FILE_SIZE_MAX || n > FILE_SIZE_MAX - offset)
        trial_fail(t, "limit", NULL, "%s: %s would have more than %d GiB", function, name,
                   FILE_SIZE_MAX >> 30);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static void note(struct trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct trial *t, const char *format, ...)
{
    char text[256];
    va_list args;

    if (likely(t->recorder == NULL))
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    trial_record(t, note, text);
}

static struct disk *disk_here(struct trial *t)
{
    struct disk *disk = files_disk(t, environment_node_here(t));

    trial_touch(t, disk->object);
    return disk;
}

/* The disk of no node never fails. */
static bool disk_fails(struct trial *t, const struct disk *disk, const char *what, const char *name)
{
    sn_node node = (sn_node)(disk - t->disks->all);

    if (node == SN_NO_NODE || !environment_disk_fails(t, node))
        return false;
    note(t, "disk: %s of %s fails", what, name);
    return true;
}

/* The end of an operation that has changed something. The disk of no node never loses anything. */
static int finish(struct trial *t, struct disk *disk)
{
    if (disk == &t->disks->all[SN_NO_NODE])
        files_sync_all(t, disk);
    environment_effect(t);
    return 0;
}

int sn_disk_write(const char *file, uint64_t offset, const void *bytes, size_t n)
{
    struct trial *t = machine_acting_trial("sn_disk_write");
    struct disk *disk;

    check_name(t, "sn_disk_write", file);
    check_bytes(t, "sn_disk_write", bytes, n);
    check_end(t, "sn_disk_write", file, offset, n);
    disk = disk_here(t);
    if (disk_fails(t, disk, "write", file))
        return SN_EIO;
    files_write(t, files_open(t, disk, file), (uint32_t)offset, bytes, (uint32_t)n);
    note(t, "disk: write %zu bytes at %llu of %s", n, (unsigned long long)offset, file);
    return finish(t, disk);
}

int sn_disk_append(const char *file, const void *bytes, size_t n)
{
    struct trial *t = machine_acting_trial("sn_disk_append");
    struct disk *disk;
    uint32_t number;
    uint32_t size;

    check_name(t, "sn_disk_append", file);
    check_bytes(t, "sn_disk_append", bytes, n);
    disk = disk_here(t);
    number = files_find(t, disk, file);
    size = number != 0 ? t->disks->files[number].size : 0;
    check_end(t, "sn_disk_append", file, size, n);
    if (disk_fails(t, disk, "append", file))
        return SN_EIO;
    files_write(t, files_open(t, disk, file), size, bytes, (uint32_t)n);
    note(t, "disk: append %zu bytes to %s", n, file);
    return finish(t, disk);
}

int sn_disk_truncate(const char *file, uint64_t size)
{
    struct trial *t = machine_acting_trial("sn_disk_truncate");
    struct disk *disk;

    check_name(t, "sn_disk_truncate", file);
    check_end(t, "sn_disk_truncate", file, size, 0);
    disk = disk_here(t);
    if (disk_fails(t, disk, "truncation", file))
        return SN_EIO;
    files_truncate(t, files_open(t, disk, file), (uint32_t)size);
    note(t, "disk: truncate %s to %llu bytes", file, (unsigned long long)size);
    return finish(t, disk);
}

int sn_disk_rename(const char *from, const char *to)
{
    struct trial *t = machine_acting_trial("sn_disk_rename");
    struct disk *disk;
    uint32_t number;

    check_name(t, "sn_disk_rename", from);
    check_name(t, "sn_disk_rename", to);
    disk = disk_here(t);
    if (disk_fails(t, disk, "renaming", from))
        return SN_EIO;
    number = files_find(t, disk, from);
    if (number == 0)
        return SN_ENOTFOUND;
    files_rename(t, disk, number, to);
    note(t, "disk: rename %s to %s", from, to);
    return finish(t, disk);
}

int sn_disk_remove(const char *file)
{
    struct trial *t = machine_acting_trial("sn_disk_remove");
    struct disk *disk;
    uint32_t number;

    check_name(t, "sn_disk_remove", file);
    disk = disk_here(t);
    if (disk_fails(t, disk, "removal", file))
        return SN_EIO;
    number = files_find(t, disk, file);
    if (number == 0)
        return SN_ENOTFOUND;
    files_remove(t, disk, number);
    note(t, "disk: remove %s", file);
    return finish(t, disk);
}

static int sync_all(struct trial *t)
{
    struct disk *disk = disk_here(t);

    if (disk_fails(t, disk, "sync", "everything"))
        return SN_EIO;
    files_sync_all(t, disk);
    note(t, "disk: sync everything");
    return finish(t, disk);
}

int sn_disk_sync(const char *file)
{
    struct trial *t = machine_acting_trial("sn_disk_sync");
    struct disk *disk;
    uint32_t number;

    if (file == NULL)
        return sync_all(t);
    check_name(t, "sn_disk_sync", file);
    disk = disk_here(t);
    if (disk_fails(t, disk, "sync", file))
        return SN_EIO;
    number = files_find(t, disk, file);
    if (number == 0)
        return SN_ENOTFOUND;
    files_sync(t, disk, number);
    note(t, "disk: sync %s", file);
    return finish(t, disk);
}

int64_t sn_disk_read(const char *file, uint64_t offset, void *bytes, size_t n)
{
    struct trial *t = machine_acting_trial("sn_disk_read");
    struct disk *disk;
    uint32_t number;
    uint32_t size;

    check_name(t, "sn_disk_read", file);
    check_bytes(t, "sn_disk_read", bytes, n);
    disk = disk_here(t);
    if (disk_fails(t, disk, "read", file))
        return SN_EIO;
    number = files_find(t, disk, file);
    if (number == 0)
        return SN_ENOTFOUND;
    size = t->disks->files[number].size;
    if (offset >= size)
        n = 0;
    else if (n > size - offset)
        n = (size_t)(size - offset);
    if (n > 0)
        files_read(t, number, (uint32_t)offset, bytes, (uint32_t)n);
    note(t, "disk: read %zu bytes at %llu of %s", n, (unsigned long long)offset, file);
    return (int64_t)n;
}

int64_t sn_disk_size(const char *file)
{
    struct trial *t = machine_acting_trial("sn_disk_size");
    uint32_t number;

    check_name(t, "sn_disk_size", file);
    number = files_find(t, disk_here(t), file);
    return number != 0 ? (int64_t)t->disks->files[number].size : -1;
}

/* ---- Stops and crashes ----------------------------------------------------------------------- */

/* What survives of the writes that wait. In this order, because a draw of 0 is the simplest. */
enum fate {
    FATE_LOST,
    FATE_KEPT,
    FATE_DRAWN, /* one by one */
};

/* NULL: nothing was ever done with it. */
static struct disk *disk_in_use(struct trial *t, sn_node node)
{
    struct disk *disk;

    sn_check(node != SN_NO_NODE && node <= NODES_MAX);
    disk = &t->disks->all[node];
    if (node >= t->now.n_own[OWN_DISKS] || disk->object == 0)
        return NULL;
    trial_touch(t, disk->object);
    return disk;
}

void disk_stop(struct trial *t, sn_node node)
{
    struct disk *disk = disk_in_use(t, node);

    if (disk != NULL)
        files_sync_all(t, disk);
}

/* Sectors are counted from the beginning of the file, not of the write. */
static uint32_t sectors_of(const struct disk_write *w)
{
    if (w->kind != WRITE_BYTES)
        return 1;
    return (w->offset + w->n - 1) / SN_SECTOR - w->offset / SN_SECTOR + 1;
}

/* Bytes of a write that lie in its first sectors. */
static uint32_t bytes_in(const struct disk_write *w, uint32_t sectors)
{
    return (w->offset / SN_SECTOR + sectors) * SN_SECTOR - w->offset;
}

static uint32_t count_namings(const struct trial *t, const struct disk *disk)
{
    uint32_t n = 0;

    for (uint32_t i = disk->first_naming; i != 0; i = t->disks->writes[i].next)
        n++;
    return n;
}

/* In how many parts what waits can be lost; exact only as far as it matters: 0, 1 or more. */
static uint32_t count_parts(const struct trial *t, const struct disk *disk)
{
    uint32_t n = count_namings(t, disk);

    for (uint32_t i = disk->first_file; i != 0; i = t->disks->files[i].next) {
        for (uint32_t k = t->disks->files[i].first_write; k != 0; k = t->disks->writes[k].next)
            n += sectors_of(&t->disks->writes[k]);
    }
    return n;
}

static void note_name(struct trial *t, sn_node node, uint32_t write, bool is_kept)
{
    const struct disk_write *w = &t->disks->writes[write];
    const char *fate = is_kept ? "kept" : "lost";
    const char *name = t->disks->lines[w->line];

    if (likely(t->recorder == NULL))
        return;
    if (w->kind == WRITE_CREATION)
        note(t, "disk of %s: %s: creation of %s", sn_node_name(node), fate, name);
    else if (w->kind == WRITE_NAME)
        note(t, "disk of %s: %s: renaming to %s", sn_node_name(node), fate, name);
    else
        note(t, "disk of %s: %s: removal of %s", sn_node_name(node), fate,
             t->disks->files[w->file].name);
}

static void note_write(struct trial *t, sn_node node, uint32_t write, uint32_t n)
{
    const struct disk_write *w = &t->disks->writes[write];
    const char *name = t->disks->files[w->file].durable_name;

    if (likely(t->recorder == NULL))
        return;
    if (w->kind == WRITE_SIZE)
        note(t, "disk of %s: %s: truncation of %s to %u bytes", sn_node_name(node),
             n == 0 ? "lost" : "kept", name, w->offset);
    else if (n == 0 || n == w->n)
        note(t, "disk of %s: %s: %u bytes at %u of %s", sn_node_name(node),
             n == 0 ? "lost" : "kept", w->n, w->offset, name);
    else
        note(t, "disk of %s: torn: the first %u of %u bytes at %u of %s", sn_node_name(node), n,
             w->n, w->offset, name);
}

/* Names survive up to one of them, in the order in which they were given. */
static void settle_names(struct trial *t, struct disk *disk, sn_node node, enum fate fate)
{
    uint32_t n = count_namings(t, disk);
    uint32_t n_kept = fate == FATE_KEPT ? n : 0;

    if (fate == FATE_DRAWN && n > 0)
        n_kept = (uint32_t)trial_draw(t, "unsynced names that survive", n + 1);
    for (uint32_t i = 0; i < n; i++) {
        note_name(t, node, disk->first_naming, i < n_kept);
        if (i < n_kept)
            files_keep_name(t, disk);
        else
            files_lose_name(t, disk);
    }
}

/* How many bytes of a write survive; of a truncation, whether it does. */
static uint32_t settle_write(struct trial *t, const struct disk_write *w, enum fate fate)
{
    uint32_t whole = w->kind == WRITE_BYTES ? w->n : 1;
    uint64_t value;

    if (fate != FATE_DRAWN)
        return fate == FATE_KEPT ? whole : 0;
    value = trial_draw(t, "unsynced write survives", 1 + sectors_of(w));
    if (value <= 1)
        return value == 0 ? 0 : whole;
    return bytes_in(w, (uint32_t)value - 1);
}

void disk_crash(struct trial *t, sn_node node)
{
    struct disk *disk = disk_in_use(t, node);
    uint32_t n_parts = disk != NULL ? count_parts(t, disk) : 0;
    enum fate fate;

    if (n_parts == 0)
        return;
    fate = (enum fate)trial_draw(t, "what was not synced", n_parts > 1 ? 3 : 2);
    settle_names(t, disk, node, fate);
    for (uint32_t i = disk->first_file; i != 0; i = t->disks->files[i].next) {
        const struct disk_file *f = &t->disks->files[i];

        while (f->first_write != 0) {
            uint32_t n = settle_write(t, &t->disks->writes[f->first_write], fate);

            note_write(t, node, f->first_write, n);
            files_keep_write(t, i, n);
        }
    }
    files_reopen(t, disk);
}
