/* plain.c - see plain.h. SPDX-License-Identifier: MIT */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

/* ---- Events --------------------------------------------------------------------------------- */

static bool is_rule(const struct plain *plain, const char *name)
{
    return strcmp(plain->rules, name) == 0;
}

static bool rests(const struct plain *plain, const struct plain_file *file, uint32_t node,
                  uint32_t value)
{
    if (is_rule(plain, "skip") && file->is_dirty[node] && file->is_stale[node] &&
        file->local[node] != file->server)
        return value == file->local[node];
    if (file->is_dirty[node] && plain->mutant != PLAIN_REST_WHILE_DIRTY)
        return false;
    if (file->is_stale[node] && plain->mutant != PLAIN_REST_WHILE_STALE)
        return false;
    return value == file->server;
}

bool plain_observe(const struct plain *plain, struct plain_state *state,
                   const struct sn_sync_event *event, uint32_t now)
{
    struct plain_file *file = &state->files[event->file];

    if (event->kind == SN_SYNC_READ)
        return file->local[event->node] == event->value;
    if (event->kind == SN_SYNC_WRITE) {
        if (file->local[event->node] != event->old && plain->mutant != PLAIN_OLD_UNSEEN)
            return false;
        file->local[event->node] = event->value;
        file->time[event->node] = now;
        file->is_dirty[event->node] = plain->mutant != PLAIN_WRITE_CLEAN;
        return true;
    }
    for (uint32_t node = 0; node < plain->n_nodes; node++) {
        if (!rests(plain, file, node, event->seen[node].value))
            return false;
        if (event->seen[node].conflicts != file->conflicts &&
            plain->mutant != PLAIN_CONFLICTS_UNSEEN)
            return false;
    }
    return true;
}

static void publish(const struct plain *plain, struct plain_file *file, uint32_t node)
{
    for (uint32_t other = 0; other < plain->n_nodes; other++)
        if (other != node && plain->mutant != PLAIN_OTHERS_FRESH)
            file->is_stale[other] = true;
    file->server = file->local[node];
    file->server_time = file->time[node];
}

static void add_conflict(const struct plain *plain, struct plain_file *file, uint32_t value)
{
    if (plain->mutant != PLAIN_NO_CONFLICTS)
        file->conflicts |= UINT64_C(1) << value;
}

/* The paper's three versions and the one that is right, as they are written there. */
static void up_by_paper(const struct plain *plain, struct plain_file *file, uint32_t node)
{
    bool is_fresh = !file->is_stale[node];
    uint32_t local = file->local[node];
    bool is_forgotten = local == 0 && plain->mutant != PLAIN_DELETION_CONFLICT;

    if (is_rule(plain, "v1")) {
        if (is_fresh)
            publish(plain, file, node);
        else
            add_conflict(plain, file, local);
    } else if (is_rule(plain, "v2")) {
        if (is_fresh && local != file->server)
            publish(plain, file, node);
        else if (!is_fresh && local != file->server)
            add_conflict(plain, file, local);
    } else if (is_rule(plain, "final")) {
        if (is_fresh && local != file->server)
            publish(plain, file, node);
        else if (!is_fresh && local != file->server && !is_forgotten)
            add_conflict(plain, file, local);
    } else if (is_fresh || file->server == 0) {
        if (local != file->server)
            publish(plain, file, node);
        file->is_stale[node] = false;
    } else if (local != file->server && !is_forgotten) {
        add_conflict(plain, file, local);
    }
}

/* Whether what a node uploads late replaces what the server has. */
static bool wins_by_others(const struct plain *plain, const struct plain_file *file, uint32_t node,
                           bool wins)
{
    if (is_rule(plain, "last"))
        return true;
    if (file->local[node] == 0)
        return false;
    if (is_rule(plain, "newest") || is_rule(plain, "newest-kept"))
        return file->time[node] > file->server_time;
    return is_rule(plain, "either") && wins;
}

static bool up_by_others(const struct plain *plain, struct plain_file *file, uint32_t node,
                         bool wins)
{
    bool is_kept = is_rule(plain, "newest-kept");
    bool is_late = file->is_stale[node];
    bool is_deletion_over = file->server == 0 && !is_rule(plain, "skip") && !is_rule(plain, "last");

    if (is_late && !is_deletion_over && file->local[node] != file->server) {
        if (is_rule(plain, "skip"))
            return false;
        if (!wins_by_others(plain, file, node, wins)) {
            if (is_kept && file->local[node] != 0)
                add_conflict(plain, file, file->local[node]);
            return true;
        }
        if (is_kept)
            add_conflict(plain, file, file->server);
        publish(plain, file, node);
        file->is_stale[node] = false;
        return true;
    }
    if (!is_late || is_deletion_over) {
        if (file->local[node] != file->server)
            publish(plain, file, node);
        file->is_stale[node] = false;
    }
    return true;
}

