#!/usr/bin/env python3
"""test_search - build/bench/search measures what it says: test_search.py BUILD

SPDX-License-Identifier: MIT
"""

import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
TIMEOUT_S = 100
BUGS = ["two_phase_commit/impatient", "two_phase_commit/second-vote"]


class Search(unittest.TestCase):
    def search(self, *words):
        return subprocess.run([os.path.join(BUILD, "bench/search"), "--build", BUILD, *words],
                              capture_output=True, text=True, check=True, timeout=TIMEOUT_S).stdout

    def figures(self, *words):
        """{(name, unit): value} of what is printed."""
        told = [line.split("\t") for line in self.search(*words).splitlines()]
        return {(name, unit): value for name, value, unit in told}

    def test_shares_are_those_of_a_comparison(self):
        found = self.figures("--only", "two_phase_commit/impatient", "--trials", "40",
                             "--noise", "0", "50", "--strategies", "random", "pos")

        for noise in "0", "50":
            told = json.loads(subprocess.run(
                [os.path.join(BUILD, "systems/two_phase_commit"), "--bug", "impatient", "--noise",
                 noise, "-i", "40", "--strategies", "random,pos", "--json"], capture_output=True,
                text=True, check=True, timeout=TIMEOUT_S).stdout)
            for row in told["tests"][0]["strategies"]:
                name = f"two_phase_commit/impatient/{row['strategy']}/noise {noise}"
                self.assertAlmostEqual(float(found[name, "share"]), row["ratio"], 5)

    def test_means_are_geometric_and_none_counts_as_half_a_trial(self):
        found = self.figures("--only", "two_phase_commit/", "--trials", "30", "--noise", "0",
                             "--strategies", "random")

        shares = [float(value) for (_, unit), value in found.items() if unit == "share"]
        wanted = math.exp(sum(math.log(max(share, 0.5 / 30)) for share in shares) / len(shares))
        self.assertIn(0, shares)
        self.assertEqual(len(shares), 6)
        self.assertAlmostEqual(float(found["all/random", "geometric mean"]), wanted, 5)

    def test_halves_are_told_apart_and_decay_is_the_part_that_is_left(self):
        found = self.figures("--only", "two_phase_commit/", "--trials", "30", "--noise", "0", "60",
                             "--strategies", "random", "--held-out", *BUGS)

        def mean(names, noise):
            shares = [float(found[f"{name}/random/noise {noise}", "share"]) for name in names]
            return math.exp(sum(math.log(max(s, 0.5 / 30)) for s in shares) / len(shares))

        others = {name.rsplit("/", 2)[0] for (name, unit) in found if unit == "share"} - set(BUGS)
        for half, names in (("held out", BUGS), ("chosen by", others)):
            for noise in 0, 60:
                self.assertAlmostEqual(
                    float(found[f"{half}/random/noise {noise}", "geometric mean"]),
                    mean(names, noise), 5)
            self.assertAlmostEqual(float(found[f"{half}/random/noise 60", "decay"]),
                                   mean(names, 60) / mean(names, 0), 3)

    def test_by_time_shares_are_divided_by_what_trials_cost(self):
        words = ("--only", *BUGS, "--trials", "200", "--noise", "0", "--held-out")
        costs = ["two_phase_commit_noise0_pos\t2.000\tratio",
                 "two_phase_commit_noise100_random+ca\t4.000\tratio",  # of another noise
                 "two_phase_commit_noise0_pos+ca_beside_pos\t3.000\tratio", "mean_pos\t2.5\tratio"]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "costs")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(costs) + "\n")
            found = self.figures(*words, "--strategies", "random", "pos", "random+ca", "--costs",
                                 path)

        self.assertAlmostEqual(float(found["all/pos/by time", "times random"]),
                               float(found["all/pos", "times random"]) / 2, delta=0.002)
        self.assertEqual(found["all/random/by time", "times random"], "1.000")
        self.assertNotIn(("all/random+ca/by time", "times random"), found)

    def test_what_is_kept_is_not_measured_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kept")
            words = ("--only", BUGS[0], "--trials", "20", "--noise", "0", "--keep", path)
            self.search(*words, "--strategies", "random")
            with open(path, encoding="utf-8") as file:
                kept = json.load(file)
            kept[0][1] = [7, 20]
            with open(path, "w", encoding="utf-8") as file:
                json.dump(kept, file)

            found = self.figures(*words, "--strategies", "random", "pos")

        self.assertEqual(found[f"{BUGS[0]}/random/noise 0", "share"], "0.35")
        self.assertIn((f"{BUGS[0]}/pos/noise 0", "share"), found)

    def test_a_portfolio_on_paper_divides_the_trials_among_its_arms(self):
        rows = [[[BUGS[0], "random", 0], [10, 20]], [[BUGS[0], "pos", 0], [0, 20]],
                [[BUGS[1], "random", 0], [2, 20]], [[BUGS[1], "pos", 0], [20, 20]]]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kept")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(rows, file)
            found = self.figures("--only", *BUGS, "--noise", "0", "--strategies", "random", "pos",
                                 "--keep", path, "--portfolios", "2", "--held-out", BUGS[1])

        self.assertTrue(found["on paper/chosen by/portfolio:random/pos", "times random"]
                        .startswith("0.50 "))
        self.assertTrue(found["on paper/held out/portfolio:random/pos", "times random"]
                        .startswith("5.50 "))
        self.assertTrue(found["on paper/chosen by/pos", "times random"].startswith("0.05 "))

    def test_what_there_was_no_time_for_is_named(self):
        told = self.search("--only", BUGS[0], "--trials", "20", "--seconds", "0.000001",
                           "--strategies", "random")

        self.assertIn(f"{BUGS[0]}/noise 1000\tthere was no time left\tnot measured\n", told)

    def test_a_strategy_that_there_is_not_is_left_out_with_a_reason(self):
        found = self.figures("--only", BUGS[0], "--trials", "20", "--noise", "0",
                             "--strategies", "random", "nope")

        self.assertIn("there is no strategy called nope", found["nope", "not measured"])
        self.assertIn(("all/random", "geometric mean"), found)

    def test_systems_without_noise_are_compared_without_it(self):
        words = ("--only", "sync/drop-conflict", BUGS[0], "--trials", "10", "--strategies",
                 "random", "--held-out")

        found = self.figures(*words, "--noise", "0", "10")
        self.assertIn(("sync/drop-conflict/random/noise 0", "share"), found)
        self.assertNotIn(("sync/drop-conflict/random/noise 10", "share"), found)
        share = max(float(found[f"{BUGS[0]}/random/noise 10", "share"]), 0.05)
        self.assertAlmostEqual(float(found["all/random/noise 10", "geometric mean"]), share, 5)
        told = self.search(*words, "--noise", "10")
        self.assertIn("sync\tit has no option --noise\tnot measured\n", told)

    def test_what_was_found_in_libraft_is_compared_one_at_a_time(self):
        if not os.path.exists(os.path.join(BUILD, "systems/libraft")):
            self.skipTest("libraft-dev is not installed")

        found = self.figures("--only", "libraft/follower-keeps-unwritten", "--trials", "40",
                             "--noise", "0", "--strategies", "random")
        name = "libraft/follower-keeps-unwritten/random/noise 0"
        told = json.loads(subprocess.run(
            [os.path.join(BUILD, "systems/libraft"), "--finding", "follower-keeps-unwritten", "-f",
             "disks", "-i", "40", "--strategies", "random", "--json"], capture_output=True,
            text=True, check=True, timeout=TIMEOUT_S).stdout)
        row = told["tests"][0]["strategies"][0]
        self.assertGreater(row["ratio"], 0)
        self.assertAlmostEqual(float(found[name, "share"]), row["ratio"], 5)

    def test_the_held_out_half_is_drawn_by_a_hash(self):
        found = self.figures("--only", "two_phase_commit/", "--trials", "10", "--noise", "0",
                             "--strategies", "random")

        names = {name.rsplit("/", 2)[0] for (name, unit) in found if unit == "share"}
        odd = [name for name in names if hashlib.sha256(name.encode()).digest()[0] % 2 == 1]
        shares = [max(float(found[f"{name}/random/noise 0", "share"]), 0.05) for name in odd]
        wanted = math.exp(sum(map(math.log, shares)) / len(shares))
        self.assertTrue(0 < len(odd) < len(names))
        self.assertAlmostEqual(float(found["held out/random", "geometric mean"]), wanted, 5)

    def test_markdown_has_a_table_of_each_half(self):
        text = self.search("--only", "two_phase_commit/", "--trials", "10", "--noise", "0", "10",
                           "--strategies", "random", "pos", "--markdown", "--held-out", *BUGS)

        self.assertIn("\nHeld out: 2 bugs.\n", text)
        self.assertIn("\nChosen by: 4 bugs.\n", text)
        self.assertIn("\n| strategy | noise 0 | noise 10 | all noise | decay at 10 | times random "
                      "|\n", text)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    del sys.argv[1:]
    tap.main()
