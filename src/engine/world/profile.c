/* profile.c - finds the counters that coverage instrumentation keeps in a program's memory.
 *
 * gcc's and clang's --coverage count in .bss, clang's profiles and sanitizer coverage in sections
 * of their own. A trial that is rolled back was run all the same, so what it covered must stay
 * counted. The counters are found by name in the object's file. The file is only a hint: every
 * number in it is checked before it is used, and a file that is not the one that was loaded is
 * ignored. SPDX-License-Identifier: MIT
 */
#include "engine/world/spans.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    const unsigned char *bytes;
    size_t size;
};

struct object {
    struct file file;
    uintptr_t base;
    const ElfW(Shdr) * sections;
    size_t sections_count;
    struct spans *holes;
};

/* `count` items at `offset`, or NULL if they do not lie in the file. */
static const void *part(const struct file *f, uint64_t offset, uint64_t count, uint64_t item)
{
    if (offset > f->size || offset % 8 != 0 || (item != 0 && count > (f->size - offset) / item))
        return NULL;
    return f->bytes + offset;
}

/* The text at `offset` of a string table, or "" if it does not end in there. */
static const char *text_at(const struct file *f, const ElfW(Shdr) * strings, uint64_t offset)
{
    const char *start;

    if (strings->sh_offset > f->size || strings->sh_size > f->size - strings->sh_offset ||
        offset >= strings->sh_size)
        return "";
    start = (const char *)f->bytes + strings->sh_offset + offset;
    return memchr(start, '\0', strings->sh_size - offset) == NULL ? "" : start;
}

static bool starts_with_any(const char *name, const char *const *starts)
{
    for (; *starts != NULL; starts++) {
        if (strncmp(name, *starts, strlen(*starts)) == 0)
            return true;
    }
    return false;
}

static bool add_symbols(struct object *o, const ElfW(Shdr) * table)
{
    static const char *const counters[] = {"__gcov", "__llvm_gcov_ctr", NULL};
    uint64_t count = table->sh_size / sizeof(ElfW(Sym));
    const ElfW(Sym) *symbols = part(&o->file, table->sh_offset, count, sizeof(*symbols));
    const ElfW(Shdr) * strings;

    if (symbols == NULL || table->sh_link >= o->sections_count)
        return true;
    strings = &o->sections[table->sh_link];
    for (uint64_t i = 0; i < count; i++) {
        const ElfW(Sym) *s = &symbols[i];

        if (ELF64_ST_TYPE(s->st_info) != STT_OBJECT || s->st_size == 0)
            continue;
        if (!starts_with_any(text_at(&o->file, strings, s->st_name), counters))
            continue;
        if (!spans_add(o->holes, (const void *)(o->base + s->st_value), s->st_size))
            return false;
    }
    return true;
}

static bool add_sections(struct object *o, uint32_t names_index)
{
    static const char *const counters[] = {"__llvm_prf_", "__sancov_", NULL};

    for (size_t i = 0; i < o->sections_count; i++) {
        const ElfW(Shdr) *s = &o->sections[i];

        if (s->sh_type == SHT_SYMTAB && !add_symbols(o, s))
            return false;
        if ((s->sh_flags & SHF_ALLOC) == 0 || names_index >= o->sections_count)
            continue;
        if (!starts_with_any(text_at(&o->file, &o->sections[names_index], s->sh_name), counters))
            continue;
        if (!spans_add(o->holes, (const void *)(o->base + s->sh_addr), s->sh_size))
            return false;
    }
    return true;
}

/* The file has the program headers that were loaded. */
static bool is_loaded_from(const struct dl_phdr_info *info, const struct file *f,
                           const ElfW(Ehdr) * header)
{
    const void *segments;

    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phnum != info->dlpi_phnum ||
        header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_shentsize != sizeof(ElfW(Shdr)))
        return false;
    segments = part(f, header->e_phoff, header->e_phnum, sizeof(ElfW(Phdr)));
    return segments != NULL &&
           memcmp(segments, info->dlpi_phdr, header->e_phnum * sizeof(ElfW(Phdr))) == 0;
}

static bool read_file(const struct dl_phdr_info *info, const struct file *f, struct spans *holes)
{
    const ElfW(Ehdr) *header = part(f, 0, 1, sizeof(*header));
    struct object o = {.file = *f, .base = info->dlpi_addr, .holes = holes};

    if (header == NULL || !is_loaded_from(info, f, header))
        return true;
    o.sections = part(f, header->e_shoff, header->e_shnum, sizeof(ElfW(Shdr)));
    o.sections_count = o.sections == NULL ? 0 : header->e_shnum;
    return add_sections(&o, header->e_shstrndx);
}

bool profile_holes(const struct dl_phdr_info *info, const char *path, struct spans *holes)
{
    struct file f = {.size = 0};
    struct stat st;
    bool ok = true;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return true;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (bytes != MAP_FAILED) {
            f = (struct file){.bytes = bytes, .size = (size_t)st.st_size};
            ok = read_file(info, &f, holes);
            (void)munmap(bytes, f.size);
        }
    }
    (void)close(fd);
    return ok;
}
