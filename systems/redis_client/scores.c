/* scores.c - see scores.h. SPDX-License-Identifier: MIT */
#include "scores.h"

#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 };

struct scores_bugs scores_bugs;

/* Of what is answered, which need not be the first: after a new connection there may be others. */
static void forget(struct scores *s, struct report *report)
{
    struct report *before = NULL;

    for (struct report *i = s->first; i != report; i = i->next)
        before = i;
    if (before != NULL)
        before->next = report->next;
    else
        s->first = report->next;
    if (s->last == report)
        s->last = before;
    free(report);
}

/* Without an answer the connection is gone: the report stays, to be sent again. */
static void on_reply(redisAsyncContext *context, void *reply, void *self)
{
    struct scores *s = context->data;
    struct report *report = self;

    if (reply == NULL && scores_bugs.free_twice)
        free(report);
    if (reply == NULL && !scores_bugs.ignore_errors)
        return;
    s->answered = report->score;
    forget(s, report);
}

/* Of hiredis's own accord the context is freed after either of these. */
static void on_connect(const redisAsyncContext *context, int status)
{
    (void)context;
    (void)status;
}

static void on_disconnect(const redisAsyncContext *context, int status)
{
    struct scores *s = context->data;

    (void)status;
    while (scores_bugs.drop_unanswered && s->first != NULL)
        forget(s, s->first);
}

static void send_report(struct scores *s, struct report *report)
{
    redisAsyncContext *context = s->loop.context;

    /* The server keeps the higher one: a report that comes late changes nothing. */
    if (scores_bugs.plain_set)
        (void)redisAsyncCommand(context, on_reply, report, "SET scores %u", report->score);
    else
        (void)redisAsyncCommand(context, on_reply, report, "ZADD scores GT %u me", report->score);
}

static void reconnect(struct scores *s)
{
    redisAsyncContext *context = redisAsyncConnect(s->address, s->port);

    if (context == NULL || context->err != 0) {
        if (context != NULL)
            redisAsyncFree(context);
        (void)usleep(100000);
        return;
    }
    context->data = s;
    loop_attach(&s->loop, context);
    (void)redisAsyncSetConnectCallback(context, on_connect);
    (void)redisAsyncSetDisconnectCallback(context, on_disconnect);
    for (struct report *i = s->first; i != NULL; i = i->next)
        send_report(s, i);
}

void scores_init(struct scores *s, const char *address, int port)
{
    *s = (struct scores){.address = address, .port = port};
}

void scores_report(struct scores *s, unsigned int score)
{
    struct report *report = malloc(sizeof(*report));

    if (report == NULL)
        abort();
    *report = (struct report){.score = score};
    if (s->first == NULL)
        s->first = report;
    else
        s->last->next = report;
    s->last = report;
    if (s->loop.context != NULL)
        send_report(s, report);
}

void scores_run(struct scores *s)
{
    while (s->first != NULL) {
        if (s->loop.context == NULL)
            reconnect(s);
        else
            loop_turn(&s->loop, PATIENCE_MS);
    }
    if (s->loop.context != NULL)
        redisAsyncFree(s->loop.context);
}
