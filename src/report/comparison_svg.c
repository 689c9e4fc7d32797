/* comparison_svg.c - a comparison as a picture: SVG 1.1 that needs no other file.
 *
 * For each test a bar for each strategy, up to the share of trials that failed, on an axis on which
 * each factor of ten is as long as any other, with the interval as a line across its end. A bar
 * cannot begin at 0 there: it begins at a power of ten that is below all that is known to be more
 * than 0. SPDX-License-Identifier: MIT
 */
#include "base/file.h"
#include "engine/mem.h"
#include "report/comparison.h"
#include "report/xml.h"

#include <inttypes.h>
#include <string.h>

enum {
    WIDTH = 820, /* all in pixels */
    LEFT = 170,  /* where the axis begins */
    RIGHT = 620, /* where it ends, at 1 */
    TOP = 46,    /* above the first test */
    TITLE = 24,
    ROW = 22,
    BAR = 12,
    AXIS = 34, /* below the rows of a test */
    DECADES_MAX = 12,
    LOG_BITS = 24,
    NAME_CHARS = 24, /* of a strategy's name, that are shown */
    SVG_BYTES = 16 << 20,
};

struct picture {
    struct sn_text out;
    const struct comparison *comparison;
    int decades; /* the axis goes from 10^-decades to 1 */
    int y;
};

/* ---- The axis ------------------------------------------------------------------------------- */

/* The decimal logarithm of 0 < x <= 1, by squaring: the library needs no mathematical one. */
static double log_of(double x)
{
    double whole = 0;
    double part = 0.5;

    while (x < 1 && whole > -DECADES_MAX) {
        x *= 10;
        whole--;
    }
    for (int i = 0; i < LOG_BITS; i++) {
        x *= x;
        if (x >= 10) {
            x /= 10;
            whole += part;
        }
        part /= 2;
    }
    return whole;
}

/* Where a share is drawn; one too small for the axis is at its beginning. */
static double place_of(const struct picture *p, double share)
{
    double at = share > 0 ? 1 + log_of(share) / p->decades : 0;

    return LEFT + (at > 0 ? at : 0) * (RIGHT - LEFT);
}

static double smallest_of(double a, double b)
{
    return b > 0 && b < a ? b : a;
}

static int count_decades(const struct comparison *c)
{
    double least = 1;
    int decades = 1;

    for (size_t i = 0; i < c->n_tests; i++) {
        for (uint32_t k = 0; k < c->n_strategies; k++) {
            const struct comparison_row *row = &c->tests[i].rows[k];

            if (row->trials == 0)
                continue;
            least = smallest_of(least, (double)row->failed / (double)row->trials);
            least = smallest_of(least, row->rank_first > 0 ? row->interval.low : 0);
            least = smallest_of(least, row->rank_first > 0 ? row->interval.high : 0);
        }
    }
    for (double edge = 0.1; edge > least && decades < DECADES_MAX; edge /= 10)
        decades++;
    return decades;
}

static void put_axis(struct picture *p, int top, int bottom)
{
    for (int i = 0; i <= p->decades; i++) {
        double x = LEFT + (double)(RIGHT - LEFT) * i / p->decades;
        int zeros = p->decades - i;

        text_print(&p->out,
                   "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
                   "<text class=\"small\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
                   x, top, x, bottom + 4, x, bottom + 18);
        if (zeros == 0)
            text_puts(&p->out, "1");
        else if (zeros <= 4)
            text_print(&p->out, "0.%0*d", zeros, 1);
        else
            text_print(&p->out, "1e-%d", zeros);
        text_puts(&p->out, "</text>\n");
    }
}

/* ---- Bars ----------------------------------------------------------------------------------- */

static void put_name(struct picture *p, const char *name, int y)
{
    char shown[COMPARISON_NAME_MAX];

    (void)memcpy(shown, name, strlen(name) + 1);
    if (strlen(shown) > NAME_CHARS)
        memcpy(shown + NAME_CHARS - 2, "..", 3);
    text_print(&p->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 8, y);
    xml_puts(&p->out, shown);
    text_puts(&p->out, "<title>");
    xml_puts(&p->out, name);
    text_puts(&p->out, "</title></text>\n");
}

