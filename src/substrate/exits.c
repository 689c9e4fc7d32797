/* exits.c - the end of processes, and who is told: links, monitors, exit signals.
 *
 * An exit signal takes effect at once, in the step that sends it, and so do those that follow from
 * it. Who ends is kept in a list, so that a long chain of links needs no deep stack.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/environment.h"
#include "substrate/process.h"
#include "substrate/sockets.h"

enum { TASK_BITS = 18 };

static_assert(TRIAL_TASKS_MAX <= 1 << TASK_BITS, "a ref has room for every task");

static void print_exit(struct sn_text *out, const void *payload)
{
    const struct sn_exit_signal *signal = payload;

    text_puts(out, "process=");
    sn_print_id(out, signal->process);
    text_print(out, " reason=%s", signal->reason);
}

static void print_down(struct sn_text *out, const void *payload)
{
    const struct sn_down_signal *signal = payload;

    text_puts(out, "process=");
    sn_print_id(out, signal->process);
    text_print(out, " reason=%s", signal->reason);
}

const struct sn_event sn_exited = {
    .name = "EXIT", .size = sizeof(struct sn_exit_signal), .print = print_exit};
const struct sn_event sn_down = {
    .name = "DOWN", .size = sizeof(struct sn_down_signal), .print = print_down};

static bool is_normal(const char *reason)
{
    return strcmp(reason, SN_NORMAL) == 0;
}

/* ---- Ties ----------------------------------------------------------------------------------- */

static struct tie *tie_at(struct trial *t, uint32_t index)
{
    return &t->processes->ties[index];
}

/* Puts a tie at the end of the lists of both, so that who came first is told first. */
static uint32_t tie_add(struct trial *t, const struct tie *new)
{
    struct processes *all = t->processes;
    uint32_t index = all->now.free_tie;
    uint32_t *at;

    if (index != 0) {
        all->now.free_tie = all->ties[index].next_owned;
    } else {
        index = t->now.n_own[OWN_TIES];
        if (index == PROCESS_TIES_MAX)
            op_too_many(t, "links and monitors");
        t->now.n_own[OWN_TIES] = index + 1;
    }
    all->ties[index] = *new;
    for (at = &process_of(t, new->owner)->owned; *at != 0; at = &tie_at(t, *at)->next_owned)
        ;
    *at = index;
    for (at = &process_of(t, new->target)->watched; *at != 0; at = &tie_at(t, *at)->next_watched)
        ;
    *at = index;
    return index;
}

static void tie_remove(struct trial *t, uint32_t index)
{
    struct tie *tie = tie_at(t, index);
    uint32_t *at = &process_of(t, tie->owner)->owned;

    while (*at != index)
        at = &tie_at(t, *at)->next_owned;
    *at = tie->next_owned;
    at = &process_of(t, tie->target)->watched;
    while (*at != index)
        at = &tie_at(t, *at)->next_watched;
    *at = tie->next_watched;
    *tie = (struct tie){.next_owned = t->processes->now.free_tie};
    t->processes->now.free_tie = index;
}

/* A link between two, whoever has made it; 0: there is none. */
static uint32_t find_link(struct trial *t, const struct process *a, uint32_t b)
{
    for (uint32_t i = a->owned; i != 0; i = tie_at(t, i)->next_owned) {
        if (tie_at(t, i)->kind == TIE_LINK && tie_at(t, i)->target == b)
            return i;
    }
    for (uint32_t i = a->watched; i != 0; i = tie_at(t, i)->next_watched) {
        if (tie_at(t, i)->kind == TIE_LINK && tie_at(t, i)->owner == b)
            return i;
    }
    return 0;
}

uint32_t exits_find_ref(struct trial *t, const struct process *p, sn_ref ref)
{
    uint32_t i = p->owned;

    while (i != 0 && (tie_at(t, i)->ref != ref || tie_at(t, i)->kind == TIE_LINK))
        i = tie_at(t, i)->next_owned;
    return i;
}

/* ---- Signals -------------------------------------------------------------------------------- */

/* Processes that end in this step, the first first. */
struct endings {
    struct process *first;
    struct process *last;
};

/* A ref says whom it watches, so that this is known when the monitor is long gone; the rest is
 * derived from its cause. */
static sn_ref new_ref(struct trial *t, uint32_t target)
{
    return op_child_id(t) << TASK_BITS | target;
}

static uint32_t target_of(sn_ref ref)
{
    return (uint32_t)(ref & (((sn_ref)1 << TASK_BITS) - 1));
}

