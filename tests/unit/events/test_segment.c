/* test_segment.c - recorded events in the test's own process, as an application has them.
 *
 * The library is a set that is sent as a whole. Its wrappers are written by hand here.
 * SPDX-License-Identifier: MIT
 */
#include "../observe.h"
#include "made_events.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The library ---------------------------------------------------------------------------- */

struct set {
    uint32_t items; /* bit i: it has item i */
};

/* What was done in a trial, to be judged by its checks. */
static struct set sets[3];
static uint32_t n_done;
static uint8_t done[64];
static bool crashes;
static char name_of_set[8];

struct args {
    struct set *set;
    uint32_t item;
    const char *text;
    struct set *message;
    int8_t small;
    bool is_there;
};

static void do_add(void *args)
{
    struct args *a = args;

    done[n_done++] = (uint8_t)a->item;
    if (crashes)
        *(volatile int *)NULL = 1; // NOLINT(clang-analyzer-core.NullDereference)
    a->set->items |= 1U << a->item;
}

static void do_make(void *args)
{
    struct args *a = args;

    a->message = malloc(sizeof(*a->message));
    *a->message = *a->set;
    done[n_done++] = 30;
}

static void do_apply(void *args)
{
    struct args *a = args;

    a->set->items |= a->message->items;
    done[n_done++] = 31;
}

static void do_look(void *args)
{
    struct args *a = args;

    a->is_there = (a->set->items & 1U << a->item) != 0;
    done[n_done++] = 32;
}

static void do_size(void *args)
{
    struct args *a = args;

    a->small = (int8_t)-__builtin_popcount(a->set->items);
}

static void do_name(void *args)
{
    struct args *a = args;

    (void)snprintf(name_of_set, sizeof(name_of_set), "%s%u", a->text, a->set->items);
    a->text = name_of_set;
}

#define AT(member_) offsetof(struct args, member_), sizeof(((struct args *)0)->member_)

static const struct sn_arg item_arg[] = {{SN_ARG_UINT, AT(item)}, {0}};
static const struct sn_arg message_arg[] = {{SN_ARG_MESSAGE, AT(message)}, {0}};
static const struct sn_arg text_arg[] = {{SN_ARG_STRING, AT(text)}, {0}};
static const struct sn_event_op add_call = {.op = "add",
                                            .kind = SN_EVENT_UPDATE,
                                            .size = sizeof(struct args),
                                            .args = item_arg,
                                            .run = do_add};
static const struct sn_event_op make_call = {.op = "make",
                                             .kind = SN_EVENT_REQUEST,
                                             .size = sizeof(struct args),
                                             .result = {SN_ARG_MESSAGE, AT(message)},
                                             .run = do_make};
static const struct sn_event_op apply_call = {.op = "apply",
                                              .kind = SN_EVENT_EXECUTE,
                                              .size = sizeof(struct args),
                                              .args = message_arg,
                                              .run = do_apply};
static const struct sn_event_op look_call = {.op = "look",
                                             .kind = SN_EVENT_QUERY,
                                             .size = sizeof(struct args),
                                             .args = item_arg,
                                             .result = {SN_ARG_BOOL, AT(is_there)},
                                             .run = do_look};
static const struct sn_event_op size_call = {.op = "size",
                                             .kind = SN_EVENT_QUERY,
                                             .size = sizeof(struct args),
                                             .result = {SN_ARG_INT, AT(small)},
                                             .run = do_size};
static const struct sn_event_op name_call = {.op = "name",
                                             .kind = SN_EVENT_QUERY,
                                             .size = sizeof(struct args),
                                             .args = text_arg,
                                             .result = {SN_ARG_STRING, AT(text)},
                                             .run = do_name};

static void add(uint32_t set, uint32_t item)
{
    struct args a = {.set = &sets[set], .item = item};

    sn_event_call(&add_call, &a);
}

static struct set *make(uint32_t set)
{
    struct args a = {.set = &sets[set]};

