#!/usr/bin/env python3
"""test_reporting - what a run prints and writes, and what other tools make of it:
test_reporting.py BUILD

SPDX-License-Identifier: MIT
"""

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

import tap
import tap14
import terminal

BUILD = ""
DEADLINE_S = 300
END = terminal.END.decode()
COLOUR = r"\033\[[0-9;]*m"  # and not what clears a line, which progress may do before
VARIABLES = ("CI", "NO_COLOR", "GITHUB_ACTIONS", "GITHUB_WORKSPACE", "TAP_VERSION")
ODD = "odd <name> \"it's\" # SKIP \\ \\x0a \\x01 \\xff %0A,:"


def path(name):
    return os.path.join(BUILD, name)


class Case(unittest.TestCase):
    """A directory of its own, and an environment that asks for nothing."""

    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program = path("tests/unit/api/reporting_main")

    @staticmethod
    def environment(changes):
        env = {name: value for name, value in os.environ.items()
               if name not in VARIABLES and not name.startswith("SENNIT_")}
        env["SENNIT_DEFAULT_STRATEGY"] = "random"
        return {**env, "TERM": "xterm", "SENNIT_NO_SHRINK": "1", **changes}

    def run_command(self, *command, **env):
        """A finished process, whose output is text."""
        return subprocess.run(command, cwd=self.folder, env=self.environment(env), check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              errors="surrogateescape", timeout=DEADLINE_S)

    def run_program(self, *arguments, **env):
        return self.run_command(self.program, *arguments, **env)

    def is_forked(self):
        """Where each trial is a process, more is under control."""
        return "a process per trial" in self.run_program("-f", "passes", "-i", "1", "-v").stdout

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        tap.write(os.path.join(self.folder, name), text)

    def need(self, *tools):
        for tool in tools:
            if shutil.which(tool) is None:
                self.skipTest(f"{tool} is not installed")


# ---- Formats -------------------------------------------------------------------------------------


class Tap(Case):
    def test_tap_of_a_real_run_is_strict_tap(self):
        self.write("go", "")
        done = self.run_program("--tap", "-i", "20")

        points = tap14.read(done.stdout).points
        thread = self.is_forked()
        self.assertEqual([(point.name.removeprefix("reporting/"), point.is_ok, point.directive)
                          for point in points],
                         [("passes", True, ""), ("fails", False, ""), ("prints", False, ""),
                          ("prints in a promised world", False, ""), ("nothing", True, "SKIP"),
                          ("thread", thread, ""), ("differs", False, ""), (ODD, False, ""),
                          ("waits", False, ""), ("awaited", True, "")])
        self.assertEqual(done.returncode, 1)

    def test_output_of_the_code_under_test_never_mixes_into_tap(self):
        done = self.run_program("--tap", "-f", "prints", "-i", "50", "-k")

        self.assertEqual(len(tap14.read(done.stdout).points), 2)
        self.assertNotIn("forged", done.stdout + done.stderr)

    def test_tap_without_a_matching_test_is_an_empty_plan(self):
        done = self.run_program("--tap", "-f", "absent")

        self.assertEqual(tap14.read(done.stdout).plan_reason, "SKIP no test has that in its name")
        self.assertEqual(done.returncode, 3)

    def test_tap_of_an_empty_suite_is_an_empty_plan(self):
        done = self.run_program("--tap", REPORTING_EMPTY="1")

        self.assertEqual(tap14.read(done.stdout).plan_reason, "SKIP there are no tests")
        self.assertEqual(done.returncode, 3)

    def test_a_strategy_that_there_is_not_is_a_failed_test_in_tap(self):
        done = self.run_program("--tap", "-f", "passes", "-s", "wishful")

        point, = tap14.read(done.stdout).points
        self.assertFalse(point.is_ok)
        self.assertIn("wishful", point.block["message"])
        self.assertEqual(done.returncode, 2)

    def prove(self, *arguments):
        self.need("prove")
        return self.run_command("prove", "-e", "", self.program, "::", "--tap", *arguments)

    def test_prove_sees_that_a_test_passes(self):
        done = self.prove("-f", "passes", "-i", "20")

        self.assertIn("Result: PASS", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_prove_sees_which_tests_fail(self):
        self.write("go", "")
        done = self.prove("-i", "20")

        failed = "2-4, 7-9" if self.is_forked() else "2-4, 6-9"
        self.assertIn(f"Failed tests:  {failed}\n", done.stdout)
        self.assertNotIn("Parse errors", done.stdout)
        self.assertIn("Result: FAIL", done.stdout)


class Junit(Case):
    def cases(self):
        root = xml.etree.ElementTree.parse(os.path.join(self.folder, "j.xml")).getroot()
        return root, list(root.iter("testcase"))

    def test_junit_of_a_real_run_is_xml_with_every_test(self):
        self.write("go", "")
        done = self.run_program("--xml", "j.xml", "-i", "20")

        root, cases = self.cases()
        errors = 1 if self.is_forked() else 2
        self.assertEqual(root.tag, "testsuites")
        self.assertEqual([root.get(key) for key in ("tests", "failures", "errors", "skipped")],
                         ["10", "5", str(errors), "1"])
        self.assertEqual(cases[7].get("name"),
                         "odd <name> \"it's\" # SKIP \\ \n \\x01 \\xff %0A,:")
        self.assertIn("reporting/fails: FAILED in trial", done.stdout)

    def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(self):
        done = self.run_program("--xml", "nowhere/j.xml", "-f", "fails")

        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nowhere/j.xml: cannot be written", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "sennit-out/"
                                                     "reporting-fails-0.trace")))

    def test_an_empty_name_of_the_file_is_refused(self):
        self.assertEqual(self.run_program("--xml=", "-f", "passes").returncode, 2)


