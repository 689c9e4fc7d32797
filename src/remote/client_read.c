/* client_read.c - understands what a client says: see client_own.h. SPDX-License-Identifier: MIT */
#include "remote/client_own.h"

#include "base/utf8.h"

#include <sennit/test.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Complaints and texts ------------------------------------------------------------------- */

/* What a client says may be anything, and is shown on terminals. */
static void make_printable(char *text)
{
    size_t n = strlen(text);

    while (n > 0) {
        uint32_t code;
        size_t width = utf8_decode(text, n, &code);

        if (width == 0 || code < ' ' || (code >= 0x7f && code < 0xa0)) {
            memset(text, '?', width > 0 ? width : 1);
            width = width > 0 ? width : 1;
        }
        text += width;
        n -= width;
    }
}

enum client_trouble client_nonsense(const struct client *c, struct err *why, const char *format,
                                    ...)
{
    char sentence[400];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    make_printable(sentence);
    (void)err_set(why, SN_EFORMAT, "line %lu of the client: %s", c->channel.lines, sentence);
    return CLIENT_NONSENSE;
}

const char *client_keep(struct client *c, char *text)
{
    if (text == NULL)
        return NULL;
    if (c->n_texts == c->texts_max) {
        size_t max = c->texts_max > 0 ? 2 * c->texts_max : 64;
        char **larger = realloc(c->texts, max * sizeof(*larger));

        if (larger == NULL) {
            free(text);
            return NULL;
        }
        c->texts = larger;
        c->texts_max = max;
    }
    c->texts[c->n_texts++] = text;
    return text;
}

char *client_dump(const json_t *value)
{
    return json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
}

enum client_trouble client_parse(const struct client *c, const char *line, size_t n, json_t **out,
                                 struct err *why)
{
    json_error_t error;

    *out = json_loadb(line, n, JSON_REJECT_DUPLICATES, &error);
    if (*out == NULL)
        return client_nonsense(c, why, "it is no JSON object: %s, in column %d, in \"%.60s%s\"",
                               error.text, error.column, line, n > 60 ? "..." : "");
    if (json_is_object(*out))
        return CLIENT_OK;
    json_decref(*out);
    *out = NULL;
    return client_nonsense(c, why, "it is no JSON object: \"%.60s\"", line);
}

/* ---- Recordings ----------------------------------------------------------------------------- */

static const char *const kinds[] = {
    [SN_EVENT_UPDATE] = "update",   [SN_EVENT_QUERY] = "query",     [SN_EVENT_REQUEST] = "request",
    [SN_EVENT_EXECUTE] = "execute", [SN_EVENT_DELIVER] = "deliver",
};

static enum client_trouble read_replicas(struct client *c, const json_t *names, struct err *why)
{
    struct recording *r = &c->recording;
    size_t i;
    const json_t *name;

    if (!json_is_array(names) || json_array_size(names) == 0 ||
        json_array_size(names) > RECORDING_REPLICAS_MAX)
        return client_nonsense(c, why, "\"replicas\" is no array of 1 to %d names",
                               RECORDING_REPLICAS_MAX);
    json_array_foreach(names, i, name)
    {
        const char *text = json_string_value(name);

        if (text == NULL || text[0] == '\0' || strlen(text) >= RECORDING_NAME_MAX ||
            strpbrk(text, ",:") != NULL)
            return client_nonsense(c, why,
                                   "replica %zu has no name of 1 to %d bytes without , and :", i,
                                   RECORDING_NAME_MAX - 1);
        if (recording_replica(r, text) >= 0)
            return client_nonsense(c, why, "two replicas are called %s", text);
        (void)snprintf(r->replicas[i], sizeof(r->replicas[i]), "%s", text);
        r->n_replicas++;
    }
    return CLIENT_OK;
}

/* The replica that a member names. */
static enum client_trouble read_replica(struct client *c, const json_t *event, size_t number,
                                        const char *key, uint8_t *out, struct err *why)
{
    const char *name = json_string_value(json_object_get(event, key));
    int replica = name != NULL ? recording_replica(&c->recording, name) : -1;

    if (replica < 0)
        return client_nonsense(c, why, "\"%s\" of event %zu is no replica", key, number);
    *out = (uint8_t)replica;
    return CLIENT_OK;
}

static void print_list(const json_t *args, char *out, size_t size)
{
    struct sn_text text;
    size_t i;
    const json_t *arg;

    text_init(&text, out, size);
    json_array_foreach(args, i, arg)
    {
        char *dumped = client_dump(arg);

        text_print(&text, "%s%s", i > 0 ? ", " : "", dumped != NULL ? dumped : "?");
        free(dumped);
    }
}

