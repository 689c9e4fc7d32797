/* jobs.c - see jobs.h.
 *
 * Forked processes take objects in their order from a counter in shared memory, and write down what
 * they found. The parent adds it up in the same order and stops where a single process would have
 * stopped, so the result is the same for any number of processes; only a budget may end sooner or
 * later. What a process that died has left undone the parent does itself.
 * SPDX-License-Identifier: MIT
 */
#include "linear/jobs.h"

#include <sennit/test.h>

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS_MAX = 256 };

/* What is known of an object: not more than is needed, since there may be millions. */
struct finding {
    uint64_t configurations;
    uint32_t job; /* who has looked at it */
    uint8_t is_done;
    uint8_t is_exact;
    uint8_t verdict; /* enum sn_linear */
};

/* What a process has to say in full: about the first object with each verdict. It stops at the
 * first that is not linearizable, and further ones that it could not decide are not told. */
struct told {
    struct outcome outcomes[SN_LINEAR_UNKNOWN + 1];
    bool is_told[SN_LINEAR_UNKNOWN + 1];
};

struct board {
    struct told told[JOBS_MAX];
    _Atomic uint32_t next;
    _Atomic uint32_t stop; /* objects behind this one need not be looked at */
    struct finding findings[];
};

static size_t board_bytes(const struct check *check)
{
    return sizeof(struct board) + check->partition.n * sizeof(struct finding);
}

static void lower(_Atomic uint32_t *stop, uint32_t to)
{
    uint32_t now = atomic_load(stop);

    while (to < now && !atomic_compare_exchange_weak(stop, &now, to))
        ;
}

static void write_down(struct board *board, uint32_t job, uint32_t i, const struct outcome *out)
{
    struct told *told = &board->told[job];

    if (out->verdict != SN_LINEAR_YES && !told->is_told[out->verdict]) {
        told->outcomes[out->verdict] = *out;
        told->is_told[out->verdict] = true;
    }
    board->findings[i] = (struct finding){.configurations = out->configurations,
                                          .job = job,
                                          .is_done = 1,
                                          .is_exact = out->is_exact,
                                          .verdict = (uint8_t)out->verdict};
}

static void work(struct check *check, struct board *board, uint32_t job)
{
    for (;;) {
        uint32_t i = atomic_fetch_add(&board->next, 1);
        struct outcome out;
        int rc;

        if (i >= check->partition.n || i > atomic_load(&board->stop))
            return;
        rc = check_object(check, i, &out);
        if (rc < 0 || out.verdict == SN_LINEAR_NO)
            lower(&board->stop, i);
        /* An object to which the wanted algorithm does not apply is left to the parent. */
        if (rc == 0)
            write_down(board, job, i, &out);
    }
}

/* Returns the process, or -1. */
static pid_t start(struct check *check, struct board *board, uint32_t job, uint32_t jobs)
{
    pid_t parent = getpid();
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) {
        check->pool.limit = check->pool.mapped + (check->pool.limit - check->pool.mapped) / jobs;
        work(check, board, job);
    }
    _exit(0);
}

static void run(struct check *check, struct board *board, uint32_t jobs)
{
    pid_t processes[JOBS_MAX];

    for (uint32_t i = 0; i < jobs; i++)
        processes[i] = start(check, board, i, jobs);
    for (uint32_t i = 0; i < jobs; i++) {
        while (processes[i] > 0 && waitpid(processes[i], NULL, 0) < 0 && errno == EINTR)
            ;
    }
}

static int find_out(struct check *check, const struct board *board, uint32_t i, struct outcome *out)
{
    const struct finding *finding = &board->findings[i];

    if (finding->is_done == 0)
        return check_object(check, i, out);
    if (finding->verdict != SN_LINEAR_YES)
        *out = board->told[finding->job].outcomes[finding->verdict];
    else
        *out = (struct outcome){.is_exact = finding->is_exact != 0};
    out->configurations = finding->configurations;
    return 0;
}

static int add_up(struct check *check, const struct board *board)
{
    for (uint32_t i = 0; i < check->partition.n && check->result->verdict != SN_LINEAR_NO; i++) {
        struct outcome out;
        int rc = find_out(check, board, i, &out);

        if (rc < 0) {
            memcpy(check->result->why, out.why, sizeof(out.why));
            return rc;
        }
        check_take(check, &out);
    }
    return 0;
}

int jobs_check(struct check *check)
{
    uint32_t jobs = check->options->jobs < JOBS_MAX ? check->options->jobs : JOBS_MAX;
    size_t bytes = board_bytes(check);
    struct board *board =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int rc;

    if (board == MAP_FAILED)
        return SN_ENOMEM;
    if (jobs > check->partition.n)
        jobs = check->partition.n;
    atomic_store(&board->stop, UINT32_MAX);
    run(check, board, jobs);
    rc = add_up(check, board);
    (void)munmap(board, bytes);
    return rc;
}
