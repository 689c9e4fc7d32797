/* test_sync_brute.c - verdicts and explanations against a plain search over explanations, on random
 * observations: test_sync_brute [OBSERVATIONS SEED]. SPDX-License-Identifier: MIT
 */
#include "plain.h"
#include "random_story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const rules[] = {"fixed",  "fixed", "fixed",       "v1",     "v2",  "final",
                                    "newest", "last",  "newest-kept", "either", "skip"};

enum { RULES = sizeof(rules) / sizeof(rules[0]), HIDDEN_MAX = 256 };

static unsigned long n_observations = 2000;
static uint64_t seed = 1;

struct sample {
    struct plain plain;
    struct random_story story;
};

static struct sample draw(struct random_source *source, uint64_t i)
{
    struct sample sample = {
        .plain = {.rules = rules[i % RULES],
                  .n_nodes = 2 + (uint32_t)random_below(source, 2),
                  .n_files = random_below(source, 4) == 0 ? 2 : 1},
    };

    sample.story = random_story(source, &sample.plain);
    return sample;
}

static void describe(const struct sample *sample, const char *what)
{
    char text[8192];

    if (sn_sync_print(sample->plain.rules, sample->plain.n_nodes, sample->story.events,
                      sample->story.n, NULL, SN_SYNC_TABLE, text, sizeof(text)) < 0)
        text[0] = '\0';
    fail_msg("%s by %s:\n%s", what, sample->plain.rules, text);
}

static void verdicts_equal_those_of_brute_force(void **state)
{
    struct random_source source = {seed};
    unsigned long accepted = 0;

    (void)state;
    for (unsigned long i = 0; i < n_observations; i++) {
        struct sample sample = draw(&source, i);
        struct plain_answer answer =
            plain_search(&sample.plain, sample.story.events, sample.story.n);
        struct sn_sync_result result;
        enum sn_conjectured verdict =
            sn_sync_judge(sample.plain.rules, sample.plain.n_nodes, sample.story.events,
                          sample.story.n, NULL, &result);

        if (answer.is_explained != (verdict == SN_CONJECTURED_YES) ||
            verdict == SN_CONJECTURED_UNKNOWN)
            describe(&sample, "the verdicts differ");
        if (answer.explained != result.explained)
            describe(&sample, "the longest explained prefixes differ");
        if (answer.hidden != result.hidden)
            describe(&sample, "the lengths of shortest explanations differ");
        accepted += answer.is_explained;
    }
    print_message("# %lu observations, %lu accepted\n", n_observations, accepted);
    assert_in_range(accepted, n_observations / 4, 3 * n_observations / 4);
}

/* Performs the explanation on the plain model; counts hidden events before each observed one. */
static bool perform(const struct sample *sample, const struct sn_conjectured_event *hidden,
                    size_t n_hidden, size_t explained, uint32_t *before)
{
    const struct plain *plain = &sample->plain;
    struct plain_state now;
    size_t next = 0;

    memset(&now, 0, sizeof(now));
    for (size_t i = 0; i < explained; i++) {
        before[i] = 0;
        for (; next < n_hidden && hidden[next].before == i; next++, before[i]++) {
            struct plain_file *file = &now.files[hidden[next].part];
            uint32_t node = hidden[next].variant % plain->n_nodes;

            if (hidden[next].hidden == 0
                    ? !plain_up(plain, file, node, hidden[next].variant >= plain->n_nodes)
                    : !plain_down(plain, file, node))
                return false;
        }
        if (!plain_observe(plain, &now, &sample->story.events[i], (uint32_t)i + 1))
            return false;
    }
    return next == n_hidden;
}

static void explanations_are_valid_shortest_and_late(void **state)
{
    struct random_source source = {seed + 1};

    (void)state;
    for (unsigned long i = 0; i < n_observations / 2; i++) {
        struct sample sample = draw(&source, i);
        struct plain_answer answer =
            plain_search(&sample.plain, sample.story.events, sample.story.n);
        struct sn_conjectured_event hidden[HIDDEN_MAX];
        uint32_t before[PLAIN_EVENTS_MAX] = {0};
        long n = explain_story(&sample.plain, &sample.story, i % 2 == 0, hidden, HIDDEN_MAX);

        assert_in_range(n, 0, HIDDEN_MAX);
        if (!perform(&sample, hidden, (size_t)n, answer.explained, before))
            describe(&sample, "the explanation is none");
        if ((uint32_t)n != answer.hidden)
            describe(&sample, "the explanation is not the shortest");
        if (memcmp(before, answer.before, answer.explained * sizeof(before[0])) != 0)
            describe(&sample, "the explanation is not as late as it can be");
    }
}

