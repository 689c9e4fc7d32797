#!/usr/bin/env python3
"""test_workers - processes that run trials, and what becomes of code that ends them:
test_workers.py BUILD [sanitized]

SPDX-License-Identifier: MIT
"""

import json
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
IS_SANITIZED = False
DEADLINE_S = 300
SYS_PAUSE = 34  # on x86-64

# What is said of each way to misbehave. A sanitizer ends the process in ways of its own.
WAYS = {
    "segv": r"crash: the code under test died of signal 11 .*at address 0x0",
    "abrt": r"crash: the code under test died of signal 6 ",
    "fpe": r"crash: the code under test died of signal 8 ",
    "traps": r"crash: the code under test died of signal 4 ",
    "overflow": r"crash: the code under test has overflowed its stack",
    "loop": r"hang: a step has taken more than 1 second of the processor",
    "memory": r"step \d+: memory: the (trial|process) has ",
    "exits": r"crash: the code under test called exit\(7\)",
    "quits": r"crash: the code under test ended the process with exit code 0",
    "twice": r"heap: free or realloc of a block that is free already",
    "behind": r"(heap|crash): ",
    "killed": r"crash: the code under test died of signal 9 ",
    "asserts": r"assert: misbehave_main.c:\d+: the door was opened",
}
REPORTED_BY_SANITIZERS = {"segv", "fpe", "overflow", "twice", "behind", "traps"}
STRATEGIES = ["random", "pos", "posr", "pct:2", "pct:3:100", "pctcp:3", "urw", "surw", "ql",
              "fest", "sr", "portfolio", "portfolio:urw/surw/pctcp:2", "random+ca", "pos+ca",
              "posr+ca:pc", "pct+ca:2", "tapct:3", "random@3,pos+ca",
              "portfolio:pos+ca/random/tapct:2", "portfolio:random+ca/surw/fest", "fair",
              "random@3,pos", "delay:1:coin"]
# Where each trial is a process: one of each kind of what trials tell those that come after them.
SLOW_STRATEGIES = ["random", "urw", "ql", "portfolio:pos+ca/random/tapct:2"]


def path(name):
    return os.path.join(BUILD, name)


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_program(self, program, *arguments):
        env = {name: value for name, value in os.environ.items() if not name.startswith("SENNIT_")}
        env["SENNIT_DEFAULT_STRATEGY"] = "random"
        env["SENNIT_NO_SHRINK"] = "1"
        return subprocess.run([path(program), *arguments], cwd=self.folder, env=env, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              errors="replace", timeout=DEADLINE_S)

    def misbehave(self, *arguments):
        return self.run_program("tests/unit/api/misbehave_main", *arguments)

    def summary(self, outdir):
        with open(os.path.join(self.folder, outdir, "summary.json"), encoding="utf-8") as file:
            return json.load(file)

    def trace(self, outdir, name):
        """A trace, without what a sanitizer prints: the end of it, which begins anywhere."""
        with open(os.path.join(self.folder, outdir, name), encoding="utf-8") as file:
            text = file.read()
        return re.sub(r'\{"output":"(?!guest).*\n|"check".*', "", text) if IS_SANITIZED else text

    def assert_caught(self, way):
        """The way is found, whoever looks for it, and its trace fails again."""
        # Only what loops may meet the watchdog: a slow machine takes seconds to fill the memory.
        limits = ("--hang", "1" if way == "loop" else "100",
                  "--memory", "100" if IS_SANITIZED else "200")
        found = self.misbehave("-f", way, "-i", "40", *limits, "-o", "out1")
        others = self.misbehave("-f", way, "-i", "40", *limits, "-j", "4", "-o", "out4")
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
        self.assertEqual(self.figures(others.stdout.replace("out4", "out1")),
                         self.figures(found.stdout))
        name, = [name for name in os.listdir(os.path.join(self.folder, "out1"))
                 if name.endswith(".trace")]
        self.assertEqual(self.trace("out1", name), self.trace("out4", name))
        expected = WAYS[way]
        if IS_SANITIZED and way in REPORTED_BY_SANITIZERS:
            expected = r"(crash|heap): "
        self.assertRegex(found.stdout, expected)
        repro = re.search(r"reproduce: (.*)", found.stdout).group(1).split()
        again = self.run_program(repro[0], *repro[1:], *limits)
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        self.assertIn("failed again in step", again.stdout)

    def figures(self, text):
        """What was counted, without the time that it took."""
        return re.sub(r"\d+\.\d+ s", "", text)


