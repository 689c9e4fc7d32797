/* fuzz_client.c - a libFuzzer target: any bytes as what a client of recorded events says.
 *
 * Lines are taken in turn for a recording and for answers; what is understood is read through to
 * its end. SPDX-License-Identifier: MIT
 */
#include "remote/client_own.h"

#include <stdlib.h>
#include <string.h>

enum { ORDERS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t length(const char *text)
{
    return text != NULL ? strlen(text) : 0;
}

/* Everything that was handed out is there. */
static void read_through(const struct client *c, const struct outcome *outcome)
{
    volatile size_t n = 0;

    for (uint32_t i = 0; i < c->recording.n; i++)
        n += length(outcome->results[i]);
    for (uint32_t i = 0; i < c->recording.n_replicas; i++)
        n += length(outcome->states[i]);
}

static void judge(const struct client *c, const struct client_outcome *outcome)
{
    uint8_t order[RECORDING_EVENTS_MAX];
    const struct check_job job = {.recording = &c->recording,
                                  .expect = UINT32_MAX,
                                  .order = order,
                                  .n = c->recording.n,
                                  .outcome = &outcome->seen,
                                  .recorded = &c->recorded};
    char sentence[512] = "";

    for (uint32_t i = 0; i < c->recording.n; i++)
        order[i] = (uint8_t)i;
    read_through(c, &outcome->seen);
    sn_check((checks_judge(&job, sentence, sizeof(sentence)) == NULL) == (sentence[0] == '\0'));
}

static void take_line(struct client *c, const char *line, size_t n, bool is_first)
{
    const struct client_outcome *outcomes[ORDERS] = {NULL};
    const char *states[RECORDING_REPLICAS_MAX] = {NULL};
    struct err why = {""};
    json_t *value;

    if (client_parse(c, line, n, &value, &why) == CLIENT_OK) {
        if (is_first) {
            (void)client_read_recording(c, json_object_get(value, "recording"), &why);
        } else if (client_read_outcomes(c, value, outcomes, ORDERS, &why) == CLIENT_OK) {
            for (size_t i = 0; i < ORDERS; i++)
                judge(c, outcomes[i]);
        }
        (void)client_read_states(c, json_object_get(value, "states"), states, &why);
    }
    for (const char *t = why.text; *t != '\0'; t++)
        sn_check((unsigned char)*t >= ' ');
    json_decref(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct client *c = calloc(1, sizeof(*c));
    char *text = malloc(size + 1);
    bool is_first = true;

    if (c == NULL || text == NULL)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = text; line <= text + size;) {
        char *end = memchr(line, '\n', (size_t)(text + size - line));
        size_t n = (size_t)((end != NULL ? end : text + size) - line);

        line[n] = '\0';
        take_line(c, line, n, is_first);
        is_first = false;
        line += n + 1;
    }
    for (size_t i = 0; i < c->n_texts; i++)
        free(c->texts[i]);
    free(c->texts);
    free(c->known);
    free(c);
    free(text);
    return 0;
}
