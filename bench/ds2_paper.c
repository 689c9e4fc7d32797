/* ds2_paper.c - see ds2_paper.h. SPDX-License-Identifier: MIT */
#include "ds2_paper.h"

#include <stddef.h>

#define NONE DS2_NONE

const char *const ds2_algorithm_names[DS2_ALGORITHMS] = {"EX", "SR", "DB", "DP", "TD", "IR", "LV"};

const char *ds2_system_name(const struct ds2_paper_table *table)
{
    static const char *const names[] = {"DR", "EDR", "ADR", "PX", "OC"};

    return names[(table->number - DS2_PAPER_FIRST) / 2];
}

/* Of 69356: 693 minutes and 56 seconds. */
static double seconds_of(double printed)
{
    double minutes = floor(printed / 100);

    return minutes * 60 + (printed - minutes * 100);
}

struct ds2_line ds2_paper_line(const struct ds2_paper_table *table, enum ds2_algorithm algorithm)
{
    struct ds2_line line;

    for (size_t i = 0; i < DS2_METRICS; i++)
        line.cells[i] = i < DS2_PUBLISHED ? table->cells[i][algorithm] : DS2_NONE;
    for (size_t i = DS2_TS; i <= DS2_TT; i++)
        line.cells[i] = seconds_of(line.cells[i]);
    return line;
}

static const double a2[DS2_PUBLISHED][DS2_ALGORITHMS] = {
    [DS2_S] = {4200, 100000, 4200, 2984, 2906, 2906, 88},
    [DS2_IH] = {4195, 0, 4195, 2979, 2901, 2901, 83},
    [DS2_UH] = {37, 26, 37, 37, 37, 37, 22},
    [DS2_NL] = {0, 0, 0, 0, 0, 0, 0},
    [DS2_NL_UH] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    [DS2_UH_S] = {0.88, 0.03, 0.88, 1.24, 1.27, 1.27, 25.0},
    [DS2_NL_S] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    [DS2_TS] = {6, 448, 6, 5, 5, 4, 0},
    [DS2_ST] = {18, 152, 21, 12, 13, 17, 0},
    [DS2_TT] = {6, 448, 6, 5, 5, 4, 0},
    [DS2_HF] = {NONE, NONE, NONE, NONE, NONE, NONE, NONE},
};

static const double a3[DS2_PUBLISHED][DS2_ALGORITHMS] = {
    [DS2_S] = {50000, 100000, 50000, 50000, 50000, 50000, 7236},
    [DS2_IH] = {50000, 100000, 50000, 50000, 50000, 50000, 7236},
    [DS2_UH] = {8, 91, 8, 8, 8, 8, 147},
    [DS2_NL] = {0, 0, 0, 0, 0, 0, 0},
    [DS2_NL_UH] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    [DS2_UH_S] = {0.02, 0.09, 0.02, 0.02, 0.02, 0.02, 2.03},
    [DS2_NL_S] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    [DS2_TS] = {127, 549, 122, 136, 134, 134, 9},
    [DS2_ST] = {927, 255, 627, 709, 742, 705, 34},
    [DS2_TT] = {127, 549, 122, 136, 134, 134, 9},
    [DS2_HF] = {NONE, NONE, NONE, NONE, NONE, NONE, NONE},
};

static const double a4[DS2_PUBLISHED][DS2_ALGORITHMS] = {
    [DS2_S] = {252, 100000, 252, 20, 20, 14, 14},
    [DS2_IH] = {247, 0, 247, 15, 15, 11, 11},
    [DS2_UH] = {11, 66, 11, 11, 12, 8, 8},
    [DS2_NL] = {2, 0, 2, 3, 4, 2, 2},
    [DS2_NL_UH] = {18.18, 0.0, 18.18, 27.27, 33.33, 25.0, 25.0},
    [DS2_UH_S] = {4.37, 0.07, 4.37, 55.0, 60.0, 57.14, 57.14},
    [DS2_NL_S] = {0.79, 0.0, 0.79, 15.0, 20.0, 14.29, 14.29},
    [DS2_TS] = {0, 409, 0, 0, 0, 0, 0},
    [DS2_ST] = {1, 139, 1, 0, 0, 0, 0},
    [DS2_TT] = {0, 409, 0, 0, 0, 0, 0},
    [DS2_HF] = {2, NONE, 2, 0, 0, 1, 1},
};

