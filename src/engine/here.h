/* here.h - from nowhere to the running trial: the one pointer that the library keeps.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_HERE_H
#define ENGINE_HERE_H

#include "engine/trial.h"
#include "engine/world/root.h"

/* NULL before the first run. */
static inline struct trial *trial_here(void)
{
    return root_engine();
}

#endif
