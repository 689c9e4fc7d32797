/* campaign.c - the library's verdicts about random histories against those of brute force.
 * SPDX-License-Identifier: MIT
 */
#include "campaign.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum opinion { LEGAL, ILLEGAL, NO_OPINION, BROKEN };

static const char *const judge_names[JUDGES] = {
    "the model's steps",      "search",
    "a special algorithm",    "the library",
    "several processes",      "the model's steps, sequential",
    "the library, sequential"};

static const char *const special_names[] = {"register", "set",   "counter", "fetch-add",
                                            "queue",    "stack", "chains"};

/* ---- Opinions -------------------------------------------------------------------------------- */

static enum opinion opinion_of(bool is_legal)
{
    return is_legal ? LEGAL : ILLEGAL;
}

static bool names_what_is_there(const struct sample *h, const struct sn_check_result *result)
{
    if (result->verdict != SN_LINEAR_NO)
        return result->why[0] == '\0';
    return result->stuck < h->n && result->why[0] != '\0' &&
           h->operations[result->stuck].key == result->key;
}

static enum opinion ask(const struct sample *h, const struct sn_check_options *choice,
                        struct sn_check_result *result)
{
    struct sn_check_options options = *choice;

    options.has_initial = h->initial != h->object->initial;
    options.initial = options.has_initial ? h->initial : 0;
    if (sn_check_history(h->model, h->operations, h->n, &options, result) < 0)
        return BROKEN;
    if (result->verdict == SN_LINEAR_UNKNOWN)
        return NO_OPINION;
    return opinion_of(result->verdict == SN_LINEAR_YES);
}

/* The first special algorithm that applies; it says so by not being refused. */
static enum opinion ask_special(const struct sample *h, struct sn_check_result *result)
{
    for (size_t i = 0; i < sizeof(special_names) / sizeof(special_names[0]); i++) {
        struct sn_check_options options = {.algorithm = special_names[i]};
        enum opinion opinion = ask(h, &options, result);

        if ((opinion == LEGAL || opinion == ILLEGAL) &&
            strcmp(result->algorithm, special_names[i]) == 0)
            return opinion;
    }
    return NO_OPINION;
}

static enum opinion judge(const struct sample *h, enum judge who, struct sn_check_result *result)
{
    memset(result, 0, sizeof(*result));
    switch (who) {
    case JUDGE_MODEL:
        return opinion_of(
            brute_model_allows(h->model, h->initial, h->operations, h->n, BRUTE_REAL_TIME));
    case JUDGE_MODEL_SEQUENTIAL:
        return opinion_of(
            brute_model_allows(h->model, h->initial, h->operations, h->n, BRUTE_PROGRAM_ORDER));
    case JUDGE_SEARCH:
        return ask(h, &(struct sn_check_options){.algorithm = "search"}, result);
    case JUDGE_SPECIAL:
        return ask_special(h, result);
    case JUDGE_BEST:
        return ask(h, &(struct sn_check_options){0}, result);
    case JUDGE_JOBS:
        return ask(h, &(struct sn_check_options){.jobs = 2}, result);
    default:
        return ask(h, &(struct sn_check_options){.is_sequential = true}, result);
    }
}

static enum opinion truth(const struct sample *h, enum judge who)
{
    bool is_sequential = who == JUDGE_SEQUENTIAL || who == JUDGE_MODEL_SEQUENTIAL;

    return opinion_of(plain_allows(h->object, h->model, h->initial, h->operations, h->n,
                                   is_sequential ? BRUTE_PROGRAM_ORDER : BRUTE_REAL_TIME));
}

/* ---- Reporting ------------------------------------------------------------------------------- */

static bool is_wrong(enum opinion truly, enum opinion opinion, enum judge who)
{
    if (who == JUDGE_SPECIAL && opinion == NO_OPINION)
        return false;
    return opinion != truly;
}

