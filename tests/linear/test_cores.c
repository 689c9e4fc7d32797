/* test_cores.c - cores of random small illegal histories, confirmed by brute force.
 *
 *     test_cores [HISTORIES [SEED]]
 *
 * Of each illegal history, of each model, by real time and by program order, the core must be
 * illegal, made by allowed reductions only and minimal, and all that it tells must be true. Cores
 * with mistakes must not be confirmed. LINEAR_HISTORIES in the environment overrides the number of
 * histories for each model and order. SPDX-License-Identifier: MIT
 */
#include "confirm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"register", "cas-register", "map",   "set",
                                    "counter",  "fetch-add",    "queue", "priority-queue",
                                    "stack",    "mutex",        "lease", "list"};

static const char *const flaw_names[FLAWS] = {"none",      "foreign",     "dropped",
                                              "legal",     "not minimal", "no order",
                                              "too short", "wrong state", "wrong candidate"};

enum { MODELS = sizeof(names) / sizeof(names[0]) };

/* Cores with a mistake. */
enum mutant {
    MUTANT_DELETES_FREELY,  /* leaves out whatever leaves the history illegal */
    MUTANT_IS_WHOLE,        /* is all of the history */
    MUTANT_IS_NOT_RELAXED,  /* has one operation too many that is definite */
    MUTANT_IS_TOO_RELAXED,  /* has one too few */
    MUTANT_HAS_ONE_TWICE,   /* has one operation twice */
    MUTANT_STOPS_EARLY,     /* tells an order that is one too short */
    MUTANT_GOES_TOO_FAR,    /* ... or ends with what cannot be next */
    MUTANT_ORDERS_BACKWARD, /* ... or is the wrong way round */
    MUTANT_TELLS_NO_STATE,
    MUTANT_FORGETS_ONE,  /* does not tell of something that could be next */
    MUTANT_TELLS_AS_WAS, /* says that the result would be what it was */
    MUTANTS
};

static const enum flaw flaw_of[MUTANTS] = {
    FLAW_DROPPED, FLAW_NOT_MINIMAL, FLAW_NOT_MINIMAL, FLAW_LEGAL,     FLAW_FOREIGN,  FLAW_SHORT,
    FLAW_ORDER,   FLAW_ORDER,       FLAW_STATE,       FLAW_CANDIDATE, FLAW_CANDIDATE};

struct tally {
    uint64_t n;
    uint64_t n_illegal;
    uint64_t n_given_up;   /* whose longest order was not found, and which say so */
    uint64_t n_without;    /* that have no core, or one that is said not to be minimal */
    uint64_t n_keys;       /* cores with several keys */
    uint64_t n_relaxed;    /* cores with relaxed operations */
    uint64_t n_definite;   /* operations of all cores */
    uint64_t n_speechless; /* candidates without a result that would be right */
    uint64_t n_flaws[FLAWS];
    uint64_t n_wrong_stuck;
    uint64_t n_mutants[MUTANTS];
    uint64_t n_rejected[MUTANTS]; /* with the flaw that they have */
    uint64_t n_confirmed[MUTANTS];
};

static struct tally tallies[MODELS][2];

