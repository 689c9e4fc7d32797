/* lessons.c - see lessons.h. SPDX-License-Identifier: MIT */
#include "engine/lessons.h"

#include "base/bytes.h"

#include <string.h>

size_t lesson_size(const struct lesson *lesson)
{
    size_t size = 0;

    for (uint32_t i = 0; i < TRIAL_PHASES_MAX; i++)
        size += lesson->n[i];
    sn_check(size <= SN_LESSON_MAX);
    return size;
}

void lesson_copy(struct lesson *to, const struct lesson *from)
{
    memcpy(to->n, from->n, sizeof(to->n));
    memcpy(to->bytes, from->bytes, lesson_size(from));
}

void lessons_come_to(struct lessons *l, const struct sn_strategy *strategy, void *self,
                     uint64_t trial)
{
    uint64_t epoch = epoch_of(trial);
    size_t at = 0;

    if (likely(epoch == l->epoch))
        return;
    while (at < l->size) {
        size_t n = bytes_get(l->bytes + at);

        strategy->learn(self, l->bytes + at + 8, n);
        at += 8 + n;
    }
    l->size = 0;
    l->epoch = epoch;
}

void lessons_keep(struct lessons *l, const unsigned char *bytes, size_t n)
{
    if (n == 0)
        return;
    sn_check(n <= SN_LESSON_MAX && l->size + 8 + n <= sizeof(l->bytes));
    bytes_put(l->bytes + l->size, n);
    memcpy(l->bytes + l->size + 8, bytes, n);
    l->size += 8 + n;
}

void lessons_clear(struct lessons *l)
{
    l->epoch = 0;
    l->size = 0;
}

size_t lessons_save(const struct lessons *l, unsigned char *bytes, size_t room)
{
    if (8 + l->size <= room) {
        bytes_put(bytes, l->epoch);
        memcpy(bytes + 8, l->bytes, l->size);
    }
    return 8 + l->size;
}

/* Whether these are lessons of one epoch. */
static bool are_lessons(const unsigned char *bytes, size_t n)
{
    size_t at = 0;

    for (uint32_t i = 0; i < EPOCH_TRIALS && at < n; i++) {
        uint64_t size = n - at >= 8 ? bytes_get(bytes + at) : 0;

        if (size == 0 || size > SN_LESSON_MAX || size > n - at - 8)
            return false;
        at += 8 + size;
    }
    return at == n;
}

int lessons_load(struct lessons *l, const unsigned char *bytes, size_t n)
{
    if (n < 8 || n - 8 > sizeof(l->bytes) || epoch_of(bytes_get(bytes)) != bytes_get(bytes) ||
        !are_lessons(bytes + 8, n - 8))
        return -1;
    l->epoch = bytes_get(bytes);
    l->size = n - 8;
    memcpy(l->bytes, bytes + 8, n - 8);
    return 0;
}
