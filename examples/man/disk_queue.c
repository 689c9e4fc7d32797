/* disk_queue.c - sn_disk_queue_new and sn_disk_submit: a disk that answers later.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <string.h>

struct keeper {
    sn_id queue;
    char note[8];
    char found[8];
};

static void on_read(void *argument, int64_t result)
{
    const struct keeper *keeper = argument;

    sn_assert(result == 4 && strcmp(keeper->found, "note") == 0);
}

/* What was written can be read, once it was. */
static void on_written(void *argument, int64_t result)
{
    struct keeper *keeper = argument;

    sn_assert(result == 0);
    sn_disk_submit(keeper->queue, &(struct sn_disk_io){.verb = SN_DISK_READ,
                                                       .file = "notes",
                                                       .bytes = keeper->found,
                                                       .n = sizeof(keeper->found),
                                                       .done = on_read,
                                                       .argument = keeper});
}

static void begin(void *self, const void *payload)
{
    struct keeper *keeper = self;

    (void)payload;
    memcpy(keeper->note, "note", 4);
    keeper->queue = sn_disk_queue_new(false);
    sn_disk_submit(keeper->queue, &(struct sn_disk_io){.verb = SN_DISK_APPEND,
                                                       .file = "notes",
                                                       .bytes = keeper->note,
                                                       .n = 4,
                                                       .done = on_written,
                                                       .argument = keeper});
}

static const struct sn_state keeping = {
    .name = "Keeping",
    .entry = begin,
    .on = (const struct sn_on[]){{.event = &sn_posted, .run = sn_posted_run}, {0}},
};
static const struct sn_machine keeper_machine = {
    .name = "Keeper", .size = sizeof(struct keeper), .start = &keeping};

static void run(void)
{
    (void)sn_create_on(sn_node_new("n1"), &keeper_machine, NULL);
}

static const struct sn_test tests[] = {{.name = "notes", .run = run}, {0}};
static const struct sn_suite suite = {.name = "disk_queue", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
