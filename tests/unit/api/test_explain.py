#!/usr/bin/env python3
"""test_explain - explanations of programs that fail for known reasons: test_explain.py BUILD

SPDX-License-Identifier: MIT
"""

import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import time
import unittest

import tap

BUILD = ""
DEADLINE_S = 900
PROGRAM = "tests/unit/api/explained_main"
TRIALS = "40000"  # enough for all of it
EXPLAINED = {}
ABORTED = "signal 6 (Aborted)"
DROP = "fault: drop of Letter from Postman to Counter, which strikes in step 2"


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_program(self, *arguments, **more):
        return subprocess.run([os.path.join(BUILD, PROGRAM), *arguments], cwd=self.folder,
                              check=False, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", timeout=DEADLINE_S, **more)

    def find(self, test, failure=None):
        """The trace of a failing trial, as it was found: of the first one, or of one that failed
        with these words."""
        every = ["-k", "-i", "100"] if failure else []
        done = self.run_program("--bug", "broken", "-f", test, "--no-shrink", "-o", test, *every)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        folder = os.path.join(self.folder, test)
        for name in sorted(name for name in os.listdir(folder) if name.endswith(".trace")):
            with open(os.path.join(folder, name), encoding="utf-8") as trace:
                if (failure or "") in trace.read():
                    return os.path.join(test, name)
        return self.fail(f"{test}: no trial failed with {failure}")

    def explain(self, test, trials=TRIALS, failure=None):
        """What is said of a test, which is the same whoever asks."""
        if (test, failure) not in EXPLAINED:
            done = self.run_program("--explain", self.find(test, failure), "--json", "-i", trials)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            EXPLAINED[test, failure] = done.stdout
        told = json.loads(EXPLAINED[test, failure])
        self.assertTrue(told["complete"])
        return told

    def text(self, test, *arguments):
        done = self.run_program("--explain", self.find(test), *arguments)
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
        return done.stdout

    def orders(self, cause):
        return sorted((one["first"], one["second"]) for one in cause["constraints"]
                      if one["kind"] == "order")

    def values(self, cause):
        return [(one["first"], one["second"]) for one in cause["constraints"]
                if one["kind"] == "value"]

    def assert_sufficient(self, cause):
        self.assertTrue(cause["sufficient"])
        self.assertTrue(cause["minimal"])
        self.assertIsNone(cause["from"])
        self.assertEqual(cause["verified"]["trials"], 1000)
        self.assertEqual(cause["verified"]["failed"], 1000)


def group_is_alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def letter(number, box="Box"):
    return f"{box} handles Letter (number={number})"


class Orders(Case):
    def test_race_is_explained_by_one_order(self):
        told = self.explain("one")
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.orders(told["causes"][0]), [(letter(1), letter(0))])
        only = told["causes"][0]["constraints"][0]
        self.assertEqual(only["label"], "decisive")
        self.assertEqual(only["reversed"]["failed"], 0)
        self.assertEqual(only["require"], "deliver Letter to Box from nobody key 1 number 1 before "
                         "deliver Letter to Box from nobody key 0 number 1")
        self.assertEqual(told["lost"]["step"], 1)

    def test_two_orders_of_one_box_are_found(self):
        told = self.explain("two")
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.orders(told["causes"][0]),
                         [(letter(1), letter(4)), (letter(3), letter(1))])

    def test_three_orders_of_one_box_are_found(self):
        told = self.explain("three")
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.orders(told["causes"][0]),
                         [(letter(2), letter(0)), (letter(3), letter(1)), (letter(4), letter(2))])
        self.assertEqual({one["label"] for one in told["causes"][0]["constraints"]}, {"decisive"})

    def test_four_orders_of_four_boxes_are_found(self):
        told = self.explain("four")
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.orders(told["causes"][0]),
                         [(letter(0), letter(1)),
                          (letter(2, "Box#2"), letter(3, "Box#2")),
                          (letter(4, "Box#3"), letter(5, "Box#3")),
                          (letter(6, "Box#4"), letter(7, "Box#4"))])

    def test_of_ten_orders_the_last_eight_are_enough_from_a_step_on(self):
        told = self.explain("many", "100000")
        cause = told["causes"][0]
        self.assertTrue(cause["sufficient"])
        self.assertGreaterEqual(cause["verified"]["failed"], 990)
        self.assertGreater(cause["from"], 0)
        self.assertLess(cause["from"], told["lost"]["step"])
        self.assertLess(cause["base"]["failed"], 100)
        self.assertIn(len(self.orders(cause)), (6, 7, 8))
        for one in cause["constraints"]:
            self.assertLess(one["dropped"]["failed"], 700)
        self.assertIsNone(cause["covers"])

    def test_two_of_four_acknowledgements_are_two_orders_and_reversing_one_helps_little(self):
        told = self.explain("acks")
        self.assert_sufficient(told["causes"][0])
        self.assertEqual([second for _, second in self.orders(told["causes"][0])], [letter(0)] * 2)
        for one in told["causes"][0]["constraints"]:  # one of the other three often does instead
            self.assertGreater(one["reversed"]["failed"], 700)

    def test_noise_of_others_does_not_change_the_explanation(self):
        told = self.explain("noise")
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.orders(told["causes"][0]), [(letter(1), letter(0))])
        self.assertEqual(told["trial"]["steps"], 2)

    def test_noise_is_hundreds_of_messages(self):
        done = self.run_program("-f", "noise", "-i", "1")
        self.assertGreater(int(re.search(r"1 trial, (\d+) steps", done.stdout).group(1)), 300)

    def test_default_schedule_that_fails_is_told(self):
        told = self.explain("already")
        self.assertTrue(told["trial"]["default_fails"])
        self.assertEqual(self.orders(told["causes"][0]), [(letter(0), letter(1))])
        self.assertIn("The default schedule already fails; there is no exception to show.",
                      self.text("already", "-i", "3000"))


