/* test_classic.c - properties that are known to be hard to shrink, and the smallest values that
 * refute them. Most are from a collection for comparing shrinkers, jlink/shrinking-challenge. The
 * program is its own test program, too: a shrunk trial is replayed by starting it anew.
 * SPDX-License-Identifier: MIT
 */
#include "api/shrink.h"

#include <sennit/sennit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#undef run_test /* it is cmocka's, too */

/* ---- Properties: all of them are wrong ------------------------------------------------------ */

static void reverse(void)
{
    size_t n;
    int64_t *xs = sn_ints("xs", 0, 100, INT32_MIN, INT32_MAX, &n);

    for (size_t i = 0; i < n; i++)
        sn_assert(xs[i] == xs[n - 1 - i]);
}

/* Forgets to move the last element. */
static void wrong_sort(void)
{
    size_t n;
    int64_t *xs = sn_ints("xs", 0, 50, -1000, 1000, &n);
    int64_t sorted[64];

    memcpy(sorted, xs, n * sizeof(*xs));
    for (size_t i = 0; i + 1 < n; i++) {
        for (size_t k = i + 1; k + 1 < n; k++) {
            int64_t x = sorted[i];

            if (sorted[k] < x) {
                sorted[i] = sorted[k];
                sorted[k] = x;
            }
        }
    }
    for (size_t i = 0; i + 1 < n; i++)
        sn_assert(sorted[i] <= sorted[i + 1]);
}

static void length_limit(void)
{
    size_t n;

    (void)sn_ints("xs", 0, 100, INT64_MIN, INT64_MAX, &n);
    sn_assert(n < 10);
}

static void text_length(void)
{
    sn_assert(strlen(sn_string("text", NULL, 0, 100)) <= 5);
}

struct tree {
    int64_t value;
    struct tree *left;
    struct tree *right;
};

static struct tree *grow(struct sn_budget *budget)
{
    struct tree *tree;

    if (!sn_deeper("node", budget))
        return NULL;
    tree = sn_alloc(sizeof(*tree));
    tree->value = sn_int("value", -100, 100);
    tree->left = grow(budget);
    tree->right = grow(budget);
    sn_back(budget);
    return tree;
}

static size_t depth_of(const struct tree *tree)
{
    size_t left = tree != NULL ? depth_of(tree->left) : 0;
    size_t right = tree != NULL ? depth_of(tree->right) : 0;

    return tree != NULL ? 1 + (left > right ? left : right) : 0;
}

static size_t print_tree(char *out, const struct tree *tree)
{
    size_t n = 0;

    if (tree == NULL)
        return (size_t)sprintf(out, "-");
    n += (size_t)sprintf(out, "(%d ", (int)tree->value);
    n += print_tree(out + n, tree->left);
    n += (size_t)sprintf(out + n, " ");
    n += print_tree(out + n, tree->right);
    return n + (size_t)sprintf(out + n, ")");
}

static void note_tree(const struct tree *tree)
{
    char text[2048];

    (void)print_tree(text, tree);
    sn_note("tree = %s", text);
}

static void tree_depth(void)
{
    struct sn_budget budget = {.size = 40, .depth = 10};
    const struct tree *tree = grow(&budget);

    note_tree(tree);
    sn_assert(depth_of(tree) < 4);
}

/* A subtree deep inside is all that matters. */
static bool has_twins(const struct tree *tree)
{
    if (tree == NULL)
        return false;
    if (tree->left != NULL && tree->right != NULL && tree->left->value == tree->right->value &&
        tree->value > 2)
        return true;
    return has_twins(tree->left) || has_twins(tree->right);
}

static void tree_twins(void)
{
    struct sn_budget budget = {.size = 40, .depth = 10};
    const struct tree *tree = grow(&budget);

    note_tree(tree);
    sn_assert(!has_twins(tree));
}

/* A number, and so many elements. */
static void number_and_list(void)
{
    size_t n = sn_size("n", 0, 30);
    size_t same;
    int64_t *xs = sn_ints("xs", n, n, 0, 100, &same);

    for (size_t i = 0; i < n; i++)
        sn_assert(xs[i] < 50);
}

static void pair_in_order(void)
{
    int64_t x = sn_int("x", 0, 1000000);
    int64_t y = sn_int("y", 0, 1000000);

    sn_assume(x < y);
    sn_assert(y - x < 100 || x < 1000);
}

static void difference_zero(void)
{
    int64_t x = sn_int("x", 1, 1000);
    int64_t y = sn_int("y", 1, 1000);

    sn_assert(x < 10 || x != y);
}

