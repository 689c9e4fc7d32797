/* detector.c - which nodes of a group are alive, as far as one of them can tell.
 *
 * Rounds are numbered upwards from incarnation times 2^16. So an answer to an earlier life of this
 * node is never taken for one to this life.
 *
 * SPDX-License-Identifier: MIT
 */
#include "detector.h"

enum { ROUND_BITS = 16 };

static void begin_round(struct fd_detector *d);
static void end_round(struct fd_detector *d);
static void on_pong(struct fd_detector *d, const struct fd_message *pong);
static void miss(struct fd_detector *d, uint32_t node);
static bool have_all_answered(const struct fd_detector *d);

void fd_init(struct fd_detector *d, const struct fd_config *config, const struct fd_io *io,
             void *io_self)
{
    *d = (struct fd_detector){
        .config = *config,
        .io = io,
        .io_self = io_self,
        .round = config->incarnation << ROUND_BITS,
        .timeout_ms = config->timeout_ms,
    };
    begin_round(d);
}

void fd_on_message(struct fd_detector *d, const struct fd_message *message)
{
    struct fd_message pong = {
        .kind = FD_PONG,
        .from = d->config.node,
        .incarnation = d->config.incarnation,
        .round = message->round,
    };

    if (message->from == 0 || message->from > d->config.node_count)
        return;
    if (message->kind == FD_PING)
        d->io->send(d->io_self, message->from, &pong);
    else if (message->kind == FD_PONG)
        on_pong(d, message);
}

void fd_on_timer(struct fd_detector *d, enum fd_timer timer)
{
    if (timer == FD_TIMER_PAUSE) {
        begin_round(d);
        return;
    }
    if (!d->is_asking)
        return;
    for (uint32_t node = 1; node <= d->config.node_count; node++) {
        if (node != d->config.node && !d->peers[node].has_answered)
            miss(d, node);
    }
    end_round(d);
}

/* Suspected nodes are asked too: they may be back. */
static void begin_round(struct fd_detector *d)
{
    struct fd_message ping = {
        .kind = FD_PING,
        .from = d->config.node,
        .incarnation = d->config.incarnation,
        .round = ++d->round,
    };

    d->is_asking = true;
    for (uint32_t node = 1; node <= d->config.node_count; node++) {
        d->peers[node].has_answered = false;
        if (node != d->config.node)
            d->io->send(d->io_self, node, &ping);
    }
    d->io->start_timer(d->io_self, FD_TIMER_ANSWERS, d->timeout_ms);
}

static void end_round(struct fd_detector *d)
{
    d->is_asking = false;
    d->io->start_timer(d->io_self, FD_TIMER_PAUSE, d->config.pause_ms);
}

static void on_pong(struct fd_detector *d, const struct fd_message *pong)
{
    struct fd_peer *peer = &d->peers[pong->from];
    bool is_late;
    bool is_news;

    if (pong->incarnation < peer->incarnation)
        return; /* from the grave */
    is_late = pong->round != d->round && !d->config.accept_late_answers;
    if (is_late || !d->is_asking) {
        if (peer->misses > 0)
            d->timeout_ms += d->config.timeout_ms;
        return;
    }
    is_news = peer->is_suspected || peer->incarnation != pong->incarnation;
    *peer = (struct fd_peer){.incarnation = pong->incarnation, .has_answered = true};
    if (is_news)
        d->io->trust(d->io_self, pong->from, pong->incarnation);
    if (have_all_answered(d)) {
        if (!d->config.keep_timer)
            d->io->cancel_timer(d->io_self, FD_TIMER_ANSWERS);
        end_round(d);
    }
}

static void miss(struct fd_detector *d, uint32_t node)
{
    struct fd_peer *peer = &d->peers[node];

    peer->misses++;
    if (peer->misses < d->config.misses_limit || peer->is_suspected)
        return;
    peer->is_suspected = true;
    d->io->suspect(d->io_self, node);
}

static bool have_all_answered(const struct fd_detector *d)
{
    for (uint32_t node = 1; node <= d->config.node_count; node++) {
        if (node != d->config.node && !d->peers[node].has_answered)
            return false;
    }
    return true;
}
