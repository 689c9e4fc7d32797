/* disk_scenario.h - a machine on a node that does one thing with its disk, and every outcome of it.
 *
 * Where a crash decides, dfs goes through all that it can decide and the set of what was left is
 * compared. A file is described by its runs of equal bytes: "100a2." is a hundred times 'a' and two
 * zeros. SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_SUBSTRATE_DISK_SCENARIO_H
#define TESTS_UNIT_SUBSTRATE_DISK_SCENARIO_H

#include "../observe.h"
#include "engine/here.h"
#include "substrate/disk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- A machine on a node that does one thing ------------------------------------------------- */

static void (*scenario)(void); /* constant while trials run */

static inline void act(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    scenario();
}

static const struct sn_state acting = {.name = "Acting", .entry = act};
static const struct sn_machine actor = {.name = "Actor", .start = &acting};

static inline void run_on_a_node(void)
{
    (void)sn_create_on(sn_node_new("n1"), &actor, NULL);
}

static inline struct sn_result run_scenario(void (*run)(void), void (*what)(void))
{
    const struct sn_test test = {.name = "scenario", .run = run, .world = SN_WORLD_TRIAL};

    scenario = what;
    observe_clear();
    return run_test_all(&test);
}

static inline void crash(void)
{
    disk_crash(trial_here(), sn_node_of(sn_self()));
}

/* ---- Writing and describing ------------------------------------------------------------------ */

static inline void append(const char *file, char c, size_t n)
{
    char bytes[4096];

    memset(bytes, c, sizeof(bytes));
    sn_assert(sn_disk_append(file, bytes, n) == 0);
}

static inline void put(const char *file, uint64_t offset, char c, size_t n)
{
    char bytes[4096];

    memset(bytes, c, sizeof(bytes));
    sn_assert(sn_disk_write(file, offset, bytes, n) == 0);
}

static inline void sync_it(const char *file)
{
    sn_assert(sn_disk_sync(file) == 0);
}

static inline void describe(struct sn_text *out, const char *file)
{
    char bytes[8192];
    int64_t n = sn_disk_read(file, 0, bytes, sizeof(bytes));
    int64_t i = 0;

    if (n == SN_EIO)
        n = sn_disk_read(file, 0, bytes, sizeof(bytes)); /* no test has more than one error */
    sn_assert(n == (sn_disk_size(file) < 0 ? SN_ENOTFOUND : sn_disk_size(file)));
    if (n <= 0)
        sn_print(out, "%s", n < 0 ? "none" : "empty");
    while (i < n) {
        int64_t from = i;

        while (i < n && bytes[i] == bytes[from])
            i++;
        sn_print(out, "%d%c", (int)(i - from), bytes[from] != 0 ? bytes[from] : '.');
    }
}

/* What the files hold, separated by commas; counted once, however often it is found. */
static inline void outcome(const char *file, const char *other)
{
    char text[256];
    struct sn_text out;

    text_init(&out, text, sizeof(text));
    sn_print(&out, " ");
    describe(&out, file);
    if (other != NULL) {
        sn_print(&out, ",");
        describe(&out, other);
    }
    sn_print(&out, " ");
    if (strstr(seen->text, text) == NULL)
        observe("%s", text);
}

/* Each of the expected outcomes was found, and none besides. */
static inline void assert_outcomes(const struct sn_result *r, const char *expected)
{
    size_t length = 0;
    char one[256];
    int used = 0;

    assert_string_equal(r->failure, "");
    assert_true(r->exhausted);
    for (const char *at = expected; sscanf(at, "%250s%n", one + 1, &used) == 1; at += used) {
        one[0] = ' ';
        strcat(one, " ");
        if (strstr(seen->text, one) == NULL)
            print_error("not found: %s in: %s\n", one, seen->text);
        assert_non_null(strstr(seen->text, one));
        length += strlen(one);
    }
    if (length != strlen(seen->text))
        print_error("expected: %s found: %s\n", expected, seen->text);
    assert_int_equal(length, strlen(seen->text));
}

/* A durable file. */
static inline void prepare(const char *file, char c, size_t n)
{
    append(file, c, n);
    sync_it(file);
}

#endif
