/* blackbox.c - the speed of what tests systems from outside: properties, oracles.
 *
 * Prints `name<TAB>value<TAB>unit`: blackbox [PART]. Part by part, each in a file of its own. With
 * options as its arguments the program is a test program with the trivial property in it.
 * SPDX-License-Identifier: MIT
 */
#include "blackbox.h"

#include "bench.h"

#include <string.h>

static const struct {
    const char *name;
    void (*run)(const char *self);
} parts[] = {
    {"properties", bench_properties},
    {"conjecture", bench_conjecture},
};

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : NULL;

    if (wanted != NULL && wanted[0] == '-')
        return bench_properties_main(argc, argv);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        if (wanted == NULL || strcmp(parts[i].name, wanted) == 0)
            parts[i].run(argv[0]);
    }
    return 0;
}
