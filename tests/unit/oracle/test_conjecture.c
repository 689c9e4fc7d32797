/* test_conjecture.c - observations of a letter box: what is put in is delivered when nobody looks.
 *
 * A letter may be waiting, delivered, or read. Hidden events deliver a letter or lose it; what is
 * observed is putting one in, and looking how many were delivered. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct box {
    uint8_t waiting;
    uint8_t delivered;
    uint8_t lost;
};

enum { PUT = 0, LOOK, DELIVER = 0, LOSE };

static const uint32_t lose_max = 2; /* the `self` of the model */

static void put(const void *self, void *state, const void *event)
{
    (void)self;
    (void)event;
    ((struct box *)state)->waiting++;
}

static bool is_count(const void *self, const void *state, const void *event)
{
    (void)self;
    return ((const struct box *)state)->delivered == *(const uint8_t *)event;
}

static void why_not(const void *self, const void *state, const void *event, struct sn_text *out)
{
    (void)self;
    (void)event;
    sn_print(out, "%u were delivered", ((const struct box *)state)->delivered);
}

static bool is_waiting(const void *self, const void *state, uint32_t variant)
{
    (void)self;
    (void)variant;
    return ((const struct box *)state)->waiting > 0;
}

static void deliver(const void *self, void *state, uint32_t variant)
{
    struct box *box = state;

    (void)self;
    (void)variant;
    box->waiting--;
    box->delivered++;
}

/* One, or two at once. */
static uint32_t lose_variants(const void *self)
{
    return *(const uint32_t *)self;
}

static bool can_lose(const void *self, const void *state, uint32_t variant)
{
    (void)self;
    return ((const struct box *)state)->waiting > variant;
}

static void lose(const void *self, void *state, uint32_t variant)
{
    struct box *box = state;

    (void)self;
    box->waiting = (uint8_t)(box->waiting - variant - 1);
    box->lost = (uint8_t)(box->lost + variant + 1);
}

static void print(const void *self, const void *state, struct sn_text *out)
{
    const struct box *box = state;

    (void)self;
    sn_print(out, "%u waiting, %u delivered, %u lost", box->waiting, box->delivered, box->lost);
}

static const struct sn_observed observed[] = {
    {.name = "put", .effect = put},
    {.name = "look", .is_possible = is_count, .why_not = why_not},
    {.name = NULL},
};

static const struct sn_hidden hidden[] = {
    {.name = "deliver", .is_possible = is_waiting, .effect = deliver},
    {.name = "lose", .variants = lose_variants, .is_possible = can_lose, .effect = lose},
    {.name = NULL},
};

static const struct sn_conjecture_model model = {
    .name = "letter box",
    .state_size = sizeof(struct box),
    .observed = observed,
    .hidden = hidden,
    .print = print,
};

static enum sn_conjectured look(struct sn_conjecture *c, uint32_t part, uint8_t n)
{
    return sn_conjecture_feed(c, part, LOOK, &n);
}

static enum sn_conjectured put_letters(struct sn_conjecture *c, uint32_t part, int n)
{
    enum sn_conjectured verdict = SN_CONJECTURED_YES;

    while (n-- > 0 && verdict == SN_CONJECTURED_YES)
        verdict = sn_conjecture_feed(c, part, PUT, NULL);
    return verdict;
}

/* ---- Verdicts ------------------------------------------------------------------------------- */

static void what_hidden_events_explain_is_accepted(void **state)
{
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, NULL);

    (void)state;
    assert_int_equal(put_letters(c, 0, 3), SN_CONJECTURED_YES);
    assert_int_equal(look(c, 0, 1), SN_CONJECTURED_YES);
    assert_int_equal(look(c, 0, 3), SN_CONJECTURED_YES);
    sn_conjecture_free(c);
}

static void what_they_do_not_is_rejected_and_stays_so(void **state)
{
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, NULL);
    struct sn_conjecture_figures figures;

    (void)state;
    (void)put_letters(c, 0, 2);
    assert_int_equal(look(c, 0, 2), SN_CONJECTURED_YES);
    assert_int_equal(look(c, 0, 1), SN_CONJECTURED_NO);
    assert_int_equal(look(c, 0, 2), SN_CONJECTURED_NO);
    assert_int_equal(put_letters(c, 0, 1), SN_CONJECTURED_NO);
    sn_conjecture_measure(c, &figures);
    assert_int_equal(figures.explained, 3);
    sn_conjecture_free(c);
}

