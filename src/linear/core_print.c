/* core_print.c - a core in words, and as JSON. SPDX-License-Identifier: MIT */
#include "linear/core.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RELAXED_SHOWN_MAX = 8, CELL_MAX = 256 };

static void put_value(const struct core_words *words, sn_value value, struct sn_text *out)
{
    if (value == SN_VALUE_NIL)
        text_puts(out, "nil");
    else if (words != NULL && words->value != NULL)
        words->value(words->self, value, out);
    else
        text_print(out, "%" PRId64, value);
}

static void put_process(const struct core_words *words, uint32_t process, struct sn_text *out)
{
    if (words != NULL && words->process != NULL)
        words->process(words->self, process, out);
    else
        text_print(out, "%" PRIu32, process);
}

static void put_time(const struct core_words *words, uint64_t time, struct sn_text *out)
{
    if (words != NULL && words->time != NULL)
        words->time(words->self, time, out);
    else
        text_print(out, "%" PRIu64, time);
}

/* ---- An operation --------------------------------------------------------------------------- */

static void put_call(const struct sn_model *model, const struct sn_operation *op,
                     const struct core_words *words, struct sn_text *out)
{
    const char *before = "";

    text_puts(out, model->functions[op->function].name);
    text_putc(out, '(');
    if (op->key != 0 || model == sn_model_find("map")) {
        put_value(words, op->key, out);
        before = ", ";
    }
    for (size_t i = 0; i < 2; i++) {
        if (op->argument[i] == SN_VALUE_NIL)
            continue;
        text_puts(out, before);
        put_value(words, op->argument[i], out);
        before = ", ";
    }
    text_putc(out, ')');
}

void core_print_operation(const struct sn_model *model, const struct sn_operation *op,
                          const struct core_words *words, struct sn_text *out)
{
    put_call(model, op, words, out);
    if (op->ret == SN_TIME_NEVER)
        return;
    /* Of what changes something and has no result there is nothing to say. */
    if (op->result == SN_VALUE_NIL && !model->functions[op->function].is_observer &&
        op->argument[0] != SN_VALUE_NIL)
        return;
    text_puts(out, " = ");
    put_value(words, op->result, out);
}

static bool is_relaxed(const struct core *core, size_t index)
{
    size_t i = 0;

    while (core->operations[i].index != index)
        i++;
    return core->operations[i].is_relaxed;
}

/* Of what may have happened the result counts for nothing. */
void core_print_member(const struct core *core, size_t index, const struct core_words *words,
                       struct sn_text *out)
{
    struct sn_operation op = core->history[index];

    if (is_relaxed(core, index))
        op.ret = SN_TIME_NEVER;
    core_print_operation(core->model, &op, words, out);
}

/* ---- Text ----------------------------------------------------------------------------------- */

enum column { COLUMN_PROCESS, COLUMN_CALL, COLUMN_RETURN, COLUMNS };

static void put_cell(const struct core *core, const struct core_words *words, size_t index,
                     enum column column, struct sn_text *out)
{
    const struct sn_operation *op = &core->history[index];

    if (column == COLUMN_PROCESS)
        put_process(words, op->process, out);
    else if (column == COLUMN_CALL)
        put_time(words, op->call, out);
    else if (op->ret != SN_TIME_NEVER)
        put_time(words, op->ret, out);
    else
        text_putc(out, '?');
}

/* Operations that are definite, or those that may have happened, as a table. */
static void put_table(const struct core *core, const struct core_words *words, const char *indent,
                      bool is_maybe, struct sn_text *out)
{
    static const char *const titles[COLUMNS] = {"process", "called", "returned"};
    size_t widths[COLUMNS] = {strlen(titles[0]), strlen(titles[1]), strlen(titles[2])};
    char buffer[CELL_MAX];
    struct sn_text cell;
    size_t shown = 0;

    for (size_t i = 0; i < core->n * COLUMNS; i++) {
        text_init(&cell, buffer, sizeof(buffer));
        put_cell(core, words, core->operations[i / COLUMNS].index, (enum column)(i % COLUMNS),
                 &cell);
        widths[i % COLUMNS] = cell.used > widths[i % COLUMNS] ? cell.used : widths[i % COLUMNS];
    }
    text_print(out, "%s  %-*s  %-*s  %-*s  operation\n", indent, (int)widths[0], titles[0],
               (int)widths[1], titles[1], (int)widths[2], titles[2]);
    for (size_t i = 0; i < core->n; i++) {
        if (core->operations[i].is_relaxed != is_maybe)
            continue;
        if (is_maybe && shown++ == RELAXED_SHOWN_MAX) {
            text_print(out, "%s  ...\n", indent);
            return;
        }
        text_print(out, "%s", indent);
        for (unsigned c = 0; c < COLUMNS; c++) {
            text_init(&cell, buffer, sizeof(buffer));
            put_cell(core, words, core->operations[i].index, (enum column)c, &cell);
            text_print(out, "  %-*s", (int)widths[c], buffer);
        }
        text_puts(out, "  ");
        core_print_member(core, core->operations[i].index, words, out);
        text_putc(out, '\n');
    }
}

