/* shadow_disk.h - a second disk, as simple as possible, to compare the real one with.
 *
 * It keeps the history of everything that was done, and nothing else. What a file holds is found by
 * doing it all again, from an empty disk. A sync marks what can no longer be lost. What a crash may
 * leave is every history from which a permitted part of the rest has been taken out.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_SUBSTRATE_SHADOW_DISK_H
#define TESTS_UNIT_SUBSTRATE_SHADOW_DISK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SHADOW_NAMES = 3,
    SHADOW_EVENTS_MAX = 200,
    SHADOW_SIZE_MAX = 4096,
    SHADOW_CHOICES_MAX = 16,
};

enum shadow_kind {
    SHADOW_CREATE,
    SHADOW_RENAME,
    SHADOW_REMOVE,
    SHADOW_WRITE,
    SHADOW_TRUNCATE,
};

struct shadow_event {
    enum shadow_kind kind;
    int file; /* numbered as created */
    int name; /* given by a creation or renaming */
    int offset;
    int n; /* bytes: see shadow_byte */
    unsigned char fill;
    bool is_safe;
};

struct shadow {
    struct shadow_event events[SHADOW_EVENTS_MAX];
    int n_events;
    int n_files;
};

/* The byte at an index of what is written with this `fill`. */
unsigned char shadow_byte(unsigned char fill, int index);

/* The file that has a name; -1: none. */
int shadow_find(const struct shadow *s, int name);

/* The size of the file that has a name, and its contents; -1: there is none. */
int shadow_contents(const struct shadow *s, int name, unsigned char bytes[SHADOW_SIZE_MAX]);

/* What machines do. A write and a truncation make the file; the others need one. */
void shadow_write(struct shadow *s, int name, int offset, int n, unsigned char fill);
void shadow_truncate(struct shadow *s, int name, int size);
void shadow_rename(struct shadow *s, int name, int to);
void shadow_remove(struct shadow *s, int name);
void shadow_sync(struct shadow *s, int name);
void shadow_sync_all(struct shadow *s);

/* How much a crash would have to decide: the product of all alternatives. */
double shadow_outcomes(const struct shadow *s);

/* Calls with each history that a crash may leave, all of it safe; some of them more than once. */
void shadow_crash(const struct shadow *s, void (*each)(void *self, const struct shadow *left),
                  void *self);

#endif
