/* commands.c - sequences of commands, done with a system and compared with a model.
 *
 * A command is an element of a list, so the shrinker leaves out commands anywhere. Which command it
 * is, is a decision about all there are, whatever the model allows just now: so it stays the same
 * command when others are left out before it, and is skipped if it has become impossible. Only how
 * likely each is depends on the model. SPDX-License-Identifier: MIT
 */
#include "gen/commands.h"

#include "base/rng.h"

enum { USUAL_MAX = 50 };

static bool can(const struct sn_command *command, const void *model, const void *args)
{
    return command->can == NULL || command->can(model, args);
}

void commands_begin(struct trial *t, struct commands *c, const struct sn_stateful *stateful,
                    void *system)
{
    *c = (struct commands){.stateful = stateful, .system = system};
    while (stateful->commands[c->n].name != NULL)
        c->n++;
    if (unlikely(c->n == 0 || c->n > COMMANDS_MAX))
        gen_refuse(t, "sn_commands", "", "there are no commands, or more than 64");
    for (size_t i = 0; i < c->n && stateful->is_swarm; i++)
        c->is_out[i] = trial_draw(t, "takes part", 2) == 0;
}

void *commands_model(struct trial *t, const struct sn_stateful *stateful)
{
    void *model = trial_alloc(t, stateful->model_size + 1);

    if (stateful->init != NULL)
        stateful->init(model);
    return model;
}

struct choice {
    const struct commands *commands;
    const void *model;
};

static uint64_t weight_of(const struct choice *choice, size_t i)
{
    const struct sn_command *command = &choice->commands->stateful->commands[i];

    if (choice->commands->is_out[i] || !can(command, choice->model, NULL))
        return 0;
    return command->weight != 0 ? command->weight : 1;
}

static uint64_t by_weight(const void *self, uint64_t n, uint64_t bits)
{
    const struct choice *choice = self;
    uint64_t sum = 0;
    uint64_t at;
    size_t i = 0;

    for (size_t k = 0; k < n; k++)
        sum += weight_of(choice, k);
    at = (uint64_t)(((rng_wide)bits * sum) >> 64);
    for (; i + 1 < n && at >= weight_of(choice, i); i++)
        at -= weight_of(choice, i);
    return i;
}

struct commands_done commands_draw(struct trial *t, const struct commands *c, const void *model)
{
    const struct sn_stateful *s = c->stateful;
    struct choice choice = {c, model};
    size_t i = trial_draw_shaped(t, "command", c->n, &(struct draw_shape){by_weight, &choice});
    const struct sn_command *command = &s->commands[i];
    struct commands_done done = {.args = trial_alloc(t, s->args_size + 1),
                                 .result = trial_alloc(t, s->result_size + 1)};

    if (c->is_out[i] || !can(command, model, NULL))
        return done;
    if (command->draw != NULL)
        command->draw(model, done.args);
    if (can(command, model, done.args))
        done.command = command;
    return done;
}

void commands_put(struct sn_text *out, const struct commands_done *done)
{
    text_print(out, "client %u: %s", done->client, done->command->name);
    if (done->command->print != NULL)
        done->command->print(out, done->args, done->result);
}

void commands_tell(struct trial *t, const struct commands_done *done)
{
    char buffer[512];
    struct sn_text text;

    if (!gen_is_told(t))
        return;
    text_init(&text, buffer, sizeof(buffer));
    commands_put(&text, done);
    trial_record(t, note, buffer);
}

/* What it was called with is in the note before: a failure with other values is the same failure.
 */
static void check(struct trial *t, const struct commands_done *done, const void *model)
{
    if (done->command->holds != NULL && !done->command->holds(model, done->args, done->result))
        trial_fail(t, "model", NULL, "the model does not allow what %s has done",
                   done->command->name);
}

void commands_do(struct trial *t, const struct commands *c, void *model)
{
    const struct sn_stateful *s = c->stateful;
    struct sn_list list = sn_list_begin("commands", 0, s->max != 0 ? s->max : USUAL_MAX);

    while (sn_list_next(&list)) {
        struct commands_done done = commands_draw(t, c, model);

        if (s->clients > 1)
            done.client = (unsigned)trial_draw(t, "client", s->clients);
        if (done.command == NULL)
            continue;
        done.command->run(c->system, done.client, done.args, done.result);
        commands_tell(t, &done);
        check(t, &done, model);
        if (done.command->next != NULL)
            done.command->next(model, done.args, done.result);
    }
}

void sn_commands(const struct sn_stateful *stateful, void *system)
{
    struct trial *t = gen_trial("sn_commands");
    struct commands c;

    commands_begin(t, &c, stateful, system);
    commands_do(t, &c, commands_model(t, stateful));
}
