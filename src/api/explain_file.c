/* explain_file.c - a place for traces that are needed for a moment, and for those that are kept.
 *
 * A name in a folder for everybody could be guessed, and lead elsewhere: so there is a folder that
 * only this user can write to. SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include "base/file.h"
#include "report/page_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_path(const struct explaining *x, char *path)
{
    (void)snprintf(path, EXPLAINING_PATH, "%.*s/one.trace", EXPLAINING_PATH - 16, x->folder);
}

int explaining_name_file(struct explaining *x, char *path)
{
    const char *directory = getenv("TMPDIR");

    if (x->folder[0] == '\0') {
        (void)snprintf(x->folder, EXPLAINING_PATH - 16, "%.900s/sennit-explain-XXXXXX",
                       directory != NULL && directory[0] != '\0' ? directory : "/tmp");
        if (mkdtemp(x->folder) == NULL) {
            int rc = err_set(&x->why, SN_EIO, "%.200s: cannot be made (%s)", x->folder,
                             strerrordesc_np(errno));

            x->folder[0] = '\0';
            return rc;
        }
    }
    put_path(x, path);
    return 0;
}

static int copy(const char *from, const char *to, struct err *why)
{
    struct stat status;
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    int rc = SN_EIO;

    if (fd >= 0 && fstat(fd, &status) == 0)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
        rc = err_set(why, SN_EIO, "%.200s: cannot be read (%s)", from, strerrordesc_np(errno));
    } else {
        rc = file_replace(to, &(struct file_part){bytes, (size_t)status.st_size}, 1, why);
        (void)munmap(bytes, (size_t)status.st_size);
    }
    if (fd >= 0)
        (void)close(fd);
    return rc;
}

void explaining_keep_file(struct explaining *x, struct explanation_cause *cause, uint32_t number)
{
    static const char ending[] = ".trace";
    const char *path = x->options->path;
    size_t n = path != NULL ? strlen(path) : 0;
    char from[EXPLAINING_PATH];
    struct err why;

    if (n == 0 || n + 32 > sizeof(cause->trace))
        return;
    if (n > strlen(ending) && strcmp(path + n - strlen(ending), ending) == 0)
        n -= strlen(ending);
    put_path(x, from);
    (void)snprintf(cause->trace, sizeof(cause->trace), "%.*s-cause-%" PRIu32 "%s", (int)n, path,
                   number, ending);
    if (copy(from, cause->trace, &why) < 0)
        cause->trace[0] = '\0';
}

/* What the files of the trace that is explained have in common, with another ending. False: the
 * name is too long, or it lies nowhere. */
static bool name_beside(const struct explaining *x, const char *ending, char *path)
{
    struct sn_text out;

    if (x->options->path == NULL)
        return false;
    text_init(&out, path, EXPLAINING_PATH);
    page_files_put_base(&out, x->options->path);
    text_puts(&out, ending);
    return !out.cut;
}

static int write_trace(const struct trace *trace, int fd)
{
    char buffer[4096];
    struct trace_writer w;
    struct sn_text out;
    int rc;

    text_init_fd(&out, buffer, sizeof(buffer), fd);
    trace_writer_init(&w, &out);
    rc = trace_write_header(&w, &trace->header);
    for (size_t i = 0; i < trace->n_records && rc == 0; i++)
        rc = trace_write_record(&w, &trace->records[i]);
    if (rc == 0)
        rc = trace_write_verdict(&w, &trace->verdict);
    return rc == 0 ? trace_write_end(&w) : rc;
}

void explaining_keep_subject(const struct explaining *x)
{
    char path[EXPLAINING_PATH];
    struct file_writing file;
    struct err why;

    if (name_beside(x, ".explained.trace", path) && file_writing_begin(&file, path, &why) == 0)
        (void)file_writing_end(&file, write_trace(x->trace, file.fd), &why);
}

void explaining_forget_nearest(const struct explaining *x)
{
    char path[EXPLAINING_PATH];

    if (name_beside(x, ".nearest.trace", path))
        (void)unlink(path);
}

void explaining_keep_nearest(struct explaining *x, const struct lab_result *result)
{
    char path[EXPLAINING_PATH];
    struct err why;

    if (result->entries != NULL && name_beside(x, ".nearest.trace", path))
        (void)lab_record(x->lab, result, &x->given->header, NULL, 0, path, &why);
}

void explaining_remove_file(struct explaining *x)
{
    char path[EXPLAINING_PATH];

    if (x->folder[0] == '\0')
        return;
    put_path(x, path);
    (void)unlink(path);
    (void)rmdir(x->folder);
}
