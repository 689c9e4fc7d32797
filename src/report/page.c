/* page.c - see page.h. SPDX-License-Identifier: MIT */
#include "report/page.h"

#include "base/json.h"
#include "base/json_check.h"
#include "engine/mem.h"
#include "report/coverage_file.h"
#include "report/show.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sennit/test.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const list_names[] = {
    [PAGE_RUNS] = "runs", [PAGE_TRIALS] = "trials", [PAGE_HISTORIES] = "histories"};

int page_begin(struct page *page, const char *path, const char *title, struct err *why)
{
    int rc = file_writing_begin(&page->file, path, why);

    if (rc < 0)
        return rc;
    page->list = PAGE_NOTHING;
    page->n = 0;
    text_init_fd(&page->out, page->buffer, sizeof(page->buffer), page->file.fd);
    text_add(&page->out, (const char *)page_before, page_before_size);
    page->out.is_in_page = true;
    text_puts(&page->out, "{\"format\":\"sennit-report\",\"version\":1,\"title\":");
    json_put_string(&page->out, title, strlen(title));
    return 0;
}

/* Begins the next member of a list, and the list before it if it is not open. */
static void begin_member(struct page *page, enum page_list list)
{
    sn_check(list >= page->list);
    if (page->list != list) {
        text_puts(&page->out, page->list == PAGE_NOTHING ? "" : "]");
        text_print(&page->out, ",\n\"%s\":[", list_names[list]);
        page->list = list;
        page->n = 0;
    }
    text_puts(&page->out, page->n++ == 0 ? "\n" : ",\n");
}

static void put_string(struct page *page, const char *key, const char *value)
{
    text_print(&page->out, "\"%s\":", key);
    if (value == NULL)
        text_puts(&page->out, "null");
    else
        json_put_string(&page->out, value, strlen(value));
}

/* ---- Documents ------------------------------------------------------------------------------ */

static uint64_t line_of(const char *bytes, size_t column)
{
    uint64_t line = 1;

    for (size_t i = 0; i + 1 < column; i++)
        line += bytes[i] == '\n' ? 1 : 0;
    return line;
}

/* Copies JSON that somebody has written. */
static int put_bytes(struct page *page, const char *bytes, size_t n, const char *path,
                     struct err *why)
{
    struct json_error error;

    if (!json_check(bytes, n, &error))
        return err_set(why, SN_EFORMAT, "%.300s:%" PRIu64 ": %s", path,
                       line_of(bytes, error.column), error.why);
    text_add(&page->out, bytes, n);
    return 0;
}

static int put_document(struct page *page, const char *path, struct err *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat status;
    void *bytes;
    int rc;

    if (fd < 0)
        return err_set(why, SN_EIO, "%.300s: cannot be opened: %s", path, strerror(errno));
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        (void)close(fd);
        return err_set(why, SN_EFORMAT, "%.300s: is no file", path);
    }
    if (status.st_size == 0 || status.st_size > PAGE_DOCUMENT_MAX) {
        (void)close(fd);
        return err_set(why, SN_EFORMAT, "%.300s: is %s", path,
                       status.st_size == 0 ? "empty" : "larger than 256 MiB");
    }
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    (void)close(fd);
    if (bytes == MAP_FAILED)
        return err_set(why, SN_EIO, "%.300s: cannot be read: %s", path, strerror(errno));
    rc = put_bytes(page, bytes, (size_t)status.st_size, path, why);
    (void)munmap(bytes, (size_t)status.st_size);
    return rc;
}

/* A member with a document, or null if there is none. */
static int put_member(struct page *page, const char *key, const char *path, struct err *why)
{
    text_print(&page->out, ",\n\"%s\":", key);
    if (path != NULL)
        return put_document(page, path, why);
    text_puts(&page->out, "null");
    return 0;
}

static int put_trace(struct page *page, const char *key, const char *path, struct err *why)
{
    struct trace trace;
    int rc;

    text_print(&page->out, ",\n\"%s\":", key);
    if (path == NULL) {
        text_puts(&page->out, "null");
        return 0;
    }
    rc = trace_read(&trace, path, why);
    if (rc < 0)
        return rc;
    rc = show_json(&page->out, &trace, &(struct show_options){0});
    trace_done(&trace);
    return rc < 0 ? err_set(why, rc, "%.300s: cannot be written", page->file.path) : 0;
}

/* What was covered, without the orders: there may be a million of them, and a hash is nothing to
 * look at. */
static int put_coverage(struct page *page, const char *path, struct err *why)
{
    struct run_coverage *c = mem_reserve_shared(sizeof(*c), why);
    int rc;

    if (c == NULL)
        return SN_ENOMEM;
    rc = coverage_read(c, path, why);
    if (rc == 0) {
        c->n_orders = 0;
        coverage_put(&page->out, c);
    }
    mem_release(c, sizeof(*c));
    return rc;
}

/* ---- Members -------------------------------------------------------------------------------- */

int page_add_run(struct page *page, const struct page_run *run, struct err *why)
{
    int rc;

    begin_member(page, PAGE_RUNS);
    text_puts(&page->out, "{");
    put_string(page, "path", run->path);
    rc = put_member(page, "summary", run->summary, why);
    text_puts(&page->out, ",\n\"coverages\":[");
    for (size_t i = 0; i < run->n_coverages && rc == 0; i++) {
        text_puts(&page->out, i > 0 ? ",\n" : "\n");
        rc = put_coverage(page, run->coverages[i], why);
    }
    text_puts(&page->out, "]}");
    return rc;
}

int page_add_trial(struct page *page, const struct page_trial *trial, struct err *why)
{
    int rc;

    begin_member(page, PAGE_TRIALS);
    text_puts(&page->out, "{");
    put_string(page, "name", trial->name);
    text_puts(&page->out, ",");
    put_string(page, "path", trial->trace);
    text_puts(&page->out, ",");
    put_string(page, "original_path", trial->original);
    text_puts(&page->out, ",");
    put_string(page, "explained_path", trial->explained);
    text_puts(&page->out, ",");
    put_string(page, "nearest_path", trial->nearest);
    rc = put_trace(page, "trace", trial->trace, why);
    if (rc == 0)
        rc = put_trace(page, "original", trial->original, why);
    if (rc == 0)
        rc = put_trace(page, "explained", trial->explained, why);
    if (rc == 0)
        rc = put_trace(page, "nearest", trial->nearest, why);
    if (rc == 0)
        rc = put_member(page, "explanation", trial->explanation, why);
    text_puts(&page->out, "}");
    return rc;
}

struct sn_text *page_next_history(struct page *page)
{
    begin_member(page, PAGE_HISTORIES);
    return &page->out;
}

int page_end(struct page *page, int rc, struct err *why)
{
    if (rc == 0) {
        text_puts(&page->out, page->list == PAGE_NOTHING ? "}\n" : "]}\n");
        page->out.is_in_page = false;
        text_add(&page->out, (const char *)page_after, page_after_size);
        if (page->out.cut || text_flush(&page->out) < 0)
            rc = err_set(why, SN_EIO, "%.300s: cannot be written", page->file.path);
    }
    return file_writing_end(&page->file, rc, why);
}
