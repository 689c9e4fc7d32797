/* counter.c - sn_commands and sn_commands_parallel: what can be done with a counter, and a model
 * that says what comes of it. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

struct counter {
    int value;
};

struct args {
    int amount;
};

static void draw_amount(const void *model, void *args)
{
    (void)model;
    ((struct args *)args)->amount = (int)sn_int("amount", 1, 9);
}

/* Returns the value before. Clients that are processes give others a turn here. */
static void add(void *system, unsigned client, const void *args, void *result)
{
    struct counter *counter = system;

    (void)client;
    *(int *)result = counter->value;
    counter->value += ((const struct args *)args)->amount;
}

static bool add_holds(const void *model, const void *args, const void *result)
{
    (void)args;
    return *(const int *)model == *(const int *)result;
}

static void add_next(void *model, const void *args, const void *result)
{
    (void)result;
    *(int *)model += ((const struct args *)args)->amount;
}

static bool can_reset(const void *model, const void *args)
{
    (void)args;
    return *(const int *)model > 0;
}

static void reset(void *system, unsigned client, const void *args, void *result)
{
    (void)client;
    (void)args;
    (void)result;
    ((struct counter *)system)->value = 0;
}

static void reset_next(void *model, const void *args, const void *result)
{
    (void)args;
    (void)result;
    *(int *)model = 0;
}

static const struct sn_command commands[] = {
    {.name = "add",
     .weight = 3,
     .draw = draw_amount,
     .run = add,
     .holds = add_holds,
     .next = add_next},
    {.name = "reset", .can = can_reset, .run = reset, .next = reset_next},
    {0},
};

static const struct sn_stateful stateful = {.commands = commands,
                                            .model_size = sizeof(int),
                                            .args_size = sizeof(struct args),
                                            .result_size = sizeof(int)};

static void one_by_one(void)
{
    sn_commands(&stateful, sn_alloc(sizeof(struct counter)));
}

static void at_once(void)
{
    sn_commands_parallel(&stateful, sn_alloc(sizeof(struct counter)));
}

static const struct sn_test tests[] = {SN_PROPERTY(one_by_one), SN_PROPERTY(at_once), {0}};
static const struct sn_suite suite = {.name = "counter", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
