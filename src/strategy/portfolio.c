/* portfolio.c - several strategies share the trials; those that see more new orders get more.
 *
 * No strategy is best for every program: where a chain of messages must win a race the random walk
 * needs exponentially many trials, where two must alternate sampling by rank does. So a quarter of
 * the trials is shared equally, and the rest goes by what each arm has lately found that nobody had
 * seen. New orders are only a stand-in for bugs; all that is promised is that an arm of n gets a
 * 4n-th of the trials.
 *
 * Shares change between epochs only, so which arm runs trial i, and how, follows from the seed and
 * from what was seen before the epoch. Each arm counts its trials for itself, and hears of their
 * ends when the epoch is over. Lessons of its trials it hears when everybody hears lessons.
 * SPDX-License-Identifier: MIT
 */
#include "strategy/portfolio.h"

#include "base/bytes.h"
#include "base/rng.h"
#include "engine/discovery.h"
#include "engine/mem.h"
#include "strategy/chains.h"
#include "strategy/conflicts.h"
#include "strategy/orders_seen.h"
#include "strategy/strategies.h"

#include <stdio.h>
#include <string.h>

enum {
    WINDOW = 8, /* epochs that count */
    SLOTS = WINDOW + 1,
    ARM_SAVED_MAX = 1 << 21,
    ARM_NAME_MAX = 64,
};

/* Room for the state of one arm: the largest has a word for each step, chains, two words for each
 * task and two for each operation, and what is known of conflicts; as many lines of the
 * cache as that takes, where the next one begins. */
#define ARM_BYTES                                                                                  \
    (((size_t)LOG_ENTRIES_MAX * 2 + (size_t)TRIAL_TASKS_MAX * 16 + (size_t)TRIAL_OPS_MAX * 16 +    \
      sizeof(struct chains) + sizeof(struct conflicts) + 63) /                                     \
     64 * 64)

struct arm {
    const struct strategy_entry *entry;
    char name[ARM_NAME_MAX];
    uint64_t trials;                      /* in earlier epochs */
    struct portfolio_score lately[SLOTS]; /* by epoch; that of the present one does not count */
};

struct portfolio {
    struct arm arms[PORTFOLIO_ARMS_MAX];
    uint32_t n_arms;
    uint32_t running; /* arm of the present trial */
    uint64_t trials;  /* the next one to begin */
    bool is_sought;   /* and arms must first go to theirs */
    uint64_t epoch;   /* the present one, which is divided; NO_EPOCH: none */
    uint8_t epoch_arms[PORTFOLIO_EPOCH];
    uint64_t lengths[PORTFOLIO_EPOCH]; /* of those of its trials that have ended, in order */
    uint64_t ended;                    /* trials */
    unsigned char kept[PORTFOLIO_ARMS_MAX][ARM_SAVED_MAX]; /* states of arms, to return to, ... */
    size_t kept_size[PORTFOLIO_ARMS_MAX];                  /* ... of so many bytes */
    struct orders_seen seen;
    _Alignas(64) char states[PORTFOLIO_ARMS_MAX][ARM_BYTES];
};

static_assert((int)PORTFOLIO_ARMS_MAX <= (int)DISCOVERY_ARMS_MAX, "each can be counted");

#define NO_EPOCH UINT64_MAX

static const uint64_t portfolio_tag = UINT64_C(0x696c6f6674726f70); /* "portfoli" */

static const struct strategy_entry *const known[] = {
    &strategy_random,    &strategy_pos,    &strategy_posr,    &strategy_pct,    &strategy_pctcp,
    &strategy_urw,       &strategy_surw,   &strategy_ql,      &strategy_fest,   &strategy_sr,
    &strategy_random_ca, &strategy_pos_ca, &strategy_posr_ca, &strategy_pct_ca, &strategy_tapct,
};

enum { KNOWN = sizeof(known) / sizeof(known[0]) };

static const char arms_default[] = "random/pos/posr/pct:2/pct:3";

/* ---- Shares --------------------------------------------------------------------------------- */

