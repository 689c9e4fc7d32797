/* test_tasks.c - concurrency inside a component: posted callbacks, tasks, pools, work as libuv has.
 *
 * Every schedule is tried, and searches that leave out what is equivalent must find the same: a
 * task works in the memory of its component, so all of their steps conflict.
 * SPDX-License-Identifier: MIT
 */
#include "flow.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <ucontext.h>

/* ---- Posted callbacks ----------------------------------------------------------------------- */

static char first[] = "first";
static char second[] = "second";
static char call[] = "call";

static void tell_posted(void *argument, int64_t result)
{
    tell("%s%lld ", (const char *)argument, (long long)result);
}

static void post_two(const void *payload)
{
    sn_id to = flow_whom(payload);

    sn_post(to, "first", tell_posted, first, 1);
    sn_post(to, "second", tell_posted, second, 2);
}

static const struct sn_process poster = {.name = "Poster", .run = post_two, .birth = &whom_event};

static const struct sn_state listening = {
    .name = "Listening",
    .on = (const struct sn_on[]){{.event = &sn_posted, .run = sn_posted_run}, {0}},
};
static const struct sn_machine listener = {.name = "Listener", .start = &listening};

static void run_post_to_machine(void)
{
    sn_id to;

    story_begin();
    to = sn_create(&listener, NULL);
    (void)sn_spawn(&poster, &to);
}

static void a_machine_is_called_back_in_operations_of_its_own(void **unused)
{
    struct sn_test test = flow_test(run_post_to_machine);

    (void)unused;

    assert_string_equal(flow_stories(&test), "first1 second2 ");
}

static void plain_message(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    if (!sn_posted_take(bytes, n))
        tell("%.*s ", (int)n, (const char *)bytes);
}

static const struct sn_machine plain = {.name = "Plain", .on_message = plain_message};

static void run_post_to_plain_node(void)
{
    sn_id to;

    story_begin();
    to = sn_create(&plain, NULL);
    sn_post(to, "call", tell_posted, call, -7);
    sn_send_bytes(to, "bytes", 5);
}

static void a_plain_node_tells_callbacks_from_bytes(void **unused)
{
    struct sn_test test = flow_test(run_post_to_plain_node);

    (void)unused;

    assert_string_equal(flow_stories(&test), "call-7 bytes ");
}

static void take_posts(const void *payload)
{
    (void)payload;
    while (sn_posted_wait(SECOND))
        ;
    tell("over");
}

static const struct sn_process taker = {.name = "Taker", .run = take_posts};

static void run_post_to_process(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&taker, NULL);
    sn_send(to, &a_event, NULL);
    (void)sn_spawn(&poster, &to);
}

static void a_process_waits_for_callbacks_and_leaves_other_messages(void **unused)
{
    struct sn_test test = flow_test(run_post_to_process);

    (void)unused;

    assert_string_equal(flow_stories(&test), "first1 second2 over");
}

/* ---- Tasks ---------------------------------------------------------------------------------- */

/* A component whose helper adds to a number in two steps, as code without a lock does. */
struct sum {
    int value;
    int ends;
    sn_id self;
};

static void add_one(void *argument)
{
    struct sum *sum = argument;
    int seen = sum->value;

    sn_yield();
    sum->value = seen + 1;
    if (++sum->ends == 2)
        tell("%d", sum->value);
}

static void start_sum(void *self, const void *payload)
{
    (void)payload;
    (void)sn_task("left", add_one, self);
    (void)sn_task("right", add_one, self);
}

static const struct sn_state summing = {.name = "Summing", .entry = start_sum};
static const struct sn_machine summer = {
    .name = "Summer", .size = sizeof(struct sum), .start = &summing};

static void run_two_tasks(void)
{
    story_begin();
    (void)sn_create(&summer, NULL);
}

static void steps_of_tasks_of_one_machine_come_in_any_order(void **unused)
{
    struct sn_test test = flow_test(run_two_tasks);

    (void)unused;

    assert_string_equal(flow_stories(&test), "1 | 2");
}

static void bump(void *self, const void *payload)
{
    struct sum *sum = self;

    (void)payload;
    sum->value += 10;
}

