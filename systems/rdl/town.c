/* town.c - an application by which residents report what needs fixing in their town.
 *
 * SPDX-License-Identifier: MIT
 */
#include "town.h"

static void do_again(struct town *app, const struct or_set_message *message);
static bool have_all_finished(const struct town *app);

void town_init(struct town *app, const struct town_config *config)
{
    struct or_set_config problems = {.replica = config->resident};

    *app = (struct town){.config = *config};
    or_set_init(&app->problems, &problems);
}

void town_done(struct town *app)
{
    or_set_done(&app->problems);
}

struct or_set_message *town_report(struct town *app, const char *problem)
{
    return or_set_add(&app->problems, problem);
}

struct or_set_message *town_resolve(struct town *app, const char *problem)
{
    return or_set_remove(&app->problems, problem);
}

void town_hear(struct town *app, const struct or_set_message *message)
{
    if (message && app->config.hears_raw)
        do_again(app, message);
    else
        or_set_deliver(&app->problems, message);
}

struct or_set_message *town_finish(struct town *app)
{
    return or_set_make(&app->problems);
}

void town_hear_finish(struct town *app, const struct or_set_message *message)
{
    if (!message)
        return;
    or_set_apply(&app->problems, message);
    app->finished |= UINT32_C(1) << or_set_message_from(message);
}

const char *town_transmit(struct town *app)
{
    if (!app->config.transmits_alone && !have_all_finished(app))
        return NULL;
    (void)or_set_print(&app->problems, app->transmitted, sizeof(app->transmitted));
    return app->transmitted;
}

size_t town_print(const struct town *app, char *out, size_t size)
{
    return or_set_print(&app->problems, out, size);
}

static void do_again(struct town *app, const struct or_set_message *message)
{
    const char *problem = or_set_message_item(message);

    if (or_set_message_kind(message) == OR_SET_ADD)
        or_set_message_free(or_set_add(&app->problems, problem));
    else
        or_set_message_free(or_set_remove(&app->problems, problem));
}

static bool have_all_finished(const struct town *app)
{
    uint32_t all = (UINT32_C(1) << app->config.residents) - 1;

    return (app->finished | UINT32_C(1) << app->config.resident) == all;
}