void portfolio_shares(const struct portfolio_score *scores, uint32_t n, uint32_t *shares)
{
    uint32_t least = (PORTFOLIO_EPOCH + 4 * n - 1) / (4 * n);
    uint32_t rest = PORTFOLIO_EPOCH - least * n;
    uint32_t left = rest;
    uint64_t weights[PORTFOLIO_ARMS_MAX];
    uint64_t remainders[PORTFOLIO_ARMS_MAX];
    uint64_t total = 0;

    for (uint32_t i = 0; i < n; i++) {
        weights[i] = ((scores[i].news + 1) << 32) / (scores[i].trials + 2);
        total += weights[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t share = rest * weights[i] / total;

        shares[i] = least + (uint32_t)share;
        left -= (uint32_t)share;
        remainders[i] = rest * weights[i] % total;
    }
    while (left > 0) {
        uint32_t best = 0;

        for (uint32_t i = 1; i < n; i++) {
            if (remainders[i] > remainders[best])
                best = i;
        }
        shares[best]++;
        remainders[best] = 0;
        left--;
    }
}

void portfolio_mix(const uint32_t *shares, uint32_t n, uint32_t first,
                   uint8_t arms[PORTFOLIO_EPOCH])
{
    int64_t due[PORTFOLIO_ARMS_MAX] = {0};

    for (uint32_t i = 0; i < PORTFOLIO_EPOCH; i++) {
        uint32_t best = first % n;

        for (uint32_t k = 0; k < n; k++)
            due[k] += shares[k];
        for (uint32_t k = 1; k < n; k++) {
            if (due[(first + k) % n] > due[best])
                best = (first + k) % n;
        }
        due[best] -= PORTFOLIO_EPOCH;
        arms[i] = (uint8_t)best;
    }
}

/* ---- Arms ----------------------------------------------------------------------------------- */

static const struct strategy_entry *find_known(const char *name, size_t n)
{
    for (uint32_t i = 0; i < KNOWN; i++) {
        if (strlen(known[i]->strategy->name) == n &&
            strncmp(known[i]->strategy->name, name, n) == 0)
            return known[i];
    }
    return NULL;
}

static int refuse_arm(const char *name, char *error, size_t size)
{
    char names[256] = "";

    for (uint32_t i = 0; i < KNOWN; i++)
        (void)snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
                       i > 0 ? ", " : "", known[i]->strategy->name);
    (void)snprintf(error, size, "it has no arm called \"%s\"; there are %s", name, names);
    return -1;
}

/* Adds the arm that "name" or "name:parameters" stands for. */
static int add_arm(struct portfolio *p, char *text, uint64_t seed, char *error, size_t size)
{
    size_t n = strcspn(text, ":");
    const struct strategy_entry *entry = find_known(text, n);
    char why[192] = "";

    if (entry == NULL) {
        text[n] = '\0';
        return refuse_arm(text, error, size);
    }
    if (text[n] == ':' && text[n + 1] == '\0') {
        (void)snprintf(error, size, "arm %.*s: parameters are missing behind the colon", (int)n,
                       text);
        return -1;
    }
    if (p->n_arms == PORTFOLIO_ARMS_MAX) {
        (void)snprintf(error, size, "it has more than %d arms", PORTFOLIO_ARMS_MAX);
        return -1;
    }
    sn_check(entry->strategy->state_size <= ARM_BYTES);
    /* A seed of its own, so that arms of one strategy with other parameters are other trials. */
    if (entry->strategy->init(p->states[p->n_arms], text[n] == ':' ? text + n + 1 : "",
                              mix_pair(seed, p->n_arms + 1), why, sizeof(why)) < 0) {
        (void)snprintf(error, size, "arm %s: %s", text, why);
        return -1;
    }
    (void)snprintf(p->arms[p->n_arms].name, ARM_NAME_MAX, "%s", text);
    p->arms[p->n_arms++].entry = entry;
    return 0;
}

