/* client.c - asks a client: see client.h. SPDX-License-Identifier: MIT */
#include "remote/client_own.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    OPENING_MS = 60000, /* that a program may take to start and record */
    FILE_MAX = CHANNEL_LINE_MAX,
};

/* ---- Lines ---------------------------------------------------------------------------------- */

/* Says how a program has ended, which is not there any more. */
static void describe_end(struct client *c, struct err *why)
{
    bool is_ours = c->channel.pid > 0;
    int status = channel_close(&c->channel);

    if (!is_ours)
        (void)err_set(why, SN_EIO, "the client has closed its end");
    else if (WIFSIGNALED(status))
        (void)err_set(why, SN_EIO, "the client was ended by signal %d (%s)", WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) >
             128) /* how a shell tells it of the program that it has started */
        (void)err_set(
            why, SN_EIO, "the client has ended with exit code %d, as after signal %d (%s)",
            WEXITSTATUS(status), WEXITSTATUS(status) - 128, strsignal(WEXITSTATUS(status) - 128));
    else
        (void)err_set(why, SN_EIO, "the client has ended with exit code %d", WEXITSTATUS(status));
}

static enum client_trouble fail(struct client *c, enum channel_end how, int timeout_ms,
                                struct err *why)
{
    switch (how) {
    case CHANNEL_SILENT:
        channel_kill(&c->channel);
        (void)err_set(why, SN_EIO, "the client has not answered for %d ms", timeout_ms);
        return CLIENT_SILENT;
    case CHANNEL_TOO_LONG:
        c->channel.lines++;
        channel_kill(&c->channel);
        return client_nonsense(c, why, "the line has more than %d bytes", CHANNEL_LINE_MAX);
    default:
        describe_end(c, why);
        return CLIENT_ENDED;
    }
}

static enum client_trouble read_line(struct client *c, int timeout_ms, json_t **out,
                                     struct err *why)
{
    char *line;
    size_t n;
    enum channel_end how = channel_read(&c->channel, timeout_ms, &line, &n);

    *out = NULL;
    if (how != CHANNEL_LINE)
        return fail(c, how, timeout_ms, why);
    return client_parse(c, line, n, out, why);
}

static enum client_trouble write_line(struct client *c, json_t *line, int timeout_ms,
                                      struct err *why)
{
    char *text = line != NULL ? json_dumps(line, JSON_COMPACT) : NULL;
    enum channel_end how = CHANNEL_CLOSED;

    json_decref(line);
    if (text != NULL)
        how = channel_write(&c->channel, text, strlen(text), timeout_ms);
    free(text);
    return how == CHANNEL_LINE ? CLIENT_OK : fail(c, how, timeout_ms, why);
}

/* ---- Opening -------------------------------------------------------------------------------- */

static json_t *greeting(const struct client *c)
{
    const struct outcome *recorded = c->options.recorded;
    json_t *results = recorded != NULL ? json_array() : json_null();

    for (uint32_t i = 0; recorded != NULL && i < RECORDING_EVENTS_MAX; i++) {
        if (recorded->results[i] != NULL)
            (void)json_array_append_new(results,
                                        json_loads(recorded->results[i], JSON_DECODE_ANY, NULL));
    }
    return json_pack("{s:i, s:I, s:I, s:o}", "sennit", CLIENT_VERSION, "random",
                     (json_int_t)c->options.random, "time", (json_int_t)c->options.time_ms,
                     "results", results);
}

static enum client_trouble greet(struct client *c, struct err *why)
{
    json_t *hello;
    enum client_trouble trouble = read_line(c, OPENING_MS, &hello, why);
    json_int_t version = json_integer_value(json_object_get(hello, "sennit"));
    const char *name = json_string_value(json_object_get(hello, "name"));

    if (trouble == CLIENT_OK && !json_is_integer(json_object_get(hello, "sennit")))
        trouble = client_nonsense(c, why, "it must tell the version of the protocol as \"sennit\"");
    (void)snprintf(c->recording.name, sizeof(c->recording.name), "%s", name != NULL ? name : "");
    json_decref(hello);
    if (trouble != CLIENT_OK)
        return trouble;
    if (version != CLIENT_VERSION) {
        char sentence[96];
        struct err ignored;

        (void)snprintf(sentence, sizeof(sentence),
                       "version %" PRId64 " of the protocol is not known here", (int64_t)version);
        (void)write_line(c, json_pack("{s:i, s:s}", "sennit", CLIENT_VERSION, "error", sentence),
                         OPENING_MS, &ignored);
        return client_nonsense(c, why, "%s", sentence);
    }
    return write_line(c, greeting(c), OPENING_MS, why);
}

static enum client_trouble ask(struct client *c, json_t *question, int timeout_ms, struct err *why);

/* A recording may end without one: the test itself has thrown. */
static enum client_trouble take_recording(struct client *c, struct err *why)
{
    json_t *line;
    enum client_trouble trouble = read_line(c, OPENING_MS, &line, why);
    const char *error = json_string_value(json_object_get(line, "error"));

