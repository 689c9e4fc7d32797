#!/usr/bin/env python3
"""test_ds2_bench - DS2's tables as the benchmark prints them, and its pictures:
test_ds2_bench.py BENCH

SPDX-License-Identifier: MIT
"""

import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

import tap

BENCH = ""
METRICS = ["#S", "#IH", "#UH", "#NL", "NL/UH", "UH/S", "NL/S", "TS", "ST", "TC", "TT", "#HF", "TF",
           "#UH~", "#NL~", "#PO"]
COUNTS = METRICS[:7]


def bench(*arguments):
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)


def tables(said):
    """The tables of Markdown: titles, and of each line its name and its cells by their heads."""
    found = {}
    lines = {}
    for line in said.split("\n"):
        if line.startswith("### "):
            lines = found.setdefault(line[4:], {})
            algorithm = ""
        elif line.startswith("|") and not line.startswith("|---"):
            cells = [cell.strip() for cell in line[1:-1].split("|")]
            if cells[2:] == METRICS:
                continue
            algorithm = cells[0] or algorithm
            name = cells[1] if cells[1] != "published" else algorithm
            lines[name] = dict(zip(METRICS, cells[2:], strict=True))
    return found


def measure(*arguments):
    done = bench("--markdown", "--quick", *arguments)
    assert done.returncode == 0, done.stderr
    return tables(done.stdout)


class Tables(unittest.TestCase):
    def agree(self, lines, ours, published, metrics):
        self.assertEqual([lines[ours][m] for m in metrics], [lines[published][m] for m in metrics])

    def test_exhaustive_search_of_another_register_and_chord_has_the_published_figures(self):
        found = measure("--tables", "6,10", "--strategies", "dfs", "--limit", "50000")
        another, chord = found.values()
        self.agree(another, "dfs", "EX", COUNTS + ["#HF"])
        self.agree(chord, "dfs", "EX", COUNTS)

    def test_histories_of_the_registers_differ_and_the_table_says_why(self):
        done = bench("--markdown", "--quick", "--tables", "2,4", "--strategies", "dfs", "--limit",
                     "50000")
        asis, fixed, erroneous = tables(done.stdout).values()
        self.assertEqual([asis["dfs"][m] for m in COUNTS[:4]], ["4,200", "1,929 a", "170 a", "0"])
        self.assertEqual([fixed["dfs"][m] for m in COUNTS[:4]], ["4,200", "0", "120", "0"])
        self.assertEqual([erroneous["dfs"][m] for m in COUNTS[:4]], ["252", "0 a", "32 a", "12 a"])
        self.assertEqual(done.stdout.count("- a: Where DS2 goes back"), 2)

    def test_the_register_without_its_defects_has_no_published_lines(self):
        asis, fixed = measure("--tables", "2", "--strategies", "dfs").values()
        self.assertEqual(len(asis), 8)
        self.assertEqual(list(fixed), ["dfs"])

    def test_no_systematic_search_differs_without_a_reason(self):
        done = bench("--quick", "--limit", "50000", "--tables", "2,4,6,10", "--strategies",
                     "dfs,delay:3,dpor,transdpor:paper,transdpor,ired:paper,ired,liviola:paper,"
                     "liviola")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("?", done.stdout)
        self.assertNotIn("left out", done.stdout)

    def test_quick_tables_have_all_lines_and_say_that_less_was_allowed(self):
        done = bench("--quick", "--markdown", "--limit", "100", "--tables", "11")
        (lines,) = tables(done.stdout).values()
        self.assertEqual(len(lines), 7 + 14)
        self.assertEqual(lines["random"]["#S"], "100+")
        self.assertTrue(lines["dfs"]["#S"].startswith("100+ "))
        self.assertIn("fewer schedules were allowed here", done.stdout)
        self.assertNotIn("?", done.stdout)

    def test_what_is_counted_is_the_same_every_time(self):
        def counts():
            lines = measure("--tables", "5", "--limit", "300")
            return {name: {m: cell for m, cell in cells.items() if m[0] != "T" and m != "ST"}
                    for table in lines.values() for name, cells in table.items()}

        self.assertEqual(counts(), counts())

    def test_optimal_search_has_as_many_schedules_as_there_are_orders(self):
        (lines,) = measure("--tables", "10", "--strategies", "dfs,odpor", "--limit",
                           "50000").values()
        self.assertEqual(lines["odpor"]["#S"], lines["dfs"]["#PO"])
        self.assertEqual(lines["odpor"]["#UH~"], lines["dfs"]["#UH~"])
        self.assertEqual(lines["odpor"]["#NL~"], lines["dfs"]["#NL~"])

    def test_liviola_as_published_misses_most_of_what_is_wrong_with_chord(self):
        (lines,) = measure("--tables", "10", "--strategies", "dfs,liviola:paper,liviola",
                           "--limit", "50000").values()
        self.assertLess(int(lines["liviola:paper"]["#NL"].split()[0]), 5)
        self.assertEqual(lines["liviola"]["#NL~"], lines["dfs"]["#NL~"])

    def test_the_summary_has_a_column_for_each_table_and_a_line_for_each_search(self):
        done = bench("--summary", "--markdown", "--quick", "--tables", "4,6", "--strategies",
                     "dfs,odpor")
        lines = [[cell.strip() for cell in line[1:-1].split("|")]
                 for line in done.stdout.split("\n") if line.startswith("| ")]
        self.assertEqual(lines[0], ["", "", "EDR 2r+1w", "ADR 2r+1w"])
        self.assertEqual(lines[1], ["EX", "published", "252: 2 of 11", "1,680: 0 of 148"])
        self.assertEqual(lines[2], ["", "dfs", "252: 12 of 32", "1,680: 0 of 148"])
        self.assertEqual(len(lines), 1 + 7 + 2)

    def test_wrong_options_are_refused(self):
        for arguments in (["--tables", "12"], ["--tables", "x"], ["--strategies", "nonesuch"],
                          ["--limit", "0"], ["--nonesuch"]):
            with self.subTest(arguments):
                self.assertEqual(bench(*arguments).returncode, 2)


