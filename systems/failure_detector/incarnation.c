/* incarnation.c - the number of a node's life. SPDX-License-Identifier: MIT */
#include "incarnation.h"

int incarnation_next(const struct incarnation_config *config, const struct fd_disk *disk,
                     void *disk_self, uint32_t *incarnation)
{
    uint32_t last = 0;
    int64_t n = disk->read(disk_self, &last, sizeof(last));

    if (n < 0)
        return (int)n;
    if (n < (int64_t)sizeof(last))
        last = 0;
    *incarnation = last + 1;

    int rc = disk->write(disk_self, incarnation, sizeof(*incarnation));

    if (rc < 0 || (config->skip_sync && last > 0))
        return rc;
    return disk->sync(disk_self);
}
