/* property.c - properties: what they are run as, and trials that are not about them.
 * SPDX-License-Identifier: MIT
 */
#include "gen/gen.h"

#include <stdarg.h>
#include <stdio.h>

void sn_discard(void)
{
    trial_discard(gen_trial("sn_discard"));
}

void sn_classify(bool condition, const char *name)
{
    struct trial *t = gen_trial("sn_classify");

    if (condition)
        classes_add(&t->classed, classes_number(t->classes, "", name));
}

void sn_collect(const char *table, const char *format, ...)
{
    struct trial *t = gen_trial("sn_collect");
    char value[CLASS_NAME];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(value, sizeof(value), format, args);
    va_end(args);
    classes_add(&t->classed, classes_number(t->classes, table, value));
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
