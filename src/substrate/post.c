/* post.c - callbacks that a component gets later, each as an operation of its own.
 *
 * A callback is a message. What is printed and compared of it is its name and result: addresses are
 * others in another process. SPDX-License-Identifier: MIT
 */
#include "substrate/post.h"

#include "substrate/process.h"

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

void sn_posted_run(void *self, const void *payload)
{
    const struct posted *posted = payload;

    (void)self;
    posted->call(posted->argument, posted->result);
}

bool sn_posted_take(const void *bytes, size_t n)
{
    struct posted posted;

    if (n != sizeof(posted) || memcmp(bytes, mark, sizeof(mark)) != 0)
        return false;
    memcpy(&posted, bytes, sizeof(posted));
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
    const struct sn_message *message = mailbox_receive(t, self, is_posted, NULL, timeout_ns);
    struct posted posted;

    if (message == NULL)
        return false;
    /* The callback may receive, which ends the message. */
    memcpy(&posted, message->payload, sizeof(posted));
    posted.call(posted.argument, posted.result);
    return true;
}
