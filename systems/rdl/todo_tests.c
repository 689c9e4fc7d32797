/* todo_tests.c - two people write a to-do list. SPDX-License-Identifier: MIT */
#include "tests.h"
#include "todo.h"

#include <sennit/sennit.h>

enum { TEXT_MAX = 1024 };

static struct todo a;
static struct todo b;

static void print_todo(struct sn_text *out, const void *list)
{
    char text[TEXT_MAX];

    (void)todo_print(list, text, sizeof(text));
    sn_print(out, "%s", text);
}

void todo_run(void)
{
    todo_init(&a, &(struct todo_config){.replica = 1, .counts_ids = bug_sequential});
    todo_init(&b, &(struct todo_config){.replica = 2, .counts_ids = bug_sequential});
    sn_replica(&a, "A", print_todo);
    sn_replica(&b, "B", print_todo);

    begin_events(SN_EXPECT_CONVERGENCE | SN_EXPECT_IDEMPOTENCE | SN_EXPECT_UNIQUE_RESULTS, NULL);
    (void)todo_create(&a, "buy milk");
    todo_apply(&b, todo_make(&a));
    (void)todo_create(&b, "call mother");
    todo_apply(&a, todo_make(&b));
    (void)todo_create(&a, "sleep");
    sn_events_end(NULL);
}
