/* canvas.h - one line of a drawing for a terminal: lines, marks and words at columns of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_CANVAS_H
#define REPORT_CANVAS_H

#include "base/arena.h"
#include "base/text.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stddef.h>

enum canvas_glyph {
    CANVAS_LIFE = 0,   /* a machine is there */
    CANVAS_DOWN,       /* it is, but does not run */
    CANVAS_LINE,       /* a message on its way */
    CANVAS_DASH,       /* another way of having to do with each other */
    CANVAS_CROSSING,   /* a message crosses a machine that it does not touch */
    CANVAS_TO_RIGHT,   /* a message leaves a machine to the right, ... */
    CANVAS_TO_LEFT,    /* ... or to the left */
    CANVAS_HEAD_RIGHT, /* and ends */
    CANVAS_HEAD_LEFT,
    CANVAS_GET,   /* what a step was: it got something, ... */
    CANVAS_START, /* ... started, ... */
    CANVAS_TIMER,
    CANVAS_FAULT,
    CANVAS_DO,
    CANVAS_HALT,
    CANVAS_FAIL,
    CANVAS_CUT, /* words go on, but there is no room */
    CANVAS_GLYPHS,
};

/* Escape sequences of terminals, without what is around the numbers. */
#define CANVAS_PLAIN "0"
#define CANVAS_FAINT "2"
#define CANVAS_BOLD "1"
#define CANVAS_RED "1;31"

struct canvas_cell {
    char bytes[5];     /* a character; "": the one before is two columns wide */
    const char *style; /* NULL: plain */
};

struct canvas {
    struct canvas_cell *cells;
    size_t n;
    bool is_unicode;
    bool is_coloured;
};

/* Takes the cells from the arena. Returns 0, or SN_ENOMEM. */
int canvas_init(struct canvas *canvas, size_t n, struct arena *arena);

/* Makes all of it blank. */
void canvas_clear(struct canvas *canvas);

void canvas_put(struct canvas *canvas, size_t at, enum canvas_glyph glyph, const char *style);

/* Words, cut to so many columns. Returns the columns used. */
size_t canvas_write(struct canvas *canvas, size_t at, const char *words, size_t columns,
                    const char *style);

/* The line, without blanks at its end. Returns the columns used. */
size_t canvas_print(const struct canvas *canvas, struct sn_text *out);

/* Begins and ends a style, if there are any. */
void canvas_style(const struct canvas *canvas, struct sn_text *out, const char *style);

#endif
