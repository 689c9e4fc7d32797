/* connections.c - sn_spawn_on, sn_whereis_on, sn_send_name_on, sn_node_disconnect, sn_node_connect
 * and sn_monitor_node: processes on nodes that lose each other. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

static const struct sn_event hello = {.name = "Hello"};

struct nodes {
    sn_node near;
    sn_node far;
};

static const struct sn_event birth = {.name = "Birth", .size = sizeof(struct nodes)};

static void listen(const void *payload)
{
    (void)payload;
    for (;;)
        (void)sn_receive_event(&hello, SN_FOREVER);
}

static const struct sn_process listener = {.name = "Listener", .run = listen, .may_wait = true};

static void look(const void *payload)
{
    const struct nodes *n = payload;

    sn_monitor_node(n->far, true);
    sn_assert(sn_whereis_on(n->far, "ear") != SN_NOBODY);
    sn_node_disconnect(n->near, n->far);
    (void)sn_receive_event(&sn_node_down, SN_FOREVER);
    sn_assert(sn_whereis_on(n->far, "ear") == SN_NOBODY);
    sn_send_name_on(n->far, "ear", &hello, NULL); /* lost */
    sn_node_connect(n->near, n->far);
    (void)sn_receive_event(&sn_node_up, SN_FOREVER);
    sn_send_name_on(n->far, "ear", &hello, NULL);
}

static const struct sn_process looker = {.name = "Looker", .run = look, .birth = &birth};

static void run(void)
{
    struct nodes n;

    n.near = sn_node_new("near");
    n.far = sn_node_new("far");
    sn_assert(sn_register("ear", sn_spawn_on(n.far, &listener, NULL)));
    (void)sn_spawn_on(n.near, &looker, &n);
}

static const struct sn_test tests[] = {{.name = "connections", .run = run}, {0}};
static const struct sn_suite suite = {.name = "connections", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
