#!/usr/bin/env python3
"""test_sixty - docs/protocol.md is enough to write a client from: test_sixty.py BUILD

SPDX-License-Identifier: MIT
"""

import os
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sixty.py")


class Sixty(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(os.path.join(BUILD, "sennit-events")):
            self.skipTest("sennit-events is not built")

    def explore(self, *arguments):
        """Runs the client; the exit code and what was printed."""
        with tempfile.TemporaryDirectory(prefix="sennit-sixty-") as folder:
            done = subprocess.run([os.path.join(BUILD, "sennit"), "events", "--exec",
                                   f"{sys.executable} {CLIENT}", "--no-shrink", "-k", *arguments],
                                  cwd=folder, check=False, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=300)
        return done.returncode, done.stdout

    def test_a_client_takes_sixty_lines(self):
        with open(CLIENT, encoding="utf-8") as file:
            self.assertLessEqual(len(file.readlines()), 60)

    def test_the_bug_of_the_publication_is_found_by_it(self):
        code, text = self.explore("--expect", "no-throws")
        self.assertEqual(code, 1, text)
        self.assertIn("assert: transmitted ['otb', 'ph']", text)
        self.assertIn("210 trials", text)

    def test_the_published_prunings_run_19_interleavings_of_it(self):
        code, text = self.explore("--expect", "no-throws", "--order", "free", "--watch",
                                  "A:queries", "--prune", "groups:paper,replicas:paper")
        self.assertEqual(code, 1, text)
        self.assertIn("19 trials", text)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    tap.main()