static void start_one(void *self, const void *payload)
{
    struct sum *sum = self;

    (void)payload;
    sum->ends = 1;
    (void)sn_task("adder", add_one, self);
}

static const struct sn_state bumped = {
    .name = "Bumped",
    .entry = start_one,
    .on = (const struct sn_on[]){{.event = &a_event, .run = bump}, {0}},
};
static const struct sn_machine bumper = {
    .name = "Bumper", .size = sizeof(struct sum), .start = &bumped};

static void run_task_beside_machine(void)
{
    story_begin();
    sn_send(sn_create(&bumper, NULL), &a_event, NULL);
}

/* The step of the machine comes before, between and after those of its task. */
static void a_task_races_with_the_machine_that_started_it(void **unused)
{
    struct sn_test test = flow_test(run_task_beside_machine);

    (void)unused;

    assert_string_equal(flow_stories(&test), "1 | 11");
    assert_int_equal(stories_count("1") > 0, true);
}

static void sleep_in_task(void *argument)
{
    sn_sleep_ns(*(const uint64_t *)argument);
    tell("slept ");
}

static void wait_for_task(const void *payload)
{
    static const uint64_t short_ns = SECOND;
    static const uint64_t long_ns = 3 * SECOND;
    sn_id early = sn_task("short", sleep_in_task, (void *)(uintptr_t)&short_ns);
    sn_id late = sn_task("long", sleep_in_task, (void *)(uintptr_t)&long_ns);

    (void)payload;
    tell("%d ", sn_task_wait(early, SN_FOREVER));
    tell("%d ", sn_task_wait(late, SECOND / 2));
    tell("%d ", sn_task_wait(late, SN_FOREVER));
}

static const struct sn_process waiter = {.name = "Waiter", .run = wait_for_task};

static void run_waiting(void)
{
    story_begin();
    (void)sn_spawn(&waiter, NULL);
}

static void a_process_waits_for_its_tasks_in_virtual_time(void **unused)
{
    struct sn_test test = flow_test(run_waiting);

    (void)unused;

    assert_string_equal(flow_stories(&test), "slept 1 0 slept 1 ");
}

static void sleep_for_ever(void *argument)
{
    (void)argument;
    (void)sn_receive_event(&c_event, SN_FOREVER);
}

static void wait_in_vain(const void *payload)
{
    (void)payload;
    (void)sn_task_wait(sn_task("sleeper", sleep_for_ever, NULL), SN_FOREVER);
}

static const struct sn_process vain = {.name = "Vain", .run = wait_in_vain};

static void run_vain(void)
{
    (void)sn_spawn(&vain, NULL);
}

static void a_deadlock_names_what_is_waited_for(void **unused)
{
    struct sn_test test = flow_test(run_vain);

    (void)unused;

    assert_non_null(strstr(flow_failure(&test), "Vain waits for the end of a task"));
}

/* ---- Coroutines ------------------------------------------------------------------------------ */

/* A coroutine as components have them: a stack of its own, to which swapcontext goes and from which
 * it comes back when the coroutine waits. */
struct coroutine {
    ucontext_t inside;
    ucontext_t outside;
    struct sum *sum;
    sn_id task;
    bool is_over;
    char stack[65536];
};

static struct coroutine *entered; /* makecontext hands over numbers only */

static void coroutine_wait(struct coroutine *coroutine)
{
    sn_assert(swapcontext(&coroutine->inside, &coroutine->outside) == 0);
}

/* As add_one, but waits in between as coroutines do, and for once as code in blocking style does,
 * which is an operation on the stack of the coroutine. */
static void coroutine_add(void)
{
    struct coroutine *coroutine = entered;
    struct sum *sum = coroutine->sum;
    int seen = sum->value;

    sn_assert(sn_self() == coroutine->task && coroutine->task != sum->self);
    coroutine_wait(coroutine);
    sum->value = seen + 1;
    sn_yield();
    if (++sum->ends == 2)
        tell("%d", sum->value);
    coroutine->is_over = true;
}

/* What the task of a coroutine does: goes on with it until it is over. */
static void coroutine_run(void *argument)
{
    struct coroutine *coroutine = argument;

    while (!coroutine->is_over) {
        entered = coroutine;
        sn_assert(swapcontext(&coroutine->outside, &coroutine->inside) == 0);
        if (!coroutine->is_over)
            sn_yield();
    }
}