static const double a5[DS2_PUBLISHED][DS2_ALGORITHMS] = {
    [DS2_S] = {50000, 100000, 50000, 50000, 50000, 30063, 28517},
    [DS2_IH] = {49996, 0, 49996, 49894, 49875, 29995, 28441},
    [DS2_UH] = {20, 459, 18, 79, 152, 97, 116},
    [DS2_NL] = {0, 0, 0, 11, 18, 6, 10},
    [DS2_NL_UH] = {0.0, 0.0, 0.0, 13.92, 11.84, 6.19, 8.62},
    [DS2_UH_S] = {0.04, 0.46, 0.04, 0.16, 0.3, 0.32, 0.41},
    [DS2_NL_S] = {0.0, 0.0, 0.0, 0.02, 0.04, 0.02, 0.04},
    [DS2_TS] = {131, 434, 150, 148, 146, 111, 113},
    [DS2_ST] = {519, 200, 556, 629, 546, 301, 302},
    [DS2_TT] = {131, 434, 150, 148, 146, 111, 113},
    [DS2_HF] = {NONE, NONE, NONE, 0, 0, 0, 0},
};

static const double a6[DS2_PUBLISHED][DS2_ALGORITHMS] = {
    [DS2_S] = {1680, 100000, 1680, 908, 818, 802, 802},
    [DS2_IH] = {887, 0, 887, 462, 419, 412, 412},
    [DS2_UH] = {148, 28, 148, 140, 132, 124, 124},
    [DS2_NL] = {0, 0, 0, 0, 0, 0, 0},
    [DS2_NL_UH] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    [DS2_UH_S] = {8.81, 0.03, 8.81, 15.42, 16.14, 15.46, 15.46},
    [DS2_NL_S] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    [DS2_TS] = {22, 854, 20, 6, 7, 7, 7},
    [DS2_ST] = {112, 110, 107, 19, 21, 20, 22},
    [DS2_TT] = {22, 854, 20, 6, 7, 7, 7},
    [DS2_HF] = {NONE, NONE, NONE, NONE, NONE, NONE, NONE},
};

static const double a7[DS2_PUBLISHED][DS2_ALGORITHMS] = {
    [DS2_S] = {50000, 100000, 50000, 50000, 50000, 50000, 50000},
    [DS2_IH] = {42890, 95060, 42890, 40152, 39564, 39884, 39884},
    [DS2_UH] = {718, 131, 718, 1610, 1876, 1907, 1907},
    [DS2_NL] = {0, 0, 0, 0, 0, 0, 0},
    [DS2_NL_UH] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    [DS2_UH_S] = {1.44, 0.13, 1.44, 3.22, 3.75, 3.81, 3.81},
    [DS2_NL_S] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    [DS2_TS] = {69356, 444, 66041, 87636, 83539, 85953, 84530},
    [DS2_ST] = {263548, 152, 260810, 287133, 270356, 288904, 285707},
    [DS2_TT] = {69356, 444, 66041, 87636, 83539, 85953, 84530},
    [DS2_HF] = {NONE, NONE, NONE, NONE, NONE, NONE, NONE},
};

static const double a8[DS2_PUBLISHED][DS2_ALGORITHMS] = {
    [DS2_S] = {50000, 100000, 50000, 50000, 50000, 50000, 50000},
    [DS2_IH] = {0, 0, 0, 0, 0, 0, 0},
    [DS2_UH] = {14, 26, 14, 12, 12, 12, 12},
    [DS2_NL] = {0, 0, 0, 0, 0, 0, 0},
    [DS2_NL_UH] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    [DS2_UH_S] = {0.03, 0.03, 0.03, 0.02, 0.02, 0.02, 0.02},
    [DS2_NL_S] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    [DS2_TS] = {6819, 625, 6751, 7444, 3215, 8051, 7613},
    [DS2_ST] = {30630, 322, 31848, 33229, 14952, 35019, 32529},
    [DS2_TT] = {6819, 625, 6751, 7444, 3215, 8051, 7613},
    [DS2_HF] = {NONE, NONE, NONE, NONE, NONE, NONE, NONE},
};

