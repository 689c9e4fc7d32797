/* moved_main.c - moved.h as a test program; MOVED says which version of it.
 * SPDX-License-Identifier: MIT
 */
#include "moved.h"

int main(int argc, char **argv)
{
    static struct sn_test tests[2];
    static const struct sn_suite suite = {.name = "moved", .tests = tests};

    tests[0] = MOVED;
    return sn_main(argc, argv, &suite);
}
