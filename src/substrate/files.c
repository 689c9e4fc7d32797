/* files.c - see files.h. SPDX-License-Identifier: MIT */
#include "substrate/files.h"

#include "base/rng.h"
#include "substrate/machine.h"

#include <string.h>

enum {
    LINE_BYTES = 64,
    BLOCK_CLASSES = 25, /* blocks of 1, 2, 4 ... lines, up to the largest file */
    HEAD_LINES = 2,
};

/* The first lines of the pool: what is not in use. The lists of blocks go through the first bytes
 * of the blocks. */
struct pool_head {
    uint32_t blocks[BLOCK_CLASSES];
    uint32_t file;
    uint32_t write;
};

static_assert(sizeof(struct pool_head) <= HEAD_LINES * LINE_BYTES, "the head has its own lines");
static_assert((uint64_t)LINE_BYTES << (BLOCK_CLASSES - 1) == FILE_SIZE_MAX,
              "the largest block holds the largest file");
static_assert((int)FILE_NAME_MAX == (int)LINE_BYTES, "a name fills one line");

#define DISK_ID UINT64_C(0x6469736b) /* apart from the ids of other objects */

static struct pool_head *pool_head(const struct trial *t)
{
    return (struct pool_head *)t->disks->lines[0];
}

static struct disk_file *file_at(const struct trial *t, uint32_t file)
{
    return &t->disks->files[file];
}

static struct disk_write *write_at(const struct trial *t, uint32_t write)
{
    return &t->disks->writes[write];
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static uint32_t block_class(uint32_t bytes)
{
    uint32_t lines = (bytes + LINE_BYTES - 1) / LINE_BYTES;

    return lines <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(lines - 1);
}

static uint32_t block_new(struct trial *t, uint32_t bytes)
{
    uint32_t class = block_class(bytes);
    uint32_t line = pool_head(t)->blocks[class];

    if (line != 0) {
        memcpy(&pool_head(t)->blocks[class], t->disks->lines[line], sizeof(line));
        return line;
    }
    line = t->now.n_own[OWN_DISK_LINES];
    if ((UINT32_C(1) << class) > FILES_LINES_MAX - line)
        trial_fail(t, "limit", NULL, "the disks of the trial hold more than %zu MiB",
                   (size_t)FILES_LINES_MAX * LINE_BYTES >> 20);
    t->now.n_own[OWN_DISK_LINES] = line + (UINT32_C(1) << class);
    return line;
}

/* bytes as when it was made; line 0 is no block. */
static void block_free(struct trial *t, uint32_t line, uint32_t bytes)
{
    uint32_t *first = &pool_head(t)->blocks[block_class(bytes)];

    if (line == 0)
        return;
    memcpy(t->disks->lines[line], first, sizeof(line));
    *first = line;
}

/* ---- Disks, files and writes ----------------------------------------------------------------- */

/* Nothing of this is touched in a trial that uses no disk. */
static void begin(struct trial *t)
{
    memset(t->disks->lines[0], 0, (size_t)HEAD_LINES * LINE_BYTES);
    t->now.n_own[OWN_DISK_LINES] = HEAD_LINES;
    t->now.n_own[OWN_FILES] = 1;
    t->now.n_own[OWN_WRITES] = 1;
}

struct disk *files_disk(struct trial *t, sn_node node)
{
    struct disk *disk = &t->disks->all[node];

