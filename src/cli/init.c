/* init.c - `sennit init DIR`: a new project that builds, finds a bug, and passes once repaired.
 *
 * Nothing is ever overwritten: the directory must be new or empty, and each file is created.
 * SPDX-License-Identifier: MIT
 */
#include "cli/cli.h"
#include "cli/init_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: sennit init [OPTION...] DIR\n"
    "Writes a small project into a new or empty directory: a test with a bug at a marked line, "
    "with\n"
    "a Makefile, a CMakeLists.txt and a meson.build, of which each is enough.\n\n"
    "      --language NAME  c or c++ (c)\n"
    "  -h, --help           this text\n\n"
    "Exit: 0, or 2 if the directory is not empty or cannot be written.\n";

static const struct option long_options[] = {
    {"language", required_argument, NULL, 'L'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct request {
    const char *directory;
    const char *language;
    bool is_help;
};

static int parse(struct request *request, int argc, char **argv)
{
    int option;

    *request = (struct request){.language = "c"};
    while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        if (option == 'h') {
            request->is_help = true;
            return CLI_OK;
        }
        if (option != 'L')
            return cli_fail("`sennit init --help` lists the options");
        request->language = optarg;
    }
    if (strcmp(request->language, "c") != 0 && strcmp(request->language, "c++") != 0)
        return cli_fail("--language is c or c++, not \"%s\"", request->language);
    if (optind + 1 != argc)
        return cli_fail("init needs one directory; `sennit init --help` says more");
    request->directory = argv[optind];
    return CLI_OK;
}

/* Whether nothing is in a directory. What a version control system keeps does not count. */
static bool is_empty(DIR *directory)
{
    static const char *const ignored[] = {".", "..", ".git", ".hg", ".svn"};
    const struct dirent *entry;

    while ((entry = readdir(directory)) != NULL) {
        bool is_ignored = false;

        for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
            is_ignored = is_ignored || strcmp(entry->d_name, ignored[i]) == 0;
        if (!is_ignored)
            return false;
    }
    return true;
}

/* Makes the directory, or finds it empty. Leaves a descriptor of it in *fd. */
static int open_directory(const char *path, int *fd)
{
    DIR *directory;
    bool was_empty;

    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return cli_fail("cannot make the directory %s: %s", path, strerror(errno));
    directory = opendir(path);
    if (directory == NULL)
        return cli_fail("cannot open the directory %s: %s", path, strerror(errno));
    was_empty = is_empty(directory);
    (void)closedir(directory);
    if (!was_empty)
        return cli_fail("%s is not empty: init writes into a new or empty directory only", path);
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0)
        return cli_fail("cannot open the directory %s: %s", path, strerror(errno));
    return CLI_OK;
}

/* Makes the folders of a path like .github/workflows/test.yml. */
static int make_folders(int directory, const char *path)
{
    char folder[256];

    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        (void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
        if (mkdirat(directory, folder, 0777) < 0 && errno != EEXIST)
            return -1;
    }
    return 0;
}

static int write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

static int write_file(int directory, const struct init_file *file)
{
    int rc;
    int fd;

    if (make_folders(directory, file->path) < 0)
        return -1;
    fd = openat(directory, file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    rc = write_all(fd, file->bytes, file->size);
    if (close(fd) < 0)
        rc = -1;
    return rc;
}

static int write_project(const struct request *request, int directory)
{
    for (const struct init_file *file = init_files; file->path != NULL; file++) {
        if (file->language[0] != '\0' && strcmp(file->language, request->language) != 0)
            continue;
        if (write_file(directory, file) < 0)
            return cli_fail("cannot write %s/%s: %s", request->directory, file->path,
                            strerror(errno));
    }
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    struct request request;
    int directory = -1;
    int rc = parse(&request, argc, argv);

    if (rc != CLI_OK)
        return rc;
    if (request.is_help) {
        (void)fputs(help, stdout);
        return CLI_OK;
    }
    rc = open_directory(request.directory, &directory);
    if (rc != CLI_OK)
        return rc;
    rc = write_project(&request, directory);
    (void)close(directory);
    if (rc != CLI_OK)
        return rc;
    (void)printf("%s has a test that finds a bug: cd %s && make\n"
                 "README.md says how to go on from there.\n",
                 request.directory, request.directory);
    return CLI_OK;
}

const struct cli_verb cli_init = {
    .name = "init",
    .usage = "[OPTION...] DIR",
    .about = "writes a project to start from",
    .run = run,
};
