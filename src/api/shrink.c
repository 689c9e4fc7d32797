/* shrink.c - see shrink.h: what is shrunk, in which order, and when to stop.
 * SPDX-License-Identifier: MIT
 */
#include "api/shrink.h"

#include "api/identity.h"
#include "api/phases.h"
#include "api/repeats.h"
#include "api/shrink_own.h"
#include "base/file.h"
#include "engine/mem.h"
#include "substrate/liveness.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    FAIR_SEEDS = 8, /* fair ends that are tried before giving up, ... */
    LATER_ENDS = 8, /* ... and how often they begin later */
    ROUNDS_MAX = 8,
    FIRST_TENTHS = 8, /* of the budget, to make the trial smaller; the rest is for exceptions */
};

#define PROGRESS_NS UINT64_C(100000000)

#define ENTRIES_BYTES ((size_t)SHRINK_ENTRIES_MAX * 2 * sizeof(struct lab_entry))
#define OPS_BYTES ((size_t)SHRINK_ENTRIES_MAX * sizeof(struct follow_op))
#define PENDING_BYTES ((size_t)SHRINK_PENDING_MAX * sizeof(struct follow_op))
#define IDS_BYTES ((size_t)SHRINK_ENTRIES_MAX * sizeof(uint64_t))
#define DRAWS_BYTES ((size_t)SHRINK_ENTRIES_MAX * sizeof(struct plan_draw))
#define HOLDS_BYTES ((size_t)SHRINK_HOLDS_MAX * sizeof(struct plan_hold))
#define PASSED_BYTES ((size_t)SHRINK_HOLDS_MAX * sizeof(struct follow_passed))
#define ROUNDS_BYTES                                                                               \
    ((size_t)(SHRINK_ROUNDS_MAX + SHRINK_ENTRIES_MAX) * sizeof(struct shrink_round))
#define TURNS_BYTES ((size_t)SHRINK_ENTRIES_MAX * sizeof(struct shrink_turn))
#define SPANS_BYTES ((size_t)SHRINK_ENTRIES_MAX * sizeof(struct shrink_span))
#define SLOTS_BYTES ((size_t)SHRINK_MEMORY * sizeof(uint64_t))

/* ---- Memory --------------------------------------------------------------------------------- */

static bool reserve_best(struct shrink *s, struct shrink_best *best)
{
    best->entries = mem_reserve_shared(ENTRIES_BYTES, &s->why);
    best->ops = mem_reserve_shared(OPS_BYTES, &s->why);
    best->pending = mem_reserve_shared(PENDING_BYTES, &s->why);
    best->ids = mem_reserve_shared(IDS_BYTES, &s->why);
    best->names = mem_reserve_shared(IDS_BYTES, &s->why);
    best->draws = mem_reserve_shared(DRAWS_BYTES, &s->why);
    best->places = mem_reserve_shared(DRAWS_BYTES, &s->why);
    return best->entries != NULL && best->ops != NULL && best->pending != NULL &&
           best->ids != NULL && best->names != NULL && best->draws != NULL && best->places != NULL;
}

static void release_best(struct shrink_best *best)
{
    mem_release(best->entries, ENTRIES_BYTES);
    mem_release(best->ops, OPS_BYTES);
    mem_release(best->pending, PENDING_BYTES);
    mem_release(best->ids, IDS_BYTES);
    mem_release(best->names, IDS_BYTES);
    mem_release(best->draws, DRAWS_BYTES);
    mem_release(best->places, DRAWS_BYTES);
}

