/* supervisor.c - sn_supervise and sn_foreign: a worker that is started again when it fails.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

static const struct sn_event job = {.name = "Job", .size = sizeof(uint64_t)};
static const struct sn_event result = {.name = "Result", .size = sizeof(uint64_t)};

/* Somebody else's code, which is taken to be deterministic. */
static uint64_t square(void *argument)
{
    return *(uint64_t *)argument * *(uint64_t *)argument;
}

static void work(const void *payload)
{
    (void)payload;
    sn_assert(sn_register("worker", sn_self()));
    for (;;) {
        const struct sn_message *m = sn_receive_event(&job, SN_FOREVER);
        uint64_t n = *(const uint64_t *)m->payload;

        if (n == 0)
            sn_exit("bad job");
        n = sn_foreign("square", square, &n);
        sn_answer(m->from, m->call, &result, &n);
    }
}

static const struct sn_process worker = {.name = "Worker", .run = work, .may_wait = true};
static const struct sn_child children[] = {{.type = &worker, .restart = SN_PERMANENT}, {0}};
static const struct sn_supervisor office = {.name = "Office",
                                            .children = children,
                                            .how = SN_ONE_FOR_ONE,
                                            .max_restarts = 3,
                                            .within_ns = 1000000000};

static void order(const void *payload)
{
    enum sn_call_result how;
    const struct sn_message *m;
    uint64_t n = 0;

    (void)payload;
    (void)sn_supervise(&office);
    sn_sleep_ns(1); /* the worker is there */
    (void)sn_call_name("worker", &job, &n, SN_FOREVER, &how);
    sn_assert(how == SN_CALL_DOWN);
    sn_sleep_ns(1); /* and is there again */
    n = 7;
    m = sn_call_name("worker", &job, &n, SN_FOREVER, NULL);
    sn_assert(m != NULL && *(const uint64_t *)m->payload == 49);
    sn_exit(SN_SHUTDOWN); /* the office is linked to it, and ends with it */
}

static const struct sn_process boss = {.name = "Boss", .run = order};

static void run(void)
{
    sn_spawn(&boss, NULL);
}

static const struct sn_test tests[] = {{.name = "supervisor", .run = run}, {0}};
static const struct sn_suite suite = {.name = "supervisor", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
