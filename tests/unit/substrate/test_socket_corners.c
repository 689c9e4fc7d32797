/* test_socket_corners.c - where sockets, tasks and nodes meet: numbers that are used again, what is
 * full, what goes down and comes back, and orders that a search must not leave out.
 *
 * Every schedule is tried, and searches that leave out what is equivalent must find the same.
 * SPDX-License-Identifier: MIT
 */
#include "wires.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/un.h>

#define SERVER "10.0.0.1" /* node number 1 */

static void make_pair(int fds[2])
{
    sn_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
}

/* ---- Numbers that are used again ------------------------------------------------------------ */

struct numbers {
    int old[2];
    int new[2];
};

static void close_and_open(void *argument)
{
    struct numbers *n = argument;

    (void)close(n->old[0]);
    sn_yield();
    make_pair(n->new);
    (void)write(n->new[1], "new", 3);
}

static void read_what_is_there(const void *payload)
{
    struct numbers *n = sn_alloc(sizeof(*n));
    sn_id task;

    (void)payload;
    make_pair(n->old);
    wires_write(n->old[1], "old");
    task = sn_task("closer", close_and_open, n);
    (void)wires_tell(n->old[0]);
    (void)sn_task_wait(task, SN_FOREVER);
}

static const struct sn_process number_reader = {.name = "Reader", .run = read_what_is_there};

static void run_number_read(void)
{
    story_begin();
    (void)sn_spawn(&number_reader, NULL);
}

static void a_read_takes_what_has_got_the_number_of_a_closed_descriptor(void **unused)
{
    struct sn_test test = flow_test(run_number_read);

    (void)unused;

    (void)signal(SIGPIPE, SIG_IGN);
    assert_string_equal(flow_stories(&test), "error  | new  | old ");
}

static void close_the_same(const void *payload)
{
    struct numbers *n = sn_alloc(sizeof(*n));
    sn_id task;

    (void)payload;
    make_pair(n->old);
    task = sn_task("closer", close_and_open, n);
    tell("%s ", close(n->old[0]) == 0 ? "closed" : "not open");
    (void)sn_task_wait(task, SN_FOREVER);
    tell("%s", fcntl(n->new[0], F_GETFL) >= 0 ? "" : "the other one");
}

static const struct sn_process number_closer = {.name = "Closer", .run = close_the_same};

static void run_number_close(void)
{
    story_begin();
    (void)sn_spawn(&number_closer, NULL);
}

static void a_close_closes_what_has_got_the_number_of_a_closed_descriptor(void **unused)
{
    struct sn_test test = flow_test(run_number_close);

    (void)unused;

    (void)signal(SIGPIPE, SIG_IGN);
    assert_string_equal(flow_stories(&test), "closed  | closed the other one | not open ");
}

static void poll_the_same(const void *payload)
{
    struct numbers *n = sn_alloc(sizeof(*n));
    struct pollfd fd = {.events = POLLIN};
    sn_id task;

    (void)payload;
    make_pair(n->old);
    fd.fd = n->old[0];
    task = sn_task("closer", close_and_open, n);
    (void)poll(&fd, 1, -1);
    tell("%s", fd.revents == POLLNVAL ? "not open" : fd.revents == POLLIN ? "bytes" : "nothing");
    (void)sn_task_wait(task, SN_FOREVER);
}

static const struct sn_process number_poller = {.name = "Poller", .run = poll_the_same};

static void run_number_poll(void)
{
    story_begin();
    (void)sn_spawn(&number_poller, NULL);
}

static void a_poll_looks_at_what_has_got_the_number_of_a_closed_descriptor(void **unused)
{
    struct sn_test test = flow_test(run_number_poll);

    (void)unused;

    assert_string_equal(flow_stories(&test), "bytes | not open | nothing");
}

/* ---- What is full --------------------------------------------------------------------------- */

enum { MUCH = 100000 };

static void receive_much(const void *payload)
{
    int fd = wires_accept(wires_listen());
    char *bytes = sn_alloc(MUCH);

    (void)payload;
    tell("%zd ", recv(fd, bytes, MUCH, MSG_WAITALL));
    tell("%c%c", bytes[0], bytes[MUCH - 1]);
}

