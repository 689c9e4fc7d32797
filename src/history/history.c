/* history.c - see history.h.
 *
 * A process has at most one operation that is open, found by a table of processes. An operation is
 * appended when it is invoked; its completion fills in the rest. One that failed is marked, and
 * taken out when everything has been read. SPDX-License-Identifier: MIT
 */
#include "history/history.h"

#include "history/drain.h"
#include "history/edn.h"
#include "history/shape.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS_FIRST = 256,
    SCRATCH_MAX = 256 << 20,
};

struct history_process {
    uint32_t process;
    bool is_used;
    bool has_crashed; /* its last operation is unknown: it must not go on */
    bool is_open;
    bool is_draining; /* what is open is a drain */
    size_t operation; /* the last one */
};

static struct sn_operation *operation_at(const struct history *h, size_t i)
{
    sn_check(i < h->n);
    return (struct sn_operation *)h->operations.base + i;
}

const struct sn_operation *history_operations(const struct history *h)
{
    return h->operations.base;
}

int history_fail_memory(struct history *h)
{
    return source_fail(h->source, SN_ENOMEM, h->source->line, h->why,
                       "there is not enough memory to read on");
}

const char *history_quote(const char *bytes, size_t n, char out[48])
{
    size_t i;

    for (i = 0; i < 40 && i < n; i++)
        out[i] = bytes[i] >= 0x20 && bytes[i] < 0x7f ? bytes[i] : '?';
    (void)snprintf(out + i, 48 - i, "%s", i < n ? "..." : "");
    return out;
}

enum history_type history_type_of(const char *name, size_t n)
{
    static const char *const names[] = {"invoke", "ok", "fail", "info"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
            return (enum history_type)(HISTORY_INVOKE + i);
    }
    return 0;
}

int history_index(struct history *h, uint64_t line, int64_t index)
{
    if (index == -1)
        return 0; /* what Knossos has where there is none */
    if (index < 0)
        return history_fail(h, line, ":index %" PRId64 " is below 0", index);
    if (h->has_index && (uint64_t)index == h->last_index)
        return history_fail(h, line, ":index %" PRId64 " is there twice", index);
    if (h->has_index && (uint64_t)index < h->last_index)
        return history_fail(h, line,
                            ":index %" PRId64 " comes after %" PRIu64
                            ": the history is not in its order, or has it twice",
                            index, h->last_index);
    h->has_index = true;
    h->last_index = (uint64_t)index;
    return 0;
}

/* ---- Processes ------------------------------------------------------------------------------ */

static struct history_process *slot_of(const struct history *h, uint32_t process)
{
    struct history_process *slots = h->processes.base;
    size_t i = (process * (size_t)0x9e3779b1) & (h->n_slots - 1);

    while (slots[i].is_used && slots[i].process != process)
        i = (i + 1) & (h->n_slots - 1);
    return &slots[i];
}

static int grow_processes(struct history *h)
{
    struct grow old = h->processes;
    size_t n_old = h->n_slots;
    size_t n = n_old == 0 ? SLOTS_FIRST : 2 * n_old;

    h->processes = (struct grow){0};
    if (grow_to(&h->processes, n, sizeof(struct history_process)) < 0) {
        h->processes = old;
        return history_fail_memory(h);
    }
    h->n_slots = n;
    for (size_t i = 0; i < n_old; i++) {
        const struct history_process *p = (struct history_process *)old.base + i;

        if (p->is_used)
            *slot_of(h, p->process) = *p;
    }
    grow_done(&old);
    return 0;
}

static int find_process(struct history *h, uint32_t process, struct history_process **out)
{
    if (h->n_processes >= h->n_slots / 2) {
        int rc = grow_processes(h);

        if (rc < 0)
            return rc;
    }
    *out = slot_of(h, process);
    if (!(*out)->is_used) {
        h->n_processes++;
        **out = (struct history_process){.process = process, .is_used = true};
    }
    return 0;
}

