/* shrunk_rounds.c - see shrunk_own.h: what cannot be left out piece by piece.
 * SPDX-License-Identifier: MIT
 */
#include "shrunk_own.h"

#include <string.h>

static const char next = '.';

/* ---- Turns ---------------------------------------------------------------------------------- */

enum { TURNS = 120, CARDS = 512 };

struct player {
    unsigned turns;
    bool has_first;
};

/* Each turn follows from the one before, and two cards in a row are rare. */
static void on_turn(void *self, sn_id from, const void *bytes, size_t n)
{
    struct player *p = self;
    uint64_t card = sn_choose("card", CARDS);

    (void)from;
    (void)n;
    sn_assertf(card != 44 || !p->has_first, "the second card after the first");
    p->has_first |= card == 33;
    if (++p->turns < TURNS)
        sn_send_bytes(sn_self(), bytes, 1);
}

static const struct sn_machine player = {
    .name = "Player", .size = sizeof(struct player), .on_message = on_turn};

void run_turns(void)
{
    (void)shrunk_sender(sn_create(&player, NULL), 'A');
}

/* ---- Two ways ------------------------------------------------------------------------------- */

enum { LONG_WAY = 60, SHORT_WAY = 40 };

struct walker {
    unsigned left;
    bool is_lost;
};

static void walk(struct walker *w)
{
    sn_assertf(!w->is_lost || w->left > 0, "at the end of the way");
    if (w->left > 0)
        sn_send_bytes(sn_self(), &next, 1);
}

static void choose_way(void *self, const void *payload)
{
    struct walker *w = self;
    uint64_t x = sn_choose("x", 32);
    uint64_t y = sn_choose("y", 32);
    bool is_long = x == 3 && y == 5;
    bool is_short = x == 30 && y == 31;

    (void)payload;
    *w = (struct walker){.left = is_long    ? LONG_WAY
                                 : is_short ? SHORT_WAY
                                            : 1,
                         .is_lost = is_long || is_short};
    walk(w);
}

static void on_step(void *self, sn_id from, const void *bytes, size_t n)
{
    struct walker *w = self;

    (void)from;
    (void)bytes;
    (void)n;
    w->left--;
    walk(w);
}

static const struct sn_machine walker = {
    .name = "Walker", .size = sizeof(struct walker), .on_start = choose_way, .on_message = on_step};

void run_ways(void)
{
    (void)sn_create(&walker, NULL);
}

/* ---- Two that go only together -------------------------------------------------------------- */

enum { HOPS = 40, DETOUR = 3, NEEDED = 16 };

struct hopper {
    unsigned hops;
    unsigned left;
    unsigned detours;
    unsigned needed;
};

/* On its way it draws five values: three are needed, and of the others none or both. */
static void on_hop(void *self, sn_id from, const void *bytes, size_t n)
{
    struct hopper *h = self;

    (void)from;
    (void)bytes;
    (void)n;
    h->hops++;
    if (h->hops == 2 || h->hops == 15 || h->hops == 35)
        h->needed += sn_choose("needed", NEEDED) == 1;
    if ((h->hops == 5 || h->hops == 25) && sn_maybe("detour")) {
        h->detours++;
        h->left += DETOUR;
    }
    sn_assertf(h->left > 0 || h->needed < 3 || h->detours % 2 != 0, "all is even");
    if (h->left-- > 0)
        sn_send_bytes(sn_self(), &next, 1);
}

static void hop_first(void *self, const void *payload)
{
    (void)payload;
    *(struct hopper *)self = (struct hopper){.left = HOPS};
    sn_send_bytes(sn_self(), &next, 1);
}

static const struct sn_machine hopper = {
    .name = "Hopper", .size = sizeof(struct hopper), .on_start = hop_first, .on_message = on_hop};

void run_detours(void)
{
    (void)sn_create(&hopper, NULL);
}

/* ---- Two nodes, of which one matters -------------------------------------------------------- */

const struct sn_faults shrunk_two_crashes = {.crashes = 2, .horizon = 12, .down_ns = 1000000000};

static void on_note(void *self, sn_id from, const void *bytes, size_t n)
{
    struct hub *h = self;

    (void)from;
    (void)n;
    hub_hear(h, bytes);
    sn_assertf(*(const char *)bytes != 'B' || h->heard[0] == 'A', "A is forgotten");
}

static const struct sn_machine note_hub = {
    .name = "Hub", .size = sizeof(struct hub), .on_message = on_note};

/* What it hears it tells the hub, and B some time later. */
static void tell(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)from;
    (void)n;
    sn_send_bytes(*(sn_id *)self, bytes, 1);
    (void)sn_timer_start_tag(1, 2000000000);
}

static void tell_b(void *self, uint64_t tag)
{
    (void)tag;
    sn_send_bytes(*(sn_id *)self, "B", 1);
}

static void keep_hub(void *self, const void *payload)
{
    memcpy(self, payload, sizeof(sn_id));
}

static const struct sn_event teller_birth = {.name = "Teller", .size = sizeof(sn_id)};
static const struct sn_machine teller = {.name = "Teller",
                                         .size = sizeof(sn_id),
                                         .birth = &teller_birth,
                                         .on_start = keep_hub,
                                         .on_message = tell,
                                         .on_timer = tell_b};

void run_crashes(void)
{
    sn_node first = sn_node_new("first");
    sn_node second = sn_node_new("second");
    sn_id hub = sn_create_on(second, &note_hub, NULL);

    (void)sn_create_on(first, &note_hub, NULL);
    (void)shrunk_sender(sn_create(&teller, &hub), 'A');
}

/* ---- Two nodes, one after the other --------------------------------------------------------- */

struct waiter {
    sn_id hub;
    unsigned births;
};

/* When the first node has come back, the hub hears A, and B some time later. */
static void on_birth_of_other(void *self, sn_id from, const void *bytes, size_t n)
{
    struct waiter *w = self;

    (void)from;
    (void)bytes;
    (void)n;
    if (++w->births != 2)
        return;
    sn_send_bytes(w->hub, "A", 1);
    (void)sn_timer_start_tag(1, 2000000000);
}

static const struct sn_machine waiter = {.name = "Waiter",
                                         .size = sizeof(struct waiter),
                                         .birth = &teller_birth,
                                         .on_start = keep_hub,
                                         .on_message = on_birth_of_other,
                                         .on_timer = tell_b};

static void tell_birth(void *self, const void *payload)
{
    sn_id to;

    (void)self;
    memcpy(&to, payload, sizeof(to));
    sn_send_bytes(to, "R", 1);
}

static const struct sn_machine reborn = {
    .name = "Reborn", .birth = &teller_birth, .on_start = tell_birth, .on_message = shrunk_ignore};

void run_reborn(void)
{
    sn_node first = sn_node_new("first");
    sn_node second = sn_node_new("second");
    sn_id hub = sn_create_on(second, &note_hub, NULL);
    sn_id other = sn_create(&waiter, &hub);

    (void)sn_create_on(first, &reborn, &other);
}

/* ---- A large value -------------------------------------------------------------------------- */

static void spend(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assertf(sn_choose("amount", 1000000) < 123457, "too much");
}

static const struct sn_machine spender = {
    .name = "Spender", .on_start = spend, .on_message = shrunk_ignore};

void run_amount(void)
{
    (void)sn_create(&spender, NULL);
}
