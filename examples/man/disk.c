/* disk.c - sn_disk_write, sn_disk_append, sn_disk_truncate, sn_disk_rename, sn_disk_remove,
 * sn_disk_sync, sn_disk_read and sn_disk_size: a file that is replaced, crash or no crash.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <string.h>

/* Writes a new version beside the old one, and only when it is durable gives it the name. */
static void replace(const char *text)
{
    sn_assert(sn_disk_truncate("new", 0) == 0);
    sn_assert(sn_disk_append("new", "v:", 2) >= 0);
    sn_assert(sn_disk_write("new", 2, text, strlen(text)) >= 0);
    sn_assert(sn_disk_sync("new") == 0);
    sn_assert(sn_disk_rename("new", "config") == 0);
    sn_assert(sn_disk_sync(NULL) == 0);
}

/* The first step, and the first after each crash. */
static void boot(void *self, const void *payload)
{
    char text[8] = "";
    int64_t n;

    (void)self;
    (void)payload;
    if (sn_disk_size("new") >= 0)
        sn_assert(sn_disk_remove("new") == 0); /* what a crash has left unfinished */
    if (sn_disk_size("config") < 0)
        replace("one");
    n = sn_disk_read("config", 0, text, sizeof(text) - 1);
    sn_assertf(n == 5 && (strcmp(text, "v:one") == 0 || strcmp(text, "v:two") == 0),
               "config is torn: %s", text);
    replace("two");
}

static const struct sn_state running = {.name = "Running", .entry = boot};
static const struct sn_machine server = {.name = "Server", .start = &running};

static void run(void)
{
    sn_create_on(sn_node_new("node"), &server, NULL);
}

static const struct sn_faults faults = {.crashes = 2, .down_ns = 1000000000};
static const struct sn_test tests[] = {{.name = "disk", .run = run, .faults = &faults}, {0}};
static const struct sn_suite suite = {.name = "disk", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
