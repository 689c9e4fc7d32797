/* show_shiviz.c - a trace as a log for ShiViz, which draws space-time diagrams from vector clocks.
 *
 * The file is what ShiViz takes when a file is loaded: the regular expression that reads it, a line
 * for the one that would tell executions apart, then two lines an event: what happened, and the
 * host with its clock. Hosts have neither blanks nor quotes: such characters are written as %XX,
 * and so is the percent sign, so that different machines stay different. A name that every object
 * of JavaScript has already would be taken for one, and is changed, too. What happened begins with
 * «step N», and therefore can't be taken for a host and its clock. SPDX-License-Identifier: MIT
 */
#include "report/show.h"

#include "base/err.h"
#include "base/utf8.h"
#include "report/show_clocks.h"
#include "report/show_tasks.h"
#include "report/words.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <string.h>

enum {
    TEXT_COLUMNS = 200,             /* of a payload, or anything else of an event */
    ENTRIES_MAX = 1 << 27,          /* of all clocks: more than a GB of text */
    HOST_SIZE = 4 * TRACE_NAME_MAX, /* bytes: each may become three, with some around them */
    COUNT_SIZE = 10,                /* digits */
};

/* A host as it is written in clocks: "name": */
struct host {
    const char *bytes;
    size_t n;
};

struct log {
    struct sn_text *out;
    const struct trace *trace;
    const struct show_options *options;
    struct show_tasks tasks;
    struct host *hosts; /* by the numbers of clocks */
};

/* ---- Hosts ---------------------------------------------------------------------------------- */

static bool is_known_to_objects(const char *name)
{
    static const char *const known[] = {
        "constructor",    "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable",
        "toLocaleString", "toString",       "valueOf",
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i], name) == 0)
            return true;
    }
    return strncmp(name, "__", 2) == 0;
}

/* Whether a character can stand in a host as it is: no blank, nothing that JSON or HTML knows. */
static bool is_plain(uint32_t code)
{
    if (code < 0x80)
        return code > ' ' && code < 0x7f && strchr("\"\\%<>&'`", (int)code) == NULL;
    /* Letters of most alphabets; beyond, there are blanks and other surprises. */
    return (code >= 0xa1 && code < 0x1680) || (code >= 0x3041 && code < 0xa000);
}

static void put_host(struct sn_text *out, const char *name)
{
    bool is_first_changed = name[0] == '(' || is_known_to_objects(name);
    size_t n = strlen(name);

    for (size_t at = 0; at < n;) {
        uint32_t code;
        size_t taken = utf8_decode(name + at, n - at, &code);

        if (taken > 0 && is_plain(code) && (at > 0 || !is_first_changed)) {
            text_add(out, name + at, taken);
        } else {
            taken = taken == 0 ? 1 : taken;
            for (size_t i = 0; i < taken; i++)
                text_print(out, "%%%02X", (unsigned)(unsigned char)name[at + i]);
        }
        at += taken;
    }
    if (n == 0)
        text_puts(out, "%");
}

/* The set-up is host "(test)": no machine can be called so, as theirs would be "%28test)". */
static int make_hosts(struct log *log)
{
    struct show_tasks *tasks = &log->tasks;
    char buffer[HOST_SIZE];
    struct sn_text host;

    log->hosts = arena_array(&tasks->arena, tasks->names.n + 1, sizeof(*log->hosts));
    if (log->hosts == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i <= tasks->names.n; i++) {
        text_init(&host, buffer, sizeof(buffer));
        text_puts(&host, "\"");
        if (i == 0)
            text_puts(&host, "(test)");
        else
            put_host(&host, tasks->names.list[i - 1]);
        text_puts(&host, "\":");
        sn_check(!host.cut);
        log->hosts[i] = (struct host){arena_copy(&tasks->arena, buffer, host.used), host.used};
        if (log->hosts[i].bytes == NULL)
            return SN_ENOMEM;
    }
    return 0;
}

/* ---- Events --------------------------------------------------------------------------------- */

static size_t columns_of(const struct log *log)
{
    return log->options->is_wide ? SIZE_MAX : TEXT_COLUMNS;
}

/* What is said of a step after its name: changes of state, draws, and so on. */
static void put_rest(const struct log *log, uint64_t step)
{
    const char *task = step == 0 ? NULL : show_step(log->trace, step)->step.task;
    const struct trace_verdict *verdict = &log->trace->verdict;
    char buffer[4096];
    struct sn_text words;
    size_t n;
    const struct trace_record *r = show_details(log->trace, step, &n);

    text_init(&words, buffer, sizeof(buffer));
    words_changes(&words, log->trace, step);
    words_end(&words);
    if (words.used > 0) {
        text_puts(log->out, "; ");
        (void)show_put(log->out, (struct trace_text){buffer, words.used}, columns_of(log));
    }
    text_clear(&words);
    words_draws(&words, log->trace, step);
    words_end(&words);
    if (words.used > 0) {
        text_puts(log->out, "; ");
        (void)show_put(log->out, (struct trace_text){buffer, words.used}, columns_of(log));
    }
    for (size_t i = 0; i < n; i++) {
        if (!words_is_told(&r[i], task, log->options->is_verbose))
            continue;
        text_puts(log->out, "; ");
        words_told(log->out, &r[i], columns_of(log));
    }
    if (verdict->verdict != TRACE_PASSED && verdict->step == step) {
        text_puts(log->out, verdict->verdict == TRACE_FAILED ? "; FAILED (" : "; UNCONTROLLED (");
        words_phrase(log->out, "", verdict->oracle, "): ", "");
        (void)show_put(log->out, verdict->message, SIZE_MAX);
    }
}

