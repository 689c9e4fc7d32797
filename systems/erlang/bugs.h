/* bugs.h - the switches of --bug. SPDX-License-Identifier: MIT */
#ifndef ERLANG_BUGS_H
#define ERLANG_BUGS_H

#include <stdbool.h>

extern bool bug_locks_1;
extern bool bug_locks_1_relay;
extern bool bug_locks_2;
extern bool bug_locks_2_patch;
extern bool bug_gproc_1;
extern bool bug_gproc_1_late;
extern bool bug_gproc_2;
extern bool bug_gproc_3;
extern bool bug_mnesia_1;
extern bool bug_mnesia_2;
extern bool bug_ms_1;
extern bool bug_crce_2;
extern bool bug_crce_2_pattern;
extern bool bug_crce_3;
extern bool bug_c6023;

#endif
