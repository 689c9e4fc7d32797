/* parallel.c - commands of several clients at once, and whether any order explains what they saw.
 *
 * Clients are processes of the trial, so the strategy decides how they interleave, and the shrinker
 * makes commands and schedule smaller together. When the last one has ended, orders of the commands
 * are searched, depth first, that agree with the order of calls and returns (Wing and Gong,
 * "Testing and verifying concurrent objects", 1993), each command from the state that the ones
 * before it have left. There are few commands, and most orders end early: nothing cleverer is
 * needed. For long histories of objects with known models there is sennit/record.h.
 * SPDX-License-Identifier: MIT
 */
#include "gen/commands.h"

#include "engine/here.h"

#include <sennit/process.h>

enum {
    CLIENTS_MAX = 8,
    ALL_MAX = 20, /* commands of all clients */
    USUAL_CLIENTS = 2,
    USUAL_COMMANDS = 4,
};

struct parallel {
    struct commands commands;
    struct sn_stateful own; /* whoever described it may have returned */
    void *model;            /* after the commands that came first */
    unsigned clients;
    size_t each;
    unsigned ended;
    uint32_t clock;
    struct commands_done all[ALL_MAX];
    uint32_t n;
};

struct birth {
    struct parallel *parallel;
    uint64_t client; /* without holes: payloads are compared */
};

static void begin(const void *payload);
static void live(const void *payload);

static void print_birth(struct sn_text *out, const void *payload)
{
    text_print(out, "client %u", (unsigned)((const struct birth *)payload)->client);
}

static void print_start(struct sn_text *out, const void *payload)
{
    (void)payload;
    text_puts(out, "one by one");
}

static const struct sn_event starter_birth = {
    .name = "commands", .size = sizeof(struct birth), .print = print_start};
static const struct sn_event client_birth = {
    .name = "commands", .size = sizeof(struct birth), .print = print_birth};
static const struct sn_process starter_type = {
    .name = "Commands", .run = begin, .birth = &starter_birth};
static const struct sn_process client_type = {
    .name = "Client", .run = live, .birth = &client_birth};

/* ---- Judging -------------------------------------------------------------------------------- */

/* The search: a state of the model for each command of the order so far. */
struct search {
    const struct parallel *p;
    char *models; /* n + 1 of them */
    size_t size;
    uint32_t order[ALL_MAX]; /* which command is at each place */
    uint32_t n;              /* places that are filled */
    uint32_t done;           /* commands that are in it */
    uint32_t longest;        /* that there was, and ... */
    uint32_t best[ALL_MAX];  /* ... what was in it */
};

/* Whether nothing that has to come before it is missing. */
static bool is_next(const struct search *s, uint32_t i)
{
    for (uint32_t k = 0; k < s->p->n; k++) {
        if (k != i && (s->done & UINT32_C(1) << k) == 0 &&
            s->p->all[k].returned < s->p->all[i].called)
            return false;
    }
    return (s->done & UINT32_C(1) << i) == 0;
}

/* Puts a command at the next place. False: the model does not allow it there. */
static bool place(struct search *s, uint32_t i)
{
    const struct commands_done *done = &s->p->all[i];
    char *model = s->models + s->n * s->size;

    if (done->command->holds != NULL && !done->command->holds(model, done->args, done->result))
        return false;
    memcpy(model + s->size, model, s->size);
    if (done->command->next != NULL)
        done->command->next(model + s->size, done->args, done->result);
    s->order[s->n++] = i;
    s->done |= UINT32_C(1) << i;
    if (s->n > s->longest) {
        s->longest = s->n;
        memcpy(s->best, s->order, sizeof(s->best));
    }
    return true;
}

/* The first that can be next from `i` on, and is allowed; n: none is. */
static uint32_t place_from(struct search *s, uint32_t i)
{
    while (i < s->p->n && !(is_next(s, i) && place(s, i)))
        i++;
    return i;
}