class Summary(Case):
    def summary(self, folder="sennit-out"):
        return json.loads(self.read(f"{folder}/summary.json"))

    def test_summary_of_a_real_run_says_what_was_found(self):
        self.run_program("-f", "fails", "-s", "pct:3", "--seed", "7")

        found = self.summary()
        failure, = found["tests"][0]["failures"]
        self.assertEqual((found["suite"], found["strategy"], found["seed"], found["verdict"]),
                         ("reporting", "pct:3", 7, "failed"))
        self.assertRegex(found["build"], "^[0-9a-f]{16,64}$")
        self.assertEqual(failure["oracle"], "assert")
        self.assertTrue(os.path.exists(os.path.join(self.folder, failure["trace"])))

    def test_summary_says_when_every_schedule_was_run(self):
        self.run_program("-f", "passes", "-s", "dfs")

        self.assertTrue(self.summary()["tests"][0]["exhausted"])

    def test_summary_says_within_which_limits_every_schedule_was_run(self):
        self.program = path("tests/unit/api/race_main")
        self.run_program("-f", "fixed", "-s", "delay:1", "-i", "100000")

        test, = self.summary()["tests"]
        self.assertEqual((test["exhausted"], test["within"]), (False, "with at most 1 delay"))

    def test_summary_goes_to_the_output_directory(self):
        self.run_program("-f", "passes", "-o", "a/b", "-i", "20")

        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "a/b"))),
                         ["reporting-passes.coverage.json", "reporting-passes.learned",
                          "summary.json"])

    def test_summary_is_readable_whenever_the_run_is_killed(self):
        # pylint: disable=consider-using-with
        process = subprocess.Popen([self.program, "-i", "18446744073709551615", "-f", "waits"],
                                   cwd=self.folder, env=self.environment({}),
                                   start_new_session=True)
        deadline = time.monotonic() + DEADLINE_S
        while not os.path.exists(os.path.join(self.folder, "sennit-out/summary.json")):
            self.assertLess(time.monotonic(), deadline)
        os.killpg(process.pid, signal.SIGKILL)  # with its workers
        process.wait()

        found = self.summary()
        self.assertEqual((found["complete"], found["planned"], found["tests"]), (False, 1, []))

    def test_an_output_directory_that_cannot_be_made_is_refused_before_anything_runs(self):
        done = self.run_program("-f", "fails", "-o", "/dev/null/x", "--tap")

        self.assertEqual((done.returncode, done.stdout), (2, ""))


