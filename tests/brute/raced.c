/* raced.c - see raced.h. SPDX-License-Identifier: MIT */
#include "raced.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- What is known of kinds ----------------------------------------------------------------- */

struct known {
    struct kind kind;
    uint64_t hash; /* what the analysis calls it; 0: not met yet */
    bool is_seen;
    bool has_raced;
    bool will_be_seen; /* as trials of this epoch have shown */
    bool will_have_raced;
};

/* What has been learned in this run. */
static struct {
    bool is_by_site;
    bool was_new; /* the last epoch has shown something new */
    uint32_t n;
    struct known all[RACED_KINDS_MAX];
    struct sn_conflicts figures; /* of all epochs so far, ... */
    struct sn_conflicts latest;  /* ... and of the present one */
} learned;

void raced_begin(bool is_by_site)
{
    memset(&learned, 0, sizeof(learned));
    learned.is_by_site = is_by_site;
    captures.n = 0;
}

static struct known *known_of(struct kind kind)
{
    uint32_t i = 0;

    if (learned.is_by_site)
        kind.who = 0;
    while (i < learned.n &&
           (learned.all[i].kind.who != kind.who || learned.all[i].kind.what != kind.what ||
            learned.all[i].kind.site != kind.site))
        i++;
    assert_true(i < RACED_KINDS_MAX);
    if (i == learned.n)
        learned.all[learned.n++] = (struct known){.kind = kind};
    return &learned.all[i];
}

static bool is_quiet(const struct raced_op *op)
{
    const struct known *known = known_of(op->kind);

    return known->is_seen && !known->has_raced && !op->is_always_explored;
}

/* Epochs begin with trials 0, 1, 2, 4, ... 256, 512, 768, ... */
static bool begins_epoch(uint32_t trial)
{
    return trial < 256 ? (trial & (trial - 1)) == 0 : trial % 256 == 0;
}

static void end_epoch(void)
{
    struct sn_conflicts *sum = &learned.figures;

    learned.was_new = false;
    for (uint32_t i = 0; i < learned.n; i++) {
        struct known *known = &learned.all[i];

        learned.was_new |= (known->will_be_seen && !known->is_seen) ||
                           (known->will_have_raced && !known->has_raced);
        known->is_seen |= known->will_be_seen;
        known->has_raced |= known->will_have_raced;
    }
    sum->trials += learned.latest.trials;
    sum->operations += learned.latest.operations;
    sum->raced += learned.latest.raced;
    sum->false_negatives += learned.latest.false_negatives;
    sum->false_positives += learned.latest.false_positives;
    learned.latest = (struct sn_conflicts){0};
}

static bool is_to_be_analysed(uint32_t trial)
{
    if (trial >= 16 && !learned.was_new)
        return trial % 32 == 0;
    return trial < 512 || trial % 8 == 0;
}

/* What a trial shows counts from the next epoch on. */
static void learn(const struct raced_trial *t)
{
    uint64_t raced = paths_raced(&t->paths);

    learned.latest.trials++;
    learned.latest.operations += t->paths.n;
    for (uint32_t i = 1; i <= t->paths.n; i++) {
        struct known *known = known_of(t->ran[i].kind);
        bool has_raced = (raced & STEP_BIT(i)) != 0;

        known->will_be_seen = true;
        known->will_have_raced |= has_raced;
        learned.latest.raced += has_raced;
        learned.latest.false_negatives += has_raced && !known->has_raced;
        learned.latest.false_positives += !has_raced && known->has_raced;
    }
}

/* ---- Comparing ------------------------------------------------------------------------------ */

static bool are_races_same(const struct captured *c, const struct raced_trial *t)
{
    bool are_same = c->n == t->paths.n;

    if (!are_same)
        print_message("# there are %u steps, and should be %u\n", c->n, t->paths.n);
    for (uint32_t i = 1; i <= t->paths.n && are_same; i++) {
        are_same = c->races[i] == t->paths.races[i];
        if (!are_same)
            print_message("# step %u races with %llx, and should with %llx\n", i,
                          (unsigned long long)c->races[i], (unsigned long long)t->paths.races[i]);
    }
    return are_same && c->raced == paths_raced(&t->paths);
}

/* Operations of one kind have one hash, and those of two have two. */
static bool are_kinds_same(const struct captured *c, const struct raced_trial *t)
{
    bool are_same = c->n == t->paths.n;

    for (uint32_t i = 1; i <= t->paths.n && are_same; i++) {
        struct known *known = known_of(t->ran[i].kind);

        for (uint32_t k = 0; k < learned.n; k++)
            are_same &= learned.all[k].hash != c->hashes[i] || &learned.all[k] == known;
        are_same &= known->hash == 0 || known->hash == c->hashes[i];
        known->hash = c->hashes[i];
    }
    return are_same;
}

