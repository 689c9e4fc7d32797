/* main.c - hiredis, as Debian has it, under control: a client that reports scores, on a network
 * that resets connections.
 *
 * Client and server are ordinary programs of poll, connect and read; here each is a process on a
 * node of its own. The functions below are all that is written for Sennit.
 * SPDX-License-Identifier: MIT
 */
#include "scores.h"
#include "server.h"

#include <sennit/sennit.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static const struct sn_field server_fields[] = {
    {.name = "server", .type = SN_UINT, .size = sizeof(sn_node)}, {0}};
static const struct sn_event birth = {
    .name = "Birth", .size = sizeof(sn_node), .fields = server_fields};

static void serve(const void *payload)
{
    (void)payload;
    server_run();
}

/* What the server has in the end, asked over a connection of its own that blocks. */
static unsigned int ask(const char *address)
{
    for (;;) {
        redisContext *context = redisConnect(address, SERVER_PORT);
        redisReply *reply =
            context != NULL && context->err == 0 ? redisCommand(context, "GET scores") : NULL;
        unsigned int score = reply != NULL ? (unsigned int)strtoul(reply->str, NULL, 10) : 0;
        bool is_answered = reply != NULL;

        freeReplyObject(reply);
        if (context != NULL)
            redisFree(context);
        if (is_answered)
            return score;
        (void)sleep(1);
    }
}

static void report(const void *payload)
{
    const char *address = sn_node_address(*(const sn_node *)payload);
    unsigned int score;
    struct scores s;

    (void)usleep(100000); /* the server listens */
    scores_init(&s, address, SERVER_PORT);
    for (score = 1; score <= 3; score++)
        scores_report(&s, score);
    scores_run(&s);
    sn_assertf(s.answered == 3, "the last report that was answered is %u", s.answered);
    (void)sleep(60); /* nothing is under way any more */
    score = ask(address);
    sn_assertf(score == 3, "3 was reported and answered, but the server has %u", score);
}

static const struct sn_process server = {.name = "Redis", .run = serve, .may_wait = true};
static const struct sn_process client = {
    .name = "Client", .run = report, .birth = &birth, .stack_size = 256 << 10};

static void run(void)
{
    sn_node node = sn_node_new("redis");

    (void)sn_spawn_on(node, &server, NULL);
    (void)sn_spawn_on(sn_node_new("client"), &client, &node);
}

/* hiredis leaves this to the program. */
static void prepare(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
}

static const struct sn_faults weather = {
    .resets = 2, .short_transfers = 2, .delays = 2, .horizon = 40};
static const struct sn_test tests[] = {
    {.name = "scores", .about = "reports survive resets", .run = run, .faults = &weather}, {0}};
static const struct sn_bug bugs[] = {
    {.name = "drop-unanswered",
     .about = "what was sent but not answered is forgotten with the connection",
     .flag = &scores_bugs.drop_unanswered},
    {.name = "free-twice",
     .about = "a report is freed when its connection is lost, and again when it is answered",
     .flag = &scores_bugs.free_twice},
    {.name = "ignore-errors",
     .about = "the callback takes a missing reply for an answer",
     .flag = &scores_bugs.ignore_errors},
    {.name = "plain-set",
     .about = "a report that comes late, over a lost connection, overwrites a newer one",
     .flag = &scores_bugs.plain_set},
    {0}};
static const struct sn_suite suite = {
    .name = "redis_client", .tests = tests, .bugs = bugs, .prepare = prepare};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
