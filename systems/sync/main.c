/* main.c - the tests of the simulated synchroniser. SPDX-License-Identifier: MIT */
#include "simulated.h"

#include <sennit/sennit.h>

enum {
    STEPS_MAX = 20000, /* that no trial comes near: see README.md */
    COMMANDS_MAX = 64,
    RULES_MAX = 31,
    STACK_BYTES = 1 << 18, /* the oracle runs on it, too */
};

/* Of virtual time, that a stabilization may take: all is calm when any has passed. */
#define SETTLE_NS UINT64_C(20000000)

static uint64_t n_nodes = 3;
static uint64_t n_files = 1;
static uint64_t n_values = 3;
static uint64_t n_commands = 20;
static const char *rules = "fixed";

/* ---- One file, and all that can be done ----------------------------------------------------- */

static void use(const struct sn_sync_options *options)
{
    void *self;
    const struct sn_sync_driver *driver = sync_simulated(&self);

    sn_sync_test(driver, self, options);
}

/* For whoever reads the trace. */
static void note_figures(const struct sn_sync_event *events, size_t n,
                         const struct sn_sync_result *result)
{
    (void)events;
    if (result->verdict == SN_CONJECTURED_NO)
        sn_note("call %zu of %zu cannot be; possible states: at most %zu, mean %.1f",
                result->explained + 1, n, result->set_max, result->set_mean);
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
        .judged = note_figures,
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

static const struct sn_process file_user = {
    .name = "User", .run = use_file, .stack_size = STACK_BYTES};
static const struct sn_process directory_user = {
    .name = "User", .run = use_directory, .stack_size = STACK_BYTES};
static const struct sn_process all_user = {
    .name = "User", .run = use_all, .stack_size = STACK_BYTES};

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

static struct sn_test tests[] = {
    {
        .name = "file",
        .run = run_file,
        .about = "a file that is read, written and deleted on several nodes",
        .max_steps = STEPS_MAX,
    },
    {
        .name = "directory",
        .run = run_directory,
        .about = "a path where files and directories are made and removed",
        .max_steps = STEPS_MAX,
    },
    {
        .name = "all",
        .run = run_all,
        .about = "several files and directories, renames, daemons that are killed and restarted",
        .max_steps = STEPS_MAX,
    },
    {0},
};

static const struct sn_bug bugs[] = {
    {
        .name = "apply-old-delete",
        .about = "D1: a deletion that came too late takes away a new file, briefly.",
        .flag = &sync_wrong.apply_old_delete,
        .test = "file",
    },
    {
        .name = "reupload-after-delete",
        .about = "D2: a file that is deleted while it is being uploaded comes back for good.",
        .flag = &sync_wrong.reupload_after_delete,
        .test = "file",
    },
    {
        .name = "delete-vs-metadata-update",
        .about = "D3: a file that is deleted right after it has arrived comes back.",
        .flag = &sync_wrong.delete_vs_metadata_update,
        .test = "file",
    },
    {
        .name = "mtime-size-check",
        .about = "D4: a change in the second in which the file arrived is never noticed.",
        .flag = &sync_wrong.mtime_size_check,
        .test = "file",
    },
    {
        .name = "directory-reorder",
        .about = "O1: a directory that is removed and made again within a second is removed.",
        .flag = &sync_wrong.directory_reorder,
        .test = "directory",
    },
    {
        .name = "upload-mtime-check",
        .about = "O2: a change in the second in which the file was uploaded is never noticed.",
        .flag = &sync_wrong.upload_mtime_check,
        .test = "file",
    },
    {
        .name = "no-turns",
        .about = "The server lets several daemons work on a file at once.",
        .flag = &sync_wrong.no_turns,
        .test = "file",
    },
    {
        .name = "replace-unseen",
        .about = "A daemon replaces a file without looking again whether it has been changed.",
        .flag = &sync_wrong.replace_unseen,
        .test = "file",
    },
    {
        .name = "drop-conflict",
        .about = "The server keeps no copy of what loses.",
        .flag = &sync_wrong.drop_conflict,
        .test = "file",
    },
    {
        .name = "same-is-conflict",
        .about = "The server keeps a copy although both are the same.",
        .flag = &sync_wrong.same_is_conflict,
        .test = "file",
    },
    {
        .name = "delete-beats-write",
        .about = "A write that was made without knowing of a deletion loses against it.",
        .flag = &sync_wrong.delete_beats_write,
        .test = "file",
    },
    {
        .name = "compare-contents",
        .about = "A daemon takes a file that was written back to what it had been for unchanged.",
        .flag = &sync_wrong.compare_contents,
        .test = "file",
    },
    {
        .name = "deaf-while-uploading",
        .about = "A daemon does not look again whether a file was changed while it was uploaded.",
        .flag = &sync_wrong.deaf_while_uploading,
        .test = "file",
    },
    {
        .name = "no-rescan",
        .about = "A daemon that is started again does not look for changes.",
        .flag = &sync_wrong.no_rescan,
        .test = "all",
    },
    {
        .name = "forget-upload",
        .about = "A daemon that is started again does not ask what became of its last upload.",
        .flag = &sync_wrong.forget_upload,
        .test = "all",
    },
    {0},
};

static const char *rule_names[RULES_MAX + 1];

static const struct sn_option options[] = {
    {.name = "nodes", .about = "nodes (3)", .number = &n_nodes, .min = 1, .max = SN_SYNC_NODES_MAX},
    {.name = "files",
     .about = "files (1; 2 in `all`)",
     .number = &n_files,
     .min = 1,
     .max = SN_SYNC_FILES_MAX},
    {.name = "values",
     .about = "values that are written (3)",
     .number = &n_values,
     .min = 1,
     .max = SN_SYNC_DIRECTORY - 1},
    {.name = "commands",
     .about = "commands that may be drawn (20)",
     .number = &n_commands,
     .min = 1,
     .max = COMMANDS_MAX},
    {.name = "rules",
     .about = "by which rules it is judged (fixed)",
     .word = &rules,
     .words = rule_names},
    {0},
};

static const struct sn_suite suite = {
    .name = "sync",
    .tests = tests,
    .bugs = bugs,
    .options = options,
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < RULES_MAX && sn_sync_rules_at(i) != NULL; i++)
        rule_names[i] = sn_sync_rules_at(i)->name;
    return sn_main(argc, argv, &suite);
}
