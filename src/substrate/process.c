/* process.c - processes as tasks of the engine: spawned, resumed, suspended.
 *
 * A process announces an operation and is suspended; when the strategy has picked it, the process
 * is resumed, does what it announced, and goes on to its next one. SPDX-License-Identifier: MIT
 */
#include "substrate/process.h"

#include "engine/here.h"
#include "engine/mem.h"
#include "engine/naming.h"
#include "engine/world/heap.h"
#include "substrate/environment.h"
#include "substrate/post.h"
#include "substrate/print.h"
#include "substrate/sockets.h"

#include <stdio.h>

enum {
    STACK_COLOURS = 16, /* stacks begin at so many different lines of their pages, ... */
    STACK_COLOUR = 192, /* ... this far apart, or the hot parts of all would share a few sets */
    STACK_LEAST = 16 << 10,
};

static uint64_t about(struct trial *t, const struct sn_op *op, bool *is_reading);
static uint64_t who(struct trial *t, uint32_t task);
static struct fiber *enter(struct trial *t, struct sn_op *op);

static const struct substrate process_substrate = {
    .perform = process_perform, .enter = enter, .about = about, .who = who};

/* ---- Joining a trial ------------------------------------------------------------------------ */

int processes_join(struct trial *t, struct err *why)
{
    struct processes *all = mem_reserve_shared(sizeof(*all), why);

    t->processes = all;
    if (all == NULL)
        return SN_ENOMEM;
    trial_range_add(t, all->all, &t->now.n_own[OWN_PROCESSES], sizeof(*all->all));
    trial_range_add(t, all->ties, &t->now.n_own[OWN_TIES], sizeof(*all->ties));
    trial_range_add(t, all->names, &t->now.n_own[OWN_PROCESS_NAMES], sizeof(*all->names));
    trial_range_add(t, all->types, &t->now.n_own[OWN_PROCESS_TYPES], sizeof(*all->types));
    trial_range_add(t, all->next_slot, &t->now.n_own[OWN_STACKS], sizeof(*all->next_slot));
    trial_range_add(t, all->connections, &t->now.n_own[OWN_CONNECTIONS], sizeof(*all->connections));
    trial_range_add(t, all->watches, &t->now.n_own[OWN_NODE_WATCHES], sizeof(*all->watches));
    trial_range_add(t, &all->now, &t->now.n_own[OWN_PROCESS_NUMBERS], sizeof(all->now));
    trial_range_add(t, all->locks, &t->now.n_own[OWN_LOCKS], sizeof(*all->locks));
    trial_join(t, SN_OP_PROCESS, &process_substrate);
    fiber_init_self(&t->main);
    t->has_plain_fibers = fiber_is_plain();
    return sockets_join(t, why);
}

void processes_leave(struct trial *t)
{
    if (t->processes == NULL)
        return;
    sockets_leave(t);
    mem_release(t->processes, sizeof(*t->processes));
    t->processes = NULL;
}

void processes_forget(struct trial *t)
{
    struct processes *all = t->processes;

    trial_join(t, SN_OP_PROCESS, &process_substrate);
    phrases_clear(&all->phrases);
    t->forgettings++;
}

void processes_use(struct trial *t)
{
    if (processes_are_used(t))
        return;
    t->processes->now = (struct process_numbers){0};
    t->processes->matching = NULL;
    t->now.has_changing_steps = true;
    t->now.n_own[OWN_PROCESSES] = 1;
    t->now.n_own[OWN_TIES] = 1;
    t->now.n_own[OWN_PROCESS_NAMES] = 1;
    t->now.n_own[OWN_PROCESS_TYPES] = 1;
    t->now.n_own[OWN_STACKS] = 1;
    t->now.n_own[OWN_PROCESS_NUMBERS] = 1;
    t->now.n_own[OWN_CONNECTIONS] = 1;
    t->now.n_own[OWN_NODE_WATCHES] = 1;
}

