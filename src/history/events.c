/* events.c - events of a history become operations.
 *
 * A process has at most one operation that is open, found by a table of processes. An operation is
 * appended when it is invoked; its completion fills in the rest. One that failed is marked, and
 * taken out when everything has been read. SPDX-License-Identifier: MIT
 */
#include "history/drain.h"
#include "history/history.h"
#include "history/shape.h"
#include "history/values.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS_FIRST = 256 };

struct history_process {
    uint32_t process;
    bool is_used;
    bool has_crashed; /* its last operation is unknown: it must not go on */
    bool is_open;
    bool is_draining; /* what is open is a drain */
    size_t operation; /* the last one */
};

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
    if (shape->arguments == 0 && is_pair && form_is_nil(pair->first->next))
        return history_fail(h, line,
                            "%s takes no value, and this one looks like [key value]: "
                            "--independent says that each key is an object of its own",
                            name);
    if (shape->arguments == 0 || form_is_nil(value))
        return 0;
    if (shape->arguments == 1 || (!is_pair && shape->result == SHAPE_GUESS))
        return values_take(h, value, &op->argument[0]);
    if (!is_pair)
        return history_fail(h, line, "the value of %s must be [expected new]", name);
    rc = values_take(h, pair->first, &op->argument[0]);
    return rc < 0 ? rc : values_take(h, pair->first->next, &op->argument[1]);
}

/* Refuses values that the model could make nothing of. */
static int check_values(struct history *h, uint64_t line, const struct sn_operation *op)
{
    sn_value value = value_is_text(op->argument[0]) ? op->argument[0] : op->result;
    char text[48];
    struct sn_text out;

    if (!value_is_text(value) || !shape_wants_integers(h->options.model))
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
                            event->process, history_operation(h, process->operation)->line);
    if (process->is_open)
        return history_fail(h, event->line,
                            "process %" PRIu32 " invokes again, but its operation of line %" PRIu64
                            " has not completed",
                            event->process, history_operation(h, process->operation)->line);
    op.line = event->line;
    op.ret = SN_TIME_NEVER;
    if (rc == 0)
        rc = find_function(h, event, &op.function);
    if (rc == 0)
        rc = values_split_key(h, event, op.function, &key, &value);
    if (rc == 0 && key != NULL) {
        h->has_keys = true;
        rc = values_take(h, key, &op.key);
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
    *history_operation(h, process->operation) = op;
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

    if (form_is_nil(value))
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
        return values_take_whole(h, event, result, shape->result == SHAPE_SET, &op->result);
    if (event->result == NULL && shape->result == SHAPE_BOOL && value != NULL)
        is_value = value->type == FORM_BOOL;
    if (event->result == NULL && !is_value)
        return take_echo(h, event->line, value, op);
    if (event->result == NULL && shape->result == SHAPE_GUESS && !form_is_nil(value)) {
        rc = take_arguments(h, event->line, value, &said);
        if (rc < 0 || repeats(&said, op))
            return rc;
    }
    return values_take(h, result, &op->result);
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
            return values_take(h, event->result, &op->result);
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
    int rc = key == NULL ? 0 : values_take(h, key, &said);

    if (rc < 0 || key == NULL || said == op->key)
        return rc;
    return history_fail(h, event->line,
                        "the operation was invoked with another key in line %" PRIu64, op->line);
}

/* A drain has completed. What stood for it is replaced by the dequeues that it was. */
static int complete_drain(struct history *h, const struct history_event *event, size_t operation)
{
    struct sn_operation op = *history_operation(h, operation);
    const struct form *key;
    const struct form *value;
    const struct form *list;
    sn_value *elements;
    size_t n;
    int rc;

    if (event->type == HISTORY_INFO)
        return fail_drain(h, event->line);
    drop(h, history_operation(h, operation));
    if (event->type == HISTORY_FAIL)
        return 0;
    rc = values_split_key(h, event, op.function, &key, &value);
    if (rc == 0)
        rc = same_key(h, event, key, &op);
    if (rc < 0)
        return rc;
    list = form_untag(event->result != NULL ? event->result : value);
    if (!form_is_nil(list) && list->type != FORM_VECTOR)
        return history_fail(h, event->line,
                            "the value of a drain must be the list of what it took");
    rc = values_take_elements(h, list, &elements, &n);
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
    op = history_operation(h, process->operation);
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
    rc = values_split_key(h, event, function, &key, &value);
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

int history_check_drains(struct history *h)
{
    const struct history_process *processes = h->processes.base;

    for (size_t i = 0; i < h->n_slots; i++) {
        if (processes[i].is_used && processes[i].is_open && processes[i].is_draining)
            return fail_drain(h, history_operation(h, processes[i].operation)->line);
    }
    return drain_check_all(h);
}