static enum client_trouble read_kind(struct client *c, const json_t *event, size_t number,
                                     struct recorded *e, struct err *why)
{
    const char *kind = json_string_value(json_object_get(event, "kind"));

    for (uint32_t k = SN_EVENT_UPDATE; kind != NULL && k <= SN_EVENT_DELIVER; k++) {
        if (strcmp(kinds[k], kind) == 0) {
            e->kind = k;
            return CLIENT_OK;
        }
    }
    return client_nonsense(c, why,
                           "\"kind\" of event %zu is not update, query, request, execute or "
                           "deliver",
                           number);
}

static enum client_trouble read_peer(struct client *c, const json_t *event, size_t number,
                                     struct recorded *e, struct err *why)
{
    const json_t *of = json_object_get(event, "of");

    e->peer = e->replica;
    if (e->kind == SN_EVENT_REQUEST)
        return read_replica(c, event, number, "to", &e->peer, why);
    if (!recorded_is_applied(e))
        return CLIENT_OK;
    if (!json_is_integer(of) || json_integer_value(of) < 0 ||
        json_integer_value(of) >= (json_int_t)number)
        return client_nonsense(c, why, "\"of\" of event %zu is no earlier event", number);
    e->of = (uint8_t)json_integer_value(of);
    if (e->kind == SN_EVENT_EXECUTE && c->recording.events[e->of].kind == SN_EVENT_REQUEST &&
        c->recording.events[e->of].peer != e->replica)
        return client_nonsense(c, why, "event %zu executes a request that is for another replica",
                               number);
    return read_replica(c, event, number, "from", &e->peer, why);
}

static enum client_trouble read_event(struct client *c, const json_t *event, size_t number,
                                      struct err *why)
{
    struct recorded *e = &c->recording.events[number];
    const char *op = json_string_value(json_object_get(event, "op"));
    const json_t *args = json_object_get(event, "args");
    const json_t *result = json_object_get(event, "result");
    enum client_trouble trouble;
    char *dumped;

    if (!json_is_object(event))
        return client_nonsense(c, why, "event %zu is no object", number);
    if (op == NULL || op[0] == '\0' || strlen(op) >= RECORDING_NAME_MAX)
        return client_nonsense(c, why, "\"op\" of event %zu is no name of 1 to %d bytes", number,
                               RECORDING_NAME_MAX - 1);
    if (args != NULL && !json_is_array(args))
        return client_nonsense(c, why, "\"args\" of event %zu is no array", number);
    (void)snprintf(e->op, sizeof(e->op), "%s", op);
    print_list(args, e->args, sizeof(e->args));
    e->is_free = json_is_true(json_object_get(event, "free"));
    trouble = read_kind(c, event, number, e, why);
    if (trouble == CLIENT_OK)
        trouble = read_replica(c, event, number, "replica", &e->replica, why);
    if (trouble == CLIENT_OK)
        trouble = read_peer(c, event, number, e, why);
    dumped = result != NULL ? client_dump(result) : strdup("null");
    (void)snprintf(e->result, sizeof(e->result), "%s", dumped != NULL ? dumped : "");
    c->recorded.results[number] = client_keep(c, dumped);
    return trouble;
}

enum client_trouble client_read_states(struct client *c, const json_t *states, const char **out,
                                       struct err *why)
{
    if (states != NULL && !json_is_object(states))
        return client_nonsense(c, why, "\"states\" is no object");
    for (uint32_t i = 0; i < c->recording.n_replicas; i++) {
        const json_t *state = json_object_get(states, c->recording.replicas[i]);

        out[i] = state != NULL ? client_keep(c, client_dump(state)) : NULL;
    }
    return CLIENT_OK;
}

enum client_trouble client_read_recording(struct client *c, const json_t *value, struct err *why)
{
    const json_t *events = json_object_get(value, "events");
    enum client_trouble trouble = CLIENT_OK;
    struct err what = {""};
    size_t i;
    const json_t *event;

    if (!json_is_object(value))
        return client_nonsense(c, why, "\"recording\" is no object");
    trouble = read_replicas(c, json_object_get(value, "replicas"), why);
    if (trouble != CLIENT_OK)
        return trouble;
    if (!json_is_array(events) || json_array_size(events) == 0 ||
        json_array_size(events) > RECORDING_EVENTS_MAX)
        return client_nonsense(c, why, "\"events\" is no array of 1 to %d events",
                               RECORDING_EVENTS_MAX);
    json_array_foreach(events, i, event)
    {
        trouble = read_event(c, event, i, why);
        if (trouble != CLIENT_OK)
            return trouble;
        c->recording.n++;
    }
    c->can_restore = !json_is_false(json_object_get(value, "can_restore"));
    if (recording_settle(&c->recording, &what) < 0)
        return client_nonsense(c, why, "%s", what.text);
    return client_read_states(c, json_object_get(value, "states"), c->recorded.states, why);
}

