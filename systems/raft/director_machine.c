/* director_machine.c - ends a trial when all clients have had what they wanted.
 *
 * Servers would send heartbeats for ever. The director, who is on no node and whom no fault can
 * reach, stops their nodes then, and whatever node comes back afterwards.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"
#include "machines.h"

struct director {
    struct director_birth birth;
    uint32_t finished_count;
};

static bool is_over(const struct director *director)
{
    return director->finished_count == director->birth.clients;
}

static void on_birth(void *self, const void *payload)
{
    struct director *director = self;

    director->birth = *(const struct director_birth *)payload;
}

static void on_started(void *self, const void *payload)
{
    (void)payload;
    if (is_over(self))
        sn_node_stop(sn_node_of(sn_sender()));
}

static void on_finished(void *self, const void *payload)
{
    struct director *director = self;

    (void)payload;
    director->finished_count++;
    for (sn_node node = 1; is_over(director) && node <= director->birth.servers; node++)
        sn_node_stop(node);
}

static const struct sn_on directing_on[] = {
    {.event = &started_event, .run = on_started},
    {.event = &finished_event, .run = on_finished},
    {0},
};

static const struct sn_state directing = {
    .name = "Directing",
    .entry = on_birth,
    .on = directing_on,
};

static const struct sn_field birth_fields[] = {
    SN_FIELD(struct director_birth, servers, SN_UINT),
    SN_FIELD(struct director_birth, clients, SN_UINT),
    {0},
};

static const struct sn_event birth_event = {
    .name = "DirectorBirth",
    .size = sizeof(struct director_birth),
    .fields = birth_fields,
};

const struct sn_machine raft_director = {
    .name = "Director",
    .size = sizeof(struct director),
    .start = &directing,
    .birth = &birth_event,
};
