/* main.c - sennit-sync: the test program of synchronisers that can only be seen from outside.
 *
 * `sennit sync` becomes this. It is a test program as any other, with one test, so everything that
 * there is for test programs is there for synchronisers. Real ones are not under control: trials
 * are run several times, each in a process of its own. SPDX-License-Identifier: MIT
 */
#include "api/exit_code.h"
#include "base/text.h"
#include "drivers/builtin.h"
#include "drivers/directory.h"
#include "drivers/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <sennit/sennit.h>
#include <simulated.h> /* of systems/sync */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    REPEATS = 3,
    SHRINK_REPEATS = 20,
    TIMEOUT_MS = 10000,
    SIMULATED_STEPS_MAX = 20000,
    EXIT_SKIPPED = 77,
};

#define MS UINT64_C(1000000)
#define SIMULATED "simulated"
#define SIMULATED_SETTLE_NS (20 * MS) /* all is calm when any time has passed */

/* What the options say. */
static struct {
    const char *driver;
    const char *rules;
    const char *with;
    const char *workdir;
    uint64_t nodes;
    uint64_t files;
    uint64_t values;
    uint64_t calls;
    uint64_t sleep_ms;
    uint64_t settle_ms;
    uint64_t wait_ms;
    uint64_t timeout_ms;
} given = {
    .with = "triggers",
    .nodes = 2,
    .files = 1,
    .values = 3,
    .calls = 12,
    .sleep_ms = 1000,
    .wait_ms = 500,
    .timeout_ms = TIMEOUT_MS,
};

static const struct sn_option options[] = {
    {.name = "driver",
     .about = "a built-in one (--drivers lists them) or the path of a program",
     .word = &given.driver},
    {.name = "nodes",
     .about = "how many nodes there are (2)",
     .number = &given.nodes,
     .min = 1,
     .max = SN_SYNC_NODES_MAX},
    {.name = "files",
     .about = "how many files there are (1)",
     .number = &given.files,
     .min = 1,
     .max = SN_SYNC_FILES_MAX},
    {.name = "values",
     .about = "how many different contents are written (3)",
     .number = &given.values,
     .min = 1,
     .max = DIRECTORY_VALUES_MAX},
    {.name = "calls",
     .about = "at most so many calls in a test, about half of them on average (12)",
     .number = &given.calls,
     .min = 1,
     .max = 64},
    {.name = "with",
     .about = "what else is done: triggers,renames,directories,kills, all, none (triggers)",
     .word = &given.with},
    {.name = "rules",
     .about = "who wins where nodes disagree (as the driver says); --rule-sets lists them",
     .word = &given.rules},
    {.name = "sleep",
     .about = "milliseconds of the longest sleep (1000)",
     .number = &given.sleep_ms,
     .min = 1,
     .max = 60000},
    {.name = "settle",
     .about = "milliseconds that a stabilization may take (as the driver says, or 30000)",
     .number = &given.settle_ms,
     .min = 1,
     .max = 600000},
    {.name = "wait",
     .about = "milliseconds that a value is waited for (500)",
     .number = &given.wait_ms,
     .min = 1,
     .max = 60000},
    {.name = "driver-timeout",
     .about = "milliseconds after which a driver hangs (10000)",
     .number = &given.timeout_ms,
     .min = 1,
     .max = 600000},
    {.name = "workdir",
     .about = "where directories are made (sennit-sync-UID in TMPDIR or /tmp)",
     .word = &given.workdir},
    {0},
};

static struct workspace workspace = {.lock = -1};
static struct directory directory;
static struct sn_sync_driver driver;
static void *driver_self;
static struct sn_sync_options wanted;
static struct sn_sync_names names;
static char file_names[SN_SYNC_FILES_MAX][8];

/* ---- The test ------------------------------------------------------------------------------- */

static void test_once(const void *payload)
{
    (void)payload;
    sn_sync_test(&driver, driver_self, &wanted);
}

static const struct sn_process tester = {.name = "Tester", .run = test_once, .stack_size = 1 << 19};

static void run(void)
{
    (void)sn_spawn(&tester, NULL);
}

/* As it is for real synchronisers. */
static struct sn_test tests[] = {
    {.name = "explained",
     .run = run,
     .about = "what is observed of a synchroniser can be explained",
     .world = SN_WORLD_FORK,
     .strategy = "random",
     .repeats = REPEATS,
     .shrink_repeats = SHRINK_REPEATS},
    {0},
};

/* ---- Getting ready -------------------------------------------------------------------------- */

static _Noreturn void leave(int code, const char *sentence)
{
    (void)fprintf(stderr, "sync: %s\n", sentence);
    workspace_close(&workspace);
    exit(code);
}

static _Noreturn void refuse(const struct err *why)
{
    leave(EXIT_USAGE, why->text);
}

