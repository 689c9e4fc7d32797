/* explain_file.c - a place for traces that are needed for a moment, and for those that are kept.
 *
 * A name in a folder for everybody could be guessed, and lead elsewhere: so there is a folder that
 * only this user can write to. SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include "base/file.h"

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
            int rc =
                err_set(&x->why, SN_EIO, "%.200s: cannot be made (errno %d)", x->folder, errno);

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
        rc = err_set(why, SN_EIO, "%.200s: cannot be read (errno %d)", from, errno);
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

void explaining_remove_file(struct explaining *x)
{
    char path[EXPLAINING_PATH];

    if (x->folder[0] == '\0')
        return;
    put_path(x, path);
    (void)unlink(path);
    (void)rmdir(x->folder);
}
