/* coverage.c - `sennit coverage PATH...`: what several runs have shown, taken together.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "base/file.h"
#include "cli/cli.h"
#include "engine/mem.h"
#include "report/coverage_file.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: sennit coverage [OPTION...] PATH...\n"
    "Tells what several runs have shown, taken together, for each of their tests. PATH is a\n"
    "SUITE-TEST.coverage.json that a run has left in its --outdir, or a directory with such\n"
    "files. Trials that are in several of them count once.\n\n"
    "  -o, --outdir DIR   write what was taken together to DIR, in files of the same kind\n"
    "      --any-build    take runs of different builds of a program together, too; nothing is\n"
    "                     said then about what the next trial may show\n"
    "  -v, --verbose      name what was never seen\n"
    "  -h, --help         this text\n\n"
    "Exit: 0, or 2 if a file cannot be read or taken together with the others.\n";

static const char ending[] = ".coverage.json";

/* One test, and all that is known of it. */
struct group {
    struct run_coverage *coverage;
    struct group *next;
};

struct request {
    const char *outdir; /* NULL: nothing is written */
    bool any_build;
    bool is_verbose;
    struct group *groups;
};

/* ---- Reading -------------------------------------------------------------------------------- */

static struct group **find_group(struct request *request, const struct run_coverage *c)
{
    struct group **at = &request->groups;

    while (*at != NULL && (strcmp((*at)->coverage->suite, c->suite) != 0 ||
                           strcmp((*at)->coverage->test, c->test) != 0))
        at = &(*at)->next;
    return at;
}

/* Takes one file, whose contents are c's. True: c is kept. */
static bool add(struct request *request, struct run_coverage *c, const char *path, int *code)
{
    struct group **at = find_group(request, c);
    struct err why = {""};
    int rc;

    if (*at == NULL) {
        *at = calloc(1, sizeof(**at));
        if (*at == NULL) {
            *code = cli_fail("there is no memory");
            return false;
        }
        (*at)->coverage = c;
        return true;
    }
    rc = coverage_merge((*at)->coverage, c, request->any_build, &why);
    if (rc < 0)
        *code = cli_fail("%s: %s", path, why.text);
    else if (rc == COVERAGE_IS_PART)
        (void)fprintf(stderr, "sennit: %s: its trials are in another file, and count once\n", path);
    else if (rc == COVERAGE_IS_WHOLE)
        (void)fprintf(
            stderr, "sennit: %s: has the trials of the files before it, which count once\n", path);
    return false;
}

static int add_file(struct request *request, const char *path)
{
    struct err why = {""};
    struct run_coverage *c = mem_reserve_shared(sizeof(*c), &why);
    int code = CLI_OK;

    if (c == NULL)
        return cli_fail("%s", why.text);
    if (coverage_read(c, path, &why) < 0)
        code = cli_fail("%s", why.text);
    if (code != CLI_OK || !add(request, c, path, &code))
        mem_release(c, sizeof(*c));
    return code;
}

static int is_coverage(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    size_t k = sizeof(ending) - 1;

    return n > k && strcmp(entry->d_name + n - k, ending) == 0;
}

static int add_directory(struct request *request, const char *path)
{
    struct dirent **entries = NULL;
    int n = scandir(path, &entries, is_coverage, alphasort);
    int code = n >= 0 ? CLI_OK : cli_fail("%s: %s", path, strerror(errno));

    if (n == 0)
        code = cli_fail("%s: there is no file that ends in %s", path, ending);
    for (int i = 0; i < n; i++) {
        char file[FILE_PATH_MAX];

        if (snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name) >= (int)sizeof(file))
            code = cli_fail("%s: its name is too long", path);
        else if (code == CLI_OK)
            code = add_file(request, file);
        free(entries[i]);
    }
    free(entries);
    return code;
}

static int add_path(struct request *request, const char *path)
{
    struct stat info;

    if (stat(path, &info) < 0)
        return cli_fail("%s: %s", path, strerror(errno));
    return S_ISDIR(info.st_mode) ? add_directory(request, path) : add_file(request, path);
}

