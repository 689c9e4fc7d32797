#!/usr/bin/env python3
"""test_grouping - failing trials of a run, grouped by their causes: test_grouping.py BUILD

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
DEADLINE_S = 200
PROGRAM = "tests/unit/api/explained_main"
TEST = "either"
TRIALS = "40000"  # enough for all of it


class Grouping(unittest.TestCase):
    """A test that fails in one of two ways, of which the run has seen many."""

    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_program(self, *arguments):
        return subprocess.run([os.path.join(BUILD, PROGRAM), *arguments], cwd=self.folder,
                              check=False, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", timeout=DEADLINE_S)

    def run_test(self, *arguments):
        """The only failure of a run, as its summary has it."""
        done = self.run_program("--bug", "broken", "-f", TEST, "--no-shrink", *arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        with open(os.path.join(self.folder, "sennit-out/summary.json"), encoding="utf-8") as file:
            failures = json.load(file)["tests"][0]["failures"]
        self.assertEqual(len(failures), 1)
        return failures[0]

    def list_of(self, failure):
        return os.path.join(self.folder, failure["trace"].replace(".trace", ".failures.json"))

    def explain(self, failure, *arguments):
        done = self.run_program("--explain", failure["trace"], "-i", TRIALS, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_numbers_of_failing_trials_are_kept_with_any_number_of_workers(self):
        alone = self.run_test("-k", "-i", "400", "-j", "1")
        shared = self.run_test("-k", "-i", "400", "-j", "3")
        self.assertEqual(alone["trials"], shared["trials"])
        self.assertEqual(alone["trials"][0], alone["trial"])
        self.assertGreater(alone["count"], 60)
        self.assertEqual(len(alone["trials"]), 60)
        with open(self.list_of(alone), encoding="utf-8") as file:
            listed = json.load(file)
        self.assertEqual((listed["count"], listed["trials"]), (alone["count"], alone["trials"]))

    def test_failing_trials_of_the_run_are_counted_by_cause(self):
        failure = self.run_test("-k", "-i", "400")
        told = json.loads(self.explain(failure, "--json"))
        run = told["run"]
        self.assertEqual(len(told["causes"]), 2)
        self.assertEqual((run["failed"], run["looked_at"]), (failure["count"], 60))
        self.assertEqual(run["none"], 0)
        self.assertTrue(all(0 < covers < 60 for covers in run["covers"]), run)
        self.assertGreaterEqual(sum(run["covers"]), 60)
        for first in run["first"]:
            self.assertIn(first, failure["trials"])
        text = self.explain(failure)
        self.assertIn(f"GROUPS Of the {failure['count']} failing trials of its run 60 were looked "
                      f"at:\n       {run['covers'][0]:4}  as WHY says, trial {run['first'][0]} "
                      f"first\n       {run['covers'][1]:4}  as OR number 1 says, trial "
                      f"{run['first'][1]} first\n", text)

    def test_a_run_with_one_failing_trial_has_nothing_to_group(self):
        several = self.run_test("-k", "-i", "400")
        self.assertTrue(os.path.exists(self.list_of(several)))
        alone = self.run_test()
        self.assertEqual(alone["trace"], several["trace"])
        self.assertEqual(alone["trials"], [alone["trial"]])
        self.assertFalse(os.path.exists(self.list_of(alone)))
        told = json.loads(self.explain(alone, "--json"))
        self.assertIsNone(told["run"])


def main():
    global BUILD
    BUILD = os.path.abspath(sys.argv[1])
    tap.main()


if __name__ == "__main__":
    main()