static const struct sn_process much_receiver = {.name = "Receiver", .run = receive_much};

static void send_much(const void *payload)
{
    int fd = wires_reach("127.0.0.1");
    char *bytes = sn_alloc(MUCH);

    (void)payload;
    bytes[0] = 'a';
    bytes[MUCH - 1] = 'z';
    sn_assert(write(fd, bytes, MUCH) == MUCH);
}

static const struct sn_process much_sender = {.name = "Sender", .run = send_much};

static void run_much(void)
{
    story_begin();
    (void)sn_spawn(&much_receiver, NULL);
    (void)sn_spawn(&much_sender, NULL);
}

static void more_bytes_than_there_is_room_for_can_be_waited_for(void **unused)
{
    struct sn_test test = flow_test(run_much);

    (void)unused;

    assert_string_equal(flow_stories(&test), "100000 az");
}

/* Accepts two, the first one late. */
static void accept_late(int fd)
{
    sn_sleep_ns(10 * SECOND);
    (void)wires_accept(fd);
    (void)wires_accept(fd);
}

static void serve_few(const void *payload)
{
    struct sockaddr_in any = wires_address("0.0.0.0", PORT);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    (void)payload;
    sn_assert(bind(fd, (const struct sockaddr *)&any, sizeof(any)) == 0 && listen(fd, 0) == 0);
    accept_late(fd);
}

static void connect_two(const void *payload)
{
    int first = socket(AF_INET, SOCK_STREAM, 0);
    int second = socket(AF_INET, SOCK_STREAM, 0);

    (void)payload;
    sn_sleep_ns(SECOND);
    sn_assert(wires_connect(first, "127.0.0.1") == 0);
    sn_assert(wires_connect(second, "127.0.0.1") == 0);
    tell("%llu s", (unsigned long long)(sn_true_time_ns() / SECOND));
}

static const struct sn_process few_server = {.name = "Server", .run = serve_few};
static const struct sn_process two_client = {.name = "Client", .run = connect_two};

static void run_few(void)
{
    story_begin();
    (void)sn_spawn(&few_server, NULL);
    (void)sn_spawn(&two_client, NULL);
}

/* It is tried again 1, 3, 7 and 15 seconds after it was begun. */
static void a_connection_within_a_node_is_tried_again_when_too_many_wait(void **unused)
{
    struct sn_test test = flow_test(run_few);

    (void)unused;

    assert_string_equal(flow_stories(&test), "16 s");
}

static struct sockaddr_un local_name(void)
{
    return (struct sockaddr_un){.sun_family = AF_UNIX, .sun_path = "name"};
}

static int local_listen(int backlog)
{
    struct sockaddr_un name = local_name();
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    sn_assert(bind(fd, (const struct sockaddr *)&name, sizeof(name)) == 0);
    sn_assert(listen(fd, backlog) == 0);
    return fd;
}

static int local_connect(int fd)
{
    struct sockaddr_un name = local_name();

    return connect(fd, (const struct sockaddr *)&name, sizeof(name)) == 0 ? 0 : errno;
}

static void serve_few_locally(const void *payload)
{
    (void)payload;
    accept_late(local_listen(0));
}

static void connect_two_locally(const void *payload)
{
    int first = socket(AF_UNIX, SOCK_STREAM, 0);
    int second = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)payload;
    sn_sleep_ns(SECOND);
    sn_assert(local_connect(first) == 0);
    sn_assert(local_connect(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0)) == EAGAIN);
    sn_assert(local_connect(second) == 0);
    tell("%llu s", (unsigned long long)(sn_true_time_ns() / SECOND));
}

static const struct sn_process few_local = {.name = "Server", .run = serve_few_locally};
static const struct sn_process two_local = {.name = "Client", .run = connect_two_locally};

static void run_few_locally(void)
{
    story_begin();
    (void)sn_spawn(&few_local, NULL);
    (void)sn_spawn(&two_local, NULL);
}

