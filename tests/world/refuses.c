/* refuses.c - where memory cannot be saved, world_open says why.
 *
 * The argument is a part of the reason that is expected. SPDX-License-Identifier: MIT
 */
#include "engine/world/heap.h"
#include "engine/world/world.h"

#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *expected = argc > 1 ? argv[1] : "?";
    struct world *w = NULL;
    struct err why = {.text = ""};
    int rc = world_open(&w, &why);
    char *volatile p = malloc(10); /* the other malloc is in charge */
    bool good = rc == SN_ESYSTEM && w == NULL && strstr(why.text, expected) != NULL && p != NULL &&
                !heap_holds(p);

    free(p);
    printf("1..1\n%s 1 - world_is_refused_with_a_reason\n# %s\n", good ? "ok" : "not ok", why.text);
    return good ? 0 : 1;
}
