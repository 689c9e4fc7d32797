/* summary.c - see summary.h. SPDX-License-Identifier: MIT */
#include "remote/summary.h"

#include "events/recording.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_IS_BUG = 1, PATH_BYTES = 4096 };

/* Events are announced in their order, and a step has the id of what it performs. */
struct reading {
    json_t *ids[RECORDING_EVENTS_MAX];
    size_t n;
    json_t *order;
};

static void read_record(struct reading *in, const json_t *record)
{
    json_t *id = json_object_get(record, "id");

    if (json_object_get(record, "send") != NULL && in->n < RECORDING_EVENTS_MAX)
        in->ids[in->n++] = json_incref(id);
    if (json_object_get(record, "step") == NULL)
        return;
    for (size_t i = 0; i < in->n; i++) {
        if (json_equal(in->ids[i], id))
            (void)json_array_append_new(in->order, json_integer((json_int_t)i));
    }
}

/* The numbers of the events in the order of a trace; null if it cannot be read. */
static json_t *read_order(const char *path)
{
    struct reading in = {.order = json_array()};
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    char *line = NULL;
    size_t room = 0;

    if (file == NULL) {
        json_decref(in.order);
        return json_null();
    }
    while (getline(&line, &room, file) > 0) {
        /* Of the first one, with numbers that are larger than jansson's, nothing is needed. */
        json_t *record = json_loads(line, 0, NULL);

        read_record(&in, record);
        json_decref(record);
    }
    free(line);
    (void)fclose(file);
    for (size_t i = 0; i < in.n; i++)
        json_decref(in.ids[i]);
    return in.order;
}

static json_t *list_findings(const json_t *test)
{
    json_t *findings = json_array();
    size_t i;
    const json_t *failure;

    json_array_foreach(json_object_get(test, "failures"), i, failure)
    {
        json_t *trace = json_object_get(failure, "trace");
        json_t *shrunk = json_object_get(failure, "shrunk_trace");

        (void)json_array_append_new(
            findings, json_pack("{s:O?, s:O?, s:O?, s:O?, s:o, s:o}", "oracle",
                                json_object_get(failure, "oracle"), "message",
                                json_object_get(failure, "message"), "trace", trace, "shrunk_trace",
                                shrunk, "interleaving", read_order(json_string_value(trace)),
                                "shrunk", read_order(json_string_value(shrunk))));
    }
    return findings;
}

char *summary_make(const char *directory, int code)
{
    char path[PATH_BYTES];
    json_t *run;
    const json_t *test;
    json_t *summary;
    const char *verdict = code == 0 ? "passed" : code == EXIT_IS_BUG ? "failed" : "stopped";
    char *text;

    (void)snprintf(path, sizeof(path), "%s/summary.json", directory);
    run = json_load_file(path, 0, NULL);
    test = json_array_get(json_object_get(run, "tests"), 0);
    summary = json_pack("{s:s, s:I, s:o}", "verdict", verdict, "interleavings",
                        json_integer_value(json_object_get(test, "trials")), "findings",
                        list_findings(test));
    if (strcmp(verdict, "stopped") == 0 && summary != NULL)
        (void)json_object_set(summary, "message", json_object_get(test, "error"));
    text = summary != NULL ? json_dumps(summary, JSON_COMPACT) : NULL;
    json_decref(summary);
    json_decref(run);
    return text;
}
