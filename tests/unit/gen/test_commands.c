/* test_commands.c - stateful commands: sequences and parallel ones, against a model.
 * SPDX-License-Identifier: MIT
 */
#include "minimum.h"

#include <sennit/sennit.h>
#include <stdio.h>
#include <string.h>

/* ---- A queue with room for 4, whose last place is forgotten ---------------------------------- */

enum { ROOM = 4 };

struct queue {
    int items[ROOM];
    int first;
    int n;
};

struct model {
    int items[64];
    int n;
};

struct args {
    int item;
};

struct result {
    int item;
};

static bool has_room(const void *model, const void *args)
{
    (void)args;
    return ((const struct model *)model)->n < ROOM;
}

static bool has_some(const void *model, const void *args)
{
    (void)args;
    return ((const struct model *)model)->n > 0;
}

static void draw_item(const void *model, void *args)
{
    (void)model;
    ((struct args *)args)->item = (int)sn_int("item", 0, 100);
}

static void put_wrongly(void *system, unsigned client, const void *args, void *result)
{
    struct queue *q = system;
    int at = (q->first + q->n++) % (ROOM - 1);

    (void)client;
    (void)result;
    q->items[at] = ((const struct args *)args)->item;
}

static void put(void *system, unsigned client, const void *args, void *result)
{
    struct queue *q = system;

    (void)client;
    (void)result;
    sn_assert(q->n < ROOM); /* or the precondition was not asked */
    q->items[(q->first + q->n++) % ROOM] = ((const struct args *)args)->item;
}

static void get(void *system, unsigned client, const void *args, void *result)
{
    struct queue *q = system;

    (void)client;
    (void)args;
    sn_assert(q->n > 0);
    ((struct result *)result)->item = q->items[q->first];
    q->first = (q->first + 1) % ROOM;
    q->n--;
}

static void get_wrongly(void *system, unsigned client, const void *args, void *result)
{
    struct queue *q = system;

    get(system, client, args, result);
    q->first %= ROOM - 1;
}

static void put_next(void *model, const void *args, const void *result)
{
    struct model *m = model;

    (void)result;
    m->items[m->n++] = ((const struct args *)args)->item;
}

static bool get_holds(const void *model, const void *args, const void *result)
{
    (void)args;
    return ((const struct model *)model)->items[0] == ((const struct result *)result)->item;
}

static void get_next(void *model, const void *args, const void *result)
{
    struct model *m = model;

    (void)args;
    (void)result;
    memmove(m->items, m->items + 1, (size_t)--m->n * sizeof(m->items[0]));
}

static void print_put(struct sn_text *out, const void *args, const void *result)
{
    (void)result;
    sn_print(out, "(%d)", ((const struct args *)args)->item);
}

static void print_get(struct sn_text *out, const void *args, const void *result)
{
    (void)args;
    sn_print(out, "() = %d", ((const struct result *)result)->item);
}

#define PUT(run_)                                                                                  \
    {                                                                                              \
        .name = "put", .can = has_room, .draw = draw_item, .run = run_, .next = put_next,          \
        .print = print_put                                                                         \
    }
#define GET(run_)                                                                                  \
    {                                                                                              \
        .name = "get", .can = has_some, .run = run_, .holds = get_holds, .next = get_next,         \
        .print = print_get                                                                         \
    }

static const struct sn_command right_commands[] = {PUT(put), GET(get), {0}};
static const struct sn_command wrong_commands[] = {PUT(put_wrongly), GET(get_wrongly), {0}};

static void do_commands(const struct sn_command *commands, unsigned clients)
{
    const struct sn_stateful queue = {.commands = commands,
                                      .model_size = sizeof(struct model),
                                      .args_size = sizeof(struct args),
                                      .result_size = sizeof(struct result),
                                      .clients = clients};

    sn_commands(&queue, sn_alloc(sizeof(struct queue)));
}

static void right_queue(void)
{
    do_commands(right_commands, 3);
}

static void wrong_queue(void)
{
    do_commands(wrong_commands, 0);
}

/* ---- A counter that must not reach 12, but is often cleared ---------------------------------- */

static void count(void *system, unsigned client, const void *args, void *result)
{
    (void)client;
    (void)args;
    (void)result;
    sn_assert(++*(int *)system < 12);
}

static void clear(void *system, unsigned client, const void *args, void *result)
{
    (void)client;
    (void)args;
    (void)result;
    *(int *)system = 0;
}

