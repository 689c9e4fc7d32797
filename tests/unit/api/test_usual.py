#!/usr/bin/env python3
"""test_usual - which strategy a test is run with if nobody names one: test_usual.py BUILD

SPDX-License-Identifier: MIT
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
USUAL = "portfolio:random+ca/pos+ca"


def strategy_of(test, *arguments, **variables):
    """The one that the summary of a run names."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("SENNIT_")}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(BUILD, "tests/unit/api/usual_main"), "-f", test, "-i", "20",
                        "-o", folder, *arguments], env={**env, **variables}, check=True,
                       stdin=subprocess.DEVNULL, capture_output=True)
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
            return json.load(file)["strategy"]


class Usual(unittest.TestCase):
    def test_random_and_pos_with_conflict_analysis_are_the_default(self):
        self.assertEqual(strategy_of("plain"), USUAL)

    def test_a_test_may_name_another_one(self):
        self.assertEqual(strategy_of("particular"), "dfs")

    def test_a_variable_replaces_the_default(self):
        self.assertEqual(strategy_of("plain", SENNIT_DEFAULT_STRATEGY="pos"), "pos")

    def test_the_variable_does_not_replace_what_a_test_names(self):
        self.assertEqual(strategy_of("particular", SENNIT_DEFAULT_STRATEGY="pos"), "dfs")

    def test_an_option_wins_over_everything(self):
        self.assertEqual(strategy_of("particular", "-s", "pos"), "pos")

    def test_so_does_its_variable(self):
        self.assertEqual(strategy_of("particular", SENNIT_STRATEGY="posr"), "posr")


class Learned(unittest.TestCase):
    """A letter is lost if a fault strikes while it is on its way, which is 1 trial in 16. Who lets
    it arrive at once in every trial never learns that it matters."""

    def assert_loses_letters(self, strategy):
        for seed in range(1, 11):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [os.path.join(BUILD, "tests/unit/api/explained_main"), "-f", "fault", "-s",
                     strategy, "--seed", str(seed), "-i", "3000", "-o", folder, "-q",
                     "--no-shrink"], check=False, stdin=subprocess.DEVNULL, capture_output=True)
            self.assertEqual(done.returncode, 1, f"{strategy}, seed {seed}")

    def test_the_default_loses_letters_whatever_it_learned_first(self):
        self.assert_loses_letters(USUAL)

    def test_conflict_analysis_does(self):
        self.assert_loses_letters("posr+ca")
        self.assert_loses_letters("pct+ca:3")

    def test_surw_does(self):
        self.assert_loses_letters("surw")
        self.assert_loses_letters("portfolio:random+ca/surw/fest")


def main():
    global BUILD
    BUILD = os.path.realpath(sys.argv[1])
    tap.main()


if __name__ == "__main__":
    main()
