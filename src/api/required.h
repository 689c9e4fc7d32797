/* required.h - what a run requires of its trials: read, joined to the engines that run them, and
 * what is to be said of it at the end. engine/require.h has the mechanism.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_REQUIRED_H
#define API_REQUIRED_H

#include "api/run.h"
#include "engine/explore.h"
#include "engine/require.h"

/* In memory that forked processes share. */
struct required {
    struct opnames *names;
    bool steers;
    struct constraints constraints;
};

/* Reads the texts of sn_options.require. 0 with *out NULL if there are none; or SN_EFORMAT with a
 * sentence that names the text, or SN_ENOMEM. */
int required_new(struct required **out, const char *const *texts, struct err *why);
void required_free(struct required *required);

/* Whether texts can be read at all. 0, or as required_new. */
int required_check(const char *const *texts, struct err *why);

/* Refuses strategies that cannot respect it, and decides whether it may steer. 0, or SN_EINVAL. */
int required_admit(struct required *required, const struct explore_phase *phases, uint32_t n_phases,
                   struct err *why);

/* Joins it to an engine's trial, before that is explored; required NULL: nothing happens. */
int required_join(const struct required *required, struct trial *t, struct err *why);

/* Adds to result->unseen the names that none of the trials has met. */
void required_tell(const struct required *required, const struct trial *const *trials, uint32_t n,
                   struct sn_result *result);

/* Adds "that keep to what is required" to what a claim is limited to. */
void required_limit(const struct required *required, char *within, size_t size);

#endif
