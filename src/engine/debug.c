/* debug.c - the place where a debugger can stop a trial. SPDX-License-Identifier: MIT */
#include <sennit/test.h>

/* Called, and with these arguments, whatever the compiler thinks of it. */
__attribute__((noinline)) void sn_debug_break(uint64_t step, const char *why, void (*handler)(void))
{
    __asm__ volatile("" : : "r"(step), "r"(why), "r"(handler) : "memory");
}