static int portfolio_init(void *self, const char *parameters, uint64_t seed, char *error,
                          size_t size)
{
    struct portfolio *p = self;
    const char *at = parameters[0] != '\0' ? parameters : arms_default;

    p->epoch = NO_EPOCH;
    for (;;) {
        char text[ARM_NAME_MAX];
        size_t n = strcspn(at, "/");

        if (n >= sizeof(text)) {
            (void)snprintf(error, size, "the name of an arm is too long");
            return -1;
        }
        memcpy(text, at, n);
        text[n] = '\0';
        if (add_arm(self, text, seed, error, size) < 0)
            return -1;
        if (at[n] == '\0')
            return 0;
        at += n + 1;
    }
}

static const struct sn_strategy *arm_strategy(const struct portfolio *p, uint32_t arm)
{
    return p->arms[arm].entry->strategy;
}

/* ---- Epochs --------------------------------------------------------------------------------- */

/* Divides the present epoch by what was seen in those before. */
static void divide(struct portfolio *p)
{
    struct portfolio_score scores[PORTFOLIO_ARMS_MAX] = {{0}};
    uint32_t shares[PORTFOLIO_ARMS_MAX];

    for (uint32_t i = 0; i < p->n_arms; i++) {
        for (uint32_t k = 0; k < SLOTS; k++) {
            if (k == p->epoch % SLOTS)
                continue;
            scores[i].trials += p->arms[i].lately[k].trials;
            scores[i].news += p->arms[i].lately[k].news;
        }
    }
    portfolio_shares(scores, p->n_arms, shares);
    portfolio_mix(shares, p->n_arms, (uint32_t)(p->epoch % p->n_arms), p->epoch_arms);
}

/* Tells the arms of the trials of the epoch that is over. */
static void tell_arms(struct portfolio *p)
{
    uint64_t n = p->ended - p->epoch * PORTFOLIO_EPOCH;

    for (uint64_t i = 0; i < n && i < PORTFOLIO_EPOCH; i++) {
        uint32_t arm = p->epoch_arms[i];
        struct sn_trial_end end = {.trial = p->arms[arm].trials++, .own_steps = p->lengths[i]};

        if (arm_strategy(p, arm)->end != NULL)
            arm_strategy(p, arm)->end(p->states[arm], &end);
    }
}

static void enter_epoch(struct portfolio *p, uint64_t epoch)
{
    if (epoch == p->epoch)
        return;
    if (p->epoch != NO_EPOCH)
        tell_arms(p);
    p->epoch = epoch;
    for (uint32_t i = 0; i < p->n_arms; i++)
        p->arms[i].lately[epoch % SLOTS] = (struct portfolio_score){0};
    divide(p);
}

/* ---- Trials --------------------------------------------------------------------------------- */

/* Each arm goes to the trial that it would have come to. */
static void seek_arms(struct portfolio *p)
{
    uint64_t begun[PORTFOLIO_ARMS_MAX] = {0};

    for (uint64_t i = 0; i < p->trials % PORTFOLIO_EPOCH; i++)
        begun[p->epoch_arms[i]]++;
    for (uint32_t i = 0; i < p->n_arms; i++)
        arm_strategy(p, i)->seek(p->states[i], p->arms[i].trials + begun[i]);
    p->is_sought = false;
}

static bool portfolio_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct portfolio *p = self;
    uint64_t ignored = 0;

    (void)keep;
    enter_epoch(p, p->trials / PORTFOLIO_EPOCH);
    if (p->is_sought)
        seek_arms(p);
    p->running = p->epoch_arms[p->trials % PORTFOLIO_EPOCH];
    p->trials++;
    return arm_strategy(p, p->running)->begin(p->states[p->running], trial, &ignored);
}

/* Each arm draws as if it were alone: how many trials it gets does not matter to these. */
static uint64_t portfolio_mind(const void *self, uint32_t *arm)
{
    const struct portfolio *p = self;
    const struct strategy_entry *entry = p->arms[p->running].entry;
    uint32_t ignored = 0;

    *arm = p->running;
    return entry->mind != NULL ? entry->mind(p->states[p->running], &ignored) : 0;
}

