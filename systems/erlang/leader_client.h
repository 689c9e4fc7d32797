/* leader_client.h - what the tests of the registry have in common: nodes start, and are asked.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ERLANG_LEADER_CLIENT_H
#define ERLANG_LEADER_CLIENT_H

#include "leader.h"

/* Starts all nodes, with noise beside them, and returns when each has begun its first election. Of
 * the birth everything counts but the node and who starts it. The processes are put into nodes[],
 * by number. */
void leader_client_start(struct leader_birth birth, sn_id nodes[NODES + 1]);

/* Asks a node, and waits for the answer. */
struct answer leader_client_ask(uint32_t node, enum request_kind kind, uint32_t name);

/* Looks a name up on each of a set of nodes, several times if need be, after getting them in step.
 * Returns the first node where it is there, or not there, against what is expected; 0: none. */
uint32_t leader_client_look(uint32_t nodes, uint32_t name, bool is_expected);

#endif
