/* campaign.c - chooses programs of the right size and sends them through all comparisons.
 * SPDX-License-Identifier: MIT
 */
#include "campaign.h"
#include "generate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A sanitizer has a world of its own: each trial becomes a process instead. */
#ifdef __SANITIZE_ADDRESS__
enum { FULL_EVERY = 40 };
#else
enum { FULL_EVERY = 5 };
#endif

static const struct limits widest = {.leaves_min = 1, .leaves_max = 20000, .steps_max = 12};

struct campaign *campaign_new(void)
{
    struct campaign *campaign = shared_memory(sizeof(*campaign));

    campaign->tree = tree_new();
    campaign->comparison = comparison_new();
    (void)sn_strategy_register(&walk_strategy);
    return campaign;
}

void campaign_compare(struct campaign *campaign, const struct program *program, uint32_t ways)
{
    struct comparison *c = campaign->comparison;

    comparison_begin(c, campaign->tree, program->seed);
    for (enum way way = 0; way < WAYS; way++) {
        if ((ways & 1u << way) == 0)
            continue;
        (void)compare(c, program, way);
        campaign->n_runs[way]++;
        campaign->n_visited[way] += c->n_trials;
        campaign->wrong[way][c->wrong]++;
        if (c->wrong != WRONG_NOTHING)
            return;
    }
}

/* The same in a process of its own, which may die or hang. */
static void campaign_compare_apart(struct campaign *campaign, const struct program *program,
                                   uint32_t ways)
{
    enum { SECONDS_MAX = 20 };
    struct comparison *c = campaign->comparison;
    int status;
    pid_t child;

    c->wrong = WRONG_NOTHING;
    (void)fflush(NULL);
    child = fork();
    if (child == 0) {
        (void)alarm(SECONDS_MAX);
        campaign_compare(campaign, program, ways);
        _exit(0);
    }
    if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    c->wrong = WRONG_DIED;
    campaign->n_runs[c->way]++;
    campaign->wrong[c->way][WRONG_DIED]++;
}

/* Most programs are small, so that there can be many; some are as big as brute force allows. */
static struct limits limits_of(uint64_t number)
{
    struct limits limits = widest;

    if (number % 40 == 39)
        limits.leaves_min = 500;
    else if (number % 8 == 7)
        limits = (struct limits){.leaves_min = 100, .leaves_max = 3000, .steps_max = 12};
    else
        limits = (struct limits){.leaves_min = 2, .leaves_max = 400, .steps_max = 12};
    return limits;
}

/* The slower ways only for some programs. */
static uint32_t ways_of(const struct tree *tree, uint64_t number)
{
    uint32_t ways = 1u << WAY_WALK | 1u << WAY_RESTORE | 1u << WAY_RERUN;

    if (number % FULL_EVERY == 0 && tree->n_leaves <= 500)
        ways |= 1u << WAY_FULL;
    if (number % 50 == 3 && tree->n_leaves <= 100)
        ways |= 1u << WAY_FORK;
    return ways;
}

void campaign_run(struct campaign *campaign, uint64_t seed, uint64_t n)
{
    const bool is_careful = getenv("BRUTE_CAREFUL") != NULL;
    bool has_reported[WRONGS] = {false};
    struct program program;
    uint64_t random = seed;

    for (uint64_t i = 0; i < n; i++) {
        struct limits limits = limits_of(i);
        enum wrong wrong;
        uint32_t ways;

        do {
            random = stamp_child(random, 1);
            generate(random, &program);
        } while (!enumerate(&program, &limits, campaign->tree, campaign->features));
        campaign->n_programs++;
        campaign->n_leaves += campaign->tree->n_leaves;
        campaign->n_traces += campaign->tree->traces.n;
        ways = ways_of(campaign->tree, i);
        if (is_careful)
            campaign_compare_apart(campaign, &program, ways);
        else
            campaign_compare(campaign, &program, ways);
        wrong = campaign->comparison->wrong;
        if (wrong != WRONG_NOTHING && !has_reported[wrong])
            campaign_report(campaign, &program, ways);
        has_reported[wrong] = true;
    }
}

/* ---- Making a program that shows something wrong smaller ------------------------------------- */

struct shrinking {
    struct campaign scratch; /* counts of no interest */
    struct program program;
    uint32_t ways;
    enum way way;
    enum wrong wrong;
};

/* Takes up the candidate if it shows the same. */
static bool try_candidate(struct shrinking *s, const struct program *candidate)
{
    struct program p = *candidate;
    uint64_t features[FEATURES];

    if (memcmp(&p, &s->program, sizeof(p)) == 0)
        return false;
    if (!enumerate(&p, &widest, s->scratch.tree, features))
        return false;
    campaign_compare_apart(&s->scratch, &p, s->ways);
    if (s->scratch.comparison->way != s->way || s->scratch.comparison->wrong != s->wrong)
        return false;
    s->program = p;
    return true;
}

