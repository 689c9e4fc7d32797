/* tables.c - see tables.h. SPDX-License-Identifier: MIT */
#include "drivers/tables.h"

#include "trace/trace.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void tables_print(const char *path, FILE *out)
{
    struct trace trace;
    bool is_table = false;

    if (trace_read(&trace, path, NULL) < 0)
        return;
    for (size_t i = 0; i < trace.n_records; i++) {
        const struct trace_record *record = &trace.records[i];

        if (record->kind != TRACE_NOTE || record->note.text.bytes == NULL)
            continue;
        if (is_table)
            (void)fprintf(out, "%s%.*s\n", record->note.text.n > 0 ? "    " : "",
                          (int)record->note.text.n, record->note.text.bytes);
        is_table |= strcmp(record->note.text.bytes, TABLES_HEADING) == 0;
    }
    trace_done(&trace);
}

static const char *prefix; /* for scandir, which has no argument of its own */

static int is_trace(const struct dirent *entry)
{
    const char *ending = ".trace";
    size_t n = strlen(entry->d_name);

    return n > strlen(ending) && strcmp(entry->d_name + n - strlen(ending), ending) == 0 &&
           strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
}

static bool is_newer(const char *path, uint64_t since_ns)
{
    struct stat st;

    return stat(path, &st) == 0 &&
           (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec >= since_ns;
}

/* Whether there is a smaller trace of the same trial. */
static bool has_smaller(const char *path)
{
    char smaller[PATH_MAX];
    size_t n = strlen(path) - strlen(".trace");

    (void)snprintf(smaller, sizeof(smaller), "%.*s.shrunk.trace", (int)n, path);
    return access(smaller, R_OK) == 0;
}

void tables_print_new(const char *directory, const char *suite, uint64_t since_ns, FILE *out)
{
    char start[64];
    struct dirent **all = NULL;
    int n;

    (void)snprintf(start, sizeof(start), "%.50s-", suite);
    prefix = start;
    n = scandir(directory, &all, is_trace, alphasort);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];

        (void)snprintf(path, sizeof(path), "%s/%s", directory, all[i]->d_name);
        if (is_newer(path, since_ns) && !has_smaller(path)) {
            (void)fprintf(out, "%s:\n", path);
            tables_print(path, out);
        }
        free(all[i]);
    }
    free(all);
    prefix = NULL;
}