/* Whether a ref is of something that watches a process. */
static bool has_target(const struct trial *t, sn_ref ref)
{
    uint32_t target = target_of(ref);

    return target != SN_NOBODY && target < t->now.n_tasks && process_is(t, target);
}

/* Had the server ended before, or gone out of the caller's sight, the call would be over. If it is
 * somebody else who answers, nothing else says so: a call that is answered needs no DOWN. */
bool exits_answer(struct trial *t, const struct process *p, sn_ref ref)
{
    uint32_t tie = p->life != PROCESS_ENDED ? exits_find_ref(t, p, ref) : 0;
    uint32_t server = target_of(ref);

    if (has_target(t, ref) && server != t->now.task) {
        trial_read(t, &process_of(t, server)->living);
        connections_signal(t, server, p->task);
    }
    if (tie == 0)
        return false;
    tie_at(t, tie)->is_answered = true;
    return true;
}

static void put_down(struct trial *t, uint32_t to, sn_ref ref, uint32_t process, const char *reason)
{
    struct sn_down_signal signal = {.ref = ref, .process = process, .reason = reason};

    mailbox_put(t, &(struct letter){
                       .to = to, .event = &sn_down, .payload = &signal, .size = sizeof(signal)});
}

/* The process ends with this step: nothing of what it was counts any more. */
static void add_ending(struct trial *t, struct endings *endings, struct process *p,
                       const char *reason)
{
    if (p->life == PROCESS_ENDED)
        return;
    p->life = PROCESS_ENDED;
    p->reason = reason;
    p->next_ending = NULL;
    trial_write(t, &p->living);
    if (p->task != t->now.task) {
        /* It may wait for a message that would have let it go on. */
        trial_touch_task(t, p->task);
        trial_write(t, &p->mailbox);
    }
    if (endings->first == NULL)
        endings->first = p;
    else
        endings->last->next_ending = p;
    endings->last = p;
}

static void signal_exit(struct trial *t, struct endings *endings, uint32_t to, uint32_t from,
                        const char *reason)
{
    struct process *p = process_of(t, to);
    struct sn_exit_signal signal = {.process = from, .reason = reason};

    if (p->life == PROCESS_ENDED)
        return;
    trial_write(t, &p->living);
    if (p->is_trapping)
        mailbox_put(t,
                    &(struct letter){
                        .to = to, .event = &sn_exited, .payload = &signal, .size = sizeof(signal)});
    else if (!is_normal(reason))
        add_ending(t, endings, p, reason);
}

static void tell_watcher(struct trial *t, const struct tie *tie, uint32_t process,
                         const char *reason)
{
    if (!tie->is_answered)
        put_down(t, tie->owner, tie->ref, process, reason);
}

/* Tells those who are tied to a process that has ended. Its own monitors stand until those that
 * they are of have ended, too, although nobody reads what comes of them: otherwise it would be seen
 * from outside which of the two has ended first. */
static void tell(struct trial *t, struct endings *endings, const struct process *p,
                 const char *reason)
{
    uint32_t next;

    for (uint32_t i = p->owned; i != 0; i = next) {
        struct tie tie = *tie_at(t, i);

        next = tie.next_owned;
        if (tie.kind != TIE_LINK)
            continue;
        tie_remove(t, i);
        connections_signal(t, p->task, tie.target);
        signal_exit(t, endings, tie.target, p->task, reason);
    }
    while (p->watched != 0) {
        struct tie tie = *tie_at(t, p->watched);

        tie_remove(t, p->watched);
        if (!tie.is_answered)
            connections_signal(t, p->task, tie.owner);
        if (tie.kind == TIE_LINK)
            signal_exit(t, endings, tie.owner, p->task, reason);
        else
            tell_watcher(t, &tie, p->task, reason);
    }
}

static void record_end(struct trial *t, const struct process *p)
{
    struct machine *actor = t->machines->actor;

    if (t->recorder == NULL)
        return;
    t->machines->actor = &t->machines->all[p->task];
    trial_record(t, state, p->reason, NULL, "halt");
    t->machines->actor = actor;
}

/* The stack of one that is running is given back when it has been left. */
static void finish(struct trial *t, struct endings *endings, struct process *p)
{
    record_end(t, p);
    t->machines->all[p->task].is_halted = true;
    t->tasks[p->task].flags = TASK_HALTED | TASK_PROCESS;
    source_drop_task(t, p->task);
    registry_release(t, p);
    connections_forget(t, p->task);
    mailbox_clear(t, p);
    process_unwait(t, p);
    if (p->owner == 0)
        sockets_end_process(t, p->task);
    p->is_receiving = p->is_trapping = false;
    p->request = NULL; /* it lies on the stack */
    tell(t, endings, p, p->reason);
    if (p != t->process)
        process_free_stack(t, p);
    else
        t->landing = process_free_stack;
    p->reason = NULL;
}

