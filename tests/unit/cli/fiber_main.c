/* fiber_main.c - a function called in a fiber, to be looked at by a debugger.
 * SPDX-License-Identifier: MIT
 */
#include "engine/fiber.h"

#include <sennit/test.h>
#include <stddef.h>

enum { STACK = 65536 };

static _Alignas(64) unsigned char stack[STACK];
static struct fiber self;
static volatile int sink;

__attribute__((noinline)) static void in_fiber(int n)
{
    sn_debug_break((uint64_t)n, "in a fiber", NULL);
    sink = n;
}

static void entry(void *argument)
{
    in_fiber(*(int *)argument);
    sink++;
}

int main(void)
{
    int n = 5;

    fiber_init_self(&self);
    fiber_switch(&self, fiber_new(stack, sizeof(stack), entry, &n));
    return 0;
}