/* ---- Telling -------------------------------------------------------------------------------- */

static void put_met(struct sn_text *out, const struct run_coverage *c, bool is_verbose)
{
    uint32_t unmet = 0;

    for (uint32_t i = 0; i < c->n_met; i++)
        unmet += !c->met[i].is_held;
    if (unmet == 0)
        return;
    text_print(out, "    %" PRIu32 " of %" PRIu32 " places were not met by this test%s\n", unmet,
               c->n_met, is_verbose ? "" : "; -v names them");
    for (uint32_t i = 0; i < c->n_met && is_verbose; i++) {
        const struct run_met *met = &c->met[i];

        if (!met->is_held)
            text_print(out, "    %s: %s (%s:%" PRIu64 ")\n",
                       met->is_reached ? "no trial in which it holds" : "no trial gets there",
                       met->name, met->file, met->line);
    }
}

static void print(const struct request *request, const struct run_coverage *c)
{
    static char buffer[1 << 16];
    struct sn_text out;

    text_init_fd(&out, buffer, sizeof(buffer), STDOUT_FILENO);
    text_print(&out, "%s/%s\n", c->suite, c->test);
    text_print(&out,
               "    %" PRIu32 " run%s, %" PRIu64 " trials, %" PRIu64 " steps, %s%" PRIu64
               " distinct orders, %" PRIu64 " failed\n",
               c->n_parts, c->n_parts == 1 ? "" : "s", c->trials, c->steps,
               c->has_orders ? "" : "about ", c->distinct, c->failures);
    run_coverage_put_next(&out, "    ", c, request->is_verbose);
    run_coverage_put_rest(&out, "    ", c, request->is_verbose);
    put_met(&out, c, request->is_verbose);
    (void)text_flush(&out);
}

static int write_one(const struct request *request, const struct run_coverage *c)
{
    char path[FILE_PATH_MAX];
    struct err why = {""};
    size_t start = strlen(request->outdir) + 1;

    if (file_make_dirs(request->outdir, &why) < 0)
        return cli_fail("%s", why.text);
    (void)snprintf(path, sizeof(path), "%s/%s-%s%s", request->outdir, c->suite, c->test, ending);
    file_tame(path + start);
    if (coverage_write(c, path, &why) < 0)
        return cli_fail("%s", why.text);
    return CLI_OK;
}

/* ---- The verb ------------------------------------------------------------------------------- */

static int parse(struct request *request, int argc, char **argv)
{
    static const struct option long_options[] = {
        {"outdir", required_argument, NULL, 'o'},
        {"any-build", no_argument, NULL, 'b'},
        {"verbose", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "o:vh", long_options, NULL)) != -1) {
        if (option == 'h') {
            (void)fputs(help, stdout);
            return -1;
        }
        if (option == 'o')
            request->outdir = optarg;
        else if (option == 'b')
            request->any_build = true;
        else if (option == 'v')
            request->is_verbose = true;
        else
            return cli_fail("`sennit coverage --help` lists the options");
    }
    if (optind == argc)
        return cli_fail("coverage needs files or directories; `sennit coverage --help` says more");
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    struct request request = {.outdir = NULL};
    int code = parse(&request, argc, argv);

    if (code != CLI_OK)
        return code < 0 ? CLI_OK : code;
    for (int i = optind; i < argc && code == CLI_OK; i++)
        code = add_path(&request, argv[i]);
    for (const struct group *g = request.groups; g != NULL && code == CLI_OK; g = g->next) {
        print(&request, g->coverage);
        if (request.outdir != NULL)
            code = write_one(&request, g->coverage);
    }
    while (request.groups != NULL) {
        struct group *next = request.groups->next;

        mem_release(request.groups->coverage, sizeof(*request.groups->coverage));
        free(request.groups);
        request.groups = next;
    }
    return code;
}

const struct cli_verb cli_coverage = {
    .name = "coverage",
    .usage = "[OPTION...] PATH...",
    .about = "tells what several runs have shown",
    .run = run,
};
