#!/usr/bin/env python3
"""test_explaining - what explaining says of the systems, repaired and not: test_explaining.py BUILD

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
DEADLINE_S = 300


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_system(self, system, *arguments):
        return subprocess.run([os.path.join(BUILD, "systems", system), *arguments],
                              cwd=self.folder, check=False, stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", timeout=DEADLINE_S)

    def find(self, system, bug, test):
        """The trace of a trial that fails because of a bug."""
        done = self.run_system(system, "--bug", bug, "-f", test, "-i", "20000", "--no-shrink",
                               "-o", "out")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return glob.glob(os.path.join(self.folder, "out", "*.trace"))[0]


class Repaired(Case):
    def assert_refused(self, system, bug, test):
        done = self.run_system(system, "--explain", self.find(system, bug, test), "--tolerant")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, f"^{system}: there is nothing to explain: the trial does not "
                         r"fail any more as the trace says( \(it passes\))?\n$")

    def test_repaired_chain_replication_is_refused(self):
        self.assert_refused("chain_replication", "old-tail", "consistent")

    def test_repaired_ds2_is_refused(self):
        self.assert_refused("ds2", "raft-second-vote", "raft")

    def test_repaired_extent_manager_is_refused(self):
        self.assert_refused("extent_manager", "stale-report", "repair")

    def test_repaired_failure_detector_is_refused(self):
        self.assert_refused("failure_detector", "late-answer", "crash")

    def test_repaired_raft_is_refused(self):
        self.assert_refused("raft", "forget-vote", "election")

    def test_repaired_two_phase_commit_is_refused(self):
        self.assert_refused("two_phase_commit", "second-vote", "atomic")


class Understood(Case):
    def explain(self, system, bug, test, trials):
        done = self.run_system(system, "--explain", self.find(system, bug, test), "-i", trials)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return done.stdout

    def section(self, told, title):
        """The lines of a section."""
        lines = told[told.index(f"\n{title} ") + 1:].splitlines()
        end = next((i for i, line in enumerate(lines[1:], 1) if line[:1] != " "), len(lines))
        return "\n".join(lines[:end])

    def test_decision_that_is_told_before_it_is_durable_can_be_read(self):
        """The coordinator crashes while it decides; what it has told is not on its disk."""
        told = self.explain("two_phase_commit", "early-commit", "atomic", "60000")
        why = self.section(told, "WHY")
        self.assertIn("In 1000 of 1000 random schedules", why)
        self.assertIn("before  fault: crash of coordinator, which strikes in step", why)
        self.assertIn("decisive: reversed, ", why)
        self.assertRegex(self.section(told, "LOST"),
                         r"crashes in it\":\n +disk of coordinator: lost: ")
        trial = self.section(told, "TRIAL")
        self.assertIn("Client handles Outcome (transaction=257 outcome=committed)", trial)
        self.assertIn("Participant#3 handles Message (kind=ABORT transaction=257", trial)

    def test_trials_in_which_something_is_held_when_the_fair_end_begins_repeat_themselves(self):
        """No state of the trial before may be taken for one of theirs."""
        required = ["deliver Heartbeat to Manager from EN0 before timer ExpirationTick of Manager",
                    "timer ExpirationTick of Manager number 12 "
                    "before deliver SyncReport to Manager from Driver key 4",
                    'draw "node that fails" of Driver = 0',
                    "deliver Fail to EN0 from Driver before timer HeartbeatTick of EN0"]
        done = self.run_system("extent_manager", "--bug", "stale-report", "-f", "repair", "-i",
                               "60", "-k", "--no-shrink", "-s", "random@60,fair",
                               *(word for one in required for word in ("--require", one)))
        self.assertIn("\n    60 trials, 46294 steps, 60 distinct orders, 60 failed, ", done.stdout)
        self.assertNotIn("does not repeat itself", done.stdout)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    tap.main()