def add_ways():
    for way in WAYS:
        def test(self, way=way):
            self.assert_caught(way)
        setattr(Survival, f"test_{way}_is_the_same_failing_trial_with_1_and_4_workers", test)


class Survival(Case):
    def test_what_waits_for_ever_is_a_hang(self):
        found = self.misbehave("-f", "block", "-i", "40", "--hang", "1")
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
        self.assertIn("hang: a step waits for something that does not come", found.stdout)

    def test_memory_that_is_not_the_heaps_is_limited_too(self):
        found = self.misbehave("-f", "map", "-i", "40", "--memory", "1")
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
        self.assertIn("memory: the process has used more memory than a trial may", found.stdout)

    def test_a_thread_is_a_loss_of_control(self):
        found = self.misbehave("-f", "thread", "-i", "40")
        if IS_SANITIZED:
            self.skipTest("where each trial is a process a thread does no harm")
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
        self.assertIn("NOT UNDER CONTROL in trial", found.stdout)

    def test_a_crash_has_the_stack_of_the_code_under_test(self):
        if IS_SANITIZED:
            self.skipTest("a sanitizer prints its own")
        found = self.misbehave("-f", "segv")
        self.assertRegex(found.stdout, r"in read_nowhere \(misbehave_main.c:\d+\)\n"
                                       r" +in on_knock \(misbehave_main.c:\d+\)")

    def test_so_has_a_call_of_exit(self):
        found = self.misbehave("-f", "exits")
        self.assertRegex(found.stdout, r"in call_exit \(misbehave_main.c:\d+\)\n"
                                       r" +in on_knock \(misbehave_main.c:\d+\)")

    def test_so_has_damage_of_the_heap(self):
        if IS_SANITIZED:
            self.skipTest("the heap is the sanitizer's")
        found = self.misbehave("-f", "twice")
        self.assertRegex(found.stdout, r"in free_twice \(misbehave_main.c:\d+\)\n"
                                       r" +in on_knock \(misbehave_main.c:\d+\)")

    def test_so_has_memory_that_is_exhausted(self):
        if IS_SANITIZED:
            self.skipTest("the heap is the sanitizer's")
        found = self.misbehave("-f", "memory", "--memory", "200")
        self.assertRegex(found.stdout, r"in allocate_for_ever \(misbehave_main.c:\d+\)\n"
                                       r" +in on_knock \(misbehave_main.c:\d+\)")

    def test_a_hang_has_one_too(self):
        found = self.misbehave("-f", "loop", "--hang", "1")
        self.assertRegex(found.stdout, r"in loop_for_ever \(misbehave_main.c:\d+\)\n"
                                       r" +in on_knock \(misbehave_main.c:\d+\)")

    def test_with_keep_going_the_run_goes_on_after_each_crash(self):
        found = self.misbehave("-f", "segv", "-i", "60", "-k")
        good = self.misbehave("-f", "good", "-i", "60")
        self.assertIn("60 trials, 420 steps, 6 distinct orders", found.stdout)
        self.assertIn("60 trials, 420 steps, 6 distinct orders", good.stdout)
        self.assertRegex(found.stdout, r"[1-9]\d* failed")

    def test_output_of_the_code_under_test_is_in_the_trace_and_nowhere_else(self):
        found = self.misbehave("-f", "segv", "-o", "out")
        name = self.summary("out")["tests"][0]["failures"][0]["trace"]
        self.assertNotIn("knocks", found.stdout + found.stderr)
        self.assertIn("guest 2 knocks", self.trace(".", name))


