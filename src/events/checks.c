/* checks.c - see checks.h. SPDX-License-Identifier: MIT */
#include "events/checks.h"

#include <sennit/test.h>
#include <stdio.h>
#include <string.h>

#define EVENT(e_) (UINT64_C(1) << (e_))

/* The first are expectations; the others are the publication's misconceptions, by what gives them
 * away. */
static const struct {
    const char *name;
    uint32_t expect;
} known[] = {
    {"convergence", SN_EXPECT_CONVERGENCE},     {"idempotence", SN_EXPECT_IDEMPOTENCE},
    {"same-states", SN_EXPECT_SAME_STATES},     {"same-results", SN_EXPECT_SAME_RESULTS},
    {"no-duplicates", SN_EXPECT_NO_DUPLICATES}, {"unique-results", SN_EXPECT_UNIQUE_RESULTS},
    {"no-lost-update", CHECK_NO_LOST_UPDATE},   {"no-throws", CHECK_NO_THROWS},
    {"causal-delivery", SN_EXPECT_SAME_STATES}, {"list-order", SN_EXPECT_CONVERGENCE},
    {"move", SN_EXPECT_NO_DUPLICATES},          {"sequential-ids", SN_EXPECT_UNIQUE_RESULTS},
    {"coordination", SN_EXPECT_SAME_RESULTS},
};

uint32_t checks_find(const char *name)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) == 0)
            return known[i].expect;
    }
    return 0;
}

int checks_read(const char *list, uint32_t *expect, struct err *why)
{
    uint32_t set = 0;

    while (*list != '\0') {
        char word[64];
        size_t n = strcspn(list, ",");
        uint32_t one;

        (void)snprintf(word, sizeof(word), "%.*s", (int)n, list);
        one = checks_find(word);
        if (one == 0 && strcmp(word, "none") != 0)
            return err_set(why, SN_EINVAL,
                           "nothing called \"%s\" can be expected: convergence, idempotence, "
                           "same-states, same-results, no-duplicates, unique-results, "
                           "no-lost-update, no-throws, none",
                           word);
        set |= one;
        list += n + (list[n] == ',');
    }
    *expect = set;
    return 0;
}

/* ---- What was delivered --------------------------------------------------------------------- */

void checks_delivered(const struct recording *r, const uint8_t *order, uint32_t n,
                      uint64_t delivered[RECORDING_REPLICAS_MAX])
{
    uint64_t carried[RECORDING_EVENTS_MAX] = {0};

    memset(delivered, 0, RECORDING_REPLICAS_MAX * sizeof(delivered[0]));
    for (uint32_t i = 0; i < n; i++) {
        const struct recorded *e = &r->events[order[i]];

        if (e->kind == SN_EVENT_UPDATE) {
            delivered[e->replica] |= EVENT(order[i]);
            carried[order[i]] = EVENT(order[i]);
        } else if (e->kind == SN_EVENT_REQUEST) {
            carried[order[i]] = delivered[e->replica];
        } else if (recorded_is_applied(e)) {
            delivered[e->replica] |= carried[e->of];
        }
    }
}

/* ---- One after the other -------------------------------------------------------------------- */

/* Whether the state of a replica counts, and what updates return there. */
static bool is_watched(const struct check_job *job, uint32_t replica)
{
    return (job->watched | job->watched_queries) == 0 || (job->watched & 1 << replica) != 0;
}

static bool has_watched_result(const struct check_job *job, uint32_t event)
{
    const struct recorded *e = &job->recording->events[event];

    return is_watched(job, e->replica) ||
           (e->kind == SN_EVENT_QUERY && (job->watched_queries & 1 << e->replica) != 0);
}

static bool has_converged(const struct check_job *job, char *sentence, size_t size)
{
    const struct recording *r = job->recording;
    uint64_t delivered[RECORDING_REPLICAS_MAX];

    checks_delivered(r, job->order, job->n, delivered);
    for (uint32_t a = 0; a < r->n_replicas; a++) {
        for (uint32_t b = a + 1; b < r->n_replicas; b++) {
            const char *one = job->outcome->states[a];
            const char *other = job->outcome->states[b];

            if (one == NULL || other == NULL || delivered[a] != delivered[b] ||
                !is_watched(job, a) || !is_watched(job, b) || strcmp(one, other) == 0)
                continue;
            (void)snprintf(sentence, size,
                           "%s and %s have got the same updates, but %s is %.160s and %s %.160s",
                           r->replicas[a], r->replicas[b], r->replicas[a], one, r->replicas[b],
                           other);
            return false;
        }
    }
    return true;
}

/* What came of some events says nothing about what should have come of them: it was recorded what
 * comes of all. Without this, leaving events out would always look like the bug. */
static bool is_comparable(const struct check_job *job)
{
    return job->n == job->recording->n;
}

static bool has_same_states(const struct check_job *job, char *sentence, size_t size)
{
    for (uint32_t i = 0; i < job->recording->n_replicas && is_comparable(job); i++) {
        const char *is = job->outcome->states[i];
        const char *was = job->recorded->states[i];

        if (is == NULL || was == NULL || strcmp(is, was) == 0 || !is_watched(job, i))
            continue;
        (void)snprintf(sentence, size, "%s is %.200s, and as recorded it was %.200s",
                       job->recording->replicas[i], is, was);
        return false;
    }
    return true;
}

