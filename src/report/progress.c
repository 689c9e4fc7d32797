/* progress.c - see progress.h. SPDX-License-Identifier: MIT */
#include "report/progress.h"

#include "base/text.h"
#include "report/show.h"

#include <inttypes.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_DEFAULT = 80, LINE_BYTES = 1024 };

void progress_init(struct progress *progress, int fd)
{
    *progress = (struct progress){.fd = fd};
}

void progress_begin(struct progress *progress, uint64_t now_ns)
{
    progress->next_ns = now_ns + PROGRESS_PAUSE_NS; /* a test that is done at once shows nothing */
}

/* ---- Words ---------------------------------------------------------------------------------- */

/* 9121, 310 k, 1.2 M: at most three digits that count. */
static void put_amount(struct sn_text *out, uint64_t n, uint64_t plain_max)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P", " E"};
    uint64_t tenths = n;
    int unit = 0;

    if (n <= plain_max) {
        text_print(out, "%" PRIu64, n);
        return;
    }
    for (unit = 1; n >= 1000000; unit++)
        n /= 1000;
    tenths = n / 100;
    if (tenths < 100)
        text_print(out, "%" PRIu64 ".%" PRIu64 "%s", tenths / 10, tenths % 10, units[unit]);
    else
        text_print(out, "%" PRIu64 "%s", tenths / 10, units[unit]);
}

static void put_time(struct sn_text *out, uint64_t seconds)
{
    if (seconds >= 3600)
        text_print(out, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, seconds / 3600, seconds / 60 % 60,
                   seconds % 60);
    else
        text_print(out, "%" PRIu64 ":%02" PRIu64, seconds / 60, seconds % 60);
}

/* So many a second. */
static uint64_t rate(uint64_t n, double seconds)
{
    double a_second = seconds > 0 ? (double)n / seconds : 0;

    return a_second < 1e18 ? (uint64_t)a_second : UINT64_C(1000000000000000000);
}

/* Seconds until the run ends by itself, whichever of its ends comes first. False: it has none. */
static bool find_end(const struct progress_figures *f, uint64_t *seconds)
{
    double left = f->seconds_left;

    if (f->trials_max > f->trials && f->trials > 0) {
        double by_trials = (double)(f->trials_max - f->trials) / (double)f->trials * f->seconds;

        left = left < 0 || by_trials < left ? by_trials : left;
    }
    if (f->done > 0) {
        double by_search = f->seconds * (1 - f->done) / f->done;

        left = left < 0 || by_search < left ? by_search : left;
    }
    if (left < 0 || left >= 360000) /* a hundred hours: nobody waits for the end */
        return false;
    *seconds = (uint64_t)(left + 0.5);
    return true;
}

static void put_figures(struct sn_text *out, const struct progress_figures *f)
{
    uint64_t seconds;

    text_print(out, "%.200s/%.200s  ", f->suite, f->test);
    put_amount(out, f->trials, 9999);
    text_puts(out, f->trials == 1 ? " trial, " : " trials, ");
    put_amount(out, rate(f->trials, f->seconds), 999);
    text_puts(out, "/s, ");
    put_amount(out, rate(f->steps, f->seconds), 999);
    text_puts(out, " steps/s, ");
    put_amount(out, f->orders, 9999);
    text_puts(out, f->orders == 1 ? " order, " : " orders, ");
    if (f->done > 0)
        text_print(out, "%s%.3g %%, ", f->is_most ? "at most " : "", f->done * 100);
    put_amount(out, f->failures, 9999);
    text_puts(out, f->failures == 1 ? " failure" : " failures");
    if (find_end(f, &seconds)) {
        text_puts(out, ", ");
        put_time(out, seconds);
        text_puts(out, " left");
    }
}

/* ---- The terminal --------------------------------------------------------------------------- */

static unsigned columns_of(int fd)
{
    struct winsize size;

    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS_DEFAULT;
}

void progress_update(struct progress *progress, const struct progress_figures *figures,
                     uint64_t now_ns)
{
    char whole[LINE_BYTES];
    struct sn_text line;

    if (now_ns < progress->next_ns)
        return;
    text_init(&line, whole, sizeof(whole));
    put_figures(&line, figures);
    progress_show(progress, whole, now_ns);
}

void progress_show(struct progress *progress, const char *text, uint64_t now_ns)
{
    char shown[4 * LINE_BYTES];
    struct sn_text out;

    if (now_ns < progress->next_ns)
        return;
    progress->next_ns = now_ns + PROGRESS_PAUSE_NS;
    text_init_fd(&out, shown, sizeof(shown), progress->fd);
    text_putc(&out, '\r');
    /* Not in the last column: some terminals go on to the next line then. */
    (void)show_put(&out, trace_text_of(text), columns_of(progress->fd) - 1);
    text_puts(&out, "\033[K");
    (void)text_flush(&out);
    progress->is_shown = true;
}

void progress_clear(struct progress *progress)
{
    static const char clear[] = "\r\033[K";

    if (!progress->is_shown)
        return;
    (void)!write(progress->fd, clear, sizeof(clear) - 1);
    progress->is_shown = false;
}
