/* identity.h - which program this is: its path and its build. SPDX-License-Identifier: MIT */
#ifndef API_IDENTITY_H
#define API_IDENTITY_H

#include <stddef.h>

struct identity {
    char program[4096];
    char build[65]; /* in hexadecimal: the linker's build id, or else a hash of the code */
};

void identity_get(struct identity *out);

#endif
