/* test_disk_queue.c - disk operations that are performed later, and told later still.
 * SPDX-License-Identifier: MIT
 */
#include "flow.h"

struct writer {
    sn_id queue;
    char bytes[2];
    char found[4];
    int done;
};

static const struct sn_event order_event = {.name = "Order", .size = sizeof(bool)};

static void tell_found(void *argument, int64_t result)
{
    tell("%lld%s", (long long)result, ((const struct writer *)argument)->found);
}

static void tell_done(void *argument, int64_t result)
{
    struct writer *w = argument;

    sn_assert(result == 0);
    if (++w->done == 2)
        sn_disk_submit(w->queue, &(struct sn_disk_io){.verb = SN_DISK_READ,
                                                      .file = "f",
                                                      .bytes = w->found,
                                                      .n = 1,
                                                      .done = tell_found,
                                                      .argument = w});
}

static void submit(struct writer *w, enum sn_disk_verb verb, char *byte, sn_callback *done)
{
    sn_disk_submit(
        w->queue,
        &(struct sn_disk_io){
            .verb = verb, .file = "f", .bytes = byte, .n = 1, .done = done, .argument = w});
}

static void write_two(void *self, const void *payload)
{
    struct writer *w = self;

    w->queue = sn_disk_queue_new(*(const bool *)payload);
    memcpy(w->bytes, "ab", 2);
    submit(w, SN_DISK_WRITE, &w->bytes[0], tell_done);
    submit(w, SN_DISK_WRITE, &w->bytes[1], tell_done);
}

static const struct sn_state writing = {
    .name = "Writing",
    .entry = write_two,
    .on = (const struct sn_on[]){{.event = &sn_posted, .run = sn_posted_run}, {0}},
};
static const struct sn_machine writer = {
    .name = "Writer", .size = sizeof(struct writer), .start = &writing, .birth = &order_event};

static void run_in_order(void)
{
    story_begin();
    (void)sn_create(&writer, &(bool){true});
}

static void run_in_any_order(void)
{
    story_begin();
    (void)sn_create(&writer, &(bool){false});
}

static void a_queue_that_keeps_order_performs_as_submitted(void **unused)
{
    struct sn_test test = flow_test(run_in_order);

    (void)unused;

    assert_string_equal(flow_stories(&test), "1b");
}

static void another_queue_performs_in_any_order(void **unused)
{
    struct sn_test test = flow_test(run_in_any_order);

    (void)unused;

    assert_string_equal(flow_stories(&test), "1a | 1b");
}

/* ---- What is not copied --------------------------------------------------------------------- */

/* Nobody is told, so that only the bytes depend on the order of the two steps. */
static void write_and_reuse(void *self, const void *payload)
{
    struct writer *w = self;

    (void)payload;
    w->queue = sn_disk_queue_new(true);
    w->bytes[0] = 'a';
    submit(w, SN_DISK_WRITE, &w->bytes[0], NULL);
    sn_send(sn_self(), &a_event, NULL);
    (void)sn_timer_start(&b_event, SECOND, NULL);
}

static void reuse(void *self, const void *payload)
{
    (void)payload;
    ((struct writer *)self)->bytes[0] = 'z';
}

static void look(void *self, const void *payload)
{
    struct writer *w = self;

    (void)payload;
    sn_assert(sn_disk_read("f", 0, w->found, 1) == 1);
    tell("%s", w->found);
}

static const struct sn_state reusing = {
    .name = "Reusing",
    .entry = write_and_reuse,
    .on = (const struct sn_on[]){{.event = &a_event, .run = reuse},
                                 {.event = &b_event, .run = look},
                                 {0}},
};
static const struct sn_machine reuser = {
    .name = "Reuser", .size = sizeof(struct writer), .start = &reusing};

static void run_reuse(void)
{
    story_begin();
    (void)sn_create(&reuser, NULL);
}

static void a_buffer_that_is_used_again_too_early_is_written_as_it_is_then(void **unused)
{
    struct sn_test test = flow_test(run_reuse);

    (void)unused;

    assert_string_equal(flow_stories(&test), "a | z");
}

/* ---- Crashes -------------------------------------------------------------------------------- */

static void tell_synced(void *argument, int64_t result)
{
    (void)argument;
    sn_assert(result == 0);
    tell("synced ");
}

/* The first step of each life. */
static void begin_life(void *self, const void *payload)
{
    struct writer *w = self;

    (void)payload;
    w->queue = sn_disk_queue_new(true);
    if (sn_disk_size("f") >= 0) {
        tell("found ");
        return;
    }
    tell("new ");
    w->bytes[0] = 'a';
    submit(w, SN_DISK_WRITE, &w->bytes[0], NULL);
    submit(w, SN_DISK_SYNC, NULL, tell_synced);
}

static const struct sn_state living = {
    .name = "Living",
    .entry = begin_life,
    .on = (const struct sn_on[]){{.event = &sn_posted, .run = sn_posted_run}, {0}},
};
static const struct sn_machine mortal = {
    .name = "Mortal", .size = sizeof(struct writer), .start = &living};

static void run_crash(void)
{
    story_begin();
    (void)sn_create_on(sn_node_new("n1"), &mortal, NULL);
}

/* Among others: performed and synced, but nobody was told ("new found"); told ("new synced
 * found"); lost with all that was submitted ("new new synced"). */
static void a_crash_may_come_between_performing_and_telling(void **unused)
{
    static const struct sn_faults faults = {.crashes = 1, .down_ns = SECOND};
    struct sn_test test = flow_test(run_crash);
    struct sn_result r;

    (void)unused;

    test.faults = &faults;
    r = stories_of(&test);
    assert_true(r.exhausted);
    assert_true(stories_count("new found ") > 0);
    assert_true(stories_count("new synced found ") > 0);
    assert_true(stories_count("new new synced ") > 0);
    assert_true(stories_count("new synced new synced ") == 0);
}

/* ---- Queues of tasks ------------------------------------------------------------------------ */

/* A task makes the queue, but the bytes are those of its process. */
static void write_by_task(void *argument)
{
    sn_disk_submit(
        sn_disk_queue_new(true),
        &(struct sn_disk_io){.verb = SN_DISK_WRITE, .file = "f", .bytes = argument, .n = 1});
}

static void change_bytes(const void *payload)
{
    char *bytes = sn_alloc(1);
    char found = '?';

    (void)payload;
    bytes[0] = 'a';
    (void)sn_task_wait(sn_task("task", write_by_task, bytes), SN_FOREVER);
    sn_yield();
    bytes[0] = 'z';
    sn_sleep_ns(SECOND);
    sn_assert(sn_disk_read("f", 0, &found, 1) == 1);
    tell("%c", found);
}

static const struct sn_process task_user = {.name = "User", .run = change_bytes};

static void run_by_task(void)
{
    story_begin();
    (void)sn_spawn_on(sn_node_new("node"), &task_user, NULL);
}

static void a_queue_that_a_task_makes_works_in_the_memory_of_its_component(void **unused)
{
    struct sn_test test = flow_test(run_by_task);

    (void)unused;

    assert_string_equal(flow_stories(&test), "a | z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_that_keeps_order_performs_as_submitted),
        cmocka_unit_test(another_queue_performs_in_any_order),
        cmocka_unit_test(a_buffer_that_is_used_again_too_early_is_written_as_it_is_then),
        cmocka_unit_test(a_crash_may_come_between_performing_and_telling),
        cmocka_unit_test(a_queue_that_a_task_makes_works_in_the_memory_of_its_component),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