class Deaths(Case):
    def test_a_trial_in_which_the_process_dies_is_explained(self):
        self.skip_if_sanitized()
        told = self.explain("death")
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.orders(told["causes"][0]), [(letter(1), letter(0))])
        only = told["causes"][0]["constraints"][0]
        self.assertEqual((only["label"], only["reversed"]["failed"]), ("decisive", 0))
        self.assertEqual(told["lost"]["step"], 1)
        self.assertEqual((told["covered"], told["pool"]), (60, 60))
        self.assertEqual((told["nearest"]["result"], told["nearest"]["first"]),
                         ("found", letter(0)))

    def test_another_way_to_die_is_another_failure(self):
        """Half of the trials abort, and one in six exits."""
        told = self.explain("ways", failure=ABORTED)
        self.assertIn(ABORTED, told["failure"])
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.orders(told["causes"][0]), [(letter(1), letter(0))])
        self.assertLess(told["base"]["failed"], 580)

    def test_a_call_of_exit_is_explained(self):
        told = self.explain("ways", failure="exit(3)")
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.orders(told["causes"][0]),
                         [(letter(0), letter(1)), (letter(2), letter(0))])
        self.assertLess(told["base"]["failed"], 230)

    def test_trial_that_dies_of_something_else_now_is_not_explained(self):
        """Without the bug it exits where it was aborted."""
        done = self.run_program("--explain", self.find("ways", ABORTED), "--tolerant")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("it fails in another way", done.stderr)

    def test_what_a_step_has_drawn_before_it_dies_is_named(self):
        """And what it has sent, which died with it, is in nobody's way."""
        told = self.explain("words")
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.orders(told["causes"][0]), [(letter(1), letter(0))])
        self.assertEqual(self.values(told["causes"][0]), [('Box draws "colour" (number 2)', "2")])

    def test_death_long_after_what_led_to_it_is_explained(self):
        told = self.explain("fuse")
        self.assertGreater(told["trial"]["steps"], 150)
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.orders(told["causes"][0]),
                         [(letter(1, "Fuse"), letter(0, "Fuse"))])
        self.assertEqual(told["lost"]["step"], 1)

    def skip_if_sanitized(self):
        symbols = subprocess.run(["nm", os.path.join(BUILD, PROGRAM)], check=True,
                                 capture_output=True, text=True).stdout
        if "U __asan_init" in symbols:
            self.skipTest("the sanitizer reports each fault, which takes too long; not each abort")

    def test_no_process_is_left_when_the_budget_ends(self):
        trace = self.find("ways", ABORTED)
        with subprocess.Popen([os.path.join(BUILD, PROGRAM), "--explain", trace, "-t", "2"],
                              cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              start_new_session=True) as program:
            out, _ = program.communicate(timeout=DEADLINE_S)
        self.assertEqual(program.returncode, 3, out)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and group_is_alive(program.pid):
            time.sleep(0.05)  # one that was killed may take a moment to go
        self.assertFalse(group_is_alive(program.pid))


