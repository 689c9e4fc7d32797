/* commands.h - what sequences of commands and parallel ones share. SPDX-License-Identifier: MIT */
#ifndef GEN_COMMANDS_H
#define GEN_COMMANDS_H

#include "gen/gen.h"

enum { COMMANDS_MAX = 64 };

/* A command that was drawn, and what it did. */
struct commands_done {
    const struct sn_command *command; /* NULL: none could be done */
    unsigned client;
    void *args;
    void *result;
    uint32_t called;   /* when, in parallel ones: these are different, ... */
    uint32_t returned; /* ... and in order; 0: it has not */
};

struct commands {
    const struct sn_stateful *stateful;
    void *system;
    size_t n; /* kinds of commands */
    bool is_out[COMMANDS_MAX];
};

/* Chooses which commands the trial has. */
void commands_begin(struct trial *t, struct commands *c, const struct sn_stateful *stateful,
                    void *system);

/* A model in its first state. */
void *commands_model(struct trial *t, const struct sn_stateful *stateful);

/* Draws a command that a state of the model allows. */
struct commands_done commands_draw(struct trial *t, const struct commands *c, const void *model);

/* Draws and does a sequence, from a state of the model to another. */
void commands_do(struct trial *t, const struct commands *c, void *model);

/* Tells what was done: «client 1: put(3) -> true». */
void commands_tell(struct trial *t, const struct commands_done *done);

/* Prints it to a text. */
void commands_put(struct sn_text *out, const struct commands_done *done);

#endif
