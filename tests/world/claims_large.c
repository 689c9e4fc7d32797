/* claims_large.c - much memory costs what a trial touches of it.
 * SPDX-License-Identifier: MIT
 */
#include "claims.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TABLE = 64 << 20,
    FILLED = 4 << 20,
    PAGE = 4096,
};

static unsigned char table[TABLE];

/* In .data: mapped from the program's file. */
static unsigned char filled[FILLED] = {[0] = 1, [FILLED / 2] = 2, [FILLED - 1] = 3};

/* Field `index` of /proc/self/statm, in KiB: 1 is resident memory. */
static long resident_kib(void)
{
    char buffer[200] = "";
    int fd = open("/proc/self/statm", O_RDONLY);
    char *end = buffer;

    if (fd < 0)
        return -1;
    (void)!read(fd, buffer, sizeof(buffer) - 1);
    close(fd);
    (void)strtol(buffer, &end, 10);
    return strtol(end, NULL, 10) * 4;
}

static bool can_track(void)
{
    return shim_note()[0] == '\0';
}

static const char *an_untouched_table_costs_nothing(void)
{
    long before = resident_kib();
    uint32_t m = shim_save();
    int other = 0;

    for (int i = 0; i < 100; i++) {
        other += i;
        escape(&other);
        shim_restore(m);
    }

    HOLDS(shim_bytes() < 1 << 20);
    HOLDS(resident_kib() - before < 16 << 10);
    return NULL;
}

static const char *touched_pages_of_a_table_come_back(void)
{
    uint32_t m;
    uint32_t n;

    escape(table);
    table[5 * PAGE + 7] = 11;
    table[TABLE / 2] = 12;
    m = shim_save();
    for (int i = 0; i < 20; i++) {
        HOLDS(table[5 * PAGE + 7] == 11 && table[TABLE / 2] == 12 && table[30 << 20] == 0);
        table[5 * PAGE + 7] = 21;
        table[30 << 20] = 22;
        n = shim_save();
        table[5 * PAGE + 7] = 31;
        table[30 << 20] = 0;
        table[TABLE / 2] = 32;
        shim_restore(n);
        HOLDS(table[5 * PAGE + 7] == 21 && table[30 << 20] == 22 && table[TABLE / 2] == 12);
        shim_restore(m);
    }
    HOLDS(!can_track() || shim_bytes() < 2 << 20);
    table[5 * PAGE + 7] = 0;
    table[TABLE / 2] = 0;
    return NULL;
}

static const char *initialised_data_comes_back(void)
{
    uint32_t m;

    escape(filled);
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        filled[0] = filled[FILLED / 2] = filled[FILLED - 1] = 9;
        filled[FILLED / 4] = 8;
        shim_restore(m);
        HOLDS(filled[0] == 1 && filled[FILLED / 2] == 2 && filled[FILLED - 1] == 3);
        HOLDS(filled[FILLED / 4] == 0);
    }
    return NULL;
}

static const char *what_the_kernel_writes_comes_back(void)
{
    int fd = open("/dev/urandom", O_RDONLY);
    uint32_t m;

    escape(table);
    table[20 << 20] = 1;
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        HOLDS(read(fd, table + (20 << 20), 2 * PAGE) == 2 * PAGE);
        shim_restore(m);
        HOLDS(table[20 << 20] == 1);
        HOLDS(table[(20 << 20) + 1] == 0 && table[(20 << 20) + PAGE] == 0);
    }
    close(fd);
    table[20 << 20] = 0;
    return NULL;
}

static const char *a_large_heap_partly_written_comes_back(void)
{
    enum { SIZE = 16 << 20 };
    unsigned char *p = escape(malloc(SIZE));
    uint32_t m;

    for (size_t i = 0; i < SIZE; i += 64)
        p[i] = (unsigned char)(i / 64 % 251);
    m = shim_save();
    for (int trial = 0; trial < 20; trial++) {
        for (size_t i = 0; i < SIZE; i += 300 * PAGE)
            memset(p + i, trial, PAGE);
        if (trial % 3 == 0)
            free(p);
        shim_restore(m);
        for (size_t i = 0; i < SIZE; i += 64)
            HOLDS(p[i] == (unsigned char)(i / 64 % 251));
    }
    free(p);
    return NULL;
}

