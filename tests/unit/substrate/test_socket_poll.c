/* test_socket_poll.c - waiting for several sockets: poll, select, epoll, and what only wakes up.
 * SPDX-License-Identifier: MIT
 */
#include "wires.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <time.h>

/* ---- Time ----------------------------------------------------------------------------------- */

static uint64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void wait_in_vain(const void *payload)
{
    int fds[2];
    uint64_t begin = now_ms();
    fd_set reads;

    (void)payload;
    sn_assert(pipe(fds) == 0);
    sn_assert(poll(&(struct pollfd){.fd = fds[0], .events = POLLIN}, 1, 1500) == 0);
    tell("%llu ", (unsigned long long)(now_ms() - begin));
    FD_ZERO(&reads);
    FD_SET(fds[0], &reads);
    sn_assert(select(fds[0] + 1, &reads, NULL, NULL, &(struct timeval){.tv_sec = 2}) == 0);
    sn_assert(!FD_ISSET(fds[0], &reads));
    tell("%llu ", (unsigned long long)(now_ms() - begin));
    sn_assert(poll(NULL, 0, 500) == 0);
    tell("%llu ", (unsigned long long)(now_ms() - begin));
    sn_assert(poll(&(struct pollfd){.fd = fds[0], .events = POLLIN}, 1, 0) == 0);
    tell("%llu", (unsigned long long)(now_ms() - begin));
}

static const struct sn_process vain = {.name = "Vain", .run = wait_in_vain};

static void run_vain(void)
{
    story_begin();
    (void)sn_spawn(&vain, NULL);
}

static void waiting_takes_virtual_time(void **unused)
{
    struct sn_test test = flow_test(run_vain);

    (void)unused;

    assert_string_equal(flow_stories(&test), "1500 3500 4000 4000");
}

static void sleep_long(const void *payload)
{
    (void)payload;
    sn_assert(sleep(2) == 0);
    tell("long at %llu ", (unsigned long long)(sn_now_ns() / SECOND));
}

static void sleep_short(const void *payload)
{
    (void)payload;
    sn_assert(usleep(1000000) == 0);
    tell("short at %llu, ", (unsigned long long)(sn_now_ns() / SECOND));
}

static const struct sn_process long_sleeper = {.name = "Long", .run = sleep_long};
static const struct sn_process short_sleeper = {.name = "Short", .run = sleep_short};

static void run_sleepers(void)
{
    story_begin();
    (void)sn_spawn(&long_sleeper, NULL);
    (void)sn_spawn(&short_sleeper, NULL);
}

static void a_process_that_sleeps_lets_others_run(void **unused)
{
    struct sn_test test = flow_test(run_sleepers);

    (void)unused;

    assert_string_equal(flow_stories(&test), "short at 1, long at 2 ");
}

/* ---- A loop that waits for two -------------------------------------------------------------- */

static void say(const void *payload)
{
    int fd = wires_reach("10.0.0.1");

    (void)payload;
    wires_write(fd, sn_node_of(sn_self()) == 2 ? "b" : "c");
}

static const struct sn_process sayer = {.name = "Sayer", .run = say};

/* An event loop as many programs have one: a listener, and whoever has connected. */
static void loop_by_poll(const void *payload)
{
    struct pollfd fds[3] = {{.fd = wires_listen(), .events = POLLIN}};
    nfds_t n = 1;
    int ends = 0;

    (void)payload;
    while (ends < 2) {
        sn_assert(poll(fds, n, -1) > 0);
        for (nfds_t i = n - 1; i > 0; i--) {
            if (fds[i].fd >= 0 && fds[i].revents != 0 && wires_tell(fds[i].fd) <= 0) {
                (void)close(fds[i].fd);
                fds[i].fd = -1;
                ends++;
            }
        }
        if (fds[0].revents != 0)
            fds[n++] = (struct pollfd){.fd = wires_accept(fds[0].fd), .events = POLLIN};
    }
}

static const struct sn_process poller = {.name = "Poller", .run = loop_by_poll};

static void run_loop(const struct sn_process *loop)
{
    story_begin();
    (void)wires_start("a", loop);
    (void)wires_start("b", &sayer);
    (void)wires_start("c", &sayer);
}

static void run_poll_loop(void)
{
    run_loop(&poller);
}

/* All orders in which the bytes and the ends of two connections can be noticed. */
static const char orders[] = "b - c -  | b c - -  | c - b -  | c b - - ";

static void assert_loop(void (*run)(void))
{
    struct sn_test test = flow_test(run);
    struct sn_result r;

    r = stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 2000});
    assert_string_equal(r.failure, "");
    assert_string_equal(stories_all(), orders);
}

static void an_unmodified_loop_of_poll_sees_every_order(void **unused)
{
    (void)unused;

    assert_loop(run_poll_loop);
}

