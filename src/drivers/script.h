/* script.h - a driver of a real synchroniser: a program with a few sub-commands.
 *
 * docs/sync.md describes them for those who write one: about, start, stop, sync, status, kill,
 * restart. Here they are run, each with a limit of time, and what goes wrong is put into words.
 * SPDX-License-Identifier: MIT
 */
#ifndef DRIVERS_SCRIPT_H
#define DRIVERS_SCRIPT_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    SCRIPT_PATTERNS_MAX = 8,
    SCRIPT_PATTERN_BYTES = 128,
    SCRIPT_WORD_BYTES = 64,
};

/* What a driver says about itself. */
struct script_about {
    char rules[SCRIPT_WORD_BYTES]; /* "": as usual */
    uint32_t nodes_min;
    uint32_t nodes_max;
    uint64_t settle_ms; /* that a stabilization may take; 0: it does not say */
    bool can_kill;
    /* Names, in which %f stands for the name of a file and * for anything. */
    char conflicts[SCRIPT_PATTERNS_MAX][SCRIPT_PATTERN_BYTES];
    uint32_t n_conflicts;
    char ignored[SCRIPT_PATTERNS_MAX][SCRIPT_PATTERN_BYTES];
    uint32_t n_ignored;
    char missing[256]; /* what must be installed first; "": nothing */
};

struct script {
    char path[PATH_MAX];
    uint64_t timeout_ns; /* of a command */
    struct script_about about;
};

/* Asks a driver about itself; its answer is put into a file first. 0, or SN_E* with a sentence that
 * names it, and the line. */
int script_meet(struct script *s, const char *directory, struct err *why);

/* Reads such an answer. `name` is what it is called in sentences. */
int script_read_about(struct script_about *about, const char *path, const char *name,
                      struct err *why);

/* Runs `DRIVER VERB DIRECTORY N [NODE]`, nodes counted from 1; node 0: none. 0: it has exited with
 * 0; 1: with 1, where that has a meaning (sync: not all is done; status: it has died); -1: it hangs
 * or fails, with a sentence. */
int script_run(const struct script *s, const char *verb, const char *directory, uint32_t n_nodes,
               uint32_t node, struct err *why);

/* Whether a name is a pattern's for a file; file NULL: %f stands for nothing. */
bool script_matches(const char *pattern, const char *file, const char *name);

#endif