static const char *many_small_blocks_come_back(void)
{
    enum { N = 40000 }; /* of 100 bytes: an arena of some MiB */
    char **blocks = escape(calloc(N, sizeof(*blocks)));
    uint32_t m;

    shim_enter(11);
    for (int i = 0; i < N; i++) {
        blocks[i] = escape(malloc(100));
        memset(blocks[i], i % 100, 100);
    }
    m = shim_save();
    for (int trial = 0; trial < 10; trial++) {
        for (int i = trial; i < N; i += 1000) {
            free(blocks[i]);
            blocks[i] = malloc((size_t)(i % 500));
        }
        shim_restore(m);
        for (int i = 0; i < N; i++)
            HOLDS(blocks[i][0] == i % 100 && blocks[i][99] == i % 100);
    }
    shim_enter(0);
    return NULL;
}

static const char *large_blocks_of_a_trial_are_zero_and_gone_after_it(void)
{
    uint32_t m;
    void *first = NULL;

    free(malloc(5 << 20));
    m = shim_save();
    for (int trial = 0; trial < 5; trial++) {
        unsigned char *p = escape(malloc(8 << 20));
        unsigned char *q = escape(malloc(3 << 20));

        if (trial == 0)
            first = p;
        HOLDS(p == first);
        for (size_t i = 0; i < 8 << 20; i += 1000)
            HOLDS(p[i] == 0);
        memset(p, 0x77, 8 << 20);
        memset(q, 0x78, 3 << 20);
        if (trial % 2 == 0)
            free(p);
        shim_restore(m);
    }
    return NULL;
}

/* Saves before the fork, goes back after it: the child has to watch its own pages. */
static const char *a_forked_process_goes_back_on_its_own(void)
{
    uint32_t m;
    int status = -1;
    pid_t child;

    escape(table);
    for (size_t i = 0; i < 8 << 20; i += PAGE)
        table[i] = 5;
    m = shim_save();
    table[PAGE] = 6;
    child = fork();
    if (child == 0) {
        bool good = true;

        for (int i = 0; i < 5; i++) {
            table[(size_t)i * 100 * PAGE] = 7;
            shim_restore(m);
            for (size_t k = 0; k < 8 << 20; k += PAGE)
                good = good && table[k] == 5;
        }
        _exit(good ? 0 : 1);
    }
    HOLDS(waitpid(child, &status, 0) == child && status == 0);
    HOLDS(table[PAGE] == 6);
    shim_restore(m);
    HOLDS(table[PAGE] == 5);
    memset(table, 0, 8 << 20);
    return NULL;
}

static const char *ten_thousand_trials_take_no_more_memory(void)
{
    int trials = can_track() ? 10000 : 300; /* without tracking, each looks at all of the table */
    uint32_t m;
    long before = 0;

    m = shim_save();
    for (int i = 0; i < trials; i++) {
        char *p = escape(malloc((size_t)(i % 5000)));
        uint32_t n;

        table[(size_t)(i % 100) * PAGE] = 1;
        n = shim_save();
        (void)!asprintf(&p, "%d", i);
        shim_restore(n);
        shim_restore(m);
        if (i == 200)
            before = resident_kib();
    }
    HOLDS(resident_kib() - before < 512);
    return NULL;
}

const struct claim claims_large[] = {
    ENTRY(an_untouched_table_costs_nothing),
    ENTRY(touched_pages_of_a_table_come_back),
    ENTRY(initialised_data_comes_back),
    ENTRY(what_the_kernel_writes_comes_back),
    ENTRY(a_large_heap_partly_written_comes_back),
    ENTRY(many_small_blocks_come_back),
    ENTRY(large_blocks_of_a_trial_are_zero_and_gone_after_it),
    ENTRY(a_forked_process_goes_back_on_its_own),
    ENTRY(ten_thousand_trials_take_no_more_memory),
    {NULL, NULL},
};