    sn_event_call(&make_call, &a);
    return a.message;
}

static void apply(uint32_t set, struct set *message)
{
    struct args a = {.set = &sets[set], .message = message};

    sn_event_call(&apply_call, &a);
}

static bool look(uint32_t set, uint32_t item)
{
    struct args a = {.set = &sets[set], .item = item};

    sn_event_call(&look_call, &a);
    return a.is_there;
}

static void print_set(struct sn_text *out, const void *object)
{
    sn_print(out, "%u", ((const struct set *)object)->items);
}

/* ---- Running -------------------------------------------------------------------------------- */

static struct sn_events how;

static void name_replicas(void)
{
    sn_replica(&sets[A], "A", print_set);
    sn_replica(&sets[B], "B", print_set);
}

static struct sn_result run_with(void (*body)(void), const char *strategy, enum sn_world world)
{
    const struct sn_test test = {.name = "segment", .run = body, .world = world};
    const struct sn_options options = {.strategy = strategy, .iterations = 100000};
    struct sn_result result;

    observe_clear();
    if (sn_run(&test, &options, &result) < 0)
        fail_msg("%s", result.failure);
    return result;
}

static struct sn_result run_events(void (*body)(void))
{
    return run_with(body, "events", SN_WORLD_FULL);
}

static void assert_failure(void (*body)(void), const char *sentence)
{
    struct sn_result result = run_events(body);

    if (strstr(result.failure, sentence) == NULL)
        fail_msg("it is \"%s\" and not \"%s\"", result.failure, sentence);
    assert_true(result.failures > 0);
}

/* ---- Interleavings -------------------------------------------------------------------------- */

static void note_order(void)
{
    observe("[");
    for (uint32_t i = 0; i < n_done; i++)
        observe("%u ", done[i]);
    observe("]");
    seen->count[0]++;
    seen->count[1] |= UINT64_C(1) << n_done;
}

static void add_four(void)
{
    name_replicas();
    sn_events_begin(&how);
    add(A, 0);
    add(A, 1);
    add(B, 2);
    add(B, 3);
    sn_events_end(note_order);
}

static void every_interleaving_runs_once_in_ascending_order(void **unused)
{
    struct sn_result result;

    (void)unused;
    how = (struct sn_events){.prune = "none"};
    result = run_events(add_four);

    assert_int_equal(result.failures, 0);
    assert_int_equal(result.trials, 6);
    assert_true(result.exhausted);
    assert_string_equal(seen->text, "[0 1 2 3 ][0 2 1 3 ][0 2 3 1 ][2 0 1 3 ][2 0 3 1 ][2 3 0 1 ]");
}

static void programs_need_not_be_respected_if_that_is_asked_for(void **unused)
{
    (void)unused;
    how = (struct sn_events){.is_free = true, .prune = "none"};
    assert_int_equal(run_events(add_four).trials, 24);

    how = (struct sn_events){.constraints = "{\"before\": [3, 0]}"};
    assert_int_equal(run_events(add_four).trials, 1);

    how = (struct sn_events){.constraints = "{\"independent\": \"replicas\"}"};
    assert_int_equal(run_events(add_four).trials, 1);
    assert_string_equal(seen->text, "[0 1 2 3 ]");
}

static void free_the_second(void)
{
    name_replicas();
    sn_events_begin(NULL);
    add(A, 0);
    sn_event_free();
    add(A, 1);
    add(A, 2);
    sn_events_end(note_order);
}

static void an_event_that_is_marked_free_goes_anywhere_and_only_that_one(void **unused)
{
    (void)unused;
    assert_int_equal(run_events(free_the_second).trials, 3);

    assert_string_equal(seen->text, "[0 1 2 ][0 2 1 ][1 0 2 ]");
}

