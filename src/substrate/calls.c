/* calls.c - requests that are answered.
 *
 * A call is a monitor whose ref the answer carries. While the monitor stands the answer reaches the
 * mailbox; when the call is over, it is taken down in the same step, so that what comes later is
 * dropped. SPDX-License-Identifier: MIT
 */
#include "substrate/environment.h"
#include "substrate/process.h"

/* What a caller waits for: on its stack. */
struct awaited {
    sn_ref call;
    const struct sn_event *request;
    sn_id server;
};

static bool is_answer(const struct sn_message *message, const void *with)
{
    const struct awaited *awaited = with;

    if (message->event == &sn_down)
        return ((const struct sn_down_signal *)message->payload)->ref == awaited->call;
    return message->call == awaited->call;
}

bool calls_describe(struct trial *t, const struct process *p, struct sn_text *out)
{
    const struct awaited *awaited = p->with;
    char name[128];

    if (p->match != is_answer)
        return false;
    text_print(out, " for an answer of %s to its call %s",
               machine_name(t, &t->machines->all[awaited->server], name, sizeof(name)),
               awaited->request->name);
    return true;
}

/* Who waits for its own answer does so for ever. */
static void check_other(struct trial *t, const struct process *self, sn_id server,
                        const char *function)
{
    if (server == self->task)
        trial_fail(t, "usage", NULL, "%s: %s calls itself", function, sn_name(server));
}

/* The server is known, or nobody: *how says what became of the request. */
static const struct sn_message *call(struct trial *t, struct process *self,
                                     const struct letter *letter, uint64_t timeout_ns,
                                     enum sn_call_result *how)
{
    struct letter sent = *letter;
    struct awaited awaited = {.request = letter->event, .server = letter->to};
    const struct sn_message *answer;

    awaited.call = sent.call = exits_watch(t, self, letter->to, TIE_CALL);
    if (letter->to != SN_NOBODY)
        mailbox_post(t, &sent);
    answer = mailbox_receive(t, self, is_answer, &awaited, timeout_ns);
    (void)exits_unwatch(t, self, awaited.call, true);
    if (answer == NULL) {
        /* Had the server ended before, or gone out of sight, that would be the answer. */
        exits_look(t, letter->to);
        *how = SN_CALL_TIMEOUT;
        return NULL;
    }
    self->message.call = 0;
    *how = answer->event == &sn_down ? SN_CALL_DOWN : SN_CALL_ANSWERED;
    return *how == SN_CALL_ANSWERED ? answer : NULL;
}

const struct sn_message *sn_call(sn_id server, const struct sn_event *request, const void *payload,
                                 uint64_t timeout_ns, enum sn_call_result *how)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_call");
    enum sn_call_result ignored;
    struct process_request about = {
        .event = request, .payload = payload, .whom = server, .about = ABOUT_MAILBOX};

    machine_check_payload(t, request, payload, "sent");
    process_check_id(t, server, "sn_call");
    if (!process_is(t, server))
        trial_fail(t, "usage", NULL, "sn_call: %s is a machine, not a process", sn_name(server));
    check_other(t, self, server, "sn_call");
    about.size = request->size;
    process_announce(t, self, process_phrase_event(t, VERB_CALL, request), &about);
    return call(t, self,
                &(struct letter){.to = server,
                                 .from = self->task,
                                 .event = request,
                                 .payload = payload,
                                 .size = request->size},
                timeout_ns, how != NULL ? how : &ignored);
}

const struct sn_message *sn_call_name(const char *name, const struct sn_event *request,
                                      const void *payload, uint64_t timeout_ns,
                                      enum sn_call_result *how)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_call_name");
    enum sn_call_result ignored;
    struct process_request about = {.event = request,
                                    .payload = payload,
                                    .text = name,
                                    .about = ABOUT_NAME,
                                    .name = name,
                                    .node = environment_node_here(t)};
    uint32_t server;

    registry_check(t, name, "sn_call_name");
    machine_check_payload(t, request, payload, "sent");
    about.size = request->size;
    process_announce(t, self, process_phrase_event(t, VERB_CALL, request), &about);
    server = registry_find(t, environment_node_here(t), name);
    check_other(t, self, server, "sn_call_name");
    return call(t, self,
                &(struct letter){.to = server,
                                 .from = self->task,
                                 .event = request,
                                 .payload = payload,
                                 .size = request->size},
                timeout_ns, how != NULL ? how : &ignored);
}

void sn_answer(sn_id caller, sn_ref ref, const struct sn_event *answer, const void *payload)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_answer");
    struct process_request about = {
        .event = answer, .payload = payload, .whom = caller, .about = ABOUT_MAILBOX};

    machine_check_payload(t, answer, payload, "sent");
    process_check_id(t, caller, "sn_answer");
    if (!process_is(t, caller) || ref == 0)
        trial_fail(t, "usage", NULL, "sn_answer: %s has not called", sn_name(caller));
    about.size = answer->size;
    if (self != NULL)
        process_announce(t, self, process_phrase_event(t, VERB_REPLY, answer), &about);
    mailbox_post(t, &(struct letter){.to = caller,
                                     .from = t->now.task,
                                     .event = answer,
                                     .payload = payload,
                                     .size = answer->size,
                                     .call = ref,
                                     .is_answer = true});
}
