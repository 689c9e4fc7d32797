/* fuzz_coverage.c - a libFuzzer target: any bytes as a file of coverage.
 *
 * What is taken must survive being written and read again unchanged, being shown, and being taken
 * together with another run; and what it says of the next trial must be probabilities.
 * SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "engine/mem.h"
#include "report/coverage_file.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20 };

static char again[TEXT_MAX];
static char once_more[TEXT_MAX];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t write_coverage(const struct run_coverage *c, char *buffer)
{
    struct sn_text out;

    text_init(&out, buffer, TEXT_MAX);
    coverage_put(&out, c);
    sn_check(!out.cut);
    return out.used;
}

/* Shows it into a buffer that is soon full, which must not matter. */
static void show_all(const struct run_coverage *c)
{
    static char buffer[512];
    struct sn_text out;

    text_init(&out, buffer, sizeof(buffer));
    run_coverage_put_next(&out, "", c, true);
    text_init(&out, buffer, sizeof(buffer));
    run_coverage_put_next(&out, "", c, false);
    text_init(&out, buffer, sizeof(buffer));
    run_coverage_put_rest(&out, "", c, true);
}

static void check_estimates(const struct run_coverage *c)
{
    for (uint32_t i = 0; i < c->n_arms; i++) {
        const struct discovery_estimate *e = &c->arms[i].estimate;

        if (e->answer != DISCOVERY_KNOWN)
            continue;
        sn_check(e->low >= 0 && e->low <= e->next);
        sn_check(e->next <= e->high && e->high <= 1);
        sn_check(e->least >= c->arms[i].figures.orders);
    }
}

/* A run of the same test that no other part of a file is the same as. */
static void fill_other(struct run_coverage *other, const struct run_coverage *c)
{
    memcpy(other->suite, c->suite, sizeof(other->suite));
    memcpy(other->test, c->test, sizeof(other->test));
    other->parts[0] = (struct run_part){.stream = 1, .trials = 1, .strategy = "other"};
    other->n_parts = 1;
    other->trials = 1;
    other->has_orders = other->is_sampled = true;
    other->n_orders = 1;
    other->orders[0] = 1;
    other->surveyed = 1;
}

static void merge(struct run_coverage *c, struct run_coverage *other)
{
    uint64_t trials = c->trials;
    struct err why = {0};

    sn_check(coverage_merge(c, c, false, &why) == COVERAGE_IS_PART);
    fill_other(other, c);
    if (coverage_merge(c, other, true, &why) != 0)
        return;
    sn_check(c->trials == trials + 1);
    check_estimates(c);
    show_all(c);
    (void)write_coverage(c, again);
}

static void read_as_coverage(const char *bytes, size_t n, struct run_coverage *c,
                             struct run_coverage *back)
{
    struct err why = {0};
    size_t written;

    if (coverage_parse(c, bytes, n, "fuzz", &why) < 0) {
        sn_check(strncmp(why.text, "fuzz: ", 6) == 0);
        return;
    }
    check_estimates(c);
    show_all(c);
    written = write_coverage(c, again);
    sn_check(coverage_parse(back, again, written, "again", &why) == 0);
    sn_check(write_coverage(back, once_more) == written);
    sn_check(memcmp(again, once_more, written) == 0);
    mem_clear(back, sizeof(*back));
    merge(c, back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run_coverage *c = mem_reserve_shared(sizeof(*c), NULL);
    struct run_coverage *back = mem_reserve_shared(sizeof(*back), NULL);

    if (size <= TEXT_MAX / 8 && c != NULL && back != NULL)
        read_as_coverage((const char *)data, size, c, back);
    mem_release(c, sizeof(*c));
    mem_release(back, sizeof(*back));
    return 0;
}
