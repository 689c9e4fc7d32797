/* services_library.h - somebody else's library, which asks libc for the time and for numbers.
 * SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_SERVICES_LIBRARY_H
#define SUBSTRATE_SERVICES_LIBRARY_H

long long library_time(void);
int library_rand(void);
unsigned int library_sleep(unsigned int seconds);

/* For those who find them by name. */
long long plugin_time(void);
long long plugin_random(void);

#endif
