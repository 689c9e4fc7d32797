/* shrunk_tests.c - see shrunk_tests.h. SPDX-License-Identifier: MIT */
#include "shrunk_own.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Somebody who sends a letter ------------------------------------------------------------ */

const struct sn_event shrunk_letter = {.name = "Letter", .size = sizeof(struct letter)};

static void send_letter(void *self, const void *payload)
{
    const struct letter *l = payload;

    (void)self;
    sn_send_bytes(l->to, &l->letter, 1);
}

void shrunk_ignore(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    (void)bytes;
    (void)n;
}

static const struct sn_machine sender = {.name = "Sender",
                                         .birth = &shrunk_letter,
                                         .on_start = send_letter,
                                         .on_message = shrunk_ignore};

sn_id shrunk_sender(sn_id to, char letter)
{
    struct letter l = {.to = to, .letter = letter};
    sn_id id = sn_create(&sender, &l);

    sn_set_name(id, "%c", letter);
    return id;
}

/* ---- A hub that hears letters --------------------------------------------------------------- */

bool hub_has_only(const struct hub *h, char x, char y)
{
    return memchr(h->heard, x, h->n) != NULL && memchr(h->heard, y, h->n) == NULL;
}

void hub_hear(struct hub *h, const void *bytes)
{
    if (h->n < sizeof(h->heard) && *(const char *)bytes != '.')
        h->heard[h->n++] = *(const char *)bytes;
}

bool hub_is_wrong_order(const struct hub *h)
{
    return h->n >= 2 && h->heard[h->n - 1] == 'B' && hub_has_only(h, 'C', 'A');
}

static void on_order(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)from;
    (void)n;
    hub_hear(self, bytes);
    sn_assertf(!hub_is_wrong_order(self), "B after C, but before A");
}

static const struct sn_machine order_hub = {
    .name = "Hub", .size = sizeof(struct hub), .on_message = on_order};

sn_id hub_create_three(const struct sn_machine *type)
{
    sn_id hub = sn_create(type, NULL);

    (void)shrunk_sender(hub, 'A');
    (void)shrunk_sender(hub, 'B');
    (void)shrunk_sender(hub, 'C');
    return hub;
}

static void run_order(void)
{
    (void)hub_create_three(&order_hub);
}

/* ---- Noise ---------------------------------------------------------------------------------- */

enum { PAIRS = 6, ROUNDS = 40 };

struct chatter {
    sn_id hub;
    sn_id peer;
    unsigned rounds;
};

static const struct sn_event chatter_birth = {.name = "Chatter", .size = sizeof(struct chatter)};
static const char dot = '.';

static void chat(struct chatter *c)
{
    if (c->rounds++ >= ROUNDS)
        return;
    sn_send_bytes(c->peer, &dot, 1);
    if (c->rounds % 4 == 0)
        sn_send_bytes(c->hub, &dot, 1);
}

static void chatter_start(void *self, const void *payload)
{
    struct chatter *c = self;

    *c = *(const struct chatter *)payload;
    if (c->peer != SN_NOBODY)
        chat(c);
}

static void on_chat(void *self, sn_id from, const void *bytes, size_t n)
{
    struct chatter *c = self;

    (void)bytes;
    (void)n;
    c->peer = from;
    chat(c);
}

static const struct sn_machine chatter = {.name = "Chatter",
                                          .size = sizeof(struct chatter),
                                          .birth = &chatter_birth,
                                          .on_start = chatter_start,
                                          .on_message = on_chat};

static void run_noisy(void)
{
    sn_id hub = sn_create(&order_hub, NULL);
    struct chatter c = {.hub = hub};

    for (unsigned i = 0; i < PAIRS; i++) {
        c.peer = SN_NOBODY;
        c.peer = sn_create(&chatter, &c);
        (void)sn_create(&chatter, &c);
        if (i % 2 == 1)
            (void)shrunk_sender(hub, (char)('A' + i / 2));
    }
}

/* ---- Values --------------------------------------------------------------------------------- */

static void on_number(void *self, sn_id from, const void *bytes, size_t n)
{
    uint32_t number;

    (void)self;
    (void)from;
    sn_assert(n == sizeof(number));
    memcpy(&number, bytes, n);
    sn_assertf(number < 37, "%u is too large", number);
}

static const struct sn_machine number_hub = {.name = "Hub", .on_message = on_number};

static void draw_numbers(void *self, const void *payload)
{
    const struct letter *l = payload;

    (void)self;
    for (int i = 0; i < 20; i++) {
        bool is_sent = sn_maybe("sends");
        uint32_t number = (uint32_t)sn_choose("number", 100);

        if (is_sent)
            sn_send_bytes(l->to, &number, sizeof(number));
    }
}

static const struct sn_machine drawer = {.name = "Drawer",
                                         .birth = &shrunk_letter,
                                         .on_start = draw_numbers,
                                         .on_message = shrunk_ignore};

static void run_value(void)
{
    struct letter l = {.to = sn_create(&number_hub, NULL)};

    (void)sn_create(&drawer, &l);
}

/* ---- Two places ----------------------------------------------------------------------------- */

