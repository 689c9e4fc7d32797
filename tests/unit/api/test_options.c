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
static const struct sn_option *own_table;

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
    return options_parse(&options, own_table, argc, argv, &why);
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

/* ---- The program's own ---------------------------------------------------------------------- */

static uint64_t size = 3;
static const char *colour = "red";
static const char *const colours[] = {"red", "blue", NULL};
static const struct sn_option own_options[] = {
    {.name = "size", .about = "how large it is", .number = &size, .min = 2, .max = 9},
    {.name = "hue", .about = "what it looks like", .word = &colour, .words = colours},
    {0},
};

static int apply(size_t *n_args)
{
    static const char *args[2 * OWN_OPTIONS_MAX];

    *n_args = 0;
    return own_options_apply(&options.own, args, n_args, &why);
}

/* Parses two words with options of the program's own, and applies those. */
static int apply_own(char *a, char *b, size_t *n_args)
{
    int rc;

    own_table = own_options;
    rc = parse(a, b, NULL, NULL);
    own_table = NULL;
    return rc < 0 ? rc : apply(n_args);
}

static int own_setup(void **state)
{
    size = 3;
    colour = "red";
    return setup(state);
}

static void a_program_can_have_options_of_its_own(void **state)
{
    size_t n;

    (void)state;
    assert_int_equal(apply_own((char[]){"--size"}, (char[]){"7"}, &n), 0);
    assert_int_equal(size, 7);
    assert_string_equal(colour, "red");
    assert_int_equal(n, 2);
    assert_int_equal(apply_own((char[]){"--hue=blue"}, NULL, &n), 0);
    assert_string_equal(colour, "blue");
}

static void an_own_option_without_words_takes_any_text(void **state)
{
    const struct sn_option table[] = {{.name = "title", .about = "any", .word = &colour}, {0}};
    const char *args[2 * OWN_OPTIONS_MAX];
    size_t n = 0;

    (void)state;
    own_table = table;
    assert_int_equal(parse((char[]){"--title"}, (char[]){"a word, or two"}, NULL, NULL), 0);
    own_table = NULL;
    assert_int_equal(own_options_apply(&options.own, args, &n, &why), 0);
    assert_string_equal(colour, "a word, or two");
}

static void they_stand_in_what_makes_the_program_the_same_again(void **state)
{
    const char *args[2 * OWN_OPTIONS_MAX];
    size_t n = 0;

    (void)state;
    own_table = own_options;
    assert_int_equal(parse((char[]){"--hue=blue"}, (char[]){"--size=9"}, NULL, NULL), 0);
    own_table = NULL;
    assert_int_equal(own_options_apply(&options.own, args, &n, &why), 0);

    assert_int_equal(n, 4);
    assert_string_equal(args[0], "--size");
    assert_string_equal(args[1], "9");
    assert_string_equal(args[2], "--hue");
    assert_string_equal(args[3], "blue");
}

