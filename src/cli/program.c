/* program.c - see program.h. The loader lists the libraries, which runs nothing of the program.
 * SPDX-License-Identifier: MIT
 */
#include "cli/program.h"

#include "api/mark.h"
#include "cli/cli.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct image {
    const char *bytes;
    size_t n;
};

static bool image_open(struct image *image, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    void *bytes = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    if (bytes == MAP_FAILED)
        return false;
    *image = (struct image){.bytes = bytes, .n = (size_t)about.st_size};
    return true;
}

static void image_close(const struct image *image)
{
    (void)munmap((void *)(uintptr_t)image->bytes, image->n);
}

static bool has_mark(const struct image *image)
{
    return memmem(image->bytes, image->n, MARK_TEXT, strlen(MARK_TEXT)) != NULL;
}

/* Only of binaries as this program is one. */
static bool is_binary(const struct image *image)
{
    return image->n > sizeof(Elf64_Ehdr) && memcmp(image->bytes, ELFMAG, SELFMAG) == 0 &&
           image->bytes[EI_CLASS] == ELFCLASS64;
}

/* The loader that a binary names; "": none, it has no libraries. */
static void find_loader(const struct image *image, char loader[PATH_MAX])
{
    const Elf64_Ehdr *head = (const void *)image->bytes;

    loader[0] = '\0';
    for (size_t i = 0; i < head->e_phnum; i++) {
        uint64_t at = head->e_phoff + i * sizeof(Elf64_Phdr);
        Elf64_Phdr part;

        if (at > image->n || image->n - at < sizeof(part))
            return;
        memcpy(&part, image->bytes + at, sizeof(part));
        if (part.p_type != PT_INTERP || part.p_filesz == 0 || part.p_filesz > PATH_MAX ||
            part.p_offset > image->n || image->n - part.p_offset < part.p_filesz)
            continue;
        memcpy(loader, image->bytes + part.p_offset, part.p_filesz);
        loader[part.p_filesz - 1] = '\0';
    }
}

/* A line as "  libc.so.6 => /lib/libc.so.6 (0x7f...)". */
static bool library_has_mark(char *line)
{
    char *path = strstr(line, "=> ");
    char *end = path != NULL ? strstr(path, " (") : NULL;
    struct image image;
    bool has;

    if (end == NULL)
        return false;
    *end = '\0';
    if (!image_open(&image, path + 3))
        return false;
    has = has_mark(&image);
    image_close(&image);
    return has;
}

static void become_loader(const char *loader, const char *path, int out)
{
    int nowhere = open("/dev/null", O_WRONLY);

    if (dup2(out, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0)
        (void)execl(loader, loader, "--list", path, (char *)NULL);
    _exit(CLI_USAGE);
}

/* Whether a library has it; true also if that cannot be found out. */
static bool libraries_have_mark(const char *loader, const char *path)
{
    char line[PATH_MAX + 256];
    int ends[2];
    int status = -1;
    bool has = false;
    FILE *lines;
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return true;
    child = fork();
    if (child == 0)
        become_loader(loader, path, ends[1]);
    (void)close(ends[1]);
    lines = child > 0 ? fdopen(ends[0], "r") : NULL;
    while (lines != NULL && fgets(line, sizeof(line), lines) != NULL)
        has |= library_has_mark(line);
    if (lines != NULL)
        (void)fclose(lines);
    else
        (void)close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return true;
    return has || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static bool file_can_test(const char *path)
{
    char loader[PATH_MAX];
    struct image image;
    bool can;

    if (!image_open(&image, path))
        return true;
    can = !is_binary(&image) || has_mark(&image);
    if (!can) {
        find_loader(&image, loader);
        can = loader[0] != '\0' && libraries_have_mark(loader, path);
    }
    image_close(&image);
    return can;
}

/* Where execvp would find it. */
static bool find_in_path(const char *name, char path[PATH_MAX])
{
    const char *at = getenv("PATH");

    while (at != NULL) {
        size_t n = strcspn(at, ":");

        (void)snprintf(path, PATH_MAX, "%.*s%s%s", (int)n, at, n > 0 ? "/" : "", name);
        if (access(path, X_OK) == 0)
            return true;
        at = at[n] == ':' ? at + n + 1 : NULL;
    }
    return false;
}

bool program_can_test(const char *name)
{
    char path[PATH_MAX];

    if (strchr(name, '/') != NULL)
        return file_can_test(name);
    return !find_in_path(name, path) || file_can_test(path);
}

int program_check(const char *name)
{
    if (program_can_test(name))
        return CLI_OK;
    return cli_fail("%s is no test program: neither it nor its libraries have sn_main", name);
}
