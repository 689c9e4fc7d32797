/* test_disk_shadow.c - disks do what a second, naive implementation does, and crashes leave exactly
 * what it permits. SPDX-License-Identifier: MIT
 */
#include "../observe.h"
#include "base/rng.h"
#include "engine/here.h"
#include "shadow_disk.h"
#include "substrate/disk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    PLAN_STEPS_MAX = 12,
    OUTCOMES_MAX = 256, /* of one crash */
};

static const char *const names[SHADOW_NAMES] = {"a", "longer", "bc"};

/* ---- One operation, on both disks ------------------------------------------------------------ */

enum what {
    DO_WRITE,
    DO_APPEND,
    DO_TRUNCATE,
    DO_RENAME,
    DO_REMOVE,
    DO_SYNC,
    DO_SYNC_ALL,
    DO_KINDS,
};

struct step {
    enum what what;
    int name;
    int to;
    int offset;
    int n;
    unsigned char fill;
};

static void do_shadow(struct shadow *s, const struct step *step)
{
    unsigned char bytes[SHADOW_SIZE_MAX];
    int size = shadow_contents(s, step->name, bytes);
    bool exists = size >= 0;

    if (step->what == DO_WRITE)
        shadow_write(s, step->name, step->offset, step->n, step->fill);
    else if (step->what == DO_APPEND)
        shadow_write(s, step->name, exists ? size : 0, step->n, step->fill);
    else if (step->what == DO_TRUNCATE)
        shadow_truncate(s, step->name, step->offset);
    else if (step->what == DO_RENAME && exists)
        shadow_rename(s, step->name, step->to);
    else if (step->what == DO_REMOVE && exists)
        shadow_remove(s, step->name);
    else if (step->what == DO_SYNC && exists)
        shadow_sync(s, step->name);
    else if (step->what == DO_SYNC_ALL)
        shadow_sync_all(s);
}

static int do_disk(const struct step *step)
{
    const char *name = names[step->name];
    unsigned char bytes[SHADOW_SIZE_MAX];

    for (int i = 0; i < step->n; i++)
        bytes[i] = shadow_byte(step->fill, i);
    switch (step->what) {
    case DO_WRITE:
        return sn_disk_write(name, (uint64_t)step->offset, bytes, (size_t)step->n);
    case DO_APPEND:
        return sn_disk_append(name, bytes, (size_t)step->n);
    case DO_TRUNCATE:
        return sn_disk_truncate(name, (uint64_t)step->offset);
    case DO_RENAME:
        return sn_disk_rename(name, names[step->to]);
    case DO_REMOVE:
        return sn_disk_remove(name);
    case DO_SYNC:
        return sn_disk_sync(name);
    default:
        return sn_disk_sync(NULL);
    }
}

/* All files, as a whole and in part. */
static void compare(const struct shadow *s)
{
    for (int i = 0; i < SHADOW_NAMES; i++) {
        unsigned char expected[SHADOW_SIZE_MAX];
        unsigned char bytes[SHADOW_SIZE_MAX];
        int size = shadow_contents(s, i, expected);
        int from = size / 3;

        sn_assertf(sn_disk_size(names[i]) == size, "%s", names[i]);
        if (size < 0)
            continue;
        sn_assert(sn_disk_read(names[i], 0, bytes, sizeof(bytes)) == size);
        sn_assertf(memcmp(bytes, expected, (size_t)size) == 0, "%s", names[i]);
        sn_assert(sn_disk_read(names[i], (uint64_t)from, bytes, (size_t)size / 2) == size / 2);
        sn_assertf(memcmp(bytes, expected + from, (size_t)size / 2) == 0, "part of %s", names[i]);
    }
}

static void do_both(struct shadow *s, const struct step *step)
{
    bool is_missing =
        step->what >= DO_RENAME && step->what <= DO_SYNC && shadow_find(s, step->name) < 0;

    sn_assert(do_disk(step) == (is_missing ? SN_ENOTFOUND : 0));
    do_shadow(s, step);
    compare(s);
}

/* ---- Disks as numbers ------------------------------------------------------------------------ */

static uint64_t hash_file(uint64_t hash, int size, const unsigned char *bytes)
{
    hash = mix_pair(hash, (uint64_t)(size + 1));
    for (int i = 0; i < size; i++)
        hash = mix_pair(hash, bytes[i]);
    return hash;
}

static uint64_t hash_shadow(const struct shadow *s)
{
    unsigned char bytes[SHADOW_SIZE_MAX];
    uint64_t hash = 0;

    for (int i = 0; i < SHADOW_NAMES; i++) {
        int size = shadow_contents(s, i, bytes);

        hash = hash_file(hash, size, bytes);
    }
    return hash;
}

static uint64_t hash_disk(void)
{
    unsigned char bytes[SHADOW_SIZE_MAX];
    uint64_t hash = 0;

    for (int i = 0; i < SHADOW_NAMES; i++) {
        (void)sn_disk_read(names[i], 0, bytes, sizeof(bytes));
        hash = hash_file(hash, (int)sn_disk_size(names[i]), bytes);
    }
    return hash;
}

struct set {
    uint64_t of[OUTCOMES_MAX];
    size_t n;
};