class Needs(Case):
    def test_value_that_is_needed_is_named_and_others_are_not(self):
        told = self.explain("value")
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.values(told["causes"][0]), [('Box draws "colour" (number 2)', "2")])
        self.assertEqual(self.orders(told["causes"][0]), [(letter(1), letter(0))])

    def test_value_that_is_needed_names_the_step_that_draws_it(self):
        told = self.explain("value")
        value, = [one for one in told["causes"][0]["constraints"] if one["kind"] == "value"]
        steps = {one["step"]: one["operation"] for one in told["trial"]["list"]}
        boxes = [step for step, words in sorted(steps.items())
                 if words.startswith("Box handles")]
        self.assertEqual(value["first_step"], boxes[1])  # its second draw
        self.assertEqual(value["second_step"], 0)

    def test_fault_that_is_needed_is_named_with_what_it_strikes(self):
        told = self.explain("fault")
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.orders(told["causes"][0]),
                         [(DROP, "Postman handles Post (02000000)")])
        self.assertEqual(self.values(told["causes"][0]),
                         [('the faults draw "drop of"', "1 (post)")])
        self.assertEqual(told["causes"][0]["also"], 'draw "fault from step" of faults = 0')

    def test_step_tells_what_goes_wrong_in_it(self):
        self.assertIn("Postman handles Post (02000000); Letter to Counter is lost\n",
                      self.text("fault", "-i", TRIALS))

    def test_liveness_bug_is_explained_and_has_no_nearest_pass(self):
        told = self.explain("liveness")
        self.assertTrue(told["trial"]["liveness"])
        self.assert_sufficient(told["causes"][0])
        self.assertEqual(self.orders(told["causes"][0]),
                         [("Sleeper handles Signal", "Sleeper handles Wait")])
        self.assertEqual(told["nearest"]["result"], "liveness")

    def test_trials_that_are_asked_about_liveness_are_fair_about_as_early(self):
        trial = self.explain("liveness")["trial"]
        before_end = trial["steps"] - trial["fair_steps"]
        self.assertEqual((before_end, trial["fair_from"]), (1, 30 + 1))

    def test_nearest_pass_reverses_an_order_of_the_cause_and_shows_what_follows(self):
        near = self.explain("fault")["nearest"]
        self.assertEqual((near["result"], near["inversions"]), ("found", 1))
        self.assertTrue(near["first"].startswith("Postman handles Post"))
        self.assertEqual(near["second"], DROP)
        self.assertEqual(near["difference"],
                         'only the passing trial has "Counter handles Letter [0] from Postman"')


class Periodic(Case):
    RELATIVE = ('the first "Keeper handles Beat from Node" after "Keeper handles Remove from '
                'Remover"')
    CLOSE = "Keeper handles Close from Remover"

    def test_message_that_comes_again_and_again_is_named_relative_to_another(self):
        told = self.explain("periodic")
        for cause in told["causes"]:
            self.assert_sufficient(cause)
        found = [self.orders(cause) for cause in told["causes"]]
        self.assertIn([(self.RELATIVE, self.CLOSE)], found)
        relative = told["causes"][found.index([(self.RELATIVE, self.CLOSE)])]
        self.assertEqual((relative["covers"], told["covered"]), (60, 60))

    def test_core_knows_relative_names(self):
        core = self.explain("periodic")["core"]["orders"]
        self.assertEqual([(one["first"], one["second"], one["in_failing"], one["in_passing"])
                          for one in core], [(self.RELATIVE, self.CLOSE, 60, 0)])
        self.assertEqual(core[0]["forced"]["failed"], 1000)
        self.assertEqual(core[0]["reversed"]["failed"], 0)

    def test_one_of_many_equal_messages_is_told_by_its_number(self):
        told = self.explain("periodic")
        numbered = "Keeper handles Beat from Node (number 4)"
        self.assertEqual(self.orders(told["causes"][0]),
                         [(numbered, self.CLOSE),
                          ("Keeper handles Remove from Remover", numbered)])


    def test_orders_that_matter_are_found_by_whichever_messages_of_the_same_types(self):
        alike = self.explain("periodic")["alike"]
        self.assertEqual((alike["failing"], alike["of_failing"]), (60, 60))
        self.assertEqual(alike["passing"], 0)
        self.assertGreater(alike["of_passing"], 50)