/* One word of --with. False: it is not known. */
static bool allow(const char *word, size_t n)
{
    static const struct {
        const char *name;
        bool triggers, renames, directories, kills;
    } words[] = {
        {"triggers", true, false, false, false},
        {"renames", false, true, false, false},
        {"directories", false, false, true, false},
        {"kills", false, false, false, true},
        {"all", true, true, true, true},
        {"none", false, false, false, false},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strlen(words[i].name) != n || strncmp(words[i].name, word, n) != 0)
            continue;
        wanted.no_triggers &= !words[i].triggers;
        wanted.renames |= words[i].renames;
        wanted.directories |= words[i].directories;
        wanted.kills |= words[i].kills;
        return true;
    }
    return false;
}

static void read_options(void)
{
    struct err why = {""};

    wanted = (struct sn_sync_options){
        .n_nodes = (uint32_t)given.nodes,
        .n_files = (uint32_t)given.files,
        .n_values = (uint32_t)given.values,
        .n_commands = (uint32_t)given.calls,
        .sleep_max_ns = given.sleep_ms * MS,
        .settle_ns = given.settle_ms * MS,
        .wait_ns = given.wait_ms * MS,
        .rules = given.rules,
        .no_triggers = true,
        .names = &names,
    };
    for (const char *word = given.with; *word != '\0';) {
        size_t n = strcspn(word, ",");

        if (!allow(word, n)) {
            (void)err_set(&why, SN_EINVAL, "--with does not know \"%.*s\"", (int)n, word);
            refuse(&why);
        }
        word += n + (word[n] == ',');
    }
    if (given.rules != NULL && sn_sync_rules_find(given.rules) == NULL) {
        (void)err_set(&why, SN_EINVAL,
                      "there are no rules called \"%.60s\"; --rule-sets lists them", given.rules);
        refuse(&why);
    }
    for (uint32_t i = 0; i < wanted.n_files; i++) {
        directory_name(i, file_names[i], sizeof(file_names[i]));
        names.files[i] = wanted.n_files > 1 ? file_names[i] : NULL;
    }
    names.values[DIRECTORY_TORN] = "torn";
}

static const struct builtin *find_builtin(const char *name)
{
    for (const struct builtin *b = builtins; b->name != NULL; b++) {
        if (strcmp(b->name, name) == 0)
            return b;
    }
    return NULL;
}

/* Puts the text of a driver where it can be run. */
static int write_out(const struct builtin *b, char *path, size_t size, struct err *why)
{
    bool ok;
    int fd;

    (void)snprintf(path, size, "%s/%s", workspace.path, b->name);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    ok = fd >= 0 && write(fd, b->text, b->size) == (ssize_t)b->size;
    if (fd >= 0)
        ok &= close(fd) == 0;
    return ok ? 0
              : err_set(why, SN_EIO, "%s: cannot be written (%s)", path, strerrordesc_np(errno));
}

static int find_script(struct err *why)
{
    struct script *script = &directory.script;
    const struct builtin *b = find_builtin(given.driver);

    if (b != NULL)
        return write_out(b, script->path, sizeof(script->path), why);
    if (strchr(given.driver, '/') == NULL)
        return err_set(why, SN_EINVAL,
                       "there is no driver called \"%.60s\"; --drivers lists them, and a program "
                       "of your own is named by a path, as ./%.60s",
                       given.driver, given.driver);
    if (realpath(given.driver, script->path) == NULL || access(script->path, X_OK) != 0)
        return err_set(why, SN_EINVAL, "%.200s is not a program that can be run", given.driver);
    return 0;
}

/* What the driver says about itself must fit what is asked for. */
static int meet(struct err *why)
{
    const struct script_about *about = &directory.script.about;
    int rc = script_meet(&directory.script, workspace.path, why);

    if (rc < 0)
        return rc;
    if (about->missing[0] != '\0')
        leave(EXIT_SKIPPED, about->missing);
    if (given.nodes < about->nodes_min || given.nodes > about->nodes_max)
        return err_set(why, SN_EINVAL, "driver %.60s is for %u to %u nodes", given.driver,
                       about->nodes_min, about->nodes_max);
    if (wanted.kills && !about->can_kill && strcmp(given.with, "all") != 0)
        return err_set(why, SN_EINVAL, "driver %.60s cannot kill and restart daemons",
                       given.driver);
    if (wanted.settle_ns == 0)
        wanted.settle_ns = about->settle_ms * MS;
    return 0;
}

