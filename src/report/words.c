/* words.c - see words.h. SPDX-License-Identifier: MIT */
#include "report/words.h"

#include "report/show.h"

#include <inttypes.h>
#include <string.h>

enum {
    SENTENCE_SIZE = 4096, /* bytes; what a record says is cut to it even where nothing is */
};

void words_name(struct sn_text *out, const char *name)
{
    (void)show_put(out, trace_text_of(name), SIZE_MAX);
}

const char *words_left_state(const struct trace_record *r)
{
    return r->state.how == TRACE_HOW_HALT ? r->state.state : r->state.was;
}

void words_change(struct sn_text *out, const struct trace_record *r, bool has_first)
{
    if (words_left_state(r) != NULL && !has_first)
        words_name(out, words_left_state(r));
    text_puts(out, words_left_state(r) != NULL ? " -> " : "-> ");
    words_name(out, r->state.how == TRACE_HOW_HALT ? "halted" : r->state.state);
    if (r->state.how == TRACE_HOW_PUSH)
        text_puts(out, " (push)");
    if (r->state.how == TRACE_HOW_POP)
        text_puts(out, " (pop)");
}

bool words_is_change_of(const struct trace_record *r, const char *task)
{
    return r->kind == TRACE_STATE && task != NULL && strcmp(r->state.task, task) == 0;
}

void words_changes(struct sn_text *out, const struct trace *trace, uint64_t step)
{
    const char *task = step == 0 ? NULL : trace->records[trace->step_index[step]].step.task;
    const struct trace_record *before = NULL;
    size_t n;
    const struct trace_record *r = show_details(trace, step, &n);

    for (size_t i = 0; i < n; i++) {
        bool is_next;

        if (!words_is_change_of(&r[i], task))
            continue;
        is_next = before != NULL && words_left_state(&r[i]) != NULL &&
                  strcmp(words_left_state(&r[i]), before->state.state) == 0;
        if (before != NULL && !is_next)
            text_puts(out, ", ");
        words_change(out, &r[i], is_next);
        before = &r[i];
    }
}

void words_draws(struct sn_text *out, const struct trace *trace, uint64_t step)
{
    const char *before = "choose ";
    size_t n;
    const struct trace_record *r = show_details(trace, step, &n);

    for (size_t i = 0; i < n; i++) {
        if (r[i].kind != TRACE_DRAW)
            continue;
        text_puts(out, before);
        before = ", ";
        words_name(out, r[i].draw.label);
        text_print(out, "=%" PRIu64 "/%" PRIu64, r[i].draw.value, r[i].draw.of);
    }
}

void words_step(struct sn_text *out, const struct trace_record *step)
{
    words_name(out, step->step.op == TRACE_OP_START ? "start" : step->step.event);
    if (step->step.op == TRACE_OP_TIMER) {
        text_puts(out, " (timer)");
    } else if (step->step.from != NULL) {
        text_puts(out, " <- ");
        words_name(out, step->step.from);
    }
}

static void put_with_payload(struct sn_text *out, struct trace_text payload)
{
    if (payload.bytes == NULL)
        return;
    text_puts(out, "  ");
    (void)show_put(out, payload, SIZE_MAX);
}

static void put_timer(struct sn_text *out, const struct trace_record *r)
{
    text_puts(out, r->timer.what == TRACE_TIMER_CANCEL ? "cancels timer " : "starts timer ");
    words_name(out, r->timer.event);
    if (r->timer.what == TRACE_TIMER_START_ANY)
        text_puts(out, ", at any moment");
    if (r->timer.what == TRACE_TIMER_START) {
        text_puts(out, ", in ");
        show_put_time(out, r->timer.delay_ns);
    }
}

void words_phrase(struct sn_text *out, const char *verb, const char *name, const char *word,
                  const char *to)
{
    text_puts(out, verb);
    words_name(out, name);
    if (to == NULL)
        return;
    text_puts(out, word);
    words_name(out, to);
}

/* What happened, said of a message or of a node. */
static void put_fault(struct sn_text *out, const struct trace_record *r)
{
    static const struct {
        const char *what;
        const char *before; /* the node, if there is one */
        const char *after;
    } phrases[] = {
        {"crash", "", " crashes"},
        {"stop", "", " stops"},
        {"restart", "", " starts again"},
        {"cut", "the network is cut around ", ""},
        {"heal", "the network is whole again", ""},
        {"disk-error", "a disk operation fails on ", ""},
        {"reset", "a connection is reset on ", ""},
        {"short-transfer", "a transfer is short on ", ""},
    };

    for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++) {
        if (strcmp(phrases[i].what, r->fault.what) == 0) {
            words_phrase(out, phrases[i].before, r->fault.node != NULL ? r->fault.node : "", "",
                         NULL);
            text_puts(out, phrases[i].after);
            return;
        }
    }
    words_name(out, r->fault.what);
    if (r->fault.event != NULL)
        words_phrase(out, ": ", r->fault.event, " from ", r->fault.from);
    if (r->fault.to != NULL)
        words_phrase(out, " to ", r->fault.to, "", NULL);
}