static int reserve(struct shrink *s)
{
    bool has_both = reserve_best(s, &s->best) && reserve_best(s, &s->other);

    s->holds = mem_reserve_shared(HOLDS_BYTES, &s->why);
    s->own_holds = mem_reserve_shared(HOLDS_BYTES, &s->why);
    s->passed = mem_reserve_shared(PASSED_BYTES, &s->why);
    s->entries = mem_reserve_shared(IDS_BYTES, &s->why);
    s->rounds = mem_reserve_shared(ROUNDS_BYTES, &s->why);
    s->turns = mem_reserve_shared(TURNS_BYTES, &s->why);
    s->scratch_turns = mem_reserve_shared(2 * TURNS_BYTES, &s->why);
    s->spans = mem_reserve_shared(SPANS_BYTES, &s->why);
    s->scratch_ids = mem_reserve_shared(SHRINK_WIDTH * IDS_BYTES, &s->why);
    s->scratch_names = mem_reserve_shared(SHRINK_WIDTH * IDS_BYTES, &s->why);
    s->scratch_draws = mem_reserve_shared(SHRINK_WIDTH * DRAWS_BYTES, &s->why);
    s->scratch_holds = mem_reserve_shared(SHRINK_WIDTH * HOLDS_BYTES, &s->why);
    s->memory.slots = mem_reserve_shared(SLOTS_BYTES, &s->why);
    s->memory.n_slots = SHRINK_MEMORY;
    return has_both && s->holds != NULL && s->own_holds != NULL && s->passed != NULL &&
                   s->entries != NULL && s->rounds != NULL && s->turns != NULL &&
                   s->scratch_turns != NULL && s->spans != NULL && s->scratch_ids != NULL &&
                   s->scratch_names != NULL && s->scratch_draws != NULL &&
                   s->scratch_holds != NULL && s->memory.slots != NULL
               ? 0
               : SN_ENOMEM;
}

static void release(struct shrink *s)
{
    release_best(&s->best);
    release_best(&s->other);
    mem_release(s->holds, HOLDS_BYTES);
    mem_release(s->own_holds, HOLDS_BYTES);
    mem_release(s->passed, PASSED_BYTES);
    mem_release(s->entries, IDS_BYTES);
    mem_release(s->rounds, ROUNDS_BYTES);
    mem_release(s->turns, TURNS_BYTES);
    mem_release(s->scratch_turns, 2 * TURNS_BYTES);
    mem_release(s->spans, SPANS_BYTES);
    mem_release(s->scratch_ids, SHRINK_WIDTH * IDS_BYTES);
    mem_release(s->scratch_names, SHRINK_WIDTH * IDS_BYTES);
    mem_release(s->scratch_draws, SHRINK_WIDTH * DRAWS_BYTES);
    mem_release(s->scratch_holds, SHRINK_WIDTH * HOLDS_BYTES);
    mem_release(s->memory.slots, SLOTS_BYTES);
    mem_release(s, sizeof(*s));
}

/* ---- The budget ----------------------------------------------------------------------------- */