static void loop_by_epoll(const void *payload)
{
    int listener = wires_listen();
    int epoll = epoll_create1(0);
    struct epoll_event events[4];
    int ends = 0;

    (void)payload;
    sn_assert(epoll_ctl(epoll, EPOLL_CTL_ADD, listener,
                        &(struct epoll_event){.events = EPOLLIN, .data.fd = listener}) == 0);
    while (ends < 2) {
        int n = epoll_wait(epoll, events, 4, -1);

        sn_assert(n > 0);
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;

            if (fd == listener) {
                fd = wires_accept(listener);
                sn_assert(epoll_ctl(epoll, EPOLL_CTL_ADD, fd,
                                    &(struct epoll_event){.events = EPOLLIN, .data.fd = fd}) == 0);
            } else if (wires_tell(fd) <= 0) {
                (void)close(fd); /* forgotten by epoll as well */
                ends++;
            }
        }
    }
}

static const struct sn_process epoller = {.name = "Epoller", .run = loop_by_epoll};

static void run_epoll_loop(void)
{
    run_loop(&epoller);
}

static void a_loop_of_epoll_sees_the_same(void **unused)
{
    (void)unused;

    assert_loop(run_epoll_loop);
}

/* ---- How epoll tells ------------------------------------------------------------------------ */

/* Tells how many are ready, twice. */
static void tell_now(int epoll)
{
    struct epoll_event event;

    tell("%d", epoll_wait(epoll, &event, 1, 0));
    tell("%d ", epoll_wait(epoll, &event, 1, 0));
}

static void use_modes(const void *payload)
{
    int fds[2];
    int epoll = epoll_create1(0);
    struct epoll_event want = {.events = EPOLLIN};

    (void)payload;
    sn_assert(pipe2(fds, O_NONBLOCK) == 0);
    sn_assert(epoll_ctl(epoll, EPOLL_CTL_MOD, fds[0], &want) == -1 && errno == ENOENT);
    sn_assert(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &want) == 0);
    sn_assert(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &want) == -1 && errno == EEXIST);
    wires_write(fds[1], "a");
    tell_now(epoll);
    want.events = EPOLLIN | EPOLLET;
    sn_assert(epoll_ctl(epoll, EPOLL_CTL_MOD, fds[0], &want) == 0);
    tell_now(epoll);
    wires_write(fds[1], "b");
    tell_now(epoll);
    want.events = EPOLLIN | EPOLLONESHOT;
    sn_assert(epoll_ctl(epoll, EPOLL_CTL_MOD, fds[0], &want) == 0);
    tell_now(epoll);
    sn_assert(epoll_ctl(epoll, EPOLL_CTL_MOD, fds[0], &want) == 0);
    tell_now(epoll);
    sn_assert(epoll_ctl(epoll, EPOLL_CTL_DEL, fds[0], NULL) == 0);
    tell_now(epoll);
}

static const struct sn_process modal = {.name = "Modal", .run = use_modes};

static void run_modes(void)
{
    story_begin();
    (void)sn_spawn(&modal, NULL);
}

static void epoll_tells_levels_edges_and_once(void **unused)
{
    struct sn_test test = flow_test(run_modes);

    (void)unused;

    assert_string_equal(flow_stories(&test), "11 10 10 10 10 00 ");
}

/* ---- Wakeups -------------------------------------------------------------------------------- */

static void wake(void *argument)
{
    sn_assert(eventfd_write(*(const int *)argument, 3) == 0);
    tell("wake ");
}

static void be_woken(const void *payload)
{
    int fd = eventfd(0, 0);
    eventfd_t value = 0;

    (void)payload;
    (void)sn_task("waker", wake, &fd);
    sn_assert(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1) == 1);
    sn_assert(read(fd, &value, sizeof(value)) == sizeof(value));
    tell("%llu ", (unsigned long long)value);
    sn_assert(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0) == 0);
}

static const struct sn_process sleeper = {.name = "Sleeper", .run = be_woken};

static void run_woken(void)
{
    story_begin();
    (void)sn_spawn(&sleeper, NULL);
}

static void a_task_wakes_a_loop_by_an_eventfd(void **unused)
{
    struct sn_test test = flow_test(run_woken);

    (void)unused;

    assert_string_equal(flow_stories(&test), "wake 3 ");
}

/* ---- What is not modelled ------------------------------------------------------------------- */

static const char *uncontrolled(void (*run)(void))
{
    static struct sn_result r;
    struct sn_test test = flow_test(run);

    assert_int_equal(sn_run(&test, &(struct sn_options){.iterations = 1}, &r), 0);
    assert_int_equal(r.verdict, SN_UNCONTROLLED);
    return r.failure;
}

static void open_datagram(const void *payload)
{
    (void)payload;
    (void)socket(AF_INET, SOCK_DGRAM, 0);
}

static void wait_for_both(const void *payload)
{
    struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN}};

    (void)payload;
    (void)poll(fds, 2, -1);
}

static void make_timer(const void *payload)
{
    (void)payload;
    (void)timerfd_create(CLOCK_MONOTONIC, 0);
}

static void copy(const void *payload)
{
    (void)payload;
    (void)dup(socket(AF_INET, SOCK_STREAM, 0));
}