static void every_possible_state_is_there_once(void **state)
{
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, NULL);
    struct box seen[6];

    (void)state;
    (void)put_letters(c, 0, 2);

    assert_int_equal(sn_conjecture_possible(c, 0), 6); /* of two letters, by where they are */
    for (size_t i = 0; i < 6; i++) {
        memcpy(&seen[i], sn_conjecture_state(c, 0, i), sizeof(seen[i]));
        assert_int_equal(seen[i].waiting + seen[i].delivered + seen[i].lost, 2);
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(&seen[i], &seen[k], sizeof(seen[i]));
    }
    sn_conjecture_free(c);
}

static void asking_adds_nothing(void **state)
{
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, NULL);
    uint8_t two = 2;
    uint8_t three = 3;

    (void)state;
    (void)put_letters(c, 0, 2);
    assert_int_equal(sn_conjecture_would(c, 0, LOOK, &two), SN_CONJECTURED_YES);
    assert_int_equal(sn_conjecture_would(c, 0, LOOK, &three), SN_CONJECTURED_NO);
    assert_int_equal(look(c, 0, 0), SN_CONJECTURED_YES);
    assert_int_equal(sn_conjecture_would(c, 0, LOOK, &two), SN_CONJECTURED_YES);
    sn_conjecture_free(c);
}

static void a_refusal_says_the_state_and_why(void **state)
{
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, NULL);
    uint8_t five = 5;
    char text[128];
    size_t n;

    (void)state;
    (void)put_letters(c, 0, 1);
    assert_int_equal(look(c, 0, five), SN_CONJECTURED_NO);
    n = sn_conjecture_refusal(c, 0, 0, LOOK, &five, text, sizeof(text));
    assert_string_equal(text, "1 waiting, 0 delivered, 0 lost\n0 were delivered");
    assert_int_equal(n, strlen(text));
    (void)sn_conjecture_refusal(c, 0, 1, LOOK, &five, text, sizeof(text));
    assert_string_equal(text, "0 waiting, 1 delivered, 0 lost\n1 were delivered");
    n = sn_conjecture_refusal(c, 0, 0, PUT, NULL, text, sizeof(text));
    assert_string_equal(text, "1 waiting, 0 delivered, 0 lost\n");
    sn_conjecture_free(c);
}

static void without_words_states_are_bytes(void **state)
{
    const struct sn_observed silent[] = {
        observed[0], {.name = "look", .is_possible = is_count}, {0}};
    struct sn_conjecture_model bare = model;
    struct sn_conjecture *c;
    uint8_t five = 5;
    char text[128];

    (void)state;
    bare.print = NULL;
    bare.observed = silent;
    c = sn_conjecture_new(&bare, &lose_max, NULL);
    (void)put_letters(c, 0, 1);
    (void)sn_conjecture_refusal(c, 0, 0, LOOK, &five, text, sizeof(text));
    assert_string_equal(text, "010000\nlook is not possible");
    sn_conjecture_free(c);
}

/* ---- Explanations --------------------------------------------------------------------------- */

static void an_explanation_is_shortest_and_late(void **state)
{
    const struct sn_conjecture_options options = {.is_explained = true};
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, &options);
    struct sn_conjectured_event events[4];

    (void)state;
    (void)put_letters(c, 0, 2);
    assert_int_equal(look(c, 0, 0), SN_CONJECTURED_YES);
    assert_int_equal(look(c, 0, 1), SN_CONJECTURED_YES);
    assert_int_equal(look(c, 0, 2), SN_CONJECTURED_YES);

    assert_int_equal(sn_conjecture_explanation(c, events, 4), 2);
    assert_int_equal(events[0].before, 3);
    assert_int_equal(events[0].hidden, DELIVER);
    assert_int_equal(events[1].before, 4);
    assert_int_equal(events[1].hidden, DELIVER);
    sn_conjecture_free(c);
}

static void an_explanation_that_is_too_long_is_cut_at_its_end(void **state)
{
    const struct sn_conjecture_options options = {.is_explained = true, .parts = 2};
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, &options);
    struct sn_conjectured_event events[2] = {{0}, {.before = 99}};

    (void)state;
    (void)put_letters(c, 0, 2);
    (void)put_letters(c, 1, 1);
    (void)look(c, 0, 2);
    (void)look(c, 1, 1);

    assert_int_equal(sn_conjecture_explanation(c, events, 1), 3);
    assert_int_equal(events[0].before, 3);
    assert_int_equal(events[0].part, 0);
    assert_int_equal(events[1].before, 99);
    sn_conjecture_free(c);
}