static void coroutine_start(const char *name, struct sum *sum)
{
    struct coroutine *coroutine = sn_alloc(sizeof(*coroutine));

    coroutine->sum = sum;
    sn_assert(getcontext(&coroutine->inside) == 0);
    coroutine->inside.uc_stack.ss_sp = coroutine->stack;
    coroutine->inside.uc_stack.ss_size = sizeof(coroutine->stack);
    coroutine->inside.uc_link = &coroutine->outside;
    makecontext(&coroutine->inside, coroutine_add, 0);
    coroutine->task = sn_task(name, coroutine_run, coroutine);
}

static void start_coroutines(void *self, const void *payload)
{
    struct sum *sum = self;

    (void)payload;
    sum->self = sn_self();
    coroutine_start("left", sum);
    coroutine_start("right", sum);
}

static const struct sn_state cooperating = {.name = "Cooperating", .entry = start_coroutines};
static const struct sn_machine cooperator = {
    .name = "Cooperator", .size = sizeof(struct sum), .start = &cooperating};

static void run_coroutines(void)
{
    story_begin();
    (void)sn_create(&cooperator, NULL);
}

static void start_coroutine(void *self, const void *payload)
{
    struct sum *sum = self;

    (void)payload;
    sum->self = sn_self();
    sum->ends = 1;
    coroutine_start("adder", sum);
}

static const struct sn_state bumped_beside = {
    .name = "BumpedBeside",
    .entry = start_coroutine,
    .on = (const struct sn_on[]){{.event = &a_event, .run = bump}, {0}},
};
static const struct sn_machine beside = {
    .name = "Beside", .size = sizeof(struct sum), .start = &bumped_beside};

static void run_coroutine_beside_machine(void)
{
    story_begin();
    sn_send(sn_create(&beside, NULL), &a_event, NULL);
}

/* Two of them lose an addition, and so does one beside the component, only if what is between their
 * waits comes in any order. */
static void a_coroutine_of_a_component_runs_as_a_task_of_its_own(void **unused)
{
    struct sn_test two = flow_test(run_coroutines);
    struct sn_test one = flow_test(run_coroutine_beside_machine);

    (void)unused;

    assert_string_equal(flow_stories(&two), "1 | 2");
    assert_string_equal(flow_stories(&one), "1 | 11");
}

/* ---- Pools ---------------------------------------------------------------------------------- */

struct item {
    char name;
    struct sn_job *job;
};

static void tell_twice(void *argument)
{
    const struct item *item = argument;

    tell("%c", item->name);
    sn_yield();
    tell("%c", item->name);
}

static struct item items[3] = {{.name = 'a'}, {.name = 'b'}, {.name = 'c'}};

static void submit_two(uint32_t threads)
{
    struct sn_pool *pool;

    story_begin();
    pool = sn_pool_new("pool", threads);
    (void)sn_pool_submit(pool, tell_twice, &items[0]);
    (void)sn_pool_submit(pool, tell_twice, &items[1]);
}

static void run_pool_of_one(void)
{
    submit_two(1);
}

static void a_pool_of_one_runs_jobs_one_after_the_other(void **unused)
{
    struct sn_test test = flow_test(run_pool_of_one);

    (void)unused;

    assert_string_equal(flow_stories(&test), "aabb");
}

static void add_in_pool(void *argument)
{
    add_one(argument);
}

static void start_pool(void *self, const void *payload)
{
    struct sn_pool *pool = sn_pool_new("pool", 2);

    (void)payload;
    (void)sn_pool_submit(pool, add_in_pool, self);
    (void)sn_pool_submit(pool, add_in_pool, self);
}

static const struct sn_state pooling = {.name = "Pooling", .entry = start_pool};
static const struct sn_machine pooler = {
    .name = "Pooler", .size = sizeof(struct sum), .start = &pooling};

static void run_pool_of_two(void)
{
    story_begin();
    (void)sn_create(&pooler, NULL);
}

static void a_pool_of_two_runs_two_jobs_at_a_time(void **unused)
{
    struct sn_test test = flow_test(run_pool_of_two);

    (void)unused;

    assert_string_equal(flow_stories(&test), "1 | 2");
}

