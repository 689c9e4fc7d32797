/* linear.c - see linear.h. SPDX-License-Identifier: MIT */
#include "oracle/linear.h"

#include "engine/mem.h"
#include "linear/core.h"
#include "linear/greedy.h"
#include "substrate/machine.h"

#include <sennit/record.h>
#include <stdio.h>
#include <string.h>

enum {
    /* Of one check. It counts configurations, not seconds: a trial is judged alike everywhere. */
    CONFIGURATIONS_MAX = 1000000,
    CONFIGURATIONS_OF_CORE_MAX = 100000,
    CORE_CHECKS = 1000,
    CORE_TEXT = 16384,
    GREEDY_MEMORY = 16384,
};

#define HISTORY_OBJECT UINT64_C(0x79726f74736968) /* "history": its id as an object */
#define FAILED UINT32_MAX                         /* the function of an operation without effect */

/* What is saved besides the operations. */
struct clients_now {
    uint32_t events; /* calls and returns so far */
    uint32_t object;
};

struct clients {
    struct clients_now now;
    struct sn_operation operations[CLIENTS_OPERATIONS_MAX];
    struct sn_operation judged[CLIENTS_OPERATIONS_MAX]; /* without those that have failed */
    uint32_t numbers[CLIENTS_OPERATIONS_MAX];           /* of these, from 1 */
    char text[CORE_TEXT];
    _Alignas(16) char memory[GREEDY_MEMORY];
};

/* ---- Recording ------------------------------------------------------------------------------ */

static uint64_t time_now(struct trial *t)
{
    return t->now.steps << CLIENTS_TIME_SHIFT | ++t->clients->now.events;
}

static uint32_t find_function(struct trial *t, const char *name)
{
    const struct sn_function *functions = t->test->model->functions;
    uint32_t i = 0;

    while (functions[i].name != NULL && strcmp(functions[i].name, name) != 0)
        i++;
    if (functions[i].name == NULL)
        trial_fail(t, "usage", NULL, "sn_op_begin: the model %s has no function %s",
                   t->test->model->name, name);
    return i;
}

sn_op_id sn_op_begin(const char *function, sn_value key, sn_value a, sn_value b)
{
    struct trial *t = machine_acting_trial("sn_op_begin");
    struct clients *clients = t->clients;
    uint32_t number = t->now.n_own[OWN_OPERATIONS];
    struct sn_operation *op = &clients->operations[number];

    if (t->test->model == NULL)
        return 0;
    if (number == CLIENTS_OPERATIONS_MAX)
        trial_fail(t, "limit", NULL, "the trial has more than %d operations of clients",
                   CLIENTS_OPERATIONS_MAX);
    if (t->now.n_own[OWN_HISTORY] == 0) {
        t->now.n_own[OWN_HISTORY] = 1;
        clients->now = (struct clients_now){.object = trial_object_new(t, HISTORY_OBJECT)};
        (void)trial_object_new(t, ~HISTORY_OBJECT); /* its other side */
    }
    *op = (struct sn_operation){.process = t->now.task,
                                .function = find_function(t, function),
                                .key = key,
                                .argument = {a, b},
                                .result = SN_VALUE_NIL,
                                .call = time_now(t),
                                .ret = SN_TIME_NEVER};
    t->now.n_own[OWN_OPERATIONS] = number + 1;
    trial_touch_side(t, clients->now.object, TOUCH_CALL);
    trial_record(t, operation, OPERATION_CALL, number + 1, op);
    return number + 1;
}

/* An operation that has been called and has not ended; NULL: nothing is recorded. */
static struct sn_operation *find_open(struct trial *t, sn_op_id id, const char *function)
{
    struct sn_operation *op;

    if (t->test->model == NULL)
        return NULL;
    if (id == 0 || id > t->now.n_own[OWN_OPERATIONS])
        trial_fail(t, "usage", NULL, "%s: there is no operation %u", function, id);
    op = &t->clients->operations[id - 1];
    if (op->ret != SN_TIME_NEVER || op->function == FAILED)
        trial_fail(t, "usage", NULL, "%s: operation %u has ended already", function, id);
    return op;
}