/* Ends all of them, and those that these take along. */
static void finish_all(struct trial *t, struct endings *endings)
{
    while (endings->first != NULL) {
        struct process *p = endings->first;

        endings->first = p->next_ending;
        finish(t, endings, p);
    }
    process_wake(t);
}

void exits_settle(struct trial *t)
{
    if (t->process != NULL && t->process->life == PROCESS_ENDED)
        process_park(t, t->process); /* for ever */
}

void exits_end(struct trial *t, struct process *p, const char *reason)
{
    struct endings endings = {NULL, NULL};

    add_ending(t, &endings, p, reason);
    finish_all(t, &endings);
}

/* ---- Nodes that cannot be reached ----------------------------------------------------------- */

static sn_node node_of(const struct trial *t, uint32_t task)
{
    return t->machines->all[task].node;
}

static bool is_lost(const struct trial *t, const struct tie *tie)
{
    return !connections_join(t, node_of(t, tie->owner), node_of(t, tie->target));
}

/* A process is told of its links and monitors that lead to where it cannot see any more, those that
 * it has made first. One that has gone with its node is told nothing, and if it is born again, it
 * is another one. Returns how many there are; only counts them if endings is NULL. */
static uint32_t tell_losses(struct trial *t, struct endings *endings, const struct process *p)
{
    bool is_deaf = t->environment->nodes[node_of(t, p->task)].is_down;
    uint32_t n = 0;

    for (uint32_t i = p->owned; i != 0; i = tie_at(t, i)->next_owned) {
        const struct tie *tie = tie_at(t, i);

        if (!is_lost(t, tie))
            continue;
        n++;
        if (endings == NULL)
            continue;
        /* Had the other one ended before, it would have been told. */
        if (is_deaf)
            trial_read(t, &process_of(t, tie->target)->living);
        if (is_deaf || tie->is_answered)
            continue;
        /* Whether a monitor still stands is asked of the life of what it watches. */
        trial_write(t, &process_of(t, tie->target)->living);
        if (tie->kind == TIE_LINK)
            signal_exit(t, endings, tie->owner, tie->target, SN_NOCONNECTION);
        else
            tell_watcher(t, tie, tie->target, SN_NOCONNECTION);
    }
    for (uint32_t i = p->watched; i != 0; i = tie_at(t, i)->next_watched) {
        const struct tie *tie = tie_at(t, i);

        if (tie->kind != TIE_LINK || !is_lost(t, tie))
            continue;
        n++;
        if (endings != NULL)
            signal_exit(t, endings, tie->target, tie->owner, SN_NOCONNECTION);
    }
    return n;
}

static void remove_losses(struct trial *t, const struct process *p)
{
    uint32_t next;

    for (uint32_t i = p->owned; i != 0; i = next) {
        next = tie_at(t, i)->next_owned;
        if (is_lost(t, tie_at(t, i)))
            tie_remove(t, i);
    }
}

static void rank_process(struct trial *t, uint32_t *n, const struct process *p)
{
    rank_add(t, t->processes->ranked, n,
             (struct ranked){.creator = t->tasks[p->creator].id,
                             .index = (uint32_t)(p - t->processes->all)});
}

/* Each is told in the order of its own ties. In which order they are told shows in who ends first,
 * and so in what others get of that. */
static void cut_ties(struct trial *t, struct endings *endings)
{
    struct process *all = t->processes->all;
    struct ranked *ranked = t->processes->ranked;
    uint32_t n = 0;

    for (uint32_t i = 1; i < t->now.n_own[OWN_PROCESSES]; i++) {
        if (tell_losses(t, NULL, &all[i]) > 0)
            rank_process(t, &n, &all[i]);
    }
    rank_sort(ranked, n);
    for (uint32_t i = 0; i < n; i++)
        (void)tell_losses(t, endings, &all[ranked[i].index]);
    for (uint32_t i = 0; i < n; i++)
        remove_losses(t, &all[ranked[i].index]);
}

void exits_cut_ties(struct trial *t)
{
    struct endings endings = {NULL, NULL};

    cut_ties(t, &endings);
    finish_all(t, &endings);
}

