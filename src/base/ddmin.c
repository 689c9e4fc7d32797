/* ddmin.c - see ddmin.h. SPDX-License-Identifier: MIT */
#include "base/ddmin.h"

#include "base/err.h"
#include "base/rng.h"

#include <string.h>

/* ---- What was tested ------------------------------------------------------------------------ */

/* A list as a number: that of all entries but the last, times ODD, plus the last one. So it is
 * known for all candidates of a pass after going through the list once. */
#define ODD UINT64_C(0x9e3779b97f4a7c17)

/* Where a pass is: the list in two parts, of which a range at the end of the first is moved to the
 * second with each candidate. */
struct cursor {
    uint64_t first;
    uint64_t second;
    uint64_t power; /* of ODD: the length of the second part */
};

/* Times which ODD is 1. */
static uint64_t inverse(void)
{
    uint64_t x = ODD; /* right in its last three bits, and each time in twice as many */

    for (int i = 0; i < 5; i++)
        x *= 2 - ODD * x;
    return x;
}

static struct cursor cursor_at(const struct ddmin *d, uint32_t at)
{
    struct cursor c = {.power = 1};

    for (uint32_t i = 0; i < at; i++)
        c.first = c.first * ODD + mix64(d->entries[i]);
    for (uint32_t i = at; i < d->n; i++) {
        c.second = c.second * ODD + mix64(d->entries[i]);
        c.power *= ODD;
    }
    return c;
}

/* The list without a range that ends where the cursor is, as a number that is not 0. It depends on
 * the order of the entries. The cursor goes to the beginning of the range. */
static uint64_t cursor_pass(const struct ddmin *d, struct cursor *c, struct ddmin_range without)
{
    uint64_t second = c->second;
    uint64_t power = c->power;
    uint64_t hash = mix_pair(mix64(d->rest), d->n - (without.to - without.from));

    for (uint32_t i = without.to; i-- > without.from;) {
        uint64_t entry = mix64(d->entries[i]);

        c->first = (c->first - entry) * d->inverse;
        c->second += entry * c->power;
        c->power *= ODD;
    }
    hash = mix_pair(hash, c->first * power + second);
    return hash != 0 ? hash : 1;
}

static uint64_t *slot_of(const struct ddmin_memory *memory, uint64_t content)
{
    uint32_t mask = memory->n_slots - 1;
    uint32_t i = (uint32_t)content & mask;

    while (memory->slots[i] != 0 && memory->slots[i] != content)
        i = (i + 1) & mask;
    return &memory->slots[i];
}

bool ddmin_memory_has(const struct ddmin_memory *memory, uint64_t content)
{
    return *slot_of(memory, content) != 0;
}

void ddmin_memory_add(struct ddmin_memory *memory, uint64_t content)
{
    if (memory->used >= memory->n_slots / 4 * 3)
        return;
    memory->used += *slot_of(memory, content) == 0;
    *slot_of(memory, content) = content;
}

/* ---- Passes --------------------------------------------------------------------------------- */

void ddmin_leave_out(struct ddmin *d, struct ddmin_range without)
{
    memmove(d->entries + without.from, d->entries + without.to,
            (d->n - without.to) * sizeof(*d->entries));
    d->n -= without.to - without.from;
}

/* Candidates, and what is in them. */
struct batch {
    struct ddmin_range ranges[DDMIN_WIDTH_MAX];
    uint64_t contents[DDMIN_WIDTH_MAX];
    uint32_t n;
};

/* The next candidates that were not tested before: ranges of a size that end at *end or before it.
 * Ranges are taken from the end: what comes late depends on what comes early. */
static void collect(const struct ddmin *d, uint32_t size, uint32_t *end, struct cursor *cursor,
                    struct batch *out)
{
    out->n = 0;
    while (*end > 0 && out->n < d->width) {
        struct ddmin_range range = {.from = *end > size ? *end - size : 0, .to = *end};

        *end = range.from;
        if (d->memory != NULL) {
            out->contents[out->n] = cursor_pass(d, cursor, range);
            if (ddmin_memory_has(d->memory, out->contents[out->n]))
                continue;
        }
        out->ranges[out->n++] = range;
    }
}

static void remember(const struct ddmin *d, const struct batch *batch, uint32_t n)
{
    for (uint32_t i = 0; d->memory != NULL && i < n; i++)
        ddmin_memory_add(d->memory, batch->contents[i]);
}

/* Leaves out what it can of the ranges of a size, from the end of the list to its beginning. True:
 * something. */
static bool pass(struct ddmin *d, uint32_t size)
{
    struct cursor cursor = cursor_at(d, d->n);
    struct batch batch;
    uint32_t end = d->n;
    bool is_smaller = false;

    while (end > 0 && !d->is_stopped) {
        uint32_t first;

        collect(d, size, &end, &cursor, &batch);
        first = batch.n > 0 ? d->test(d->self, batch.ranges, batch.n) : 0;
        if (first == DDMIN_STOP) {
            d->is_stopped = true;
            break;
        }
        sn_check(first <= batch.n);
        remember(d, &batch, first);
        d->tests += first < batch.n ? first + 1 : batch.n;
        if (first == batch.n)
            continue;
        d->taken = first;
        d->take(d->self, d, batch.ranges[first]);
        end = batch.ranges[first].from < d->n ? batch.ranges[first].from : d->n;
        cursor = cursor_at(d, end);
        is_smaller = true;
    }
    return is_smaller;
}

bool ddmin_run(struct ddmin *d)
{
    bool is_smaller = false;

    sn_check(d->width >= 1 && d->width <= DDMIN_WIDTH_MAX);
    d->tests = 0;
    d->inverse = inverse();
    d->is_stopped = false;
    for (uint32_t size = d->n; size > 1 && !d->is_stopped; size = (size + 1) / 2)
        is_smaller |= pass(d, size);
    /* What could not be left out while something else was there may be now. */
    while (!d->is_stopped && pass(d, 1))
        is_smaller = true;
    return is_smaller;
}
