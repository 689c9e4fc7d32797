/* test_keys.c - what strategies find that are told which steps depend on each other, against all
 * schedules.
 *
 *     test_keys [PROGRAMS [SEED]]
 *
 * The machines of a random program hold numbers under keys; events change or read one of them or
 * all of them, and what they send depends on what they find. dfs runs all schedules. Two of them
 * are the same order if they differ only in the order of steps that do not depend on each other, by
 * the definition below. SPDX-License-Identifier: MIT
 */
#include "reloaded.h"

#include <sennit/sennit.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum {
    MACHINES = 3,
    KEYS = 2,
    STEPS_MAX = 32,
    SLOTS = 1 << 16,
    SCHEDULES_MAX = 2000,
    FINDINGS = 4, /* what a rule goes by: a number modulo this */
};

enum kind { CHANGE, LOOK, CHANGE_ALL, LOOK_ALL, NOTHING, KINDS };

struct message {
    uint8_t kind;
    uint8_t key;
    uint8_t life;
};

/* What is sent when an event of some kind finds some number; life 0: nothing. */
struct rule {
    uint8_t to;
    struct message message;
};

struct program {
    uint32_t n_first;
    struct rule first[4];
    struct rule rules[KINDS][FINDINGS];
};

struct step {
    uint32_t machine;
    struct message message;
};

/* Outside of what is rolled back. */
struct shared {
    struct program program;
    struct step steps[STEPS_MAX];
    uint32_t n;
    uint64_t n_trials;
    uint64_t orders[SLOTS];
};

static struct shared *shared;
static uint64_t n_programs = 300;
static uint64_t first_seed = 1;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* ---- Programs ------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *random, uint64_t n)
{
    *random += UINT64_C(0x9e3779b97f4a7c15);
    return mix(*random) % n;
}

static struct rule draw_rule(uint64_t *random, uint64_t life)
{
    return (struct rule){.to = (uint8_t)draw(random, MACHINES),
                         .message = {.kind = (uint8_t)draw(random, KINDS),
                                     .key = (uint8_t)draw(random, KEYS),
                                     .life = (uint8_t)life}};
}

static void generate(uint64_t seed)
{
    struct program *p = &shared->program;
    uint64_t random = seed;

    p->n_first = 3 + (uint32_t)draw(&random, 2);
    for (uint32_t i = 0; i < p->n_first; i++)
        p->first[i] = draw_rule(&random, 1 + draw(&random, 2));
    for (int k = 0; k < KINDS; k++)
        for (int f = 0; f < FINDINGS; f++)
            p->rules[k][f] = draw_rule(&random, draw(&random, 3) > 0 ? 1 : 0);
}

struct body {
    uint32_t *n_steps; /* of the trial */
    uint32_t number;
    uint32_t values[KEYS];
};

static const struct sn_event birth = {.name = "Birth", .size = sizeof(struct body)};
static const struct sn_event events[KINDS] = {
    [CHANGE] = {.name = "Change", .size = sizeof(struct message)},
    [LOOK] = {.name = "Look", .size = sizeof(struct message)},
    [CHANGE_ALL] = {.name = "ChangeAll", .size = sizeof(struct message)},
    [LOOK_ALL] = {.name = "LookAll", .size = sizeof(struct message)},
    [NOTHING] = {.name = "Nothing", .size = sizeof(struct message)},
};

static uint32_t find(const struct body *b, const struct message *m)
{
    if (m->kind == CHANGE || m->kind == LOOK)
        return b->values[m->key];
    return b->values[0] + 3 * b->values[1];
}

static void change(struct body *b, const struct message *m)
{
    for (uint32_t k = 0; k < KEYS; k++) {
        if (m->kind == CHANGE_ALL || (m->kind == CHANGE && m->key == k))
            b->values[k] = 2 * b->values[k] + m->life + 1;
    }
}

