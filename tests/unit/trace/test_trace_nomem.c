/* test_trace_nomem.c - reading a trace while the machine's memory is exhausted: each mapping that
 * the reader asks for is refused in turn. The linker sends its calls here (--wrap).
 * SPDX-License-Identifier: MIT
 */
#include "sample.h"
#include "trace/trace.h"

#include <errno.h>
#include <sennit/test.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static int countdown = -1; /* calls until one is refused; negative: none is */

static int is_refused(void)
{
    return countdown >= 0 && countdown-- == 0;
}

void *__real_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *__real_mremap(void *at, size_t n, size_t size, int flags, ...);
void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *__wrap_mremap(void *at, size_t n, size_t size, int flags);

void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    errno = ENOMEM;
    return is_refused() ? MAP_FAILED : __real_mmap(at, n, protection, flags, fd, offset);
}

void *__wrap_mmap64(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    return __wrap_mmap(at, n, protection, flags, fd, offset);
}

void *__wrap_mremap(void *at, size_t n, size_t size, int flags)
{
    errno = ENOMEM;
    return is_refused() ? MAP_FAILED : __real_mremap(at, n, size, flags);
}

/* A trace of more than a megabyte, so that every kind of growth is met. */
static void write_large(const char *path, int fd)
{
    static char buffer[65536];
    static char text[60000];
    struct trace_header header = sample_header();
    struct trace_verdict verdict = sample_verdict(0);
    struct trace_record note = {.kind = TRACE_NOTE, .note = {.text = {text, sizeof(text)}}};
    struct trace_writer w;
    struct sn_text out;

    (void)path;
    memset(text, 'a', sizeof(text));
    text_init_fd(&out, buffer, sizeof(buffer), fd);
    trace_writer_init(&w, &out);
    assert_int_equal(trace_write_header(&w, &header), 0);
    for (int i = 0; i < 30; i++)
        assert_int_equal(trace_write_record(&w, &note), 0);
    assert_int_equal(trace_write_verdict(&w, &verdict), 0);
    assert_int_equal(trace_write_end(&w), 0);
}

static void every_refused_mapping_is_reported(void **state)
{
    char path[] = "/tmp/sennit-test-XXXXXX";
    int fd = mkstemp(path);
    struct trace trace;
    struct err why;
    int refused;

    (void)state;
    assert_true(fd >= 0);
    write_large(path, fd);
    for (refused = 0; refused < 1000; refused++) {
        int rc;

        why.text[0] = '\0';
        countdown = refused;
        rc = trace_read(&trace, path, &why);
        countdown = -1;
        if (rc == 0)
            break;
        assert_int_equal(rc, SN_ENOMEM);
        assert_non_null(strstr(why.text, path));
        assert_non_null(strstr(why.text, "there is not enough memory to read this trace"));
        assert_null(trace.arena.chunks);
    }

    assert_true(refused > 4);
    assert_true(refused < 1000);
    assert_int_equal(trace.n_records, 30);
    trace_done(&trace);
    (void)close(fd);
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refused_mapping_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
