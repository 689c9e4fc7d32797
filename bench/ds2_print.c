/* ds2_print.c - see ds2_print.h. SPDX-License-Identifier: MIT */
#include "ds2_print.h"

#include "ds2_reasons.h"

#include <stdio.h>
#include <string.h>

enum { NAMES = 2, COLUMNS = NAMES + DS2_METRICS, ROWS_MAX = DS2_ALGORITHMS + DS2_STRATEGIES + 1 };
enum { CELL = 32, REASONS_MAX = 26 };

static const char *const heads[DS2_METRICS] = {
    "#S", "#IH", "#UH", "#NL", "NL/UH", "UH/S", "NL/S", "TS",
    "ST", "TC",  "TT",  "#HF", "TF",    "#UH~", "#NL~", "#PO",
};

struct grid {
    size_t columns;
    char cells[ROWS_MAX][COLUMNS][CELL];
    size_t n;              /* rows */
    int used[REASONS_MAX]; /* reasons, in the order in which they are first needed */
    size_t n_used;
    bool has_unknown; /* a difference that no reason explains */
};

/* ---- Cells ---------------------------------------------------------------------------------- */

/* With a comma after each three digits, and one digit behind the point if it is not whole. */
static void put_count(char out[CELL], double value)
{
    double tenths = round(value * 10);
    double whole = floor(tenths / 10);
    char digits[CELL];
    size_t n = (size_t)snprintf(digits, sizeof(digits), "%.0f", whole);
    size_t at = 0;

    for (size_t i = 0; i < n && at + 8 < CELL; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    if (tenths > whole * 10)
        (void)snprintf(out + at, CELL - at, ".%.0f", tenths - whole * 10);
}

static void put_published_time(char out[CELL], double seconds)
{
    (void)snprintf(out, CELL, "%d:%02d", (int)seconds / 60, (int)seconds % 60);
}

static void put_time(char out[CELL], double seconds)
{
    (void)snprintf(out, CELL, seconds < 0.1 ? "%.4fs" : seconds < 10 ? "%.2fs" : "%.0fs", seconds);
}

static void put_cell(char out[CELL], enum ds2_metric metric, double value, bool is_published)
{
    if (isnan(value))
        (void)snprintf(out, CELL, "-");
    else if (ds2_is_ratio(metric))
        (void)snprintf(out, CELL, "%.2f%%", value);
    else if (ds2_is_time(metric) && is_published)
        put_published_time(out, value);
    else if (ds2_is_time(metric))
        put_time(out, value);
    else
        put_count(out, value);
}

static void append(char out[CELL], const char *text)
{
    size_t n = strlen(out);

    (void)snprintf(out + n, CELL - n, "%s", text);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static void add_head(struct grid *grid)
{
    size_t row = grid->n++;

    for (size_t i = 0; i < DS2_METRICS; i++)
        (void)snprintf(grid->cells[row][NAMES + i], CELL, "%s", heads[i]);
}

static void add_published(struct grid *grid, const struct ds2_paper_table *table,
                          enum ds2_algorithm algorithm)
{
    struct ds2_line line = ds2_paper_line(table, algorithm);
    size_t row = grid->n++;

    (void)snprintf(grid->cells[row][0], CELL, "%s", ds2_algorithm_names[algorithm]);
    (void)snprintf(grid->cells[row][1], CELL, "published");
    for (enum ds2_metric i = 0; i < DS2_METRICS; i++)
        put_cell(grid->cells[row][NAMES + i], i, line.cells[i], true);
}

/* The letter of a reason in this table. */
static char letter_of(struct grid *grid, int reason)
{
    size_t i = 0;

    while (i < grid->n_used && grid->used[i] != reason)
        i++;
    if (i == REASONS_MAX)
        return '?';
    if (i == grid->n_used)
        grid->used[grid->n_used++] = reason;
    return (char)('a' + i);
}

static void mark(struct grid *grid, char cell[CELL], const struct ds2_figure *figure)
{
    int reason = ds2_reason_of(figure);
    char text[] = " ?";

    grid->has_unknown |= reason < 0;
    if (reason >= 0)
        text[1] = letter_of(grid, reason);
    append(cell, text);
}

/* The figure that makes another one differ: a ratio does because of what it is a ratio of. */
static enum ds2_metric origin_of(enum ds2_metric metric, const struct ds2_line *published,
                                 const struct ds2_line *ours)
{
    enum ds2_metric whole = metric == DS2_NL_UH ? DS2_UH : DS2_S;
    enum ds2_metric part = metric == DS2_UH_S ? DS2_UH : DS2_NL;

    if (!ds2_is_ratio(metric))
        return metric;
    return ds2_differs(whole, published->cells[whole], ours->cells[whole]) ? whole : part;
}

static void add_ours(struct grid *grid, const struct ds2_paper_table *table, bool is_fixed,
                     size_t number, const struct ds2_outcome *outcome)
{
    const struct ds2_strategy *strategy = &ds2_strategies[number];
    bool has_published = !is_fixed && strategy->algorithm != DS2_ALGORITHMS;
    struct ds2_line published = {0};
    size_t row = grid->n++;
    char part[CELL];

    if (has_published)
        published = ds2_paper_line(table, strategy->algorithm);
    (void)snprintf(grid->cells[row][1], CELL, "%s", strategy->name);
    for (enum ds2_metric i = 0; i < DS2_METRICS; i++) {
        char *cell = grid->cells[row][NAMES + i];

        put_cell(cell, i, outcome->line.cells[i], false);
        if (i == DS2_S && !outcome->is_over)
            append(cell, "+");
        if (i == DS2_HF && outcome->runs_found > 0 && outcome->runs_found < outcome->runs) {
            (void)snprintf(part, sizeof(part), " (%u/%u)", outcome->runs_found, outcome->runs);
            append(cell, part);
        }
        if (has_published && i < DS2_PUBLISHED &&
            ds2_differs(i, published.cells[i], outcome->line.cells[i]))
            mark(grid, cell,
                 &(struct ds2_figure){.table = table->number,
                                      .strategy = strategy,
                                      .metric = origin_of(i, &published, &outcome->line),
                                      .is_lowered = outcome->is_lowered});
    }
}

/* Each of DS2's searches, with what stands beside it, and then the others. */
static void fill(struct grid *grid, const struct ds2_paper_table *table, bool is_fixed,
                 const struct ds2_outcome outcomes[DS2_STRATEGIES])
{
    add_head(grid);
    for (enum ds2_algorithm algorithm = 0; algorithm <= DS2_ALGORITHMS; algorithm++) {
        if (algorithm < DS2_ALGORITHMS && !is_fixed)
            add_published(grid, table, algorithm);
        for (size_t i = 0; i < DS2_STRATEGIES; i++) {
            if (ds2_strategies[i].algorithm == algorithm && outcomes[i].is_there)
                add_ours(grid, table, is_fixed, i, &outcomes[i]);
        }
    }
}

/* ---- Output --------------------------------------------------------------------------------- */

static void print_markdown(const struct grid *grid)
{
    for (size_t row = 0; row < grid->n; row++) {
        (void)printf("|");
        for (size_t i = 0; i < grid->columns; i++)
            (void)printf(" %s |", grid->cells[row][i]);
        (void)printf("\n");
        for (size_t i = 0; row == 0 && i < grid->columns; i++)
            (void)printf("%s", i < NAMES ? "|---" : "|--:");
        if (row == 0)
            (void)printf("|\n");
    }
}

static void print_text(const struct grid *grid)
{
    int widths[COLUMNS] = {0};

    for (size_t row = 0; row < grid->n; row++) {
        for (size_t i = 0; i < grid->columns; i++) {
            int n = (int)strlen(grid->cells[row][i]);

            widths[i] = n > widths[i] ? n : widths[i];
        }
    }
    for (size_t row = 0; row < grid->n; row++) {
        for (size_t i = 0; i < grid->columns; i++)
            (void)printf("%*s%s", i < NAMES ? -widths[i] : widths[i], grid->cells[row][i],
                         i + 1 < grid->columns ? "  " : "\n");
    }
}

static void print_grid(const struct grid *grid, bool is_markdown)
{
    if (is_markdown)
        print_markdown(grid);
    else
        print_text(grid);
}

/* A paragraph: its words, in lines of at most 100 columns that are indented from the second on. */
static void print_paragraph(const char *text, bool is_markdown)
{
    size_t column = 0;

    while (!is_markdown && strlen(text) > 100 - column) {
        size_t n = 100 - column;

        while (text[n] != ' ')
            n--;
        (void)printf("%*s%.*s\n", (int)column, "", (int)n, text);
        text += n + 1;
        column = 5;
    }
    (void)printf("%*s%s\n", (int)column, "", text);
}

static void print_reasons(const struct grid *grid, bool is_markdown)
{
    if (is_markdown && (grid->n_used > 0 || grid->has_unknown))
        (void)printf("\n");
    for (size_t i = 0; i < grid->n_used; i++) {
        char text[512];

        (void)snprintf(text, sizeof(text), "%s%c: %s", is_markdown ? "- " : "  ", (char)('a' + i),
                       ds2_reason_text(grid->used[i]));
        print_paragraph(text, is_markdown);
    }
    if (grid->has_unknown)
        (void)printf("%s?: it is not known why\n", is_markdown ? "- " : "  ");
}

void ds2_print_table(const struct ds2_paper_table *table, bool is_fixed,
                     const struct ds2_outcome outcomes[DS2_STRATEGIES], bool is_markdown)
{
    static struct grid grid;

    memset(&grid, 0, sizeof(grid));
    grid.columns = COLUMNS;
    (void)printf("%sTable A%u: %s%s; agents: %u, reads: %u, writes: %u\n%s",
                 is_markdown ? "### " : "", table->number, table->title,
                 is_fixed ? ", without its defects" : "", (unsigned)table->size.agents,
                 (unsigned)table->size.reads, (unsigned)table->size.writes,
                 is_markdown ? "\n" : "");
    fill(&grid, table, is_fixed, outcomes);
    print_grid(&grid, is_markdown);
    print_reasons(&grid, is_markdown);
    (void)printf("\n");
    (void)fflush(stdout);
}

/* ---- The summary ---------------------------------------------------------------------------- */

static void put_summary(char out[CELL], const struct ds2_line *line)
{
    char part[CELL];

    put_count(out, line->cells[DS2_S]);
    append(out, ": ");
    put_count(part, line->cells[DS2_NL]);
    append(out, part);
    append(out, " of ");
    put_count(part, line->cells[DS2_UH]);
    append(out, part);
}

/* One row of all tables, of a published search or of a strategy. */
static void add_summary(struct grid *grid, const struct ds2_results *results, int algorithm,
                        int strategy)
{
    size_t column = NAMES;
    bool is_any = false;

    memset(grid->cells[grid->n], 0, sizeof(grid->cells[grid->n]));
    (void)snprintf(grid->cells[grid->n][0], CELL, "%s",
                   algorithm >= 0 ? ds2_algorithm_names[algorithm] : "");
    (void)snprintf(grid->cells[grid->n][1], CELL, "%s",
                   strategy >= 0 ? ds2_strategies[strategy].name : "published");
    for (size_t i = 0; i < DS2_PAPER_TABLES; i++) {
        const struct ds2_outcome *outcome = &results->outcomes[i][strategy >= 0 ? strategy : 0];
        struct ds2_line line = outcome->line;

        if (!results->is_measured[i])
            continue;
        if (algorithm >= 0)
            line = ds2_paper_line(&ds2_paper_tables[i], (enum ds2_algorithm)algorithm);
        if (algorithm >= 0 || outcome->is_there)
            put_summary(grid->cells[grid->n][column], &line);
        is_any |= algorithm >= 0 || outcome->is_there;
        column++;
    }
    grid->n += is_any;
}

void ds2_print_summary(const struct ds2_results *results, bool is_markdown)
{
    static struct grid grid;

    memset(&grid, 0, sizeof(grid));
    grid.columns = NAMES;
    grid.n = 1;
    for (size_t i = 0; i < DS2_PAPER_TABLES; i++) {
        const struct ds2_paper_table *table = &ds2_paper_tables[i];

        if (results->is_measured[i])
            (void)snprintf(grid.cells[0][grid.columns++], CELL, "%s %ur+%uw",
                           ds2_system_name(table), (unsigned)table->size.reads,
                           (unsigned)table->size.writes);
    }
    for (int algorithm = 0; algorithm <= DS2_ALGORITHMS; algorithm++) {
        if (algorithm < DS2_ALGORITHMS)
            add_summary(&grid, results, algorithm, -1);
        for (int i = 0; i < DS2_STRATEGIES; i++) {
            if ((int)ds2_strategies[i].algorithm == algorithm)
                add_summary(&grid, results, -1, i);
        }
    }
    print_grid(&grid, is_markdown);
    (void)printf("\n");
}

/* ---- The legend ----------------------------------------------------------------------------- */

void ds2_print_legend(bool is_markdown)
{
    static const char *const lines[] = {
        "#S schedules (+: the limit ended the search); #IH those with an incomplete history",
        "#UH histories that differ in the order or the content of calls and returns; #NL those of "
        "them that are not linearizable",
        "NL/UH, UH/S, NL/S quality, progression, precision",
        "TS time to run the schedules; ST the same, each of them from the start; TC time to check "
        "the different histories; TT is TS and TC",
        "#HF different histories before the first that is not linearizable (m/n: found in m of n "
        "runs); TF time until that one was found and checked",
        "#UH~ and #NL~ as #UH and #NL, but histories count once that differ only in the order of "
        "calls among themselves and returns among themselves",
        "#PO partial orders of receives, with calls that come after returns",
        "Strategies that draw at random: the mean of several seeds. Times: ours are of one "
        "processor of this machine, published ones in minutes and seconds on theirs.",
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        (void)printf("%s", is_markdown ? "- " : "");
        print_paragraph(lines[i], is_markdown);
    }
    (void)printf("\n");
}
