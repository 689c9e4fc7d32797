/* blackbox.c - how fast systems are tested that can only be seen from outside.
 *
 * Prints `name<TAB>value<TAB>unit`. SPDX-License-Identifier: MIT
 */
#include "conjecture.h"

int main(void)
{
    bench_conjecture();
    return 0;
}
