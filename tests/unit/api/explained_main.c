/* explained_main.c - programs that fail for reasons that are known: letters reach boxes in any
 * order, and a formula over their order says what is wrong. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <signal.h>
#include <stdlib.h>

enum {
    LETTERS_MAX = 20,
    BOXES_MAX = 4,
    MANY_BOXES = 10, /* more than an explanation may have orders */
    CHATTERERS = 8,
    CHATS = 50, /* of each */
    ACKERS = 4,
    BEATS = 10,
    BEATS_SEEN = 3, /* before the node is removed */
    BURNS = 150,    /* of a fuse, beyond the step from which on a trial is fair */
};

/* ---- Boxes ---------------------------------------------------------------------------------- */

struct letter {
    uint32_t number;
};

static uint64_t letter_key(const void *payload)
{
    return ((const struct letter *)payload)->number;
}

static const struct sn_field letter_fields[] = {SN_FIELD(struct letter, number, SN_UINT), {0}};
static const struct sn_event letter_event = {
    .name = "Letter", .size = sizeof(struct letter), .fields = letter_fields, .key = letter_key};
static const struct sn_event report_event = {
    .name = "Report", .size = sizeof(struct letter), .fields = letter_fields};

struct order {
    uint32_t n;
    uint32_t at[LETTERS_MAX]; /* position of each letter, from 1; 0: it has not come */
};

/* What a box is to do when it has so many letters: judge their order, or tell the judge whether the
 * first of two came first. */
struct purpose {
    bool (*fails)(const struct order *order);
    uint32_t n;
    uint32_t first; /* the number of its first letter */
    sn_id judge;
};

static const struct sn_event purpose_event = {.name = "Purpose", .size = sizeof(struct purpose)};

struct box {
    struct purpose purpose;
    struct order order;
};

static bool before(const struct order *o, uint32_t a, uint32_t b)
{
    return o->at[a] != 0 && (o->at[b] == 0 || o->at[a] < o->at[b]);
}

static void on_birth(void *self, const void *payload)
{
    ((struct box *)self)->purpose = *(const struct purpose *)payload;
}

static void on_letter(void *self, const void *payload)
{
    struct box *box = self;
    const struct purpose *p = &box->purpose;

    box->order.at[((const struct letter *)payload)->number] = ++box->order.n;
    if (box->order.n < p->n)
        return;
    if (p->fails != NULL) {
        sn_assertf(!p->fails(&box->order), "the order is wrong");
    } else {
        struct letter report = {before(&box->order, p->first, p->first + 1)};

        sn_send(p->judge, &report_event, &report);
    }
}

static const struct sn_state open_state = {
    .name = "Open",
    .entry = on_birth,
    .on = (const struct sn_on[]){{.event = &letter_event, .run = on_letter}, {0}},
};
static const struct sn_machine box_type = {
    .name = "Box", .size = sizeof(struct box), .start = &open_state, .birth = &purpose_event};

static void send_letter(sn_id to, uint32_t number)
{
    sn_send(to, &letter_event, &(struct letter){number});
}

static void fill_box(uint32_t n, bool (*fails)(const struct order *order))
{
    sn_id box = sn_create(&box_type, &(struct purpose){.fails = fails, .n = n});

    for (uint32_t i = 0; i < n; i++)
        send_letter(box, i);
}

/* ---- One box -------------------------------------------------------------------------------- */

static bool is_broken;

static bool one_fails(const struct order *o)
{
    return is_broken && before(o, 1, 0);
}

static void run_one(void)
{
    fill_box(2, one_fails);
}

static bool one_dies(const struct order *o)
{
    if (one_fails(o))
        (void)raise(SIGSEGV);
    return false;
}

static void run_death(void)
{
    fill_box(2, one_dies);
}

/* Two ways to die, of which only one is the failure. */
static bool either_dies(const struct order *o)
{
    if (before(o, 1, 0) && is_broken)
        abort();
    if (before(o, 1, 0) || before(o, 2, 0))
        exit(3);
    return false;
}