static const char *portfolio_arm_name(const void *self, uint32_t arm)
{
    const struct portfolio *p = self;

    return arm < p->n_arms ? p->arms[arm].name : NULL;
}

static void portfolio_seek(void *self, uint64_t trial)
{
    struct portfolio *p = self;

    p->trials = trial;
    p->is_sought = true;
}

static uint32_t portfolio_pick(void *self, const struct sn_pending *pending)
{
    struct portfolio *p = self;

    return arm_strategy(p, p->running)->pick(p->states[p->running], pending);
}

static uint64_t portfolio_draw(void *self, const struct sn_draw *draw)
{
    struct portfolio *p = self;

    return arm_strategy(p, p->running)->draw(p->states[p->running], draw);
}

/* The arm takes the decisions as if it were alone. */
static void portfolio_loop(struct trial *t)
{
    struct portfolio *p = t->strategy_self;
    const struct sn_strategy *strategy = t->strategy;

    t->strategy = arm_strategy(p, p->running);
    t->strategy_self = p->states[p->running];
    p->arms[p->running].entry->loop(t);
    t->strategy = strategy;
    t->strategy_self = p;
}

static void portfolio_end(void *self, const struct sn_trial_end *end)
{
    struct portfolio *p = self;
    uint64_t i = p->ended % PORTFOLIO_EPOCH;
    struct portfolio_score *score;

    enter_epoch(p, p->ended / PORTFOLIO_EPOCH);
    score = &p->arms[p->epoch_arms[i]].lately[p->epoch % SLOTS];
    score->trials++;
    score->news += orders_see(&p->seen, end->order);
    p->lengths[i] = end->own_steps;
    p->ended++;
}

/* The arm, and what it teaches. */
static size_t portfolio_lesson(void *self, void *bytes, size_t room)
{
    struct portfolio *p = self;
    const struct sn_strategy *strategy = arm_strategy(p, p->running);
    size_t n = 0;

    if (strategy->lesson != NULL && room > 8)
        n = strategy->lesson(p->states[p->running], (unsigned char *)bytes + 8, room - 8);
    if (n == 0)
        return 0;
    bytes_put(bytes, p->running);
    return 8 + n;
}

static void portfolio_learn(void *self, const void *bytes, size_t n)
{
    struct portfolio *p = self;
    uint64_t arm = n > 8 ? bytes_get(bytes) : UINT64_MAX;

    if (arm < p->n_arms && arm_strategy(p, (uint32_t)arm)->learn != NULL)
        arm_strategy(p, (uint32_t)arm)
            ->learn(p->states[arm], (const unsigned char *)bytes + 8, n - 8);
}

/* ---- As bytes ------------------------------------------------------------------------------- */

enum { HEAD_BYTES = 40, ARM_HEAD_BYTES = SLOTS * 16 + 16 };

/* Saves the arms in p->kept. */
static void keep_arms(struct portfolio *p)
{
    for (uint32_t i = 0; i < p->n_arms; i++) {
        p->kept_size[i] = arm_strategy(p, i)->save(p->states[i], p->kept[i], ARM_SAVED_MAX);
        sn_check(p->kept_size[i] <= ARM_SAVED_MAX);
    }
}

static size_t arm_saved_size(const struct portfolio *p, uint32_t arm)
{
    return arm_strategy(p, arm)->save(p->states[arm], NULL, 0);
}

static void return_to_kept(struct portfolio *p)
{
    for (uint32_t i = 0; i < p->n_arms; i++)
        (void)arm_strategy(p, i)->load(p->states[i], p->kept[i], p->kept_size[i]);
}

/* Trials of the present epoch that have ended, and of which the arms have not been told. */
static uint64_t untold(const struct portfolio *p)
{
    return p->epoch == NO_EPOCH ? 0 : p->ended - p->epoch * PORTFOLIO_EPOCH;
}

/* Tag, trials, arms, orders, trials the arms have not been told of; their lengths; of each arm its
 * scores, its trials and, after how many bytes it takes, its own state; then the orders, the oldest
 * of a set first. */