static void put_event(const struct log *log, uint64_t step)
{
    const struct trace_record *r;

    text_print(log->out, "step %" PRIu64, step);
    if (step == 0) {
        text_puts(log->out, ": set-up");
    } else {
        r = show_step(log->trace, step);
        text_puts(log->out, " at ");
        show_put_time(log->out, r->step.time_ns);
        text_puts(log->out, ": ");
        words_step(log->out, r);
        if (r->step.payload.bytes != NULL) {
            text_puts(log->out, "  ");
            (void)show_put(log->out, r->step.payload, columns_of(log));
        }
    }
    put_rest(log, step);
    text_putc(log->out, '\n');
}

/* Returns the bytes of a number. */
static size_t put_count(char *out, uint32_t count)
{
    char digits[COUNT_SIZE];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + count % 10);
        count /= 10;
    } while (count > 0);
    memcpy(out, digits + at, sizeof(digits) - at);
    return sizeof(digits) - at;
}

/* Nearly all of a log are clocks: their entries are put together before they are written. */
static void put_clock(const struct log *log, size_t host, const struct clock_entry *clock, size_t n)
{
    char piece[2 * HOST_SIZE];
    size_t used = 0;

    /* Without the quotes and the colon. */
    text_add(log->out, log->hosts[host].bytes + 1, log->hosts[host].n - 3);
    text_puts(log->out, " {");
    for (size_t i = 0; i < n; i++) {
        const struct host *entry = &log->hosts[clock[i].host];

        if (used + entry->n + COUNT_SIZE + 1 > sizeof(piece)) {
            text_add(log->out, piece, used);
            used = 0;
        }
        if (i > 0)
            piece[used++] = ',';
        memcpy(piece + used, entry->bytes, entry->n);
        used += entry->n;
        used += put_count(piece + used, clock[i].count);
    }
    text_add(log->out, piece, used);
    text_puts(log->out, "}\n");
}

/* ---- The whole ------------------------------------------------------------------------------ */

/* Looks whether the clocks of all steps can be written: nothing is, if not. */
static int check_size(const struct log *log)
{
    struct show_clocks clocks;
    size_t n = 0;
    int rc;

    if (log->tasks.range.last <= ENTRIES_MAX / (log->tasks.names.n + 1))
        return 0; /* even if each had an entry for every host */
    rc = show_clocks_init(&clocks, &log->tasks);
    for (uint64_t step = log->tasks.first; rc == 0 && step <= log->tasks.range.last; step++) {
        rc = show_clocks_take(&clocks, step);
        n += clocks.n;
        if (rc == 0 && n > ENTRIES_MAX)
            rc = err_set(log->options->remark, SN_EINVAL,
                         "a log for ShiViz has at most %d entries of vector clocks, and step "
                         "%" PRIu64 " is beyond that: choose steps by --from and --to",
                         ENTRIES_MAX, step);
    }
    show_clocks_done(&clocks);
    return rc;
}

static int put_all(const struct log *log)
{
    static const struct clock_entry set_up = {.host = 0, .count = 1};
    struct show_clocks clocks;
    int rc = show_clocks_init(&clocks, &log->tasks);

    text_puts(log->out, "(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})\n\n");
    if (log->tasks.range.first == 0) {
        put_event(log, 0);
        put_clock(log, 0, &set_up, 1);
    }
    for (uint64_t step = log->tasks.first; rc == 0 && step <= log->tasks.range.last; step++) {
        rc = show_clocks_take(&clocks, step);
        if (rc < 0)
            break;
        put_event(log, step);
        put_clock(log, show_tasks_of(&log->tasks, step) + 1, clocks.clock, clocks.n);
    }
    show_clocks_done(&clocks);
    if (rc < 0)
        return rc;
    return log->out->cut || text_flush(log->out) < 0 ? SN_EIO : 0;
}

int show_shiviz(struct sn_text *out, const struct trace *trace, const struct show_options *options)
{
    struct log log = {.out = out, .trace = trace, .options = options};
    int rc = show_tasks_init(&log.tasks, trace, show_range_of(trace, options));

    if (rc == 0)
        rc = make_hosts(&log);
    if (rc == 0)
        rc = check_size(&log);
    if (rc == 0)
        rc = put_all(&log);
    show_tasks_done(&log.tasks);
    return rc;
}
