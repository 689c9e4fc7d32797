#!/usr/bin/env python3
"""test_erlang - the races of systems/erlang, and their repairs:
test_erlang.py BUILD SOURCE TRIALS [--all]

TRIALS is how many each repaired protocol has to survive; below 1000, trials are taken to be slow.
With --all every bug is shrunk, and not only those for which that is quick.
SPDX-License-Identifier: MIT
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
SOURCE = ""
TRIALS = "2000"
DEADLINE_S = 300
TESTS = 12
IS_SLOW = False

# Those that are shrunk; with --all, everything.
SHRUNK = ("locks-2", "mnesia-1")

# Those that pos finds early.
EASY = ("locks-1", "locks-1-relay", "locks-2", "locks-2-patch", "gproc-1", "gproc-2", "gproc-3",
        "mnesia-1", "mnesia-2", "ms-1", "crce-2-pattern", "crce-3")


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_erlang(self, *arguments):
        return subprocess.run([os.path.join(BUILD, "systems", "erlang"), "-o", "out", *arguments],
                              cwd=self.folder, check=False, stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", timeout=DEADLINE_S)

    def find(self, bug, *arguments, strategy="pos", trials="20000"):
        """What a run says that finds a bug."""
        done = self.run_erlang("--bug", bug, "-s", strategy, "-i", trials, "--no-shrink",
                               *arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(" FAILED in trial ", done.stdout)
        return done.stdout

    def trace(self):
        return glob.glob(os.path.join(self.folder, "out", "*.trace"))[0]

    def show(self):
        """The trace, each step with its notes."""
        done = subprocess.run([os.path.join(BUILD, "sennit"), "show", self.trace()],
                              check=True, capture_output=True, encoding="utf-8")
        return done.stdout

    def assert_in_order(self, text, *patterns):
        """The patterns match one after the other."""
        at = 0
        for pattern in patterns:
            match = re.compile(pattern).search(text, at)
            self.assertIsNotNone(match, f"no {pattern} after:\n{text[:at]}\nin:\n{text[at:]}")
            at = match.end()


class Found(Case):
    """Each bug is found, and is the one that is meant."""

    def test_lock_is_never_had_by_who_knows_a_version_that_was_forgotten(self):
        found = self.find("locks-1")
        self.assertRegex(found, r"deadlock: .*Test waits for Report .*Agent\S* waits for")
        self.assert_in_order(self.show(), r"nobody wants lock (\d): its entry is dropped",
                             r"send LocksInfo +to Agent\S* lock \d version 1 \[",
                             r"I hold lock \d, but know a version \d+ and ignore this one, 1\n")

    def test_circle_stays_if_the_one_that_must_give_way_is_not_told(self):
        found = self.find("locks-1-relay")
        self.assertRegex(found, r"deadlock: .*Agent waits .*Agent#2 waits .*Agent#3 waits")
        self.assertRegex(self.show(), r"a circle: Agent\S* has to surrender lock \d\n")

    def test_figure_6_needs_one_that_holds_nothing_to_be_told(self):
        """The program that the figure is of tells only those that hold a lock."""
        done = self.run_erlang("--bug", "locks-1", "-f", "figure-6", "-s", "pos", "-i", TRIALS)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.find("locks-1", "-f", "figure-6", "--tell", "all", trials="5000")
        self.assert_in_order(self.show(), r"nobody wants lock (\d): its entry is dropped",
                             r"I hold lock \d, but know a version \d+ and ignore this one, 1\n")

    def test_watcher_waits_for_a_server_that_was_started_before_it_had_its_name(self):
        found = self.find("locks-2-patch")
        self.assertRegex(found, r"deadlock: .*Agent\S* waits for LocksRunning")
        self.assert_in_order(self.show(), r"Watcher\S* +look up locks_server",
                             r"Server#2 +register locks_server",
                             r"Server#2 +send LocksRunning +locks_watcher",
                             r"Watcher\S* +register locks_watcher", r"I watch under the name")

    def test_watcher_that_asked_another_one_in_vain_never_looks_again(self):
        """The other race: it needs two watchers, and is not the first that is found."""
        for seed in range(1, 100):
            self.find("locks-2", "--seed", str(seed), strategy="random")
            shown = self.show()
            if "the other watcher does not answer" in shown:
                break
            os.remove(self.trace())
        self.assert_in_order(shown, r"Server#2 +register locks_server",
                             r"send WatchForMe", r"the other watcher does not answer",
                             r"Watcher\S* +register locks_watcher", r"I watch under the name")

    def test_leader_that_has_answered_is_taken_to_be_down(self):
        found = self.find("gproc-1")
        self.assertRegex(found, r"deadlock: .*Test waits for Answer")
        self.assert_in_order(self.show(), r"helper\d +monitor gen_leader \d",
                             r"receive +from node\d Halt", r"DOWN process=nobody reason=noproc",
                             r"node \d has answered, but is taken to be down")

    def test_candidate_that_acknowledged_late_waits_for_an_election_that_is_over(self):
        found = self.find("gproc-1-late")
        self.assertRegex(found, r"deadlock: .*Test waits for Answer")
        self.assert_in_order(self.show(), r"receive +from helper\d Down node=\d is_early=true",
                             r"receive +from node\d AckLeader", r"receive +from node\d HasLeader")

    def test_node_that_is_not_in_the_leaders_view_misses_a_name(self):
        done = self.run_erlang("--bug", "gproc-1", "-s", "pos", "-i", "500", "-k", "--no-shrink")
        self.assertRegex(done.stdout, r"\d+ times?, first in trial \d+: assert at gproc_1\.c")
        self.assertRegex(done.stdout, r"\d+ times?, first in trial \d+: deadlock")

    def test_name_is_removed_by_the_node_that_it_was_registered_for(self):
        found = self.find("gproc-2")
        self.assertRegex(found, r"assert: gproc_2\.c:\d+: the name is not there on node \d")
        self.assert_in_order(self.show(), r"receive +from Test Request kind=register name=2",
                             r"send Answer +to Test is_there=true",
                             r"node2 +receive +from node\d Leads .* names=\{2\}",
                             "node 2 does not know its process 2",
                             r"receive +from node2 Request kind=unregister name=2")

    def test_request_is_lost_with_the_leader_that_it_was_passed_on_to(self):
        found = self.find("gproc-3")
        self.assertRegex(found, r"deadlock: .*Test waits for Answer")
        self.assert_in_order(self.show(), r"receive +from Test Request kind=leader",
                             r"Stopper +kill +to node\d shutdown",
                             r"node \d has no leader any more", r"node \d leads",
                             r"Test waits for Answer")

    def test_request_is_passed_on_to_a_leader_that_has_ended(self):
        """Not only to one that ends before it answers."""
        for seed in range(1, 100):
            self.find("gproc-3", "--seed", str(seed))
            shown = self.show()
            killed = shown.index("Stopper  kill")
            if re.search(r"node\d +send Request +gen_leader \d kind=sync", shown[killed:]):
                break
            os.remove(self.trace())
        victim = re.search(r"kill +to node(\d)", shown[killed:]).group(1)
        self.assert_in_order(shown[killed:], rf"send Request +gen_leader {victim} kind=sync",
                             r"from helper\d Down node=\d is_early=false",
                             r"node \d has no leader any more")

    def test_copy_is_back_on_a_node_that_was_stopped_before_it_heard_that_it_is_deleted(self):
        found = self.find("mnesia-2")
        self.assertRegex(found, r"assert: mnesia_2\.c:\d+: the copy on B was deleted, and is there")
        shown = self.show()
        self.assert_in_order(shown, r"Participant +send AccPreCommit",
                             r"Restarter +kill +to Manager shutdown",
                             "B is down, which is as good as an answer")
        self.assert_in_order(shown, r"Disk +reply State +to Manager#2 outcome=unclear",
                             "B missed what was decided: aborted", "B starts with its copy")

    def test_supervisor_ends_with_one_that_it_finds_in_its_group(self):
        found = self.find("ms-1")
        self.assertRegex(found, r"assert: ms_1\.c:\d+: supervisor c could not be started")
        self.assert_in_order(self.show(), r"reply Members +to Mirroring#3 count=3 ids=\[a b c",
                             r"Mirroring#3 +call WhichChildren +to b", "b has ended",
                             r"Mirroring#3 +exit noproc")

    def test_value_that_was_read_is_not_there_when_the_chain_has_a_new_tail(self):
        found = self.find("crce-2", trials="100000")
        self.assertRegex(found, r"assert: crce\.c:\d+: value [12] was read, and then nothing")
        self.assert_in_order(self.show(), "repaired from b: not-written",
                             r"b +send Result +to Writer\S* result=ok",
                             r"read 1: ok [12]", "read 2: not-written")

    def test_pattern_that_was_committed_takes_the_other_value_for_wrong(self):
        found = self.find("crce-2-pattern")
        self.assertRegex(found, r"assert: crce_2\.c:\d+: value 2 was read")

    def test_transactions_wait_for_each_other_while_a_node_starts(self):
        found = self.find("mnesia-1")
        self.assertRegex(found, r"deadlock: .*Initialiser waits for Granted .*Copier waits")
        self.assert_in_order(self.show(), "transaction X merges the schema",
                             "transaction Z has the schema's lock")
        self.assertNotIn("transaction Y", self.show())
        self.assertIn("Copier has to wait until the node is initialised", self.show())

    def test_chain_ends_up_with_different_values(self):
        found = self.find("crce-3")
        self.assertRegex(found, r"assert: crce_3.c:\d+: the chain c, a, b has the values "
                                r"(0, [12]|1, 2|2, 1|1, 1, 2|2, 2, 1)")
        self.assert_in_order(self.show(), "repaired from b: not-written", r"send Call +to c kind")

    def test_value_that_was_replaced_is_decided_again(self):
        found = self.find("c6023", strategy="random", trials="60000")
        self.assertRegex(found, r"value (\d), decided in ballot \d+ and then replaced, is decided "
                                r"again in \d+")
        value = re.search(r"value (\d), decided", found).group(1)
        self.assertRegex(self.show(), rf"finishes value {value} of ballot")

    def test_traces_fail_again(self):
        for bug in (*EASY, "crce-2", "c6023"):
            self.find(bug, strategy="random" if bug == "c6023" else "pos", trials="100000")
            done = self.run_erlang("--bug", bug, "--replay", self.trace())
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("failed again", done.stdout)
            os.remove(self.trace())

    def learned(self, name, *parts):
        """What conflict analysis has saved after runs of so many trials, each in a process."""
        path = os.path.join(self.folder, name)
        for trials in parts:
            done = self.run_erlang("-f", "gproc-1", "-s", "pos+ca", "-i", str(trials), "-v",
                                   "--checkpoint", path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(path, "rb") as file:
            return file.read(), re.search(r"\d+ of \d+ kinds of .*", done.stdout).group()

    def test_what_conflict_analysis_has_learned_is_saved_with_the_run(self):
        self.assertEqual(self.learned("parts", 30, 50, 20), self.learned("whole", 100))

    def test_trials_are_the_same_in_another_process(self):
        done = self.run_erlang("--verify-determinism", "-s", "pos", "-i", "20", "--noise", "100")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Repaired(Case):
    """Each protocol is right without its bug."""

    def assert_passes(self, *arguments):
        done = self.run_erlang(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(": no bug found"), TESTS)

    def test_all_survive_random(self):
        self.assert_passes("-s", "random", "-i", TRIALS)

    def test_all_survive_pos(self):
        self.assert_passes("-s", "pos", "-i", TRIALS)

    def test_all_survive_pct(self):
        self.assert_passes("-s", "pct:5", "-i", TRIALS)

    def test_all_survive_with_noise(self):
        self.assert_passes("-s", "posr", "-i", str(int(TRIALS) // 4), "--noise", "100")


class Noise(Case):
    def steps(self, *arguments):
        """The mean of all tests."""
        done = self.run_erlang("-s", "random", "-i", "50", *arguments)
        found = re.findall(r"(\d+) trials, (\d+) steps", done.stdout)
        self.assertEqual(len(found), TESTS, done.stdout)
        return [int(steps) / int(trials) for trials, steps in found]

    def test_noise_adds_about_as_many_operations_as_it_is_told_to(self):
        quiet = self.steps()
        for noise in (100, 1000):
            for before, after in zip(quiet, self.steps("--noise", str(noise))):
                self.assertGreater(after - before, noise * .75)
                self.assertLess(after - before, noise * 1.25)

    def test_noise_is_before_beside_within_and_after_the_core(self):
        self.find("locks-2", "--noise", "1000", strategy="random")
        shown = self.show()
        lines = [(match.start(), match[0]) for match in re.finditer(r"\n +\d+ +\S+ .*", shown)]
        core = [at for at, line in lines if re.search(r"^\n +\d+ +\S+ +Agent(?!.*Noise)", line)]
        noise = [at for at, line in lines if re.search(r"^\n +\d+ +\S+ +Noise", line)]
        self.assertTrue(any(at < core[0] for at in noise))
        self.assertTrue(any(core[0] < at < core[-1] for at in noise))
        self.assertTrue(any(at > core[-1] for at in noise))
        self.assertRegex(shown, r"Agent\S* +send NoiseAsk +to NoiseLibrary")

    def test_noise_uses_names(self):
        self.find("locks-2", "--noise", "1000", strategy="random")
        shown = self.show()
        self.assertRegex(shown, r" Noise\S+ +register noise ")
        self.assertRegex(shown, r" Noise\S+ +look up noise ")
        self.assertRegex(shown, r" Noise\S+ +unregister noise ")

    def test_bugs_are_found_among_noise(self):
        for bug in EASY:
            self.find(bug, "--noise", "100")

    def test_bugs_are_found_among_much_noise(self):
        for bug in ("locks-1", "gproc-1", "mnesia-1", "crce-3"):
            self.find(bug, "--noise", "1000", trials="3000")
        self.find("locks-2", "--noise", "1000", strategy="random", trials="3000")


class Understood(Case):
    def setUp(self):
        super().setUp()
        if IS_SLOW:
            self.skipTest("each trial is a process: it takes too long")

    def test_races_can_be_shrunk(self):
        for bug in SHRUNK:
            self.find(bug)
            path = self.trace()
            done = self.run_erlang("--bug", bug, "--shrink", path, "--shrunk", "small.trace",
                                   "-i", "2000")
            self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
            again = self.run_erlang("--bug", bug, "--replay", "small.trace")
            self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
            os.remove(path)

    def explain(self, bug, trials):
        self.find(bug)
        done = self.run_erlang("--bug", bug, "--explain", self.trace(), "-i", trials)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return done.stdout

    def test_explaining_finds_the_message_that_is_lost(self):
        told = self.explain("locks-2", "8000")
        self.assertRegex(told, r'LOST +after step \d+ of \d+, "Server#2 does "send LocksRunning"')

    def test_explaining_finds_that_the_leader_was_monitored_too_early(self):
        told = self.explain("gproc-1", "12000")
        self.assertIn('node1 does "register gen_leader 1" (to node1)  before  '
                      'helper2 does "monitor gen_leader 1"', told)

    def test_explaining_finds_that_the_lock_was_taken_too_early(self):
        told = self.explain("mnesia-1", "8000")
        self.assertRegex(told, r'LOST +after step \d+ of \d+, "Copier does "send Lock"')


class Bench(unittest.TestCase):
    def test_bench_prints_ratios_beside_those_of_the_paper(self):
        done = subprocess.run([sys.executable, os.path.join(BUILD, "bench", "erlang"),
                               "--trials", "100", "--noise", "0", "100", "--only", "locks-1",
                               "--strategies", "random", "pos"],
                              check=False, capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "|  | random | pos |")
        self.assertEqual(lines[2], "| locks-1, paper | 0.0042 | 0.1521 |")
        self.assertRegex(lines[3], r"^\| locks-1, noise 0 \| 0\.[6-9]\d00 \| 0\.[2-7]\d00 \|$")
        self.assertRegex(lines[4], r"^\| locks-1, noise 100 \| 0\.[6-9]\d00 \| 0\.[2-7]\d00 \|$")


class Small(unittest.TestCase):
    def test_each_bug_is_at_most_ten_lines(self):
        """Its switch is in at most five lines, each of which guards one statement."""
        listed = subprocess.run([os.path.join(BUILD, "systems", "erlang"), "--bugs"], check=True,
                                capture_output=True, encoding="utf-8").stdout
        names = [line.split("\t")[0] for line in listed.splitlines()]
        self.assertEqual(len(names), 15)
        for name in names:
            flag = "bug_" + name.replace("-", "_")
            lines = []
            for path in sorted(glob.glob(os.path.join(SOURCE, "systems", "erlang", "*.c"))):
                if os.path.basename(path) == "main.c":
                    continue
                with open(path, encoding="utf-8") as file:
                    lines += re.findall(rf"^.*\b{flag}\b.*$", file.read(), re.MULTILINE)
            self.assertTrue(1 <= len(lines) <= 5, f"{flag}: {lines}")


if __name__ == "__main__":
    BUILD, SOURCE, TRIALS = [*map(os.path.abspath, sys.argv[1:3]), sys.argv[3]]
    IS_SLOW = int(TRIALS) < 1000
    SHRUNK = EASY if "--all" in sys.argv else SHRUNK
    del sys.argv[1:]
    tap.main()
