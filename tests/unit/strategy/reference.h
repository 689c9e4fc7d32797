/* reference.h - strategies written down plainly, and wrong ones, to test the tests with.
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_REFERENCE_H
#define STRATEGY_REFERENCE_H

/* Registers:
 *
 *   plain_pos             partial order sampling, without any care for timers
 *   plain_pct:D:N:FROM    chains of messages in random order, d - 1 changes within N steps; FROM is
 *                         the number of steps before
 *
 * and these, each of which is wrong in one thing:
 *
 *   pos_redrawn           every operation gets a new rank at each step
 *   pos_biased            every second operation of a step has a better rank
 *   pct_raised:D:N:FROM   what a change puts last comes first instead
 *   pct_joined:D:N:FROM   all messages of a step continue its chain, not only the first
 *   task_first            a random task, then a random operation of it: not the random walk
 */
void reference_register(void);

#endif
