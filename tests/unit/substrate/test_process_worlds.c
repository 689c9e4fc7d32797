/* test_process_worlds.c - trials with processes repeat themselves: in each way of putting memory
 * back, by going back or by running again, in a trace, in an order that is required.
 * SPDX-License-Identifier: MIT
 */
#include "flow.h"

#include <errno.h>
#include <fenv.h>

/* Keeps state where each kind of memory is: on the stack, in the heap, in a variable. */
static int in_variable;

static void count_up(const void *payload)
{
    sn_id to = flow_whom(payload);
    int *in_heap = malloc(sizeof(*in_heap));
    int on_stack = 0;

    *in_heap = 0;
    for (int i = 0; i < 2; i++) {
        on_stack++;
        ++*in_heap;
        sn_send(to, &number_event, &(uint64_t){(uint64_t)i});
    }
    sn_assert(on_stack == 2 && *in_heap == 2);
    free(in_heap);
}

static const struct sn_process counter = {.name = "Counter", .run = count_up, .birth = &whom_event};

static void add_up(const void *payload)
{
    uint64_t sum = 0;

    (void)payload;
    for (int i = 0; i < 4; i++) {
        sum = sum * 2 + *(const uint64_t *)flow_any()->payload;
        in_variable++;
    }
    sn_assertf(sum != 3, "0, 0, 1, 1 in this order, %d in all", in_variable);
}

static const struct sn_process adder = {.name = "Adder", .run = add_up};

static void run_sum(void)
{
    sn_id to = sn_spawn(&adder, NULL);

    in_variable = 0;
    (void)sn_spawn(&counter, &to);
    (void)sn_spawn(&counter, &to);
}

struct seen {
    uint64_t trials;
    uint64_t failures;
    uint64_t logs;
};

static void note_trial(void *self, const struct sn_trial_view *trial)
{
    struct seen *seen = self;

    seen->trials++;
    seen->failures += trial->verdict == SN_FAILED;
    for (uint64_t i = 0; i < trial->decisions; i++)
        seen->logs = seen->logs * 31 + trial->log[i];
    seen->logs = seen->logs * 31 + trial->order;
}

static struct seen run_in(enum sn_world world, const char *strategy, uint64_t iterations,
                          bool rerun)
{
    struct seen *seen =
        mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct sn_test test = {.name = "sum", .run = run_sum, .world = world};
    struct sn_options options = {.strategy = strategy,
                                 .iterations = iterations,
                                 .keep_going = true,
                                 .rerun = rerun,
                                 .watch = note_trial,
                                 .watch_self = seen};
    struct sn_result r;
    struct seen out;

    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_false(r.nondeterministic);
    out = *seen;
    (void)munmap(seen, sizeof(*seen));
    return out;
}

static void assert_same(struct seen a, struct seen b)
{
    assert_int_equal(a.trials, b.trials);
    assert_int_equal(a.failures, b.failures);
    assert_int_equal(a.logs, b.logs);
}

static void trials_are_the_same_whichever_memory_is_put_back(void **unused)
{
    struct seen full = run_in(SN_WORLD_FULL, "random", 50, false);

    (void)unused;

    assert_true(full.failures > 0 && full.failures < full.trials);
    assert_same(run_in(SN_WORLD_TRIAL, "random", 50, false), full);
    assert_same(run_in(SN_WORLD_FORK, "random", 50, false), full);
}

static void going_back_with_processes_in_the_middle_is_the_same_as_running_again(void **unused)
{
    struct seen full = run_in(SN_WORLD_FULL, "dfs", 1500, false);

    (void)unused;

    assert_int_equal(full.trials, 1500);
    assert_true(full.failures > 0);
    assert_same(run_in(SN_WORLD_FULL, "dfs", 1500, true), full);
    assert_same(run_in(SN_WORLD_TRIAL, "dfs", 1500, false), full);
}

static void a_failing_trial_is_recorded_and_replayed(void **unused)
{
    struct sn_test test = {.name = "sum", .run = run_sum};
    char directory[] = "/tmp/sennit-processes-XXXXXX";
    struct sn_options options = {.strategy = "odpor", .iterations = 1000};
    struct sn_result found;
    struct sn_result again;
    struct trace trace;
    bool has_sent = false;
    bool has_named = false;

    (void)unused;
    assert_non_null(mkdtemp(directory));
    options.outdir = directory;

    assert_int_equal(sn_run(&test, &options, &found), 0);
    assert_int_equal(found.failures, 1);
    assert_int_equal(sn_replay(&test, found.trace, &again), 0);
    assert_string_equal(again.failure, found.failure);
    assert_false(again.nondeterministic);

    assert_int_equal(trace_read(&trace, found.trace, NULL), 0);
    for (uint64_t i = 1; i <= trace.n_steps; i++) {
        const struct trace_record *r = &trace.records[trace.step_index[i]];

        has_named |= strcmp(r->step.event, "send Number") == 0;
        if (strcmp(r->step.event, "receive") == 0 && r->step.sent != 0)
            has_sent |= strcmp(trace.records[trace.step_index[r->step.sent]].step.event,
                               "send Number") == 0;
    }
    trace_done(&trace);
    assert_true(has_named);
    assert_true(has_sent);
    (void)unlink(found.trace);
    (void)rmdir(directory);
}

