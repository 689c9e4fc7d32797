/* calls.c - sn_register, sn_unregister, sn_whereis, sn_send_name, sn_call, sn_call_name and
 * sn_answer: a server that is known by its name. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

static const struct sn_event add = {.name = "Add", .size = sizeof(int)};
static const struct sn_event get = {.name = "Get"};
static const struct sn_event sum = {.name = "Sum", .size = sizeof(int)};

static void serve(const void *payload)
{
    int total = 0;

    (void)payload;
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

        if (m->event == &add)
            total += *(const int *)m->payload;
        else
            sn_answer(m->from, m->call, &sum, &total);
    }
}

static const struct sn_process counter = {.name = "Counter", .run = serve, .may_wait = true};

static void use(const void *payload)
{
    const struct sn_message *m;
    enum sn_call_result how;

    (void)payload;
    sn_send_name("counter", &add, &(int){2});
    sn_send_name("counter", &add, &(int){3});
    m = sn_call_name("counter", &get, NULL, SN_FOREVER, &how);
    sn_assert(how == SN_CALL_ANSWERED && *(const int *)m->payload == 5);
    m = sn_call(sn_whereis("counter"), &get, NULL, 1000000000, NULL);
    sn_assert(m != NULL);

    sn_assert(sn_unregister("counter"));
    sn_send_name("counter", &add, &(int){4}); /* lost */
    sn_assert(sn_call_name("counter", &get, NULL, SN_FOREVER, &how) == NULL);
    sn_assert(how == SN_CALL_DOWN);
}

static const struct sn_process user = {.name = "User", .run = use};

static void run(void)
{
    sn_assert(sn_register("counter", sn_spawn(&counter, NULL)));
    sn_spawn(&user, NULL);
}

static const struct sn_test tests[] = {{.name = "calls", .run = run}, {0}};
static const struct sn_suite suite = {.name = "calls", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