class Causes(Case):
    def test_disjunction_is_two_causes_that_cover_all(self):
        told = self.explain("either")
        self.assertEqual(len(told["causes"]), 2)
        for cause in told["causes"]:
            self.assert_sufficient(cause)
            self.assertEqual(len(cause["constraints"]), 1)
        self.assertEqual((told["covered"], told["pool"]), (60, 60))
        self.assertEqual(told["core"]["orders"], [])

    def test_further_cause_is_told_of_a_trial_that_was_made_small(self):
        """Which has a trace, and so words for payloads."""
        told = self.explain("either")
        self.assertEqual(sorted(self.orders(cause)[0] for cause in told["causes"]),
                         [(letter(0), letter(1)), (letter(2, "Box#2"), letter(3, "Box#2"))])

    def test_each_further_cause_has_a_shrunk_trial_of_its_own(self):
        trace = self.find("either")
        done = self.run_program("--explain", trace, "--json", "-i", TRIALS)
        causes = json.loads(done.stdout)["causes"]
        self.assertEqual([cause["trace"] for cause in causes],
                         ["", trace.replace(".trace", "-cause-2.trace")])
        again = self.run_program("--replay", causes[1]["trace"])
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        told = json.loads(self.run_program("--explain", causes[1]["trace"], "--json", "-i",
                                           TRIALS).stdout)
        self.assertEqual(self.orders(told["causes"][0]), self.orders(causes[1]))

    def test_exclusive_or_is_two_causes_of_two_orders(self):
        told = self.explain("exclusive")
        self.assertEqual([len(cause["constraints"]) for cause in told["causes"]], [2, 2])
        self.assertEqual(sum(cause["covers"] for cause in told["causes"]), 60)
        self.assertEqual(told["covered"], 60)

    def test_quorum_of_machines_that_are_alike_is_one_cause(self):
        told = self.explain("quorum")
        self.assertEqual(len(told["causes"]), 1)
        self.assert_sufficient(told["causes"][0])
        self.assertEqual([second for _, second in self.orders(told["causes"][0])],
                         ["Quorum handles Deadline"] * 2)
        self.assertEqual((told["covered"], told["pool"]), (60, 60))
        self.assertTrue(told["machines_change_places"])

    def test_core_of_a_quorum_is_an_order_of_any_of_the_machines(self):
        core = self.explain("quorum")["core"]["orders"]
        self.assertGreater(len(core), 0)
        for one in core:
            self.assertTrue(one["machines_change_places"])
            self.assertEqual(one["in_failing"], 60)
            self.assertLess(one["in_passing"], 120)

    def test_machines_that_need_not_change_places_do_not(self):
        told = self.explain("four")
        self.assertEqual(told["covered"], told["pool"])
        self.assertFalse(told["machines_change_places"])

    def test_values_are_not_compared_when_trials_are_covered(self):
        told = self.explain("value")
        self.assertEqual((told["covered"], told["pool"]), (60, 60))
        self.assertIn("found independently, values and faults apart.",
                      self.text("value", "-i", TRIALS))

    def test_rates_of_strategies_come_with_intervals(self):
        told = self.explain("one")
        self.assertEqual(list(told["rates"]), ["random", "pos", "posr", "pct:3"])
        for rate in told["rates"].values():
            self.assertEqual(rate["trials"], 1000)
            self.assertLess(rate["low"], 0.5)
            self.assertGreater(rate["high"], 0.5)

    def test_core_is_counted_in_passing_trials_that_have_not_chosen_it(self):
        core = self.explain("one")["core"]
        self.assertEqual((core["failing"], core["passing"]), (60, 200))
        self.assertEqual(core["orders"][0]["in_failing"], 60)
        self.assertEqual(core["orders"][0]["in_passing"], 0)


