/* scenarios.h - who takes part in the tests. SPDX-License-Identifier: MIT */
#ifndef LIBRAFT_SCENARIOS_H
#define LIBRAFT_SCENARIOS_H

void scenario_trio(void);               /* three servers, two clients */
void scenario_quintet(void);            /* five servers, two clients */
void scenario_late_sends(void);         /* that a message has left is reported later */
void scenario_pre_vote(void);           /* with pre-votes */
void scenario_impatient(void);          /* clocks that run as they please */
void scenario_snapshots(void);          /* a snapshot every few entries */
void scenario_async_snapshots(void);    /* of which a part is asynchronous */
void scenario_diverged(void);           /* logs of five differ from the start */
void scenario_transfer(void);           /* an operator transfers leadership */
void scenario_membership(void);         /* operators change the members, three of five at first */
void scenario_changing_snapshots(void); /* the same, with snapshots */
void scenario_coming_and_going(void);   /* two servers come and go, with snapshots */
void scenario_closing(void);            /* an operator closes servers, which come back */
void scenario_all(void);                /* all of it */

#endif