static bool has_same_results(const struct check_job *job, char *sentence, size_t size)
{
    for (uint32_t i = 0; i < job->recording->n && is_comparable(job); i++) {
        const struct recorded *e = &job->recording->events[i];
        const char *is = job->outcome->results[i];
        const char *was = job->recorded->results[i];

        if (e->kind != SN_EVENT_QUERY || is == NULL || was == NULL || !has_watched_result(job, i) ||
            strcmp(is, was) == 0)
            continue;
        (void)snprintf(sentence, size,
                       "%s at %s (event %u) returned %.160s, and as recorded %.160s", e->op,
                       job->recording->replicas[e->replica], i, is, was);
        return false;
    }
    return true;
}

static bool has_unique_results(const struct check_job *job, char *sentence, size_t size)
{
    for (uint32_t j = 0; j < job->n; j++) {
        for (uint32_t i = 0; i < j; i++) {
            const struct recorded *a = &job->recording->events[job->order[i]];
            const struct recorded *b = &job->recording->events[job->order[j]];
            const char *one = job->outcome->results[job->order[i]];
            const char *other = job->outcome->results[job->order[j]];

            if (a->kind != SN_EVENT_UPDATE || b->kind != SN_EVENT_UPDATE ||
                strcmp(a->op, b->op) != 0 || one == NULL || other == NULL ||
                strcmp(one, "null") == 0 || strcmp(one, other) != 0 ||
                !is_watched(job, a->replica) || !is_watched(job, b->replica))
                continue;
            (void)snprintf(sentence, size,
                           "%s returned %.100s twice, at %s (event %u) and at %s "
                           "(event %u)",
                           a->op, one, job->recording->replicas[a->replica], job->order[i],
                           job->recording->replicas[b->replica], job->order[j]);
            return false;
        }
    }
    return true;
}

/* The length of the JSON value at the beginning of a text, which is one. */
static size_t value_length(const char *text)
{
    size_t n = 0;
    int depth = 0;
    bool is_string = false;

    for (; text[n] != '\0'; n++) {
        char c = text[n];

        if (is_string && c == '\\' && text[n + 1] != '\0')
            n++;
        else if (c == '"')
            is_string = !is_string;
        else if (!is_string && (c == '[' || c == '{'))
            depth++;
        else if (!is_string && (c == ']' || c == '}') && depth-- == 0)
            break;
        else if (!is_string && c == ',' && depth == 0)
            break;
    }
    return n;
}

/* Whether an array has an element twice; it is told then. */
static bool has_twice(const char *array, const char **element, size_t *n)
{
    if (array[0] != '[')
        return false;
    for (const char *a = array + 1; *a != '\0' && *a != ']';) {
        size_t n_a = value_length(a);
        const char *b = a + n_a;

        while (*b == ',') {
            size_t n_b = value_length(++b);

            if (n_a == n_b && memcmp(a, b, n_a) == 0) {
                *element = a;
                *n = n_a;
                return true;
            }
            b += n_b;
        }
        a += n_a + (a[n_a] == ',');
    }
    return false;
}

static bool has_no_duplicates(const struct check_job *job, char *sentence, size_t size)
{
    const char *element;
    size_t n;

    for (uint32_t i = 0; i < job->recording->n_replicas; i++) {
        const char *state = job->outcome->states[i];

        if (state == NULL || !is_watched(job, i) || !has_twice(state, &element, &n))
            continue;
        (void)snprintf(sentence, size, "%s has %.*s twice: %.200s", job->recording->replicas[i],
                       (int)(n < 100 ? n : 100), element, state);
        return false;
    }
    return true;
}

static bool is_throw(const char *result)
{
    return result != NULL && strncmp(result, "{\"throws\":", 10) == 0;
}

static bool has_no_throws(const struct check_job *job, char *sentence, size_t size)
{
    for (uint32_t i = 0; i < job->n; i++) {
        const struct recorded *e = &job->recording->events[job->order[i]];
        const char *is = job->outcome->results[job->order[i]];

        if (!is_throw(is) || is_throw(job->recorded->results[job->order[i]]) ||
            !has_watched_result(job, job->order[i]))
            continue;
        (void)snprintf(sentence, size, "%s(%.60s) at %s (event %u) throws: %.200s", e->op, e->args,
                       job->recording->replicas[e->replica], job->order[i], is);
        return false;
    }
    return true;
}

const char *checks_judge(const struct check_job *job, char *sentence, size_t size)
{
    static const struct {
        uint32_t expect;
        const char *name;
        bool (*holds)(const struct check_job *job, char *sentence, size_t size);
    } checks[] = {
        {CHECK_NO_THROWS, "throws", has_no_throws},
        {SN_EXPECT_UNIQUE_RESULTS, "unique-results", has_unique_results},
        {SN_EXPECT_NO_DUPLICATES, "no-duplicates", has_no_duplicates},
        {SN_EXPECT_CONVERGENCE, "convergence", has_converged},
        {SN_EXPECT_SAME_RESULTS, "same-results", has_same_results},
        {SN_EXPECT_SAME_STATES, "same-states", has_same_states},
    };

    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        if ((job->expect & checks[i].expect) != 0 && !checks[i].holds(job, sentence, size))
            return checks[i].name;
    }
    return NULL;
}
