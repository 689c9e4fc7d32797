/* log_tests.c - a writer appends to a log on two devices. SPDX-License-Identifier: MIT */
#include "op_log.h"
#include "tests.h"

#include <sennit/sennit.h>

enum { TEXT_MAX = 256 };

static struct op_log phone;
static struct op_log desk;

static void print_log(struct sn_text *out, const void *log)
{
    char text[TEXT_MAX];

    (void)op_log_print(log, text, sizeof(text));
    sn_print(out, "%s", text);
}

static void start(void)
{
    struct op_log_config config = {
        .writer = 7,
        .ignores_devices = bug_identity,
        .clock_saturates = bug_clock,
    };

    config.device = 1;
    op_log_init(&phone, &config);
    config.device = 2;
    op_log_init(&desk, &config);
    sn_replica(&phone, "phone", print_log);
    sn_replica(&desk, "desk", print_log);
}

/* The devices join each other's logs. */
void log_run(void)
{
    start();
    begin_events(SN_EXPECT_CONVERGENCE | SN_EXPECT_IDEMPOTENCE, NULL);
    (void)op_log_append(&phone, "p1");
    (void)op_log_append(&desk, "d1");
    op_log_apply(&desk, op_log_make(&phone));
    (void)op_log_append(&desk, "d2");
    op_log_apply(&phone, op_log_make(&desk));
    sn_events_end(NULL);
}

/* The clock of the phone is where a number of JavaScript ends. The desk gets its entries one by
 * one. */
void clock_run(void)
{
    struct op_log_message *first;
    struct op_log_message *second;

    start();
    (void)op_log_set_clock(&phone, UINT64_C(1) << 53);
    begin_events(SN_EXPECT_CONVERGENCE | SN_EXPECT_IDEMPOTENCE, NULL);
    first = op_log_append(&phone, "p1");
    second = op_log_append(&phone, "p2");
    op_log_deliver(&desk, first);
    op_log_deliver(&desk, second);
    op_log_deliver(&phone, op_log_append(&desk, "d1"));
    sn_events_end(NULL);
}
