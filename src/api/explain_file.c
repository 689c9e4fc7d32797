/* explain_file.c - a place for traces that are only needed for a moment.
 *
 * A name in a folder for everybody could be guessed, and lead elsewhere: so there is a folder that
 * only this user can write to. SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void put_path(const struct explaining *x, char *path)
{
    (void)snprintf(path, EXPLAINING_PATH, "%.*s/one.trace", EXPLAINING_PATH - 16, x->folder);
}

int explaining_name_file(struct explaining *x, char *path)
{
    const char *directory = getenv("TMPDIR");

    if (x->folder[0] == '\0') {
        (void)snprintf(x->folder, EXPLAINING_PATH - 16, "%.900s/sennit-explain-XXXXXX",
                       directory != NULL && directory[0] != '\0' ? directory : "/tmp");
        if (mkdtemp(x->folder) == NULL) {
            int rc =
                err_set(&x->why, SN_EIO, "%.200s: cannot be made (errno %d)", x->folder, errno);

            x->folder[0] = '\0';
            return rc;
        }
    }
    put_path(x, path);
    return 0;
}

void explaining_remove_file(struct explaining *x)
{
    char path[EXPLAINING_PATH];

    if (x->folder[0] == '\0')
        return;
    put_path(x, path);
    (void)unlink(path);
    (void)rmdir(x->folder);
}
