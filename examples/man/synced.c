/* synced.c - sn_sync_test: two nodes whose synchroniser is one variable, so they never differ.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

static uint32_t contents; /* of the file, on both nodes */

static int start(void *self, uint32_t n_nodes)
{
    (void)self;
    (void)n_nodes;
    contents = 0;
    return 0;
}

static int stop(void *self)
{
    (void)self;
    return 0;
}

static int read_file(void *self, uint32_t node, uint32_t file, uint32_t *value)
{
    (void)self;
    (void)node;
    (void)file;
    *value = contents;
    return 0;
}

static int write_file(void *self, uint32_t node, uint32_t file, uint32_t value, uint32_t *old)
{
    (void)self;
    (void)node;
    (void)file;
    *old = contents;
    contents = value;
    return 0;
}

static int look(void *self, uint32_t node, uint32_t file, struct sn_sync_seen *seen)
{
    seen->conflicts = 0;
    return read_file(self, node, file, &seen->value);
}

static int sleep_ns(void *self, uint64_t ns)
{
    (void)self;
    (void)ns;
    return 0;
}

static int settle(void *self, uint64_t ns_max, bool *is_idle)
{
    *is_idle = true;
    return sleep_ns(self, ns_max);
}

static const struct sn_sync_driver driver = {
    .name = "variable",
    .start = start,
    .stop = stop,
    .read = read_file,
    .write = write_file,
    .look = look,
    .sleep = sleep_ns,
    .settle = settle,
};

static void use(const void *payload)
{
    (void)payload;
    sn_sync_test(&driver, NULL, NULL);
}

static const struct sn_process user = {.name = "User", .run = use};

static void run(void)
{
    sn_spawn(&user, NULL);
}

static const struct sn_test tests[] = {{.name = "synced", .run = run}, {0}};
static const struct sn_suite suite = {.name = "synced", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