static bool is_legal(const struct sample *h, enum brute_order order)
{
    return plain_allows(h->object, h->model, h->initial, h->operations, h->n, order);
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

/* Room for a core that is not the library's. */
struct fake {
    struct core core;
    struct core_operation operations[SAMPLE_OPERATIONS_MAX + 1];
    size_t order[SAMPLE_OPERATIONS_MAX + 1];
    struct core_state states[PLAIN_KEYS];
    struct core_candidate candidates[SAMPLE_OPERATIONS_MAX];
};

static void copy_core(const struct core *core, struct fake *fake)
{
    fake->core = *core;
    memcpy(fake->operations, core->operations, core->n * sizeof(fake->operations[0]));
    memcpy(fake->order, core->order, core->n_order * sizeof(fake->order[0]));
    memcpy(fake->states, core->states, core->n_states * sizeof(fake->states[0]));
    memcpy(fake->candidates, core->candidates, core->n_candidates * sizeof(fake->candidates[0]));
    fake->core.operations = fake->operations;
    fake->core.order = fake->order;
    fake->core.states = fake->states;
    fake->core.candidates = fake->candidates;
}

static void take_all(const struct sample *h, struct fake *fake)
{
    fake->core.n = 0;
    for (size_t i = 0; i < h->n; i++)
        fake->operations[fake->core.n++] =
            (struct core_operation){i, h->operations[i].ret == SN_TIME_NEVER};
}

static void delete_freely(const struct sample *h, enum brute_order order, struct fake *fake)
{
    struct sample left = *h;

    take_all(h, fake);
    for (size_t i = left.n; i-- > 0;) {
        struct sample less;

        if (!reduction_apply(&left, REDUCTION_DELETE, order, i, &less) || is_legal(&less, order))
            continue;
        left = less;
        fake->core.n--;
        memmove(&fake->operations[i], &fake->operations[i + 1],
                (fake->core.n - i) * sizeof(fake->operations[0]));
    }
}

/* Makes one operation that is relaxed definite, or the other way round; false: there is none. */
static bool turn_one(const struct sample *h, struct fake *fake, bool is_relaxed)
{
    for (size_t i = 0; i < fake->core.n; i++) {
        struct core_operation *op = &fake->operations[i];

        if (op->is_relaxed != is_relaxed || h->operations[op->index].ret == SN_TIME_NEVER)
            continue;
        op->is_relaxed = !is_relaxed;
        return true;
    }
    return false;
}

static bool reverse_order(struct fake *fake)
{
    size_t n = fake->core.n_order;

    for (size_t i = 0; i < n / 2; i++) {
        size_t index = fake->order[i];

        fake->order[i] = fake->order[n - 1 - i];
        fake->order[n - 1 - i] = index;
    }
    return n > 1;
}

static bool forget_last_definite(const struct sample *h, struct fake *fake)
{
    size_t n = fake->core.n_order;

    for (size_t i = 0; n > 0 && i < fake->core.n; i++)
        if (fake->operations[i].index == fake->order[n - 1] && fake->operations[i].is_relaxed)
            return false;
    fake->core.n_order = n > 0 ? n - 1 : 0;
    return h->n > 0 && n > 0;
}

/* Makes the mistake. False: this core has no room for it. */
static bool make_mistake(const struct sample *h, enum mutant mutant, enum brute_order order,
                         struct fake *fake)
{
    struct core *core = &fake->core;

    switch (mutant) {
    case MUTANT_DELETES_FREELY:
        delete_freely(h, order, fake);
        return true;
    case MUTANT_IS_WHOLE:
        take_all(h, fake);
        return true;
    case MUTANT_IS_NOT_RELAXED:
        return turn_one(h, fake, true);
    case MUTANT_IS_TOO_RELAXED:
        return turn_one(h, fake, false);
    case MUTANT_HAS_ONE_TWICE:
        fake->operations[core->n] = fake->operations[0];
        core->n++;
        return true;
    case MUTANT_STOPS_EARLY:
        return forget_last_definite(h, fake);
    case MUTANT_GOES_TOO_FAR:
        fake->order[core->n_order++] = fake->candidates[0].index;
        return true;
    case MUTANT_ORDERS_BACKWARD:
        return reverse_order(fake);
    case MUTANT_TELLS_NO_STATE:
        fake->states[core->n_states - 1].text[0] ^= 1;
        return true;
    case MUTANT_FORGETS_ONE:
        core->n_candidates--;
        return true;
    default:
        fake->candidates[0].results[0] = h->operations[fake->candidates[0].index].result;
        return fake->candidates[0].n_results > 0;
    }
}

static void try_mutants(const struct sample *h, const struct core *core, enum brute_order order,
                        struct tally *tally)
{
    for (enum mutant mutant = 0; mutant < MUTANTS; mutant++) {
        struct fake fake;
        enum flaw flaw;

        copy_core(core, &fake);
        if (!make_mistake(h, mutant, order, &fake))
            continue;
        flaw = confirm_core(h, &fake.core, order);
        if (flaw == FLAW_NONE)
            flaw = confirm_explanation(h, &fake.core, order);
        tally->n_mutants[mutant]++;
        tally->n_rejected[mutant] += flaw == flaw_of[mutant];
        tally->n_confirmed[mutant] += flaw == FLAW_NONE;
    }
}

/* ---- Cores ----------------------------------------------------------------------------------- */

static void report(const struct sample *h, const struct core *core, enum flaw flaw)
{
    static char text[1 << 14];
    struct sn_text out;

    text_init(&out, text, sizeof(text));
    core_print(core, NULL, "#   ", &out);
    (void)fprintf(stderr, "# flaw of a core: %s\n", flaw_names[flaw]);
    sample_print(h);
    (void)fprintf(stderr, "%s", text);
}

static void note(const struct core *core, struct tally *tally)
{
    tally->n_keys += core->n_keys > 1;
    tally->n_relaxed += core->n > core->n_definite;
    tally->n_definite += core->n_definite;
    for (size_t i = 0; i < core->n_candidates; i++)
        tally->n_speechless += core->candidates[i].n_results == 0;
}

static void confirm(const struct sample *h, enum brute_order order, struct tally *tally)
{
    const struct core_options options = {.check = {.is_sequential = order == BRUTE_PROGRAM_ORDER,
                                                   .has_initial = h->initial != h->object->initial,
                                                   .initial = h->initial}};
    enum flaw flaw = FLAW_NONE;
    struct core core;
    struct err why;
    size_t stuck;

    if (linear_core(h->model, h->operations, h->n, &options, &core, &why) < 0 || !core.is_minimal) {
        tally->n_without++;
        core_done(&core);
        return;
    }
    note(&core, tally);
    tally->n_given_up += !core.is_longest;
    flaw = confirm_core(h, &core, order);
    if (flaw == FLAW_NONE && core.is_longest)
        flaw = confirm_explanation(h, &core, order);
    if (flaw != FLAW_NONE && tally->n_flaws[flaw] == 0)
        report(h, &core, flaw);
    tally->n_flaws[flaw]++;
    if (flaw == FLAW_NONE && core.is_longest && tally->n_illegal % 8 == 0)
        try_mutants(h, &core, order, tally);
    core_done(&core);
    if (order == BRUTE_REAL_TIME &&
        (linear_stuck(h->model, h->operations, h->n, &options, &stuck, &why) < 0 ||
         !confirm_stuck(h, stuck))) {
        if (tally->n_wrong_stuck++ == 0) {
            (void)fprintf(stderr, "# the history is not illegal from the return of %zu on:\n",
                          stuck);
            sample_print(h);
        }
    }
}

static void run(size_t model, enum brute_order order, uint64_t seed, uint64_t n)
{
    const struct plain *object = plain_find(names[model]);
    bool is_container = strstr(" queue priority-queue stack ", names[model]) != NULL;
    struct tally *tally = &tallies[model][order];
    struct sample history;
    struct rng rng;

    rng_init(&rng, seed + model, order);
    for (; tally->n < n; tally->n++) {
        if (is_container && rng_below(&rng, 4) == 0)
            sample_random_stays(&rng, object, sn_model_find(names[model]), &history);
        else if (order == BRUTE_PROGRAM_ORDER && rng_below(&rng, 4) == 0)
            sample_random_crossing(&rng, object, sn_model_find(names[model]), &history);
        else
            sample_random(&rng, object, sn_model_find(names[model]), &history);
        if (is_legal(&history, order))
            continue;
        tally->n_illegal++;
        confirm(&history, order, tally);
    }
}

/* ---- One model ------------------------------------------------------------------------------- */

static void assert_confirmed(size_t model)
{
    for (size_t order = 0; order < 2; order++) {
        const struct tally *tally = &tallies[model][order];

        assert_true(10 * tally->n_illegal >= tally->n);
        assert_int_equal(tally->n_without, 0);
        assert_true(1000 * tally->n_given_up <= tally->n_illegal);
        assert_int_equal(tally->n_flaws[FLAW_FOREIGN], 0);
        assert_int_equal(tally->n_flaws[FLAW_DROPPED], 0);
        assert_int_equal(tally->n_flaws[FLAW_LEGAL], 0);
        assert_int_equal(tally->n_flaws[FLAW_NOT_MINIMAL], 0);
        assert_int_equal(tally->n_flaws[FLAW_ORDER], 0);
        assert_int_equal(tally->n_flaws[FLAW_SHORT], 0);
        assert_int_equal(tally->n_flaws[FLAW_STATE], 0);
        assert_int_equal(tally->n_flaws[FLAW_CANDIDATE], 0);
        assert_int_equal(tally->n_flaws[FLAW_NONE], tally->n_illegal);
        assert_int_equal(tally->n_wrong_stuck, 0);
    }
}

static void cores_of_register_are_confirmed_by_brute_force(void **state)
{
    (void)state;
    assert_confirmed(0);
}

static void cores_of_cas_register_are_confirmed_by_brute_force(void **state)
{
    (void)state;
    assert_confirmed(1);
}

static void cores_of_map_are_confirmed_by_brute_force(void **state)
{
    (void)state;
    assert_confirmed(2);
}

static void cores_of_set_are_confirmed_by_brute_force(void **state)
{
    (void)state;
    assert_confirmed(3);
}

static void cores_of_counter_are_confirmed_by_brute_force(void **state)
{
    (void)state;
    assert_confirmed(4);
}

static void cores_of_fetch_add_are_confirmed_by_brute_force(void **state)
{
    (void)state;
    assert_confirmed(5);
}

static void cores_of_queue_are_confirmed_by_brute_force(void **state)
{
    (void)state;
    assert_confirmed(6);
}

static void cores_of_priority_queue_are_confirmed_by_brute_force(void **state)
{
    (void)state;
    assert_confirmed(7);
}

static void cores_of_stack_are_confirmed_by_brute_force(void **state)
{
    (void)state;
    assert_confirmed(8);
}

static void cores_of_mutex_are_confirmed_by_brute_force(void **state)
{
    (void)state;
    assert_confirmed(9);
}

static void cores_of_lease_are_confirmed_by_brute_force(void **state)
{
    (void)state;
    assert_confirmed(10);
}

static void cores_of_list_are_confirmed_by_brute_force(void **state)
{
    (void)state;
    assert_confirmed(11);
}

static void every_model_of_the_library_is_confirmed(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++)
        assert_string_equal(sn_model_at(i)->name, names[i]);
    assert_null(sn_model_at(MODELS));
}