uint64_t shrink_now_ns(void)
{
    struct timespec ts = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static bool on_tick(void *self)
{
    struct shrink *s = self;
    struct shrink_progress progress = {
        .steps_before = s->before.steps, .steps = s->best.result.steps, .runs = s->runs};
    uint64_t now = shrink_now_ns();

    if (s->options->progress != NULL && now >= s->progress_ns) {
        s->options->progress(s->options->progress_self, &progress);
        s->progress_ns = now + PROGRESS_NS;
    }
    return s->budget.end_ns == 0 || now < s->budget.end_ns;
}

/* A part of the whole budget. */
static struct shrink_budget part_of_budget(const struct shrink *s, unsigned tenths)
{
    struct shrink_budget part = {.end_ns = 0};

    if (s->options->seconds > 0)
        part.end_ns = s->begin_ns + (uint64_t)(s->options->seconds * 1e8 * tenths);
    if (s->options->runs > 0)
        part.runs = (s->options->runs * tenths + 9) / 10;
    return part;
}

/* What was kept for the end may be used now. Nothing is left when somebody wants it to stop. */
static void use_the_rest(struct shrink *s)
{
    s->was_stopped = s->is_stopped;
    s->is_time_up = lab_is_stopped(s->lab);
    s->budget = part_of_budget(s, 10);
    if (s->rc < 0)
        return;
    lab_resume(s->lab);
    s->is_stopped = false;
}

/* ---- Candidates ----------------------------------------------------------------------------- */

uint64_t shrink_length(const struct shrink *s, const struct lab_result *result)
{
    return s->has_tail && result->fair_from < result->steps ? result->fair_from : result->steps;
}

struct plan shrink_plan(const struct shrink *s)
{
    return (struct plan){.ids = s->best.ids,
                         .n_ids = s->best.n_ids,
                         .draws = s->best.draws,
                         .n_draws = s->best.n_draws,
                         .fair_steps = s->has_tail ? s->fair_steps : 0,
                         .fair_from = s->fair_from,
                         .fair_seed = s->fair_seed};
}

struct plan shrink_plan_by_name(const struct shrink *s)
{
    struct plan plan = shrink_plan(s);

    plan.names = s->best.names;
    plan.draws = s->best.places;
    return plan;
}

uint32_t shrink_repeats(const struct shrink *s)
{
    return s->options->repeats > 1 ? s->options->repeats : 1;
}

static bool has_budget(struct shrink *s)
{
    if (s->budget.runs != 0 && s->runs >= s->budget.runs)
        s->is_stopped = true;
    return !s->is_stopped;
}

bool shrink_run_all(struct shrink *s, const struct lab_job *jobs, uint32_t n,
                    struct lab_result *results)
{
    if (!has_budget(s))
        return false;
    s->rc = lab_run(s->lab, jobs, n, results, &s->why);
    s->runs += n;
    if (s->rc < 0 || lab_is_stopped(s->lab))
        s->is_stopped = s->is_time_up = true;
    return !s->is_stopped;
}

/* Runs jobs from one on and below another. */
static uint32_t run_jobs(struct shrink *s, uint32_t from, uint32_t to)
{
    uint32_t n = to - from;
    int64_t found;

    if (!has_budget(s))
        return DDMIN_STOP;
    found = lab_find(s->lab, &s->wanted, s->jobs + from, n, s->results + from, &s->why);
    if (found < 0)
        s->rc = (int)found;
    if (found < 0 || lab_is_stopped(s->lab)) {
        s->is_stopped = true;
        return DDMIN_STOP;
    }
    s->runs += found < n ? (uint64_t)found + 1 : n;
    if (found < n && s->results[from + found].entries == NULL)
        return to; /* there was no room for it */
    return from + (uint32_t)found;
}

uint32_t shrink_run_jobs(struct shrink *s, uint32_t n)
{
    return run_jobs(s, 0, n);
}

/* Whether a candidate that fails with one fair end does so with the others: if not, it is that end
 * that has found the failure, and what comes before does not lead to it. */
static bool fails_always(struct shrink *s, uint32_t job)
{
    struct plan plans[SHRINK_FAIR_ENDS];
    struct lab_job jobs[SHRINK_FAIR_ENDS];
    struct lab_result results[SHRINK_FAIR_ENDS];
    bool fails = true;

    if (s->n_fair_seeds <= 1)
        return true;
    for (uint32_t i = 0; i < s->n_fair_seeds; i++) {
        plans[i] = *s->jobs[job].plan;
        plans[i].fair_seed = s->fair_seeds[i];
        jobs[i] = (struct lab_job){
            .plan = &plans[i], .max_steps = s->jobs[job].max_steps, .wants_log = i == 0};
    }
    if (!shrink_run_all(s, jobs, s->n_fair_seeds, results))
        return false;
    for (uint32_t i = 0; i < s->n_fair_seeds; i++)
        fails &= lab_is_wanted(&s->wanted, &results[i]);
    s->results[job] = results[0]; /* what it points to has moved */
    if (!fails)
        s->results[job].how = LAB_PASSED;
    return fails && results[0].entries != NULL;
}

bool shrink_is_simpler(const struct shrink *s, const struct lab_result *r)
{
    const struct lab_result *best = &s->best.result;
    uint64_t i = 0;

    if (r->steps != best->steps || r->decisions != best->decisions)
        return r->steps < best->steps ||
               (r->steps == best->steps && r->decisions < best->decisions);
    while (i < r->decisions && r->entries[i].value == s->best.entries[i].value)
        i++;
    return i < r->decisions && r->entries[i].value < s->best.entries[i].value;
}

/* A result that does not count is one that has passed. */
static bool is_simple(struct shrink *s, uint32_t job)
{
    struct lab_result *r = &s->results[job];

    if (!s->must_be_simpler || (r->entries != NULL && shrink_is_simpler(s, r)))
        return true;
    r->how = LAB_PASSED;
    return false;
}

uint32_t shrink_try(struct shrink *s, uint32_t n)
{
    uint32_t repeats = shrink_repeats(s);
    uint32_t found;

    for (uint32_t i = 0; i < n * repeats; i++)
        s->jobs[i] = (struct lab_job){.plan = &s->plans[i / repeats],
                                      .max_steps = s->limits[i / repeats],
                                      .wants_log_if_same = true};
    found = run_jobs(s, 0, n * repeats);
    while (found < n * repeats && !(fails_always(s, found) && is_simple(s, found)))
        found = s->is_stopped ? DDMIN_STOP : run_jobs(s, found + 1, n * repeats);
    return found == DDMIN_STOP ? DDMIN_STOP : found / repeats;
}

const struct lab_result *shrink_tried(const struct shrink *s, uint32_t i)
{
    uint32_t repeats = shrink_repeats(s);

    for (uint32_t k = i * repeats; k < (i + 1) * repeats; k++) {
        if (lab_is_wanted(&s->wanted, &s->results[k]))
            return &s->results[k];
    }
    return &s->results[i * repeats];
}

/* Makes a plan of what happened: all operations, and draws that are not 0, before the fair end. */
static void plan_best(struct shrink *s)
{
    struct shrink_best *best = &s->best;
    uint64_t length = shrink_length(s, &best->result);

    best->n_ids = 0;
    best->n_draws = 0;
    for (uint64_t i = 0; i < best->result.decisions; i++) {
        const struct lab_entry *entry = &best->entries[i];

        if (!entry->is_draw && best->n_ids == length)
            break;
        if (!entry->is_draw) {
            best->names[best->n_ids] = best->ops[best->n_ids].name;
            best->ids[best->n_ids++] = entry->id;
        } else if (entry->value != 0 && best->n_draws < SHRINK_ENTRIES_MAX) {
            best->places[best->n_draws] = (struct plan_draw){entry->place, entry->value};
            best->draws[best->n_draws++] = (struct plan_draw){entry->id, entry->value};
        }
    }
}

static bool has_room(const struct lab_result *r)
{
    return r->entries != NULL && r->steps <= SHRINK_ENTRIES_MAX &&
           r->decisions <= (uint64_t)SHRINK_ENTRIES_MAX * 2;
}

bool shrink_take_result(struct shrink *s, const struct lab_result *r)
{
    struct shrink_best *best = &s->best;

    if (!has_room(r))
        return false;
    best->result = *r;
    if (best->result.n_pending > SHRINK_PENDING_MAX)
        best->result.n_pending = SHRINK_PENDING_MAX;
    memcpy(best->entries, r->entries, r->decisions * sizeof(*best->entries));
    memcpy(best->ops, r->ops, r->steps * sizeof(*best->ops));
    memcpy(best->pending, r->pending, best->result.n_pending * sizeof(*best->pending));
    best->result.entries = best->entries;
    best->result.ops = best->ops;
    best->result.pending = best->pending;
    plan_best(s);
    return true;
}

void shrink_take(struct shrink *s, uint32_t i)
{
    (void)shrink_take_result(s, shrink_tried(s, i)); /* nothing longer is wanted */
}

/* ---- The beginning -------------------------------------------------------------------------- */

/* The trial of the trace as a plan, up to its fair end. */
static void load_trace(struct shrink *s)
{
    const struct trace *trace = s->trace;
    struct shrink_best *best = &s->best;
    uint64_t step = 0;

    best->n_ids = 0;
    best->n_draws = 0;
    s->before = (struct shrink_size){0};
    for (size_t i = 0; i < trace->n_records; i++) {
        const struct trace_record *record = &trace->records[i];

        step = record->kind == TRACE_STEP ? record->step.number : step;
        s->before.steps = step;
        s->before.draws += record->kind == TRACE_DRAW && record->draw.value != 0;
        if (s->has_tail && step > s->fair_from)
            continue;
        if (record->kind == TRACE_STEP && best->n_ids < SHRINK_ENTRIES_MAX)
            best->ids[best->n_ids++] = record->step.id;
        else if (record->kind == TRACE_DRAW && record->draw.value != 0 &&
                 best->n_draws < SHRINK_ENTRIES_MAX)
            best->draws[best->n_draws++] = (struct plan_draw){record->draw.key, record->draw.value};
    }
}

/* Whether a trial has failed as the trace says. */
static bool is_as_traced(const struct shrink *s, const struct lab_result *r)
{
    return r->how == LAB_FAILED && signature_is_traced(&s->trace->verdict, &r->verdict, r->cut);
}

static int refuse(struct shrink_report *report, enum shrink_how how, const char *text)
{
    report->how = how;
    (void)snprintf(report->text, sizeof(report->text), "%s", text);
    return 0;
}

/* Takes the first of the results that has failed as the trace says, or, if there is none and any
 * failure will do, that has failed. Returns which it is; n: there is none. */
static uint32_t take_first(struct shrink *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (is_as_traced(s, &s->results[i]) && shrink_take_result(s, &s->results[i]))
            return i;
    }
    for (uint32_t i = 0; i < n && s->options->any_failure; i++) {
        if (s->results[i].how == LAB_FAILED && shrink_take_result(s, &s->results[i])) {
            s->is_another = true;
            return i;
        }
    }
    return n;
}

