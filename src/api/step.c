/* step.c - a session: the strategy that asks, and what is done between trials.
 * SPDX-License-Identifier: MIT
 */
#include "api/step.h"

#include "api/step_own.h"
#include "engine/loop.h"
#include "engine/mem.h"
#include "strategy/oldest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const struct strategy_entry step_entry;

/* ---- Opening and closing -------------------------------------------------------------------- */

/* High numbers, so that the lowest free descriptor, which programs can see, stays what it was. */
enum { DESCRIPTOR_FLOOR = 200 };

/* The code under test must not read what is meant for the session. */
static int take_input(struct step *s, struct err *why)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

    s->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, DESCRIPTOR_FLOOR);
    if (s->in >= 0 && nothing >= 0) {
        (void)dup2(nothing, STDIN_FILENO);
        (void)close(nothing);
        return 0;
    }
    if (nothing >= 0)
        (void)close(nothing);
    return err_set(why, SN_EIO, "there is no standard input to take decisions from");
}

int step_open(struct explore_phase *phase, bool is_json, struct err *why)
{
    struct step *s = mem_reserve_shared(step_entry.strategy->state_size + 1, why);

    *phase = (struct explore_phase){.entry = &step_entry, .self = s, .until = UINT64_MAX};
    if (s == NULL)
        return SN_ENOMEM;
    s->view = is_json ? &step_json : &step_text;
    s->phases[0] = *phase;
    text_init(&s->happened, s->happened_buffer, sizeof(s->happened_buffer));
    return take_input(s, why);
}

void step_settle(struct step *s)
{
    strategies_close(s->phases + 1, s->n_opened);
    s->n_opened = 0;
    s->phases[0].until = UINT64_MAX;
    explore_set_phases(s->joins.explore, s->phases, 1);
}

void step_close(struct step *s)
{
    if (s == NULL)
        return;
    strategies_close(s->phases + 1, s->n_opened);
    s->n_opened = 0;
    if (s->in >= 0) {
        (void)dup2(s->in, STDIN_FILENO);
        (void)close(s->in);
    }
}

void step_begin(struct step *s, const struct step_joins *joins)
{
    s->joins = *joins;
    s->t = joins->explore->t;
    text_init_fd(&s->out, s->out_buffer, sizeof(s->out_buffer), joins->output->saved[0]);
}

/* ---- What a step did ------------------------------------------------------------------------ */

/* What was printed while decisions were repeated was printed before. */
static void take_printed(struct step *s)
{
    struct output *output = s->joins.output;

    s->n_printed = output_take(output, s->printed, sizeof(s->printed));
    s->printed_is_cut = s->n_printed == sizeof(s->printed);
    if (s->printed_is_cut || s->is_back) {
        char rest[256];

        while (output_take(output, rest, sizeof(rest)) > 0)
            continue;
    }
    if (s->is_back)
        s->n_printed = 0;
    s->is_back = false;
}

void step_hear(void *self, const struct trace_record *record)
{
    struct step *s = self;
    size_t used = s->happened.used;

    if (record == NULL) {
        take_printed(s);
        return;
    }
    if (s->t->now.steps != s->heard_step || s->happened_is_cut)
        return;
    s->view->hear(s, record);
    if (!s->happened.cut)
        return;
    s->happened.used = used; /* whole records only */
    s->happened.cut = false;
    s->happened_is_cut = true;
}

static void forget_happened(struct step *s)
{
    text_clear(&s->happened);
    s->happened_is_cut = false;
    s->n_printed = 0;
}

/* ---- The strategy --------------------------------------------------------------------------- */

static bool begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct step *s = self;

    (void)trial;
    *keep = s->keep;
    output_keep(s->joins.output);
    return true;
}

/* Puts the open question, unless that has been done, and waits for an answer. Leaves the trial if
 * something else must be done first. NULL: a command was done. */
static char *listen(struct step *s, struct trial *t)
{
    char *line;

    if (!s->is_put) {
        if (s->question == STEP_ASKS_OPERATION)
            s->view->ask_operation(s, false);
        else
            s->view->ask_value(s);
        s->is_put = true;
        forget_happened(s);
    }
    line = step_read_line(s);
    if (line == NULL)
        s->request = STEP_QUIT;
    else if (!step_command(s, line))
        return line;
    if (s->request != STEP_NOTHING) {
        s->heard_step = UINT64_MAX;
        trial_leave(t);
    }
    return NULL;
}

/* Oldest first. Shell's sort: qsort may call malloc. */
static void sort_pending(struct step *s, const struct trial *t)
{
    uint32_t n = t->now.n_enabled;

    s->n_pending = n;
    for (uint32_t i = 0; i < n; i++)
        s->pending[i] = i;
    for (uint32_t gap = n / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < n; i++) {
            uint32_t moved = s->pending[i];
            uint32_t k = i;

            for (; k >= gap &&
                   oldest_is_before(oldest_op(t, moved), oldest_op(t, s->pending[k - gap]));
                 k -= gap)
                s->pending[k] = s->pending[k - gap];
            s->pending[k] = moved;
        }
    }
}