static void what_is_not_given_stays_as_it_is(void **state)
{
    size_t n;

    (void)state;
    assert_int_equal(apply_own(NULL, NULL, &n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(size, 3);
    assert_string_equal(colour, "red");
}

static void assert_own_refused(char *option, char *value, const char *sentence)
{
    size_t n;

    assert_int_equal(apply_own(option, value, &n), SN_EINVAL);
    assert_string_equal(why.text, sentence);
    assert_int_equal(size, 3);
}

static void a_number_out_of_bounds_is_refused(void **state)
{
    (void)state;
    assert_own_refused((char[]){"--size"}, (char[]){"1"},
                       "--size needs a whole number from 2 to 9, not \"1\"");
    assert_own_refused((char[]){"--size"}, (char[]){"10"},
                       "--size needs a whole number from 2 to 9, not \"10\"");
    assert_own_refused((char[]){"--size"}, (char[]){"5x"},
                       "--size needs a whole number from 2 to 9, not \"5x\"");
    assert_own_refused((char[]){"--size"}, (char[]){"-5"},
                       "--size needs a whole number from 2 to 9, not \"-5\"");
}

static void a_number_without_bounds_can_be_any(void **state)
{
    const struct sn_option table[] = {{.name = "size", .number = &size}, {0}};
    size_t n;

    (void)state;
    own_table = table;
    assert_int_equal(parse((char[]){"--size=18446744073709551615"}, NULL, NULL, NULL), 0);
    own_table = NULL;
    assert_int_equal(apply(&n), 0);
    assert_true(size == UINT64_MAX);
}

static void a_word_that_is_none_of_them_is_refused(void **state)
{
    (void)state;
    assert_own_refused((char[]){"--hue"}, (char[]){"green"},
                       "--hue can be red or blue, not \"green\"");
}

static void of_words_that_do_not_fit_the_first_are_named(void **state)
{
    static char word[] = "an-option-may-have-words-that-are-rather-long-and-many-of-them";
    static const char *const words[] = {word, word, word, word, word, word, word, NULL};
    const struct sn_option table[] = {{.name = "hue", .word = &colour, .words = words}, {0}};
    size_t n;

    (void)state;
    own_table = table;
    assert_int_equal(parse((char[]){"--hue=green"}, NULL, NULL, NULL), 0);
    own_table = NULL;
    assert_int_equal(apply(&n), SN_EINVAL);
    assert_non_null(strstr(why.text, "--hue can be an-option-may-have"));
    assert_non_null(strstr(why.text, "many-of-them, ..., not \"green\""));
}

static void without_its_value_an_own_option_is_refused(void **state)
{
    (void)state;
    assert_own_refused((char[]){"--size"}, NULL, "--size: needs a value; --help lists the options");
}

static void a_program_without_options_of_its_own_knows_none(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--size", "7"), SN_EINVAL);
}

static void assert_table_refused(const struct sn_option *table, const char *sentence)
{
    own_table = table;
    assert_int_equal(parse(NULL, NULL, NULL, NULL), SN_EINVAL);
    own_table = NULL;
    assert_string_equal(why.text, sentence);
}

static void an_own_option_that_is_there_already_is_refused(void **state)
{
    const struct sn_option table[] = {{.name = "seed", .number = &size}, {0}};

    (void)state;
    assert_table_refused(table, "the program's own option --seed is there already");
}

static void an_own_option_that_sets_nothing_is_refused(void **state)
{
    const struct sn_option nothing[] = {{.name = "size"}, {0}};
    const struct sn_option both[] = {
        {.name = "size", .number = &size, .word = &colour, .words = colours}, {0}};

    (void)state;
    assert_table_refused(nothing, "the option --size needs either a number or a word");
    assert_table_refused(both, "the option --size needs either a number or a word");
}

static void too_long_a_name_is_refused(void **state)
{
    const struct sn_option table[] = {
        {.name = "an-option-with-a-name-of-forty-characters", .number = &size}, {0}};

    (void)state;
    assert_table_refused(
        table, "the name of the option --an-option-with-a-name-of-forty-characters is too long");
}

static void too_many_own_options_are_refused(void **state)
{
    struct sn_option table[OWN_OPTIONS_MAX + 2] = {{0}};

    (void)state;
    for (int i = 0; i <= OWN_OPTIONS_MAX; i++)
        table[i] = (struct sn_option){.name = "size", .number = &size};
    assert_table_refused(table, "the program has more than 16 options of its own");
}

static void a_trace_gives_own_options_too(void **state)
{
    char value[] = "blue";
    size_t n;

    (void)state;
    options = (struct options){.own = {.table = own_options}};
    assert_true(own_options_give(&options.own, "hue", value));
    assert_false(own_options_give(&options.own, "weight", "5"));
    assert_int_equal(apply(&n), 0);
    memset(value, 0, sizeof(value)); /* the trace is closed */
    assert_string_equal(colour, "blue");
}

static void own_options_are_in_the_help(void **state)
{
    static char buffer[8192];
    struct sn_text out;

    (void)state;
    text_init(&out, buffer, sizeof(buffer));

    own_options_print_help(own_options, &out);

    assert_string_equal(buffer, "\nOf this program alone:\n"
                                "      --size N         how large it is\n"
                                "      --hue WORD       what it looks like\n");
}

#define TEST(name_) cmocka_unit_test_setup(name_, setup)
#define OWN(name_) cmocka_unit_test_setup(name_, own_setup)

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
        OWN(a_program_can_have_options_of_its_own),
        OWN(they_stand_in_what_makes_the_program_the_same_again),
        OWN(what_is_not_given_stays_as_it_is),
        OWN(a_number_out_of_bounds_is_refused),
        OWN(a_number_without_bounds_can_be_any),
        OWN(a_word_that_is_none_of_them_is_refused),
        OWN(of_words_that_do_not_fit_the_first_are_named),
        OWN(without_its_value_an_own_option_is_refused),
        OWN(a_program_without_options_of_its_own_knows_none),
        OWN(an_own_option_that_is_there_already_is_refused),
        OWN(an_own_option_without_words_takes_any_text),
        OWN(an_own_option_that_sets_nothing_is_refused),
        OWN(too_long_a_name_is_refused),
        OWN(too_many_own_options_are_refused),
        OWN(a_trace_gives_own_options_too),
        OWN(own_options_are_in_the_help),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
