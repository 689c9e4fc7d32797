/* identity.c - see identity.h. SPDX-License-Identifier: MIT */
#include "api/identity.h"

#include "base/rng.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void put_hex(char *out, size_t room, const unsigned char *bytes, size_t n)
{
    size_t used = 0;

    for (size_t i = 0; i < n && used + 2 < room; i++, used += 2)
        (void)snprintf(out + used, room - used, "%02x", bytes[i]);
}

/* Looks for the build id among the notes of a segment. */
static int find_note(const char *notes, size_t n, struct identity *out)
{
    size_t at = 0;

    while (n - at >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)(notes + at);
        size_t name = at + sizeof(*note);
        size_t desc = name + ((note->n_namesz + 3u) & ~(size_t)3);

        if (note->n_namesz > n || note->n_descsz > n || desc + note->n_descsz > n)
            return 0;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0) {
            put_hex(out->build, sizeof(out->build), (const unsigned char *)notes + desc,
                    note->n_descsz);
            return 1;
        }
        at = desc + ((note->n_descsz + 3u) & ~(size_t)3);
        if (at > n)
            return 0;
    }
    return 0;
}

static void hash_code(const char *code, size_t n, struct identity *out)
{
    uint64_t h = n;
    unsigned char bytes[8];

    for (size_t i = 0; i + 8 <= n; i += 8) {
        uint64_t word;

        memcpy(&word, code + i, 8);
        h = mix_pair(h, word);
    }
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(h >> (8 * i));
    put_hex(out->build, sizeof(out->build), bytes, sizeof(bytes));
}

/* The first object is the program itself: its notes, and failing that its code. */
static int visit(struct dl_phdr_info *info, size_t size, void *self)
{
    struct identity *out = self;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const char *at = (const char *)info->dlpi_addr + segment->p_vaddr;

        if (segment->p_type == PT_NOTE && find_note(at, segment->p_memsz, out))
            return 1;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0)
            hash_code((const char *)info->dlpi_addr + segment->p_vaddr, segment->p_memsz, out);
    }
    return 1;
}

void identity_get(struct identity *out)
{
    ssize_t n = readlink("/proc/self/exe", out->program, sizeof(out->program) - 1);

    out->program[n > 0 ? n : 0] = '\0';
    out->build[0] = '\0';
    (void)dl_iterate_phdr(visit, out);
}
