/* source.c - see source.h.
 *
 * zlib is looked for when a file is opened, so that neither the library nor the command needs it.
 * Its gzread passes bytes that are not compressed through unchanged, so it serves pipes too, where
 * nobody can look at the first bytes and go back. Without zlib bytes are read as they are, and only
 * a file that turns out to be compressed is refused. SPDX-License-Identifier: MIT
 */
#include "history/source.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sennit/test.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The functions of zlib that are used; resolved anew for each source. They lie at the end of its
 * buffer. */
struct source_zlib {
    void *library;
    void *(*open)(int fd, const char *mode);
    int (*read)(void *file, void *bytes, unsigned n);
    int (*close)(void *file);
    const char *(*error)(void *file, int *code);
};

static const size_t mapping = SOURCE_BUFFER + sizeof(struct source_zlib);

/* A function by its name. POSIX allows what ISO C does not, hence the copy. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *found = dlsym(library, name);

    sn_check(size == sizeof(found));
    memcpy(function, &found, size);
    return found != NULL;
}

/* Opens the descriptor with zlib, if there is one. It stays the caller's. */
static void open_zlib(struct source *source)
{
    struct source_zlib zlib = {.library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL)};
    int copy;

    if (zlib.library == NULL)
        return;
    if (find(zlib.library, "gzdopen", &zlib.open, sizeof(zlib.open)) &&
        find(zlib.library, "gzread", &zlib.read, sizeof(zlib.read)) &&
        find(zlib.library, "gzclose", &zlib.close, sizeof(zlib.close)) &&
        find(zlib.library, "gzerror", &zlib.error, sizeof(zlib.error))) {
        copy = dup(source->fd);
        source->gz = copy < 0 ? NULL : zlib.open(copy, "rb");
        if (source->gz == NULL && copy >= 0)
            (void)close(copy);
    }
    if (source->gz == NULL) {
        (void)dlclose(zlib.library);
        return;
    }
    memcpy(source->buffer + SOURCE_BUFFER, &zlib, sizeof(zlib));
    source->zlib = (const struct source_zlib *)(void *)(source->buffer + SOURCE_BUFFER);
}

int source_open(struct source *source, const char *path, struct err *why)
{
    bool is_input = strcmp(path, "-") == 0;
    void *memory;

    *source = (struct source){.name = is_input ? "standard input" : path, .line = 1, .fd = -1};
    memory = mmap(NULL, mapping, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return source_fail(source, SN_ENOMEM, 0, why, "there is not enough memory");
    source->buffer = memory;
    source->at = source->end = source->buffer;
    source->fd = is_input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0) {
        int code = errno == ENOENT ? SN_ENOTFOUND : SN_EIO;

        (void)source_fail(source, code, 0, why, "cannot be opened: %s", strerror(errno));
        source_close(source);
        return code;
    }
    open_zlib(source);
    return 0;
}

void source_open_memory(struct source *source, const char *name, const char *bytes, size_t n,
                        uint64_t line)
{
    const unsigned char *start = (const unsigned char *)bytes;

    *source = (struct source){
        .name = name, .at = start, .end = start + n, .line = line, .bytes = n, .fd = -1};
}

void source_close(struct source *source)
{
    if (source->gz != NULL) {
        void *library = source->zlib->library;

        (void)source->zlib->close(source->gz);
        (void)dlclose(library);
    }
    if (source->fd >= 0)
        (void)close(source->fd);
    if (source->buffer != NULL)
        (void)munmap(source->buffer, mapping);
    grow_done(&source->text);
    source->gz = NULL;
    source->fd = -1;
    source->buffer = NULL;
    source->at = source->end = NULL;
}

static void note_failure(struct source *source, const char *cause)
{
    source->has_failed = true;
    (void)source_fail(source, SN_EIO, source->line, &source->why, "%s", cause);
}

/* Up to a buffer of bytes; 0 at the end or after a failure. */
static size_t read_some(struct source *source)
{
    int code = 0;
    ssize_t n;

    if (source->gz != NULL) {
        n = source->zlib->read(source->gz, source->buffer, SOURCE_BUFFER);
        if (n <= 0) {
            (void)source->zlib->error(source->gz, &code);
            if (n < 0 || code < 0)
                note_failure(source, code == -1 ? strerror(errno)
                                                : "it is compressed, but damaged or cut short");
        }
        return n < 0 ? 0 : (size_t)n;
    }
    do
        n = read(source->fd, source->buffer, SOURCE_BUFFER);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        note_failure(source, strerror(errno));
    if (source->bytes == 0 && n >= 2 && source->buffer[0] == 0x1f && source->buffer[1] == 0x8b) {
        note_failure(source, "it is compressed, and there is no libz.so.1 to read it with");
        return 0;
    }
    return n < 0 ? 0 : (size_t)n;
}

bool source_fill(struct source *source)
{
    size_t n;

    sn_check(source->at == source->end);
    if (source->buffer == NULL || source->has_failed)
        return false;
    n = read_some(source);
    source->at = source->buffer;
    source->end = source->buffer + n;
    source->bytes += n;
    if (n > 0 && source->on_read != NULL)
        source->on_read(source->self, source);
    return n > 0;
}

int source_line(struct source *source, const char **text, size_t *n, uint64_t *number,
                struct err *why)
{
    size_t used = 0;

    *number = source->line;
    while (source_peek(source) != SOURCE_END) {
        size_t here = (size_t)(source->end - source->at);
        const unsigned char *newline = memchr(source->at, '\n', here);
        size_t piece = newline == NULL ? here : (size_t)(newline - source->at);

        if (piece > SOURCE_LINE_MAX - used)
            return source_fail(source, SN_EFORMAT, *number, why, "a line is longer than %d bytes",
                               SOURCE_LINE_MAX);
        if (grow_to(&source->text, used + piece + 1, 1) < 0)
            return source_fail(source, SN_ENOMEM, *number, why, "there is not enough memory");
        memcpy((char *)source->text.base + used, source->at, piece);
        used += piece;
        source->at += piece;
        if (newline != NULL) {
            source_take(source);
            break;
        }
    }
    if (source->has_failed) {
        *why = source->why;
        return SN_EIO;
    }
    if (used == 0 && source->line == *number)
        return 0;
    if (grow_to(&source->text, used + 1, 1) < 0)
        return source_fail(source, SN_ENOMEM, *number, why, "there is not enough memory");
    ((char *)source->text.base)[used] = '\0';
    *text = source->text.base;
    *n = used;
    return 1;
}
