/* listing.c - see listing.h. SPDX-License-Identifier: MIT */
#include "remote/listing.h"

#include "events/interleave.h"

#include <sennit/test.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { STATES_MAX = 4000000 }; /* that counting may look at: about 200 MB */

static void print_orders(const struct units *u, struct sn_text *out)
{
    struct interleave it;

    interleave_init(&it, u);
    while (interleave_next(&it)) {
        recording_print_order(it.order, it.n, out);
        text_putc(out, '\n');
    }
}

static void print_count(struct sn_text *out, const char *name, double count, bool is_known,
                        double before)
{
    text_print(out, "%s\t", name);
    if (!is_known)
        text_puts(out, "more than can be counted");
    else if (count < 9e15)
        text_print(out, "%.0f", count);
    else
        text_print(out, "about %.3g", count);
    if (is_known && before > 0 && count > 0)
        text_print(out, "\t%.4g times fewer", before / count);
    text_putc(out, '\n');
}

/* With one pruning after the other. */
static int print_counts(const struct recording *r, const struct rules *rules, struct sn_text *out,
                        struct err *why)
{
    static const struct {
        const char *name;
        uint32_t prunings;
    } steps[] = {
        {"constraints", 0},
        {"groups", PRUNE_GROUPS | PRUNE_GROUPS_PAPER},
        {"replicas", PRUNE_REPLICAS | PRUNE_REPLICAS_PAPER},
        {"independence", PRUNE_INDEPENDENCE},
        {"failed", PRUNE_FAILED},
    };
    struct rules some = *rules;
    double before = 1;
    uint32_t in_use = 0;

    for (uint32_t i = 2; i <= r->n; i++)
        before *= i;
    print_count(out, "orders of the events", before, true, 0);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct units u;
        double count = 0;
        bool is_known;
        int rc;

        in_use |= steps[i].prunings;
        some.prunings = rules->prunings & in_use;
        rc = units_make(&u, r, &some, why);
        if (rc < 0)
            return rc;
        is_known = interleave_count(&u, STATES_MAX, &count);
        print_count(out, steps[i].name, count, is_known, before);
        before = is_known ? count : 0;
    }
    return 0;
}

static double now_s(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void print_walk(const struct units *u, uint64_t most, struct sn_text *out)
{
    struct interleave it;
    struct rusage before;
    struct rusage after;
    volatile uint8_t last = 0; /* so that nobody takes the walk for useless */
    uint64_t n = 0;
    double began = now_s();

    (void)getrusage(RUSAGE_SELF, &before);
    interleave_init(&it, u);
    while (n < most && interleave_next(&it)) {
        last = it.order[it.n - 1];
        n++;
    }
    (void)last;
    (void)getrusage(RUSAGE_SELF, &after);
    text_print(out, "%llu interleavings\t%.6f seconds of the processor\t%ld KiB more\n",
               (unsigned long long)n, now_s() - began, after.ru_maxrss - before.ru_maxrss);
}

int listing_print(const struct recording *r, const struct rules *rules, enum listing what,
                  uint64_t most, struct err *why)
{
    struct units u;
    struct sn_text out;
    char buffer[65536];
    int rc;

    text_init_fd(&out, buffer, sizeof(buffer), STDOUT_FILENO);
    if (what == LISTING_COUNTS) {
        rc = print_counts(r, rules, &out, why);
    } else {
        rc = units_make(&u, r, rules, why);
        if (rc == 0 && what == LISTING_WALK)
            print_walk(&u, most, &out);
        else if (rc == 0)
            print_orders(&u, &out);
    }
    if (rc == 0 && text_flush(&out) < 0)
        rc = err_set(why, SN_EIO, "the list cannot be written");
    return rc;
}
