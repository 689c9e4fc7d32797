/* rules.c - who wins where nodes disagree: rules of synchronisers, by name.
 *
 * v1, v2 and final are those of the paper, in the order in which its authors refined them. The last
 * one as printed still refuses the observation that it was made for: a write that comes late, after
 * a deletion, becomes a conflict in it. `fixed` says what the paper's prose does, that of a
 * deletion and a write the write takes precedence. The others are for synchronisers that decide
 * otherwise. SPDX-License-Identifier: MIT
 */
#include <sennit/sync.h>

#include <string.h>

static const struct sn_sync_rules rules[] = {
    {.name = "fixed",
     .about = "the first upload wins, others become conflict files, writes win over deletions",
     .winner = SN_SYNC_FIRST,
     .deletion = SN_SYNC_WRITE_WINS,
     .is_loser_kept = true},
    {.name = "final",
     .about = "the paper's last rules, as printed: late deletions are forgotten",
     .winner = SN_SYNC_FIRST,
     .deletion = SN_SYNC_FORGETS,
     .is_loser_kept = true},
    {.name = "v2",
     .about = "the paper's second rules: deletions are like other writes",
     .winner = SN_SYNC_FIRST,
     .deletion = SN_SYNC_DELETE_IS_WRITE,
     .is_loser_kept = true},
    {.name = "v1",
     .about = "the paper's first rules: to write the same value twice is a conflict, too",
     .winner = SN_SYNC_FIRST,
     .deletion = SN_SYNC_DELETE_IS_WRITE,
     .is_loser_kept = true,
     .is_same_a_conflict = true},
    {.name = "first",
     .about = "the first upload wins, others are lost, writes win over deletions",
     .winner = SN_SYNC_FIRST,
     .deletion = SN_SYNC_WRITE_WINS},
    {.name = "last",
     .about = "the last upload wins, deletions too; what was there is lost",
     .winner = SN_SYNC_LAST,
     .deletion = SN_SYNC_DELETE_IS_WRITE},
    {.name = "newest",
     .about = "what was written last wins, others are lost, writes win over deletions",
     .winner = SN_SYNC_NEWEST,
     .deletion = SN_SYNC_WRITE_WINS},
    {.name = "newest-kept",
     .about = "what was written last wins, others become conflict files",
     .winner = SN_SYNC_NEWEST,
     .deletion = SN_SYNC_WRITE_WINS,
     .is_loser_kept = true},
    {.name = "either",
     .about = "any of the two wins, the other is lost, writes win over deletions",
     .winner = SN_SYNC_EITHER,
     .deletion = SN_SYNC_WRITE_WINS},
    {.name = "skip",
     .about = "nobody wins: both sides keep their own until they are equal (unison -batch)",
     .winner = SN_SYNC_NEITHER,
     .deletion = SN_SYNC_DELETE_IS_WRITE},
};

const struct sn_sync_rules *sn_sync_rules_at(size_t i)
{
    return i < sizeof(rules) / sizeof(rules[0]) ? &rules[i] : NULL;
}

const struct sn_sync_rules *sn_sync_rules_find(const char *name)
{
    if (name == NULL)
        return &rules[0];
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (strcmp(rules[i].name, name) == 0)
            return &rules[i];
    return NULL;
}
