/* test_options.c - tests of options.c. SPDX-License-Identifier: MIT */
#include "api/options.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct options options;
static struct err why;

/* No test sees a variable of another one, or of whoever runs the tests. */
static int setup(void **state)
{
    (void)state;
    why.text[0] = '\0';
    for (char **at = environ; *at != NULL;) {
        char name[64];

        if (strncmp(*at, "SENNIT_", 7) != 0 || sscanf(*at, "%63[^=]", name) != 1) {
            at++;
            continue;
        }
        if (unsetenv(name) < 0)
            return -1;
        at = environ;
    }
    return 0;
}

/* Parses up to four words. */
static int parse(char *a, char *b, char *c, char *d)
{
    static char program[] = "program";
    char *argv[] = {program, a, b, c, d, NULL};
    int argc = 1;

    while (argv[argc] != NULL)
        argc++;
    return options_parse(&options, argc, argv, &why);
}

/* Two words, which string literals may be: getopt_long changes only their order. */
#define PARSE(a_, b_) parse((char[]){a_}, (char[]){b_}, NULL, NULL)

static int with(const char *variable, const char *value)
{
    assert_int_equal(setenv(variable, value, 1), 0);
    return parse(NULL, NULL, NULL, NULL);
}

static void assert_refused(const char *variable, const char *value, const char *sentence)
{
    assert_int_equal(with(variable, value), SN_EINVAL);
    assert_string_equal(why.text, sentence);
}

/* ---- The command line ----------------------------------------------------------------------- */

static void without_options_there_are_defaults(void **state)
{
    (void)state;

    assert_int_equal(parse(NULL, NULL, NULL, NULL), 0);

    assert_int_equal(options.action, OPTIONS_RUN);
    assert_string_equal(options.run.outdir, "sennit-out");
    assert_int_equal(options.jobs, 1);
    assert_int_equal(options.shard, 1);
    assert_int_equal(options.shards, 1);
    assert_int_equal(options.color, OPTIONS_COLOR_AUTO);
    assert_int_equal(options.timeout_s, 0);
    assert_null(options.xml);
    assert_null(options.corpus);
    assert_false(options.tap);
    assert_false(options.verify_determinism);
}

static void a_timeout_is_in_seconds(void **state)
{
    (void)state;

    assert_int_equal(PARSE("-t", "90"), 0);

    assert_int_equal(options.timeout_s, 90);
}

static void jobs_are_counted(void **state)
{
    (void)state;

    assert_int_equal(PARSE("-j", "3"), 0);

    assert_int_equal(options.jobs, 3);
}

static uint64_t processors(void)
{
    cpu_set_t set;

    assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
    return (uint64_t)CPU_COUNT(&set);
}

static void auto_jobs_are_as_many_as_processors(void **state)
{
    (void)state;

    assert_int_equal(PARSE("-j", "auto"), 0);
    assert_int_equal(options.jobs, processors());
    assert_int_equal(PARSE("--jobs", "0"), 0);
    assert_int_equal(options.jobs, processors());
}

static void jobs_that_are_none_are_refused(void **state)
{
    (void)state;

    assert_int_equal(PARSE("-j", "many"), SN_EINVAL);
    assert_string_equal(why.text,
                        "--jobs needs a number of processes up to 256, or auto, not \"many\"");
    assert_int_equal(PARSE("-j", "1025"), SN_EINVAL);
}

static void a_shard_is_a_number_of_so_many(void **state)
{
    (void)state;

    assert_int_equal(PARSE("--shard", "2/8"), 0);

    assert_int_equal(options.shard, 2);
    assert_int_equal(options.shards, 8);
}

static void a_shard_that_is_none_is_refused(void **state)
{
    (void)state;

    assert_int_equal(PARSE("--shard", "0/8"), SN_EINVAL);
    assert_int_equal(PARSE("--shard", "9/8"), SN_EINVAL);
    assert_int_equal(PARSE("--shard", "1"), SN_EINVAL);
    assert_int_equal(PARSE("--shard", "/8"), SN_EINVAL);
    assert_int_equal(PARSE("--shard", "1/"), SN_EINVAL);
    assert_int_equal(PARSE("--shard", "1/8x"), SN_EINVAL);
    assert_int_equal(PARSE("--shard", "00000000000000000000000000000001/8"), SN_EINVAL);
    assert_int_equal(PARSE("--shard", "x/8"), SN_EINVAL);
    assert_string_equal(why.text, "--shard needs I/N with I from 1 to N, not \"x/8\"");
}