static void run_ways(void)
{
    fill_box(3, either_dies);
}

static bool default_fails(const struct order *o)
{
    return before(o, 0, 1);
}

static void run_default(void)
{
    fill_box(2, default_fails);
}

static bool two_fails(const struct order *o)
{
    return before(o, 3, 1) && before(o, 1, 4);
}

static void run_two(void)
{
    fill_box(5, two_fails);
}

static bool three_fails(const struct order *o)
{
    return before(o, 4, 2) && before(o, 2, 0) && before(o, 3, 1);
}

static void run_three(void)
{
    fill_box(5, three_fails);
}

/* Letter 0 is the deadline; 1 to 4 are acknowledgements. */
static bool acks_fail(const struct order *o)
{
    return before(o, 1, 0) + before(o, 2, 0) + before(o, 3, 0) + before(o, 4, 0) >= 2;
}

static void run_acks(void)
{
    fill_box(5, acks_fail);
}

/* ---- Several boxes, whose orders have nothing to do with each other ------------------------- */

struct judge {
    uint32_t n;
    uint32_t yes;
};

static uint32_t wanted_reports(void *self, const void *payload)
{
    struct judge *judge = self;

    judge->n++;
    judge->yes += ((const struct letter *)payload)->number;
    return judge->yes;
}

static void on_all(void *self, const void *payload)
{
    uint32_t yes = wanted_reports(self, payload);

    sn_assertf(yes < BOXES_MAX, "all four are in order");
}

static void on_many(void *self, const void *payload)
{
    uint32_t yes = wanted_reports(self, payload);

    sn_assertf(yes < MANY_BOXES, "all of them are in order");
}

static void on_either(void *self, const void *payload)
{
    uint32_t yes = wanted_reports(self, payload);

    sn_assertf(((struct judge *)self)->n < 2 || yes == 0, "one of the two is in order");
}

static void on_exclusive(void *self, const void *payload)
{
    uint32_t yes = wanted_reports(self, payload);

    sn_assertf(((struct judge *)self)->n < 2 || yes != 1, "exactly one of the two is in order");
}

#define JUDGE(name_, handler_)                                                                     \
    static const struct sn_state name_##_state = {                                                 \
        .name = "Judging",                                                                         \
        .on = (const struct sn_on[]){{.event = &report_event, .run = (handler_)}, {0}}};           \
    static const struct sn_machine name_##_type = {                                                \
        .name = "Judge", .size = sizeof(struct judge), .start = &name_##_state}

JUDGE(all, on_all);
JUDGE(many, on_many);
JUDGE(either, on_either);
JUDGE(exclusive, on_exclusive);

/* The second letter of each box is sent first: by default no box is in order. */
static void fill_boxes(const struct sn_machine *judge_type, uint32_t n)
{
    sn_id judge = sn_create(judge_type, NULL);

    for (uint32_t i = 0; i < n; i++) {
        sn_id box = sn_create(&box_type, &(struct purpose){.n = 2, .first = 2 * i, .judge = judge});

        send_letter(box, 2 * i + 1);
        send_letter(box, 2 * i);
    }
}

static void run_four(void)
{
    fill_boxes(&all_type, BOXES_MAX);
}

static void run_many(void)
{
    fill_boxes(&many_type, MANY_BOXES);
}

static void run_either(void)
{
    fill_boxes(&either_type, 2);
}

static void run_exclusive(void)
{
    fill_boxes(&exclusive_type, 2);
}

/* ---- A quorum of machines that are alike ---------------------------------------------------- */

static const struct sn_event ack_event = {.name = "Ack"};
static const struct sn_event deadline_event = {.name = "Deadline"};
static const struct sn_event box_event = {.name = "TheBox", .size = sizeof(sn_id)};