/* ---- Who is running ------------------------------------------------------------------------- */

struct trial *process_find_acting(struct process **out, const char *function)
{
    struct trial *t = machine_acting_trial(function);

    *out = t->may_act == ACTS_IN_TURN ? t->process : NULL;
    return t;
}

struct process *process_find_running(struct trial **t, const char *function)
{
    struct process *p;

    *t = process_find_acting(&p, function);
    if (p == NULL)
        trial_fail(*t, "usage", NULL, "%s may only be called by a process", function);
    return p;
}

void process_check_id(struct trial *t, sn_id id, const char *function)
{
    if (id == SN_NOBODY || id >= t->now.n_tasks)
        trial_fail(t, "usage", NULL, "%s: there is no process %u", function, id);
}

/* ---- What operations are called ------------------------------------------------------------- */

const struct sn_event process_verbs[VERBS] = {
    [VERB_SEND] = {.name = "send"},
    [VERB_RECEIVE] = {.name = "receive"},
    [VERB_SLEEP] = {.name = "sleep"},
    [VERB_YIELD] = {.name = "yield"},
    [VERB_SPAWN] = {.name = "spawn"},
    [VERB_IS_ALIVE] = {.name = "ask if alive"},
    [VERB_EXIT] = {.name = "exit"},
    [VERB_KILL] = {.name = "kill"},
    [VERB_LINK] = {.name = "link"},
    [VERB_UNLINK] = {.name = "unlink"},
    [VERB_TRAP_EXIT] = {.name = "trap exits"},
    [VERB_MONITOR] = {.name = "monitor"},
    [VERB_DEMONITOR] = {.name = "demonitor"},
    [VERB_REGISTER] = {.name = "register"},
    [VERB_UNREGISTER] = {.name = "unregister"},
    [VERB_WHEREIS] = {.name = "look up"},
    [VERB_CALL] = {.name = "call"},
    [VERB_REPLY] = {.name = "reply"},
    [VERB_MONITOR_NODE] = {.name = "monitor node"},
    [VERB_NODE_STOP] = {.name = "stop node"},
    [VERB_NODE_CRASH] = {.name = "crash node"},
    [VERB_NODE_RESTART] = {.name = "restart node"},
    [VERB_FOREIGN] = {.name = "foreign"},
    [VERB_SUBMIT] = {.name = "submit"},
    [VERB_CANCEL] = {.name = "cancel"},
    [VERB_AWAIT] = {.name = "wait for"},
    [VERB_TAKE] = {.name = "take"},
    [VERB_RUN] = {.name = "run"},
    [VERB_FINISH] = {.name = "finish"},
    [VERB_CONNECT] = {.name = "connect"},
    [VERB_CONNECTED] = {.name = "connected"},
    [VERB_LISTEN] = {.name = "listen"},
    [VERB_ACCEPT] = {.name = "accept"},
    [VERB_READ] = {.name = "read"},
    [VERB_WRITE] = {.name = "write"},
    [VERB_SHUTDOWN] = {.name = "shut down"},
    [VERB_CLOSE] = {.name = "close"},
    [VERB_POLL] = {.name = "poll"},
    [VERB_LOCK] = {.name = "lock"},
    [VERB_LOCK_TO_READ] = {.name = "lock to read"},
    [VERB_LOCK_TO_WRITE] = {.name = "lock to write"},
    [VERB_TRY_LOCK] = {.name = "try to lock"},
    [VERB_UNLOCK] = {.name = "unlock"},
    [VERB_WAIT_ON] = {.name = "wait on"},
    [VERB_WOKEN_BY] = {.name = "woken by"},
    [VERB_SIGNAL] = {.name = "signal"},
    [VERB_BROADCAST] = {.name = "broadcast"},
    [VERB_POST] = {.name = "post"},
};

/* Operations of trials before may have been called by other words, and nothing that is pending is
 * called by any yet. But what a test says of the dependence of steps may be known by phrases. */
