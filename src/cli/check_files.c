/* check_files.c - which histories there are in a directory.
 *
 * Of a directory that has a history.edn, as those that Jepsen leaves have, only that is taken: what
 * lies beside and below it is the same history once more, or part of it, or none. Links to
 * directories are not followed, since Jepsen makes some that lead to the last run.
 * SPDX-License-Identifier: MIT
 */
#include "api/exit_code.h"
#include "cli/check.h"
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 16, PATH_MAX_BYTES = 4096 };

struct visit {
    int (*check)(void *self, const char *path);
    void *self;
    size_t *n;
    int depth;
};

static int visit(struct visit *v, const char *path);

static bool ends_with(const char *name, size_t n, const char *end)
{
    size_t size = strlen(end);

    return n > size && memcmp(name + n - size, end, size) == 0;
}

static bool is_history(const char *name)
{
    size_t n = strlen(name);

    n -= ends_with(name, n, ".gz") ? 3 : 0;
    return ends_with(name, n, ".edn") || ends_with(name, n, ".jsonl") || ends_with(name, n, ".log");
}

static bool is_of_jepsen(const char *name)
{
    return strcmp(name, "history.edn") == 0 || strcmp(name, "history.edn.gz") == 0;
}

static bool is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_link(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

static int visit_entry(struct visit *v, const char *folder, const char *name, bool has_jepsen)
{
    char path[PATH_MAX_BYTES];
    int n = snprintf(path, sizeof(path), "%s/%s", folder, name);

    if (n < 0 || (size_t)n >= sizeof(path))
        return cli_fail("%s/%s: the path is too long", folder, name);
    if (is_directory(path))
        return has_jepsen || is_link(path) ? EXIT_NO_BUG : visit(v, path);
    if (has_jepsen ? !is_of_jepsen(name) : !is_history(name))
        return EXIT_NO_BUG;
    ++*v->n;
    return v->check(v->self, path);
}

static int visit(struct visit *v, const char *path)
{
    struct dirent **entries;
    bool has_jepsen = false;
    int code = EXIT_NO_BUG;
    int n;

    if (v->depth == DEPTH_MAX)
        return cli_fail("%s: directories are more than %d deep", path, DEPTH_MAX);
    n = scandir(path, &entries, NULL, alphasort);
    if (n < 0)
        return cli_fail("%s: cannot be opened: %s", path, strerror(errno));
    v->depth++;
    for (int i = 0; i < n; i++)
        has_jepsen |= is_of_jepsen(entries[i]->d_name);
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.')
            code = exit_code_worse(code, visit_entry(v, path, entries[i]->d_name, has_jepsen));
        free(entries[i]);
    }
    free(entries);
    v->depth--;
    return code;
}

int check_files(const char *path, int (*check)(void *self, const char *path), void *self, size_t *n)
{
    struct visit v = {.check = check, .self = self, .n = n};
    size_t before = *n;
    int code;

    if (strcmp(path, "-") == 0 || !is_directory(path)) {
        ++*n;
        return check(self, path);
    }
    code = visit(&v, path);
    if (*n == before && code == EXIT_NO_BUG)
        return cli_fail("%s: there is no history in this directory (*.edn, *.jsonl, *.log, or "
                        "these with .gz)",
                        path);
    return code;
}
