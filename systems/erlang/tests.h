/* tests.h - what the tests of the suite run. SPDX-License-Identifier: MIT */
#ifndef ERLANG_TESTS_H
#define ERLANG_TESTS_H

void locks_1_run(void);
void figure_6_run(void);
void locks_2_run(void);
void gproc_1_run(void);
void gproc_2_run(void);
void gproc_3_run(void);
void mnesia_1_run(void);
void mnesia_2_run(void);
void ms_1_run(void);
void crce_2_run(void);
void crce_3_run(void);
void c6023_run(void);

/* --tell: which agents are told of queues that they are not in. */
extern const char *locks_1_tell;

#endif
