/* shopping.h - an application in which several people write one shopping list.
 *
 * What is to be bought is in the order in which it will be found in the shop, so things are moved
 * now and then.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RDL_SHOPPING_H
#define RDL_SHOPPING_H

#include "rga.h"

struct shopping_config {
    struct rga_config list;

    /* Wrong: what others have added is appended when it comes. */
    bool appends;
};

/* The application of one person. */
struct shopping {
    struct rga list;
    struct shopping_config config;
};

void shopping_init(struct shopping *app, const struct shopping_config *config);
void shopping_done(struct shopping *app);

/* All three return what the others have to hear, to be freed with rga_message_free. What is not on
 * the list cannot be moved or dropped, nor moved behind its end: then they return NULL. */

/* Adds a thing at the end of the list. */
struct rga_message *shopping_add(struct shopping *app, const char *thing);
struct rga_message *shopping_drop(struct shopping *app, const char *thing);
/* Moves it so that it has this index, from 0, afterwards. */
struct rga_message *shopping_move(struct shopping *app, const char *thing, size_t to);

/* Takes in what another person has done. NULL: nothing. */
void shopping_hear(struct shopping *app, const struct rga_message *message);

size_t shopping_length(const struct shopping *app);

/* Writes the list as rga_print does. */
size_t shopping_print(const struct shopping *app, char *out, size_t size);

#endif
