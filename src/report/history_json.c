/* history_json.c - see history_json.h. SPDX-License-Identifier: MIT */
#include "report/history_json.h"

#include "base/arena.h"
#include "base/json.h"
#include "linear/sort.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <string.h>

enum { WORDS_MAX = 4096 }; /* bytes of an operation, a key, a process in words */

/* ---- Which operations ----------------------------------------------------------------------- */

/* Operations that are kept of a long history: those of the core, those of its key up to so far from
 * one of the core in the history, and others up to so far. */
struct selection {
    const struct history_json *history;
    const struct sortable *anchors; /* of the core, by their place in the history; ... */
    size_t n_anchors; /* ... without a core, where the checker got stuck; 0: nothing matters most */
    size_t near_key;
    size_t near_other;
};

/* Takes the operations of the core, which are in the order of their calls. 0, or SN_ENOMEM. */
static int find_anchors(struct selection *s, struct arena *arena)
{
    const struct history_json *h = s->history;
    size_t n = h->core != NULL ? h->core->n : 0;
    struct sortable *anchors = arena_array(arena, n + 1, sizeof(*anchors));
    struct sortable *other = arena_array(arena, n + 1, sizeof(*other));

    if (anchors == NULL || other == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i < n; i++)
        anchors[i].key = h->core->operations[i].index;
    if (n == 0 && h->result->verdict != SN_LINEAR_YES && h->result->stuck < h->n)
        anchors[n++].key = h->result->stuck;
    sort_by_key(anchors, other, n);
    s->anchors = anchors;
    s->n_anchors = n;
    return 0;
}

/* How far an operation is from the nearest of the core, or else from the first one. */
static size_t distance(const struct selection *s, size_t i)
{
    size_t behind = sort_find(s->anchors, s->n_anchors, i);
    size_t least = SIZE_MAX;

    if (s->n_anchors == 0)
        return i;
    if (behind < s->n_anchors)
        least = (size_t)s->anchors[behind].key - i;
    if (behind > 0 && i - (size_t)s->anchors[behind - 1].key < least)
        least = i - (size_t)s->anchors[behind - 1].key;
    return least;
}

static bool is_of_key(const struct history_json *h, size_t i)
{
    return h->core == NULL || !h->core->has_key || h->operations[i].key == h->core->key;
}

static bool is_kept(const struct selection *s, size_t i)
{
    size_t far = distance(s, i);

    return far == 0 || far <= (is_of_key(s->history, i) ? s->near_key : s->near_other);
}

static size_t count_kept(const struct selection *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->history->n; i++)
        n += is_kept(s, i) ? 1 : 0;
    return n;
}

/* Makes one of the two distances as large as it can be. */
static void widen(struct selection *s, size_t *near, size_t max)
{
    size_t low = 0;
    size_t high = s->history->n;

    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;

        *near = middle;
        if (count_kept(s) <= max)
            low = middle;
        else
            high = middle - 1;
    }
    *near = low;
}

static void choose(struct selection *s)
{
    size_t max = s->history->operations_max;

    max = max > 0 ? max : HISTORY_JSON_MAX;
    s->near_key = s->near_other = s->history->n;
    if (s->history->n <= max)
        return;
    s->near_other = 0;
    widen(s, &s->near_key, max);
    if (s->near_key == s->history->n)
        widen(s, &s->near_other, max);
}

/* ---- Operations ----------------------------------------------------------------------------- */

static void put_string(struct sn_text *out, const char *key, const char *value)
{
    text_print(out, ",\"%s\":", key);
    if (value == NULL)
        text_puts(out, "null");
    else
        json_put_string(out, value, strlen(value));
}

static void put_process(const struct history_json *h, uint32_t process, struct sn_text *out)
{
    if (h->words != NULL && h->words->process != NULL)
        h->words->process(h->words->self, process, out);
    else
        text_print(out, "%" PRIu32, process);
}

static void put_key(const struct history_json *h, sn_value key, struct sn_text *out)
{
    if (key == SN_VALUE_NIL)
        text_puts(out, "nil");
    else if (h->words != NULL && h->words->value != NULL)
        h->words->value(h->words->self, key, out);
    else
        text_print(out, "%" PRId64, key);
}