/* ---- Many that wait ------------------------------------------------------------------------- */

enum { WAITING = 40 };

static const struct sn_event wanted_event = {.name = "Wanted"};
static const struct sn_event other_event = {.name = "Other"};

static void wait_in_vain(const void *payload)
{
    (void)payload;
    (void)sn_receive_event(&wanted_event, SN_FOREVER);
}

static const struct sn_process waiting = {.name = "Waiting", .run = wait_in_vain};

static void run_waiting(void)
{
    sn_id last = SN_NOBODY;

    for (int i = 0; i < WAITING; i++)
        last = sn_spawn(&waiting, NULL);
    sn_send(last, &other_event, NULL);
}

/* Notes of a trace that begin like this; *last_text is the last one. */
static int count_notes(const char *path, const char *begin, char *last, size_t size)
{
    struct trace trace;
    int n = 0;

    assert_int_equal(trace_read(&trace, path, NULL), 0);
    for (uint64_t i = 0; i < trace.n_records; i++) {
        const struct trace_record *r = &trace.records[i];

        if (r->kind != TRACE_NOTE || strncmp(r->note.text.bytes, begin, strlen(begin)) != 0)
            continue;
        n++;
        (void)snprintf(last, size, "%.*s", (int)r->note.text.n, r->note.text.bytes);
    }
    trace_done(&trace);
    return n;
}

static void a_deadlock_of_many_counts_them_and_its_trace_lists_each(void **unused)
{
    struct sn_test test = {.name = "waiting", .run = run_waiting, .world = SN_WORLD_TRIAL};
    char directory[] = "/tmp/sennit-processes-XXXXXX";
    struct sn_options options = {.strategy = "oldest", .iterations = 1};
    struct sn_result found;
    struct sn_result again;
    char last[160] = "";

    (void)unused;
    assert_non_null(mkdtemp(directory));
    options.outdir = directory;

    assert_int_equal(sn_run(&test, &options, &found), 0);
    assert_int_equal(found.failures, 1);
    assert_non_null(strstr(found.failure, "but Waiting waits for Wanted (its mailbox is empty), "));
    assert_non_null(strstr(found.failure, "Waiting#7 waits for Wanted (its mailbox is empty), and "
                                          "33 more"));
    assert_int_equal(count_notes(found.trace, "deadlock: ", last, sizeof(last)), WAITING);
    assert_string_equal(last, "deadlock: Waiting#40 waits for Wanted (in its mailbox: Other)");
    assert_int_equal(sn_replay(&test, found.trace, &again), 0);
    assert_string_equal(again.failure, found.failure);
    assert_false(again.nondeterministic);
    (void)unlink(found.trace);
    (void)rmdir(directory);
}

static uint64_t triple(void *argument)
{
    return *(uint64_t *)argument * 3;
}

static void ask_others(const void *payload)
{
    uint64_t n = 4;

    (void)payload;
    n = sn_foreign("triple", triple, &n);
    n = sn_foreign("triple", triple, &n);
    sn_assert(n != 36);
}

static const struct sn_process asking = {.name = "Asking", .run = ask_others};

static void run_asking(void)
{
    (void)sn_spawn(&asking, NULL);
}

static void foreign_code_is_marked_in_the_trace_with_what_it_returned(void **unused)
{
    struct sn_test test = {.name = "asking", .run = run_asking, .world = SN_WORLD_TRIAL};
    char directory[] = "/tmp/sennit-processes-XXXXXX";
    struct sn_options options = {.strategy = "oldest", .iterations = 1};
    struct sn_result found;
    char last[160] = "";

    (void)unused;
    assert_non_null(mkdtemp(directory));
    options.outdir = directory;

    assert_int_equal(sn_run(&test, &options, &found), 0);
    assert_int_equal(found.failures, 1);
    assert_int_equal(count_notes(found.trace, "foreign triple returned ", last, sizeof(last)), 2);
    assert_string_equal(last, "foreign triple returned 36");
    (void)unlink(found.trace);
    (void)rmdir(directory);
}

static void orders_of_what_processes_do_can_be_required(void **unused)
{
    static const char *const first[] = {
        "do \"send Number\" of Counter number 2 before do \"send Number\" of Counter#2 number 1",
        NULL};
    static const char *const mixed[] = {
        "do \"send Number\" of Counter#2 number 1 before do \"send Number\" of Counter number 2",
        "do \"send Number\" of Counter number 1 before do \"send Number\" of Counter#2 number 2",
        NULL};
    struct sn_test test = {.name = "sum", .run = run_sum, .world = SN_WORLD_TRIAL};
    struct sn_options options = {
        .strategy = "random", .iterations = 100, .keep_going = true, .require = first};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_string_equal(r.unseen, "");
    assert_int_equal(r.failures, 0);

    options.require = mixed;
    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_string_equal(r.unseen, "");
    assert_int_equal(r.failures, 100);
}

/* ---- Stacks --------------------------------------------------------------------------------- */

