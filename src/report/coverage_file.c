/* coverage_file.c - see coverage_file.h. SPDX-License-Identifier: MIT */
#include "report/coverage_file.h"

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "engine/mem.h"

#include <sennit/test.h>
#include <string.h>

enum { TEXT_BYTES = 4 << 20 };

static int compare(const struct coverage_pair *a, const struct coverage_pair *b)
{
    int order = strcmp(a->machine_name, b->machine_name);

    if (order == 0)
        order = strcmp(a->state_name, b->state_name);
    return order != 0 ? order : strcmp(a->event_name, b->event_name);
}

/* qsort may take memory of the program under test. */
static void sort(struct coverage_pair *pairs, uint32_t n)
{
    for (uint32_t gap = n / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < n; i++) {
            struct coverage_pair pair = pairs[i];
            uint32_t k = i;

            for (; k >= gap && compare(&pairs[k - gap], &pair) > 0; k -= gap)
                pairs[k] = pairs[k - gap];
            pairs[k] = pair;
        }
    }
}

static void put_name(struct sn_text *out, const char *name)
{
    json_put_string(out, name, strlen(name));
}

static void put_events(struct sn_text *out, const struct coverage_pair *pairs, uint32_t n,
                       bool covered)
{
    const char *before = "";

    for (uint32_t i = 0; i < n; i++) {
        if (pairs[i].is_covered != covered)
            continue;
        text_puts(out, before);
        put_name(out, pairs[i].event_name);
        before = ", ";
    }
}

/* How many pairs, from the first on, are of the same state; or of the same machine. */
static uint32_t same(const struct coverage_pair *pairs, uint32_t n, bool is_state)
{
    uint32_t k = 1;

    while (k < n && strcmp(pairs[k].machine_name, pairs[0].machine_name) == 0 &&
           (!is_state || strcmp(pairs[k].state_name, pairs[0].state_name) == 0))
        k++;
    return k;
}

static void put_states(struct sn_text *out, const struct coverage_pair *pairs, uint32_t n)
{
    for (uint32_t i = 0, k; i < n; i += k) {
        k = same(pairs + i, n - i, true);
        text_puts(out, i > 0 ? ",\n      " : "\n      ");
        put_name(out, pairs[i].state_name);
        text_puts(out, ": {\"came\": [");
        put_events(out, pairs + i, k, true);
        text_puts(out, "], \"never\": [");
        put_events(out, pairs + i, k, false);
        text_puts(out, "]}");
    }
}

static void put_all(struct sn_text *out, const struct coverage *c, const char *suite,
                    const char *test)
{
    uint32_t covered = 0;

    for (uint32_t i = 0; i < c->n; i++)
        covered += c->pairs[i].is_covered;
    text_puts(out, "{\n  \"sennit\": \"coverage\",\n  \"version\": 1,\n  \"suite\": ");
    put_name(out, suite);
    text_puts(out, ",\n  \"test\": ");
    put_name(out, test);
    text_print(out, ",\n  \"came\": %u,\n  \"never\": %u,\n  \"machines\": {", covered,
               c->n - covered);
    for (uint32_t i = 0, k; i < c->n; i += k) {
        k = same(c->pairs + i, c->n - i, false);
        text_puts(out, i > 0 ? ",\n    " : "\n    ");
        put_name(out, c->pairs[i].machine_name);
        text_puts(out, ": {");
        put_states(out, c->pairs + i, k);
        text_puts(out, "\n    }");
    }
    text_puts(out, "\n  }\n}\n");
}

int coverage_write(struct coverage *c, const char *suite, const char *test, const char *path,
                   struct err *why)
{
    char *memory = mem_reserve_shared(TEXT_BYTES, why);
    struct sn_text out;
    int rc;

    if (memory == NULL)
        return SN_ENOMEM;
    sort(c->pairs, c->n);
    text_init(&out, memory, TEXT_BYTES);
    put_all(&out, c, suite, test);
    rc = file_replace(path, &(struct file_part){out.buffer, out.used}, 1, why);
    mem_release(memory, TEXT_BYTES);
    return rc;
}