static void check_message(void)
{
    uint32_t mask = 0;
    uint32_t sent = UINT32_MAX;
    uint32_t got = 0;

    for (uint32_t i = 0; i < n_done; i++) {
        if (done[i] < 30)
            mask |= 1U << done[i];
        else if (done[i] == 30)
            sent = mask;
        else
            got = sent;
    }
    sn_assert(sent != UINT32_MAX && sets[B].items == got);
    seen->count[0]++;
    seen->count[2] |= UINT64_C(1) << got;
}

static void send_once(void)
{
    struct set *message;

    name_replicas();
    sn_events_begin(&how);
    add(A, 0);
    add(A, 1);
    message = make(A);
    apply(B, message);
    sn_events_end(check_message);
}

static void a_message_is_what_was_made_in_the_same_trial(void **unused)
{
    struct sn_result result;

    (void)unused;
    how = (struct sn_events){.is_free = true, .prune = "none"};
    result = run_events(send_once);

    assert_string_equal(result.failure, "");
    assert_int_equal(result.trials, 24);
    assert_int_equal(seen->count[2], 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3);
}

static void events_that_are_left_out_do_not_happen(void **unused)
{
    const struct sn_test test = {.name = "segment", .run = send_once};
    static const char *const without[] = {"draw \"event 2 takes part\" = 0", NULL};
    const struct sn_options options = {
        .strategy = "dfs", .iterations = 1000, .keep_going = true, .require = without};
    struct sn_result result;

    (void)unused;
    how = (struct sn_events){.prune = "none"};
    observe_clear();
    if (sn_run(&test, &options, &result) != 0)
        fail_msg("%s", result.failure);

    /* Nothing is sent, so the assertion about what was sent cannot hold; and all went on. */
    assert_int_equal(result.failures, result.trials);
    assert_non_null(strstr(result.failure, "sent != UINT32_MAX"));
}

/* ---- Results -------------------------------------------------------------------------------- */

static void return_things(void)
{
    struct args size = {.set = &sets[A]};
    struct args name = {.set = &sets[A], .text = "set"};
    char passing[8] = "set";

    name.text = passing;
    name_replicas();
    sn_events_begin(NULL);
    add(A, 0);
    add(A, 3);
    observe("%d", look(A, 3));
    observe("%d", look(B, 3));
    sn_event_call(&size_call, &size);
    sn_event_call(&name_call, &name);
    memset(passing, 'x', sizeof(passing));
    observe(" %d %s.", size.small, name.text);
    sn_events_end(note_order);
}

static uint32_t count_text(const char *text, const char *piece)
{
    uint32_t n = 0;

    for (; (text = strstr(text, piece)) != NULL; text++)
        n++;
    return n;
}

static void calls_return_what_they_returned_as_they_are_written(void **unused)
{
    struct sn_result result;

    (void)unused;
    result = run_events(return_things);

    /* Once where it is recorded, and as often as the run function is called, which depends on how
     * memory is put back. */
    assert_int_equal(result.failures, 0);
    assert_true(result.trials > 1);
    assert_true(count_text(seen->text, ".") > 1);
    assert_int_equal(count_text(seen->text, "10 -2 set9."), count_text(seen->text, "."));
}

static void expect_results(void)
{
    how.expect = SN_EXPECT_SAME_RESULTS;
    name_replicas();
    sn_events_begin(&how);
    add(A, 0);
    apply(B, make(A));
    (void)look(B, 0);
    sn_events_end(NULL);
}

static void a_result_that_differs_from_the_recorded_one_is_told(void **unused)
{
    (void)unused;
    how = (struct sn_events){0};

    assert_failure(expect_results, "same-results: look at B (event 3) returned false, and as "
                                   "recorded true");
}

static void do_count(void *args)
{
    struct args *a = args;

    a->set->items += a->message->items;
}

static const struct sn_event_op count_call = {.op = "count",
                                              .kind = SN_EVENT_EXECUTE,
                                              .size = sizeof(struct args),
                                              .args = message_arg,
                                              .run = do_count};

