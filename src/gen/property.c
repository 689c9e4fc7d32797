/* property.c - properties: what they are run as, and trials that are not about them.
 * SPDX-License-Identifier: MIT
 */
#include "gen/gen.h"

void sn_discard(void)
{
    trial_discard(gen_trial("sn_discard"));
}

int sn_forall(const char *name, void (*property)(void), const struct sn_options *options,
              struct sn_result *result)
{
    const struct sn_test test = {.name = name, .run = property, .strategy = "random"};
    struct sn_result own;
    struct sn_result *r = result != NULL ? result : &own;
    int rc = sn_run(&test, options, r);

    if (rc < 0)
        return rc;
    return r->verdict != SN_PASSED || r->nondeterministic || r->discarded == r->trials;
}