class Options(Case):
    def test_a_run_ends_when_its_time_is_up(self):
        done = self.run_program("-f", "waits", "-i", "18446744073709551615", "-t", "1")

        self.assertIn("\n    its time was up (--timeout)\n", done.stdout)
        self.assertTrue(json.loads(self.read("sennit-out/summary.json"))["tests"][0]["timed_out"])
        self.assertEqual(done.returncode, 0)

    def test_shards_share_the_trials(self):
        trials = []
        for shard in ("1/3", "2/3", "3/3"):
            self.run_program("-f", "passes", "-i", "200", "--shard", shard)
            found = json.loads(self.read("sennit-out/summary.json"))
            self.assertEqual(found["shard"], shard)
            trials.append(found["tests"][0]["trials"])

        self.assertEqual(sum(trials), 200)
        self.assertLess(max(trials) - min(trials), 20)

    def test_more_processes_report_the_same(self):
        self.write("go", "")
        # All but the test that is not deterministic.
        for name in ("passes", "fails", "prints", "nothing", "thread", "odd", "wait"):
            texts = {re.sub(r"[0-9.]+ s$", "", self.run_program("-f", name, "-i", "20", "-k", "-j",
                                                                jobs).stdout, flags=re.MULTILINE)
                     for jobs in ("1", "2", "auto")}
            self.assertEqual(len(texts), 1, texts)


class Annotations(Case):
    def test_github_gets_an_annotation_for_each_failure(self):
        self.write("tree/tests/reporting_main.c", "")
        done = self.run_program("-f", "fails", GITHUB_ACTIONS="true", GITHUB_WORKSPACE="tree")

        self.assertRegex(done.stderr, r"\A::error file=tests/reporting_main\.c,line=[0-9]+,"
                         r"title=reporting/fails FAILED::assert: [^\n]*%0Areproduce: [^\n]*\n\Z")

    def test_annotations_leave_tap_alone(self):
        done = self.run_program("-f", "fails", "--tap", GITHUB_ACTIONS="true")

        self.assertEqual(len(tap14.read(done.stdout).points), 1)
        self.assertTrue(done.stderr.startswith("::error "))

    def test_elsewhere_there_are_no_annotations(self):
        self.assertEqual(self.run_program("-f", "fails").stderr, "")
        self.assertEqual(self.run_program("-f", "fails", GITHUB_ACTIONS="false").stderr, "")


class Reproduction(Case):
    def reproduce(self, *arguments):
        """Runs the line that a failure prints."""
        done = self.run_program(*arguments)
        line, = re.findall("^    reproduce: (.*)$", done.stdout, re.MULTILINE)
        return line, self.run_command("sh", "-c", line)

    def test_the_line_works_for_any_path_and_bug(self):
        place = os.path.join(self.folder, "it's a $place; =~*")
        os.mkdir(place)
        self.program = shutil.copy(self.program, os.path.join(place, "a=program"))

        line, done = self.reproduce("-f", "fails", "--bug", "a bug, with 'quotes'", "--timers",
                                    "any", "-o", "out put")

        self.assertIn("--bug 'a bug, with '\\''quotes'\\''' --timers any --replay 'out put/", line)
        self.assertIn("reporting/fails: failed again", done.stdout)

    def test_what_has_no_trace_is_searched_for_again(self):
        line, done = self.reproduce("-f", "differs", "--seed", "3")

        self.assertTrue(line.endswith(" -f differs -s random --seed 3 -i 1"), line)
        self.assertIn("NOT DETERMINISTIC in trial 0", done.stdout)


