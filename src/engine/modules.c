/* modules.c - see modules.h. The kernel's list is read and not the loader's, which has a lock that
 * an interrupted thread may hold. SPDX-License-Identifier: MIT
 */
#include "engine/modules.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line of /proc/self/maps: "start-end flags offset device inode   path". */
static void add_line(struct modules *out, const char *line)
{
    struct module *last = out->n > 0 ? &out->list[out->n - 1] : NULL;
    const char *path = strchr(line, '/');
    char *after = NULL;
    uint64_t start = strtoull(line, &after, 16);
    uint64_t end = *after == '-' ? strtoull(after + 1, &after, 16) : start;
    uint64_t offset = strlen(after) > 6 ? strtoull(after + 6, NULL, 16) : 0;

    if (path == NULL || end <= start)
        return;
    /* Files that are merely mapped are listed, too; they do no harm. */
    if (last != NULL && strncmp(last->path, path, MODULE_PATH - 1) == 0) {
        last->end = end;
        return;
    }
    if (out->n == MODULES_MAX)
        return;
    last = &out->list[out->n++];
    *last = (struct module){.start = start - offset, .end = end};
    strncpy(last->path, path, MODULE_PATH - 1);
}

void modules_record(struct modules *out)
{
    char buffer[4096];
    size_t used = 0;
    ssize_t n;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

    out->n = 0;
    if (fd < 0)
        return;
    while ((n = read(fd, buffer + used, sizeof(buffer) - 1 - used)) > 0) {
        char *line = buffer;
        char *newline;

        used += (size_t)n;
        buffer[used] = '\0';
        while ((newline = strchr(line, '\n')) != NULL) {
            *newline = '\0';
            add_line(out, line);
            line = newline + 1;
        }
        used -= (size_t)(line - buffer);
        if (used == sizeof(buffer) - 1)
            used = 0; /* no line is that long */
        memmove(buffer, line, used);
    }
    (void)close(fd);
}

const struct module *modules_find(const struct modules *modules, uint64_t address)
{
    for (uint32_t i = 0; i < modules->n; i++) {
        if (address >= modules->list[i].start && address < modules->list[i].end)
            return &modules->list[i];
    }
    return NULL;
}
