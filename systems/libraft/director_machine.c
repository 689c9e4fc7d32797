/* director_machine.c - ends a trial when all clients have had what they wanted.
 *
 * Servers would send heartbeats for ever. The director, who is on no node and whom no fault can
 * reach, has them closed then, and whatever server comes back afterwards. A trial that ends in this
 * way ends with all memory given back, or it shows that some is not.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

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
        sn_send(sn_sender(), &shutdown_event, NULL);
}

static void on_finished(void *self, const void *payload)
{
    struct director *director = self;

    (void)payload;
    director->finished_count++;
    for (uint32_t id = 1; is_over(director) && id <= director->birth.servers; id++)
        sn_send(sn_self() + id, &shutdown_event, NULL);
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

const struct sn_machine libraft_director = {
    .name = "Director",
    .size = sizeof(struct director),
    .start = &directing,
    .birth = &birth_event,
};