static void difference_small(void)
{
    int64_t x = sn_int("x", 1, 1000000);
    int64_t y = sn_int("y", 1, 1000000);

    sn_assert(x < 10 || llabs(x - y) > 4 || x == y);
}

static void difference_one(void)
{
    int64_t x = sn_int("x", 1, 1000000);
    int64_t y = sn_int("y", 1, 1000000);

    sn_assert(x < 10 || llabs(x - y) != 1);
}

static void sum_limit(void)
{
    size_t n;
    int64_t *xs = sn_ints("xs", 0, 100, 0, 1000, &n);
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += xs[i];
    sn_assert(sum <= 1000);
}

static bool has(const int64_t *all, size_t n, int64_t x)
{
    size_t i = 0;

    while (i < n && all[i] != x)
        i++;
    return i < n;
}

static void large_union(void)
{
    struct sn_list lists = sn_list_begin("lists", 0, 20);
    int64_t all[8];
    size_t n_all = 0;

    while (sn_list_next(&lists)) {
        size_t n;
        int64_t *xs = sn_ints("xs", 0, 20, INT32_MIN, INT32_MAX, &n);

        for (size_t i = 0; i < n && n_all < 5; i++) {
            if (!has(all, n_all, xs[i]))
                all[n_all++] = xs[i];
        }
    }
    sn_assert(n_all < 5);
}

static void nested_lists(void)
{
    struct sn_list lists = sn_list_begin("lists", 0, 20);
    size_t sum = 0;

    while (sn_list_next(&lists)) {
        size_t n;

        (void)sn_ints("xs", 0, 20, -100, 100, &n);
        sum += n;
    }
    sn_assert(sum <= 10);
}

static void substring(void)
{
    sn_assert(strstr(sn_string("text", "abcdefgh", 0, 60), "bad") == NULL);
}

/* Sums of 16 bits overflow. */
static void bound5(void)
{
    int16_t total = 0;

    for (int i = 0; i < 5; i++) {
        size_t n;
        int64_t *xs = sn_ints("xs", 0, 10, INT16_MIN, INT16_MAX, &n);
        int16_t sum = 0;

        for (size_t k = 0; k < n; k++)
            sum = (int16_t)(sum + xs[k]);
        sn_assume(sum < 256);
        total = (int16_t)(total + sum);
    }
    sn_assert(total < 5 * 256);
}

static void distinct(void)
{
    size_t n;
    int64_t *xs = sn_ints("xs", 0, 50, INT32_MIN, INT32_MAX, &n);
    int64_t all[3];
    size_t n_all = 0;

    for (size_t i = 0; i < n && n_all < 3; i++) {
        if (!has(all, n_all, xs[i]))
            all[n_all++] = xs[i];
    }
    sn_assert(n_all < 3);
}

static void deletion(void)
{
    size_t n;
    int64_t *xs = sn_ints("xs", 1, 50, 0, 1000, &n);
    size_t at = sn_choose("at", n);
    int64_t x = xs[at];

    memmove(xs + at, xs + at + 1, (n - at - 1) * sizeof(*xs));
    sn_assert(!has(xs, n - 1, x));
}

static void large_even(void)
{
    uint64_t x = sn_uint("x", 0, UINT64_MAX);

    sn_assert(x <= 1000000 || x % 2 != 0);
}

static void negative(void)
{
    sn_assert(sn_int("x", INT64_MIN, INT64_MAX) > -1000);
}

static void real(void)
{
    double x = sn_double("x", -1e9, 1e9);

    sn_assert(x < 10.5);
}

static const struct sn_test tests[] = {
    SN_PROPERTY(reverse),
    SN_PROPERTY(wrong_sort),
    SN_PROPERTY(length_limit),
    SN_PROPERTY(text_length),
    SN_PROPERTY(tree_depth),
    SN_PROPERTY(tree_twins),
    SN_PROPERTY(number_and_list),
    SN_PROPERTY(pair_in_order),
    SN_PROPERTY(difference_zero),
    SN_PROPERTY(difference_small),
    SN_PROPERTY(difference_one),
    SN_PROPERTY(sum_limit),
    SN_PROPERTY(large_union),
    SN_PROPERTY(nested_lists),
    SN_PROPERTY(substring),
    SN_PROPERTY(bound5),
    SN_PROPERTY(distinct),
    SN_PROPERTY(deletion),
    SN_PROPERTY(large_even),
    SN_PROPERTY(negative),
    SN_PROPERTY(real),
    {0},
};
static const struct sn_suite suite = {.name = "classic", .tests = tests};