static void files_together_and_apart_give_the_same_verdict(void **state)
{
    struct random_source source = {seed + 2};
    unsigned long several = 0;

    (void)state;
    for (unsigned long i = 0; i < n_observations / 2; i++) {
        struct sample sample = draw(&source, i);
        struct sn_sync_limits limits = {.is_joint = true};
        struct sn_sync_result apart;
        struct sn_sync_result together;

        (void)sn_sync_judge(sample.plain.rules, sample.plain.n_nodes, sample.story.events,
                            sample.story.n, NULL, &apart);
        (void)sn_sync_judge(sample.plain.rules, sample.plain.n_nodes, sample.story.events,
                            sample.story.n, &limits, &together);

        if (apart.verdict != together.verdict || apart.explained != together.explained ||
            apart.hidden != together.hidden)
            describe(&sample, "files together and apart differ");
        several += sample.plain.n_files > 1;
    }
    assert_in_range(several, n_observations / 20, n_observations);
}

static void following_event_by_event_says_the_same(void **state)
{
    struct random_source source = {seed + 3};

    (void)state;
    for (unsigned long i = 0; i < n_observations / 4; i++) {
        struct sample sample = draw(&source, i);
        struct sn_sync_watch *watch =
            sn_sync_watch_new(sample.plain.rules, sample.plain.n_nodes, sample.plain.n_files, NULL);

        assert_non_null(watch);
        for (size_t at = 0; at < sample.story.n; at++) {
            const struct sn_sync_event *event = &sample.story.events[at];
            struct sn_sync_result result;
            enum sn_conjectured would = sn_sync_watch_would(watch, event);
            uint64_t values = event->kind == SN_SYNC_STABILIZE
                                  ? 0
                                  : sn_sync_watch_values(watch, event->node, event->file);
            bool is_open = at == 0 || sn_sync_judge(sample.plain.rules, sample.plain.n_nodes,
                                                    sample.story.events, at, NULL,
                                                    &result) == SN_CONJECTURED_YES;

            (void)sn_sync_judge(sample.plain.rules, sample.plain.n_nodes, sample.story.events,
                                at + 1, NULL, &result);
            if (would != result.verdict || sn_sync_watch_feed(watch, event) != result.verdict)
                describe(&sample, "event by event is different");
            if (is_open && event->kind == SN_SYNC_READ &&
                (values >> event->value & 1) != (result.verdict == SN_CONJECTURED_YES))
                describe(&sample, "the values that may be read are wrong");
        }
        sn_sync_watch_free(watch);
    }
}

/* Whether some random observation is judged differently by a plain search with one thing wrong. */
static bool is_caught(enum plain_mutant mutant)
{
    struct random_source source = {seed + 4};

    for (unsigned long i = 0; i < 20000; i++) {
        struct sample sample = draw(&source, 0);
        struct plain wrong = sample.plain;
        struct sn_sync_result result;

        wrong.mutant = mutant;
        (void)sn_sync_judge(sample.plain.rules, sample.plain.n_nodes, sample.story.events,
                            sample.story.n, NULL, &result);
        if (plain_search(&wrong, sample.story.events, sample.story.n).is_explained !=
            (result.verdict == SN_CONJECTURED_YES))
            return true;
    }
    return false;
}

static void every_mutant_of_the_model_is_caught(void **state)
{
    (void)state;
    for (enum plain_mutant mutant = PLAIN_RIGHT + 1; mutant < PLAIN_MUTANTS; mutant++)
        if (!is_caught(mutant))
            fail_msg("mutant %d of the model gives the same verdicts", (int)mutant);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_equal_those_of_brute_force),
        cmocka_unit_test(explanations_are_valid_shortest_and_late),
        cmocka_unit_test(files_together_and_apart_give_the_same_verdict),
        cmocka_unit_test(following_event_by_event_says_the_same),
        cmocka_unit_test(every_mutant_of_the_model_is_caught),
    };

    if (argc > 1)
        n_observations = strtoul(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoul(argv[2], NULL, 10) * 1000;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
