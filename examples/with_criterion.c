/* with_criterion.c - Sennit inside another test runner: sn_run called from Criterion.
 *
 *     gcc -g with_criterion.c -o with_criterion $(pkg-config --cflags --libs sennit criterion)
 *
 * The system is a counter that two machines raise. The bug that the last test looks for is one that
 * reads and writes in two steps. Criterion runs each test in a process of its own; its assertions
 * belong outside of the trial, on the result. SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <sennit/sennit.h>

static bool takes_two_steps; /* the bug */

struct value {
    int count;
};

static const struct sn_event get = {.name = "Get"};
static const struct sn_event got = {.name = "Got", .size = sizeof(struct value)};
static const struct sn_event set = {.name = "Set", .size = sizeof(struct value)};
static const struct sn_event add = {.name = "Add"};

/* ---- The counter ---------------------------------------------------------------------------- */

struct counter {
    struct value value;
    int changes;
};

static void changed(struct counter *counter)
{
    counter->changes++;
    sn_assertf(counter->value.count == counter->changes, "%d after %d additions",
               counter->value.count, counter->changes);
}

static void on_get(void *self, const void *payload)
{
    struct counter *counter = self;

    (void)payload;
    sn_send(sn_sender(), &got, &counter->value);
}

static void on_set(void *self, const void *payload)
{
    struct counter *counter = self;

    counter->value = *(const struct value *)payload;
    changed(counter);
}

static void on_add(void *self, const void *payload)
{
    struct counter *counter = self;

    (void)payload;
    counter->value.count++;
    changed(counter);
}

static const struct sn_on counter_table[] = {
    {.event = &get, .run = on_get},
    {.event = &set, .run = on_set},
    {.event = &add, .run = on_add},
    {0},
};
static const struct sn_state counting = {.name = "Counting", .on = counter_table};
static const struct sn_machine counter = {
    .name = "Counter", .size = sizeof(struct counter), .start = &counting};

/* ---- Who counts ----------------------------------------------------------------------------- */

static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};

static void begin(void *self, const void *payload)
{
    sn_id *it = self;

    *it = *(const sn_id *)payload;
    sn_send(*it, takes_two_steps ? &get : &add, NULL);
}

static void on_got(void *self, const void *payload)
{
    struct value next = *(const struct value *)payload;

    next.count++;
    sn_send(*(sn_id *)self, &set, &next);
}

static const struct sn_on adding_table[] = {{.event = &got, .run = on_got}, {0}};
static const struct sn_state adding = {.name = "Adding", .entry = begin, .on = adding_table};
static const struct sn_machine adder = {
    .name = "Adder", .size = sizeof(sn_id), .start = &adding, .birth = &birth};

static void add_twice(void)
{
    sn_id it = sn_create(&counter, NULL);

    sn_create(&adder, &it);
    sn_create(&adder, &it);
}

static const struct sn_test test = {.name = "add_twice", .run = add_twice};

/* ---- Criterion's tests ---------------------------------------------------------------------- */

Test(counter, counts_right_in_every_schedule)
{
    struct sn_options options = {.strategy = "dfs", .iterations = UINT64_MAX};
    struct sn_result r;

    cr_assert_eq(sn_run(&test, &options, &r), 0, "%s", r.failure);

    cr_assert_eq(r.verdict, SN_PASSED, "%s", r.failure);
    cr_assert(r.exhausted);
}

Test(counter, one_that_takes_two_steps_is_caught)
{
    struct sn_result r;
    takes_two_steps = true;

    cr_assert_eq(sn_run(&test, NULL, &r), 0, "%s", r.failure);

    cr_assert_eq(r.verdict, SN_FAILED);
    cr_assert(strstr(r.failure, "1 after 2 additions") != NULL, "%s", r.failure);
}