static void begin_to_speak(struct trial *t)
{
    struct processes *all = t->processes;

    all->now.has_spoken = true;
    if (all->phrases.n <= PHRASES_KEPT || t->test->dependence != NULL)
        return;
    phrases_clear(&all->phrases);
    t->forgettings++;
}

static inline struct phrases *phrases_of(struct trial *t)
{
    if (unlikely(!t->processes->now.has_spoken))
        begin_to_speak(t);
    return &t->processes->phrases;
}

static const struct sn_event *add_phrase(struct trial *t, uint64_t hash, const void *of,
                                         const char *text)
{
    const struct sn_event *made = phrases_add(&t->processes->phrases, hash, of, text);

    if (made == NULL)
        op_too_many(t, "names of operations");
    return made;
}

const struct sn_event *process_phrase_event_slowly(struct trial *t, enum process_verb verb,
                                                   const struct sn_event *event)
{
    const void *of = process_phrase_of(verb, event);
    uint64_t hash = process_phrase_hash(verb, event);
    const struct sn_event *known = phrases_find(phrases_of(t), hash, of, NULL);
    char text[PHRASE_BYTES];

    if (known != NULL)
        return known;
    (void)snprintf(text, sizeof(text), "%s %.70s", process_verbs[verb].name, event->name);
    return add_phrase(t, hash, of, text);
}

const struct sn_event *process_phrase_text(struct trial *t, enum process_verb verb,
                                           const char *text)
{
    size_t n = strlen(process_verbs[verb].name);
    size_t more = strnlen(text, 70);
    char whole[PHRASE_BYTES];

    /* By hand, because processes say such things in every other step. */
    sn_check(n + 1 + more < sizeof(whole));
    memcpy(whole, process_verbs[verb].name, n);
    whole[n] = ' ';
    memcpy(whole + n + 1, text, more);
    whole[n + 1 + more] = '\0';
    return process_phrase_whole(t, whole);
}

const struct sn_event *process_phrase_whole(struct trial *t, const char *text)
{
    uint64_t hash = opname_hash(HASH_START, text);
    const struct sn_event *known = phrases_find(phrases_of(t), hash, NULL, text);

    return likely(known != NULL) ? known : add_phrase(t, hash, NULL, text);
}

void process_describe(struct trial *t, const struct sn_op *op, struct sn_text *out)
{
    const struct process_request *request = process_of(t, op->task)->request;
    const struct sn_op *taken = process_taken(t, op);

    if (taken != NULL) {
        text_puts(out, "from ");
        sn_print_id(out, taken->from);
        text_print(out, " %s ", op_event_name(taken));
        print_payload(out, taken->what, op_payload(t, taken), taken->size);
    }
    if (request == NULL)
        return;
    if (request->whom != SN_NOBODY) {
        text_puts(out, "to ");
        sn_print_id(out, request->whom);
    }
    if (request->text != NULL)
        text_print(out, "%s%s", out->used > 0 ? " " : "", request->text);
    if (request->payload != NULL && request->size > 0) {
        text_puts(out, out->used > 0 ? " " : "");
        print_payload(out, request->event, request->payload, request->size);
    }
}

/* ---- What operations are about -------------------------------------------------------------- */

static uint64_t who(struct trial *t, uint32_t task)
{
    return process_of(t, task)->path;
}

/* Only a process that might end its waiting without a message looks at its mailbox. A task works in
 * the memory of its component. */
static uint64_t about_itself(const struct trial *t, const struct process *p, bool *is_reading)
{
    if (unlikely(p->has_owner)) {
        *is_reading = false;
        return process_is(t, p->owner) ? mix_pair(process_of(t, p->owner)->path, ABOUT_ITSELF)
                                       : t->tasks[p->owner].id;
    }
    *is_reading = p->is_receiving && p->is_timed;
    return mix_pair(p->path, *is_reading ? ABOUT_MAILBOX : ABOUT_ITSELF);
}

