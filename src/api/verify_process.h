/* verify_process.h - a process of this very program that runs logs: started here, asked here.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_VERIFY_PROCESS_H
#define API_VERIFY_PROCESS_H

#include "api/identity.h"
#include "api/witness.h"
#include "base/arena.h"

#include <sys/types.h>

#define VERIFY_VARIABLE "SENNIT_VERIFIER"

/* What may differ from process to process. */
struct verify_setting {
    bool is_fixed;     /* addresses are not randomised by the kernel */
    uint64_t shift;    /* of the world */
    unsigned fill;     /* of new blocks and of the stack, a byte */
    uint64_t clock_ns; /* when the real clock starts */
};

/* What all of them share. */
struct verify_common {
    struct witness_board *board;
    int board_fd;
    char **argv;
    char **environment; /* with free places at the end, and what this process has before them */
    size_t n_environment;
    struct identity identity;
    struct arena arena; /* of the environment */
};

struct verify_process {
    pid_t pid; /* 0: none */
    int fd;    /* a socket to it */
};

/* Makes the board. 0, or SN_E* with a sentence. */
int verify_common_init(struct verify_common *c, char **argv, struct err *why);
void verify_common_done(struct verify_common *c);

/* Starts one and waits until it is ready. 0, or SN_ESYSTEM with a sentence. */
int verify_process_start(struct verify_process *p, struct verify_common *c,
                         const struct verify_setting *setting, struct err *why);

/* Lets it run the log on the board. 0; or 1 with a sentence: it died or did not come back. */
int verify_process_ask(struct verify_process *p, const struct verify_common *c, struct err *why);

void verify_process_end(struct verify_process *p);

#endif
