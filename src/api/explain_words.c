/* explain_words.c - operations in words, as a person would say what happens.
 * SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

enum { PAYLOAD_MAX = 110 };

static void put_payload(struct sn_text *out, struct trace_text payload)
{
    size_t n = payload.n < PAYLOAD_MAX ? payload.n : PAYLOAD_MAX;

    if (payload.bytes == NULL || payload.n == 0)
        return;
    while (n < payload.n && n > 0 && ((unsigned char)payload.bytes[n] & 0xC0) == 0x80)
        n--; /* not within a character */
    text_puts(out, " (");
    text_add(out, payload.bytes, n);
    text_puts(out, n < payload.n ? "...)" : ")");
}

/* ---- Faults --------------------------------------------------------------------------------- */

/* What becomes of a fault, perhaps in a later step: the operation and the record of its effect. */
static const char *effect_of(const char *fault)
{
    static const char *const effects[][2] = {
        {"crash", "crash"},
        {"stop", "stop"},
        {"restart", "restart"},
        {"partition", "cut"},
        {"heal", "heal"},
        {"drop", "lost"},
        {"duplicate", "duplicated"},
        {"delay", "delayed"},
        {"disk error", "disk-error"},
        {"reset", "reset"},
        {"short transfer", "short-transfer"},
    };

    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
        if (strcmp(effects[i][0], fault) == 0)
            return effects[i][1];
    }
    return NULL;
}

static bool is_fault(const struct trace_record *r, const char *name)
{
    return r->kind == TRACE_STEP && r->step.op == TRACE_OP_FAULT &&
           strcmp(r->step.event, name) == 0;
}

static bool is_effect(const struct trace_record *r, const char *effect)
{
    return r->kind == TRACE_FAULT && strcmp(r->fault.what, effect) == 0;
}

/* The effects of faults of one kind, and the one of the fault in this step. */
struct effects {
    uint32_t effects;
    const struct trace_record *own; /* NULL: it is not known which is its own */
    uint64_t step;                  /* in which that happened */
};

/* Faults of one kind whose effects are still to come. */
struct waiting {
    uint32_t n;
    bool has_own;       /* the fault that is asked about is among them */
    bool is_mixed;      /* an effect may have been any one's of them */
    uint64_t step;      /* that is looked at, ... */
    bool is_fault_step; /* ... which is a fault of the kind */
};

static void take_effect(struct effects *found, struct waiting *w, const struct trace_record *r)
{
    bool is_only = w->n == 1 && !w->is_mixed;

    found->effects++;
    if (w->n == 0)
        return;
    if (is_only && w->has_own) {
        found->own = r;
        found->step = w->step;
    }
    w->is_mixed = !is_only;
    w->n--;
    if (w->n == 0)
        *w = (struct waiting){.step = w->step};
    w->has_own &= !is_only;
}

/* A fault strikes at once, or the next message of a node, or what it does next, so that its effect
 * comes later. What comes in the step of a fault is its own; what comes elsewhere is that of the
 * one that waits, and where several do it could be any one's. */
static struct effects find_effects(const struct trace *trace, uint64_t step, const char *effect)
{
    const struct trace_record *fault = &trace->records[trace->step_index[step]];
    struct effects found = {0};
    struct waiting w = {0};

    for (size_t i = 0; i < trace->n_records; i++) {
        const struct trace_record *r = &trace->records[i];

        if (r->kind == TRACE_STEP) {
            w.step = r->step.number;
            w.is_fault_step = is_fault(r, fault->step.event);
            w.n += w.is_fault_step;
            w.has_own |= r == fault;
        } else if (is_effect(r, effect) && w.is_fault_step) {
            found.effects++;
            if (w.step == step) {
                found.own = r;
                found.step = step;
                w.has_own = false;
            }
            w.n--;
            w.is_fault_step = false;
        } else if (is_effect(r, effect)) {
            take_effect(&found, &w, r);
        }
    }
    return found;
}

