#!/usr/bin/env python3
"""test_sync - `sennit sync` with synchronisers that are right, and wrong: test_sync.py BUILD

driver.py is one that misbehaves as it is told. SPDX-License-Identifier: MIT
"""

import fcntl
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import tap

BUILD = ""
TIMEOUT_S = 200
HERE = os.path.dirname(os.path.abspath(__file__))
DRIVER = os.path.join(HERE, "driver.py")
# Tests whose calls come quickly one after the other.
QUICK = ["--sleep", "5", "--wait", "5"]
# One that loses conflicts is found out early with this seed.
LOSING = ["-i", "200", "--seed", "27", "--repeats", "1", "--shrink-repeats", "1", *QUICK]


def marked(directory):
    """Processes that were started for a directory, or one below it."""
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                if b"SENNIT_SYNC=" + directory.encode() in file.read():
                    found.append(int(path.split("/")[2]))
        except OSError:
            pass
    return found


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sennit-test-sync-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.work = os.path.join(self.folder, "work")

    def environment(self, mode):
        env = {k: v for k, v in os.environ.items() if not k.startswith("SENNIT_")}
        env.update(SENNIT_TEST_MODE=mode, SENNIT_TEST_COUNTER=self.folder + "/counter",
                   SENNIT_TEST_CALLS=self.folder + "/calls")
        return env

    def command(self, *args, driver=DRIVER):
        return [f"{BUILD}/sennit", "sync", "--driver", driver, "--workdir", self.work,
                "-o", self.folder + "/out", *args]

    def sync(self, *args, driver=DRIVER, mode="", code=0):
        done = subprocess.run(self.command(*args, driver=driver), env=self.environment(mode),
                              capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
                              cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def calls(self):
        if not os.path.exists(self.folder + "/calls"):
            return []
        with open(self.folder + "/calls", encoding="ascii") as file:
            return [line.split() for line in file]

    def is_clean(self):
        """Nothing of a run is left: no directory, no process."""
        self.assertEqual(os.listdir(self.work), ["lock"])
        self.assertEqual(marked(self.work), [])

    def is_abandoned(self):
        """Nobody holds the lock of a run any more."""
        with open(glob.glob(self.work + "/run-*/lock")[0], "w", encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    def wait_for(self, condition):
        end = time.monotonic() + TIMEOUT_S
        while not condition():
            self.assertLess(time.monotonic(), end, "it did not come")
            time.sleep(0.01)


class Accepting(Case):
    def test_a_right_synchroniser_is_accepted(self):
        said = self.sync("-i", "25", "--repeats", "1", "--nodes", "3", *QUICK)

        self.assertIn("no bug found", said)
        self.assertIn("25 trials", said)
        self.is_clean()

    def test_files_directories_renames_and_kills_are_accepted(self):
        self.sync("-i", "25", "--repeats", "1", "--files", "3", "--with", "all", *QUICK)

        verbs = {call[0] for call in self.calls()}
        self.assertLessEqual({"kill", "restart"}, verbs)
        self.is_clean()

    def test_nodes_are_restarted_before_they_must_agree(self):
        self.sync("-i", "25", "--repeats", "1", "--with", "kills", "--seed", "2", *QUICK)

        down = set()
        for verb, directory, *rest in self.calls():
            if verb in ("kill", "restart"):
                (down.add if verb == "kill" else down.discard)((directory, rest[1]))
            if verb == "sync":
                self.assertEqual([d for d in down if d[0] == directory], [])

    def test_each_test_has_a_fresh_directory(self):
        self.sync("-i", "10", "--repeats", "2", "-j", "2", *QUICK)

        started = [call[1] for call in self.calls() if call[0] == "start"]
        self.assertEqual(len(started), 20)
        self.assertEqual(len(set(started)), 20)

    def test_directories_are_made_in_batches(self):
        """Of 16, so the second test finds the directories of the last one of its batch."""
        process = subprocess.Popen(
            self.command("-i", "1", "--repeats", "1", "--driver-timeout", "100000"),
            env=self.environment("hang:start"), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, cwd=self.folder)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        self.wait_for(lambda: any(call[0] == "start" for call in self.calls()))
        made = [os.path.basename(path) for path in glob.glob(self.work + "/run-*/0*")]
        self.assertEqual(sorted(made), [f"{i:06}" for i in range(16)])


class Rejecting(Case):
    def test_copy_loop_is_rejected_and_shrunk_to_a_few_calls(self):
        said = self.sync("-i", "50", "--shrink-repeats", "2", "--settle", "200", "-j", "2", *QUICK,
                         driver="copy-loop", code=1)

        self.assertIn("cannot be explained", said)
        self.assertIn("<- cannot be explained", said)
        table = said[said.index("node 1"):said.index("<- cannot")]
        self.assertLessEqual(len(re.findall("READ|WRITE|STABILIZE", table)), 5, said)
        self.is_clean()

    def test_lost_conflicts_are_rejected(self):
        said = self.sync(*LOSING, "--no-shrink", mode="lose", code=1)

        self.assertIn("sync: stabilize", said)

    def test_conflict_files_are_known_by_the_pattern_of_the_driver(self):
        """Right but for the names: conflicts are not found where the driver says they are."""
        self.sync("-i", "3", *LOSING[2:])

        said = self.sync(*LOSING, "--no-shrink", mode="misname", code=1)

        self.assertIn("cannot be explained", said)

    def test_shrinking_turns_sleeps_and_deletions_into_less(self):
        self.sync(*LOSING, mode="lose", code=1)

        trace = glob.glob(self.folder + "/out/*.shrunk.trace")[0]
        shown = subprocess.run([f"{BUILD}/sennit", "show", trace], capture_output=True, text=True,
                               check=True).stdout
        self.assertNotIn("sleeps", shown)
        self.assertNotIn("WRITE none", shown)
        self.assertEqual(len(re.findall(r"WRITE '", shown)), 2, shown)

    def test_a_failing_test_is_replayed_with_its_table(self):
        self.sync(*LOSING, "--no-shrink", mode="lose", code=1)

        trace = glob.glob(self.folder + "/out/*.trace")[0]
        said = self.sync("--replay", trace, mode="lose", code=1)
        self.assertIn("failed again", said)
        self.assertIn("<- cannot be explained", said)
        self.sync("--replay", trace, "--shrink-repeats", "2", code=0)

    def test_tap_has_the_table_beside_it(self):
        done = subprocess.run(self.command(*LOSING, "--no-shrink", "--tap"),
                              env=self.environment("lose"), capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False, cwd=self.folder)

        self.assertIn("not ok 1 - sync/explained", done.stdout)
        self.assertNotIn("<- cannot", done.stdout)
        self.assertIn("<- cannot be explained", done.stderr)


class Repeating(Case):
    def test_a_test_fails_if_any_of_its_runs_does(self):
        said = self.sync("-i", "5", "--no-shrink", *QUICK, mode="third", code=1)

        self.assertIn("in trial 0", said)
        self.assertIn("run 3 of it failed; run again, run 3 of 20 did", said)

    def test_repeats_can_be_fewer(self):
        self.sync("-i", "2", "--repeats", "1", *QUICK, mode="third")

        self.assertEqual(len([c for c in self.calls() if c[0] == "start"]), 2)

    def test_what_does_not_fail_again_has_failed_without_a_trace(self):
        said = self.sync("-i", "1", "--shrink-repeats", "2", *QUICK, mode="third", code=1)

        self.assertIn("run again, none of 2 failed so: there is no trace", said)
        self.assertEqual(glob.glob(self.folder + "/out/*.trace"), [])

    def test_the_report_says_how_many_runs_of_the_shrunk_test_fail(self):
        said = self.sync("-i", "1", "--shrink-repeats", "6", "--calls", "5", *QUICK, mode="third",
                         code=1)

        self.assertIn("2 of 6 runs of it fail", said)

    def test_replay_repeats_until_it_fails(self):
        self.sync("-i", "1", "--no-shrink", *QUICK, mode="third", code=1)

        trace = glob.glob(self.folder + "/out/*.trace")[0]
        self.assertIn("run 3 of 20 at most", self.sync("--replay", trace, mode="third", code=1))
        self.assertIn("did not fail",
                      self.sync("--replay", trace, "--shrink-repeats", "2", mode="third"))

    def test_what_is_repeated_cannot_be_verified(self):
        said = self.sync("-i", "1", "--verify-determinism", code=2)

        self.assertIn("not under control", said)


class Misbehaving(Case):
    def fails(self, mode, sentence, *args):
        """It is a failure of its own kind, the run goes on, and nothing is left."""
        said = self.sync("-i", "2", "-k", "--repeats", "1", "--shrink-repeats", "1", "--no-shrink",
                         *args, mode=mode, code=1)

        self.assertIn("driver: ", said)
        self.assertNotIn("others are still there", said)
        self.assertIn(sentence, said)
        self.assertIn("2 trials", said)
        self.is_clean()

    def test_a_driver_that_hangs_is_reported_as_such(self):
        for verb in ("start", "sync", "stop", "status"):
            with self.subTest(verb):
                self.fails(f"hang:{verb}", f"{verb} hangs: it took more than 300 ms",
                           "--driver-timeout", "300")

    def test_a_driver_that_fails_is_quoted(self):
        self.fails("exit:start", "start failed with exit code 3: there is no more ink")

    def test_a_synchroniser_that_has_died_is_reported_as_such(self):
        self.fails("die", "the synchroniser has died")

    def test_files_that_are_left_behind_are_reported_as_such(self):
        self.fails("stray", "it has left files behind: stray.part in the directory of node 1")
        self.fails("temporary", "it has left files behind: scratch in tmp")

    def test_processes_that_are_left_behind_are_killed_and_reported(self):
        self.fails("process", "it has left 1 processes behind")

    def test_left_overs_of_a_killed_run_are_removed_first(self):
        process = subprocess.Popen(
            self.command("-i", "1", "--repeats", "1", "--driver-timeout", "100000"),
            env=self.environment("orphan"), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, cwd=self.folder)
        self.wait_for(lambda: {"daemon", "sync"} <= {call[0] for call in self.calls()})

        process.send_signal(signal.SIGKILL)
        process.wait()
        self.wait_for(self.is_abandoned)
        said = self.sync("-i", "1", "--repeats", "1")

        self.assertIn("removed what 1 earlier run had left behind", said)
        self.is_clean()

    def test_runs_at_the_same_time_leave_each_other_alone(self):
        other = subprocess.Popen(
            self.command("-i", "1", "--repeats", "1", "--driver-timeout", "100000"),
            env=self.environment("hang:sync"), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, cwd=self.folder)
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.wait_for(lambda: any(call[0] == "sync" for call in self.calls()))

        said = self.sync("-i", "1", "--repeats", "1")

        self.assertNotIn("removed", said)
        self.assertEqual(len(glob.glob(self.work + "/run-*")), 1)
        self.assertIsNone(other.poll())


class Asking(Case):
    def test_bad_options_are_named(self):
        self.assertIn("it takes --driver", subprocess.run(
            [f"{BUILD}/sennit", "sync"], capture_output=True, text=True, check=False).stderr)
        self.assertIn("no driver called \"nobody\"", self.sync(driver="nobody", code=2))
        self.assertIn("not a program", self.sync(driver="./nobody", code=2))
        self.assertIn("no rules called \"mine\"", self.sync("--rules", "mine", code=2))
        self.assertIn("--with does not know \"x\"", self.sync("--with", "triggers,x", code=2))
        self.assertIn("--nodes", self.sync("--nodes", "6", code=2))

    def test_what_a_driver_says_about_itself_is_checked(self):
        for text, sentence in (
                ("rules none", "line 1: \"rules\" names no rules"),
                ("nodes 2-2;nodes 9", "line 2: \"nodes\" needs MIN-MAX"),
                ("settle soon", "line 1: \"settle\" needs milliseconds"),
                ("kill maybe", "line 1: \"kill\" needs yes or no"),
                ("conflict a/b", "line 1: \"conflict\" needs a pattern"),
                ("colour red", "line 1: \"colour\" is not known"),
                ("nodes 3-3", "is for 3 to 3 nodes"),
        ):
            with self.subTest(text):
                self.assertIn(sentence, self.sync(mode=f"about:{text}", code=2))
        self.assertIn("cannot kill", self.sync("--with", "kills", mode="about:kill no", code=2))
        self.assertIn("it is not here", self.sync(mode="about:missing it is not here", code=77))

    def test_built_in_drivers_can_be_listed_and_printed(self):
        listed = subprocess.run([f"{BUILD}/sennit", "sync", "--drivers"], capture_output=True,
                                text=True, check=True).stdout
        self.assertIn("copy-loop - ", listed)
        self.assertIn("unison - ", listed)
        printed = subprocess.run([f"{BUILD}/sennit", "sync", "--print-driver", "copy-loop"],
                                 capture_output=True, text=True, check=True).stdout
        path = self.folder + "/mine.sh"
        with open(path, "w", encoding="utf-8") as file:
            file.write(printed)
        os.chmod(path, 0o755)

        self.sync("-i", "50", "--no-shrink", "--settle", "200", *QUICK, driver=path, code=1)


class Simulated(Case):
    def test_the_simulated_synchroniser_is_a_driver_under_control(self):
        said = self.sync("-i", "2000", "--nodes", "3", "--files", "2", "--with", "all",
                         driver="simulated")

        self.assertIn("2000 trials", said)
        self.assertFalse(os.path.exists(self.work))

    def test_a_model_without_the_conflict_rule_rejects_the_simulated_one(self):
        said = self.sync("-i", "2000", "--rules", "first", "--no-shrink", driver="simulated",
                         code=1)

        self.assertIn("<- cannot be explained", said)
        self.assertNotIn("repeats:", said)

    def test_a_failing_run_writes_its_report(self):
        said = self.sync("-i", "2000", "--rules", "first", "--no-shrink", driver="simulated",
                         code=1)

        path = re.search(r"^report: (.*)$", said, re.MULTILINE)[1]
        self.assertEqual(path, self.folder + "/out/report.html")
        with open(path, encoding="utf-8") as file:
            self.assertIn("cannot be explained", file.read())


@unittest.skipUnless(shutil.which("unison"), "unison is not installed")
class Unison(Case):
    def test_unison_is_accepted_by_its_rules(self):
        self.sync("-i", "30", "--repeats", "1", "--sleep", "100", "--wait", "200", "-j", "2",
                  driver="unison")
        self.is_clean()

    def test_unison_is_accepted_with_files_directories_renames_and_kills(self):
        self.sync("-i", "20", "--repeats", "1", "--sleep", "100", "--wait", "200", "-j", "2",
                  "--nodes", "3", "--files", "2", "--with", "all", driver="unison")
        self.is_clean()

    def test_a_model_without_the_conflict_rule_rejects_unison(self):
        said = self.sync("-i", "200", "--repeats", "1", "--no-shrink", "--rules", "first",
                         "--sleep", "20", "--wait", "20", "-j", "2", driver="unison", code=1)

        self.assertIn("cannot be explained", said)


def main():
    global BUILD
    BUILD = os.path.abspath(sys.argv.pop(1))
    tap.main()


if __name__ == "__main__":
    main()
