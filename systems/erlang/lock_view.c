/* lock_view.c - what an agent knows of queues for locks. SPDX-License-Identifier: MIT */
#include "lock_view.h"

bool lock_view_learn(struct lock_view *view, const struct lock_entry *entry,
                     uint32_t surrendered_by)
{
    struct lock_entry *known = &view->known[entry->lock];

    if (surrendered_by == view->self)
        view->is_surrendered[entry->lock] = false;
    if (known->count > 0 && known->version >= entry->version)
        return false;
    if (view->is_surrendered[entry->lock])
        return false;
    *known = *entry;
    return true;
}

void lock_view_forget(struct lock_view *view, uint32_t lock)
{
    view->known[lock] = (struct lock_entry){.lock = lock};
}

bool lock_view_has_all(const struct lock_view *view)
{
    for (uint32_t i = 0; i < LOCKS; i++) {
        const struct lock_entry *known = &view->known[i];

        if (view->is_wanted[i] && (known->count == 0 || known->queue[0] != view->self))
            return false;
    }
    return true;
}

/* Whether the holder of one lock keeps the holder of another waiting, who waits for it. */
static bool is_blocking(const struct lock_entry *held, const struct lock_entry *other)
{
    uint32_t place;

    if (held->count < 2 || other->count < 2)
        return false;
    place = lock_entry_place(held, other->queue[0]);
    return place > 0 && place < held->count;
}

bool lock_view_find_victim(const struct lock_view *view, struct lock_victim *victim)
{
    bool reaches[LOCKS][LOCKS];

    for (uint32_t i = 0; i < LOCKS; i++) {
        for (uint32_t j = 0; j < LOCKS; j++)
            reaches[i][j] = is_blocking(&view->known[i], &view->known[j]);
    }
    for (uint32_t k = 0; k < LOCKS; k++) {
        for (uint32_t i = 0; i < LOCKS; i++) {
            for (uint32_t j = 0; j < LOCKS; j++)
                reaches[i][j] = reaches[i][j] || (reaches[i][k] && reaches[k][j]);
        }
    }
    *victim = (struct lock_victim){0};
    for (uint32_t i = 0; i < LOCKS; i++) {
        if (!reaches[i][i] || view->known[i].queue[0] <= victim->agent)
            continue;
        victim->agent = view->known[i].queue[0];
        victim->lock = i;
    }
    for (uint32_t i = 0; i < LOCKS; i++)
        victim->in_circle[i] = reaches[victim->lock][i] && reaches[i][victim->lock];
    return victim->agent != 0;
}