static void on_message(void *self, const void *payload)
{
    const struct message *m = payload;
    struct body *b = self;
    const struct rule *rule = &shared->program.rules[m->kind][find(b, m) % FINDINGS];
    struct message next = rule->message;

    if (*b->n_steps < STEPS_MAX)
        shared->steps[(*b->n_steps)++] = (struct step){b->number, *m};
    if (m->kind == NOTHING)
        return;
    change(b, m);
    next.life = (uint8_t)(m->life > 0 && rule->message.life > 0 ? m->life - 1 : 0);
    if (m->life > 0 && rule->message.life > 0)
        sn_send(sn_self() - b->number + rule->to, &events[next.kind], &next);
}

static void be_born(void *self, const void *payload)
{
    memcpy(self, payload, sizeof(struct body));
}

/* The number of steps is counted behind a pointer: it is no part of what a machine remembers. */
static const struct sn_state working = {
    .name = "Working",
    .entry = be_born,
    .on = (const struct sn_on[]){{.event = &sn_any, .run = on_message}, {0}},
};
static const struct sn_machine machine = {
    .name = "Machine", .size = sizeof(struct body), .start = &working, .birth = &birth};

static void run(void)
{
    const struct program *p = &shared->program;
    struct body body = {.n_steps = sn_alloc(sizeof(uint32_t))};
    sn_id first = SN_NOBODY;

    for (uint32_t i = 0; i < MACHINES; i++) {
        sn_id id;

        body.number = i;
        id = sn_create(&machine, &body);
        first = i == 0 ? id : first;
    }
    for (uint32_t i = 0; i < p->n_first; i++)
        sn_send(first + p->first[i].to, &events[p->first[i].message.kind], &p->first[i].message);
}

/* ---- Orders --------------------------------------------------------------------------------- */

static bool changes(const struct message *m)
{
    return m->kind == CHANGE || m->kind == CHANGE_ALL;
}

static bool is_about_all(const struct message *m)
{
    return m->kind == CHANGE_ALL || m->kind == LOOK_ALL;
}

static bool do_not_commute(const struct message *a, const struct message *b)
{
    if (a->kind == NOTHING || b->kind == NOTHING || (!changes(a) && !changes(b)))
        return false;
    return a->key == b->key || is_about_all(a) || is_about_all(b);
}

static uint64_t order_of(const struct sn_trial_view *trial)
{
    uint64_t sum = 1;

    for (uint32_t j = 0; j < trial->decisions; j++) {
        sum += mix(trial->log[j]);
        for (uint32_t i = 0; i < j; i++) {
            if (shared->steps[i].machine == shared->steps[j].machine &&
                do_not_commute(&shared->steps[i].message, &shared->steps[j].message))
                sum += mix(trial->log[i] + 3 * mix(trial->log[j]));
        }
    }
    return sum != 0 ? sum : 1;
}

static void watch(void *self, const struct sn_trial_view *trial)
{
    struct shared *s = self;
    uint64_t order = order_of(trial);
    size_t slot = order % SLOTS;

    s->n_trials++;
    while (s->orders[slot] != 0 && s->orders[slot] != order)
        slot = (slot + 1) % SLOTS;
    if (s->orders[slot] == 0) {
        s->orders[slot] = order;
        s->n++;
    }
}

/* ---- Searches ------------------------------------------------------------------------------- */

#define KEY_FIELD .offset = offsetof(struct message, key), .size = sizeof(uint8_t)

static const struct sn_key true_keys[] = {
    {.event = &events[CHANGE], KEY_FIELD},
    {.event = &events[LOOK], KEY_FIELD, .reads = true},
    {.event = &events[CHANGE_ALL], .any = true},
    {.event = &events[LOOK_ALL], .any = true, .reads = true},
    {.event = &events[NOTHING], .excluded = true},
    {0},
};

/* Runs a strategy to its end; returns how many orders it has met. 0: there were too many. */
static uint32_t search(const char *strategy, const struct sn_dependence *dependence,
                       struct sn_result *result)
{
    const struct sn_test test = {.name = "keys",
                                 .run = run,
                                 .world = SN_WORLD_TRIAL,
                                 .links = SN_UNORDERED,
                                 .starts_first = true,
                                 .dependence = dependence};
    const struct sn_options options = {
        .strategy = strategy, .iterations = SCHEDULES_MAX, .watch = watch, .watch_self = shared};

