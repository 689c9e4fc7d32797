/* export_main.c - writes a large trace to standard output: export_main STEPS MACHINES [chain]
 *
 * Machines send each other messages at random, so that after a while every machine is in the past
 * of every other; with `chain` only their neighbours, so that clocks stay small for long.
 * SPDX-License-Identifier: MIT
 */
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PENDING = 4096,
};

static uint64_t random_state = 1;

static uint64_t draw(uint64_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % n;
}

/* A step of a machine, got from another one that sent it in an earlier step. */
static int write_step(struct trace_writer *w, uint64_t number, uint64_t machines, int is_chain)
{
    static uint64_t taken_by[PENDING]; /* by step, of the last ones */
    uint64_t cause =
        number == 1 ? 0 : number - 1 - draw(number < PENDING ? number - 1 : PENDING / 2);
    uint64_t machine = number <= machines ? number - 1 : draw(machines);
    char task[32];
    char from[32];
    struct trace_record step = {
        .kind = TRACE_STEP,
        .step = {.number = number,
                 .time_ns = number / 100 * 1000000,
                 .id = number,
                 .cause = number <= machines ? 0 : cause,
                 .task = task,
                 .event = "Message",
                 .payload = trace_text_of("value=1"),
                 .op = number <= machines ? TRACE_OP_START : TRACE_OP_DELIVER},
    };

    if (is_chain && step.step.cause != 0)
        machine = (taken_by[cause % PENDING] + 1) % machines;
    taken_by[number % PENDING] = machine;
    (void)snprintf(task, sizeof(task), "Node#%" PRIu64, machine);
    (void)snprintf(from, sizeof(from), "Node#%" PRIu64, taken_by[cause % PENDING]);
    if (step.step.cause != 0)
        step.step.from = from;
    return trace_write_record(w, &step);
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    uint64_t steps = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t machines = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    struct trace_header header = {.suite = "large",
                                  .test = "large",
                                  .program = "./large",
                                  .build = "",
                                  .strategy = "random",
                                  .max_steps = steps,
                                  .world = TRACE_WORLD_FULL};
    struct trace_verdict verdict = {.verdict = TRACE_FAILED,
                                    .oracle = "assert",
                                    .message = trace_text_of("large"),
                                    .step = steps};
    struct trace_writer w;
    struct sn_text out;

    text_init_fd(&out, buffer, sizeof(buffer), STDOUT_FILENO);
    trace_writer_init(&w, &out);
    (void)trace_write_header(&w, &header);
    for (uint64_t i = 1; i <= steps; i++) {
        if (write_step(&w, i, machines, argc > 3 && strcmp(argv[3], "chain") == 0) < 0)
            return 1;
    }
    (void)trace_write_verdict(&w, &verdict);
    return trace_write_end(&w) < 0 ? 1 : 0;
}