class Promises(Case):
    def test_number_of_processes_does_not_change_a_word(self):
        trace = self.find("two")
        alone = self.run_program("--explain", trace, "-i", "5000", "-j1")
        others = self.run_program("--explain", trace, "-i", "5000", "-j3")
        self.assertEqual(alone.returncode, 3)
        self.assertIn("The budget ended", alone.stdout)
        self.assertEqual(alone.stdout, others.stdout)

    def test_another_seed_samples_other_trials(self):
        trace = self.find("one")
        bases = set()
        for seed in ("1", "2", "3"):
            done = self.run_program("--explain", trace, "--json", "-i", TRIALS, "--seed", seed)
            told = json.loads(done.stdout)
            bases.add((told["base"]["failed"], told["lost"]["before"]["failed"]))
        self.assertGreater(len(bases), 1)

    def test_repaired_program_is_refused(self):
        trace = self.find("one")
        done = self.run_program("--explain", trace, "--tolerant")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("there is nothing to explain: the trial does not fail any more", done.stderr)

    def test_required_orders_of_an_explanation_make_every_trial_fail(self):
        told = self.explain("two")
        arguments = ["-f", "two", "-i", "200", "-k", "--no-shrink"]
        for one in told["causes"][0]["constraints"]:
            arguments += ["--require", one["require"]]
        done = self.run_program(*arguments)
        self.assertIn("200 failed", done.stdout)

    def test_required_order_with_a_relative_name_makes_every_trial_fail(self):
        told = self.explain("periodic")
        done = self.run_program("-f", "periodic", "-i", "200", "-k", "--no-shrink", "--require",
                                told["core"]["orders"][0]["require"])
        self.assertIn("200 failed", done.stdout)

    def test_required_order_of_a_fault_makes_every_trial_fail(self):
        told = self.explain("fault")
        arguments = ["-f", "fault", "-i", "200", "-k", "--no-shrink",
                     "--require", told["causes"][0]["also"]]
        for one in told["causes"][0]["constraints"]:
            arguments += ["--require", one["require"]]
        done = self.run_program(*arguments)
        self.assertIn("200 failed", done.stdout)

    def test_tiny_budget_ends_with_what_is_known(self):
        done = self.run_program("--explain", self.find("four"), "-i", "300")
        self.assertEqual(done.returncode, 3)
        self.assertIn("FAILS  explained/four", done.stdout)
        self.assertIn("the rest is missing.", done.stdout)
        self.assertNotIn("WHY    In", done.stdout)
        self.assertNotIn("No set of at most", done.stdout)

    def test_reason_comes_first_and_then_the_steps(self):
        titles = re.findall(r"^[A-Z]+", self.text("two", "-i", TRIALS), re.MULTILINE)
        self.assertEqual(titles, ["FAILS", "WHY", "LOST", "TRIAL", "CORE", "NEAR", "COVERS",
                                  "RATES", "T"])


class Progress(Case):
    def watch(self, trace, **variables):
        """What is written to the terminal that is the standard error, and to the output."""
        ours, theirs = pty.openpty()
        environment = {name: value for name, value in os.environ.items() if name != "CI"}
        environment.update(TERM="xterm", **variables)
        with os.fdopen(ours, "rb", buffering=0) as terminal:
            done = subprocess.run([os.path.join(BUILD, PROGRAM), "--explain", trace, "-i", "3000"],
                                  cwd=self.folder, check=False, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=theirs, timeout=DEADLINE_S,
                                  env=environment)
            os.write(theirs, b"END")
            os.close(theirs)
            shown = b""
            while not shown.endswith(b"END"):
                shown += terminal.read(4096)
        return shown.decode(), done.stdout.decode()

    def test_terminal_shows_how_far_it_is_and_is_clean_in_the_end(self):
        shown, printed = self.watch(self.find("one"))
        self.assertRegex(shown, "\rexplaining  making the trial small, [0-9]+ trials")
        self.assertTrue(shown.endswith("\r\033[KEND"), shown)
        self.assertNotIn("explaining", printed)

    def test_server_that_nobody_watches_is_shown_nothing(self):
        shown, _ = self.watch(self.find("one"), CI="true")
        self.assertEqual(shown, "END")


class Traces(Case):
    def test_nothing_is_left_behind_where_traces_are_put_for_a_moment(self):
        folder = os.path.join(self.folder, "tmp")
        os.mkdir(folder)
        trace = self.find("either")
        done = self.run_program("--explain", trace, "-i", TRIALS,
                                env={**os.environ, "TMPDIR": folder})
        self.assertEqual(done.returncode, 0)
        self.assertIn("\nOR ", done.stdout)
        self.assertEqual(os.listdir(folder), [])

    def test_place_for_traces_that_cannot_be_made_is_told(self):
        done = self.run_program("--explain", self.find("one"), "-i", TRIALS,
                                env={**os.environ, "TMPDIR": "/nowhere"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/sennit-explain-", done.stderr)

    def test_name_that_others_can_guess_is_not_used(self):
        folder = os.path.join(self.folder, "tmp")
        os.mkdir(folder)
        trace = self.find("one")
        # Whoever knows the number of the process, which exec does not change, is there first.
        script = 'mkdir -p "$TMPDIR/sennit-explain-$$.trace/taken" && exec "$@"'
        done = subprocess.run(["sh", "-c", script, "sh", os.path.join(BUILD, PROGRAM), "--explain",
                               trace, "-i", TRIALS], cwd=self.folder, check=False,
                              capture_output=True, encoding="utf-8", timeout=DEADLINE_S,
                              env={**os.environ, "TMPDIR": folder})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(os.listdir(folder)), 1)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    tap.main()
