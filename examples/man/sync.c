/* sync.c - sn_sync_judge, sn_sync_judge_order, sn_sync_print, sn_sync_rules_find, sn_sync_rules_at,
 * sn_sync_watch_new, sn_sync_watch_feed, sn_sync_watch_would, sn_sync_watch_values,
 * sn_sync_watch_figures and sn_sync_watch_free: a change that a synchroniser has lost.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <stdio.h>

enum { A = 1, B, C, EVENTS = 4 };

static const struct sn_sync_event events[EVENTS] = {
    {.kind = SN_SYNC_WRITE, .node = 0, .value = A},
    {.kind = SN_SYNC_WRITE, .node = 1, .value = B, .old = A},
    {.kind = SN_SYNC_WRITE, .node = 0, .value = C, .old = A},
    {.kind = SN_SYNC_STABILIZE, .seen = {{.value = B}, {.value = B}}}, /* where is C? */
};

static int watch_it(void)
{
    struct sn_sync_watch *watch = sn_sync_watch_new(NULL, 2, 1, NULL);
    struct sn_conjecture_figures figures;

    if (watch == NULL)
        return 1;
    for (size_t i = 0; i < EVENTS - 1; i++)
        (void)sn_sync_watch_feed(watch, &events[i]);
    for (uint32_t value = 0; value <= C; value++)
        if ((sn_sync_watch_values(watch, 1, 0) >> value & 1) != 0)
            printf("node 2 may have value %u\n", value);
    if (sn_sync_watch_would(watch, &events[EVENTS - 1]) != SN_CONJECTURED_NO)
        return 1;
    sn_sync_watch_figures(watch, &figures);
    printf("at most %zu states at a time\n", figures.set_max);
    sn_sync_watch_free(watch);
    return 0;
}

int main(void)
{
    struct sn_sync_result result;
    char text[4096];

    for (size_t i = 0; sn_sync_rules_at(i) != NULL; i++)
        printf("%-12s %s\n", sn_sync_rules_at(i)->name, sn_sync_rules_at(i)->about);
    if (sn_sync_judge(NULL, 2, events, EVENTS, NULL, &result) != SN_CONJECTURED_NO)
        return 1;
    printf("by the rules %s: %s\n", sn_sync_rules_find(NULL)->name, result.why);
    if (sn_sync_print(NULL, 2, events, EVENTS, NULL, SN_SYNC_REJECTED, text, sizeof(text)) < 0)
        return 2;
    printf("%s", text);
    if (sn_sync_judge_order(2, events, EVENTS, &result) != SN_CONJECTURED_NO)
        return 1;
    printf("%s\n", result.why);
    return watch_it();
}
