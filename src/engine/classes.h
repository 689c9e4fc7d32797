/* classes.h - what trials are said to be, by sn_classify and sn_collect: names, and who has which.
 *
 * A name has a number from the first trial on that has it, in memory that a run shares with its
 * workers. A trial takes along the numbers of its names to where trials are counted in their order,
 * so that what is counted does not depend on who ran what. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_CLASSES_H
#define ENGINE_CLASSES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CLASSES_MAX = 4096,          /* names in a run, below; those that come later share one */
    CLASSES_OF_TRIAL = 8,        /* more are not counted */
    CLASS_NAME = 64,             /* of what is longer the rest is left out */
    CLASSES_OTHER = CLASSES_MAX, /* the number of those that have none */
};

struct class_name {
    _Atomic uint64_t hash; /* 0: it is free */
    char table[CLASS_NAME];
    char value[CLASS_NAME];
};

/* In memory that mem_reserve_shared gave; zeroed is empty. */
struct classes {
    struct class_name list[CLASSES_MAX];
};

/* Of one trial. */
struct trial_classes {
    uint16_t n;
    uint16_t numbers[CLASSES_OF_TRIAL];
};

/* A run begins. */
void classes_begin(struct classes *classes);

/* The number of a name; CLASSES_OTHER: there are too many. */
uint16_t classes_number(struct classes *classes, const char *table, const char *value);

/* A trial has it. Once is enough. */
void classes_add(struct trial_classes *of, uint16_t number);

#endif