/* What a fault did, to whom, and when. */
static void put_fault(struct sn_text *out, const struct trace *trace, uint64_t step)
{
    const struct trace_record *r = &trace->records[trace->step_index[step]];
    const char *effect = effect_of(r->step.event);
    struct effects found;

    text_print(out, "fault: %s", r->step.event);
    if (effect == NULL)
        return;
    found = find_effects(trace, step, effect);
    if (found.own == NULL) {
        text_puts(out, found.effects == 0 ? " (without effect)" : "");
        return;
    }
    if (found.own->fault.event != NULL)
        text_print(out, " of %s from %s to %s", found.own->fault.event, found.own->fault.from,
                   found.own->fault.to);
    else if (found.own->fault.node != NULL)
        text_print(out, " of %s", found.own->fault.node);
    if (found.step > step)
        text_print(out, ", which strikes in step %" PRIu64, found.step);
}

/* Whether what a fault strikes is drawn under this label: «crash of» by the one called «crash». */
static bool chooses(const char *fault, const char *label)
{
    size_t n = strlen(fault);

    return (strncmp(label, fault, n) == 0 && strcmp(label + n, " of") == 0) ||
           (strcmp(fault, "partition") == 0 && strcmp(label, "cut off") == 0);
}

void explaining_value_words(const struct trace *trace, uint64_t step, const char *label,
                            uint64_t value, char *words)
{
    const struct trace_record *r = NULL;
    const char *effect = NULL;
    struct effects found = {0};
    struct sn_text out;

    text_init(&out, words, EXPLANATION_WORDS);
    text_print(&out, "%" PRIu64, value);
    if (trace == NULL || step == 0 || step > trace->n_steps)
        return;
    r = &trace->records[trace->step_index[step]];
    if (r->step.op == TRACE_OP_FAULT && chooses(r->step.event, label))
        effect = effect_of(r->step.event);
    if (effect != NULL)
        found = find_effects(trace, step, effect);
    if (found.own != NULL && found.own->fault.node != NULL)
        text_print(&out, " (%s)", found.own->fault.node);
}

/* What goes wrong in a step. */
static void put_effects(struct sn_text *out, const struct trace *trace, uint64_t step)
{
    const struct trace_record *r = &trace->records[trace->step_index[step]] + 1;
    const struct trace_record *end = trace->records + trace->n_records;

    for (; r < end && r->kind != TRACE_STEP; r++) {
        if (is_effect(r, "crash") || is_effect(r, "stop"))
            text_print(out, "; %s %s in it", r->fault.node,
                       is_effect(r, "stop") ? "stops" : "crashes");
        else if (is_effect(r, "lost") && r->fault.event != NULL)
            text_print(out, "; %s to %s is lost", r->fault.event, r->fault.to);
        else if (is_effect(r, "duplicated") && r->fault.event != NULL)
            text_print(out, "; %s to %s is doubled", r->fault.event, r->fault.to);
        else if (is_effect(r, "delayed") && r->fault.event != NULL)
            text_print(out, "; %s to %s is delayed", r->fault.event, r->fault.to);
        else if (is_effect(r, "disk-error"))
            text_print(out, "; a disk operation fails on %s", r->fault.node);
        else if (is_effect(r, "reset"))
            text_print(out, "; a connection is reset on %s", r->fault.node);
        else if (is_effect(r, "short-transfer"))
            text_print(out, "; a transfer is short on %s", r->fault.node);
    }
}

/* ---- Steps ---------------------------------------------------------------------------------- */

void explaining_step_words(const struct trace *trace, uint64_t step, char *words, size_t size)
{
    const struct trace_record *r;
    struct sn_text out;

    text_init(&out, words, size);
    if (step == 0 || step > trace->n_steps)
        return;
    r = &trace->records[trace->step_index[step]];
    switch (r->step.op) {
    case TRACE_OP_START:
        text_print(&out, "%s starts", r->step.task);
        break;
    case TRACE_OP_TIMER:
        text_print(&out, "%s's timer %s fires", r->step.task, r->step.event);
        break;
    case TRACE_OP_FAULT:
        put_fault(&out, trace, step);
        return;
    case TRACE_OP_DELIVER:
        text_print(&out, "%s handles %s", r->step.task, r->step.event);
        break;
    case TRACE_OP_PROCESS:
        text_print(&out, "%s does \"%s\"", r->step.task, r->step.event);
        break;
    }
    put_payload(&out, r->step.payload);
    if (r->step.op == TRACE_OP_DELIVER && r->step.from != NULL)
        text_print(&out, " from %s", r->step.from);
}