/* Runs the trial as it was. Where it is judged at its end, other fair ends must show it as well. */
static bool run_first(struct shrink *s)
{
    uint32_t n = s->has_tail ? FAIR_SEEDS : shrink_repeats(s);
    uint32_t first;
    uint64_t seed = s->options->seed != 0 ? s->options->seed : 1;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t plan = i < SHRINK_WIDTH ? i : 0;

        s->plans[plan] = shrink_plan(s);
        s->plans[plan].fair_seed = s->has_tail ? seed + i : seed;
        s->jobs[i] = (struct lab_job){.plan = &s->plans[plan], .wants_log = true};
    }
    s->rc = lab_run(s->lab, s->jobs, n, s->results, &s->why);
    if (s->rc < 0)
        return false;
    first = take_first(s, n);
    s->runs += first < n ? first + 1 : n;
    if (first == n)
        return false;
    s->fair_seed = s->has_tail ? seed + first : seed;
    for (uint32_t i = first; i < n && s->has_tail && s->n_fair_seeds < SHRINK_FAIR_ENDS; i++) {
        if (signature_is_same(&s->results[i].signature, &s->best.result.signature))
            s->fair_seeds[s->n_fair_seeds++] = seed + i;
    }
    s->wanted = (struct lab_wanted){.signature = s->best.result.signature,
                                    .any = s->options->any_failure,
                                    .steps_max = SHRINK_ENTRIES_MAX,
                                    .decisions_max = SHRINK_ENTRIES_MAX * 2,
                                    .is_hot_before = s->has_tail && s->best.result.hot_since <=
                                                                        s->best.result.fair_from};
    return true;
}

