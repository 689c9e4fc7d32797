/* verifier.c - the other process: runs the logs that it is given, in a world that was moved.
 *
 * See verify.h. SPDX-License-Identifier: MIT
 */
#include "api/engine.h"
#include "api/frozen_clock.h"
#include "api/phases.h"
#include "api/verify.h"
#include "api/verify_process.h"
#include "engine/mem.h"
#include "events/events.h"
#include "oracle/leak.h"
#include "substrate/machine.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STACK_FILLED = 128 << 10 };

struct verifier {
    struct witness_board *board;
    int fd;
    unsigned fill;
    struct frozen_clock clock;
    struct names names;
    struct engine *engine;
    struct explore *explore;
};

/* What a function finds in variables on the stack that nobody has written. */
static __attribute__((noinline)) void fill_stack(unsigned fill)
{
    unsigned char bytes[STACK_FILLED];

    memset(bytes, (int)fill, sizeof(bytes));
    __asm__ volatile("" : : "r"(bytes) : "memory"); /* or the compiler leaves it out */
}

static void before(struct trial *t, void *self)
{
    struct verifier *v = self;

    (void)t;
    frozen_clock_start(&v->clock);
    fill_stack(v->fill);
}

/* The variables are for this process alone: the program finds the environment that it has in the
 * other one. */
static bool take_place(struct verifier *v)
{
    const char *text = getenv(VERIFY_VARIABLE);
    int board_fd;

    if (text == NULL ||
        sscanf(text, "%d,%d,%x,%" SCNx64, &board_fd, &v->fd, &v->fill, &v->clock.start_ns) != 4)
        return false;
    (void)unsetenv(VERIFY_VARIABLE);
    (void)unsetenv("SENNIT_WORLD_BASE");
    (void)unsetenv("SENNIT_HEAP_FILL");
    v->board = mmap(NULL, sizeof(*v->board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    board_fd, 0);
    (void)close(board_fd);
    (void)fcntl(v->fd, F_SETFD, FD_CLOEXEC);
    return v->board != MAP_FAILED;
}

static const struct sn_test *find_test(const struct sn_suite *suite, const char *name)
{
    const struct sn_test *test = suite->tests;

    while (test->name != NULL && strcmp(test->name, name) != 0)
        test++;
    return test->name != NULL ? test : NULL;
}

static bool open_trials(struct verifier *v, const struct sn_suite *suite)
{
    const struct witness_board *board = v->board;
    struct explore_options options = {.test = find_test(suite, board->test),
                                      .is_lab = true,
                                      .max_steps = board->max_steps,
                                      .timers = board->timers,
                                      .fork = board->is_forking};
    const struct run_request limits = {
        .jobs = board->jobs, .hang_s = board->hang_s, .memory_mb = board->memory_mb};

    v->engine = engine_get(NULL);
    if (options.test == NULL || v->engine == NULL || names_init(&v->names, NULL) < 0)
        return false;
    frozen_clock_start(&v->clock);
    (void)frozen_clock_install();
    machines_forget(v->engine->t);
    events_forget(v->engine->t);
    request_set_limits(&limits, v->engine->t);
    if (board->has_leaks && leak_open(v->engine->t, REACH_CALLER, NULL) < 0)
        return false;
    return explore_open(&v->explore, v->engine->t, &options, NULL) == 0;
}

bool verifier_serve(const struct sn_suite *suite)
{
    struct verifier *v;
    char byte;

    if (getenv(VERIFY_VARIABLE) == NULL)
        return false;
    v = mem_reserve_shared(sizeof(*v), NULL);
    if (v == NULL || !take_place(v) || !open_trials(v, suite))
        return true;
    for (bool is_first = true; recv(v->fd, &byte, 1, 0) == 1; is_first = false) {
        if (!is_first)
            witness_run(v->board, v->explore, &v->names, before, v);
        if (send(v->fd, "", 1, MSG_NOSIGNAL) != 1)
            break;
    }
    explore_close(v->explore);
    return true;
}
