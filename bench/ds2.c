/* ds2.c - DS2's tables A2 to A11, with ours beside each figure, and its figures 8 and 9.
 *
 * DS2 (Al-Mahfoudh and others) compared seven searches by how fast they find histories that are not
 * linearizable. This runs the searches that Sennit has on the same systems (systems/ds2), within
 * the same limits. SPDX-License-Identifier: MIT
 */
#include "bench.h"
#include "ds2_figures.h"
#include "ds2_measure.h"
#include "ds2_print.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_LAST = DS2_PAPER_FIRST + DS2_PAPER_TABLES - 1, QUICK_LIMIT = 2000, SEEDS = 3 };

struct request {
    bool has_table[DS2_PAPER_TABLES];
    bool has_strategy[DS2_STRATEGIES];
    bool is_markdown;
    bool is_summary;     /* one table instead of all */
    const char *figures; /* where they are written; NULL: nowhere */
    struct ds2_effort effort;
};

static const char usage[] =
    "usage: ds2 [options]\n"
    "Prints tables A2 to A11 of DS2's publication with our figures beside the published ones.\n"
    "  --tables 2,10       only these\n"
    "  --strategies a,b    only these lines of ours\n"
    "  --limit N           schedules of each search, instead of 50000 (sr: 100000)\n"
    "  --quick             2000 schedules, one seed, no ST\n"
    "  --summary           one table of schedules and histories instead\n"
    "  --markdown          tables as Markdown\n"
    "  --figures DIR       writes figure-8.svg and figure-9.svg into DIR\n";

/* ---- Options -------------------------------------------------------------------------------- */

static void refuse(const char *option, const char *word)
{
    (void)fprintf(stderr, "ds2: %s cannot be \"%s\"\n%s", option, word, usage);
    exit(2);
}

/* Calls `choose` for each word of a list with commas. */
static void each_word(struct request *request, const char *option, const char *list,
                      bool (*choose)(struct request *request, const char *word))
{
    char copy[512];
    char *rest = copy;

    if (strlen(list) >= sizeof(copy))
        refuse(option, list);
    memcpy(copy, list, strlen(list) + 1);
    for (char *word = strsep(&rest, ","); word != NULL; word = strsep(&rest, ",")) {
        if (!choose(request, word))
            refuse(option, word);
    }
}

static bool choose_table(struct request *request, const char *word)
{
    char *end;
    unsigned long number = strtoul(*word == 'A' ? word + 1 : word, &end, 10);

    if (*end != '\0' || number < DS2_PAPER_FIRST || number > TABLE_LAST)
        return false;
    request->has_table[number - DS2_PAPER_FIRST] = true;
    return true;
}

static bool choose_strategy(struct request *request, const char *word)
{
    for (size_t i = 0; i < DS2_STRATEGIES; i++) {
        if (strcmp(ds2_strategies[i].name, word) == 0)
            return request->has_strategy[i] = true;
    }
    return false;
}

static uint64_t read_limit(const char *word)
{
    char *end;
    uint64_t limit = strtoull(word, &end, 10);

    if (*end != '\0' || limit == 0)
        refuse("--limit", word);
    return limit;
}

static struct request read_options(int argc, char **argv)
{
    static const struct option options[] = {
        {"tables", required_argument, NULL, 't'},
        {"strategies", required_argument, NULL, 's'},
        {"limit", required_argument, NULL, 'l'},
        {"quick", no_argument, NULL, 'q'},
        {"markdown", no_argument, NULL, 'm'},
        {"figures", required_argument, NULL, 'f'},
        {"summary", no_argument, NULL, 'S'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct request request = {.effort = {.seeds = SEEDS}};
    const char *tables = "2,3,4,5,6,7,8,9,10,11";
    const char *strategies = NULL;
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 't')
            tables = optarg;
        else if (option == 's')
            strategies = optarg;
        else if (option == 'l')
            request.effort.limit = read_limit(optarg);
        else if (option == 'q')
            request.effort.is_quick = true;
        else if (option == 'm')
            request.is_markdown = true;
        else if (option == 'S')
            request.is_summary = true;
        else if (option == 'f')
            request.figures = optarg;
        else
            exit(printf("%s", usage) < 0 || option != 'h' ? 2 : 0);
    }
    each_word(&request, "--tables", tables, choose_table);
    for (size_t i = 0; strategies == NULL && i < DS2_STRATEGIES; i++)
        request.has_strategy[i] = true;
    if (strategies != NULL)
        each_word(&request, "--strategies", strategies, choose_strategy);
    if (request.effort.is_quick)
        request.effort.seeds = 1;
    if (request.effort.is_quick && request.effort.limit == 0)
        request.effort.limit = QUICK_LIMIT;
    return request;
}

/* ---- Measuring ------------------------------------------------------------------------------ */

/* Leaves out what this build does not have, and says so. */
static void skip_unknown(struct request *request)
{
    char why[512];

    for (size_t i = 0; i < DS2_STRATEGIES; i++) {
        if (!request->has_strategy[i] || ds2_has_strategy(ds2_strategies[i].name, why, sizeof(why)))
            continue;
        request->has_strategy[i] = false;
        (void)printf("%s is left out: %s\n", ds2_strategies[i].name, why);
    }
}

static void measure_table(const struct request *request, const struct ds2_paper_table *table,
                          bool is_fixed, struct ds2_outcome outcomes[DS2_STRATEGIES])
{
    char why[512];

    for (size_t i = 0; i < DS2_STRATEGIES; i++) {
        outcomes[i].is_there = false;
        if (!request->has_strategy[i])
            continue;
        if (ds2_measure(table, is_fixed, &ds2_strategies[i], &request->effort, &outcomes[i], why) <
            0)
            (void)printf("%s is left out of table A%u: %s\n", ds2_strategies[i].name, table->number,
                         why);
    }
    if (!request->is_summary)
        ds2_print_table(table, is_fixed, outcomes, request->is_markdown);
}

int main(int argc, char **argv)
{
    static struct ds2_results results;
    struct request request = read_options(argc, argv);
    double start_s = bench_now_s();

    skip_unknown(&request);
    if (!request.is_summary)
        ds2_print_legend(request.is_markdown);
    for (size_t i = 0; i < DS2_PAPER_TABLES; i++) {
        const struct ds2_paper_table *table = &ds2_paper_tables[i];
        struct ds2_outcome fixed[DS2_STRATEGIES];

        if (!request.has_table[i])
            continue;
        results.is_measured[i] = true;
        measure_table(&request, table, false, results.outcomes[i]);
        if (strcmp(table->test, "register") == 0 && !request.is_summary)
            measure_table(&request, table, true, fixed);
    }
    if (request.is_summary)
        ds2_print_summary(&results, request.is_markdown);
    (void)printf("all of it took %.0f s of one processor\n", bench_now_s() - start_s);
    if (request.figures != NULL && ds2_figures_write(&results, request.figures) < 0) {
        (void)fprintf(stderr, "ds2: cannot write to %s: %s\n", request.figures, strerror(errno));
        return 1;
    }
    return 0;
}
