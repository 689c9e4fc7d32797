/* gen.c - see gen.h. SPDX-License-Identifier: MIT */
#include "gen/gen.h"

#include "engine/here.h"

#include <stdarg.h>
#include <stdio.h>

enum { TOLD_MAX = 1024 }; /* bytes of a value that is told */

struct trial *gen_trial(const char *function)
{
    struct trial *t = trial_here();

    if (unlikely(t == NULL || !t->running))
        err_check_failed(function, 0, "it was called outside a trial");
    if (unlikely(t->bail != NULL))
        trial_fail(t, "usage", NULL,
                   "%s is called between sn_events_begin and sn_events_end, where only calls of "
                   "the library may be",
                   function);
    return t;
}

void gen_refuse(struct trial *t, const char *function, const char *label, const char *why)
{
    trial_fail(t, "usage", NULL, "%s(\"%s\"): %s", function, label, why);
}

void gen_pad(struct trial *t, const char *label, uint32_t n)
{
    while (n-- > 0)
        (void)trial_draw(t, label, 1);
}

/* The scopes around what is told, the outermost first. No deeper than anybody reads. */
static void put_path(struct sn_text *out, const struct trial *t)
{
    const struct draw_count *path[16];
    const struct draw_count *scope = &t->draws[t->tasks[t->now.task].first_draw];
    uint32_t n = 0;

    for (; scope->depth > 0 && n < 16; scope = &t->draws[scope->parent])
        path[n++] = scope;
    if (scope->depth > 0)
        text_puts(out, "... ");
    while (n-- > 0) {
        text_puts(out, path[n]->label);
        if (path[n]->group > 1)
            text_print(out, "#%u", path[n]->group);
        text_print(out, "[%u].", path[n]->count);
    }
}

void gen_tell(struct trial *t, const char *label, const char *format, ...)
{
    char buffer[TOLD_MAX];
    struct sn_text text;
    va_list args;

    text_init(&text, buffer, sizeof(buffer));
    put_path(&text, t);
    text_print(&text, "%s = ", label);
    va_start(args, format);
    text_vprint(&text, format, args);
    va_end(args);
    trial_record(t, note, buffer);
}

void gen_tell_text(struct trial *t, const char *label, const char *bytes, size_t n)
{
    char buffer[TOLD_MAX];
    struct sn_text text;

    text_init(&text, buffer, sizeof(buffer));
    for (size_t i = 0; i < n && !text.cut; i++) {
        unsigned char c = (unsigned char)bytes[i];

        if (c == '"' || c == '\\')
            text_print(&text, "\\%c", c);
        else if (c >= ' ' && c < 127)
            text_putc(&text, (char)c);
        else
            text_print(&text, "\\x%02x", c);
    }
    gen_tell(t, label, "\"%s\"%s", buffer, text.cut ? " ..." : "");
}
