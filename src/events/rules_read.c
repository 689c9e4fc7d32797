/* rules_read.c - constraints as JSON: see rules.h. SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/json.h"
#include "events/rules.h"

#include <sennit/test.h>
#include <string.h>

enum { ARENA_MAX = 1 << 20 };

/* A text that is being read. */
struct reading {
    struct rules *rules;
    const struct recording *r;
    const char *name;
};

static int complain(const struct reading *in, int rc, const char *key, const struct err *what,
                    struct err *why)
{
    return err_set_at(why, rc, in->name, 0, "\"%s\": %s", key, what->text);
}

/* Numbers of events. Returns how many, or SN_EFORMAT. */
static int read_events(const struct json_value *value, uint8_t *events, struct err *what)
{
    int n = 0;

    if (value == NULL || value->type != JSON_ARRAY)
        return err_set(what, SN_EFORMAT, "an array of numbers of events is needed");
    for (const struct json_value *v = value->first; v != NULL; v = v->next) {
        if (v->type != JSON_UINT || v->number >= RECORDING_EVENTS_MAX)
            return err_set(what, SN_EFORMAT, "what is in the array is no number of an event");
        if (n == RECORDING_EVENTS_MAX)
            return err_set(what, SN_EFORMAT, "the array has more than %d members",
                           RECORDING_EVENTS_MAX);
        events[n++] = (uint8_t)v->number;
    }
    return n;
}

static int read_set(const struct json_value *value, uint64_t *set, struct err *what)
{
    uint8_t events[RECORDING_EVENTS_MAX];
    int n = read_events(value, events, what);

    *set = 0;
    for (int i = 0; i < n; i++)
        *set |= UINT64_C(1) << events[i];
    return n < 0 ? n : 0;
}

static int read_independent(struct reading *in, const struct json_value *value, struct err *what)
{
    uint8_t events[RECORDING_EVENTS_MAX];
    int n;

    if (value->type == JSON_STRING && strcmp(value->string, "replicas") == 0) {
        in->rules->are_replicas_independent = true;
        return 0;
    }
    if (value->type == JSON_STRING)
        return err_set(what, SN_EFORMAT, "independent can be \"replicas\", not \"%.60s\"",
                       value->string);
    n = read_events(value, events, what);
    return n < 0 ? n : rules_add_independent(in->rules, in->r, events, (uint32_t)n, what);
}

static int read_failed(struct reading *in, const struct json_value *value, struct err *what)
{
    uint64_t after;
    uint64_t events;
    int rc;

    if (value->type != JSON_OBJECT)
        return err_set(what, SN_EFORMAT, "an object with \"after\" and \"events\" is needed");
    rc = read_set(json_member(value, "after"), &after, what);
    if (rc == 0)
        rc = read_set(json_member(value, "events"), &events, what);
    return rc < 0 ? rc : rules_add_failed(in->rules, in->r, after, events, what);
}

static int read_listed(struct reading *in, const struct json_value *value, bool is_group,
                       struct err *what)
{
    uint8_t events[RECORDING_EVENTS_MAX];
    int n = read_events(value, events, what);

    if (n < 0)
        return n;
    return is_group ? rules_add_group(in->rules, in->r, events, (uint32_t)n, what)
                    : rules_add_before(in->rules, in->r, events, (uint32_t)n, what);
}

static int read_constraint(struct reading *in, const struct json_value *value, struct err *why)
{
    const struct json_value *v = value->type == JSON_OBJECT ? value->first : NULL;
    struct err what = {""};
    int rc;

    if (v == NULL || value->n != 1)
        return err_set_at(why, SN_EFORMAT, in->name, 0,
                          "a constraint is an object with one member: before, group, independent "
                          "or failed");
    if (strcmp(v->key, "before") == 0 || strcmp(v->key, "group") == 0)
        rc = read_listed(in, v, v->key[0] == 'g', &what);
    else if (strcmp(v->key, "independent") == 0)
        rc = read_independent(in, v, &what);
    else if (strcmp(v->key, "failed") == 0)
        rc = read_failed(in, v, &what);
    else
        rc = err_set(&what, SN_EFORMAT,
                     "there is no such constraint: before, group, independent, failed");
    return rc < 0 ? complain(in, rc, v->key, &what, why) : 0;
}

int rules_read(struct rules *rules, const struct recording *r, const char *name, const char *bytes,
               size_t n, struct err *why)
{
    struct rules copy = *rules;
    struct reading in = {.rules = &copy, .r = r, .name = name};
    struct arena arena;
    struct json_error error = {NULL, 0};
    const struct json_value *value;
    int rc = 0;

    arena_init(&arena, ARENA_MAX);
    value = json_parse_long(&arena, bytes, n, JSON_VALUES_MAX * 16, &error);
    if (value == NULL)
        rc = err_set_at(why, SN_EFORMAT, name, 0, "%s, in column %zu",
                        error.why != NULL ? error.why : "it is too large", error.column);
    else if (value->type == JSON_ARRAY)
        for (const struct json_value *v = value->first; v != NULL && rc == 0; v = v->next)
            rc = read_constraint(&in, v, why);
    else
        rc = read_constraint(&in, value, why);
    arena_done(&arena);
    if (rc == 0)
        *rules = copy;
    return rc;
}