/* Models print values as numbers; where a number stands for a text, the text is put instead. */
static void put_state(const char *at, const struct core_words *words, struct sn_text *out)
{
    while (*at != '\0') {
        size_t n = strspn(at, "0123456789");
        unsigned long long number = n == 0 ? 0 : strtoull(at, NULL, 10);

        if (n > 0 && number >= SN_VALUE_TEXTS && number <= INT64_MAX)
            put_value(words, (sn_value)number, out);
        else
            text_add(out, at, n == 0 ? 1 : n);
        at += n == 0 ? 1 : n;
    }
}

void core_print_state(const struct core *core, const struct core_words *words, struct sn_text *out)
{
    for (size_t i = 0; i < core->n_states; i++) {
        text_puts(out, i > 0 ? ", " : "");
        if (core->n_keys > 1) {
            put_value(words, core->states[i].key, out);
            text_puts(out, " = ");
        }
        put_state(core->states[i].text, words, out);
    }
    if (core->n_keys > core->n_states)
        text_puts(out, ", ...");
}

void core_print_step(const struct core *core, size_t i, const struct core_words *words,
                     struct sn_text *out)
{
    if (core->steps == NULL)
        return;
    if (core->n_keys > 1) {
        put_value(words, core->steps[i].key, out);
        text_puts(out, " = ");
    }
    put_state(core->steps[i].text, words, out);
}

static void put_order(const struct core *core, const struct core_words *words, const char *indent,
                      struct sn_text *out)
{
    if (core->n_order == 0) {
        text_print(out, "%snone of them can be the first: the state is ", indent);
        core_print_state(core, words, out);
        text_puts(out, ", and\n");
        return;
    }
    text_print(out, "%sthe longest order that the model allows%s:\n%s  ", indent,
               core->is_longest ? "" : ", as far as it was looked for", indent);
    for (size_t i = 0; i < core->n_order; i++) {
        text_puts(out, i > 0 ? "; " : "");
        core_print_member(core, core->order[i], words, out);
    }
    text_print(out, "\n%sthen the state is ", indent);
    core_print_state(core, words, out);
    text_puts(out, ", and\n");
}

void core_print_reason(const struct core_candidate *candidate, const struct core_words *words,
                       struct sn_text *out)
{
    if (candidate->is_refused)
        text_puts(out, "the model does not allow it here, whatever its result");
    for (uint32_t i = 0; i < candidate->n_results; i++) {
        text_puts(out, i == 0 ? "its result would be " : " or ");
        put_value(words, candidate->results[i], out);
    }
}

static void put_candidate(const struct core *core, const struct core_words *words,
                          const char *indent, const struct core_candidate *c, struct sn_text *out)
{
    text_print(out, "%s  ", indent);
    core_print_member(core, c->index, words, out);
    text_puts(out, " of ");
    put_process(words, core->history[c->index].process, out);
    text_puts(out, " cannot be next");
    if (c->is_refused || c->n_results > 0)
        text_puts(out, ": ");
    core_print_reason(c, words, out);
    text_putc(out, '\n');
}

