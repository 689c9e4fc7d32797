/* test_socket_faults.c - what goes wrong with connections: resets, short transfers, crashes, cuts.
 * SPDX-License-Identifier: MIT
 */
#include "wires.h"

#define SERVER "10.0.0.1" /* node number 1 */

/* The server answers each line; the client tells what it reads. */
static void serve(const void *payload)
{
    int listener = wires_listen();

    (void)payload;
    for (;;) {
        int fd = wires_accept(listener);
        char line[8];
        ssize_t n;

        while ((n = read(fd, line, sizeof(line))) > 0)
            (void)send(fd, line, (size_t)n, MSG_NOSIGNAL);
        (void)close(fd);
    }
}

static const struct sn_process server = {.name = "Server", .run = serve, .may_wait = true};

/* When the server listens. */
static int reach_server(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int error;

    sn_sleep_ns(SECOND);
    error = wires_connect(fd, SERVER);
    sn_assert(error == 0 || error == ECONNRESET || error == ECONNREFUSED);
    if (error != 0)
        tell("reset early ");
    return error == 0 ? fd : -1;
}

static void ask(const void *payload)
{
    int fd = reach_server();

    (void)payload;
    if (fd < 0)
        return;
    if (send(fd, "abc", 3, MSG_NOSIGNAL) < 0)
        tell("reset ");
    else
        (void)wires_tell(fd);
    tell("%llu", (unsigned long long)(sn_true_time_ns() / SECOND));
}

static const struct sn_process client = {.name = "Client", .run = ask};

static void run_echo(void)
{
    story_begin();
    (void)wires_start("server", &server);
    sn_node_never_crash(wires_start("client", &client));
}

static struct sn_test echo_test(const struct sn_faults *faults)
{
    struct sn_test test = flow_test(run_echo);

    test.faults = faults;
    test.starts_first = true;
    return test;
}

static const char *echo_stories(const struct sn_faults *faults)
{
    struct sn_test test = echo_test(faults);
    struct sn_result r;

    r = stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 3000});
    assert_string_equal(r.failure, "");
    return stories_all();
}

static void without_faults_nothing_goes_wrong(void **unused)
{
    static const struct sn_faults none = {0};

    (void)unused;

    assert_string_equal(echo_stories(&none), "abc 1");
}

static void a_connection_can_be_reset(void **unused)
{
    static const struct sn_faults resets = {.resets = 1, .horizon = 8};

    (void)unused;

    assert_string_equal(echo_stories(&resets), "abc 1 | reset 1 | reset early ");
}

static void a_transfer_can_be_short(void **unused)
{
    static const struct sn_faults shorts = {.short_transfers = 1, .horizon = 8};

    (void)unused;

    assert_string_equal(echo_stories(&shorts), "a 1 | ab 1 | abc 1");
}

/* The kernel sends it again, a second later. */
static void a_loss_is_a_delay(void **unused)
{
    static const struct sn_faults drops = {.drops = 1, .horizon = 8};

    (void)unused;

    assert_string_equal(echo_stories(&drops), "abc 1 | abc 2");
}

static void nothing_comes_twice(void **unused)
{
    static const struct sn_faults duplicates = {.duplicates = 3, .horizon = 8};

    (void)unused;

    assert_string_equal(echo_stories(&duplicates), "abc 1");
}

/* Whole and in order when the cut has healed, however long it was. */
static void a_cut_holds_what_is_sent(void **unused)
{
    static const struct sn_faults cuts = {
        .partitions = 1, .partition_ns = 8 * SECOND, .horizon = 8};

    (void)unused;

    assert_string_equal(echo_stories(&cuts), "abc 1 | abc 2 | abc 3 | abc 4 | abc 5 | "
                                             "abc 6 | abc 7 | abc 8 | abc 9");
}

/* The node is back before the client gives up, and does not know the connection. */
static void who_is_connected_with_a_node_that_crashes_may_or_may_not_notice(void **unused)
{
    static const struct sn_faults crashes = {.crashes = 1, .down_ns = 1 * SECOND, .horizon = 8};
    struct sn_test test = echo_test(&crashes);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 3000});
    assert_true(stories_count("reset 1") > 0);
    assert_true(stories_count("abc 1") > 0);
    assert_true(r.failures > 0); /* it waits for an answer that nobody will send */
    assert_non_null(strstr(r.failure, "Client waits for bytes to read from a socket"));
}

/* With a timeout it does not wait for ever, and the next thing that it sends is answered by a
 * reset, because the node is up again. */
static void ask_with_timeout(const void *payload)
{
    int fd = reach_server();
    struct timeval timeout = {.tv_sec = 5};

    (void)payload;
    if (fd < 0)
        return;
    sn_assert(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) == 0);
    if (send(fd, "abc", 3, MSG_NOSIGNAL) < 0) {
        tell("reset ");
        return;
    }
    if (wires_tell(fd) >= 0 || errno != EAGAIN)
        return;
    (void)send(fd, "d", 1, MSG_NOSIGNAL);
    (void)wires_tell(fd);
}

static const struct sn_process careful = {.name = "Careful", .run = ask_with_timeout};

static void run_careful(void)
{
    story_begin();
    (void)wires_start("server", &server);
    sn_node_never_crash(wires_start("client", &careful));
}

static void a_node_that_is_up_again_resets_connections_that_it_does_not_know(void **unused)
{
    static const struct sn_faults crashes = {.crashes = 1, .down_ns = 1 * SECOND, .horizon = 8};
    struct sn_test test = flow_test(run_careful);
    struct sn_result r;

    (void)unused;

    test.faults = &crashes;
    test.starts_first = true;
    r = stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 3000});
    assert_string_equal(r.failure, "");
    assert_string_equal(stories_all(), "abc  | again reset  | reset  | reset early ");
}

/* All schedules, faults included, and searches that leave out what is equivalent agree. */
static void write_one(const void *payload)
{
    int fd = reach_server();

    (void)payload;
    (void)send(fd, "ab", 2, MSG_NOSIGNAL);
}

static void read_all(const void *payload)
{
    (void)payload;
    wires_tell_all(wires_accept(wires_listen()));
}

static const struct sn_process one_writer = {.name = "Writer", .run = write_one};
static const struct sn_process all_reader = {.name = "Reader", .run = read_all};

static void run_one(void)
{
    story_begin();
    (void)wires_start("server", &all_reader);
    (void)wires_start("client", &one_writer);
}

static void searches_with_resets_are_complete(void **unused)
{
    static const struct sn_faults resets = {.resets = 1};
    struct sn_test test = flow_test(run_one);
    static const char all[] =
        "ab -  | ab reset  | reset  | reset early reset  | reset reset early ";

    (void)unused;

    test.faults = &resets;
    test.starts_first = true;
    (void)stories_of(&test);
    assert_string_equal(stories_all(), all);
    assert_true(stories_run(&test, (struct sn_options){.strategy = "odpor", .iterations = 2000000})
                    .exhausted);
    assert_string_equal(stories_all(), all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_nothing_goes_wrong),
        cmocka_unit_test(a_connection_can_be_reset),
        cmocka_unit_test(a_transfer_can_be_short),
        cmocka_unit_test(a_loss_is_a_delay),
        cmocka_unit_test(nothing_comes_twice),
        cmocka_unit_test(a_cut_holds_what_is_sent),
        cmocka_unit_test(who_is_connected_with_a_node_that_crashes_may_or_may_not_notice),
        cmocka_unit_test(a_node_that_is_up_again_resets_connections_that_it_does_not_know),
        cmocka_unit_test(searches_with_resets_are_complete),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