static const struct sn_command counting[] = {
    {.name = "count", .run = count},
    {.name = "clear", .run = clear},
    {.name = "clear twice", .run = clear},
    {.name = "clear again", .run = clear},
    {0},
};

static void do_counting(bool is_swarm)
{
    const struct sn_stateful stateful = {.commands = counting, .max = 30, .is_swarm = is_swarm};

    sn_commands(&stateful, sn_alloc(sizeof(int)));
}

static void counting_with_all(void)
{
    do_counting(false);
}

static void counting_with_some(void)
{
    do_counting(true);
}

/* ---- A number that clients increase in parallel ---------------------------------------------- */

static void increase_at_once(void *system, unsigned client, const void *args, void *result)
{
    int *number = system;

    (void)client;
    (void)args;
    sn_yield();
    *(int *)result = (*number)++;
    sn_yield();
}

static void increase_in_two(void *system, unsigned client, const void *args, void *result)
{
    int *number = system;
    int was = *number;

    (void)client;
    (void)args;
    sn_yield();
    *number = was + 1;
    *(int *)result = was;
}

static bool increase_holds(const void *model, const void *args, const void *result)
{
    (void)args;
    return *(const int *)model == *(const int *)result;
}

static void increase_next(void *model, const void *args, const void *result)
{
    (void)args;
    (void)result;
    ++*(int *)model;
}

static void print_increase(struct sn_text *out, const void *args, const void *result)
{
    (void)args;
    sn_print(out, "() = %d", *(const int *)result);
}

#define INCREASE(run_)                                                                             \
    {                                                                                              \
        .name = "increase", .run = run_, .holds = increase_holds, .next = increase_next,           \
        .print = print_increase                                                                    \
    }

static void do_increase(void (*run)(void *, unsigned, const void *, void *))
{
    struct sn_command *commands = sn_alloc(2 * sizeof(*commands));
    const struct sn_stateful stateful = {.commands = commands,
                                         .model_size = sizeof(int),
                                         .result_size = sizeof(int),
                                         .clients = 3,
                                         .max = 3,
                                         .parallel = 3};

    commands[0] = (struct sn_command)INCREASE(run);
    sn_commands_parallel(&stateful, sn_alloc(sizeof(int)));
}

static void parallel_right(void)
{
    do_increase(increase_at_once);
}

static void parallel_wrong(void)
{
    do_increase(increase_in_two);
}

/* ---- A register of which a stale copy is read ------------------------------------------------ */

static void write_one(void *system, unsigned client, const void *args, void *result)
{
    (void)client;
    (void)args;
    (void)result;
    *(int *)system = 1;
}

static void read_stale(void *system, unsigned client, const void *args, void *result)
{
    (void)system;
    (void)client;
    (void)args;
    *(int *)result = 0;
}

static void write_next(void *model, const void *args, const void *result)
{
    (void)args;
    (void)result;
    *(int *)model = 1;
}

static const struct sn_command stale_commands[] = {
    {.name = "write", .run = write_one, .next = write_next},
    {.name = "read", .run = read_stale, .holds = increase_holds},
    {0},
};

static void parallel_stale(void)
{
    const struct sn_stateful stateful = {.commands = stale_commands,
                                         .model_size = sizeof(int),
                                         .result_size = sizeof(int),
                                         .max = 1,
                                         .parallel = 1};

    sn_commands_parallel(&stateful, sn_alloc(sizeof(int)));
}

static const struct sn_test tests[] = {
    SN_PROPERTY(right_queue),       SN_PROPERTY(wrong_queue),
    SN_PROPERTY(counting_with_all), SN_PROPERTY(counting_with_some),
    SN_PROPERTY(parallel_right),    SN_PROPERTY(parallel_wrong),
    SN_PROPERTY(parallel_stale),    {0},
};
static const struct sn_suite suite = {.name = "commands", .tests = tests};

/* ---- Tests ---------------------------------------------------------------------------------- */

enum {
    RIGHT_QUEUE,
    WRONG_QUEUE,
    WITH_ALL,
    WITH_SOME,
    PARALLEL_RIGHT,
    PARALLEL_WRONG,
    PARALLEL_STALE
};

/* Where a sanitizer watches, each trial has a process of its own: of those that pass, few do. */
static uint64_t passing(uint64_t iterations)
{
    return SEEDS > 1 ? iterations : iterations / 6;
}

