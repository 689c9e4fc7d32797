/* test_strategies.c - strategies as states: what dfs and random visit, saved, loaded and split;
 * which parameters and which bytes are refused.
 *
 * Strategies are driven over random trees of draws, without an engine. A leaf is the sequence of
 * values that leads to it. SPDX-License-Identifier: MIT
 */
#include "base/rng.h"
#include "engine/mem.h"
#include "strategy/path.h"
#include "strategy/rank.h"
#include "strategy/strategies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DEPTH = 6, LEAVES_MAX = 20000, TREES = 300 };

struct walk {
    const struct sn_strategy *strategy;
    void *self;
    uint64_t tree;
    uint64_t path[DEPTH];
    uint64_t depth;
    uint64_t trial;
};

/* How many values there are after a path: 0 ends it. */
static uint64_t width(uint64_t tree, const uint64_t *path, uint64_t depth)
{
    uint64_t h = tree;

    for (uint64_t i = 0; i < depth; i++)
        h = mix_pair(h, path[i] + 1);
    if (depth == DEPTH)
        return 0;
    return depth == 0 ? 2 + h % 3 : h % 5;
}

static uint64_t path_hash(const struct walk *w)
{
    uint64_t h = 7;

    for (uint64_t i = 0; i < w->depth; i++)
        h = mix_pair(h, w->path[i]);
    return h;
}

/* Runs one trial. False: nothing is left. */
static bool walk_next(struct walk *w)
{
    uint64_t keep = 0;
    uint64_t n;

    if (!w->strategy->begin(w->self, w->trial++, &keep))
        return false;
    assert_true(keep <= w->depth);
    w->depth = keep;
    while ((n = width(w->tree, w->path, w->depth)) > 0) {
        struct sn_draw draw = {.label = "x", .n = n};
        uint64_t value = w->strategy->draw(w->self, &draw);

        assert_true(value < n);
        w->path[w->depth++] = value;
    }
    if (w->strategy->end != NULL)
        w->strategy->end(w->self, &(struct sn_trial_end){.decisions = w->depth});
    return true;
}

static uint64_t count_leaves(uint64_t tree, uint64_t *path, uint64_t depth)
{
    uint64_t n = width(tree, path, depth);
    uint64_t sum = 0;

    if (n == 0)
        return 1;
    for (uint64_t i = 0; i < n; i++) {
        path[depth] = i;
        sum += count_leaves(tree, path, depth + 1);
    }
    return sum;
}

struct leaves {
    uint64_t hash[LEAVES_MAX];
    size_t n;
};