/* Operations are left out as long as the judge stays wrong. */
static void make_smaller(struct sample *h, enum judge who)
{
    struct sn_check_result result;

    for (size_t i = 0; i < h->n;) {
        struct sample smaller = *h;

        smaller.n--;
        memmove(&smaller.operations[i], &smaller.operations[i + 1],
                (smaller.n - i) * sizeof(smaller.operations[0]));
        if (is_wrong(truth(&smaller, who), judge(&smaller, who, &result), who)) {
            *h = smaller;
            i = 0;
        } else {
            i++;
        }
    }
}

static void report(const struct sample *history, enum judge who)
{
    static const char *const words[] = {"legal", "illegal", "nothing", "an error"};
    struct sample h = *history;
    struct sn_check_result result;
    enum opinion opinion;

    make_smaller(&h, who);
    opinion = judge(&h, who, &result);
    (void)fprintf(stderr, "# %s: %s says %s (%s, %s), brute force says %s\n", h.model->name,
                  judge_names[who], words[opinion], result.algorithm, result.why,
                  words[truth(&h, who)]);
    sample_print(&h);
}

/* ---- Running --------------------------------------------------------------------------------- */

static void note(struct campaign *c, const struct sample *h, bool is_legal, bool is_sequential)
{
    bool has_keys = false;

    for (size_t i = 0; i < h->n; i++)
        has_keys |= h->operations[i].key != h->operations[0].key;
    c->n++;
    c->n_illegal += !is_legal;
    c->n_unknown += h->n_unknown > 0;
    c->n_illegal_unknown += !is_legal && h->n_unknown > 0;
    c->n_ties += h->has_ties;
    c->n_keys += has_keys;
    c->n_sequential += !is_legal && is_sequential;
    c->n_impossible += h->is_legal_run && !is_legal;
}

static void compare(struct campaign *c, const struct sample *h)
{
    enum opinion by_time = truth(h, JUDGE_BEST);
    enum opinion by_order = truth(h, JUDGE_SEQUENTIAL);

    note(c, h, by_time == LEGAL, by_order == LEGAL);
    for (enum judge who = 0; who < JUDGES; who++) {
        bool is_sequential = who == JUDGE_SEQUENTIAL || who == JUDGE_MODEL_SEQUENTIAL;
        struct sn_check_result result;
        enum opinion opinion;

        if (who == JUDGE_JOBS && c->n % 100 != 0)
            continue;
        opinion = judge(h, who, &result);
        c->n_judged[who] += opinion != NO_OPINION;
        if (is_wrong(is_sequential ? by_order : by_time, opinion, who)) {
            if (c->n_wrong[who]++ == 0)
                report(h, who);
        } else if (opinion != NO_OPINION && who != JUDGE_MODEL && who != JUDGE_MODEL_SEQUENTIAL &&
                   !names_what_is_there(h, &result)) {
            if (c->n_wrong_stuck++ == 0) {
                (void)fprintf(stderr, "# %s: stuck %zu, key %" PRId64 ", why \"%s\"\n",
                              judge_names[who], result.stuck, result.key, result.why);
                sample_print(h);
            }
        }
    }
}

static bool is_container(const struct plain *object)
{
    return strcmp(object->name, "queue") == 0 || strcmp(object->name, "stack") == 0 ||
           strcmp(object->name, "priority-queue") == 0;
}

void campaign_run(struct campaign *campaign, const char *model, uint64_t seed, uint64_t n)
{
    const struct plain *object = plain_find(model);
    struct sample history;
    struct rng rng;

    *campaign = (struct campaign){.model = sn_model_find(model)};
    rng_init(&rng, seed, 0);
    for (uint64_t i = 0; i < n; i++) {
        if (is_container(object) && i % 4 == 0)
            sample_random_stays(&rng, object, campaign->model, &history);
        else
            sample_random(&rng, object, campaign->model, &history);
        compare(campaign, &history);
    }
}
