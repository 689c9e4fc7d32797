/* explain_changes.c - what a step changes, in words: states, notes, and what clients get to know.
 * SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include "base/text.h"

#include <string.h>

static void put_text(struct sn_text *out, struct trace_text text)
{
    text_add(out, text.bytes, text.n);
}

/* «S1: Candidate -> Leader». The first state of a machine is no change. */
static bool put_state(struct sn_text *out, const struct trace_record *r)
{
    if (r->state.how == TRACE_HOW_HALT)
        text_print(out, "%s: %s -> halted", r->state.task, r->state.state);
    else if (r->state.was != NULL)
        text_print(out, "%s: %s -> %s", r->state.task, r->state.was, r->state.state);
    return r->state.how == TRACE_HOW_HALT || r->state.was != NULL;
}

static bool put_operation(struct sn_text *out, const struct trace_record *r)
{
    static const char *const how[] = {
        [TRACE_OPERATION_CALL] = "calls",
        [TRACE_OPERATION_RETURN] = "gets",
        [TRACE_OPERATION_FAIL] = "fails in",
    };

    text_print(out, "%s %s ", r->operation.process, how[r->operation.what]);
    put_text(out, r->operation.text);
    return true;
}

/* What a program does to its disk is noted each time: it would hide what it says itself. What a
 * crash does to that is another matter («disk of server 1: lost: ...»). */
static bool is_of_disk(struct trace_text text)
{
    static const char prefix[] = "disk: ";

    return text.n >= sizeof(prefix) - 1 && memcmp(text.bytes, prefix, sizeof(prefix) - 1) == 0;
}

static bool put_change(struct sn_text *out, const struct trace_record *r)
{
    switch (r->kind) {
    case TRACE_STATE:
        return put_state(out, r);
    case TRACE_OPERATION:
        return put_operation(out, r);
    case TRACE_NOTE:
        put_text(out, r->note.text);
        return !is_of_disk(r->note.text);
    default:
        return false;
    }
}

bool explaining_step_changes(const struct trace *trace, uint64_t step, char *words, size_t size)
{
    const struct trace_record *r = &trace->records[trace->step_index[step]] + 1;
    const struct trace_record *end = trace->records + trace->n_records;
    struct sn_text out;
    bool is_any = false;

    text_init(&out, words, size);
    for (; r < end && r->kind != TRACE_STEP; r++) {
        char one[EXPLANATION_WORDS];
        struct sn_text text;

        text_init(&text, one, sizeof(one));
        if (!put_change(&text, r))
            continue;
        text_print(&out, "%s%s", is_any ? "; " : "", one);
        is_any = true;
    }
    return is_any;
}
