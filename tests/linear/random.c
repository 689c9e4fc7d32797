/* random.c - random small histories, most of them nearly legal.
 * SPDX-License-Identifier: MIT
 */
#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PROCESSES_MAX = SAMPLE_OPERATIONS_MAX / 2 };

/* What a process is doing in the run that a history comes from. */
enum doing { IDLE, CALLED, DONE };

struct client {
    enum doing doing;
    uint32_t process;
    size_t op; /* the operation that it called last */
    uint64_t last_call;
};

struct run {
    struct draw draw;
    struct sample *history;
    struct plain_state state;
    struct client clients[PROCESSES_MAX];
    uint32_t n_clients;
    uint32_t n_processes; /* a client whose operation is unknown goes on as another process */
    uint64_t now;
    size_t floating[SAMPLE_OPERATIONS_MAX]; /* unknown ones that may still take effect */
    size_t n_floating;
    uint32_t unknown_percent;
    uint32_t tie_percent;
    size_t n_wanted;
};

static bool chance(struct run *run, uint32_t percent)
{
    return rng_below(&run->draw.rng, 100) < percent;
}

static uint32_t below(struct run *run, size_t n)
{
    return rng_below(&run->draw.rng, (uint32_t)n);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static uint32_t number_of(const struct sn_model *model, const char *name)
{
    uint32_t i = 0;

    while (model->functions[i].name != NULL && strcmp(model->functions[i].name, name) != 0)
        i++;
    return i;
}

static const struct plain_function *draw_function(struct run *run)
{
    const struct plain_function *functions = run->history->object->functions;
    uint32_t total = 0;
    uint32_t pick;

    for (size_t i = 0; functions[i].name != NULL; i++)
        total += functions[i].weight;
    do {
        functions = run->history->object->functions;
        pick = below(run, total);
        while (pick >= functions->weight) {
            pick -= functions->weight;
            functions++;
        }
    } while (functions->is_extra && run->draw.is_simple);
    return functions;
}

static struct sn_operation *draw_operation(struct run *run, uint32_t process)
{
    struct sample *h = run->history;
    struct sn_operation *op = &h->operations[h->n++];
    const struct plain_function *function = draw_function(run);

    *op = (struct sn_operation){.process = process,
                                .function = number_of(h->model, function->name),
                                .key = (sn_value)below(run, run->draw.n_keys),
                                .argument = {SN_VALUE_NIL, SN_VALUE_NIL},
                                .result = SN_VALUE_NIL,
                                .ret = SN_TIME_NEVER};
    if (function->draw != NULL)
        function->draw(&run->draw, op);
    return op;
}

/* Of a compare-and-set that fails, simple histories tell what it saw. */
static void tell_what_it_saw(struct run *run, struct sn_operation *op)
{
    op->function = number_of(run->history->model, "read");
    op->argument[0] = op->argument[1] = SN_VALUE_NIL;
    op->result = plain_perform(run->history->object, run->history->model, &run->state, op);
}

static void take_effect(struct run *run, size_t i)
{
    struct sample *h = run->history;
    struct sn_operation *op = &h->operations[i];

    op->result = plain_perform(h->object, h->model, &run->state, op);
    if (run->draw.is_simple && op->result == 0 &&
        strcmp(h->model->functions[op->function].name, "cas") == 0)
        tell_what_it_saw(run, op);
}

/* ---- Histories from a run -------------------------------------------------------------------- */

static void tick(struct run *run)
{
    if (chance(run, run->tie_percent))
        run->history->has_ties = true;
    else
        run->now++;
}

static void call(struct run *run, struct client *client)
{
    if (client->last_call == run->now)
        run->now++;
    client->op = run->history->n;
    draw_operation(run, client->process)->call = run->now;
    client->last_call = run->now;
    client->doing = CALLED;
}

/* The client hears no more of its operation. */
static void lose(struct run *run, struct client *client)
{
    if (client->doing == CALLED && chance(run, 70))
        run->floating[run->n_floating++] = client->op;
    client->process = run->n_processes++;
    client->doing = IDLE;
}

static void move(struct run *run, struct client *client)
{
    if (client->doing != IDLE && chance(run, run->unknown_percent)) {
        lose(run, client);
    } else if (client->doing == IDLE) {
        if (run->history->n < run->n_wanted)
            call(run, client);
    } else if (client->doing == CALLED) {
        take_effect(run, client->op);
        client->doing = DONE;
    } else {
        run->history->operations[client->op].ret = run->now;
        client->doing = IDLE;
    }
}

static void move_floating(struct run *run)
{
    size_t i = below(run, run->n_floating);

    take_effect(run, run->floating[i]);
    run->floating[i] = run->floating[--run->n_floating];
}

static bool has_ended(const struct run *run)
{
    for (uint32_t i = 0; i < run->n_clients; i++)
        if (run->clients[i].doing != IDLE)
            return false;
    return run->history->n >= run->n_wanted;
}

static void run_clients(struct run *run)
{
    run->n_clients = 1 + below(run, PROCESSES_MAX);
    for (uint32_t i = 0; i < run->n_clients; i++)
        run->clients[i].process = run->n_processes++;
    while (!has_ended(run)) {
        if (run->n_floating > 0 && chance(run, 25))
            move_floating(run);
        else
            move(run, &run->clients[below(run, run->n_clients)]);
        tick(run);
    }
}

/* ---- Random intervals ------------------------------------------------------------------------ */

/* Results are those of some order, but nothing says that the times allow this order. */
static void draw_intervals(struct run *run)
{
    const uint32_t spread = 1 + below(run, 8);
    const uint32_t length = 2 + below(run, 14);

    while (run->history->n < run->n_wanted) {
        size_t i = run->history->n;
        struct sn_operation *op = draw_operation(run, (uint32_t)i);

        op->call = 2 * i + below(run, 2 * spread);
        take_effect(run, i);
        if (!chance(run, run->unknown_percent))
            op->ret = op->call + below(run, length);
    }
    run->history->has_ties = true;
}

/* Gives each operation the smallest process that is free when it is called. */
static void assign_processes(struct sample *h)
{
    uint64_t free_from[SAMPLE_OPERATIONS_MAX] = {0};
    bool is_assigned[SAMPLE_OPERATIONS_MAX] = {false};

    for (size_t k = 0; k < h->n; k++) {
        size_t first = h->n;
        uint32_t process = 0;

        for (size_t i = 0; i < h->n; i++)
            if (!is_assigned[i] &&
                (first == h->n || h->operations[i].call < h->operations[first].call))
                first = i;
        while (free_from[process] > h->operations[first].call)
            process++;
        is_assigned[first] = true;
        h->operations[first].process = process;
        free_from[process] = h->operations[first].ret;
        if (free_from[process] == h->operations[first].call)
            free_from[process]++; /* so that a process has no two calls at the same time */
    }
}

/* ---- Changes --------------------------------------------------------------------------------- */

static struct sn_operation *any_completed(struct run *run)
{
    struct sample *h = run->history;

    for (int tries = 0; tries < 20; tries++) {
        struct sn_operation *op = &h->operations[below(run, h->n)];

        if (op->ret != SN_TIME_NEVER)
            return op;
    }
    return NULL;
}

static void swap_results(struct sn_operation *a, struct sn_operation *b)
{
    sn_value result = a->result;

    if (a->function != b->function)
        return;
    a->result = b->result;
    b->result = result;
}

static void swap_intervals(struct sn_operation *a, struct sn_operation *b)
{
    struct sn_operation saved = *a;

    a->process = b->process;
    a->call = b->call;
    a->ret = b->ret;
    b->process = saved.process;
    b->call = saved.call;
    b->ret = saved.ret;
}

/* Forgets a result where this can be said without making the operation unknown. */
static void forget_result(struct run *run, struct sn_operation *op)
{
    enum nil nil = plain_function_of(run->history->object, run->history->model, op)->nil;

    if (nil == NIL_IS_ANYTHING || (nil == NIL_IS_ONE && op->result == 1))
        op->result = SN_VALUE_NIL;
}

/* Another result: that of another operation, a flipped one, or a little more or less. */
static void change_result(struct run *run, struct sn_operation *op)
{
    const struct sn_operation *other = any_completed(run);

    if (op->result == 0 || op->result == 1)
        op->result ^= (sn_value)below(run, 2);
    else if (op->result != SN_VALUE_NIL && chance(run, 50))
        op->result += (sn_value)below(run, 3) - 1;
    if (other != NULL && other->function == op->function && chance(run, 30))
        op->result = other->result;
}

static void perturb(struct run *run)
{
    struct sn_operation *a = any_completed(run);
    struct sn_operation *b = any_completed(run);

    if (a == NULL || b == NULL)
        return;
    switch (below(run, 4)) {
    case 0:
        swap_results(a, b);
        break;
    case 1:
        change_result(run, a);
        break;
    case 2:
        swap_intervals(a, b);
        break;
    default:
        a->ret = a->call + (a->ret - a->call) / 4; /* it must have taken effect early */
        break;
    }
}

void sample_random(struct rng *rng, const struct plain *object, const struct sn_model *model,
                   struct sample *history)
{
    struct run run = {.draw.rng = *rng, .history = history, .now = 1};
    uint32_t n_changes;

    *history = (struct sample){.object = object, .model = model, .is_legal_run = true};
    run.n_wanted = 2 + below(&run, SAMPLE_OPERATIONS_MAX - 1);
    if (chance(&run, 60))
        run.n_wanted = SAMPLE_OPERATIONS_MAX - below(&run, 3);
    run.draw.is_distinct = chance(&run, 60);
    run.draw.is_simple = chance(&run, 50);
    run.draw.n_keys = chance(&run, 80) ? object->n_keys : 1 + below(&run, PLAIN_KEYS);
    run.unknown_percent = (const uint32_t[]){0, 0, 0, 15, 15, 50}[below(&run, 6)];
    run.tie_percent = chance(&run, 50) ? 30 : 0;
    history->initial = object->initial;
    if (object->has_initial && chance(&run, 20))
        history->initial = 1 + (sn_value)below(&run, 3);
    plain_init(object, &run.state, history->initial);
    if (chance(&run, 70)) {
        run_clients(&run);
    } else {
        history->is_legal_run = false;
        draw_intervals(&run);
        assign_processes(history);
    }
    n_changes = below(&run, 4);
    history->is_legal_run &= n_changes == 0;
    for (uint32_t i = 0; i < n_changes && history->n > 0; i++) {
        struct sample before = *history;

        for (int tries = 0; tries < 5 && memcmp(&before, history, sizeof(before)) == 0; tries++)
            perturb(&run);
    }
    for (size_t i = 0; i < history->n; i++) {
        if (!run.draw.is_simple && chance(&run, 20))
            forget_result(&run, &history->operations[i]);
        if (history->operations[i].ret == SN_TIME_NEVER) {
            history->operations[i].result = SN_VALUE_NIL;
            history->n_unknown++;
        }
    }
    *rng = run.draw.rng;
}

/* ---- Containers ------------------------------------------------------------------------------ */

static void add_interval(struct run *run, sn_value put, sn_value taken, uint64_t from)
{
    const struct plain_function *function =
        &run->history->object->functions[put == SN_VALUE_NIL ? 1 : 0];

    run->history->operations[run->history->n++] =
        (struct sn_operation){.function = number_of(run->history->model, function->name),
                              .argument = {put, SN_VALUE_NIL},
                              .result = taken,
                              .call = from,
                              .ret = from + 1 + below(run, 8)};
}

void sample_random_stays(struct rng *rng, const struct plain *object, const struct sn_model *model,
                         struct sample *history)
{
    struct run run = {.draw.rng = *rng, .history = history};
    sn_value n_values = 2 + (sn_value)below(&run, 4);

    *history = (struct sample){.object = object, .model = model, .initial = object->initial};
    for (sn_value value = 1; value <= n_values; value++) {
        uint64_t put = below(&run, 24);

        add_interval(&run, value, SN_VALUE_NIL, put);
        if (chance(&run, 85))
            add_interval(&run, SN_VALUE_NIL, value, put + below(&run, 20));
    }
    if (history->n < SAMPLE_OPERATIONS_MAX && chance(&run, 40))
        add_interval(&run, SN_VALUE_NIL, SN_VALUE_NIL, below(&run, 30));
    history->has_ties = true;
    assign_processes(history);
    *rng = run.draw.rng;
}

/* ---- Several keys ---------------------------------------------------------------------------- */

/* Whether an operation has one of its process and key before it that has no time yet. */
static bool has_earlier(const struct sample *h, const bool *is_timed, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (!is_timed[j] && h->operations[j].process == h->operations[i].process &&
            h->operations[j].key == h->operations[i].key)
            return true;
    return is_timed[i];
}

void sample_random_crossing(struct rng *rng, const struct plain *object,
                            const struct sn_model *model, struct sample *history)
{
    struct run run = {.draw.rng = *rng, .history = history};
    uint32_t n_processes = 2 + below(&run, 2);
    bool is_timed[SAMPLE_OPERATIONS_MAX] = {false};

    *history = (struct sample){.object = object, .model = model, .initial = object->initial};
    run.n_wanted = SAMPLE_OPERATIONS_MAX - below(&run, 5);
    run.draw.is_distinct = chance(&run, 60);
    run.draw.n_keys = 2 + below(&run, PLAIN_KEYS - 1);
    plain_init(object, &run.state, history->initial);
    while (history->n < run.n_wanted) {
        (void)draw_operation(&run, below(&run, n_processes));
        take_effect(&run, history->n - 1);
    }
    for (uint64_t now = 1; now <= history->n; now++) {
        size_t i = below(&run, history->n);

        while (has_earlier(history, is_timed, i))
            i = (i + 1) % history->n;
        is_timed[i] = true;
        history->operations[i].call = 2 * now;
        if (!chance(&run, 10))
            history->operations[i].ret = 2 * now + 1;
        else
            history->operations[i].result = SN_VALUE_NIL;
        history->n_unknown += history->operations[i].ret == SN_TIME_NEVER;
    }
    *rng = run.draw.rng;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static void print_value(sn_value value)
{
    if (value == SN_VALUE_NIL)
        (void)fprintf(stderr, " nil");
    else
        (void)fprintf(stderr, " %" PRId64, value);
}

void sample_print(const struct sample *history)
{
    (void)fprintf(stderr, "# model %s, initial", history->model->name);
    print_value(history->initial);
    (void)fprintf(stderr, "\n");
    for (size_t i = 0; i < history->n; i++) {
        const struct sn_operation *op = &history->operations[i];

        (void)fprintf(stderr, "#   process %u: [%" PRIu64 ",", op->process, op->call);
        if (op->ret == SN_TIME_NEVER)
            (void)fprintf(stderr, "never] ");
        else
            (void)fprintf(stderr, "%" PRIu64 "] ", op->ret);
        (void)fprintf(stderr, "%s key", history->model->functions[op->function].name);
        print_value(op->key);
        (void)fprintf(stderr, " arguments");
        print_value(op->argument[0]);
        print_value(op->argument[1]);
        (void)fprintf(stderr, " ->");
        print_value(op->result);
        (void)fprintf(stderr, "\n");
    }
}