static uint32_t ask_source(struct trial *t, void *self)
{
    struct step *s = self;
    uint32_t number = UINT32_MAX;

    s->question = STEP_ASKS_OPERATION;
    s->is_forced[t->log.n] = false;
    take_printed(s);
    sort_pending(s, t);
    while (number == UINT32_MAX) {
        const char *line = listen(s, t);

        if (line != NULL)
            number = step_answer(s, line);
    }
    s->is_put = false;
    s->heard_step = t->now.steps + 1;
    return (uint32_t)t->enabled[s->pending[number]];
}

static void loop(struct trial *t)
{
    trial_loop_with(t, ask_source, NULL, t->strategy_self);
}

/* Asked by nobody: the loop is always there. */
static uint32_t pick(void *self, const struct sn_pending *pending)
{
    (void)self;
    return oldest_index((const struct trial *)pending);
}

/* Below `n`, or UINT64_MAX after a complaint. */
static uint64_t parse_value(struct step *s, const char *line, uint64_t n)
{
    char *end;
    char sentence[128];
    uint64_t value;

    errno = 0;
    value = strtoull(line, &end, 10);
    if (line[0] >= '0' && line[0] <= '9' && *end == '\0' && errno == 0 && value < n)
        return value;
    (void)snprintf(sentence, sizeof(sentence), "a value below %llu is needed; help lists commands",
                   (unsigned long long)n);
    s->view->complain(s, sentence);
    return UINT64_MAX;
}

static uint64_t draw(void *self, const struct sn_draw *asked)
{
    struct step *s = self;
    struct trial *t = s->t;
    uint64_t value = UINT64_MAX;

    if (s->is_recording) /* the trial was left before this value */
        trial_leave(t);
    s->is_forced[t->log.n] = asked->n == 1;
    if (asked->n == 1)
        return 0;
    s->question = STEP_ASKS_VALUE;
    s->draw = *asked;
    take_printed(s);
    while (value == UINT64_MAX) {
        const char *line = listen(s, t);

        if (line != NULL)
            value = parse_value(s, line, asked->n);
    }
    s->is_put = false;
    return value;
}

static void end(void *self, const struct sn_trial_end *trial_end)
{
    struct step *s = self;

    (void)trial_end;
    output_drop(s->joins.output); /* descriptors are as they were when the run began */
}

/* To be told only of what can be decided: see trial_draw_unless_systematic. */
static bool is_exhausted(const void *self)
{
    (void)self;
    return false;
}

static const struct sn_strategy step_strategy = {
    .name = "step",
    .about = "asks at standard input",
    .state_size = sizeof(struct step),
    .begin = begin,
    .pick = pick,
    .draw = draw,
    .end = end,
    .is_exhausted = is_exhausted,
};

const struct strategy_entry step_entry = {
    .strategy = &step_strategy, .loop = loop, .is_driven = true};

/* ---- Between trials ------------------------------------------------------------------------- */

/* Goes back as far as was asked for, and on to something that there was a choice about. */
static void go_back(struct step *s)
{
    while (s->keep > 0 && s->is_forced[s->keep])
        s->keep--;
    s->is_put = false;
    forget_happened(s);
}

static int repeat(struct step *s, int fd, struct err *why)
{
    struct trace_header *header = &s->joins.header;
    int rc;

    header->fair_from = s->t->fair_from;
    header->trial = s->joins.explore->trial;
    s->is_recording = true;
    if (fd >= 0)
        rc = record_trial(s->joins.record, s->joins.explore, header, fd, why);
    else
        rc = record_to_file(s->joins.record, s->joins.explore, header, s->argument, why);
    s->is_recording = false;
    return rc;
}

static void save(struct step *s)
{
    struct err why = {""};

    if (repeat(s, -1, &why) < 0)
        s->view->complain(s, why.text);
    else
        s->view->saved(s, s->argument);
}

static int show_file(struct step *s, int fd, struct err *why)
{
    off_t size = lseek(fd, 0, SEEK_END);
    struct trace trace;
    void *bytes;
    int rc;

    if (size <= 0)
        return err_set(why, SN_EIO, "the trial could not be recorded");
    bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return err_set(why, SN_ENOMEM, "there is no memory for the log");
    rc = trace_parse(&trace, bytes, (size_t)size, "log", why);
    (void)munmap(bytes, (size_t)size);
    if (rc < 0)
        return rc;
    s->view->log(s, &trace);
    trace_done(&trace);
    return 0;
}

/* The log is what a trace of the trial would show. One whose control was lost cannot be repeated to
 * its end, but to where it got. */
static void show_log(struct step *s)
{
    bool is_lost = s->t->verdict.verdict == SN_UNCONTROLLED;
    struct err why = {""};
    int fd = memfd_create("sennit-log", MFD_CLOEXEC);
    int rc;

    if (fd < 0) {
        s->view->complain(s, "there is no memory for the log");
        return;
    }
    rc = repeat(s, fd, &why);
    if (rc == 0 || is_lost)
        rc = show_file(s, fd, &why);
    if (rc < 0)
        s->view->complain(s, why.text);
    (void)close(fd);
}

