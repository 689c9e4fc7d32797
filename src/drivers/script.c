/* script.c - see script.h. SPDX-License-Identifier: MIT */
#include "drivers/script.h"

#include "drivers/processes.h"

#include <ctype.h>
#include <fnmatch.h>
#include <sennit/sync.h>
#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 512, LINES_MAX = 100 };

/* ---- What it says about itself -------------------------------------------------------------- */

static int read_number(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return -1;
    *out = strtoull(text, &end, 10);
    return *end == '\0' && *out >= min && *out <= max ? 0 : -1;
}

static int read_nodes(struct script_about *about, const char *text)
{
    char rest;

    if (sscanf(text, "%u-%u%c", &about->nodes_min, &about->nodes_max, &rest) == 2 &&
        about->nodes_min >= 1 && about->nodes_min <= about->nodes_max &&
        about->nodes_max <= SN_SYNC_NODES_MAX)
        return 0;
    return -1;
}

static int read_pattern(char (*patterns)[SCRIPT_PATTERN_BYTES], uint32_t *n, const char *text)
{
    if (*n == SCRIPT_PATTERNS_MAX || text[0] == '\0' || strlen(text) >= SCRIPT_PATTERN_BYTES ||
        strchr(text, '/') != NULL)
        return -1;
    (void)snprintf(patterns[(*n)++], SCRIPT_PATTERN_BYTES, "%s", text);
    return 0;
}

/* One line: a word and what belongs to it. Returns what it needs; NULL: it is fine. */
static const char *read_line(struct script_about *about, const char *word, const char *text)
{
    if (strcmp(word, "rules") == 0) {
        (void)snprintf(about->rules, sizeof(about->rules), "%s", text);
        return sn_sync_rules_find(about->rules) != NULL ? NULL : "names no rules that there are";
    }
    if (strcmp(word, "nodes") == 0)
        return read_nodes(about, text) == 0 ? NULL : "needs MIN-MAX, from 1 to 5";
    if (strcmp(word, "settle") == 0)
        return read_number(text, 1, 600000, &about->settle_ms) == 0
                   ? NULL
                   : "needs milliseconds, from 1 to 600000";
    if (strcmp(word, "kill") == 0) {
        about->can_kill = strcmp(text, "yes") == 0;
        return about->can_kill || strcmp(text, "no") == 0 ? NULL : "needs yes or no";
    }
    if (strcmp(word, "conflict") == 0)
        return read_pattern(about->conflicts, &about->n_conflicts, text) == 0
                   ? NULL
                   : "needs a pattern of names without /, and there are at most 8";
    if (strcmp(word, "ignore") == 0)
        return read_pattern(about->ignored, &about->n_ignored, text) == 0
                   ? NULL
                   : "needs a pattern of names without /, and there are at most 8";
    if (strcmp(word, "missing") == 0) {
        (void)snprintf(about->missing, sizeof(about->missing), "%s", text);
        return text[0] != '\0' ? NULL : "needs a sentence";
    }
    return "is not known";
}

int script_read_about(struct script_about *about, const char *path, const char *name,
                      struct err *why)
{
    FILE *file = fopen(path, "re");
    char line[LINE_BYTES];
    uint64_t number = 0;
    const char *needs = NULL;

    *about = (struct script_about){.nodes_min = 2, .nodes_max = SN_SYNC_NODES_MAX};
    if (file == NULL)
        return err_set(why, SN_EIO, "%s: what it says about itself cannot be read", name);
    while (needs == NULL && fgets(line, sizeof(line), file) != NULL) {
        char *text = line + strcspn(line, " \n");

        number++;
        line[strcspn(line, "\n")] = '\0';
        if (number > LINES_MAX)
            needs = "is one too many";
        if (line[0] == '\0' || line[0] == '#' || needs != NULL)
            continue;
        if (*text == ' ')
            *text++ = '\0';
        needs = read_line(about, line, text);
    }
    (void)fclose(file);
    if (needs == NULL)
        return 0;
    return err_set(why, SN_EFORMAT, "%s about, line %llu: \"%.60s\" %s", name,
                   (unsigned long long)number, line, needs);
}