# ---- The environment -----------------------------------------------------------------------------


class Variables(Case):
    def test_a_variable_gives_an_option(self):
        done = self.run_program(SENNIT_FILTER="passes", SENNIT_ITERATIONS="7")

        self.assertIn("    7 trials, ", done.stdout)

    def test_the_command_line_wins_over_a_variable(self):
        done = self.run_program("-i", "8", SENNIT_FILTER="passes", SENNIT_ITERATIONS="7")

        self.assertIn("    8 trials, ", done.stdout)

    def test_a_bad_variable_exits_2_and_is_named(self):
        done = self.run_program(SENNIT_ITERATIONS="none")

        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", 'reporting: SENNIT_ITERATIONS needs a whole number, not "none"\n'))


# ---- Terminals -----------------------------------------------------------------------------------


class Watched(Case):
    """Something of the program's is a terminal."""

    def start(self, *arguments, **env):
        process, ours = terminal.start([self.program, *arguments], "stdout", "stderr",
                                       cwd=self.folder, stdin=subprocess.DEVNULL,
                                       env=self.environment(env))
        self.addCleanup(os.close, ours)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return ours

    def read_until(self, ours, wanted, seen=""):
        """What the terminal shows until then, or until the program ends."""
        deadline = time.monotonic() + DEADLINE_S
        while wanted not in seen:
            ready, _, _ = select.select([ours], [], [], max(0, deadline - time.monotonic()))
            self.assertTrue(ready, f"{wanted!r} did not come: {seen!r}")
            seen += os.read(ours, 65536).decode()
            if seen.endswith(END) and wanted not in seen:
                self.fail(f"{wanted!r} did not come: {seen!r}")
        return seen.removesuffix(END)

    def all_of(self, *arguments, **env):
        return self.read_until(self.start(*arguments, **env), END)


class Terminal(Watched):
    def test_a_terminal_gets_colour(self):
        self.assertIn("\033[32mno bug found\033[0m", self.all_of("-f", "passes", "-i", "5"))

    def test_no_color_is_respected(self):
        self.assertNotRegex(self.all_of("-f", "passes", "-i", "5", NO_COLOR="1"), COLOUR)

    def test_a_dumb_terminal_gets_no_colour(self):
        self.assertNotIn("\033", self.all_of("-f", "passes", "-i", "5", TERM="dumb"))

    def test_ci_gets_no_colour(self):
        self.assertNotIn("\033", self.all_of("-f", "passes", "-i", "5", CI="true"))

    def test_a_ci_that_is_none_changes_nothing(self):
        self.assertIn("\033[32m", self.all_of("-f", "passes", "-i", "5", CI="false"))
        self.assertIn("\033[32m", self.all_of("-f", "passes", "-i", "5", CI="0"))
        self.assertIn("\033[32m", self.all_of("-f", "passes", "-i", "5", CI=""))

    def test_colour_that_is_asked_for_is_given_anywhere(self):
        done = self.run_program("-f", "passes", "-i", "5", "--color", "always", CI="1",
                                NO_COLOR="1")

        self.assertIn("\033[32mno bug found", done.stdout)

    def test_colour_that_is_refused_is_not_given(self):
        self.assertNotRegex(self.all_of("-f", "passes", "-i", "5", "--color", "never"), COLOUR)

    def test_a_terminal_sees_progress_which_gives_way_to_results(self):
        ours = self.start("-f", "waits", "-i", "18446744073709551615")

        seen = self.read_until(ours, "failures\033[K")
        self.write("go", "")
        seen = self.read_until(ours, END, seen)

        self.assertRegex(seen, r"\A\rreporting/waits  [^\r\n]* trials, [^\r\n]*/s, [^\r\n]* "
                         r"steps/s, 1 order, 0 failures\x1b\[K")
        self.assertRegex(seen, r"\r\x1b\[Kreporting/waits: \x1b\[1;31mFAILED\x1b\[0m in trial ")

    def shown_meanwhile(self, *arguments, **env):
        """What a run shows while another one, begun later, shows its progress twice."""
        forever = ("-f", "waits", "-i", "18446744073709551615")
        ours = self.start(*forever, "-o", "first", *arguments, **env)
        deadline = time.monotonic() + DEADLINE_S
        while not os.path.exists(os.path.join(self.folder, "first/summary.json")):
            self.assertLess(time.monotonic(), deadline)
        self.read_until(self.start(*forever, "-o", "second"), "\033[K\r")
        return bool(select.select([ours], [], [], 0)[0])

    def test_progress_is_shown_meanwhile(self):
        self.assertTrue(self.shown_meanwhile())

    def test_quiet_means_no_progress(self):
        self.assertFalse(self.shown_meanwhile("-q"))

    def test_ci_means_no_progress(self):
        self.assertFalse(self.shown_meanwhile(CI="1"))

    def test_a_dumb_terminal_gets_no_progress(self):
        self.assertFalse(self.shown_meanwhile(TERM="dumb"))