    if (t->now.n_own[OWN_DISK_LINES] == 0)
        begin(t);
    while (t->now.n_own[OWN_DISKS] <= node)
        t->disks->all[t->now.n_own[OWN_DISKS]++] = (struct disk){0};
    if (disk->object == 0)
        disk->object = trial_object_new(t, mix_pair(DISK_ID, node));
    return disk;
}

static uint32_t file_new(struct trial *t, struct disk *disk, const char *name)
{
    uint32_t *place = &disk->first_file;
    uint32_t file = pool_head(t)->file;

    if (file != 0) {
        pool_head(t)->file = file_at(t, file)->next;
    } else {
        if (t->now.n_own[OWN_FILES] == FILES_MAX)
            trial_fail(t, "limit", NULL, "the disks of the trial hold more than %d files",
                       FILES_MAX - 1);
        file = t->now.n_own[OWN_FILES]++;
    }
    *file_at(t, file) = (struct disk_file){.is_visible = true};
    memcpy(file_at(t, file)->name, name, strlen(name));
    while (*place != 0)
        place = &file_at(t, *place)->next;
    *place = file;
    return file;
}

static uint32_t write_new(struct trial *t, uint32_t file, enum write_kind kind)
{
    uint32_t write = pool_head(t)->write;

    if (write != 0) {
        pool_head(t)->write = write_at(t, write)->next;
    } else {
        if (t->now.n_own[OWN_WRITES] == FILES_WRITES_MAX)
            trial_fail(t, "limit", NULL, "more than %d writes to the trial's disks are not synced",
                       FILES_WRITES_MAX - 1);
        write = t->now.n_own[OWN_WRITES]++;
    }
    *write_at(t, write) = (struct disk_write){.kind = kind, .file = file};
    return write;
}

static void write_free(struct trial *t, uint32_t write)
{
    struct disk_write *w = write_at(t, write);

    block_free(t, w->line, w->kind == WRITE_BYTES ? w->n : FILE_NAME_MAX);
    w->next = pool_head(t)->write;
    pool_head(t)->write = write;
}

static void append(struct trial *t, uint32_t write, uint32_t *first, uint32_t *last)
{
    if (*first == 0)
        *first = write;
    else
        write_at(t, *last)->next = write;
    *last = write;
}

static void take_first(struct trial *t, uint32_t *first)
{
    uint32_t write = *first;

    *first = write_at(t, write)->next;
    write_free(t, write);
}

/* A file that is gone for good, with all that waits for it. */
static void file_free(struct trial *t, struct disk *disk, uint32_t file)
{
    struct disk_file *f = file_at(t, file);
    uint32_t *place = &disk->first_file;

    while (f->first_write != 0)
        take_first(t, &f->first_write);
    block_free(t, f->line, f->room);
    while (*place != file)
        place = &file_at(t, *place)->next;
    *place = f->next;
    f->next = pool_head(t)->file;
    pool_head(t)->file = file;
}

/* ---- What machines do ------------------------------------------------------------------------ */

uint32_t files_find(const struct trial *t, const struct disk *disk, const char *name)
{
    uint32_t file = disk->first_file;

    while (file != 0 &&
           !(file_at(t, file)->is_visible && strcmp(file_at(t, file)->name, name) == 0))
        file = file_at(t, file)->next;
    return file;
}

/* Adds to what waits for a disk's names; name may be NULL. */
static struct disk_write *add_naming(struct trial *t, struct disk *disk, uint32_t file,
                                     enum write_kind kind, const char *name)
{
    uint32_t write = write_new(t, file, kind);
    struct disk_write *w = write_at(t, write);

