/* test.c - sn_sync_test: commands, what is observed of them, and what is said when that cannot be.
 *
 * Nothing is kept between commands but the observation, in memory of the trial: a simulated
 * synchroniser may be put back to an earlier step in the middle of it. SPDX-License-Identifier: MIT
 */
#include "base/text.h"
#include "engine/here.h"
#include "engine/trial.h"
#include "sync/operations.h"

#include <sennit/machine.h>
#include <sennit/sync.h>
#include <string.h>

enum {
    COMMANDS_MAX = 64,
    EVENTS_PER_COMMAND = 4 + SN_SYNC_FILES_MAX,
    SETTLE_PARTS = 16, /* in which a stabilization waits, ... */
    TABLE_BYTES = 1 << 16,
};

#define SECOND UINT64_C(1000000000)
#define SETTLE_LEAST_NS UINT64_C(20000000) /* ... and each takes so long at least */
#define LOOK_NS UINT64_C(1000000)

/* A test while it runs. In memory of the trial. */
struct testing {
    struct sn_sync_options options;
    const struct sn_sync_driver *driver;
    void *self;
    const char *rules;
    struct sn_sync_event *events;
    size_t n;
    bool is_killed[SN_SYNC_NODES_MAX];
    bool is_rejected;
    bool is_stopped;
};

/* ---- Options -------------------------------------------------------------------------------- */

static uint64_t or_default(uint64_t value, uint64_t otherwise)
{
    return value != 0 ? value : otherwise;
}

/* Fills in what is zero, and refuses what there is no room for. */
static void read_options(struct testing *g, const struct sn_sync_options *options)
{
    struct sn_sync_options *o = &g->options;
    struct trial *t = trial_here();

    if (options != NULL)
        *o = *options;
    o->n_nodes = (uint32_t)or_default(o->n_nodes, 2);
    o->n_files = (uint32_t)or_default(o->n_files, 1);
    o->n_values = (uint32_t)or_default(o->n_values, 3);
    o->n_commands = (uint32_t)or_default(o->n_commands, 12);
    o->sleep_max_ns = or_default(o->sleep_max_ns, SECOND);
    o->settle_ns = or_default(o->settle_ns, 30 * SECOND);
    o->wait_ns = or_default(o->wait_ns, 2 * SECOND);
    g->rules = o->rules != NULL ? o->rules : g->driver->rules;
    if (o->n_nodes > SN_SYNC_NODES_MAX || o->n_files > SN_SYNC_FILES_MAX ||
        o->n_values >= SN_SYNC_DIRECTORY || o->n_commands > COMMANDS_MAX)
        trial_fail(t, "usage", NULL,
                   "sn_sync_test: at most %d nodes, %d files, %d values, %d commands",
                   SN_SYNC_NODES_MAX, SN_SYNC_FILES_MAX, SN_SYNC_DIRECTORY - 1, COMMANDS_MAX);
    if (sn_sync_rules_find(g->rules) == NULL)
        trial_fail(t, "usage", NULL, "sn_sync_test: there are no rules called \"%.60s\"", g->rules);
}

/* ---- What is said --------------------------------------------------------------------------- */

static struct sn_sync_result judge(const struct testing *g, size_t n)
{
    struct sn_sync_result result;

    (void)sn_sync_judge(g->rules, g->options.n_nodes, g->events, n, NULL, &result);
    return result;
}

/* Puts the table into the trace, a note a line. */
static void note_table(const struct testing *g)
{
    const struct trial *t = trial_here();
    char *text;

    if (t->recorder == NULL || t->recorder->note == NULL)
        return;
    text = sn_alloc(TABLE_BYTES);
    if (sn_sync_print(g->rules, g->options.n_nodes, g->events, g->n, g->options.names,
                      SN_SYNC_REJECTED, text, TABLE_BYTES) < 0)
        return;
    sn_note("observed:");
    for (char *line = text; *line != '\0';) {
        char *end = strchrnul(line, '\n');
        bool is_last = *end == '\0';

        *end = '\0';
        sn_note("%s", line);
        line = is_last ? end : end + 1;
    }
}

/* The kind of a failure: trials that fail in one way show one bug. */
static const char *kind_of(const struct testing *g, size_t event)
{
    const struct sn_sync_event *ev = &g->events[event];

    if (ev->kind != SN_SYNC_STABILIZE)
        return "value";
    for (uint32_t i = 1; i < g->options.n_nodes; i++) {
        if (ev->seen[i].value != ev->seen[0].value ||
            ev->seen[i].conflicts != ev->seen[0].conflicts)
            return "disagreement";
    }
    return "stabilize";
}