static int compare_hash(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* All leaves of the tree are there, each once. */
static void assert_all_once(struct leaves *l, uint64_t tree)
{
    uint64_t path[DEPTH];

    assert_int_equal(l->n, count_leaves(tree, path, 0));
    qsort(l->hash, l->n, sizeof(l->hash[0]), compare_hash);
    for (size_t i = 1; i < l->n; i++)
        assert_true(l->hash[i] != l->hash[i - 1]);
}

/* States are large but hardly used: in mappings they cost little. */
static void *open_state(const struct strategy_entry *entry)
{
    void *self = mem_reserve_shared(entry->strategy->state_size, NULL);

    assert_non_null(self);
    return self;
}

static void *open_dfs(void)
{
    return open_state(&strategy_dfs);
}

static void close_dfs(void *self)
{
    mem_release(self, strategy_dfs.strategy->state_size);
}

static void visit(struct walk *w, struct leaves *l)
{
    assert_true(l->n < LEAVES_MAX);
    l->hash[l->n++] = path_hash(w);
}

static void dfs_visits_every_leaf_once_and_then_says_so(void **unused)
{
    static struct leaves l;

    (void)unused;
    for (uint64_t tree = 1; tree <= TREES; tree++) {
        struct walk w = {.strategy = strategy_dfs.strategy, .self = open_dfs(), .tree = tree};

        l.n = 0;
        while (walk_next(&w))
            visit(&w, &l);

        assert_all_once(&l, tree);
        assert_true(strategy_dfs.strategy->is_exhausted(w.self));
        close_dfs(w.self);
    }
}

static void dfs_saved_and_loaded_anywhere_goes_on_where_it_was(void **unused)
{
    static struct leaves l;
    static unsigned char bytes[4096];

    (void)unused;
    for (uint64_t tree = 1; tree <= TREES; tree++) {
        const struct sn_strategy *dfs = strategy_dfs.strategy;
        struct walk w = {.strategy = dfs, .self = open_dfs(), .tree = tree};
        uint64_t stop = mix64(tree) % 20;
        size_t n;

        l.n = 0;
        while (l.n < stop && walk_next(&w))
            visit(&w, &l);
        n = dfs->save(w.self, bytes, sizeof(bytes));
        assert_true(n <= sizeof(bytes));
        close_dfs(w.self);
        w = (struct walk){.strategy = dfs, .self = open_dfs(), .tree = tree};
        assert_int_equal(dfs->load(w.self, bytes, n), 0);
        while (walk_next(&w))
            visit(&w, &l);

        assert_all_once(&l, tree);
        close_dfs(w.self);
    }
}

/* Splits again and again, each part being walked a little in turn. */
static void dfs_split_anywhere_loses_nothing_and_does_nothing_twice(void **unused)
{
    static struct leaves l;
    enum { PARTS = 6 };

    (void)unused;
    for (uint64_t tree = 1; tree <= TREES; tree++) {
        const struct sn_strategy *dfs = strategy_dfs.strategy;
        struct walk parts[PARTS] = {{.strategy = dfs, .self = open_dfs(), .tree = tree}};
        struct rng rng;
        int n = 1;
        int alive = 1;

        rng_init(&rng, tree, 1);
        l.n = 0;
        while (alive > 0) {
            struct walk *w = &parts[rng_below(&rng, (uint32_t)n)];

            if (n < PARTS && rng_below(&rng, 3) == 0) {
                void *other = open_dfs();

                if (dfs->split(w->self, other))
                    parts[n++] = (struct walk){.strategy = dfs, .self = other, .tree = tree};
                else
                    close_dfs(other);
            }
            if (walk_next(w))
                visit(w, &l);
            alive = 0;
            for (int i = 0; i < n; i++)
                alive += !dfs->is_exhausted(parts[i].self);
        }

        assert_all_once(&l, tree);
        for (int i = 0; i < n; i++)
            close_dfs(parts[i].self);
    }
}

static void dfs_refuses_bytes_that_are_not_a_state(void **unused)
{
    const struct sn_strategy *dfs = strategy_dfs.strategy;
    static unsigned char bytes[4096];
    struct walk w = {.strategy = dfs, .self = open_dfs(), .tree = 3};
    size_t n;

    (void)unused;
    assert_true(walk_next(&w));
    n = dfs->save(w.self, bytes, sizeof(bytes));

    assert_int_equal(dfs->load(w.self, bytes, n - 1), -1);
    assert_int_equal(dfs->load(w.self, bytes, 0), -1);
    bytes[24] ^= 0x40; /* the depth */
    assert_int_equal(dfs->load(w.self, bytes, n), -1);
    close_dfs(w.self);
}

/* So that nobody claims later that nothing was. */
static void a_saved_path_knows_that_something_was_left_out(void **unused)
{
    struct path *path = open_dfs();
    struct path *loaded = open_dfs();
    unsigned char bytes[64];

    (void)unused;
    path->is_bounded = true;
    assert_true(path_save(path, 7, bytes, sizeof(bytes)) == 32);

    assert_int_equal(path_load(loaded, 7, bytes, 32), 0);

    assert_true(loaded->is_bounded);
    close_dfs(path);
    close_dfs(loaded);
}

/* ---- Timers among ranks ---------------------------------------------------------------------- */

static void a_timer_ranks_worse_the_more_often_its_task_has_fired(void **unused)
{
    struct ranks *r = mem_reserve_shared(sizeof(*r), NULL);
    const uint32_t best = RANK_BEGIN + 1;

    (void)unused;
    assert_non_null(r);
    rank_begin(r, 1);
    assert_int_equal(rank_of_timer(r, 3, best), best);

    rank_fires(r, 3);
    assert_int_equal(rank_of_timer(r, 3, best), RANK_END - (RANK_END - best) / 2);
    rank_fires(r, 3);
    assert_int_equal(rank_of_timer(r, 3, best), RANK_END - (RANK_END - best) / 3);
    for (int i = 2; i < RANK_FIRINGS_MAX - 1; i++)
        rank_fires(r, 3);
    assert_int_equal(rank_of_timer(r, 3, best), RANK_END - (RANK_END - best) / 64);
    rank_fires(r, 3);
    assert_int_equal(rank_of_timer(r, 3, best), RANK_SPENT);
    assert_int_equal(rank_of_timer(r, 4, best), best);
    rank_begin(r, 1);
    assert_int_equal(rank_of_timer(r, 3, best), best);
    mem_release(r, sizeof(*r));
}

static void a_timer_that_runs_at_once_does_so_however_often_its_task_has_fired(void **unused)
{
    struct ranks *r = mem_reserve_shared(sizeof(*r), NULL);

    (void)unused;
    assert_non_null(r);
    rank_begin(r, 1);
    rank_fires(r, 3);
    assert_int_equal(rank_of_timer(r, 3, RANK_BEGIN), RANK_BEGIN);

    for (int i = 0; i < RANK_FIRINGS_MAX; i++)
        rank_fires(r, 3);
    assert_int_equal(rank_of_timer(r, 3, RANK_BEGIN), RANK_BEGIN);
    mem_release(r, sizeof(*r));
}

static bool finds_smallest_of(uint32_t n)
{
    uint64_t entries[40] = {0};
    uint64_t smallest = UINT64_MAX;

    for (uint32_t i = 0; i < n; i++) {
        entries[i] = mix64(n * 1000 + i);
        smallest = entries[i] < smallest ? entries[i] : smallest;
    }
    return rank_smallest(entries, n) == smallest;
}

static void the_smallest_is_found_among_any_number(void **unused)
{
    (void)unused;
    for (uint32_t n = 1; n <= 40; n++)
        assert_true(finds_smallest_of(n));
}

/* ---- Random --------------------------------------------------------------------------------- */

static void *open_random(uint64_t seed)
{
    void *self = calloc(1, strategy_random.strategy->state_size);
    char error[64];

    assert_int_equal(strategy_random.strategy->init(self, "", seed, error, sizeof(error)), 0);
    return self;
}

static void random_takes_the_same_decisions_for_the_same_seed_and_trial(void **unused)
{
    struct walk a = {.strategy = strategy_random.strategy, .self = open_random(5), .tree = 9};
    struct walk b = {.strategy = strategy_random.strategy, .self = open_random(5), .tree = 9};
    struct walk c = {.strategy = strategy_random.strategy, .self = open_random(6), .tree = 9};
    int same = 0;

    (void)unused;
    for (int i = 0; i < 100; i++) {
        assert_true(walk_next(&a) && walk_next(&b) && walk_next(&c));
        assert_int_equal(path_hash(&a), path_hash(&b));
        same += path_hash(&a) == path_hash(&c);
    }

    assert_true(same < 50);
    free(a.self);
    free(b.self);
    free(c.self);
}

/* Trials of the parts together are those of the whole, whoever runs them. */
static void random_split_and_saved_runs_the_trials_of_the_whole(void **unused)
{
    const struct sn_strategy *random = strategy_random.strategy;
    struct walk whole = {.strategy = random, .self = open_random(5), .tree = 9};
    struct walk even = {.strategy = random, .self = open_random(5), .tree = 9};
    struct walk odd = {.strategy = random, .self = open_random(1), .tree = 9};
    unsigned char bytes[64];
    size_t n;

    (void)unused;
    assert_true(random->split(even.self, odd.self));
    n = random->save(odd.self, bytes, sizeof(bytes));
    assert_int_equal(random->load(odd.self, bytes, n), 0);

    for (int i = 0; i < 50; i++) {
        struct walk *part = i % 2 == 0 ? &even : &odd;

        assert_true(walk_next(&whole) && walk_next(part));
        assert_int_equal(path_hash(&whole), path_hash(part));
    }

    assert_int_equal(random->load(odd.self, bytes, n - 1), -1);
    free(whole.self);
    free(even.self);
    free(odd.self);
}

static void a_seed_means_the_same_stream_for_ever(void **unused)
{
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 0);

    assert_true(rng_next(&rng) == UINT64_C(0x2513bce5c1db315));
    assert_true(rng_next(&rng) == UINT64_C(0x6a3524a5b202cec6));
}

