/* story.h - observations of synchronisers in few letters, for tests.
 *
 *   W1 a/-       node 1 writes a where there was nothing      (W1.2: its second file)
 *   R2 -         node 2 reads nothing
 *   S a{bc}      all nodes have a, and conflicts b and c      (S.2)
 *   S a{}|b{}    they differ: one entry for each node
 *
 * Events are separated by ";". SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_SYNC_STORY_H
#define TESTS_UNIT_SYNC_STORY_H

#include <sennit/sync.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STORY_MAX = 64 };

struct story {
    struct sn_sync_event events[STORY_MAX];
    size_t n;
    uint32_t nodes;
};

static inline uint32_t story_value(char c)
{
    return c == '-' ? 0 : c == '/' ? SN_SYNC_DIRECTORY : (uint32_t)(c - 'a' + 1);
}

static inline const char *story_seen(const char *at, struct sn_sync_seen *seen)
{
    *seen = (struct sn_sync_seen){.value = story_value(*at)};
    for (at += 2; *at != '}'; at++)
        seen->conflicts |= UINT64_C(1) << story_value(*at);
    return at + 1;
}

static inline const char *story_event(const char *at, uint32_t nodes, struct sn_sync_event *event)
{
    char kind = *at++;

    *event = (struct sn_sync_event){.kind = kind == 'W'   ? SN_SYNC_WRITE
                                            : kind == 'R' ? SN_SYNC_READ
                                                          : SN_SYNC_STABILIZE};
    if (kind != 'S')
        event->node = (uint32_t)(*at++ - '1');
    if (*at == '.') {
        event->file = (uint32_t)(at[1] - '1');
        at += 2;
    }
    at++;
    if (kind == 'S') {
        at = story_seen(at, &event->seen[0]);
        for (uint32_t node = 1; node < nodes; node++)
            if (*at == '|')
                at = story_seen(at + 1, &event->seen[node]);
            else
                event->seen[node] = event->seen[0];
        return at;
    }
    event->value = story_value(*at++);
    if (kind == 'W') {
        event->old = story_value(at[1]);
        at += 2;
    }
    return at;
}

static inline struct story story_of(uint32_t nodes, const char *text)
{
    struct story story = {.nodes = nodes};

    while (*text != '\0') {
        while (*text == ' ' || *text == ';')
            text++;
        if (*text != '\0')
            text = story_event(text, nodes, &story.events[story.n++]);
    }
    return story;
}

static inline enum sn_conjectured story_judge(const char *rules, uint32_t nodes, const char *text,
                                              struct sn_sync_result *result)
{
    struct story story = story_of(nodes, text);

    return sn_sync_judge(rules, nodes, story.events, story.n, NULL, result);
}

#endif
