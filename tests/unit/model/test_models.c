/* test_models.c - the client with retries and the sets of faults of sennit/oracles.h.
 * SPDX-License-Identifier: MIT
 */
#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { REQUESTS = 3 };

/* A server that counts what it is asked, or sends whoever asks to another one. */
struct server {
    sn_id elsewhere;
    uint64_t count;
};

static const struct sn_event birth_event = {.name = "Birth", .size = sizeof(sn_id)};

static void on_birth(void *self, const void *payload)
{
    ((struct server *)self)->elsewhere = *(const sn_id *)payload;
}

static void on_request(void *self, const void *payload)
{
    struct server *s = self;
    const struct sn_request *request = payload;

    sn_send(request->client, &sn_reply_event,
            &(struct sn_reply){request->number, ++s->count, s->elsewhere});
}

static const struct sn_state serving = {
    .name = "Serving",
    .entry = on_birth,
    .on = (const struct sn_on[]){{.event = &sn_request_event, .run = on_request}, {0}},
};

static const struct sn_machine server_machine = {
    .name = "Server", .size = sizeof(struct server), .start = &serving, .birth = &birth_event};

static void make(void *context, struct sn_request *request)
{
    (void)context;
    seen->count[0]++;
    request->value = request->number * 10;
}

static void done(void *context, const struct sn_request *request, const struct sn_reply *reply)
{
    (void)context;
    sn_assert(request->value == request->number * 10);
    observe("%llu:%s ", (unsigned long long)request->number, reply != NULL ? "done" : "gave-up");
}

/* A client on a node of its own and a server on another. */
static void create(sn_id elsewhere, uint32_t max_tries)
{
    sn_node server_node = sn_node_new("server");
    sn_node client_node = sn_node_new("client");
    struct sn_client plan = {
        .n_servers = 1, .n_requests = REQUESTS, .max_tries = max_tries, .make = make, .done = done};

    plan.servers[0] = sn_create_on(server_node, &server_machine, &elsewhere);
    sn_node_never_crash(client_node);
    (void)sn_create_on(client_node, &sn_client_machine, &plan);
}

static void run_plain(void)
{
    create(SN_NOBODY, 0);
}

static void a_client_makes_one_request_after_another(void **unused)
{
    const struct sn_test test = {.name = "plain", .run = run_plain, .must_end = true};

    (void)unused;
    observe_clear();

    assert_string_equal(run_test_once(&test).failure, "");
    assert_string_equal(seen->text, "1:done 2:done 3:done ");
}

/* Every way of losing, doubling and delaying one message each. */
static const struct sn_faults one_of_each = {
    .drops = 1, .duplicates = 1, .delays = 1, .horizon = 1};

static void a_client_gets_its_answers_whatever_the_network_does(void **unused)
{
    const struct sn_test test = {.name = "lossy",
                                 .run = run_plain,
                                 .must_end = true,
                                 .world = SN_WORLD_TRIAL,
                                 .faults = &one_of_each};
    const struct sn_options options = {.iterations = 2000};
    struct sn_result r;

    (void)unused;
    observe_clear();

    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_string_equal(r.failure, "");
    assert_int_equal(r.cut, 0);
    /* A request is made once, however often it is sent. */
    assert_int_equal(seen->count[0], REQUESTS * r.trials);
}

static void cut_off_for_ever(void)
{
    create(SN_NOBODY, 4);
    sn_cut(1);
}

static void a_client_gives_up_after_max_tries(void **unused)
{
    const struct sn_test test = {.name = "cut", .run = cut_off_for_ever, .must_end = true};

    (void)unused;
    observe_clear();

    assert_string_equal(run_test_once(&test).failure, "");
    assert_string_equal(seen->text, "1:gave-up 2:gave-up 3:gave-up ");
}

static void run_redirected(void)
{
    sn_id leader = sn_create(&server_machine, &(sn_id){SN_NOBODY});

    create(leader, 2);
}

static void a_client_asks_whom_the_reply_names(void **unused)
{
    const struct sn_test test = {.name = "redirected", .run = run_redirected, .must_end = true};

    (void)unused;
    observe_clear();

    assert_string_equal(run_test_once(&test).failure, "");
    assert_string_equal(seen->text, "1:done 2:done 3:done ");
}

/* ---- Sets of faults ------------------------------------------------------------------------- */

static struct sn_result weather(const struct sn_faults *faults)
{
    const struct sn_test test = {.name = "weather",
                                 .run = run_plain,
                                 .must_end = true,
                                 .world = SN_WORLD_TRIAL,
                                 .faults = faults};
    const struct sn_options options = {.iterations = 2000};
    struct sn_result r;

    observe_clear();
    if (sn_run(&test, &options, &r) < 0)
        r.failures = 999;
    return r;
}

static void a_client_survives_a_lossy_network(void **unused)
{
    (void)unused;
    assert_string_equal(weather(&sn_lossy_network).failure, "");
}

static void a_client_survives_a_split_network(void **unused)
{
    (void)unused;
    assert_string_equal(weather(&sn_split_network).failure, "");
}

static void a_client_survives_a_flaky_disk(void **unused)
{
    (void)unused;
    assert_string_equal(weather(&sn_flaky_disk).failure, "");
}

static void a_client_survives_rough_weather(void **unused)
{
    (void)unused;
    assert_string_equal(weather(&sn_rough_weather).failure, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_makes_one_request_after_another),
        cmocka_unit_test(a_client_gets_its_answers_whatever_the_network_does),
        cmocka_unit_test(a_client_gives_up_after_max_tries),
        cmocka_unit_test(a_client_asks_whom_the_reply_names),
        cmocka_unit_test(a_client_survives_a_lossy_network),
        cmocka_unit_test(a_client_survives_a_split_network),
        cmocka_unit_test(a_client_survives_a_flaky_disk),
        cmocka_unit_test(a_client_survives_rough_weather),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