static void some_cores_have_relaxed_operations_and_by_program_order_several_keys(void **state)
{
    uint64_t n_relaxed[2] = {0};
    uint64_t n_keys[2] = {0};

    (void)state;
    for (size_t i = 0; i < MODELS; i++) {
        for (size_t order = 0; order < 2; order++) {
            n_relaxed[order] += tallies[i][order].n_relaxed;
            n_keys[order] += tallies[i][order].n_keys;
        }
    }

    assert_true(n_relaxed[BRUTE_REAL_TIME] >= MODELS);
    assert_true(n_relaxed[BRUTE_PROGRAM_ORDER] >= MODELS);
    assert_true(n_keys[BRUTE_PROGRAM_ORDER] >= MODELS);
    assert_int_equal(n_keys[BRUTE_REAL_TIME], 0);
}

/* ---- Mistakes are found ---------------------------------------------------------------------- */

/* How often a mistake was found for what it is. */
static uint64_t n_rejected(enum mutant mutant)
{
    uint64_t n = 0;

    for (size_t i = 0; i < MODELS; i++)
        n += tallies[i][BRUTE_REAL_TIME].n_rejected[mutant] +
             tallies[i][BRUTE_PROGRAM_ORDER].n_rejected[mutant];
    return n;
}

/* Some mistakes are none by chance, as in an operation that may be left out. */
static void assert_often_rejected(enum mutant mutant)
{
    assert_true(n_rejected(mutant) >= MODELS);
}

