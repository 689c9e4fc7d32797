/* edn_history.c - reads histories in EDN, as Jepsen and Knossos write them: one map for each event,
 * one after the other or in one vector. SPDX-License-Identifier: MIT
 */
#include "history/edn.h"
#include "history/history.h"

#include <inttypes.h>
#include <sennit/test.h>

/* The forms that matter of one event. */
struct members {
    const struct form *process;
    const struct form *type;
    const struct form *function;
    const struct form *value;
    const struct form *index;
    const struct form *result;
};

static int find_members(struct history *h, const struct form *map, struct members *m)
{
    const struct {
        const char *key;
        const struct form **to;
    } wanted[] = {
        {"process", &m->process}, {"type", &m->type},   {"f", &m->function},
        {"value", &m->value},     {"index", &m->index}, {"result", &m->result},
    };

    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        bool is_twice;

        *wanted[i].to = form_member(map, wanted[i].key, &is_twice);
        if (is_twice)
            return history_fail(h, map->line, "an event has :%s twice", wanted[i].key);
    }
    return 0;
}

/* Clients have numbers; the nemesis and others have names, or none. */
static int take_process(struct history *h, const struct form *map, const struct members *m,
                        bool *is_client, uint32_t *process)
{
    const struct form *form = form_untag(m->process);

    if (form == NULL)
        return history_fail(h, map->line, "an event has no :process");
    *is_client = form->type == FORM_INT;
    if (!*is_client)
        return 0;
    if (form->number < 0 || form->number >= UINT32_MAX)
        return history_fail(h, map->line, "there can be no process %" PRId64, form->number);
    *process = (uint32_t)form->number;
    return 0;
}

static bool is_name(const struct form *form)
{
    return form != NULL &&
           (form->type == FORM_KEYWORD || form->type == FORM_STRING || form->type == FORM_ATOM);
}

static int take_event(struct history *h, const struct form *map)
{
    struct history_event event = {.line = map->line};
    struct members m;
    bool is_client = false;
    char quoted[48];
    int rc = find_members(h, map, &m);

    if (rc == 0)
        rc = take_process(h, map, &m, &is_client, &event.process);
    if (rc < 0)
        return rc;
    if (m.index != NULL && m.index->type == FORM_INT) {
        rc = history_index(h, map->line, m.index->number);
        if (rc < 0)
            return rc;
    }
    if (!is_client)
        return 0;
    if (!is_name(m.type))
        return history_fail(h, map->line, "an event has no :type");
    event.type = history_type_of(m.type->text, m.type->n);
    if (event.type == 0)
        return history_fail(h, map->line, ":type is %s, but must be :invoke, :ok, :fail or :info",
                            history_quote(m.type->text, m.type->n, quoted));
    if (!is_name(m.function))
        return history_fail(h, map->line, "an event has no :f");
    event.function = m.function->text;
    event.n_function = m.function->n;
    event.value = m.value;
    event.result = m.result;
    return history_event(h, &event);
}

/* What was read by edn_next. *closing is what the vector around everything ends with; 0: none. */
static int take_form(struct history *h, int what, const struct form *form, int bracket,
                     int *closing)
{
    const struct form *map;

    if (what == EDN_OPENED) {
        *closing = bracket;
        return 0;
    }
    if (what == EDN_CLOSED) {
        if (*closing != bracket)
            return history_fail(h, h->source->line, "%c closes what was not opened", bracket);
        *closing = 0;
        return 0;
    }
    map = form_untag(form);
    if (map->type == FORM_MAP)
        return take_event(h, map);
    return history_fail(h, form->line, "an event must be a map: {:process 0, :type :invoke, ...}");
}

int history_read_edn(struct history *h)
{
    const struct form *form = NULL;
    struct edn edn;
    int closing = 0;
    int bracket = 0;
    int rc;

    edn_init(&edn, h->source, &h->scratch, h->why);
    edn.may_open = true;
    do {
        arena_clear(&h->scratch);
        rc = edn_next(&edn, &form, &bracket);
        if (rc <= EDN_END)
            break;
        if (rc == EDN_OPENED)
            edn.may_open = false;
        rc = take_form(h, rc, form, bracket, &closing);
    } while (rc == 0);
    edn_done(&edn);
    if (rc == EDN_END && closing != 0)
        return history_fail(h, h->source->line, "the file ends where %c is due", closing);
    return rc;
}
