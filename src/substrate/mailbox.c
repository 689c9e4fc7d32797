/* mailbox.c - messages of processes: sent at once, received by whoever waits for them.
 *
 * A message is an operation that waits in no source. The order in which messages are sent is the
 * order in a mailbox, and so the scheduling choice. A receive takes the first message that it
 * wants, and what is sent later only adds to the end: the two commute, unless the receive could
 * have ended without a message. SPDX-License-Identifier: MIT
 */
#include "substrate/environment.h"
#include "substrate/liveness.h"
#include "substrate/post.h"
#include "substrate/process.h"

/* Makes the id of a copy. */
#define COPY UINT64_C(0x79706f63)

/* ---- Putting -------------------------------------------------------------------------------- */

static __attribute__((noinline)) bool is_matched(struct trial *t, const struct process *p,
                                                 const struct sn_op *op)
{
    uint8_t may_act = t->may_act;
    struct sn_message message = {.event = op->what,
                                 .payload = op_payload(t, op),
                                 .size = op->size,
                                 .from = op->from,
                                 .call = op->deadline};
    bool is_fine;

    t->may_act = ACTS_NOT;
    t->processes->matching = p;
    is_fine = p->match(&message, p->with);
    t->processes->matching = NULL;
    t->may_act = may_act;
    return is_fine;
}

static inline bool is_wanted(struct trial *t, const struct process *p, uint32_t number)
{
    const struct sn_op *op = &t->ops[number];

    if (p->match != NULL)
        return is_matched(t, p, op);
    return p->wanted == NULL || p->wanted == op->what;
}

static inline void append(struct trial *t, struct process *p, uint32_t number)
{
    if (p->first == 0)
        p->first = number;
    else
        t->ops[p->last].next = number;
    p->last = number;
    if (!p->is_receiving || p->found != 0 || !is_wanted(t, p, number))
        return;
    p->found = number;
    source_wake(t, p->source);
    if (unlikely(t->now.n_own[OWN_PROCESSES] > FORESIGHT_LEAST))
        foresight_woken(t, p);
}

static inline __attribute__((always_inline)) void put(struct trial *t, const struct letter *letter)
{
    struct process *p = process_of(t, letter->to);
    uint32_t number;
    struct sn_op *op;

    trial_write(t, &p->mailbox);
    number = op_new(t);
    op = &t->ops[number];
    /* All other ids are what they would be without the copy. */
    op->id = unlikely(letter->is_copy) ? mix_pair(op_next_child_id(t), COPY) : op_child_id(t);
    op->task = letter->to;
    op->from = letter->from;
    op->cause = (uint32_t)t->now.steps;
    op->source = 0;
    op->what = letter->event;
    op->deadline = letter->call;
    op->kind = SN_OP_DELIVER;
    op->flags = 0;
    op->next = 0;
    op_set_payload(t, number, letter->payload, letter->size);
    trial_record(t, send, op, op_payload(t, op));
    if (unlikely(letter->event == &sn_posted))
        posts_arrived(t, p, letter->payload);
    if ((unlikely(letter->is_answer) && !exits_answer(t, p, letter->call)) ||
        unlikely(p->life == PROCESS_ENDED)) {
        trial_record(t, event, "dropped", letter->event, letter->to, NULL);
        op_free(t, number);
        return;
    }
    append(t, p, number);
    if (unlikely(letter->event == &sn_posted))
        posts_wake(t, letter->to);
}

void mailbox_put(struct trial *t, const struct letter *letter)
{
    put(t, letter);
}

void mailbox_clear(struct trial *t, struct process *p)
{
    while (p->first != 0) {
        uint32_t number = p->first;

        p->first = t->ops[number].next;
        op_free(t, number);
    }
    if (p->held != 0)
        op_free(t, p->held);
    p->last = p->held = p->found = 0;
}

/* ---- Taking --------------------------------------------------------------------------------- */

static void unlink_message(struct trial *t, struct process *p, uint32_t number)
{
    uint32_t before = 0;

    if (likely(number == p->first)) {
        p->first = t->ops[number].next;
        return;
    }
    for (uint32_t i = p->first; i != number; i = t->ops[i].next)
        before = i;
    t->ops[before].next = t->ops[number].next;
    if (p->last == number)
        p->last = before;
}

