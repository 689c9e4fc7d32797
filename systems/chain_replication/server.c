/* server.c - a server of a replicated object, by chain replication. SPDX-License-Identifier: MIT */
#include "server.h"

static uint32_t place_in(const struct server *s, const struct chain *chain);
static void enter_chain(struct server *s, const struct chain *chain);
static bool is_head(const struct server *s);
static bool is_tail(const struct server *s);
static void serve_as_tail(struct server *s);
static void on_status(struct server *s, const struct chain_note *status);
static void on_forward(struct server *s, const struct chain_note *forward);
static void on_caught_up(struct server *s, const struct chain_note *caught_up);
static void on_update(struct server *s, const struct chain_update *update);
static void on_query(struct server *s, const struct chain_update *query);
static bool has_lease(const struct server *s);
static uint32_t find_update(const struct server *s, const struct chain_update *update);
static bool append(struct server *s, const struct chain_update *update);
static void set_stable(struct server *s, uint32_t stable);
static void forward_entry(struct server *s, uint32_t sequence);
static void reply_update(struct server *s, uint32_t sequence);

void server_init(struct server *s, const struct server_config *config, const struct chain *chain,
                 const struct server_io *io, void *io_self)
{
    *s = (struct server){.config = *config, .io = io, .io_self = io_self};
    s->up.send = s->down.send = io->send_segment;
    s->up.io_self = s->down.io_self = io_self;
    if (chain != NULL) {
        s->is_synced = true;
        enter_chain(s, chain);
    }
}

void server_on_state(struct server *s, const struct chain_state *state)
{
    const struct chain *chain = &state->chain;
    bool is_member = place_in(s, chain) < chain->count;
    uint32_t lease_until_ms = state->time_ms + s->config.lease_ms;

    if (state->boot != s->config.boot || chain->epoch < s->chain.epoch)
        return;
    if (!is_member && s->chain.epoch > 0) {
        s->io->start_again(s->io_self);
        return;
    }
    if (is_member && chain->epoch > s->chain.epoch)
        enter_chain(s, chain);
    if (is_member && state->time_ms > 0 && lease_until_ms > s->lease_until_ms)
        s->lease_until_ms = lease_until_ms;
}

void server_on_segment(struct server *s, const struct chain_segment *segment)
{
    const struct chain_note *note = &segment->note;

    if (link_on_segment(&s->down, segment)) {
        if (note->kind == CHAIN_STATUS)
            on_status(s, note);
        else if (note->kind == CHAIN_ACK)
            set_stable(s, note->sequence);
    } else if (link_on_segment(&s->up, segment)) {
        if (note->kind == CHAIN_FORWARD)
            on_forward(s, note);
        else if (note->kind == CHAIN_CAUGHT_UP)
            on_caught_up(s, note);
    }
}

void server_on_request(struct server *s, const struct chain_request *request)
{
    bool is_reader = is_tail(s) || s->config.answer_as_old_tail;

    if (request->kind == CHAIN_UPDATE && is_head(s))
        on_update(s, &request->update);
    else if (request->kind == CHAIN_QUERY && is_reader)
        on_query(s, &request->update);
}

void server_on_tick(struct server *s)
{
    struct chain_heartbeat heartbeat = {
        .server = s->config.server,
        .boot = s->config.boot,
        .is_synced = s->is_synced,
        .time_ms = s->io->now_ms(s->io_self),
    };

    s->io->send_heartbeat(s->io_self, &heartbeat);
    link_on_tick(&s->up);
    link_on_tick(&s->down);
}

/* Its index in a chain; chain->count: this life of the server is no member. */
static uint32_t place_in(const struct server *s, const struct chain *chain)
{
    uint32_t place = 0;

    while (place < chain->count &&
           (chain->servers[place] != s->config.server || chain->boots[place] != s->config.boot))
        place++;
    return place;
}

/* A new epoch: what was under way on the old links is lost. The successor speaks first. */
static void enter_chain(struct server *s, const struct chain *chain)
{
    uint32_t place = place_in(s, chain);
    uint32_t successor = place + 1 < chain->count ? chain->servers[place + 1] : 0;
    struct chain_note status = {
        .kind = CHAIN_STATUS,
        .sequence = s->count,
        .stable = s->stable,
    };

    s->is_down_new = successor != s->down.peer;
    if (place == 0 && !is_head(s))
        s->head_since = s->count;
    s->chain = *chain;
    s->is_down_ready = false;
    link_close(&s->up);
    link_close(&s->down);
    if (successor != 0)
        link_open(&s->down, s->config.server, successor, chain->epoch);
    if (place > 0) {
        link_open(&s->up, s->config.server, chain->servers[place - 1], chain->epoch);
        (void)link_send(&s->up, &status);
    }
    if (is_tail(s) && s->is_synced)
        serve_as_tail(s);
}

