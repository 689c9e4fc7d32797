/* directory.c - see directory.h. SPDX-License-Identifier: MIT */
#include "drivers/directory.h"

#include "drivers/clock.h"
#include "drivers/processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    TRIES_MAX = 100, /* to put a file in its place, while others do the same */
    TORN_NS_MAX = 200000000,
    LOOK_NS = 1000000,
    QUIET_LOOKS = 5,
    END_NS_MAX = 1000000000, /* that processes have to end after `stop` */
    NAME_BYTES = 16,
    PATH_BYTES = PATH_MAX + 320,
};

static int complain(struct directory *d, const char *what, const char *path)
{
    const char *last = strrchr(path, '/');

    return err_set(&d->error, -1, "%s cannot be %s (%s)", last != NULL ? last + 1 : path, what,
                   strerrordesc_np(errno));
}

void directory_name(uint32_t file, char *out, size_t size)
{
    (void)snprintf(out, size, "f%u", file + 1);
}

static void path_of(const struct directory *d, uint32_t node, uint32_t file, char *out)
{
    (void)snprintf(out, PATH_BYTES, "%s/%u/f%u", d->path, node + 1, file + 1);
}

static void path_in_trash(struct directory *d, char *out)
{
    (void)snprintf(out, PATH_BYTES, "%s/trash/%llu", d->path, (unsigned long long)d->n_moved++);
}

/* ---- Contents ------------------------------------------------------------------------------- */

/* What is there now: a value, or DIRECTORY_TORN. */
static uint32_t peek(const char *path)
{
    char text[4] = "";
    struct stat st;
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0)
        return errno == ENOENT ? 0 : DIRECTORY_TORN;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        (void)close(fd);
        return SN_SYNC_DIRECTORY;
    }
    n = read(fd, text, sizeof(text));
    (void)close(fd);
    if (n == 2 && text[0] >= 'a' && text[0] <= 'z' && text[1] == '\n')
        return (uint32_t)(text[0] - 'a') + 1;
    return DIRECTORY_TORN;
}

/* A file that is just being written in its place is not what a node has: it is looked at again. */
static uint32_t value_at(const char *path)
{
    uint64_t end_ns = clock_real_ns() + TORN_NS_MAX;
    uint32_t value = peek(path);

    while (value == DIRECTORY_TORN && clock_real_ns() < end_ns) {
        clock_real_sleep(LOOK_NS);
        value = peek(path);
    }
    return value;
}

