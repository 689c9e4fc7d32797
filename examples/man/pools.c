/* pools.c - sn_pool_new, sn_pool_submit, sn_pool_wait, sn_pool_cancel, sn_pool_wait_all,
 * sn_pool_close, sn_queue_work and sn_work_cancel: thread pools, and work as libuv has it.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <sennit/sennit.h>

static void add(void *argument)
{
    ++*(int *)argument;
}

/* Code in blocking style submits and waits. */
static void use_pool(const void *payload)
{
    struct sn_pool *pool = sn_pool_new("pool", 1);
    int *sum = sn_alloc(sizeof(*sum));
    struct sn_job *first = sn_pool_submit(pool, add, sum);
    struct sn_job *second = sn_pool_submit(pool, add, sum);
    bool is_cancelled = sn_pool_cancel(second);

    (void)payload;
    sn_assert(sn_pool_wait(first, SN_FOREVER));
    sn_assert(sn_pool_wait(second, SN_FOREVER) != is_cancelled);
    sn_assert(*sum == (is_cancelled ? 1 : 2));
    (void)sn_pool_submit(pool, add, sum);
    sn_assert(sn_pool_wait_all(pool, SN_FOREVER));
    sn_pool_close(pool); /* has nothing to wait for */
    sn_assert(*sum == (is_cancelled ? 2 : 3));
}

static const struct sn_process user = {.name = "User", .run = use_pool};

/* A machine is the loop to which work comes back. */
struct loop {
    struct sn_work work;
    bool is_done;
};

static void compress(struct sn_work *work)
{
    ((struct loop *)work->data)->is_done = true;
}

static void after(struct sn_work *work, int status)
{
    sn_assert(status == 0 || status == -ECANCELED);
    sn_assert(((struct loop *)work->data)->is_done == (status == 0));
}

static void begin(void *self, const void *payload)
{
    struct loop *loop = self;

    (void)payload;
    loop->work.data = loop;
    sn_assert(sn_queue_work(NULL, &loop->work, compress, after) == 0);
    if (sn_maybe("cancel"))
        sn_assert(sn_work_cancel(&loop->work) == 0); /* no thread can have taken it yet */
}

static const struct sn_state looping = {
    .name = "Looping",
    .entry = begin,
    .on = (const struct sn_on[]){{.event = &sn_posted, .run = sn_posted_run}, {0}},
};
static const struct sn_machine loop = {
    .name = "Loop", .size = sizeof(struct loop), .start = &looping};

static void run(void)
{
    (void)sn_spawn(&user, NULL);
    (void)sn_create(&loop, NULL);
}

static const struct sn_test tests[] = {{.name = "pools", .run = run}, {0}};
static const struct sn_suite suite = {.name = "pools", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
