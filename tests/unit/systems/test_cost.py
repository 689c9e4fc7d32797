#!/usr/bin/env python3
"""test_cost - build/bench/cost tells costs as it says: test_cost.py BUILD

What trials cost is not asserted. SPDX-License-Identifier: MIT
"""

import math
import os
import subprocess
import sys
import unittest

import tap

BUILD = ""


class Cost(unittest.TestCase):
    def cost(self, *words):
        return subprocess.run([os.path.join(BUILD, "bench/cost"), "--build", BUILD, *words],
                              capture_output=True, text=True, check=False, timeout=100)

    def test_costs_are_ratios_for_each_system_noise_and_strategy(self):
        told = self.cost("--only", "two_phase_commit", "--trials", "200", "--rounds", "1",
                         "--noise", "0", "20", "--strategies", "pos", "random+ca").stdout

        rows = [line.split("\t") for line in told.splitlines()]
        self.assertEqual([row[0] for row in rows],
                         [f"two_phase_commit_noise{noise}_{strategy}" for noise in (0, 20)
                          for strategy in ("pos", "random+ca")] + ["mean_pos", "mean_random+ca"])
        self.assertEqual({row[2] for row in rows}, {"ratio"})
        self.assertAlmostEqual(float(rows[4][1]),
                               math.sqrt(float(rows[0][1]) * float(rows[2][1])), delta=0.002)

    def test_conflict_analysis_is_also_compared_with_the_same_without(self):
        told = self.cost("--only", "two_phase_commit", "--trials", "200", "--rounds", "1",
                         "--noise", "0", "--strategies", "pos", "pos+ca", "random+ca").stdout
        rows = {line.split("\t")[0]: float(line.split("\t")[1]) for line in told.splitlines()}

        self.assertAlmostEqual(rows["two_phase_commit_noise0_pos+ca_beside_pos"],
                               rows["two_phase_commit_noise0_pos+ca"] /
                               rows["two_phase_commit_noise0_pos"], delta=0.005)
        self.assertIn("mean_pos+ca_beside_pos", rows)
        self.assertNotIn("mean_random+ca_beside_random", rows)

    def test_a_strategy_that_there_is_not_is_an_error(self):
        done = self.cost("--only", "two_phase_commit", "--trials", "1", "--rounds", "1",
                         "--strategies", "luck")

        self.assertNotEqual(done.returncode, 0)
        self.assertIn("luck", done.stderr)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    del sys.argv[1:]
    tap.main()
