/* judge.c - judges observations of synchronisers: see sennit/sync.h.
 * SPDX-License-Identifier: MIT
 */
#include "sync/judge.h"

#include "base/text.h"
#include "oracle/conjecture.h"
#include "sync/words.h"

#include <string.h>

/* Enough for a dozen events of three nodes. */
#define SMALL_BYTES 32768

uint32_t sync_count_files(const struct sn_sync_event *events, size_t n)
{
    uint32_t files = 1;

    for (size_t i = 0; i < n; i++)
        if (events[i].file >= files)
            files = events[i].file + 1;
    return files;
}

const char *following_open(struct sync_following *following, uint32_t n_files,
                           const struct sn_sync_limits *limits, bool is_explained, void *memory,
                           size_t size)
{
    static const struct sn_sync_limits none = {0};
    struct sn_conjecture_options options;

    if (limits == NULL)
        limits = &none;
    options = (struct sn_conjecture_options){.parts = n_files,
                                             .is_joint = limits->is_joint,
                                             .is_explained = is_explained,
                                             .states = limits->states,
                                             .memory_mb = limits->memory_mb};
    if (following->model.rules == NULL)
        return "there are no such rules";
    if (following->model.n_nodes == 0 || following->model.n_nodes > SN_SYNC_NODES_MAX)
        return "there must be from 1 to 5 nodes";
    if (n_files > SN_SYNC_FILES_MAX)
        return "there may be no more than 8 files";
    following->conjecture = conjecture_open(&sync_model, &following->model, &options, memory, size);
    return following->conjecture == NULL ? "there is no memory for a single state" : NULL;
}

void following_done(struct sync_following *following)
{
    sn_conjecture_free(following->conjecture);
    following->conjecture = NULL;
}

enum sn_conjectured following_feed(struct sync_following *following,
                                   const struct sn_sync_event *event)
{
    return sn_conjecture_feed(following->conjecture, event->file, event->kind, event);
}

static void say_why(struct sn_sync_result *result, const struct sync_following *following,
                    const struct sn_sync_event *event, bool has_files)
{
    struct sn_text out;

    text_init(&out, result->why, sizeof(result->why));
    text_print(&out, "event %zu, ", result->explained + 1);
    words_event(&out, NULL, following->model.n_nodes, has_files, event);
    if (event->kind != SN_SYNC_STABILIZE)
        text_print(&out, " on node %u", event->node + 1);
    text_puts(&out, result->verdict == SN_CONJECTURED_NO ? ", cannot be explained"
                                                         : ", needs more than the limits allow");
}

static void take_figures(struct sn_sync_result *result, const struct sn_conjecture *conjecture)
{
    struct sn_conjecture_figures figures;

    sn_conjecture_measure(conjecture, &figures);
    result->explained = figures.explained;
    result->hidden = figures.hidden;
    result->states = figures.states;
    result->set_max = figures.set_max;
    result->set_mean = figures.set_mean;
}

static enum sn_conjectured refuse(struct sn_sync_result *result, size_t i, const char *why)
{
    struct sn_text out;

    text_init(&out, result->why, sizeof(result->why));
    if (i != SIZE_MAX)
        text_print(&out, "event %zu: ", i + 1);
    text_puts(&out, why);
    return result->verdict = SN_CONJECTURED_UNKNOWN;
}

enum sn_conjectured sn_sync_judge(const char *rules, uint32_t n_nodes,
                                  const struct sn_sync_event *events, size_t n,
                                  const struct sn_sync_limits *limits,
                                  struct sn_sync_result *result)
{
    _Alignas(16) char memory[SMALL_BYTES];
    struct sync_following following = {{sn_sync_rules_find(rules), n_nodes, NULL}, NULL};
    const char *why = NULL;
    uint32_t n_files;

    *result = (struct sn_sync_result){.verdict = SN_CONJECTURED_YES};
    for (size_t i = 0; i < n; i++) {
        why = sync_nonsense(n_nodes, &events[i]);
        if (why != NULL)
            return refuse(result, i, why);
    }
    n_files = sync_count_files(events, n);
    why = following_open(&following, n_files, limits, false, memory, sizeof(memory));
    if (why != NULL)
        return refuse(result, SIZE_MAX, why);
    for (size_t i = 0; i < n && result->verdict == SN_CONJECTURED_YES; i++)
        result->verdict = following_feed(&following, &events[i]);
    take_figures(result, following.conjecture);
    if (result->verdict != SN_CONJECTURED_YES)
        say_why(result, &following, &events[result->explained], n_files > 1);
    following_done(&following);
    return result->verdict;
}
