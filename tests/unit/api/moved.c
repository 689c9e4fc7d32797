/* moved.c - see moved.h. SPDX-License-Identifier: MIT */
#include "moved.h"

enum change {
    ORIGINAL,
    MESSAGE_ADDED,
    MACHINE_ADDED,
    SIBLING_ADDED,
    EVENT_RENAMED,
    MACHINE_RENAMED,
    DRAWER_RENAMED,
    TIMER_REMOVED,
    RANGE_NARROWED,
    LABEL_CHANGED,
    DRAW_ADDED,
    REPAIRED,
    OTHER_BUG,
};

static enum change change;

struct who {
    sn_id store;
    sn_id from;
};

static const struct sn_field who_fields[] = {SN_FIELD(struct who, from, SN_MACHINE), {0}};

#define EVENT(variable_, name_)                                                                    \
    static const struct sn_event variable_ = {                                                     \
        .name = (name_), .size = sizeof(struct who), .fields = who_fields}

EVENT(put_event, "Put");
EVENT(put_renamed_event, "Insert");
EVENT(done_event, "Done");
EVENT(get_event, "Get");
EVENT(reply_event, "Reply");
EVENT(gone_event, "Gone");
EVENT(delete_event, "Delete");
EVENT(hello_event, "Hello");
EVENT(alarm_event, "Alarm");
EVENT(tick_event, "Tick");
EVENT(birth_event, "Birth");

static struct who me(const struct who *w)
{
    return (struct who){.store = w->store, .from = sn_self()};
}

/* ---- The store ------------------------------------------------------------------------------ */

struct store {
    bool has;
    bool is_used;
};

static void on_put(void *self, const void *payload)
{
    struct store *s = self;

    s->has = true;
    s->is_used = true;
    sn_send(((const struct who *)payload)->from, &done_event, payload);
}

static void on_get(void *self, const void *payload)
{
    struct store *s = self;

    s->is_used = false;
    sn_send(((const struct who *)payload)->from, s->has ? &reply_event : &gone_event, payload);
}

static void on_delete(void *self, const void *payload)
{
    struct store *s = self;

    (void)payload;
    sn_assertf(change != OTHER_BUG, "nothing is ever deleted");
    if (change != REPAIRED || !s->is_used)
        s->has = false;
}

static void on_ignored(void *self, const void *payload)
{
    (void)self;
    (void)payload;
}

static const struct sn_state storing = {
    .name = "Storing",
    .on = (const struct sn_on[]){{.event = &put_event, .run = on_put},
                                 {.event = &put_renamed_event, .run = on_put},
                                 {.event = &get_event, .run = on_get},
                                 {.event = &delete_event, .run = on_delete},
                                 {.event = &hello_event, .run = on_ignored},
                                 {.event = &alarm_event, .run = on_ignored},
                                 {0}},
};

static const struct sn_machine store_machine = {
    .name = "Store", .size = sizeof(struct store), .start = &storing};
static const struct sn_machine renamed_machine = {
    .name = "Cupboard", .size = sizeof(struct store), .start = &storing};

/* ---- Who uses it ---------------------------------------------------------------------------- */

static void ask(struct who *w, const struct sn_event *event)
{
    struct who message = me(w);

    if (change == MESSAGE_ADDED)
        sn_send(w->store, &hello_event, &message);
    sn_send(w->store, event, &message);
}

static void user_start(void *self, const void *payload)
{
    struct who *w = self;

    *w = *(const struct who *)payload;
    ask(w, change == EVENT_RENAMED ? &put_renamed_event : &put_event);
}

static void on_done(void *self, const void *payload)
{
    (void)payload;
    ask(self, &get_event);
}

static void on_gone(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assertf(false, "the value is gone");
}

static const struct sn_state using = {
    .name = "Using",
    .entry = user_start,
    .on = (const struct sn_on[]){{.event = &done_event, .run = on_done},
                                 {.event = &reply_event, .run = on_ignored},
                                 {.event = &gone_event, .run = on_gone},
                                 {0}},
};

static const struct sn_machine user_machine = {
    .name = "User", .size = sizeof(struct who), .start = &using, .birth = &birth_event};

/* ---- Who deletes ---------------------------------------------------------------------------- */

static void cleaner_start(void *self, const void *payload)
{
    struct who *w = self;
    struct who message;
    uint64_t age;

    *w = *(const struct who *)payload;
    message = me(w);
    if (change != TIMER_REMOVED)
        (void)sn_timer_start(&alarm_event, 1000, &message);
    if (change == DRAW_ADDED)
        (void)sn_choose("mood", 4);
    age = sn_choose(change == LABEL_CHANGED ? "how old" : "age", change == RANGE_NARROWED ? 6 : 8);
    if (age >= 5)
        sn_send(sn_self(), &tick_event, &message);
}

static void on_alarm(void *self, const void *payload)
{
    struct who *w = self;

    (void)payload;
    sn_send(w->store, &alarm_event, &(struct who){.from = sn_self()});
}

static void on_tick(void *self, const void *payload)
{
    struct who *w = self;

    sn_send(w->store, &delete_event, payload);
}

static const struct sn_state cleaning = {
    .name = "Cleaning",
    .entry = cleaner_start,
    .on = (const struct sn_on[]){{.event = &tick_event, .run = on_tick},
                                 {.event = &alarm_event, .run = on_alarm},
                                 {0}},
};

static const struct sn_machine cleaner_machine = {
    .name = "Cleaner", .size = sizeof(struct who), .start = &cleaning, .birth = &birth_event};

static const struct sn_machine sweeper_machine = {
    .name = "Sweeper", .size = sizeof(struct who), .start = &cleaning, .birth = &birth_event};

static const struct sn_state idling = {.name = "Idling"};
static const struct sn_machine idler_machine = {.name = "Idler", .start = &idling};

/* ---- The tests ------------------------------------------------------------------------------ */

static void run_original(void)
{
    struct who w = {0};

    if (change == MACHINE_ADDED)
        (void)sn_create(&idler_machine, NULL);
    w.store = sn_create(change == MACHINE_RENAMED ? &renamed_machine : &store_machine, NULL);
    (void)sn_create(change == DRAWER_RENAMED ? &sweeper_machine : &cleaner_machine, &w);
    (void)sn_create(&user_machine, &w);
    if (change == SIBLING_ADDED)
        (void)sn_create(&user_machine, &w);
}

/* The change is part of the trial, so that it is undone after it. */
#define TEST(variable_, change_)                                                                   \
    static void run_##variable_(void)                                                              \
    {                                                                                              \
        change = (change_);                                                                        \
        run_original();                                                                            \
    }                                                                                              \
    const struct sn_test variable_ = {                                                             \
        .name = "moved", .run = run_##variable_, .timers = SN_TIMERS_ANY}

const struct sn_test moved_original = {
    .name = "moved", .run = run_original, .timers = SN_TIMERS_ANY};
TEST(moved_message_added, MESSAGE_ADDED);
TEST(moved_machine_added, MACHINE_ADDED);
TEST(moved_sibling_added, SIBLING_ADDED);
TEST(moved_event_renamed, EVENT_RENAMED);
TEST(moved_machine_renamed, MACHINE_RENAMED);
TEST(moved_drawer_renamed, DRAWER_RENAMED);
TEST(moved_timer_removed, TIMER_REMOVED);
TEST(moved_range_narrowed, RANGE_NARROWED);
TEST(moved_label_changed, LABEL_CHANGED);
TEST(moved_draw_added, DRAW_ADDED);
TEST(moved_repaired, REPAIRED);
TEST(moved_other_bug, OTHER_BUG);
