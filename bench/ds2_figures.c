/* ds2_figures.c - see ds2_figures.h.
 *
 * A figure has six panels, each twice: what DS2 published on the left, ours on the right, on the
 * same scale, which is logarithmic. Each figure of a table is one element of class "mark": a bar;
 * a ring on the axis, if it is zero or smaller than what the scale begins with; or a dash, where
 * the table has none. SPDX-License-Identifier: MIT
 */
#include "ds2_figures.h"

#include <stdio.h>

enum {
    PANELS = 6,
    PANEL_WIDTH = 620,
    PANEL_HEIGHT = 210,
    LEFT = 52, /* of a panel, for the axis */
    TOP = 24,
    BOTTOM = 38,
    HEAD = 84, /* of the picture, for the title and the legend */
};

struct panel {
    enum ds2_metric metric;
    const char *title;
    const char *unit;
    int low; /* the scale begins with 10 to the power of this */
    int high;
};

struct figure {
    unsigned number;
    const char *title;
    struct panel panels[PANELS];
};

static const struct figure figures[] = {
    {
        8,
        "what the searches found",
        {
            {DS2_S, "#S: schedules", "schedules", 0, 5},
            {DS2_NL, "#NL: histories that are not linearizable *", "histories", -1, 3},
            {DS2_UH, "#UH: different histories *", "histories", -1, 4},
            {DS2_UH_S, "UH/S: progression *", "per cent", -3, 2},
            {DS2_NL_UH, "NL/UH: quality *", "per cent", -1, 2},
            {DS2_NL_S, "NL/S: precision *", "per cent", -3, 2},
        },
    },
    {
        9,
        "what the searches took",
        {
            {DS2_TS, "TS: time to run the schedules", "seconds", -4, 5},
            {DS2_ST, "ST: the same, each schedule from the start", "seconds", -4, 6},
            {DS2_TC, "TC: time to check the different histories", "seconds", -6, 2},
            {DS2_TT, "TT: both together", "seconds", -4, 5},
            {DS2_HF, "#HF: different histories before the first that is not linearizable *",
             "histories", -1, 3},
            {DS2_TF, "TF: time until that one", "seconds", -6, 2},
        },
    },
};

/* By algorithm of DS2, then the strategies that stand beside none: colours that people who see few
 * colours can tell apart, too. */
static const char *const colours[] = {"#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442",
                                      "#0072b2", "#d55e00", "#cc79a7", "#999999", "#7b3f00"};

/* A bar of one panel. */
struct bar {
    double value;
    const char *name;
    const char *colour;
};

/* Where a group of bars stands, and how wide one is. */
struct spot {
    double x;
    double base; /* y of the axis */
    double width;
};

/* ---- Bars ----------------------------------------------------------------------------------- */

static double plot_height(void)
{
    return PANEL_HEIGHT - TOP - BOTTOM;
}

static double height_of(const struct panel *panel, double value)
{
    double part = (log10(value) - panel->low) / (panel->high - panel->low);

    return plot_height() * fmin(part, 1.0);
}

static void draw_bar(FILE *file, const struct panel *panel, const struct bar *bar, struct spot at,
                     const char *where)
{
    double middle = at.x + at.width / 2;

    if (isnan(bar->value)) {
        (void)fprintf(file,
                      "<path class=\"mark\" d=\"M%.1f %.1fh%.1f\" stroke=\"%s\"><title>%s, %s: "
                      "none</title></path>\n",
                      at.x, at.base - 3, at.width * 0.8, bar->colour, bar->name, where);
    } else if (bar->value < pow(10, panel->low)) {
        (void)fprintf(file,
                      "<circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" r=\"1.6\" stroke=\"%s\" "
                      "fill=\"none\"><title>%s, %s: %g</title></circle>\n",
                      middle, at.base - 3, bar->colour, bar->name, where, bar->value);
    } else {
        double height = height_of(panel, bar->value);

        (void)fprintf(file,
                      "<rect class=\"mark\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                      "fill=\"%s\"><title>%s, %s: %g</title></rect>\n",
                      at.x, at.base - height, at.width * 0.9, height, bar->colour, bar->name, where,
                      bar->value);
    }
}

/* The bars of one table; returns how many. */
static size_t bars_of(const struct ds2_results *results, size_t table, bool is_ours,
                      enum ds2_metric metric, struct bar bars[DS2_STRATEGIES])
{
    size_t others = DS2_ALGORITHMS;
    size_t n = 0;

    for (size_t i = 0; is_ours && i < DS2_STRATEGIES; i++) {
        const struct ds2_strategy *strategy = &ds2_strategies[i];
        const struct ds2_outcome *outcome = &results->outcomes[table][i];
        size_t colour = strategy->algorithm;

        if (!strategy->is_drawn)
            continue;
        if (colour == DS2_ALGORITHMS)
            colour = others++;
        if (outcome->is_there)
            bars[n++] = (struct bar){outcome->line.cells[metric], strategy->name, colours[colour]};
    }
    for (enum ds2_algorithm i = 0; !is_ours && i < DS2_ALGORITHMS; i++)
        bars[n++] = (struct bar){ds2_paper_line(&ds2_paper_tables[table], i).cells[metric],
                                 ds2_algorithm_names[i], colours[i]};
    return n;
}

/* ---- Panels --------------------------------------------------------------------------------- */

