/* main.c - sennit-events: the test program of recorded events that another program performs.
 *
 * `sennit events` becomes this. It is a test program as any other, with one test, so everything
 * that there is for test programs is there for recorded events. SPDX-License-Identifier: MIT
 */
#include "api/exit_code.h"
#include "engine/here.h"
#include "remote/listing.h"
#include "remote/remote.h"
#include "remote/rule_files.h"
#include "remote/summary.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sennit/sennit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ARGS_MAX = 256,
    TIMEOUT_MS = 10000,
    COMPLAINTS_FD = 200, /* out of the way of whatever is opened and closed */
    BATCH_MAX = 256,
};

#define GREETED "SENNIT_EVENTS_GREETED"

static const char *const orders[] = {"causal", "free", NULL};
static const char *const answers[] = {"yes", "no", NULL};
static const char *const links[] = {"any", "fifo", NULL};

/* What the options say. */
static struct {
    const char *exec;
    const char *fd;
    const char *recording;
    const char *order;
    const char *links;
    const char *prune;
    const char *watch;
    const char *expect;
    const char *constraints;
    const char *db;
    const char *infer;
    const char *emit;
    uint64_t timeout_ms;
    uint64_t batch;
} given = {
    .order = "causal",
    .links = "any",
    .prune = "all",
    .expect = "convergence,no-throws",
    .infer = "no",
    .timeout_ms = TIMEOUT_MS,
    .batch = BATCH_MAX,
};

static struct remote remote;
static char rules_text[1024];
static uint64_t walk_max;
static const char *outdir = "sennit-out";

static const struct sn_option options[] = {
    {.name = "exec",
     .about = "the program that records the events and performs them",
     .word = &given.exec},
    {.name = "fd",
     .about = "IN,OUT: descriptors of such a program that is there already",
     .word = &given.fd},
    {.name = "recording",
     .about = "with --list, --count or --walk N: a file with a recording",
     .word = &given.recording},
    {.name = "order",
     .about = "causes and programs are respected, or nothing is (causal)",
     .word = &given.order,
     .words = orders},
    {.name = "links",
     .about = "messages on a link keep their order, or not (any); --fifo: they do",
     .word = &given.links,
     .words = links},
    {.name = "prune",
     .about = "groups,replicas,independence,failed; all, none (all)",
     .word = &given.prune},
    {.name = "watch",
     .about = "A,B:queries: only these replicas, or their queries, count",
     .word = &given.watch},
    {.name = "expect",
     .about = "what is checked beside assertions (convergence,no-throws)",
     .word = &given.expect},
    {.name = "constraints",
     .about = "a directory of JSON files; more may come while it runs",
     .word = &given.constraints},
    {.name = "db",
     .about = "an SQLite database: what was run, to be looked at and gone on with",
     .word = &given.db},
    {.name = "emit",
     .about = "a file, *.js or a script, that runs the failing interleaving",
     .word = &given.emit},
    {.name = "infer",
     .about = "find out which events commute by trying, or not (no); --infer: do",
     .word = &given.infer,
     .words = answers},
    {.name = "event-timeout",
     .about = "milliseconds that an event may take (10000)",
     .number = &given.timeout_ms,
     .min = 1,
     .max = 3600000},
    {.name = "batch",
     .about = "interleavings that are asked for at once, at most (256)",
     .number = &given.batch,
     .min = 1,
     .max = REMOTE_BATCH_MAX},
    {0},
};

/* ---- Getting ready -------------------------------------------------------------------------- */

static _Noreturn void refuse(const struct err *why)
{
    (void)fprintf(stderr, "events: %s\n", why->text);
    exit(EXIT_USAGE);
}

static void read_descriptors(struct client_options *out)
{
    struct err why = {""};
    char rest;

    if (sscanf(given.fd, "%d,%d%c", &out->in, &out->out, &rest) == 2 && out->in >= 0 &&
        out->out >= 0)
        return;
    (void)err_set(&why, SN_EINVAL, "--fd needs two descriptors, IN,OUT, not \"%.60s\"", given.fd);
    refuse(&why);
}

static int read_rules(struct rules *rules, const struct recording *r, struct err *why)
{
    int rc;

    *rules = (struct rules){.is_free = strcmp(given.order, "free") == 0,
                            .is_fifo = strcmp(given.links, "fifo") == 0};
    rc = checks_read(given.expect, &remote.expect, why);
    rules->counts_deliveries = (remote.expect & SN_EXPECT_CONVERGENCE) != 0;
    if (rc == 0)
        rc = rules_set_prunings(rules, given.prune, why);
    if (rc == 0 && given.watch != NULL)
        rc = rules_set_watched(rules, r, given.watch, why);
    remote.files.base = *rules;
    remote.files.directory = given.constraints;
    if (rc == 0 && given.constraints != NULL)
        rc = rule_files_read(&remote.files, r, rules, why);
    return rc;
}

