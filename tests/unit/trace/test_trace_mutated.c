/* test_trace_mutated.c - traces damaged at random: none may crash the reader, and each that is
 * refused must be refused with a sentence that names the file.
 *
 * Half of the damaged traces get the end record they deserve, so that they meet more than the
 * check.
 * SPDX-License-Identifier: MIT
 */
#include "base/rng.h"
#include "sample.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum {
    ROUNDS = 4000,
    SIZE_MAX_BYTES = 4 * SAMPLE_SIZE,
};

struct damaged {
    char bytes[SIZE_MAX_BYTES];
    size_t n;
};

static char original[SAMPLE_SIZE];
static size_t original_size;
static struct damaged work;
static char again[16 * SAMPLE_SIZE];
static struct rng rng;

static size_t below(size_t n)
{
    return n == 0 ? 0 : rng_below(&rng, (uint32_t)n);
}

/* A line at random: its first byte, and in *size its bytes with the line end. */
static size_t some_line(const struct damaged *d, size_t *size)
{
    size_t at = below(d->n);
    size_t end = at;

    while (at > 0 && d->bytes[at - 1] != '\n')
        at--;
    while (end < d->n && d->bytes[end] != '\n')
        end++;
    *size = end + (end < d->n ? 1 : 0) - at;
    return at;
}

/* Puts n bytes at `at`; whatever does not fit is not put. */
static void insert(struct damaged *d, size_t at, const char *bytes, size_t n)
{
    if (d->n + n > sizeof(d->bytes) / 2)
        return;
    memmove(d->bytes + at + n, d->bytes + at, d->n - at);
    memcpy(d->bytes + at, bytes, n);
    d->n += n;
}

static void delete (struct damaged *d, size_t at, size_t n)
{
    memmove(d->bytes + at, d->bytes + at + n, d->n - at - n);
    d->n -= n;
}

static void flip_byte(struct damaged *d)
{
    if (d->n > 0)
        d->bytes[below(d->n)] ^= (char)(1 << below(8));
}

static void set_byte(struct damaged *d)
{
    static const char interesting[] = "\"\\{}[]:,0-9e.\n\t \x00\x1f\x7f\x80\xc3\xff";

    if (d->n > 0)
        d->bytes[below(d->n)] = interesting[below(sizeof(interesting) - 1)];
}

static void truncate_file(struct damaged *d)
{
    d->n = below(d->n);
}

static void delete_line(struct damaged *d)
{
    size_t size;
    size_t at = some_line(d, &size);

    delete (d, at, size);
}

static void duplicate_line(struct damaged *d)
{
    char line[4096];
    size_t size;
    size_t at = some_line(d, &size);

    if (size > sizeof(line))
        return;
    memcpy(line, d->bytes + at, size);
    insert(d, at, line, size);
}

static void move_line(struct damaged *d)
{
    char line[4096];
    size_t size;
    size_t at = some_line(d, &size);

    if (size > sizeof(line))
        return;
    memcpy(line, d->bytes + at, size);
    delete (d, at, size);
    at = some_line(d, &(size_t){0});
    insert(d, at, line, size);
}

static void change_number(struct damaged *d)
{
    static const char *const numbers[] = {"0", "-1", "18446744073709551616", "1e9", "00", ""};
    size_t at = below(d->n);
    size_t n = 0;
    const char *number = numbers[below(sizeof(numbers) / sizeof(numbers[0]))];

    while (at < d->n && (d->bytes[at] < '0' || d->bytes[at] > '9'))
        at++;
    while (at + n < d->n && d->bytes[at + n] >= '0' && d->bytes[at + n] <= '9')
        n++;
    delete (d, at, n);
    insert(d, at, number, strlen(number));
}

static void (*const damages[])(struct damaged *) = {
    flip_byte, set_byte, truncate_file, delete_line, duplicate_line, move_line, change_number,
};

/* Cuts off the end record, if there is one, and adds the right one. */
static void close_again(struct damaged *d)
{
    static const char end[] = "{\"end\":";

    for (size_t i = d->n; i-- > 0;) {
        if ((i == 0 || d->bytes[i - 1] == '\n') && d->n - i > sizeof(end) &&
            memcmp(d->bytes + i, end, sizeof(end) - 1) == 0) {
            d->n = i;
            break;
        }
    }
    d->n = sample_close(d->bytes, d->n, sizeof(d->bytes));
}

static void damage(size_t times)
{
    memcpy(work.bytes, original, original_size);
    work.n = original_size;
    while (times-- > 0)
        damages[below(sizeof(damages) / sizeof(damages[0]))](&work);
    if (below(2) == 0)
        close_again(&work);
}

/* Parses the work, and checks what must hold whatever it is. Returns whether it was taken. */
static bool is_taken(void)
{
    struct trace trace;
    struct trace back;
    struct err why = {0};
    size_t n;

    if (trace_parse(&trace, work.bytes, work.n, "damaged.trace", &why) < 0) {
        assert_int_equal(strncmp(why.text, "damaged.trace:", 14), 0);
        assert_true(strlen(why.text) > 20);
        assert_true(strlen(why.text) < sizeof(why.text) - 1);
        assert_null(strchr(why.text, '\n'));
        return false;
    }
    n = sample_write_back(&trace, again, sizeof(again) / 2);
    assert_int_equal(trace_parse(&back, again, n, "again.trace", &why), 0);
    assert_int_equal(sample_write_back(&back, again + n, sizeof(again) - n), n);
    assert_memory_equal(again, again + n, n);
    trace_done(&back);
    trace_done(&trace);
    return true;
}

static void the_undamaged_trace_is_taken(void **state)
{
    (void)state;
    damage(0);
    memcpy(work.bytes, original, original_size);
    work.n = original_size;
    assert_true(is_taken());
}

static void no_damage_crashes_the_reader(void **state)
{
    size_t taken = 0;
    size_t refused = 0;

    (void)state;
    for (size_t i = 0; i < ROUNDS; i++) {
        damage(1 + below(3));
        if (is_taken())
            taken++;
        else
            refused++;
    }

    /* Both must happen often, or the test tests less than it says. */
    assert_true(taken > ROUNDS / 50);
    assert_true(refused > ROUNDS / 2);
}

static void any_single_flipped_bit_is_refused(void **state)
{
    (void)state;
    for (size_t bit = 0; bit < original_size * 8; bit++) {
        struct trace trace;
        struct err why;

        original[bit / 8] ^= (char)(1 << bit % 8);
        assert_true(trace_parse(&trace, original, original_size, "bit.trace", &why) < 0);
        original[bit / 8] ^= (char)(1 << bit % 8);
    }
}

static int setup(void **state)
{
    (void)state;
    rng_init(&rng, 20, 1);
    original_size = sample_write(original, sizeof(original));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_undamaged_trace_is_taken, setup),
        cmocka_unit_test_setup(no_damage_crashes_the_reader, setup),
        cmocka_unit_test_setup(any_single_flipped_bit_is_refused, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