static void draw_axes(FILE *file, const struct panel *panel, const char *whose)
{
    double base = TOP + plot_height();

    (void)fprintf(file, "<text x=\"%d\" y=\"14\" class=\"title\">%s (%s)</text>\n", LEFT,
                  panel->title, whose);
    (void)fprintf(file,
                  "<text class=\"unit\" transform=\"translate(10 %.0f) rotate(-90)\">%s</text>\n",
                  TOP + plot_height() / 2, panel->unit);
    for (int power = panel->low; power <= panel->high; power++) {
        double y = base - height_of(panel, pow(10, power));

        (void)fprintf(file, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, y,
                      PANEL_WIDTH - 10);
        (void)fprintf(file, "<text class=\"tick\" x=\"%d\" y=\"%.1f\">%g</text>\n", LEFT - 4, y + 3,
                      pow(10, power));
    }
    (void)fprintf(file, "<path class=\"axis\" d=\"M%d %d V%.0f H%d\"/>\n", LEFT, TOP, base,
                  PANEL_WIDTH - 10);
}

static void draw_group(FILE *file, const struct panel *panel, const struct ds2_results *results,
                       size_t table, bool is_ours, double left, double width)
{
    const struct ds2_paper_table *paper = &ds2_paper_tables[table];
    double base = TOP + plot_height();
    struct bar bars[DS2_STRATEGIES];
    size_t n = bars_of(results, table, is_ours, panel->metric, bars);
    char where[64];

    (void)snprintf(where, sizeof(where), "%s %ur+%uw", ds2_system_name(paper),
                   (unsigned)paper->size.reads, (unsigned)paper->size.writes);
    for (size_t i = 0; i < n; i++) {
        double each = width * 0.86 / (double)n;

        draw_bar(file, panel, &bars[i],
                 (struct spot){left + width * 0.07 + each * (double)i, base, each}, where);
    }
    (void)fprintf(file,
                  "<text class=\"group\" x=\"%.1f\" y=\"%.0f\">%s</text>\n"
                  "<text class=\"group\" x=\"%.1f\" y=\"%.0f\">%ur+%uw</text>\n",
                  left + width / 2, base + 13, ds2_system_name(paper), left + width / 2, base + 25,
                  (unsigned)paper->size.reads, (unsigned)paper->size.writes);
}

static void draw_panel(FILE *file, const struct panel *panel, const struct ds2_results *results,
                       bool is_ours)
{
    double n = 0;
    double place = 0;

    for (size_t i = 0; i < DS2_PAPER_TABLES; i++)
        n += results->is_measured[i];
    draw_axes(file, panel, is_ours ? "ours" : "published");
    for (size_t i = 0; i < DS2_PAPER_TABLES; i++) {
        double width = (PANEL_WIDTH - 10 - LEFT) / n;

        if (results->is_measured[i])
            draw_group(file, panel, results, i, is_ours, LEFT + width * place++, width);
    }
}

/* ---- Pictures ------------------------------------------------------------------------------- */

static void draw_head(FILE *file, const struct figure *figure)
{
    int width = 2 * PANEL_WIDTH;
    int height = HEAD + PANELS * PANEL_HEIGHT;
    size_t others = DS2_ALGORITHMS;
    int x = LEFT;

    (void)fprintf(file,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"10\">\n"
                  "<style>.title{font-size:12px;font-weight:bold}.tick{text-anchor:end}"
                  ".unit,.group{text-anchor:middle}.grid{stroke:#ddd;fill:none}"
                  ".axis{stroke:#000;fill:none}</style>\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                  width, height, width, height);
    (void)fprintf(file,
                  "<text x=\"%d\" y=\"20\" font-size=\"15\">DS2's figure %u: %s. Logarithmic; a "
                  "ring is zero, or below the scale; a dash is none.</text>\n",
                  LEFT, figure->number, figure->title);
    (void)fprintf(file,
                  "<text x=\"%d\" y=\"38\">* counts histories that differ in the order of calls "
                  "and returns, however little that matters</text>\n",
                  LEFT);
    for (size_t i = 0; i < DS2_STRATEGIES; i++) {
        const struct ds2_strategy *strategy = &ds2_strategies[i];
        bool is_theirs = strategy->algorithm != DS2_ALGORITHMS;

        if (!strategy->is_drawn)
            continue;
        (void)fprintf(file,
                      "<rect x=\"%d\" y=\"52\" width=\"12\" height=\"12\" fill=\"%s\"/>"
                      "<text x=\"%d\" y=\"62\" font-size=\"12\">%s%s%s</text>\n",
                      x, colours[is_theirs ? strategy->algorithm : others++], x + 16,
                      is_theirs ? ds2_algorithm_names[strategy->algorithm] : "",
                      is_theirs ? ": " : "", strategy->name);
        x += 116;
    }
}

static void draw(FILE *file, const struct figure *figure, const struct ds2_results *results)
{
    draw_head(file, figure);
    for (int i = 0; i < PANELS; i++) {
        for (int side = 0; side < 2; side++) {
            (void)fprintf(file, "<g transform=\"translate(%d %d)\">\n", side * PANEL_WIDTH,
                          HEAD + i * PANEL_HEIGHT);
            draw_panel(file, &figure->panels[i], results, side == 1);
            (void)fprintf(file, "</g>\n");
        }
    }
    (void)fprintf(file, "</svg>\n");
}

int ds2_figures_write(const struct ds2_results *results, const char *directory)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < sizeof(figures) / sizeof(figures[0]); i++) {
        char path[512];
        FILE *file;

        (void)snprintf(path, sizeof(path), "%s/figure-%u.svg", directory, figures[i].number);
        file = fopen(path, "w");
        if (file == NULL)
            return -1;
        draw(file, &figures[i], results);
        rc = ferror(file) != 0 ? -1 : 0;
        if (fclose(file) != 0)
            rc = -1;
    }
    return rc;
}
