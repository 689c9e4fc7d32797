/* random_story.h - random observations: what a synchroniser might show, or nearly.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_SYNC_RANDOM_STORY_H
#define TESTS_UNIT_SYNC_RANDOM_STORY_H

#include "plain.h"

struct random_source {
    uint64_t state;
};

/* From 0 to n - 1. */
uint64_t random_below(struct random_source *source, uint64_t n);

struct random_story {
    struct sn_sync_event events[PLAIN_EVENTS_MAX];
    size_t n;
};

/* A run of the plain model with hidden events at random. Of half of them one thing is changed
 * afterwards, which may or may not make it impossible. */
struct random_story random_story(struct random_source *source, const struct plain *plain);

/* The same where no value is written twice, and nothing deleted. */
struct random_story random_distinct_story(struct random_source *source, const struct plain *plain);

/* The explanation of a story that the library gives, as sn_conjecture_explanation. */
long explain_story(const struct plain *plain, const struct random_story *story, bool is_joint,
                   struct sn_conjectured_event *hidden, size_t max);

#endif