/* The same. If no other fair end shows it, it was in its own that the trial went wrong: then more
 * and more of that is kept, and the fair end begins later. */
static bool run_first_of_all(struct shrink *s)
{
    uint64_t fair_from = s->trace->header.fair_from;
    uint64_t end = s->trace->n_steps;

    for (uint64_t i = 0; i < (s->has_tail && end > fair_from ? LATER_ENDS : 1); i++) {
        s->fair_from = i == 0 ? fair_from : fair_from + (end - fair_from) * i / LATER_ENDS;
        load_trace(s);
        if (run_first(s) || s->rc < 0 || lab_is_stopped(s->lab))
            break;
    }
    return s->rc >= 0 && s->best.result.entries != NULL;
}

static int explain_first(struct shrink *s, struct shrink_report *report)
{
    const struct lab_result *r = &s->results[0];
    struct identity identity;
    bool is_changed;
    char text[512];

    identity_get(&identity);
    is_changed = strcmp(identity.build, s->trace->header.build) != 0;
    if (lab_is_stopped(s->lab))
        return refuse(report, SHRINK_STOPPED, "its time was up before its first run");
    if (r->how == LAB_UNCONTROLLED) {
        (void)snprintf(text, sizeof(text), "it is not under control: %.400s", r->verdict.message);
        return refuse(report, SHRINK_REFUSED, text);
    }
    if (is_as_traced(s, r))
        return refuse(report, SHRINK_REFUSED,
                      r->entries == NULL ? "there is no room for what was decided in it"
                                         : "it is too long to be shrunk");
    (void)snprintf(text, sizeof(text), "it %s%s%.200s%s",
                   r->how == LAB_FAILED ? "fails in another way now (" : "does not fail any more",
                   r->how == LAB_FAILED ? r->verdict.oracle : "", r->how == LAB_FAILED ? ")" : "",
                   is_changed ? ": the program has changed since the trace was written"
                              : "; --repeats N runs each candidate N times");
    return refuse(report, SHRINK_NOT_FAILING, text);
}

