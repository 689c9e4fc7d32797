/* door.c - sn_goto, sn_push, sn_pop, sn_raise and sn_halt: a door that can be locked.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

static const struct sn_event use = {.name = "Use"};
static const struct sn_event lock = {.name = "Lock"};
static const struct sn_event unlock = {.name = "Unlock"};
static const struct sn_event worn_out = {.name = "WornOut"};

struct door {
    int uses;
};

static const struct sn_state closed, open, locked;

static void on_use_closed(void *self, const void *payload)
{
    struct door *door = self;

    (void)payload;
    if (++door->uses == 3)
        sn_raise(&worn_out, NULL); /* handled next, before any other event */
    else
        sn_goto(&open);
}

static void on_use_open(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_goto(&closed);
}

static void on_lock(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_push(&locked); /* on top of `closed`, to which sn_pop returns */
}

static void on_unlock(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_pop();
}

static void on_worn_out(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_halt();
}

static const struct sn_on when_closed[] = {
    {.event = &use, .run = on_use_closed},
    {.event = &lock, .run = on_lock},
    {.event = &unlock, .ignore = true},
    {.event = &worn_out, .run = on_worn_out},
    {0},
};
static const struct sn_on when_open[] = {
    {.event = &use, .run = on_use_open},
    {.event = &lock, .defer = true},
    {.event = &unlock, .ignore = true},
    {0},
};
static const struct sn_on when_locked[] = {
    {.event = &use, .ignore = true},
    {.event = &lock, .ignore = true},
    {.event = &unlock, .run = on_unlock},
    {0},
};
static const struct sn_state closed = {.name = "Closed", .on = when_closed};
static const struct sn_state open = {.name = "Open", .on = when_open};
static const struct sn_state locked = {.name = "Locked", .on = when_locked};
static const struct sn_machine door = {
    .name = "Door", .size = sizeof(struct door), .start = &closed};

static void press(void *self, const void *payload)
{
    sn_id it = *(const sn_id *)payload;

    (void)self;
    sn_send(it, &use, NULL);
    sn_send(it, &lock, NULL);
    sn_send(it, &use, NULL);
    sn_send(it, &unlock, NULL);
}

static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};
static const struct sn_state pressing = {.name = "Pressing", .entry = press};
static const struct sn_machine person = {.name = "Person", .start = &pressing, .birth = &birth};

static void run(void)
{
    sn_id it = sn_create(&door, NULL);

    sn_create(&person, &it);
    sn_create(&person, &it);
}

static const struct sn_test tests[] = {{.name = "door", .run = run}, {0}};
static const struct sn_suite suite = {.name = "door", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
