/* test_recording.c - tests of recording.c. SPDX-License-Identifier: MIT */
#include "made_events.h"

#include <sennit/test.h>

static void assert_refused(struct recording *r, const char *sentence)
{
    struct err why = {""};

    assert_int_equal(recording_settle(r, &why), SN_EINVAL);
    assert_string_equal(why.text, sentence);
}

static void a_stamp_is_one_more_than_those_before_it_and_of_its_message(void **unused)
{
    struct recording r;
    static const uint32_t stamps[] = {1, 2, 3, 4, 4, 5, 6};
    struct err why = {""};

    (void)unused;
    made_town(&r);

    assert_int_equal(recording_settle(&r, &why), 0);

    for (uint32_t i = 0; i < r.n; i++)
        assert_int_equal(r.events[i].lamport, stamps[i]);
}

static void a_recording_without_events_is_refused(void **unused)
{
    struct recording r;

    (void)unused;
    made_clear(&r, 1);

    assert_refused(&r, "no events were recorded");
}

static void a_replica_without_a_name_of_its_own_is_refused(void **unused)
{
    struct recording r;

    (void)unused;
    made_town(&r);
    r.replicas[1][0] = 'A';
    assert_refused(&r, "replica 1 has no name of its own");

    r.replicas[0][0] = '\0';
    assert_refused(&r, "replica 0 has no name of its own");
}

static void an_event_without_kind_name_or_replica_is_refused(void **unused)
{
    struct recording r;

    (void)unused;
    made_town(&r);
    r.events[2].kind = 0;
    assert_refused(&r, "event 2 is of no kind");

    r.events[2].kind = SN_EVENT_DELIVER + 1;
    assert_refused(&r, "event 2 is of no kind");

    made_town(&r);
    r.events[2].op[0] = '\0';
    assert_refused(&r, "event 2 has no name");

    made_town(&r);
    r.events[6].replica = 2;
    assert_refused(&r, "event 6 is at a replica that there is not");

    made_town(&r);
    r.events[6].peer = 2;
    assert_refused(&r, "event 6 is at a replica that there is not");
}

static void a_request_for_itself_is_refused(void **unused)
{
    struct recording r;

    (void)unused;
    made_clear(&r, 2);
    made_request(&r, B, B);

    assert_refused(&r, "event 0 is a request of B for itself");
}

static void a_message_that_nothing_before_it_has_made_is_refused(void **unused)
{
    struct recording r;

    (void)unused;
    made_town(&r);
    r.events[1].of = 1;
    assert_refused(&r, "event 1 applies what event 1 makes, which comes later");

    r.events[1].of = 4;
    assert_refused(&r, "event 1 applies what event 4 makes, which comes later");

    made_town(&r);
    r.events[3].of = 1;
    assert_refused(&r, "event 3 applies what event 1 makes, which is no update");

    made_town(&r);
    r.events[3].kind = SN_EVENT_EXECUTE;
    assert_refused(&r, "event 3 applies what event 2 makes, which is no request");

    made_town(&r);
    r.events[3].peer = A;
    assert_refused(&r, "event 3 applies what event 2 makes, but not on the way from A to A");
}

static void an_event_is_shown_with_its_arguments_and_its_link(void **unused)
{
    struct recording r;
    struct sn_text out;
    char text[256];
    static const uint8_t order[] = {2, 0, 1};

    (void)unused;
    made_clear(&r, 2);
    made_update(&r, A);
    made_request(&r, A, B);
    made_apply(&r, 1, B);
    (void)snprintf(r.events[0].args, sizeof(r.events[0].args), "\"otb\"");

    text_init(&out, text, sizeof(text));
    for (uint32_t i = 0; i < 3; i++) {
        recording_print_event(&r, i, &out);
        text_putc(&out, '\n');
    }
    recording_print_order(order, 3, &out);

    assert_string_equal(text, "op0(\"otb\") at A\nop1() for B at A\nop2() from A at B\n2 0 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stamp_is_one_more_than_those_before_it_and_of_its_message),
        cmocka_unit_test(a_recording_without_events_is_refused),
        cmocka_unit_test(a_replica_without_a_name_of_its_own_is_refused),
        cmocka_unit_test(an_event_without_kind_name_or_replica_is_refused),
        cmocka_unit_test(a_request_for_itself_is_refused),
        cmocka_unit_test(a_message_that_nothing_before_it_has_made_is_refused),
        cmocka_unit_test(an_event_is_shown_with_its_arguments_and_its_link),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