/* Whether both were heard, in this order. */
static bool is_before(const struct hub *h, char x, char y)
{
    const char *first = memchr(h->heard, x, h->n);

    return first != NULL && memchr(first, y, h->n - (size_t)(first - h->heard)) != NULL;
}

static void on_slip(void *self, sn_id from, const void *bytes, size_t n)
{
    struct hub *h = self;

    (void)from;
    (void)n;
    hub_hear(h, bytes);
    sn_assertf(h->heard[h->n - 1] != 'A' || !is_before(h, 'C', 'B'), "all the wrong way round");
    sn_assertf(h->heard[0] != 'D', "D comes first");
}

static const struct sn_machine slip_hub = {
    .name = "Hub", .size = sizeof(struct hub), .on_message = on_slip};

static void run_slip(void)
{
    (void)shrunk_sender(hub_create_three(&slip_hub), 'D');
}

/* ---- Others --------------------------------------------------------------------------------- */

static void on_any(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)from;
    (void)n;
    hub_hear(self, bytes);
    sn_assertf(((struct hub *)self)->n < 3, "a third letter");
}

static const struct sn_machine default_hub = {
    .name = "Hub", .size = sizeof(struct hub), .on_message = on_any};

static void run_default(void)
{
    (void)hub_create_three(&default_hub);
}

/* Asks the kernel, which no trial controls: one time in four all is well. */
static void on_flaky(void *self, sn_id from, const void *bytes, size_t n)
{
    unsigned char chance = 0;

    (void)from;
    (void)n;
    hub_hear(self, bytes);
    if (hub_is_wrong_order(self))
        (void)syscall(SYS_getrandom, &chance, 1, 0);
    sn_assertf(!hub_is_wrong_order(self) || chance % 4 == 0, "not today");
}

static const struct sn_machine flaky_hub = {
    .name = "Hub", .size = sizeof(struct hub), .on_message = on_flaky};

static void run_flaky(void)
{
    (void)hub_create_three(&flaky_hub);
}

/* ---- Rounds --------------------------------------------------------------------------------- */

/* Each round follows from the one before. One in forty goes wrong. */
static void on_round(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    (void)n;
    sn_assertf(sn_choose("round", 40) != 7, "bad luck");
    sn_send_bytes(sn_self(), bytes, 1);
}

static const struct sn_machine rounds_hub = {.name = "Hub", .on_message = on_round};

static void run_rounds(void)
{
    (void)shrunk_sender(sn_create(&rounds_hub, NULL), 'A');
}

/* ---- The suite ------------------------------------------------------------------------------ */

#define TEST(name_, ...)                                                                           \
    {                                                                                              \
        .name = #name_, .run = run_##name_, .world = SN_WORLD_TRIAL, __VA_ARGS__                   \
    }

static const struct sn_test tests[] = {
    TEST(order, .about = "the hub fails if it hears C, then B, and A only later"),
    TEST(noisy, .about = "the same with hundreds of messages of others"),
    TEST(value, .about = "of many draws one must be 1, and one at least 37"),
    TEST(slip, .about = "a failure, and a smaller one elsewhere"),
    TEST(deadlock, .about = "two lock two, in another order"),
    TEST(hot, .about = "a monitor stays hot while a timer ticks",
         .monitors = (const struct sn_machine *const[]){&shrunk_answers, NULL}, .max_steps = 200),
    TEST(debt, .about = "the same with a monitor that is hot from the beginning",
         .monitors = (const struct sn_machine *const[]){&shrunk_debts, NULL}, .max_steps = 200),
    TEST(gamble, .about = "a monitor stays hot because of what a fair end has drawn",
         .monitors = (const struct sn_machine *const[]){&shrunk_debts, NULL}, .max_steps = 200,
         .fair_steps = 199),
    TEST(segfault, .about = "as order, with a signal"),
    TEST(abort, .about = "the same with another one"),
    TEST(waits, .about = "as order, but waits for ever at times"),
    TEST(fault, .about = "a node must crash at the right moment", .faults = &shrunk_crashes),
    TEST(default, .about = "fails whatever happens"),
    TEST(flaky, .about = "as order, if something outside wants it"),
    TEST(history, .about = "a register that acknowledges what it has not done yet",
         .model = &sn_model_register, .has_model_initial = true),
    TEST(rounds, .about = "one of many rounds goes wrong"),
    TEST(turns, .about = "one card after another, in some turns of many"),
    TEST(ways, .about = "a long way to fail, and a shorter one that looks quite different"),
    TEST(detours, .about = "two detours, of which none or both must be made"),
    TEST(crashes, .about = "two nodes crash, and one of them matters",
         .faults = &shrunk_two_crashes),
    TEST(reborn, .about = "one node crashes, and another one because of that",
         .faults = &shrunk_two_crashes),
    TEST(amount, .about = "one of a million values, or any larger one"),
    TEST(random, .about = "fails in a way of its own for each number"),
    {0},
};

static const struct sn_option options[] = {
    {.name = "number", .about = "of the random program", .number = &random_number}, {0}};

const struct sn_suite shrunk_suite = {.name = "shrunk", .tests = tests, .options = options};

const struct sn_test *shrunk_test(const char *name)
{
    const struct sn_test *test = tests;

    while (strcmp(test->name, name) != 0)
        test++;
    return test;
}