static void add_quietly(void *argument)
{
    ++*(int *)argument;
}

static void submit_and_wait(const void *payload)
{
    struct sn_pool *pool = sn_pool_new("pool", 1);
    int *n = sn_alloc(sizeof(*n));
    struct sn_job *early = sn_pool_submit(pool, add_quietly, n);
    struct sn_job *late = sn_pool_submit(pool, add_quietly, n);
    bool is_cancelled = sn_pool_cancel(late);

    (void)payload;
    sn_assert(sn_pool_wait(early, SN_FOREVER));
    sn_assert(sn_pool_wait(late, SN_FOREVER) == !is_cancelled);
    sn_assert(*n == (is_cancelled ? 1 : 2));
    tell("%s", is_cancelled ? "cancelled" : "too late");
}

static const struct sn_process submitter = {.name = "Submitter", .run = submit_and_wait};

static void run_submit_and_wait(void)
{
    story_begin();
    (void)sn_spawn(&submitter, NULL);
}

static void a_process_submits_waits_and_takes_back_what_no_thread_has_taken(void **unused)
{
    struct sn_test test = flow_test(run_submit_and_wait);

    (void)unused;

    assert_string_equal(flow_stories(&test), "cancelled | too late");
}

/* ---- Work as libuv has it ------------------------------------------------------------------- */

struct loop {
    struct sn_work first;
    struct sn_work second;
    bool cancels;
};

static char one[] = "1";
static char two[] = "2";

static void do_work(struct sn_work *work)
{
    tell("work%s ", (const char *)work->data);
}

static void after_work(struct sn_work *work, int status)
{
    tell("after%s%s ", (const char *)work->data, status == -ECANCELED ? "!" : "");
}

static void start_loop(void *self, const void *payload)
{
    struct loop *loop = self;

    loop->cancels = *(const bool *)payload;
    loop->first.data = one;
    loop->second.data = two;
    sn_assert(sn_queue_work(NULL, &loop->first, NULL, after_work) == -EINVAL);
    sn_assert(sn_queue_work(NULL, &loop->first, do_work, after_work) == 0);
    if (loop->cancels)
        sn_send(sn_self(), &a_event, NULL);
}

static void cancel_first(void *self, const void *payload)
{
    struct loop *loop = self;
    int rc = sn_work_cancel(&loop->first);

    (void)payload;
    sn_assert(rc == 0 || rc == -EBUSY);
    tell("%s ", rc == 0 ? "cancel" : "busy");
    if (rc == 0)
        sn_assert(sn_work_cancel(&loop->first) == -EBUSY);
}

static const struct sn_event loop_birth = {.name = "Loop", .size = sizeof(bool)};
static const struct sn_state looping = {
    .name = "Looping",
    .entry = start_loop,
    .on = (const struct sn_on[]){{.event = &sn_posted, .run = sn_posted_run},
                                 {.event = &a_event, .run = cancel_first},
                                 {0}},
};
static const struct sn_machine loop_machine = {
    .name = "Loop", .size = sizeof(struct loop), .start = &looping, .birth = &loop_birth};

static void run_work(void)
{
    story_begin();
    (void)sn_create(&loop_machine, &(bool){false});
}

static void work_runs_as_a_task_and_the_callback_after_it_as_an_operation(void **unused)
{
    struct sn_test test = flow_test(run_work);

    (void)unused;

    assert_string_equal(flow_stories(&test), "work1 after1 ");
}

static void run_cancel(void)
{
    story_begin();
    (void)sn_create(&loop_machine, &(bool){true});
}

/* Taken but not yet begun is too late, too: "busy work1". */
static void work_is_cancelled_only_before_a_thread_takes_it(void **unused)
{
    struct sn_test test = flow_test(run_cancel);

    (void)unused;

    assert_string_equal(flow_stories(&test),
                        "busy work1 after1  | cancel after1!  | work1 after1 busy  | "
                        "work1 busy after1 ");
}

static void start_in_order(void *self, const void *payload)
{
    struct loop *loop = self;
    struct sn_pool *pool = sn_pool_new("one", 1);

    (void)payload;
    loop->first.data = one;
    loop->second.data = two;
    sn_assert(sn_queue_work(pool, &loop->first, do_work, after_work) == 0);
    sn_assert(sn_queue_work(pool, &loop->second, do_work, NULL) == 0);
}