static void a_local_connection_waits_until_there_is_room(void **unused)
{
    struct sn_test test = flow_test(run_few_locally);

    (void)unused;

    assert_string_equal(flow_stories(&test), "10 s");
}

/* Two wait for the place of one. */
static void serve_one_of_two(const void *payload)
{
    int fd = local_listen(0);

    (void)payload;
    sn_sleep_ns(10 * SECOND);
    (void)wires_accept(fd);
    sn_sleep_ns(SECOND);
}

static void fill_place(const void *payload)
{
    (void)payload;
    sn_sleep_ns(SECOND);
    sn_assert(local_connect(socket(AF_UNIX, SOCK_STREAM, 0)) == 0);
    sn_sleep_ns(20 * SECOND);
}

static void want_place(const void *payload)
{
    (void)payload;
    sn_sleep_ns(2 * SECOND);
    if (local_connect(socket(AF_UNIX, SOCK_STREAM, 0)) == 0)
        tell("%s ", sn_name(sn_self()));
}

static const struct sn_process one_of_two = {.name = "Server", .run = serve_one_of_two};
static const struct sn_process filler = {.name = "Filler", .run = fill_place};
static const struct sn_process wanter = {.name = "Wanter", .run = want_place};

static void run_place(void)
{
    story_begin();
    (void)sn_spawn(&one_of_two, NULL);
    (void)sn_spawn(&filler, NULL);
    (void)sn_spawn(&wanter, NULL);
    (void)sn_spawn(&wanter, NULL);
}

static void either_of_two_that_wait_for_a_place_may_get_it(void **unused)
{
    struct sn_test test = flow_test(run_place);

    (void)unused;

    assert_string_equal(flow_stories(&test), "Wanter  | Wanter#2 ");
}

static void take_count(void *argument)
{
    eventfd_t value;

    sn_yield();
    (void)eventfd_read(*(const int *)argument, &value);
}

static void add_too_much(const void *payload)
{
    int *fd = sn_alloc(sizeof(*fd));
    eventfd_t value;

    (void)payload;
    *fd = eventfd(0, 0);
    sn_assert(eventfd_write(*fd, UINT64_MAX - 3) == 0);
    (void)sn_task("taker", take_count, fd);
    sn_assert(eventfd_write(*fd, 5) == 0);
    sn_assert(eventfd_read(*fd, &value) == 0);
    tell("%llu", (unsigned long long)value);
}

static const struct sn_process adder = {.name = "Adder", .run = add_too_much};

static void run_counter(void)
{
    story_begin();
    (void)sn_spawn(&adder, NULL);
}

static void what_does_not_fit_into_a_counter_waits(void **unused)
{
    struct sn_test test = flow_test(run_counter);

    (void)unused;

    assert_string_equal(flow_stories(&test), "5");
}

/* ---- What goes down ------------------------------------------------------------------------- */

static void serve_once(const void *payload)
{
    (void)payload;
    (void)wires_tell(wires_accept(wires_listen()));
    tell("answered ");
}

static const struct sn_process once_server = {
    .name = "Server", .run = serve_once, .may_wait = true};

/* The server's node is down when the question is asked. */
static void ask_the_dead(const void *payload)
{
    int fd;

    (void)payload;
    sn_sleep_ns(SECOND);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    sn_assert(wires_connect(fd, SERVER) == 0);
    sn_sleep_ns(SECOND);
    sn_node_crash(1);
    sn_sleep_ns(SECOND);
    (void)send(fd, "a", 1, MSG_NOSIGNAL);
    sn_sleep_ns(SECOND);
    sn_node_restart(1);
    (void)wires_tell(fd);
}

static const struct sn_process dead_asker = {.name = "Asker", .run = ask_the_dead};

static void run_dead(void)
{
    story_begin();
    (void)wires_start("server", &once_server);
    (void)wires_start("client", &dead_asker);
}

/* A kernel sends again what was not answered, and is told that nobody knows the connection. If the
 * crash was noticed, it is send that says so, and what is read is the end. */
