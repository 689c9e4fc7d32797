/* source.h - the bytes of a history, one after the other: of a file, a pipe, either compressed by
 * gzip, or of memory. Nothing is kept but one buffer. SPDX-License-Identifier: MIT
 */
#ifndef HISTORY_SOURCE_H
#define HISTORY_SOURCE_H

#include "base/err.h"
#include "history/grow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SOURCE_BUFFER = 256 * 1024,
    SOURCE_LINE_MAX = 1 << 20, /* bytes of one line, or of one operation */
    SOURCE_END = -1,           /* no byte: the end, or an error that source_failed tells of */
};

struct source {
    const char *name; /* for sentences; borrowed */
    const unsigned char *at;
    const unsigned char *end;
    uint64_t line;         /* of the byte at `at`, from 1 */
    uint64_t bytes;        /* read so far */
    unsigned char *buffer; /* NULL: the bytes are somebody else's */
    void *gz;              /* zlib's handle; NULL: read from fd as it is */
    const struct source_zlib *zlib;
    int fd;
    bool has_failed;
    struct err why;   /* if it has */
    struct grow text; /* the line that source_line gave */

    /* Called whenever a buffer was filled; may be NULL. */
    void (*on_read)(void *self, const struct source *source);
    void *self;
};

/* Opens a file; "-" is standard input. 0; SN_ENOMEM, SN_ENOTFOUND or SN_EIO with a sentence. */
int source_open(struct source *source, const char *path, struct err *why);

/* Reads n bytes of memory, which is borrowed. `line` is the number of their first line. */
void source_open_memory(struct source *source, const char *name, const char *bytes, size_t n,
                        uint64_t line);

/* Closes it; what failed while reading is still told by source->why. */
void source_close(struct source *source);

/* Fills the empty buffer. False at the end. */
bool source_fill(struct source *source);

/* The next byte without taking it, or SOURCE_END. */
static inline int source_peek(struct source *source)
{
    if (source->at == source->end && !source_fill(source))
        return SOURCE_END;
    return *source->at;
}

/* Takes the byte that source_peek gave. */
static inline void source_take(struct source *source)
{
    source->line += *source->at == '\n' ? 1 : 0;
    source->at++;
}

/* The next line, without its end, in *text until the next call; *number is its number. 1; 0 at the
 * end; or SN_EFORMAT if it is too long, SN_ENOMEM, or SN_EIO, with a sentence. */
int source_line(struct source *source, const char **text, size_t *n, uint64_t *number,
                struct err *why);

/* «file:line: cause» in *why. Returns code. */
#define source_fail(source_, code_, line_, why_, ...)                                              \
    err_set_at((why_), (code_), (source_)->name, (line_), __VA_ARGS__)

#endif