static const struct sn_state ordered = {
    .name = "Ordered",
    .entry = start_in_order,
    .on = (const struct sn_on[]){{.event = &sn_posted, .run = sn_posted_run}, {0}},
};
static const struct sn_machine ordered_machine = {
    .name = "Ordered", .size = sizeof(struct loop), .start = &ordered};

static void run_ordered(void)
{
    story_begin();
    (void)sn_create(&ordered_machine, NULL);
}

static void the_next_work_of_one_thread_may_run_before_the_callback_of_the_last(void **unused)
{
    struct sn_test test = flow_test(run_ordered);

    (void)unused;

    assert_string_equal(flow_stories(&test), "work1 after1 work2  | work1 work2 after1 ");
}

/* ---- Nodes and misuse ----------------------------------------------------------------------- */

struct keeper {
    struct sn_pool *pool;
    struct sn_work work;
};

static struct sn_pool *kept; /* a pointer that outlives the node, as a bug in a component would */

static void start_keeper(void *self, const void *payload)
{
    struct keeper *keeper = self;

    (void)payload;
    if (kept == NULL)
        kept = sn_pool_new("kept", 1);
    keeper->pool = kept;
    (void)sn_pool_submit(keeper->pool, add_quietly, sn_alloc(sizeof(int)));
    sn_send(sn_sender(), &a_event, NULL);
}

static const struct sn_state keeping = {.name = "Keeping", .entry = start_keeper};
static const struct sn_machine keeper_machine = {
    .name = "Keeper", .size = sizeof(struct keeper), .start = &keeping};

static void begin_restart(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_create_on(sn_node_new("n1"), &keeper_machine, NULL);
}

static void restart_it(void *self, const void *payload)
{
    sn_node node = sn_node_of(sn_sender());

    (void)self;
    (void)payload;
    sn_node_crash(node);
    sn_node_restart(node);
}

static const struct sn_state restarting = {
    .name = "Restarting",
    .entry = begin_restart,
    .on = (const struct sn_on[]){{.event = &a_event, .run = restart_it}, {0}},
};
static const struct sn_machine restarter = {.name = "Restarter", .start = &restarting};

static void run_kept(void)
{
    (void)sn_create(&restarter, NULL);
}

static void a_pool_goes_down_with_its_node(void **unused)
{
    struct sn_test test = {.name = "kept", .run = run_kept};

    (void)unused;

    assert_non_null(strstr(flow_failure(&test), "the pool kept went down with its node"));
}

static void wait_in_machine(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_pool_wait(sn_pool_submit(sn_pool_new("pool", 1), add_quietly, sn_alloc(4)), SECOND);
}

static const struct sn_state misusing = {.name = "Misusing", .entry = wait_in_machine};
static const struct sn_machine misuser = {.name = "Misuser", .start = &misusing};

static void run_misuse(void)
{
    (void)sn_create(&misuser, NULL);
}

static void a_machine_that_waits_for_a_job_is_told_that_it_cannot(void **unused)
{
    struct sn_test test = flow_test(run_misuse);

    (void)unused;

    assert_non_null(strstr(flow_failure(&test), "sn_pool_wait may only be called by a process"));
}

static void run_nameless(void)
{
    (void)sn_task(NULL, add_quietly, NULL);
}

static void a_task_without_a_name_is_refused(void **unused)
{
    struct sn_test test = flow_test(run_nameless);

    (void)unused;

    assert_non_null(strstr(flow_failure(&test), "sn_task needs a name and a function"));
}

/* ---- Callbacks and loops of poll ------------------------------------------------------------ */

static void do_nothing(struct sn_work *work)
{
    (void)work;
    sn_yield();
}

static void tell_after(struct sn_work *work, int status)
{
    (void)work;
    tell("after%d ", status);
}

static bool poll_in(int fd, int timeout_ms)
{
    struct pollfd asked = {.fd = fd, .events = POLLIN};

    return poll(&asked, 1, timeout_ms) == 1 && asked.revents == POLLIN;
}

