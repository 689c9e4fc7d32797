/* backup.c - a register with a backup that lags behind: what a client reads can go back in time.
 *
 * Shows the building blocks of sennit/oracles.h: clients with retries, a lossy network, and the
 * oracle for monotone reads. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

enum { WRITE, READ };

struct server {
    sn_id backup; /* SN_NOBODY: this is the backup itself */
    uint64_t version;
};

static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};
static const struct sn_event replicate = {.name = "Replicate", .size = sizeof(uint64_t)};

static void on_birth(void *self, const void *payload)
{
    ((struct server *)self)->backup = *(const sn_id *)payload;
}

static void on_request(void *self, const void *payload)
{
    struct server *s = self;
    const struct sn_request *request = payload;

    if (request->what == WRITE && request->value > s->version) {
        s->version = request->value;
        sn_send(s->backup, &replicate, &s->version);
    }
    sn_send(request->client, &sn_reply_event,
            &(struct sn_reply){.number = request->number, .value = s->version});
}

static void on_replicate(void *self, const void *payload)
{
    ((struct server *)self)->version = *(const uint64_t *)payload;
}

static const struct sn_state serving = {
    .name = "Serving",
    .entry = on_birth,
    .on = (const struct sn_on[]){{.event = &sn_request_event, .run = on_request},
                                 {.event = &replicate, .run = on_replicate},
                                 {0}},
};

static const struct sn_machine server_machine = {
    .name = "Server", .size = sizeof(struct server), .start = &serving, .birth = &birth};

/* ---- Clients -------------------------------------------------------------------------------- */

static void make_write(void *context, struct sn_request *request)
{
    (void)context;
    request->what = WRITE;
    request->value = request->number;
}

static void make_read(void *context, struct sn_request *request)
{
    (void)context;
    request->what = READ;
}

static void read_done(void *context, const struct sn_request *request, const struct sn_reply *reply)
{
    (void)context;
    sn_monitor(&sn_monotone_reads, &sn_read,
               &(struct sn_version){.client = request->client, .version = reply->value});
}

static void run(void)
{
    sn_node nodes[] = {sn_node_new("backup"), sn_node_new("primary"), sn_node_new("writer"),
                       sn_node_new("reader")};
    sn_id backup = sn_create_on(nodes[0], &server_machine, &(sn_id){SN_NOBODY});
    sn_id primary = sn_create_on(nodes[1], &server_machine, &backup);
    struct sn_client writer = {
        .servers = {primary}, .n_servers = 1, .n_requests = 2, .make = make_write};
    struct sn_client reader = {.servers = {primary, backup},
                               .n_servers = 2,
                               .n_requests = 2,
                               .make = make_read,
                               .done = read_done};

    sn_set_name(backup, "backup");
    sn_set_name(primary, "primary");
    sn_set_name(sn_create_on(nodes[2], &sn_client_machine, &writer), "writer");
    sn_set_name(sn_create_on(nodes[3], &sn_client_machine, &reader), "reader");
}

int main(int argc, char **argv)
{
    static const struct sn_machine *const monitors[] = {&sn_monotone_reads, NULL};
    static const struct sn_test tests[] = {{.name = "reads",
                                            .run = run,
                                            .monitors = monitors,
                                            .faults = &sn_lossy_network,
                                            .must_end = true,
                                            .world = SN_WORLD_TRIAL},
                                           {0}};
    static const struct sn_suite suite = {.name = "backup", .tests = tests};

    return sn_main(argc, argv, &suite);
}