    memset(shared->orders, 0, sizeof(shared->orders));
    shared->n = 0;
    *result = (struct sn_result){0};
    assert_int_equal(sn_run(&test, &options, result), 0);
    assert_int_equal(result->failures, 0);
    return result->trials < SCHEDULES_MAX ? shared->n : 0;
}

/* Compares with dfs on random programs; returns how many trials there were. */
static uint64_t check_misses_none(const char *strategy, const struct sn_dependence *dependence)
{
    struct sn_result result;
    uint64_t n_compared = 0;
    uint64_t n_trials = 0;

    for (uint64_t seed = first_seed; n_compared < n_programs; seed++) {
        uint32_t wanted;

        generate(seed);
        wanted = search("dfs", NULL, &result);
        if (wanted == 0)
            continue;
        n_compared++;
        if (search(strategy, dependence, &result) != wanted)
            fail_msg("%s: program %llu has %u orders, %u were found", strategy,
                     (unsigned long long)seed, wanted, shared->n);
        n_trials += result.trials;
    }
    return n_trials;
}

static void liviola_misses_no_order_of_its_own_dependence(void **state)
{
    const struct sn_dependence by_keys = {.keys = true_keys};
    uint64_t n = check_misses_none("liviola", &by_keys);
    uint64_t n_without = check_misses_none("ired", NULL);

    (void)state;
    print_message("# liviola: %llu trials, ired: %llu\n", (unsigned long long)n,
                  (unsigned long long)n_without);
    assert_true(n < n_without);
}

static void liviola_goes_on_where_it_was_stopped(void **state)
{
    const struct sn_dependence by_keys = {.keys = true_keys};

    (void)state;
    assert_int_equal(check_misses_none("reloaded:liviola", &by_keys),
                     check_misses_none("liviola", &by_keys));
}

static uint64_t find_key(const void *payload)
{
    return ((const struct message *)payload)->key;
}

static void a_key_can_be_found_by_a_function(void **state)
{
    const struct sn_key keys[] = {
        {.event = &events[CHANGE], .key = find_key},
        {.event = &events[LOOK], .key = find_key, .reads = true},
        {.event = &events[CHANGE_ALL], .any = true},
        {.event = &events[LOOK_ALL], .any = true, .reads = true},
        {.event = &events[NOTHING], .excluded = true},
        {0},
    };
    const struct sn_dependence by_function = {.keys = keys};
    const struct sn_dependence by_field = {.keys = true_keys};

    (void)state;
    assert_int_equal(check_misses_none("liviola", &by_function),
                     check_misses_none("liviola", &by_field));
}

/* ---- What a test says and is not so --------------------------------------------------------- */

static void a_change_that_is_said_to_read_is_taken_for_a_change(void **state)
{
    const struct sn_key keys[] = {
        {.event = &events[CHANGE], KEY_FIELD, .reads = true},
        {.event = &events[LOOK], KEY_FIELD, .reads = true},
        {.event = &events[CHANGE_ALL], .any = true, .reads = true},
        {.event = &events[LOOK_ALL], .any = true, .reads = true},
        {.event = &events[NOTHING], .excluded = true},
        {0},
    };
    const struct sn_dependence dependence = {.keys = keys};

    (void)state;
    (void)check_misses_none("liviola", &dependence);
}

static void an_excluded_event_that_changes_something_is_about_any_key(void **state)
{
    const struct sn_key keys[] = {
        {.event = &events[CHANGE], .excluded = true},
        {.event = &events[LOOK], KEY_FIELD, .reads = true},
        {.event = &events[CHANGE_ALL], .excluded = true},
        {.event = &events[LOOK_ALL], .any = true, .reads = true},
        {.event = &events[NOTHING], .excluded = true},
        {0},
    };
    const struct sn_dependence dependence = {.keys = keys};

    (void)state;
    (void)check_misses_none("liviola", &dependence);
}

static void an_event_without_an_entry_is_about_any_key(void **state)
{
    const struct sn_key keys[] = {{.event = &events[NOTHING], .excluded = true}, {0}};
    const struct sn_dependence dependence = {.keys = keys};

    (void)state;
    (void)check_misses_none("liviola", &dependence);
}