/* Splits "STRATEGY@STEP", if it is that, and returns the step; UINT64_MAX: none is given. */
static uint64_t split_step(char *text)
{
    char *at = strrchr(text, '@');
    char *last;
    uint64_t step;

    if (at == NULL || at[1] < '0' || at[1] > '9')
        return UINT64_MAX;
    errno = 0;
    step = strtoull(at + 1, &last, 10);
    if (*last != '\0' || errno != 0)
        return UINT64_MAX;
    *at = '\0';
    return step;
}

/* Lets other strategies decide, to the end of the trial or to a step; after a script the question
 * is put again. */
static int open_run(struct step *s, struct err *why)
{
    uint64_t here = s->t->now.steps;
    uint64_t until = split_step(s->argument);
    struct explore_phase opened[EXPLORE_PHASES_MAX];
    uint32_t n = 0;
    int rc;

    if (until <= here)
        return err_set(why, SN_EINVAL, "step %llu has been taken already",
                       (unsigned long long)until);
    rc = strategies_open(s->joins.strategies, s->argument, s->joins.seed, opened, &n, why);
    if (rc == 0 && opened[0].entry->why_alone != NULL)
        rc = err_set(why, SN_EINVAL, "strategy %.80s cannot go on where another one has led: %s",
                     s->argument, opened[0].entry->why_alone);
    if (rc == 0 && n > STEP_PHASES)
        rc = err_set(why, SN_EINVAL, "more than %d strategies in one run", STEP_PHASES);
    if (rc < 0) {
        strategies_close(opened, n);
        return rc;
    }
    memcpy(s->phases + 1, opened, n * sizeof(opened[0]));
    s->n_opened = n;
    s->phases[0].until = here;
    s->phases[n].until = until;
    if (until == UINT64_MAX && !s->phases[n].entry->is_driven) {
        explore_set_phases(s->joins.explore, s->phases, n + 1);
        return 0;
    }
    s->phases[n].until = until < UINT64_MAX ? until : UINT64_MAX - 1;
    s->phases[n + 1] = (struct explore_phase){.entry = &step_entry, .self = s, .until = UINT64_MAX};
    explore_set_phases(s->joins.explore, s->phases, n + 2);
    return 0;
}

static void run(struct step *s)
{
    struct err why = {""};

    if (open_run(s, &why) < 0)
        s->view->complain(s, why.text);
    else
        s->is_put = false;
}

bool step_left(struct step *s)
{
    enum step_request request = s->request;

    s->request = STEP_NOTHING;
    s->is_back = true;
    output_drop(s->joins.output);
    step_settle(s);
    if (request == STEP_QUIT)
        return false;
    if (request == STEP_BACK) {
        go_back(s);
        return true;
    }
    s->keep = s->t->log.n;
    if (request == STEP_SAVE)
        save(s);
    else if (request == STEP_LOG)
        show_log(s);
    else if (request == STEP_RUN)
        run(s);
    return true;
}

bool step_refused(struct step *s)
{
    if (s->n_opened == 0)
        return false;
    step_settle(s);
    s->view->complain(s, "this strategy has nothing left to try");
    s->is_put = true;
    return true;
}

static void ask_next(struct step *s, const struct sn_result *result)
{
    const struct trial *t = s->t;
    bool is_first = result->failures == 1 && t->verdict.verdict != SN_PASSED;
    char failure[sizeof(t->verdict.message) + sizeof(t->verdict.at) + 32] = "";
    struct step_end ended = {
        .verdict = t->verdict.verdict,
        .steps = t->now.steps,
        .cut = t->cut,
        .failure = failure,
        .trace = is_first ? result->trace : "",
    };

    if (is_first)
        (void)snprintf(failure, sizeof(failure), "%s", result->failure);
    else if (ended.verdict != SN_PASSED)
        (void)snprintf(failure, sizeof(failure), "%s: %s%s%s", t->verdict.oracle, t->verdict.at,
                       t->verdict.at[0] != '\0' ? ": " : "", t->verdict.message);
    s->view->ask_next(s, &ended);
    forget_happened(s);
}

bool step_ended(struct step *s, const struct sn_result *result)
{
    s->question = STEP_ASKS_NEXT;
    s->keep = s->t->log.n;
    s->heard_step = UINT64_MAX;
    ask_next(s, result);
    for (;;) {
        char *line = step_read_line(s);
        enum step_request request;

        if (line == NULL)
            return false;
        if (!step_command(s, line))
            s->view->complain(s, "the trial has ended: back, save, log, state, quit");
        request = s->request;
        s->request = STEP_NOTHING;
        if (request == STEP_QUIT)
            return false;
        if (request == STEP_BACK) {
            go_back(s);
            s->is_back = true;
            return true;
        }
        if (request == STEP_SAVE)
            save(s);
        else if (request == STEP_LOG)
            show_log(s);
    }
}

void step_done(struct step *s, const struct sn_result *result)
{
    s->view->done(s, result);
}
