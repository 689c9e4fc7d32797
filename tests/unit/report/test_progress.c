/* test_progress.c - tests of progress.c, without a clock and mostly without a terminal.
 * SPDX-License-Identifier: MIT
 */
#include "report/progress.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

static struct progress progress;
static int ends[2];
static char drawn[4096];

/* After ten seconds of a test. */
static struct progress_figures figures = {.suite = "suite",
                                          .test = "test",
                                          .trials = 1234567,
                                          .steps = 240000000,
                                          .orders = 9121,
                                          .failures = 2,
                                          .trials_max = 6172835,
                                          .seconds = 10,
                                          .seconds_left = -1};

static int setup(void **state)
{
    (void)state;
    if (pipe2(ends, O_NONBLOCK) < 0)
        return -1;
    progress_init(&progress, ends[1]);
    progress_begin(&progress, 5 * SECOND);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    (void)close(ends[0]);
    (void)close(ends[1]);
    return 0;
}

/* What was written since the last call. */
static const char *draw(int fd)
{
    ssize_t n = read(fd, drawn, sizeof(drawn) - 1);

    drawn[n > 0 ? n : 0] = '\0';
    return drawn;
}

static const char *line_of(struct progress_figures f)
{
    progress_update(&progress, &f, 15 * SECOND);
    return draw(ends[0]);
}

static void the_line_says_how_far_the_run_is(void **state)
{
    (void)state;

    assert_string_equal(line_of(figures), "\rsuite/test  1.2 M trials, 123 k/s, 24 M steps/s, "
                                          "9121 orders, 2 failures, 0:...\033[K");
}

static void a_short_line_is_not_cut(void **state)
{
    struct progress_figures f = {
        .suite = "s", .test = "t", .trials = 1, .orders = 1, .seconds = 10, .seconds_left = -1};

    (void)state;

    assert_string_equal(line_of(f), "\rs/t  1 trial, 0/s, 0 steps/s, 1 order, 0 failures\033[K");
}

static void the_nearer_end_says_what_is_left(void **state)
{
    struct progress_figures f = {.suite = "s",
                                 .test = "t",
                                 .trials = 10,
                                 .trials_max = 1000,
                                 .seconds = 10,
                                 .seconds_left = -1};

    (void)state;
    f.seconds_left = 2;

    assert_non_null(strstr(line_of(f), ", 0:02 left"));
}

static void hours_are_shown_as_such(void **state)
{
    struct progress_figures f = {.suite = "s",
                                 .test = "t",
                                 .trials = 10,
                                 .trials_max = 10010,
                                 .seconds = 10,
                                 .seconds_left = -1};

    (void)state;

    assert_non_null(strstr(line_of(f), ", 2:46:40 left"));
}

static void an_end_that_nobody_waits_for_is_not_foretold(void **state)
{
    struct progress_figures f = {.suite = "s",
                                 .test = "t",
                                 .trials = 10,
                                 .trials_max = UINT64_MAX,
                                 .seconds = 10,
                                 .seconds_left = -1};

    (void)state;

    assert_null(strstr(line_of(f), "left"));
}

static void the_largest_figures_are_shown(void **state)
{
    struct progress_figures f = {.suite = "s",
                                 .test = "t",
                                 .trials = UINT64_MAX,
                                 .steps = UINT64_MAX,
                                 .orders = UINT64_MAX,
                                 .failures = UINT64_MAX,
                                 .seconds = 10,
                                 .seconds_left = -1};

    (void)state;

    assert_non_null(strstr(line_of(f), "18 E trials, 1.0 E/s, 1.0 E steps/s, 18 E orders"));
}

static void nothing_is_shown_of_a_test_that_is_done_at_once(void **state)
{
    (void)state;

    progress_update(&progress, &figures, 5 * SECOND + PROGRESS_PAUSE_NS - 1);

    assert_string_equal(draw(ends[0]), "");
}