static void on_ack(void *self, const void *payload)
{
    (void)payload;
    ((struct judge *)self)->yes++;
}

static void on_deadline(void *self, const void *payload)
{
    (void)payload;
    sn_assertf(((struct judge *)self)->yes < 2, "two were in time");
}

static const struct sn_state quorum_state = {
    .name = "Counting",
    .on = (const struct sn_on[]){
        {.event = &ack_event, .run = on_ack}, {.event = &deadline_event, .run = on_deadline}, {0}}};
static const struct sn_machine quorum_type = {
    .name = "Quorum", .size = sizeof(struct judge), .start = &quorum_state};

static void on_acker_birth(void *self, const void *payload)
{
    (void)self;
    sn_send(*(const sn_id *)payload, &ack_event, NULL);
}

static const struct sn_state acker_state = {.name = "Acking", .entry = on_acker_birth};
static const struct sn_machine acker_type = {
    .name = "Acker", .start = &acker_state, .birth = &box_event};

static void run_quorum(void)
{
    sn_id quorum = sn_create(&quorum_type, NULL);

    sn_send(quorum, &deadline_event, NULL);
    for (uint32_t i = 0; i < ACKERS; i++)
        (void)sn_create(&acker_type, &quorum);
}

/* ---- A message that comes again and again --------------------------------------------------- */

static const struct sn_event beat_event = {.name = "Beat"};
static const struct sn_event beat_tick_event = {.name = "BeatTick"};
static const struct sn_event remove_event = {.name = "Remove"};
static const struct sn_event close_event = {.name = "Close"};
static const struct sn_event seen_event = {.name = "Seen", .size = sizeof(sn_id)};

struct beacon {
    sn_id keeper;
    uint32_t n;
};

static void on_beacon_birth(void *self, const void *payload)
{
    ((struct beacon *)self)->keeper = *(const sn_id *)payload;
    (void)sn_timer_start_any(&beat_tick_event, NULL);
}

static void on_beat_tick(void *self, const void *payload)
{
    struct beacon *beacon = self;

    (void)payload;
    sn_send(beacon->keeper, &beat_event, NULL);
    if (++beacon->n < BEATS)
        (void)sn_timer_start_any(&beat_tick_event, NULL);
}

static const struct sn_state beacon_state = {
    .name = "Beating",
    .entry = on_beacon_birth,
    .on = (const struct sn_on[]){{.event = &beat_tick_event, .run = on_beat_tick}, {0}}};
static const struct sn_machine beacon_type = {
    .name = "Node", .size = sizeof(struct beacon), .start = &beacon_state, .birth = &box_event};

struct keeper {
    sn_id remover;
    uint32_t beats;
    bool is_removed;
    bool is_closed;
};

static void on_keeper_birth(void *self, const void *payload)
{
    ((struct keeper *)self)->remover = *(const sn_id *)payload;
}

static void on_beat(void *self, const void *payload)
{
    struct keeper *keeper = self;

    (void)payload;
    sn_assertf(!keeper->is_removed || keeper->is_closed, "a node that was removed is back");
    if (++keeper->beats == BEATS_SEEN)
        sn_send(keeper->remover, &seen_event, &(sn_id){sn_self()});
}

static void on_remove(void *self, const void *payload)
{
    (void)payload;
    ((struct keeper *)self)->is_removed = true;
}

static void on_close(void *self, const void *payload)
{
    (void)payload;
    ((struct keeper *)self)->is_closed = true;
}

static const struct sn_state keeper_state = {
    .name = "Keeping",
    .entry = on_keeper_birth,
    .on = (const struct sn_on[]){{.event = &beat_event, .run = on_beat},
                                 {.event = &remove_event, .run = on_remove},
                                 {.event = &close_event, .run = on_close},
                                 {0}}};
static const struct sn_machine keeper_type = {
    .name = "Keeper", .size = sizeof(struct keeper), .start = &keeper_state, .birth = &box_event};

