/* failures.c - see failures.h. SPDX-License-Identifier: MIT */
#include "api/failures.h"

#include "api/phases.h"
#include "base/file.h"
#include "base/json.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 1, FILE_BYTES_MAX = 4096 };

/* The file that belongs to a trace. */
static int name_file(const char *trace, char *path, size_t size)
{
    static const char *const endings[] = {".trace", ".shrunk"};
    size_t n = strlen(trace);

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t k = strlen(endings[i]);

        if (n > k && memcmp(trace + n - k, endings[i], k) == 0)
            n -= k;
    }
    return snprintf(path, size, "%.*s.failures.json", (int)n, trace) < (int)size ? 0 : SN_EINVAL;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static int write_one(const struct run_request *request, const struct run_failure *failure,
                     const char *path, struct err *why)
{
    const char *strategy = request_strategy(request);
    char text[FILE_BYTES_MAX];
    struct sn_text out;

    text_init(&out, text, sizeof(text));
    text_print(&out, "{\"sennit\": \"failures\", \"version\": %d, \"strategy\": ", VERSION);
    json_put_string(&out, strategy, strlen(strategy));
    text_print(&out, ", \"seed\": %" PRIu64 ", \"count\": %" PRIu64 ", \"trials\": [",
               request_seed(request), failure->count);
    for (uint32_t i = 0; i < failure->n_trials; i++)
        text_print(&out, "%s%" PRIu64, i > 0 ? ", " : "", failure->trials[i]);
    text_puts(&out, "]}\n");
    if (out.cut)
        return err_set(why, SN_EINVAL, "%.300s: the name of the strategy is too long", path);
    return file_replace(path, &(struct file_part){out.buffer, out.used}, 1, why);
}

int failures_write(const struct run_request *request, const struct run_found *found,
                   struct err *why)
{
    int rc = 0;

    for (uint32_t i = 0; i < found->n_failures && rc == 0; i++) {
        const struct run_failure *failure = &found->failures[i];
        char path[FILE_PATH_MAX];

        if (failure->trace[0] == '\0' || failure->is_tolerant ||
            name_file(failure->trace, path, sizeof(path)) < 0)
            continue;
        if (failure->n_trials > 1)
            rc = write_one(request, failure, path, why);
        else
            (void)unlink(path);
    }
    return rc;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static bool has_text(const struct json_value *file, const char *key, const char *text)
{
    const struct json_value *v = json_member(file, key);

    return v != NULL && v->type == JSON_STRING && strcmp(v->string, text) == 0;
}

static bool has_number(const struct json_value *file, const char *key, uint64_t number)
{
    const struct json_value *v = json_member(file, key);

    return v != NULL && v->type == JSON_UINT && v->number == number;
}

static bool take(struct failures *out, const struct json_value *file, const struct trace *trace)
{
    const struct json_value *count;
    const struct json_value *list;

    if (file->type != JSON_OBJECT || !has_text(file, "sennit", "failures") ||
        !has_number(file, "version", VERSION) ||
        !has_text(file, "strategy", trace->header.strategy) ||
        !has_number(file, "seed", trace->header.seed))
        return false;
    count = json_member(file, "count");
    list = json_member(file, "trials");
    if (count == NULL || count->type != JSON_UINT || list == NULL || list->type != JSON_ARRAY ||
        list->n > RUN_TRIALS_MAX || list->n > count->number)
        return false;
    *out = (struct failures){.count = count->number};
    for (const struct json_value *v = list->first; v != NULL; v = v->next) {
        if (v->type != JSON_UINT || (out->n > 0 && v->number <= out->trials[out->n - 1]))
            return false;
        out->trials[out->n++] = v->number;
    }
    return true;
}

bool failures_read(struct failures *out, const char *path, const struct trace *trace)
{
    const struct json_value *file = NULL;
    char name[FILE_PATH_MAX];
    char bytes[FILE_BYTES_MAX];
    struct json_error error;
    struct arena arena;
    ssize_t n = -1;
    bool is_taken;
    int fd;

    *out = (struct failures){.count = 0};
    if (name_file(path, name, sizeof(name)) < 0)
        return false;
    fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, bytes, sizeof(bytes));
    (void)close(fd);
    arena_init(&arena, 1 << 20);
    if (n > 0 && n < FILE_BYTES_MAX)
        file = json_parse(&arena, bytes, (size_t)n, &error);
    is_taken = file != NULL && take(out, file, trace);
    arena_done(&arena);
    return is_taken;
}