static void the_line_changes_at_most_five_times_a_second(void **state)
{
    (void)state;
    (void)line_of(figures);

    progress_update(&progress, &figures, 15 * SECOND + PROGRESS_PAUSE_NS - 1);
    assert_string_equal(draw(ends[0]), "");

    progress_update(&progress, &figures, 15 * SECOND + PROGRESS_PAUSE_NS);
    assert_string_not_equal(draw(ends[0]), "");
}

static void clearing_takes_the_line_away_once(void **state)
{
    (void)state;
    (void)line_of(figures);

    progress_clear(&progress);
    assert_string_equal(draw(ends[0]), "\r\033[K");

    progress_clear(&progress);
    assert_string_equal(draw(ends[0]), "");
}

static void a_line_that_was_never_shown_is_not_cleared(void **state)
{
    (void)state;

    progress_clear(&progress);

    assert_string_equal(draw(ends[0]), "");
}

static void names_cannot_control_the_terminal(void **state)
{
    struct progress_figures f = {.suite = "a\n\033[2J", .test = "\xff", .seconds_left = -1};

    (void)state;
    (void)line_of(f);

    assert_null(strchr(drawn, '\n'));
    assert_null(strstr(drawn, "\033[2J"));
    assert_null(strchr(drawn, '\xff'));
}

/* A terminal that is `columns` wide. Returns its other end; the terminal is *terminal. */
static int open_terminal(unsigned short columns, int *terminal)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    int other = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);

    assert_true(other >= 0);
    assert_int_equal(grantpt(other), 0);
    assert_int_equal(unlockpt(other), 0);
    *terminal = open(ptsname(other), O_RDWR | O_NOCTTY);
    assert_true(*terminal >= 0);
    assert_int_equal(ioctl(*terminal, TIOCSWINSZ, &size), 0);
    return other;
}

static void the_line_fits_the_terminal(void **state)
{
    int terminal;
    int other = open_terminal(30, &terminal);

    (void)state;
    progress_init(&progress, terminal);
    progress_begin(&progress, 0);

    progress_update(&progress, &figures, 10 * SECOND);

    /* 29 columns: some terminals go on to the next line after the last one. */
    assert_string_equal(draw(other), "\rsuite/test  1.2 M trials, ...\033[K");
    (void)close(terminal);
    (void)close(other);
}

static void the_line_is_as_wide_as_the_terminal_is_now(void **state)
{
    struct winsize size = {.ws_row = 24, .ws_col = 200};
    int terminal;
    int other = open_terminal(30, &terminal);

    (void)state;
    progress_init(&progress, terminal);
    progress_begin(&progress, 0);
    progress_update(&progress, &figures, 10 * SECOND);
    (void)draw(other);
    assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);

    progress_update(&progress, &figures, 20 * SECOND);

    assert_non_null(strstr(draw(other), " left\033[K"));
    (void)close(terminal);
    (void)close(other);
}

static void any_text_is_shown_as_often_as_figures_are(void **state)
{
    (void)state;
    progress_show(&progress, "shrinking  48 -> 8 steps", 10 * SECOND);
    progress_show(&progress, "shrinking  48 -> 7 steps", 10 * SECOND + 1);

    assert_string_equal(draw(ends[0]), "\rshrinking  48 -> 8 steps\033[K");
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_line_says_how_far_the_run_is),
        TEST(a_short_line_is_not_cut),
        TEST(the_nearer_end_says_what_is_left),
        TEST(hours_are_shown_as_such),
        TEST(an_end_that_nobody_waits_for_is_not_foretold),
        TEST(the_largest_figures_are_shown),
        TEST(nothing_is_shown_of_a_test_that_is_done_at_once),
        TEST(the_line_changes_at_most_five_times_a_second),
        TEST(clearing_takes_the_line_away_once),
        TEST(a_line_that_was_never_shown_is_not_cleared),
        TEST(names_cannot_control_the_terminal),
        TEST(the_line_fits_the_terminal),
        TEST(any_text_is_shown_as_often_as_figures_are),
        TEST(the_line_is_as_wide_as_the_terminal_is_now),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