/* Those that have ended before count as well: had the node gone down earlier, they would have ended
 * with it. */
void exits_end_node(struct trial *t, sn_node node)
{
    struct process *all = t->processes->all;
    struct ranked *ranked = t->processes->ranked;
    struct endings endings = {NULL, NULL};
    uint32_t n = 0;

    for (uint32_t i = 1; i < t->now.n_own[OWN_PROCESSES]; i++) {
        if (node_of(t, all[i].task) == node)
            rank_process(t, &n, &all[i]);
    }
    rank_sort(ranked, n);
    for (uint32_t i = 0; i < n; i++) {
        struct process *p = &all[ranked[i].index];

        if (p->life == PROCESS_ENDED) {
            trial_touch_task(t, p->task);
            trial_write(t, &p->living);
            trial_write(t, &p->mailbox);
        }
        add_ending(t, &endings, p, SN_NOCONNECTION);
    }
    cut_ties(t, &endings);
    finish_all(t, &endings);
}

void exits_leave(struct trial *t, struct process *p, const char *reason)
{
    const struct process_request request = {.text = reason};

    p->is_leaving = true;
    p->leaves_with = reason;
    process_announce(t, p, process_phrase_text(t, VERB_EXIT, reason), &request);
    __builtin_unreachable();
}

void sn_exit(const char *reason)
{
    struct trial *t;
    struct process *p = process_running(&t, "sn_exit");

    if (reason == NULL)
        trial_fail(t, "usage", NULL, "sn_exit: the reason is NULL");
    exits_leave(t, p, reason);
}

/* The process a call is about, which must be one. */
static struct process *other(struct trial *t, sn_id id, const char *function)
{
    process_check_id(t, id, function);
    if (!process_is(t, id))
        trial_fail(t, "usage", NULL, "%s: %s is a machine, not a process", function, sn_name(id));
    return process_of(t, id);
}

static void announce(struct trial *t, struct process *p, enum process_verb verb, sn_id whom,
                     const char *text)
{
    const struct process_request request = {
        .whom = whom,
        .text = text,
        .about = whom != SN_NOBODY && process_is(t, whom) ? ABOUT_LIFE : ABOUT_ITSELF,
        .is_reading = verb == VERB_IS_ALIVE || verb == VERB_MONITOR};

    if (p != NULL)
        process_announce(t, p, process_phrase(verb), &request);
}

void sn_kill(sn_id id, const char *reason)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_kill");
    struct process *p = other(t, id, "sn_kill");
    struct endings endings = {NULL, NULL};

    if (reason == NULL)
        trial_fail(t, "usage", NULL, "sn_kill: the reason is NULL");
    announce(t, self, VERB_KILL, id, reason);
    if (!connections_reach_process(t, id)) {
        trial_record(t, event, "dropped", &sn_exited, id, NULL);
        return;
    }
    if (strcmp(reason, SN_KILL) == 0)
        add_ending(t, &endings, p, SN_KILLED);
    else
        signal_exit(t, &endings, id, t->now.task, reason);
    if (p->life == PROCESS_ENDED && endings.first == NULL)
        trial_read(t, &p->living);
    finish_all(t, &endings);
    exits_settle(t);
}

bool sn_is_alive(sn_id id)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_is_alive");

    process_check_id(t, id, "sn_is_alive");
    announce(t, self, VERB_IS_ALIVE, id, NULL);
    if (process_is(t, id)) {
        trial_read(t, &process_of(t, id)->living);
        return process_of(t, id)->life != PROCESS_ENDED;
    }
    trial_read_task(t, id);
    return !t->machines->all[id].is_halted;
}

bool sn_trap_exit(bool is_trapping)
{
    struct trial *t;
    struct process *p = process_running(&t, "sn_trap_exit");
    bool was = p->is_trapping;

    announce(t, p, VERB_TRAP_EXIT, SN_NOBODY, is_trapping ? "on" : "off");
    trial_write(t, &p->living);
    p->is_trapping = is_trapping;
    return was;
}

/* ---- Links ---------------------------------------------------------------------------------- */

/* Links the running process, which has announced that. */
static void tie_link(struct trial *t, struct process *self, struct process *p)
{
    struct endings endings = {NULL, NULL};
    const char *reason = NULL;

    trial_write(t, &self->living);
    if (self == p)
        return;
    trial_write(t, &p->living);
    if (!connections_reach_process(t, p->task))
        reason = SN_NOCONNECTION;
    else if (p->life == PROCESS_ENDED)
        reason = SN_NOPROC;
    if (reason != NULL) {
        signal_exit(t, &endings, self->task, p->task, reason);
        finish_all(t, &endings);
        exits_settle(t);
    } else if (find_link(t, self, p->task) == 0) {
        (void)tie_add(t, &(struct tie){.kind = TIE_LINK, .owner = self->task, .target = p->task});
    }
}

