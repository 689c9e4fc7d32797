/* rule_files.c - see rule_files.h. SPDX-License-Identifier: MIT */
#include "remote/rule_files.h"

#include "base/rng.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES_MAX = 1 << 16 };

/* One after the other: what to do with each. */
struct visit {
    struct rule_files *files;
    const struct recording *r;
    struct rules *rules;
    uint64_t signature;
    bool is_strict; /* a bad file is an error */
};

static int is_wanted(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);

    return n > 5 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 5, ".json") == 0;
}

/* The bytes of a file with a zero byte behind them. Returns how many, or SN_E*. */
static ssize_t load(const char *path, char *bytes, struct err *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t used = 0;
    ssize_t n = 1;

    if (fd < 0)
        return err_set(why, SN_EIO, "%s cannot be read (%s)", path, strerrordesc_np(errno));
    while (n > 0 && used < BYTES_MAX) {
        n = read(fd, bytes + used, (size_t)(BYTES_MAX - used));
        used += n > 0 ? n : 0;
    }
    (void)close(fd);
    if (n < 0)
        return err_set(why, SN_EIO, "%s cannot be read (%s)", path, strerrordesc_np(errno));
    if (used == BYTES_MAX)
        return err_set_at(why, SN_EFORMAT, path, 0, "it has more than %d bytes", BYTES_MAX - 1);
    bytes[used] = '\0';
    return used;
}

/* Takes the constraints of a text if they go together with the others. */
static int take(struct visit *v, const char *path, const char *bytes, size_t n, struct err *why)
{
    struct rules rules = *v->rules;
    struct units units;
    struct err what = {""};
    int rc = rules_read(&rules, v->r, path, bytes, n, why);

    if (rc < 0)
        return rc;
    rc = units_make(&units, v->r, &rules, &what);
    if (rc < 0)
        return err_set_at(why, rc, path, 0, "%s", what.text);
    *v->rules = rules;
    return 0;
}

static int visit_one(struct visit *v, const char *path, struct err *why)
{
    char *bytes = malloc(BYTES_MAX + 1);
    struct err what = {""};
    ssize_t n = bytes != NULL ? load(path, bytes, &what) : err_set(&what, SN_ENOMEM, "no memory");
    int rc = (int)n;

    if (n >= 0)
        rc = take(v, path, bytes, (size_t)n, &what);
    if (v->files->told != NULL)
        v->files->told(v->files->self, path, n >= 0 ? bytes : "", rc < 0 ? what.text : NULL);
    free(bytes);
    if (rc < 0 && v->is_strict)
        return err_set(why, rc, "%s", what.text);
    return 0;
}

static void sign(struct visit *v, const char *path)
{
    struct stat status;

    for (const char *c = path; *c != '\0'; c++)
        v->signature = mix_pair(v->signature, (unsigned char)*c);
    if (stat(path, &status) < 0)
        return;
    v->signature = mix_pair(v->signature, (uint64_t)status.st_size);
    v->signature = mix_pair(v->signature, (uint64_t)status.st_mtim.tv_sec);
    v->signature = mix_pair(v->signature, (uint64_t)status.st_mtim.tv_nsec);
}

/* Calls `sign` for each file, and then, if that is wanted, visit_one. */
static int visit_all(struct visit *v, bool reads, struct err *why)
{
    struct dirent **entries = NULL;
    int n = scandir(v->files->directory, &entries, is_wanted, alphasort);
    int rc = 0;

    if (n < 0)
        return err_set(why, SN_EIO, "the directory %s cannot be read (%s)", v->files->directory,
                       strerrordesc_np(errno));
    for (int i = 0; i < n; i++) {
        char path[4096];

        (void)snprintf(path, sizeof(path), "%s/%s", v->files->directory, entries[i]->d_name);
        sign(v, path);
        if (reads && rc == 0)
            rc = visit_one(v, path, why);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

int rule_files_read(struct rule_files *files, const struct recording *r, struct rules *rules,
                    struct err *why)
{
    struct visit v = {.files = files, .r = r, .rules = rules, .is_strict = true};
    int rc;

    *rules = files->base;
    rc = visit_all(&v, true, why);
    files->signature = v.signature;
    return rc;
}

void rule_files_tell(const struct rule_files *files, const struct recording *r)
{
    struct rule_files copy = *files;
    struct rules rules;
    struct err ignored = {""};

    if (files->directory != NULL)
        (void)rule_files_read(&copy, r, &rules, &ignored);
}

bool rule_files_read_again(struct rule_files *files, const struct recording *r, struct rules *rules)
{
    struct visit look = {.files = files};
    struct visit v = {.files = files, .r = r, .rules = rules};
    struct rules was = *rules;

    if (visit_all(&look, false, NULL) < 0 || look.signature == files->signature)
        return false;
    *rules = files->base;
    if (visit_all(&v, true, NULL) < 0) {
        *rules = was;
        return false;
    }
    files->signature = v.signature;
    return memcmp(&was, rules, sizeof(was)) != 0;
}
