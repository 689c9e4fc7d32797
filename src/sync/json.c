/* json.c - why an observation can or cannot be explained, as JSON. SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "oracle/conjecture.h"
#include "sync/judge.h"
#include "sync/table.h"
#include "sync/words.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <string.h>

enum { WORDS_BYTES = 512 };

static void put_member(struct sn_text *out, const char *name, const char *text)
{
    text_print(out, "\"%s\":", name);
    json_put_string(out, text, strlen(text));
}

static void put_file(struct sn_text *out, const struct sn_sync_names *names, uint32_t file)
{
    char words[WORDS_BYTES];
    struct sn_text text;

    text_init(&text, words, sizeof(words));
    words_file(&text, names, file);
    put_member(out, "file", words);
}

static void put_explanation(const struct sync_print *what, struct sync_following *following,
                            struct sn_text *out)
{
    struct sn_conjecture *conjecture = following->conjecture;
    long n = sn_conjecture_explanation(conjecture, NULL, 0);
    struct sn_conjectured_event *hidden =
        pool_alloc(&conjecture->pool, (size_t)n * sizeof(*hidden));

    if (hidden == NULL)
        return;
    (void)sn_conjecture_explanation(conjecture, hidden, (size_t)n);
    text_puts(out, ",\"explanation\":[");
    for (long i = 0; i < n; i++) {
        text_print(out, "%s{\"before\":%zu,\"hidden\":\"%s\",\"node\":%u,", i == 0 ? "" : ",",
                   hidden[i].before + 1, hidden[i].hidden == SYNC_UP ? "up" : "down",
                   hidden[i].variant % what->n_nodes + 1);
        put_file(out, what->names, hidden[i].part);
        text_putc(out, '}');
    }
    text_putc(out, ']');
}

static void put_stuck(const struct sync_print *what, size_t i, struct sn_text *out)
{
    const struct sn_sync_event *event = &what->events[i];
    char words[WORDS_BYTES];
    struct sn_text text;

    text_init(&text, words, sizeof(words));
    words_event(&text, what->names, what->n_nodes, false, event);
    text_print(out, ",\"stuck\":{\"event\":%zu,", i + 1);
    if (what->lines != NULL)
        text_print(out, "\"line\":%" PRIu64 ",", what->lines[i]);
    if (event->kind != SN_SYNC_STABILIZE)
        text_print(out, "\"node\":%u,", event->node + 1);
    put_file(out, what->names, event->file);
    text_putc(out, ',');
    put_member(out, "text", words);
    text_putc(out, '}');
}

static void put_states(const struct sync_print *what, struct sync_following *following, size_t at,
                       struct sn_text *out)
{
    struct sn_conjecture *conjecture = following->conjecture;
    const struct sn_sync_event *event = &what->events[at];
    size_t n = sn_conjecture_possible(conjecture, event->file);
    char words[WORDS_BYTES];

    text_print(out, ",\"possible\":%zu,\"states\":[", n);
    for (size_t i = 0; i < n && i < SYNC_STATES_SHOWN; i++) {
        char *why;

        (void)sn_conjecture_refusal(conjecture, event->file, i, event->kind, event, words,
                                    sizeof(words));
        why = strchr(words, '\n');
        if (why != NULL)
            *why++ = '\0';
        text_puts(out, i == 0 ? "{" : ",{");
        put_member(out, "state", words);
        text_putc(out, ',');
        put_member(out, "why", why != NULL ? why : "");
        text_putc(out, '}');
    }
    text_putc(out, ']');
}

int sync_print_json(const struct sync_print *what, struct sn_text *out)
{
    struct sync_following following = {
        {sn_sync_rules_find(what->rules), what->n_nodes, what->names}, NULL};
    enum sn_conjectured verdict = SN_CONJECTURED_YES;
    size_t i;

    for (i = 0; i < what->n; i++)
        if (sync_nonsense(what->n_nodes, &what->events[i]) != NULL)
            return SN_EINVAL;
    if (following_open(&following, sync_count_files(what->events, what->n), what->limits, true,
                       NULL, 0) != NULL)
        return SN_EINVAL;
    for (i = 0; i < what->n; i++) {
        verdict = following_feed(&following, &what->events[i]);
        if (verdict != SN_CONJECTURED_YES)
            break;
    }
    put_explanation(what, &following, out);
    if (verdict != SN_CONJECTURED_YES)
        put_stuck(what, i, out);
    if (verdict == SN_CONJECTURED_NO)
        put_states(what, &following, i, out);
    following_done(&following);
    return 0;
}
