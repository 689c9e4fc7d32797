/* third_party.h - a library of somebody else's, which knows nothing of Sennit: with variables, a
 * heap, clocks, random numbers, sockets, and a thread if it is asked for one.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_SUBSTRATE_THIRD_PARTY_H
#define TESTS_UNIT_SUBSTRATE_THIRD_PARTY_H

#include <time.h>

/* What a program that loads the library by name asks it for. */
struct third_party {
    int (*count)(void);        /* how often it was called, this one included */
    const void *(*keep)(void); /* a block that it never frees */
    time_t (*now)(void);
    int (*roll)(void);
    void (*nap)(void);  /* sleeps for a minute */
    int (*talk)(void);  /* sends a byte to itself over a socket; what arrives */
    int (*start)(void); /* starts a thread, and waits until it has ended */
};

/* Returns all of the above. */
const struct third_party *third_party(void);

#endif