static uint64_t about(struct trial *t, const struct sn_op *op, bool *is_reading)
{
    const struct process *p = process_of(t, op->task);
    const struct process_request *request = p->request;

    if (request == NULL || request->about == ABOUT_ITSELF)
        return about_itself(t, p, is_reading);
    *is_reading = request->is_reading;
    if (request->about == ABOUT_NAME)
        return registry_id(request->node, request->name);
    if (request->about == ABOUT_NODE)
        return mix_pair(ABOUT_NODE, request->node);
    return mix_pair(trial_who(t, request->whom), request->about);
}

/* ---- Stacks --------------------------------------------------------------------------------- */

static uint32_t take_slot(struct trial *t)
{
    struct processes *all = t->processes;
    uint32_t slot = all->now.free_slot;

    if (slot != 0) {
        all->now.free_slot = all->next_slot[slot];
        return slot;
    }
    if (t->now.n_own[OWN_STACKS] > HEAP_TASKS)
        trial_fail(t, "limit", NULL, "a trial has at most %d processes at a time", HEAP_TASKS);
    return t->now.n_own[OWN_STACKS]++;
}

static void run_process(void *argument)
{
    struct process *p = argument;
    struct trial *t = trial_here();

    p->type->run(p->birth);
    p->site = 0;
    posts_check_return(t, p);
    p->has_returned = true;
    exits_leave(t, p, SN_NORMAL);
}

static void make_stack(struct trial *t, struct process *p)
{
    size_t wanted = p->type->stack_size != 0 ? p->type->stack_size : PROCESS_STACK;
    size_t size = 0;
    char *low;

    if (t->now.n_fibers == 0)
        fibers_forget();
    p->slot = take_slot(t);
    wanted = wanted < STACK_LEAST ? STACK_LEAST : (wanted + HEAP_PAGE - 1) / HEAP_PAGE * HEAP_PAGE;
    low = heap_stack(p->slot - 1, wanted + STACK_COLOURS * STACK_COLOUR, &size);
    if (low == NULL)
        trial_fail(t, "limit", NULL, "there is no room for the stack of another process");
    if (wanted > size)
        trial_fail(t, "usage", NULL, "a stack of %zu bytes is too large: %s can have %zu",
                   p->type->stack_size, p->type->name, size);
    size -= (size_t)(p->slot * 5 % STACK_COLOURS) * STACK_COLOUR;
    p->fiber = fiber_new(low, size, run_process, p);
    t->now.n_fibers++;
}

void process_free_stack(struct trial *t, struct process *p)
{
    if (p->fiber == NULL)
        return;
    fiber_free(p->fiber);
    p->fiber = NULL;
    t->now.n_fibers--;
    t->processes->next_slot[p->slot] = t->processes->now.free_slot;
    t->processes->now.free_slot = p->slot;
    p->slot = 0;
}

/* ---- Making processes ----------------------------------------------------------------------- */

/* Never called: what is sent to a process goes into its mailbox. */
static void take_bytes(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    (void)bytes;
    (void)n;
}

/* What is known of it, from its first use in the trial on: what another one has left in the slots
 * counts for nothing. See source_link. */
static struct process_type *find_type(struct trial *t, const void *of)
{
    struct processes *all = t->processes;
    uint32_t slot = (uint32_t)mix64((uintptr_t)of) & (PROCESS_TYPE_SLOTS - 1);
    uint32_t n = t->now.n_own[OWN_PROCESS_TYPES];

    for (;; slot = (slot + 1) & (PROCESS_TYPE_SLOTS - 1)) {
        uint32_t index = all->type_slots[slot];

        if (index == 0 || index >= n || all->types[index].slot != slot)
            break;
        if (all->types[index].of == of)
            return &all->types[index];
    }
    if (n == PROCESS_TYPES_MAX)
        trial_fail(t, "limit", NULL, "a trial has at most %d types of processes",
                   PROCESS_TYPES_MAX - 1);
    t->now.n_own[OWN_PROCESS_TYPES] = n + 1;
    all->type_slots[slot] = n;
    all->types[n] = (struct process_type){.of = of, .slot = slot};
    return &all->types[n];
}