static void assert_always_rejected(enum mutant mutant)
{
    assert_often_rejected(mutant);
    for (size_t i = 0; i < MODELS; i++) {
        assert_int_equal(tallies[i][BRUTE_REAL_TIME].n_confirmed[mutant], 0);
        assert_int_equal(tallies[i][BRUTE_PROGRAM_ORDER].n_confirmed[mutant], 0);
    }
}

static void a_core_that_deletes_freely_is_rejected(void **state)
{
    (void)state;
    assert_often_rejected(MUTANT_DELETES_FREELY);
}

static void a_core_that_is_the_whole_history_is_rejected(void **state)
{
    (void)state;
    assert_often_rejected(MUTANT_IS_WHOLE);
}

static void a_core_with_one_definite_operation_too_many_is_rejected(void **state)
{
    (void)state;
    assert_always_rejected(MUTANT_IS_NOT_RELAXED);
}

static void a_core_with_one_definite_operation_too_few_is_rejected(void **state)
{
    (void)state;
    assert_always_rejected(MUTANT_IS_TOO_RELAXED);
}

static void a_core_with_an_operation_twice_is_rejected(void **state)
{
    (void)state;
    assert_always_rejected(MUTANT_HAS_ONE_TWICE);
}

static void an_order_that_is_not_the_longest_is_rejected(void **state)
{
    (void)state;
    assert_always_rejected(MUTANT_STOPS_EARLY);
}

static void an_order_that_the_object_does_not_allow_is_rejected(void **state)
{
    (void)state;
    assert_always_rejected(MUTANT_GOES_TOO_FAR);
}

static void an_order_that_runs_backward_is_rejected(void **state)
{
    (void)state;
    assert_often_rejected(MUTANT_ORDERS_BACKWARD);
}