static void conclude(struct testing *g)
{
    struct sn_sync_result result = judge(g, g->n);

    if (g->options.judged != NULL)
        g->options.judged(g->events, g->n, &result);
    if (result.verdict == SN_CONJECTURED_YES)
        return;
    if (result.verdict == SN_CONJECTURED_UNKNOWN) {
        trial_lose_control(trial_here(), "sync", "nobody knows whether it can be explained: %s",
                           result.why);
        return;
    }
    note_table(g);
    trial_fail(trial_here(), "sync", kind_of(g, result.explained), "%s", result.why);
}

/* The driver has failed: what it says is what the trial fails of, once everything is cleaned up. */
static void check(struct testing *g, int rc)
{
    enum { SENTENCE_MAX = 400 };
    const char *error;
    char *sentence;

    if (rc == 0)
        return;
    error = g->driver->error != NULL ? g->driver->error(g->self) : NULL;
    sentence = sn_alloc(SENTENCE_MAX + 1);
    (void)strncat(sentence, error != NULL ? error : "it does not say why", SENTENCE_MAX);
    if (!g->is_stopped)
        (void)g->driver->stop(g->self);
    trial_fail(trial_here(), "driver", NULL, "%s: %s", g->driver->name, sentence);
}

/* ---- Observing ------------------------------------------------------------------------------ */

static struct sn_sync_event *observe(struct testing *g, enum sn_sync_kind kind, uint32_t file)
{
    struct sn_sync_event *ev = &g->events[g->n++];

    *ev = (struct sn_sync_event){.kind = kind, .file = file};
    return ev;
}

static void observe_write(struct testing *g, const struct command *c, uint32_t value, uint32_t old)
{
    struct sn_sync_event *ev = observe(g, SN_SYNC_WRITE, c->file);

    ev->node = c->node;
    ev->value = value;
    ev->old = old;
}

static void observe_read(struct testing *g, const struct command *c, uint32_t value)
{
    struct sn_sync_event *ev = observe(g, SN_SYNC_READ, c->file);

    ev->node = c->node;
    ev->value = value;
}

/* ---- Commands ------------------------------------------------------------------------------- */

static void do_read(struct testing *g, const struct command *c)
{
    uint32_t value = 0;

    check(g, g->driver->read(g->self, c->node, c->file, &value));
    observe_read(g, c, value);
}

static void do_write(struct testing *g, const struct command *c, uint32_t value)
{
    uint32_t old = 0;

    check(g, g->driver->write(g->self, c->node, c->file, value, &old));
    observe_write(g, c, value, old);
}

/* A rename of nothing is no more than to see that there is nothing. What is in its way is deleted
 * before. */
static void do_rename(struct testing *g, const struct command *c)
{
    struct command to = {.node = c->node, .file = c->to};
    uint32_t value = 0;
    uint32_t old = 0;

    check(g, g->driver->read(g->self, c->node, c->to, &old));
    if (old != 0)
        do_write(g, &to, 0);
    old = 0;
    sn_note("node %u: file %u is renamed to %u", c->node + 1, c->file + 1, c->to + 1);
    if (g->driver->rename != NULL) {
        check(g, g->driver->rename(g->self, c->node, c->file, c->to, &value, &old));
        if (value != 0 && old != 0)
            observe_write(g, &to, 0, old);
        if (value != 0) {
            observe_write(g, &to, value, 0);
            observe_write(g, c, 0, value);
        }
    } else {
        check(g, g->driver->read(g->self, c->node, c->file, &value));
        if (value != 0) {
            do_write(g, &to, value);
            do_write(g, c, 0);
        }
    }
    if (value == 0)
        observe_read(g, c, 0);
}

/* The values that may appear on a node, besides what it has: bit v for value v. Nothing that the
 * oracle needs for it stays. */
static uint64_t values_to_come(const struct testing *g, const struct command *c, uint32_t present)
{
    struct sn_sync_watch *watch =
        sn_sync_watch_new(g->rules, g->options.n_nodes, g->options.n_files, NULL);
    uint64_t values = 0;

    if (watch == NULL)
        return 0;
    for (size_t i = 0; i < g->n; i++)
        (void)sn_sync_watch_feed(watch, &g->events[i]);
    values = sn_sync_watch_values(watch, c->node, c->file);
    sn_sync_watch_free(watch);
    return values & ~(UINT64_C(1) << present);
}

/* The which-th value of a set that is not empty, counted in a circle. */
static uint32_t pick(uint64_t values, uint32_t which)
{
    which %= (uint32_t)__builtin_popcountll(values);
    for (; which > 0; which--)
        values &= values - 1;
    return (uint32_t)__builtin_ctzll(values);
}

/* Waits for a value by looking again and again. */
static uint32_t poll_value(struct testing *g, const struct command *c, uint32_t wanted)
{
    uint32_t value = 0;

    for (uint64_t ns = 0; ns <= g->options.wait_ns; ns += LOOK_NS) {
        check(g, g->driver->read(g->self, c->node, c->file, &value));
        if (value == wanted)
            break;
        check(g, g->driver->sleep(g->self, LOOK_NS));
    }
    return value;
}

