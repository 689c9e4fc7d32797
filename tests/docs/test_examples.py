#!/usr/bin/env python3
"""test_examples - the programs of examples/ do what their comments say: test_examples.py BUILD

Few trials, since with sanitizers each is a process. SPDX-License-Identifier: MIT
"""

import os
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""


class Examples(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        self.folder = tempfile.TemporaryDirectory(prefix="sennit-examples-")

    def tearDown(self):
        self.folder.cleanup()

    def run_program(self, command, *arguments):
        """The exit code and what was printed to both outputs."""
        done = subprocess.run([os.path.join(BUILD, command), *arguments], cwd=self.folder.name,
                              check=False, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def test_the_racy_atm_fails_and_fails_again_on_replay(self):
        code, text = self.run_program("examples/atm_racy", "-i", "200")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"assert: atm_racy.c:\d+: 140 was paid out of 100 ")
        traces = [name for name in os.listdir(os.path.join(self.folder.name, "sennit-out"))
                  if name.endswith(".trace")]
        self.assertEqual(len(traces), 1)
        trace = os.path.join("sennit-out", traces[0])
        code, text = self.run_program("examples/atm_racy", "--replay", trace)
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"failed again in step \d+: assert: .*140 was paid out of 100 ")
        code, text = self.run_program("sennit", "replay", trace)
        self.assertEqual(code, 1, text)
        code, text = self.run_program("sennit", "show", trace)
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"Account +SetBalance <- Atm")

    def test_the_backup_lets_a_reader_go_back_in_time(self):
        code, text = self.run_program("examples/backup", "-i", "300")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"reader reads version \d of key 0, but has read version \d before")

    def test_the_forgetful_quorum_is_not_linearizable_and_the_other_is(self):
        code, text = self.run_program("examples/quorum", "--bug", "forgetful", "-i", "10000")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"linear: read\(\) = 0 of (alice|bob), called in step \d+")
        traces = [name for name in os.listdir(os.path.join(self.folder.name, "sennit-out"))
                  if name.endswith(".trace")]
        code, text = self.run_program("sennit", "show", "--wide",
                                      os.path.join("sennit-out", traces[0]))
        self.assertRegex(text, r"(alice|bob) returns from read\(\) = 1")
        self.assertIn("2 operations are enough to see that the history is not linearizable", text)
        code, text = self.run_program("examples/quorum", "-i", "2000")
        self.assertEqual(code, 0, text)

    def test_the_server_that_forgets_counts_twice_and_the_other_does_not(self):
        code, text = self.run_program("examples/lossy", "--bug", "forget", "-i", "200")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"assert: lossy.c:\d+: \d deposits of 10 make \d+ ")
        code, text = self.run_program("examples/lossy", "-i", "200")
        self.assertEqual(code, 0, text)

    def test_the_repaired_atm_passes_every_schedule(self):
        code, text = self.run_program("examples/atm", "-s", "dfs")
        self.assertEqual(code, 0, text)
        self.assertIn("every schedule of this test was run", text)
        code, text = self.run_program("examples/atm", "-i", "200")
        self.assertEqual(code, 0, text)
        self.assertIn("200 trials", text)

    def test_the_trace_of_the_racy_atm_leads_the_repaired_one_elsewhere(self):
        code, text = self.run_program("examples/atm_racy", "-i", "200", "-o", "out")
        self.assertEqual(code, 1, text)
        trace = os.path.join("out", os.listdir(os.path.join(self.folder.name, "out"))[0])
        code, text = self.run_program("examples/atm", "--replay", trace)
        self.assertEqual(code, 4, text)
        self.assertIn("WENT ANOTHER WAY", text)
        self.assertIn("The program has changed since the trace was written", text)

    def test_oldest_first_runs_one_ordinary_schedule(self):
        code, text = self.run_program("examples/oldest_first", "-s", "oldest_first")
        self.assertEqual(code, 0, text)
        self.assertIn("1 trial, 5 steps", text)

    def test_oldest_first_with_exceptions_finds_the_bug(self):
        code, text = self.run_program("examples/oldest_first", "-s", "oldest_first:2", "-i", "500")
        self.assertEqual(code, 1, text)
        self.assertIn("unhandled: Warehouse in state Waiting cannot handle Cancel", text)
        code, again = self.run_program("examples/oldest_first", "-s", "oldest_first:2", "-i", "500")
        self.assertEqual(text.split("\n")[0], again.split("\n")[0])

    def test_oldest_first_refuses_a_bad_parameter(self):
        code, text = self.run_program("examples/oldest_first", "-s", "oldest_first:0")
        self.assertEqual(code, 2, text)
        self.assertIn("give a number from 1 on", text)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    tap.main()