static void on_seen(void *self, const void *payload)
{
    (void)self;
    sn_send(*(const sn_id *)payload, &close_event, NULL);
    sn_send(*(const sn_id *)payload, &remove_event, NULL);
}

static const struct sn_state remover_state = {
    .name = "Removing", .on = (const struct sn_on[]){{.event = &seen_event, .run = on_seen}, {0}}};
static const struct sn_machine remover_type = {.name = "Remover", .start = &remover_state};

static void run_periodic(void)
{
    sn_id remover = sn_create(&remover_type, NULL);
    sn_id keeper = sn_create(&keeper_type, &remover);

    (void)sn_create(&beacon_type, &keeper);
}

/* ---- Noise ---------------------------------------------------------------------------------- */

struct chat {
    uint32_t left;
    sn_id to;
};

static const struct sn_event chat_event = {.name = "Chat", .size = sizeof(struct chat)};

static void on_chat(void *self, const void *payload)
{
    struct chat chat = *(const struct chat *)payload;
    sn_id from = sn_sender();

    (void)self;
    if (chat.left-- > 0)
        sn_send(from == SN_NOBODY ? chat.to : from, &chat_event, &chat);
}

static const struct sn_state chatting = {
    .name = "Chatting",
    .on = (const struct sn_on[]){{.event = &chat_event, .run = on_chat}, {0}},
};
static const struct sn_machine chatterer_type = {.name = "Chatterer", .start = &chatting};

static void run_noise(void)
{
    sn_id last = sn_create(&chatterer_type, NULL);

    for (uint32_t i = 1; i < CHATTERERS; i++) {
        sn_id one = sn_create(&chatterer_type, NULL);

        sn_send(one, &chat_event, &(struct chat){CHATS, last});
        last = one;
    }
    run_one();
}

/* ---- A value -------------------------------------------------------------------------------- */

static void on_valued(void *self, const void *payload)
{
    struct box *box = self;
    uint32_t number = ((const struct letter *)payload)->number;
    uint64_t colour = sn_choose("colour", 3);
    uint64_t size = sn_choose("size", 4);

    (void)size;
    box->order.at[number] = ++box->order.n;
    sn_assertf(!(number == 0 && colour == 2 && box->order.at[1] != 0), "too late, and blue");
}

static const struct sn_state valued_state = {
    .name = "Valued",
    .on = (const struct sn_on[]){{.event = &letter_event, .run = on_valued}, {0}},
};
static const struct sn_machine valued_type = {
    .name = "Box", .size = sizeof(struct box), .start = &valued_state};

static void run_value(void)
{
    sn_id box = sn_create(&valued_type, NULL);

    send_letter(box, 0);
    send_letter(box, 1);
}

/* ---- Last words of a step that dies --------------------------------------------------------- */

struct parcel {
    const uint32_t *number;
};

/* Only the process that has sent it can look into it. */
static uint64_t parcel_key(const void *payload)
{
    return *((const struct parcel *)payload)->number;
}

static const struct sn_event parcel_event = {
    .name = "Parcel", .size = sizeof(struct parcel), .key = parcel_key};

static void on_last(void *self, const void *payload)
{
    static const uint32_t number = 7;
    struct box *box = self;

    box->order.at[((const struct letter *)payload)->number] = ++box->order.n;
    sn_send(sn_self(), &parcel_event, &(struct parcel){&number});
    if (sn_choose("colour", 3) == 2 && before(&box->order, 1, 0) && box->order.n == 2)
        abort();
}

static const struct sn_state last_state = {
    .name = "Last",
    .on = (const struct sn_on[]){{.event = &letter_event, .run = on_last},
                                 {.event = &parcel_event, .ignore = true},
                                 {0}},
};
static const struct sn_machine last_type = {
    .name = "Box", .size = sizeof(struct box), .start = &last_state};

