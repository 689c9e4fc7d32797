/* root.c - see root.h. SPDX-License-Identifier: MIT */
#include "engine/world/root.h"

/* An object of its own section is not merged with, or put next to, anything else; its alignment and
 * its size, a multiple of the alignment, keep the pages to itself. */
struct engine_root world_root __attribute__((section(".data.sennit_root"))) = {.engine = NULL};
