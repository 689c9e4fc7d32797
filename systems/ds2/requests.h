/* requests.h - operations of clients that an agent holds until it knows who leads.
 * SPDX-License-Identifier: MIT
 */
#ifndef DS2_REQUESTS_H
#define DS2_REQUESTS_H

#include "object.h"

/* No client asks twice, so there is room for all. */
struct ds2_requests {
    uint32_t n;
    struct ds2_message list[DS2_CLIENTS_MAX];
};

static inline void ds2_requests_add(struct ds2_requests *requests, const struct ds2_message *m)
{
    if (requests->n < DS2_CLIENTS_MAX)
        requests->list[requests->n++] = *m;
}

/* Passes one on as it is. */
static inline void ds2_requests_pass_on(const struct ds2_place *place, uint32_t to,
                                        const struct ds2_message *m)
{
    struct ds2_log_message message = {.head = *m};

    ds2_send_log(place, to, &message);
}

/* Passes all on. */
static inline void ds2_requests_pass_on_all(struct ds2_requests *requests,
                                            const struct ds2_place *place, uint32_t to)
{
    for (uint32_t i = 0; i < requests->n; i++)
        ds2_requests_pass_on(place, to, &requests->list[i]);
    requests->n = 0;
}

/* The entry that an operation becomes. */
static inline struct ds2_entry ds2_entry_of(const struct ds2_message *m, uint32_t number)
{
    return (struct ds2_entry){.number = number,
                              .client = m->client,
                              .is_write = m->kind == DS2_WRITE,
                              .key = m->key,
                              .value = m->value};
}

#endif
