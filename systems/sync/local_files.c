/* local_files.c - see local_files.h. SPDX-License-Identifier: MIT */
#include "local_files.h"

/* Of contents as they are written out: numbers up to 9 have one digit. A directory has no size. */
static uint32_t size_of(uint32_t value)
{
    if (value == SYNC_DIRECTORY)
        return 0;
    return value < 10 ? 1 : 2;
}

uint32_t local_files_write(struct files *files, uint32_t file, uint32_t value)
{
    struct file *f = &files->all[file];
    uint32_t old = f->value;

    f->value = value;
    if (value == 0)
        f->stamp = (struct stamp){0};
    else
        f->stamp = (struct stamp){
            .change = ++files->changes,
            .second = files->second,
            .size = size_of(value),
        };
    return old;
}
