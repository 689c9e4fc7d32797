/* words.c - see words.h. SPDX-License-Identifier: MIT */
#include "sync/words.h"

#include "base/text.h"

enum { LETTERS = 26 };

void words_value(struct sn_text *out, const struct sn_sync_names *names, uint32_t value)
{
    if (value == 0)
        text_puts(out, "none");
    else if (names != NULL && names->values[value] != NULL)
        text_print(out, "'%s'", names->values[value]);
    else if (value == SN_SYNC_DIRECTORY)
        text_puts(out, "DIR");
    else if (value <= LETTERS)
        text_print(out, "'%c'", (char)('a' + value - 1));
    else
        text_print(out, "'v%u'", value);
}

void words_values(struct sn_text *out, const struct sn_sync_names *names, uint64_t values)
{
    const char *separator = "";

    text_putc(out, '{');
    for (uint32_t value = 0; value <= SN_SYNC_VALUES_MAX; value++)
        if ((values >> value & 1) != 0) {
            text_puts(out, separator);
            words_value(out, names, value);
            separator = ", ";
        }
    text_putc(out, '}');
}

void words_file(struct sn_text *out, const struct sn_sync_names *names, uint32_t file)
{
    if (names != NULL && names->files[file] != NULL)
        text_puts(out, names->files[file]);
    else
        text_print(out, "f%u", file + 1);
}

static void put_seen(struct sn_text *out, const struct sn_sync_names *names,
                     const struct sn_sync_seen *seen)
{
    text_putc(out, '(');
    words_value(out, names, seen->value);
    text_puts(out, ", ");
    words_values(out, names, seen->conflicts);
    text_putc(out, ')');
}

static bool is_alike(const struct sn_sync_event *event, uint32_t n_nodes)
{
    for (uint32_t node = 1; node < n_nodes; node++)
        if (event->seen[node].value != event->seen[0].value ||
            event->seen[node].conflicts != event->seen[0].conflicts)
            return false;
    return true;
}

static void put_stable(struct sn_text *out, const struct sn_sync_names *names, uint32_t n_nodes,
                       const struct sn_sync_event *event)
{
    if (is_alike(event, n_nodes)) {
        put_seen(out, names, &event->seen[0]);
        return;
    }
    for (uint32_t node = 0; node < n_nodes; node++) {
        text_puts(out, node == 0 ? "{" : ", ");
        put_seen(out, names, &event->seen[node]);
    }
    text_putc(out, '}');
}

void words_event(struct sn_text *out, const struct sn_sync_names *names, uint32_t n_nodes,
                 bool has_files, const struct sn_sync_event *event)
{
    static const char *const kinds[] = {"READ", "WRITE", "STABILIZE"};

    text_puts(out, kinds[event->kind]);
    if (has_files) {
        text_putc(out, ' ');
        words_file(out, names, event->file);
    }
    if (event->kind == SN_SYNC_WRITE) {
        text_putc(out, ' ');
        words_value(out, names, event->value);
    }
    text_puts(out, " -> ");
    if (event->kind == SN_SYNC_STABILIZE)
        put_stable(out, names, n_nodes, event);
    else
        words_value(out, names, event->kind == SN_SYNC_WRITE ? event->old : event->value);
}