static void a_wrong_state_is_rejected(void **state)
{
    (void)state;
    assert_always_rejected(MUTANT_TELLS_NO_STATE);
}

static void a_candidate_that_is_not_told_is_rejected(void **state)
{
    (void)state;
    assert_always_rejected(MUTANT_FORGETS_ONE);
}

static void a_result_that_the_object_would_not_give_is_rejected(void **state)
{
    (void)state;
    assert_always_rejected(MUTANT_TELLS_AS_WAS);
}

/* ---- Running --------------------------------------------------------------------------------- */

static uint64_t number_from(const char *text, uint64_t otherwise)
{
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void summarise(size_t model, enum brute_order order)
{
    const struct tally *tally = &tallies[model][order];

    (void)fprintf(stderr,
                  "# %s by %s: %llu histories, %llu illegal, %llu cores confirmed with %llu "
                  "definite operations, %llu with relaxed ones, %llu with several keys; %llu "
                  "candidates without a result, %llu longest orders not found; mutants rejected as "
                  "such, confirmed, tried:",
                  names[model], order == BRUTE_REAL_TIME ? "real time" : "program order",
                  (unsigned long long)tally->n, (unsigned long long)tally->n_illegal,
                  (unsigned long long)tally->n_flaws[FLAW_NONE],
                  (unsigned long long)tally->n_definite, (unsigned long long)tally->n_relaxed,
                  (unsigned long long)tally->n_keys, (unsigned long long)tally->n_speechless,
                  (unsigned long long)tally->n_given_up);
    for (enum mutant mutant = 0; mutant < MUTANTS; mutant++)
        (void)fprintf(stderr, " %llu/%llu/%llu", (unsigned long long)tally->n_rejected[mutant],
                      (unsigned long long)tally->n_confirmed[mutant],
                      (unsigned long long)tally->n_mutants[mutant]);
    (void)fprintf(stderr, "\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_of_register_are_confirmed_by_brute_force),
        cmocka_unit_test(cores_of_cas_register_are_confirmed_by_brute_force),
        cmocka_unit_test(cores_of_map_are_confirmed_by_brute_force),
        cmocka_unit_test(cores_of_set_are_confirmed_by_brute_force),
        cmocka_unit_test(cores_of_counter_are_confirmed_by_brute_force),
        cmocka_unit_test(cores_of_fetch_add_are_confirmed_by_brute_force),
        cmocka_unit_test(cores_of_queue_are_confirmed_by_brute_force),
        cmocka_unit_test(cores_of_priority_queue_are_confirmed_by_brute_force),
        cmocka_unit_test(cores_of_stack_are_confirmed_by_brute_force),
        cmocka_unit_test(cores_of_mutex_are_confirmed_by_brute_force),
        cmocka_unit_test(cores_of_lease_are_confirmed_by_brute_force),
        cmocka_unit_test(cores_of_list_are_confirmed_by_brute_force),
        cmocka_unit_test(every_model_of_the_library_is_confirmed),
        cmocka_unit_test(some_cores_have_relaxed_operations_and_by_program_order_several_keys),
        cmocka_unit_test(a_core_that_deletes_freely_is_rejected),
        cmocka_unit_test(a_core_that_is_the_whole_history_is_rejected),
        cmocka_unit_test(a_core_with_one_definite_operation_too_many_is_rejected),
        cmocka_unit_test(a_core_with_one_definite_operation_too_few_is_rejected),
        cmocka_unit_test(a_core_with_an_operation_twice_is_rejected),
        cmocka_unit_test(an_order_that_is_not_the_longest_is_rejected),
        cmocka_unit_test(an_order_that_the_object_does_not_allow_is_rejected),
        cmocka_unit_test(an_order_that_runs_backward_is_rejected),
        cmocka_unit_test(a_wrong_state_is_rejected),
        cmocka_unit_test(a_candidate_that_is_not_told_is_rejected),
        cmocka_unit_test(a_result_that_the_object_would_not_give_is_rejected),
    };
    uint64_t n =
        number_from(getenv("LINEAR_HISTORIES"), number_from(argc > 1 ? argv[1] : NULL, 1000));
    uint64_t seed = number_from(argc > 2 ? argv[2] : NULL, 1);

    for (size_t i = 0; i < MODELS; i++) {
        run(i, BRUTE_REAL_TIME, seed, n);
        run(i, BRUTE_PROGRAM_ORDER, seed, n);
        summarise(i, BRUTE_REAL_TIME);
        summarise(i, BRUTE_PROGRAM_ORDER);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