/* While a campaign runs: a file has come. */
static void tell_of_file(void *self, const char *name, const char *text, const char *refused)
{
    struct err ignored = {""};

    (void)self;
    if (refused != NULL)
        (void)dprintf(remote.complaints, "events: refused: %s\n", refused);
    if (remote.store != NULL)
        (void)store_constraint(remote.store, name, text, refused, &ignored);
}

/* Starts the program once, to know what it records. */
static int meet(struct err *why)
{
    if ((given.exec != NULL) == (given.fd != NULL))
        return err_set(why, SN_EINVAL, "it takes --exec PROGRAM (or --fd IN,OUT) to know events");
    remote.options = (struct client_options){.command = given.exec,
                                             .timeout_ms = (int)given.timeout_ms,
                                             .random = 1,
                                             .time_ms = UINT64_C(1700000000000)};
    if (given.fd != NULL) {
        read_descriptors(&remote.options);
        /* A process that replays what this one has found meets the same client. */
        remote.options.is_greeted = getenv(GREETED) != NULL;
        (void)setenv(GREETED, "1", 1);
    }
    if (client_open(&remote.first, &remote.options, NULL, why) != CLIENT_OK)
        return SN_EFORMAT;
    remote.recording = *client_recording(remote.first);
    remote.recorded = client_recorded(remote.first);
    if (!client_can_restore(remote.first))
        remote.options.recorded = remote.recorded;
    return 0;
}

/* A program of ours that is not needed any more should not wait for questions; its texts are. */
static void part(void)
{
    if (given.exec != NULL)
        client_send_away(remote.first);
}

static void prepare(void)
{
    struct rules rules;
    struct err why = {""};
    int rc = meet(&why);

    if (rc == 0)
        rc = read_rules(&rules, &remote.recording, &why);
    remote.batch_max = (uint32_t)given.batch;
    remote.infers = strcmp(given.infer, "yes") == 0;
    remote.complaints = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, COMPLAINTS_FD);
    remote.files.told = tell_of_file;
    remote.store_path = given.db;
    remote.emit = given.exec != NULL ? given.emit : NULL;
    (void)snprintf(rules_text, sizeof(rules_text),
                   "--order %s --links %s --prune %s --watch %s --expect %s", given.order,
                   given.links, given.prune, given.watch != NULL ? given.watch : "-", given.expect);
    remote.campaign = (struct store_campaign){.recording = &remote.recording,
                                              .program = given.exec != NULL ? given.exec : "",
                                              .rules = rules_text};
    if (rc == 0)
        rc = remote_attach(&remote, &rules, &why);
    if (rc < 0)
        refuse(&why);
    part();
}

static void run(void)
{
    events_announce(trial_here());
}

static const struct sn_test tests[] = {
    {.name = "interleavings",
     .run = run,
     .about = "every interleaving of recorded events",
     .world = SN_WORLD_TRIAL,
     .strategy = "events"},
    {0},
};

static const struct sn_suite suite = {
    .name = "events", .tests = tests, .options = options, .prepare = prepare};

/* ---- Listing -------------------------------------------------------------------------------- */

/* Whether a value is one of those that an option can have, if there is a list of them. */
static bool is_word_of(const struct sn_option *option, const char *value)
{
    if (option->words == NULL)
        return true;
    for (const char *const *word = option->words; *word != NULL; word++) {
        if (strcmp(*word, value) == 0)
            return true;
    }
    return false;
}

/* The options above, for what is not run. */
static int take_option(const char *name, const char *value, struct err *why)
{
    for (const struct sn_option *option = options; option->name != NULL; option++) {
        if (strcmp(option->name, name) != 0)
            continue;
        if (value == NULL)
            return err_set(why, SN_EINVAL, "--%s needs a value", name);
        if (!is_word_of(option, value))
            return err_set(why, SN_EINVAL, "--%s cannot be \"%.60s\"", name, value);
        if (option->word != NULL)
            *option->word = value;
        return 0;
    }
    return err_set(why, SN_EINVAL, "--list, --count and --walk do not know --%.60s", name);
}