/* What a client did, or what became of it. */
static void put_operation(struct sn_text *out, const struct trace_record *r)
{
    static const char *const verbs[] = {[TRACE_OPERATION_CALL] = " calls ",
                                        [TRACE_OPERATION_RETURN] = " returns from ",
                                        [TRACE_OPERATION_FAIL] = " fails without effect: "};

    words_phrase(out, "", r->operation.process, verbs[r->operation.what], "");
    (void)show_put(out, r->operation.text, SIZE_MAX);
}

void words_record(struct sn_text *out, const struct trace_record *r)
{
    switch (r->kind) {
    case TRACE_SEND:
        words_phrase(out, "sends ", r->send.event, " to ", r->send.to);
        put_with_payload(out, r->send.payload);
        break;
    case TRACE_CREATE:
        words_phrase(out, "creates ", r->create.name, " (", r->create.type);
        text_putc(out, ')');
        break;
    case TRACE_STATE:
        words_phrase(out, "", r->state.task, ": ", "");
        words_change(out, r, false);
        break;
    case TRACE_MONITOR:
        words_phrase(out, "", r->monitor.monitor, " gets ", r->monitor.event);
        put_with_payload(out, r->monitor.payload);
        break;
    case TRACE_TIMER:
        put_timer(out, r);
        break;
    case TRACE_IGNORED:
        words_phrase(out, "ignores ", r->ignored.event, "", NULL);
        break;
    case TRACE_DROPPED:
        words_phrase(out, "drops ", r->dropped.event, " for ", r->dropped.to);
        break;
    case TRACE_RAISE:
        words_phrase(out, "raises ", r->raise.event, "", NULL);
        put_with_payload(out, r->raise.payload);
        break;
    case TRACE_FAULT:
        put_fault(out, r);
        break;
    case TRACE_OPERATION:
        put_operation(out, r);
        break;
    case TRACE_MEMORY:
        words_phrase(out, "", r->memory.task, " has ", "");
        (void)show_put(out, r->memory.text, SIZE_MAX);
        break;
    case TRACE_STEP:
    case TRACE_DRAW:
    case TRACE_NOTE:
    case TRACE_ILLEGAL:
    case TRACE_CORE:
    case TRACE_SHRUNK:
    case TRACE_HOLD:
    case TRACE_OUTPUT:
    case TRACE_KINDS:
        break;
    }
}

bool words_is_told(const struct trace_record *r, const char *task, bool is_all)
{
    static const struct {
        bool is_never;  /* it is shown elsewhere */
        bool is_always; /* even to those who do not want all */
    } kinds[TRACE_KINDS] = {
        [TRACE_STEP] = {.is_never = true},       [TRACE_DRAW] = {.is_never = true},
        [TRACE_SHRUNK] = {.is_never = true},     [TRACE_HOLD] = {.is_never = true},
        [TRACE_ILLEGAL] = {.is_never = true},    [TRACE_CORE] = {.is_never = true},
        [TRACE_NOTE] = {.is_always = true},      [TRACE_OUTPUT] = {.is_always = true},
        [TRACE_STATE] = {.is_always = true},     [TRACE_FAULT] = {.is_always = true},
        [TRACE_OPERATION] = {.is_always = true},
    };

    if (kinds[r->kind].is_never || words_is_change_of(r, task))
        return false;
    return is_all || kinds[r->kind].is_always;
}

void words_told(struct sn_text *out, const struct trace_record *r, size_t columns)
{
    static const char note[] = "note: ";
    static const char output[] = "prints: ";
    char buffer[SENTENCE_SIZE];
    struct sn_text sentence;

    if (r->kind == TRACE_NOTE || r->kind == TRACE_OUTPUT) {
        const char *before = r->kind == TRACE_NOTE ? note : output;
        size_t used = strlen(before);

        text_puts(out, before);
        (void)show_put(out, r->kind == TRACE_NOTE ? r->note.text : r->output.text,
                       columns > used ? columns - used : 0);
        return;
    }
    text_init(&sentence, buffer, sizeof(buffer));
    words_record(&sentence, r);
    words_end(&sentence);
    (void)show_put(out, (struct trace_text){buffer, sentence.used}, columns);
}

bool words_is_lost(const struct trace_record *fault)
{
    return strcmp(fault->fault.what, "delayed") != 0 &&
           strcmp(fault->fault.what, "duplicated") != 0;
}

void words_end(struct sn_text *words)
{
    static const char dots[] = "...";
    size_t n = words->size - sizeof(dots);

    if (!words->cut)
        return;
    while (n > 0 && ((unsigned char)words->buffer[n] & 0xc0) == 0x80)
        n--;
    words->used = n;
    words->cut = false;
    text_puts(words, dots);
}