static int make(struct directory *d, const char *path, uint32_t value)
{
    char text[2] = {(char)('a' + (int)value - 1), '\n'};
    bool ok;
    int fd;

    if (value == SN_SYNC_DIRECTORY)
        return mkdir(path, 0755) == 0 ? 0 : complain(d, "made", path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return complain(d, "made", path);
    ok = write(fd, text, sizeof(text)) == (ssize_t)sizeof(text);
    ok &= close(fd) == 0;
    return ok ? 0 : complain(d, "written", path);
}

static int swap(const char *a, const char *b, unsigned flags)
{
    return renameat2(AT_FDCWD, a, AT_FDCWD, b, flags);
}

static int driver_read(void *self, uint32_t node, uint32_t file, uint32_t *value)
{
    char path[PATH_BYTES];

    path_of(self, node, file, path);
    *value = value_at(path);
    return 0;
}

/* Takes away what is there, if there is anything. */
static int take_away(struct directory *d, const char *path, uint32_t *old)
{
    char away[PATH_BYTES];

    path_in_trash(d, away);
    *old = 0;
    if (rename(path, away) != 0)
        return errno == ENOENT ? 0 : complain(d, "moved", path);
    *old = value_at(away);
    return 0;
}

static int driver_write(void *self, uint32_t node, uint32_t file, uint32_t value, uint32_t *old)
{
    struct directory *d = self;
    char path[PATH_BYTES];
    char new[PATH_BYTES];

    path_of(d, node, file, path);
    if (value == 0)
        return take_away(d, path, old);
    path_in_trash(d, new);
    if (make(d, new, value) < 0)
        return -1;
    for (int i = 0; i < TRIES_MAX; i++) {
        *old = 0;
        if (swap(new, path, RENAME_EXCHANGE) == 0) {
            *old = value_at(new);
            return 0;
        }
        if (errno == ENOENT && swap(new, path, RENAME_NOREPLACE) == 0)
            return 0;
        if (errno != ENOENT && errno != EEXIST)
            break;
    }
    return complain(d, "put in its place", path);
}

static int driver_rename(void *self, uint32_t node, uint32_t from, uint32_t to, uint32_t *value,
                         uint32_t *old)
{
    struct directory *d = self;
    char path[PATH_BYTES];
    char target[PATH_BYTES];

    *value = *old = 0;
    path_of(d, node, from, path);
    path_of(d, node, to, target);
    for (int i = 0; i < TRIES_MAX; i++) {
        *value = value_at(path);
        if (*value == 0)
            return 0;
        if (swap(path, target, RENAME_NOREPLACE) == 0) {
            *value = value_at(target);
            return 0;
        }
        if (errno == EEXIST && take_away(d, target, old) < 0)
            return -1;
        if (errno != EEXIST && errno != ENOENT)
            break;
    }
    return complain(d, "renamed", path);
}

/* ---- Looking -------------------------------------------------------------------------------- */

/* Which file a name is of, or is a conflict file of; -1: of none. */
static int file_of(const struct directory *d, const char *name, bool *is_conflict)
{
    const struct script_about *about = &d->script.about;
    char own[NAME_BYTES];

    for (uint32_t file = 0; file < d->n_files; file++) {
        directory_name(file, own, sizeof(own));
        *is_conflict = false;
        if (strcmp(own, name) == 0)
            return (int)file;
        *is_conflict = true;
        for (uint32_t i = 0; i < about->n_conflicts; i++) {
            if (script_matches(about->conflicts[i], own, name))
                return (int)file;
        }
    }
    return -1;
}

static bool is_ignored(const struct directory *d, const char *name)
{
    const struct script_about *about = &d->script.about;

    for (uint32_t i = 0; i < about->n_ignored; i++) {
        if (script_matches(about->ignored[i], NULL, name))
            return true;
    }
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int driver_look(void *self, uint32_t node, uint32_t file, struct sn_sync_seen *seen)
{
    struct directory *d = self;
    const struct dirent *entry;
    char path[PATH_BYTES];
    DIR *all;

    (void)snprintf(path, sizeof(path), "%s/%u", d->path, node + 1);
    *seen = (struct sn_sync_seen){0};
    all = opendir(path);
    if (all == NULL)
        return err_set(&d->error, -1, "the directory of node %u is gone", node + 1);
    while ((entry = readdir(all)) != NULL) {
        bool is_conflict;

        if (file_of(d, entry->d_name, &is_conflict) != (int)file)
            continue;
        (void)snprintf(path, sizeof(path), "%s/%u/%s", d->path, node + 1, entry->d_name);
        if (is_conflict)
            seen->conflicts |= UINT64_C(1) << value_at(path);
        else
            seen->value = value_at(path);
    }
    (void)closedir(all);
    seen->conflicts &= ~UINT64_C(1); /* gone since */
    return 0;
}

/* ---- Time ----------------------------------------------------------------------------------- */

static int driver_sleep(void *self, uint64_t ns)
{
    (void)self;
    clock_real_sleep(ns);
    return 0;
}

static int driver_wait(void *self, uint32_t node, uint32_t file, uint32_t wanted, uint64_t ns_max,
                       uint32_t *value)
{
    uint64_t end_ns = clock_real_ns() + ns_max;
    char path[PATH_BYTES];

    path_of(self, node, file, path);
    for (*value = peek(path); *value != wanted && clock_real_ns() < end_ns; *value = peek(path))
        clock_real_sleep(LOOK_NS / 10);
    if (*value == DIRECTORY_TORN)
        *value = value_at(path);
    return 0;
}

/* Whether all nodes have the same, and what that is. */
static bool is_equal(struct directory *d, uint64_t *what)
{
    *what = 0;
    for (uint32_t file = 0; file < d->n_files; file++) {
        struct sn_sync_seen first = {0};
        struct sn_sync_seen seen;

        for (uint32_t node = 0; node < d->n_nodes; node++) {
            if (driver_look(d, node, file, &seen) < 0)
                return false;
            if (node > 0 && (seen.value != first.value || seen.conflicts != first.conflicts))
                return false;
            first = seen;
        }
        *what = *what * 31 + first.conflicts * 64 + first.value;
    }
    return true;
}

/* The synchroniser is asked; one that cannot tell is looked at until all nodes have had the same
 * for a while. */
static int driver_settle(void *self, uint64_t ns_max, bool *is_idle)
{
    struct directory *d = self;
    uint64_t end_ns = clock_real_ns() + ns_max;
    uint64_t before = 0;
    uint64_t what = 0;
    int rc = script_run(&d->script, "status", d->path, d->n_nodes, 0, &d->error);

    if (rc == 1)
        return err_set(&d->error, -1, "the synchroniser has died");
    if (rc == 0)
        rc = script_run(&d->script, "sync", d->path, d->n_nodes, 0, &d->error);
    *is_idle = rc == 0;
    if (rc <= 0)
        return rc;
    for (int quiet = 0; quiet < QUIET_LOOKS && clock_real_ns() < end_ns;) {
        quiet = is_equal(d, &what) && what == before ? quiet + 1 : 0;
        before = what;
        clock_real_sleep(LOOK_NS * 5);
    }
    return 0;
}

/* ---- Beginning and end ---------------------------------------------------------------------- */

static int driver_start(void *self, uint32_t n_nodes)
{
    struct directory *d = self;

    d->n_nodes = n_nodes;
    d->n_moved = 0;
    processes_adopt();
    if (workspace_take(d->workspace, d->path, sizeof(d->path), &d->error) < 0)
        return -1;
    d->is_started = true;
    return script_run(&d->script, "start", d->path, n_nodes, 0, &d->error);
}

static int driver_kill(void *self, uint32_t node)
{
    struct directory *d = self;

    return script_run(&d->script, "kill", d->path, d->n_nodes, node + 1, &d->error);
}

static int driver_restart(void *self, uint32_t node)
{
    struct directory *d = self;

    return script_run(&d->script, "restart", d->path, d->n_nodes, node + 1, &d->error);
}

/* Looks for what is neither a file of the test nor one that the driver has spoken of. */
static int find_stray(struct directory *d, const char *part, bool is_node)
{
    const struct dirent *entry;
    char path[PATH_BYTES];
    bool is_conflict;
    int rc = 0;
    DIR *all;

    (void)snprintf(path, sizeof(path), "%s/%s", d->path, part);
    all = opendir(path);
    while (all != NULL && rc == 0 && (entry = readdir(all)) != NULL) {
        if (is_ignored(d, entry->d_name) ||
            (is_node && file_of(d, entry->d_name, &is_conflict) >= 0))
            continue;
        rc = err_set(&d->error, -1, "it has left files behind: %.100s in %s%s", entry->d_name,
                     is_node ? "the directory of node " : "", part);
    }
    if (all != NULL)
        (void)closedir(all);
    return rc;
}

/* What must not be there any more when it has stopped. */
static int check_end(struct directory *d)
{
    uint64_t end_ns = clock_real_ns() + END_NS_MAX;
    uint32_t n = processes_count(d->path);
    int rc = 0;

    for (; n > 0 && clock_real_ns() < end_ns; n = processes_count(d->path))
        clock_real_sleep(LOOK_NS);
    if (n > 0)
        return err_set(&d->error, -1, "it has left %u processes behind", n);
    for (uint32_t i = 1; i <= d->n_nodes && rc == 0; i++) {
        char part[16];

        (void)snprintf(part, sizeof(part), "%u", i);
        rc = find_stray(d, part, true);
    }
    return rc == 0 ? find_stray(d, "tmp", false) : rc;
}

/* Everything is gone afterwards, whatever the driver does. */
static int driver_stop(void *self)
{
    struct directory *d = self;
    int rc;

    if (!d->is_started)
        return 0;
    d->is_started = false;
    rc = script_run(&d->script, "stop", d->path, d->n_nodes, 0, &d->error);
    if (rc == 0)
        rc = check_end(d);
    if (!processes_kill(d->path) && rc == 0)
        rc = err_set(&d->error, -1, "processes that it has left behind cannot be killed");
    if (!workspace_remove(d->path) && rc == 0)
        rc = err_set(&d->error, -1, "files that it has left behind cannot be removed");
    return rc;
}

static const char *driver_error(void *self)
{
    const struct directory *d = self;

    return d->error.text;
}

void directory_driver(const struct directory *d, struct sn_sync_driver *out)
{
    *out = (struct sn_sync_driver){
        .name = d->name,
        .rules = d->script.about.rules[0] != '\0' ? d->script.about.rules : NULL,
        .start = driver_start,
        .stop = driver_stop,
        .read = driver_read,
        .write = driver_write,
        .look = driver_look,
        .sleep = driver_sleep,
        .settle = driver_settle,
        .kill = d->script.about.can_kill ? driver_kill : NULL,
        .restart = d->script.about.can_kill ? driver_restart : NULL,
        .error = driver_error,
        .rename = driver_rename,
        .wait = driver_wait,
    };
}
