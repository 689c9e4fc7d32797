/* canvas.c - see canvas.h. SPDX-License-Identifier: MIT */
#include "report/canvas.h"

#include "base/err.h"
#include "base/utf8.h"
#include "report/show.h"

#include <sennit/test.h>
#include <string.h>

enum {
    WORDS_SIZE = 1024, /* bytes of words in one place */
};

static const struct {
    const char *unicode;
    const char *ascii;
} glyphs[CANVAS_GLYPHS] = {
    [CANVAS_LIFE] = {"│", "|"},      [CANVAS_DOWN] = {"┊", ":"},
    [CANVAS_LINE] = {"─", "-"},      [CANVAS_DASH] = {"╌", "."},
    [CANVAS_CROSSING] = {"┼", "+"},  [CANVAS_TO_RIGHT] = {"├", "|"},
    [CANVAS_TO_LEFT] = {"┤", "|"},   [CANVAS_HEAD_RIGHT] = {"▶", ">"},
    [CANVAS_HEAD_LEFT] = {"◀", "<"}, [CANVAS_GET] = {"●", "*"},
    [CANVAS_START] = {"◆", "@"},     [CANVAS_TIMER] = {"○", "o"},
    [CANVAS_FAULT] = {"×", "x"},     [CANVAS_DO] = {"•", "*"},
    [CANVAS_HALT] = {"■", "#"},      [CANVAS_FAIL] = {"✗", "X"},
    [CANVAS_CUT] = {"…", "~"},
};

int canvas_init(struct canvas *canvas, size_t n, struct arena *arena)
{
    canvas->cells = arena_array(arena, n, sizeof(*canvas->cells));
    canvas->n = n;
    return canvas->cells == NULL ? SN_ENOMEM : 0;
}

void canvas_clear(struct canvas *canvas)
{
    for (size_t i = 0; i < canvas->n; i++)
        canvas->cells[i] = (struct canvas_cell){.bytes = " "};
}

void canvas_put(struct canvas *canvas, size_t at, enum canvas_glyph glyph, const char *style)
{
    const char *bytes = canvas->is_unicode ? glyphs[glyph].unicode : glyphs[glyph].ascii;

    sn_check(at < canvas->n);
    canvas->cells[at].style = style;
    (void)memccpy(canvas->cells[at].bytes, bytes, '\0', sizeof(canvas->cells[at].bytes));
}

/* One character. Returns the columns that it takes: 2 if the next cell belongs to it. */
static size_t put_char(struct canvas *canvas, size_t at, const char *bytes, size_t n)
{
    uint32_t code;
    size_t columns;

    sn_check(utf8_decode(bytes, n, &code) == n);
    columns = utf8_columns(code);
    sn_check(at + columns <= canvas->n);
    canvas->cells[at].bytes[n] = '\0';
    memcpy(canvas->cells[at].bytes, bytes, n);
    for (size_t i = 1; i < columns; i++)
        canvas->cells[at + i].bytes[0] = '\0';
    return columns;
}

size_t canvas_write(struct canvas *canvas, size_t at, const char *words, size_t columns,
                    const char *style)
{
    char buffer[WORDS_SIZE];
    struct sn_text shown;
    size_t room = at < canvas->n ? canvas->n - at : 0;
    size_t used = 0;
    bool is_cut;

    room = columns < room ? columns : room;
    if (room == 0)
        return 0;
    text_init(&shown, buffer, sizeof(buffer));
    is_cut = show_put(&shown, trace_text_of(words), WORDS_SIZE / 16) > room;
    for (size_t i = 0; i < shown.used;) {
        uint32_t code;
        size_t n = utf8_decode(buffer + i, shown.used - i, &code);

        if (used + utf8_columns(code) + (is_cut ? 1 : 0) > room)
            break;
        used += put_char(canvas, at + used, buffer + i, n);
        i += n;
    }
    if (is_cut)
        canvas_put(canvas, at + used++, CANVAS_CUT, style);
    for (size_t i = 0; i < used; i++)
        canvas->cells[at + i].style = style;
    return used;
}

void canvas_style(const struct canvas *canvas, struct sn_text *out, const char *style)
{
    if (canvas->is_coloured)
        text_print(out, "\033[%sm", style);
}

size_t canvas_print(const struct canvas *canvas, struct sn_text *out)
{
    const char *style = NULL;
    size_t n = canvas->n;

    while (n > 0 && strcmp(canvas->cells[n - 1].bytes, " ") == 0)
        n--;
    for (size_t i = 0; i < n; i++) {
        if (canvas->cells[i].style != style) {
            if (style != NULL)
                canvas_style(canvas, out, CANVAS_PLAIN);
            style = canvas->cells[i].style;
            if (style != NULL)
                canvas_style(canvas, out, style);
        }
        text_puts(out, canvas->cells[i].bytes);
    }
    if (style != NULL)
        canvas_style(canvas, out, CANVAS_PLAIN);
    return n;
}
