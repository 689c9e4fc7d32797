/* shape.c - see shape.h. The table follows what Jepsen's tests write.
 * SPDX-License-Identifier: MIT
 */
#include "history/shape.h"

#include <stddef.h>
#include <string.h>

static const struct shape shapes[] = {
    /* What a model has in another way than others comes first. */
    {"list", "read", 0, SHAPE_LIST},     {"list", "get", 1, SHAPE_VALUE},
    {"set", "read", 0, SHAPE_SET},       {"counter", "add", 1, SHAPE_NONE},
    {"mutex", "acquire", 0, SHAPE_BOOL}, {"mutex", "release", 0, SHAPE_BOOL},
    {"lease", "expire", 1, SHAPE_NONE},  {NULL, "read", 0, SHAPE_VALUE},
    {NULL, "get", 0, SHAPE_VALUE},       {NULL, "size", 0, SHAPE_VALUE},
    {NULL, "dequeue", 0, SHAPE_VALUE},   {NULL, "pop", 0, SHAPE_VALUE},
    {NULL, "fetch-add", 1, SHAPE_VALUE}, {NULL, "write", 1, SHAPE_NONE},
    {NULL, "put", 1, SHAPE_NONE},        {NULL, "delete", 0, SHAPE_NONE},
    {NULL, "inc", 0, SHAPE_NONE},        {NULL, "enqueue", 1, SHAPE_NONE},
    {NULL, "push", 1, SHAPE_NONE},       {NULL, "append", 1, SHAPE_APART},
    {NULL, "cas", 2, SHAPE_BOOL},        {NULL, "add", 1, SHAPE_BOOL},
    {NULL, "remove", 1, SHAPE_BOOL},     {NULL, "contains", 1, SHAPE_BOOL},
    {NULL, "acquire", 1, SHAPE_BOOL},    {NULL, "renew", 1, SHAPE_BOOL},
    {NULL, "release", 1, SHAPE_BOOL},
};

static const struct shape guess = {NULL, NULL, 2, SHAPE_GUESS};

const struct shape *shape_find(const struct sn_model *model, const char *function)
{
    bool is_shipped = sn_model_find(model->name) == model;

    for (size_t i = 0; is_shipped && i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const struct shape *shape = &shapes[i];

        if (strcmp(shape->function, function) == 0 &&
            (shape->model == NULL || strcmp(shape->model, model->name) == 0))
            return shape;
    }
    return &guess;
}

bool shape_wants_integers(const struct sn_model *model)
{
    return model == &sn_model_counter || model == &sn_model_fetch_add ||
           model == &sn_model_priority_queue;
}
