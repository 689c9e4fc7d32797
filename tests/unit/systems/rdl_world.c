/* rdl_world.c - small random programs on a replicated data library, in all orders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rdl_world.h"

#include "lww_set.h"
#include "op_log.h"
#include "or_set.h"
#include "rga.h"
#include "todo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPLICAS_MAX = 3,
    EVENTS_MAX = 7,
    TEXT_MAX = 512,
};

enum kind { UPDATE, MAKE, ARRIVE };

struct event {
    enum kind kind;
    uint32_t replica;
    uint32_t choice; /* of an update */
    uint32_t of;     /* of an arrival: the event that makes the message */
    uint32_t before; /* a bit for each event that must come before it */
};

struct program {
    uint32_t replicas;
    uint32_t count;
    struct event events[EVENTS_MAX];
};

struct run {
    const struct library *library;
    const struct program *program;
    void *replicas[REPLICAS_MAX];
    uint32_t known[REPLICAS_MAX]; /* a bit for each update that it knows of */
    void *messages[EVENTS_MAX];
    uint32_t told[EVENTS_MAX]; /* a bit for each update that the message tells of */
    uint32_t order[EVENTS_MAX];
    uint64_t orders; /* that were tried */
};

static uint64_t next_random(uint64_t *state);
static void draw_program(struct program *program, bool sends_updates, uint64_t *random);
static bool try_orders(struct run *run, uint32_t depth, uint32_t done);
static bool try_order(struct run *run);
static void perform(struct run *run, uint32_t index);
static bool is_alike(const struct run *run);
static bool is_alike_in_the_end(struct run *run);
static bool looks_the_same(const struct run *run, uint32_t a, uint32_t b);
static void print_order(const struct run *run);

bool world_converges(const struct library *library, uint32_t programs)
{
    struct run run = {.library = library};
    struct program program;
    uint64_t random = 1;

    for (uint32_t i = 0; i < programs; i++) {
        draw_program(&program, library->sends_updates, &random);
        run.program = &program;
        if (!try_orders(&run, 0, 0))
            return false;
    }
    printf("# %llu orders of %u programs\n", (unsigned long long)run.orders, programs);
    return true;
}

/* ---- Programs ------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint32_t draw_event(const struct program *program, uint64_t *random)
{
    return program->count > 0 ? (uint32_t)(next_random(random) % program->count) : 0;
}

/* Whether what arrives is a message, and from another replica. */
static bool is_message_for(const struct program *program, const struct event *arrival,
                           bool sends_updates)
{
    const struct event *source = &program->events[arrival->of];

    if (arrival->of >= program->count || source->replica == arrival->replica)
        return false;
    return source->kind == MAKE || (source->kind == UPDATE && sends_updates);
}

static uint32_t before_of(const struct program *program, const struct event *event)
{
    uint32_t before = 0;

    if (event->kind == ARRIVE)
        return UINT32_C(1) << event->of;
    for (uint32_t i = 0; i < program->count; i++) {
        if (program->events[i].kind != ARRIVE && program->events[i].replica == event->replica)
            before |= UINT32_C(1) << i;
    }
    return before;
}

static void draw_program(struct program *program, bool sends_updates, uint64_t *random)
{
    uint32_t count = 4 + (uint32_t)(next_random(random) % (EVENTS_MAX - 3));

    *program = (struct program){.replicas = 2 + (uint32_t)(next_random(random) % 2)};
    while (program->count < count) {
        struct event event = {
            .replica = (uint32_t)(next_random(random) % program->replicas),
            .choice = (uint32_t)(next_random(random) % UPDATES),
        };
        uint32_t drawn = (uint32_t)(next_random(random) % 8);

        event.kind = drawn < 3 ? UPDATE : drawn < 5 ? MAKE : ARRIVE;
        event.of = draw_event(program, random);
        if (event.kind == ARRIVE && !is_message_for(program, &event, sends_updates))
            continue;
        event.before = before_of(program, &event);
        program->events[program->count++] = event;
    }
}

/* ---- Orders --------------------------------------------------------------------------------- */

static bool try_orders(struct run *run, uint32_t depth, uint32_t done)
{
    const struct program *program = run->program;

    if (depth == program->count)
        return try_order(run);
    for (uint32_t i = 0; i < program->count; i++) {
        if (done & UINT32_C(1) << i || program->events[i].before & ~done)
            continue;
        run->order[depth] = i;
        if (!try_orders(run, depth + 1, done | UINT32_C(1) << i))
            return false;
    }
    return true;
}