static bool has_order(struct search *s)
{
    uint32_t i = 0;

    while (s->n < s->p->n) {
        i = place_from(s, i);
        if (i < s->p->n) {
            i = 0;
            continue;
        }
        if (s->n == 0)
            return false;
        i = s->order[--s->n];
        s->done &= ~(UINT32_C(1) << i);
        i++;
    }
    return true;
}

/* Tells how far it can be explained. That is no part of the message: a failure of fewer commands is
 * the same failure. */
static void refuse(struct trial *t, const struct search *s)
{
    char buffer[512];
    struct sn_text text;

    text_init(&text, buffer, sizeof(buffer));
    text_puts(&text, s->longest > 0 ? "explained: " : "explained: nothing");
    for (uint32_t i = 0; i < s->longest; i++) {
        text_puts(&text, i > 0 ? ", then " : "");
        commands_put(&text, &s->p->all[s->best[i]]);
    }
    trial_record(t, note, buffer);
    trial_fail(t, "model", NULL, "no order of the commands explains their results");
}

static void judge(struct trial *t, const struct parallel *p)
{
    size_t size = p->commands.stateful->model_size;
    struct search search = {
        .p = p, .size = size, .models = trial_alloc(t, (size + 1) * (p->n + 1))};

    memcpy(search.models, p->model, size);
    if (!has_order(&search))
        refuse(t, &search);
}

/* ---- Clients -------------------------------------------------------------------------------- */

static void do_one(struct parallel *p, unsigned client, void *model)
{
    struct trial *t = trial_here();
    struct commands_done done = commands_draw(t, &p->commands, model);
    struct commands_done *kept;

    if (done.command == NULL || p->n == ALL_MAX)
        return;
    done.client = client;
    done.called = ++p->clock;
    done.returned = UINT32_MAX;
    kept = &p->all[p->n++];
    *kept = done;
    done.command->run(p->commands.system, client, done.args, done.result);
    kept->returned = ++p->clock;
    commands_tell(t, kept);
    if (done.command->next != NULL)
        done.command->next(model, done.args, done.result);
}

static void live(const void *payload)
{
    struct trial *t = trial_here();
    const struct birth *birth = payload;
    struct parallel *p = birth->parallel;
    unsigned client = (unsigned)birth->client;
    size_t size = p->commands.stateful->model_size;
    void *model = trial_alloc(t, size + 1);
    struct sn_list list = sn_list_begin("commands", 0, p->each);

    memcpy(model, p->model, size);
    while (sn_list_next(&list)) {
        sn_yield();
        do_one(p, client, model);
    }
    if (++p->ended == p->clients)
        judge(t, p);
}

/* The commands that come first may use what only processes can, too. */
static void begin(const void *payload)
{
    struct trial *t = trial_here();
    struct parallel *p = ((const struct birth *)payload)->parallel;
    const struct sn_stateful *stateful = p->commands.stateful;

    commands_begin(t, &p->commands, stateful, p->commands.system);
    p->model = commands_model(t, stateful);
    commands_do(t, &p->commands, p->model);
    for (unsigned i = 0; i < p->clients; i++)
        (void)sn_spawn(&client_type, &(struct birth){p, i});
}

void sn_commands_parallel(const struct sn_stateful *stateful, void *system)
{
    struct trial *t = gen_trial("sn_commands_parallel");
    struct parallel *p = trial_alloc(t, sizeof(*p));

    p->own = *stateful;
    p->commands = (struct commands){.stateful = &p->own, .system = system};
    p->clients = stateful->clients != 0 ? stateful->clients : USUAL_CLIENTS;
    p->each = stateful->parallel != 0 ? stateful->parallel : USUAL_COMMANDS;
    if (unlikely(p->clients > CLIENTS_MAX || p->clients * p->each > ALL_MAX))
        gen_refuse(t, "sn_commands_parallel", "",
                   "there are more than 8 clients, or they do more than 20 commands together");
    (void)sn_spawn(&starter_type, &(struct birth){p, 0});
}