class Interruption(Watched):
    """Standard error is a terminal, so that it can be seen when the run is on its way."""

    def interrupt(self, *arguments):
        process, ours = terminal.start(
            [self.program, "-f", "wait", "-i", "18446744073709551615", *arguments], "stderr",
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8",
            env=self.environment({}))
        self.addCleanup(os.close, ours)
        self.read_until(ours, "failures")
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=DEADLINE_S)[0]
        return process.returncode, text

    def test_an_interrupted_run_says_so_and_exits_3(self):
        code, text = self.interrupt()

        self.assertEqual(code, 3)
        self.assertIn("reporting/waits: no bug found\n", text)
        self.assertIn("\n    the run was interrupted\n", text)
        self.assertNotIn("awaited", text)

    def test_tap_of_an_interrupted_run_is_strict_tap(self):
        stream = tap14.read(self.interrupt("--tap")[1])

        self.assertEqual([(point.name, point.directive) for point in stream.points],
                         [("reporting/waits", "SKIP"), ("reporting/awaited", "SKIP")])
        self.assertEqual(stream.bail_out, "The run was interrupted")

    def test_files_of_an_interrupted_run_tell_what_was_not_run(self):
        self.interrupt("--xml", "j.xml")

        root = xml.etree.ElementTree.parse(os.path.join(self.folder, "j.xml")).getroot()
        found = json.loads(self.read("sennit-out/summary.json"))
        self.assertEqual((root.get("tests"), root.get("skipped")), ("2", "2"))
        self.assertEqual((found["complete"], found["interrupted"],
                          [test["verdict"] for test in found["tests"]]),
                         (False, True, ["interrupted", "not run"]))


# ---- Other tools ---------------------------------------------------------------------------------