void core_print(const struct core *core, const struct core_words *words, const char *indent,
                struct sn_text *out)
{
    text_print(out, "%s%zu operation%s enough to see that the history is not %s%s:\n", indent,
               core->n_definite, core->n_definite == 1 ? " is" : "s are",
               core->is_sequential ? "sequentially consistent" : "linearizable",
               core->is_minimal ? "" : " (perhaps fewer: the budget was used up)");
    put_table(core, words, indent, false, out);
    if (core->n > core->n_definite) {
        text_print(out, "%swhether or not these took effect, at any time after %s (%zu):\n", indent,
                   core->is_sequential ? "what their processes did before" : "their calls",
                   core->n - core->n_definite);
        put_table(core, words, indent, true, out);
    }
    put_order(core, words, indent, out);
    for (size_t i = 0; i < core->n_candidates; i++)
        put_candidate(core, words, indent, &core->candidates[i], out);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* The words for something, as a JSON string. */
static void put_quoted(struct sn_text *out, const struct sn_text *words)
{
    json_put_string(out, words->buffer, words->used);
}

static void put_json_value(const struct core_words *words, sn_value value, struct sn_text *out)
{
    char buffer[CELL_MAX];
    struct sn_text text;

    text_init(&text, buffer, sizeof(buffer));
    put_value(words, value, &text);
    put_quoted(out, &text);
}

static void put_json_operation(const struct core *core, const struct core_words *words,
                               const struct core_operation *which, struct sn_text *out)
{
    const struct sn_operation *op = &core->history[which->index];
    char buffer[4 * CELL_MAX];
    struct sn_text text;

    text_print(out, "{\"index\":%zu,\"line\":%" PRIu64 ",\"process\":", which->index, op->line);
    text_init(&text, buffer, sizeof(buffer));
    put_process(words, op->process, &text);
    put_quoted(out, &text);
    text_puts(out, ",\"text\":");
    text_init(&text, buffer, sizeof(buffer));
    core_print_operation(core->model, op, words, &text);
    put_quoted(out, &text);
    text_print(out, ",\"call\":%" PRIu64 ",\"return\":", op->call);
    if (op->ret != SN_TIME_NEVER)
        text_print(out, "%" PRIu64, op->ret);
    else
        text_puts(out, "null");
    text_print(out, ",\"definite\":%s}", which->is_relaxed ? "false" : "true");
}

static void put_json_states(const struct core *core, const struct core_words *words,
                            struct sn_text *out)
{
    char buffer[CORE_STATES_MAX * 2 * CELL_MAX];
    struct sn_text text;

    text_init(&text, buffer, sizeof(buffer));
    core_print_state(core, words, &text);
    put_quoted(out, &text);
}

/* What each operation of the order leaves. */
static void put_json_steps(const struct core *core, const struct core_words *words,
                           struct sn_text *out)
{
    char buffer[3 * CELL_MAX];
    struct sn_text text;

    if (core->steps == NULL)
        return;
    text_puts(out, ",\"states\":[");
    for (size_t i = 0; i < core->n_order; i++) {
        text_puts(out, i > 0 ? "," : "");
        text_init(&text, buffer, sizeof(buffer));
        core_print_step(core, i, words, &text);
        put_quoted(out, &text);
    }
    text_putc(out, ']');
}

static void put_json_candidate(const struct core_words *words, const struct core_candidate *c,
                               struct sn_text *out)
{
    text_print(out, "{\"index\":%zu,\"refused\":%s,\"allowed\":[", c->index,
               c->is_refused ? "true" : "false");
    for (uint32_t i = 0; i < c->n_results; i++) {
        text_puts(out, i > 0 ? "," : "");
        put_json_value(words, c->results[i], out);
    }
    text_puts(out, "]}");
}

void core_print_json(const struct core *core, const struct core_words *words, struct sn_text *out)
{
    text_puts(out, "{\"model\":");
    json_put_string(out, core->model->name, strlen(core->model->name));
    text_puts(out, ",\"key\":");
    if (core->has_key)
        put_json_value(words, core->key, out);
    else
        text_puts(out, "null");
    text_print(out, ",\"sequential\":%s,\"minimal\":%s,\"operations\":[",
               core->is_sequential ? "true" : "false", core->is_minimal ? "true" : "false");
    for (size_t i = 0; i < core->n; i++) {
        text_puts(out, i > 0 ? "," : "");
        put_json_operation(core, words, &core->operations[i], out);
    }
    text_puts(out, "],\"order\":[");
    for (size_t i = 0; i < core->n_order; i++)
        text_print(out, "%s%zu", i > 0 ? "," : "", core->order[i]);
    text_print(out, "],\"longest\":%s,\"state\":", core->is_longest ? "true" : "false");
    put_json_states(core, words, out);
    put_json_steps(core, words, out);
    text_puts(out, ",\"candidates\":[");
    for (size_t i = 0; i < core->n_candidates; i++) {
        text_puts(out, i > 0 ? "," : "");
        put_json_candidate(words, &core->candidates[i], out);
    }
    text_puts(out, "]}");
}
