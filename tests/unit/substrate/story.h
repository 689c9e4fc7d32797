/* story.h - what each trial of a test tells, the set of all stories of a run, and what a trace says
 * went wrong.
 *
 * A story is kept in the trial's memory, so that it goes back with it; the set lies in a mapping of
 * its own. Tests whose stories are collected are SN_WORLD_TRIAL. SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_SUBSTRATE_STORY_H
#define TESTS_UNIT_SUBSTRATE_STORY_H

#include "report/words.h"
#include "trace/trace.h"

#include <sennit/sennit.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <setjmp.h>
#include <stddef.h>

#include <cmocka.h>

enum { STORIES_MAX = 512, STORY_SIZE = 256 };

struct story {
    size_t used;
    char text[STORY_SIZE];
};

struct stories {
    uint32_t n;
    uint64_t log;   /* of all decisions of all trials, in order */
    uint64_t order; /* of all orders of all trials, in order */
    char text[STORIES_MAX][STORY_SIZE];
    uint64_t count[STORIES_MAX];
    char all[16384];
};

static struct story *story;
static struct stories *told;

/* To be called first by a test's run function. */
static inline void story_begin(void)
{
    story = sn_alloc(sizeof(*story));
}

/* Goes on with the story of the running trial. */
static inline __attribute__((format(printf, 1, 2))) void tell(const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(story->text + story->used, sizeof(story->text) - story->used, format, args);
    va_end(args);
    sn_assert(n >= 0 && story->used + (size_t)n < sizeof(story->text));
    story->used += (size_t)n;
}

static inline void stories_watch(void *self, const struct sn_trial_view *trial)
{
    struct stories *s = self;
    uint32_t i = 0;

    for (uint64_t k = 0; k < trial->decisions; k++)
        s->log = s->log * 31 + trial->log[k];
    s->order = s->order * 31 + trial->order;
    if (story == NULL)
        return;
    while (i < s->n && strcmp(s->text[i], story->text) < 0)
        i++;
    if (i == s->n || strcmp(s->text[i], story->text) != 0) {
        if (s->n == STORIES_MAX)
            abort();
        memmove(s->text[i + 1], s->text[i], (s->n - i) * sizeof(s->text[0]));
        memmove(&s->count[i + 1], &s->count[i], (s->n - i) * sizeof(s->count[0]));
        memcpy(s->text[i], story->text, sizeof(story->text));
        s->count[i] = 0;
        s->n++;
    }
    s->count[i]++;
}

/* All stories that were told, in alphabetical order: "a | b". */
static inline const char *stories_all(void)
{
    size_t used = 0;

    told->all[0] = '\0';
    for (uint32_t i = 0; i < told->n; i++)
        used += (size_t)snprintf(told->all + used, sizeof(told->all) - used, "%s%s",
                                 i > 0 ? " | " : "", told->text[i]);
    assert_true(used < sizeof(told->all));
    return told->all;
}

/* How many trials told this. */
static inline uint64_t stories_count(const char *text)
{
    for (uint32_t i = 0; i < told->n; i++) {
        if (strcmp(told->text[i], text) == 0)
            return told->count[i];
    }
    return 0;
}

static inline struct sn_result stories_run(const struct sn_test *test, struct sn_options options)
{
    struct sn_result r;

    if (told == NULL)
        told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(told, 0, sizeof(*told));
    story = NULL;
    options.keep_going = true;
    options.watch = stories_watch;
    options.watch_self = told;
    assert_int_equal(sn_run(test, &options, &r), 0);
    return r;
}

/* Every schedule and every fault. */
static inline struct sn_result stories_of(const struct sn_test *test)
{
    struct sn_result r =
        stories_run(test, (struct sn_options){.strategy = "dfs", .iterations = 2000000});

    assert_string_equal(r.failure, "");
    assert_true(r.exhausted);
    return r;
}

/* ---- Traces --------------------------------------------------------------------------------- */

/* The first failing trial of a test under dfs, replayed and then read: what its trace says went
 * wrong, in the words of `sennit show`, separated by "; ". */
static inline const char *faults_of_failing_trial(const struct sn_test *test)
{
    static char text[4096];
    char directory[] = "/tmp/sennit-faults-XXXXXX";
    struct sn_options options = {.strategy = "dfs", .iterations = 2000000};
    struct sn_result found;
    struct sn_result again;
    struct trace trace;
    struct sn_text out;

    assert_non_null(mkdtemp(directory));
    options.outdir = directory;
    assert_int_equal(sn_run(test, &options, &found), 0);
    assert_int_equal(found.failures, 1);
    assert_int_equal(sn_replay(test, found.trace, &again), 0);
    assert_string_equal(again.failure, found.failure);
    assert_false(again.nondeterministic);
    assert_int_equal(trace_read(&trace, found.trace, NULL), 0);
    text_init(&out, text, sizeof(text));
    for (size_t i = 0; i < trace.n_records; i++) {
        if (trace.records[i].kind != TRACE_FAULT)
            continue;
        text_puts(&out, out.used > 0 ? "; " : "");
        words_record(&out, &trace.records[i]);
    }
    trace_done(&trace);
    (void)unlink(found.trace);
    (void)rmdir(directory);
    return text;
}

#endif
