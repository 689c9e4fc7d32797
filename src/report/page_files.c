/* page_files.c - see page_files.h. SPDX-License-Identifier: MIT */
#include "report/page_files.h"

#include <dirent.h>
#include <errno.h>
#include <sennit/test.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Names ---------------------------------------------------------------------------------- */

static bool ends_with(const char *s, size_t n, const char *ending)
{
    size_t size = strlen(ending);

    return n > size && memcmp(s + n - size, ending, size) == 0;
}

static size_t base_size(const char *trace)
{
    static const char *const kinds[] = {".shrunk", ".explained", ".nearest"};
    size_t n = strlen(trace);

    if (!ends_with(trace, n, ".trace"))
        return n;
    n -= strlen(".trace");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (ends_with(trace, n, kinds[i]))
            return n - strlen(kinds[i]);
    }
    return n;
}

void page_files_put_base(struct sn_text *out, const char *trace)
{
    text_add(out, trace, base_size(trace));
}

void page_files_forget(const char *trace)
{
    static const char *const endings[] = {".explained.json", ".explained.trace", ".nearest.trace",
                                          ".shrunk.trace", ".html"};

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        char path[FILE_PATH_MAX];
        struct sn_text out;

        text_init(&out, path, sizeof(path));
        page_files_put_base(&out, trace);
        text_puts(&out, endings[i]);
        if (!out.cut && strcmp(path, trace) != 0)
            (void)unlink(path);
    }
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* n bytes of a path with an ending; NULL if there is no memory. */
static char *joined(struct page_files *files, const char *path, size_t n, const char *ending)
{
    size_t size = strlen(ending);
    char *all = arena_alloc(&files->arena, n + size + 1);

    if (all == NULL)
        return NULL;
    memcpy(all, path, n);
    memcpy(all + n, ending, size);
    return all;
}

/* The path with the ending if there is such a file, otherwise NULL. */
static const char *beside(struct page_files *files, const char *path, size_t n, const char *ending)
{
    char *all = joined(files, path, n, ending);

    return all != NULL && access(all, F_OK) == 0 ? all : NULL;
}

/* ---- Trials and runs ------------------------------------------------------------------------ */

static int no_memory(struct err *why)
{
    return err_set(why, SN_ENOMEM, "there is not enough memory");
}

/* An array with room for one more, which is zeroed. Old ones stay in the arena: it doubles. */
static void *grown(struct arena *arena, void *list, size_t n, size_t size)
{
    void *larger;

    if (n > 0 && (n & (n - 1)) != 0)
        return list;
    larger = arena_array(arena, n == 0 ? 1 : 2 * n, size);
    if (larger != NULL && n > 0)
        memcpy(larger, list, n * size);
    return larger;
}