/* ---- What is refused ------------------------------------------------------------------------ */

static struct strategies all;

/* Opens and closes; returns what was said. */
static const char *complaint(const char *text)
{
    static struct err why;
    struct explore_phase phases[EXPLORE_PHASES_MAX] = {{0}};
    uint32_t n;
    int rc;

    why.text[0] = '\0';
    rc = strategies_open(&all, text, 1, phases, &n, &why);
    strategies_close(phases, n);
    assert_int_equal(rc < 0, why.text[0] != '\0');
    return why.text;
}

static void parameters_are_checked(void **unused)
{
    (void)unused;
    assert_string_equal(complaint("pos:1"), "strategy pos: it takes no parameters, but has \"1\"");
    assert_string_equal(complaint("posr:1"),
                        "strategy posr: it takes no parameters, but has \"1\"");
    assert_string_equal(complaint("urw:1"), "strategy urw: it takes no parameters, but has \"1\"");
    assert_string_equal(complaint("surw:1"),
                        "strategy surw: it takes no parameters, but has \"1\"");
    assert_string_equal(complaint("sr:1"), "strategy sr: it takes no parameters, but has \"1\"");
    assert_string_equal(complaint("pct:"), "strategy pct: parameters are missing behind the colon");
    assert_string_equal(complaint("portfolio:"),
                        "strategy portfolio: parameters are missing behind the colon");
    assert_string_equal(complaint("portfolio:random/pct:"),
                        "strategy portfolio: arm pct: parameters are missing behind the colon");
    assert_string_equal(complaint("random@3,pct:"),
                        "strategy pct: parameters are missing behind the colon");
    assert_non_null(strstr(complaint(""), "the name of a strategy is missing; there are random, "));
    assert_non_null(strstr(complaint("pct:0"), "a number from 1 to 64, but is \"0\""));
    assert_non_null(strstr(complaint("pct:x"), "a number from 1 to 64, but is \"x\""));
    assert_non_null(strstr(complaint("pct:3x"), "a number from 1 to 64, but is \"3x\""));
    assert_non_null(strstr(complaint("pct:65"), "a number from 1 to 64"));
    assert_non_null(strstr(complaint("pct:-1"), "a number from 1 to 64"));
    assert_non_null(strstr(complaint("pct:99999999999999999999"), "a number from 1 to 64"));
    assert_non_null(strstr(complaint("pct:3:0"), "the number of steps"));
    assert_non_null(strstr(complaint("pct:3:"), "the number of steps"));
    assert_non_null(strstr(complaint("pct:3:5:7"), "the number of steps"));
    assert_non_null(strstr(complaint("tapct:0"), "a number from 1 to 64, but is \"0\""));
    assert_non_null(strstr(complaint("tapct:3:0"), "how many operations race"));
    assert_non_null(strstr(complaint("pos+ca:p"), "can only be \"pc\", but is \"p\""));
    assert_non_null(strstr(complaint("pctcp:0"), "a number from 1 to 64, but is \"0\""));
    assert_non_null(strstr(complaint("pctcp:3:0"), "the number of steps"));
    assert_non_null(strstr(complaint("ql:0"), "how much faults cost must be a number"));
    assert_non_null(strstr(complaint("ql:1:2"), "how much faults cost must be a number"));
    assert_non_null(strstr(complaint("delay"), "it needs a number of delays, as in delay:2"));
    assert_non_null(strstr(complaint("delay:coin"), "it needs a number of delays"));
    assert_non_null(strstr(complaint("delay:2:"), "it needs a number of delays"));
    assert_non_null(strstr(complaint("delay:2:dice"), "but has \"2:dice\""));
    assert_non_null(strstr(complaint("delay:x:coin"), "but has \"x:coin\""));
}

