/* shrunk_random.c - see shrunk_tests.h: any program, for each number another one.
 * SPDX-License-Identifier: MIT
 */
#include "shrunk_own.h"

#include <string.h>

/* ---- Any program ---------------------------------------------------------------------------- */

uint64_t random_number = 1;

struct bystander {
    uint64_t seen;
    uint32_t n;
    sn_id first; /* of all bystanders */
};

enum { BYSTANDERS = 4 };

static const struct sn_event bystander_birth = {.name = "Bystander", .size = sizeof(sn_id)};

static uint64_t stir(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ (x >> 27);
}

/* What it sends, and to whom, depends on all that it has seen. */
static void pass_on(struct bystander *b)
{
    uint64_t what = stir(b->seen * 31 + random_number);

    for (uint64_t i = 0; i < 1 + what % 2 && b->n < 6; i++) {
        uint8_t byte = (uint8_t)(stir(what + i) % 5);

        if (what % 3 == 0)
            byte = (uint8_t)(byte + sn_choose("extra", 3));
        sn_send_bytes(b->first + (sn_id)(stir(what + 7 * i) % BYSTANDERS), &byte, 1);
    }
}

static void bystander_start(void *self, const void *payload)
{
    struct bystander *b = self;

    memcpy(&b->first, payload, sizeof(b->first));
    b->seen = sn_self();
    pass_on(b);
}

static void on_byte(void *self, sn_id from, const void *bytes, size_t n)
{
    struct bystander *b = self;

    (void)n;
    b->n++;
    b->seen = stir(b->seen + *(const uint8_t *)bytes + from);
    sn_assertf(b->n < 3 || b->seen % 23 != 5, "what was seen is wrong");
    pass_on(b);
}

static const struct sn_machine bystander = {.name = "Bystander",
                                            .size = sizeof(struct bystander),
                                            .birth = &bystander_birth,
                                            .on_start = bystander_start,
                                            .on_message = on_byte};

void run_random(void)
{
    sn_id first = 1;

    for (int i = 0; i < BYSTANDERS; i++)
        (void)sn_create(&bystander, &first);
}
