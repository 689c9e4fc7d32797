/* file.c - see file.h. SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_make_dirs(const char *path, struct err *why)
{
    char part[512];
    size_t n = strlen(path);

    if (n == 0 || n >= sizeof(part))
        return err_set(why, SN_EINVAL, "the name of the output directory is %s",
                       n == 0 ? "empty" : "too long");
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) < 0 && errno != EEXIST)
            return err_set(why, SN_EIO, "%s: cannot make this directory (%s)", part,
                           strerrordesc_np(errno));
    }
    return 0;
}

static int cannot_write(const char *path, struct err *why)
{
    return err_set(why, SN_EIO, "%.300s: cannot be written (%s)", path, strerrordesc_np(errno));
}

int file_writing_begin(struct file_writing *w, const char *path, struct err *why)
{
    size_t n = strlen(path);
    struct stat found;

    if (n == 0 || n >= FILE_PATH_MAX)
        return err_set(why, SN_EINVAL, "the name of a file is %s", n == 0 ? "empty" : "too long");
    if (realpath(path, w->path) == NULL) /* there is none yet */
        memcpy(w->path, path, n + 1);
    w->temporary[0] = '\0';
    if (stat(w->path, &found) < 0 || S_ISREG(found.st_mode))
        (void)snprintf(w->temporary, sizeof(w->temporary), "%s.%ld.part", w->path, (long)getpid());
    w->fd = w->temporary[0] == '\0'
                ? open(w->path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
                : open(w->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return w->fd < 0 ? cannot_write(path, why) : 0;
}

static int write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t written = write(fd, bytes, n);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return SN_EIO;
        bytes += written;
        n -= (size_t)written;
    }
    return 0;
}

int file_writing_end(struct file_writing *w, int rc, struct err *why)
{
    if (close(w->fd) < 0 && rc == 0)
        rc = cannot_write(w->path, why);
    if (w->temporary[0] == '\0')
        return rc;
    if (rc == 0 && rename(w->temporary, w->path) < 0)
        rc = cannot_write(w->path, why);
    if (rc < 0)
        (void)unlink(w->temporary);
    return rc;
}

static int replace(const char *path, const struct file_part *parts, size_t n, bool is_safe,
                   struct err *why)
{
    struct file_writing w;
    int rc = file_writing_begin(&w, path, why);

    if (rc < 0)
        return rc;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = write_all(w.fd, parts[i].bytes, parts[i].n);
    if (rc == 0 && is_safe && w.temporary[0] != '\0' && fsync(w.fd) < 0)
        rc = SN_EIO;
    if (rc < 0)
        (void)cannot_write(path, why);
    return file_writing_end(&w, rc, why);
}

int file_replace(const char *path, const struct file_part *parts, size_t n, struct err *why)
{
    return replace(path, parts, n, false, why);
}

int file_replace_safely(const char *path, const struct file_part *parts, size_t n, struct err *why)
{
    return replace(path, parts, n, true, why);
}

int file_try(const char *path, struct err *why)
{
    struct file_writing w;
    int rc = file_writing_begin(&w, path, why);

    if (rc < 0)
        return rc;
    (void)close(w.fd);
    if (w.temporary[0] != '\0')
        (void)unlink(w.temporary);
    return 0;
}

void file_tame(char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

    for (; *name != '\0'; name++) {
        if (strchr(plain, *name) == NULL)
            *name = '_';
    }
}
