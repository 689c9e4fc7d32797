/* check_progress.c - the line that shows how far `sennit check` is.
 *
 * It is written by a handler of a signal, which calls nothing that is not safe there: no printf, no
 * allocation. It looks at three kinds of data only. While a file is read, at numbers that are kept
 * here for it. From then on also at the history, which nobody changes any more, and at what the
 * checker tells in the result, which is written and read as a whole. SPDX-License-Identifier: MIT
 */
#include "base/text.h"
#include "cli/check.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { TICK_MS = 250, LINE_MAX = 256, PATH_SHOWN_MAX = 100 };

enum phase { PHASE_NONE = 0, PHASE_READ, PHASE_CHECK, PHASE_EXPLAIN };

/* All that the handler looks at, one file at a time. */
static const struct check_outcome *outcome;
static atomic_int phase; /* set after what it allows to look at */
static atomic_int ticks;
static atomic_ullong megabytes_read;
static atomic_ullong operations_read;
static atomic_bool is_shown;

static void put_number(struct sn_text *out, unsigned long long number)
{
    char digits[24];
    size_t n = sizeof(digits);

    do {
        digits[--n] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    text_add(out, digits + n, sizeof(digits) - n);
}

static void put_checking(struct sn_text *out)
{
    const struct sn_check_result *result = &outcome->result;
    size_t stuck = __atomic_load_n(&result->stuck, __ATOMIC_RELAXED);

    text_puts(out, "checking ");
    put_number(out, outcome->history.n);
    text_puts(out, " operations");
    if (__atomic_load_n(&result->configurations, __ATOMIC_RELAXED) == 0 ||
        stuck >= outcome->history.n)
        return;
    text_puts(out, ", stuck at ");
    history_print_operation(&outcome->history, history_operations(&outcome->history) + stuck, out);
}

static void put_phase(struct sn_text *out, int now)
{
    if (now == PHASE_CHECK) {
        put_checking(out);
    } else if (now == PHASE_EXPLAIN) {
        text_puts(out, "not linearizable, looking for a small part that shows it");
    } else {
        put_number(out, megabytes_read);
        text_puts(out, " MB read, ");
        put_number(out, operations_read);
        text_puts(out, " operations");
    }
}

static void on_tick(int signal)
{
    char line[LINE_MAX];
    struct sn_text out;
    int saved = errno;
    int now = phase;
    size_t n;

    (void)signal;
    if (now == PHASE_NONE)
        return;
    n = strlen(outcome->path);
    text_init(&out, line, sizeof(line) - 8);
    text_putc(&out, '\r');
    text_add(&out, outcome->path, n < PATH_SHOWN_MAX ? n : PATH_SHOWN_MAX);
    text_puts(&out, ": ");
    put_number(&out, (unsigned)++ticks * TICK_MS / 1000);
    text_puts(&out, " s, ");
    put_phase(&out, now);
    text_init(&out, line + out.used, 8);
    text_puts(&out, "\033[K");
    is_shown = true;
    (void)!write(STDERR_FILENO, line, strlen(line));
    errno = saved;
}

static void set_timer(long ms)
{
    struct itimerval timer = {.it_interval = {.tv_usec = ms * 1000},
                              .it_value = {.tv_usec = ms * 1000}};

    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

void check_progress_begin(const struct check_outcome *begun)
{
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};

    if (isatty(STDERR_FILENO) == 0)
        return;
    outcome = begun;
    ticks = 0;
    megabytes_read = 0;
    operations_read = 0;
    phase = PHASE_READ;
    (void)sigaction(SIGALRM, &action, NULL);
    set_timer(TICK_MS);
}

void check_progress_read(void *self, const struct source *source)
{
    const struct check_outcome *read = self;

    megabytes_read = source->bytes >> 20;
    operations_read = read->history.n;
}

static void enter(enum phase next)
{
    if (phase != PHASE_NONE)
        phase = next;
}

void check_progress_check(void)
{
    enter(PHASE_CHECK);
}

void check_progress_explain(void)
{
    enter(PHASE_EXPLAIN);
}

void check_progress_end(void)
{
    if (phase == PHASE_NONE)
        return;
    set_timer(0);
    phase = PHASE_NONE;
    if (is_shown)
        (void)!write(STDERR_FILENO, "\r\033[K", 4);
    is_shown = false;
}