static void of_what_is_rejected_the_accepted_beginning_is_explained(void **state)
{
    const struct sn_conjecture_options options = {.is_explained = true};
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, &options);
    struct sn_conjectured_event events[4];

    (void)state;
    (void)put_letters(c, 0, 1);
    (void)look(c, 0, 1);
    assert_int_equal(look(c, 0, 0), SN_CONJECTURED_NO);
    assert_int_equal(sn_conjecture_explanation(c, events, 4), 1);
    sn_conjecture_free(c);
}

static void without_being_asked_for_there_is_no_explanation(void **state)
{
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, NULL);

    (void)state;
    assert_int_equal(sn_conjecture_explanation(c, NULL, 0), SN_EINVAL);
    sn_conjecture_free(c);
}

/* ---- Parts and figures ---------------------------------------------------------------------- */

static void parts_apart_are_sums_and_together_products(void **state)
{
    const struct sn_conjecture_options apart = {.parts = 3};
    const struct sn_conjecture_options together = {.parts = 3, .is_joint = true};
    struct sn_conjecture *a = sn_conjecture_new(&model, &lose_max, &apart);
    struct sn_conjecture *t = sn_conjecture_new(&model, &lose_max, &together);

    (void)state;
    for (uint32_t part = 0; part < 3; part++) {
        assert_int_equal(put_letters(a, part, 2), SN_CONJECTURED_YES);
        assert_int_equal(put_letters(t, part, 2), SN_CONJECTURED_YES);
    }
    assert_int_equal(sn_conjecture_possible(a, 1), 6);
    assert_int_equal(sn_conjecture_possible(t, 1), 6 * 6 * 6);
    assert_int_equal(look(a, 2, 2), SN_CONJECTURED_YES);
    assert_int_equal(look(t, 2, 2), SN_CONJECTURED_YES);
    assert_int_equal(((const struct box *)sn_conjecture_state(t, 2, 0))->delivered, 2);
    assert_int_equal(look(a, 0, 3), SN_CONJECTURED_NO);
    assert_int_equal(look(t, 0, 3), SN_CONJECTURED_NO);
    sn_conjecture_free(a);
    sn_conjecture_free(t);
}

static void figures_count_sets_and_states(void **state)
{
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, NULL);
    struct sn_conjecture_figures figures;

    (void)state;
    (void)put_letters(c, 0, 2); /* closes a set of 1 state and one of 3 */
    (void)look(c, 0, 2);        /* ... and one of 6 */
    sn_conjecture_measure(c, &figures);

    assert_int_equal(figures.explained, 3);
    assert_int_equal(figures.hidden, 2);
    assert_int_equal(figures.closures, 3);
    assert_int_equal(figures.closed_states, 10);
    assert_int_equal(figures.set_max, 6);
    assert_true(figures.set_mean > 3.3 && figures.set_mean < 3.4);
    assert_int_equal(figures.states,
                     10); /* 1, 3 and 6, all different: letters are never forgotten */
    /* Of one waiting letter: 2 ways. Of two: deliver, lose one, lose both; then 2 for each. */
    assert_int_equal(figures.hidden_steps, 2 + 3 + 2 + 2);
    sn_conjecture_free(c);
}

/* ---- Limits --------------------------------------------------------------------------------- */

static void too_many_states_are_unknown(void **state)
{
    const struct sn_conjecture_options options = {.states = 15};
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, &options);
    uint8_t none = 0;

    (void)state;
    assert_int_equal(put_letters(c, 0, 3), SN_CONJECTURED_YES);
    assert_int_equal(sn_conjecture_possible(c, 0), 10);
    assert_int_equal(put_letters(c, 0, 1), SN_CONJECTURED_UNKNOWN);
    assert_int_equal(look(c, 0, 0), SN_CONJECTURED_UNKNOWN);
    assert_int_equal(sn_conjecture_would(c, 0, LOOK, &none), SN_CONJECTURED_UNKNOWN);
    sn_conjecture_free(c);
}

/* What may be read, or one of it. */
static uint32_t value_of(uint64_t values, uint64_t which)
{
    for (which %= (uint64_t)__builtin_popcountll(values); which > 0; which--)
        values &= values - 1;
    return (uint32_t)__builtin_ctzll(values);
}