/* ---- Shrinking ------------------------------------------------------------------------------ */

static char directory[] = "/tmp/sennit-classic-XXXXXX";
static char smallest[64];

static const struct sn_test *test_of(const char *name)
{
    size_t i = 0;

    while (strcmp(tests[i].name, name) != 0)
        i++;
    return &tests[i];
}

/* What was drawn in the trial of a trace, one after the other. */
static void tell(const char *path, char *out, size_t size)
{
    struct trace trace = {0};
    size_t used = 0;

    assert_int_equal(trace_read(&trace, path, NULL), 0);
    out[0] = '\0';
    for (size_t i = 0; i < trace.n_records && used < size; i++) {
        const struct trace_record *r = &trace.records[i];

        if (r->kind == TRACE_NOTE)
            used += (size_t)snprintf(out + used, size - used, "%s%.*s", used > 0 ? "; " : "",
                                     (int)r->note.text.n, r->note.text.bytes);
    }
    trace_done(&trace);
}

static void shrink(struct run_request *request, uint64_t seed, char *told, size_t size)
{
    const struct shrink_options options = {.request = request, .workers = 1};
    struct shrink_report report;
    struct trace trace = {0};
    struct sn_result r;
    struct err why = {""};

    request->options.seed = seed;
    assert_int_equal(run_test(request, &r), 0);
    assert_true(r.failures > 0);
    assert_int_equal(trace_read(&trace, r.trace, NULL), 0);
    assert_int_equal(shrink_trace(&options, &trace, smallest, &report, &why), 0);
    assert_int_equal(report.how, SHRINK_DONE);
    trace_done(&trace);
    tell(smallest, told, size);
}

/* From wherever the search begins, this is what is left, or that if there are two that are equally
 * simple. */
static void assert_minimum_or(const char *name, const char *minimum, const char *other)
{
    struct run_request request = {
        .test = test_of(name),
        .suite = "classic",
        .jobs = 1,
        .options = {.strategy = "random", .iterations = 1000000, .outdir = directory}};
    char told[2048];

    for (uint64_t seed = 1; seed <= 5; seed++) {
        shrink(&request, seed, told, sizeof(told));
        if (strcmp(told, other) != 0)
            assert_string_equal(told, minimum);
    }
}

static void assert_minimum(const char *name, const char *minimum)
{
    assert_minimum_or(name, minimum, minimum);
}

static void a_list_that_is_not_its_reverse_is_0_1(void **unused)
{
    (void)unused;
    assert_minimum("reverse", "xs = [0, 1]");
}

static void a_list_that_is_not_sorted_is_1_0_or_0_minus_1(void **unused)
{
    (void)unused;
    assert_minimum_or("wrong_sort", "xs = [0, -1]", "xs = [1, 0]");
}

static void a_list_that_is_too_long_has_the_limit_of_zeroes(void **unused)
{
    (void)unused;
    assert_minimum("length_limit", "xs = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]");
}

static void a_text_that_is_too_long_is_all_a(void **unused)
{
    (void)unused;
    assert_minimum("text_length", "text = \"aaaaaa\"");
}

static void told_tree(const char *name, const char *tree)
{
    struct run_request request = {
        .test = test_of(name),
        .suite = "classic",
        .jobs = 1,
        .options = {.strategy = "random", .iterations = 1000000, .outdir = directory}};
    char told[2048];

    for (uint64_t seed = 1; seed <= 5; seed++) {
        const char *at;

        shrink(&request, seed, told, sizeof(told));
        at = strstr(told, "tree = ");
        assert_non_null(at);
        assert_string_equal(at + strlen("tree = "), tree);
    }
}

static void a_tree_that_is_too_deep_is_one_branch_of_zeroes(void **unused)
{
    (void)unused;
    told_tree("tree_depth", "(0 - (0 - (0 - (0 - -))))");
}

static void a_subtree_that_matters_becomes_the_tree(void **unused)
{
    (void)unused;
    told_tree("tree_twins", "(3 (0 - -) (0 - -))");
}

static void a_number_and_a_list_of_that_length_become_smaller_together(void **unused)
{
    (void)unused;
    assert_minimum("number_and_list", "n = 1; xs = [50]");
}

static void two_numbers_in_order_come_to_their_limits(void **unused)
{
    (void)unused;
    assert_minimum("pair_in_order", "x = 1000; y = 1100");
}

static void two_equal_numbers_become_smaller_together(void **unused)
{
    (void)unused;
    assert_minimum("difference_zero", "x = 10; y = 10");
}

