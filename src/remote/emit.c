/* emit.c - see emit.h.
 *
 * The file starts the client with the interleaving in its environment (docs/protocol.md), so it is
 * the same test in the same program. SPDX-License-Identifier: MIT
 */
#include "remote/emit.h"

#include "base/json.h"

#include <errno.h>
#include <sennit/test.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 65536 };

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text);
    size_t m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* What happens, in lines that begin with the mark of a comment. */
static void put_story(const struct emit_job *job, const char *mark, struct sn_text *out)
{
    text_print(out, "%s ", mark);
    for (const char *c = job->what; *c != '\0' && *c != '\n'; c++)
        text_putc(out, *c);
    text_putc(out, '\n');
    for (uint32_t i = 0; i < job->n; i++) {
        char line[1024];
        struct sn_text text;

        text_init(&text, line, sizeof(line));
        recording_print_event(job->recording, job->order[i], &text);
        text_print(out, "%s   %2u  %s\n", mark, job->order[i], line);
    }
}

static void put_quoted(const char *text, struct sn_text *out)
{
    text_putc(out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            text_puts(out, "'\\''");
        else
            text_putc(out, *text);
    }
    text_putc(out, '\'');
}

static void put_script(const struct emit_job *job, const char *order, struct sn_text *out)
{
    text_puts(out, "#!/bin/sh\n");
    put_story(job, "#", out);
    text_puts(out, "SENNIT_INTERLEAVING=");
    put_quoted(order, out);
    text_puts(out, " exec sh -c ");
    put_quoted(job->command, out);
    text_putc(out, '\n');
}

/* Whether a file is a module depends on where it lies; both kinds understand this. */
static void put_javascript(const struct emit_job *job, const char *order, struct sn_text *out)
{
    text_puts(out, "#!/usr/bin/env node\n");
    put_story(job, "//", out);
    text_puts(out, "import('node:child_process').then(({ spawnSync }) => {\n"
                   "  const { status } = spawnSync('/bin/sh', ['-c', ");
    json_put_string(out, job->command, strlen(job->command));
    text_puts(out, "], {\n    stdio: 'inherit',\n    env: { ...process.env, SENNIT_INTERLEAVING: ");
    json_put_string(out, order, strlen(order));
    text_puts(out, " },\n  });\n  process.exitCode = status === null ? 1 : status;\n});\n");
}

static int write_file(const char *path, const char *bytes, size_t n, struct err *why)
{
    FILE *file = fopen(path, "we");
    bool ok;

    if (file == NULL)
        return err_set(why, SN_EIO, "%s cannot be written: %s", path, strerror(errno));
    ok = fwrite(bytes, 1, n, file) == n;
    ok = fclose(file) == 0 && ok;
    (void)chmod(path, 0755);
    return ok ? 0 : err_set(why, SN_EIO, "%s cannot be written: %s", path, strerror(errno));
}

int emit_write(const struct emit_job *job, struct err *why)
{
    static char bytes[FILE_MAX];
    char order[4 * RECORDING_EVENTS_MAX];
    struct sn_text text;

    text_init(&text, order, sizeof(order));
    recording_print_order(job->order, job->n, &text);
    text_init(&text, bytes, sizeof(bytes));
    if (ends_with(job->path, "js"))
        put_javascript(job, order, &text);
    else
        put_script(job, order, &text);
    return write_file(job->path, bytes, text.used, why);
}