static const double a9[DS2_PUBLISHED][DS2_ALGORITHMS] = {
    [DS2_S] = {50000, 100000, 50000, 50000, 50000, 50000, 50000},
    [DS2_IH] = {0, 0, 0, 0, 0, 0, 0},
    [DS2_UH] = {6, 85, 6, 6, 6, 6, 9},
    [DS2_NL] = {0, 0, 0, 0, 0, 0, 0},
    [DS2_NL_UH] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    [DS2_UH_S] = {0.01, 0.08, 0.01, 0.01, 0.01, 0.01, 0.02},
    [DS2_NL_S] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    [DS2_TS] = {3554, 612, 3528, 5650, 5722, 7057, 7548},
    [DS2_ST] = {28639, 340, 30722, 58143, 57032, 70618, 63505},
    [DS2_TT] = {3554, 612, 3528, 5650, 5722, 7057, 7548},
    [DS2_HF] = {NONE, NONE, NONE, NONE, NONE, NONE, NONE},
};

static const double a10[DS2_PUBLISHED][DS2_ALGORITHMS] = {
    [DS2_S] = {18396, 100000, 18396, 5926, 2633, 1935, 21},
    [DS2_IH] = {0, 0, 0, 0, 0, 0, 0},
    [DS2_UH] = {165, 35, 165, 143, 117, 121, 17},
    [DS2_NL] = {17, 0, 17, 16, 14, 12, 4},
    [DS2_NL_UH] = {10.3, 0.0, 10.3, 11.19, 11.97, 9.92, 23.53},
    [DS2_UH_S] = {0.9, 0.03, 0.9, 2.41, 4.44, 6.25, 80.95},
    [DS2_NL_S] = {0.09, 0.0, 0.09, 0.27, 0.53, 0.62, 19.05},
    [DS2_TS] = {530, 630, 534, 43, 10, 6, 0},
    [DS2_ST] = {1825, 340, 1756, 204, 34, 24, 0},
    [DS2_TT] = {530, 630, 534, 43, 10, 6, 0},
    [DS2_HF] = {15, NONE, 15, 12, 10, 12, 0},
};

static const double a11[DS2_PUBLISHED][DS2_ALGORITHMS] = {
    [DS2_S] = {50000, 100000, 50000, 50000, 50000, 50000, 71},
    [DS2_IH] = {0, 0, 0, 0, 0, 0, 0},
    [DS2_UH] = {325, 329, 3557, 1073, 1034, 1498, 49},
    [DS2_NL] = {15, 1, 357, 181, 163, 295, 1},
    [DS2_NL_UH] = {4.62, 0.3, 10.04, 16.87, 15.76, 19.69, 2.04},
    [DS2_UH_S] = {0.65, 0.33, 7.11, 2.15, 2.07, 3.0, 69.01},
    [DS2_NL_S] = {0.03, 0.0, 0.71, 0.36, 0.33, 0.59, 1.41},
    [DS2_TS] = {7329, 740, 3401, 5048, 6003, 10043, 0},
    [DS2_ST] = {32339, 443, 13825, 19459, 21455, 35959, 0},
    [DS2_TT] = {7329, 740, 3402, 5048, 6003, 10043, 0},
    [DS2_HF] = {15, 168, 1, 2, 9, 1, 22},
};

const struct ds2_paper_table ds2_paper_tables[DS2_PAPER_TABLES] = {
    {2, "register", "DR, the correct register", {2, 1, 2}, a2},
    {3, "register", "DR, the correct register", {2, 2, 2}, a3},
    {4, "erroneous", "EDR, the erroneous register", {2, 1, 3}, a4},
    {5, "erroneous", "EDR, the erroneous register", {2, 2, 3}, a5},
    {6, "another", "ADR, another register", {2, 1, 2}, a6},
    {7, "another", "ADR, another register", {2, 2, 2}, a7},
    {8, "paxos", "PX, Multi-Paxos", {2, 1, 2}, a8},
    {9, "paxos", "PX, Multi-Paxos", {2, 2, 2}, a9},
    {10, "chord", "OC, Open Chord", {2, 1, 2}, a10},
    {11, "chord", "OC, Open Chord", {2, 2, 2}, a11},
};