static void put_figures(struct picture *p, const struct comparison_row *row, int y)
{
    struct sn_text *out = &p->out;

    text_print(out, "<text class=\"small\" x=\"%d\" y=\"%d\">", RIGHT + 10, y);
    if (!row->is_run || row->problem[0] != '\0') {
        text_puts(out, row->is_run ? "no result" : "not run");
    } else {
        comparison_put_share(out, row->trials > 0 ? (double)row->failed / (double)row->trials : 0);
        text_print(out, " (%" PRIu64 " of %" PRIu64 ")", row->failed, row->trials);
        if (row->rank_first > 0 && row->rank_first == row->rank_last)
            text_print(out, ", rank %" PRIu32, row->rank_first);
        else if (row->rank_first > 0)
            text_print(out, ", rank %" PRIu32 "-%" PRIu32, row->rank_first, row->rank_last);
    }
    text_puts(out, "</text>\n");
}

static void put_bar(struct picture *p, const struct comparison_row *row)
{
    double share = row->trials > 0 ? (double)row->failed / (double)row->trials : 0;
    double x = place_of(p, share);
    int middle = p->y + ROW / 2;

    put_name(p, row->strategy, middle + 4);
    if (row->is_run && row->problem[0] == '\0') {
        text_print(&p->out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n",
                   row->rank_first == 1 ? "best" : "bar", LEFT, middle - BAR / 2, x - LEFT, BAR);
        if (row->rank_first > 0) {
            double low = place_of(p, row->interval.low);
            double high = place_of(p, row->interval.high);

            text_print(&p->out,
                       "<path class=\"range\" d=\"M%.1f %dV%dM%.1f %dH%.1fM%.1f %dV%d\"/>\n", low,
                       middle - 4, middle + 4, low, middle, high, high, middle - 4, middle + 4);
        }
    }
    put_figures(p, row, middle + 4);
    p->y += ROW;
}

static void put_test(struct picture *p, const struct comparison_test *test)
{
    int top = p->y + TITLE;

    text_print(&p->out, "<text class=\"title\" x=\"20\" y=\"%d\">", p->y + TITLE - 9);
    xml_puts(&p->out, p->comparison->suite);
    text_putc(&p->out, '/');
    xml_puts(&p->out, test->name);
    text_puts(&p->out, "</text>\n");
    put_axis(p, top, top + ROW * (int)p->comparison->n_strategies);
    p->y = top;
    for (uint32_t i = 0; i < p->comparison->n_strategies; i++)
        put_bar(p, &test->rows[i]);
    p->y += AXIS;
}

static void put_head(struct picture *p)
{
    const struct comparison *c = p->comparison;
    int height = TOP + (int)c->n_tests * (TITLE + ROW * (int)c->n_strategies + AXIS);

    text_print(&p->out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "viewBox=\"0 0 %d %d\">\n"
               "<style>text{font:13px sans-serif;fill:#222}.small{font-size:11px;fill:#555}"
               ".title{font-weight:bold}.bar{fill:#9db8d2}.best{fill:#4c86b8}"
               ".grid{stroke:#ddd}.range{stroke:#222;stroke-width:1.5;fill:none}</style>\n"
               "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
               "<text x=\"20\" y=\"22\">share of trials that fail, with 95 %% intervals; "
               "%" PRIu64 " trials of each strategy, seed %" PRIu64 "%s</text>\n",
               WIDTH, height, WIDTH, height, WIDTH, height, c->iterations, c->seed,
               c->is_interrupted ? "; interrupted" : "");
    text_puts(&p->out, "<text class=\"small\" x=\"20\" y=\"38\">darker: may be the best; each "
                       "line up is ten times as often</text>\n");
    p->y = TOP;
}

int comparison_picture(const struct comparison *c, const char *path, struct err *why)
{
    char *memory = mem_reserve_shared(SVG_BYTES, why);
    struct picture p = {.comparison = c, .decades = count_decades(c)};
    int rc;

    if (memory == NULL)
        return SN_ENOMEM;
    text_init(&p.out, memory, SVG_BYTES);
    put_head(&p);
    for (size_t i = 0; i < c->n_tests; i++)
        put_test(&p, &c->tests[i]);
    text_puts(&p.out, "</svg>\n");
    rc = p.out.cut
             ? err_set(why, SN_ENOMEM, "%.300s: there is more to show than it has room for", path)
             : file_replace(path, &(struct file_part){p.out.buffer, p.out.used}, 1, why);
    mem_release(memory, SVG_BYTES);
    return rc;
}
