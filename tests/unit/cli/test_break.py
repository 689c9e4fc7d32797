#!/usr/bin/env python3
"""test_break - `sennit replay --break` opens gdb where it should: test_break.py BUILD

gdb takes its commands from a pipe here, as it would from a person. SPDX-License-Identifier: MIT
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
PROGRAM = "tests/unit/cli/break_main"
SHARED = "tests/unit/cli/break_main_shared"
FIBER = "tests/unit/cli/fiber_main"
SOURCE = os.path.join(tap.ROOT, "tests/unit/cli/break_main.c")
TIMEOUT_S = 100


def path(name):
    return os.path.join(BUILD, name)


def line_of(text):
    """The number of the line of the program that has this in it."""
    with open(SOURCE, encoding="utf-8") as file:
        return next(n for n, line in enumerate(file, 1) if text in line)


def environment(**others):
    # The leak checker of the sanitizers cannot work where a debugger does.
    return dict(os.environ, LC_ALL="C", TERM="dumb", ASAN_OPTIONS="detect_leaks=0", **others)


class Break(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sennit-break-")
        self.addCleanup(shutil.rmtree, self.folder)

    def need_gdb(self):
        if shutil.which("gdb") is None:
            self.skipTest("gdb is not installed")

    def run_words(self, *words, stdin="", **others):
        done = subprocess.run(words, cwd=self.folder, input=stdin, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=TIMEOUT_S, env=environment(**others))
        return done.returncode, done.stdout

    def trace(self, test, program=PROGRAM):
        code, text = self.run_words(path(program), "-i", "1", "-q", "-f", test)
        self.assertEqual(code, 1, text)
        return re.search(r"--replay (\S+)", text).group(1)

    def debug(self, test, *options, commands=("bt",), program=PROGRAM):
        """What gdb says, from the prompt on: where one is, and the answers to the commands."""
        self.need_gdb()
        trace = self.trace(test, program)
        _, text = self.run_words(path("sennit"), "replay", *options, trace,
                                 stdin="".join(command + "\n" for command in commands))
        self.assertNotIn("corrupt stack", text)
        return re.sub(r"\n +", " ", text)

    def assert_frames(self, text, *functions):
        """These functions are in the backtrace, in this order."""
        text = text[text.index("(gdb) #0 "):]
        frames = re.findall(r"^(?:\(gdb\) )?#\d+ +(?:0x[0-9a-f]+ in )?([\w.]+) \(", text, re.M)
        places = [frames.index(name) if name in frames else -1 for name in functions]
        self.assertNotIn(-1, places, (functions, text))
        self.assertEqual(places, sorted(places), text)

    def test_a_failed_assertion_stops_in_the_function_that_made_it(self):
        text = self.debug("assert", "--break", commands=["info args", "bt"])
        self.assertIn("sennit: 7 is not 6 (number == 6)\n", text)
        self.assertRegex(text, rf"#\d+ .* in check \(number=.*break_main.c:{line_of('sn_assertf')}")
        self.assertIn("(gdb) number = ", text)
        self.assert_frames(text, "sn_assert_failed", "check", "on_go_assert", "sn_main")

    def test_an_assertion_in_a_process_of_its_own_stops_there_too(self):
        text = self.debug("assert_forked", "--break", commands=["info args"])
        self.assertIn("sennit: 7 is not 6 (number == 6)\n", text)
        self.assertIn("(gdb) number = ", text)

    def test_a_crash_stops_at_the_signal(self):
        text = self.debug("crash", "--break")
        self.assertIn("received signal SIGSEGV", text)
        self.assertRegex(text, rf"write_to .*break_main.c:{line_of('*nowhere = 1')}\n")
        self.assert_frames(text, "write_to", "on_go_crash", "sn_main")

    def test_exit_stops_before_the_process_is_gone(self):
        text = self.debug("exit", "--break")
        self.assert_frames(text, "on_go_exit", "sn_main")

    def test_misuse_stops_in_the_function_that_made_the_call(self):
        text = self.debug("misuse", "--break", commands=["frame"])
        self.assertIn("sent to SN_NOBODY", text)
        self.assertRegex(text, r"\(gdb\) #\d+ .* in on_go_misuse \(")

    def test_a_failure_that_nobody_is_in_stops_and_says_what_it_is(self):
        text = self.debug("stay", "--break", commands=["frame"])
        self.assertIn("sennit: ", text)
        self.assertRegex(text, r"\(gdb\) #0 +sn_debug_break \(")

    def test_break_at_stops_before_the_handler_of_the_step(self):
        text = self.debug("assert", "--break-at", "2", commands=["bt", "continue"])
        self.assertRegex(text, r"Temporary breakpoint [\d.]+, on_go_assert \(")
        before, after = text.split("Continuing.")
        self.assertNotIn("checking 7", before)
        self.assertIn("checking 7", after)
        self.assertIn("sennit: 7 is not 6", after)

    def test_break_at_stops_at_the_first_step(self):
        text = self.debug("assert", "--break-at", "1")
        self.assertRegex(text, r"Temporary breakpoint [\d.]+, start \(")

    def test_a_step_that_calls_nothing_stops_all_the_same(self):
        text = self.debug("stay", "--break-at", "2", commands=["frame"])
        self.assertIn("sennit: this step calls nothing of the test\n", text)
        self.assertRegex(text, r"\(gdb\) #0 +sn_debug_break \((step=(step@entry=)?2,|\))")

    def test_a_step_that_is_never_reached_stops_at_the_failure(self):
        text = self.debug("assert", "--break-at", "99")
        self.assertIn("sennit: 7 is not 6", text)

    def test_a_program_with_the_shared_library_stops_in_its_own_code(self):
        text = self.debug("assert", "--break", program=SHARED)
        self.assertRegex(text, r"#\d+ .* in check \(number=")
        text = self.debug("assert", "--break-at", "2", program=SHARED)
        self.assertRegex(text, r"Temporary breakpoint [\d.]+, on_go_assert \(")

    def test_the_replay_goes_on_to_its_verdict(self):
        text = self.debug("assert", "--break", commands=["continue"])
        self.assertIn("failed again in step 2: assert: break_main.c", text)

    def test_the_backtrace_in_a_fiber_ends_where_the_fiber_began(self):
        self.need_gdb()
        _, text = self.run_words("gdb", "-nx", "-batch", "-ex", "break sn_debug_break", "-ex",
                                 "run", "-ex", "bt", path(FIBER))
        self.assertNotIn("corrupt stack", text)
        frames = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\w+) \(", text, re.M)
        self.assertEqual(frames, ["sn_debug_break", "in_fiber", "entry", "fiber_begin",
                                  "fiber_entry"], text)

    def test_without_gdb_it_says_so_and_exits_2(self):
        trace = self.trace("assert")
        code, text = self.run_words(path("sennit"), "replay", "--break", trace, PATH="/nonexistent")
        self.assertEqual((code, text), (2, "sennit: --break and --break-at need gdb, which cannot "
                                           "be run: No such file or directory\n"))

    def refuses_step(self, value):
        code, text = self.run_words(path("sennit"), "replay", "--break-at", value, "any.trace")
        return (code, text) == (2, "sennit: --break-at needs the number of a step, from 1, not "
                                   f"\"{value}\"\n")

    def test_a_step_must_be_a_number_from_1(self):
        self.assertTrue(self.refuses_step("0"))
        self.assertTrue(self.refuses_step("-1"))
        self.assertTrue(self.refuses_step("3x"))
        self.assertTrue(self.refuses_step("99999999999999999999"))

    def test_what_is_printed_is_seen_on_a_replay_even_before_a_crash(self):
        code, text = self.run_words(path("sennit"), "replay", self.trace("assert"))
        self.assertEqual(code, 1)
        self.assertEqual(text.split("\n")[0], "checking 7")
        code, text = self.run_words(path("sennit"), "replay", self.trace("crash"))
        self.assertEqual(code, 1)
        self.assertEqual(text.split("\n")[0], "about to crash")


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    tap.main()
