/* exact.c - which algorithm is for which model. SPDX-License-Identifier: MIT */
#include "linear/exact.h"

#include "linear/models/models.h"

static const struct {
    const struct sn_model *model;
    const struct exact *exact;
} table[] = {
    {&sn_model_register, &exact_register}, {&sn_model_cas_register, &exact_register},
    {&sn_model_map, &exact_register},      {&sn_model_set, &exact_set},
    {&sn_model_counter, &exact_counter},   {&sn_model_fetch_add, &exact_fetch_add},
    {&sn_model_queue, &exact_queue},       {&sn_model_stack, &exact_stack},
    {&sn_model_list, &exact_list},
};

const struct exact *exact_for(const struct sn_model *model, bool has_elements)
{
    const struct exact *by_role = model->role != NULL ? &exact_chains : NULL;

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        /* A copy of a model is as good as itself. */
        if (table[i].model->step == model->step)
            return table[i].exact != &exact_list || has_elements ? table[i].exact : by_role;
    }
    return by_role;
}

void exact_refuse(const struct object *object, const struct sn_operation *op, struct outcome *out,
                  const char *sentence)
{
    char name[128];

    (void)outcome_no(out, (size_t)(op - object->operations), "%s %s",
                     object_name(object, op, name, sizeof(name)), sentence);
}