static void colour_is_chosen_in_either_spelling(void **state)
{
    (void)state;

    assert_int_equal(PARSE("--color", "always"), 0);
    assert_int_equal(options.color, OPTIONS_COLOR_ALWAYS);
    assert_int_equal(PARSE("--colour", "never"), 0);
    assert_int_equal(options.color, OPTIONS_COLOR_NEVER);
    assert_int_equal(PARSE("--color", "auto"), 0);
    assert_int_equal(options.color, OPTIONS_COLOR_AUTO);
    assert_int_equal(PARSE("--color", "red"), SN_EINVAL);
    assert_string_equal(why.text, "--color can be auto, always or never, not \"red\"");
}

static void formats_are_chosen(void **state)
{
    (void)state;

    assert_int_equal(parse((char[]){"--tap"}, (char[]){"--xml"}, (char[]){"a.xml"}, NULL), 0);

    assert_true(options.tap);
    assert_string_equal(options.xml, "a.xml");
}

static void every_option_but_another_spelling_is_in_the_help(void **state)
{
    static char buffer[8192];
    struct sn_text out;

    (void)state;
    text_init(&out, buffer, sizeof(buffer));

    options_print_help(&out);

    assert_false(out.cut);
    assert_non_null(strstr(buffer, "\n  -j, --jobs N         run trials in N processes"));
    assert_non_null(
        strstr(buffer, "\n      --verify-determinism\n                       run each"));
    assert_null(strstr(buffer, "colour"));
}

/* ---- The environment ------------------------------------------------------------------------ */

static void numbers_can_be_variables(void **state)
{
    (void)state;

    assert_int_equal(with("SENNIT_ITERATIONS", "12"), 0);
    assert_int_equal(options.run.iterations, 12);
    assert_int_equal(with("SENNIT_TIMEOUT", "13"), 0);
    assert_int_equal(options.timeout_s, 13);
    assert_int_equal(with("SENNIT_SEED", "14"), 0);
    assert_int_equal(options.run.seed, 14);
    assert_int_equal(with("SENNIT_MAX_STEPS", "15"), 0);
    assert_int_equal(options.run.max_steps, 15);
    assert_int_equal(with("SENNIT_HANG", "17"), 0);
    assert_int_equal(options.hang_s, 17);
    assert_int_equal(with("SENNIT_MEMORY", "18"), 0);
    assert_int_equal(options.memory_mb, 18);
    assert_int_equal(with("SENNIT_JOBS", "16"), 0);
    assert_int_equal(options.jobs, 16);
    assert_int_equal(with("SENNIT_SHARD", "3/4"), 0);
    assert_int_equal(options.shard, 3);
    assert_int_equal(options.shards, 4);
}

static void words_can_be_variables(void **state)
{
    (void)state;

    assert_int_equal(with("SENNIT_STRATEGY", "dfs"), 0);
    assert_string_equal(options.run.strategy, "dfs");
    assert_int_equal(with("SENNIT_FILTER", "x"), 0);
    assert_string_equal(options.filter, "x");
    assert_int_equal(with("SENNIT_OUTDIR", "o"), 0);
    assert_string_equal(options.run.outdir, "o");
    assert_int_equal(with("SENNIT_CORPUS", "c"), 0);
    assert_string_equal(options.corpus, "c");
    assert_int_equal(with("SENNIT_XML", "j.xml"), 0);
    assert_string_equal(options.xml, "j.xml");
    assert_int_equal(with("SENNIT_BUG", "b"), 0);
    assert_int_equal(options.n_bugs, 1);
    assert_string_equal(options.bugs[0], "b");
    assert_int_equal(with("SENNIT_REPLAY", "t.trace"), 0);
    assert_int_equal(options.action, OPTIONS_REPLAY);
    assert_string_equal(options.replay, "t.trace");
}

static void choices_can_be_variables(void **state)
{
    (void)state;

    assert_int_equal(with("SENNIT_TIMERS", "any"), 0);
    assert_int_equal(options.run.timers, SN_RUN_TIMERS_ANY);
    assert_int_equal(with("SENNIT_ISOLATE", "fork"), 0);
    assert_true(options.fork);
    assert_int_equal(with("SENNIT_COLOR", "always"), 0);
    assert_int_equal(options.color, OPTIONS_COLOR_ALWAYS);
    assert_int_equal(with("SENNIT_COLOUR", "never"), 0);
    assert_int_equal(options.color, OPTIONS_COLOR_NEVER);
}

static void flags_can_be_variables(void **state)
{
    (void)state;

    assert_int_equal(with("SENNIT_KEEP_GOING", "1"), 0);
    assert_true(options.run.keep_going);
    assert_int_equal(with("SENNIT_STEP", "yes"), 0);
    assert_true(options.step);
    assert_int_equal(with("SENNIT_JSON", "true"), 0);
    assert_true(options.json);
    assert_int_equal(with("SENNIT_RERUN", "on"), 0);
    assert_true(options.run.rerun);
    assert_int_equal(with("SENNIT_LEAKS", "1"), 0);
    assert_true(options.leaks);
    assert_int_equal(with("SENNIT_TAP", "TRUE"), 0);
    assert_true(options.tap);
    assert_int_equal(with("SENNIT_VERIFY_DETERMINISM", "1"), 0);
    assert_true(options.verify_determinism);
    assert_int_equal(with("SENNIT_VERBOSE", "1"), 0);
    assert_int_equal(options.verbosity, 1);
    assert_int_equal(with("SENNIT_QUIET", "1"), 0);
    assert_int_equal(options.verbosity, -1);
    assert_int_equal(with("SENNIT_LIST", "1"), 0);
    assert_int_equal(options.action, OPTIONS_LIST);
    assert_int_equal(with("SENNIT_BUGS", "1"), 0);
    assert_int_equal(options.action, OPTIONS_BUGS);
}

