#!/usr/bin/env python3
"""test_run_tests - tools/run_tests counts what programs report and believes no more than that.

Each test makes a build directory as Meson would, with shell scripts for programs.
SPDX-License-Identifier: MIT
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

import tap

RUN_TESTS = os.path.join(tap.ROOT, "tools", "run_tests")
DEADLINE_S = 300
WAIT = "while [ ! -e {} ]; do sleep 0.1; done"


class RunTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = os.path.join(folder.name, "fake")
        self.tests = []

    def add(self, name, script, **changes):
        path = os.path.join(self.build, name)
        tap.write(path, "#!/bin/sh\n" + script, 0o755)
        test = {"name": name, "suite": ["sennit:unit"], "cmd": [path], "env": {}, "workdir": None,
                "timeout": 30, "is_parallel": True, "protocol": "tap"}
        test.update(changes)
        self.tests.append(test)

    def write_tests(self):
        tap.write(os.path.join(self.build, "meson-info", "intro-tests.json"),
                  json.dumps(self.tests))

    def run_it(self, *arguments, spec="", environment=None):
        self.write_tests()
        result = subprocess.run([RUN_TESTS, *arguments, self.build + spec], capture_output=True,
                                text=True, check=False, env={**os.environ, **(environment or {})})
        self.output = result.stdout
        self.status = result.returncode
        return result

    def expect(self, summary, status):
        self.assertEqual((self.output.splitlines()[-1], self.status), (summary, status),
                         self.output)

    def test_counts_what_passed(self):
        self.add("good", "echo 1..2; echo ok 1 - one; echo ok 2 - two")
        self.run_it()
        self.expect("2 passed, 0 failed, 0 skipped", 0)

    def test_counts_over_all_programs(self):
        self.add("a", "echo 1..1; echo ok 1 - one")
        self.add("b", "echo 1..2; echo ok 1 - one; echo 'ok 2 - two # SKIP too late'")
        self.run_it()
        self.expect("2 passed, 0 failed, 1 skipped", 0)

    def test_programs_can_be_interrupted_although_a_shell_runs_it_in_the_background(self):
        self.add("brave", "echo 1..1; kill -INT $$; echo ok 1 - still here")
        self.write_tests()
        result = subprocess.run(["sh", "-c", 'trap "" INT QUIT; exec "$0" "$1"', RUN_TESTS,
                                 self.build], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertNotIn("1 passed", result.stdout)

    def test_the_soak_suite_runs_only_when_it_is_asked_for(self):
        self.add("short", "echo 1..1; echo ok 1 - one")
        self.add("long", "echo 1..2; echo ok 1 - one; echo ok 2 - two", suite=["sennit:soak"])
        self.run_it()
        self.expect("1 passed, 0 failed, 0 skipped", 0)
        self.run_it(spec=":soak")
        self.expect("2 passed, 0 failed, 0 skipped", 0)
        self.run_it(spec=":-tools")
        self.expect("3 passed, 0 failed, 0 skipped", 0)

    def test_a_failed_test_is_named_with_its_output(self):
        self.add("bad", "echo 1..2; echo ok 1 - one; echo not ok 2 - two; echo '# 3 != 4'; exit 1")
        self.run_it()
        self.expect("1 passed, 1 failed, 0 skipped", 1)
        self.assertIn("FAILED  fake/unit/bad: two\n", self.output)
        self.assertIn("| # 3 != 4\n", self.output)

    def test_a_failure_counts_whatever_the_exit_status(self):
        self.add("bad", "echo 1..1; echo 'not ok 1 - one'; exit 0")
        self.run_it()
        self.expect("0 passed, 1 failed, 0 skipped", 1)

    def test_a_failure_announced_to_be_expected_counts(self):
        self.add("bad", "echo 1..1; echo 'not ok 1 - one # TO" + "DO later'; exit 0")
        self.run_it()
        self.expect("0 passed, 1 failed, 0 skipped", 1)

    def test_exit_status_contradicting_the_tests_is_a_failure(self):
        self.add("liar", "echo 1..1; echo ok 1 - one; exit 3")
        self.run_it()
        self.expect("1 passed, 1 failed, 0 skipped", 1)
        self.assertIn("exit status 3 although no test failed", self.output)

    def test_a_program_that_dies_has_failed(self):
        self.add("dead", "echo 1..2; echo ok 1 - one; echo last words >&2; kill -SEGV $$")
        self.run_it()
        self.expect("1 passed, 1 failed, 0 skipped", 1)
        self.assertIn("killed by SIGSEGV", self.output)
        self.assertIn("| last words\n", self.output)

    def test_a_program_that_dies_after_its_tests_has_failed(self):
        self.add("dead", "echo 1..1; echo ok 1 - one; kill -ABRT $$")
        self.run_it()
        self.expect("1 passed, 1 failed, 0 skipped", 1)

    def test_a_program_that_hangs_is_killed_with_its_children(self):
        go, left = (os.path.join(self.build, name) for name in ("go", "left"))
        self.add("hang", f"echo 1..1; ({WAIT.format(go)}; touch {left}) & sleep 3600", timeout=1)
        self.run_it()
        self.expect("0 passed, 1 failed, 0 skipped", 1)
        self.assertIn("ran out of time", self.output)
        self.assert_nobody_waits_for(go, left)

    def test_ending_the_runner_ends_the_programs(self):
        started, go, left = (os.path.join(self.build, name) for name in ("started", "go", "left"))
        self.add("long", f"touch {started}; {WAIT.format(go)}; touch {left}")
        self.write_tests()
        with subprocess.Popen([RUN_TESTS, self.build], stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + DEADLINE_S
            while not os.path.exists(started) and time.monotonic() < deadline:
                time.sleep(0.02)
            process.terminate()
            self.assertEqual(process.wait(timeout=DEADLINE_S), 1)
        self.assertTrue(os.path.exists(started))
        self.assert_nobody_waits_for(go, left)

    def assert_nobody_waits_for(self, go, left):
        """A program that was still there would make a file as soon as it may go on."""
        tap.write(go, "")
        time.sleep(1)
        self.assertFalse(os.path.exists(left))

    def test_a_program_that_eats_the_memory_is_killed(self):
        eat = "python3 -c 'import time; x = bytearray(400 << 20); time.sleep(60)'"
        self.add("greedy", f"echo 1..1; {eat}; echo ok 1 - one", timeout=30)
        self.run_it("--memory-max", "0.25")
        self.expect("0 passed, 1 failed, 0 skipped", 1)
        self.assertIn("used more than 0.25 GiB of memory", self.output)

    def test_the_factor_stretches_timeouts(self):
        self.add("slow", "echo 1..1; sleep 1.5; echo ok 1 - one", timeout=1)
        self.run_it(spec="::100")
        self.expect("1 passed, 0 failed, 0 skipped", 0)

    def test_a_program_without_a_plan_has_failed(self):
        self.add("planless", "echo ok 1 - one")
        self.run_it()
        self.expect("1 passed, 1 failed, 0 skipped", 1)
        self.assertIn("no plan", self.output)

    def test_a_program_that_says_nothing_has_failed(self):
        self.add("silent", "exit 0")
        self.run_it()
        self.expect("0 passed, 1 failed, 0 skipped", 1)

    def test_fewer_tests_than_planned_is_a_failure(self):
        self.add("short", "echo 1..3; echo ok 1 - one; echo ok 2 - two")
        self.run_it()
        self.expect("2 passed, 1 failed, 0 skipped", 1)
        self.assertIn("2 tests ran, 3 were planned", self.output)

    def test_more_tests_than_planned_is_a_failure(self):
        self.add("long", "echo 1..1; echo ok 1 - one; echo ok 2 - two")
        self.run_it()
        self.expect("2 passed, 1 failed, 0 skipped", 1)

    def test_a_plan_of_nothing_is_a_failure(self):
        self.add("empty", "echo 1..0")
        self.run_it()
        self.expect("0 passed, 1 failed, 0 skipped", 1)

    def test_a_test_reported_twice_is_a_failure(self):
        self.add("twice", "echo 1..2; echo ok 1 - one; echo ok 1 - one")
        self.run_it()
        self.expect("2 passed, 1 failed, 0 skipped", 1)
        self.assertIn("test number 1 came where 2 was due", self.output)

    def test_a_plan_may_stand_at_the_end(self):
        self.add("late", "echo ok 1 - one; echo ok 2 - two; echo 1..2")
        self.run_it()
        self.expect("2 passed, 0 failed, 0 skipped", 0)

    def test_a_plan_at_the_end_is_held_to(self):
        self.add("late", "echo ok 1 - one; echo 1..2")
        self.run_it()
        self.expect("1 passed, 1 failed, 0 skipped", 1)

    def test_groups_with_a_plan_each_add_up(self):
        self.add("groups", "echo 1..1; echo ok 1 - one; echo 1..2; echo ok 1 - a; echo ok 2 - b")
        self.run_it()
        self.expect("3 passed, 0 failed, 0 skipped", 0)

    def test_each_group_is_held_to_its_plan(self):
        self.add("groups", "echo 1..2; echo ok 1 - one; echo 1..1; echo ok 1 - a")
        self.run_it()
        self.expect("2 passed, 1 failed, 0 skipped", 1)

    def test_bailing_out_is_a_failure(self):
        self.add("bail", "echo 1..1; echo ok 1 - one; echo 'Bail out! no disk'; exit 0")
        self.run_it()
        self.expect("1 passed, 1 failed, 0 skipped", 1)

    def test_a_skipped_test_shows_its_reason(self):
        self.add("some", "echo 1..2; echo ok 1 - one; echo 'ok 2 - two # SKIP no such kernel'")
        self.run_it()
        self.expect("1 passed, 0 failed, 1 skipped", 0)
        self.assertIn("SKIPPED fake/unit/some: two: no such kernel\n", self.output)

    def test_a_skip_of_cmocka_takes_its_reason_from_the_line_before(self):
        self.add("some", "echo 1..2; echo ok 1 - one; echo no such kernel; "
                 "echo 'not ok 2 # SKIP two'")
        self.run_it()
        self.expect("1 passed, 0 failed, 1 skipped", 0)
        self.assertIn("SKIPPED fake/unit/some: two: no such kernel\n", self.output)

    def test_a_skipped_test_without_a_name_shows_its_reason(self):
        self.add("some", "echo 1..2; echo ok 1 - one; echo 'ok 2 # SKIP no such kernel'")
        self.run_it()
        self.expect("1 passed, 0 failed, 1 skipped", 0)
        self.assertIn("SKIPPED fake/unit/some: test 2: no such kernel\n", self.output)

    def test_a_skip_with_neither_name_nor_reason_is_a_failure(self):
        self.add("some", "echo 1..2; echo ok 1 - one; echo 'ok 2 # SKIP'")
        self.run_it()
        self.expect("1 passed, 1 failed, 0 skipped", 1)

    def test_a_skip_without_a_reason_is_a_failure(self):
        self.add("some", "echo 1..2; echo '# talk'; echo ok 1 - one; echo 'not ok 2 # SKIP two'")
        self.run_it()
        self.expect("1 passed, 1 failed, 0 skipped", 1)
        self.assertIn("skipped without a reason", self.output)

    def test_a_program_may_skip_itself(self):
        self.add("good", "echo 1..1; echo ok 1 - one")
        self.add("none", "echo '1..0 # SKIP not on this machine'")
        self.run_it()
        self.expect("1 passed, 0 failed, 1 skipped", 0)
        self.assertIn("not on this machine", self.output)

    def test_nothing_run_is_a_failure(self):
        self.run_it()
        self.expect("0 passed, 0 failed, 0 skipped", 1)
        self.assertIn("nothing ran", self.output)

    def test_nothing_but_skips_is_a_failure(self):
        self.add("none", "echo '1..0 # SKIP not on this machine'")
        self.run_it()
        self.expect("0 passed, 0 failed, 1 skipped", 1)

    def test_builds_that_worked_do_not_stand_for_tests(self):
        self.run_it("--result", "passed:compiles")
        self.expect("1 passed, 0 failed, 0 skipped", 1)

    def test_results_of_steps_before_the_tests_count(self):
        self.add("good", "echo 1..1; echo ok 1 - one")
        self.run_it("--result", "failed:compiles:see above",
                    "--result", "skipped:cross:no compiler")
        self.expect("1 passed, 1 failed, 1 skipped", 1)
        self.assertIn("FAILED  build: compiles: see above\n", self.output)
        self.assertIn("SKIPPED build: cross: no compiler\n", self.output)

    def test_a_program_that_cannot_be_started_has_failed(self):
        self.add("gone", "", cmd=[os.path.join(self.build, "nowhere")])
        self.run_it()
        self.expect("0 passed, 1 failed, 0 skipped", 1)
        self.assertIn("cannot be started", self.output)

    def test_programs_without_tap_are_judged_by_their_exit_status(self):
        self.add("zero", "exit 0", protocol="exitcode")
        self.add("one", "exit 1", protocol="exitcode")
        self.add("skip", "echo no kernel; exit 77", protocol="exitcode")
        self.run_it()
        self.expect("1 passed, 1 failed, 1 skipped", 1)

    def test_a_missing_build_directory_is_an_error(self):
        result = subprocess.run([RUN_TESTS, "/nonexistent"], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no build directory", result.stderr)

    def test_suites_are_chosen_and_left_out(self):
        self.add("u", "echo 1..1; echo ok 1 - one")
        self.add("l", "echo 1..2; echo ok 1 - one; echo ok 2 - two", suite=["sennit:live"])
        self.run_it(spec=":unit")
        self.expect("1 passed, 0 failed, 0 skipped", 0)
        self.run_it(spec=":-unit")
        self.expect("2 passed, 0 failed, 0 skipped", 0)

    def test_a_program_of_two_suites_runs_with_either_and_is_left_out_with_either(self):
        self.add("u", "echo 1..1; echo ok 1 - one")
        self.add("p", "echo 1..2; echo ok 1 - one; echo ok 2 - two",
                 suite=["sennit:unit", "sennit:portable"])
        self.run_it(spec=":portable")
        self.expect("2 passed, 0 failed, 0 skipped", 0)
        self.run_it(spec=":unit")
        self.expect("3 passed, 0 failed, 0 skipped", 0)
        self.run_it(spec=":-portable")
        self.expect("1 passed, 0 failed, 0 skipped", 0)

    def test_the_filter_chooses_programs_by_name(self):
        self.add("log", "echo 1..1; echo ok 1 - one")
        self.add("table", "echo 1..2; echo ok 1 - one; echo ok 2 - two")
        self.run_it("-f", "unit/tab")
        self.expect("2 passed, 0 failed, 0 skipped", 0)

    def test_the_filter_chooses_programs_by_a_glob_of_their_name_alone(self):
        self.add("table", "echo 1..1; echo ok 1 - tab_is_here")
        self.add("chair", "echo 1..1; echo ok 1 - tab_is_not_here")
        self.run_it("-f", "tab*")
        self.expect("1 passed, 0 failed, 0 skipped", 0)

    def test_a_filter_that_no_program_matches_is_an_error_that_names_it(self):
        self.add("log", "echo 1..1; echo ok 1 - replay_works")
        result = self.run_it("-f", "replay_*")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no program is called replay_*; for a test: --claim", result.stderr)

    def test_claims_are_chosen_in_all_programs_or_in_those_of_the_filter(self):
        self.add("log", "echo 1..1; echo ok 1 - replay_works")
        self.add("table", "echo 1..2; echo ok 1 - grows; echo ok 2 - replay_fails")
        self.run_it("-c", "replay_*")
        self.expect("2 passed, 0 failed, 0 skipped", 0)
        self.run_it("-c", "replay_*", "-f", "log")
        self.expect("1 passed, 0 failed, 0 skipped", 0)

    def test_verbose_names_every_test(self):
        self.add("log", "echo 1..1; echo ok 1 - replay_works")
        self.run_it()
        self.assertNotIn("replay_works", self.output)
        self.run_it("--verbose")
        self.assertIn("PASSED  fake/unit/log: replay_works\n", self.output)

    def test_the_slowest_programs_are_named_on_request(self):
        self.add("log", "echo 1..1; echo ok 1 - one")
        self.run_it("--slowest", "5")
        self.assertRegex(self.output, r"(?m)^ +[0-9.]+ s \(CPU [0-9.]+ s\)  fake/unit/log$")

    def load(self):
        """The tool as a module."""
        loader = importlib.machinery.SourceFileLoader("run_tests", RUN_TESTS)
        module = importlib.util.module_from_spec(
            importlib.util.spec_from_loader("run_tests", loader))
        sys.modules["run_tests"] = module
        self.addCleanup(sys.modules.pop, "run_tests")
        loader.exec_module(module)
        return module

    def test_a_limit_that_nobody_chose_is_long(self):
        limit_of = self.load().limit_of
        self.assertEqual([limit_of(seconds) for seconds in (0, 1, 30, 60)], [3600, 1, 300, 60])

    def test_the_slowest_come_first(self):
        teller = self.load().Teller(False, None)
        teller.seconds = [(1.0, 0.5, "a"), (3.0, 2.0, "b"), (2.0, 5.0, "c")]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            teller.slowest(2)
        self.assertEqual(said.getvalue().splitlines(),
                         ["     3.0 s (CPU 2.0 s)  b", "     2.0 s (CPU 5.0 s)  c"])

    def test_the_work_of_the_processes_that_a_program_waited_for_is_its_own(self):
        self.add("log", "echo 1..1; python3 -c 'import time\n'"
                        "'while time.process_time() < 0.3: pass'; echo ok 1 - one")
        self.run_it("--slowest", "1")
        self.assertGreaterEqual(float(re.search(r"CPU ([0-9.]+) s", self.output)[1]), 0.3)

    def test_list_prints_the_claims_only(self):
        self.add("log", "echo 1..1; echo ok 1 - replay_works")
        self.run_it("--list")
        self.assertEqual(self.output, "unit/log: replay_works\n")

    def test_targets_are_what_the_tests_need_and_what_is_installed_and_nothing_is_run(self):
        for name, suite in (("needed", "portable"), ("other", "unit")):
            self.add(name, "exit 1", suite=[f"sennit:{suite}"], depends=[f"1@@{name}@exe"])
        targets = [{"id": f"1@@{name}@exe", "filename": [os.path.join(self.build, "of", name)],
                    "installed": name == "command"} for name in ("needed", "other", "command")]
        tap.write(os.path.join(self.build, "meson-info", "intro-targets.json"),
                  json.dumps(targets))
        self.run_it("--targets", spec=":portable")
        self.assertEqual((self.output, self.status), ("of/command\nof/needed\n", 0))

    def test_the_wrapper_runs_programs_of_the_build(self):
        self.add("good", "echo 1..1; echo ok 1 - $WRAPPED")
        self.run_it("--verbose", spec=":::env WRAPPED=by_the_wrapper")
        self.assertIn("by_the_wrapper", self.output)

    def test_the_environment_asks_for_tap_and_strict_sanitizers(self):
        self.add("env", 'echo 1..1; echo "ok 1 - $CMOCKA_MESSAGE_OUTPUT $ASAN_OPTIONS $MINE"',
                 env={"MINE": "given"})
        self.run_it("--verbose", environment={"ASAN_OPTIONS": "verbosity=1"})
        self.assertRegex(self.output, r"TAP .*detect_leaks=1\S*:verbosity=1 given")

    def test_tests_that_must_be_alone_do_not_overlap(self):
        lock = os.path.join(self.build, "lock")
        script = f"echo 1..1; mkdir {lock} && sleep 0.2 && rmdir {lock} && echo ok 1 - alone"
        for name in ("a", "b", "c"):
            self.add(name, script, is_parallel=False)
        self.run_it("-j", "3")
        self.expect("3 passed, 0 failed, 0 skipped", 0)

    def test_programs_run_at_the_same_time(self):
        here, there = (os.path.join(self.build, name) for name in ("here", "there"))
        self.add("a", f"echo 1..1; touch {here}; {WAIT.format(there)}; echo ok 1 - met", timeout=60)
        self.add("b", f"echo 1..1; touch {there}; {WAIT.format(here)}; echo ok 1 - met", timeout=60)
        self.run_it("-j", "2")
        self.expect("2 passed, 0 failed, 0 skipped", 0)

    def test_repeating_stops_at_the_first_failure(self):
        seen = os.path.join(self.build, "seen")
        self.add("sometimes", f"echo 1..1; echo x >>{seen}; [ $(wc -l <{seen}) -lt 3 ] && "
                 "echo ok 1 - one || echo not ok 1 - one")
        self.run_it("--repeat-for", "1")
        self.expect("2 passed, 1 failed, 0 skipped", 1)


if __name__ == "__main__":
    tap.main()
