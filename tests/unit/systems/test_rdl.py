#!/usr/bin/env python3
"""test_rdl - the bugs and misconceptions of systems/rdl are found, and nothing in what is correct:
test_rdl.py BUILD SOURCE [--slow]

With --slow, where each trial is a process, what runs thousands of them is left out.
SPDX-License-Identifier: MIT
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
SOURCE = ""
DEADLINE_S = 300
IS_SLOW = False

# Bug: test, what is found, the switch in a configuration.
BUGS = {
    "tie": ("set", r'convergence: A and B .* A is \["y"\] and B \["x","y"\]',
            "lets_arrival_break_ties"),
    "unseen": ("removal", r"convergence: A and B have got the same updates", "removes_unseen"),
    "identity": ("log", r"convergence: phone and desk have got the same updates",
                 "ignores_devices"),
    "clock": ("clock", r"convergence: phone and desk have got the same updates",
              "clock_saturates"),
    "anchor": ("anchor", r"convergence: A and B have got the same updates",
               "moves_behind_elements"),
    "raw": ("gossip", r'convergence: A and C .* A is \[\] and C \["otb"\]', "hears_raw"),
    "append": ("list", r"convergence: A and B have got the same updates", "appends"),
    "move": ("move", r'no-duplicates: A has "bread" twice', "moves_by_inserting"),
    "sequential": ("todo", r"unique-results: todo_create returned 2 twice", "counts_ids"),
    "uncoordinated": ("town", r'assert: .*A has transmitted \["otb","ph"\], and \["ph"\] is left',
                      "transmits_alone"),
}


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_rdl(self, *arguments, strategy="events"):
        return subprocess.run([os.path.join(BUILD, "systems", "rdl"), "-o", "out", "-s", strategy,
                               *arguments], cwd=self.folder, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              timeout=DEADLINE_S)

    def skip_if_slow(self):
        if IS_SLOW:
            self.skipTest("each trial is a process: it takes too long")

    def trace(self):
        return glob.glob(os.path.join(self.folder, "out", "*.trace"))[0]

    def find(self, bug, *arguments, strategy="events"):
        """What a run says that finds a bug."""
        done = self.run_rdl("--bug", bug, "--no-shrink", *arguments, strategy=strategy)
        self.assertEqual(done.returncode, 1, f"{bug}: {done.stdout}{done.stderr}")
        self.assertIn(f"rdl/{BUGS[bug][0]}: FAILED in trial ", done.stdout)
        return done.stdout

    def count(self, *arguments, code=0):
        """Test: how many interleavings were run, which must be all that there are."""
        done = self.run_rdl("-i", "1000000", "--keep-going", "--no-shrink", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        counted = re.findall(r"^rdl/(\w+): (?:.*\n)+?    (\d+) trials?, .*\n"
                             r"    every schedule of this test .*was run$",
                             done.stdout, re.MULTILINE)
        return {name: int(trials) for name, trials in counted}


class Found(Case):
    def test_each_bug_is_found_and_is_the_one_that_is_meant(self):
        for bug, (_, pattern, _) in BUGS.items():
            self.assertRegex(self.find(bug), pattern)

    def test_each_bug_is_found_without_prunings(self):
        for bug, (_, pattern, _) in BUGS.items():
            self.assertRegex(self.find(bug, "--prune", "none"), pattern)

    def test_each_bug_is_found_by_other_strategies(self):
        for bug in BUGS:
            self.find(bug, strategy="random")
            self.find(bug, strategy="pos")

    def test_traces_fail_again(self):
        for bug, (_, pattern, _) in BUGS.items():
            self.find(bug)
            done = self.run_rdl("--bug", bug, "--replay", self.trace())
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("failed again", done.stdout)
            self.assertRegex(done.stdout, pattern)
            os.remove(self.trace())

    def test_shrinking_leaves_out_what_is_not_needed(self):
        self.find("unseen")
        done = self.run_rdl("--bug", "unseen", "--shrink", self.trace(), "--shrunk", "x.trace")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("8 -> 6 steps", done.stdout)

    def test_interleaving_of_the_publication_is_found(self):
        """The resolution is under way when A transmits: the second interleaving of all."""
        self.assertIn("FAILED in trial 1, step 7", self.find("uncoordinated"))
        shown = subprocess.run([os.path.join(BUILD, "sennit"), "show", self.trace()], check=True,
                               capture_output=True, encoding="utf-8").stdout
        events = re.findall(r"^ +\d+ +\d+ +([AB]) +town_(\w+)", shown, re.MULTILINE)
        self.assertEqual(events, [("A", "report"), ("B", "hear"), ("B", "report"), ("A", "hear"),
                                  ("B", "resolve"), ("A", "transmit"), ("A", "hear")])


class Correct(Case):
    def figures(self):
        """Test: how many interleavings there are, and how many are run, as README.md says."""
        with open(os.path.join(SOURCE, "systems", "rdl", "README.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| `(\w+)` \| \d+ \| (\d+) \| (\d+) \|", file.read(),
                              re.MULTILINE)
        self.assertEqual(len(rows), 10)
        return {name: (int(all_of_them), int(run)) for name, all_of_them, run in rows}

    def test_all_survive_every_interleaving(self):
        self.skip_if_slow()
        wanted = {name: all_of_them for name, (all_of_them, _) in self.figures().items()}
        self.assertEqual(self.count("--prune", "none"), wanted)

    def test_all_survive_those_that_stand_for_others(self):
        self.assertEqual(self.count(), {name: run for name, (_, run) in self.figures().items()})

    def test_all_survive_random(self):
        done = self.run_rdl("-i", "20" if IS_SLOW else "300", strategy="random")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(": no bug found"), 10)

    def test_trials_are_the_same_in_another_process(self):
        done = self.run_rdl("--verify-determinism", "-i", "10" if IS_SLOW else "50")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Counted(Case):
    def town(self, *arguments):
        return self.count("--bug", "uncoordinated", *arguments, code=1)["town"]

    def test_example_of_the_publication_has_5040_interleavings(self):
        self.skip_if_slow()
        self.assertEqual(self.town("--order", "free", "--prune", "none"), 5040)

    def test_published_prunings_leave_24_and_then_19_of_them(self):
        self.assertEqual(self.town("--order", "free", "--prune", "groups"), 24)
        self.assertEqual(self.town("--order", "free", "--prune", "paper"), 19)

    def test_causes_leave_210_and_independence_26_of_them(self):
        self.assertEqual(self.town("--prune", "none"), 210)
        self.assertEqual(self.town(), 26)


class Small(unittest.TestCase):
    def read(self, name):
        with open(os.path.join(SOURCE, "systems", "rdl", name), encoding="utf-8") as file:
            return file.read()

    def test_each_bug_is_at_most_ten_lines(self):
        """Its switch is in at most five lines, each of which guards one statement."""
        listed = subprocess.run([os.path.join(BUILD, "systems", "rdl"), "--bugs"], check=True,
                                capture_output=True, encoding="utf-8").stdout
        self.assertEqual({line.split("\t")[0] for line in listed.splitlines()}, set(BUGS))
        for bug, (_, _, switch) in BUGS.items():
            lines = sum(len(re.findall(rf"config\.{switch}\b", self.read(name)))
                        for name in os.listdir(os.path.join(SOURCE, "systems", "rdl"))
                        if name.endswith(".c"))
            self.assertTrue(1 <= lines <= 5, f"{bug}: {switch} is used in {lines} lines")

    def test_libraries_and_applications_are_apart(self):
        libraries = ("lww_set", "op_log", "or_set", "rga", "todo")
        for name in libraries:
            included = set(re.findall(r'#include "(\w+)\.h"', self.read(name + ".c") +
                                      self.read(name + ".h")))
            self.assertEqual(included - {name}, {"heap", "json"})
        for name in ("town", "shopping"):
            included = set(re.findall(r'#include "(\w+)\.h"', self.read(name + ".c") +
                                      self.read(name + ".h")))
            self.assertLessEqual(included - {name}, set(libraries))
        for name in (*libraries, "heap", "json", "town", "shopping"):
            self.assertNotIn("sennit/", self.read(name + ".c") + self.read(name + ".h"))


if __name__ == "__main__":
    BUILD, SOURCE = map(os.path.abspath, sys.argv[1:3])
    IS_SLOW = "--slow" in sys.argv
    del sys.argv[1:]
    tap.main()
