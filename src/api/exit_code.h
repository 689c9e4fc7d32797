/* exit_code.h - how a test program ends. SPDX-License-Identifier: MIT */
#ifndef API_EXIT_CODE_H
#define API_EXIT_CODE_H

enum exit_code {
    EXIT_NO_BUG = 0,
    EXIT_BUG = 1,
    EXIT_USAGE = 2,
    EXIT_NOTHING = 3,
    EXIT_NONDETERMINISM = 4,
    EXIT_INTERNAL = 99,
};

/* Which of two counts: 99 > 2 > 1 > 4 > 3 > 0. */
static inline int exit_code_worse(int a, int b)
{
    static const int order[] = {EXIT_INTERNAL, EXIT_USAGE, EXIT_BUG, EXIT_NONDETERMINISM,
                                EXIT_NOTHING};

    for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if (a == order[i] || b == order[i])
            return order[i];
    }
    return EXIT_NO_BUG;
}

#endif
