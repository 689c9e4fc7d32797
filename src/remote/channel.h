/* channel.h - lines to and from a program that is a client of recorded events (docs/protocol.md).
 *
 * The program is started with two pipes, or was there before us and has given us two descriptors.
 * SPDX-License-Identifier: MIT
 */
#ifndef REMOTE_CHANNEL_H
#define REMOTE_CHANNEL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CHANNEL_LINE_MAX = 16 << 20 };

/* How a wait for a line has ended. */
enum channel_end {
    CHANNEL_LINE = 0,
    CHANNEL_CLOSED,  /* the other side has ended, or does not read any more */
    CHANNEL_SILENT,  /* nothing came in time */
    CHANNEL_TOO_LONG /* more than CHANNEL_LINE_MAX bytes without a newline */
};

/* Zeroed is closed. */
struct channel {
    bool is_open;
    int in;
    int out;
    pid_t pid; /* of the program; 0: somebody else's */
    char *buffer;
    size_t size;
    size_t used;
    size_t taken;        /* of those, bytes of lines that were handed out */
    unsigned long lines; /* that were read, for complaints */
};

/* Starts `sh -c command`. 0, or SN_ESYSTEM. */
int channel_start(struct channel *c, const char *command, struct err *why);

/* Uses descriptors that are there. */
void channel_use(struct channel *c, int in, int out);

/* Writes a line; the newline is added. CHANNEL_LINE: it was. Nothing may be taken for timeout_ms at
 * most. */
enum channel_end channel_write(struct channel *c, const char *line, size_t n, int timeout_ms);

/* Waits for a line, which is valid until the next call and ends with a zero byte. Nothing may come
 * for timeout_ms at most; -1: for any time. */
enum channel_end channel_read(struct channel *c, int timeout_ms, char **line, size_t *n);

/* Does not wait for a program that is ours to end by itself, when it is closed. */
void channel_kill(struct channel *c);

/* Ends the program, if it is ours, and closes everything. Returns its wait status, 0 if it is not.
 */
int channel_close(struct channel *c);

#endif