void sn_op_end(sn_op_id id, sn_value result)
{
    struct trial *t = machine_acting_trial("sn_op_end");
    struct sn_operation *op = find_open(t, id, "sn_op_end");

    if (op == NULL)
        return;
    op->result = result;
    op->ret = time_now(t);
    trial_touch_side(t, t->clients->now.object, TOUCH_RETURN);
    trial_record(t, operation, OPERATION_RETURN, id, op);
}

void sn_op_fail(sn_op_id id)
{
    struct trial *t = machine_acting_trial("sn_op_fail");
    struct sn_operation *op = find_open(t, id, "sn_op_fail");

    if (op == NULL)
        return;
    trial_record(t, operation, OPERATION_FAIL, id, op);
    op->function = FAILED;
}

/* ---- Words ---------------------------------------------------------------------------------- */

static void put_process(void *self, uint32_t process, struct sn_text *out)
{
    struct trial *t = self;
    char name[128];

    if (process == 0)
        text_puts(out, "test");
    else
        text_puts(out, machine_name(t, &t->machines->all[process], name, sizeof(name)));
}

static void put_time(void *self, uint64_t time, struct sn_text *out)
{
    (void)self;
    text_print(out, "step %llu", (unsigned long long)(time >> CLIENTS_TIME_SHIFT));
}

/* ---- Judging -------------------------------------------------------------------------------- */

/* Puts the explanation into the trace: as data, and a note a line. */
static void note_core(struct trial *t, size_t n, const struct core_options *options,
                      const struct core_words *words)
{
    struct clients *clients = t->clients;
    struct sn_text out;
    struct core core;
    struct err why;

    if (t->recorder == NULL || (t->recorder->note == NULL && t->recorder->core == NULL))
        return;
    text_init(&out, clients->text, sizeof(clients->text));
    if (linear_core(t->test->model, clients->judged, n, options, &core, &why) == 0) {
        trial_record(t, core, &core, clients->numbers);
        core_print(&core, words, "", &out);
    }
    core_done(&core);
    for (char *line = clients->text; *line != '\0';) {
        char *end = strchr(line, '\n');

        if (end != NULL)
            *end = '\0';
        trial_record(t, note, line);
        line = end != NULL ? end + 1 : line + strlen(line);
    }
}

static void fail(struct trial *t, size_t n, const struct core_options *options)
{
    struct core_words words = {.process = put_process, .time = put_time, .self = t};
    struct sn_operation *judged = t->clients->judged;
    const struct sn_model *model = t->test->model;
    char buffer[400];
    struct sn_text out;
    struct err why;
    size_t stuck;

    note_core(t, n, options, &words);
    text_init(&out, buffer, sizeof(buffer));
    if (linear_stuck(model, judged, n, options, &stuck, &why) < 0) {
        trial_fail(t, "linear", NULL, "the history is not linearizable to the model %s",
                   model->name);
        return;
    }
    core_print_operation(model, &judged[stuck], &words, &out);
    text_puts(&out, " of ");
    put_process(t, judged[stuck].process, &out);
    text_puts(&out, ", called in ");
    put_time(t, judged[stuck].call, &out);
    text_puts(&out, ", returned in ");
    put_time(t, judged[stuck].ret, &out);
    trial_fail(t, "linear", NULL,
               "%s, cannot be put in order with what came before: the history is not "
               "linearizable to the model %s",
               buffer, model->name);
}

/* Whether the first look suffices. */
static bool is_plain(struct trial *t, size_t n)
{
    struct greedy greedy = {.model = t->test->model,
                            .operations = t->clients->judged,
                            .n = n,
                            .initial = SN_VALUE_NIL,
                            .memory = t->clients->memory,
                            .memory_size = sizeof(t->clients->memory)};

    if (t->test->has_model_initial)
        greedy.initial = t->test->model_initial;
    return greedy_is_linear(&greedy);
}

