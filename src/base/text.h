/* text.h - text built in a buffer of fixed size, and written to a descriptor without stdio.
 *
 * The engine formats between restores of libc's memory, so nothing here allocates or keeps state
 * outside the struct. SPDX-License-Identifier: MIT
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Public name: printers of payloads get one. Always zero-terminated; what does not fit is dropped
 * and `cut` is set, unless fd >= 0: then the buffer is written out whenever it is full. */
struct sn_text {
    char *buffer;
    size_t size;
    size_t used;
    bool cut;
    int fd;         /* -1: none */
    size_t flushed; /* bytes that were written to it; those in the buffer are not among them */
    /* It is JSON inside a page: `<`, which JSON has in strings only, is added as \u003c, so that
     * nothing in it can end the element that it stands in. */
    bool is_in_page;
};

void text_init(struct sn_text *out, char *buffer, size_t size);
void text_init_fd(struct sn_text *out, char *buffer, size_t size, int fd);
void text_clear(struct sn_text *out);
void text_add(struct sn_text *out, const char *bytes, size_t n);
void text_puts(struct sn_text *out, const char *s);
void text_putc(struct sn_text *out, char c);
void text_vprint(struct sn_text *out, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void text_print(struct sn_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Pads with spaces up to `column` characters after position `from`. */
void text_pad(struct sn_text *out, size_t from, size_t column);

/* Writes what is buffered. Returns 0, or SN_EIO. */
int text_flush(struct sn_text *out);

#endif
