/* forest.h - programs that are nothing but messages and what each of them causes, and races in them
 * of which it is known how likely each outcome is.
 *
 * Every message has at most one creator: the delivery that sent it. Messages that the test sends
 * itself have none. Links keep no order unless the forest says so. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_FOREST_H
#define STRATEGY_FOREST_H

#include <sennit/sennit.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    FOREST_MESSAGES_MAX = 1100,
    FOREST_PAIRS_MAX = 16,
    FOREST_RACES_MAX = 64,
    FOREST_NOBODY = -1
};
enum { FOREST_ORDERS_MAX = 1024 };

struct forest {
    bool keeps_order; /* what one actor, or the test, sends to another arrives as it was sent */
    int n_actors;
    int n; /* messages */
    struct {
        int creator;
        int actor;
        int until; /* what it creates comes before this message */
    } messages[FOREST_MESSAGES_MAX];
};

/* An outcome: each pair of messages is delivered in this order. */
struct race {
    struct forest forest;
    int n_pairs;
    struct {
        int before;
        int after;
    } pairs[FOREST_PAIRS_MAX];
};

/* A new actor. */
int forest_actor(struct forest *forest);

/* A new message, sent when its creator is delivered, after those that were added before. */
int forest_message(struct forest *forest, int creator, int actor);

/* n messages to actors of their own, each the creator of the next; returns the last one, or the
 * creator if n is 0. */
int forest_private_chain(struct forest *forest, int creator, int n);

/* The outcome has this order too. */
void race_order(struct race *race, int before, int after);

/* ---- The families of programs with known numbers -------------------------------------------- */

/* n messages to one actor; they arrive in one fixed order. */
void race_inbox(struct race *race, int n);

/* The first `marked` of n messages to one actor arrive in one fixed order. */
void race_order_of(struct race *race, int n, int marked);

/* A chain of k messages elsewhere, then A; B; m messages elsewhere. A comes before B. */
void race_chain(struct race *race, int k, int m);

/* The same with a chain whose messages race as well, each with one of k others. */
void race_racy_chain(struct race *race, int k, int m);

/* Adds m messages elsewhere. */
void race_add_noise(struct race *race, int m);

/* A chain of a messages elsewhere, A1, b elsewhere, A2; B. B falls between A1 and A2. */
void race_between(struct race *race, int a, int b);

/* Two chains of k messages to one actor. They alternate strictly. */
void race_alternation(struct race *race, int k);

/* Two tasks read a variable and then write it. Both read before any writes. */
void race_lost_update(struct race *race);

/* Two chains of p and q messages elsewhere, then A and B. A comes before B. */
void race_ends(struct race *race, int p, int q);

/* A chain of k messages elsewhere, then A; B1; B2. A comes before both. */
void race_crowd(struct race *race, int k);

/* The test sends k messages to an actor, over one link that keeps their order, and one elsewhere
 * that sends B to it. The last of the k comes before B. */
void race_queue(struct race *race, int k);

/* n requests to n workers, each of whom sends a reply to the collector, whose number is returned.
 */
int forest_gather(struct forest *forest, int n);

/* ---- Running -------------------------------------------------------------------------------- */

/* Makes the strategy known that starts the actors; once per program. */
void forest_register(void);

/* Runs the forest as the options say, from its beginning: starting the actors is part of it. */
int forest_run(const struct forest *forest, const struct sn_options *options,
               struct sn_result *result);

/* How many of n trials, always the same ones, have the outcome. The strategy decides from the point
 * on at which all actors have started. */
uint64_t race_hits(const struct race *race, const char *strategy, uint64_t n);

/* The same for each of several outcomes of one forest. */
void race_hits_each(const struct race *races, int n_races, const char *strategy, uint64_t n,
                    uint64_t *hits);

/* How often each order of messages came. */
struct forest_orders {
    int n;
    uint64_t codes[FOREST_ORDERS_MAX]; /* the messages, four bits each, the last one lowest */
    uint64_t counts[FOREST_ORDERS_MAX];
};

/* Counts the orders of the messages to an actor, or of all (FOREST_NOBODY), in n trials after the
 * first `skipped`. */
void forest_count_orders(const struct forest *forest, int actor, const char *strategy,
                         uint64_t skipped, uint64_t n, struct forest_orders *orders);

/* Whether such counts would be a wonder if each of `expected` orders had the same chance: by the
 * chi-square test, less likely than one in a million; or if there are more or less of them. */
bool orders_are_uneven(const struct forest_orders *orders, int expected);

/* Whether h hits of n would be a wonder if each had the chance p: less likely than one in a million
 * in either direction. */
bool chance_is_wrong(uint64_t hits, uint64_t n, double p);

/* Whether so few hits would be a wonder if the chance were at least p. */
bool chance_is_below(uint64_t hits, uint64_t n, double p);

#endif