class Sameness(Case):
    """What is found does not depend on how many look for it."""

    def runs(self, *arguments):
        results = []
        for jobs in ("1", "2", "4"):
            done = self.misbehave(*arguments, "-j", jobs, "-o", "out" + jobs)
            self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
            results.append(self.figures(done.stdout.replace("out" + jobs, "out")))
        return results

    def assert_same_with_any_jobs(self, *arguments):
        first, second, third = self.runs(*arguments)
        self.assertEqual(first, second)
        self.assertEqual(first, third)
        return first

    def test_findings_and_traces_of_crashes_are_the_same_with_any_number_of_workers(self):
        trials = "20" if IS_SANITIZED else "200"
        self.assert_same_with_any_jobs("-f", "segv", "-i", trials, "-k", "--seed", "3")
        names = [name for name in os.listdir(os.path.join(self.folder, "out1"))
                 if name.endswith(".trace")]
        self.assertEqual(len(names), 1)
        self.assertEqual(self.trace("out1", names[0]), self.trace("out2", names[0]))
        self.assertEqual(self.trace("out1", names[0]), self.trace("out4", names[0]))

    def test_the_first_failure_is_the_one_with_the_lowest_number(self):
        text = self.assert_same_with_any_jobs("-f", "asserts", "-i", "3000", "--seed", "11")
        self.assertIn("FAILED in trial", text)

    def test_the_summary_is_the_same_but_for_times_and_paths(self):
        self.runs("-f", "asserts", "-i", "100" if IS_SANITIZED else "500", "-k")
        first, second = self.summary("out1"), self.summary("out4")
        for key in ("trials", "steps", "distinct_orders", "cut", "verdict"):
            self.assertEqual(first["tests"][0][key], second["tests"][0][key], key)

    def test_a_shard_is_part_of_the_whole(self):
        trials = 300 if IS_SANITIZED else 1000
        arguments = ("-f", "good", "-i", str(trials))
        whole = self.misbehave(*arguments)
        parts = [self.misbehave(*arguments, "--shard", f"{i}/3", "-j", "2") for i in (1, 2, 3)]
        def count(done):
            return int(re.search(r"(\d+) trials", done.stdout).group(1))
        self.assertEqual(count(whole), trials)
        self.assertEqual(sum(count(part) for part in parts), trials)
        self.assertTrue(all(0.9 < 3 * count(part) / trials < 1.1 for part in parts))


def add_strategies():
    for strategy in SLOW_STRATEGIES if IS_SANITIZED else STRATEGIES:
        def test(self, strategy=strategy):
            trials = "20" if IS_SANITIZED else "400"
            self.assert_same_with_any_jobs("-f", "good", "-s", strategy, "-i", trials)
            arguments = ("-i", trials, "-s", strategy, "-f", "repair")
            texts = [self.run_program("systems/extent_manager", "--bug", "stale-report", "-k",
                                      *arguments, "-j", jobs, "-o", "out").stdout
                     for jobs in ("1", "3")]
            self.assertEqual(self.figures(texts[0]), self.figures(texts[1]))
        name = re.sub(r"\W", "_", strategy)
        setattr(Sameness, f"test_trials_of_{name}_are_the_same_with_any_number_of_workers", test)


