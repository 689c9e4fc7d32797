/* newest.c - sn_strategy_register, sn_pending_count and sn_pending_op: a strategy of one's own.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

/* Always runs what was announced last. There is only one such trial. */
static bool begin(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    (void)keep;
    return trial == 0;
}

static uint32_t pick(void *self, const struct sn_pending *pending)
{
    uint32_t best = 0;

    (void)self;
    for (uint32_t i = 1; i < sn_pending_count(pending); i++) {
        if (sn_pending_op(pending, i)->cause > sn_pending_op(pending, best)->cause)
            best = i;
    }
    return best;
}

static const struct sn_strategy newest = {
    .name = "newest", .about = "what was announced last", .begin = begin, .pick = pick};

static const struct sn_event word = {.name = "Word"};
static const struct sn_state hearing = {
    .name = "Hearing", .on = (const struct sn_on[]){{.event = &word, .ignore = true}, {0}}};
static const struct sn_machine hearer = {.name = "Hearer", .start = &hearing};

static void run(void)
{
    sn_send(sn_create(&hearer, NULL), &word, NULL);
    sn_send(sn_create(&hearer, NULL), &word, NULL);
}

static const struct sn_test tests[] = {{.name = "newest", .run = run}, {0}};
static const struct sn_suite suite = {.name = "newest", .tests = tests};

/* ./newest -s newest */
int main(int argc, char **argv)
{
    if (sn_strategy_register(&newest) < 0)
        return 99;
    return sn_main(argc, argv, &suite);
}
