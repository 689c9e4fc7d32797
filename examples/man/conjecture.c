/* conjecture.c - sn_conjecture_new, sn_conjecture_feed, sn_conjecture_would,
 * sn_conjecture_possible, sn_conjecture_state, sn_conjecture_refusal, sn_conjecture_explanation,
 * sn_conjecture_measure and sn_conjecture_free: a lamp behind a door, and somebody who may switch
 * it. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <stdio.h>

struct lamp {
    unsigned char is_on;
    unsigned char switched; /* how often; it breaks the third time */
};

static bool shines(const void *self, const void *state, const void *event)
{
    (void)self;
    return ((const struct lamp *)state)->is_on == *(const unsigned char *)event;
}

static void why_not(const void *self, const void *state, const void *event, struct sn_text *out)
{
    (void)self;
    (void)event;
    sn_print(out, "the lamp is %s", ((const struct lamp *)state)->is_on ? "on" : "off");
}

static bool works(const void *self, const void *state, uint32_t variant)
{
    (void)self;
    (void)variant;
    return ((const struct lamp *)state)->switched < 2;
}

static void flip(const void *self, void *state, uint32_t variant)
{
    struct lamp *lamp = state;

    (void)self;
    (void)variant;
    lamp->is_on = !lamp->is_on;
    lamp->switched++;
}

static void print(const void *self, const void *state, struct sn_text *out)
{
    (void)self;
    sn_print(out, "switched %u times", ((const struct lamp *)state)->switched);
}

static const struct sn_observed observed[] = {
    {.name = "look", .is_possible = shines, .why_not = why_not}, {.name = NULL}};
static const struct sn_hidden hidden[] = {{.name = "switch", .is_possible = works, .effect = flip},
                                          {.name = NULL}};
static const struct sn_conjecture_model model = {.name = "lamp",
                                                 .state_size = sizeof(struct lamp),
                                                 .observed = observed,
                                                 .hidden = hidden,
                                                 .print = print};

int main(void)
{
    const struct sn_conjecture_options options = {.is_explained = true};
    struct sn_conjecture *lamp = sn_conjecture_new(&model, NULL, &options);
    struct sn_conjecture_figures figures;
    struct sn_conjectured_event events[8];
    const unsigned char off = 0;
    const unsigned char on = 1;
    char text[128];
    long n;

    if (lamp == NULL || sn_conjecture_feed(lamp, 0, 0, &on) != SN_CONJECTURED_YES)
        return 1;
    n = sn_conjecture_explanation(lamp, events, 8);
    printf("%ld hidden event, before event %zu\n", n, events[0].before + 1);

    if (sn_conjecture_would(lamp, 0, 0, &off) != SN_CONJECTURED_YES)
        return 1;
    for (size_t i = 0; i < sn_conjecture_possible(lamp, 0); i++)
        printf("it may be %s\n",
               ((const struct lamp *)sn_conjecture_state(lamp, 0, i))->is_on ? "on" : "off");

    (void)sn_conjecture_feed(lamp, 0, 0, &off);
    if (sn_conjecture_feed(lamp, 0, 0, &on) != SN_CONJECTURED_NO)
        return 1;
    (void)sn_conjecture_refusal(lamp, 0, 0, 0, &on, text, sizeof(text));
    sn_conjecture_measure(lamp, &figures);
    printf("%zu events explained, then: %s\n", figures.explained, text);
    sn_conjecture_free(lamp);
    return 0;
}