class Signals(Case):
    def begin(self, *arguments):
        # pylint: disable=consider-using-with
        process = subprocess.Popen(
            [path("tests/unit/api/misbehave_main"), *arguments], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8")
        self.addCleanup(process.kill)
        return process

    @staticmethod
    def children(pid):
        """Processes whose parent this is."""
        found = []
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except (OSError, IndexError):
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(name))
        return found

    def wait_for_children(self, pid, n):
        for _ in range(100 * DEADLINE_S):
            found = self.children(pid)
            if len(found) >= n:
                return found
            time.sleep(0.01)
        self.fail("no workers came")
        return []

    def test_ctrl_c_ends_the_run_with_a_summary_so_far(self):
        process = self.begin("-f", "good", "-i", "100000000", "-j", "2", "-o", "out")
        self.wait_for_children(process.pid, 2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, 3, out + err)
        self.assertTrue(self.summary("out")["interrupted"])

    def wait_for_pause(self, pid):
        """Until a process is in the trial that waits for ever."""
        for _ in range(100 * DEADLINE_S):
            try:
                with open(f"/proc/{pid}/syscall", encoding="utf-8") as file:
                    if file.read().split()[0] == str(SYS_PAUSE):
                        return
            except OSError as cause:
                self.skipTest(f"what processes wait for cannot be seen here: {cause}")
            time.sleep(0.01)
        self.fail("no trial waits")

    def test_a_worker_that_is_killed_is_a_failing_trial_and_the_run_goes_on(self):
        if os.uname().machine != "x86_64":
            self.skipTest("knows the numbers of system calls of x86-64 only")
        process = self.begin("-f", "block", "-i", "2", "-k", "--hang", "1", "-o", "out")
        worker, = self.wait_for_children(process.pid, 1)
        self.wait_for_pause(worker)
        os.kill(worker, signal.SIGKILL)
        out, err = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, 1, out + err)
        self.assertIn("FAILED in trial 0, step 7: crash: the process was killed (signal 9), by "
                      "something outside", out)
        self.assertIn("2 trials", out)

    def test_workers_end_with_their_parent(self):
        process = self.begin("-f", "good", "-i", "100000000", "-j", "2", "-o", "out")
        workers = self.wait_for_children(process.pid, 2)
        process.kill()
        process.communicate(timeout=DEADLINE_S)
        for _ in range(100 * DEADLINE_S):
            workers = [pid for pid in workers if os.path.exists(f"/proc/{pid}/stat")
                       and "misbehave" in self.command(pid)]
            if not workers:
                return
            time.sleep(0.01)
        self.fail("workers go on without their parent")

    @staticmethod
    def command(pid):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
                return file.read()
        except OSError:
            return ""

    def test_a_timeout_ends_the_run_without_a_failure(self):
        done = self.misbehave("-f", "good", "-i", "1000000000", "-t", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, "no bug found")


