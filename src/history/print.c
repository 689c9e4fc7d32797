/* print.c - operations of a history in words.
 *
 * The line that shows how far a check is comes from a handler of a signal, so nothing here formats
 * by printf: bytes go into the text as they are. SPDX-License-Identifier: MIT
 */
#include "history/history.h"

enum {
    TEXT_SHOWN_MAX = 200, /* bytes; of a longer one ... */
    TEXT_FIRST_SHOWN = 160,
};

static void print_unsigned(struct sn_text *out, uint64_t number)
{
    char digits[20];
    size_t n = sizeof(digits);

    do {
        digits[--n] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    text_add(out, digits + n, sizeof(digits) - n);
}

static void print_number(struct sn_text *out, sn_value number)
{
    if (number < 0)
        text_putc(out, '-');
    print_unsigned(out, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

static void print_bytes(struct sn_text *out, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];

        text_putc(out, c >= 0x20 && c != 0x7f ? (char)c : '?');
    }
}

static void print_text(struct sn_text *out, const struct texts_entry *entry)
{
    size_t n = entry->n > TEXT_SHOWN_MAX ? TEXT_FIRST_SHOWN : entry->n;

    /* Not within a character of UTF-8. */
    while (n < entry->n && n > 0 && ((unsigned char)entry->bytes[n] & 0xc0) == 0x80)
        n--;
    print_bytes(out, entry->bytes, n);
    if (n == entry->n)
        return;
    text_puts(out, "... (");
    print_unsigned(out, entry->n);
    text_puts(out, " bytes)");
}

/* Of a value within a whole one, which is no whole one itself. */
static void print_element(const struct history *h, sn_value value, struct sn_text *out)
{
    if (value == SN_VALUE_NIL)
        text_puts(out, "nil");
    else if (value < SN_VALUE_TEXTS || value - SN_VALUE_TEXTS >= (sn_value)h->texts.n)
        print_number(out, value);
    else
        print_text(out, texts_at(&h->texts, (uint32_t)(value - SN_VALUE_TEXTS)));
}

static void print_whole(const struct history *h, const struct whole *whole, struct sn_text *out)
{
    size_t first = whole->n > WHOLE_SHOWN_MAX ? WHOLE_FIRST_SHOWN : whole->n;
    size_t last = whole->n > WHOLE_SHOWN_MAX ? WHOLE_LAST_SHOWN : 0;
    const sn_value *ends = whole->elements + whole->n - last;

    text_puts(out, whole->is_set ? "#{" : "[");
    for (size_t i = 0; i < first; i++) {
        text_puts(out, i > 0 ? " " : "");
        print_element(h, whole->elements[i], out);
    }
    text_puts(out, last > 0 ? " ..." : "");
    for (size_t i = 0; i < last; i++) {
        text_putc(out, ' ');
        print_element(h, ends[i], out);
    }
    text_putc(out, whole->is_set ? '}' : ']');
    if (last == 0)
        return;
    text_puts(out, " (");
    print_unsigned(out, whole->n);
    text_puts(out, " values)");
}

void history_print_value(const struct history *h, sn_value value, struct sn_text *out)
{
    const struct whole *whole = wholes_find(&h->wholes, value);

    if (whole != NULL)
        print_whole(h, whole, out);
    else
        print_element(h, value, out);
}

void history_print_operation(const struct history *h, const struct sn_operation *op,
                             struct sn_text *out)
{
    text_puts(out, "process ");
    print_unsigned(out, op->process);
    text_putc(out, ' ');
    text_puts(out, h->options.model->functions[op->function].name);
    if (op->argument[1] != SN_VALUE_NIL) {
        text_puts(out, " [");
        history_print_value(h, op->argument[0], out);
        text_putc(out, ' ');
        history_print_value(h, op->argument[1], out);
        text_putc(out, ']');
    } else if (op->argument[0] != SN_VALUE_NIL) {
        text_putc(out, ' ');
        history_print_value(h, op->argument[0], out);
    }
    if (op->ret == SN_TIME_NEVER) {
        text_puts(out, " -> unknown");
    } else if (op->result != SN_VALUE_NIL || op->argument[0] == SN_VALUE_NIL) {
        text_puts(out, " -> ");
        history_print_value(h, op->result, out);
    }
    text_puts(out, " (line ");
    print_unsigned(out, op->line);
    text_putc(out, ')');
}
