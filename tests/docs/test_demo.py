#!/usr/bin/env python3
"""test_demo - what `make demo` shows is there: test_demo.py BUILD
SPDX-License-Identifier: MIT
"""

import os
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
DEADLINE_S = 200


DONE = []  # the run of it


def run():
    """Runs it once, as a person does, in a place of its own that has the build's programs."""
    if not DONE:
        with tempfile.TemporaryDirectory() as folder:
            for name in "systems", "sennit":
                os.symlink(os.path.join(BUILD, name), os.path.join(folder, name))
            usual = {name: value for name, value in os.environ.items()
                     if name != "SENNIT_DEFAULT_STRATEGY"}
            DONE.append(subprocess.run(
                ["sh", os.path.join(tap.ROOT, "tools", "demo.sh"), folder],
                env=usual, check=False, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                timeout=DEADLINE_S))
    return DONE[0]


class Demo(unittest.TestCase):
    def assert_shown(self, *patterns):
        for pattern in patterns:
            self.assertRegex(run().stdout, pattern)

    def test_all_of_it_goes_well(self):
        self.assertEqual(run().returncode, 0, run().stdout)

    def test_the_bug_is_found_and_made_small(self):
        self.assert_shown(r"extent_manager/repair: FAILED in trial 40, step 1376: lasso: monitor "
                          r"RepairMonitor can be hot \(state Repairing\) for ever",
                          r"\n    shrunk:    1376 -> \d+ steps ")

    def test_the_small_trial_fails_again(self):
        self.assert_shown(r"extent_manager/repair: failed again in step \d+: lasso: ")

    def test_the_report_that_should_have_been_ignored_and_the_failing_node_are_shown(self):
        self.assert_shown(r"note: report of (EN\d), which was given up\n"
                          r" +note: the manager believes in ",
                          r"EN\d +Fail <- Driver +Running -> halted\n"
                          r" +RepairMonitor: Repaired -> Repairing\n")

    def test_the_failure_is_explained_by_a_set_that_is_enough(self):
        self.assert_shown(r"\nFAILS  extent_manager/repair: lasso: ",
                          r"\nWHY    In (99\d|1000) of 1000 random .* the test fails \(without: ",
                          r"Manager's timer ExpirationTick fires \(number 12\)\n +before  Manager "
                          r"handles SyncReport .*\n +decisive: ",
                          r"\nLOST   after step 31 of 31, \"Manager's timer ExpirationTick "
                          r"fires\":\n +EN\d was silent for 12 rounds and is given up; ",
                          r"\nThese are sampled statements, not proofs: \d+ trials")

    def test_the_explanation_tells_what_happened(self):
        self.assert_shown(r"\nTRIAL (.*\n)+ +\d+ +18   (EN\d) handles Fail from Driver\n(.*\n)+"
                          r" +99 +31 \* Manager's timer ExpirationTick fires\n"
                          r" +\2 was silent for 12 rounds and is given up; the manager ")

    def test_a_report_to_look_at_is_written(self):
        self.assert_shown(r"\nreport: \S+/demo/report\.html\n",
                          r"\n== To look at: .*\n\S+/demo/extent_manager-repair-40\.html\n")

    def test_the_repaired_version_does_not_fail(self):
        self.assert_shown(r"\nextent_manager/replicate: no bug found\n    20000 trials, ",
                          r"\nextent_manager/repair: no bug found\n    20000 trials, ")


def main():
    global BUILD
    BUILD = os.path.abspath(sys.argv[1])
    tap.main()


if __name__ == "__main__":
    main()
