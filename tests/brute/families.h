/* families.h - programs whose schedules and traces can be counted by hand.
 *
 * Each has a set-up in which one operation at a time can run, so that it adds nothing to the counts
 * unless the comment says so. SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_FAMILIES_H
#define BRUTE_FAMILIES_H

#include "program.h"

/* senders * each messages to one machine, in order from each sender. Schedules and traces:
 * (senders * each)! / each! ^ senders. With each == 1: all permutations. */
void family_fifo(struct program *program, int senders, int each);

/* n timers of one machine, each of which may fire at any moment: n! of both. n <= 4. */
void family_timers(struct program *program, int n);

/* n workers get one request each and reply to one machine: (2n)! / 2^n schedules, n! traces. */
void family_gather(struct program *program, int n);

/* Chains of `length` steps, each on a machine of its own: (chains * length)! / length! ^ chains
 * schedules, 1 trace. chains <= 4. */
void family_pairs(struct program *program, int chains, int length);

/* A chain of k steps on machines of their own, then A; B; m steps on machines of their own; A and B
 * meet at one machine: (k + m + 2)! / (k + 1)! schedules, 2 traces. k + m <= 4. */
void family_chain(struct program *program, int k, int m);

/* A chain of a steps elsewhere, A1, b steps elsewhere, A2; and B; A1, A2 and B meet at one machine:
 * a + b + 3 schedules, 3 traces. a + b <= 4. */
void family_between(struct program *program, int a, int b);

/* Two chains of p and q steps elsewhere, then A and B, which meet: C(p + q + 2, p + 1) schedules, 2
 * traces. p + q <= 5. */
void family_ends(struct program *program, int p, int q);

/* A chain of k steps elsewhere, then A; B1; B2; these meet: (k + 3)! / (k + 1)! schedules, 6
 * traces. */
void family_crowd(struct program *program, int k);

/* Two chains of k timers of one machine: C(2k, k) of both. */
void family_alternation(struct program *program, int k);

/* `senders` machines send one message to each of `receivers`. What precedes has receivers! orders,
 * and the receivers open one by one: receivers! * senders!^receivers *
 * ((senders + 1) receivers)! / (senders + 1)!^receivers schedules, senders!^receivers traces. */
void family_broadcast(struct program *program, int senders, int receivers);

/* n clients, each with a server of its own, whose reply cancels a timer that may fire any moment:
 * 2^n traces. */
void family_timer_reply(struct program *program, int n);

/* The same with one server for all: n! 2^n traces. */
void family_timer_reply_shared(struct program *program, int n);

/* ---- Programs that once were handled wrongly ------------------------------------------------- */

/* A state that could defer something is entered again while messages wait and a timer runs. */
void known_deferring_state_entered_again(struct program *program);

/* A machine whose state could defer something has a timer of each kind. */
void known_timers_of_a_deferring_state(struct program *program);

/* A step sends to a machine that may have halted, and then announces something else. */
void known_send_to_halted_then_more(struct program *program);

#endif
