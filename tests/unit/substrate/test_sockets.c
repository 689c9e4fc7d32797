/* test_sockets.c - sockets of processes: streams between nodes and within one.
 *
 * The code under test calls libc, as it would in production. Every schedule is tried, and searches
 * that leave out what is equivalent must find the same. SPDX-License-Identifier: MIT
 */
#include "wires.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/un.h>

#define SERVER "10.0.0.1" /* node number 1 */

/* ---- Streams -------------------------------------------------------------------------------- */

static void serve_and_tell(const void *payload)
{
    int fd = wires_listen();

    (void)payload;
    wires_tell_all(wires_accept(fd));
}

static const struct sn_process listener = {.name = "Listener", .run = serve_and_tell};

static void write_twice(const void *payload)
{
    int fd = wires_reach(SERVER);

    (void)payload;
    wires_write(fd, "ab");
    wires_write(fd, "cd");
    sn_assert(close(fd) == 0);
}

static const struct sn_process writer = {.name = "Writer", .run = write_twice};

static void run_between_nodes(void)
{
    story_begin();
    (void)wires_start("server", &listener);
    (void)wires_start("client", &writer);
}

static void bytes_arrive_in_order_however_they_are_cut(void **unused)
{
    struct sn_test test = flow_test(run_between_nodes);

    (void)unused;

    assert_string_equal(flow_stories(&test), "ab cd -  | abcd - ");
}

static void write_here(const void *payload)
{
    int fd = wires_reach("127.0.0.1");

    (void)payload;
    wires_write(fd, "ab");
    (void)close(fd);
}

static const struct sn_process neighbour = {.name = "Neighbour", .run = write_here};

static void run_on_no_node(void)
{
    story_begin();
    (void)sn_spawn(&listener, NULL);
    (void)sn_spawn(&neighbour, NULL);
}

static void processes_on_no_node_reach_each_other_by_the_loopback_address(void **unused)
{
    struct sn_test test = flow_test(run_on_no_node);

    (void)unused;

    assert_string_equal(flow_stories(&test), "ab - ");
}

/* Two connections to one reader; what is written to the second is caused by the first. */
static void read_both(const void *payload)
{
    int fd = wires_listen();
    struct pollfd both[2] = {{.events = POLLIN}, {.events = POLLIN}};

    (void)payload;
    both[0].fd = wires_accept(fd);
    both[1].fd = wires_accept(fd);
    sn_assert(poll(both, 2, -1) > 0);
    tell("%s%s", (both[0].revents & POLLIN) != 0 ? "1" : "",
         (both[1].revents & POLLIN) != 0 ? "2" : "");
    sn_assert(read(both[0].fd, (char[1]){0}, 1) == 1 && read(both[1].fd, (char[1]){0}, 1) == 1);
}

static const struct sn_process reader = {.name = "Reader", .run = read_both};

static sn_id relay_id;

static void write_second(const void *payload)
{
    int fd;

    (void)payload;
    (void)sn_receive_event(&a_event, SN_FOREVER); /* the first one is connected */
    fd = wires_reach(SERVER);
    (void)sn_receive_event(&b_event, SN_FOREVER);
    wires_write(fd, "2");
    (void)sn_receive_event(&c_event, 100 * SECOND);
}

static const struct sn_process relay = {.name = "Relay", .run = write_second};

static void write_first(const void *payload)
{
    int fd = wires_reach(SERVER);

    (void)payload;
    sn_send(relay_id, &a_event, NULL);
    sn_sleep_ns(10 * SECOND); /* all are connected */
    wires_write(fd, "1");
    sn_send(relay_id, &b_event, NULL);
    sn_sleep_ns(100 * SECOND);
}

static const struct sn_process first_writer = {.name = "First", .run = write_first};

static void run_relay(void)
{
    story_begin();
    (void)wires_start("server", &reader);
    relay_id = sn_spawn_on(sn_node_new("relay"), &relay, NULL);
    (void)wires_start("first", &first_writer);
}

/* Only "2" needs bytes that are under way while others overtake them by another connection. */
static void what_is_sent_later_over_another_connection_may_arrive_first(void **unused)
{
    struct sn_test test = flow_test(run_relay);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 300});
    assert_string_equal(r.failure, "");
    assert_true(stories_count("1") > 0);
    assert_true(stories_count("12") > 0);
    assert_true(stories_count("2") > 0);
}

/* ---- Connecting ----------------------------------------------------------------------------- */

static void connect_to_nobody(const void *payload)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in elsewhere = wires_address("192.0.2.1", PORT);

    (void)payload;
    tell("%s ", wires_connect(fd, SERVER) == ECONNREFUSED ? "refused" : "?");
    (void)close(fd);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    sn_assert(connect(fd, (const struct sockaddr *)&elsewhere, sizeof(elsewhere)) == -1);
    tell("%s ", errno == ENETUNREACH ? "unreachable" : "?");
}