/* ---- Outcomes ------------------------------------------------------------------------------- */

static struct client_known *find(const struct client *c, uint32_t number)
{
    uint32_t at = number * UINT32_C(0x9e3779b1);

    while (c->known[at & (c->n_places - 1)].outcome != NULL &&
           c->known[at & (c->n_places - 1)].number != number)
        at++;
    return &c->known[at & (c->n_places - 1)];
}

static bool grow(struct client *c)
{
    struct client_known *old = c->known;
    uint32_t n = c->n_places;

    if (2 * (c->n_known + 1) <= c->n_places)
        return true;
    c->known = calloc(n > 0 ? 2 * (size_t)n : 64, sizeof(*c->known));
    if (c->known == NULL) {
        c->known = old;
        return false;
    }
    c->n_places = n > 0 ? 2 * n : 64;
    for (uint32_t i = 0; i < n; i++) {
        if (old[i].outcome != NULL)
            *find(c, old[i].number) = old[i];
    }
    free(old);
    return true;
}

static enum client_trouble read_failure(struct client *c, const json_t *failed,
                                        struct client_outcome *outcome, struct err *why)
{
    const char *message = json_string_value(json_object_get(failed, "message"));
    const char *at = json_string_value(json_object_get(failed, "at"));

    if (failed == NULL || json_is_null(failed))
        return CLIENT_OK;
    if (message == NULL)
        return client_nonsense(c, why, "\"failed\" has no \"message\"");
    outcome->failed = client_keep(c, strdup(message));
    outcome->at = at != NULL ? client_keep(c, strdup(at)) : NULL;
    return CLIENT_OK;
}

/* An outcome that is described for the first time. */
static enum client_trouble read_outcome(struct client *c, const json_t *described, struct err *why)
{
    const json_t *number = json_object_get(described, "outcome");
    const json_t *results = json_object_get(described, "results");
    enum client_trouble trouble;
    struct client_outcome *outcome;
    struct client_known *place;

    if (!json_is_integer(number) || json_integer_value(number) < 0 ||
        json_integer_value(number) > UINT32_MAX)
        return client_nonsense(c, why, "what is in \"new\" has no number as \"outcome\"");
    if (!json_is_array(results) || json_array_size(results) != c->recording.n)
        return client_nonsense(
            c, why, "\"results\" is no array with a result for each of %u events", c->recording.n);
    outcome = calloc(1, sizeof(*outcome));
    if (outcome == NULL || client_keep(c, (char *)outcome) == NULL || !grow(c))
        return client_nonsense(c, why, "there is no memory for another outcome");
    for (uint32_t i = 0; i < c->recording.n; i++)
        outcome->seen.results[i] = client_keep(c, client_dump(json_array_get(results, i)));
    trouble =
        client_read_states(c, json_object_get(described, "states"), outcome->seen.states, why);
    if (trouble == CLIENT_OK)
        trouble = read_failure(c, json_object_get(described, "failed"), outcome, why);
    if (trouble != CLIENT_OK)
        return trouble;
    place = find(c, (uint32_t)json_integer_value(number));
    if (place->outcome == NULL)
        c->n_known++;
    *place = (struct client_known){outcome, (uint32_t)json_integer_value(number)};
    return CLIENT_OK;
}

enum client_trouble client_read_outcomes(struct client *c, const json_t *answer,
                                         const struct client_outcome **outcomes, uint32_t n,
                                         struct err *why)
{
    const json_t *numbers = json_object_get(answer, "outcomes");
    const json_t *described = json_object_get(answer, "new");
    size_t i;
    const json_t *value;

    if (described != NULL && !json_is_array(described))
        return client_nonsense(c, why, "\"new\" is no array");
    json_array_foreach(described, i, value)
    {
        enum client_trouble trouble = read_outcome(c, value, why);

        if (trouble != CLIENT_OK)
            return trouble;
    }
    if (!json_is_array(numbers) || json_array_size(numbers) != n)
        return client_nonsense(c, why,
                               "\"outcomes\" is no array with one for each of %u "
                               "interleavings",
                               n);
    json_array_foreach(numbers, i, value)
    {
        const struct client_known *known = NULL;

        if (json_is_integer(value) && json_integer_value(value) >= 0 &&
            json_integer_value(value) <= UINT32_MAX && c->n_places > 0)
            known = find(c, (uint32_t)json_integer_value(value));
        if (known == NULL || known->outcome == NULL)
            return client_nonsense(c, why, "outcome %zu of \"outcomes\" was never described", i);
        outcomes[i] = known->outcome;
    }
    return CLIENT_OK;
}
