/* disk.h - placeholder replaced by the real one. SPDX-License-Identifier: MIT */
#ifndef SUBSTRATE_DISK_H
#define SUBSTRATE_DISK_H
#include "engine/trial.h"
static inline int disks_join(struct trial *t, struct err *why)
{
    (void)t;
    (void)why;
    return 0;
}
static inline void disks_leave(struct trial *t)
{
    (void)t;
}
static inline void disks_begin(struct trial *t)
{
    (void)t;
}
static inline void disk_crash(struct trial *t, uint32_t node)
{
    (void)t;
    (void)node;
}
static inline void disk_stop(struct trial *t, uint32_t node)
{
    (void)t;
    (void)node;
}
#endif