static const struct sn_process lonely = {.name = "Lonely", .run = connect_to_nobody};

static void do_nothing(const void *payload)
{
    (void)payload;
}

static const struct sn_process idle = {.name = "Idle", .run = do_nothing};

static void run_refused(void)
{
    story_begin();
    (void)wires_start("server", &idle);
    (void)wires_start("client", &lonely);
}

static void a_connection_to_nobody_is_refused(void **unused)
{
    struct sn_test test = flow_test(run_refused);

    (void)unused;

    assert_string_equal(flow_stories(&test), "refused unreachable ");
}

static void connect_to_the_dead(const void *payload)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    uint64_t begin_ns;

    (void)payload;
    sn_sleep_ns(SECOND);
    sn_node_crash(1);
    begin_ns = sn_now_ns();
    sn_assert(wires_connect(fd, SERVER) == ETIMEDOUT);
    tell("%llu s", (unsigned long long)((sn_now_ns() - begin_ns) / SECOND));
}

static const struct sn_process mourner = {.name = "Mourner", .run = connect_to_the_dead};

static void listen_for_ever(const void *payload)
{
    (void)payload;
    (void)accept(wires_listen(), NULL, NULL);
}

static const struct sn_process patient = {
    .name = "Patient", .run = listen_for_ever, .may_wait = true};

static void run_dead(void)
{
    story_begin();
    (void)wires_start("server", &patient);
    (void)wires_start("client", &mourner);
}

static void a_connection_to_a_node_that_is_down_times_out(void **unused)
{
    struct sn_test test = flow_test(run_dead);

    (void)unused;

    assert_string_equal(flow_stories(&test), "127 s");
}

static void connect_without_waiting(const void *payload)
{
    struct pollfd fd = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), .events = POLLOUT};
    int error;

    (void)payload;
    sn_sleep_ns(SECOND);
    sn_assert(wires_connect(fd.fd, SERVER) == EINPROGRESS);
    error = wires_connect(fd.fd, SERVER);
    sn_assert(error == EALREADY || error == 0); /* that it is connected is told once */
    sn_assert(poll(&fd, 1, -1) == 1 && (fd.revents & POLLOUT) != 0);
    sn_assert(getsockopt(fd.fd, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){sizeof(error)}) == 0);
    tell("%d", error);
    (void)wires_connect(fd.fd, SERVER);
    sn_assert(wires_connect(fd.fd, SERVER) == EISCONN);
}

static const struct sn_process hasty = {.name = "Hasty", .run = connect_without_waiting};

static void run_hasty(void)
{
    story_begin();
    (void)wires_start("server", &patient);
    (void)wires_start("client", &hasty);
}

static void a_socket_that_does_not_wait_is_writable_when_it_is_connected(void **unused)
{
    struct sn_test test = flow_test(run_hasty);

    (void)unused;

    assert_string_equal(flow_stories(&test), "0");
}

/* ---- Ends ----------------------------------------------------------------------------------- */

static void close_unread(const void *payload)
{
    int fd = wires_accept(wires_listen());

    (void)payload;
    sn_sleep_ns(SECOND); /* something has arrived */
    (void)close(fd);
}

static const struct sn_process rude = {.name = "Rude", .run = close_unread};

