/* seen.c - see seen.h. SPDX-License-Identifier: MIT */
#include "oracle/seen.h"

#include <string.h>

struct seen_entry *seen_find(const struct seen *seen, uint64_t first, uint64_t second)
{
    for (uint32_t i = seen->n; i > 0; i--) {
        struct seen_entry *entry = &seen->entries[i - 1];

        if (entry->key[0] == first && entry->key[1] == second)
            return entry;
    }
    return NULL;
}

void seen_add(struct seen *seen, struct seen_entry entry)
{
    struct seen_entry *larger;

    if (seen->n == seen->room) {
        seen->room = seen->room > 0 ? seen->room * 2 : 16;
        larger = sn_alloc(seen->room * sizeof(*larger)); /* freed with the trial */
        if (seen->n > 0)
            memcpy(larger, seen->entries, seen->n * sizeof(*larger));
        seen->entries = larger;
    }
    seen->entries[seen->n++] = entry;
}