static void count_messages(void)
{
    struct args a = {.set = &sets[B]};

    name_replicas();
    sn_events_begin(&how);
    add(A, 0);
    a.message = make(A);
    sn_event_call(&count_call, &a);
    sn_events_end(NULL);
}

static void a_message_that_changes_something_when_it_comes_again_is_told(void **unused)
{
    (void)unused;
    how = (struct sn_events){.expect = SN_EXPECT_IDEMPOTENCE};

    assert_failure(count_messages, "idempotence: count at B (event 2), done once more, changes 1 "
                                   "into 2");
    assert_int_equal(run_events(send_once).failures, 0);
}

/* ---- Recording ------------------------------------------------------------------------------ */

#if !defined(__SANITIZE_ADDRESS__)
static void crash_at_once(void)
{
    name_replicas();
    crashes = true;
    sn_events_begin(NULL);
    add(A, 0);
    sn_events_end(NULL);
}
#endif

static void fail_inside(void)
{
    name_replicas();
    sn_events_begin(NULL);
    add(A, 0);
    sn_assert(sets[A].items == 7);
    sn_events_end(NULL);
}

static void leave_inside(void)
{
    name_replicas();
    sn_events_begin(NULL);
    add(A, 0);
    _exit(0);
}

static void what_goes_wrong_as_it_is_written_is_told(void **unused)
{
    (void)unused;
#if !defined(__SANITIZE_ADDRESS__)
    assert_failure(crash_at_once, "in the order in which they are written the calls of the segment "
                                  "end the program: signal 11");
#endif
    assert_failure(fail_inside, "in the order in which they are written: ");
    assert_failure(leave_inside, "the program ended before sn_events_end");
}

static void choose_before(void)
{
    uint64_t chosen = sn_choose("item", 3);

    name_replicas();
    sn_events_begin(NULL);
    add(A, (uint32_t)chosen);
    add(B, 4);
    sn_events_end(note_order);
}

static void the_process_that_records_leaves_no_trace_in_the_trial(void **unused)
{
    struct sn_result dfs;

    (void)unused;
    dfs = run_with(choose_before, "dfs", SN_WORLD_FULL);

    /* Three values, and two orders of two events, each of which is done once. */
    assert_string_equal(dfs.failure, "");
    assert_true(dfs.exhausted);
    assert_int_equal(dfs.trials, 3 * 2);
    assert_int_equal(seen->count[1], 1 << 2);
    assert_string_equal(seen->text, "[0 4 ][4 0 ][1 4 ][4 1 ][2 4 ][4 2 ]");
}

static void choose_inside(void)
{
    name_replicas();
    sn_events_begin(NULL);
    add(A, (uint32_t)sn_choose("item", 2));
    sn_events_end(note_order);
}

static void create_inside(void)
{
    static const struct sn_state state = {.name = "state"};
    static const struct sn_machine machine = {.name = "Machine", .start = &state};

    name_replicas();
    sn_events_begin(NULL);
    (void)sn_create(&machine, NULL);
    sn_events_end(note_order);
}

static void name_inside(void)
{
    name_replicas();
    sn_events_begin(NULL);
    sn_replica(&sets[C], "C", NULL);
    sn_events_end(note_order);
}