static void write_to_the_rude(const void *payload)
{
    int fd = wires_reach(SERVER);

    (void)payload;
    wires_write(fd, "ab");
    (void)wires_tell(fd);
    sn_assert(send(fd, "c", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
    (void)wires_tell(fd);
}

static const struct sn_process polite = {.name = "Polite", .run = write_to_the_rude};

static void run_rude(void)
{
    story_begin();
    (void)wires_start("server", &rude);
    (void)wires_start("client", &polite);
}

static void closing_with_bytes_unread_resets_the_connection(void **unused)
{
    struct sn_test test = flow_test(run_rude);

    (void)unused;

    assert_string_equal(flow_stories(&test), "reset - ");
}

static void close_at_once(const void *payload)
{
    (void)payload;
    (void)close(wires_accept(wires_listen()));
}

static const struct sn_process brief = {.name = "Brief", .run = close_at_once};

static void write_too_late(const void *payload)
{
    int fd = wires_reach(SERVER);

    (void)payload;
    sn_sleep_ns(SECOND);
    (void)wires_tell(fd); /* its end */
    wires_write(fd, "a"); /* nobody knows yet */
    sn_sleep_ns(SECOND);
    (void)wires_tell(fd); /* as before: what came first is told */
    (void)write(fd, "b", 1);
    tell("alive");
}

static const struct sn_process late_writer = {.name = "Late", .run = write_too_late};

static void run_late(void)
{
    story_begin();
    (void)wires_start("server", &brief);
    (void)wires_start("client", &late_writer);
}

static void a_write_to_a_connection_that_is_over_meets_sigpipe(void **unused)
{
    struct sn_test test = flow_test(run_late);

    (void)unused;

    (void)signal(SIGPIPE, SIG_DFL);
    assert_non_null(strstr(flow_failure(&test), "Late writes to a connection that is over"));
    (void)signal(SIGPIPE, SIG_IGN);
    assert_string_equal(flow_stories(&test), "- - alive");
    (void)signal(SIGPIPE, SIG_DFL);
}

static void half_close(const void *payload)
{
    int fd = wires_reach(SERVER);

    (void)payload;
    wires_write(fd, "ask");
    sn_assert(shutdown(fd, SHUT_WR) == 0);
    (void)wires_tell(fd);
}

static const struct sn_process asker = {.name = "Asker", .run = half_close};

static void answer_at_the_end(const void *payload)
{
    int fd = wires_accept(wires_listen());
    char byte;

    (void)payload;
    while (read(fd, &byte, 1) == 1)
        ;
    wires_write(fd, "answer");
}

static const struct sn_process answerer = {.name = "Answerer", .run = answer_at_the_end};

static void run_half(void)
{
    story_begin();
    (void)wires_start("server", &answerer);
    (void)wires_start("client", &asker);
}

static void one_direction_can_be_shut(void **unused)
{
    struct sn_test test = flow_test(run_half);

    (void)unused;

    assert_string_equal(flow_stories(&test), "answer ");
}

/* ---- Whose descriptors they are ------------------------------------------------------------- */

static void write_in_task(void *argument)
{
    wires_write(*(const int *)argument, "task ");
}

static void use_two(const void *payload)
{
    int fds[2];
    int again;

    (void)payload;
    sn_assert(pipe(fds) == 0);
    sn_assert(sn_task_wait(sn_task("task", write_in_task, &fds[1]), SN_FOREVER));
    (void)wires_tell(fds[0]);
    (void)close(fds[0]);
    sn_assert(pipe((int[2]){0}) == 0); /* the lowest one that is free, and the next */
    again = socket(AF_INET, SOCK_STREAM, 0);
    tell("%d %d ", again > fds[1], close(fds[0]));
    tell("%d", close(fds[0]) == -1 && errno == EBADF);
}

static const struct sn_process user = {.name = "User", .run = use_two};

static void run_use_two(void)
{
    story_begin();
    (void)sn_spawn(&user, NULL);
}

static void tasks_share_the_descriptors_of_their_process_and_the_lowest_is_used_again(void **unused)
{
    struct sn_test test = flow_test(run_use_two);

    (void)unused;

    assert_string_equal(flow_stories(&test), "task  1 0 1");
}

static void leave_open(const void *payload)
{
    (void)payload;
    (void)wires_accept(wires_listen());
}

static const struct sn_process leaver = {.name = "Leaver", .run = leave_open};

static void wait_for_end(const void *payload)
{
    (void)payload;
    (void)wires_tell(wires_reach(SERVER));
}

static const struct sn_process waiter = {.name = "Waiter", .run = wait_for_end};

static void run_leaving(void)
{
    story_begin();
    (void)wires_start("server", &leaver);
    (void)wires_start("client", &waiter);
}

static void what_a_process_leaves_open_is_closed_when_it_ends(void **unused)
{
    struct sn_test test = flow_test(run_leaving);

    (void)unused;

    assert_string_equal(flow_stories(&test), "- ");
}

static void accept_and_say_nothing(const void *payload)
{
    (void)payload;
    (void)wires_accept(wires_listen());
    (void)sn_receive_event(&a_event, SN_FOREVER);
}

static const struct sn_process silent = {
    .name = "Silent", .run = accept_and_say_nothing, .may_wait = true};

static void run_waiting_in_vain(void)
{
    story_begin();
    (void)wires_start("server", &silent);
    (void)wires_start("client", &waiter);
}

static void a_deadlock_tells_of_sockets(void **unused)
{
    struct sn_test test = flow_test(run_waiting_in_vain);

    (void)unused;

    assert_non_null(strstr(flow_failure(&test), "Waiter waits for bytes to read from a socket"));
}

/* ---- Room ----------------------------------------------------------------------------------- */

static void write_much(const void *payload)
{
    static char much[100000];
    int fd = wires_reach(SERVER);

    (void)payload;
    sn_assert(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
    tell("%zd ", write(fd, much, sizeof(much)));
    tell("%s ", write(fd, much, 1) == -1 && errno == EAGAIN ? "full" : "?");
    sn_assert(fcntl(fd, F_SETFL, 0) == 0);
    tell("%zd ", write(fd, much, sizeof(much)));
}

static const struct sn_process prolific = {.name = "Prolific", .run = write_much};

static void read_much(const void *payload)
{
    static char much[200000];
    int fd = wires_accept(wires_listen());
    ssize_t n;
    ssize_t all = 0;

    (void)payload;
    sn_sleep_ns(SECOND); /* nothing else can happen any more */
    sn_assert(ioctl(fd, FIONREAD, &(int){0}) == 0);
    while ((n = recv(fd, much, sizeof(much), 0)) > 0)
        all += n;
    tell("%zd", all);
}

static const struct sn_process consumer = {.name = "Consumer", .run = read_much};

static void run_much(void)
{
    story_begin();
    (void)wires_start("server", &consumer);
    (void)wires_start("client", &prolific);
}

static void a_writer_waits_for_room(void **unused)
{
    struct sn_test test = flow_test(run_much);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 50});
    assert_string_equal(r.failure, "");
    assert_string_equal(stories_all(), "65536 full 100000 165536");
}

/* ---- Local sockets and addresses ------------------------------------------------------------ */

static const struct sockaddr_un place = {.sun_family = AF_UNIX, .sun_path = "/run/place"};

static void serve_local(const void *payload)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)payload;
    sn_assert(bind(fd, (const struct sockaddr *)&place, sizeof(place)) == 0);
    sn_assert(listen(fd, 1) == 0);
    (void)wires_tell(wires_accept(fd));
}