struct sn_process *process_supervisor_type(struct trial *t, const void *supervisor)
{
    return &find_type(t, supervisor)->supervisor;
}

static const struct sn_machine *as_machine(struct trial *t, const struct sn_process *type)
{
    struct process_type *known = find_type(t, type);

    known->as_machine =
        (struct sn_machine){.name = type->name, .birth = type->birth, .on_message = take_bytes};
    return &known->as_machine;
}

static void check_type(struct trial *t, const struct sn_process *type, const void *payload)
{
    if (type == NULL || type->name == NULL || type->run == NULL)
        trial_fail(t, "usage", NULL, "sn_spawn needs a type with a name and a function");
    if (payload == NULL && type->birth != NULL && type->birth->size > 0)
        trial_fail(t, "usage", NULL, "%s is spawned without the payload of its birth event %s",
                   type->name, type->birth->name);
    if (payload != NULL && type->birth == NULL)
        trial_fail(t, "usage", NULL, "%s is spawned with a payload but its type has no birth event",
                   type->name);
}

/* Announces the first step. */
static void announce_start(struct trial *t, struct process *p, uint32_t creator)
{
    const struct sn_event *birth = p->type->birth;
    uint32_t number = machine_announce(t, SN_OP_START, p->task, birth);

    t->ops[number].from = creator;
    op_set_payload(t, number, p->birth, p->birth != NULL ? birth->size : 0);
    source_append(t, p->source, number, false);
}

static void set_up(struct trial *t, struct process *p)
{
    struct machine *m = &t->machines->all[p->task];

    m->is_started = m->is_halted = false;
    p->is_leaving = p->has_returned = p->asks_for_posts = false;
    t->tasks[p->task].flags = TASK_PROCESS;
    p->life = PROCESS_NEW;
    p->deadline_ns = SN_FOREVER;
}

/* The id of a task follows from every step that its creator has taken before, and so from the
 * schedule if that has taken other ways. Which of the creator's children it is does so less. */
static uint64_t path_of(struct trial *t, uint32_t task)
{
    struct process *creator;

    if (t->now.task == 0 || !process_is(t, t->now.task))
        return t->tasks[task].id;
    creator = process_of(t, t->now.task);
    return mix_pair(creator->path, ++creator->n_spawned);
}

uint32_t process_new(struct trial *t, uint32_t node, const struct sn_process *type,
                     const void *payload)
{
    struct process *p;
    uint32_t index;
    uint32_t task;

    processes_use(t);
    check_type(t, type, payload);
    index = t->now.n_own[OWN_PROCESSES];
    if (index == PROCESSES_MAX)
        trial_fail(t, "limit", NULL, "a trial makes at most %d processes", PROCESSES_MAX - 1);
    t->now.n_own[OWN_PROCESSES] = index + 1;
    task = trial_task_new(t);
    t->machines->all[task] =
        (struct machine){.type = as_machine(t, type), .task = task, .node = node};
    t->tasks[task].own = index;
    t->machines->clocks[task] = 0;
    p = &t->processes->all[index];
    *p = (struct process){
        .type = type, .task = task, .source = source_own(t, task), .creator = t->now.task};
    p->path = path_of(t, task);
    p->mailbox.id = mix_pair(t->tasks[task].id, 1);
    p->living.id = mix_pair(t->tasks[task].id, 2);
    p->calling.id = mix_pair(t->tasks[task].id, 3);
    if (payload != NULL) {
        void *copy = trial_alloc(t, type->birth->size > 0 ? type->birth->size : 1);

        memcpy(copy, payload, type->birth->size);
        p->birth = copy;
    }
    set_up(t, p);
    trial_record(t, create, task, t->machines->all[task].type);
    trial_created(t, task, type->name);
    announce_start(t, p, t->now.task);
    return task;
}