static struct sn_result run(int test, uint64_t iterations)
{
    const struct sn_options options = {.iterations = iterations};
    struct sn_result r;

    assert_int_equal(sn_run(&tests[test], &options, &r), 0);
    return r;
}

static void preconditions_keep_what_cannot_be_done_from_being_done(void **unused)
{
    struct sn_result r = run(RIGHT_QUEUE, passing(3000));

    (void)unused;
    assert_string_equal(r.failure, "");
}

static void a_result_that_the_model_does_not_allow_fails_the_trial(void **unused)
{
    struct sn_result r = run(WRONG_QUEUE, 3000);

    (void)unused;
    assert_int_equal(r.verdict, SN_FAILED);
    assert_string_equal(r.failure, "model: the model does not allow what get has done");
}

static void commands_shrink_to_those_that_are_needed(void **unused)
{
    char told[1024];

    (void)unused;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        minimum_find(&tests[WRONG_QUEUE], "commands", seed, told, sizeof(told));
        assert_string_equal(
            told, "commands[0].item = 0; client 0: put(0); commands[1].item = 0; client 0: put(0); "
                  "commands[2].item = 0; client 0: put(0); commands[3].item = 1; client 0: put(1); "
                  "client 0: get() = 1");
    }
}

static void swarms_find_what_needs_one_kind_many_times(void **unused)
{
    (void)unused;
    assert_int_equal(run(WITH_ALL, passing(5000)).failures, 0);
    assert_int_equal(run(WITH_SOME, 5000).failures, 1);
}

static void swarms_shrink_to_the_kinds_that_are_needed(void **unused)
{
    char told[1024];

    (void)unused;
    minimum_find(&tests[WITH_SOME], "commands", 1, told, sizeof(told));
    assert_int_equal(minimum_draws("takes part"), 1);
    assert_int_equal(minimum_draws("more"), 12);
}

static void parallel_commands_with_an_order_pass(void **unused)
{
    struct sn_result r = run(PARALLEL_RIGHT, passing(2000));

    (void)unused;
    assert_string_equal(r.failure, "");
    assert_true(r.distinct_orders > passing(500));
}

static void parallel_commands_without_an_order_fail(void **unused)
{
    struct sn_result r = run(PARALLEL_WRONG, 2000);

    (void)unused;
    assert_int_equal(r.verdict, SN_FAILED);
    assert_string_equal(r.failure, "model: no order of the commands explains their results");
}

/* One command by each of two clients, and nothing before: they could come in either order. */
static void parallel_commands_keep_the_order_of_returns_and_calls(void **unused)
{
    const char *const orders[] = {"draw more of Commands = 0", NULL};
    const struct sn_options options = {.iterations = 1000, .keep_going = true, .require = orders};
    struct sn_result r;

    (void)unused;
    assert_int_equal(sn_run(&tests[PARALLEL_STALE], &options, &r), 0);
    assert_string_equal(r.failure, "model: no order of the commands explains their results");
    assert_in_range(r.failures, 10, 250);
    assert_int_equal(r.stuck, 0);
}

static void parallel_commands_shrink_with_their_schedule(void **unused)
{
    char told[1024];

    (void)unused;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        minimum_find(&tests[PARALLEL_WRONG], "commands", seed, told, sizeof(told));
        assert_int_equal(minimum_draws("more"), 2);
        assert_non_null(strstr(told, "increase() = 0; client "));
        assert_non_null(strstr(told, "increase() = 0; explained: client "));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(preconditions_keep_what_cannot_be_done_from_being_done),
        cmocka_unit_test(a_result_that_the_model_does_not_allow_fails_the_trial),
        cmocka_unit_test(commands_shrink_to_those_that_are_needed),
        cmocka_unit_test(swarms_find_what_needs_one_kind_many_times),
        cmocka_unit_test(swarms_shrink_to_the_kinds_that_are_needed),
        cmocka_unit_test(parallel_commands_with_an_order_pass),
        cmocka_unit_test(parallel_commands_without_an_order_fail),
        cmocka_unit_test(parallel_commands_keep_the_order_of_returns_and_calls),
        cmocka_unit_test(parallel_commands_shrink_with_their_schedule),
    };

    if (argc > 1)
        return sn_main(argc, argv, &suite);
    return cmocka_run_group_tests_name("commands", all, minimum_open, minimum_close);
}