const struct sn_operation *linear_history(struct trial *t, size_t *n)
{
    struct clients *clients = t->clients;

    *n = 0;
    for (uint32_t i = 0; i < t->now.n_own[OWN_OPERATIONS]; i++) {
        if (clients->operations[i].function == FAILED)
            continue;
        clients->numbers[*n] = i + 1;
        clients->judged[(*n)++] = clients->operations[i];
    }
    return clients->judged;
}

static void judge(struct trial *t, bool at_limit)
{
    const struct sn_operation *judged;
    struct sn_check_result result;
    struct core_options options = {.checks = CORE_CHECKS,
                                   .check = {.initial = t->test->model_initial,
                                             .has_initial = t->test->has_model_initial,
                                             .configurations = CONFIGURATIONS_MAX}};
    size_t n;

    (void)at_limit; /* what has not returned by then is not known */
    if (t->now.n_own[OWN_HISTORY] == 0)
        return;
    judged = linear_history(t, &n);
    if (is_plain(t, n))
        return;
    if (sn_check_history(t->test->model, judged, n, &options.check, &result) < 0) {
        trial_fail(t, "usage", NULL, "the history cannot be checked: %s", result.why);
        return;
    }
    if (result.verdict == SN_LINEAR_NO) {
        options.check.configurations = CONFIGURATIONS_OF_CORE_MAX;
        fail(t, n, &options);
    } else if (result.verdict == SN_LINEAR_UNKNOWN && t->machines->unjudged[0] == '\0') {
        (void)snprintf(t->machines->unjudged, sizeof(t->machines->unjudged),
                       "a history of %zu operations was too hard to check: it is not known whether "
                       "it is linearizable",
                       n);
    }
}

/* The order of calls and returns is what counts of their times, and steps differ without it. */
static struct state_key add_time(struct state_key key, uint64_t time)
{
    uint64_t event = time & ((UINT64_C(1) << CLIENTS_TIME_SHIFT) - 1);

    return state_add(key, time == SN_TIME_NEVER ? SN_TIME_NEVER : event);
}

static int state(struct trial *t, struct state_key *key, struct err *why)
{
    (void)why;
    if (t->now.n_own[OWN_HISTORY] == 0)
        return 0;
    *key = state_add(*key, t->clients->now.events);
    for (uint32_t i = 0; i < t->now.n_own[OWN_OPERATIONS]; i++) {
        const struct sn_operation *op = &t->clients->operations[i];
        struct state_key h = state_add(state_begin(op->process), op->function);

        h = state_add(state_add(h, (uint64_t)op->key), (uint64_t)op->argument[0]);
        h = state_add(state_add(h, (uint64_t)op->argument[1]), (uint64_t)op->result);
        *key = state_join(*key, add_time(add_time(h, op->call), op->ret));
    }
    return 0;
}

static const struct oracle linear_oracle = {.judge = judge, .state = state};

/* ---- Joining -------------------------------------------------------------------------------- */

void linear_leave(struct trial *t)
{
    mem_release(t->clients, sizeof(*t->clients));
    t->clients = NULL;
}

int linear_join(struct trial *t, struct err *why)
{
    struct clients *clients = mem_reserve_shared(sizeof(*clients), why);
    uint32_t i = 0;

    t->clients = clients;
    if (clients == NULL)
        return SN_ENOMEM;
    trial_range_add(t, &clients->now, &t->now.n_own[OWN_HISTORY], sizeof(clients->now));
    trial_range_add(t, clients->operations, &t->now.n_own[OWN_OPERATIONS],
                    sizeof(*clients->operations));
    while (t->oracles[i] != NULL)
        i++;
    sn_check(i < TRIAL_ORACLES_MAX);
    t->oracles[i] = &linear_oracle;
    return 0;
}
