#!/usr/bin/env python3
"""test_reborn - processes that come back with their node, under any strategy: test_reborn.py BUILD

SPDX-License-Identifier: MIT
"""

import glob
import os
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
DRAWING = ["random", "sr", "pct:3", "pos", "posr", "random+ca", "pos+ca", "posr+ca", "pct+ca:3",
           "pctcp:3", "tapct:3", "urw", "surw", "ql", "fest", "portfolio",
           "portfolio:random+ca/surw/fest", "delay:2:coin", "fair"]
SYSTEMATIC = ["dfs", "delay:2", "dpor", "odpor"]


def reborn(folder, *words):
    return subprocess.run([os.path.join(BUILD, "tests/unit/substrate/reborn_main"), *words, "-o",
                           folder], capture_output=True, text=True, check=False, timeout=300)


class Reborn(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def assert_passes(self, *words):
        done = reborn(self.folder, *words)
        self.assertEqual(done.returncode, 0, (words, done.stdout, done.stderr))

    def test_what_comes_back_is_correct_under_every_strategy_that_draws(self):
        for strategy in DRAWING:
            for seed in "1", "2", "3":
                self.assert_passes("-f", "beats", "-f", "rests", "-s", strategy, "--seed", seed,
                                   "-i", "300")

    def test_what_comes_back_is_correct_under_every_strategy_that_tries_all(self):
        for strategy in SYSTEMATIC:
            self.assert_passes("-f", "rests", "-s", strategy, "-i", "3000")

    def test_what_comes_back_is_deterministic(self):
        for strategy in "random", "surw", "fest":
            self.assert_passes("-f", "beats", "-f", "rests", "-s", strategy, "-i", "30",
                               "--verify-determinism")

    def test_a_failure_of_what_came_back_is_recorded_and_shows_this_life_alone(self):
        for strategy in DRAWING:
            done = reborn(self.folder, "-f", "remembers", "-s", strategy, "--no-shrink", "-i",
                          "100")
            self.assertEqual(done.returncode, 1, (strategy, done.stdout, done.stderr))
            traces = glob.glob(os.path.join(self.folder, "*.trace"))
            self.assertEqual(len(traces), 1, (strategy, done.stdout))
            shown = subprocess.run([os.path.join(BUILD, "sennit"), "show", traces[0]],
                                   capture_output=True, text=True, check=True).stdout
            # Its first life has got as far as to send; its second one receives and fails.
            last = shown[shown.rindex("receive"):].splitlines()[0]
            self.assertNotIn("nobody-has-this", last, strategy)
            os.unlink(traces[0])


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    del sys.argv[1:]
    tap.main()