static void parameters_that_make_sense_are_accepted(void **unused)
{
    (void)unused;
    assert_string_equal(complaint("pos"), "");
    assert_string_equal(complaint("pct"), "");
    assert_string_equal(complaint("pct:1"), "");
    assert_string_equal(complaint("pct:64:1000"), "");
    assert_string_equal(complaint("pctcp"), "");
    assert_string_equal(complaint("random+ca"), "");
    assert_string_equal(complaint("pct+ca:pc:3"), "");
    assert_string_equal(complaint("tapct:2:10"), "");
    assert_string_equal(complaint("posr+ca:pc"), "");
    assert_string_equal(complaint("pctcp:64:1000"), "");
    assert_string_equal(complaint("ql"), "");
    assert_string_equal(complaint("ql:1000"), "");
    assert_string_equal(complaint("delay:0"), "");
    assert_string_equal(complaint("delay:3:coin"), "");
    assert_string_equal(complaint("portfolio"), "");
    assert_string_equal(complaint("portfolio:pct:2:50/pct:3/sr"), "");
    assert_string_equal(complaint("random@10,pct:3@20,fair"), "");
}

static void arms_are_checked(void **unused)
{
    (void)unused;
    assert_string_equal(
        complaint("portfolio:nothing"),
        "strategy portfolio: it has no arm called \"nothing\"; there are random, pos, "
        "posr, pct, pctcp, urw, surw, ql, fest, sr, random+ca, pos+ca, posr+ca, pct+ca, tapct");
    assert_non_null(strstr(complaint("portfolio:dfs"), "it has no arm called \"dfs\""));
    assert_non_null(strstr(complaint("portfolio:portfolio"), "no arm called \"portfolio\""));
    assert_non_null(strstr(complaint("portfolio:pos/"), "it has no arm called \"\""));
    assert_non_null(strstr(complaint("portfolio:pos/pct:0"), "arm pct:0: its depth must be"));
    assert_non_null(strstr(complaint("portfolio:sr/sr/sr/sr/sr/sr/sr/sr/sr"), "more than 8 arms"));
}

