#!/usr/bin/env python3
"""test_pieces - systematic searches that several processes share, or several runs:
test_pieces.py BUILD [sanitized]

SPDX-License-Identifier: MIT
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import tap

BUILD = ""
IS_SANITIZED = False
DEADLINE_S = 300
PROGRAM = "tests/unit/api/letters_main"
FORGETFUL = "tests/unit/api/forgetful_main"
MANY = "100000000"


def schedules(letters):
    """How many there are: see letters_main.c."""
    count = letters * (letters + 1) // 2
    for factor in range(2, letters):
        count *= factor
    return count


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    @staticmethod
    def command(*arguments, program=PROGRAM):
        return [os.path.join(BUILD, program), *arguments]

    def run_search(self, *arguments):
        return subprocess.run(self.command(*arguments), cwd=self.folder, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              timeout=DEADLINE_S)

    def begin(self, *arguments, program=PROGRAM):
        # pylint: disable=consider-using-with
        process = subprocess.Popen(self.command(*arguments, program=program), cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, encoding="utf-8",
                                   start_new_session=True)
        self.addCleanup(process.kill)
        return process

    def summary(self, outdir):
        with open(os.path.join(self.folder, outdir, "summary.json"), encoding="utf-8") as file:
            return json.load(file)["tests"][0]

    def traces(self, outdir):
        found = {}
        for name in os.listdir(os.path.join(self.folder, outdir)):
            if name.endswith(".trace"):
                with open(os.path.join(self.folder, outdir, name), encoding="utf-8") as file:
                    found[name] = file.read()
        return found

    @staticmethod
    def figures(text):
        """What was counted, without times and estimates and without the number of processes."""
        return re.sub(r"\d+\.\d+ s|out\d|: about .* schedules", "", text)


class Sharing(Case):
    """What is found does not depend on how many look for it."""

    def assert_same_with_any_jobs(self, *arguments, code=0):
        texts = []
        for jobs in ("1", "2", "4"):
            done = self.run_search(*arguments, "-j", jobs, "-o", "out" + jobs)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            texts.append(self.figures(done.stdout))
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(texts[0], texts[2])
        self.assertEqual(self.traces("out1"), self.traces("out2"))
        self.assertEqual(self.traces("out1"), self.traces("out4"))
        return texts[0]

    def test_dfs_runs_every_schedule_once_with_any_number_of_workers(self):
        text = self.assert_same_with_any_jobs("-s", "dfs", "-i", MANY, "--letters", "7")
        self.assertIn(f"{schedules(7)} trials", text)
        self.assertIn("every schedule of this test was run", text)
        self.assertIn(f"schedules: {schedules(7)}\n", text)

    def test_delay_runs_every_schedule_in_its_bound_with_any_number_of_workers(self):
        text = self.assert_same_with_any_jobs("-s", "delay:9", "-i", MANY, "--letters", "7")
        self.assertIn("every schedule of this test with at most 9 delays was run", text)

    def test_the_first_failure_is_the_first_of_the_search_with_any_number_of_workers(self):
        # Of letter 3 first there are 4 values, and of each 120 schedules end with letter 5.
        text = self.assert_same_with_any_jobs("-s", "dfs", "-i", MANY, "--letters", "7", "--way",
                                              "assert", "--first", "3", "--last", "5", code=1)
        self.assertIn("FAILED in trial", text)
        self.assertNotIn("every schedule", text)

    def test_all_failures_are_counted_with_any_number_of_workers(self):
        text = self.assert_same_with_any_jobs("-s", "dfs", "-i", MANY, "--letters", "7", "-k",
                                              "--way", "assert", "--first", "3", "--last", "5",
                                              code=1)
        self.assertIn(f" {4 * 120} failed", text)
        self.assertIn(f"schedules: {schedules(7)}\n", text)

    def test_crashes_are_the_same_failing_trials_with_any_number_of_workers(self):
        text = self.assert_same_with_any_jobs("-s", "dfs", "-i", MANY, "--letters", "6", "-k",
                                              "--way", "crash", "--first", "1", "--last", "3",
                                              code=1)
        self.assertIn(f" {2 * 24} failed", text)
        self.assertIn(f"schedules: {schedules(6)}\n", text)

    def test_all_kinds_of_failures_are_told_apart_with_any_number_of_workers(self):
        text = self.assert_same_with_any_jobs("-s", "dfs", "-i", MANY, "--letters", "7", "-k",
                                              "--way", "two", "--first", "3", "--last", "5",
                                              code=1)
        self.assertIn("the value is odd", text)
        self.assertIn("the value is even", text)
        counts = [[kind["count"] for kind in self.summary(outdir)["failures"]]
                  for outdir in ("out1", "out2", "out4")]
        self.assertEqual(counts, [[240, 240]] * 3)

    def test_odpor_runs_the_same_trials_with_any_number_of_workers(self):
        text = self.assert_same_with_any_jobs("-s", "odpor:revisit", "-i", MANY, "--letters", "6",
                                              "--draws", "no")
        self.assertIn("schedules: 720\n", text)

    def test_odpor_that_may_fall_back_is_not_shared(self):
        done = self.run_search("-s", "odpor", "--letters", "6", "--draws", "no", "-j", "2")
        self.assertIn("schedules: 720\n", done.stdout)
        self.assertIn("one process ran all trials: strategy odpor cannot share them", done.stdout)

    def test_a_run_that_ends_before_has_run_the_same_trials_with_any_number_of_workers(self):
        text = self.assert_same_with_any_jobs("-s", "dfs", "-i", "3011", "--letters", "7")
        self.assertIn("3011 trials", text)
        self.assertIn("not every schedule was run", text)

    def test_what_cannot_be_shared_says_so(self):
        done = self.run_search("-s", "dfs@3,random", "-i", "100", "-j", "2")
        self.assertIn("one process ran all trials: strategy dfs@3,random cannot share them",
                      done.stdout)
        done = self.run_search("-s", "dfs", "-i", "100", "-j", "2")
        self.assertNotIn("one process", done.stdout)

    def test_shards_are_refused(self):
        done = self.run_search("-s", "dfs", "-i", "100", "--shard", "1/2")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("strategy dfs cannot be divided by --shard", done.stderr)


class Gated(Case):
    """Trials wait at a gate, so that it is known where a search is when something happens."""

    def setUp(self):
        super().setUp()
        self.gate = os.path.join(self.folder, "gate")
        os.mkfifo(self.gate)

    def wait_for(self, condition):
        for _ in range(100 * DEADLINE_S):
            found = condition()
            if found:
                return found
            time.sleep(0.01)
        self.fail("it did not come")
        return None

    def who_waits(self):
        """The processes that have come to the gate."""
        return {int(name[5:]) for name in os.listdir(self.folder) if name.startswith("here-")}

    def let_through(self, is_last=False):
        """One that waits goes on, or all if it is for the last time; false: none waits."""
        try:
            fd = os.open(self.gate, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return False
        if is_last:
            os.unlink(self.gate)
        try:
            os.write(fd, b"x" * (16 if is_last else 1))
        except BrokenPipeError:
            pass  # it has gone on
        os.close(fd)
        return True

    def begin_gated(self, *arguments, gate=("gate", "--first", "1", "--last", "3")):
        process = self.begin("-s", "dfs", "-i", MANY, "--letters", "6", "--way", *gate, *arguments)
        pid = min(self.wait_for(self.who_waits))
        return process, pid

    def assert_comes_to_its_end(self, trials, *arguments):
        """A run that goes on runs what is left."""
        if os.path.exists(self.gate):
            os.unlink(self.gate)
        done = self.run_search("-s", "dfs", "-i", MANY, "--letters", "6", "--way", "gate",
                               "--first", "1", "--last", "3", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(trials + self.summary("out")["trials"], schedules(6))
        self.assertIn("every schedule of this test was run", done.stdout)
        self.assertIn(f"schedules: {schedules(6)}\n", done.stdout)

    def test_a_worker_without_work_gets_part_of_the_search(self):
        process, _ = self.begin_gated("-j", "2", "-o", "out", gate=("gates",))
        while len(self.who_waits()) < 2:
            self.wait_for(self.let_through)
            time.sleep(0.01)
        self.wait_for(lambda: self.let_through(is_last=True))
        out, err = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, 0, out + err)
        self.assertIn(f"schedules: {schedules(6)}\n", out)

    def test_a_stack_is_told_by_the_modules_that_were_kept_with_its_failure(self):
        if IS_SANITIZED:
            self.skipTest("a sanitizer prints its own")
        process = self.begin("-s", "dfs", "-k", "-j", "2", program=FORGETFUL)
        forgot = os.path.join(self.folder, "forgot")
        # Once there is nobody at the gate any more, one worker has run everything.
        while not os.path.exists(forgot):
            self.wait_for(lambda: os.path.exists(forgot) or self.let_through())
            time.sleep(0.01)
        self.wait_for(lambda: process.poll() is not None or self.let_through(is_last=True))
        out, err = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, 1, out + err)
        self.assertIn(" 1 failed", out)
        self.assertRegex(out, r"in write_nowhere \(forgetful_main.c:\d+\)\n"
                              r" +in on_letter \(forgetful_main.c:\d+\)")

    def test_a_worker_that_is_killed_in_a_trial_leaves_no_claim(self):
        process, pid = self.begin_gated("-k", "-j", "2", "-o", "out")
        os.unlink(self.gate)
        os.kill(pid, signal.SIGKILL)
        out, err = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, 1, out + err)
        self.assertIn("by something outside", out)
        self.assertIn(f"{schedules(6)} trials", out)
        self.assertIn(" 1 failed", out)
        self.assertNotIn("every schedule of this test was run", out)

    def test_what_ctrl_c_has_stopped_comes_to_the_same_end(self):
        process, _ = self.begin_gated("-j", "2", "-o", "out", "--resume")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE_S)
        self.assertIn(process.returncode, (0, 3), out + err)
        self.assertIn("the run was interrupted", out)
        self.assert_comes_to_its_end(self.summary("out")["trials"], "-j", "4", "-o", "out",
                                     "--resume")

    def test_all_processes_can_be_told_to_stop(self):
        process, _ = self.begin_gated("-j", "2", "-o", "out", "--resume")
        os.killpg(process.pid, signal.SIGTERM)
        out, err = process.communicate(timeout=DEADLINE_S)
        self.assertIn(process.returncode, (0, 3), out + err)
        self.assertNotIn("FAILED", out)
        self.assert_comes_to_its_end(self.summary("out")["trials"], "-o", "out", "--resume")

    def test_a_run_that_is_killed_goes_on_where_the_file_was_last_written(self):
        search = ("--letters", "7", "-o", "out", "--checkpoint", "state")
        process, _ = self.begin_gated(*search, "-j", "2", "--checkpoint-every", "1",
                                      gate=("gates",))
        path = os.path.join(self.folder, "state")
        first = os.stat(path).st_ino
        while os.stat(path).st_ino == first:
            self.wait_for(self.let_through)
            time.sleep(0.05)
        process.kill()
        process.communicate(timeout=DEADLINE_S)
        os.unlink(self.gate)
        done = self.run_search("-s", "dfs", "-i", MANY, "--way", "gates", *search)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        summary = self.summary("out")
        self.assertGreater(summary["earlier_trials"], 0)
        self.assertGreater(summary["trials"], 0)
        self.assertEqual(summary["earlier_trials"] + summary["trials"], schedules(7))
        self.assertEqual(summary["traces"], schedules(7))
        self.assertIn("every schedule of this test was run", done.stdout)

    def test_the_time_can_be_what_stops_it(self):
        process, _ = self.begin_gated("-j", "2", "-o", "out", "--checkpoint", "state", "-t", "1")
        out, err = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, 0, out + err)
        self.assertTrue(self.summary("out")["timed_out"])
        self.assert_comes_to_its_end(self.summary("out")["trials"], "-o", "out", "--checkpoint",
                                     "state")


class GoingOn(Case):
    def test_runs_with_other_numbers_of_workers_go_on(self):
        search = ("-s", "dfs", "--letters", "7", "-k", "--way", "assert", "--first", "3", "--last",
                  "5", "--resume")
        parts = [self.run_search(*search, "-i", trials, "-j", jobs)
                 for trials, jobs in (("1", "4"), ("5000", "4"), ("7001", "1"), ("3", "2"),
                                      (MANY, "2"))]
        failed = [int(re.search(r"(\d+) failed", done.stdout).group(1)) for done in parts]
        counts = [int(re.search(r"(\d+) trial", done.stdout).group(1)) for done in parts]
        self.assertEqual(counts[:4], [1, 5000, 7001, 3])
        self.assertEqual(sum(counts), schedules(7))
        self.assertEqual(sum(failed), 4 * 120)
        self.assertIn(f"schedules: {schedules(7)}\n", parts[-1].stdout)

    def test_trials_that_were_run_ahead_are_neither_lost_nor_counted_twice(self):
        counts = []
        while sum(counts) < schedules(7) and len(counts) < 5:
            done = self.run_search("-s", "dfs", "--letters", "7", "-j", "4", "-i", "6000",
                                   "--resume")
            counts.append(self.summary("sennit-out")["trials"])
        self.assertEqual(counts, [6000] * 3 + [schedules(7) - 3 * 6000])
        self.assertIn(f"schedules: {schedules(7)}\n", done.stdout)

    def test_a_search_that_has_ended_stays_so(self):
        self.run_search("-s", "delay:2", "-i", MANY, "-j", "2")
        done = self.run_search("-s", "delay:2", "-i", MANY, "-j", "2", "--resume")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.summary("sennit-out")["verdict"], "passed")
        self.assertIn("0 trials", done.stdout)
        self.assertIn("every schedule of this test with at most 2 delays was run", done.stdout)


    def test_failures_are_numbered_by_all_runs_and_told_apart_by_this_one(self):
        # In the second run trial 129 of all is even, and its own trial 129 odd.
        search = ("-s", "dfs", "--letters", "5", "-k", "--way", "two", "--first", "3", "--last",
                  "4", "-j", "1", "--resume")
        self.run_search(*search, "-i", "24")
        self.run_search(*search, "-i", MANY)
        found = self.summary("sennit-out")["failures"]
        self.assertEqual([(kind["trial"], kind["count"]) for kind in found], [(129, 12), (153, 12)])

    def test_a_search_that_has_failed_stays_so(self):
        search = ("-s", "dfs", "-i", MANY, "--letters", "4", "-k", "--way", "assert", "--first",
                  "1", "--last", "3")
        self.assertEqual(self.run_search(*search).returncode, 1)
        done = self.run_search(*search, "--resume")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("0 trials, 0 steps, 0 distinct orders", done.stdout)
        self.assertIn(f"earlier runs: {schedules(4)} trials, 4 failed\n", done.stdout)


class Cached(Case):
    """A search that leaves what it has met before."""

    SEARCH = ("-s", "delay:1000:cache", "--letters", "6")
    BAD = ("-k", "--way", "assert", "--first", "1", "--last", "3")

    def test_a_cache_is_not_shared_and_leaves_the_same_with_any_number_of_workers(self):
        texts = [self.run_search(*self.SEARCH, "-j", jobs).stdout for jobs in ("1", "2")]
        note = "    one process ran all trials: strategy delay:1000:cache cannot share them\n"
        self.assertIn("every schedule of this test up to repeated states was run\n", texts[0])
        # A state is who came first with which value, and who is left: of each of the 21 beginnings
        # there are 5 with one letter left.
        self.assertIn("schedules: 105\n", texts[0])
        self.assertIn("left, since others stand for them: 945\n", texts[0])
        self.assertIn("    337 states (in 105 trials looked at)\n", texts[0])
        self.assertEqual(self.figures(texts[0]), self.figures(texts[1].replace(note, "")))
        self.assertIn(note, texts[1])

    def test_a_search_with_a_cache_is_stopped_and_goes_on_until_all_was_seen(self):
        search = (*self.SEARCH, *self.BAD, "--checkpoint", "state")
        parts = [self.run_search(*search, "-i", trials, "-j", "2")
                 for trials in ("3", "40", "1", MANY)]
        self.assertIn("not every schedule was run: about ", parts[0].stdout)
        self.assertEqual([done.returncode for done in parts[:1]], [0])
        self.assertEqual(parts[-1].returncode, 1, parts[-1].stdout + parts[-1].stderr)
        # Each value with which it goes wrong was found, however often.
        self.assertIn("every schedule of this test up to repeated states was run\n",
                      parts[-1].stdout)
        failed = [int(re.search(r"(\d+) failed", done.stdout).group(1)) for done in parts]
        self.assertGreaterEqual(sum(failed), 2)

    def test_what_was_left_before_is_remembered_when_the_rest_leaves_nothing(self):
        search = ("-s", "delay:1000:cache", "--letters", "4", "--draws", "no")
        whole = self.run_search(*search)
        self.assertIn("schedules: 12\n", whole.stdout)
        # Of letter 3 first, 0 1 2, 0 2 1 and 1 2 0 are run; what begins with 2 is still to be left.
        self.run_search(*search, "-i", "12", "--checkpoint", "state")
        done = self.run_search(*search, "--checkpoint", "state")
        self.assertIn("2 trials", done.stdout)
        self.assertIn("every schedule of this test up to repeated states was run\n", done.stdout)

    def test_a_crash_loses_nothing_that_was_met(self):
        done = self.run_search(*self.SEARCH, "-k", "--way", "crash", "--first", "1", "--last", "3")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("schedules: 105\n", done.stdout)
        self.assertIn(" 2 failed", done.stdout)

    def test_leaks_are_refused(self):
        if IS_SANITIZED:
            self.skipTest("nobody but the sanitizer can look for leaks")
        done = self.run_search(*self.SEARCH, "--leaks")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("strategy delay:D:cache must know the whole state of a test: what leaks "
                      "depends on more than the states of machines; delay:D needs none of it",
                      done.stderr)

    def test_a_machine_that_cannot_tell_its_state_is_refused(self):
        program = os.path.join(BUILD, "tests/unit/api/race_main")
        done = subprocess.run([program, "-f", "fixed", "-s", "delay:2:cache"], cwd=self.folder,
                              check=False, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", timeout=DEADLINE_S)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("race/fixed: strategy delay:D:cache must know the whole state of a test: "
                      "machine Client has memory, but no fingerprint; delay:D needs none of it",
                      done.stderr)


class Checkpoint(Case):
    SEARCH = ("-s", "dfs", "--letters", "6", "--checkpoint", "state")

    def state(self):
        with open(os.path.join(self.folder, "state"), "rb") as file:
            return file.read()

    def write_state(self, content):
        with open(os.path.join(self.folder, "state"), "wb") as file:
            file.write(content)

    def assert_refused(self, words, *arguments):
        """Exit 2 with a sentence, and the file is as it was."""
        before = self.state()
        done = self.run_search(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(self.state(), before)

    def test_a_search_is_stopped_and_goes_on_until_all_was_run(self):
        way = ("-k", "--way", "assert", "--first", "1", "--last", "3")
        parts = [self.run_search(*self.SEARCH, *way, "-i", trials) for trials in ("7", "2300",
                                                                                  MANY)]
        self.assertIn("not every schedule was run: about ", parts[0].stdout)
        self.assertIn("earlier runs: 7 trials, 0 failed\n", parts[1].stdout)
        self.assertIn("every schedule of this test was run\n", parts[2].stdout)
        self.assertIn(f"schedules: {schedules(6)}\n", parts[2].stdout)
        self.assertIn(f"partial orders: {schedules(6)}\n", parts[2].stdout)
        summary = self.summary("sennit-out")
        self.assertEqual(summary["schedules"], schedules(6))
        self.assertEqual(summary["traces"], schedules(6))
        self.assertEqual(summary["estimate"], schedules(6))
        self.assertEqual(summary["earlier_trials"], 2307)
        self.assertEqual(summary["failed"] + summary["earlier_failures"], 2 * 24)

    def test_a_damaged_file_is_refused_and_stays(self):
        self.run_search(*self.SEARCH, "-i", "100")
        good = self.state()
        for at in range(0, len(good), 97):
            self.write_state(good[:at] + bytes([good[at] ^ 4]) + good[at + 1:])
            self.assert_refused("state: ", *self.SEARCH)
        for length in (0, 1, 50, len(good) // 2, len(good) - 1):
            self.write_state(good[:length])
            self.assert_refused("state: ", *self.SEARCH)

    def test_a_newer_file_is_refused(self):
        self.run_search(*self.SEARCH, "-i", "100")
        good = self.state()
        self.write_state(good[:8] + b"\x63" + good[9:])
        self.assert_refused("state: a newer version of Sennit wrote this", *self.SEARCH)

    def test_another_kind_of_file_is_refused(self):
        self.write_state(b"My diary. Today I have been to the sea, and it was there.")
        self.assert_refused("state: this is not what a run has learned", *self.SEARCH)

    def test_a_file_of_another_search_is_refused(self):
        self.run_search(*self.SEARCH, "-i", "100")
        self.assert_refused("state is of strategy dfs and seed 1", *self.SEARCH, "-s", "delay:2")
        self.assert_refused("state is of strategy dfs and seed 1", *self.SEARCH, "--seed", "2")
        self.assert_refused("state is of the test post/letters --letters 6: a run can go on only "
                            "with the same", *self.SEARCH, "--letters", "7")
        self.assert_refused("state is of the test post/letters --letters 6", *self.SEARCH,
                            "--max-steps", "100")

    def test_a_file_of_another_build_is_refused(self):
        self.run_search(*self.SEARCH, "-i", "100")
        other = os.path.join(self.folder, "other_build")
        with open(os.path.join(BUILD, PROGRAM), "rb") as file:
            content = file.read()
        head = content.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU")
        if head < 0:
            self.skipTest("programs have no build id here")
        note = content.index(b"GNU\0", head)
        content = content[:note + 4] + bytes([content[note + 4] ^ 1]) + content[note + 5:]
        with open(other, "wb") as file:
            file.write(content)
        os.chmod(other, 0o755)
        before = self.state()
        done = subprocess.run([other, *self.SEARCH], cwd=self.folder, check=False,
                              capture_output=True, encoding="utf-8", timeout=DEADLINE_S)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("state is of another build of the program", done.stderr)
        self.assertEqual(self.state(), before)

    def test_a_file_that_cannot_be_written_is_noticed_at_once(self):
        done = self.run_search("-s", "dfs", "--checkpoint", "no/such/folder/state")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertNotIn("trials", done.stdout)

    def test_what_cannot_be_saved_is_refused_and_leaves_the_file(self):
        self.run_search(*self.SEARCH, "-i", "100")
        self.assert_refused("strategy dfs goes on where another one has led, and cannot be saved",
                            *self.SEARCH, "-s", "dfs@2,dfs")
        self.assert_refused("a run of a --shard cannot be gone on with", *self.SEARCH, "-s",
                            "random", "--shard", "1/2")

    def test_a_name_that_is_too_long_is_refused(self):
        done = self.run_search("-s", "dfs", "--checkpoint", "./" * 2048 + "state")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("too long", done.stderr)
        done = self.run_search("-s", "dfs", "-i", "7", "--checkpoint", "./" * 300 + "state")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(b"post/letters", self.state())

    def test_two_programs_cannot_share_a_file(self):
        program = os.path.join(BUILD, PROGRAM)
        done = subprocess.run([os.path.join(BUILD, "sennit"), "test", program, program,
                               "--checkpoint", "state"], cwd=self.folder, check=False,
                              capture_output=True, encoding="utf-8", timeout=DEADLINE_S)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("--checkpoint is for one program", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "state")))

    def test_partial_order_reduction_goes_on_too(self):
        for strategy in ("odpor", "dpor"):
            search = ("-s", strategy, "--letters", "5", "--checkpoint", "state_" + strategy)
            parts = [self.run_search(*search, "-i", trials) for trials in ("1", "77", "200", MANY)]
            self.assertIn("not every schedule was run: at most ", parts[1].stdout)
            self.assertIn(f"schedules: {schedules(5)}\n", parts[3].stdout)
            self.assertIn(f"partial orders: {schedules(5)}\n", parts[3].stdout)

    def test_nothing_is_claimed_after_a_run_that_was_not_deterministic(self):
        search = ("-s", "dfs", "--rerun", "--letters", "3", "--draws", "no", "--way", "fickle",
                  "--checkpoint", "state")
        fickle = os.path.join(self.folder, "fickle")
        with open(fickle, "wb"):
            pass
        done = self.run_search(*search)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        os.unlink(fickle)
        done = self.run_search(*search)
        self.assertIn("not every schedule was run", done.stdout)

    def test_nondeterminism_is_told_with_the_number_of_the_trial_in_all_runs(self):
        search = ("-s", "dfs", "--rerun", "--letters", "3", "--draws", "no", "--way", "fickle",
                  "--checkpoint", "state")
        self.run_search(*search, "-i", "5")
        with open(os.path.join(self.folder, "fickle"), "wb"):
            pass
        done = self.run_search(*search)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        trial = self.summary("sennit-out")["failures"][0]["trial"]
        self.assertEqual(trial, 5 + self.summary("sennit-out")["trials"] - 1)
        self.assertRegex(done.stdout, rf"NOT DETERMINISTIC in trial {trial}, step \d+: "
                                      "the trial does not repeat the one before: ")

    def test_a_run_that_nobody_wants_to_go_on_with_may_have_too_much_to_be_saved(self):
        done = self.run_search("-s", "heavy", "-i", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("2 trials", done.stdout)
        self.assertIn("no run can go on after this one", done.stdout)

    def test_a_run_that_has_too_much_for_its_file_says_so(self):
        done = self.run_search("-s", "heavy", "--checkpoint", "state")
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("what was learned is too much to be kept", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "state")))

    def test_random_searches_go_on_too(self):
        search = ("-s", "random", "-i", "100", "--checkpoint", "state")
        self.run_search(*search)
        done = self.run_search(*search)
        self.assertIn("earlier runs: 100 trials, 0 failed\n", done.stdout)


class Estimates(Case):
    def test_an_unfinished_search_says_how_much_there_is(self):
        self.run_search("-s", "dfs", "--letters", "6", "-i", "1200")
        summary = self.summary("sennit-out")
        self.assertIsNone(summary["schedules"])
        self.assertIsNone(summary["traces"])
        # With letter V first there are V + 1 values: the order in which they come matters.
        self.assertLess(schedules(6) / 4, summary["estimate"])
        self.assertLess(summary["estimate"], schedules(6) * 4)

    def test_the_estimate_does_not_depend_on_the_number_of_workers(self):
        estimates = []
        for jobs in ("1", "2", "4"):
            self.run_search("-s", "dfs", "--letters", "7", "-i", "10000", "-j", jobs)
            estimates.append(self.summary("sennit-out")["estimate"])
        self.assertLess(max(estimates), 2 * min(estimates))

    def descent(self, *arguments):
        """What descents tell: the number, its standard error and the largest descent."""
        done = self.run_search("--estimate", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("every schedule", done.stdout)
        summary = self.summary("sennit-out")
        self.assertEqual(summary["descents"], summary["trials"])
        return summary["estimate"], summary["estimate_error"], summary["estimate_largest"]

    def assert_descents_tell(self, truth, *arguments):
        mean, error, largest = self.descent(*arguments)
        self.assertLess(abs(mean - truth), 4 * error)
        self.assertLess(error, truth / 10)
        self.assertGreater(largest, truth)

    def test_descents_tell_how_many_schedules_dfs_would_run(self):
        self.assert_descents_tell(schedules(6), "-s", "dfs", "--letters", "6")

    def test_descents_tell_how_many_schedules_are_within_a_bound(self):
        done = self.run_search("-s", "delay:3", "--letters", "6")
        truth = int(re.search(r"schedules: (\d+)", done.stdout).group(1))
        self.assert_descents_tell(truth, "-s", "delay:3", "--letters", "6")

    def test_descents_of_a_tree_that_is_even_are_exact(self):
        self.assertEqual(self.descent("-s", "odpor:revisit", "--draws", "no", "--letters", "6"),
                         (720, 0, 720))

    def test_descents_depend_on_the_seed_alone(self):
        search = ("-s", "dfs", "--letters", "7", "-i", "100")
        first = self.descent(*search)
        self.assertEqual(self.descent(*search, "-j", "2"), first)
        self.assertNotEqual(self.descent(*search, "--seed", "2"), first)

    def test_a_descent_that_says_little_is_told_as_such(self):
        done = self.run_search("--estimate", "-s", "dfs", "--letters", "7", "-i", "20")
        self.assertIn("few descents gave more: there may be far more", done.stdout)
        done = self.run_search("--estimate", "-s", "dfs", "--letters", "7", "-i", "1000")
        self.assertNotIn("few descents", done.stdout)

    def test_descents_are_refused_where_not_all_is_known_at_a_decision(self):
        for strategy in ("odpor", "odpor:trees", "dpor", "random", "dfs@3,random"):
            done = self.run_search("--estimate", "-s", strategy)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn(f"--estimate is for dfs, delay:D and odpor:revisit, not for {strategy}: ",
                          done.stderr)

    def test_descents_cannot_be_gone_on_with(self):
        done = self.run_search("--estimate", "-s", "dfs", "--checkpoint", "state")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("a run with --estimate cannot be gone on with", done.stderr)

    def test_a_strategy_that_samples_has_none(self):
        self.run_search("-i", "100")
        self.assertIsNone(self.summary("sennit-out")["estimate"])


class Handing(Case):
    """Strategies that go on where others have led."""

    def count(self, strategy, letters="4", trials="1000"):
        """Trials and partial orders; all schedules of the letters are different orders."""
        done = self.run_search("-s", strategy, "--letters", letters, "-i", trials)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("every schedule of this test was run", done.stdout)
        summary = self.summary("sennit-out")
        return summary["trials"], summary["distinct_orders"]

    def test_each_beginning_that_a_search_finds_goes_on_at_random_once(self):
        # 1 + 2 + 3 + 4 first letters with their values, and 3 letters that come second.
        self.assertEqual(self.count("dfs@2,random"), (30, 30))
        self.assertEqual(self.count("odpor@2,random"), (30, 30))
        self.assertEqual(self.count("dpor@2,random"), (30, 30))
        self.assertEqual(self.count("delay:0@2,random"), (1, 1))

    def test_all_that_can_follow_a_random_beginning_is_tried_before_the_next(self):
        # After one letter of four there are six schedules: 600 trials are 100 beginnings.
        self.assertEqual(self.count("oldest@1,dfs", trials="600"), (600, 6))
        self.assertEqual(self.count("oldest@1,odpor", trials="6"), (6, 6))
        self.assertEqual(self.count("random@3,odpor", trials="6")[0], 6)
        self.assertEqual(self.count("random@1,dfs", trials="12")[1] % 6, 0)

    def test_a_random_beginning_followed_by_a_search_finds_everything_in_the_end(self):
        self.assertEqual(self.count("random@2,odpor", trials="2000"), (2000, 60))

    def test_two_searches_divide_the_steps(self):
        self.assertEqual(self.count("dfs@2,dfs"), (60, 60))
        self.assertEqual(self.count("dfs@2,odpor"), (60, 60))
        self.assertEqual(self.count("odpor@2,dfs"), (60, 60))
        self.assertEqual(self.count("dfs@1,delay:0"), (10, 10))

    def test_a_crash_in_the_second_of_two_searches_loses_nothing(self):
        # What crashes comes before others with the same beginning.
        done = self.run_search("-s", "dfs@2,dfs", "--letters", "4", "-k", "--way", "crash",
                               "--first", "2", "--last", "0")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("60 trials", done.stdout)
        self.assertIn(" 6 failed", done.stdout)

    def test_only_one_search_goes_on_after_others(self):
        done = self.run_search("-s", "random@1,dfs@2,odpor")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("beside the first of a composition only one can", done.stderr)


class Refusals(Case):
    """What would leave out more than it says is refused."""

    def assert_refused(self, strategy, words):
        done = self.run_search("-s", strategy)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(words, done.stderr)

    def test_partial_order_reduction_cannot_have_a_bound(self):
        for name in ("dpor", "transdpor", "ired", "odpor"):
            self.assert_refused(name + ":delay:2",
                                f"strategy {name} cannot have a bound on delays: that leaves out "
                                "schedules which stand for others")

    def test_partial_order_reduction_cannot_have_a_cache(self):
        for name in ("dpor", "transdpor", "ired", "odpor"):
            self.assert_refused(name + ":cache",
                                f"strategy {name} cannot have a cache of states: that leaves out "
                                "schedules which stand for others")

    def test_a_limit_of_steps_that_cuts_trials_takes_the_claim_away(self):
        for strategy in ("odpor", "dpor", "dfs"):
            done = self.run_search("-s", strategy, "--letters", "4", "--max-steps", "3")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("cut at the limit of steps", done.stdout)
            self.assertNotIn("every schedule", done.stdout.replace("not every schedule", ""))
            done = self.run_search("-s", strategy, "--letters", "4", "--max-steps", "4")
            self.assertIn("every schedule of this test was run", done.stdout)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    IS_SANITIZED = "sanitized" in sys.argv[2:]
    sys.exit(tap.main())
