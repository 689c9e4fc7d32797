#!/usr/bin/env python3
"""test_required - what --require does to runs, and what is said of it: test_required.py BUILD

SPDX-License-Identifier: MIT
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import tap

BUILD = ""
IS_SANITIZED = False
DEADLINE_S = 300

# The second cash machine waits for the first: they do not race.
APART = ("deliver SetBalance to Account from Atm before "
         "deliver GetBalance to Account from Atm#2")
# Both have asked before either has withdrawn: they do.
RACING = "deliver GetBalance to Account from Atm#2 before deliver SetBalance to Account from Atm"
# Stuck if the machine has started before the account.
PARTLY = "first start Atm after (start Account) before deliver Balance to Atm#2"
NEVER = "deliver Withdraw to Account before start Atm#2"


class Case(unittest.TestCase):
    """A directory of its own, and an environment that asks for nothing."""

    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_command(self, *command, **changes):
        env = {name: value for name, value in os.environ.items()
               if name not in ("CI", "GITHUB_ACTIONS") and not name.startswith("SENNIT_")}
        env["SENNIT_DEFAULT_STRATEGY"] = "random"
        env["SENNIT_NO_SHRINK"] = "1"
        return subprocess.run(command, cwd=self.folder, env={**env, **changes}, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              timeout=DEADLINE_S)

    def run_atm(self, *arguments, **changes):
        return self.run_command(os.path.join(BUILD, "examples/atm_racy"), *arguments, **changes)

    def summary(self):
        with open(os.path.join(self.folder, "sennit-out/summary.json"), encoding="utf-8") as file:
            return json.load(file)["tests"][0]


class Runs(Case):
    """Trials are as required, whoever runs them."""

    def test_an_order_that_keeps_machines_apart_keeps_the_bug_away(self):
        self.assertEqual(self.run_atm("-i", "500").returncode, 1)
        self.assertEqual(self.run_atm("-i", "500", "--require", APART).returncode, 0)

    def test_an_order_that_makes_machines_race_makes_every_trial_fail(self):
        self.run_atm("-k", "-i", "300", "--require", RACING,
                     "--require", "deliver GetBalance to Account from Atm before "
                     "deliver SetBalance to Account from Atm#2")
        self.assertEqual(self.summary()["failed"], 300)

    def assert_same(self, *arguments):
        figures = []
        for jobs in ("1", "2"):
            self.run_atm("-k", "-j", jobs, *arguments)
            summary = self.summary()
            figures.append([summary[key] for key in
                            ("trials", "steps", "distinct_orders", "stuck", "failed", "within")
                            if key in summary])
        self.assertEqual(figures[0], figures[1])
        return figures[0]

    def test_two_processes_run_the_trials_of_one(self):
        self.assert_same("-i", "200" if IS_SANITIZED else "2000", "--require", PARTLY)

    def test_two_processes_search_what_one_does(self):
        figures = self.assert_same("-s", "dfs", "--require", PARTLY)
        self.assertGreater(figures[3], 0)

    def test_a_process_per_trial_runs_the_same(self):
        self.run_atm("-k", "-s", "dfs", "--require", PARTLY)
        before = self.summary()
        self.run_atm("-k", "-s", "dfs", "--isolate=fork", "--require", PARTLY)
        after = self.summary()
        for key in ("trials", "steps", "stuck", "failed", "schedules"):
            self.assertEqual(before[key], after[key])

    def test_trials_that_are_stuck_are_no_nondeterminism(self):
        result = self.run_atm("-k", "-s", "dfs", "--verify-determinism", "--require", PARTLY,
                              "--require", APART)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertGreater(self.summary()["stuck"], 0)

    def test_the_trace_of_a_failing_trial_replays_without_the_option(self):
        result = self.run_atm("--require", RACING)
        command = re.search(r"reproduce: (.*)", result.stdout).group(1)
        self.assertNotIn("--require", command)
        self.assertEqual(self.run_command("sh", "-c", command).returncode, 1)

    def test_a_trial_without_a_trace_is_found_again_with_the_option(self):
        with open(os.path.join(self.folder, "early.script"), "w", encoding="utf-8") as file:
            file.write("start Nobody\n")
        result = self.run_atm("-s", "script:early.script", "--require", APART)
        command = re.search(r"reproduce: (.*)", result.stdout).group(1)
        self.assertIn("--require '" + APART + "'", command)
        self.assertEqual(self.run_command("sh", "-c", command).stdout.splitlines()[0],
                         result.stdout.splitlines()[0])

    def test_a_run_goes_on_only_with_the_same_orders(self):
        self.run_atm("-k", "-s", "dfs", "-i", "5", "--require", PARTLY)
        self.assertEqual(self.run_atm("-k", "-s", "dfs", "--resume").returncode, 2)
        self.run_atm("-k", "-s", "dfs", "--resume", "--require", PARTLY)
        self.assertEqual(self.summary()["schedules"], 67)
        self.assertEqual(self.summary()["trials"], 80)

    def test_the_command_hands_the_option_on(self):
        program = os.path.join(BUILD, "examples/atm_racy")
        result = self.run_command(os.path.join(BUILD, "sennit"), "test", program, "-i", "500",
                                  "--require", APART)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_variable_can_require_one_order_and_the_command_line_wins(self):
        self.assertEqual(self.run_atm("-i", "500", SENNIT_REQUIRE=APART).returncode, 0)
        self.assertEqual(self.run_atm("-i", "500", "--require", "start Atm before start Atm#2",
                                      SENNIT_REQUIRE=APART).returncode, 1)


class Reports(Case):
    """What is said of trials that were stuck."""

    def test_the_text_counts_them(self):
        result = self.run_atm("-k", "-s", "dfs", "--require", PARTLY)
        self.assertIn("18 stuck", result.stdout)
        self.assertIn("every schedule of this test that is as required was run", result.stdout)

    def test_tap_counts_them(self):
        result = self.run_atm("-k", "-s", "dfs", "--tap", "--require", PARTLY)
        self.assertIn("18 stuck", result.stdout)

    def test_junit_counts_them(self):
        self.run_atm("-k", "-s", "dfs", "--xml", "out.xml", "--require", PARTLY)
        root = xml.etree.ElementTree.parse(os.path.join(self.folder, "out.xml")).getroot()
        stuck = [p.get("value") for p in root.iter("property") if p.get("name") == "stuck"]
        self.assertEqual(stuck, ["18"])

    def test_the_summary_counts_them(self):
        self.run_atm("-k", "-s", "dfs", "--require", PARTLY)
        self.assertEqual(self.summary()["stuck"], 18)
        self.run_atm("-k", "-s", "dfs")
        self.assertEqual(self.summary()["stuck"], 0)

    def test_where_all_are_stuck_nothing_was_tested(self):
        result = self.run_atm("-q", "-i", "50", "--require", NEVER)
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stdout, "atm/withdraw_twice: NOTHING TESTED: every trial was stuck "
                         "on what is required\n")

    def test_tap_skips_what_was_not_tested(self):
        result = self.run_atm("--tap", "-i", "50", "--require", NEVER)
        self.assertIn("ok 1 - atm/withdraw_twice # SKIP every trial was stuck", result.stdout)

    def test_a_name_that_was_never_met_is_told_whoever_ran_the_trials(self):
        result = self.run_atm("-j", "2", "-i", "50", "--require", NEVER)
        self.assertIn("required, but never met: deliver Withdraw to Account\n", result.stdout)
        self.assertEqual(self.summary()["unseen"], "deliver Withdraw to Account")

    def test_a_text_that_cannot_be_read_is_refused_before_the_first_trial(self):
        result = self.run_atm("--require", "deliver X")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr, "atm: --require \"deliver X\": expected deliver EVENT to "
                         "MACHINE, at its end\n")

    def test_a_strategy_that_cannot_is_refused(self):
        result = self.run_atm("-s", "odpor", "--require", APART)
        self.assertEqual(result.returncode, 2)
        self.assertIn("use dfs or delay:D with --require", result.stderr)


def main():
    global BUILD, IS_SANITIZED
    BUILD = os.path.abspath(sys.argv[1])
    IS_SANITIZED = "sanitized" in sys.argv[2:]
    tap.main()


if __name__ == "__main__":
    main()