void explaining_step_story(const struct trace *trace, uint64_t step, char *words, size_t size)
{
    struct sn_text out;

    explaining_step_words(trace, step, words, size);
    if (step == 0 || step > trace->n_steps ||
        trace->records[trace->step_index[step]].step.op == TRACE_OP_FAULT)
        return;
    text_init(&out, words + strlen(words), size - strlen(words));
    put_effects(&out, trace, step);
}

bool explaining_sent_words(const struct trace *trace, uint64_t id, char *words, size_t size)
{
    const char *from = NULL;
    struct sn_text out;

    for (size_t i = 0; i < trace->n_records; i++) {
        const struct trace_record *r = &trace->records[i];

        if (r->kind == TRACE_STEP)
            from = r->step.task;
        if (r->kind != TRACE_SEND || r->send.id != id)
            continue;
        text_init(&out, words, size);
        text_print(&out, "%s handles %s", r->send.to, r->send.event);
        put_payload(&out, r->send.payload);
        if (from != NULL)
            text_print(&out, " from %s", from);
        return true;
    }
    return false;
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* Who draws which value: «the test draws "size"». */
static void put_draw(struct sn_text *out, const char *task, const char *label)
{
    if (task[0] == '\0' || strcmp(task, "nobody") == 0)
        text_print(out, "the test draws \"%s\"", label);
    else if (strcmp(task, "faults") == 0)
        text_print(out, "the faults draw \"%s\"", label);
    else
        text_print(out, "%s draws \"%s\"", task, label);
}

/* The same by name: who does what, and which of several. */
static void put_name(struct sn_text *out, const struct opnames *names, uint32_t number)
{
    const struct opname *name = opnames_get(names, number);
    const char *event = opnames_get_text(names, name->event);
    const char *task = opnames_get_text(names, name->task);
    const char *from = opnames_get_text(names, name->from);

    switch (name->kind) {
    case SN_OP_START:
        text_print(out, "%s starts", task);
        break;
    case SN_OP_TIMER:
        text_print(out, "%s's timer %s fires", task, event);
        break;
    case SN_OP_FAULT:
        text_print(out, "fault: %s", event);
        break;
    case SN_OP_PROCESS:
        text_print(out, "%s does \"%s\"", task, event);
        break;
    case OPNAME_DRAW:
        put_draw(out, task, event);
        text_puts(out, name->number == 0 ? " each time" : "");
        break;
    default:
        text_print(out, "%s handles %s", task, event);
        break;
    }
    if (name->has_key != 0)
        text_print(out, " [%" PRIu64 "]", name->key);
    if (name->from != 0 && name->kind == SN_OP_DELIVER && strcmp(from, "nobody") != 0)
        text_print(out, " from %s", from);
    if (name->number > 1)
        text_print(out, " (number %" PRIu32 ")", name->number);
}

void explaining_add_number(const struct opnames *names, uint32_t name, char *words, size_t size)
{
    const struct opname *one = opnames_get(names, name);
    size_t used = strlen(words);
    struct sn_text out;

    text_init(&out, words + used, size - used);
    if (one->number > 1)
        text_print(&out, " (number %" PRIu32 ")", one->number);
    else if (one->number == 0 &&
             (one->kind == SN_OP_DELIVER || one->kind == SN_OP_TIMER || one->kind == SN_OP_PROCESS))
        text_puts(&out, " (any)");
}

void explaining_name_words(const struct opnames *names, uint32_t name, char *words, size_t size)
{
    uint32_t anchor = opnames_get(names, name)->anchor;
    struct sn_text out;

    text_init(&out, words, size);
    if (anchor == 0) {
        put_name(&out, names, name);
        return;
    }
    text_puts(&out, "the first \"");
    put_name(&out, names, name);
    text_puts(&out, "\" after \"");
    put_name(&out, names, anchor);
    text_puts(&out, "\"");
}