static int add_trace(struct page_files *files, const char *trace, struct err *why)
{
    size_t n = base_size(trace);
    const char *original = beside(files, trace, n, ".trace");
    const char *shrunk = beside(files, trace, n, ".shrunk.trace");
    const char *path = arena_copy(&files->arena, trace, strlen(trace));
    const char *base = arena_copy(&files->arena, trace, n);
    struct page_trial *trials;
    size_t index;

    if (path == NULL || base == NULL || roster_add(&files->bases, base, &index) < 0)
        return no_memory(why);
    if (index < files->n_trials)
        return 0; /* by another of its files */
    trials = grown(&files->arena, files->trials, files->n_trials, sizeof(*files->trials));
    if (trials == NULL)
        return no_memory(why);
    files->trials = trials;
    files->trials[files->n_trials++] = (struct page_trial){
        .name = last_part(base),
        .trace = shrunk != NULL     ? shrunk
                 : original != NULL ? original
                                    : path,
        .original = shrunk != NULL ? original : NULL,
        .explanation = beside(files, trace, n, ".explained.json"),
        .explained = beside(files, trace, n, ".explained.trace"),
        .nearest = beside(files, trace, n, ".nearest.trace"),
    };
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a directory, sorted: what a report says must not depend on how they are stored. */
static int list_names(struct page_files *files, const char *path, const char ***names, size_t *n,
                      struct err *why)
{
    DIR *directory = opendir(path);
    const char **list = NULL;
    struct dirent *entry;
    int rc = 0;

    if (directory == NULL)
        return err_set(why, SN_EIO, "%.300s: cannot be read: %s", path, strerror(errno));
    *n = 0;
    while (rc == 0 && (entry = readdir(directory)) != NULL) {
        if (!ends_with(entry->d_name, strlen(entry->d_name), ".trace") &&
            !ends_with(entry->d_name, strlen(entry->d_name), ".coverage.json"))
            continue;
        list = grown(&files->arena, (void *)list, *n, sizeof(*list));
        if (list != NULL)
            list[*n] = arena_copy(&files->arena, entry->d_name, strlen(entry->d_name));
        if (list == NULL || list[(*n)++] == NULL)
            rc = no_memory(why);
    }
    (void)closedir(directory);
    if (rc == 0 && *n > 0)
        qsort(list, *n, sizeof(*list), compare_names);
    *names = list;
    return rc;
}

/* Moves the coverages among the names, as paths, to a list of their own. */
static int add_coverages(struct page_files *files, struct page_run *run, const char **names,
                         size_t n, struct err *why)
{
    const char **list = arena_array(&files->arena, n + 1, sizeof(*list));
    size_t size = strlen(run->path);

    if (list == NULL)
        return no_memory(why);
    run->coverages = list;
    for (size_t i = 0; i < n; i++) {
        char *path;

        if (!ends_with(names[i], strlen(names[i]), ".coverage.json"))
            continue;
        path = joined(files, run->path, size + 1, names[i]);
        if (path == NULL)
            return no_memory(why);
        path[size] = '/';
        list[run->n_coverages++] = path;
    }
    return 0;
}

static int add_directory(struct page_files *files, const char *path, struct err *why)
{
    struct page_run run = {.path = arena_copy(&files->arena, path, strlen(path))};
    struct page_run *runs = grown(&files->arena, files->runs, files->n_runs, sizeof(*files->runs));
    size_t size = strlen(path);
    const char **names = NULL;
    size_t n = 0;
    bool has_trace = false;
    int rc = run.path == NULL || runs == NULL ? no_memory(why)
                                              : list_names(files, path, &names, &n, why);

    for (size_t i = 0; i < n && rc == 0; i++) {
        char *trace = joined(files, run.path, size + 1, names[i]);

        if (trace == NULL)
            return no_memory(why);
        trace[size] = '/';
        if (!ends_with(trace, strlen(trace), ".trace"))
            continue;
        has_trace = true;
        rc = add_trace(files, trace, why);
    }
    if (rc < 0)
        return rc;
    run.summary = beside(files, path, size, "/summary.json");
    if (run.summary == NULL && !has_trace)
        return err_set(why, SN_EIO, "%.300s: there is neither a trace nor a summary.json in it",
                       path);
    rc = add_coverages(files, &run, names, n, why);
    files->runs = runs;
    if (rc == 0 && run.summary != NULL)
        files->runs[files->n_runs++] = run;
    return rc;
}

int page_files_find(struct page_files *files, const char *const *inputs, size_t n, struct err *why)
{
    int rc = 0;

    *files = (struct page_files){.title = n == 1 ? last_part(inputs[0]) : "Sennit"};
    files->bases.arena = &files->arena;
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct stat status;

        if (stat(inputs[i], &status) < 0)
            rc = err_set(why, SN_EIO, "%.300s: cannot be opened: %s", inputs[i], strerror(errno));
        else if (S_ISDIR(status.st_mode))
            rc = add_directory(files, inputs[i], why);
        else
            rc = add_trace(files, inputs[i], why);
    }
    return rc;
}

int page_files_write(const struct page_files *files, struct page *page, const char *path,
                     struct err *why)
{
    int rc = page_begin(page, path, files->title, why);

    if (rc < 0)
        return rc;
    for (size_t i = 0; i < files->n_runs && rc == 0; i++)
        rc = page_add_run(page, &files->runs[i], why);
    for (size_t i = 0; i < files->n_trials && rc == 0; i++)
        rc = page_add_trial(page, &files->trials[i], why);
    return page_end(page, rc, why);
}

void page_files_done(struct page_files *files)
{
    arena_done(&files->arena);
    *files = (struct page_files){0};
}
