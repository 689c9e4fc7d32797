/* server.h - as much of a Redis server as the test needs: one key, and the commands of scores.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef REDIS_CLIENT_SERVER_H
#define REDIS_CLIENT_SERVER_H

enum { SERVER_PORT = 6379 };

/* Serves for ever: a loop of poll, one command at a time, as Redis does. */
void server_run(void);

#endif
