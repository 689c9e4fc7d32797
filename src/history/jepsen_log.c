/* jepsen_log.c - reads the lines that Jepsen logs or leaves in history.txt, one event a line:
 *
 *     INFO  jepsen.util - 0    :invoke  :write  3
 *     2021-02-26 23:39:01,300{GMT} INFO [jepsen worker 0] jepsen.util: 0  :invoke  :write  3
 *     0                         :ok      :write  3
 *
 * All that is in front of a line's process is skipped, and so are lines that are no events: logs
 * have other things in them. SPDX-License-Identifier: MIT
 */
#include "history/edn.h"
#include "history/history.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

static size_t word_size(const char *at)
{
    size_t n = 0;

    while (at[n] != '\0' && !is_blank(at[n]))
        n++;
    return n;
}

/* Where the event begins. */
static const char *find_event(const char *line)
{
    static const char mark[] = "jepsen.util";
    const char *at = strstr(line, mark);

    if (at == NULL)
        return skip_blanks(line);
    at += sizeof(mark) - 1;
    at = skip_blanks(*at == ':' ? at + 1 : at);
    if (*at == '-' && is_blank(at[1]))
        at = skip_blanks(at + 1);
    return at;
}

/* The first form of what is left of a line; a second one would say what went wrong. */
static int read_value(struct history *h, uint64_t line, const char *at, const struct form **value)
{
    struct source source;
    struct edn edn;
    int bracket;
    int rc;

    source_open_memory(&source, h->source->name, at, strlen(at), line);
    edn_init(&edn, &source, &h->scratch, h->why);
    rc = edn_next(&edn, value, &bracket);
    edn_done(&edn);
    if (rc == EDN_CLOSED)
        return history_fail(h, line, "%c closes what was not opened", bracket);
    return rc < 0 ? rc : 0;
}

/* The number of a process. False: this is none, so the line is no event of a client. */
static bool read_process(const char *at, size_t n, uint64_t *process)
{
    char *end;

    if (n > 10 || at[0] < '0' || at[0] > '9')
        return false;
    *process = strtoull(at, &end, 10);
    return end == at + n;
}

static int read_line(struct history *h, uint64_t line, const char *text)
{
    struct history_event event = {.line = line};
    const char *at = find_event(text);
    size_t n = word_size(at);
    char quoted[48];
    uint64_t process;
    int rc;

    if (!read_process(at, n, &process))
        return 0;
    at = skip_blanks(at + n);
    if (at[0] != ':')
        return 0;
    if (process >= UINT32_MAX)
        return history_fail(h, line, "there can be no process %" PRIu64, process);
    event.process = (uint32_t)process;
    n = word_size(at);
    event.type = history_type_of(at + 1, n - 1);
    if (event.type == 0)
        return history_fail(h, line, "the type is %s, but must be :invoke, :ok, :fail or :info",
                            history_quote(at, n, quoted));
    at = skip_blanks(at + n);
    n = word_size(at);
    if (at[0] != ':' || n == 1)
        return history_fail(h, line, "the event does not name a function");
    event.function = at + 1;
    event.n_function = n - 1;
    rc = read_value(h, line, at + n, &event.value);
    return rc < 0 ? rc : history_event(h, &event);
}

int history_read_log(struct history *h)
{
    const char *text;
    uint64_t line;
    size_t n;
    int rc;

    while ((rc = source_line(h->source, &text, &n, &line, h->why)) > 0) {
        arena_clear(&h->scratch);
        rc = read_line(h, line, text);
        if (rc < 0)
            return rc;
    }
    return rc;
}
