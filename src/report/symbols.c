/* symbols.c - see symbols.h.
 *
 * Each module is asked for once, with all addresses in it: addr2line prints the address and then,
 * innermost first, a line with the function and one with file and line for it and for each function
 * that it is inlined into. To tell the library's own frames from the program's, the address of a
 * function of the library is among those asked for: what comes from below the same folder is ours.
 * SPDX-License-Identifier: MIT
 */
#include "report/symbols.h"

#include "base/elf.h"
#include "base/text.h"
#include "engine/mem.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ADDRESSES_MAX = STACK_FRAMES_MAX + 1, /* of which the last is the library's */
    PROBE = STACK_FRAMES_MAX,
    LINES_MAX = 512,
    ANSWER_BYTES = 1 << 20,
    FIXED_ARGS = 7,
    MORE_BYTES = 32, /* room for the last line if not all fit */
};

/* A function at an address: one per frame, and one per function inlined there. */
struct line {
    uint32_t frame;
    const char *function; /* NULL: unknown */
    const char *file;     /* NULL: unknown; "path:31" */
    bool is_own;          /* the library's */
    bool is_shown;
};

struct symbols {
    const struct modules *modules;
    uint64_t pc[ADDRESSES_MAX];
    const struct module *of[ADDRESSES_MAX];
    uint64_t bias[ADDRESSES_MAX]; /* address minus what the file says it is */
    uint32_t n;                   /* frames, without the probe */
    struct line lines[LINES_MAX]; /* in the order of the frames */
    uint32_t n_lines;
    char number[ADDRESSES_MAX][24];
    char *argv[ADDRESSES_MAX + FIXED_ARGS + 1];
    char *said[ADDRESSES_MAX]; /* in the answer; NULL: nothing */
    size_t used;
    char answer[ANSWER_BYTES];
};

/* ---- Modules -------------------------------------------------------------------------------- */

/* Where the file wants its first byte to be: 0 unless it has to be at a fixed address. */
static uint64_t wanted_start(const char *path)
{
    Elf64_Ehdr header;
    Elf64_Phdr part;
    uint64_t start = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
        header.e_phnum = 0;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        off_t at = (off_t)(header.e_phoff + (uint64_t)i * sizeof(part));

        if (pread(fd, &part, sizeof(part), at) == (ssize_t)sizeof(part) && part.p_type == PT_LOAD) {
            start = part.p_vaddr - part.p_offset;
            break;
        }
    }
    (void)close(fd);
    return start;
}

static void find_modules(struct symbols *s)
{
    for (uint32_t i = 0; i < ADDRESSES_MAX; i++) {
        if (i >= s->n && i != PROBE)
            continue;
        s->of[i] = modules_find(s->modules, s->pc[i]);
        if (s->of[i] != NULL)
            s->bias[i] = s->of[i]->start - wanted_start(s->of[i]->path);
    }
}

/* ---- Asking --------------------------------------------------------------------------------- */