void process_rebirth(struct trial *t, struct process *p, uint32_t creator)
{
    trial_write(t, &p->living);
    set_up(t, p);
    announce_start(t, p, creator);
}

void process_announce_spawn(struct trial *t, struct process *p, const struct sn_process *type)
{
    if (p != NULL)
        process_announce(t, p,
                         type != NULL && type->name != NULL
                             ? process_phrase_text(t, VERB_SPAWN, type->name)
                             : process_phrase(VERB_SPAWN),
                         NULL);
}

sn_id sn_spawn(const struct sn_process *type, const void *payload)
{
    struct process *p;
    struct trial *t = process_acting(&p, "sn_spawn");

    process_announce_spawn(t, p, type);
    return process_new(t, environment_node_here(t), type, payload);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

void process_announce(struct trial *t, struct process *p, const struct sn_event *what,
                      const struct process_request *request)
{
    process_announce_here(t, p, what, request);
}

/* The process is about to go on: all but the switch. A task may do anything to the memory of its
 * component. */
static inline __attribute__((always_inline)) struct fiber *wake(struct trial *t, struct process *p)
{
    if (unlikely(p->has_owner))
        trial_touch_task(t, p->owner);
    t->machines->actor = &t->machines->all[p->task];
    t->machines->sender = p->message.from;
    t->process = p;
    if (unlikely(world_root.heap.world_is_open))
        fiber_note(p->fiber);
    return p->fiber;
}

void process_start(struct trial *t, struct sn_op *op)
{
    struct process *p = process_of(t, op->task);

    t->machines->all[p->task].is_started = true;
    p->life = PROCESS_ALIVE;
    make_stack(t, p);
    trial_resume(t, wake(t, p));
}

static struct fiber *enter(struct trial *t, struct sn_op *op)
{
    struct process *p = process_of(t, op->task);

    if (likely(!p->is_leaving))
        return wake(t, p);
    t->machines->actor = &t->machines->all[p->task];
    exits_end(t, p, p->leaves_with);
    return NULL;
}

void process_perform(struct trial *t, struct sn_op *op)
{
    struct fiber *fiber = enter(t, op);

    if (fiber != NULL)
        trial_resume(t, fiber);
}

const struct sn_op *process_taken(const struct trial *t, const struct sn_op *op)
{
    const struct process *p;

    if (op->kind != SN_OP_PROCESS)
        return NULL;
    p = process_of(t, op->task);
    return p->is_receiving && p->found != 0 ? &t->ops[p->found] : NULL;
}

const void *process_sends(const struct trial *t, const struct sn_op *op, struct sn_op *as)
{
    const struct process_request *request = process_of(t, op->task)->request;

    if (request == NULL || request->payload == NULL || request->size == 0)
        return NULL;
    *as = (struct sn_op){.what = request->event, .size = (uint32_t)request->size};
    return request->payload;
}

uint64_t sn_foreign(const char *name, uint64_t (*call)(void *argument), void *argument)
{
    struct trial *t;
    struct process *p = process_running(&t, "sn_foreign");
    uint64_t result;

    if (name == NULL || call == NULL)
        trial_fail(t, "usage", NULL, "sn_foreign needs a name and a function");
    process_announce(t, p, process_phrase_text(t, VERB_FOREIGN, name), NULL);
    t->may_act = ACTS_NOT;
    result = call(argument);
    t->may_act = ACTS_IN_TURN;
    t->now.order += mix_fold(t->now.step_id, result); /* so that another result is another trial */
    trial_record(t, foreign, name, result);
    return result;
}

void sn_yield(void)
{
    struct trial *t;
    struct process *p = process_running(&t, "sn_yield");

    process_announce_here(t, p, process_phrase(VERB_YIELD), NULL);
}
