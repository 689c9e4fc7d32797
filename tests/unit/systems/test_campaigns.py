#!/usr/bin/env python3
"""test_campaigns - all seeded bugs against the searches that should find them, and all repairs
against the searches that would: test_campaigns.py BUILD

SPDX-License-Identifier: MIT
"""

import functools
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
SYSTEMS = ("chain_replication", "ds2", "erlang", "extent_manager", "failure_detector", "raft",
           "sync", "two_phase_commit")
LIMIT = 100000  # trials that the default strategy has for a bug
TIMES = 10  # as many trials as its bug took has a repair to survive
DEADLINE_S = 1200

# What may find a bug fastest, beside the default: one of each family.
OTHERS = ("random", "pos", "pos+ca", "pct:3", "surw")


def run(system, *arguments):
    env = {name: value for name, value in os.environ.items() if name != "SENNIT_DEFAULT_STRATEGY"}
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [os.path.join(BUILD, "systems", system), "-o", "out", "--no-shrink", *arguments],
            cwd=folder, env=env, check=False, stdin=subprocess.DEVNULL, capture_output=True,
            encoding="utf-8", timeout=DEADLINE_S)


def bugs():
    for system in SYSTEMS:
        listed = subprocess.run([os.path.join(BUILD, "systems", system), "--bugs"], check=True,
                                capture_output=True, encoding="utf-8")
        for line in listed.stdout.splitlines():
            yield system, line.split("\t")[0]


def find(system, bug, strategy, limit, *more):
    """The test that fails and the number of trials until it does, or None. No strategy is the
    default one."""
    chosen = ["-s", strategy] if strategy else []
    done = run(system, "--bug", bug, "-i", str(limit), *chosen, *more)
    found = re.search(r"^\w+/(\S+): FAILED in trial (\d+)", done.stdout, re.MULTILINE)
    if done.returncode == 0:
        return None
    if done.returncode != 1 or not found:
        raise AssertionError(f"{system} --bug {bug}: {done.stdout}{done.stderr}")
    return found.group(1), int(found.group(2)) + 1


@functools.cache
def found_by_default():
    """By bug, what the default strategy did."""
    return {bug: find(*bug, None, LIMIT) for bug in bugs()}


class Campaigns(unittest.TestCase):
    def test_default_strategy_finds_every_bug_within_100000_trials(self):
        self.assertGreater(len(found_by_default()), 40)
        self.assertEqual({bug for bug, found in found_by_default().items() if found is None}, set())

    def test_default_strategy_finds_every_bug_of_erlang_among_much_noise(self):
        bugs_of_erlang = [bug for system, bug in found_by_default() if system == "erlang"]
        self.assertGreater(len(bugs_of_erlang), 10)
        for bug in bugs_of_erlang:
            with self.subTest(bug=bug):
                self.assertIsNotNone(find("erlang", bug, None, LIMIT, "--noise", "1000"))

    def test_every_repair_survives_the_search_that_finds_its_bug_fastest_times_ten(self):
        for (system, bug), found in found_by_default().items():
            fastest = ((found or ("", LIMIT))[1], None, (found or ("",))[0])
            for strategy in OTHERS:
                other = find(system, bug, strategy, fastest[0] - 1) if fastest[0] > 1 else None
                if other:
                    fastest = (other[1], strategy, other[0])
            trials, strategy, test = fastest
            chosen = ["-s", strategy] if strategy else []
            done = run(system, "-f", test, "-i", str(TIMES * trials), *chosen)
            with self.subTest(system=system, bug=bug, strategy=strategy, trials=trials):
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn(f"{system}/{test}: no bug found", done.stdout)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    sys.exit(tap.main())
