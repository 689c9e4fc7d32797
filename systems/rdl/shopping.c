/* shopping.c - an application in which several people write one shopping list.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shopping.h"

void shopping_init(struct shopping *app, const struct shopping_config *config)
{
    *app = (struct shopping){.config = *config};
    rga_init(&app->list, &config->list);
}

void shopping_done(struct shopping *app)
{
    rga_done(&app->list);
}

struct rga_message *shopping_add(struct shopping *app, const char *thing)
{
    return rga_insert(&app->list, rga_length(&app->list), thing);
}

struct rga_message *shopping_drop(struct shopping *app, const char *thing)
{
    return rga_delete(&app->list, rga_find(&app->list, thing));
}

struct rga_message *shopping_move(struct shopping *app, const char *thing, size_t to)
{
    return rga_move(&app->list, rga_find(&app->list, thing), to);
}

void shopping_hear(struct shopping *app, const struct rga_message *message)
{
    const char *thing = message ? rga_message_text(message) : NULL;

    if (thing && app->config.appends)
        rga_message_free(rga_insert(&app->list, rga_length(&app->list), thing));
    else
        rga_deliver(&app->list, message);
}

size_t shopping_length(const struct shopping *app)
{
    return rga_length(&app->list);
}

size_t shopping_print(const struct shopping *app, char *out, size_t size)
{
    return rga_print(&app->list, out, size);
}
