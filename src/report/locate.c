/* locate.c - see locate.h. SPDX-License-Identifier: MIT */
#include "report/locate.h"

#include <fts.h>
#include <stdio.h>
#include <string.h>

bool locate(const char *root, const char *name, size_t n, char *path, size_t size)
{
    char start[4096];
    char *roots[] = {start, NULL};
    int found = 0;
    FTS *tree;

    if (snprintf(start, sizeof(start), "%s", root) >= (int)sizeof(start))
        return false;
    tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
    if (tree == NULL)
        return false;
    for (int i = 0; found < 2; i++) {
        FTSENT *entry = fts_read(tree);

        if (entry == NULL)
            break;
        if (i == LOCATE_ENTRIES_MAX)
            found = 2; /* nobody knows: there may be another */
        else if (entry->fts_level > 0 && entry->fts_name[0] == '.')
            (void)fts_set(tree, entry, FTS_SKIP);
        else if (entry->fts_level > 0 && entry->fts_info == FTS_NSOK && entry->fts_namelen == n &&
                 memcmp(entry->fts_name, name, n) == 0) {
            const char *inside = entry->fts_path + strlen(start);
            int used = snprintf(path, size, "%s", inside + strspn(inside, "/"));

            found += used < (int)size ? 1 : 2;
        }
    }
    (void)fts_close(tree);
    return found == 1;
}
