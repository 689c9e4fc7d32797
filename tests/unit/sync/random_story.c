/* random_story.c - see random_story.h. SPDX-License-Identifier: MIT */
#include "random_story.h"

#include "sync/judge.h"

#include <string.h>

enum { LETTERS = 3 };

uint64_t random_below(struct random_source *source, uint64_t n)
{
    uint64_t z = source->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % n;
}

static uint32_t below(struct random_source *source, uint32_t n)
{
    return (uint32_t)random_below(source, n);
}

static void hide(struct random_source *source, const struct plain *plain, struct plain_state *now)
{
    struct plain_state next = *now;
    struct plain_file *file = &next.files[below(source, plain->n_files)];
    uint32_t node = below(source, plain->n_nodes);
    bool is_done = random_below(source, 2) == 0
                       ? plain_up(plain, file, node, random_below(source, 2) == 0)
                       : plain_down(plain, file, node);

    if (is_done)
        *now = next;
}

/* Until nothing is left to do, as nearly as a bounded number of attempts brings about. */
static void settle(struct random_source *source, const struct plain *plain, struct plain_state *now)
{
    for (uint32_t i = 0; i < 200; i++)
        hide(source, plain, now);
}

static struct sn_sync_event observe_rest(const struct plain *plain, const struct plain_state *now,
                                         uint32_t which)
{
    const struct plain_file *file = &now->files[which];
    struct sn_sync_event event = {.kind = SN_SYNC_STABILIZE, .file = which};

    for (uint32_t node = 0; node < plain->n_nodes; node++)
        event.seen[node] =
            (struct sn_sync_seen){.value = file->local[node], .conflicts = file->conflicts};
    return event;
}

static struct sn_sync_event draw_event(struct random_source *source, const struct plain *plain,
                                       struct plain_state *now, uint32_t value)
{
    uint32_t file = below(source, plain->n_files);
    uint32_t node = below(source, plain->n_nodes);
    uint32_t local;

    if (random_below(source, 8) == 0) {
        settle(source, plain, now);
        return observe_rest(plain, now, file);
    }
    for (uint64_t i = random_below(source, 7); i > 0; i--)
        hide(source, plain, now);
    local = now->files[file].local[node];
    if (random_below(source, 3) == 0)
        return (struct sn_sync_event){
            .kind = SN_SYNC_READ, .node = node, .file = file, .value = local};
    return (struct sn_sync_event){
        .kind = SN_SYNC_WRITE, .node = node, .file = file, .value = value, .old = local};
}

static struct random_story draw_run(struct random_source *source, const struct plain *plain,
                                    bool is_distinct)
{
    struct random_story story = {.n = 3 + random_below(source, 6)};
    struct plain_state now;

    memset(&now, 0, sizeof(now));
    for (size_t i = 0; i < story.n; i++) {
        uint32_t value = is_distinct ? (uint32_t)i + 1 : below(source, LETTERS + 1);

        story.events[i] = draw_event(source, plain, &now, value);
        (void)plain_observe(plain, &now, &story.events[i], (uint32_t)i + 1);
    }
    return story;
}

/* Changes something that was seen. */
static void spoil(struct random_source *source, const struct plain *plain,
                  struct random_story *story, uint32_t letters)
{
    struct sn_sync_event *event = &story->events[random_below(source, story->n)];
    uint32_t value = below(source, letters + 1);

    if (event->kind == SN_SYNC_READ)
        event->value = value;
    else if (event->kind == SN_SYNC_WRITE)
        event->old = value;
    else
        for (uint32_t node = 0; node < plain->n_nodes; node++) {
            if (random_below(source, 6) == 0)
                continue;
            if (value % 2 == 0)
                event->seen[node].value = value;
            else
                event->seen[node].conflicts ^= UINT64_C(1) << value;
        }
}

struct random_story random_story(struct random_source *source, const struct plain *plain)
{
    struct random_story story = draw_run(source, plain, false);

    for (uint64_t i = random_below(source, 3); i > 0; i--)
        spoil(source, plain, &story, LETTERS);
    return story;
}

struct random_story random_distinct_story(struct random_source *source, const struct plain *plain)
{
    struct random_story story = draw_run(source, plain, true);

    for (uint64_t i = random_below(source, 3); i > 0; i--)
        spoil(source, plain, &story, (uint32_t)story.n);
    return story;
}

long explain_story(const struct plain *plain, const struct random_story *story, bool is_joint,
                   struct sn_conjectured_event *hidden, size_t max)
{
    struct sn_sync_limits limits = {.is_joint = is_joint};
    struct sync_following following = {{sn_sync_rules_find(plain->rules), plain->n_nodes, NULL},
                                       NULL};
    long n;

    if (following_open(&following, plain->n_files, &limits, true, NULL, 0) != NULL)
        return -1;
    for (size_t i = 0; i < story->n; i++)
        if (following_feed(&following, &story->events[i]) != SN_CONJECTURED_YES)
            break;
    n = sn_conjecture_explanation(following.conjecture, hidden, max);
    following_done(&following);
    return n;
}
