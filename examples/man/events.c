/* events.c - sn_replica, sn_events_begin, sn_events_end, sn_event_free and sn_event_call: every
 * interleaving of what a test does with two copies of a counter. The wrappers, which `sennit events
 * --wrap` writes otherwise, are written by hand. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <stdlib.h>

/* ---- The library: each replica counts for itself, and keeps the most it has heard of others -- */

struct counter {
    int index;
    int counts[2];
};

struct news {
    int counts[2];
};

static void count_up(struct counter *c)
{
    c->counts[c->index]++;
}

static struct news *tell(const struct counter *c)
{
    struct news *news = malloc(sizeof(*news));

    sn_assert(news != NULL);
    news->counts[0] = c->counts[0];
    news->counts[1] = c->counts[1];
    return news;
}

static void hear(struct counter *c, const struct news *news)
{
    for (int i = 0; i < 2; i++) {
        if (news->counts[i] > c->counts[i])
            c->counts[i] = news->counts[i];
    }
}

/* ---- Wrappers -------------------------------------------------------------------------------- */

struct args {
    struct counter *replica;
    struct news *news;
};

static void run_count_up(void *args)
{
    count_up(((struct args *)args)->replica);
}

static void run_tell(void *args)
{
    struct args *a = args;

    a->news = tell(a->replica);
}

static void run_hear(void *args)
{
    struct args *a = args;

    hear(a->replica, a->news);
}

static const struct sn_arg no_args[] = {{0}};
static const struct sn_arg one_message[] = {
    {SN_ARG_MESSAGE, offsetof(struct args, news), sizeof(struct news *)}, {0}};

static const struct sn_event_op count_up_call = {.op = "count_up",
                                                 .kind = SN_EVENT_UPDATE,
                                                 .size = sizeof(struct args),
                                                 .args = no_args,
                                                 .run = run_count_up};
static const struct sn_event_op tell_call = {
    .op = "tell",
    .kind = SN_EVENT_REQUEST,
    .size = sizeof(struct args),
    .args = no_args,
    .result = {SN_ARG_MESSAGE, offsetof(struct args, news), sizeof(struct news *)},
    .run = run_tell};
static const struct sn_event_op hear_call = {.op = "hear",
                                             .kind = SN_EVENT_EXECUTE,
                                             .size = sizeof(struct args),
                                             .args = one_message,
                                             .run = run_hear};

static void recorded_count_up(struct counter *c)
{
    struct args args = {.replica = c};

    sn_event_call(&count_up_call, &args);
}

static void recorded_sync(struct counter *from, struct counter *to)
{
    struct args asked = {.replica = from};
    struct args told = {.replica = to};

    sn_event_call(&tell_call, &asked);
    told.news = asked.news; /* not to be looked at here: it stands for what is made in each trial */
    sn_event_call(&hear_call, &told);
}

/* ---- The test -------------------------------------------------------------------------------- */

static struct counter a;
static struct counter b = {.index = 1};

static void print_counter(struct sn_text *out, const void *object)
{
    const struct counter *c = object;

    sn_print(out, "[%d,%d]", c->counts[0], c->counts[1]);
}

static void check(void)
{
    sn_assert(a.counts[0] == 2);
    sn_assert(b.counts[1] == 1);
}

static void run(void)
{
    const struct sn_events how = {.expect = SN_EXPECT_CONVERGENCE | SN_EXPECT_IDEMPOTENCE};

    sn_replica(&a, "A", print_counter);
    sn_replica(&b, "B", print_counter);
    sn_events_begin(&how);
    recorded_count_up(&a);
    recorded_sync(&a, &b);
    sn_event_free(); /* it may come before the first one, too */
    recorded_count_up(&a);
    recorded_count_up(&b);
    recorded_sync(&b, &a);
    sn_events_end(check);
}

static const struct sn_test tests[] = {{.name = "counter", .run = run, .strategy = "events"}, {0}};
static const struct sn_suite suite = {.name = "events", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