/* Times are told from the first call on: one in nanoseconds since 1970 would be more than a number
 * of a script can hold. */
static void put_operation(const struct history_json *h, size_t i, uint64_t origin,
                          struct sn_text *out)
{
    const struct sn_operation *op = &h->operations[i];
    char words[WORDS_MAX];
    struct sn_text text;

    text_print(out, "{\"index\":%zu", i);
    text_init(&text, words, sizeof(words));
    put_process(h, op->process, &text);
    put_string(out, "process", words);
    text_init(&text, words, sizeof(words));
    core_print_operation(h->model, op, h->words, &text);
    put_string(out, "text", words);
    text_print(out, ",\"call\":%" PRIu64, op->call - origin);
    if (op->ret != SN_TIME_NEVER)
        text_print(out, ",\"return\":%" PRIu64 ",\"status\":\"ok\"", op->ret - origin);
    else
        text_puts(out, ",\"return\":null,\"status\":\"unknown\"");
    if (op->line > 0)
        text_print(out, ",\"line\":%" PRIu64, op->line);
    if (h->has_keys) {
        text_init(&text, words, sizeof(words));
        put_key(h, op->key, &text);
        put_string(out, "key", words);
    }
    text_putc(out, '}');
}

static uint64_t first_call(const struct history_json *h)
{
    uint64_t first = h->n > 0 ? UINT64_MAX : 0;

    for (size_t i = 0; i < h->n; i++)
        first = h->operations[i].call < first ? h->operations[i].call : first;
    return first;
}

static void put_operations(const struct selection *selection, struct sn_text *out)
{
    const struct history_json *h = selection->history;
    uint64_t origin = first_call(h);
    size_t n = 0;

    /* As a string: it may be any number of 64 bits. */
    text_print(out, ",\"origin\":\"%" PRIu64 "\",\n\"operations\":[", origin);
    for (size_t i = 0; i < h->n; i++) {
        if (!is_kept(selection, i))
            continue;
        text_puts(out, n++ > 0 ? ",\n" : "\n");
        put_operation(h, i, origin, out);
    }
    text_putc(out, ']');
}

/* ---- The object ----------------------------------------------------------------------------- */

static void put_figures(const struct history_json *h, struct sn_text *out)
{
    const struct sn_check_result *result = h->result;

    text_print(out, ",\"total\":%zu,\"keys\":%" PRIu64, h->n, result->partitions);
    put_string(out, "algorithm", result->algorithm);
    text_print(out, ",\"configurations\":%" PRIu64 ",\"seconds\":%.6f", result->configurations,
               h->seconds);
    if (result->verdict != SN_LINEAR_YES && result->stuck < h->n)
        text_print(out, ",\"stuck\":%zu", result->stuck);
}

static void put_object(const struct selection *selection, struct sn_text *out)
{
    const struct history_json *history = selection->history;

    text_puts(out, "{\"format\":\"sennit-history\",\"version\":1");
    put_string(out, "file", history->file);
    put_string(out, "model", history->model->name);
    put_string(out, "consistency", history->is_sequential ? "sequential" : "linearizable");
    put_string(out, "verdict", history->verdict);
    put_string(out, "why", history->why);
    put_string(out, "clock", history->has_time ? "time" : "events");
    if (history->why == NULL || history->n > 0)
        put_figures(history, out);
    put_operations(selection, out);
    text_puts(out, ",\n\"core\":");
    if (history->core != NULL)
        core_print_json(history->core, history->words, out);
    else
        text_puts(out, "null");
    text_puts(out, "}");
}

int history_json(struct sn_text *out, const struct history_json *history)
{
    struct selection selection = {.history = history};
    struct arena arena = {0};
    int rc;

    sn_check(history->model != NULL);
    sn_check(history->result != NULL);
    rc = find_anchors(&selection, &arena);
    if (rc == 0) {
        choose(&selection);
        put_object(&selection, out);
    }
    arena_done(&arena);
    return rc;
}