/* ---- Running -------------------------------------------------------------------------------- */

static const char *name_of(const struct script *s)
{
    const char *slash = strrchr(s->path, '/');

    return slash != NULL ? slash + 1 : s->path;
}

/* The last line of a file, which is what a program says when it gives up. */
static void read_last(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    char next[LINE_BYTES];

    line[0] = '\0';
    while (file != NULL && fgets(next, sizeof(next), file) != NULL) {
        next[strcspn(next, "\n")] = '\0';
        if (next[0] != '\0')
            (void)snprintf(line, size, "%.190s", next);
    }
    if (file != NULL)
        (void)fclose(file);
}

/* Whether exit code 1 is an answer. */
static bool can_say_no(const char *verb)
{
    return strcmp(verb, "sync") == 0 || strcmp(verb, "status") == 0;
}

int script_run(const struct script *s, const char *verb, const char *directory, uint32_t n_nodes,
               uint32_t node, struct err *why)
{
    char nodes[16];
    char number[16];
    char output[PATH_MAX + 16];
    char last[200];
    char *const argv[] = {(char *)(uintptr_t)s->path,   (char *)(uintptr_t)verb,
                          (char *)(uintptr_t)directory, n_nodes > 0 ? nodes : NULL,
                          node > 0 ? number : NULL,     NULL};
    struct processes_command command = {
        .argv = argv, .directory = directory, .output = output, .timeout_ns = s->timeout_ns};
    int status = 0;

    (void)snprintf(nodes, sizeof(nodes), "%u", n_nodes);
    (void)snprintf(number, sizeof(number), "%u", node);
    (void)snprintf(output, sizeof(output), "%s/output", directory);
    switch (processes_run(&command, &status)) {
    case PROCESSES_HANGS:
        return err_set(why, -1, "%s hangs: it took more than %llu ms", verb,
                       (unsigned long long)(s->timeout_ns / 1000000));
    case PROCESSES_NONE:
        return err_set(why, -1, "%s cannot be started (%s)", verb, strerrordesc_np(status));
    case PROCESSES_EXITED:
        break;
    }
    if (status == 0 || (status == 1 && can_say_no(verb)))
        return status;
    read_last(output, last, sizeof(last));
    return err_set(why, -1, "%s failed with exit code %d%s%s", verb, status,
                   last[0] != '\0' ? ": " : "", last);
}

int script_meet(struct script *s, const char *directory, struct err *why)
{
    char output[PATH_MAX + 16];
    struct err what = {""};
    int rc;

    (void)snprintf(output, sizeof(output), "%s/output", directory);
    rc = script_run(s, "about", directory, 0, 0, &what);
    if (rc != 0)
        rc = err_set(why, SN_EINVAL, "%s: %.400s", name_of(s), what.text);
    else
        rc = script_read_about(&s->about, output, name_of(s), why);
    (void)remove(output);
    return rc;
}

/* ---- Patterns ------------------------------------------------------------------------------- */

bool script_matches(const char *pattern, const char *file, const char *name)
{
    char whole[SCRIPT_PATTERN_BYTES * 2];
    size_t n = 0;

    for (; *pattern != '\0' && n + 1 < sizeof(whole); pattern++) {
        size_t length = file != NULL ? strlen(file) : 0;

        if (pattern[0] == '%' && pattern[1] == 'f') {
            if (n + length + 1 >= sizeof(whole))
                return false;
            memcpy(whole + n, file != NULL ? file : "", length);
            n += length;
            pattern++;
        } else {
            whole[n++] = *pattern;
        }
    }
    whole[n] = '\0';
    return fnmatch(whole, name, 0) == 0;
}
