/* properties.c - how fast properties are tested.
 *
 * A trivial property draws one number from 0 to 1000 and asserts that it is one. Its trials are
 * counted per second of the processor, in two ways: sn_run, which runs trials in this process, and
 * this program started as a test program with -j 1, which runs them in a worker and counts them in
 * its parent; there the time of both processes, their start and end included, is one time.
 * Figures are the best of some rounds. The same property is measured where the whole
 * memory of the program is put back after each trial, which is what a property gets that does not
 * say that it needs less. SPDX-License-Identifier: MIT
 */
#include "bench.h"
#include "blackbox.h"

#include <sennit/sennit.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 7, TRIALS = 2000000, TRIALS_FULL = 200000, TRIALS_LIST = 200000 };

static void trivial(void)
{
    int64_t x = sn_int("x", 0, 1000);

    sn_assert(x >= 0 && x <= 1000);
}

static void trivial_list(void)
{
    size_t n;

    (void)sn_ints("xs", 0, 20, -1000, 1000, &n);
    sn_assert(n <= 20);
}

static const struct sn_test trivial_test = SN_PROPERTY_PURE(trivial);
static const struct sn_test full_test = SN_PROPERTY(trivial);
static const struct sn_test list_test = SN_PROPERTY_PURE(trivial_list);

int bench_properties_main(int argc, char **argv)
{
    const struct sn_test tests[] = {trivial_test, {0}};
    const struct sn_suite suite = {.name = "blackbox", .tests = tests};

    return sn_main(argc, argv, &suite);
}

static void measure_here(const char *name, const struct sn_test *test, uint64_t trials)
{
    const struct sn_options options = {.iterations = trials};
    double best_s = 0;

    for (int i = 0; i < ROUNDS; i++) {
        struct sn_result r;
        double begin_s = bench_now_s();
        double s;

        if (sn_run(test, &options, &r) != 0 || r.trials != trials || r.failures != 0)
            exit(1);
        s = bench_now_s() - begin_s;
        best_s = best_s == 0 || s < best_s ? s : best_s;
    }
    bench_line(name, (double)trials / best_s, "tests/s");
}

static double children_s(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void run_command(const char *self)
{
    char *const arguments[] = {
        (char *)self, (char *)"-q",      (char *)"-j", (char *)"1",
        (char *)"-i", (char *)"2000000", (char *)"-o", (char *)"/tmp/sennit-bench",
        NULL};
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        (void)execv(self, arguments);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        exit(1);
}

static void measure_command(const char *self)
{
    double best_s = 0;

    for (int i = 0; i < ROUNDS; i++) {
        double begin_s = children_s();
        double s;

        run_command(self);
        s = children_s() - begin_s;
        best_s = best_s == 0 || s < best_s ? s : best_s;
    }
    bench_line("property.trivial.command", TRIALS / best_s, "tests/s");
}

void bench_properties(const char *self)
{
    measure_here("property.trivial", &trivial_test, TRIALS);
    measure_command(self);
    measure_here("property.trivial.whole_memory", &full_test, TRIALS_FULL);
    measure_here("property.list", &list_test, TRIALS_LIST);
}
