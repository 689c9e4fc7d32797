/* rules.c - see rules.h: adding rules, and checking that they make sense.
 * SPDX-License-Identifier: MIT
 */
#include "events/rules.h"

#include <sennit/test.h>
#include <stdio.h>
#include <string.h>

#define EVENT(e_) (UINT64_C(1) << (e_))

/* ---- Adding --------------------------------------------------------------------------------- */

static int check_events(const struct recording *r, const uint8_t *events, uint32_t n,
                        struct err *why)
{
    uint64_t seen = 0;

    if (n < 2)
        return err_set(why, SN_EINVAL, "it takes two events at least");
    for (uint32_t i = 0; i < n; i++) {
        if (events[i] >= r->n)
            return err_set(why, SN_EINVAL, "there is no event %u: they are 0 to %u", events[i],
                           r->n - 1);
        if ((seen & EVENT(events[i])) != 0)
            return err_set(why, SN_EINVAL, "event %u occurs twice", events[i]);
        seen |= EVENT(events[i]);
    }
    return 0;
}

int rules_add_before(struct rules *rules, const struct recording *r, const uint8_t *events,
                     uint32_t n, struct err *why)
{
    int rc = check_events(r, events, n, why);

    for (uint32_t i = 1; i < n && rc == 0; i++)
        rules->before[events[i]] |= EVENT(events[i - 1]);
    return rc;
}

int rules_add_group(struct rules *rules, const struct recording *r, const uint8_t *events,
                    uint32_t n, struct err *why)
{
    struct rules_group *group = &rules->groups[rules->n_groups];
    int rc = check_events(r, events, n, why);

    if (rc < 0)
        return rc;
    if (rules->n_groups == RULES_GROUPS_MAX)
        return err_set(why, SN_EINVAL, "there are more than %d groups", RULES_GROUPS_MAX);
    for (uint32_t i = 0; i < rules->n_groups; i++) {
        for (uint32_t j = 0; j < n; j++) {
            if (memchr(rules->groups[i].events, events[j], rules->groups[i].n) != NULL)
                return err_set(why, SN_EINVAL, "event %u is in two groups", events[j]);
        }
    }
    group->n = (uint8_t)n;
    memcpy(group->events, events, n);
    rules->n_groups++;
    return 0;
}

int rules_add_independent(struct rules *rules, const struct recording *r, const uint8_t *events,
                          uint32_t n, struct err *why)
{
    int rc = check_events(r, events, n, why);

    for (uint32_t i = 0; i < n && rc == 0; i++) {
        for (uint32_t j = 0; j < n; j++) {
            if (i != j)
                rules->related[events[i]] |= EVENT(events[j]);
        }
    }
    return rc;
}

int rules_add_failed(struct rules *rules, const struct recording *r, uint64_t after,
                     uint64_t events, struct err *why)
{
    uint64_t all = r->n < 64 ? EVENT(r->n) - 1 : UINT64_MAX;

    if (events == 0)
        return err_set(why, SN_EINVAL, "no events fail");
    if (((after | events) & ~all) != 0)
        return err_set(why, SN_EINVAL, "there is no event %d: they are 0 to %u",
                       63 - __builtin_clzll((after | events) & ~all), r->n - 1);
    if ((after & events) != 0)
        return err_set(why, SN_EINVAL, "event %d fails after itself",
                       __builtin_ctzll(after & events));
    if (rules->n_failed == RULES_FAILED_MAX)
        return err_set(why, SN_EINVAL, "there are more than %d lists of events that fail",
                       RULES_FAILED_MAX);
    rules->failed[rules->n_failed++] = (struct rules_failed){.after = after, .events = events};
    return 0;
}

/* ---- Words ---------------------------------------------------------------------------------- */

/* Cuts the next word of a list off; false: there is none. */
static bool next_word(const char **list, char *word, size_t size)
{
    size_t n = strcspn(*list, ",");

    if (**list == '\0')
        return false;
    (void)snprintf(word, size, "%.*s", (int)n, *list);
    *list += n + ((*list)[n] == ',');
    return true;
}

int rules_set_prunings(struct rules *rules, const char *list, struct err *why)
{
    static const struct {
        const char *name;
        uint32_t prunings;
    } known[] = {
        {"groups", PRUNE_GROUPS},
        {"groups:paper", PRUNE_GROUPS | PRUNE_GROUPS_PAPER},
        {"replicas", PRUNE_REPLICAS},
        {"replicas:paper", PRUNE_REPLICAS | PRUNE_REPLICAS_PAPER},
        {"independence", PRUNE_INDEPENDENCE},
        {"failed", PRUNE_FAILED},
        {"all", PRUNE_ALL},
        {"none", 0},
    };
    uint32_t prunings = 0;
    char word[32];

    if (*list == '\0')
        return err_set(why, SN_EINVAL, "no pruning is named; \"none\" is no pruning");
    while (next_word(&list, word, sizeof(word))) {
        size_t i = 0;

        while (i < sizeof(known) / sizeof(known[0]) && strcmp(known[i].name, word) != 0)
            i++;
        if (i == sizeof(known) / sizeof(known[0]))
            return err_set(why, SN_EINVAL,
                           "there is no pruning \"%s\": groups, groups:paper, replicas, "
                           "replicas:paper, independence, failed, all, none",
                           word);
        prunings |= known[i].prunings;
    }
    rules->prunings = prunings;
    return 0;
}

int rules_set_watched(struct rules *rules, const struct recording *r, const char *list,
                      struct err *why)
{
    char word[2 * RECORDING_NAME_MAX];

    rules->watched = rules->watched_queries = 0;
    while (next_word(&list, word, sizeof(word))) {
        char *colon = strchr(word, ':');
        int replica;

        if (colon != NULL)
            *colon = '\0';
        replica = recording_replica(r, word);
        if (replica < 0)
            return err_set(why, SN_EINVAL, "there is no replica \"%s\" to be watched", word);
        if (colon != NULL && strcmp(colon + 1, "queries") != 0)
            return err_set(why, SN_EINVAL,
                           "of a replica all is watched, or its \"queries\", not "
                           "its \"%s\"",
                           colon + 1);
        if (colon != NULL)
            rules->watched_queries |= (uint16_t)(1 << replica);
        else
            rules->watched |= (uint16_t)(1 << replica);
    }
    rules->watched_queries &= (uint16_t)~rules->watched;
    if ((rules->watched | rules->watched_queries) == 0)
        return err_set(why, SN_EINVAL, "no replica is named to be watched");
    return 0;
}