static void one_of_a_composition_can_go_back_beside_the_first(void **unused)
{
    (void)unused;
    assert_string_equal(complaint("dfs@10,random"), "");
    assert_string_equal(complaint("random@10,delay:2:coin"), "");
    assert_string_equal(complaint("random@10,dfs"), "");
    assert_string_equal(complaint("dfs@10,odpor@20,random"), "");
    assert_non_null(strstr(complaint("random@10,dfs@20,delay:2"), "only one can"));
}

static void run_trial(const struct explore_phase *phase, uint64_t i)
{
    const struct sn_strategy *strategy = phase->entry->strategy;
    uint64_t keep = 0;

    assert_true(strategy->begin(phase->self, i, &keep));
    if (strategy->end != NULL)
        strategy->end(phase->self, &(struct sn_trial_end){.steps = 5, .order = i + 1});
}

/* The state after two trials, as bytes of which one is changed, is offered to the same after three.
 */
static void assert_refuses(const char *text, size_t at, unsigned char change)
{
    static unsigned char bytes[4096];
    static unsigned char before[4096];
    static unsigned char after[4096];
    struct explore_phase phase;
    struct err why;
    const struct sn_strategy *strategy;
    size_t n;
    size_t n_before;

    assert_int_equal(strategies_open_one(&all, text, 1, &phase, &why), 0);
    strategy = phase.entry->strategy;
    run_trial(&phase, 0);
    run_trial(&phase, 1);
    n = strategy->save(phase.self, bytes, sizeof(bytes));
    assert_true(n <= sizeof(bytes));
    assert_int_equal(strategy->load(phase.self, bytes, n), 0);
    run_trial(&phase, 2);
    n_before = strategy->save(phase.self, before, sizeof(before));

    bytes[at] ^= change;
    assert_int_equal(strategy->load(phase.self, bytes, n), -1);
    bytes[at] ^= change;
    assert_int_equal(strategy->load(phase.self, bytes, n - 1), -1);
    assert_int_equal(strategy->load(phase.self, bytes, 0), -1);

    assert_int_equal(strategy->save(phase.self, after, sizeof(after)), n_before);
    assert_memory_equal(after, before, n_before);
    strategies_close(&phase, 1);
}

