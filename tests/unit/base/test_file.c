/* test_file.c - tests of file.c, in a directory of their own. SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <fcntl.h>
#include <sennit/test.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/sennit-test-file-XXXXXX";
static struct err why;

static int setup(void **state)
{
    (void)state;
    (void)strcpy(folder, "/tmp/sennit-test-file-XXXXXX");
    why.text[0] = '\0';
    return mkdtemp(folder) == NULL || chdir(folder) < 0 ? -1 : 0;
}

/* Removes what the tests may have made; nothing else must be left. */
static int teardown(void **state)
{
    static const char *const names[] = {"a", "link", "pipe", "d/e/f", "d/e", "d"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        (void)remove(names[i]);
    return chdir("/") < 0 || rmdir(folder) < 0 ? -1 : 0;
}

static int put(const char *path, const char *text)
{
    struct file_part parts[] = {{text, strlen(text)}, {"!\n", 2}};

    return file_replace(path, parts, 2, &why);
}

static const char *contents(const char *path)
{
    static char text[64];
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, text, sizeof(text) - 1);

    text[n > 0 ? n : 0] = '\0';
    (void)close(fd);
    return text;
}

static void a_new_file_holds_all_the_parts(void **state)
{
    (void)state;

    assert_int_equal(put("a", "new"), 0);

    assert_string_equal(contents("a"), "new!\n");
}

static void an_old_file_is_replaced_not_written_to(void **state)
{
    int old;
    char text[16] = "";

    (void)state;
    assert_int_equal(put("a", "old"), 0);
    old = open("a", O_RDONLY);

    assert_int_equal(put("a", "new"), 0);

    assert_int_equal(read(old, text, sizeof(text) - 1), 5);
    assert_string_equal(text, "old!\n");
    assert_string_equal(contents("a"), "new!\n");
    (void)close(old);
}

static void what_a_link_leads_to_is_replaced_and_the_link_stays(void **state)
{
    struct stat found;

    (void)state;
    assert_int_equal(put("a", "old"), 0);
    assert_int_equal(symlink("a", "link"), 0);

    assert_int_equal(put("link", "new"), 0);

    assert_string_equal(contents("a"), "new!\n");
    assert_int_equal(lstat("link", &found), 0);
    assert_true(S_ISLNK(found.st_mode));
}

static void what_is_no_file_is_written_to(void **state)
{
    struct stat found;
    char text[16] = "";
    int reader;

    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    reader = open("pipe", O_RDONLY | O_NONBLOCK);

    assert_int_equal(put("pipe", "new"), 0);

    assert_int_equal(read(reader, text, sizeof(text) - 1), 5);
    assert_string_equal(text, "new!\n");
    assert_int_equal(lstat("pipe", &found), 0);
    assert_true(S_ISFIFO(found.st_mode));
    (void)close(reader);
}

static void a_directory_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0700), 0);

    assert_int_equal(file_try("d", &why), SN_EIO);
    assert_int_equal(put("d", "new"), SN_EIO);
    assert_string_equal(why.text, "d: cannot be written (Is a directory)");
}

/* A limit instead of /dev/full: if this failed, it might replace a device of the machine. */
static void a_file_that_cannot_be_written_whole_stays_what_it_was(void **state)
{
    struct rlimit before;
    struct rlimit small;
    int rc;

    (void)state;
    assert_int_equal(put("a", "old"), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 2, .rlim_max = before.rlim_max};
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);

    rc = put("a", "new");

    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(rc, SN_EIO);
    assert_string_equal(why.text, "a: cannot be written (File too large)");
    assert_string_equal(contents("a"), "old!\n");
}

static void a_file_in_a_directory_that_is_not_there_is_refused(void **state)
{
    (void)state;

    assert_int_equal(file_try("d/e/f", &why), SN_EIO);
    assert_int_equal(put("d/e/f", "new"), SN_EIO);
}

static void names_that_are_empty_or_too_long_are_refused(void **state)
{
    static char longest[FILE_PATH_MAX + 1];

    (void)state;
    memset(longest, 'a', FILE_PATH_MAX);

    assert_int_equal(file_try("", &why), SN_EINVAL);
    assert_int_equal(put(longest, "new"), SN_EINVAL);
    assert_int_equal(file_make_dirs("", &why), SN_EINVAL);
    assert_int_equal(file_make_dirs(longest, &why), SN_EINVAL);
}

static void trying_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(put("a", "old"), 0);

    assert_int_equal(file_try("a", &why), 0);
    assert_int_equal(file_try("d", &why), 0);

    assert_string_equal(contents("a"), "old!\n");
    assert_int_equal(access("d", F_OK), -1);
}

static void directories_are_made_with_those_above_them(void **state)
{
    struct stat found;

    (void)state;

    assert_int_equal(file_make_dirs("d/e", &why), 0);
    assert_int_equal(file_make_dirs("d/e", &why), 0);

    assert_int_equal(stat("d/e", &found), 0);
    assert_true(S_ISDIR(found.st_mode));
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_file_holds_all_the_parts),
        TEST(an_old_file_is_replaced_not_written_to),
        TEST(what_a_link_leads_to_is_replaced_and_the_link_stays),
        TEST(what_is_no_file_is_written_to),
        TEST(a_directory_is_refused),
        TEST(a_file_that_cannot_be_written_whole_stays_what_it_was),
        TEST(a_file_in_a_directory_that_is_not_there_is_refused),
        TEST(names_that_are_empty_or_too_long_are_refused),
        TEST(trying_changes_nothing),
        TEST(directories_are_made_with_those_above_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