static void run_words(void)
{
    sn_id box = sn_create(&last_type, NULL);

    send_letter(box, 0);
    send_letter(box, 1);
}

/* ---- A fault -------------------------------------------------------------------------------- */

struct counted {
    uint32_t n;
    bool is_over;
};

static const struct sn_event over_event = {.name = "Over"};
static const struct sn_event alarm_event = {.name = "Alarm"};
static const struct sn_event post_event = {.name = "Post", .size = sizeof(sn_id)};

static void on_counted(void *self, const void *payload)
{
    (void)payload;
    ((struct counted *)self)->n++;
}

static void on_over(void *self, const void *payload)
{
    (void)payload;
    sn_assertf(((struct counted *)self)->n == 1, "the letter was lost");
}

static const struct sn_state counted_state = {
    .name = "Counting",
    .on = (const struct sn_on[]){{.event = &letter_event, .run = on_counted},
                                 {.event = &over_event, .run = on_over},
                                 {0}},
};
static const struct sn_machine counted_type = {
    .name = "Counter", .size = sizeof(struct counted), .start = &counted_state};

static void on_post(void *self, const void *payload)
{
    (void)self;
    send_letter(*(const sn_id *)payload, 0);
}

static const struct sn_state postman_state = {
    .name = "Posting",
    .on = (const struct sn_on[]){{.event = &post_event, .run = on_post}, {0}},
};
static const struct sn_machine postman_type = {.name = "Postman", .start = &postman_state};

static void on_time(void *self, const void *payload)
{
    (void)payload;
    sn_send(*(sn_id *)self, &over_event, NULL);
}

static void on_watch_birth(void *self, const void *payload)
{
    *(sn_id *)self = *(const sn_id *)payload;
    (void)sn_timer_start(&alarm_event, 1000000000, NULL);
}

static const struct sn_state watch_state = {
    .name = "Watching",
    .entry = on_watch_birth,
    .on = (const struct sn_on[]){{.event = &alarm_event, .run = on_time}, {0}},
};
static const struct sn_machine watch_type = {
    .name = "Watch", .size = sizeof(sn_id), .start = &watch_state, .birth = &post_event};

/* The watch goes off when everything has arrived that can. */
static void run_fault(void)
{
    sn_id counter = sn_create_on(sn_node_new("home"), &counted_type, NULL);
    sn_id postman = sn_create_on(sn_node_new("post"), &postman_type, NULL);

    (void)sn_create(&watch_type, &counter);
    sn_send(postman, &post_event, &counter);
}

static const struct sn_faults one_drop = {.drops = 1, .horizon = 4};

/* ---- Liveness ------------------------------------------------------------------------------- */

static const struct sn_event wait_event = {.name = "Wait"};
static const struct sn_event signal_event = {.name = "Signal"};
static const struct sn_event woken_event = {.name = "Woken"};
static const struct sn_event tick_event = {.name = "Tick"};

static const struct sn_state asleep_state;
static const struct sn_machine wake_monitor;

static void on_woken(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_monitor(&wake_monitor, &woken_event, NULL);
}

static const struct sn_state done_state = {
    .name = "Done",
    .entry = on_woken,
    .on = (const struct sn_on[]){{.event = &signal_event, .ignore = true},
                                 {.event = &wait_event, .ignore = true},
                                 {0}},
};

/* A signal that nobody waits for is lost. */
static const struct sn_state awake_state = {
    .name = "Awake",
    .on = (const struct sn_on[]){{.event = &signal_event, .ignore = true},
                                 {.event = &wait_event, .go_to = &asleep_state},
                                 {0}},
};
static const struct sn_state asleep_state = {
    .name = "Asleep",
    .on = (const struct sn_on[]){{.event = &signal_event, .go_to = &done_state}, {0}},
};
static const struct sn_machine sleeper_type = {.name = "Sleeper", .start = &awake_state};

static void on_tick(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start_any(&tick_event, NULL);
}

