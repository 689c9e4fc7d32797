/* invocations.c - what the clients want, and what a trial begins with. SPDX-License-Identifier: MIT
 */
#include "../noise/noise.h"
#include "harness.h"

/* The n-th operation of the endless sequence, from 0. */
static bool is_write(uint32_t n)
{
    return n % 4 == 0 || n % 4 == 3;
}

static struct ds2_message write_of(uint32_t n, bool has_keys)
{
    return (struct ds2_message){.kind = DS2_WRITE,
                                .is_write = 1,
                                .key = has_keys ? n : 0,
                                .value = has_keys ? 10 * (int64_t)n : (int64_t)n};
}

/* Reads go by twos to the keys of the first write, the second, ..., and from the start again. */
static struct ds2_message read_of(uint32_t n, bool has_keys, uint64_t writes)
{
    uint64_t keys = writes > 0 ? writes : 1;

    return (struct ds2_message){.kind = DS2_READ,
                                .key = has_keys ? 1 + (int64_t)((n - 1) / 2 % keys) : 0,
                                .value = DS2_NOTHING};
}

uint32_t ds2_invocations(const struct ds2_parameters *parameters, uint32_t agents, bool has_keys,
                         struct ds2_invocation out[DS2_CLIENTS_MAX])
{
    uint32_t wanted = (uint32_t)(parameters->reads + parameters->writes);
    uint32_t reads = 0;
    uint32_t writes = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; n < wanted && n < DS2_CLIENTS_MAX; i++) {
        struct ds2_message message;

        if (is_write(i) ? writes == parameters->writes : reads == parameters->reads)
            continue;
        message = is_write(i) ? write_of(++writes, has_keys)
                              : read_of(++reads, has_keys, parameters->writes);
        message.client = n + 1;
        out[n++] = (struct ds2_invocation){.to = i % agents + 1, .message = message};
    }
    return n;
}

static void create_agents(const struct ds2_exhibit *exhibit, uint32_t agents)
{
    struct ds2_birth birth = {.exhibit = exhibit, .agents = agents};

    birth.desk = sn_alloc(sizeof(*birth.desk));
    for (uint32_t i = 1; i <= agents; i++) {
        sn_id id;

        birth.agent = i;
        id = sn_create(&ds2_agent, &birth);
        sn_assert(id == i); /* they are found by that */
        sn_set_name(id, "agent%u", i);
    }
}

static void send_to(const struct ds2_exhibit *exhibit, uint32_t agent,
                    const struct ds2_message *head)
{
    struct ds2_log_message message = {.head = *head};

    sn_send(agent, &exhibit->events[head->kind], &message);
}

void ds2_set_up(const struct ds2_exhibit *exhibit)
{
    uint32_t agents =
        ds2_parameters.agents != 0 ? (uint32_t)ds2_parameters.agents : exhibit->agents;
    struct ds2_invocation list[DS2_CLIENTS_MAX];
    uint32_t n = ds2_invocations(&ds2_parameters, agents, exhibit->has_keys, list);
    struct ds2_message wake = {.kind = DS2_WAKE};

    create_agents(exhibit, agents);
    for (uint32_t i = 0; i < n; i++)
        send_to(exhibit, list[i].to, &list[i].message);
    for (uint32_t i = 0; exhibit->has_timeouts && i < ds2_parameters.timeouts; i++)
        send_to(exhibit, i % agents + 1, &wake);
    noise_start(0);
}