static void prepare_real(void)
{
    struct err why = {""};
    uint32_t n_removed = 0;
    int rc = workspace_open(&workspace, given.workdir, wanted.n_nodes, &n_removed, &why);
    directory.name = given.driver;
    directory.workspace = &workspace;
    directory.n_files = wanted.n_files;
    directory.script.timeout_ns = given.timeout_ms * MS;
    if (rc == 0)
        rc = find_script(&why);
    if (rc == 0)
        rc = meet(&why);
    if (rc < 0)
        refuse(&why);
    if (n_removed > 0)
        (void)fprintf(stderr, "sync: removed what %u earlier run%s had left behind\n", n_removed,
                      n_removed == 1 ? "" : "s");
    directory_driver(&directory, &driver);
    driver_self = &directory;
}

/* One that is simulated is under control: each trial once, in virtual time. */
static void prepare_simulated(void)
{
    tests[0].world = SN_WORLD_FULL;
    tests[0].strategy = NULL;
    tests[0].repeats = tests[0].shrink_repeats = 0;
    tests[0].max_steps = SIMULATED_STEPS_MAX;
    driver = *sync_simulated(&driver_self);
    if (wanted.settle_ns == 0)
        wanted.settle_ns = SIMULATED_SETTLE_NS;
}

static void prepare(void)
{
    if (given.driver == NULL)
        leave(EXIT_USAGE, "it takes --driver NAME; --drivers lists those there are");
    read_options();
    if (strcmp(given.driver, SIMULATED) == 0)
        prepare_simulated();
    else
        prepare_real();
}

static const struct sn_suite suite = {
    .name = "sync", .tests = tests, .options = options, .prepare = prepare};

/* ---- Main ----------------------------------------------------------------------------------- */

static int list_drivers(void)
{
    (void)printf(SIMULATED " - the case study sync: correct, under control, in virtual time.\n");
    for (const struct builtin *b = builtins; b->name != NULL; b++) {
        const char *text = (const char *)b->text;
        const char *about = memchr(text, '\n', b->size); /* of the line after #! */
        const char *end = about != NULL ? strchr(about + 1, '\n') : NULL;

        if (end != NULL)
            (void)printf("%.*s\n", (int)(end - about - 3), about + 3);
    }
    return EXIT_NO_BUG;
}

static int list_rules(void)
{
    for (size_t i = 0; sn_sync_rules_at(i) != NULL; i++)
        (void)printf("%s\t%s\n", sn_sync_rules_at(i)->name, sn_sync_rules_at(i)->about);
    return EXIT_NO_BUG;
}

static int print_driver(const char *name)
{
    const struct builtin *b = name != NULL ? find_builtin(name) : NULL;

    if (b == NULL) {
        (void)fprintf(stderr, "sync: --print-driver needs a name; --drivers lists them\n");
        return EXIT_USAGE;
    }
    (void)fwrite(b->text, 1, b->size, stdout);
    return EXIT_NO_BUG;
}

/* The value of an option, given as --NAME VALUE, --NAME=VALUE or -LVALUE; NULL: it is not given. */
static const char *value_of(int argc, char **argv, const char *name, char letter)
{
    const char *value = NULL;

    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        size_t n = strlen(name);

        if (letter != '\0' && word[0] == '-' && word[1] == letter)
            value = word[2] != '\0' ? word + 2 : argv[i + 1];
        if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, n) != 0)
            continue;
        if (word[2 + n] == '=')
            value = word + 3 + n;
        else if (word[2 + n] == '\0')
            value = argv[i + 1];
    }
    return value;
}

static bool has_word(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], word) == 0)
            return true;
    }
    return false;
}

/* Of the clock that the times of files are by. */
static uint64_t now_ns(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Where sentences go that are for people: standard output may be for a program. */
static FILE *for_people(int argc, char **argv)
{
    return has_word(argc, argv, "--tap") || has_word(argc, argv, "--json") ? stderr : stdout;
}

static void print_tables(int argc, char **argv, uint64_t since_ns)
{
    const char *outdir = value_of(argc, argv, "outdir", 'o');
    const char *trace = value_of(argc, argv, "replay", '\0');
    FILE *out = for_people(argc, argv);

    if (outdir == NULL)
        outdir = getenv("SENNIT_OUTDIR") != NULL ? getenv("SENNIT_OUTDIR") : "sennit-out";
    if (trace != NULL)
        tables_print(trace, out);
    else
        tables_print_new(outdir, suite.name, since_ns, out);
}

int main(int argc, char **argv)
{
    uint64_t since_ns = now_ns();
    int code;

    if (has_word(argc, argv, "--drivers"))
        return list_drivers();
    if (has_word(argc, argv, "--rule-sets"))
        return list_rules();
    if (has_word(argc, argv, "--print-driver"))
        return print_driver(value_of(argc, argv, "print-driver", '\0'));
    code = sn_main(argc, argv, &suite);
    if (code == EXIT_BUG)
        print_tables(argc, argv, since_ns);
    workspace_close(&workspace);
    return code;
}