/* A trial of the run that fails in the same way, if it is shorter. */
static void try_other(struct shrink *s)
{
    const struct run_request *request = s->options->request;
    const struct sn_test *test = request->test;
    uint64_t steps_max = request_steps_max(request);
    uint64_t fair_steps = test->fair_steps != 0 ? test->fair_steps : steps_max / 2;
    struct lab_job job = {.strategy = request_strategy(request),
                          .seed = request_seed(request),
                          .trial = s->options->other_trial,
                          .wants_log = true};

    if (!s->options->has_other || s->has_tail || strchr(job.strategy, '@') != NULL)
        return;
    if (liveness_matters(test) && test->max_time_ns != 0)
        return; /* its fair end begins at a time */
    if (liveness_matters(test))
        job.fair_from = fair_steps < steps_max ? steps_max - fair_steps : 0;
    s->rc = lab_run(s->lab, &job, 1, s->results, &s->why);
    s->runs++;
    if (s->rc == 0 && lab_is_wanted(&s->wanted, &s->results[0]) &&
        s->results[0].steps < s->best.result.steps)
        (void)shrink_take_result(s, &s->results[0]);
}

/* ---- All of it ------------------------------------------------------------------------------ */

/* Values one by one, and then two at a time: two that depend on each other go only so far alone,
 * and if that is all, they would get there in small steps. */
static bool shrink_all_values(struct shrink *s)
{
    bool is_smaller = !s->is_stopped && shrink_values(s);

    /* What is not under control takes its own time for each candidate, and several runs. */
    if (request_is_uncontrolled(s->options->request))
        return is_smaller;
    if (!is_smaller)
        is_smaller = !s->is_stopped && shrink_turns(s);
    is_smaller |= !s->is_stopped && shrink_pairs(s);
    return is_smaller;
}

bool shrink_minimise(struct shrink *s)
{
    bool is_smaller = false;
    bool goes_on = true;

    shrink_dues(s);
    while (goes_on && !s->is_stopped) {
        /* Where nothing but values is decided, simple ones are all that counts. */
        s->must_be_simpler = s->best.result.steps == 0;
        goes_on = shrink_spans(s);
        goes_on |= !s->is_stopped && shrink_draws(s);
        goes_on |= !s->is_stopped && shrink_ids(s);
        goes_on |= !s->is_stopped && shrink_rounds(s);
        /* Values say little as long as there is more to leave out. */
        goes_on = goes_on || shrink_all_values(s);
        is_smaller |= goes_on;
    }
    s->must_be_simpler = false;
    return is_smaller;
}

/* Exceptions, chance, or other decisions, may lead to another trial, of which more can be left out.
 */
static void shrink_all(struct shrink *s)
{
    s->budget = part_of_budget(s, FIRST_TENTHS);
    shrink_from_start(s);
    (void)shrink_minimise(s);
    shrink_from_pool(s);
    for (int i = 0; i < ROUNDS_MAX && !s->is_stopped; i++) {
        bool is_another = shrink_by_chance(s);

        (void)shrink_minimise(s);
        is_another |= shrink_by_exceptions(s) && shrink_minimise(s);
        is_another |= shrink_from_inside(s);
        if (!is_another)
            break;
        (void)shrink_minimise(s);
    }
    use_the_rest(s); /* what people read must not be what is lost */
    shrink_exceptions(s);
}