/* What was there last was seen, whether it is what was waited for or not; what follows comes at
 * once. */
static void do_wait(struct testing *g, const struct command *c)
{
    uint32_t value = 0;
    uint32_t wanted = 0;
    uint64_t values;

    check(g, g->driver->read(g->self, c->node, c->file, &value));
    values = values_to_come(g, c, value);
    if (values != 0) {
        wanted = pick(values, c->which);
        if (g->driver->wait != NULL)
            check(g,
                  g->driver->wait(g->self, c->node, c->file, wanted, g->options.wait_ns, &value));
        else
            value = poll_value(g, c, wanted);
    }
    if (c->then == COMMAND_WRITE)
        do_write(g, c, c->value);
    else if (c->then == COMMAND_DELETE)
        do_write(g, c, 0);
    if (values != 0)
        sn_note("node %u: waited for value %u of file %u, which %s", c->node + 1, wanted,
                c->file + 1, value == wanted ? "came" : "did not come");
    if (c->then == COMMAND_READ)
        observe_read(g, c, value);
}

static void do_kill(struct testing *g, uint32_t node)
{
    if (g->is_killed[node])
        return;
    sn_note("node %u: the daemon is killed", node + 1);
    check(g, g->driver->kill(g->self, node));
    g->is_killed[node] = true;
}

static void do_restart(struct testing *g, uint32_t node)
{
    do_kill(g, node);
    sn_note("node %u: the daemon is restarted", node + 1);
    check(g, g->driver->restart(g->self, node));
    g->is_killed[node] = false;
}

/* Looks at all files on all nodes; the events stay only if they are counted. */
static size_t look(struct testing *g)
{
    for (uint32_t file = 0; file < g->options.n_files; file++) {
        struct sn_sync_event *ev = &g->events[g->n + file];

        *ev = (struct sn_sync_event){.kind = SN_SYNC_STABILIZE, .file = file};
        for (uint32_t node = 0; node < g->options.n_nodes; node++)
            check(g, g->driver->look(g->self, node, file, &ev->seen[node]));
    }
    return g->n + g->options.n_files;
}

/* Waits until what all nodes have can be explained, or for as long as it may take. What cannot be
 * explained already will not be by waiting. */
static void do_stabilize(struct testing *g)
{
    uint64_t part = g->options.settle_ns / SETTLE_PARTS;
    uint64_t waited = 0;
    size_t n;

    for (uint32_t node = 0; node < g->options.n_nodes; node++) {
        if (g->is_killed[node])
            do_restart(g, node);
    }
    part = part > SETTLE_LEAST_NS ? part : SETTLE_LEAST_NS;
    g->is_rejected = judge(g, g->n).verdict != SN_CONJECTURED_YES;
    for (;;) {
        bool is_idle = false;

        check(g, g->driver->settle(g->self, part, &is_idle));
        n = look(g);
        waited += part;
        if (g->is_rejected || waited >= g->options.settle_ns ||
            judge(g, n).verdict == SN_CONJECTURED_YES)
            break;
        if (is_idle)
            check(g, g->driver->sleep(g->self, part));
    }
    g->n = n;
}

static void perform(struct testing *g, const struct command *c)
{
    switch (c->kind) {
    case COMMAND_READ:
        do_read(g, c);
        return;
    case COMMAND_WRITE:
    case COMMAND_DIRECTORY:
        do_write(g, c, c->value);
        return;
    case COMMAND_DELETE:
        do_write(g, c, 0);
        return;
    case COMMAND_SLEEP:
        sn_note("sleeps %llu ms", (unsigned long long)(c->ns / 1000000));
        check(g, g->driver->sleep(g->self, c->ns));
        return;
    case COMMAND_STABILIZE:
        do_stabilize(g);
        return;
    case COMMAND_WAIT:
        do_wait(g, c);
        return;
    case COMMAND_RENAME:
        do_rename(g, c);
        return;
    case COMMAND_KILL:
        do_kill(g, c->node);
        return;
    case COMMAND_RESTART:
        do_restart(g, c->node);
        return;
    }
}

void sn_sync_test(const struct sn_sync_driver *driver, void *self,
                  const struct sn_sync_options *options)
{
    struct testing *g = sn_alloc(sizeof(*g));
    struct command *commands;
    uint32_t n;
    int rc;

    g->driver = driver;
    g->self = self;
    read_options(g, options);
    n = operations_draw(&g->options, driver, &commands);
    g->events = sn_alloc((n + 1) * EVENTS_PER_COMMAND * sizeof(*g->events));
    check(g, driver->start(self, g->options.n_nodes));
    for (uint32_t i = 0; i < n && !g->is_rejected; i++)
        perform(g, &commands[i]);
    rc = driver->stop(self);
    g->is_stopped = true;
    conclude(g); /* what was observed says more than how it ended */
    check(g, rc);
}