class Projects(Case):
    def test_meson_sees_the_right_results(self):
        self.need("meson", "ninja")
        self.write("meson.build",
                   "project('user')\n"
                   f"program = find_program('{self.program}')\n"
                   "foreach name : ['passes', 'fails', 'nothing', 'differs']\n"
                   "  test(name, program, protocol: 'tap',\n"
                   "    args: ['--tap', '-i', '20', '-f', name, '-o', name])\n"
                   "endforeach\n")
        setup = self.run_command("meson", "setup", "build")
        self.assertEqual(setup.returncode, 0, setup.stdout + setup.stderr)

        done = self.run_command("meson", "test", "-C", "build")

        results = {}
        for line in self.read("build/meson-logs/testlog.json").splitlines():
            found = json.loads(line)
            results[found["name"]] = found["result"]
        self.assertEqual(results.pop("passes"), "OK")
        # Some versions call it an error if a program says "not ok" and exits with 1, too.
        self.assertEqual(set(results), {"fails", "nothing", "differs"})
        self.assertLessEqual(set(results.values()), {"FAIL", "ERROR"})
        self.assertRegex(done.stdout, "passes +OK .*1 subtests passed")
        self.assertRegex(self.read("build/meson-logs/testlog.txt"), "not ok 1 - reporting/fails")

    def test_ctest_sees_the_right_results(self):
        self.need("cmake", "ctest")
        self.write("CMakeLists.txt",
                   "cmake_minimum_required(VERSION 3.18)\nproject(user NONE)\nenable_testing()\n"
                   "foreach(name passes fails nothing differs)\n"
                   f"  add_test(NAME ${{name}} COMMAND {self.program} -i 20 -f ${{name}}\n"
                   "    -o ${name} --xml ${name}.xml)\n"
                   "  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 3)\n"
                   "endforeach()\n")
        setup = self.run_command("cmake", "-S", ".", "-B", "build")
        self.assertEqual(setup.returncode, 0, setup.stdout + setup.stderr)

        done = self.run_command("ctest", "--test-dir", "build")

        results = dict(re.findall(r"Test #\d: (\w+) \.+[ *]*(\w+)", done.stdout))
        self.assertEqual(results, {"passes": "Passed", "fails": "Failed", "nothing": "Skipped",
                                   "differs": "Failed"}, done.stdout)
        self.assertEqual({name: self.first_problem(f"build/{name}.xml") for name in results},
                         {"passes": None, "fails": "failure", "nothing": "skipped",
                          "differs": "error"})

    def first_problem(self, name):
        """What the only test case of a JUnit file has."""
        case, = xml.etree.ElementTree.parse(os.path.join(self.folder, name)).iter("testcase")
        return next((child.tag for child in case if child.tag in ("failure", "error", "skipped")),
                    None)


