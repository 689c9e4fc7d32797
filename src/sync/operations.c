/* operations.c - see operations.h. SPDX-License-Identifier: MIT */
#include "sync/operations.h"

#include <sennit/gen.h>

enum {
    SLEEPS = 10, /* lengths of a sleep */
    WHICH = 8,
    KINDS = COMMAND_RESTART + 1,
};

/* How likely each kind is. Those that somebody must have allowed are 0 here. */
static const unsigned usual[KINDS] = {
    [COMMAND_READ] = 10,  [COMMAND_WRITE] = 10,    [COMMAND_DELETE] = 10,
    [COMMAND_SLEEP] = 10, [COMMAND_STABILIZE] = 1,
};

static void weigh(const struct sn_sync_options *options, const struct sn_sync_driver *driver,
                  unsigned *weights)
{
    for (uint32_t i = 0; i < KINDS; i++)
        weights[i] = usual[i];
    if (!options->no_triggers)
        weights[COMMAND_WAIT] = 10;
    if (options->renames && options->n_files > 1)
        weights[COMMAND_RENAME] = 5;
    if (options->directories)
        weights[COMMAND_DIRECTORY] = 5;
    if (options->kills && driver->kill != NULL && driver->restart != NULL)
        weights[COMMAND_KILL] = weights[COMMAND_RESTART] = 3;
}

static uint32_t draw_value(const struct sn_sync_options *options)
{
    return 1 + (uint32_t)sn_choose("value", options->n_values);
}

static void draw_wait(const struct sn_sync_options *options, struct command *c)
{
    static const enum command_kind then[] = {COMMAND_READ, COMMAND_WRITE, COMMAND_DELETE};

    c->which = (uint32_t)sn_choose("which", WHICH);
    c->then = sn_one_of("then", then);
    if (c->then == COMMAND_WRITE)
        c->value = draw_value(options);
}

/* What a command of this kind is about. One that nobody has allowed, which only a person or a
 * systematic strategy chooses, is a read. */
static void draw_rest(const struct sn_sync_options *options, struct command *c)
{
    if (c->kind == COMMAND_SLEEP)
        c->ns = options->sleep_max_ns / (SLEEPS - 1) * sn_choose("length", SLEEPS);
    if (c->kind == COMMAND_SLEEP || c->kind == COMMAND_STABILIZE)
        return;
    c->node = (uint32_t)sn_choose("node", options->n_nodes);
    if (c->kind == COMMAND_KILL || c->kind == COMMAND_RESTART)
        return;
    if (options->n_files > 1)
        c->file = (uint32_t)sn_choose("file", options->n_files);
    if (c->kind == COMMAND_WRITE)
        c->value = draw_value(options);
    else if (c->kind == COMMAND_WAIT)
        draw_wait(options, c);
    else if (c->kind == COMMAND_RENAME)
        c->to = (c->file + 1 + (uint32_t)sn_choose("to", options->n_files - 1)) % options->n_files;
    else if (c->kind == COMMAND_DIRECTORY)
        c->value = SN_SYNC_DIRECTORY;
}

uint32_t operations_draw(const struct sn_sync_options *options, const struct sn_sync_driver *driver,
                         struct command **out)
{
    /* As many places as there may be commands, each with draws of its own. */
    struct sn_list places = sn_list_begin("commands", options->n_commands, options->n_commands);
    unsigned weights[KINDS];
    uint32_t n = 0;

    weigh(options, driver, weights);
    *out = sn_alloc((options->n_commands + 1) * sizeof(**out));
    while (sn_list_next(&places)) {
        struct command *c = &(*out)[n];

        if (!sn_bool("command"))
            continue;
        c->kind = (enum command_kind)sn_weighted("kind", weights, KINDS);
        if (weights[c->kind] == 0)
            c->kind = COMMAND_READ;
        draw_rest(options, c);
        n++;
    }
    (*out)[n++] = (struct command){.kind = COMMAND_STABILIZE};
    return n;
}