static bool select_in(int fd, int timeout_ms)
{
    struct timeval timeout = {.tv_sec = timeout_ms / 1000};
    fd_set set;

    FD_ZERO(&set);
    FD_SET(fd, &set);
    return select(fd + 1, &set, NULL, NULL, timeout_ms < 0 ? NULL : &timeout) == 1;
}

static bool epoll_in(int fd, int timeout_ms)
{
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(0);
    bool is_in;

    (void)epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    is_in = epoll_wait(epoll, &event, 1, timeout_ms) == 1;
    (void)close(epoll);
    return is_in;
}

/* As a loop of libuv's does, which is told of work by a descriptor. */
static void loop_by(bool (*is_in)(int fd, int timeout_ms))
{
    struct sn_work *work = sn_alloc(sizeof(*work));
    int fd = sn_posted_fd();

    sn_assert(fd >= 0 && sn_posted_fd() == fd && !is_in(fd, 0));
    sn_assert(sn_queue_work(NULL, work, do_nothing, tell_after) == 0);
    sn_assert(is_in(fd, -1) && is_in(fd, 0));
    sn_assert(sn_posted_wait(0) && !sn_posted_wait(0));
    tell("%s", is_in(fd, 2000) ? "again" : "quiet");
}

static void loop_by_poll(const void *payload)
{
    (void)payload;
    loop_by(poll_in);
}

static void loop_by_select(const void *payload)
{
    (void)payload;
    loop_by(select_in);
}

static void loop_by_epoll(const void *payload)
{
    (void)payload;
    loop_by(epoll_in);
}

static const struct sn_process poll_loop = {.name = "Poll", .run = loop_by_poll};
static const struct sn_process select_loop = {.name = "Select", .run = loop_by_select};
static const struct sn_process epoll_loop = {.name = "Epoll", .run = loop_by_epoll};

static void run_poll_loop(void)
{
    story_begin();
    (void)sn_spawn(&poll_loop, NULL);
}

static void run_select_loop(void)
{
    story_begin();
    (void)sn_spawn(&select_loop, NULL);
}

static void run_epoll_loop(void)
{
    story_begin();
    (void)sn_spawn(&epoll_loop, NULL);
}

static void a_loop_of_poll_select_or_epoll_is_woken_by_what_is_posted(void **unused)
{
    struct sn_test by_poll = flow_test(run_poll_loop);
    struct sn_test by_select = flow_test(run_select_loop);
    struct sn_test by_epoll = flow_test(run_epoll_loop);

    (void)unused;

    assert_string_equal(flow_stories(&by_poll), "after0 quiet");
    assert_string_equal(flow_stories(&by_select), "after0 quiet");
    assert_string_equal(flow_stories(&by_epoll), "after0 quiet");
}

static void take_two_by_poll(const void *payload)
{
    (void)payload;
    for (int n = 0; n < 2; n++) {
        sn_assert(poll_in(sn_posted_fd(), n == 0 ? -1 : 1000));
        sn_assert(sn_posted_wait(0));
    }
}

static const struct sn_process polling_taker = {.name = "Taker", .run = take_two_by_poll};

static void run_post_to_loop(void)
{
    sn_id to;

    story_begin();
    to = sn_spawn(&polling_taker, NULL);
    (void)sn_spawn(&poster, &to);
}

static void a_loop_of_poll_is_woken_by_whoever_posts(void **unused)
{
    struct sn_test test = flow_test(run_post_to_loop);

    (void)unused;

    assert_string_equal(flow_stories(&test), "first1 second2 ");
}

/* ---- Callbacks that nobody takes ------------------------------------------------------------- */

static void ignore_message(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    (void)bytes;
    (void)n;
}

static const struct sn_machine deaf_node = {.name = "Deaf", .on_message = ignore_message};

static void run_deaf_node(void)
{
    sn_post(sn_create(&deaf_node, NULL), "tick", tell_posted, call, 1);
}

static void a_plain_node_that_does_not_take_callbacks_is_noticed(void **unused)
{
    struct sn_test test = flow_test(run_deaf_node);

    (void)unused;

    assert_string_equal(flow_failure(&test),
                        "unhandled: tick was posted to Deaf, whose on_message does not give it to "
                        "sn_posted_take");
}

