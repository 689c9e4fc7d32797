/* anew.h - this program, started anew in a child. SPDX-License-Identifier: MIT */
#ifndef API_ANEW_H
#define API_ANEW_H

#include <sys/types.h>

/* In a child of `parent`, with whom it ends: becomes the program, which reads nothing and says
 * nothing. Descriptors that are not closed on exec stay. */
_Noreturn void anew_become(const char *program, char *const *argv, char *const *environment,
                           pid_t parent);

/* A descriptor that the program has, too. */
void anew_keep(int fd);

#endif
