/* numbers.c - sn_int, sn_uint, sn_size, sn_bool, sn_double, sn_double_any and sn_forall: a property
 * of numbers. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <stdio.h>

/* The middle of two numbers, which must not overflow. */
static int64_t middle(int64_t a, int64_t b)
{
    return a + (int64_t)(((uint64_t)b - (uint64_t)a) / 2);
}

static void middle_is_between(void)
{
    int64_t a = sn_int("a", INT64_MIN, INT64_MAX);
    int64_t b = sn_int("b", a, INT64_MAX);

    sn_assert(middle(a, b) >= a && middle(a, b) <= b);
}

static void sums_come_back(void)
{
    double x = sn_double("x", -1e6, 1e6);
    uint64_t n = sn_uint("n", 0, UINT64_MAX);
    size_t size = sn_size("size", 1, 1000);
    double any = sn_double_any("any");

    sn_assert(x + 0 == x);
    sn_assert(n + size - size == n);
    sn_assert((sn_bool("negated") ? -any : any) != 0 || any == 0);
}

int main(void)
{
    struct sn_result r;

    if (sn_forall("middle is between", middle_is_between, NULL, &r) != 0) {
        (void)printf("%s\n", r.failure);
        return 1;
    }
    return sn_forall("sums come back", sums_come_back, NULL, NULL);
}
