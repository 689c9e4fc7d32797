/* script.h - a trial as a text that a person writes: what runs at each step, by name.
 *
 * docs/step.md describes the language. script_read.c reads it; script.c is the strategy that
 * follows it. A script may come from anywhere: all its sizes are bounded, and what is wrong with it
 * is said with file, line and cause. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_SCRIPT_H
#define STRATEGY_SCRIPT_H

#include "base/err.h"
#include "base/text.h"
#include "engine/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SCRIPT_BYTES_MAX = (1 << 26) >> MEM_SAVING_SHIFT,
    SCRIPT_LINES_MAX = (1 << 20) >> MEM_SAVING_SHIFT, /* without those that say nothing */
    SCRIPT_LINE_BYTES_MAX = 4096,
    SCRIPT_NAME_MAX = 256, /* bytes of the file's name that are kept */
};

/* What a line says. The first ones are those of enum sn_op_kind. */
enum script_kind {
    SCRIPT_START = SN_OP_START,
    SCRIPT_DELIVER = SN_OP_DELIVER,
    SCRIPT_TIMER = SN_OP_TIMER,
    SCRIPT_FAULT = SN_OP_FAULT,
    SCRIPT_DO = SN_OP_PROCESS,
    SCRIPT_PICK, /* the operation of this number, oldest first */
    SCRIPT_ANY,  /* so many steps of the default schedule */
    SCRIPT_STEP, /* the default schedule until so many steps are done */
    SCRIPT_DRAW,
    SCRIPT_FAIR, /* from here on the schedule counts as fair */
    SCRIPT_END,  /* the rest of the file is not followed */
};

/* Texts are offsets in script.text; 0: not given. */
struct script_line {
    uint64_t number; /* of a pick, of steps, which one of those that match; or a drawn value */
    uint64_t id;     /* of the operation, if has_id */
    uint32_t line;   /* in the file, from 1 */
    uint32_t event;  /* or the label of a draw */
    uint32_t task;
    uint32_t from;
    uint8_t kind;
    bool has_id;
    bool is_until; /* the default schedule until this can run */
};

struct script {
    char name[SCRIPT_NAME_MAX]; /* of the file, for sentences */
    uint32_t n;
    struct script_line lines[SCRIPT_LINES_MAX];
    char text[SCRIPT_BYTES_MAX + 2]; /* the file from byte 1 on, cut into words */
};

/* Reads a file into a zeroed script. Returns 0, SN_EIO or SN_EFORMAT with a sentence in why. */
int script_read(struct script *s, const char *path, struct err *why);

/* The same for the first n bytes of s->text + 1, which the caller has put there. */
int script_parse(struct script *s, const char *name, size_t n, struct err *why);

/* Appends a line as it would be written. */
void script_put_line(struct sn_text *out, const struct script *s, const struct script_line *line);

/* Appends an operation of the trial as a line of a script that picks it. */
void script_put_op(struct sn_text *out, struct trial *t, const struct sn_op *op);

#endif