void sn_link(sn_id id)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_link");
    struct process *p = other(t, id, "sn_link");

    announce(t, self, VERB_LINK, id, NULL);
    tie_link(t, self, p);
}

void sn_unlink(sn_id id)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_unlink");
    struct process *p = other(t, id, "sn_unlink");
    uint32_t link;

    announce(t, self, VERB_UNLINK, id, NULL);
    trial_write(t, &self->living);
    trial_write(t, &p->living);
    /* Had the other one gone out of sight before, the link would have ended by that. */
    (void)connections_reach_process(t, id);
    link = find_link(t, self, id);
    if (link != 0)
        tie_remove(t, link);
}

/* ---- Monitors ------------------------------------------------------------------------------- */

/* The running process begins to watch another one. */
sn_ref exits_watch(struct trial *t, struct process *self, uint32_t id, enum tie_kind kind)
{
    sn_ref ref = new_ref(t, id);
    const struct process *p = id != SN_NOBODY ? process_of(t, id) : NULL;

    if (p != NULL && !connections_reach_process(t, id)) {
        put_down(t, self->task, ref, id, SN_NOCONNECTION);
        return ref;
    }
    if (p != NULL)
        trial_read(t, &p->living);
    if (p == NULL || p->life == PROCESS_ENDED)
        put_down(t, self->task, ref, id, SN_NOPROC);
    else
        (void)tie_add(
            t, &(struct tie){.kind = (uint8_t)kind, .ref = ref, .owner = self->task, .target = id});
    return ref;
}

sn_ref exits_watch_nobody(struct trial *t, struct process *self, const char *reason)
{
    sn_ref ref = new_ref(t, SN_NOBODY);

    put_down(t, self->task, ref, SN_NOBODY, reason);
    return ref;
}

void exits_look(struct trial *t, uint32_t id)
{
    trial_read(t, &process_of(t, id)->living);
    (void)connections_reach_process(t, id);
}

sn_ref sn_monitor_process(sn_id id)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_monitor_process");

    (void)other(t, id, "sn_monitor_process");
    announce(t, self, VERB_MONITOR, id, NULL);
    return exits_watch(t, self, id, TIE_MONITOR);
}

static bool is_of_ref(struct trial *t, const struct sn_op *op, const void *ref)
{
    const struct sn_down_signal *down = op_payload(t, op);

    return (op->what == &sn_down && down->ref == *(const sn_ref *)ref) ||
           op->deadline == *(const sn_ref *)ref;
}

bool exits_unwatch(struct trial *t, struct process *self, sn_ref ref, bool is_flushing)
{
    uint32_t tie = exits_find_ref(t, self, ref);

    if (tie != 0)
        tie_remove(t, tie);
    while (is_flushing && ref != 0 && mailbox_remove(t, self, is_of_ref, &ref))
        ;
    return tie != 0;
}

bool sn_demonitor(sn_ref ref, bool is_flushing)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_demonitor");

    announce(t, self, VERB_DEMONITOR, SN_NOBODY, is_flushing ? "flush" : NULL);
    if (has_target(t, ref))
        exits_look(t, target_of(ref));
    return exits_unwatch(t, self, ref, is_flushing);
}

/* ---- Spawning with a tie -------------------------------------------------------------------- */

static uint32_t spawn_announced(struct trial *t, struct process *self,
                                const struct sn_process *type, const void *payload)
{
    process_announce_spawn(t, self, type);
    return process_new(t, environment_node_here(t), type, payload);
}

sn_id sn_spawn_link(const struct sn_process *type, const void *payload)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_spawn_link");
    uint32_t id = spawn_announced(t, self, type, payload);

    tie_link(t, self, process_of(t, id));
    return id;
}

sn_id sn_spawn_monitor(const struct sn_process *type, const void *payload, sn_ref *ref)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_spawn_monitor");
    uint32_t id;

    if (ref == NULL)
        trial_fail(t, "usage", NULL, "sn_spawn_monitor: there is no place for the monitor");
    id = spawn_announced(t, self, type, payload);
    *ref = exits_watch(t, self, id, TIE_MONITOR);
    return id;
}
