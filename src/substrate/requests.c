/* requests.c - what an action asks for that happens when it has ended: another state or event, or
 * the end of its machine. SPDX-License-Identifier: MIT
 */
#include "engine/here.h"
#include "engine/op.h"
#include "substrate/machine.h"

static struct machine *request(const char *function, enum machine_request what)
{
    struct trial *t = machine_trial(function);
    struct machine *m = t->machines->actor;
    char name[128];

    if (m == NULL)
        trial_fail(t, "usage", NULL, "%s was called outside a machine", function);
    if (t->may_act == ACTS_IN_TURN)
        trial_fail(t, "usage", NULL, "%s calls %s but is a process", m->type->name, function);
    if (m->is_leaving)
        trial_fail(t, "usage", NULL, "%s calls %s in an exit action",
                   machine_name(t, m, name, sizeof(name)), function);
    if (m->request != REQUEST_NONE)
        trial_fail(t, "usage", NULL, "%s calls %s, the second transition in one action",
                   machine_name(t, m, name, sizeof(name)), function);
    if (m->type->start == NULL && what != REQUEST_HALT)
        trial_fail(t, "usage", NULL, "%s calls %s but is a plain node without states",
                   machine_name(t, m, name, sizeof(name)), function);
    m->request = (uint8_t)what;
    return m;
}

void sn_goto(const struct sn_state *state)
{
    request("sn_goto", REQUEST_GOTO)->request_state = state;
}

void sn_push(const struct sn_state *state)
{
    request("sn_push", REQUEST_PUSH)->request_state = state;
}

void sn_pop(void)
{
    (void)request("sn_pop", REQUEST_POP);
}

void sn_raise(const struct sn_event *event, const void *payload)
{
    struct machine *m = request("sn_raise", REQUEST_RAISE);
    struct trial *t = trial_here();

    machine_check_payload(t, event, payload, "raised");
    m->raised = op_new(t);
    op_set_payload(t, m->raised, payload, event->size);
    m->request_event = event;
    trial_record(t, event, "raise", event, 0, payload);
}

void sn_halt(void)
{
    (void)request("sn_halt", REQUEST_HALT);
}
