/* commands.c - see commands.h. SPDX-License-Identifier: MIT */
#include "sync/commands.h"

#include <sennit/machine.h>
#include <stdio.h>

enum {
    SLEEPS = 10, /* lengths of a sleep, each as likely; one more is a stabilization */
    WHICH = 8,
    LABEL_BYTES = 24,
};

/* Draws of the command at one place of the list. */
struct place {
    uint32_t number; /* from 1 */
};

/* Labels end with the number of the place, and lie in memory of the trial. */
static uint64_t draw(const struct place *place, const char *what, uint64_t n)
{
    char *label = sn_alloc(LABEL_BYTES);

    (void)snprintf(label, LABEL_BYTES, "%s %u", what, place->number);
    return sn_choose(label, n);
}

/* The kinds that can be drawn: what everybody can do, and what options and driver allow. */
static uint32_t list_kinds(const struct sn_sync_options *options,
                           const struct sn_sync_driver *driver, enum command_kind *out)
{
    uint32_t n = 0;

    out[n++] = COMMAND_READ;
    out[n++] = COMMAND_WRITE;
    out[n++] = COMMAND_DELETE;
    out[n++] = COMMAND_SLEEP;
    if (!options->no_triggers)
        out[n++] = COMMAND_WAIT;
    if (options->renames && options->n_files > 1)
        out[n++] = COMMAND_RENAME;
    if (options->directories)
        out[n++] = COMMAND_DIRECTORY;
    if (options->kills && driver->kill != NULL && driver->restart != NULL) {
        out[n++] = COMMAND_KILL;
        out[n++] = COMMAND_RESTART;
    }
    return n;
}

/* Sleeps are as likely as reads, and a stabilization is a tenth of that. */
static void draw_sleep(const struct sn_sync_options *options, const struct place *place,
                       struct command *c)
{
    uint64_t length = draw(place, "length", SLEEPS + 1);

    if (length == SLEEPS)
        c->kind = COMMAND_STABILIZE;
    else
        c->ns = options->sleep_max_ns / (SLEEPS - 1) * length;
}

static uint32_t draw_value(const struct sn_sync_options *options, const struct place *place)
{
    return 1 + (uint32_t)draw(place, "value", options->n_values);
}

static void draw_wait(const struct sn_sync_options *options, const struct place *place,
                      struct command *c)
{
    static const enum command_kind then[] = {COMMAND_READ, COMMAND_WRITE, COMMAND_DELETE};

    c->which = (uint32_t)draw(place, "which", WHICH);
    c->then = then[draw(place, "then", sizeof(then) / sizeof(then[0]))];
    if (c->then == COMMAND_WRITE)
        c->value = draw_value(options, place);
}

static void draw_command(const struct sn_sync_options *options, const struct sn_sync_driver *driver,
                         const struct place *place, struct command *c)
{
    enum command_kind kinds[COMMAND_RESTART + 1];
    uint32_t n = list_kinds(options, driver, kinds);

    *c = (struct command){.kind = kinds[draw(place, "kind", n)]};
    if (c->kind == COMMAND_SLEEP) {
        draw_sleep(options, place, c);
        return;
    }
    c->node = (uint32_t)draw(place, "node", options->n_nodes);
    if (c->kind == COMMAND_KILL || c->kind == COMMAND_RESTART)
        return;
    if (options->n_files > 1)
        c->file = (uint32_t)draw(place, "file", options->n_files);
    if (c->kind == COMMAND_WRITE)
        c->value = draw_value(options, place);
    else if (c->kind == COMMAND_WAIT)
        draw_wait(options, place, c);
    else if (c->kind == COMMAND_RENAME)
        c->to =
            (c->file + 1 + (uint32_t)draw(place, "to", options->n_files - 1)) % options->n_files;
    else if (c->kind == COMMAND_DIRECTORY)
        c->value = SN_SYNC_DIRECTORY;
}

uint32_t commands_draw(const struct sn_sync_options *options, const struct sn_sync_driver *driver,
                       struct command **out)
{
    uint32_t n = 0;

    *out = sn_alloc((options->n_commands + 1) * sizeof(**out));
    for (uint32_t i = 0; i < options->n_commands; i++) {
        struct place place = {.number = i + 1};

        if (draw(&place, "command", 2) != 0)
            draw_command(options, driver, &place, &(*out)[n++]);
    }
    (*out)[n++] = (struct command){.kind = COMMAND_STABILIZE};
    return n;
}