static void set_add(struct set *set, uint64_t value)
{
    for (size_t i = 0; i < set->n; i++) {
        if (set->of[i] == value)
            return;
    }
    if (set->n < OUTCOMES_MAX)
        set->of[set->n++] = value;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* ---- Every outcome --------------------------------------------------------------------------- */

/* Constant while trials run. */
static struct {
    struct step steps[PLAN_STEPS_MAX];
    int n;
    struct set *found; /* in a mapping of its own */
} plan;

static void act_plan(void *self, const void *payload)
{
    struct shadow *s = sn_alloc(sizeof(*s));

    (void)self;
    (void)payload;
    for (int i = 0; i < plan.n; i++)
        do_both(s, &plan.steps[i]);
    disk_crash(trial_here(), sn_node_of(sn_self()));
    set_add(plan.found, hash_disk());
}

static const struct sn_state planned = {.name = "Planned", .entry = act_plan};
static const struct sn_machine planner = {.name = "Planner", .start = &planned};

static void run_plan(void)
{
    (void)sn_create_on(sn_node_new("n"), &planner, NULL);
}

/* Sizes and offsets lie at, before and behind the borders of sectors. */
static const int lengths[] = {0, 1, 100, 511, 512, 513, 700, 1024};

static struct step step_from(uint64_t bits, int i)
{
    return (struct step){
        .what = (enum what)(bits % DO_KINDS),
        .name = (int)((bits >> 8) % SHADOW_NAMES),
        .to = (int)((bits >> 12) % SHADOW_NAMES),
        .offset = lengths[(bits >> 16) % 8],
        .n = lengths[(bits >> 20) % 8],
        .fill = (unsigned char)(i + 1),
    };
}

static bool fits(const struct shadow *s)
{
    unsigned char bytes[SHADOW_SIZE_MAX];
    bool is_small = shadow_outcomes(s) <= OUTCOMES_MAX;

    for (int i = 0; i < SHADOW_NAMES; i++)
        is_small = is_small && shadow_contents(s, i, bytes) <= SHADOW_SIZE_MAX - 1024;
    return is_small;
}

/* Steps until a crash would have too many outcomes. The history is left in *s. */
static void make_plan(struct rng *rng, struct shadow *s)
{
    *s = (struct shadow){0};
    plan.n = 0;
    while (plan.n < PLAN_STEPS_MAX) {
        struct step step = step_from(rng_next(rng) >> 8, plan.n);
        struct shadow next = *s;

        do_shadow(&next, &step);
        if (!fits(&next))
            return;
        *s = next;
        plan.steps[plan.n++] = step;
    }
}

static void allow(void *self, const struct shadow *left)
{
    set_add(self, hash_shadow(left));
}

static void a_crash_leaves_exactly_what_the_rules_permit(void **unused)
{
    const struct sn_test test = {.name = "plan", .run = run_plan, .world = SN_WORLD_TRIAL};
    size_t most = 0;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 0);
    plan.found =
        mmap(NULL, sizeof(*plan.found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 400; i++) {
        struct set allowed = {.n = 0};
        struct shadow s;
        struct sn_result r;

        make_plan(&rng, &s);
        shadow_crash(&s, allow, &allowed);
        plan.found->n = 0;
        r = run_test_all(&test);
        assert_string_equal(r.failure, "");
        assert_true(r.exhausted);
        assert_int_equal(plan.found->n, allowed.n);
        qsort(allowed.of, allowed.n, sizeof(allowed.of[0]), by_value);
        qsort(plan.found->of, allowed.n, sizeof(allowed.of[0]), by_value);
        assert_memory_equal(plan.found->of, allowed.of, allowed.n * sizeof(allowed.of[0]));
        most = allowed.n > most ? allowed.n : most;
    }
    assert_true(most > 30);
}

/* ---- Long lives ------------------------------------------------------------------------------ */

/* Which of the permitted histories the disk now has. */
struct search {
    uint64_t wanted;
    bool is_found;
    struct shadow *is;
};

static void look(void *self, const struct shadow *left)
{
    struct search *search = self;

    if (search->is_found || hash_shadow(left) != search->wanted)
        return;
    search->is_found = true;
    *search->is = *left;
}

static void crash_both(struct shadow *s)
{
    struct shadow *is = sn_alloc(sizeof(*is));
    struct search search = {.is = is};

    disk_crash(trial_here(), sn_node_of(sn_self()));
    search.wanted = hash_disk();
    shadow_crash(s, look, &search);
    sn_assert(search.is_found);
    *s = *is;
    compare(s);
}

static void stop_both(struct shadow *s)
{
    disk_stop(trial_here(), sn_node_of(sn_self()));
    shadow_sync_all(s);
    compare(s);
}

static void act_long(void *self, const void *payload)
{
    struct shadow *s = sn_alloc(sizeof(*s));

    (void)self;
    (void)payload;
    for (int i = 0; i < 60; i++) {
        struct step step = step_from(sn_choose("step", 1 << 24), i);

        do_both(s, &step);
        if (!fits(s))
            do_both(s, &(struct step){.what = DO_TRUNCATE, .name = step.name, .offset = 100});
        if (shadow_outcomes(s) > 64 || sn_choose("crash", 8) == 1)
            crash_both(s);
        else if (sn_choose("stop", 30) == 1)
            stop_both(s);
    }
    seen->count[0]++;
}

static const struct sn_state living = {.name = "Living", .entry = act_long};
static const struct sn_machine liver = {.name = "Liver", .start = &living};

static void run_long(void)
{
    (void)sn_create_on(sn_node_new("n"), &liver, NULL);
}

static void disks_agree_with_the_shadow_over_many_operations_and_crashes(void **unused)
{
    const struct sn_test test = {.name = "long", .run = run_long, .world = SN_WORLD_TRIAL};
    struct sn_options options = {.iterations = 300};
    struct sn_result r;

    (void)unused;
    observe_clear();

    assert_int_equal(sn_run(&test, &options, &r), 0);

    assert_string_equal(r.failure, "");
    assert_int_equal(seen->count[0], 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_leaves_exactly_what_the_rules_permit),
        cmocka_unit_test(disks_agree_with_the_shadow_over_many_operations_and_crashes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
