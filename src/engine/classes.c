/* classes.c - see classes.h. SPDX-License-Identifier: MIT */
#include "engine/classes.h"

#include "base/hash.h"
#include "base/rng.h"

#include <stdio.h>
#include <string.h>

void classes_begin(struct classes *classes)
{
    for (uint32_t i = 0; i < CLASSES_MAX; i++)
        atomic_store_explicit(&classes->list[i].hash, 0, memory_order_relaxed);
}

/* Names are told apart by their hashes alone: who looks for one may come while another process is
 * still writing it down. They are read when all processes have ended. */
uint16_t classes_number(struct classes *classes, const char *table, const char *value)
{
    uint64_t hash = mix_pair(hash_text(HASH_START, table), hash_text(HASH_START, value)) | 1;
    uint32_t i = (uint32_t)(hash >> 32) % CLASSES_MAX;

    for (uint32_t tried = 0; tried < CLASSES_MAX; tried++, i = (i + 1) % CLASSES_MAX) {
        struct class_name *name = &classes->list[i];
        uint64_t known = 0;

        if (atomic_compare_exchange_strong(&name->hash, &known, hash)) {
            (void)snprintf(name->table, sizeof(name->table), "%s", table);
            (void)snprintf(name->value, sizeof(name->value), "%s", value);
            return (uint16_t)i;
        }
        if (known == hash)
            return (uint16_t)i;
    }
    return CLASSES_OTHER;
}

void classes_add(struct trial_classes *of, uint16_t number)
{
    for (uint32_t i = 0; i < of->n; i++) {
        if (of->numbers[i] == number)
            return;
    }
    if (of->n < CLASSES_OF_TRIAL)
        of->numbers[of->n++] = number;
}