static void queue_and_return(const void *payload)
{
    struct sn_work *work = sn_alloc(sizeof(*work));

    (void)payload;
    (void)sn_queue_work(NULL, work, do_nothing, tell_after);
}

static void queue_and_sleep(const void *payload)
{
    queue_and_return(payload);
    sn_sleep_ns(SECOND);
}

static void queue_and_serve(const void *payload)
{
    queue_and_return(payload);
    (void)sn_receive_event(&a_event, SN_FOREVER);
}

static const struct sn_process returning = {.name = "Returning", .run = queue_and_return};
static const struct sn_process sleeping = {.name = "Sleeping", .run = queue_and_sleep};
static const struct sn_process serving = {
    .name = "Serving", .run = queue_and_serve, .may_wait = true};

static void run_returning(void)
{
    (void)sn_spawn(&returning, NULL);
}

static void run_sleeping(void)
{
    (void)sn_spawn(&sleeping, NULL);
}

static void run_serving(void)
{
    (void)sn_spawn(&serving, NULL);
}

static void a_process_that_never_asks_for_its_callbacks_is_noticed(void **unused)
{
    struct sn_test after_end = flow_test(run_returning);
    struct sn_test before_end = flow_test(run_sleeping);
    struct sn_test no_end = flow_test(run_serving);
    static const char *const never = ", which never calls sn_posted_wait or sn_posted_fd";

    (void)unused;

    assert_non_null(strstr(flow_failure(&after_end), "unhandled: pool was posted to Returning"));
    assert_non_null(strstr(flow_failure(&before_end), never));
    assert_non_null(strstr(flow_failure(&before_end), "unhandled: pool was posted to Sleeping"));
    assert_non_null(strstr(flow_failure(&no_end), "unhandled: pool was posted to Serving"));
}

/* ---- Pools as a whole ------------------------------------------------------------------------ */

static void count_slowly(void *argument)
{
    sn_sleep_ns(SECOND);
    ++*(int *)argument;
}

static void use_whole_pool(const void *payload)
{
    struct sn_pool *pool = sn_pool_new("pool", 1);
    int *sum = sn_alloc(sizeof(*sum));

    (void)payload;
    (void)sn_pool_submit(pool, count_slowly, sum);
    sn_assert(sn_pool_cancel(sn_pool_submit(pool, count_slowly, sum)));
    tell("%s ", sn_pool_wait_all(pool, SECOND / 2) ? "early" : "late");
    tell("%s ", sn_pool_wait_all(pool, SN_FOREVER) ? "all" : "none");
    tell("%d ", *sum);
    (void)sn_pool_submit(pool, count_slowly, sum);
    sn_pool_close(pool);
    tell("%d", *sum);
}

static const struct sn_process whole_user = {.name = "User", .run = use_whole_pool};

static void run_whole_pool(void)
{
    story_begin();
    (void)sn_spawn(&whole_user, NULL);
}

static void a_process_waits_for_all_jobs_and_closes_the_pool(void **unused)
{
    struct sn_test test = flow_test(run_whole_pool);

    (void)unused;

    assert_string_equal(flow_stories(&test), "late all 1 2");
}

static void submit_too_late(const void *payload)
{
    struct sn_pool *pool = sn_pool_new("pool", 1);

    (void)payload;
    sn_pool_close(pool);
    (void)sn_pool_submit(pool, add_quietly, sn_alloc(4));
}

static const struct sn_process late_user = {.name = "User", .run = submit_too_late};

static void run_too_late(void)
{
    (void)sn_spawn(&late_user, NULL);
}

static void run_close_with_jobs(void)
{
    struct sn_pool *pool = sn_pool_new("pool", 1);

    (void)sn_pool_submit(pool, add_quietly, sn_alloc(4));
    sn_pool_close(pool);
}

static void a_closed_pool_takes_no_jobs_and_only_a_process_waits_for_its_last(void **unused)
{
    struct sn_test late = flow_test(run_too_late);
    struct sn_test left = flow_test(run_close_with_jobs);

    (void)unused;

    assert_string_equal(flow_failure(&late), "usage: sn_pool_submit: the pool pool is closed");
    assert_string_equal(flow_failure(&left), "usage: sn_pool_close: the pool pool has jobs left, "
                                             "and only a process can wait for them");
}