bool plain_up(const struct plain *plain, struct plain_file *file, uint32_t node, bool wins)
{
    bool is_of_paper = is_rule(plain, "v1") || is_rule(plain, "v2") || is_rule(plain, "final") ||
                       is_rule(plain, "fixed");

    if (!file->is_dirty[node])
        return false;
    if (plain->mutant == PLAIN_LATE_WINS)
        file->is_stale[node] = false;
    if (!is_of_paper) {
        if (!up_by_others(plain, file, node, wins))
            return false;
    } else {
        up_by_paper(plain, file, node);
    }
    file->is_dirty[node] = false;
    return true;
}

bool plain_down(const struct plain *plain, struct plain_file *file, uint32_t node)
{
    if (!file->is_stale[node])
        return false;
    if (file->is_dirty[node] && plain->mutant != PLAIN_DOWN_OVER_DIRTY)
        return false;
    file->local[node] = file->server;
    file->time[node] = file->server_time;
    file->is_stale[node] = false;
    file->is_dirty[node] = false;
    return true;
}

/* ---- Search --------------------------------------------------------------------------------- */

/* A way to get somewhere: how many hidden events before each observed one. */
struct way {
    uint32_t hidden;
    uint32_t before[PLAIN_EVENTS_MAX + 1];
};

struct place {
    struct place *next;
    struct plain_state state;
    struct way way; /* the best that was found */
};

struct search {
    const struct plain *plain;
    const struct sn_sync_event *events;
    size_t n;
    struct place *places[PLAIN_EVENTS_MAX + 1]; /* by how many events were explained */
    struct way best[PLAIN_EVENTS_MAX + 1];
    bool is_reached[PLAIN_EVENTS_MAX + 1];
};

/* Fewer hidden events, then more of them before the last event, and so on. */
static bool is_better(const struct way *a, const struct way *b, size_t done)
{
    if (a->hidden != b->hidden)
        return a->hidden < b->hidden;
    for (size_t i = done + 1; i-- > 0;)
        if (a->before[i] != b->before[i])
            return a->before[i] > b->before[i];
    return false;
}

/* Whether nobody was here in a way that is as good. */
static bool enter(struct search *search, size_t done, const struct plain_state *state,
                  const struct way *way)
{
    struct place *place = search->places[done];

    while (place != NULL && memcmp(&place->state, state, sizeof(*state)) != 0)
        place = place->next;
    if (place != NULL && !is_better(way, &place->way, done))
        return false;
    if (place == NULL) {
        place = calloc(1, sizeof(*place));
        place->state = *state;
        place->next = search->places[done];
        search->places[done] = place;
    }
    place->way = *way;
    return true;
}

static void visit(struct search *search, size_t done, const struct plain_state *state,
                  struct way way);

static void visit_hidden(struct search *search, size_t done, const struct plain_state *state,
                         struct way way)
{
    const struct plain *plain = search->plain;

    way.hidden++;
    way.before[done]++;
    for (uint32_t file = 0; file < plain->n_files; file++)
        for (uint32_t node = 0; node < plain->n_nodes; node++) {
            struct plain_state next = *state;

            if (plain_up(plain, &next.files[file], node, false))
                visit(search, done, &next, way);
            next = *state;
            if (plain_up(plain, &next.files[file], node, true))
                visit(search, done, &next, way);
            next = *state;
            if (plain_down(plain, &next.files[file], node))
                visit(search, done, &next, way);
        }
}

static void visit(struct search *search, size_t done, const struct plain_state *state,
                  struct way way)
{
    struct plain_state next = *state;

    if (!enter(search, done, state, &way))
        return;
    if (way.before[done] == 0 &&
        (!search->is_reached[done] || is_better(&way, &search->best[done], done))) {
        search->best[done] = way;
        search->is_reached[done] = true;
    }
    if (done == search->n)
        return;
    if (plain_observe(search->plain, &next, &search->events[done], (uint32_t)done + 1))
        visit(search, done + 1, &next, way);
    visit_hidden(search, done, state, way);
}

struct plain_answer plain_search(const struct plain *plain, const struct sn_sync_event *events,
                                 size_t n)
{
    struct search search = {.plain = plain, .events = events, .n = n};
    struct plain_state first;
    struct plain_answer answer = {0};

    memset(&first, 0, sizeof(first));
    visit(&search, 0, &first, (struct way){0});
    while (answer.explained < n && search.is_reached[answer.explained + 1])
        answer.explained++;
    answer.is_explained = answer.explained == n;
    answer.hidden = search.best[answer.explained].hidden;
    memcpy(answer.before, search.best[answer.explained].before, sizeof(answer.before));
    for (size_t i = 0; i <= n; i++)
        while (search.places[i] != NULL) {
            struct place *place = search.places[i];

            search.places[i] = place->next;
            free(place);
        }
    return answer;
}