static void bytes_that_are_not_a_state_change_nothing(void **unused)
{
    (void)unused;
    assert_refuses("pos", 0, 1);   /* the tag */
    assert_refuses("posr", 24, 1); /* every how many trials: 1 becomes 0 */
    assert_refuses("sr", 0, 1);
    assert_refuses("pct:3", 39, 1); /* learned: more than the longest */
    assert_refuses("tapct:3", 0, 1);
    assert_refuses("tapct:3", 39, 1);
    assert_refuses("tapct:3", 40, 1);
    assert_refuses("pos+ca", 0, 1);
    assert_refuses("pos+ca", 32, 1);
    assert_refuses("pos+ca", 40, 1); /* signatures without who */
    assert_refuses("pos+ca", 48, 1); /* more of them than there are */
    assert_refuses("pctcp:3", 0, 1);
    assert_refuses("pctcp:3", 39, 1);
    assert_refuses("pctcp:3", 95, 1); /* trials that were longer: more than there were */
    assert_refuses("urw", 0, 1);
    assert_refuses("urw", 49, 1); /* sums that are not there */
    assert_refuses("surw", 0, 1);
    assert_refuses("surw", 41, 1); /* objects that are not there */
    assert_refuses("ql", 0, 1);
    assert_refuses("ql", 40, 1); /* states that are not there */
    assert_refuses("fest", 0, 1);
    assert_refuses("fest", 40, 1); /* pairs that are not there */
    assert_refuses("delay:2:coin", 0, 1);
    assert_refuses("portfolio", 0, 1);
    assert_refuses("portfolio", 16, 1);              /* the number of arms */
    assert_refuses("portfolio", 24, 1);              /* the number of orders */
    assert_refuses("portfolio", 32, 1);              /* trials that arms have not been told of */
    assert_refuses("portfolio", 56 + 9 * 16 + 8, 1); /* the size of the first arm */
    assert_refuses("portfolio:pos/sr", 56 + 9 * 16 + 16 + 32 + 9 * 16 + 16, 1); /* a second tag */
}

/* What a phase did not say it had from what lay there before: some of the trials that were sampled
 * while shrinking ended after so much virtual time as an address on the stack has nanoseconds. */
static void a_phase_is_the_same_whatever_lay_there_before(void **unused)
{
    static struct explore_phase phases[EXPLORE_PHASES_MAX];
    uint32_t n = 0;
    struct err why;

    (void)unused;
    for (int filled = 0; filled < 256; filled += 85) {
        memset(phases, filled, sizeof(phases));
        assert_int_equal(strategies_open_one(&all, "random", 1, &phases[0], &why), 0);
        assert_int_equal(phases[0].until, UINT64_MAX);
        assert_int_equal(phases[0].until_ns, 0);
        assert_int_equal(phases[0].n_fresh, 0);
        strategies_close(phases, 1);

        memset(phases, filled, sizeof(phases));
        assert_int_equal(strategies_open(&all, "pos@30,random", 1, phases, &n, &why), 0);
        assert_int_equal(n, 2);
        assert_int_equal(phases[0].until, 30);
        assert_int_equal(phases[0].until_ns, 0);
        assert_int_equal(phases[1].until, UINT64_MAX);
        assert_int_equal(phases[1].until_ns, 0);
        strategies_close(phases, n);
    }
}