/* ---- Values --------------------------------------------------------------------------------- */

static bool is_nil(const struct form *form)
{
    return form == NULL || form->type == FORM_NIL;
}

/* The number that a form stands for. */
static int value_of(struct history *h, const struct form *form, sn_value *out)
{
    const char *text;
    uint32_t number;
    size_t n;

    *out = SN_VALUE_NIL;
    if (form == NULL || form->type == FORM_NIL)
        return 0;
    if (form->type == FORM_BOOL || (form->type == FORM_INT && form->number > -SN_VALUE_TEXTS &&
                                    form->number < SN_VALUE_TEXTS)) {
        *out = form->number;
        return 0;
    }
    text = form_text(&h->scratch, form, &n);
    if (text == NULL || texts_add(&h->texts, text, n, &number) < 0)
        return history_fail_memory(h);
    *out = SN_VALUE_TEXTS + (sn_value)number;
    return 0;
}

/* The elements of a list, or of a set, in their order. Nil has none. */
static int elements_of(struct history *h, const struct form *form, sn_value **out, size_t *n)
{
    *n = 0;
    form = form_untag(form);
    *out = arena_array(&h->scratch, is_nil(form) ? 0 : form->n, sizeof(**out));
    if (*out == NULL)
        return history_fail_memory(h);
    if (is_nil(form))
        return 0;
    for (const struct form *member = form->first; member != NULL; member = member->next) {
        int rc = value_of(h, member, &(*out)[(*n)++]);

        if (rc < 0)
            return rc;
    }
    return 0;
}

static int compare_values(const void *a, const void *b)
{
    const sn_value *x = a;
    const sn_value *y = b;

    return (*x > *y) - (*x < *y);
}

/* The value of a whole list or set, as the models have it. */
static int whole_of(struct history *h, const struct history_event *event, const struct form *form,
                    bool is_set, sn_value *out)
{
    const struct form *plain = form_untag(form);
    sn_value *elements;
    size_t n;
    int rc;

    if (!is_nil(plain) && plain->type != FORM_VECTOR && !(is_set && plain->type == FORM_SET))
        return history_fail(h, event->line, "%s was read, but the value is none",
                            is_set ? "a whole set" : "a list");
    rc = elements_of(h, plain, &elements, &n);
    if (rc < 0)
        return rc;
    if (is_set)
        qsort(elements, n, sizeof(*elements), compare_values);
    return wholes_add(&h->wholes, elements, n, is_set, out) < 0 ? history_fail_memory(h) : 0;
}

const sn_value *history_elements(void *self, sn_value value, size_t *n)
{
    const struct history *h = self;
    const struct whole *whole = wholes_find(&h->wholes, value);

    *n = whole == NULL ? 0 : whole->n;
    return whole == NULL ? NULL : whole->elements;
}

/* The vector without its first member. */
static int without_first(struct history *h, const struct form *vector, const struct form **out)
{
    struct form *rest = arena_alloc(&h->scratch, sizeof(*rest));

    if (rest == NULL)
        return history_fail_memory(h);
    *rest = *vector;
    rest->first = vector->first->next;
    rest->n--;
    *out = rest;
    return 0;
}

