/* properties_main.c - a test program for test_properties.py. SPDX-License-Identifier: MIT */
#include <sennit/sennit.h>
#include <stdlib.h>
#include <string.h>

static int calls; /* put back before each trial */

static void sorted(void)
{
    size_t n;
    int64_t *xs = sn_ints("xs", 0, 30, -1000, 1000, &n);

    sn_assert(++calls == 1);
    for (size_t i = 1; i < n; i++)
        sn_assert(xs[i - 1] <= xs[i]);
}

static void lengths(void)
{
    size_t n;
    int64_t *xs = sn_ints("xs", 0, 20, 0, 100, &n);

    sn_assume(n == 0 || xs[0] < 50);
    sn_classify(n == 0, "empty");
    sn_classify(n > 15, "long");
    sn_collect("length", "%zu", n);
}

static void late(void)
{
    uint64_t x = sn_choose("x", 3000);

    sn_collect("x", "%d", (int)(x % 10));
    sn_assert(x != 1234);
}

static void vain(void)
{
    sn_assume(sn_int("x", 0, 10) > 10);
}

static void crash(void)
{
    char *text = sn_string("text", "abc", 0, 20);
    char *copy = malloc(strlen(text) + 1);

    memcpy(copy, text, strlen(text) + 1);
    if (strstr(copy, "cb") != NULL)
        abort();
    free(copy);
}

static void nothing(void)
{
}

static const struct sn_test tests[] = {
    SN_PROPERTY(sorted),
    SN_PROPERTY_PURE(lengths),
    SN_PROPERTY(vain),
    SN_PROPERTY_PURE(late),
    SN_PROPERTY(crash),
    SN_PROPERTY(nothing),
    {0},
};
static const struct sn_suite suite = {.name = "properties", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
