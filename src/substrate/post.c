/* post.c - callbacks that a component gets later, each as an operation of its own.
 *
 * A callback is a message. What is printed and compared of it is its name and result: addresses are
 * others in another process. SPDX-License-Identifier: MIT
 */
#include "substrate/post.h"

#include "substrate/process.h"
#include "substrate/sockets.h"

#include <stdio.h>

/* Tells a callback from other bytes that a plain node gets. */
static const char mark[8] = {'[', 'p', 'o', 's', 't', 'e', 'd', ']'};

static const struct sn_field posted_fields[] = {
    SN_FIELD(struct posted, name, SN_TEXT), SN_FIELD(struct posted, result, SN_INT), {0}};

const struct sn_event sn_posted = {
    .name = "Posted", .size = sizeof(struct posted), .fields = posted_fields};

static_assert(sizeof(struct posted) <= TRIAL_SMALL_PAYLOAD, "is kept beside the operation");

struct posted posted_make(const char *name, sn_callback *call, void *argument, int64_t result)
{
    struct posted posted = {.call = call, .argument = argument, .result = result};

    memcpy(posted.mark, mark, sizeof(mark));
    (void)snprintf(posted.name, sizeof(posted.name), "%s", name);
    return posted;
}

void sn_post(sn_id to, const char *name, sn_callback *call, void *argument, int64_t result)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_post");
    struct posted posted;

    if (name == NULL || call == NULL)
        trial_fail(t, "usage", NULL, "sn_post needs a name and a function");
    posted = posted_make(name, call, argument, result);
    if (self != NULL)
        mailbox_speak(t, to, &sn_posted, &posted, sizeof(posted));
    else
        machine_send(t, to, &sn_posted, &posted, sizeof(posted));
}

/* The running process knows that it is called back. */
static void note_asking(struct trial *t)
{
    if (t->may_act == ACTS_IN_TURN)
        t->process->asks_for_posts = true;
}

void sn_posted_run(void *self, const void *payload)
{
    const struct posted *posted = payload;

    (void)self;
    note_asking(trial_here());
    posted->call(posted->argument, posted->result);
}

bool sn_posted_take(const void *bytes, size_t n)
{
    struct posted posted;

    if (n != sizeof(posted) || memcmp(bytes, mark, sizeof(mark)) != 0)
        return false;
    memcpy(&posted, bytes, sizeof(posted));
    trial_here()->machines->is_post_left = false;
    posted.call(posted.argument, posted.result);
    return true;
}

static bool is_posted(const struct sn_message *message, const void *with)
{
    (void)with;
    return message->event == &sn_posted;
}

bool sn_posted_wait(uint64_t timeout_ns)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_posted_wait");
    const struct sn_message *message;
    struct posted posted;

    self->asks_for_posts = true;
    message = mailbox_receive(t, self, is_posted, NULL, timeout_ns);
    if (message == NULL)
        return false;
    /* The callback may receive, which ends the message. */
    memcpy(&posted, message->payload, sizeof(posted));
    posted.call(posted.argument, posted.result);
    return true;
}

int sn_posted_fd(void)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_posted_fd");

    self->asks_for_posts = true;
    return socket_of_posts(t, self);
}

/* ---- What nobody takes ---------------------------------------------------------------------- */

/* The first that waits in the mailbox; NULL: none does. */
static const struct sn_op *first_post(const struct trial *t, const struct process *p)
{
    uint32_t i = p->first;

    while (i != 0 && t->ops[i].what != &sn_posted)
        i = t->ops[i].next;
    return i != 0 ? &t->ops[i] : NULL;
}

bool posts_wait(const struct trial *t, const struct process *p)
{
    return first_post(t, p) != NULL;
}

static void fail(struct trial *t, const struct process *p, const void *payload)
{
    struct posted posted;

    memcpy(&posted, payload, sizeof(posted));
    trial_fail(t, "unhandled", NULL,
               "%s was posted to %s, which never calls sn_posted_wait or sn_posted_fd", posted.name,
               sn_name(p->task));
}

/* One that was killed, or went down with its node, cannot be blamed. */
void posts_arrived(struct trial *t, const struct process *p, const void *payload)
{
    if (p->has_returned && !p->asks_for_posts)
        fail(t, p, payload);
}

void posts_check_return(struct trial *t, const struct process *p)
{
    const struct sn_op *post = p->asks_for_posts ? NULL : first_post(t, p);

    if (post != NULL)
        fail(t, p, op_payload(t, post));
}

void posts_judge(struct trial *t)
{
    for (uint32_t i = 1; i < t->now.n_own[OWN_PROCESSES]; i++) {
        if (t->processes->all[i].life == PROCESS_ALIVE)
            posts_check_return(t, &t->processes->all[i]);
    }
}

void posts_wake(struct trial *t, uint32_t task)
{
    sockets_posted(t, task);
}

void posts_offer(struct trial *t)
{
    t->machines->is_post_left = true;
}

void posts_check_taken(struct trial *t, const void *payload)
{
    struct posted posted;

    if (!t->machines->is_post_left)
        return;
    memcpy(&posted, payload, sizeof(posted));
    trial_fail(t, "unhandled", NULL,
               "%s was posted to %s, whose on_message does not give it to sn_posted_take",
               posted.name, sn_name(t->now.task));
}