static void what_is_possible_no_more_is_forgotten_when_there_is_no_room(void **state)
{
    static _Alignas(16) char memory[1 << 20];
    const struct sn_sync_limits little = {.memory = memory, .memory_size = sizeof(memory)};
    struct sn_sync_watch *small = sn_sync_watch_new("first", 2, 2, &little);
    struct sn_sync_watch *large = sn_sync_watch_new("first", 2, 2, NULL);
    struct sn_conjecture_figures figures;
    uint64_t seed = 1;

    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        struct sn_sync_event event = {.kind = SN_SYNC_WRITE};
        uint64_t values;

        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        event.node = (uint32_t)(seed >> 40) % 2;
        event.file = (uint32_t)(seed >> 50) % 2;
        event.value = (uint32_t)(seed >> 33) % 60;
        values = sn_sync_watch_values(small, event.node, event.file);
        assert_int_equal(values, sn_sync_watch_values(large, event.node, event.file));
        event.old = value_of(values, seed >> 55);
        assert_int_equal(sn_sync_watch_feed(small, &event), SN_CONJECTURED_YES);
        assert_int_equal(sn_sync_watch_feed(large, &event), SN_CONJECTURED_YES);
    }
    sn_sync_watch_figures(large, &figures);
    assert_true(figures.memory_bytes > 4 * sizeof(memory));
    sn_sync_watch_free(small);
    sn_sync_watch_free(large);
}

static void too_little_memory_is_unknown(void **state)
{
    const struct sn_conjecture_options options = {.memory_mb = 1, .parts = 4, .is_joint = true};
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, &options);
    enum sn_conjectured verdict = SN_CONJECTURED_YES;
    struct sn_conjecture_figures figures;

    (void)state;
    for (uint32_t i = 0; i < 100 && verdict == SN_CONJECTURED_YES; i++)
        verdict = put_letters(c, i % 4, 1);
    assert_int_equal(verdict, SN_CONJECTURED_UNKNOWN);
    sn_conjecture_measure(c, &figures);
    assert_in_range(figures.memory_bytes, 1, 2 << 20);
    sn_conjecture_free(c);
}

static void given_memory_is_all_that_is_used(void **state)
{
    static _Alignas(16) char memory[1 << 16];
    const struct sn_conjecture_options options = {
        .memory = memory, .memory_size = sizeof(memory), .is_explained = true};
    struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, &options);
    struct sn_conjecture_figures figures;
    enum sn_conjectured verdict = SN_CONJECTURED_YES;

    (void)state;
    assert_int_equal(put_letters(c, 0, 5), SN_CONJECTURED_YES);
    for (int i = 0; i < 60 && verdict == SN_CONJECTURED_YES; i++)
        verdict = put_letters(c, 0, 1);
    assert_int_equal(verdict, SN_CONJECTURED_UNKNOWN);
    sn_conjecture_measure(c, &figures);
    assert_in_range(figures.memory_bytes, 1, sizeof(memory));
    sn_conjecture_free(c);
}

static void however_little_memory_nothing_breaks(void **state)
{
    static _Alignas(16) char memory[1 << 14];

    (void)state;
    for (size_t size = 0; size < sizeof(memory); size += 48) {
        const struct sn_conjecture_options options = {
            .memory = memory, .memory_size = size, .is_explained = true, .parts = 2};
        struct sn_conjecture *c = sn_conjecture_new(&model, &lose_max, &options);

        if (c == NULL)
            continue;
        (void)put_letters(c, 0, 4);
        (void)put_letters(c, 1, 4);
        if (look(c, 1, 4) == SN_CONJECTURED_YES)
            assert_int_equal(sn_conjecture_explanation(c, NULL, 0), 4);
        sn_conjecture_free(c);
    }
}

static void nonsense_is_refused(void **state)
{
    static _Alignas(16) char memory[4096];
    const struct sn_conjecture_options crooked = {.memory = memory + 1, .memory_size = 4000};
    const struct sn_conjecture_options small = {.memory = memory, .memory_size = 16};
    const struct sn_conjecture_options many = {.parts = UINT32_MAX};
    struct sn_conjecture_model empty = model;

    (void)state;
    empty.state_size = 0;
    assert_null(sn_conjecture_new(&empty, &lose_max, NULL));
    assert_null(sn_conjecture_new(&model, &lose_max, &crooked));
    assert_null(sn_conjecture_new(&model, &lose_max, &small));
    assert_null(sn_conjecture_new(&model, &lose_max, &many));
    sn_conjecture_free(NULL);
}

/* ---- In trials ------------------------------------------------------------------------------ */

enum { EACH = 3, EVENTS = 2 * EACH, MEMORY = 1 << 17 };

static const struct sn_event happened = {.name = "Happened", .size = sizeof(struct sn_sync_event)};