static void who_has_sent_to_a_node_that_was_down_learns_of_it_when_it_is_up(void **unused)
{
    struct sn_test test = flow_test(run_dead);

    (void)unused;

    assert_string_equal(flow_stories(&test), "-  | reset ");
}

static void fill_the_stopped(const void *payload)
{
    int fd;
    char *bytes = sn_alloc(MUCH);

    (void)payload;
    sn_sleep_ns(SECOND);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    sn_assert(wires_connect(fd, SERVER) == 0);
    sn_sleep_ns(SECOND);
    sn_node_stop(1);
    (void)wires_tell(fd);
    sn_sleep_ns(SECOND);
    sn_node_restart(1);
    sn_sleep_ns(SECOND);
    tell("%s ", send(fd, bytes, MUCH, MSG_NOSIGNAL) == MUCH ? "all" : "some");
    (void)send(fd, "b", 1, MSG_NOSIGNAL);
    sn_sleep_ns(SECOND);
    tell("%s", send(fd, "c", 1, MSG_NOSIGNAL) < 0 && errno == EPIPE ? "over" : "?");
}

static const struct sn_process stopped_filler = {.name = "Filler", .run = fill_the_stopped};

static void run_stopped(void)
{
    story_begin();
    (void)wires_start("server", &once_server);
    (void)wires_start("client", &stopped_filler);
}

static void who_writes_to_a_node_that_has_stopped_does_not_wait_for_ever(void **unused)
{
    struct sn_test test = flow_test(run_stopped);
    struct sn_result r;

    (void)unused;

    r = stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 200});
    assert_string_equal(r.failure, "");
    assert_string_equal(stories_all(), "- some over");
}

/* A machine has tasks that use sockets. */
static void serve_in_task(void *argument)
{
    (void)argument;
    (void)wires_tell(wires_accept(wires_listen()));
}

static void start_task(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_task("serving", serve_in_task, NULL);
}

static const struct sn_state with_task = {.name = "WithTask", .entry = start_task};
static const struct sn_machine task_machine = {.name = "Machine", .start = &with_task};

static void be_told_of_stop(const void *payload)
{
    int fd;

    (void)payload;
    sn_sleep_ns(SECOND);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    sn_assert(wires_connect(fd, SERVER) == 0);
    sn_sleep_ns(SECOND);
    sn_node_stop(1);
    (void)wires_tell(fd);
}

static const struct sn_process stop_witness = {.name = "Witness", .run = be_told_of_stop};

static void run_machine_stop(void)
{
    story_begin();
    (void)sn_create_on(sn_node_new("server"), &task_machine, NULL);
    (void)wires_start("client", &stop_witness);
}

static void what_tasks_of_a_machine_have_open_is_closed_when_its_node_stops(void **unused)
{
    struct sn_test test = flow_test(run_machine_stop);

    (void)unused;

    assert_string_equal(flow_stories(&test), "- ");
}

/* ---- What a search must not leave out ------------------------------------------------------- */

/* Has two go on at the same time, the second one first if they go on as they are told to. */
static void start_both(const void *payload)
{
    const sn_id *both = payload;

    sn_sleep_ns(10 * SECOND);
    sn_send(both[1], &a_event, NULL);
    sn_send(both[0], &a_event, NULL);
}

static const struct sn_event both_event = {.name = "Both", .size = sizeof(sn_id[2])};
static const struct sn_process starter = {
    .name = "Starter", .run = start_both, .birth = &both_event};

static void look_through_two(const void *payload)
{
    int fd = wires_accept(wires_listen());
    int inner = epoll_create1(0);
    int outer = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};

    (void)payload;
    sn_assert(epoll_ctl(inner, EPOLL_CTL_ADD, fd, &event) == 0);
    sn_assert(epoll_ctl(outer, EPOLL_CTL_ADD, inner, &event) == 0);
    sn_assert(epoll_ctl(inner, EPOLL_CTL_ADD, outer, &event) == -1 && errno == ELOOP);
    (void)sn_receive_event(&a_event, SN_FOREVER);
    tell("%d", epoll_wait(outer, &event, 1, 0));
    sn_sleep_ns(10 * SECOND); /* that it ends is no part of it */
}