class Figures(unittest.TestCase):
    def draw(self, *arguments):
        """The marks of both pictures, after they were read as XML."""
        with tempfile.TemporaryDirectory() as folder:
            done = bench("--quick", "--figures", folder, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["figure-8.svg", "figure-9.svg"])
            return [self.marks(os.path.join(folder, name)) for name in sorted(os.listdir(folder))]

    def marks(self, path):
        root = ET.parse(path).getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        found = [element for element in root.iter() if element.get("class") == "mark"]
        for element in found:
            self.assertTrue(0 <= float(element.get("height", "0")) <= 148.01)
        return [element[0].text for element in found]

    def test_pictures_have_a_mark_for_each_figure_of_a_table(self):
        for marks in self.draw("--tables", "4,10", "--strategies", "dfs,odpor"):
            self.assertEqual(len(marks), 6 * 2 * (7 + 2))

    def test_strategies_beside_the_drawn_ones_have_no_marks(self):
        for marks in self.draw("--tables", "4", "--strategies", "dfs,ired:paper"):
            self.assertEqual(len(marks), 6 * (7 + 1))

    def test_marks_say_what_the_tables_say(self):
        eight, nine = self.draw("--tables", "4", "--strategies", "dfs")
        self.assertIn("EX, EDR 2r+1w: 11", eight)
        self.assertIn("dfs, EDR 2r+1w: 32", eight)
        self.assertIn("SR, EDR 2r+1w: none", nine)
        self.assertIn("dfs, EDR 2r+1w: 4", nine)

    def test_a_folder_that_is_not_there_is_told(self):
        done = bench("--quick", "--tables", "4", "--strategies", "dfs", "--figures", "/nonesuch")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write to /nonesuch: No such file or directory", done.stderr)


if __name__ == "__main__":
    BENCH = sys.argv[1]
    tap.main()