static void a_flag_can_be_switched_off(void **state)
{
    (void)state;

    assert_int_equal(with("SENNIT_TAP", "0"), 0);
    assert_false(options.tap);
    assert_int_equal(with("SENNIT_KEEP_GOING", "false"), 0);
    assert_false(options.run.keep_going);
}

static void an_empty_variable_is_none(void **state)
{
    (void)state;

    assert_int_equal(with("SENNIT_SEED", ""), 0);
    assert_int_equal(with("SENNIT_TAP", ""), 0);
    assert_int_equal(with("SENNIT_OUTDIR", ""), 0);

    assert_int_equal(options.run.seed, 0);
    assert_false(options.tap);
    assert_string_equal(options.run.outdir, "sennit-out");
}

static void a_bad_number_in_a_variable_names_the_variable(void **state)
{
    (void)state;

    assert_refused("SENNIT_MAX_STEPS", "few", "SENNIT_MAX_STEPS needs a whole number, not \"few\"");
}

static void a_bad_choice_in_a_variable_names_the_variable(void **state)
{
    (void)state;

    assert_refused("SENNIT_ISOLATE", "x", "SENNIT_ISOLATE can be fork or none, not \"x\"");
}

static void a_bad_flag_in_a_variable_names_the_variable(void **state)
{
    (void)state;

    assert_refused("SENNIT_KEEP_GOING", "maybe", "SENNIT_KEEP_GOING can be 1 or 0, not \"maybe\"");
}

static void variables_that_only_look_like_help_and_version_are_left_alone(void **state)
{
    (void)state;

    assert_int_equal(with("SENNIT_VERSION", "0.1.0"), 0);
    assert_int_equal(with("SENNIT_HELP", "1"), 0);
    assert_int_equal(options.action, OPTIONS_RUN);
}

static void the_command_line_wins(void **state)
{
    (void)state;
    assert_int_equal(setenv("SENNIT_SEED", "5", 1), 0);
    assert_int_equal(setenv("SENNIT_QUIET", "1", 1), 0);
    assert_int_equal(setenv("SENNIT_LIST", "1", 1), 0);

    assert_int_equal(parse((char[]){"--seed"}, (char[]){"6"}, (char[]){"-v"}, (char[]){"--bugs"}),
                     0);

    assert_int_equal(options.run.seed, 6);
    assert_int_equal(options.verbosity, 1);
    assert_int_equal(options.action, OPTIONS_BUGS);
}

static void bugs_of_the_command_line_replace_that_of_the_environment(void **state)
{
    (void)state;
    assert_int_equal(setenv("SENNIT_BUG", "old", 1), 0);

    assert_int_equal(parse((char[]){"--bug"}, (char[]){"a"}, (char[]){"--bug"}, (char[]){"b"}), 0);

    assert_int_equal(options.n_bugs, 2);
    assert_string_equal(options.bugs[0], "a");
    assert_string_equal(options.bugs[1], "b");
}

#define TEST(name_) cmocka_unit_test_setup(name_, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_options_there_are_defaults),
        TEST(a_timeout_is_in_seconds),
        TEST(jobs_are_counted),
        TEST(auto_jobs_are_as_many_as_processors),
        TEST(jobs_that_are_none_are_refused),
        TEST(a_shard_is_a_number_of_so_many),
        TEST(a_shard_that_is_none_is_refused),
        TEST(colour_is_chosen_in_either_spelling),
        TEST(formats_are_chosen),
        TEST(every_option_but_another_spelling_is_in_the_help),
        TEST(numbers_can_be_variables),
        TEST(words_can_be_variables),
        TEST(choices_can_be_variables),
        TEST(flags_can_be_variables),
        TEST(a_flag_can_be_switched_off),
        TEST(an_empty_variable_is_none),
        TEST(a_bad_number_in_a_variable_names_the_variable),
        TEST(a_bad_choice_in_a_variable_names_the_variable),
        TEST(a_bad_flag_in_a_variable_names_the_variable),
        TEST(variables_that_only_look_like_help_and_version_are_left_alone),
        TEST(the_command_line_wins),
        TEST(bugs_of_the_command_line_replace_that_of_the_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
