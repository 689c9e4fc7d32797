#!/usr/bin/env python3
"""test_shrinking - shrinking as a user meets it, and the seeded bugs of the systems:
test_shrinking.py BUILD [--all]

With --all every bug of every system is shrunk; otherwise one or two of each, which are quickly
found. SPDX-License-Identifier: MIT
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
IS_ALL = False
DEADLINE_S = 600

# Of each system: bugs that are found within a second.
QUICK = {
    "chain_replication": ["applied-twice"],
    "ds2": ["zab-own-history"],
    "extent_manager": ["stale-report"],
    "failure_detector": ["kept-timer", "dropped-member"],
    "raft": ["forget-vote", "snapshot-forgets-sessions"],
    "two_phase_commit": ["counted-acks"],
}

RACE = "tests/unit/api/race_main"
SHRUNK = re.compile(r"shrunk: +(?:\d+ -> )?\d+ steps")
SHORTER = re.compile(r"shrunk: +(\d+) -> (\d+) steps")


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_program(self, program, *arguments, environment=None):
        variables = dict(os.environ, SENNIT_NO_SHRINK="0")
        variables.update(environment or {})
        return subprocess.run([os.path.join(BUILD, program), *arguments], cwd=self.folder,
                              check=False, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", timeout=DEADLINE_S, env=variables)

    def find(self, *arguments, program=RACE):
        """The trace of a failing trial, not shrunk, and where it is."""
        done = self.run_program(program, "--no-shrink", "-o", "found", *arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return glob.glob(os.path.join(self.folder, "found", "*.trace"))[0]

    def read(self, path):
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            return file.read()


class Run(Case):
    """What a run does on its own."""

    def test_a_run_shrinks_what_it_finds_and_says_so(self):
        done = self.run_program(RACE, "-f", "race", "-o", "out")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, SHRUNK)
        self.assertIn("look:      sennit show out/race-race-1.shrunk.trace", done.stdout)
        self.assertIn("--replay out/race-race-1.shrunk.trace", done.stdout)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "out/race-race-1.trace")))

    def test_the_line_that_reproduces_shows_the_shrunk_trial(self):
        done = self.run_program(RACE, "-f", "race", "-o", "out")
        line = re.search(r"reproduce: (.*)", done.stdout).group(1)
        again = subprocess.run(line, shell=True, cwd=self.folder, check=False,
                               capture_output=True, encoding="utf-8", timeout=DEADLINE_S)
        self.assertEqual(again.returncode, 1)
        self.assertIn("failed again", again.stdout)

    def test_no_shrink_leaves_a_trial_as_it_was_found(self):
        done = self.run_program(RACE, "-f", "race", "-o", "out", "--no-shrink")
        self.assertNotIn("shrunk", done.stdout)
        self.assertEqual(glob.glob(os.path.join(self.folder, "out/*.shrunk.trace")), [])

    def test_the_summary_names_both_traces(self):
        self.run_program(RACE, "-f", "race", "-o", "out")
        failure = json.loads(self.read("out/summary.json"))["tests"][0]["failures"][0]
        self.assertEqual(failure["trace"], "out/race-race-1.trace")
        self.assertEqual(failure["shrunk_trace"], "out/race-race-1.shrunk.trace")
        self.assertIn("steps", failure["shrunk"])
        self.assertGreater(failure["shrunk_runs"], 0)

    def test_the_output_of_a_run_is_the_same_twice(self):
        first = self.run_program(RACE, "-f", "race", "-o", "out", "-q").stdout
        second = self.run_program(RACE, "-f", "race", "-o", "out", "-q").stdout
        self.assertEqual(first, second)

    def test_a_corpus_keeps_the_shrunk_trace(self):
        self.run_program(RACE, "-f", "race", "-o", "out", "--corpus", "corpus")
        kept = glob.glob(os.path.join(self.folder, "corpus", "*.trace"))
        self.assertEqual(len(kept), 1)
        self.assertIn('{"shrunk":', self.read(kept[0]))

    def test_a_run_that_goes_on_shrinks_what_it_has_found(self):
        done = self.run_program("systems/failure_detector", "--bug", "kept-timer", "-k",
                                "-i", "2000", "-o", "out")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, SHRUNK)


class Verb(Case):
    """sennit shrink."""

    def shrink(self, *arguments):
        return self.run_program("sennit", "shrink", *arguments)

    def test_it_writes_beside_the_trace(self):
        path = self.find("-f", "race")
        done = self.shrink(path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, SHRUNK)
        self.assertTrue(os.path.exists(path.replace(".trace", ".shrunk.trace")))

    def test_it_writes_where_it_is_told_to(self):
        done = self.shrink(self.find("-f", "race"), "-o", "small.trace")
        self.assertEqual(done.returncode, 0, done.stderr)
        replayed = self.run_program("sennit", "replay", "small.trace")
        self.assertEqual(replayed.returncode, 1)

    def test_the_result_is_the_same_for_any_number_of_processes(self):
        path = self.find("--bug", "applied-twice", program="systems/chain_replication")
        for jobs in ("1", "2", "3"):
            done = self.shrink(path, "-o", jobs, "-j", jobs)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("1"), self.read("2"))
        self.assertEqual(self.read("1"), self.read("3"))

    def test_what_is_shrunk_to_few_steps_stays_as_it_is(self):
        path = self.find("--bug", "counted-acks", program="systems/two_phase_commit")
        self.shrink(path, "-o", "once.trace")
        done = self.shrink("once.trace", "-o", "twice.trace")
        self.assertIn("shrunk: nothing can be left out of its ", done.stdout)

    def test_show_tells_the_exceptions(self):
        self.shrink(self.find("--bug", "counted-acks", program="systems/two_phase_commit"),
                    "-o", "small.trace")
        shown = self.run_program("sennit", "show", "small.trace").stdout
        self.assertIn("shrunk     from ", shown)
        self.assertRegex(shown, r"- hold .* until .* \(")

    def test_a_trace_of_a_changed_program_says_that_it_does_not_fail(self):
        path = self.find("--bug", "counted-acks", program="systems/two_phase_commit")
        text = self.read(path).replace('"--bug","counted-acks"', '"--timers","ideal"')
        with open(path, "w", encoding="utf-8") as file:
            file.write(with_check(text))
        done = self.shrink(path)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("does not fail any more", done.stdout)

    def test_what_was_reached_when_time_was_up_is_written_and_fails(self):
        path = self.find("--bug", "stale-read", program="systems/raft")
        done = self.shrink(path, "-o", "small.trace", "-t", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.run_program("sennit", "replay", "small.trace").returncode, 1)

    def test_bad_input_is_refused(self):
        for arguments in ([], ["nothing.trace"], ["--what", "x"], ["x", "--repeats"]):
            self.assertEqual(self.shrink(*arguments).returncode, 2)
        path = self.find("-f", "race")
        self.assertEqual(self.shrink(path, "--repeats", "0").returncode, 2)
        self.assertEqual(self.shrink(path, "-o", "no/such/folder/x.trace").returncode, 2)

    def test_help_describes_it(self):
        done = self.shrink("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--any-failure", done.stdout)


def with_check(text):
    """The lines of a trace with the right check at the end."""
    lines = text.splitlines(keepends=True)
    check = 0xcbf29ce484222325
    for byte in "".join(lines[:-1]).encode("utf-8"):
        check = (check ^ byte) * 0x100000001b3 % 2**64
    lines[-1] = re.sub(r'"check":"[0-9a-f]+"', f'"check":"{check:016x}"', lines[-1])
    return "".join(lines)


class Minimal(Case):
    """The seeded bugs: a test for each system."""

    def check(self, system):
        bugs = QUICK[system]
        if IS_ALL:
            listed = self.run_program(f"systems/{system}", "--bugs").stdout
            bugs = [line.split("\t")[0] for line in listed.splitlines()]
        for bug in bugs:
            with self.subTest(bug=bug):
                self.check_bug(system, bug)

    def check_bug(self, system, bug):
        path = self.find("--bug", bug, "-i", "100000", program=f"systems/{system}")
        done = self.run_program("sennit", "shrink", path, "-o", "small.trace", "-t", "300")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        before, after = map(int, SHORTER.search(done.stdout).groups())
        self.assertLess(after, before)
        again = self.run_program("sennit", "replay", "small.trace")
        self.assertEqual(again.returncode, 1, again.stdout)
        found, small = (json.loads(self.read(p).splitlines()[-2]) for p in (path, "small.trace"))
        self.assertEqual(found["oracle"], small["oracle"])
        self.assertEqual(found.get("at"), small.get("at"))
        done = self.run_program(f"tests/unit/systems/minimal_{system}", "--minimal", "small.trace")
        self.assertEqual(done.returncode, 0, f"{system} {bug}: {done.stdout}{done.stderr}")
        os.remove(path)

    def test_no_single_entry_of_a_shrunk_log_of_chain_replication_can_be_removed(self):
        self.check("chain_replication")

    def test_no_single_entry_of_a_shrunk_log_of_ds2_can_be_removed(self):
        self.check("ds2")

    def test_no_single_entry_of_a_shrunk_log_of_the_extent_manager_can_be_removed(self):
        self.check("extent_manager")

    def test_no_single_entry_of_a_shrunk_log_of_the_failure_detector_can_be_removed(self):
        self.check("failure_detector")

    def test_no_single_entry_of_a_shrunk_log_of_raft_can_be_removed(self):
        self.check("raft")

    def test_no_single_entry_of_a_shrunk_log_of_two_phase_commit_can_be_removed(self):
        self.check("two_phase_commit")


if __name__ == "__main__":
    BUILD = sys.argv[1]
    IS_ALL = "--all" in sys.argv
    tap.main()
