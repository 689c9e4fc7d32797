/* interrupt.c - see interrupt.h. SPDX-License-Identifier: MIT */
#include "api/interrupt.h"

#include "engine/here.h"

static const int signals[ENGINE_INTERRUPTS] = {SIGINT, SIGTERM};

/* The second one ends the process: somebody means it. */
static void on_interrupt(int number)
{
    struct engine *engine = trial_here()->owner;

    engine->is_interrupted = true;
    (void)signal(number, SIG_DFL);
}

void interrupt_watch(struct engine *engine)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    for (int i = 0; i < ENGINE_INTERRUPTS; i++) {
        (void)sigaction(signals[i], NULL, &engine->interrupts[i]);
        if (engine->interrupts[i].sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &action, NULL);
    }
}

void interrupt_unwatch(struct engine *engine)
{
    for (int i = 0; i < ENGINE_INTERRUPTS; i++)
        (void)sigaction(signals[i], &engine->interrupts[i], NULL);
}

bool interrupt_has_come(const struct engine *engine)
{
    return engine->is_interrupted;
}