class GoingOn(Case):
    """A run writes down where it ended and what it has learned."""

    def read(self, outdir, name):
        with open(os.path.join(self.folder, outdir, name), "rb") as file:
            return file.read()

    def assert_goes_on(self, strategy):
        """Three runs are the same as one, failures and what was learned included."""
        steps = (16, 16, 32) if IS_SANITIZED else (128, 128, 256)
        bug = ("--bug", "stale-report", "-s", strategy, "-k", "-j", "2")
        name = "extent_manager-repair.learned"
        whole = self.run_program("systems/extent_manager", *bug, "-i", str(sum(steps)), "-o",
                                 "whole")
        parts = [self.run_program("systems/extent_manager", *bug, "-i", str(n), "-o", "parts",
                                  "--resume") for n in steps]
        def failed(done):
            found = re.search(r"(\d+) failed", done.stdout)
            return int(found.group(1)) if found else 0
        self.assertEqual(sum(failed(part) for part in parts), failed(whole))
        self.assertEqual(self.read("parts", name), self.read("whole", name))

    def test_random_goes_on_where_it_ended(self):
        self.assert_goes_on("random")

    def test_pct_goes_on_with_what_it_has_learned(self):
        self.assert_goes_on("pct:3")

    def test_pctcp_goes_on_with_what_it_has_learned(self):
        self.assert_goes_on("pctcp:3")

    def test_conflict_analysis_goes_on_with_what_it_has_learned(self):
        self.assert_goes_on("pos+ca")

    def test_tapct_goes_on_with_what_it_has_learned(self):
        self.assert_goes_on("tapct:3")

    def test_arms_with_conflict_analysis_go_on_with_what_they_have_learned(self):
        self.assert_goes_on("portfolio:random/pos+ca/pct+ca:2")

    def test_urw_goes_on_with_what_it_has_learned(self):
        self.assert_goes_on("urw")

    def test_surw_goes_on_with_what_it_has_learned(self):
        self.assert_goes_on("surw")

    def test_ql_goes_on_with_what_it_has_learned(self):
        self.assert_goes_on("ql")

    def test_fest_goes_on_with_what_it_has_learned(self):
        self.assert_goes_on("fest")

    def test_arms_that_are_taught_go_on_with_what_they_have_learned(self):
        self.assert_goes_on("portfolio:urw/surw/pctcp:2")

    def test_portfolio_goes_on_with_what_it_has_learned(self):
        self.assert_goes_on("portfolio")

    def test_dfs_comes_to_the_end_in_several_runs(self):
        first = self.run_program("examples/atm", "-s", "dfs", "-i", "20")
        second = self.run_program("examples/atm", "-s", "dfs", "--resume")
        third = self.run_program("examples/atm", "-s", "dfs", "--resume")
        self.assertIn("not every schedule was run", first.stdout)
        self.assertIn("32 trials", second.stdout)
        self.assertIn("every schedule of this test was run", second.stdout)
        self.assertNotIn("schedules:", first.stdout)
        self.assertIn("schedules: 52\n", second.stdout)
        self.assertIn("0 trials", third.stdout)
        self.assertIn("schedules: 52\n", third.stdout)
        self.assertEqual(third.returncode, 0, third.stdout + third.stderr)

    def test_another_strategy_or_seed_cannot_go_on(self):
        self.misbehave("-f", "good", "-i", "10")
        for other in (("-s", "pos"), ("--seed", "2")):
            done = self.misbehave("-f", "good", "-i", "10", "--resume", *other)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn("is of strategy random and seed 1", done.stderr)

    def test_a_damaged_file_is_refused(self):
        self.misbehave("-f", "good", "-s", "portfolio", "-i", "300")
        name = os.path.join(self.folder, "sennit-out", "misbehave-good.learned")
        good = self.read("sennit-out", "misbehave-good.learned")
        changes = [good[:n] for n in (0, 7, 60, len(good) - 1)]
        changes += [good[:at] + bytes([good[at] ^ 1]) + good[at + 1:]
                    for at in range(0, len(good), 997)]
        for change in changes:
            with open(name, "wb") as file:
                file.write(change)
            done = self.misbehave("-f", "good", "-s", "portfolio", "-i", "10", "--resume")
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn("misbehave-good.learned: ", done.stderr)


class Coverage(Case):
    def test_a_run_tells_which_events_came_in_which_states_and_which_never(self):
        done = self.run_program("systems/extent_manager", "-f", "repair", "-i", "300", "-j", "2",
                                "-o", "out")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        coverage = json.loads(self.trace("out", "extent_manager-repair.coverage.json"))
        self.assertEqual(coverage["machines"]["RepairMonitor"]["Repaired"],
                         {"came": ["NodeFailed"], "never": ["ExtentRepaired"]})
        self.assertIn("Heartbeat", coverage["machines"]["ExtentManager"]["Running"]["came"])
        pairs = [state for machine in coverage["machines"].values() for state in machine.values()]
        self.assertEqual(coverage["came"], sum(len(state["came"]) for state in pairs))
        self.assertEqual(coverage["never"], sum(len(state["never"]) for state in pairs))

    def test_coverage_of_trials_is_counted_whoever_ran_them(self):
        if IS_SANITIZED or not (shutil.which("gcc") and shutil.which("gcov")):
            self.skipTest("needs gcc and gcov, and a library without sanitizers")
        source = os.path.join(tap.ROOT, "examples", "atm.c")
        subprocess.run(["gcc", "-g", "--coverage", "-I", os.path.join(tap.ROOT, "include"), source,
                        path("src/libsennit.a"), "-o", "atm"], cwd=self.folder, check=True)
        done = subprocess.run(["./atm", "-i", "500", "-j", "3"], cwd=self.folder, check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        subprocess.run(["gcov", "-o", ".", "atm-atm.gcda"], cwd=self.folder, check=True,
                       capture_output=True)
        self.assertRegex(self.trace(".", "atm.c.gcov"), r"\n +500: +\d+: +account->balance -= ")


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    IS_SANITIZED = "sanitized" in sys.argv[2:]
    add_ways()
    add_strategies()
    sys.exit(tap.main())
