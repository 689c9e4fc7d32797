/* leader_helper.c - watches the other candidates for one, and tells it which of them are down.
 *
 * A process that does not have its name yet is down as one that has ended is: that is reported at
 * once, but not at the same moment.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leader.h"

#include <stdio.h>

struct helper {
    sn_id leader;
    sn_ref refs[NODES + 1]; /* by node; 0: none */
};

void leader_name(uint32_t node, char name[LEADER_NAME_SIZE])
{
    (void)snprintf(name, LEADER_NAME_SIZE, "gen_leader %u", node);
}

static void monitor(struct helper *helper, uint32_t node)
{
    char name[LEADER_NAME_SIZE];

    leader_name(node, name);
    if (helper->refs[node] == 0)
        helper->refs[node] = sn_monitor_name(SN_NO_NODE, name);
    sn_send(helper->leader, &monitored_event, NULL);
}

static void report(struct helper *helper, const struct sn_down_signal *down)
{
    struct report report = {.is_early = down->process == SN_NOBODY};

    for (uint32_t node = 1; node <= NODES; node++) {
        if (helper->refs[node] == down->ref)
            report.node = node;
    }
    if (report.node == 0)
        return;
    helper->refs[report.node] = 0;
    sn_send(helper->leader, &down_event, &report);
}

static void help(const void *payload)
{
    struct helper helper = {.leader = ((const struct helper_birth *)payload)->leader};

    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

        if (m->event == &sn_down)
            report(&helper, m->payload);
        else
            monitor(&helper, ((const struct report *)m->payload)->node);
    }
}

const struct sn_process leader_helper_process = {
    .name = "Helper",
    .run = help,
    .birth = &helper_birth_event,
    .may_wait = true,
};
