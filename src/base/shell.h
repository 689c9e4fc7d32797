/* shell.h - words of a command line that a person can paste. SPDX-License-Identifier: MIT */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/text.h"

/* Appends a word so that any POSIX shell reads exactly these bytes: bare if nothing in it means
 * anything to a shell, otherwise in quotes. */
void shell_put(struct sn_text *out, const char *word);

#endif