static void in_a_segment_nothing_is_decided(void **unused)
{
    (void)unused;
    assert_failure(choose_inside, "sn_choose is called between sn_events_begin and sn_events_end, "
                                  "where only calls of the library may be");
    assert_failure(create_inside, "sn_create is called between sn_events_begin and sn_events_end");
    assert_failure(name_inside, "sn_replica is called behind sn_events_begin");
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void begin_nothing(void)
{
    sn_events_begin(NULL);
}

static void begin_twice(void)
{
    add_four();
    sn_events_begin(NULL);
}

static void begin_within(void)
{
    name_replicas();
    sn_events_begin(NULL);
    sn_events_begin(NULL);
}

static void end_only(void)
{
    name_replicas();
    sn_events_end(NULL);
}

static void call_a_stranger(void)
{
    name_replicas();
    sn_events_begin(NULL);
    add(C, 0);
    sn_events_end(NULL);
}

static void apply_a_stranger(void)
{
    static struct set message;

    name_replicas();
    sn_events_begin(NULL);
    add(A, 0);
    apply(B, &message);
    sn_events_end(NULL);
}

static void call_65_times(void)
{
    name_replicas();
    sn_events_begin(NULL);
    for (uint32_t i = 0; i < 65; i++)
        add(A, i % 30);
    sn_events_end(NULL);
}

static void call_nothing(void)
{
    name_replicas();
    sn_events_begin(NULL);
    sn_events_end(NULL);
}

static void name_17(void)
{
    static struct set many[17];

    for (int i = 0; i < 17; i++)
        sn_replica(&many[i], "R", NULL);
}

static void name_two_alike(void)
{
    sn_replica(&sets[A], "A", NULL);
    sn_replica(&sets[B], "A", NULL);
    sn_events_begin(NULL);
    add(A, 1);
    sn_events_end(NULL);
}

static void name_nothing(void)
{
    sn_replica(NULL, "A", NULL);
}

static void call_more_often_later(void)
{
    uint64_t more = sn_choose("more", 2);

    name_replicas();
    sn_events_begin(NULL);
    for (uint64_t i = 0; i <= more; i++)
        add(A, 1);
    sn_events_end(NULL);
}

static void call_another_later(void)
{
    bool looks = sn_maybe("look");

    name_replicas();
    sn_events_begin(NULL);
    add(B, 1);
    if (looks)
        (void)look(A, 1);
    else
        add(A, 1);
    sn_events_end(NULL);
}

static void what_makes_no_segment_is_refused(void **unused)
{
    (void)unused;
    how = (struct sn_events){0};
    assert_failure(begin_nothing, "sn_events_begin needs replicas: sn_replica");
    assert_failure(begin_twice, "a test has one segment of recorded events");
    assert_failure(begin_within, "a test has one segment of recorded events");
    assert_failure(end_only, "sn_events_end is called without sn_events_begin");
    assert_failure(call_a_stranger, "add is called with an object that is no replica: sn_replica");
    assert_failure(apply_a_stranger, "apply applies a message that no event of the segment has "
                                     "made");
    assert_failure(call_65_times, "a segment has more than 64 events");
    assert_failure(call_nothing, "no events were recorded");
    assert_failure(name_17, "there are more than 16 replicas");
    assert_failure(name_two_alike, "replica 1 has no name of its own");
    assert_failure(name_nothing, "a replica needs an object and a name");
}

static void rules_that_make_no_sense_are_refused(void **unused)
{
    (void)unused;
    how = (struct sn_events){.prune = "some"};
    assert_failure(add_four, "sn_events_begin: there is no pruning \"some\"");
    how = (struct sn_events){.watch = "C"};
    assert_failure(add_four, "sn_events_begin: there is no replica \"C\" to be watched");
    how = (struct sn_events){.constraints = "{\"before\": [1, 0]}"};
    assert_failure(add_four, "sn_events_begin: the constraints go in a circle");
    how = (struct sn_events){.constraints = "nonsense"};
    assert_failure(add_four, "sn_events_begin: constraints: ");
}

static void a_segment_that_changes_from_trial_to_trial_is_told(void **unused)
{
    struct sn_result more = run_with(call_more_often_later, "dfs", SN_WORLD_FULL);
    struct sn_result another = run_with(call_another_later, "dfs", SN_WORLD_FULL);

    (void)unused;
    assert_non_null(strstr(more.failure, "call 1 of the segment, of add, is another one than when "
                                         "it was recorded"));
    assert_non_null(strstr(another.failure, "call 1 of the segment, of look, is another one than "
                                            "when it was recorded"));
}

static void run_plainly(void)
{
    add(A, 3);
    sn_assert(look(A, 3));
}

static void outside_of_a_segment_calls_are_performed_at_once(void **unused)
{
    const struct sn_test test = {.name = "plain", .run = run_plainly};

    (void)unused;
    assert_int_equal(run_test_once(&test).failures, 0);
    add(B, 5);
    assert_true(look(B, 5));
    sets[B].items = 0;
    n_done = 0;
}

static void the_strategy_events_is_for_tests_that_record_some(void **unused)
{
    const struct sn_test test = {.name = "plain", .run = run_plainly};
    const struct sn_options options = {.strategy = "events", .iterations = 1};
    struct sn_result result;

    (void)unused;
    (void)sn_run(&test, &options, &result);
    if (result.failure[0] != '\0')
        assert_non_null(strstr(result.failure, "for tests that record events"));
}

/* ---- Strategies ----------------------------------------------------------------------------- */

static void check_both(void)
{
    seen->count[0]++;
    seen->count[1] |= UINT64_C(1) << n_done;
    sn_assert(sets[A].items != 3 || sets[B].items == 3);
}

static void send_both(void)
{
    struct set *from_a;
    struct set *from_b;

    name_replicas();
    sn_events_begin(&how);
    add(A, 0);
    from_a = make(A);
    add(B, 1);
    from_b = make(B);
    apply(B, from_a);
    apply(A, from_b);
    sn_events_end(check_both);
}

static void check_wrong(void)
{
    seen->count[1] |= UINT64_C(1) << n_done;
    sn_assert(done[n_done - 1] != 30); /* a request does not come last */
}

static void send_wrong(void)
{
    struct set *from_a;

    name_replicas();
    sn_events_begin(NULL);
    add(A, 0);
    from_a = make(A);
    add(B, 1);
    (void)make(B);
    apply(B, from_a);
    sn_events_end(check_wrong);
}

static void any_strategy_runs_all_events_and_finds_what_is_wrong(void **unused)
{
    static const char *const strategies[] = {"events", "random", "pos", "pct:2",
                                             "dfs",    "odpor",  "urw", "portfolio"};

    (void)unused;
    how = (struct sn_events){0};
    for (size_t i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++) {
        const struct sn_test good = {.name = "good", .run = send_both};
        const struct sn_test bad = {.name = "bad", .run = send_wrong};
        const struct sn_options options = {.strategy = strategies[i], .iterations = 300};
        struct sn_result result;

        observe_clear();
        assert_int_equal(sn_run(&good, &options, &result), 0);
        assert_int_equal(result.failures, 0);
        assert_int_equal(seen->count[1], 1 << 6);
        observe_clear();
        assert_int_equal(sn_run(&bad, &options, &result), 0);
        assert_int_equal(result.failures, 1);
        assert_int_equal(seen->count[1], 1 << 5);
    }
}

/* A program that is drawn: the body below reads it. */
static struct recording program;

static void play(void)
{
    struct set *messages[RECORDING_EVENTS_MAX];

    name_replicas();
    sn_replica(&sets[C], "C", print_set);
    sn_events_begin(&how);
    for (uint32_t i = 0; i < program.n; i++) {
        const struct recorded *e = &program.events[i];

        if (e->is_free)
            sn_event_free();
        if (e->kind == SN_EVENT_REQUEST)
            messages[i] = make(e->replica);
        else if (recorded_is_applied(e))
            apply(e->replica, messages[e->of]);
        else if (e->kind == SN_EVENT_UPDATE)
            add(e->replica, i);
        else
            (void)look(e->replica, 0);
    }
    sn_events_end(NULL);
}

/* Without deliveries, for which the library has no function. */
static bool draw_program(uint64_t seed)
{
    struct rules rules;

    made_at_random(&program, &rules, seed, 3 + (uint32_t)(seed % 4));
    for (uint32_t i = 0; i < program.n; i++) {
        if (program.events[i].kind == SN_EVENT_DELIVER)
            return false;
    }
    return true;
}

static void other_searches_agree_on_the_number_of_interleavings_and_of_orders(void **unused)
{
    uint32_t n = 0;

    (void)unused;
    for (uint64_t seed = 0; n < 25; seed++) {
        struct sn_result events;
        struct sn_result dfs;
        struct sn_result fewer;
        struct sn_result odpor;

        if (!draw_program(seed))
            continue;
        n++;
        how = (struct sn_events){.prune = "none"};
        events = run_events(play);
        dfs = run_with(play, "dfs", SN_WORLD_FULL);
        odpor = run_with(play, "odpor", SN_WORLD_FULL);
        how = (struct sn_events){.constraints = "{\"independent\": \"replicas\"}"};
        fewer = run_events(play);

        assert_true(events.exhausted && dfs.exhausted && odpor.exhausted);
        assert_int_equal(events.trials, dfs.trials);
        assert_int_equal(fewer.trials, odpor.trials);
        assert_int_equal(fewer.trials, dfs.distinct_orders);
    }
}

static void each_trial_can_have_a_process_of_its_own(void **unused)
{
    struct sn_result result;

    (void)unused;
    how = (struct sn_events){.prune = "none"};
    result = run_with(add_four, "events", SN_WORLD_FORK);

    assert_string_equal(result.failure, "");
    assert_int_equal(result.trials, 6);
    assert_string_equal(seen->text, "[0 1 2 3 ][0 2 1 3 ][0 2 3 1 ][2 0 1 3 ][2 0 3 1 ][2 3 0 1 ]");
}

static void a_trial_that_failed_fails_again_when_it_is_replayed(void **unused)
{
    static char folder[] = "/tmp/sennit-segment-XXXXXX";
    const struct sn_test test = {.name = "bad", .run = send_wrong};
    const struct sn_options options = {
        .strategy = "events", .iterations = 300, .outdir = mkdtemp(folder)};
    struct sn_result found;
    struct sn_result again;

    (void)unused;
    observe_clear();
    assert_int_equal(sn_run(&test, &options, &found), 0);
    assert_int_equal(found.failures, 1);

    assert_int_equal(sn_replay(&test, found.trace, &again), 0);
    assert_int_equal(again.failures, 1);
    assert_string_equal(again.failure, found.failure);
    (void)unlink(found.trace);
    (void)rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_interleaving_runs_once_in_ascending_order),
        cmocka_unit_test(programs_need_not_be_respected_if_that_is_asked_for),
        cmocka_unit_test(an_event_that_is_marked_free_goes_anywhere_and_only_that_one),
        cmocka_unit_test(a_message_is_what_was_made_in_the_same_trial),
        cmocka_unit_test(events_that_are_left_out_do_not_happen),
        cmocka_unit_test(calls_return_what_they_returned_as_they_are_written),
        cmocka_unit_test(a_result_that_differs_from_the_recorded_one_is_told),
        cmocka_unit_test(a_message_that_changes_something_when_it_comes_again_is_told),
        cmocka_unit_test(what_goes_wrong_as_it_is_written_is_told),
        cmocka_unit_test(the_process_that_records_leaves_no_trace_in_the_trial),
        cmocka_unit_test(in_a_segment_nothing_is_decided),
        cmocka_unit_test(what_makes_no_segment_is_refused),
        cmocka_unit_test(rules_that_make_no_sense_are_refused),
        cmocka_unit_test(a_segment_that_changes_from_trial_to_trial_is_told),
        cmocka_unit_test(outside_of_a_segment_calls_are_performed_at_once),
        cmocka_unit_test(the_strategy_events_is_for_tests_that_record_some),
        cmocka_unit_test(any_strategy_runs_all_events_and_finds_what_is_wrong),
        cmocka_unit_test(other_searches_agree_on_the_number_of_interleavings_and_of_orders),
        cmocka_unit_test(each_trial_can_have_a_process_of_its_own),
        cmocka_unit_test(a_trial_that_failed_fails_again_when_it_is_replayed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
