/* shrunk_own.h - what the systems of shrunk_tests.h are made of. SPDX-License-Identifier: MIT */
#ifndef API_SHRUNK_OWN_H
#define API_SHRUNK_OWN_H

#include "shrunk_tests.h"

/* ---- Somebody who sends a letter ------------------------------------------------------------ */

struct letter {
    sn_id to;
    char letter;
};

extern const struct sn_event shrunk_letter;

sn_id shrunk_sender(sn_id to, char letter);
void shrunk_ignore(void *self, sn_id from, const void *bytes, size_t n);

/* ---- A hub that hears letters --------------------------------------------------------------- */

struct hub {
    char heard[64];
    unsigned n;
};

/* Whether x was heard, and y was not. */
bool hub_has_only(const struct hub *h, char x, char y);

void hub_hear(struct hub *h, const void *bytes);

/* Whether B has just come after C, and A has not come. */
bool hub_is_wrong_order(const struct hub *h);

/* A hub, and senders of A, B and C. */
sn_id hub_create_three(const struct sn_machine *type);

/* ---- Systems -------------------------------------------------------------------------------- */

/* Of shrunk_ends.c: those that end in another way than by an assertion. */
extern const struct sn_machine shrunk_answers;
extern const struct sn_machine shrunk_debts;
extern const struct sn_faults shrunk_crashes;
void run_deadlock(void);
void run_hot(void);
void run_debt(void);
void run_gamble(void);
void run_segfault(void);
void run_abort(void);
void run_waits(void);
void run_fault(void);
void run_history(void);

/* Of shrunk_rounds.c: those of which little can be left out piece by piece. */
extern const struct sn_faults shrunk_two_crashes;
void run_turns(void);
void run_ways(void);
void run_detours(void);
void run_crashes(void);
void run_reborn(void);
void run_amount(void);

/* Of shrunk_random.c: any program. */
void run_random(void);

#endif
