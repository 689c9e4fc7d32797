#!/usr/bin/env python3
"""test_names - what operations are called does not depend on what a process has seen in trials
before: test_names.py BUILD

Strategies that learn know operations by that, so trials would otherwise depend on who ran which.

SPDX-License-Identifier: MIT
"""

import glob
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
DEADLINE_S = 300
TRIALS = 3000  # with 8 names each: one process forgets some, of four none does
PARTS = [(700, 1), (1, 3), (1299, 4), (1000, 2)]
USUAL = ""  # what is taken if nobody says otherwise
STRATEGIES = ["random+ca", "pos+ca", "posr+ca", "pct+ca:3", "ql", "fest", "surw", "portfolio",
              "portfolio:ql/fest/pos+ca", "tapct:2", USUAL]
OF_EACH_KIND = ["random+ca", "ql", "fest", USUAL]


class Names(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_trials(self, test, strategy, trials, jobs, name):
        """What was counted, but for the time; which trials failed; what was learned."""
        env = {key: value for key, value in os.environ.items() if not key.startswith("SENNIT_")}
        env["SENNIT_NO_SHRINK"] = "1"
        done = subprocess.run(
            [os.path.join(BUILD, "tests/unit/api/names_main"), "-f", test, "-k", "-i", str(trials),
             "-j", str(jobs), "-o", name, "--checkpoint", name + ".learned",
             *(["-s", strategy] if strategy else [])],
            cwd=self.folder, env=env, check=False, stdin=subprocess.DEVNULL, capture_output=True,
            encoding="utf-8", timeout=DEADLINE_S)
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        text = re.sub(r"\d+\.\d+ s", "", done.stdout).replace(name, "out")
        self.assertNotIn("limit:", text)
        failures = [self.read(file) for file in
                    sorted(glob.glob(os.path.join(self.folder, name, "*.failures.json")))]
        return text, failures, self.read(name + ".learned")

    def read(self, name):
        """What is in a file, in short: it may be megabytes."""
        with open(os.path.join(self.folder, name), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def assert_same(self, test, strategy, jobs):
        one = self.run_trials(test, strategy, TRIALS, 1, "one")
        for n in jobs:
            self.assertEqual(self.run_trials(test, strategy, TRIALS, n, f"by{n}"), one,
                             f"{test} with {strategy} and {n} workers")
        return one


def add_strategies():
    for strategy in STRATEGIES:
        def test_jobs(self, strategy=strategy):
            self.assert_same("names", strategy, [2, 4])

        def test_parts(self, strategy=strategy):
            whole = self.run_trials("names", strategy, TRIALS, 1, "whole")
            for trials, jobs in PARTS:
                parts = self.run_trials("names", strategy, trials, jobs, "parts")
            self.assertEqual(parts[2], whole[2])
        name = re.sub(r"\W", "_", strategy) if strategy else "the_default"
        setattr(Names, f"test_with_more_names_than_are_kept_trials_of_{name}_are_the_same_for_any_"
                "number_of_workers", test_jobs)
        setattr(Names, f"test_so_are_those_of_{name}_if_the_run_is_gone_on_with", test_parts)


def add_kinds():
    for kind in ("types", "events", "machines"):
        for strategy in OF_EACH_KIND:
            def test(self, kind=kind, strategy=strategy):
                self.assert_same(kind, strategy, [3])
            name = re.sub(r"\W", "_", strategy) if strategy else "the_default"
            setattr(Names, f"test_with_thousands_of_{kind}_trials_of_{name}_are_the_same_for_any_"
                    "number_of_workers", test)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    add_strategies()
    add_kinds()
    sys.exit(tap.main())