/* Starts the tool with its output in a pipe. The other end of the pipe, or -1. */
static int start(char **argv, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    int rc;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    rc = posix_spawn_file_actions_init(&actions);
    if (rc == 0) {
        (void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        rc = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    (void)close(ends[1]);
    if (rc == 0)
        return ends[0];
    (void)close(ends[0]);
    return -1;
}

/* Reads all that the tool prints, behind what others have. */
static bool run_tool(struct symbols *s, char **argv)
{
    pid_t pid = 0;
    int status = 0;
    int fd = start(argv, &pid);
    ssize_t n = 1;

    if (fd < 0)
        return false;
    while (n > 0 && s->used < sizeof(s->answer) - 1) {
        n = read(fd, s->answer + s->used, sizeof(s->answer) - 1 - s->used);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            s->used += (size_t)n;
    }
    (void)close(fd);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    s->answer[s->used] = '\0';
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The text of the answer for all addresses in one module; NULL: there is no tool. */
static char *ask(struct symbols *s, const struct module *module)
{
    static const char *const tools[][3] = {{"addr2line", "-i", "-C"},
                                           {"llvm-symbolizer", "--output-style=GNU", "-C"}};
    char *answer = s->answer + s->used;
    int n = 0;

    s->argv[n++] = NULL;
    s->argv[n++] = NULL;
    s->argv[n++] = NULL;
    s->argv[n++] = (char *)(uintptr_t) "-a";
    s->argv[n++] = (char *)(uintptr_t) "-f";
    s->argv[n++] = (char *)(uintptr_t) "-e";
    s->argv[n++] = (char *)(uintptr_t)module->path;
    for (uint32_t i = 0; i < ADDRESSES_MAX; i++) {
        if (s->of[i] != module)
            continue;
        (void)snprintf(s->number[i], sizeof(s->number[i]), "0x%" PRIx64, s->pc[i] - s->bias[i]);
        s->argv[n++] = s->number[i];
    }
    s->argv[n] = NULL;
    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
        for (int k = 0; k < 3; k++)
            s->argv[k] = (char *)(uintptr_t)tools[i][k];
        s->used = (size_t)(answer - s->answer);
        if (run_tool(s, s->argv))
            return answer;
    }
    s->used = (size_t)(answer - s->answer);
    return NULL;
}

/* ---- Answers -------------------------------------------------------------------------------- */

static struct line *add_line(struct symbols *s, uint32_t frame)
{
    struct line *line = &s->lines[s->n_lines];

    if (s->n_lines == LINES_MAX)
        return NULL;
    s->n_lines++;
    *line = (struct line){.frame = frame};
    return line;
}

/* Cuts off a line. NULL at the end. */
static char *next_line(char **at)
{
    char *line = *at;
    char *newline = line != NULL ? strchr(line, '\n') : NULL;

    if (newline == NULL)
        return NULL;
    *newline = '\0';
    *at = newline + 1;
    return line;
}

/* "path:31 (discriminator 2)" without what is in brackets; NULL if there is no path or line. */
static const char *file_of(char *text)
{
    char *bracket = strstr(text, " (");
    const char *colon;

    if (bracket != NULL)
        *bracket = '\0';
    colon = strrchr(text, ':');
    if (text[0] == '?' || colon == NULL || colon[1] < '1' || colon[1] > '9')
        return NULL;
    return text;
}

/* Reads what is said of one address, behind the line with the address itself. */
static void read_frame(struct symbols *s, uint32_t frame)
{
    char *at = s->said[frame];
    char *function;

    while (at != NULL && strncmp(at, "0x", 2) != 0 && (function = next_line(&at)) != NULL) {
        char *file = function[0] != '\0' ? next_line(&at) : NULL;
        struct line *line = file != NULL ? add_line(s, frame) : NULL;

        if (line == NULL)
            return;
        line->function = function[0] != '?' ? function : NULL;
        line->file = file_of(file);
    }
}

/* Without debugging information the tool names the last symbol before an address, of which a
 * stripped library has few: a function that ends before the address is not it. */
static void doubt(struct symbols *s)
{
    for (uint32_t i = 0; i < s->n_lines; i++) {
        struct line *line = &s->lines[i];
        const struct module *module = s->of[line->frame];
        struct elf_symbol symbol;
        bool has_any = false;

        if (line->function != NULL && line->file == NULL && module != NULL &&
            !elf_find(module->path, ELF_FUNCTION, s->pc[line->frame] - s->bias[line->frame],
                      &symbol, &has_any) &&
            has_any)
            line->function = NULL;
    }
}

/* Addresses are answered for in the order in which they were asked for. */
static void find_answers(struct symbols *s, const struct module *module, char *answer)
{
    uint32_t frame = 0;

    for (char *at = answer; at != NULL; at = strchr(at, '\n'), at += at != NULL) {
        if (strncmp(at, "0x", 2) != 0)
            continue;
        while (frame < ADDRESSES_MAX && s->of[frame] != module)
            frame++;
        if (frame == ADDRESSES_MAX)
            return;
        s->said[frame] = strchr(at, '\n');
        s->said[frame] += s->said[frame] != NULL;
        frame++;
    }
}

static bool is_needed(const struct symbols *s, const struct module *module)
{
    for (uint32_t i = 0; i < ADDRESSES_MAX; i++) {
        if (s->of[i] == module)
            return true;
    }
    return false;
}

static void read_symbols(struct symbols *s)
{
    for (uint32_t i = 0; i < s->modules->n; i++) {
        const struct module *module = &s->modules->list[i];
        char *answer = is_needed(s, module) ? ask(s, module) : NULL;

        if (answer != NULL)
            find_answers(s, module, answer);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t before = s->n_lines;

        read_frame(s, i);
        if (s->n_lines == before)
            (void)add_line(s, i);
    }
    doubt(s);
}

/* ---- The library's own frames --------------------------------------------------------------- */

/* The folder that the library's sources are in, as the tool knows it; empty: not known. */
static void find_sources(struct symbols *s, char *folder, size_t size)
{
    static const char known[] = "engine/stack.c:";
    uint32_t probe = s->n_lines;
    const char *file;
    const char *end;

    folder[0] = '\0';
    read_frame(s, PROBE);
    file = s->n_lines > probe ? s->lines[probe].file : NULL;
    s->n_lines = probe;
    end = file != NULL ? strstr(file, known) : NULL;
    if (end != NULL && (size_t)(end - file) < size) {
        memcpy(folder, file, (size_t)(end - file));
        folder[end - file] = '\0';
    }
}

/* The models that come with the library are written with the public API, as a user's code is. */
static bool is_in(const char *file, const char *folder)
{
    size_t n = strlen(folder);

    return n > 0 && strncmp(file, folder, n) == 0 && strncmp(file + n, "model/", 6) != 0;
}

static void mark_own(struct symbols *s)
{
    const struct module *program = modules_find(s->modules, getauxval(AT_PHDR));
    const struct module *library = s->of[PROBE];
    char folder[MODULE_PATH];

    find_sources(s, folder, sizeof(folder));
    for (uint32_t i = 0; i < s->n_lines; i++) {
        struct line *line = &s->lines[i];

        if (s->of[line->frame] != library || library == NULL)
            continue;
        if (library != program)
            line->is_own = true;
        else if (line->file != NULL)
            line->is_own = is_in(line->file, folder);
        else
            line->is_own = folder[0] == '\0' && line->function != NULL;
    }
}

/* Of frames of the library only those are of interest that the code under test has called. */
static bool choose(struct symbols *s)
{
    bool any = false;

    mark_own(s);
    for (uint32_t i = 0; i < s->n_lines; i++) {
        struct line *line = &s->lines[i];

        line->is_shown = !line->is_own || (i + 1 < s->n_lines && !s->lines[i + 1].is_own);
        any |= !line->is_own;
    }
    for (uint32_t i = 0; i < s->n_lines && !any; i++)
        s->lines[i].is_shown = true;
    return any;
}

/* ---- Text ----------------------------------------------------------------------------------- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static void print_line(struct sn_text *out, const struct symbols *s, const struct line *line)
{
    const struct module *module = s->of[line->frame];
    uint64_t pc = s->pc[line->frame];

    text_clear(out);
    if (line->function != NULL)
        text_print(out, "%s (", line->function);
    if (line->file != NULL)
        text_puts(out, base_of(line->file));
    else if (module != NULL)
        text_print(out, "%s+0x%" PRIx64, base_of(module->path), pc - module->start);
    else
        text_print(out, "0x%" PRIx64, pc);
    if (line->function != NULL)
        text_putc(out, ')');
}

static uint32_t count_shown(const struct symbols *s, uint32_t from)
{
    uint32_t n = 0;

    for (uint32_t i = from; i < s->n_lines; i++)
        n += s->lines[i].is_shown;
    return n;
}

/* Adds the line and how often it comes. False: it does not fit. */
static bool put_line(struct sn_text *out, const char *line, uint32_t times)
{
    char count[24] = "";
    size_t needed;

    if (times > 1)
        (void)snprintf(count, sizeof(count), ", %" PRIu32 " times", times);
    needed = strlen(line) + strlen(count) + 1;
    if (out->used + needed + MORE_BYTES > out->size)
        return false;
    text_print(out, "%s%s\n", line, count);
    return true;
}

static void print_lines(const struct symbols *s, char *text, size_t size)
{
    char now[512];
    char next[512];
    struct sn_text out;
    struct sn_text line;
    uint32_t i = 0;

    text_init(&out, text, size);
    while (i < s->n_lines) {
        uint32_t from = i;
        uint32_t times = 0;

        now[0] = '\0';
        for (; i < s->n_lines; i++) {
            if (!s->lines[i].is_shown)
                continue;
            text_init(&line, next, sizeof(next));
            print_line(&line, s, &s->lines[i]);
            if (times > 0 && strcmp(now, next) != 0)
                break;
            memcpy(now, next, sizeof(now));
            times++;
        }
        if (times > 0 && !put_line(&out, now, times)) {
            text_print(&out, "and %" PRIu32 " more\n", count_shown(s, from));
            return;
        }
    }
}

bool symbols_describe(const struct stack *stack, const struct modules *modules, char *text,
                      size_t size)
{
    struct symbols *s = mem_reserve_shared(sizeof(*s), NULL);
    bool any;

    text[0] = '\0';
    if (s == NULL)
        return false;
    s->modules = modules;
    s->n = stack->n < STACK_FRAMES_MAX ? stack->n : STACK_FRAMES_MAX;
    memcpy(s->pc, stack->pc, s->n * sizeof(s->pc[0]));
    s->pc[PROBE] = (uint64_t)(uintptr_t)stack_take;
    find_modules(s);
    read_symbols(s);
    any = choose(s);
    print_lines(s, text, size);
    mem_release(s, sizeof(*s));
    return any;
}