class Several(Case):
    def run_several(self, *arguments):
        return self.run_command(path("sennit"), "test", *arguments)

    def setUp(self):
        super().setUp()
        self.race = path("tests/unit/api/race_main")

    def test_several_programs_are_one_stream_of_tap(self):
        done = self.run_several(self.program, self.race, "--tap", "-f", "a", "-i", "20",
                                 "--isolate=fork")

        stream = tap14.read(done.stdout)
        names = [point.name for point in stream.points]
        self.assertEqual([name for name in names if name.startswith("reporting/")],
                         ["reporting/passes", "reporting/fails",
                          "reporting/prints in a promised world", "reporting/thread",
                          "reporting/" + ODD, "reporting/waits",
                          "reporting/awaited"])
        self.assertEqual([name for name in names if name.startswith("race/")],
                         ["race/race", "race/segfault", "race/late"])
        self.assertEqual(done.returncode, 1)

    def test_several_programs_are_one_junit_file(self):
        done = self.run_several(self.program, self.race, "--xml", "j.xml", "-f", "fix", "-i", "5")

        root = xml.etree.ElementTree.parse(os.path.join(self.folder, "j.xml")).getroot()
        self.assertEqual([(suite.get("name"), suite.get("tests")) for suite in root],
                         [("reporting", "0"), ("race", "1")])
        self.assertEqual(root.get("tests"), "1")
        self.assertEqual(done.returncode, 3)

    def test_counts_of_several_programs_are_added(self):
        self.run_several(self.program, self.program, "--xml", "j.xml", "-f", "i", "-i", "5")

        root = xml.etree.ElementTree.parse(os.path.join(self.folder, "j.xml")).getroot()
        for key in ("tests", "failures", "errors", "skipped"):
            self.assertEqual(int(root.get(key)), sum(int(suite.get(key)) for suite in root), key)
        self.assertEqual(int(root.get("tests")), len(list(root.iter("testcase"))))
        self.assertEqual(os.listdir(self.folder).count("j.xml"), 1)
        self.assertFalse([name for name in os.listdir(self.folder) if name.endswith(".part")])

    def test_each_of_several_programs_has_a_directory_of_its_own(self):
        self.run_several(self.program, self.race, self.program, "-f", "pass", "-o", "out", "-i",
                         "20")

        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "out"))),
                         ["3-reporting_main", "race_main", "reporting_main"])

    def test_a_program_that_cannot_be_run_is_a_failed_test(self):
        done = self.run_several("./none", self.race, "--tap", "--xml", "j.xml", "-f", "fixed", "-i",
                                "20")

        stream = tap14.read(done.stdout)
        root = xml.etree.ElementTree.parse(os.path.join(self.folder, "j.xml")).getroot()
        self.assertEqual([(point.name, point.is_ok) for point in stream.points],
                         [("./none cannot be run", False), ("race/fixed", True)])
        self.assertEqual(root.find("testsuite/testcase/error").get("message"), "cannot be run")
        self.assertEqual(done.returncode, 2)

    def test_a_program_that_dies_is_a_failed_test(self):
        tap.write(os.path.join(self.folder, "dies"),
                  "#!/bin/sh\necho TAP version 14\necho 1..2\necho ok 1 - first\nkill -SEGV $$\n",
                  0o755)

        done = self.run_several("./dies", self.race, "--tap", "-f", "fixed", "-i", "5")

        self.assertEqual([(point.name, point.is_ok) for point in tap14.read(done.stdout).points],
                         [("first", True), ("./dies died of signal 11 (SIGSEGV)", False),
                          ("race/fixed", True)])
        self.assertEqual(done.returncode, 99)

    def test_a_program_that_ends_early_is_a_failed_test(self):
        tap.write(os.path.join(self.folder, "early"),
                  "#!/bin/sh\necho 1..2\necho ok 1 - a\n", 0o755)

        done = self.run_several("./early", self.race, "--tap", "-f", "fixed", "-i", "5")

        self.assertEqual([(point.name, point.is_ok) for point in tap14.read(done.stdout).points],
                         [("a", True), ("./early ended before all its tests", False),
                          ("race/fixed", True)])

    def test_what_is_no_tap_becomes_a_comment(self):
        tap.write(os.path.join(self.folder, "talks"),
                  "#!/bin/sh\necho hello\necho 1..1\necho ok 1 - a\n", 0o755)

        done = self.run_several("./talks", self.race, "--tap", "-f", "fixed", "-i", "5")

        self.assertIn("# hello", tap14.read(done.stdout).comments)

    def test_the_exit_code_that_counts_most_is_returned(self):
        few = ("-f", "fixed", "-i", "20")

        self.assertEqual(self.run_several(self.race, self.race, *few).returncode, 0)
        self.assertEqual(self.run_several(self.program, self.race, *few).returncode, 3)
        self.assertEqual(self.run_several(self.program, self.race, "-f", "a", "-q",
                                           "--isolate=fork", "-i", "20").returncode, 1)

    def test_options_that_are_wrong_are_refused_once(self):
        done = self.run_several(self.race, self.race, "-i", "none")

        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", 'sennit: --iterations needs a whole number, not "none"\n'))

    def test_replay_is_for_one_program(self):
        done = self.run_several(self.race, self.race, "--replay", "a.trace")

        self.assertEqual((done.returncode, done.stderr),
                         (2, "sennit: --replay and --step are for one program\n"))

    def test_variables_are_respected_for_several_programs(self):
        done = self.run_command(path("sennit"), "test", self.race, self.race, SENNIT_TAP="1",
                                SENNIT_FILTER="fixed", SENNIT_ITERATIONS="5")

        self.assertEqual(len(tap14.read(done.stdout).points), 2)


def main():
    global BUILD
    BUILD = os.path.abspath(sys.argv[1])
    tap.main()


if __name__ == "__main__":
    main()
