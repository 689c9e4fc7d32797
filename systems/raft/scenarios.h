/* scenarios.h - who takes part in a trial: run functions for the table of tests.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RAFT_SCENARIOS_H
#define RAFT_SCENARIOS_H

/* Five servers and one client that writes. */
void scenario_election(void);

/* Two clients that write; messages have one entry each, so that logs grow alike only slowly. */
void scenario_replication(void);

/* Three servers, of which the loss of one entry can make a difference. */
void scenario_trio(void);

/* A snapshot every three entries. */
void scenario_snapshot(void);

/* Four members, a fifth server, and two operators who add and remove servers. The number is even on
 * purpose: only then can majorities of two changes miss each other, see membership.c. */
void scenario_membership(void);

/* Two clients that write and read one register. */
void scenario_reads(void);

/* Writes, reads, changes of members and snapshots. */
void scenario_all(void);

/* A few commands and reads, each of which must be answered in the end. */
void scenario_commands(void);

#endif