static void write_soon(const void *payload)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    (void)payload;
    sn_sleep_ns(SECOND);
    sn_assert(wires_connect(fd, "127.0.0.1") == 0);
    (void)sn_receive_event(&a_event, SN_FOREVER);
    wires_write(fd, "a");
    sn_sleep_ns(10 * SECOND);
}

static const struct sn_process nested = {.name = "Nested", .run = look_through_two};
static const struct sn_process soon = {.name = "Soon", .run = write_soon};

static void run_nested(void)
{
    sn_id both[2];

    story_begin();
    both[0] = sn_spawn(&soon, NULL);
    both[1] = sn_spawn(&nested, NULL);
    (void)sn_spawn(&starter, both);
}

static void what_epoll_waits_for_through_another_one_comes_in_every_order(void **unused)
{
    struct sn_test test = flow_test(run_nested);

    (void)unused;

    (void)signal(SIGPIPE, SIG_IGN);
    assert_string_equal(flow_stories(&test), "0 | 1");
}

static void shut_then_close(const void *payload)
{
    int fd = wires_accept(local_listen(1));

    (void)payload;
    sn_assert(shutdown(fd, SHUT_WR) == 0);
    sn_assert(close(fd) == 0);
    sn_sleep_ns(10 * SECOND); /* that it ends is no part of it */
}

static void read_then_write(const void *payload)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)payload;
    sn_sleep_ns(SECOND);
    sn_assert(local_connect(fd) == 0);
    (void)wires_tell(fd);
    tell("%s", send(fd, "a", 1, MSG_NOSIGNAL) == 1 ? "written" : "broken");
    sn_sleep_ns(10 * SECOND);
}

static const struct sn_process shutter = {.name = "Shutter", .run = shut_then_close};
static const struct sn_process tester = {.name = "Tester", .run = read_then_write};

static void run_shut_then_close(void)
{
    story_begin();
    (void)sn_spawn(&shutter, NULL);
    (void)sn_spawn(&tester, NULL);
}

static void a_local_end_is_closed_before_or_after_it_is_written_to(void **unused)
{
    struct sn_test test = flow_test(run_shut_then_close);

    (void)unused;

    assert_string_equal(flow_stories(&test), "- broken | - written");
}

enum { WINDOW = 64 << 10 };

/* There is room for one byte, or for as many as were read. */
static void write_to_the_brim(const void *payload)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char *bytes = sn_alloc(WINDOW);

    (void)payload;
    sn_sleep_ns(SECOND);
    sn_assert(wires_connect(fd, SERVER) == 0);
    sn_assert(write(fd, bytes, WINDOW - 1) == WINDOW - 1);
    (void)sn_receive_event(&a_event, SN_FOREVER); /* all has arrived */
    tell("%zd", send(fd, bytes, 2, MSG_DONTWAIT));
    sn_sleep_ns(SECOND);
}

static void read_a_byte(const void *payload)
{
    int fd = wires_accept(wires_listen());
    char byte;

    (void)payload;
    (void)sn_receive_event(&a_event, SN_FOREVER);
    sn_assert(recv(fd, &byte, 1, 0) == 1);
    sn_sleep_ns(SECOND);
}

static const struct sn_process brimmer = {.name = "Brimmer", .run = write_to_the_brim};
static const struct sn_process sipper = {.name = "Sipper", .run = read_a_byte};

static void run_brim(void)
{
    sn_id both[2];

    story_begin();
    both[0] = sn_spawn_on(sn_node_new("server"), &sipper, NULL);
    both[1] = sn_spawn_on(sn_node_new("client"), &brimmer, NULL);
    (void)sn_spawn(&starter, both);
}

static void how_much_is_written_depends_on_what_was_read(void **unused)
{
    struct sn_test test = flow_test(run_brim);

    (void)unused;

    assert_true(stories_run(&test, (struct sn_options){.strategy = "odpor", .iterations = 200000})
                    .exhausted);
    assert_string_equal(stories_all(), "1 | 2");
}