static size_t portfolio_save(const void *self, void *bytes, size_t room)
{
    const struct portfolio *p = self;
    unsigned char *to = bytes;
    size_t size = HEAD_BYTES + untold(p) * 8 + p->seen.n * 8;

    for (uint32_t i = 0; i < p->n_arms; i++)
        size += ARM_HEAD_BYTES + arm_saved_size(p, i);
    if (room < size)
        return size;
    bytes_put(to, portfolio_tag);
    bytes_put(to + 8, p->trials);
    bytes_put(to + 16, p->n_arms);
    bytes_put(to + 24, p->seen.n);
    bytes_put(to + 32, untold(p));
    to += HEAD_BYTES;
    for (uint64_t i = 0; i < untold(p); i++, to += 8)
        bytes_put(to, p->lengths[i]);
    for (uint32_t i = 0; i < p->n_arms; i++) {
        size_t n = arm_saved_size(p, i);

        for (uint32_t k = 0; k < SLOTS; k++, to += 16) {
            bytes_put(to, p->arms[i].lately[k].trials);
            bytes_put(to + 8, p->arms[i].lately[k].news);
        }
        bytes_put(to, p->arms[i].trials);
        bytes_put(to + 8, n);
        (void)arm_strategy(p, i)->save(p->states[i], to + 16, n);
        to += 16 + n;
    }
    orders_put(&p->seen, to);
    return size;
}

/* Whether what is left at an arm's place can be its state. */
static bool load_arm(struct portfolio *p, uint32_t arm, const unsigned char **from, size_t *left)
{
    const unsigned char *at = *from + ARM_HEAD_BYTES;
    size_t n;

    if (*left < ARM_HEAD_BYTES || bytes_get(at - 8) > *left - ARM_HEAD_BYTES)
        return false;
    n = bytes_get(at - 8);
    for (uint32_t k = 0; k < SLOTS; k++) {
        uint64_t trials = bytes_get(*from + 16 * k);

        if (trials > PORTFOLIO_EPOCH || bytes_get(*from + 16 * k + 8) > trials)
            return false;
    }
    *from += ARM_HEAD_BYTES + n;
    *left -= ARM_HEAD_BYTES + n;
    return arm_strategy(p, arm)->load(p->states[arm], at, n) == 0;
}

static void load_scores(struct portfolio *p, const unsigned char *from)
{
    for (uint32_t i = 0; i < p->n_arms; i++) {
        for (uint32_t k = 0; k < SLOTS; k++, from += 16)
            p->arms[i].lately[k] = (struct portfolio_score){bytes_get(from), bytes_get(from + 8)};
        p->arms[i].trials = bytes_get(from);
        from += 16 + bytes_get(from + 8);
    }
}

/* Where in its epoch a portfolio was saved. */
static void load_position(struct portfolio *p, const unsigned char *bytes)
{
    uint64_t n = bytes_get(bytes + 32);

    p->trials = bytes_get(bytes + 8);
    p->ended = p->trials;
    /* At the end of an epoch the next one has not yet been divided. */
    p->epoch = p->trials == 0 ? NO_EPOCH : (p->trials - 1) / PORTFOLIO_EPOCH;
    for (uint64_t i = 0; i < n; i++)
        p->lengths[i] = bytes_get(bytes + HEAD_BYTES + 8 * i);
    if (p->epoch != NO_EPOCH)
        divide(p);
}

static bool is_head(const struct portfolio *p, const unsigned char *bytes, size_t n)
{
    uint64_t trials;

    if (n < HEAD_BYTES || bytes_get(bytes) != portfolio_tag || bytes_get(bytes + 16) != p->n_arms)
        return false;
    trials = bytes_get(bytes + 8);
    return bytes_get(bytes + 32) == (trials == 0 ? 0 : (trials - 1) % PORTFOLIO_EPOCH + 1) &&
           n - HEAD_BYTES >= bytes_get(bytes + 32) * 8;
}

