/* asker.c - what clients and operators have in common: a server that they take for the leader, one
 * request at a time, and a timer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "asker.h"

static const struct sn_field birth_fields[] = {
    SN_FIELD(struct client_birth, id, SN_UINT),
    SN_FIELD(struct client_birth, duties, SN_SET),
    SN_FIELD(struct client_birth, operations, SN_UINT),
    SN_FIELD(struct client_birth, is_impatient, SN_BOOL),
    {0},
};

const struct sn_event client_birth_event = {
    .name = "ClientBirth",
    .size = sizeof(struct client_birth),
    .fields = birth_fields,
};

static sn_id director(const struct asker *asker)
{
    return director_of_client(asker->birth.id, asker->birth.servers);
}

void asker_begin(struct asker *asker, const struct client_birth *birth, uint64_t delay_ms)
{
    asker->birth = *birth;
    asker->leader = 1;
    asker->turn = 1;
    asker_wait(asker, &think_event, delay_ms);
}

void asker_wait(struct asker *asker, const struct sn_event *event, uint64_t delay_ms)
{
    if (asker->timer != 0)
        sn_timer_cancel(asker->timer);
    if (event == NULL)
        asker->timer = 0;
    else
        asker->timer = sn_timer_start(event, delay_ms * MILLISECOND, NULL);
}

struct request *asker_request(struct asker *asker, uint32_t ask, uint32_t key)
{
    asker->request = (struct request){
        .id = ++asker->sequence * (CLIENTS_MAX + 1) + asker->birth.id,
        .ask = ask,
        .key = key,
        .client = sn_self(),
    };
    return &asker->request;
}

void asker_ask(struct asker *asker, uint32_t server, uint64_t patience_ms)
{
    asker->is_waiting = true;
    sn_send(director(asker) + server, &request_event, &asker->request);
    asker_wait(asker, &retry_event, patience_ms);
}

bool asker_is_patient(struct asker *asker)
{
    uint32_t n = ++asker->timer_count;

    if (asker->birth.is_impatient == 0 || n < IMPATIENT_TIMERS || n % PATIENCE == 0)
        return false;
    asker->timer = sn_timer_start(&retry_event, MILLISECOND, NULL);
    return true;
}

bool asker_awaits(const struct asker *asker, const struct reply *reply)
{
    return asker->is_waiting && reply->id == asker->request.id;
}

void asker_turn(struct asker *asker)
{
    asker->turn = 1 + asker->turn % asker->birth.servers;
    asker->leader = asker->turn;
    asker->is_sent = false;
}

void asker_go(struct asker *asker, uint32_t leader)
{
    if (leader == 0 || leader == asker->leader || asker->is_sent) {
        asker_turn(asker);
        return;
    }
    asker->leader = leader;
    asker->is_sent = true;
}

void asker_finish(const struct asker *asker)
{
    sn_send(director(asker), &finished_event, NULL);
}
