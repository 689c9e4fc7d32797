/* show.c - what the forms of showing a trace share. SPDX-License-Identifier: MIT */
#include "report/show.h"

#include "base/err.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct show_range show_range_of(const struct trace *trace, const struct show_options *options)
{
    struct show_range range = {.first = options->from, .last = trace->n_steps};

    if (options->to != 0 && options->to < range.last)
        range.last = options->to;
    return range;
}

const struct trace_record *show_details(const struct trace *trace, uint64_t step, size_t *n)
{
    size_t first;

    sn_check(step <= trace->n_steps);
    first = trace->step_index[step] + (step > 0 ? 1 : 0);
    *n = trace->step_index[step + 1] - first;
    return &trace->records[first];
}

/* Characters that a terminal acts on or that change how others are read: controls, separators of
 * lines, and marks that turn the direction of text. */
static bool is_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
           code == 0xfeff || code == 0x61c;
}

/* One character as it is shown, in `shown`. Returns its columns; *taken are the bytes it stands
 * for. */
static size_t shown_char(const char *bytes, size_t n, char shown[16], size_t *taken)
{
    uint32_t code;

    *taken = utf8_decode(bytes, n, &code);
    if (*taken == 0) {
        *taken = 1;
        (void)snprintf(shown, 16, "\\x%02x", (unsigned)(unsigned char)bytes[0]);
    } else if (code == '\n') {
        (void)snprintf(shown, 16, "\\n");
    } else if (code == '\t') {
        (void)snprintf(shown, 16, "\\t");
    } else if (is_hidden(code)) {
        (void)snprintf(shown, 16, code < 0x80 ? "\\x%02" PRIx32 : "\\u%04" PRIx32, code);
    } else {
        memcpy(shown, bytes, *taken);
        shown[*taken] = '\0';
        return utf8_columns(code);
    }
    return strlen(shown);
}

size_t show_put(struct sn_text *out, struct trace_text text, size_t columns)
{
    size_t used = 0;
    size_t fits = 0; /* bytes that can stay if the text must be cut */
    size_t fits_columns = 0;
    size_t at = 0;
    char shown[16];
    size_t taken;

    while (at < text.n && used <= columns) {
        used += shown_char(text.bytes + at, text.n - at, shown, &taken);
        at += taken;
        if (used + 3 <= columns) {
            fits = at;
            fits_columns = used;
        }
    }
    if (used <= columns)
        fits = text.n;
    for (at = 0; out != NULL && at < fits; at += taken) {
        (void)shown_char(text.bytes + at, text.n - at, shown, &taken);
        text_puts(out, shown);
    }
    if (used <= columns)
        return used;
    if (out != NULL)
        text_add(out, "...", columns < 3 ? columns : 3);
    return fits_columns + (columns < 3 ? columns : 3);
}

void show_put_time(struct sn_text *out, uint64_t time_ns)
{
    static const struct {
        uint64_t ns;
        const char *name;
        int digits;
    } units[] = {{1000000000, "s", 9}, {1000000, "ms", 6}, {1000, "us", 3}, {1, "ns", 0}};
    char text[48];
    size_t unit = 0;
    size_t n;

    if (time_ns == 0) {
        text_puts(out, "0");
        return;
    }
    while (time_ns < units[unit].ns)
        unit++;
    (void)snprintf(text, sizeof(text), "%" PRIu64 ".%0*" PRIu64, time_ns / units[unit].ns,
                   units[unit].digits, time_ns % units[unit].ns);
    n = strlen(text);
    while (text[n - 1] == '0')
        n--;
    if (text[n - 1] == '.')
        n--;
    text_add(out, text, n);
    text_puts(out, units[unit].name);
}