bool mailbox_remove(struct trial *t, struct process *p,
                    bool (*is_gone)(struct trial *t, const struct sn_op *op, const void *self),
                    const void *self)
{
    uint32_t number = p->first;

    while (number != 0 && !is_gone(t, &t->ops[number], self))
        number = t->ops[number].next;
    if (number == 0)
        return false;
    unlink_message(t, p, number);
    op_free(t, number);
    return true;
}

static inline const struct sn_message *take(struct trial *t, struct process *p)
{
    uint32_t number = p->found;
    const struct sn_op *op = &t->ops[number];
    struct sn_message *message = &p->message;

    unlink_message(t, p, number);
    if (p->held != 0)
        op_free(t, p->held);
    p->held = number;
    p->found = 0;
    message->event = op->what;
    message->payload = op_payload(t, op);
    message->size = op->size;
    message->from = op->from;
    message->call = op->deadline;
    return message;
}

void process_reach(struct trial *t, const struct process *p, uint64_t deadline_ns)
{
    if (deadline_ns <= machine_time_ns(t, p->task))
        return;
    t->machines->clocks[p->task] = deadline_ns;
    trial_reach(t, deadline_ns);
}

uint64_t process_deadline(struct trial *t, const struct process *p, uint64_t delay_ns)
{
    uint64_t now_ns = machine_time_ns(t, p->task);

    if (environment_is_used(t))
        delay_ns = environment_true_delay_ns(t, delay_ns);
    machine_saw_clock(t);
    return delay_ns >= UINT64_MAX - now_ns ? UINT64_MAX - 1 : now_ns + delay_ns;
}

void process_append_timed(struct trial *t, struct process *p, uint32_t number, uint64_t deadline_ns)
{
    struct sn_op *op = &t->ops[number];

    op->deadline = deadline_ns;
    if (t->timers == SN_TIMERS_ANY && deadline_ns <= t->time_max_ns) {
        op->flags |= SN_OP_ANY_TIME;
        source_append(t, p->source, number, false);
    } else {
        source_append_waiting(t, p->source, number);
    }
}

static inline __attribute__((always_inline)) void
announce_receive(struct trial *t, struct process *p, uint64_t timeout_ns)
{
    const struct sn_event *what = p->wanted != NULL
                                      ? process_phrase_event(t, VERB_RECEIVE, p->wanted)
                                      : process_phrase(VERB_RECEIVE);
    uint32_t number = machine_announce(t, SN_OP_PROCESS, p->task, what);
    uint32_t found = p->first;

    t->ops[number].site = p->site;
    t->ops[number].size = 0;
    t->ops[number].payload = 0;
    while (found != 0 && !is_wanted(t, p, found))
        found = t->ops[found].next;
    p->found = found;
    p->is_receiving = true;
    p->is_timed = timeout_ns != SN_FOREVER;
    if (p->is_timed)
        p->deadline_ns = process_deadline(t, p, timeout_ns);
    if (found != 0 || timeout_ns == 0)
        source_append_ready(t, p->source, number);
    else if (p->is_timed)
        process_append_timed(t, p, number, p->deadline_ns);
    else
        source_append_asleep(t, p->source, number);
}

static inline __attribute__((always_inline)) const struct sn_message *
receive(struct trial *t, struct process *p, uint64_t timeout_ns)
{
    announce_receive(t, p, timeout_ns);
    process_park(t, p);
    p->is_receiving = false;
    /* One that may end without a message looks at all of the mailbox; others only come after the
     * message they take. */
    if (unlikely(p->is_timed) && (t->timers == SN_TIMERS_ANY || p->deadline_ns <= t->now.time_ns))
        trial_read(t, &p->mailbox);
    else
        trial_touch_after(t, t->ops[p->found].cause);
    if (likely(p->found != 0))
        return take(t, p);
    process_reach(t, p, p->deadline_ns);
    return NULL;
}

const struct sn_message *mailbox_receive(struct trial *t, struct process *p, sn_match *match,
                                         const void *with, uint64_t timeout_ns)
{
    p->match = match;
    p->with = with;
    p->wanted = NULL;
    return receive(t, p, timeout_ns);
}

const struct sn_message *sn_receive(sn_match *match, const void *with, uint64_t timeout_ns)
{
    struct trial *t;
    struct process *p = process_running(&t, "sn_receive");

    p->match = match;
    p->with = with;
    p->wanted = NULL;
    return receive(t, p, timeout_ns);
}