/* Takes [key value] apart, if keys are told like this; a cas may also be [key expected new]. */
static int split_key(struct history *h, const struct history_event *event, uint32_t function,
                     const struct form **key, const struct form **value)
{
    const struct form *pair = form_untag(event->value);
    const char *name = h->options.model->functions[function].name;
    bool is_map = strcmp(h->options.model->name, "map") == 0;

    *key = event->key;
    *value = event->value;
    if (event->type == HISTORY_INVOKE) {
        if (h->n == 0)
            h->has_keys_apart = event->key != NULL;
        if (h->has_keys_apart != (event->key != NULL))
            return history_fail(h, event->line,
                                h->has_keys_apart ? "there is no key here, but in lines before"
                                                  : "there is a key here, but not in lines "
                                                    "before");
    }
    if (h->has_keys_apart || (!h->options.is_independent && !is_map))
        return 0;
    if (pair != NULL && pair->type == FORM_VECTOR && pair->n == 2) {
        *key = pair->first;
        *value = pair->first->next;
        return 0;
    }
    if (pair != NULL && pair->type == FORM_VECTOR && pair->n == 3 &&
        shape_find(h->options.model, name)->arguments == 2) {
        *key = pair->first;
        return without_first(h, pair, value);
    }
    if (event->type != HISTORY_INVOKE)
        return 0;
    return history_fail(h, event->line, "%s, so the value must be [key value]",
                        is_map ? "each operation of a map has a key" : "--independent is given");
}

/* ---- Invocations ---------------------------------------------------------------------------- */

