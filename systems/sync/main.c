/* main.c - the tests of the simulated synchroniser. SPDX-License-Identifier: MIT */
#include "simulated.h"

#include <sennit/sennit.h>

/* Of virtual time, that a stabilization may take: all is calm when any has passed. */
#define SETTLE_NS UINT64_C(20000000)

static uint64_t n_nodes = 3;
static uint64_t n_files = 1;
static uint64_t n_values = 3;
static uint64_t n_commands = 12;
static const char *rules = "fixed";

/* ---- One file, and all that can be done ----------------------------------------------------- */

static void use(const struct sn_sync_options *options)
{
    void *self;
    const struct sn_sync_driver *driver = sync_simulated(&self);

    sn_sync_test(driver, self, options);
}

static struct sn_sync_options options_given(void)
{
    return (struct sn_sync_options){
        .n_nodes = (uint32_t)n_nodes,
        .n_files = (uint32_t)n_files,
        .n_values = (uint32_t)n_values,
        .n_commands = (uint32_t)n_commands,
        .settle_ns = SETTLE_NS,
        .rules = rules,
    };
}

static void use_file(const void *payload)
{
    struct sn_sync_options options = options_given();

    (void)payload;
    use(&options);
}

static void use_directory(const void *payload)
{
    struct sn_sync_options options = options_given();

    (void)payload;
    options.directories = true;
    use(&options);
}

static void use_all(const void *payload)
{
    struct sn_sync_options options = options_given();

    (void)payload;
    options.n_files = n_files > 2 ? (uint32_t)n_files : 2;
    options.directories = true;
    options.renames = true;
    options.kills = true;
    use(&options);
}

static const struct sn_process file_user = {.name = "User", .run = use_file};
static const struct sn_process directory_user = {.name = "User", .run = use_directory};
static const struct sn_process all_user = {.name = "User", .run = use_all};

static void run_file(void)
{
    sn_spawn(&file_user, NULL);
}

static void run_directory(void)
{
    sn_spawn(&directory_user, NULL);
}

static void run_all(void)
{
    sn_spawn(&all_user, NULL);
}