/* Finds out how often the smallest trial fails, if it is not under control. */
static void measure(struct shrink *s)
{
    uint32_t n = shrink_repeats(s);

    if (n == 1 || s->is_stopped)
        return;
    s->plans[0] = shrink_plan(s);
    for (uint32_t i = 0; i < n; i++)
        s->jobs[i] = (struct lab_job){.plan = &s->plans[0]};
    if (lab_run(s->lab, s->jobs, n, s->results, &s->why) < 0 || lab_is_stopped(s->lab))
        return; /* it is not known then, and not said */
    s->runs += n;
    s->is_measured = true;
    for (uint32_t i = 0; i < n; i++)
        s->n_failed += lab_is_wanted(&s->wanted, &s->results[i]);
}

static int open_lab(struct shrink *s)
{
    bool dies = signature_is_death(s->trace->verdict.oracle);
    struct lab_options options = {
        .request = s->options->request,
        .workers = s->options->workers > 0 ? s->options->workers : 1,
        .max_steps = s->trace->header.max_steps,
        .entries_max = SHRINK_ENTRIES_MAX,
        .tick = on_tick,
        .self = s,
    };

    s->is_dear = dies || s->trace->header.world == TRACE_WORLD_FORK;
    options.fork = s->is_dear;
    s->is_dear |= s->options->request->fork || s->options->request->test->world == SN_WORLD_FORK;
    return lab_open(&s->lab, &options, &s->why);
}

static int work(struct shrink *s, const char *path, struct shrink_report *report)
{
    const struct trace_verdict *was = &s->trace->verdict;

    if (was->verdict == TRACE_UNCONTROLLED)
        return refuse(report, SHRINK_REFUSED,
                      "control over the trial was lost: it need not happen again");
    if (was->verdict != TRACE_FAILED)
        return refuse(report, SHRINK_REFUSED, "the trial has passed: nothing is to be kept");
    if (s->trace->n_steps > SHRINK_ENTRIES_MAX)
        return refuse(report, SHRINK_REFUSED, "it is too long to be shrunk");
    s->has_tail =
        signature_is_liveness(was->oracle, was->cut) && s->trace->header.fair_from != UINT64_MAX;
    if (s->has_tail && s->trace->header.fair_from >= s->trace->header.max_steps)
        return refuse(report, SHRINK_REFUSED, "its end is said to be fair after its limit");
    s->is_cut = strcmp(was->oracle, "linear") == 0;
    s->fair_steps = s->trace->header.max_steps - s->trace->header.fair_from;
    s->rc = open_lab(s);
    if (s->rc < 0)
        return s->rc;
    if (!run_first_of_all(s))
        return s->rc < 0 ? s->rc : explain_first(s, report);
    try_other(s);
    shrink_all(s);
    if (s->rc < 0)
        return s->rc;
    measure(s);
    s->rc = shrink_write(s, path);
    if (s->rc == 0)
        shrink_describe(s, report);
    return s->rc;
}

int shrink_trace(const struct shrink_options *options, const struct trace *trace, const char *path,
                 struct shrink_report *report, struct err *why)
{
    struct shrink *s = mem_reserve_shared(sizeof(*s), why);
    int rc;

    *report = (struct shrink_report){.how = SHRINK_DONE};
    if (s == NULL)
        return SN_ENOMEM;
    rc = file_try(path, why); /* before the work, and not after it */
    if (rc < 0) {
        mem_release(s, sizeof(*s));
        return rc;
    }
    s->options = options;
    s->trace = trace;
    s->begin_ns = shrink_now_ns();
    s->budget = part_of_budget(s, 10);
    rc = reserve(s);
    if (rc == 0)
        rc = work(s, path, report);
    if (rc < 0 && why != NULL)
        *why = s->why;
    lab_close(s->lab);
    release(s);
    return rc;
}
