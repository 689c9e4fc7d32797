/* tasks.c - sn_task, sn_task_wait, sn_post, sn_posted_run, sn_posted_take, sn_posted_wait and
 * sn_posted_fd: work that runs beside its component, and callbacks that come back.
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <sennit/sennit.h>

static sn_id shop_id;

struct shop {
    int sold;
};

/* A machine is called back in one of its steps. */
static void on_sold(void *argument, int64_t result)
{
    struct shop *shop = argument;

    shop->sold += (int)result;
}

/* Runs as a task of the shop, whose memory it shares. */
static void sell(void *argument)
{
    sn_sleep_ns(1000000);
    sn_post(shop_id, "sold", on_sold, argument, 2);
}

static void open_shop(void *self, const void *payload)
{
    (void)payload;
    (void)sn_task("seller", sell, self);
}

static const struct sn_state selling = {
    .name = "Selling",
    .entry = open_shop,
    .on = (const struct sn_on[]){{.event = &sn_posted, .run = sn_posted_run}, {0}},
};
static const struct sn_machine shop = {
    .name = "Shop", .size = sizeof(struct shop), .start = &selling};

/* A plain node looks whether a message is a callback. */
static void on_message(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    sn_assert(sn_posted_take(bytes, n));
}

static const struct sn_machine plain = {.name = "Plain", .on_message = on_message};

static void count(void *argument, int64_t result)
{
    *(int64_t *)argument += result;
}

static void work(void *argument)
{
    sn_post(*(const sn_id *)argument, "done", count, sn_alloc(sizeof(int64_t)), 1);
}

/* A process waits for its tasks, and for callbacks. */
static void manage(const void *payload)
{
    static int64_t sum;
    sn_id other = *(const sn_id *)payload;
    sn_id task = sn_task("worker", work, &other);

    sn_post(sn_self(), "note", count, &sum, 5);
    sn_assert(sn_task_wait(task, SN_FOREVER));
    sn_assert(sn_posted_wait(1000) && sum == 5);
    sn_post(sn_self(), "note", count, &sum, 5);
    sn_assert(poll(&(struct pollfd){.fd = sn_posted_fd(), .events = POLLIN}, 1, -1) == 1);
    sn_assert(sn_posted_wait(0) && sum == 10);
}

static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};
static const struct sn_process manager = {.name = "Manager", .run = manage, .birth = &birth};

static void run(void)
{
    sn_id to;

    shop_id = sn_create(&shop, NULL);
    to = sn_create(&plain, NULL);
    (void)sn_spawn(&manager, &to);
}

static const struct sn_test tests[] = {{.name = "shop", .run = run}, {0}};
static const struct sn_suite suite = {.name = "tasks", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
