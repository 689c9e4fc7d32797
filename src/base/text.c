/* text.c - see text.h. SPDX-License-Identifier: MIT */
#include "base/text.h"

#include "base/err.h"

#include <errno.h>
#include <poll.h>
#include <sennit/test.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void text_init(struct sn_text *out, char *buffer, size_t size)
{
    text_init_fd(out, buffer, size, -1);
}

void text_init_fd(struct sn_text *out, char *buffer, size_t size, int fd)
{
    sn_check(size > 0);
    *out = (struct sn_text){.buffer = buffer, .size = size, .fd = fd};
    buffer[0] = '\0';
}

void text_clear(struct sn_text *out)
{
    out->used = 0;
    out->cut = false;
    out->buffer[0] = '\0';
}

/* A program that we have started, or that has started us, may have made our output one that does
 * not wait: node does. */
static bool waits_for_room(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};

    return (errno == EAGAIN || errno == EWOULDBLOCK) && poll(&wait, 1, -1) >= 0;
}

int text_flush(struct sn_text *out)
{
    size_t done = 0;

    if (out->fd < 0)
        return 0;
    while (done < out->used) {
        ssize_t n = write(out->fd, out->buffer + done, out->used - done);

        if (n < 0 && (errno == EINTR || waits_for_room(out->fd)))
            continue;
        if (n <= 0) {
            text_clear(out);
            out->cut = true;
            return SN_EIO;
        }
        done += (size_t)n;
    }
    out->flushed += done;
    out->used = 0;
    out->buffer[0] = '\0';
    return out->cut ? SN_EIO : 0;
}

static void add(struct sn_text *out, const char *bytes, size_t n)
{
    while (n > 0) {
        size_t room = out->size - 1 - out->used;
        size_t part = n < room ? n : room;

        memcpy(out->buffer + out->used, bytes, part);
        out->used += part;
        out->buffer[out->used] = '\0';
        bytes += part;
        n -= part;
        if (n == 0)
            return;
        if (out->fd < 0 || text_flush(out) < 0) {
            out->cut = true;
            return;
        }
    }
}

void text_add(struct sn_text *out, const char *bytes, size_t n)
{
    const char *found;

    while (out->is_in_page && (found = memchr(bytes, '<', n)) != NULL) {
        add(out, bytes, (size_t)(found - bytes));
        add(out, "\\u003c", 6);
        n -= (size_t)(found - bytes) + 1;
        bytes = found + 1;
    }
    add(out, bytes, n);
}

void text_puts(struct sn_text *out, const char *s)
{
    text_add(out, s, strlen(s));
}

void text_putc(struct sn_text *out, char c)
{
    text_add(out, &c, 1);
}

void text_vprint(struct sn_text *out, const char *format, va_list args)
{
    char local[1024];
    int n = vsnprintf(local, sizeof(local), format, args);

    if (n < 0)
        return;
    if ((size_t)n >= sizeof(local)) {
        out->cut = true;
        n = (int)sizeof(local) - 1;
    }
    text_add(out, local, (size_t)n);
}

void text_print(struct sn_text *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vprint(out, format, args);
    va_end(args);
}

void text_pad(struct sn_text *out, size_t from, size_t column)
{
    while (out->used < from + column)
        text_putc(out, ' ');
}