/* In the first epoch every trial of one arm and a quarter of those of the other show something new,
 * in the second none. */
static void run_portfolio(const struct explore_phase *phase, uint64_t from, uint64_t to)
{
    const struct sn_strategy *strategy = phase->entry->strategy;

    for (uint64_t i = from; i < to; i++) {
        bool is_new = i < 256 && (i % 2 == 0 || i % 8 == 1);
        uint64_t keep = 0;

        assert_true(strategy->begin(phase->self, i, &keep));
        strategy->end(phase->self, &(struct sn_trial_end){.order = is_new ? mix64(i) : 1});
    }
}

static void a_portfolio_loaded_within_an_epoch_keeps_to_its_shares(void **unused)
{
    static unsigned char bytes[1 << 16];
    static unsigned char expected[1 << 16];
    struct explore_phase through;
    struct explore_phase loaded;
    struct err why;
    const struct sn_strategy *strategy = strategy_portfolio.strategy;
    size_t n;

    (void)unused;
    assert_int_equal(strategies_open_one(&all, "portfolio:random/sr", 1, &through, &why), 0);
    assert_int_equal(strategies_open_one(&all, "portfolio:random/sr", 1, &loaded, &why), 0);
    run_portfolio(&through, 0, 400);
    run_portfolio(&loaded, 0, 350);
    n = strategy->save(loaded.self, bytes, sizeof(bytes));
    assert_true(n <= sizeof(bytes));
    assert_int_equal(strategy->load(loaded.self, bytes, n), 0);
    run_portfolio(&loaded, 350, 400);

    n = strategy->save(through.self, expected, sizeof(expected));
    assert_true(n <= sizeof(expected));
    assert_int_equal(strategy->save(loaded.self, bytes, sizeof(bytes)), n);
    assert_memory_equal(bytes, expected, n);
    strategies_close(&through, 1);
    strategies_close(&loaded, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dfs_visits_every_leaf_once_and_then_says_so),
        cmocka_unit_test(dfs_saved_and_loaded_anywhere_goes_on_where_it_was),
        cmocka_unit_test(dfs_split_anywhere_loses_nothing_and_does_nothing_twice),
        cmocka_unit_test(dfs_refuses_bytes_that_are_not_a_state),
        cmocka_unit_test(a_saved_path_knows_that_something_was_left_out),
        cmocka_unit_test(a_timer_ranks_worse_the_more_often_its_task_has_fired),
        cmocka_unit_test(a_timer_that_runs_at_once_does_so_however_often_its_task_has_fired),
        cmocka_unit_test(the_smallest_is_found_among_any_number),
        cmocka_unit_test(random_takes_the_same_decisions_for_the_same_seed_and_trial),
        cmocka_unit_test(random_split_and_saved_runs_the_trials_of_the_whole),
        cmocka_unit_test(a_seed_means_the_same_stream_for_ever),
        cmocka_unit_test(parameters_are_checked),
        cmocka_unit_test(parameters_that_make_sense_are_accepted),
        cmocka_unit_test(arms_are_checked),
        cmocka_unit_test(one_of_a_composition_can_go_back_beside_the_first),
        cmocka_unit_test(bytes_that_are_not_a_state_change_nothing),
        cmocka_unit_test(a_phase_is_the_same_whatever_lay_there_before),
        cmocka_unit_test(a_portfolio_loaded_within_an_epoch_keeps_to_its_shares),
    };

    strategies_init(&all);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
