/* elf.h - what the symbol tables of a program or library say is at an address.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_ELF_H
#define BASE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum elf_kind { ELF_FUNCTION = 1, ELF_VARIABLE };

struct elf_symbol {
    uint64_t start;
    uint64_t size;
    char name[64]; /* what does not fit is left out */
};

/* Finds the symbol of this kind that covers an address, as the file has it, and not only comes
 * before it. False: there is none, or the file cannot be read. *has_any: whether the file has
 * symbols of this kind at all; may be NULL. Allocates nothing and leaves nothing open. */
bool elf_find(const char *path, enum elf_kind kind, uint64_t address, struct elf_symbol *out,
              bool *has_any);

#endif
