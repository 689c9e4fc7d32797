/* rule_files.c - see rule_files.h. SPDX-License-Identifier: MIT */
#include "remote/rule_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES_MAX = 1 << 16 };

static int is_wanted(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);

    return n > 5 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 5, ".json") == 0;
}

static int read_one(const char *path, const struct recording *r, struct rules *rules,
                    struct err *why)
{
    char *bytes = malloc(BYTES_MAX);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    ssize_t n = 1;
    int rc = 0;

    if (bytes == NULL || fd < 0)
        rc = err_set(why, SN_EIO, "%s cannot be read (errno %d)", path, errno);
    while (rc == 0 && n > 0 && used < BYTES_MAX) {
        n = read(fd, bytes + used, BYTES_MAX - used);
        if (n > 0)
            used += (size_t)n;
        if (n < 0)
            rc = err_set(why, SN_EIO, "%s cannot be read (errno %d)", path, errno);
    }
    if (rc == 0 && used == BYTES_MAX)
        rc = err_set_at(why, SN_EFORMAT, path, 0, "it has more than %d bytes", BYTES_MAX - 1);
    if (rc == 0)
        rc = rules_read(rules, r, path, bytes, used, why);
    if (fd >= 0)
        (void)close(fd);
    free(bytes);
    return rc;
}

int rule_files_read(const char *directory, const struct recording *r, struct rules *rules,
                     struct err *why)
{
    struct dirent **entries = NULL;
    int n = scandir(directory, &entries, is_wanted, alphasort);
    int rc = 0;

    if (n < 0)
        return err_set(why, SN_EIO, "the directory %s cannot be read (errno %d)", directory, errno);
    for (int i = 0; i < n; i++) {
        char path[4096];

        (void)snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
        if (rc == 0)
            rc = read_one(path, r, rules, why);
        free(entries[i]);
    }
    free(entries);
    return rc;
}
