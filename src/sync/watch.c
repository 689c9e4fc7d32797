/* watch.c - follows an observation while it is being made: see sennit/sync.h.
 * SPDX-License-Identifier: MIT
 */
#include "base/arena.h"
#include "base/err.h"
#include "sync/model.h"

#include <string.h>

struct sn_sync_watch {
    struct sync_model model;
    struct sn_conjecture *conjecture;
    uint32_t n_files;
    struct arena arena; /* in which it lies itself; empty if it has memory of the caller's */
};

/* What the watch itself takes, so that what follows it is aligned. */
#define WATCH_BYTES ((sizeof(struct sn_sync_watch) + 15) / 16 * 16)

static struct sn_sync_watch *take_memory(struct sn_conjecture_options *options)
{
    struct arena arena = {0};
    struct sn_sync_watch *watch;

    if (options->memory == NULL) {
        watch = arena_alloc(&arena, WATCH_BYTES);
        if (watch != NULL)
            watch->arena = arena;
        return watch;
    }
    if (options->memory_size < WATCH_BYTES)
        return NULL;
    watch = memset(options->memory, 0, WATCH_BYTES);
    options->memory = (char *)options->memory + WATCH_BYTES;
    options->memory_size -= WATCH_BYTES;
    return watch;
}

struct sn_sync_watch *sn_sync_watch_new(const char *rules, uint32_t n_nodes, uint32_t n_files,
                                        const struct sn_sync_limits *limits)
{
    static const struct sn_sync_limits none = {0};
    const struct sn_sync_limits *wanted = limits != NULL ? limits : &none;
    struct sn_conjecture_options options = {.parts = n_files,
                                            .is_joint = wanted->is_joint,
                                            .states = wanted->states,
                                            .memory_mb = wanted->memory_mb,
                                            .memory = wanted->memory,
                                            .memory_size = wanted->memory_size};
    struct sn_sync_watch *watch;

    if (sn_sync_rules_find(rules) == NULL || n_nodes == 0 || n_nodes > SN_SYNC_NODES_MAX ||
        n_files == 0 || n_files > SN_SYNC_FILES_MAX)
        return NULL;
    watch = take_memory(&options);
    if (watch == NULL)
        return NULL;
    watch->model = (struct sync_model){sn_sync_rules_find(rules), n_nodes, NULL};
    watch->n_files = n_files;
    watch->conjecture = sn_conjecture_new(&sync_model, &watch->model, &options);
    if (watch->conjecture == NULL) {
        sn_sync_watch_free(watch);
        return NULL;
    }
    return watch;
}

void sn_sync_watch_free(struct sn_sync_watch *watch)
{
    struct arena arena;

    if (watch == NULL)
        return;
    sn_conjecture_free(watch->conjecture);
    arena = watch->arena;
    arena_done(&arena);
}

static bool is_sensible(const struct sn_sync_watch *watch, const struct sn_sync_event *event)
{
    return sync_nonsense(watch->model.n_nodes, event) == NULL && event->file < watch->n_files;
}

enum sn_conjectured sn_sync_watch_feed(struct sn_sync_watch *watch,
                                       const struct sn_sync_event *event)
{
    sn_check(is_sensible(watch, event));
    return sn_conjecture_feed(watch->conjecture, event->file, event->kind, event);
}

enum sn_conjectured sn_sync_watch_would(struct sn_sync_watch *watch,
                                        const struct sn_sync_event *event)
{
    sn_check(is_sensible(watch, event));
    return sn_conjecture_would(watch->conjecture, event->file, event->kind, event);
}

uint64_t sn_sync_watch_values(struct sn_sync_watch *watch, uint32_t node, uint32_t file)
{
    uint64_t values = 0;
    size_t n;

    sn_check(node < watch->model.n_nodes);
    sn_check(file < watch->n_files);
    n = sn_conjecture_possible(watch->conjecture, file);
    for (size_t i = 0; i < n; i++)
        values |= UINT64_C(1) << sync_local(sn_conjecture_state(watch->conjecture, file, i), node);
    return values;
}

void sn_sync_watch_figures(const struct sn_sync_watch *watch, struct sn_conjecture_figures *figures)
{
    sn_conjecture_measure(watch->conjecture, figures);
}