static void call_local(const void *payload)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)payload;
    sn_sleep_ns(SECOND);
    sn_assert(connect(fd, (const struct sockaddr *)&place, sizeof(place)) == 0);
    wires_write(fd, "local");
}

static const struct sn_process local_server = {.name = "Server", .run = serve_local};
static const struct sn_process local_client = {.name = "Client", .run = call_local};

static void run_local(void)
{
    story_begin();
    (void)sn_spawn(&local_server, NULL);
    (void)sn_spawn(&local_client, NULL);
}

static void local_sockets_have_names_of_files(void **unused)
{
    struct sn_test test = flow_test(run_local);

    (void)unused;

    assert_string_equal(flow_stories(&test), "local ");
}

static void tell_peer(const void *payload)
{
    struct sockaddr_in peer;
    socklen_t size = sizeof(peer);
    int fd = accept(wires_listen(), (struct sockaddr *)&peer, &size);
    char text[INET_ADDRSTRLEN];

    (void)payload;
    sn_assert(fd >= 0 && size == sizeof(peer));
    tell("%s ", inet_ntop(AF_INET, &peer.sin_addr, text, sizeof(text)));
    sn_assert(getsockname(fd, (struct sockaddr *)&peer, &size) == 0);
    tell("%s:%u", inet_ntop(AF_INET, &peer.sin_addr, text, sizeof(text)), ntohs(peer.sin_port));
}

static void reach_and_end(const void *payload)
{
    (void)payload;
    (void)wires_reach("192.168.1.5");
}

static const struct sn_process teller = {.name = "Teller", .run = tell_peer};
static const struct sn_process ender = {.name = "Ender", .run = reach_and_end};

static void run_addresses(void)
{
    story_begin();
    sn_node_set_address(wires_start("server", &teller), "192.168.1.5");
    sn_assert(strcmp(sn_node_address(wires_start("client", &ender)), "10.0.0.2") == 0);
}

static void nodes_have_addresses_that_a_test_can_set(void **unused)
{
    struct sn_test test = flow_test(run_addresses);

    (void)unused;

    assert_string_equal(flow_stories(&test), "10.0.0.2 192.168.1.5:7000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_arrive_in_order_however_they_are_cut),
        cmocka_unit_test(processes_on_no_node_reach_each_other_by_the_loopback_address),
        cmocka_unit_test(what_is_sent_later_over_another_connection_may_arrive_first),
        cmocka_unit_test(a_connection_to_nobody_is_refused),
        cmocka_unit_test(a_connection_to_a_node_that_is_down_times_out),
        cmocka_unit_test(a_socket_that_does_not_wait_is_writable_when_it_is_connected),
        cmocka_unit_test(closing_with_bytes_unread_resets_the_connection),
        cmocka_unit_test(a_write_to_a_connection_that_is_over_meets_sigpipe),
        cmocka_unit_test(one_direction_can_be_shut),
        cmocka_unit_test(tasks_share_the_descriptors_of_their_process_and_the_lowest_is_used_again),
        cmocka_unit_test(what_a_process_leaves_open_is_closed_when_it_ends),
        cmocka_unit_test(a_deadlock_tells_of_sockets),
        cmocka_unit_test(a_writer_waits_for_room),
        cmocka_unit_test(local_sockets_have_names_of_files),
        cmocka_unit_test(nodes_have_addresses_that_a_test_can_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
