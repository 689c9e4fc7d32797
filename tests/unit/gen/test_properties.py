#!/usr/bin/env python3
"""test_properties - shrinking, replay, corpus and reports are the engine's, for properties, too:
test_properties.py BUILD

SPDX-License-Identifier: MIT
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
DEADLINE_S = 300


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_it(self, *arguments, code=None):
        env = {name: value for name, value in os.environ.items() if not name.startswith("SENNIT_")}
        done = subprocess.run(arguments, cwd=self.folder, env=env, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              timeout=DEADLINE_S)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def run_tests(self, *arguments, code=None):
        program = os.path.join(BUILD, "tests/unit/gen/properties_main")
        return self.run_it(program, "-o", "out", *arguments, code=code)

    def sennit(self, *arguments, code=None):
        return self.run_it(os.path.join(BUILD, "sennit"), *arguments, code=code)

    def shrunk(self):
        found = glob.glob(os.path.join(self.folder, "out/*.shrunk.trace"))
        self.assertEqual(len(found), 1)
        return found[0]


class Properties(Case):
    def test_a_failure_tells_the_values_of_the_shrunk_trial(self):
        out = self.run_tests("-f", "sorted", code=1)
        self.assertRegex(out, r"\n    with:      xs = \[(0, -1|1, 0)\]\n")
        self.assertRegex(out, r"shrunk:    \d+ -> [34] drawn values that are not 0, in \d+ runs\n")
        out = self.run_tests("-f", "sorted", "--no-shrink", code=1)
        self.assertRegex(out, r"\n    with:      xs = \[-?\d+, ")

    def test_all_reports_have_the_values(self):
        values = r"xs = \[(0, -1|1, 0)\]"
        self.assertRegex(self.run_tests("-f", "sorted", "--tap", code=1), "drawn: \"?" + values)
        self.run_tests("-f", "sorted", "--xml", "junit.xml", code=1)
        with open(os.path.join(self.folder, "junit.xml"), encoding="utf-8") as file:
            self.assertRegex(file.read(), values)
        with open(os.path.join(self.folder, "out/summary.json"), encoding="utf-8") as file:
            failure = json.load(file)["tests"][0]["failures"][0]
        self.assertRegex(failure["drawn"], values)

    def test_a_property_is_replayed_shown_and_shrunk_again(self):
        self.run_tests("-f", "sorted", code=1)
        self.sennit("replay", self.shrunk(), code=1)
        self.assertRegex(self.sennit("show", self.shrunk(), code=0), r"note: xs = \[")
        whole = self.shrunk().replace(".shrunk", "")
        self.assertIn("drawn values that are not 0", self.sennit("shrink", whole, code=0))

    def test_a_corpus_of_properties_is_run_first(self):
        self.run_tests("-f", "sorted", code=1)
        os.mkdir(os.path.join(self.folder, "corpus"))
        os.rename(self.shrunk(), os.path.join(self.folder, "corpus/sorted.trace"))
        out = self.run_tests("-f", "sorted", "--corpus", "corpus", code=1)
        self.assertIn("corpus/sorted.trace", out)

    def test_the_same_is_counted_and_found_with_1_2_and_7_workers(self):
        def figures(jobs):
            out = self.run_tests("-i", "3000", "-k", "-f", "lengths", "-j", str(jobs), code=0)
            out += self.run_tests("-f", "sorted", "-j", str(jobs), code=1)
            return re.sub(r"\d+\.\d+ s", "", out)

        one = figures(1)
        self.assertIn(" discarded", one)
        self.assertEqual(figures(2), one)
        self.assertEqual(figures(7), one)

    def test_only_trials_up_to_a_failure_are_classified_whoever_runs_ahead(self):
        def classes(jobs):
            self.run_tests("-i", "100000", "-f", "late", "-j", str(jobs), code=1)
            with open(os.path.join(self.folder, "out/summary.json"), encoding="utf-8") as file:
                test = json.load(file)["tests"][0]
            self.assertEqual(sum(row["trials"] for row in test["classes"]), test["trials"])
            return test["classes"]

        self.assertEqual(classes(1), classes(3))

    def test_tables_say_how_many_trials_have_each_value(self):
        out = self.run_tests("-i", "2000", "-f", "lengths", code=0)
        self.assertRegex(out, r"\n +\d+\.\d\d % long\n +\d+\.\d\d % empty\n    length:\n")
        self.assertIn("and 11 more; -v shows all", out)
        with open(os.path.join(self.folder, "out/summary.json"), encoding="utf-8") as file:
            test = json.load(file)["tests"][0]
        lengths = [row for row in test["classes"] if row["table"] == "length"]
        self.assertEqual(len(lengths), 21)
        self.assertEqual(sum(row["trials"] for row in lengths), 2000 - test["discarded"])
        empty = [row for row in test["classes"] if row["value"] == "empty"]
        self.assertEqual(empty[0]["trials"],
                         [row["trials"] for row in lengths if row["value"] == "0"][0])

    def test_a_property_of_which_every_trial_is_discarded_has_tested_nothing(self):
        out = self.run_tests("-i", "200", "-f", "vain", code=3)
        self.assertIn("NOTHING TESTED: every trial was discarded by sn_assume", out)
        self.assertIn("every trial was discarded",
                      self.run_tests("-i", "200", "-f", "vain", "--tap", code=3))

    def test_a_test_that_draws_nothing_has_tested_nothing(self):
        out = self.run_tests("-i", "10", "-f", "nothing", code=3)
        self.assertIn("created no machine and drew no value", out)

    def test_a_crash_is_shrunk_to_the_values_that_cause_it(self):
        self.assertIn("with:      text = \"cb\"\n", self.run_tests("-f", "crash", code=1))

    def test_trials_in_processes_of_their_own_find_the_same(self):
        out = self.run_tests("-f", "sorted", "--isolate=fork", code=1)
        self.assertRegex(out, r"\n    with:      xs = \[(0, -1|1, 0)\]\n")

    def test_trials_are_the_same_in_another_process(self):
        self.run_tests("-i", "300", "-f", "lengths", "--verify-determinism", code=0)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    sys.exit(tap.main())