static void send_urgent(const void *payload)
{
    int fds[2];

    (void)payload;
    sn_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
    (void)send(fds[0], "a", 1, MSG_OOB);
}

static const struct sn_process urgent = {.name = "Urgent", .run = send_urgent};
static const struct sn_process datagram_opener = {.name = "Opener", .run = open_datagram};
static const struct sn_process mixer = {.name = "Mixer", .run = wait_for_both};
static const struct sn_process timer_maker = {.name = "Maker", .run = make_timer};
static const struct sn_process copier = {.name = "Copier", .run = copy};

static void run_datagram(void)
{
    (void)sn_spawn(&datagram_opener, NULL);
}

static void run_mixer(void)
{
    (void)sn_spawn(&mixer, NULL);
}

static void run_timer_maker(void)
{
    (void)sn_spawn(&timer_maker, NULL);
}

static void run_copier(void)
{
    (void)sn_spawn(&copier, NULL);
}

static void run_urgent(void)
{
    (void)sn_spawn(&urgent, NULL);
}

static void what_is_not_modelled_is_reported_as_not_under_control(void **unused)
{
    (void)unused;

    assert_non_null(strstr(uncontrolled(run_datagram), "Opener opens a socket of family 2"));
    assert_non_null(strstr(uncontrolled(run_mixer), "and for other descriptors at a time"));
    assert_non_null(strstr(uncontrolled(run_timer_maker), "timerfd_create, which is not modelled"));
    assert_non_null(strstr(uncontrolled(run_copier), "dup of a socket is not modelled"));
    assert_non_null(strstr(uncontrolled(run_urgent), "with flags 0x1, which is not modelled"));
}

static void wait_wrongly(const void *payload)
{
    const struct timespec wrong = {.tv_nsec = -1};
    struct timeval early = {.tv_sec = -1};
    struct pollfd fd = {.fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN};

    (void)payload;
    sn_assert(ppoll(&fd, 1, &wrong, NULL) == -1 && errno == EINVAL);
    sn_assert(pselect(0, NULL, NULL, NULL, &wrong, NULL) == -1 && errno == EINVAL);
    sn_assert(select(0, NULL, NULL, NULL, &early) == -1 && errno == EINVAL);
    sn_assert(select(-1, NULL, NULL, NULL, NULL) == -1 && errno == EINVAL);
}

static const struct sn_process wrong_waiter = {.name = "Waiter", .run = wait_wrongly};

static void run_wrong_waiter(void)
{
    story_begin();
    (void)sn_spawn(&wrong_waiter, NULL);
}

static void timeouts_that_make_no_sense_are_refused(void **unused)
{
    struct sn_test test = flow_test(run_wrong_waiter);

    (void)unused;

    assert_string_equal(flow_stories(&test), "");
}

/* ---- Everybody else ------------------------------------------------------------------------- */

static uint64_t use_kernel(void *argument)
{
    int fds[2];
    bool is_right = pipe(fds) == 0 && fds[1] < 512 && write(fds[1], "x", 1) == 1 &&
                    poll(&(struct pollfd){.fd = fds[0], .events = POLLIN}, 1, 0) == 1 &&
                    read(fds[0], (char[1]){0}, 1) == 1;

    (void)argument;
    return is_right && close(fds[0]) == 0 && close(fds[1]) == 0;
}

static void use_machine(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assert(use_kernel(NULL) == 1);
}

static const struct sn_state using = {.name = "Using", .entry = use_machine};
static const struct sn_machine machine = {.name = "Machine", .start = &using};

static void use_foreign(const void *payload)
{
    (void)payload;
    sn_assert(sn_foreign("kernel", use_kernel, NULL) == 1);
}

static const struct sn_process foreign = {.name = "Foreign", .run = use_foreign};

static void run_others(void)
{
    (void)sn_create(&machine, NULL);
    (void)sn_spawn(&foreign, NULL);
    sn_assert(use_kernel(NULL) == 1);
}

static void outside_of_processes_descriptors_are_the_kernels(void **unused)
{
    struct sn_test test = {.name = "others", .run = run_others};
    struct sn_result r;

    (void)unused;

    assert_int_equal(use_kernel(NULL), 1);
    assert_int_equal(sn_run(&test, &(struct sn_options){.iterations = 10}, &r), 0);
    assert_string_equal(r.failure, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_takes_virtual_time),
        cmocka_unit_test(a_process_that_sleeps_lets_others_run),
        cmocka_unit_test(an_unmodified_loop_of_poll_sees_every_order),
        cmocka_unit_test(a_loop_of_epoll_sees_the_same),
        cmocka_unit_test(epoll_tells_levels_edges_and_once),
        cmocka_unit_test(a_task_wakes_a_loop_by_an_eventfd),
        cmocka_unit_test(what_is_not_modelled_is_reported_as_not_under_control),
        cmocka_unit_test(timeouts_that_make_no_sense_are_refused),
        cmocka_unit_test(outside_of_processes_descriptors_are_the_kernels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