static bool is_known_same(const struct captured *c, const struct raced_trial *t)
{
    enum { SEEN = 1, RACED = 2 };
    bool is_same = c->n == t->paths.n;

    for (uint32_t i = 1; i <= t->paths.n && is_same; i++) {
        const struct known *known = known_of(t->ran[i].kind);

        is_same = ((c->known[i] & SEEN) != 0) == known->is_seen &&
                  ((c->known[i] & RACED) != 0) == known->has_raced;
    }
    return is_same;
}

/* Something quiet runs before anything that is not, but for one trial in 32, in which it has no
 * precedence: how often something else came first is counted. */
static bool are_picks_right(uint32_t number, const struct raced_trial *t,
                            struct raced_totals *totals)
{
    bool is_plain = number % 32 == 0;
    bool are_right = true;

    for (uint32_t i = 1; i <= t->paths.n; i++) {
        uint32_t n_quiet = 0;

        for (uint32_t k = 0; k < t->n_pending[i]; k++)
            n_quiet += is_quiet(&t->pending[i][k]);
        if (is_plain) {
            totals->n_waited += n_quiet > 0 && !is_quiet(&t->ran[i]);
            continue;
        }
        are_right &= n_quiet == 0 || is_quiet(&t->ran[i]);
        totals->n_quiet += n_quiet > 0;
        totals->n_kept += n_quiet > 0 && n_quiet < t->n_pending[i];
    }
    return are_right;
}

static bool compare_trial(uint32_t number, struct raced_trial *t, struct raced_totals *totals)
{
    const struct captured *c = &captures.all[number];
    struct raced_totals before = *totals;
    bool is_analysed = is_to_be_analysed(number);

    totals->n_trials++;
    totals->n_wrong_picks += !are_picks_right(number, t, totals);
    totals->n_skipped += !is_analysed;
    totals->n_wrong_analysed += c->is_analysed != is_analysed;
    if (is_analysed && c->is_analysed) {
        paths_find(&t->paths);
        totals->n_analysed++;
        totals->n_steps += t->paths.n;
        totals->n_wrong_races += !are_races_same(c, t);
        totals->n_wrong_kinds += !are_kinds_same(c, t);
        totals->n_wrong_known += !is_known_same(c, t);
        for (uint32_t i = 1; i <= t->paths.n; i++) {
            totals->n_pairs += (uint64_t)__builtin_popcountll(t->paths.races[i]);
            totals->n_calm += (paths_raced(&t->paths) & STEP_BIT(i)) == 0;
        }
        learn(t);
    }
    return memcmp(&before.n_wrong_races, &totals->n_wrong_races,
                  sizeof(before) - offsetof(struct raced_totals, n_wrong_races)) == 0;
}

static bool are_figures_same(const struct sn_conflicts *told, const struct sn_conflicts *sum)
{
    uint64_t n_seen = 0;
    uint64_t n_racy = 0;

    for (uint32_t i = 0; i < learned.n; i++) {
        n_seen += learned.all[i].is_seen;
        n_racy += learned.all[i].has_raced;
    }
    return told->trials == sum->trials && told->operations == sum->operations &&
           told->raced == sum->raced && told->false_negatives == sum->false_negatives &&
           told->false_positives == sum->false_positives && told->signatures == n_seen &&
           told->racy == n_racy;
}

bool raced_compare(const struct sn_result *result, raced_read *read, void *self,
                   struct raced_totals *totals)
{
    static struct raced_trial t;
    bool is_right = true;

    for (uint32_t i = 0; i < captures.n && is_right; i++) {
        memset(&t, 0, sizeof(t));
        if (begins_epoch(i))
            end_epoch();
        if (captures.all[i].is_odd || !read(self, i, &t)) {
            totals->n_odd++;
            print_message("# trial %u cannot be compared\n", i);
            return false;
        }
        is_right = compare_trial(i, &t, totals);
        if (!is_right)
            print_message("# trial %u\n", i);
    }
    if (!is_right)
        return false;
    end_epoch();
    totals->n_kinds += learned.n;
    totals->n_false_negatives += learned.figures.false_negatives;
    totals->n_false_positives += learned.figures.false_positives;
    if (are_figures_same(&result->conflicts, &learned.figures))
        return true;
    totals->n_wrong_figures++;
    print_message("# the run tells other figures\n");
    return false;
}

void raced_print_totals(const char *what, const struct raced_totals *t)
{
    print_message(
        "# %llu programs of %s, %llu trials, %llu of them analysed, %llu steps, %llu pairs raced, "
        "%llu steps did not, %llu kinds, %llu false negatives, %llu false positives; %llu quiet "
        "steps, %llu of them before others\n",
        (unsigned long long)t->n_programs, what, (unsigned long long)t->n_trials,
        (unsigned long long)t->n_analysed, (unsigned long long)t->n_steps,
        (unsigned long long)t->n_pairs, (unsigned long long)t->n_calm,
        (unsigned long long)t->n_kinds, (unsigned long long)t->n_false_negatives,
        (unsigned long long)t->n_false_positives, (unsigned long long)t->n_quiet,
        (unsigned long long)t->n_kept);
}