static bool is_head(const struct server *s)
{
    return s->chain.epoch > 0 && s->up.peer == 0;
}

static bool is_tail(const struct server *s)
{
    return s->chain.epoch > 0 && s->down.peer == 0;
}

/* The server is the tail from now on: all that it has is committed. */
static void serve_as_tail(struct server *s)
{
    uint32_t first = s->stable + 1;

    if (s->config.skip_ack)
        s->stable = s->count;
    set_stable(s, s->count);
    for (uint32_t sequence = first; sequence <= s->count; sequence++)
        reply_update(s, sequence);
}

/* The successor in this epoch is there. It gets all that it lacks, in order, before anything new.
 */
static void on_status(struct server *s, const struct chain_note *status)
{
    struct chain_note caught_up = {.kind = CHAIN_CAUGHT_UP, .stable = s->stable};
    uint32_t has = status->sequence;

    if (s->config.skip_resend && s->is_down_new && has > 0)
        has = s->count;
    for (uint32_t sequence = has + 1; sequence <= s->count; sequence++)
        forward_entry(s, sequence);
    (void)link_send(&s->down, &caught_up);
    s->is_down_ready = true;
    set_stable(s, status->stable);
}

/* Links keep the order, so this is the next one. */
static void on_forward(struct server *s, const struct chain_note *forward)
{
    if (append(s, &forward->update) && is_tail(s) && s->is_synced) {
        set_stable(s, s->count);
        reply_update(s, s->count);
    }
}

static void on_caught_up(struct server *s, const struct chain_note *caught_up)
{
    if (s->is_synced)
        return;
    s->is_synced = true;
    s->stable = caught_up->stable; /* answered long ago */
    serve_as_tail(s);
}

/* From a client, at the head. One that is there already is on its way to the tail, which will
 * answer, or has been there, and the answer was lost. */
static void on_update(struct server *s, const struct chain_update *update)
{
    uint32_t sequence = find_update(s, update);

    if (sequence > 0) {
        if (sequence <= s->stable)
            reply_update(s, sequence);
        return;
    }
    if (append(s, update) && is_tail(s)) {
        set_stable(s, s->count);
        reply_update(s, s->count);
    }
}

static void on_query(struct server *s, const struct chain_update *query)
{
    struct chain_reply reply = {
        .kind = CHAIN_QUERY,
        .request = query->request,
        .sequence = s->count,
    };

    if (!s->is_synced || (!has_lease(s) && !s->config.ignore_lease))
        return;
    if (s->count > 0)
        reply.value = s->history[s->count - 1].value;
    s->io->reply(s->io_self, query->client, &reply);
}

static bool has_lease(const struct server *s)
{
    return s->io->now_ms(s->io_self) < s->lease_until_ms;
}

/* The sequence number of an update; 0: it is not in the history. */
static uint32_t find_update(const struct server *s, const struct chain_update *update)
{
    uint32_t first = 0;

    if (s->config.forget_earlier_heads && s->head_since > 0)
        first = s->head_since - 1;
    for (uint32_t i = first; i < s->count; i++) {
        const struct chain_update *known = &s->history[i];

        if (known->client == update->client && known->request == update->request)
            return i + 1;
    }
    return 0;
}

/* Adds an update to the history, and sends it on. */
static bool append(struct server *s, const struct chain_update *update)
{
    if (s->count == CHAIN_UPDATES_MAX)
        return false;
    s->history[s->count++] = *update;
    if (s->is_down_ready)
        forward_entry(s, s->count);
    return true;
}

static void set_stable(struct server *s, uint32_t stable)
{
    struct chain_note ack = {.kind = CHAIN_ACK, .sequence = stable};

    if (stable <= s->stable)
        return;
    s->stable = stable;
    if (s->up.peer != 0)
        (void)link_send(&s->up, &ack);
}

static void forward_entry(struct server *s, uint32_t sequence)
{
    struct chain_note forward = {
        .kind = CHAIN_FORWARD,
        .sequence = sequence,
        .update = s->history[sequence - 1],
    };

    (void)link_send(&s->down, &forward);
}

static void reply_update(struct server *s, uint32_t sequence)
{
    const struct chain_update *update = &s->history[sequence - 1];
    struct chain_reply reply = {
        .kind = CHAIN_UPDATE,
        .request = update->request,
        .sequence = sequence,
        .value = update->value,
    };

    s->io->reply(s->io_self, update->client, &reply);
}