static void accept_when_told(const void *payload)
{
    struct sockaddr_in any = wires_address("0.0.0.0", PORT);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    (void)payload;
    sn_assert(bind(fd, (const struct sockaddr *)&any, sizeof(any)) == 0 && listen(fd, 0) == 0);
    (void)sn_receive_event(&a_event, SN_FOREVER);
    (void)wires_accept(fd);
    sn_sleep_ns(10 * SECOND);
}

static void connect_when_told(const void *payload)
{
    int first_fd = socket(AF_INET, SOCK_STREAM, 0);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    (void)payload;
    sn_sleep_ns(SECOND);
    sn_assert(wires_connect(first_fd, SERVER) == 0);
    (void)sn_receive_event(&a_event, SN_FOREVER);
    sn_assert(wires_connect(fd, SERVER) == 0);
    tell("%llu s", (unsigned long long)(sn_true_time_ns() / SECOND));
    sn_sleep_ns(10 * SECOND);
}

static const struct sn_process told_server = {.name = "Server", .run = accept_when_told};
static const struct sn_process told_client = {.name = "Client", .run = connect_when_told};

static void run_told(void)
{
    sn_id both[2];

    story_begin();
    both[0] = sn_spawn_on(sn_node_new("server"), &told_server, NULL);
    both[1] = sn_spawn_on(sn_node_new("client"), &told_client, NULL);
    (void)sn_spawn(&starter, both);
}

static void a_place_is_free_before_or_after_somebody_connects(void **unused)
{
    struct sn_test test = flow_test(run_told);

    (void)unused;

    assert_string_equal(flow_stories(&test), "10 s | 11 s");
}

static void connect_to_what_comes_up(const void *payload)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct pollfd one = {.fd = fd, .events = POLLOUT};

    (void)payload;
    sn_sleep_ns(10 * SECOND);
    sn_assert(wires_connect(fd, SERVER) == EINPROGRESS);
    tell("%d ", poll(&one, 1, 0));
    (void)close(fd);
}

static void bring_it_up(const void *payload)
{
    (void)payload;
    sn_node_crash(1);
    sn_sleep_ns(10 * SECOND);
    sn_node_restart(1);
}

static const struct sn_process early_client = {.name = "Client", .run = connect_to_what_comes_up};
static const struct sn_process raiser = {.name = "Raiser", .run = bring_it_up};

static void run_raise(void)
{
    story_begin();
    (void)sn_node_new("server");
    (void)wires_start("client", &early_client);
    (void)wires_start("raiser", &raiser);
}

/* Refused by a node that is up, where nobody listens; not answered by one that is down. */
static void a_node_comes_up_before_or_after_somebody_connects(void **unused)
{
    struct sn_test test = flow_test(run_raise);

    (void)unused;

    assert_string_equal(flow_stories(&test), "0  | 1 ");
}

/* ---- What Linux does ------------------------------------------------------------------------ */

static void read_after_a_reset(int flags)
{
    int fds[2];
    char bytes[8];
    ssize_t n;

    make_pair(fds);
    wires_write(fds[0], "abc");
    wires_write(fds[1], "def"); /* which is not read: a reset */
    (void)close(fds[0]);
    n = recv(fds[1], bytes, sizeof(bytes), flags | MSG_DONTWAIT);
    tell("%zd", n);
    n = read(fds[1], bytes, sizeof(bytes));
    tell("%s", n < 0 ? " reset " : n == 0 ? " end " : " more ");
}

static void read_after_resets(const void *payload)
{
    (void)payload;
    read_after_a_reset(0);
    read_after_a_reset(MSG_WAITALL);
    read_after_a_reset(MSG_WAITALL | MSG_PEEK);
}

static const struct sn_process reset_reader = {.name = "Reader", .run = read_after_resets};

static void run_resets(void)
{
    story_begin();
    (void)sn_spawn(&reset_reader, NULL);
}

static void who_waits_for_all_bytes_is_not_told_of_a_reset_behind_those_there_are(void **unused)
{
    struct sn_test test = flow_test(run_resets);

    (void)unused;

    assert_string_equal(flow_stories(&test), "3 reset 3 end 3 more ");
}