/* Two messages for one machine. */
static void prepare_pair(enum kind a, enum kind b)
{
    memset(&shared->program, 0, sizeof(shared->program));
    shared->program.n_first = 2;
    shared->program.first[0].message = (struct message){.kind = (uint8_t)a, .life = 1};
    shared->program.first[1].message = (struct message){.kind = (uint8_t)b, .life = 1};
}

static void expect_note(const struct sn_key *keys, const char *note)
{
    const struct sn_dependence dependence = {.keys = keys};
    struct sn_result result;

    assert_int_not_equal(search("liviola", &dependence, &result), 0);
    assert_string_equal(result.note, note);
}

static void a_test_hears_of_an_event_that_changes_and_should_not(void **state)
{
    const struct sn_key keys[] = {{.event = &events[CHANGE], KEY_FIELD, .reads = true}, {0}};

    (void)state;
    prepare_pair(CHANGE, CHANGE);
    expect_note(keys, "liviola: Change is said to change nothing, but it does");
}

static void a_test_hears_of_an_excluded_event_that_sends(void **state)
{
    const struct sn_key keys[] = {{.event = &events[LOOK], .excluded = true}, {0}};

    (void)state;
    prepare_pair(LOOK, LOOK);
    shared->program.rules[LOOK][0].message = (struct message){.kind = LOOK, .life = 1};
    expect_note(keys, "liviola: Look is said to send nothing, but it does");
}

static void a_test_hears_of_an_event_that_is_not_listed(void **state)
{
    const struct sn_key keys[] = {{.event = &events[LOOK], .excluded = true}, {0}};

    (void)state;
    prepare_pair(CHANGE, LOOK);
    expect_note(keys, "liviola: the test's keys do not list Change, which may therefore be about "
                      "any");
}

static void nothing_is_claimed_if_an_excluded_event_was_not_as_said(void **state)
{
    const struct sn_key keys[] = {{.event = &events[CHANGE], .excluded = true}, {0}};
    const struct sn_dependence dependence = {.keys = keys};
    struct sn_result result;

    (void)state;
    prepare_pair(CHANGE, CHANGE);
    assert_int_equal(search("liviola", &dependence, &result), 2);
    assert_int_equal(result.schedules, 0);
    assert_string_equal(result.within, "");
    assert_false(result.exhausted);
}

static void a_test_without_keys_hears_that_liviola_is_ired(void **state)
{
    struct sn_result result;

    (void)state;
    prepare_pair(CHANGE, LOOK);
    assert_int_not_equal(search("liviola", NULL, &result), 0);
    assert_string_equal(result.note,
                        "the test has no keys (sennit/dependence.h), so liviola is ired");
    assert_true(result.exhausted);
}

static void what_keys_say_limits_the_claim(void **state)
{
    const struct sn_dependence by_keys = {.keys = true_keys};
    struct sn_result result;

    (void)state;
    prepare_pair(CHANGE, LOOK);
    assert_int_not_equal(search("liviola", &by_keys, &result), 0);
    assert_string_equal(result.note, "");
    assert_false(result.exhausted);
    assert_string_equal(result.within, "up to the test's own dependence");
}

/* ---- Predicates ----------------------------------------------------------------------------- */

static bool are_dependent(const struct sn_taken_step *a, const struct sn_taken_step *b)
{
    return a->machine == b->machine && do_not_commute(a->payload, b->payload);
}

static bool are_of_one_machine(const struct sn_taken_step *a, const struct sn_taken_step *b)
{
    return a->machine == b->machine;
}

static bool never(const struct sn_taken_step *a, const struct sn_taken_step *b)
{
    (void)a;
    (void)b;
    return false;
}

static bool may_have_sent(const struct sn_taken_step *later, const struct sn_taken_step *earlier)
{
    return earlier->machine == later->from;
}

static void dpor_goes_by_the_predicate_of_the_test(void **state)
{
    const struct sn_dependence own = {.dependent = are_dependent};

    (void)state;
    assert_true(check_misses_none("dpor", &own) < check_misses_none("dpor", NULL));
}

