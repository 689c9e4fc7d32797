/* covered.c - runs a function in trials that are all rolled back; coverage.sh looks at the counts.
 * SPDX-License-Identifier: MIT
 */
#include "engine/world/world.h"

#include <stdio.h>

static int value;

__attribute__((noinline)) static void runs_in_trials_alone(void)
{
    value++; /* COUNTED */
}

int main(void)
{
    struct world *w;
    struct err why;
    uint32_t mark = 0;

    if (world_open(&w, &why) < 0 || world_save(w, &mark, &why) < 0) {
        fprintf(stderr, "%s\n", why.text);
        return 77;
    }
    for (int i = 0; i < 5; i++) {
        runs_in_trials_alone();
        if (value != 1)
            return 1;
        world_restore(w, mark);
    }
    world_close(w);
    return value;
}