const struct sn_message *sn_receive_event(const struct sn_event *event, uint64_t timeout_ns)
{
    struct trial *t;
    struct process *p = process_running(&t, "sn_receive_event");

    if (event == NULL)
        trial_fail(t, "usage", NULL, "sn_receive_event: the event is NULL");
    p->match = NULL;
    p->wanted = event;
    return receive(t, p, timeout_ns);
}

void process_sleep(struct trial *t, struct process *p, uint64_t ns)
{
    uint64_t deadline_ns = process_deadline(t, p, ns);
    uint32_t number = machine_announce(t, SN_OP_PROCESS, p->task, process_phrase(VERB_SLEEP));

    t->ops[number].site = p->site;
    t->ops[number].size = 0;
    t->ops[number].payload = 0;
    if (ns == 0)
        source_append(t, p->source, number, false);
    else
        process_append_timed(t, p, number, deadline_ns);
    process_park(t, p);
    process_reach(t, p, deadline_ns);
}

void sn_sleep_ns(uint64_t ns)
{
    struct trial *t;
    struct process *p = process_running(&t, "sn_sleep_ns");

    process_sleep(t, p, ns);
}

/* ---- Sending -------------------------------------------------------------------------------- */

/* Faults have struck the messages that this node sends to others. False: this one is lost. A
 * message that is already there cannot be late. */
static __attribute__((cold, noinline)) bool strike(struct trial *t, const struct letter *letter)
{
    struct node *node = &t->environment->nodes[environment_node_here(t)];
    struct letter copy = *letter;

    if (node->drops > 0) {
        node->drops--;
        liveness_disturb(t);
        trial_record(t, fault, "lost", node->name, NULL);
        return false;
    }
    if (node->duplicates > 0) {
        node->duplicates--;
        liveness_disturb(t);
        trial_record(t, fault, "duplicated", node->name, NULL);
        copy.is_copy = true;
        mailbox_put(t, &copy);
    }
    return true;
}

static bool is_struck(struct trial *t, uint32_t to)
{
    if (likely(!environment_is_used(t)) || !network_lies_across(t, t->now.task, to))
        return false;
    network_touch_strikes(t, to);
    return network_is_struck(&t->environment->nodes[environment_node_here(t)]);
}

void mailbox_post(struct trial *t, const struct letter *letter)
{
    if (unlikely(!connections_reach_process(t, letter->to))) {
        trial_record(t, event, "dropped", letter->event, letter->to, NULL);
        return;
    }
    if (likely(!is_struck(t, letter->to)) || strike(t, letter))
        mailbox_put(t, letter);
}

void mailbox_send(struct trial *t, sn_id to, const struct sn_event *event, const void *payload,
                  size_t size)
{
    mailbox_post(
        t, &(struct letter){
               .to = to, .from = t->now.task, .event = event, .payload = payload, .size = size});
}

/* A machine gets what is sent later, in a step of its own. */
static uint8_t about_of(const struct trial *t, sn_id to)
{
    return to < t->now.n_tasks && process_is(t, to) ? ABOUT_MAILBOX : ABOUT_ITSELF;
}

static inline __attribute__((always_inline)) void
speak(struct trial *t, sn_id to, const struct sn_event *event, const void *payload, size_t size)
{
    const struct process_request request = {
        .event = event, .payload = payload, .size = size, .whom = to, .about = about_of(t, to)};

    process_announce_here(t, t->process,
                          event != NULL ? process_phrase_event(t, VERB_SEND, event)
                                        : process_phrase(VERB_SEND),
                          &request);
    if (likely(request.about == ABOUT_MAILBOX && !environment_is_used(t)))
        put(t,
            &(struct letter){
                .to = to, .from = t->now.task, .event = event, .payload = payload, .size = size});
    else
        machine_send(t, to, event, payload, size);
}

void mailbox_speak(struct trial *t, sn_id to, const struct sn_event *event, const void *payload,
                   size_t size)
{
    speak(t, to, event, payload, size);
}

void mailbox_speak_from(sn_id to, const struct sn_event *event, const void *payload, void *caller)
{
    struct trial *t = trial_here();

    if (unlikely(t == NULL || t->may_act != ACTS_IN_TURN))
        t = machine_acting_trial("sn_send");
    machine_check_payload(t, event, payload, "sent");
    process_called_from(t, t->process, caller);
    speak(t, to, event, payload, event->size);
}