static void two_numbers_near_each_other_become_smaller_together(void **unused)
{
    (void)unused;
    assert_minimum("difference_small", "x = 10; y = 6");
}

static void two_numbers_next_to_each_other_become_smaller_together(void **unused)
{
    (void)unused;
    assert_minimum("difference_one", "x = 10; y = 9");
}

static void a_sum_over_its_limit_has_the_smaller_number_first(void **unused)
{
    (void)unused;
    assert_minimum("sum_limit", "xs = [1, 1000]");
}

static void a_union_that_is_too_large_is_one_list(void **unused)
{
    (void)unused;
    assert_minimum("large_union", "lists[0].xs = [0, 1, -1, 2, -2]");
}

static void lists_that_are_too_long_together_are_one_list(void **unused)
{
    (void)unused;
    assert_minimum("nested_lists", "lists[0].xs = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]");
}

static void a_text_with_a_forbidden_word_is_that_word(void **unused)
{
    (void)unused;
    assert_minimum("substring", "text = \"bad\"");
}

static void a_sum_that_overflows_has_two_numbers(void **unused)
{
    (void)unused;
    assert_minimum_or("bound5", "xs = []; xs = []; xs = []; xs = [-1]; xs = [-32768]",
                      "xs = []; xs = []; xs = []; xs = [-32768]; xs = [-1]");
}

static void a_list_of_three_different_numbers_is_0_1_minus_1(void **unused)
{
    (void)unused;
    assert_minimum("distinct", "xs = [0, 1, -1]");
}

static void a_list_with_one_number_twice_is_0_0(void **unused)
{
    (void)unused;
    assert_minimum("deletion", "xs = [0, 0]");
}

static void a_large_even_number_is_the_first_one_over_the_limit(void **unused)
{
    (void)unused;
    assert_minimum("large_even", "x = 1000002");
}

static void a_negative_number_is_the_one_at_the_limit(void **unused)
{
    (void)unused;
    assert_minimum("negative", "x = -1000");
}

static void a_double_is_whole_if_it_can_be(void **unused)
{
    (void)unused;
    assert_minimum("real", "x = 11");
}

static int make_directory(void **unused)
{
    (void)unused;
    if (mkdtemp(directory) == NULL)
        return -1;
    (void)snprintf(smallest, sizeof(smallest), "%s/smallest", directory);
    return 0;
}

static int remove_directory(void **unused)
{
    char command[64];

    (void)unused;
    (void)snprintf(command, sizeof(command), "rm -r %s", directory);
    return system(command);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_list_that_is_not_its_reverse_is_0_1),
        cmocka_unit_test(a_list_that_is_not_sorted_is_1_0_or_0_minus_1),
        cmocka_unit_test(a_list_that_is_too_long_has_the_limit_of_zeroes),
        cmocka_unit_test(a_text_that_is_too_long_is_all_a),
        cmocka_unit_test(a_tree_that_is_too_deep_is_one_branch_of_zeroes),
        cmocka_unit_test(a_subtree_that_matters_becomes_the_tree),
        cmocka_unit_test(a_number_and_a_list_of_that_length_become_smaller_together),
        cmocka_unit_test(two_numbers_in_order_come_to_their_limits),
        cmocka_unit_test(two_equal_numbers_become_smaller_together),
        cmocka_unit_test(two_numbers_near_each_other_become_smaller_together),
        cmocka_unit_test(two_numbers_next_to_each_other_become_smaller_together),
        cmocka_unit_test(a_sum_over_its_limit_has_the_smaller_number_first),
        cmocka_unit_test(a_union_that_is_too_large_is_one_list),
        cmocka_unit_test(lists_that_are_too_long_together_are_one_list),
        cmocka_unit_test(a_text_with_a_forbidden_word_is_that_word),
        cmocka_unit_test(a_sum_that_overflows_has_two_numbers),
        cmocka_unit_test(a_list_of_three_different_numbers_is_0_1_minus_1),
        cmocka_unit_test(a_list_with_one_number_twice_is_0_0),
        cmocka_unit_test(a_large_even_number_is_the_first_one_over_the_limit),
        cmocka_unit_test(a_negative_number_is_the_one_at_the_limit),
        cmocka_unit_test(a_double_is_whole_if_it_can_be),
    };

    if (argc == 2 && argv[1][0] != '-')
        cmocka_set_test_filter(argv[1]);
    else if (argc > 1)
        return sn_main(argc, argv, &suite);
    return cmocka_run_group_tests_name("classic", all, make_directory, remove_directory);
}