static bool has_function(const struct sn_model *model, const char *name, size_t n, uint32_t *out)
{
    for (uint32_t i = 0; model->functions[i].name != NULL; i++) {
        if (strlen(model->functions[i].name) == n &&
            memcmp(model->functions[i].name, name, n) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* Whether it is a drain, which stands for a row of dequeues: *out is that function then. */
static bool is_drain(const struct sn_model *model, const struct history_event *event, uint32_t *out)
{
    static const char drain[] = "drain";
    static const char dequeue[] = "dequeue";
    size_t n = sizeof(drain) - 1;

    return event->n_function == n && memcmp(event->function, drain, n) == 0 &&
           !has_function(model, drain, n, out) &&
           has_function(model, dequeue, sizeof(dequeue) - 1, out);
}

static int find_function(struct history *h, const struct history_event *event, uint32_t *out)
{
    const struct sn_function *functions = h->options.model->functions;
    char quoted[48];
    char all[160];
    struct sn_text list;

    if (has_function(h->options.model, event->function, event->n_function, out) ||
        is_drain(h->options.model, event, out))
        return 0;
    (void)history_quote(event->function, event->n_function, quoted);
    if (strcmp(quoted, "txn") == 0)
        return history_fail(h, event->line,
                            "txn is a transaction of several reads and writes, and linearizability "
                            "is about operations on one object: check it with a checker of "
                            "transactions, such as Elle");
    text_init(&list, all, sizeof(all));
    for (uint32_t i = 0; functions[i].name != NULL; i++)
        text_print(&list, "%s%s", i == 0 ? "" : ", ", functions[i].name);
    return history_fail(h, event->line, "the model %.40s has no function %s; it has %s",
                        h->options.model->name, quoted, all);
}

/* Arguments out of the value of an invocation, or of a completion that says more. */
static int take_arguments(struct history *h, uint64_t line, const struct form *value,
                          struct sn_operation *op)
{
    const char *name = h->options.model->functions[op->function].name;
    const struct shape *shape = shape_find(h->options.model, name);
    const struct form *pair = form_untag(value);
    bool is_pair = pair != NULL && pair->type == FORM_VECTOR && pair->n == 2;
    int rc;

    op->argument[0] = op->argument[1] = SN_VALUE_NIL;
    if (shape->arguments == 0 && is_pair && is_nil(pair->first->next))
        return history_fail(h, line,
                            "%s takes no value, and this one looks like [key value]: "
                            "--independent says that each key is an object of its own",
                            name);
    if (shape->arguments == 0 || is_nil(value))
        return 0;
    if (shape->arguments == 1 || (!is_pair && shape->result == SHAPE_GUESS))
        return value_of(h, value, &op->argument[0]);
    if (!is_pair)
        return history_fail(h, line, "the value of %s must be [expected new]", name);
    rc = value_of(h, pair->first, &op->argument[0]);
    return rc < 0 ? rc : value_of(h, pair->first->next, &op->argument[1]);
}

static bool is_text(sn_value value)
{
    return value >= SN_VALUE_TEXTS;
}

/* Refuses values that the model could make nothing of. */
static int check_values(struct history *h, uint64_t line, const struct sn_operation *op)
{
    sn_value value = is_text(op->argument[0]) ? op->argument[0] : op->result;
    char text[48];
    struct sn_text out;

    if (!is_text(value) || !shape_wants_integers(h->options.model))
        return 0;
    text_init(&out, text, sizeof(text));
    history_print_value(h, value, &out);
    return history_fail(h, line, "values of the model %s must be integers, not %s",
                        h->options.model->name, text);
}

static int set_time(struct history *h, const struct history_event *event, uint64_t *out)
{
    h->events++;
    if (h->events == 1)
        h->has_time = event->has_time;
    if (h->has_time != event->has_time)
        return history_fail(h, event->line,
                            event->has_time ? "there is a time here, but not in lines before"
                                            : "there is no time here, but in lines before");
    *out = event->has_time ? event->time : h->events;
    return 0;
}

static int check_memory(struct history *h)
{
    uint64_t bytes = (h->n + 1) * sizeof(struct sn_operation) + texts_bytes(&h->texts) +
                     wholes_bytes(&h->wholes) + h->processes.mapped;

    if (h->options.memory_mb == 0 || bytes >> 20 < h->options.memory_mb)
        return 0;
    return source_fail(h->source, SN_ENOMEM, h->source->line, h->why,
                       "the operations so far need more than %" PRIu64 " MB", h->options.memory_mb);
}

static int invoke(struct history *h, const struct history_event *event,
                  struct history_process *process)
{
    struct sn_operation op = {.process = event->process, .result = SN_VALUE_NIL};
    const struct form *key;
    const struct form *value;
    int rc = check_memory(h);

    if (process->has_crashed)
        return history_fail(h, event->line,
                            "process %" PRIu32 " goes on, but what became of its operation of line "
                            "%" PRIu64 " is unknown: from there on it must be another process",
                            event->process, operation_at(h, process->operation)->line);
    if (process->is_open)
        return history_fail(h, event->line,
                            "process %" PRIu32 " invokes again, but its operation of line %" PRIu64
                            " has not completed",
                            event->process, operation_at(h, process->operation)->line);
    op.line = event->line;
    op.ret = SN_TIME_NEVER;
    if (rc == 0)
        rc = find_function(h, event, &op.function);
    if (rc == 0)
        rc = split_key(h, event, op.function, &key, &value);
    if (rc == 0 && key != NULL) {
        h->has_keys = true;
        rc = value_of(h, key, &op.key);
    }
    if (rc == 0)
        rc = take_arguments(h, event->line, value, &op);
    if (rc == 0)
        rc = check_values(h, event->line, &op);
    if (rc == 0)
        rc = set_time(h, event, &op.call);
    if (rc < 0)
        return rc;
    if (grow_to(&h->operations, h->n + 1, sizeof(op)) < 0)
        return history_fail_memory(h);
    process->is_open = true;
    process->is_draining = is_drain(h->options.model, event, &op.function);
    process->operation = h->n++;
    *operation_at(h, process->operation) = op;
    return 0;
}

/* ---- Completions ---------------------------------------------------------------------------- */

static int fail_drain(struct history *h, uint64_t line)
{
    return history_fail(h, line,
                        "what a drain took that did not complete is not known, not even "
                        "how much it was: write dequeues instead");
}

static bool repeats(const struct sn_operation *said, const struct sn_operation *op)
{
    return said->argument[0] == op->argument[0] && said->argument[1] == op->argument[1];
}

/* The value of a completion that should repeat the arguments: if the invocation had none they are
 * taken from it. */
static int take_echo(struct history *h, uint64_t line, const struct form *value,
                     struct sn_operation *op)
{
    struct sn_operation said = *op;
    const char *name = h->options.model->functions[op->function].name;
    const struct shape *shape = shape_find(h->options.model, name);
    int rc = 0;

    if (is_nil(value))
        return 0;
    if (shape->arguments > 0)
        rc = take_arguments(h, line, value, &said);
    if (rc < 0)
        return rc;
    if (op->argument[0] == SN_VALUE_NIL && op->argument[1] == SN_VALUE_NIL)
        *op = said;
    if (repeats(&said, op))
        return 0;
    return history_fail(h, line,
                        "%s completes with another value than it was invoked with in line "
                        "%" PRIu64,
                        name, op->line);
}

static int take_result(struct history *h, const struct history_event *event,
                       const struct form *value, struct sn_operation *op)
{
    const char *name = h->options.model->functions[op->function].name;
    const struct shape *shape = shape_find(h->options.model, name);
    const struct form *result = event->result != NULL ? event->result : value;
    struct sn_operation said = *op;
    bool is_value = shape->result == SHAPE_VALUE || shape->result == SHAPE_GUESS;
    int rc;

    if (shape->result == SHAPE_LIST || shape->result == SHAPE_SET)
        return whole_of(h, event, result, shape->result == SHAPE_SET, &op->result);
    if (event->result == NULL && shape->result == SHAPE_BOOL && value != NULL)
        is_value = value->type == FORM_BOOL;
    if (event->result == NULL && !is_value)
        return take_echo(h, event->line, value, op);
    if (event->result == NULL && shape->result == SHAPE_GUESS && !is_nil(value)) {
        rc = take_arguments(h, event->line, value, &said);
        if (rc < 0 || repeats(&said, op))
            return rc;
    }
    return value_of(h, result, &op->result);
}

static void drop(struct history *h, struct sn_operation *op)
{
    op->function = HISTORY_DROPPED;
    h->n_dropped++;
}

/* A failed cas that tells what it saw is a read; if it is known to have seen something else than it
 * expected, it is a cas with the result false. Everything else that failed is as if it had not
 * been. */
static int take_failure(struct history *h, const struct history_event *event,
                        struct sn_operation *op)
{
    const struct sn_function *functions = h->options.model->functions;
    uint32_t reads = 0;

    if (strcmp(functions[op->function].name, "cas") == 0) {
        while (functions[reads].name != NULL && strcmp(functions[reads].name, "read") != 0)
            reads++;
        if (event->result != NULL && functions[reads].name != NULL) {
            op->function = reads;
            op->argument[0] = op->argument[1] = SN_VALUE_NIL;
            return value_of(h, event->result, &op->result);
        }
        if (h->options.has_failed_cas_seen) {
            op->result = 0;
            return 0;
        }
    }
    drop(h, op);
    return 0;
}

static int same_key(struct history *h, const struct history_event *event, const struct form *key,
                    const struct sn_operation *op)
{
    sn_value said;
    int rc = key == NULL ? 0 : value_of(h, key, &said);

    if (rc < 0 || key == NULL || said == op->key)
        return rc;
    return history_fail(h, event->line,
                        "the operation was invoked with another key in line %" PRIu64, op->line);
}

/* A drain has completed. What stood for it is replaced by the dequeues that it was. */
static int complete_drain(struct history *h, const struct history_event *event, size_t operation)
{
    struct sn_operation op = *operation_at(h, operation);
    const struct form *key;
    const struct form *value;
    const struct form *list;
    sn_value *elements;
    size_t n;
    int rc;

    if (event->type == HISTORY_INFO)
        return fail_drain(h, event->line);
    drop(h, operation_at(h, operation));
    if (event->type == HISTORY_FAIL)
        return 0;
    rc = split_key(h, event, op.function, &key, &value);
    if (rc == 0)
        rc = same_key(h, event, key, &op);
    if (rc < 0)
        return rc;
    list = form_untag(event->result != NULL ? event->result : value);
    if (!is_nil(list) && list->type != FORM_VECTOR)
        return history_fail(h, event->line,
                            "the value of a drain must be the list of what it took");
    rc = elements_of(h, list, &elements, &n);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        op.result = elements[i];
        rc = check_values(h, event->line, &op);
    }
    return rc < 0 ? rc : drain_complete(h, event, &op, elements, n);
}

static int complete(struct history *h, const struct history_event *event,
                    struct history_process *process)
{
    struct sn_operation *op;
    const struct form *key;
    const struct form *value;
    char quoted[48];
    uint64_t time;
    uint32_t function;
    int rc;

    if (!process->is_open)
        return history_fail(h, event->line,
                            "process %" PRIu32 " completes an operation, but has invoked none",
                            event->process);
    op = operation_at(h, process->operation);
    rc = find_function(h, event, &function);
    if (rc == 0)
        rc = set_time(h, event, &time);
    if (rc < 0)
        return rc;
    if (function != op->function ||
        is_drain(h->options.model, event, &function) != process->is_draining)
        return history_fail(
            h, event->line, "process %" PRIu32 " completes %s, but has invoked %s in line %" PRIu64,
            event->process, history_quote(event->function, event->n_function, quoted),
            process->is_draining ? "drain" : h->options.model->functions[op->function].name,
            op->line);
    if (time < op->call)
        return history_fail(h, event->line, "it completes before it was invoked in line %" PRIu64,
                            op->line);
    process->is_open = false;
    process->has_crashed = event->type == HISTORY_INFO;
    if (process->is_draining)
        return complete_drain(h, event, process->operation);
    if (event->type == HISTORY_INFO)
        return 0;
    op->ret = time;
    if (event->type == HISTORY_FAIL)
        return take_failure(h, event, op);
    rc = split_key(h, event, function, &key, &value);
    if (rc == 0)
        rc = same_key(h, event, key, op);
    if (rc == 0)
        rc = take_result(h, event, value, op);
    return rc < 0 ? rc : check_values(h, event->line, op);
}

int history_event(struct history *h, const struct history_event *event)
{
    struct history_process *process;
    int rc = find_process(h, event->process, &process);

    if (rc < 0)
        return rc;
    return event->type == HISTORY_INVOKE ? invoke(h, event, process) : complete(h, event, process);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Takes the operations out that failed. */
static void drop_failed(struct history *h)
{
    size_t n = 0;

    for (size_t i = 0; i < h->n; i++) {
        if (operation_at(h, i)->function != HISTORY_DROPPED)
            *operation_at(h, n++) = *operation_at(h, i);
    }
    h->n = n;
}

/* The format, by the first bytes that are no blanks. */
static enum history_format detect(const unsigned char *at, const unsigned char *end)
{
    static const char blanks[] = " \t\r\n,";
    static const char mark[] = "jepsen.util";

    while (at < end && *at != '\0' && strchr(blanks, *at) != NULL)
        at++;
    if (at == end)
        return HISTORY_DETECT;
    if (*at == '{') {
        do
            at++;
        while (at < end && *at != '\0' && strchr(blanks, *at) != NULL);
        return at < end && *at == '"' ? HISTORY_JSONL : HISTORY_EDN;
    }
    if (strchr("[(#;", *at) != NULL && *at != '\0')
        return HISTORY_EDN;
    if ((*at >= '0' && *at <= '9') || *at == ':')
        return HISTORY_LOG;
    return memmem(at, (size_t)(end - at), mark, sizeof(mark) - 1) != NULL ? HISTORY_LOG
                                                                          : HISTORY_DETECT;
}

/* Some editors begin a file in UTF-8 with a mark of three bytes. */
static void skip_mark(struct source *source)
{
    static const unsigned char mark[3] = {0xef, 0xbb, 0xbf};

    if (source->end - source->at >= 3 && memcmp(source->at, mark, 3) == 0)
        source->at += 3;
}

static int check_drains(struct history *h)
{
    const struct history_process *processes = h->processes.base;

    for (size_t i = 0; i < h->n_slots; i++) {
        if (processes[i].is_used && processes[i].is_open && processes[i].is_draining)
            return fail_drain(h, operation_at(h, processes[i].operation)->line);
    }
    return drain_check_all(h);
}

static int read_source(struct history *h)
{
    static int (*const readers[])(struct history *) = {
        [HISTORY_EDN] = history_read_edn,
        [HISTORY_LOG] = history_read_log,
        [HISTORY_JSONL] = history_read_jsonl,
    };
    int rc;

    (void)source_peek(h->source);
    if (h->source->has_failed) {
        *h->why = h->source->why;
        return SN_EIO;
    }
    skip_mark(h->source);
    h->format = h->options.format != HISTORY_DETECT ? h->options.format
                                                    : detect(h->source->at, h->source->end);
    if (h->format == HISTORY_DETECT && h->source->at != h->source->end)
        return history_fail(h, 1,
                            "this begins like no history: not EDN, no log of Jepsen, no JSON "
                            "Lines; --format says what it is");
    rc = h->format == HISTORY_DETECT ? 0 : readers[h->format](h);
    if (rc < 0)
        return rc;
    if (h->n == 0)
        return history_fail(h, 0, "there is no operation of a client in it");
    rc = check_drains(h);
    drop_failed(h);
    return rc;
}

static void begin(struct history *h, const struct history_options *options, struct source *source,
                  struct err *why)
{
    sn_check(options->model != NULL);
    *h = (struct history){.options = *options, .source = source, .why = why};
    arena_init(&h->scratch, SCRATCH_MAX);
}

static void end(struct history *h, struct source *source)
{
    source_close(source);
    arena_done(&h->scratch);
    grow_done(&h->processes);
    h->source = NULL;
    h->why = NULL;
}

int history_read(struct history *h, const char *path, const struct history_options *options,
                 struct err *why)
{
    struct source source;
    int rc;

    begin(h, options, &source, why);
    rc = source_open(&source, path, why);
    if (rc < 0)
        return rc;
    source.on_read = options->on_read;
    source.self = options->self;
    rc = read_source(h);
    end(h, &source);
    return rc;
}

int history_parse(struct history *h, const char *name, const char *bytes, size_t n,
                  const struct history_options *options, struct err *why)
{
    struct source source;
    int rc;

    begin(h, options, &source, why);
    source_open_memory(&source, name, bytes, n, 1);
    rc = read_source(h);
    end(h, &source);
    return rc;
}

void history_done(struct history *h)
{
    arena_done(&h->scratch);
    grow_done(&h->operations);
    grow_done(&h->processes);
    grow_done(&h->drains);
    texts_done(&h->texts);
    wholes_done(&h->wholes);
}

int history_value(struct history *h, const char *text, sn_value *out, struct err *why)
{
    struct source source;
    struct edn edn;
    const struct form *form = NULL;
    const struct form *more;
    struct form word;
    int bracket;
    int rc;

    source_open_memory(&source, "the value", text, strlen(text), 0);
    h->source = &source;
    h->why = why;
    edn_init(&edn, &source, &h->scratch, why);
    rc = edn_next(&edn, &form, &bracket);
    if (rc == EDN_FORM && edn_next(&edn, &more, &bracket) == EDN_END) {
        word = *form;
        if (h->format == HISTORY_JSONL && word.type == FORM_ATOM &&
            strchr("0123456789+-", word.text[0]) == NULL)
            word.type = FORM_STRING;
        rc = value_of(h, &word, out);
        if (rc == 0 && is_text(*out) && shape_wants_integers(h->options.model))
            rc = err_set(why, SN_EFORMAT, "values of the model %s must be integers, not %.40s",
                         h->options.model->name, text);
    } else if (rc >= 0) {
        rc = err_set(why, SN_EFORMAT, "\"%s\" is not one value", text);
    }
    edn_done(&edn);
    end(h, &source);
    return rc;
}
