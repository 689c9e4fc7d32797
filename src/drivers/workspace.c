/* workspace.c - see workspace.h. SPDX-License-Identifier: MIT */
#include "drivers/workspace.h"

#include "base/file.h"
#include "drivers/processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BATCH = 16,
    NAME_BYTES = 64,
    DESCRIPTORS = 16, /* that nftw may use */
};

/* ---- Removing ------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    (void)remove(path); /* what stays is seen when its directory does not go */
    return 0;
}

bool workspace_remove(const char *directory)
{
    struct stat st;

    (void)nftw(directory, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    return lstat(directory, &st) != 0;
}

/* Takes the lock of a run's directory; -1: somebody has it. */
static int take_lock(const char *directory)
{
    char path[PATH_MAX];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/lock", directory);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

/* Removes the directories of runs that have ended without doing it. */
static uint32_t remove_left_overs(const char *base)
{
    DIR *all = opendir(base);
    const struct dirent *entry;
    uint32_t n = 0;

    while (all != NULL && (entry = readdir(all)) != NULL) {
        char path[PATH_MAX];
        int fd;

        if (strncmp(entry->d_name, "run-", 4) != 0)
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s", base, entry->d_name);
        fd = take_lock(path);
        if (fd < 0)
            continue;
        (void)processes_kill(path);
        n += workspace_remove(path);
        (void)close(fd);
    }
    if (all != NULL)
        (void)closedir(all);
    return n;
}

/* ---- Opening -------------------------------------------------------------------------------- */

/* The usual place belongs to this user, and nobody else may write there. */
static int find_base(const char *wanted, char *base, size_t size, struct err *why)
{
    const char *temporary = getenv("TMPDIR");
    struct stat st;

    if (wanted != NULL)
        (void)snprintf(base, size, "%s", wanted);
    else
        (void)snprintf(base, size, "%s/sennit-sync-%u",
                       temporary != NULL && temporary[0] == '/' ? temporary : "/tmp",
                       (unsigned)getuid());
    if (wanted != NULL)
        return file_make_dirs(base, why);
    if (mkdir(base, 0700) != 0 && errno != EEXIST)
        return err_set(why, SN_EIO, "%s: cannot be made (%s)", base, strerrordesc_np(errno));
    if (lstat(base, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != getuid())
        return err_set(why, SN_EIO, "%s is not a directory of this user: --workdir names another",
                       base);
    return 0;
}

/* While this lock is held nobody looks for left-overs: a new directory has no lock yet. */
static int hold(const char *base, struct err *why)
{
    char path[PATH_MAX];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/lock", base);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || flock(fd, LOCK_EX) != 0) {
        if (fd >= 0)
            (void)close(fd);
        return err_set(why, SN_EIO, "%s: cannot be locked (%s)", path, strerrordesc_np(errno));
    }
    return fd;
}

static int make_run(struct workspace *w, const char *base, struct err *why)
{
    (void)snprintf(w->path, sizeof(w->path), "%s/run-XXXXXX", base);
    if (mkdtemp(w->path) == NULL)
        return err_set(why, SN_EIO, "%s: cannot be made (%s)", w->path, strerrordesc_np(errno));
    w->lock = take_lock(w->path);
    if (w->lock < 0)
        return err_set(why, SN_EIO, "%s: cannot be locked (%s)", w->path, strerrordesc_np(errno));
    return 0;
}

int workspace_open(struct workspace *w, const char *base, uint32_t n_nodes, uint32_t *n_removed,
                   struct err *why)
{
    char place[PATH_MAX / 4];
    char real[PATH_MAX];
    int rc = find_base(base, place, sizeof(place), why);
    int held;

    *w = (struct workspace){.lock = -1, .owner = getpid(), .n_nodes = n_nodes};
    if (rc < 0)
        return rc;
    if (realpath(place, real) == NULL || strlen(real) >= sizeof(place))
        return err_set(why, SN_EIO, "%s: cannot be used (%s)", place, strerrordesc_np(errno));
    memcpy(place, real, strlen(real) + 1);
    held = hold(place, why);
    if (held < 0)
        return SN_EIO;
    *n_removed = remove_left_overs(place);
    rc = make_run(w, place, why);
    (void)close(held);
    if (rc < 0)
        return rc;
    w->next =
        mmap(NULL, sizeof(*w->next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (w->next == MAP_FAILED)
        return err_set(why, SN_ENOMEM, "there is no memory for the numbers of directories");
    return 0;
}

void workspace_close(struct workspace *w)
{
    if (w->lock < 0 || w->owner != getpid())
        return;
    (void)processes_kill(w->path);
    (void)workspace_remove(w->path);
    (void)close(w->lock);
    w->lock = -1;
}

/* ---- Taking --------------------------------------------------------------------------------- */

static bool make_directory(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool make_one(const struct workspace *w, uint32_t number)
{
    static const char *const parts[] = {"state", "tmp", "trash"};
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s/%06u", w->path, number);
    bool ok = make_directory(path);

    for (uint32_t i = 0; i < 3; i++) {
        (void)snprintf(path + n, sizeof(path) - (size_t)n, "/%s", parts[i]);
        ok = ok && make_directory(path);
    }
    for (uint32_t i = 1; i <= w->n_nodes; i++) {
        (void)snprintf(path + n, sizeof(path) - (size_t)n, "/%u", i);
        ok = ok && make_directory(path);
    }
    return ok;
}

int workspace_take(struct workspace *w, char *directory, size_t size, struct err *why)
{
    uint32_t number = atomic_fetch_add(w->next, 1);
    char last[PATH_MAX + NAME_BYTES];

    (void)snprintf(directory, size, "%s/%06u", w->path, number);
    (void)snprintf(last, sizeof(last), "%s/%u", directory, w->n_nodes);
    if (access(last, F_OK) == 0)
        return 0;
    for (uint32_t i = number; i < number + BATCH - number % BATCH; i++) {
        if (!make_one(w, i))
            return err_set(why, SN_EIO, "%s: cannot be made (%s)", directory,
                           strerrordesc_np(errno));
    }
    return 0;
}