static void queue_again(struct sn_work *work, int status)
{
    int *left = work->data;

    tell("after%d ", status);
    if (--*left > 0)
        sn_assert(sn_queue_work(NULL, work, do_nothing, queue_again) == 0);
}

static void queue_in_turn(const void *payload)
{
    struct sn_work *work = sn_alloc(sizeof(*work));
    int left = 2;

    (void)payload;
    memset(work, 0xa5, sizeof(*work)); /* as memory is that nobody has cleared */
    work->data = &left;
    sn_assert(sn_queue_work(NULL, work, do_nothing, queue_again) == 0);
    while (left > 0)
        sn_assert(sn_posted_wait(SN_FOREVER));
    sn_assert(sn_queue_work(NULL, work, do_nothing, NULL) == 0);
    sn_sleep_ns(SECOND);
    sn_assert(sn_queue_work(NULL, work, do_nothing, NULL) == 0);
}

static void queue_twice(const void *payload)
{
    struct sn_work *work = sn_alloc(sizeof(*work));

    (void)payload;
    (void)sn_queue_work(NULL, work, do_nothing, tell_after);
    sn_sleep_ns(SECOND); /* it is done, but was not called back */
    (void)sn_queue_work(NULL, work, do_nothing, tell_after);
}

static const struct sn_process in_turn = {.name = "InTurn", .run = queue_in_turn};
static const struct sn_process doubling = {.name = "Doubling", .run = queue_twice};

static void run_in_turn(void)
{
    story_begin();
    (void)sn_spawn(&in_turn, NULL);
}

static void run_doubling(void)
{
    story_begin();
    (void)sn_spawn(&doubling, NULL);
}

static void work_can_be_queued_again_only_after_its_last_callback(void **unused)
{
    struct sn_test again = flow_test(run_in_turn);
    struct sn_test twice = flow_test(run_doubling);

    (void)unused;

    assert_string_equal(flow_stories(&again), "after0 after0 ");
    assert_string_equal(flow_failure(&twice), "usage: sn_queue_work: the work is queued already, "
                                              "and was not called back for the last time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_is_called_back_in_operations_of_its_own),
        cmocka_unit_test(a_plain_node_tells_callbacks_from_bytes),
        cmocka_unit_test(a_process_waits_for_callbacks_and_leaves_other_messages),
        cmocka_unit_test(steps_of_tasks_of_one_machine_come_in_any_order),
        cmocka_unit_test(a_task_races_with_the_machine_that_started_it),
        cmocka_unit_test(a_process_waits_for_its_tasks_in_virtual_time),
        cmocka_unit_test(a_deadlock_names_what_is_waited_for),
        cmocka_unit_test(a_coroutine_of_a_component_runs_as_a_task_of_its_own),
        cmocka_unit_test(a_pool_of_one_runs_jobs_one_after_the_other),
        cmocka_unit_test(a_pool_of_two_runs_two_jobs_at_a_time),
        cmocka_unit_test(a_process_submits_waits_and_takes_back_what_no_thread_has_taken),
        cmocka_unit_test(work_runs_as_a_task_and_the_callback_after_it_as_an_operation),
        cmocka_unit_test(work_is_cancelled_only_before_a_thread_takes_it),
        cmocka_unit_test(the_next_work_of_one_thread_may_run_before_the_callback_of_the_last),
        cmocka_unit_test(a_pool_goes_down_with_its_node),
        cmocka_unit_test(a_machine_that_waits_for_a_job_is_told_that_it_cannot),
        cmocka_unit_test(a_task_without_a_name_is_refused),
        cmocka_unit_test(work_can_be_queued_again_only_after_its_last_callback),
        cmocka_unit_test(a_closed_pool_takes_no_jobs_and_only_a_process_waits_for_its_last),
        cmocka_unit_test(a_process_waits_for_all_jobs_and_closes_the_pool),
        cmocka_unit_test(a_process_that_never_asks_for_its_callbacks_is_noticed),
        cmocka_unit_test(a_loop_of_poll_is_woken_by_whoever_posts),
        cmocka_unit_test(a_plain_node_that_does_not_take_callbacks_is_noticed),
        cmocka_unit_test(a_loop_of_poll_select_or_epoll_is_woken_by_what_is_posted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