/* Takes up the arms, and nothing if that fails. */
static bool load_arms(struct portfolio *p, const unsigned char **from, size_t *left, uint64_t seen)
{
    keep_arms(p);
    for (uint32_t i = 0; i < p->n_arms; i++) {
        if (!load_arm(p, i, from, left)) {
            return_to_kept(p);
            return false;
        }
    }
    if (*left % 8 == 0 && *left / 8 == seen)
        return true;
    return_to_kept(p);
    return false;
}

static int portfolio_load(void *self, const void *bytes, size_t n)
{
    struct portfolio *p = self;
    const unsigned char *from = bytes;
    const unsigned char *arms;
    size_t left;

    if (!is_head(p, bytes, n))
        return -1;
    from += HEAD_BYTES + bytes_get((const unsigned char *)bytes + 32) * 8;
    left = n - (size_t)(from - (const unsigned char *)bytes);
    arms = from;
    if (!load_arms(p, &from, &left, bytes_get((const unsigned char *)bytes + 24)))
        return -1;
    load_scores(p, arms);
    orders_forget(&p->seen);
    for (; left > 0; left -= 8, from += 8)
        (void)orders_see(&p->seen, bytes_get(from));
    load_position(p, bytes);
    return 0;
}

/* Each arm gives away half of its trials, and both go on learning for themselves. */
static bool portfolio_split(void *self, void *other)
{
    struct portfolio *p = self;
    struct portfolio *o = other;

    keep_arms(p);
    keep_arms(o);
    for (uint32_t i = 0; i < p->n_arms; i++) {
        if (!arm_strategy(p, i)->split(p->states[i], o->states[i])) {
            return_to_kept(p);
            return_to_kept(o);
            return false;
        }
    }
    for (uint32_t i = 0; i < p->n_arms; i++) {
        memcpy(o->arms[i].lately, p->arms[i].lately, sizeof(o->arms[i].lately));
        o->arms[i].trials = p->arms[i].trials;
    }
    memcpy(o->lengths, p->lengths, sizeof(o->lengths));
    o->epoch = p->epoch;
    o->ended = p->ended;
    memcpy(o->epoch_arms, p->epoch_arms, sizeof(o->epoch_arms));
    orders_copy(&o->seen, &p->seen);
    o->trials = p->trials;
    return true;
}

/* What all arms that look for conflicts have found. */
static bool portfolio_figures(const void *self, struct sn_conflicts *figures)
{
    const struct portfolio *p = self;
    bool has_any = false;

    *figures = (struct sn_conflicts){0};
    for (uint32_t i = 0; i < p->n_arms; i++) {
        struct sn_conflicts own;

        if (p->arms[i].entry->figures == NULL || !p->arms[i].entry->figures(p->states[i], &own))
            continue;
        figures->trials += own.trials;
        figures->operations += own.operations;
        figures->skipped += own.skipped;
        figures->raced += own.raced;
        figures->false_negatives += own.false_negatives;
        figures->false_positives += own.false_positives;
        figures->signatures =
            own.signatures > figures->signatures ? own.signatures : figures->signatures;
        figures->racy = own.racy > figures->racy ? own.racy : figures->racy;
        has_any = true;
    }
    return has_any;
}

static const struct sn_strategy portfolio_strategy = {
    .name = "portfolio",
    .about = "several strategies share the trials: portfolio or portfolio:A/B/C",
    .state_size = sizeof(struct portfolio),
    .learns = true,
    .init = portfolio_init,
    .begin = portfolio_begin,
    .pick = portfolio_pick,
    .draw = portfolio_draw,
    .end = portfolio_end,
    .seek = portfolio_seek,
    .save = portfolio_save,
    .load = portfolio_load,
    .split = portfolio_split,
    .lesson = portfolio_lesson,
    .learn = portfolio_learn,
};

const struct strategy_entry strategy_portfolio = {.strategy = &portfolio_strategy,
                                                  .loop = portfolio_loop,
                                                  .mind = portfolio_mind,
                                                  .arm_name = portfolio_arm_name,
                                                  .figures = portfolio_figures};
