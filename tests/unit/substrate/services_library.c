/* services_library.c - see services_library.h. SPDX-License-Identifier: MIT */
#include "services_library.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

long long library_time(void)
{
    return time(NULL);
}

int library_rand(void)
{
    return rand();
}

unsigned int library_sleep(unsigned int seconds)
{
    return sleep(seconds);
}

long long plugin_time(void)
{
    return time(NULL);
}

long long plugin_random(void)
{
    return random();
}