    if (trouble == CLIENT_OK && error != NULL) {
        (void)err_set(why, SN_EINVAL, "the client cannot record: %.400s", error);
        trouble = CLIENT_REFUSED;
    } else if (trouble == CLIENT_OK) {
        trouble = client_read_recording(c, json_object_get(line, "recording"), why);
    }
    json_decref(line);
    return trouble;
}

/* Each process of a program must record the same. */
static enum client_trouble compare(struct client *c, const struct recording *before,
                                   struct err *why)
{
    const struct recording *now = &c->recording;

    if (now->n != before->n || now->n_replicas != before->n_replicas)
        return client_nonsense(c, why,
                               "it has recorded %u events on %u replicas, and before %u on "
                               "%u: the test is not deterministic",
                               now->n, now->n_replicas, before->n, before->n_replicas);
    for (uint32_t i = 0; i < now->n; i++) {
        const struct recorded *a = &now->events[i];
        const struct recorded *b = &before->events[i];

        if (a->kind == b->kind && a->replica == b->replica && a->peer == b->peer &&
            a->of == b->of && strcmp(a->op, b->op) == 0 && strcmp(a->args, b->args) == 0 &&
            strcmp(a->result, b->result) == 0)
            continue;
        return client_nonsense(c, why,
                               "event %u is %s(%.60s) = %.60s, and was %s(%.60s) = %.60s when it "
                               "was recorded before: the test is not deterministic",
                               i, a->op, a->args, a->result, b->op, b->args, b->result);
    }
    return CLIENT_OK;
}

enum client_trouble client_open(struct client **out, const struct client_options *options,
                                const struct recording *before, struct err *why)
{
    struct client *c = calloc(1, sizeof(*c));
    enum client_trouble trouble = CLIENT_OK;

    *out = c;
    if (c == NULL) {
        (void)err_set(why, SN_ENOMEM, "there is no memory for a client");
        return CLIENT_REFUSED;
    }
    c->options = *options;
    if (options->command == NULL)
        channel_use(&c->channel, options->in, options->out);
    else if (channel_start(&c->channel, options->command, why) < 0)
        trouble = CLIENT_ENDED;
    if (trouble == CLIENT_OK && options->is_greeted) {
        trouble = ask(c, json_pack("{s:s}", "do", "recording"), OPENING_MS, why);
        if (trouble == CLIENT_OK)
            trouble = client_read_recording(c, json_object_get(c->answer, "recording"), why);
    } else if (trouble == CLIENT_OK) {
        trouble = greet(c, why);
        if (trouble == CLIENT_OK)
            trouble = take_recording(c, why);
    }
    if (trouble == CLIENT_OK && before != NULL)
        trouble = compare(c, before, why);
    if (trouble != CLIENT_OK) {
        client_close(c);
        *out = NULL;
    }
    return trouble;
}

void client_send_away(struct client *c)
{
    client_dismiss(c, NULL);
    (void)channel_close(&c->channel);
}

void client_stop(struct client *c)
{
    (void)channel_close(&c->channel);
}

void client_abandon(struct client *c)
{
    c->channel.pid = 0;
    client_close(c);
}

void client_close(struct client *c)
{
    if (c == NULL)
        return;
    (void)channel_close(&c->channel);
    json_decref(c->answer);
    for (size_t i = 0; i < c->n_texts; i++)
        free(c->texts[i]);
    free(c->texts);
    free(c->known);
    free(c);
}

const struct recording *client_recording(const struct client *c)
{
    return &c->recording;
}

const struct outcome *client_recorded(const struct client *c)
{
    return &c->recorded;
}

bool client_can_restore(const struct client *c)
{
    return c->can_restore;
}

/* ---- Asking --------------------------------------------------------------------------------- */

/* Asks a question and keeps the answer. Takes `question`. */
static enum client_trouble ask(struct client *c, json_t *question, int timeout_ms, struct err *why)
{
    enum client_trouble trouble;
    const char *error;
    const json_t *id;

    if (question == NULL ||
        json_object_set_new(question, "id", json_integer((json_int_t)++c->id)) < 0) {
        json_decref(question);
        (void)err_set(why, SN_ENOMEM, "there is no memory for a question");
        return CLIENT_REFUSED;
    }
    json_decref(c->answer);
    c->answer = NULL;
    trouble = write_line(c, question, timeout_ms, why);
    if (trouble == CLIENT_OK)
        trouble = read_line(c, timeout_ms, &c->answer, why);
    if (trouble != CLIENT_OK)
        return trouble;
    id = json_object_get(c->answer, "id");
    if (!json_is_integer(id) || (uint64_t)json_integer_value(id) != c->id)
        return client_nonsense(c, why, "it must have the id of the question, %" PRIu64, c->id);
    error = json_string_value(json_object_get(c->answer, "error"));
    if (error == NULL)
        return CLIENT_OK;
    (void)err_set(why, SN_EINVAL, "the client says: %.400s", error);
    return CLIENT_REFUSED;
}

