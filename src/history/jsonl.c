/* jsonl.c - reads histories of Sennit's own: JSON Lines, one event a line.
 *
 *     {"process":0,"type":"invoke","f":"write","value":3,"key":"x","time":123}
 *
 * docs/histories.md describes the members. SPDX-License-Identifier: MIT
 */
#include "base/json.h"
#include "history/history.h"

#include <inttypes.h>
#include <sennit/test.h>

/* Of one line. Values and the forms that are made of them take less than 256 bytes each, so that
 * the line fits into the scratch memory of a history. */
enum { VALUES_MAX = 500000 };

/* A member as a form; NULL if there is none. */
static int take_form(struct history *h, uint64_t line, const struct json_value *object,
                     const char *key, const struct form **out)
{
    const struct json_value *value = json_member(object, key);

    *out = NULL;
    if (value == NULL)
        return 0;
    *out = form_of_json(&h->scratch, value, line);
    return *out == NULL ? history_fail_memory(h) : 0;
}

static int take_names(struct history *h, const struct json_value *object,
                      struct history_event *event)
{
    const struct json_value *type = json_member(object, "type");
    const struct json_value *function = json_member(object, "f");
    char quoted[48];

    if (type == NULL || type->type != JSON_STRING)
        return history_fail(h, event->line, "\"type\" must be invoke, ok, fail or info");
    event->type = history_type_of(type->string, type->n);
    if (event->type == 0)
        return history_fail(h, event->line, "\"type\" is %s, but must be invoke, ok, fail or info",
                            history_quote(type->string, type->n, quoted));
    if (function == NULL || function->type != JSON_STRING)
        return history_fail(h, event->line, "\"f\" must be the name of a function");
    event->function = function->string;
    event->n_function = function->n;
    return 0;
}

static int take_time(struct history *h, const struct json_value *object,
                     struct history_event *event)
{
    const struct json_value *time = json_member(object, "time");

    if (time == NULL)
        return 0;
    if (time->type != JSON_UINT || time->number >= SN_TIME_NEVER)
        return history_fail(h, event->line, "\"time\" must be an integer from 0");
    event->has_time = true;
    event->time = time->number;
    return 0;
}

static int take_event(struct history *h, uint64_t line, const struct json_value *object)
{
    const struct json_value *process = json_member(object, "process");
    const struct json_value *index = json_member(object, "index");
    struct history_event event = {.line = line};
    int rc = 0;

    if (index != NULL && index->type == JSON_UINT && index->number <= INT64_MAX)
        rc = history_index(h, line, (int64_t)index->number);
    if (rc < 0)
        return rc;
    if (process != NULL && process->type == JSON_STRING)
        return 0; /* not a client */
    if (process == NULL || process->type != JSON_UINT || process->number >= UINT32_MAX)
        return history_fail(h, line,
                            "\"process\" must be a number below 2^32 - 1, or a name if it "
                            "is no client");
    event.process = (uint32_t)process->number;
    rc = take_names(h, object, &event);
    if (rc == 0)
        rc = take_time(h, object, &event);
    if (rc == 0)
        rc = take_form(h, line, object, "value", &event.value);
    if (rc == 0)
        rc = take_form(h, line, object, "key", &event.key);
    if (rc == 0)
        rc = take_form(h, line, object, "result", &event.result);
    return rc < 0 ? rc : history_event(h, &event);
}

static bool is_empty(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
            return false;
    }
    return true;
}

int history_read_jsonl(struct history *h)
{
    const struct json_value *object;
    struct json_error error;
    const char *text;
    uint64_t line;
    size_t n;
    int rc;

    while ((rc = source_line(h->source, &text, &n, &line, h->why)) > 0) {
        if (is_empty(text, n))
            continue;
        arena_clear(&h->scratch);
        object = json_parse_long(&h->scratch, text, n, VALUES_MAX, &error);
        if (object == NULL && error.why == NULL)
            return history_fail_memory(h);
        if (object == NULL)
            return history_fail(h, line, "column %zu: %s", error.column, error.why);
        if (object->type != JSON_OBJECT)
            return history_fail(h, line, "an event must be an object: {\"process\":0, ...}");
        rc = take_event(h, line, object);
        if (rc < 0)
            return rc;
    }
    return rc;
}