static int list(int argc, char **argv, enum listing what)
{
    struct client *c = NULL;
    struct rules rules;
    struct err why = {""};
    int rc = 0;

    for (int i = 1; i < argc && rc == 0; i++) {
        char name[64];
        size_t n = strcspn(argv[i], "=");

        if (strncmp(argv[i], "--", 2) != 0)
            rc = err_set(&why, SN_EINVAL, "--list, --count and --walk do not know %.60s", argv[i]);
        (void)snprintf(name, sizeof(name), "%.*s", n > 2 ? (int)n - 2 : 0, argv[i] + 2);
        if (rc == 0 && argv[i][n] == '=')
            rc = take_option(name, argv[i] + n + 1, &why);
        else if (rc == 0)
            rc = take_option(name, argv[++i], &why);
    }
    if (rc == 0 && given.recording != NULL)
        rc = client_read_file(&c, given.recording, &why);
    else if (rc == 0)
        rc = meet(&why);
    c = c != NULL ? c : remote.first;
    if (rc == 0)
        rc = read_rules(&rules, client_recording(c), &why);
    if (rc == 0)
        rc = listing_print(client_recording(c), &rules, what, walk_max, &why);
    if (rc < 0)
        refuse(&why);
    client_close(c);
    return EXIT_NO_BUG;
}

/* ---- Main ----------------------------------------------------------------------------------- */

/* Where a run writes, as its options have it. */
static void note_outdir(const char *word, const char *next)
{
    if (strcmp(word, "-o") == 0 || strcmp(word, "--outdir") == 0)
        outdir = next;
    else if (strncmp(word, "--outdir=", 9) == 0)
        outdir = word + 9;
    else if (strncmp(word, "-o", 2) == 0)
        outdir = word + 2;
}

/* Options that take no value, which a program's own always do; and one process at a time for a
 * client of which there is but one. */
static int translate(int argc, char **argv, char **out, enum listing *what)
{
    int n = 0;

    if (getenv("SENNIT_OUTDIR") != NULL)
        outdir = getenv("SENNIT_OUTDIR");

    for (int i = 0; i < argc && n + 6 < ARGS_MAX; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "";

        note_outdir(argv[i], next);
        if (strncmp(argv[i], "--fd", 4) == 0) {
            out[n++] = (char *)(uintptr_t) "-j";
            out[n++] = (char *)(uintptr_t) "1";
        }

        if (strcmp(argv[i], "--infer") == 0 && strcmp(next, "yes") != 0 &&
            strcmp(next, "no") != 0) {
            out[n++] = (char *)(uintptr_t) "--infer";
            out[n++] = (char *)(uintptr_t) "yes";
        } else if (strcmp(argv[i], "--fifo") == 0) {
            out[n++] = (char *)(uintptr_t) "--links";
            out[n++] = (char *)(uintptr_t) "fifo";
        } else if (strcmp(argv[i], "--list") == 0) {
            *what = LISTING_ORDERS;
        } else if (strcmp(argv[i], "--count") == 0) {
            *what = LISTING_COUNTS;
        } else if (strcmp(argv[i], "--walk") == 0) {
            *what = LISTING_WALK;
            walk_max = strtoull(next, NULL, 10);
            i++;
        } else {
            out[n++] = argv[i];
        }
    }
    out[n] = NULL;
    return n;
}

/* Where sentences go that are for people: standard output may be for a program. */
static FILE *for_people(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tap") == 0 || strcmp(argv[i], "--json") == 0)
            return stderr;
    }
    return stdout;
}

/* A client that waits for the end is told how it was. */
static int tell_client(int code)
{
    char *summary;

    if (given.fd == NULL || remote.first == NULL || remote.options.is_greeted)
        return code;
    summary = summary_make(outdir, code);
    client_dismiss(remote.first, summary);
    free(summary);
    return code;
}

/* What earlier runs of a campaign have found counts as well. */
static int tell_of_store(int code, FILE *to)
{
    struct store *store = NULL;
    struct store_counts counts;
    struct err why = {""};

    if (given.db == NULL || (code != EXIT_NO_BUG && code != EXIT_NOTHING && code != EXIT_BUG))
        return code;
    if (store_open(&store, given.db, &remote.campaign, &why) < 0 ||
        store_count(store, &counts, &why) < 0)
        refuse(&why);
    store_close(store);
    (void)fprintf(to,
                  "%s: %" PRIu64 " interleavings, %" PRIu64 " failed, %" PRIu64 " outcomes; %s\n",
                  given.db, counts.interleavings, counts.failed, counts.outcomes,
                  counts.is_finished ? "all were run" : "more are left");
    if (counts.failed > 0)
        return EXIT_BUG;
    return code == EXIT_NOTHING && counts.is_finished ? EXIT_NO_BUG : code;
}

int main(int argc, char **argv)
{
    char *words[ARGS_MAX + 1];
    enum listing what = LISTING_NOTHING;
    int n = translate(argc, argv, words, &what);

    if (what != LISTING_NOTHING)
        return list(n, words, what);
    return tell_client(tell_of_store(sn_main(n, words, &suite), for_people(argc, argv)));
}
