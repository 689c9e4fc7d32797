#!/usr/bin/env python3
"""test_simulated_sync - the simulated synchroniser, its surprises, and who must not be fooled:
test_simulated_sync.py BUILD SOURCE TRIALS

TRIALS is how many the correct one has to survive in each way; below 1000, trials are taken to be
slow.
SPDX-License-Identifier: MIT
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
SOURCE = ""
TRIALS = "10000"
DEADLINE_S = 600
IS_SLOW = False

# The surprises, and the calls that the paper prints of each. Of O1 it prints none: these are to
# make, to remove, to make again, and to see that it is gone.
SURPRISES = {
    "apply-old-delete": 5,
    "reupload-after-delete": 3,
    "delete-vs-metadata-update": 4,
    "mtime-size-check": 4,
    "directory-reorder": 4,
    "upload-mtime-check": 4,
}
# Calls that may be left beyond those: reads that only pass the time, where the paper has sleeps.
SLACK = 3

# What a correct synchroniser has to do, left out.
MUTANTS = ("no-turns", "replace-unseen", "drop-conflict", "same-is-conflict", "delete-beats-write",
           "compare-contents", "deaf-while-uploading", "no-rescan", "forget-upload")
RARE = ("apply-old-delete", "directory-reorder", "compare-contents")  # not where trials are slow


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_sync(self, *arguments):
        return subprocess.run([os.path.join(BUILD, "systems", "sync"), "-o", "out", *arguments],
                              cwd=self.folder, check=False, stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", timeout=DEADLINE_S)

    def sennit(self, *arguments):
        return subprocess.run([os.path.join(BUILD, "sennit"), *arguments], cwd=self.folder,
                              check=False, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", timeout=DEADLINE_S)

    def find(self, bug, *arguments):
        """What a run says that finds a bug, and its trace."""
        done = self.run_sync("--bug", bug, "-i", "100000", "--no-shrink", *arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(" FAILED in trial ", done.stdout)
        return done.stdout, glob.glob(os.path.join(self.folder, "out", "*.trace"))[0]

    def show(self, path):
        done = self.sennit("show", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def remove_traces(self):
        for path in glob.glob(os.path.join(self.folder, "out", "*.trace")):
            os.remove(path)


def quick(bugs):
    return [bug for bug in bugs if not IS_SLOW or bug not in RARE]


def notes(shown):
    return [re.sub(r"^ *note: ", "", line).rstrip() for line in shown.splitlines()
            if " note: " in line]


def observation(shown):
    """The table of a trace, as lines of JSON, and the number of the line that is marked."""
    lines = notes(shown)
    first = next(i for i, line in enumerate(lines) if re.match(r" *node 1 +node 2", line))
    columns = [match.start() for match in re.finditer("node", lines[first])]
    found, marked = [], None
    for line in lines[first + 1:]:
        text = line.strip()
        if not re.match("(READ|WRITE|STABILIZE) ", text):
            break
        node = columns.index(len(line) - len(line.lstrip())) + 1
        if "<- cannot be explained" in text:
            marked = len(found)
        found.append(parse(node, text.replace("<- cannot be explained", "").strip()))
    return [{"model": "sync", "nodes": len(columns), "rules": "fixed"}, *found], marked


def value(text):
    return None if text == "none" else {"directory": True} if text == "DIR" else text.strip("'")


def seen(text):
    had, conflicts = re.match(r"\((\S+), \{(.*)\}\)$", text).groups()
    return {"value": value(had), "conflicts": [value(one) for one in conflicts.split(", ") if one]}


def parse(node, text):
    verb, rest = text.split(" ", maxsplit=1)
    new, old = re.match(r"(.*?) ?-> (.*)$", rest).groups()
    if verb == "READ":
        return {"op": "read", "node": node, "value": value(old)}
    if verb == "WRITE":
        return {"op": "write", "node": node, "value": value(new), "old": value(old)}
    if old.startswith("{"):
        each = re.findall(r"\(\S+, \{[^}]*\}\)", old)
        return {"op": "stabilize", "nodes": [seen(one) for one in each]}
    return {"op": "stabilize", **seen(old)}


class Surprises(Case):
    """Each one is found, made small, and understood."""

    def shrink(self, bug):
        """The trace of a trial that is about as small as the paper's. As much is tried on every
        machine, however long it takes."""
        _, path = self.find(bug)
        done = self.run_sync("--bug", bug, "--shrink", path, "--shrunk", "small.trace", "-i",
                             "8000", "-t", str(DEADLINE_S))
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
        shown = self.show("small.trace")
        found = re.search(r"call (\d+) of \d+ cannot be;", shown)
        self.assertLessEqual(int(found.group(1)), SURPRISES[bug] + SLACK, shown)
        return "small.trace"

    def explain(self, bug, *patterns):
        """What the bug needs must be told in one of these ways."""
        path = self.shrink(bug)
        done = self.run_sync("--bug", bug, "--explain", path, "-i", "30000", "-t",
                             str(DEADLINE_S))
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertRegex(done.stdout, "|".join(patterns))

    def setUp(self):
        super().setUp()
        if IS_SLOW:
            self.skipTest("each trial is a process: it takes too long")

    def test_d1_new_file_is_taken_away_briefly_found_shrunk_and_explained(self):
        self.explain("apply-old-delete",
                     r"Notify .*  before  .* handles Write", r"Write .*  before  .* handles Notify",
                     r'jumps before it: .*"Node\d handles Write(.*\n)+.*"Node\d handles Notify')

    def test_d2_file_deleted_during_its_upload_comes_back_found_shrunk_and_explained(self):
        self.explain("reupload-after-delete", r"UploadAck .*  before  .* handles FsEvent",
                     r"FsEvent .*  before  .* handles UploadAck")

    def test_d3_file_deleted_on_arrival_comes_back_found_shrunk_and_explained(self):
        self.explain("delete-vs-metadata-update", r"timer Record fires.*\n? +before  Node",
                     r"before  Node\d's timer Record fires",
                     r"Write .*  before  .* handles DownloadReply")

    def test_d4_change_in_the_second_of_arrival_is_lost_found_shrunk_and_explained(self):
        self.explain("mtime-size-check", r"Second.*  before  .* handles Write",
                     r"Write .*  before  .*Second", r"Write .*  before  .* handles DownloadReply",
                     r"handles DownloadReply .*\n +before  Node\d handles Write")

    def test_o1_directory_made_again_is_removed_found_shrunk_and_explained(self):
        self.explain("directory-reorder", r"Second.*  before", r"before  .*Second",
                     r"FsEvent .*  before", r"before  .* handles FsEvent")

    def test_o2_change_in_the_second_of_an_upload_is_lost_found_shrunk_and_explained(self):
        self.explain("upload-mtime-check", r"Second.*  before  .* handles Write",
                     r"Write .*  before  .*Second", r"Write .*  before  .* handles DownloadReply")


class Oracle(Case):
    """What the oracle says of observations, in a trial and as a file."""

    def check(self, lines):
        path = os.path.join(self.folder, "observation.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        return self.sennit("check", path, "--model", "sync")

    def test_observation_of_each_bug_is_rejected_and_the_event_is_named(self):
        for bug in quick(SURPRISES):
            with self.subTest(bug=bug):
                said, path = self.find(bug)
                lines, marked = observation(self.show(path))
                self.assertRegex(said, rf"event {marked + 1}, \w+ .* cannot be explained")
                done = self.check(lines)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertRegex(done.stdout, rf"event {marked + 1}\b")
                self.remove_traces()

    def test_observation_of_each_bug_is_accepted_up_to_the_event(self):
        for bug in quick(SURPRISES):
            with self.subTest(bug=bug):
                _, path = self.find(bug)
                lines, marked = observation(self.show(path))
                done = self.check(lines[:marked + 1])
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.remove_traces()

    def test_mutants_of_the_simulator_are_caught(self):
        for bug in quick(MUTANTS):
            with self.subTest(bug=bug):
                said, _ = self.find(bug)
                self.assertRegex(said, "sync: (value|stabilize|disagreement): event")
                self.remove_traces()

    def test_mutant_model_without_conflicts_rejects_the_correct_simulator(self):
        done = self.run_sync("--rules", "first", "--no-shrink")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"STABILIZE.*-> \(.*\{'.*cannot be explained")

    def test_rules_as_printed_in_the_paper_reject_the_correct_simulator(self):
        for rules in ("final", "v2", "v1"):
            done = self.run_sync("--rules", rules, "--no-shrink", "-f", "file")
            self.assertEqual(done.returncode, 1, rules + done.stdout + done.stderr)


class Correct(Case):
    """Without a bug nothing is found."""

    def assert_passes(self, *arguments, tests=3, part=1):
        done = self.run_sync("-i", str(int(TRIALS) // part), *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(": no bug found"), tests)
        self.assertNotIn(" cut", done.stdout)

    def test_every_observation_of_the_correct_one_is_accepted(self):
        self.assert_passes()

    def test_correct_one_survives_every_strategy(self):
        for strategy in ("random", "pos", "posr", "pct:2", "pct:5", "sr", "surw", "urw"):
            with self.subTest(strategy=strategy):
                self.assert_passes("-s", strategy, "-f", "file", tests=1, part=5)
                self.assert_passes("-s", strategy, "-f", "all", tests=1, part=5)

    def test_correct_one_survives_with_two_nodes(self):
        self.assert_passes("--nodes", "2")

    def test_correct_one_survives_with_several_files_and_many_commands(self):
        self.assert_passes("--files", "4", "--commands", "40", "--values", "12", part=5)

    def test_correct_one_survives_with_five_nodes(self):
        done = self.run_sync("-i", str(int(TRIALS) // 20), "--nodes", "5", "--commands", "14")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_trials_are_the_same_in_another_process(self):
        done = self.run_sync("--verify-determinism", "-i", "50")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_all_that_can_be_done_is_done(self):
        """Kills, restarts, renames and waits reach nodes, and every message the server."""
        done = self.run_sync("-i", "2000", "-f", "all", "-v")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        unseen = re.findall(r"never came.*|.* never .*", done.stdout)
        for event in ("Kill", "Restart", "Rename", "Wait", "Hello", "Gone", "Second"):
            self.assertNotIn(event, "\n".join(unseen))


class Program(Case):
    def test_unknown_rules_are_a_usage_error(self):
        done = self.run_sync("--rules", "none")
        self.assertEqual(done.returncode, 2)
        self.assertIn("fixed, final", done.stderr)

    def test_each_bug_is_at_most_ten_lines(self):
        """Its switch is in at most three lines, each of which guards a statement or two; what it
        leaves for later is in at most five more."""
        listed = self.run_sync("--bugs").stdout
        names = [line.split("\t")[0] for line in listed.splitlines()]
        self.assertEqual(names, [*SURPRISES, *MUTANTS])
        left = {"apply-old-delete": r"\baside\b", "directory-reorder": r"\bis_reordered\b"}
        for name in names:
            lines = []
            for path in sorted(glob.glob(os.path.join(SOURCE, "systems", "sync", "*.c"))):
                if os.path.basename(path) == "main.c":
                    continue
                with open(path, encoding="utf-8") as file:
                    lines += [line for line in file if f"wrong->{name.replace('-', '_')}" in line
                              or re.search(left.get(name, "(?!)"), line)]
            self.assertTrue(1 <= len(lines) <= 8, f"{name}: {lines}")


class Bench(unittest.TestCase):
    def test_bench_prints_sizes_beside_those_of_the_paper(self):
        if IS_SLOW:
            self.skipTest("each trial is a process: it takes too long")
        done = subprocess.run([sys.executable, os.path.join(BUILD, "bench", "dropbox"),
                               "--only", "reupload", "--trials", "200", "--tables"],
                              check=False, capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[2],
                         r"^\| D2 \| `reupload-after-delete` \| 3 \| \d+ \| \d+ \| [3-6] ")
        self.assertIn("D2", lines)
        self.assertRegex(done.stdout, r"WRITE 'a' -> none\n.*WRITE none -> 'a'\n")
        self.assertRegex(done.stdout, r"\| 3 \| 1 \| [\d.]+ \| \d+ \| [\d.]+ \| [\d.]+ % \|")


if __name__ == "__main__":
    BUILD, SOURCE, TRIALS = [*map(os.path.abspath, sys.argv[1:3]), sys.argv[3]]
    IS_SLOW = int(TRIALS) < 1000
    del sys.argv[1:]
    tap.main()
