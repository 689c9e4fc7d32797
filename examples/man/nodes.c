/* nodes.c - sn_node_new, sn_create_on, sn_node_of, sn_node_is_up, sn_node_name,
 * sn_node_never_crash, sn_node_stop, sn_node_crash and sn_node_restart: nodes that go and come.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

static const struct sn_event work = {.name = "Work"};
static const struct sn_state working = {
    .name = "Working", .on = (const struct sn_on[]){{.event = &work, .ignore = true}, {0}}};
static const struct sn_machine worker = {.name = "Worker", .start = &working};

/* The operator is on a node of its own, which faults leave alone. */
static void operate(void *self, const void *payload)
{
    sn_id machine = *(const sn_id *)payload;
    sn_node node = sn_node_of(machine);

    (void)self;
    sn_send(machine, &work, NULL);
    if (sn_maybe("power cut"))
        sn_node_crash(node); /* what was not synced to its disk may be lost */
    else
        sn_node_stop(node); /* in an orderly way */
    sn_assertf(!sn_node_is_up(node), "%s should be down", sn_node_name(node));
    sn_node_restart(node); /* the worker, its resident, is born again with the same id */
    sn_assert(sn_node_is_up(node));
    sn_send(machine, &work, NULL);
}

static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};
static const struct sn_state operating = {.name = "Operating", .entry = operate};
static const struct sn_machine boss = {.name = "Operator", .start = &operating, .birth = &birth};

static void run(void)
{
    sn_node far = sn_node_new("rack%d", 7);
    sn_node near = sn_node_new("desk");
    sn_id machine = sn_create_on(far, &worker, NULL);

    sn_node_never_crash(near);
    sn_create_on(near, &boss, &machine);
}

static const struct sn_faults faults = {.crashes = 1, .down_ns = 1000000000};
static const struct sn_test tests[] = {{.name = "nodes", .run = run, .faults = &faults}, {0}};
static const struct sn_suite suite = {.name = "nodes", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