/* How far down the stack goes, in memory that outlives the trial. */
struct depth {
    uintptr_t highest;
    uintptr_t lowest;
};

static struct depth *depth;

static int __attribute__((noinline)) descend(int n)
{
    volatile char room[4096];

    room[0] = (char)n;
    depth->lowest = (uintptr_t)room;
    if (n == 0)
        return 0;
    return descend(n + 1) + room[0];
}

static void overflow(const void *payload)
{
    (void)payload;
    depth->highest = (uintptr_t)__builtin_frame_address(0);
    sn_assert(descend(1) == 0);
}

static const struct sn_process deep = {.name = "Deep", .run = overflow};

/* Its stack lies below that of the other one, and has to stay as it is. */
static void spawn_deep(const void *payload)
{
    (void)payload;
    (void)sn_spawn(&deep, NULL);
    sn_yield();
}

static const struct sn_process below = {.name = "Below", .run = spawn_deep};

static void run_deep(void)
{
    (void)sn_spawn(&below, NULL);
}

static void an_overflow_of_a_stack_is_a_trial_that_failed(void **unused)
{
    enum { STACK_MAX = 1 << 20 }; /* bytes that any stack has, its guard page included */
    struct sn_test test = {.name = "deep", .run = run_deep, .world = SN_WORLD_FORK};
    struct sn_result r;

    (void)unused;
    depth = mmap(NULL, sizeof(*depth), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_int_equal(sn_run(&test, &(struct sn_options){.iterations = 1}, &r), 0);
    assert_int_equal(r.failures, 1);
    assert_non_null(strstr(r.failure, "crash"));
    assert_true(depth->highest - depth->lowest >= 60 << 10);
    assert_true(depth->highest - depth->lowest < STACK_MAX);
    (void)munmap(depth, sizeof(*depth));
}

/* ---- What each has of its own ---------------------------------------------------------------- */

static const struct sn_event mode_event = {.name = "Mode", .size = sizeof(int)};

/* A process that changes how numbers are rounded, and what errno is, finds that unchanged after
 * each step of others; and so does the machine, which never asked for it. */
static void round_so(const void *payload)
{
    int mode = *(const int *)payload;

    sn_assert(fegetround() == FE_TONEAREST);
    sn_assert(fesetround(mode) == 0);
    for (int i = 0; i < 3; i++) {
        errno = mode + 1;
        sn_yield();
        sn_assert(fegetround() == mode);
        sn_assert(errno == mode + 1);
        sn_send(1, &mode_event, &mode);
        sn_assert(fegetround() == mode);
    }
}

static void on_mode(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assert(fegetround() == FE_TONEAREST);
}

static const struct sn_state strict = {
    .name = "Strict", .on = (const struct sn_on[]){{.event = &mode_event, .run = on_mode}, {0}}};
static const struct sn_machine machine = {.name = "Machine", .start = &strict};
static const struct sn_process rounding = {
    .name = "Rounding", .run = round_so, .birth = &mode_event};

static void run_rounding(void)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TONEAREST};

    (void)sn_create(&machine, NULL);
    for (int i = 0; i < 3; i++)
        (void)sn_spawn(&rounding, &modes[i]);
}

static void a_process_has_a_rounding_and_an_errno_of_its_own(void **unused)
{
    struct sn_test test = {.name = "rounding", .run = run_rounding, .world = SN_WORLD_TRIAL};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, &(struct sn_options){.iterations = 200}, &r), 0);
    assert_string_equal(r.failure, "");
    assert_int_equal(fegetround(), FE_TONEAREST);
}

static void use_much(const void *payload)
{
    volatile char room[200 << 10];

    (void)payload;
    room[0] = room[sizeof(room) - 1] = 1;
    sn_yield();
    sn_assert(room[0] == 1 && room[sizeof(room) - 1] == 1);
}

static const struct sn_process wide = {.name = "Wide", .run = use_much, .stack_size = 220 << 10};

static void run_wide(void)
{
    (void)sn_spawn(&wide, NULL);
    (void)sn_spawn(&wide, NULL);
}

static void a_process_has_the_stack_that_its_type_asks_for(void **unused)
{
    struct sn_test test = {.name = "wide", .run = run_wide, .world = SN_WORLD_TRIAL};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, &(struct sn_options){.iterations = 3}, &r), 0);
    assert_string_equal(r.failure, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_are_the_same_whichever_memory_is_put_back),
        cmocka_unit_test(going_back_with_processes_in_the_middle_is_the_same_as_running_again),
        cmocka_unit_test(a_failing_trial_is_recorded_and_replayed),
        cmocka_unit_test(foreign_code_is_marked_in_the_trace_with_what_it_returned),
        cmocka_unit_test(a_deadlock_of_many_counts_them_and_its_trace_lists_each),
        cmocka_unit_test(orders_of_what_processes_do_can_be_required),
        cmocka_unit_test(an_overflow_of_a_stack_is_a_trial_that_failed),
        cmocka_unit_test(a_process_has_a_rounding_and_an_errno_of_its_own),
        cmocka_unit_test(a_process_has_the_stack_that_its_type_asks_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
