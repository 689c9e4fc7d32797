/* scores.h - the component under test: reports scores to a Redis server, and connects anew whenever
 * the connection is lost.
 *
 * Each report is sent until it is answered, so the server may see it twice, and late: over a
 * connection that the client has given up long ago. SPDX-License-Identifier: MIT
 */
#ifndef REDIS_CLIENT_SCORES_H
#define REDIS_CLIENT_SCORES_H

#include "loop.h"

#include <stdbool.h>

/* Mistakes that users of hiredis make; off. */
struct scores_bugs {
    bool drop_unanswered;
    bool free_twice;
    bool ignore_errors;
    bool plain_set;
};

extern struct scores_bugs scores_bugs;

struct report {
    struct report *next;
    unsigned int score;
};

struct scores {
    const char *address;
    int port;
    struct loop loop;
    struct report *first; /* that are not answered, in order */
    struct report *last;
    unsigned int answered; /* the highest score that was */
};

void scores_init(struct scores *s, const char *address, int port);

/* Queues a report; scores of one client only rise. */
void scores_report(struct scores *s, unsigned int score);

/* Returns when all reports are answered. */
void scores_run(struct scores *s);

#endif