/* Such a connection has not ended for its peer, who may write. */
static void shut_and_connect(const void *payload)
{
    int listener = wires_listen();
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char byte;

    (void)payload;
    tell("%d ", shutdown(fd, SHUT_RDWR));
    sn_assert(wires_connect(fd, "127.0.0.1") == 0);
    wires_write(wires_accept(listener), "abc");
    sn_sleep_ns(SECOND);
    tell("%zd ", read(fd, &byte, 1));
    tell("%zd", write(fd, &byte, 1));
}

static const struct sn_process shut_client = {.name = "Client", .run = shut_and_connect};

static void run_shut(void)
{
    story_begin();
    (void)sn_spawn(&shut_client, NULL);
}

static void who_is_shut_before_it_connects_gets_what_is_sent_all_the_same(void **unused)
{
    struct sn_test test = flow_test(run_shut);

    (void)unused;

    (void)signal(SIGPIPE, SIG_IGN);
    assert_string_equal(flow_stories(&test), "-1 1 -1");
}

static void connect_again(const void *payload)
{
    int listener = wires_listen();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    int watcher = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};

    (void)payload;
    sn_assert(wires_connect(fd, "127.0.0.1") == EINPROGRESS);
    sn_sleep_ns(SECOND);
    (void)close(listener); /* before it has accepted: a reset */
    sn_sleep_ns(SECOND);
    sn_assert(epoll_ctl(watcher, EPOLL_CTL_ADD, fd, &event) == 0);
    for (int i = 0; i < 2; i++)
        tell("%d ", epoll_wait(watcher, &event, 1, 0));
    tell("%s ", wires_connect(fd, "127.0.0.1") == ECONNRESET ? "reset" : "not reset");
    for (int i = 0; i < 2; i++)
        tell("%d ", epoll_wait(watcher, &event, 1, 0));
}

static const struct sn_process again_client = {.name = "Client", .run = connect_again};

static void run_again(void)
{
    story_begin();
    (void)sn_spawn(&again_client, NULL);
}

static void who_is_told_that_connecting_has_failed_is_an_edge(void **unused)
{
    struct sn_test test = flow_test(run_again);

    (void)unused;

    assert_string_equal(flow_stories(&test), "1 0 reset 1 0 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_takes_what_has_got_the_number_of_a_closed_descriptor),
        cmocka_unit_test(a_close_closes_what_has_got_the_number_of_a_closed_descriptor),
        cmocka_unit_test(a_poll_looks_at_what_has_got_the_number_of_a_closed_descriptor),
        cmocka_unit_test(more_bytes_than_there_is_room_for_can_be_waited_for),
        cmocka_unit_test(a_connection_within_a_node_is_tried_again_when_too_many_wait),
        cmocka_unit_test(a_local_connection_waits_until_there_is_room),
        cmocka_unit_test(either_of_two_that_wait_for_a_place_may_get_it),
        cmocka_unit_test(what_does_not_fit_into_a_counter_waits),
        cmocka_unit_test(who_has_sent_to_a_node_that_was_down_learns_of_it_when_it_is_up),
        cmocka_unit_test(who_writes_to_a_node_that_has_stopped_does_not_wait_for_ever),
        cmocka_unit_test(what_tasks_of_a_machine_have_open_is_closed_when_its_node_stops),
        cmocka_unit_test(what_epoll_waits_for_through_another_one_comes_in_every_order),
        cmocka_unit_test(a_local_end_is_closed_before_or_after_it_is_written_to),
        cmocka_unit_test(how_much_is_written_depends_on_what_was_read),
        cmocka_unit_test(a_place_is_free_before_or_after_somebody_connects),
        cmocka_unit_test(a_node_comes_up_before_or_after_somebody_connects),
        cmocka_unit_test(who_waits_for_all_bytes_is_not_told_of_a_reset_behind_those_there_are),
        cmocka_unit_test(who_is_shut_before_it_connects_gets_what_is_sent_all_the_same),
        cmocka_unit_test(who_is_told_that_connecting_has_failed_is_an_edge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