/* Follows what two nodes tell it, in memory that is put back with the trial. */
struct watcher {
    struct sn_sync_watch *watch;
    struct sn_sync_event events[EVENTS];
    size_t n;
};

static const struct sn_sync_event stories[2][EACH] = {
    {{.kind = SN_SYNC_WRITE, .node = 0, .value = 1},
     {.kind = SN_SYNC_READ, .node = 0, .value = 2},
     {.kind = SN_SYNC_WRITE, .node = 0, .value = 3, .old = 2}},
    {{.kind = SN_SYNC_WRITE, .node = 1, .value = 2},
     {.kind = SN_SYNC_READ, .node = 1, .value = 1},
     {.kind = SN_SYNC_READ, .node = 1, .value = 3}},
};

static void watch_begin(void *self, const void *payload)
{
    struct watcher *watcher = self;
    struct sn_sync_limits limits = {.memory = sn_alloc(MEMORY), .memory_size = MEMORY};

    (void)payload;
    watcher->watch = sn_sync_watch_new(NULL, 2, 1, &limits);
    sn_assert(watcher->watch != NULL);
}

static void watch_event(void *self, const void *payload)
{
    struct watcher *watcher = self;
    struct sn_sync_event *event = &watcher->events[watcher->n++];
    struct sn_sync_result result;

    memcpy(event, payload, sizeof(*event));
    (void)sn_sync_judge(NULL, 2, watcher->events, watcher->n, NULL, &result);
    sn_assert(sn_sync_watch_would(watcher->watch, event) == result.verdict);
    sn_assert(sn_sync_watch_feed(watcher->watch, event) == result.verdict);
}

static const struct sn_state watching = {
    .name = "Watching",
    .entry = watch_begin,
    .on = (const struct sn_on[]){{.event = &happened, .run = watch_event}, {0}},
};
static const struct sn_machine watcher_machine = {
    .name = "Watcher", .size = sizeof(struct watcher), .start = &watching};

struct teller {
    sn_id watcher;
    uint32_t story;
};

static void tell(void *self, const void *payload)
{
    const struct teller *teller = payload;

    (void)self;
    for (size_t i = 0; i < EACH; i++)
        sn_send(teller->watcher, &happened, &stories[teller->story][i]);
}

static const struct sn_event born = {.name = "Born", .size = sizeof(struct teller)};
static const struct sn_state telling = {.name = "Telling", .entry = tell};
static const struct sn_machine teller_machine = {
    .name = "Teller", .start = &telling, .birth = &born};

static void run_watched(void)
{
    sn_id watcher = sn_create(&watcher_machine, NULL);

    for (uint32_t story = 0; story < 2; story++)
        sn_create(&teller_machine, &(struct teller){watcher, story});
}

static void memory_of_a_trial_is_put_back_with_it(void **state)
{
    static const struct sn_test test = {.name = "watched", .run = run_watched};
    static const char *const strategies[] = {"dfs", "odpor", "random"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct sn_options options = {.strategy = strategies[i], .iterations = 2000};
        struct sn_result result;

        assert_int_equal(sn_run(&test, &options, &result), 0);
        if (result.failures > 0)
            fail_msg("%s: %s", strategies[i], result.failure);
        assert_true(result.trials > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_hidden_events_explain_is_accepted),
        cmocka_unit_test(what_they_do_not_is_rejected_and_stays_so),
        cmocka_unit_test(every_possible_state_is_there_once),
        cmocka_unit_test(asking_adds_nothing),
        cmocka_unit_test(a_refusal_says_the_state_and_why),
        cmocka_unit_test(without_words_states_are_bytes),
        cmocka_unit_test(an_explanation_is_shortest_and_late),
        cmocka_unit_test(an_explanation_that_is_too_long_is_cut_at_its_end),
        cmocka_unit_test(of_what_is_rejected_the_accepted_beginning_is_explained),
        cmocka_unit_test(without_being_asked_for_there_is_no_explanation),
        cmocka_unit_test(parts_apart_are_sums_and_together_products),
        cmocka_unit_test(figures_count_sets_and_states),
        cmocka_unit_test(too_many_states_are_unknown),
        cmocka_unit_test(what_is_possible_no_more_is_forgotten_when_there_is_no_room),
        cmocka_unit_test(too_little_memory_is_unknown),
        cmocka_unit_test(given_memory_is_all_that_is_used),
        cmocka_unit_test(however_little_memory_nothing_breaks),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(memory_of_a_trial_is_put_back_with_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
