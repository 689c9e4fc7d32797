#!/usr/bin/env python3
"""test_lessons - what trials teach reaches every worker, and the runs that go on: test_lessons.py
BUILD

SPDX-License-Identifier: MIT
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
DEADLINE_S = 300
TRIALS = 1500


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_pupils(self, name, trials, *arguments, test="pupils", strategy="pupil"):
        """What was counted, without the time; and what was learned, bit by bit."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("SENNIT_")}
        env["SENNIT_DEFAULT_STRATEGY"] = "random"
        env["SENNIT_NO_SHRINK"] = "1"
        done = subprocess.run(
            [os.path.join(BUILD, "tests/unit/api/lessons_main"), "-f", test, "-s", strategy, "-k",
             "-i", str(trials), "-o", name, "--checkpoint", name + ".learned", *arguments],
            cwd=self.folder, env=env, check=False, stdin=subprocess.DEVNULL, capture_output=True,
            encoding="utf-8", timeout=DEADLINE_S)
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        with open(os.path.join(self.folder, name + ".learned"), "rb") as file:
            learned = file.read()
        return re.sub(r"\d+\.\d+ s", "", done.stdout).replace(name, "out"), learned

    def assert_same(self, jobs, **how):
        one = self.run_pupils("one", TRIALS, "-j", "1", **how)
        for n in jobs:
            self.assertEqual(self.run_pupils(f"with{n}", TRIALS, "-j", str(n), **how), one)


class Lessons(Case):
    def test_lessons_make_the_same_trials_with_1_2_and_7_workers(self):
        self.assert_same([2, 7])

    def test_workers_learn_what_a_program_learns_that_runs_trials_itself(self):
        here = subprocess.run([os.path.join(BUILD, "tests/unit/api/lessons_main"), "--here",
                               str(TRIALS)], cwd=self.folder, check=True, capture_output=True,
                              encoding="utf-8", timeout=DEADLINE_S)
        self.assertIn(here.stdout.strip(), self.run_pupils("two", TRIALS, "-j", "2")[0])

    def test_lessons_of_a_composition_make_the_same_trials_with_1_and_4_workers(self):
        self.assert_same([4], strategy="random@3,pupil@6,pos@9,pupil")

    def test_trials_that_take_their_process_along_teach_nothing_whoever_ran_them(self):
        self.assert_same([3], test="crashing")

    def test_a_process_per_trial_learns_the_same(self):
        one = self.run_pupils("one", 300, test="crashing")
        fork = self.run_pupils("fork", 300, "--isolate=fork", test="crashing")
        self.assertEqual(fork[1], one[1])

    def test_a_run_that_is_resumed_within_an_epoch_learns_the_same(self):
        whole = self.run_pupils("whole", TRIALS)
        for trials, jobs in [(1, 1), (6, 3), (300, 2), (200, 1), (993, 3)]:
            parts = self.run_pupils("parts", trials, "-j", str(jobs))
        self.assertEqual(parts[1], whole[1])


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    sys.exit(tap.main())
