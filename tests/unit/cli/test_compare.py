#!/usr/bin/env python3
"""test_compare - `sennit compare` tells how often strategies find a bug: test_compare.py BUILD

The program compare_main fails with probabilities that are known exactly.
SPDX-License-Identifier: MIT
"""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

import tap

BUILD = ""
TIMEOUT_S = 100
SVG = "{http://www.w3.org/2000/svg}"


def program():
    return os.path.join(BUILD, "tests/unit/cli/compare_main")


def probability(strategy, length):
    """That the chain of compare_main is faster: families of programs with known numbers."""
    return {"random": 0.5 ** (length + 1), "pos": 1 / (length + 2), "pct:1": 0.5}[strategy]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sennit-compare-")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_words(self, *words):
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_S,
                              env=dict(os.environ, LC_ALL="C", TERM="dumb"))

    def compare(self, *words, of=None):
        return self.run_words(os.path.join(BUILD, "sennit"), "compare", of or program(), *words)

    def text(self, *words):
        done = self.compare(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def tables(self, *words):
        """The rows of each test, by name of the test and of the strategy."""
        told = json.loads(self.text("--json", *words))
        return {test["test"]: {row["strategy"]: row for row in test["strategies"]}
                for test in told["tests"]}

    def rows(self, *words):
        return self.tables("-f", "chain", *words)["chain"]

    def path(self, name):
        return os.path.join(self.folder, name)


# ---- Figures -------------------------------------------------------------------------------------


def median_of(trials, failing):
    """Of the waits, by the product of Kaplan and Meier; the last wait has not ended."""
    ends = [-1] + failing
    waits = [(b - a, True) for a, b in zip(ends, ends[1:])]
    if trials - 1 > ends[-1]:
        waits.append((trials - 1 - ends[-1], False))
    longer = 1.0
    waits.sort(key=lambda wait: (wait[0], not wait[1]))
    for i, (wait, has_ended) in enumerate(waits):
        if has_ended:
            longer *= 1 - 1 / (len(waits) - i)
            if longer <= 0.5:
                return wait, False
    return waits[-1][0], True


class Figures(Case):
    def alone(self, strategy, *words):
        """The summary of the same test, run with one strategy as usual."""
        self.run_words(program(), "-f", "chain", "-k", "-s", strategy, "--no-shrink", *words)
        with open(self.path("sennit-out/summary.json"), encoding="utf-8") as file:
            return json.load(file)["tests"][0]

    def test_the_ratio_is_failures_over_trials(self):
        for strategy, row in self.rows("-i", "200", "--strategies", "random,pos,pct:1").items():
            test = self.alone(strategy, "-i", "200")

            self.assertEqual((row["trials"], row["failed"]), (200, test["failed"]))
            self.assertAlmostEqual(row["ratio"], test["failed"] / 200)
            self.assertEqual(row["orders"], test["distinct_orders"])
            self.assertAlmostEqual(row["steps"], test["steps"] / 200)

    def test_the_interval_is_that_of_wilson(self):
        row = self.rows("-i", "50", "--strategies", "random")["random"]

        n, p, z = 50, row["failed"] / 50, 1.959963984540054
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5 / (1 + z * z / n)
        self.assertGreater(row["failed"], 0)
        self.assertAlmostEqual(row["low"], centre - half, 6)
        self.assertAlmostEqual(row["high"], centre + half, 6)

    def covered(self, known):
        """How many intervals of three strategies and twelve seeds contain these numbers."""
        n = 0
        for seed in range(1, 13):
            rows = self.rows("-i", "200", "--seed", str(seed), "--strategies", "random,pos,pct:1")
            n += sum(row["low"] <= known(strategy) <= row["high"]
                     for strategy, row in rows.items())
        return n

    def test_the_interval_contains_the_known_probability_of_a_family(self):
        # 95 of 100 do. Fewer than 28 of 36 would come by chance once in 10,000 times.
        self.assertGreaterEqual(self.covered(lambda strategy: probability(strategy, 2)), 28)

    def test_the_interval_does_not_contain_a_wrong_probability(self):
        self.assertLess(self.covered(lambda strategy: probability(strategy, 2) / 2), 12)

    def test_mean_and_median_are_trials_from_one_failure_to_the_next(self):
        for seed in ("1", "2", "3"):
            words = ("-i", "100", "--seed", seed, "--length", "3")
            row = self.rows("--strategies", "random", *words)["random"]
            failing = sorted(trial for failure in self.alone("random", *words)["failures"]
                             for trial in failure["trials"])

            self.assertEqual(len(failing), row["failed"])
            self.assertAlmostEqual(row["mean"], 100 / row["failed"])
            self.assertEqual((row["median"], row["median_is_least"]), median_of(100, failing))

    def test_the_median_is_right_where_only_the_first_failures_are_known(self):
        row = self.rows("-i", "1000", "--length", "1", "--strategies", "random")["random"]

        self.assertGreater(row["failed"], 200)
        self.assertEqual(row["median"], 3)  # of a quarter: 1 - 0.75^3 is more than a half

    def test_without_a_failure_only_bounds_are_told(self):
        row = self.tables("-f", "never", "-i", "70", "--strategies", "random")["never"]["random"]
        text = self.text("-f", "never", "-i", "70", "--strategies", "random,pos")

        self.assertEqual((row["failed"], row["low"], row["mean"]), (0, 0, None))
        self.assertEqual((row["median"], row["median_is_least"]), (70, True))
        self.assertIn("no trial failed: nothing tells the strategies apart\n", text)

    def test_the_result_does_not_depend_on_jobs(self):
        words = ("-i", "600", "--strategies", "random,pos,pct:2,portfolio")
        results = []
        for jobs in ("1", "2", "3"):
            results.append(self.rows("-j", jobs, *words))
            for row in results[-1].values():
                del row["seconds"]

        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    def test_speed_is_trials_by_the_time_that_they_took(self):
        before = time.monotonic()
        row = self.rows("-i", "3000", "--strategies", "random")["random"]
        text = self.text("-i", "3000", "--strategies", "random")
        took = time.monotonic() - before
        speed = float(re.search(r" random .* (\d+)/s$", text, re.MULTILINE)[1])

        self.assertGreater(row["seconds"], 0)
        self.assertLess(row["seconds"] + 3000 / speed, took)

    def test_another_seed_gives_other_trials(self):
        a = self.rows("-i", "300", "--strategies", "random")["random"]
        b = self.rows("-i", "300", "--strategies", "random", "--seed", "2")["random"]

        self.assertNotEqual((a["failed"], a["median"]), (b["failed"], b["median"]))

    def test_options_of_the_program_are_passed_on(self):
        short = self.rows("-i", "300", "--strategies", "random", "--length", "1")["random"]
        long = self.rows("-i", "300", "--strategies", "random", "--length", "6")["random"]

        self.assertEqual((short["steps"] < 3.1, long["steps"] > 3.1), (True, True))
        self.assertGreater(short["low"], long["high"])


# ---- Ranks ---------------------------------------------------------------------------------------


class Ranks(Case):
    def test_ranks_are_shared_where_intervals_overlap(self):
        rows = self.rows("-i", "150", "--strategies", "random,pos,posr,pct:1,pct:2,sr",
                         "--length", "3")

        overlapping = 0
        for a in rows.values():
            above = sum(b["low"] > a["high"] for b in rows.values())
            below = sum(b["high"] < a["low"] for b in rows.values())
            self.assertEqual((a["rank_first"], a["rank_last"]), (above + 1, len(rows) - below))
            for b in rows.values():
                overlap = a["low"] <= b["high"] and b["low"] <= a["high"]
                shared = (a["rank_first"] <= b["rank_last"] and b["rank_first"] <= a["rank_last"])
                self.assertLessEqual(overlap, shared)
                overlapping += overlap and a is not b
        self.assertGreater(overlapping, 0)

    def test_the_text_says_which_strategies_cannot_be_told_apart(self):
        shared = self.text("-i", "150", "-f", "chain", "--strategies", "random,pos,posr")
        apart = self.text("-i", "400", "-f", "chain", "--length", "4",
                          "--strategies", "random,pct:1")

        self.assertIn("\n    best: pos, posr: their intervals overlap\n", shared)
        self.assertIn("\n    strategies whose intervals overlap share a rank", shared)
        self.assertRegex(shared, r"\n    pos +1-2 ")
        self.assertIn("\n    best: pct:1\n", apart)
        self.assertNotIn("overlap", apart)
        self.assertRegex(apart, r"\n    random +2 ")

    def test_strategies_that_do_not_draw_have_no_interval_and_no_rank(self):
        rows = self.rows("-i", "100", "--strategies", "random,dfs,oldest")
        text = self.text("-i", "100", "-f", "chain", "--strategies", "random,dfs")

        self.assertEqual([rows[name]["sampled"] for name in ("random", "dfs", "oldest")],
                         [True, False, False])
        self.assertEqual((rows["random"]["rank_first"], rows["random"]["rank_last"]), (1, 1))
        self.assertEqual((rows["dfs"]["trials"], rows["dfs"]["failed"]), (4, 1))
        self.assertEqual([rows["dfs"][key] for key in ("low", "high", "rank_first")], [None] * 3)
        self.assertIn("    dfs does not draw its trials: they are no sample", text)

    def test_every_test_has_a_table(self):
        text = self.text("-i", "20", "--strategies", "random")

        self.assertEqual(re.findall(r"^compare/(\w+): 20 trials of each strategy, seed 1$", text,
                                    re.M), ["chain", "never"])

    def test_without_a_list_there_is_one(self):
        self.assertEqual(list(self.rows("-i", "10"))[1:],
                         ["random", "random+ca", "pos", "pos+ca", "posr", "pct:3", "sr", "surw",
                          "fest"])

    def test_it_begins_with_what_tests_are_run_with(self):
        words = [program(), "-f", "never", "-i", "10", "-o", "out"]
        env = {name: value for name, value in os.environ.items() if not name.startswith("SENNIT_")}
        subprocess.run(words, cwd=self.folder, env=env, check=True, capture_output=True)
        with open(self.path("out/summary.json"), encoding="utf-8") as file:
            usual = json.load(file)["strategy"]
        self.assertEqual(list(self.rows("-i", "10"))[0], usual)


# ---- Usage ---------------------------------------------------------------------------------------


class Usage(Case):
    def refused(self, sentence, *words, code=2):
        done = self.compare(*words)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(sentence, done.stderr)

    def test_unknown_strategies_are_refused_before_anything_is_run(self):
        self.refused("there is no strategy called nope", "--strategies", "random,nope")
        self.refused("pct", "--strategies", "random,pct:x")

    def test_a_strategy_that_cannot_run_a_test_is_refused_before_anything_is_run(self):
        self.refused("events cannot run chain: the strategy events is for tests that record events",
                     "--strategies", "random,events", "-i", "10")

    def test_so_is_one_that_only_a_trial_shows_to_be_of_no_use(self):
        done = self.compare("--bug", "second-vote", "--strategies", "random,odpor:revisit,dfs",
                            "-i", "50", of=os.path.join(BUILD, "systems/two_phase_commit"))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("odpor:revisit cannot run atomic: odpor:revisit cannot search faults",
                      done.stderr)

    def test_a_program_that_is_no_test_program_is_refused(self):
        done = self.compare(of="/bin/true")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("/bin/true is no test program", done.stderr)

    def test_lists_that_make_no_sense_are_refused(self):
        self.refused("the name of a strategy is missing", "--strategies", "random,,pos")
        self.refused("the name of a strategy is missing", "--strategies", "")
        self.refused("random is there twice", "--strategies", "random,pos,random")
        self.refused("is too long", "--strategies", "r" * 200)
        self.refused("more than 32", "--strategies",
                     ",".join(f"pct:{i}" for i in range(1, 40)))

    def test_options_that_are_about_one_run_are_refused(self):
        for words in (["-s", "pos"], ["--tap"], ["--xml", "x"], ["--resume"], ["--step"],
                      ["--checkpoint", "c"], ["--corpus", "c"], ["--shard", "1/2"], ["--list"]):
            self.refused("do not go with it", *words)
        done = self.run_words(program(), "--picture", "p.svg")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--picture goes with --strategies", done.stderr)

    def test_a_program_is_needed_and_comes_first(self):
        for words in ([], ["-i", "5", program()]):
            done = self.run_words(os.path.join(BUILD, "sennit"), "compare", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
        done = self.compare("-i", "5", of="./nothing")
        self.assertEqual(done.returncode, 2)

    def test_a_filter_that_matches_nothing_ends_with_3(self):
        self.refused("no test has", "-f", "zebra", code=3)

    def test_a_composition_is_one_strategy(self):
        rows = self.rows("-i", "10", "--strategies", "pos@2,random,pct:1", "--strategies", "sr")

        self.assertEqual(list(rows), ["pos@2,random", "pct:1", "sr"])

    def test_no_file_is_left_behind(self):
        self.text("-i", "50", "--strategies", "random")

        self.assertEqual(os.listdir(self.folder), [])

    def test_help_is_printed(self):
        done = self.compare("--help")

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--strategies A,B,C", done.stdout)

    def test_an_interrupted_comparison_says_what_it_has(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        # pylint: disable=consider-using-with
        process = subprocess.Popen(
            [os.path.join(BUILD, "sennit"), "compare", program(), "-i", "1000000000", "-f", "chain",
             "--strategies", "pos,random", "-o", "p.svg"], cwd=self.folder, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=theirs, stdin=subprocess.DEVNULL,
            env=dict(os.environ, LC_ALL="C", TERM="xterm", CI=""))
        os.close(theirs)
        seen = ""
        while "orders" not in seen:
            seen += os.read(ours, 4096).decode()
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=TIMEOUT_S)[0]

        self.assertEqual(process.returncode, 3)
        self.assertIn("chain  pos", seen)
        self.assertRegex(text, r"\n    pos +1 +[1-9]\d* ")
        self.assertRegex(text, r"\n    random +not run\n")
        self.assertRegex(text, r"\n    pos was stopped after [1-9]\d* trials\n")
        self.assertTrue(text.endswith("\ninterrupted: these are the figures up to then\n"), text)
        self.assertIn("interrupted", "".join(xml.etree.ElementTree.parse(self.path("p.svg"))
                                             .getroot().itertext()))


# ---- The picture ---------------------------------------------------------------------------------


class Picture(Case):
    def draw(self, *words):
        self.text("-o", "p.svg", *words)
        return xml.etree.ElementTree.parse(self.path("p.svg")).getroot()

    def test_the_picture_is_well_formed_and_shows_each_strategy(self):
        root = self.draw("-i", "60", "--strategies", "random,pos,pct:2,dfs")

        texts = [(text.text or "") for text in root.iter(SVG + "text")]
        self.assertEqual(root.tag, SVG + "svg")
        for name in ("random", "pos", "pct:2", "dfs"):
            self.assertEqual(texts.count(name), 2, texts)  # one for each test
        self.assertIn("compare/chain", texts)
        self.assertIn("compare/never", texts)

    def test_bars_and_intervals_lie_where_the_axis_says(self):
        words = ("-i", "400", "-f", "chain", "--length", "4", "--strategies", "random,pos")
        rows = self.tables(*words)["chain"]
        root = self.draw(*words)

        ticks = {float(text.text): float(text.get("x")) for text in root.iter(SVG + "text")
                 if re.fullmatch(r"1|0\.0*1", text.text or "")}
        bars = [bar for bar in root.iter(SVG + "rect") if bar.get("class")]
        lines = [[float(x) for x in re.fullmatch(
            r"M([\d.]+) \d+V\d+M[\d.]+ \d+H([\d.]+)M.*", line.get("d")).groups()]
                 for line in root.iter(SVG + "path")]
        self.assertEqual((len(bars), len(lines), sorted(ticks)), (2, 2, [0.01, 0.1, 1]))
        decade = ticks[1] - ticks[0.1]
        self.assertAlmostEqual(ticks[0.1] - ticks[0.01], decade, 1)
        for bar, line, row in zip(bars, lines, rows.values()):
            ends = [float(bar.get("x")) + float(bar.get("width")), *line]
            for x, share in zip(ends, (row["ratio"], row["low"], row["high"])):
                self.assertAlmostEqual(10 ** ((x - ticks[1]) / decade), share, 2)

    def test_the_picture_needs_no_other_file(self):
        self.draw("-i", "60", "--strategies", "random")

        with open(self.path("p.svg"), encoding="utf-8") as file:
            self.assertEqual(re.findall(r"href|url\(|@import|<script|<image", file.read()), [])

    def test_a_picture_that_cannot_be_written_is_refused_before_anything_is_run(self):
        done = self.compare("-i", "60", "-o", "no/such/folder/p.svg", "--strategies", "random")

        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no/such/folder", done.stderr)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    del sys.argv[1:]
    tap.main()
