/* files.h - the files of disks: their contents, their names, and what of both is not durable yet.
 *
 * A file has a durable name and durable contents. What was done to it since its last sync waits in
 * lists: writes of bytes and of sizes in one list per file, writes of names (a file is created,
 * renamed, removed) in one list per disk, because names become durable in the order in which they
 * were given. Reading looks at the durable contents and then at each waiting write in turn, so
 * there is one truth and nothing to keep equal to it.
 *
 * Contents lie in lines of 64 bytes of a mapping that the program under test does not know.
 * Everything is found by number, never by address, and lies in the used prefixes of four arrays,
 * which is what checkpoints copy. Element 0 of files and writes means none. All functions end the
 * trial when a limit is reached. SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_FILES_H
#define SUBSTRATE_FILES_H

#include "substrate/environment.h"

enum {
    FILE_NAME_MAX = 64,      /* with its zero byte */
    FILE_SIZE_MAX = 1 << 30, /* fits into 32 bits, as does the end of every write */
    FILES_MAX = 1 << 13,
    FILES_WRITES_MAX = 1 << 18,
    FILES_LINES_MAX = (1 << 26) >> MEM_SAVING_SHIFT, /* 4 GiB, or less */
};

enum write_kind {
    WRITE_BYTES,
    WRITE_SIZE,
    WRITE_CREATION,
    WRITE_NAME,
    WRITE_REMOVAL,
};

/* Something that was done and is not durable yet. */
struct disk_write {
    uint32_t kind; /* enum write_kind */
    uint32_t next; /* the following one of its list, or of the list of those not in use */
    uint32_t file;
    uint32_t line;     /* of the bytes, or of the name that a creation or renaming gives */
    uint32_t offset;   /* of the bytes; the size for WRITE_SIZE */
    uint32_t n;        /* bytes */
    uint32_t replaced; /* the file that had the new name before; 0: none */
};

struct disk_file {
    char name[FILE_NAME_MAX]; /* as machines see it */
    char durable_name[FILE_NAME_MAX];
    uint32_t next; /* of the disk, in order of creation */
    uint32_t size; /* as machines see it */
    uint32_t durable_size;
    uint32_t stored; /* so many of the durable bytes are kept; those behind them are zeros */
    uint32_t line;   /* where they are kept; 0: nowhere */
    uint32_t room;   /* for bytes there */
    uint32_t first_write;
    uint32_t last_write;
    uint32_t naming; /* the last write of its name; 0: that is durable */
    bool is_visible; /* to machines: it is not removed or replaced */
    bool is_durable; /* its creation is */
};

struct disk {
    uint32_t first_file;
    uint32_t first_naming;
    uint32_t last_naming;
    uint32_t object; /* that steps touch; 0: the disk was never used */
};

struct disks {
    struct disk all[NODES_MAX + 1]; /* by node */
    struct disk_file files[FILES_MAX];
    struct disk_write writes[FILES_WRITES_MAX];
    _Alignas(64) char lines[FILES_LINES_MAX][64];
};

/* The disk of a node, made empty when it is asked for first. */
struct disk *files_disk(struct trial *t, sn_node node);

/* ---- What machines do. All of it waits for a sync. ------------------------------------------- */

/* The file that machines see under this name; 0: none. */
uint32_t files_find(const struct trial *t, const struct disk *disk, const char *name);

/* The same; makes an empty file if there is none. */
uint32_t files_open(struct trial *t, struct disk *disk, const char *name);

/* offset + n and size are at most FILE_SIZE_MAX. */
void files_write(struct trial *t, uint32_t file, uint32_t offset, const void *bytes, uint32_t n);
void files_truncate(struct trial *t, uint32_t file, uint32_t size);

void files_rename(struct trial *t, struct disk *disk, uint32_t file, const char *name);
void files_remove(struct trial *t, struct disk *disk, uint32_t file);

/* Reads bytes that lie before the end of the file. */
void files_read(const struct trial *t, uint32_t file, uint32_t offset, void *bytes, uint32_t n);

/* ---- What becomes of it ---------------------------------------------------------------------- */

/* Makes a file durable, and all names that were given before its own. */
void files_sync(struct trial *t, struct disk *disk, uint32_t file);
void files_sync_all(struct trial *t, struct disk *disk);

/* Makes the first waiting name of a disk durable. */
void files_keep_name(struct trial *t, struct disk *disk);

/* Forgets it. To be followed by the loss of all names that wait behind it, and by files_reopen. */
void files_lose_name(struct trial *t, struct disk *disk);

/* Makes the first bytes (n of them) or the new size (n is not 0) of the first waiting write of a
 * file durable; forgets the rest. */
void files_keep_write(struct trial *t, uint32_t file, uint32_t n);

/* Nothing waits any more: machines see what is durable. */
void files_reopen(struct trial *t, struct disk *disk);

#endif
