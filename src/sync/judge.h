/* judge.h - an observation fed to a conjecture, as judging and printing both need it.
 * SPDX-License-Identifier: MIT
 */
#ifndef SYNC_JUDGE_H
#define SYNC_JUDGE_H

#include "sync/model.h"

struct sync_following {
    struct sync_model model;
    struct sn_conjecture *conjecture;
};

/* Begins to follow an observation, with `size` bytes at `memory` before any mapping. NULL, or what
 * is wrong. */
const char *following_open(struct sync_following *following, uint32_t n_files,
                           const struct sn_sync_limits *limits, bool is_explained, void *memory,
                           size_t size);
void following_done(struct sync_following *following);

enum sn_conjectured following_feed(struct sync_following *following,
                                   const struct sn_sync_event *event);

/* How many files an observation is about, at least 1. NULL for rules or events that make no sense
 * is not found out here. */
uint32_t sync_count_files(const struct sn_sync_event *events, size_t n);

#endif
