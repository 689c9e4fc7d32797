#!/usr/bin/env python3
"""test_noise - machines that have no part in a bug, in every system: test_noise.py BUILD

SPDX-License-Identifier: MIT
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
TIMEOUT_S = 100

# A bug of each system, and a strategy and a number of trials with which it is found.
BUGS = {
    "chain_replication": ("no-lease", "pos", 2000),
    "ds2": ("zab-own-history", "pos", 2000),
    "extent_manager": ("stale-report", "random", 300),
    "failure_detector": ("dropped-member", "pos", 2000),
    "raft": ("one-shot-candidate", "random", 300),
    "two_phase_commit": ("impatient", "random", 300),
}


def program(name):
    return os.path.join(BUILD, "systems", name)


class Noise(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sennit-noise-")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_words(self, *words):
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False,
                              timeout=TIMEOUT_S)

    def summary(self, name, *words):
        self.run_words(program(name), "--no-shrink", *words)
        with open(os.path.join(self.folder, "sennit-out/summary.json"), encoding="utf-8") as file:
            return json.load(file)["tests"][0]

    def test_trials_are_longer_by_about_that_many_steps(self):
        for name, test in (("ds2", "paxos"), ("two_phase_commit", "atomic")):
            for noise in 100, 1000:
                words = ("-f", test, "-i", "50", "-k")
                with_it = self.summary(name, *words, "--noise", str(noise))["steps"] / 50
                without = self.summary(name, *words)["steps"] / 50

                self.assertAlmostEqual(with_it - without, noise, delta=max(20, noise * 0.1))

    def test_every_system_can_have_noise_and_its_bug_is_found(self):
        for name, (bug, strategy, trials) in BUGS.items():
            done = self.run_words(program(name), "--bug", bug, "-s", strategy, "-i", str(trials),
                                  "--noise", "100", "--no-shrink", "-o", name)

            self.assertEqual(done.returncode, 1, f"{name}: {done.stdout}{done.stderr}")
            self.assertIn("FAILED", done.stdout)

    def test_without_a_bug_noise_makes_none(self):
        for name in BUGS:
            test = {"ds2": "raft", "raft": "progress", "extent_manager": "repair"}.get(name, "")
            done = self.run_words(program(name), *(["-f", test] if test else []), "-i", "60",
                                  "--noise", "200", "-s", "portfolio")

            self.assertEqual(done.returncode, 0, f"{name}: {done.stdout}{done.stderr}")

    def test_no_noise_is_as_if_there_were_none(self):
        for name in BUGS:
            told = [re.findall(r"[\d.]+ trials, .* orders?", self.run_words(
                program(name), "-i", "20", "-k", "--no-shrink", *words).stdout)
                    for words in ([], ["--noise", "0"])]

            self.assertEqual(told[0], told[1])
            self.assertGreater(len(told[0]), 1)

    def test_noise_is_among_the_steps_of_the_system_and_after_them(self):
        self.run_words(program("two_phase_commit"), "--bug", "impatient", "-i", "300", "--noise",
                       "400", "--no-shrink")
        trace = next(name for name in os.listdir(self.folder + "/sennit-out")
                     if name.endswith(".trace"))
        shown = self.run_words(os.path.join(BUILD, "sennit"), "show", "sennit-out/" + trace).stdout

        steps = [line for line in shown.splitlines() if re.match(r" *\d+ ", line)]
        is_noise = [bool(re.search(r"\b(Talker|Echo)\b", step)) for step in steps]
        changes = sum(a != b for a, b in zip(is_noise, is_noise[1:]))
        self.assertGreater(sum(is_noise), 50)
        self.assertGreater(changes, 30)

    def test_a_trace_with_noise_is_replayed_with_it(self):
        self.run_words(program("failure_detector"), "--bug", "dropped-member", "-s", "pos", "-i",
                       "2000", "--noise", "300", "--no-shrink")
        trace = next(name for name in os.listdir(self.folder + "/sennit-out")
                     if name.endswith(".trace"))

        done = self.run_words(program("failure_detector"), "--replay", "sennit-out/" + trace)

        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("failed again", done.stdout)

    def test_trials_with_noise_repeat_themselves(self):
        done = self.run_words(program("raft"), "-f", "all", "-i", "20", "--noise", "100",
                              "--verify-determinism")

        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_too_much_noise_is_refused(self):
        done = self.run_words(program("raft"), "--noise", "1000000")

        self.assertEqual(done.returncode, 2)
        self.assertIn("--noise needs a whole number from 0 to 100000", done.stderr)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    del sys.argv[1:]
    tap.main()