static bool try_order(struct run *run)
{
    const struct library *library = run->library;
    const struct program *program = run->program;
    bool is_right = true;

    memset(run->known, 0, sizeof(run->known));
    memset(run->messages, 0, sizeof(run->messages));
    for (uint32_t i = 0; i < program->replicas; i++) {
        run->replicas[i] = calloc(1, library->size);
        library->init(run->replicas[i], i, library->bug);
    }
    for (uint32_t i = 0; i < program->count && is_right; i++) {
        perform(run, run->order[i]);
        is_right = is_alike(run);
    }
    is_right = is_right && is_alike_in_the_end(run);
    if (!is_right)
        print_order(run);
    for (uint32_t i = 0; i < program->replicas; i++) {
        library->done(run->replicas[i]);
        free(run->replicas[i]);
    }
    for (uint32_t i = 0; i < program->count; i++)
        library->message_free(run->messages[i]);
    run->orders++;
    return is_right;
}

static void perform(struct run *run, uint32_t index)
{
    const struct event *event = &run->program->events[index];
    const struct library *library = run->library;
    void *replica = run->replicas[event->replica];

    switch (event->kind) {
    case UPDATE:
        run->known[event->replica] |= UINT32_C(1) << index;
        run->told[index] = UINT32_C(1) << index;
        run->messages[index] = library->update(replica, event->choice);
        break;
    case MAKE:
        run->told[index] = run->known[event->replica];
        run->messages[index] = library->make(replica);
        break;
    case ARRIVE:
        library->apply(replica, run->messages[event->of]);
        if (run->messages[event->of])
            run->known[event->replica] |= run->told[event->of];
        break;
    }
}

static bool is_alike(const struct run *run)
{
    for (uint32_t a = 0; a < run->program->replicas; a++) {
        for (uint32_t b = 0; b < a; b++) {
            if (run->known[a] == run->known[b] && !looks_the_same(run, a, b))
                return false;
        }
    }
    return true;
}

/* Everything to everybody, the first time in one order and the second in another. */
static bool is_alike_in_the_end(struct run *run)
{
    const struct library *library = run->library;
    uint32_t replicas = run->program->replicas;
    char text[TEXT_MAX];
    char text_then[TEXT_MAX];

    for (uint32_t i = 0; i < 2 * replicas; i++) {
        uint32_t from = i < replicas ? i : 2 * replicas - 1 - i;
        void *message = library->make(run->replicas[from]);

        for (uint32_t to = 0; to < replicas; to++)
            library->apply(run->replicas[to], message);
        library->message_free(message);
    }
    for (uint32_t i = 1; i < replicas; i++) {
        if (!looks_the_same(run, 0, i))
            return false;
    }
    (void)library->print(run->replicas[0], text, sizeof(text));
    for (uint32_t i = run->program->count; i > 0; i--)
        library->apply(run->replicas[0], run->messages[i - 1]);
    (void)library->print(run->replicas[0], text_then, sizeof(text_then));
    return strcmp(text, text_then) == 0;
}

static bool looks_the_same(const struct run *run, uint32_t a, uint32_t b)
{
    char text_a[TEXT_MAX];
    char text_b[TEXT_MAX];

    (void)run->library->print(run->replicas[a], text_a, sizeof(text_a));
    (void)run->library->print(run->replicas[b], text_b, sizeof(text_b));
    return strcmp(text_a, text_b) == 0;
}

static void print_order(const struct run *run)
{
    static const char *const kinds[] = {"updates", "makes a message", "gets that of"};
    char text[TEXT_MAX];

    for (uint32_t i = 0; i < run->program->count; i++) {
        const struct event *event = &run->program->events[run->order[i]];

        printf("# %u: %c %s", run->order[i], (char)('A' + event->replica), kinds[event->kind]);
        if (event->kind != MAKE)
            printf(" %u", event->kind == UPDATE ? event->choice : event->of);
        printf("\n");
    }
    for (uint32_t i = 0; i < run->program->replicas; i++) {
        (void)run->library->print(run->replicas[i], text, sizeof(text));
        printf("# %c: %s\n", (char)('A' + i), text);
    }
}

/* ---- Libraries ------------------------------------------------------------------------------ */

/* The functions of a library, without their types, and the library with a bug. */
#define UNTYPED(prefix)                                                                            \
    static void done_##prefix(void *replica)                                                       \
    {                                                                                              \
        prefix##_done(replica);                                                                    \
    }                                                                                              \
    static void *make_##prefix(const void *replica)                                                \
    {                                                                                              \
        return prefix##_make(replica);                                                             \
    }                                                                                              \
    static void apply_##prefix(void *replica, const void *message)                                 \
    {                                                                                              \
        prefix##_apply(replica, message);                                                          \
    }                                                                                              \
    static void free_##prefix(void *message)                                                       \
    {                                                                                              \
        prefix##_message_free(message);                                                            \
    }                                                                                              \
    static size_t print_##prefix(const void *replica, char *out, size_t size)                      \
    {                                                                                              \
        return prefix##_print(replica, out, size);                                                 \
    }

