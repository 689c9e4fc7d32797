/* elf.c - see elf.h. Files are what users have installed: nothing that they say is believed before
 * it is known to lie within them. SPDX-License-Identifier: MIT
 */
#include "base/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const char *bytes;
    size_t size;
};

static bool lies_within(const struct image *image, uint64_t at, uint64_t n)
{
    return at <= image->size && n <= image->size - at;
}

/* The section with this number, if it lies within the file. */
static bool read_section(const struct image *image, uint64_t number, ElfW(Shdr) * out)
{
    const ElfW(Ehdr) *header = (const void *)image->bytes;
    uint64_t at = header->e_shoff + number * sizeof(*out);

    if (number >= header->e_shnum || header->e_shentsize != sizeof(*out) || at < header->e_shoff ||
        !lies_within(image, at, sizeof(*out)))
        return false;
    memcpy(out, image->bytes + at, sizeof(*out));
    return out->sh_type == SHT_NOBITS || lies_within(image, out->sh_offset, out->sh_size);
}

static bool is_kind(const ElfW(Sym) * symbol, enum elf_kind kind)
{
    unsigned type = symbol->st_info & 0xf;

    if (symbol->st_shndx == SHN_UNDEF || symbol->st_size == 0)
        return false;
    if (kind == ELF_FUNCTION)
        return type == STT_FUNC || type == STT_GNU_IFUNC;
    return type == STT_OBJECT;
}

/* Looks through one table of symbols. */
static bool look_in(const struct image *image, const ElfW(Shdr) * table, enum elf_kind kind,
                    uint64_t address, struct elf_symbol *out, bool *has_any)
{
    ElfW(Shdr) names;

    if (!read_section(image, table->sh_link, &names) || names.sh_type != SHT_STRTAB)
        return false;
    for (uint64_t i = 0; i < table->sh_size / sizeof(ElfW(Sym)); i++) {
        ElfW(Sym) symbol;

        memcpy(&symbol, image->bytes + table->sh_offset + i * sizeof(symbol), sizeof(symbol));
        if (!is_kind(&symbol, kind))
            continue;
        *has_any = true;
        if (address < symbol.st_value || address - symbol.st_value >= symbol.st_size ||
            symbol.st_name >= names.sh_size)
            continue;
        out->start = symbol.st_value;
        out->size = symbol.st_size;
        (void)snprintf(out->name, sizeof(out->name), "%.*s",
                       (int)(names.sh_size - symbol.st_name < sizeof(out->name)
                                 ? names.sh_size - symbol.st_name
                                 : sizeof(out->name)),
                       image->bytes + names.sh_offset + symbol.st_name);
        return true;
    }
    return false;
}

static bool look_through(const struct image *image, enum elf_kind kind, uint64_t address,
                         struct elf_symbol *out, bool *has_any)
{
    const ElfW(Ehdr) *header = (const void *)image->bytes;

    if (image->size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    for (uint64_t i = 0; i < header->e_shnum; i++) {
        ElfW(Shdr) section;

        if (read_section(image, i, &section) &&
            (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
            look_in(image, &section, kind, address, out, has_any))
            return true;
    }
    return false;
}

bool elf_find(const char *path, enum elf_kind kind, uint64_t address, struct elf_symbol *out,
              bool *has_any)
{
    struct image image = {NULL, 0};
    struct stat about;
    bool any = false;
    bool is_found = false;
    void *bytes = MAP_FAILED;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0 && fstat(fd, &about) == 0 && about.st_size > 0) {
        image.size = (size_t)about.st_size;
        bytes = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (bytes != MAP_FAILED) {
        image.bytes = bytes;
        is_found = look_through(&image, kind, address, out, &any);
        (void)munmap(bytes, image.size);
    }
    if (fd >= 0)
        (void)close(fd);
    if (has_any != NULL)
        *has_any = any;
    return is_found;
}