static const struct sn_state ticking_state = {
    .name = "Ticking",
    .entry = on_tick,
    .on = (const struct sn_on[]){{.event = &tick_event, .run = on_tick}, {0}},
};
static const struct sn_machine clock_type = {.name = "Clock", .start = &ticking_state};

static const struct sn_state cold_state = {
    .name = "Woken",
    .on = (const struct sn_on[]){{.event = &woken_event, .ignore = true}, {0}},
};
static const struct sn_state hot_state = {
    .name = "Sleeping",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &woken_event, .go_to = &cold_state}, {0}},
};
static const struct sn_machine wake_monitor = {.name = "WakeMonitor", .start = &hot_state};

static void run_liveness(void)
{
    sn_id sleeper = sn_create(&sleeper_type, NULL);

    (void)sn_create(&clock_type, NULL);
    sn_send(sleeper, &wait_event, NULL);
    sn_send(sleeper, &signal_event, NULL);
}

/* ---- A death long after what led to it ------------------------------------------------------ */

static const struct sn_event burn_event = {.name = "Burn"};

struct fuse {
    struct order order;
    uint32_t left;
};

static void on_burn(void *self, const void *payload)
{
    struct fuse *fuse = self;

    (void)payload;
    if (--fuse->left == 0)
        abort();
    (void)sn_timer_start_any(&burn_event, NULL);
}

/* It burns if the second letter comes first, and for most of the trial. */
static void on_fuse_letter(void *self, const void *payload)
{
    struct fuse *fuse = self;

    fuse->order.at[((const struct letter *)payload)->number] = ++fuse->order.n;
    if (fuse->order.n < 2)
        return;
    fuse->left = BURNS;
    if (before(&fuse->order, 1, 0))
        (void)sn_timer_start_any(&burn_event, NULL);
}

static const struct sn_state fuse_state = {
    .name = "Ready",
    .on = (const struct sn_on[]){{.event = &letter_event, .run = on_fuse_letter},
                                 {.event = &burn_event, .run = on_burn},
                                 {0}},
};
static const struct sn_machine fuse_type = {
    .name = "Fuse", .size = sizeof(struct fuse), .start = &fuse_state};

static void run_fuse(void)
{
    sn_id fuse = sn_create(&fuse_type, NULL);

    send_letter(fuse, 0);
    send_letter(fuse, 1);
}

/* ---- The suite ------------------------------------------------------------------------------ */

#define TEST(name_, run_)                                                                          \
    .name = (name_), .run = (run_), .world = SN_WORLD_TRIAL, .links = SN_UNORDERED,                \
    .starts_first = true

int main(int argc, char **argv)
{
    static const struct sn_machine *const monitors[] = {&wake_monitor, NULL};
    static const struct sn_test tests[] = {
        {TEST("one", run_one)},
        {TEST("death", run_death)},
        {TEST("ways", run_ways)},
        {TEST("words", run_words)},
        {TEST("fuse", run_fuse), .monitors = monitors, .max_steps = 200},
        {TEST("two", run_two)},
        {TEST("three", run_three)},
        {TEST("four", run_four)},
        {TEST("many", run_many)},
        {TEST("quorum", run_quorum)},
        {TEST("periodic", run_periodic)},
        {TEST("either", run_either)},
        {TEST("exclusive", run_exclusive)},
        {TEST("acks", run_acks)},
        {TEST("already", run_default)},
        {TEST("noise", run_noise)},
        {TEST("value", run_value)},
        {TEST("fault", run_fault), .faults = &one_drop},
        {TEST("liveness", run_liveness), .monitors = monitors, .max_steps = 200},
        {0},
    };
    static const struct sn_bug bugs[] = {
        {"broken", "The box of `one` and `noise` minds the order.", &is_broken, NULL},
        {0},
    };
    static const struct sn_suite suite = {.name = "explained", .tests = tests, .bugs = bugs};

    return sn_main(argc, argv, &suite);
}