static void transdpor_goes_by_the_predicate_of_the_test(void **state)
{
    const struct sn_dependence own = {.dependent = are_dependent};

    (void)state;
    assert_true(check_misses_none("transdpor", &own) < check_misses_none("transdpor", NULL));
}

static void ired_goes_by_the_predicate_of_the_test(void **state)
{
    const struct sn_dependence own = {.dependent = are_dependent};
    const struct sn_dependence by_keys = {.keys = true_keys};

    (void)state;
    assert_int_equal(check_misses_none("ired", &own), check_misses_none("liviola", &by_keys));
}

static void a_predicate_that_says_what_is_known_changes_nothing(void **state)
{
    const struct sn_dependence own = {.dependent = are_of_one_machine};

    (void)state;
    assert_int_equal(check_misses_none("dpor", &own), check_misses_none("dpor", NULL));
}

static void a_dependence_that_is_not_told_hides_orders(void **state)
{
    const struct sn_dependence own = {.dependent = never};
    struct sn_result result;

    (void)state;
    prepare_pair(CHANGE, CHANGE);
    assert_int_equal(search("dfs", NULL, &result), 2);
    assert_int_equal(search("dpor", &own, &result), 1);
    assert_int_equal(search("transdpor", &own, &result), 1);
    assert_int_equal(search("ired", &own, &result), 1);
}

/* Of how many programs a strategy misses orders. */
static uint64_t count_missed(const char *strategy, const struct sn_dependence *dependence)
{
    struct sn_result result;
    uint64_t n_compared = 0;
    uint64_t n_missed = 0;

    for (uint64_t seed = first_seed; n_compared < n_programs; seed++) {
        uint32_t wanted;

        generate(seed);
        wanted = search("dfs", NULL, &result);
        n_compared += wanted != 0;
        n_missed += wanted != 0 && search(strategy, dependence, &result) < wanted;
    }
    print_message("# %s misses orders of %llu of %llu programs\n", strategy,
                  (unsigned long long)n_missed, (unsigned long long)n_compared);
    return n_missed;
}

static void ired_follows_what_the_test_says_enables_a_step(void **state)
{
    const struct sn_dependence exact = {0};
    const struct sn_dependence guess = {.enabled_by = may_have_sent};

    (void)state;
    assert_int_equal(count_missed("ired", &exact), 0);
    assert_true(count_missed("ired", &guess) > 0);
}

static void what_liviola_misses_as_published_is_counted(void **state)
{
    const struct sn_dependence by_keys = {.keys = true_keys};

    (void)state;
    assert_true(count_missed("liviola:paper", &by_keys) > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(liviola_misses_no_order_of_its_own_dependence),
        cmocka_unit_test(liviola_goes_on_where_it_was_stopped),
        cmocka_unit_test(a_key_can_be_found_by_a_function),
        cmocka_unit_test(a_change_that_is_said_to_read_is_taken_for_a_change),
        cmocka_unit_test(an_excluded_event_that_changes_something_is_about_any_key),
        cmocka_unit_test(nothing_is_claimed_if_an_excluded_event_was_not_as_said),
        cmocka_unit_test(an_event_without_an_entry_is_about_any_key),
        cmocka_unit_test(a_test_hears_of_an_event_that_changes_and_should_not),
        cmocka_unit_test(a_test_hears_of_an_excluded_event_that_sends),
        cmocka_unit_test(a_test_hears_of_an_event_that_is_not_listed),
        cmocka_unit_test(a_test_without_keys_hears_that_liviola_is_ired),
        cmocka_unit_test(what_keys_say_limits_the_claim),
        cmocka_unit_test(dpor_goes_by_the_predicate_of_the_test),
        cmocka_unit_test(transdpor_goes_by_the_predicate_of_the_test),
        cmocka_unit_test(ired_goes_by_the_predicate_of_the_test),
        cmocka_unit_test(a_predicate_that_says_what_is_known_changes_nothing),
        cmocka_unit_test(a_dependence_that_is_not_told_hides_orders),
        cmocka_unit_test(ired_follows_what_the_test_says_enables_a_step),
        cmocka_unit_test(what_liviola_misses_as_published_is_counted),
    };

    if (argc > 1)
        n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || reloaded_register() < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