static json_t *list_orders(const struct client_order *orders, uint32_t n)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < n; i++) {
        json_t *order = json_array();

        for (uint32_t j = 0; j < orders[i].n; j++)
            (void)json_array_append_new(order, json_integer(orders[i].events[j]));
        (void)json_array_append_new(list, order);
    }
    return list;
}

enum client_trouble client_run(struct client *c, const struct client_order *orders, uint32_t n,
                               bool checks, const struct client_outcome **outcomes, struct err *why)
{
    json_t *question =
        json_pack("{s:s, s:o}", "do", "run", "interleavings", list_orders(orders, n));
    uint64_t n_events = 0;
    enum client_trouble trouble;

    /* Several together are never so many that they take longer than one may; and if they do, they
     * are asked for one by one. */
    for (uint32_t i = 0; i < n; i++)
        n_events = orders[i].n > n_events ? orders[i].n : n_events;
    if (!checks && question != NULL)
        (void)json_object_set_new(question, "check", json_false());
    if (c->asker != getpid() && question != NULL)
        (void)json_object_set_new(question, "fresh", json_true());
    c->asker = getpid();
    n_events = (n_events + 1) * (uint64_t)c->options.timeout_ms;
    trouble = ask(c, question, n_events < INT32_MAX ? (int)n_events : INT32_MAX, why);
    return trouble == CLIENT_OK ? client_read_outcomes(c, c->answer, outcomes, n, why) : trouble;
}

enum client_trouble client_begin(struct client *c, struct err *why)
{
    return ask(c, json_pack("{s:s}", "do", "begin"), c->options.timeout_ms, why);
}

enum client_trouble client_event(struct client *c, uint32_t event, const char **result,
                                 const char **states, struct err *why)
{
    enum client_trouble trouble = ask(
        c, json_pack("{s:s, s:i}", "do", "event", "event", (int)event), c->options.timeout_ms, why);
    const json_t *value = json_object_get(c->answer, "result");

    if (trouble != CLIENT_OK)
        return trouble;
    *result = client_keep(c, value != NULL ? client_dump(value) : strdup("null"));
    if (states == NULL)
        return CLIENT_OK;
    return client_read_states(c, json_object_get(c->answer, "states"), states, why);
}

enum client_trouble client_end(struct client *c, const char **failed, const char **at,
                               struct err *why)
{
    enum client_trouble trouble =
        ask(c, json_pack("{s:s, s:b}", "do", "end", "check", 1), 2 * c->options.timeout_ms, why);
    const json_t *failure = json_object_get(c->answer, "failed");

    *failed = *at = NULL;
    if (trouble != CLIENT_OK || failure == NULL || json_is_null(failure))
        return trouble;
    *failed = json_string_value(json_object_get(failure, "message"));
    *at = json_string_value(json_object_get(failure, "at"));
    return *failed != NULL ? CLIENT_OK : client_nonsense(c, why, "\"failed\" has no \"message\"");
}

void client_dismiss(struct client *c, const char *summary)
{
    json_t *value = summary != NULL ? json_loads(summary, 0, NULL) : NULL;
    json_t *line = json_pack("{s:I, s:s}", "id", (json_int_t)++c->id, "do", "bye");
    struct err ignored = {""};

    if (value != NULL && line != NULL)
        (void)json_object_set_new(line, "summary", value);
    if (c->channel.is_open)
        (void)write_line(c, line, c->options.timeout_ms, &ignored);
    else
        json_decref(line);
}

/* ---- Files ---------------------------------------------------------------------------------- */

static int read_file(struct client *c, const char *path, struct err *why)
{
    FILE *file = fopen(path, "re");
    json_error_t error;
    json_t *line;
    struct err what = {""};
    enum client_trouble trouble;

    if (file == NULL)
        return err_set(why, SN_EIO, "%s cannot be opened", path);
    line = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    (void)fclose(file);
    if (line == NULL)
        return err_set_at(why, SN_EFORMAT, path, (uint64_t)(error.line > 0 ? error.line : 0), "%s",
                          error.text);
    trouble = client_read_recording(c, json_object_get(line, "recording"), &what);
    json_decref(line);
    if (trouble != CLIENT_OK) {
        const char *sentence = strstr(what.text, "client: ");

        return err_set_at(why, SN_EFORMAT, path, 0, "%s",
                          sentence != NULL ? sentence + strlen("client: ") : what.text);
    }
    return 0;
}

int client_read_file(struct client **out, const char *path, struct err *why)
{
    struct client *c = calloc(1, sizeof(*c));
    int rc;

    *out = c;
    if (c == NULL)
        return err_set(why, SN_ENOMEM, "there is no memory for %s", path);
    rc = read_file(c, path, why);
    if (rc < 0) {
        client_close(c);
        *out = NULL;
    }
    return rc;
}