    if (name != NULL) {
        w->line = block_new(t, FILE_NAME_MAX);
        memset(t->disks->lines[w->line], 0, FILE_NAME_MAX);
        memcpy(t->disks->lines[w->line], name, strlen(name));
    }
    append(t, write, &disk->first_naming, &disk->last_naming);
    file_at(t, file)->naming = write;
    return w;
}

uint32_t files_open(struct trial *t, struct disk *disk, const char *name)
{
    uint32_t file = files_find(t, disk, name);

    if (file == 0) {
        file = file_new(t, disk, name);
        (void)add_naming(t, disk, file, WRITE_CREATION, name);
    }
    return file;
}

void files_write(struct trial *t, uint32_t file, uint32_t offset, const void *bytes, uint32_t n)
{
    struct disk_file *f = file_at(t, file);
    struct disk_write *w;
    uint32_t write;

    if (n == 0)
        return;
    write = write_new(t, file, WRITE_BYTES);
    w = write_at(t, write);
    w->line = block_new(t, n);
    w->offset = offset;
    w->n = n;
    memcpy(t->disks->lines[w->line], bytes, n);
    append(t, write, &f->first_write, &f->last_write);
    if (f->size < offset + n)
        f->size = offset + n;
}

void files_truncate(struct trial *t, uint32_t file, uint32_t size)
{
    struct disk_file *f = file_at(t, file);
    uint32_t write;

    if (f->first_write == 0 && f->durable_size == size)
        return;
    write = write_new(t, file, WRITE_SIZE);
    write_at(t, write)->offset = size;
    append(t, write, &f->first_write, &f->last_write);
    f->size = size;
}

void files_rename(struct trial *t, struct disk *disk, uint32_t file, const char *name)
{
    uint32_t replaced = files_find(t, disk, name);
    struct disk_file *f = file_at(t, file);

    if (replaced == file)
        return;
    add_naming(t, disk, file, WRITE_NAME, name)->replaced = replaced;
    if (replaced != 0)
        file_at(t, replaced)->is_visible = false;
    memset(f->name, 0, sizeof(f->name));
    memcpy(f->name, name, strlen(name));
}

void files_remove(struct trial *t, struct disk *disk, uint32_t file)
{
    (void)add_naming(t, disk, file, WRITE_REMOVAL, NULL);
    file_at(t, file)->is_visible = false;
}

/* The part of [from, from + n) that lies in what is read: where it begins there, and its length. */
static uint32_t overlap(uint32_t from, uint32_t n, uint32_t offset, uint32_t read, uint32_t *begins)
{
    uint32_t begin = from > offset ? from : offset;
    uint32_t end = from + n < offset + read ? from + n : offset + read;

    *begins = begin - offset;
    return begin < end ? end - begin : 0;
}

void files_read(const struct trial *t, uint32_t file, uint32_t offset, void *bytes, uint32_t n)
{
    const struct disk_file *f = file_at(t, file);
    char *to = bytes;
    uint32_t at;
    uint32_t part = overlap(0, f->stored, offset, n, &at);

    memset(to, 0, n);
    if (part > 0)
        memcpy(to, t->disks->lines[f->line] + offset, part);
    for (uint32_t i = f->first_write; i != 0; i = write_at(t, i)->next) {
        const struct disk_write *w = write_at(t, i);

        if (w->kind == WRITE_SIZE) {
            part = overlap(w->offset, FILE_SIZE_MAX, offset, n, &at);
            memset(to + at, 0, part);
            continue;
        }
        part = overlap(w->offset, w->n, offset, n, &at);
        if (part > 0)
            memcpy(to + at, t->disks->lines[w->line] + (offset + at - w->offset), part);
    }
}

/* ---- What becomes of it ---------------------------------------------------------------------- */

/* Makes room for the first `bytes` of the durable contents. */
static void hold(struct trial *t, struct disk_file *f, uint32_t bytes)
{
    uint32_t line;

    if (bytes <= f->room)
        return;
    line = block_new(t, bytes);
    if (f->stored > 0)
        memcpy(t->disks->lines[line], t->disks->lines[f->line], f->stored);
    block_free(t, f->line, f->room);
    f->line = line;
    f->room = (uint32_t)LINE_BYTES << block_class(bytes);
}

static void keep_bytes(struct trial *t, struct disk_file *f, const struct disk_write *w, uint32_t n)
{
    uint32_t end = w->offset + n;

    if (end > f->stored) {
        hold(t, f, end);
        if (w->offset > f->stored)
            memset(t->disks->lines[f->line] + f->stored, 0, w->offset - f->stored);
        f->stored = end;
    }
    memcpy(t->disks->lines[f->line] + w->offset, t->disks->lines[w->line], n);
    if (f->durable_size < end)
        f->durable_size = end;
}

static void keep_size(struct disk_file *f, uint32_t size)
{
    f->durable_size = size;
    if (f->stored > size)
        f->stored = size;
}

void files_keep_write(struct trial *t, uint32_t file, uint32_t n)
{
    struct disk_file *f = file_at(t, file);
    const struct disk_write *w = write_at(t, f->first_write);

    if (n > 0 && w->kind == WRITE_SIZE)
        keep_size(f, w->offset);
    else if (n > 0)
        keep_bytes(t, f, w, n);
    take_first(t, &f->first_write);
}

void files_keep_name(struct trial *t, struct disk *disk)
{
    const struct disk_write *w = write_at(t, disk->first_naming);
    struct disk_file *f = file_at(t, w->file);

    if (f->naming == disk->first_naming)
        f->naming = 0;
    if (w->kind == WRITE_REMOVAL) {
        file_free(t, disk, w->file);
    } else {
        memcpy(f->durable_name, t->disks->lines[w->line], FILE_NAME_MAX);
        f->is_durable = true;
        if (w->replaced != 0)
            file_free(t, disk, w->replaced);
    }
    take_first(t, &disk->first_naming);
}

void files_lose_name(struct trial *t, struct disk *disk)
{
    const struct disk_write *w = write_at(t, disk->first_naming);

    /* What comes later in the list may name this file, but is lost as well and does not look at
     * it. */
    if (w->kind == WRITE_CREATION)
        file_free(t, disk, w->file);
    take_first(t, &disk->first_naming);
}

static void sync_contents(struct trial *t, uint32_t file)
{
    const struct disk_file *f = file_at(t, file);

    while (f->first_write != 0) {
        const struct disk_write *w = write_at(t, f->first_write);

        files_keep_write(t, file, w->kind == WRITE_SIZE ? 1 : w->n);
    }
}

void files_sync(struct trial *t, struct disk *disk, uint32_t file)
{
    while (file_at(t, file)->naming != 0)
        files_keep_name(t, disk);
    sync_contents(t, file);
}

void files_sync_all(struct trial *t, struct disk *disk)
{
    while (disk->first_naming != 0)
        files_keep_name(t, disk);
    for (uint32_t i = disk->first_file; i != 0; i = file_at(t, i)->next)
        sync_contents(t, i);
}

void files_reopen(struct trial *t, struct disk *disk)
{
    for (uint32_t i = disk->first_file; i != 0; i = file_at(t, i)->next) {
        struct disk_file *f = file_at(t, i);

        sn_check(f->is_durable && f->first_write == 0);
        memcpy(f->name, f->durable_name, FILE_NAME_MAX);
        f->size = f->durable_size;
        f->naming = 0;
        f->is_visible = true;
    }
}