static void drop_instruction(struct script *script, int i)
{
    memmove(&script->list[i], &script->list[i + 1],
            (size_t)(script->n - i - 1) * sizeof(script->list[0]));
    script->n--;
    memset(&script->list[script->n], 0, sizeof(script->list[0]));
}

static bool shrink_script(struct shrinking *s, size_t offset)
{
    const struct script *script = (const struct script *)((const char *)&s->program + offset);
    bool has_shrunk = false;

    for (int i = script->n - 1; i >= 0; i--) {
        struct program candidate = s->program;
        struct script *changed = (struct script *)((char *)&candidate + offset);

        drop_instruction(changed, i);
        if (try_candidate(s, &candidate)) {
            has_shrunk = true;
            continue;
        }
        candidate = s->program;
        changed->list[i].condition = IF_ALWAYS;
        has_shrunk |= try_candidate(s, &candidate);
    }
    return has_shrunk;
}

static bool shrink_run(struct shrinking *s)
{
    bool has_shrunk = false;

    for (int i = s->program.n_run - 1; i >= 0; i--) {
        struct program candidate = s->program;

        memmove(&candidate.run[i], &candidate.run[i + 1],
                (size_t)(candidate.n_run - i - 1) * sizeof(candidate.run[0]));
        candidate.n_run--;
        has_shrunk |= try_candidate(s, &candidate);
    }
    return has_shrunk;
}

static bool shrink_binding(struct shrinking *s, int type, int state, int event)
{
    struct program candidate = s->program;
    struct binding *on = &candidate.types[type].states[state].on[event];
    bool has_shrunk = false;

    if (on->kind == BIND_NONE)
        return false;
    *on = (struct binding){.kind = BIND_IGNORE};
    has_shrunk = try_candidate(s, &candidate);
    if (!has_shrunk)
        has_shrunk =
            shrink_script(s, (size_t)((const char *)&on->script - (const char *)&candidate));
    return has_shrunk;
}

static bool shrink_state(struct shrinking *s, int type, int number)
{
    struct program candidate = s->program;
    struct state *state = &candidate.types[type].states[number];
    bool has_shrunk = false;

    state->has_exit = false;
    has_shrunk |= try_candidate(s, &candidate);
    candidate = s->program;
    state->has_entry = number == 0;
    has_shrunk |= try_candidate(s, &candidate);
    has_shrunk |=
        shrink_script(s, (size_t)((const char *)&state->entry - (const char *)&candidate));
    has_shrunk |= shrink_script(s, (size_t)((const char *)&state->exit - (const char *)&candidate));
    for (int e = 0; e < EVENTS_ALL; e++)
        has_shrunk |= shrink_binding(s, type, number, e);
    return has_shrunk;
}

static bool shrink_environment(struct shrinking *s)
{
    struct program candidate = s->program;
    bool has_shrunk;

    candidate.links = 0;
    has_shrunk = try_candidate(s, &candidate);
    for (int i = 0; i < FAULTS; i++) {
        candidate = s->program;
        candidate.faults[i] = false;
        has_shrunk |= try_candidate(s, &candidate);
    }
    candidate = s->program;
    candidate.down /= 2;
    candidate.cut /= 2;
    return try_candidate(s, &candidate) || has_shrunk;
}

static bool shrink_once(struct shrinking *s)
{
    bool has_shrunk = shrink_run(s);
    struct program candidate;

    has_shrunk |= shrink_environment(s);
    candidate = s->program;
    memset(&candidate.types[--candidate.n_types], 0, sizeof(candidate.types[0]));
    for (int i = 0; i < candidate.n_run; i++)
        if (candidate.run[i].code == CODE_CREATE && candidate.run[i].arg == candidate.n_types)
            candidate.run[i].arg = 0;
    if (s->program.n_types > 1)
        has_shrunk |= try_candidate(s, &candidate);
    for (int t = 0; t < s->program.n_types; t++)
        for (int n = 0; n < s->program.types[t].n_states; n++)
            has_shrunk |= shrink_state(s, t, n);
    return has_shrunk;
}

void campaign_report(struct campaign *campaign, const struct program *program, uint32_t ways)
{
    enum { ROUNDS_MAX = 10 };
    struct shrinking s = {.program = *program,
                          .ways = ways,
                          .way = campaign->comparison->way,
                          .wrong = campaign->comparison->wrong};
    uint64_t features[FEATURES];

    s.scratch.tree = campaign->tree;
    s.scratch.comparison = campaign->comparison;
    for (int i = 0; i < ROUNDS_MAX && shrink_once(&s); i++)
        ;
    (void)enumerate(&s.program, &widest, s.scratch.tree, features);
    campaign_compare_apart(&s.scratch, &s.program, ways);
    program_print(&s.program, stderr);
    comparison_print(s.scratch.comparison, stderr);
}