#define LIBRARY(prefix, the_bug, sends)                                                            \
    {                                                                                              \
        .size = sizeof(struct prefix), .bug = (the_bug), .sends_updates = (sends),                 \
        .init = init_##prefix, .done = done_##prefix, .update = update_##prefix,                   \
        .make = make_##prefix, .apply = apply_##prefix, .message_free = free_##prefix,             \
        .print = print_##prefix                                                                    \
    }

UNTYPED(lww_set)
UNTYPED(op_log)
UNTYPED(or_set)
UNTYPED(rga)
UNTYPED(todo)

static const char *name_of(uint32_t choice)
{
    return choice % 2 == 0 ? "x" : "y";
}

/* It stands still, so that replicas often agree on the time. */
static uint64_t slow_clock(void *clock)
{
    (void)clock;
    return 1;
}

static void init_lww_set(void *replica, uint32_t number, enum bug bug)
{
    struct lww_set_config config = {
        .now_ms = slow_clock,
        .lets_arrival_break_ties = bug == BUG_TIE,
    };

    (void)number;
    lww_set_init(replica, &config);
}

static void *update_lww_set(void *replica, uint32_t choice)
{
    (choice < UPDATES / 2 ? lww_set_add : lww_set_remove)(replica, name_of(choice));
    return NULL;
}

const struct library lww_set_library = LIBRARY(lww_set, BUG_NONE, false);
const struct library lww_set_tie_library = LIBRARY(lww_set, BUG_TIE, false);

/* The first two devices have the same writer, who comes behind that of the third. */
static void init_op_log(void *replica, uint32_t number, enum bug bug)
{
    struct op_log_config config = {
        .device = number + 1,
        .writer = number < 2 ? 2 : 1,
        .ignores_devices = bug == BUG_IDENTITY,
        .clock_saturates = bug == BUG_CLOCK,
    };

    op_log_init(replica, &config);
}

static void *update_op_log(void *replica, uint32_t choice)
{
    struct op_log *log = replica;
    char text[32];

    if (choice < UPDATES / 4) {
        (void)op_log_set_clock(log, UINT64_C(1) << 53);
        return NULL;
    }
    (void)snprintf(text, sizeof(text), "%u.%u", log->config.device, log->number);
    return op_log_append(log, text);
}

const struct library op_log_library = LIBRARY(op_log, BUG_NONE, true);
const struct library op_log_identity_library = LIBRARY(op_log, BUG_IDENTITY, true);
const struct library op_log_clock_library = LIBRARY(op_log, BUG_CLOCK, true);

static void init_or_set(void *replica, uint32_t number, enum bug bug)
{
    struct or_set_config config = {.replica = number, .removes_unseen = bug == BUG_UNSEEN};

    or_set_init(replica, &config);
}

static void *update_or_set(void *replica, uint32_t choice)
{
    return (choice < UPDATES / 2 ? or_set_add : or_set_remove)(replica, name_of(choice));
}

const struct library or_set_library = LIBRARY(or_set, BUG_NONE, true);
const struct library or_set_unseen_library = LIBRARY(or_set, BUG_UNSEEN, true);

/* Each begins with the same three elements. */
static void init_rga(void *replica, uint32_t number, enum bug bug)
{
    struct rga_config first_config = {.replica = REPLICAS_MAX};
    struct rga_config config = {.replica = number, .moves_behind_elements = bug == BUG_ANCHOR};
    struct rga_message *message;
    struct rga first;

    rga_init(&first, &first_config);
    rga_message_free(rga_insert(&first, 0, "a"));
    rga_message_free(rga_insert(&first, 1, "b"));
    rga_message_free(rga_insert(&first, 2, "c"));
    message = rga_make(&first);
    rga_init(replica, &config);
    rga_apply(replica, message);
    rga_message_free(message);
    rga_done(&first);
}

static void *update_rga(void *replica, uint32_t choice)
{
    struct rga *list = replica;
    char text[32];

    if (choice < UPDATES / 3) {
        (void)snprintf(text, sizeof(text), "%u.%u", list->config.replica, list->clock);
        return rga_insert(list, choice % 4, text);
    }
    if (choice < UPDATES / 2)
        return rga_delete(list, choice % 3);
    return rga_move(list, choice % 3, choice / 3 % 4);
}

const struct library rga_library = LIBRARY(rga, BUG_NONE, true);
const struct library rga_anchor_library = LIBRARY(rga, BUG_ANCHOR, true);

static void init_todo(void *replica, uint32_t number, enum bug bug)
{
    struct todo_config config = {.replica = number};

    (void)bug;
    todo_init(replica, &config);
}

static void *update_todo(void *replica, uint32_t choice)
{
    struct todo *list = replica;

    if (choice < UPDATES / 2)
        (void)todo_create(list, name_of(choice));
    else if (list->count > 0)
        (void)todo_complete(list, list->tasks[choice % list->count].id);
    return NULL;
}

const struct library todo_library = LIBRARY(todo, BUG_NONE, false);
