#!/usr/bin/env python3
"""test_step - `sennit step`, driven as a person and as a program would: test_step.py BUILD

SPDX-License-Identifier: MIT
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
ATM = "examples/atm_racy"
EXTENT = "systems/extent_manager"
SHOP = "examples/oldest_first"
STEP = "tests/unit/cli/step_main"

BUG_OF_THE_ATM = ["start Account", "start Atm", "start Atm#2", "GetBalance to Account from Atm",
                  "GetBalance to Account from Atm#2", "Balance to Atm from Account",
                  "Balance to Atm#2 from Account"]


def path(name):
    return os.path.join(BUILD, name)


class Session:
    """A session in JSON: every line that is said gets one line back."""

    def __init__(self, folder, program, *arguments):
        command = [path("sennit"), "step", path(program), "--json", *arguments]
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.question = self.hear()

    def hear(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the session has ended: " +
                                 self.process.stderr.read().decode(errors="replace"))
        return json.loads(line)

    def say(self, line):
        """The reply, which may be the next question."""
        self.process.stdin.write(line if isinstance(line, bytes) else line.encode())
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        reply = self.hear()
        if "ask" in reply:
            self.question = reply
        return reply

    def texts(self):
        return [operation["text"] for operation in self.question["operations"]]

    def notes(self):
        return [record["note"] for record in self.question["happened"] if "note" in record]

    def until(self, text):
        """Takes the oldest operation until this one can run."""
        while text not in self.texts():
            self.say("1")

    def end(self):
        """Says nothing more. The last line, and the exit code."""
        self.process.stdin.close()
        last = self.hear()
        code = self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        return last, code


class Step(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        self.folder = tempfile.TemporaryDirectory(prefix="sennit-step-")
        self.sessions = []

    def tearDown(self):
        for session in self.sessions:
            if session.process.poll() is None:
                session.process.kill()
                session.process.wait()
            for pipe in (session.process.stdin, session.process.stdout, session.process.stderr):
                pipe.close()
        self.folder.cleanup()

    def run_command(self, command, *arguments, lines=()):
        """The exit code and what was printed to both outputs."""
        done = subprocess.run([path(command), *arguments], cwd=self.folder.name, check=False,
                              text=True, input="".join(line + "\n" for line in lines),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def step(self, program, lines, *arguments):
        return self.run_command("sennit", "step", path(program), *arguments, lines=lines)

    def session(self, program, *arguments):
        session = Session(self.folder.name, program, *arguments)
        self.sessions.append(session)
        return session

    def read(self, name):
        with open(os.path.join(self.folder.name, name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
            file.write(text)

    def traces(self, folder):
        place = os.path.join(self.folder.name, folder)
        if not os.path.isdir(place):
            return []
        return sorted(os.path.join(folder, name) for name in os.listdir(place)
                      if name.endswith(".trace"))


# ---- A person ------------------------------------------------------------------------------------


class Person(Step):
    def test_the_bug_of_the_atm_is_found_by_hand_and_its_trace_fails_again(self):
        code, text = self.step(ATM, BUG_OF_THE_ATM + ["quit"])
        self.assertEqual(code, 1, text)
        self.assertIn("FAILED after 7 steps: assert: atm_racy.c:", text)
        self.assertIn("1 trial ended, 1 failed\n", text)
        code, text = self.run_command("sennit", "replay",
                                      "sennit-out/atm-withdraw_twice-0.trace")
        self.assertEqual(code, 1, text)
        self.assertIn("failed again in step 7", text)

    def test_trials_that_were_left_are_not_counted(self):
        _, text = self.step(ATM, ["1", "back", "1", "save a.trace", "1", "back 2", "run"])
        self.assertIn("sennit-out/atm-withdraw_twice-0.trace", text)
        self.assertIn("1 trial ended, 1 failed\n", text)

    def test_the_list_shows_what_can_run_with_payloads_and_what_the_step_did(self):
        code, text = self.step(ATM, ["1", "1"])
        self.assertEqual(code, 3, text)
        self.assertIn("step 3: 2 operations can run\n"
                      "    1  start Atm#2  account=Account\n"
                      "    2  deliver GetBalance to Account from Atm\n", text)
        self.assertIn("    Atm: -> Asking\n    sends GetBalance to Account\nstep 3", text)

    def test_going_back_and_another_way_passes(self):
        code, text = self.step(ATM, ["run @6", "back 1", "undo", "Balance to Atm from",
                                     "SetBalance", "run", "quit"])
        self.assertEqual(code, 0, text)
        self.assertIn("passed after 8 steps", text)
        self.assertIn("1 trial ended, 0 failed\n", text)

    def test_a_bug_that_was_seen_counts_whatever_came_after_it(self):
        code, text = self.step(ATM, BUG_OF_THE_ATM + ["back 3", "Balance to Atm from", "SetBalance",
                                                      "run"])
        self.assertEqual(code, 1, text)
        self.assertIn("2 trials ended, 1 failed\n", text)

    def test_a_part_that_is_not_unique_is_refused(self):
        code, text = self.step(ATM, ["start", "nothing", "0", "4", "", "start Atm"])
        self.assertEqual(code, 3, text)
        self.assertIn("    3 operations have this in their text: give a number\n", text)
        self.assertIn("    no operation that can run has this in its text", text)
        self.assertEqual(text.count("    the numbers go from 1 to 3\n"), 2)
        self.assertIn("    say what runs next", text)
        self.assertIn("step 2:", text)

    def test_whole_words_go_before_parts_of_words(self):
        # "Atm" is in three texts, but of those only one is about the machine of this name.
        _, text = self.step(ATM, ["start Account", "start Atm#2", "to Account from Atm#2",
                                  "Balance to Atm", "quit"])
        self.assertIn("    Auditor gets PaidOut  value=70\n", text)

    def test_a_whole_line_goes_before_one_that_contains_it(self):
        _, text = self.step(STEP, ["start Walker", "state"], "-f", "misleads")
        self.assertIn("    Walker at 0         Walking\n    to start Walker     not started\n",
                      text)

    def test_a_part_of_the_payload_is_a_part_of_the_text(self):
        _, text = self.step(ATM, ["run @4", "value=100"])
        self.assertIn("step 6:", text)

    def test_a_session_that_ends_no_trial_exits_3(self):
        self.assertEqual(self.step(ATM, [])[0], 3)
        code, text = self.step(ATM, ["1", "quit", "1"])
        self.assertEqual(code, 3, text)
        self.assertIn("0 trials ended, 0 failed\n", text)

    def test_state_lists_machines_and_monitors(self):
        _, text = self.step(EXTENT, ["run @3", "state"], "-f", "repair")
        self.assertIn("    Driver              BeforeFailure\n", text)
        self.assertIn("    EN0                 Running\n", text)
        self.assertIn("    EN1                 not started\n", text)
        self.assertIn("    RepairMonitor       Repaired (monitor, cold)\n", text)

    def test_state_names_the_nodes_of_machines(self):
        _, text = self.step(STEP, ["run @3", "fault crash", "1", "0", "state", "run", "state"],
                            "-f", "faults")
        self.assertIn("    Server              Answering, on left\n", text)
        self.assertIn("    Asker               halted, on right, which is down\n", text)

    def test_pending_lists_all(self):
        _, text = self.step(ATM, ["pending"])
        self.assertEqual(text.count("    3  start Atm#2  account=Account\n"), 2)

    def test_log_is_the_table_of_show(self):
        code, text = self.step(ATM, ["1", "2", "log", "save a.trace"])
        self.assertEqual(code, 3, text)
        code, shown = self.run_command("sennit", "show", "a.trace")
        table = shown.split("\n\n")[1]
        self.assertIn(table, text)
        self.assertIn("   2  0     Atm#2    start   account=Account  -> Asking", table)

    def test_help_lists_the_commands(self):
        _, text = self.step(ATM, ["help"])
        for word in ("back [N]", "undo", "pending", "state", "log", "save FILE", "run [STRATEGY]",
                     "quit"):
            self.assertIn(word, text)

    def test_output_of_the_code_under_test_is_marked_and_shown_once(self):
        _, text = self.step(STEP, ["1", "1", "1", "1", "save a.trace", "log"], "-f", "coins")
        self.assertIn("    | tossed 1 and 1\n", text)
        self.assertEqual(text.count("tossed"), 2, text)  # the second is in the log

    def test_output_is_not_shown_again_when_a_step_is_repeated(self):
        _, text = self.step(STEP, ["1", "1", "back", "1", "1", "back all"], "-f", "coins")
        self.assertEqual(text.count("ready"), 1, text)

    def test_the_code_under_test_cannot_read_what_is_said(self):
        # More than the session reads at a time.
        code, text = self.step(STEP, ["1", "1"] + 40 * ["x" * 4000], "-f", "reads")
        self.assertEqual(code, 0, text)

    def test_usage(self):
        self.assertEqual(self.step(EXTENT, [])[0], 2)
        code, text = self.step(EXTENT, [], "-f", "nothing")
        self.assertEqual(code, 3, text)
        code, text = self.run_command("sennit", "step")
        self.assertEqual((code, text),
                         (2, "sennit: step needs a program; `sennit step --help` says more\n"))
        code, text = self.run_command("sennit", "step", "--json", path(ATM))
        self.assertEqual(code, 2, text)
        code, text = self.run_command(ATM, "--json")
        self.assertEqual((code, text),
                         (2, "atm: --json goes with --step, --explain and --strategies\n"))
        code, text = self.run_command("sennit", "step", "--help")
        self.assertEqual(code, 0)
        self.assertIn("--json", text)

    def test_a_test_whose_name_is_the_filter_goes_before_others_that_have_it_in_theirs(self):
        code, text = self.step(STEP, [], "-f", "coins")
        self.assertEqual(code, 3, text)
        self.assertIn("start Player", text)


# ---- Saving and running on -----------------------------------------------------------------------


class Saving(Step):
    def test_a_trial_saved_before_its_end_can_be_replayed_to_there(self):
        code, text = self.step(ATM, ["1", "1", "save a.trace", "1", "quit"])
        self.assertEqual(code, 3, text)
        self.assertIn("    saved: sennit show a.trace\n> 1\n", text)
        code, text = self.run_command("sennit", "show", "a.trace")
        self.assertIn("passed after 2 steps, cut: it was left before its end\n", text)
        code, text = self.run_command("sennit", "replay", "a.trace")
        self.assertEqual((code, text), (0, "atm/withdraw_twice: did not fail in 2 steps\n"))

    def test_a_trial_saved_at_its_end_fails_again(self):
        self.step(ATM, BUG_OF_THE_ATM + ["save a.trace", "log", "save b.trace"])
        self.assertEqual(self.run_command("sennit", "replay", "a.trace")[0], 1)
        self.assertEqual(self.read("a.trace"), self.read("b.trace"))

    def test_a_file_that_cannot_be_written_is_said_and_the_session_goes_on(self):
        _, text = self.step(ATM, ["save nowhere/a.trace", "save", "1"])
        self.assertIn("nowhere/a.trace.part: cannot be written", text)
        self.assertIn("    save goes with the name of a file\n", text)
        self.assertIn("step 2:", text)

    def test_run_is_the_default_schedule_to_the_end(self):
        code, text = self.step(ATM, ["run"])
        self.assertEqual(code, 1, text)
        self.assertIn("FAILED after 7 steps", text)

    def test_run_takes_any_strategy_and_a_step(self):
        _, text = self.step(ATM, ["run random@3", "run dfs@5", "run random@2", "run wishful",
                                  "run oldest@4,random"])
        self.assertIn("step 4:", text)
        self.assertIn("step 6:", text)
        self.assertIn("    step 2 has been taken already\n", text)
        self.assertIn("    there is no strategy called wishful; there are ", text)
        self.assertIn("1 trial ended", text)

    def test_a_search_that_remembers_states_cannot_go_on_where_a_person_has_led(self):
        _, text = self.step(ATM, ["run oldest@2", "run delay:1:cache", "run oldest"])
        self.assertIn("    strategy delay:1:cache cannot go on where another one has led: what "
                      "follows from a state depends on who decides then, and when\n", text)
        self.assertIn("1 trial ended", text)

    def test_run_uses_the_strategy_of_the_command_line(self):
        _, one = self.step(ATM, ["run", "log"], "-s", "random", "--seed", "3")
        _, other = self.step(ATM, ["run random", "log"], "--seed", "3")
        self.assertEqual(one.split("\n")[9:], other.split("\n")[9:])

    def test_a_script_that_is_run_gives_the_question_back(self):
        self.write("three.script", "start Account\nstart Atm#2\ndeliver GetBalance to Account\n")
        _, text = self.step(ATM, ["run script:three.script", "Balance to Atm#2"])
        self.assertIn("step 4: 2 operations can run\n    1  start Atm  account=Account\n", text)
        self.assertIn("step 5:", text)

    def test_a_script_that_does_not_fit_leaves_the_session_going(self):
        self.write("bad.script", "start Nobody\n")
        code, text = self.step(ATM, ["run script:bad.script", "save a.trace", "log", "back 1",
                                     "1", "run script:bad.script", "back 1", "run"])
        self.assertEqual(code, 1, text)
        self.assertIn("NOT UNDER CONTROL after 0 steps: script: bad.script:1: \"start Nobody\" "
                      "matches nothing; pending: start Account, start Atm, start Atm#2\n", text)
        self.assertIn("    control over this trial was lost: go back first\n", text)

    def test_a_strategy_that_has_nothing_to_try_leaves_the_session_going(self):
        _, text = self.step(STEP, ["run never", "run never@5,oldest", "1"], "-f", "coins")
        self.assertEqual(text.count("    this strategy has nothing left to try\n"), 2, text)
        self.assertIn("step 2:", text)


# ---- A program -----------------------------------------------------------------------------------


def find_stale_report(session):
    """Drives the extent manager to where a report of a node that was given up is taken: the report
    is slow, the node fails, and only the others are heard of for a while."""
    session.until("timer FailureTick of Driver")
    session.until("timer SyncTick of EN0")
    session.say("timer SyncTick of EN0")
    session.say("timer FailureTick of Driver")
    assert session.question["ask"] == "value" and session.question["label"] == "node that fails"
    session.say("0")
    session.say("deliver Fail to EN0 from Driver")
    while "deliver Heartbeat to Manager from EN0" in session.texts():
        session.say("deliver Heartbeat to Manager from EN0")
    nodes = ("EN1", "EN2", "EN3")
    rounds = ["start EN3"] + [f"deliver Heartbeat to Manager from {node}" for node in nodes] + \
        [f"timer HeartbeatTick of {node}" for node in nodes] + \
        [f"deliver HeartbeatAck to {node} from Manager" for node in nodes] + \
        ["timer ExpirationTick of Manager"]
    while not any("is given up" in note for note in session.notes()):
        for text in rounds:
            if text in session.texts():
                session.say(text)
    session.say("deliver SyncReport to Driver from EN0")


class Program(Step):
    def test_the_bug_of_the_extent_manager_is_found_by_hand_and_its_trace_fails_again(self):
        session = self.session(EXTENT, "--bug", "stale-report", "-f", "repair")
        find_stale_report(session)
        session.say("deliver SyncReport to Manager from Driver")
        self.assertIn("report of EN0, which was given up", session.notes()[0])
        self.assertEqual(session.say("save half.trace"), {"reply": "saved", "trace": "half.trace"})
        end = session.say("run oldest")
        self.assertEqual((end.get("ask"), end.get("verdict")), ("next", "failed"), end)
        self.assertIn("lasso: monitor RepairMonitor can be hot (state Repairing)", end["failure"])
        session.say("save whole.trace")
        last, code = session.end()
        self.assertEqual((code, last["done"], last["failures"]), (1, True, 1))
        self.assertEqual(self.run_command("sennit", "replay", "whole.trace")[0], 1)
        self.assertEqual(self.run_command("sennit", "replay", end["trace"])[0], 1)
        self.assertEqual(self.run_command("sennit", "replay", "half.trace")[0], 0)

    def test_the_correct_extent_manager_passes_the_same_steps(self):
        session = self.session(EXTENT, "-f", "repair")
        find_stale_report(session)
        session.say("deliver SyncReport to Manager from Driver")
        self.assertEqual(session.notes(), [])
        end = session.say("run oldest")
        self.assertEqual((end["verdict"], end["cut"]), ("passed", False))
        self.assertEqual(session.end()[1], 0)

    def test_one_step_back_the_extent_manager_repairs(self):
        session = self.session(EXTENT, "--bug", "stale-report", "-f", "repair")
        find_stale_report(session)
        before = session.question
        session.say("deliver SyncReport to Manager from Driver")
        again = session.say("back")
        self.assertEqual(again["operations"], before["operations"])
        session.until("timer RepairTick of Manager")
        session.say("timer RepairTick of Manager")
        self.assertIn("deliver RepairRequest to Driver from Manager", session.texts())

    def test_a_question_has_all_that_a_program_needs(self):
        session = self.session(ATM)
        session.say("start Account")
        question = session.say("start Atm")
        self.assertEqual(question["ask"], "operation")
        self.assertEqual((question["steps"], question["decisions"], question["time_ns"]), (2, 2, 0))
        self.assertEqual(question["happened"][0],
                         {"state": "Asking", "how": "start", "task": "Atm"})
        operation = question["operations"][1]
        self.assertEqual({key: operation[key] for key in ("number", "text", "op", "event", "task",
                                                          "from", "cause")},
                         {"number": 2, "text": "deliver GetBalance to Account from Atm",
                          "op": "deliver", "event": "GetBalance", "task": "Account", "from": "Atm",
                          "cause": 2})
        self.assertRegex(operation["id"], "^[0-9a-f]{16}$")
        self.assertEqual(question["operations"][0]["payload"], "account=Account")

    def test_values_are_asked_for_and_checked(self):
        session = self.session(STEP, "-f", "coins")
        session.say("1")
        question = session.say("1")
        self.assertEqual((question["ask"], question["label"], question["below"], question["task"]),
                         ("value", "first coin", 3, "Player"))
        self.assertEqual(session.say("3")["reply"], "error")
        self.assertEqual(session.say("x")["reply"], "error")
        self.assertEqual(session.say("save a.trace")["reply"], "error")
        self.assertEqual(session.say("run")["reply"], "error")
        self.assertEqual(session.say("pending")["label"], "first coin")
        self.assertEqual(session.say("2")["label"], "second coin")
        log = session.say("log")["records"]
        self.assertEqual([record["value"] for record in log if "draw" in record], [0, 2])
        end = session.say("2")
        self.assertEqual(end["verdict"], "failed")
        self.assertIn("both coins fell on their edge", end["failure"])

    def test_back_goes_to_where_there_was_a_choice(self):
        session = self.session(STEP, "-f", "coins")
        session.say("1")
        before = session.question
        session.say("1")
        first = session.question
        session.say("2")
        self.assertEqual(session.say("back")["label"], first["label"])
        # The decision before is a value that had to be 0, and then the step in which it was drawn.
        self.assertEqual(session.say("back")["operations"], before["operations"])
        session.say("1")
        session.say("2")
        self.assertEqual(session.say("2")["verdict"], "failed")
        self.assertEqual(session.say("back 2")["label"], "first coin")
        session.say("0")
        self.assertEqual(session.say("2")["verdict"], "passed")
        self.assertEqual(session.say("back 9")["reply"], "error")
        self.assertEqual(session.say("back 0")["reply"], "error")
        self.assertEqual(session.say("back all")["decisions"], 0)
        self.assertEqual(session.say("back all")["reply"], "error")

    def test_machines_are_called_what_they_were_called_there(self):
        session = self.session(STEP, "-f", "renames")
        session.say("start Walker")
        for _ in range(4):
            session.say("deliver Walk to \"Walker at")
        self.assertIn("deliver Walk to \"Walker at 4\" from \"Walker at 4\"", session.texts())
        session.say("back 2")
        self.assertIn("deliver Walk to \"Walker at 2\" from \"Walker at 2\"", session.texts())
        session.say("back 3")
        self.assertEqual(session.texts(), ["start Walker", "start Walker#2"])

    def test_replies_leave_the_question_open(self):
        session = self.session(ATM)
        self.assertEqual(session.say("state")["machines"][1],
                         {"is": "not started", "name": "Atm", "type": "Atm", "monitor": False})
        self.assertEqual(session.say("help")["reply"], "help")
        self.assertEqual(session.say("log")["records"][1]["create"], "Account")
        self.assertEqual(session.say("1")["steps"], 1)

    def test_what_happened_is_said_once(self):
        session = self.session(ATM)
        session.say("start Account")
        session.say("start Atm")
        session.say("save a.trace")
        session.say("log")
        self.assertEqual([record.get("task", record.get("to")) for record in
                          session.say("start Atm#2")["happened"]], ["Atm#2", "Account"])
        self.assertEqual(session.say("back")["happened"], [])

    def check_output(self, *arguments):
        session = self.session(STEP, "-f", "coins", *arguments)
        for line in "110":
            session.say(line)
        self.assertEqual(session.say("1")["output"], "tossed 0 and 1\n")

    def test_output_comes_with_the_next_question(self):
        self.check_output()

    def test_output_comes_from_a_process_of_its_own(self):
        self.check_output("--isolate=fork")

    def test_faults_wait_until_they_are_picked(self):
        session = self.session(STEP, "-f", "faults")
        self.assertEqual(sorted(session.texts()[-4:]), ["fault crash", "fault delay", "fault drop",
                                                        "fault duplicate"])
        session.say("fault crash")
        self.assertEqual((session.question["ask"], session.question["label"],
                          session.question["below"]), ("value", "crash of", 2))

    def test_the_program_of_the_page_drives_a_trial_to_its_end(self):
        with open(os.path.join(tap.ROOT, "docs", "step.md"), encoding="utf-8") as file:
            program = file.read().split("```python\n")[1].split("```")[0]
        done = subprocess.run([sys.executable, "-c", program, path(SHOP)], cwd=self.folder.name,
                              env=dict(os.environ, PATH=BUILD + os.pathsep + os.environ["PATH"]),
                              check=False)
        self.assertIn(done.returncode, (0, 1))

    def test_hostile_lines_get_an_error_and_nothing_else(self):
        session = self.session(ATM)
        for line in (b"x" * 100000, b"\0", b"\xff\xfe", b"back 99999999999999999999", b"1 2",
                     b"18446744073709551617", b"run " + b"a" * 4000, b"run @", b"run @@@,,",
                     b"save " + b"a" * 4000, b"back -1", b"run script:", b"\x1b[31m"):
            self.assertEqual(session.say(line)["reply"], "error", line[:40])
        self.assertEqual(session.say("x" * 4096)["error"], "the line is too long")
        self.assertEqual(session.say("1")["steps"], 1)
        self.assertEqual(session.end()[1], 3)


class Modes(Step):
    """However memory is put back, the session is the same."""

    def drive(self, program, seed, *arguments):
        """A session of random commands. What was asked at each point must be asked again whenever
        the session returns there. Returns all that was said."""
        session = self.session(program, *arguments)
        rng = random.Random(seed)
        path_here = {0: session.question}
        said = []
        for _ in range(60):
            question = session.question
            kind = question["ask"]
            if kind == "next" or (rng.random() < 0.25 and question["decisions"] > 0):
                line = f"back {rng.randint(1, question['decisions'])}"
            elif rng.random() < 0.1 and kind == "operation":
                line = rng.choice(("state", "log", f"run random@{question['steps'] + 3}",
                                   "save a.trace", "pending"))
            elif kind == "operation":
                line = str(rng.randint(1, len(question["operations"])))
            else:
                line = str(rng.randint(0, question["below"] - 1))
            reply = session.say(line)
            said.append((line, reply))
            here = session.question["decisions"]
            if line.startswith("back"):
                known = path_here.get(here)
                if known is not None:
                    for key in ("ask", "operations", "label", "steps", "time_ns"):
                        self.assertEqual(session.question.get(key), known.get(key))
                path_here = {n: q for n, q in path_here.items() if n <= here}
            path_here[here] = session.question
        session.end()
        return [(line, {key: value for key, value in reply.items() if key != "output"})
                for line, reply in said]

    def check(self, program, *arguments):
        plain = self.drive(program, 1, *arguments)
        self.assertEqual(self.drive(program, 1, *arguments, "--rerun"), plain)
        self.assertEqual(self.drive(program, 1, *arguments, "--isolate=fork"), plain)

    def test_of_the_atm(self):
        self.check(ATM)

    def test_of_the_extent_manager(self):
        self.check(EXTENT, "-f", "repair")

    def test_of_machines_that_change_their_names(self):
        self.check(STEP, "-f", "renames")

    def test_of_faults(self):
        self.check(STEP, "-f", "faults")


# ---- Scripts of traces ---------------------------------------------------------------------------


def decisions(text):
    """What of a trace must be the same again: steps, draws and the verdict."""
    found = []
    for line in text.splitlines():
        record = json.loads(line)
        if "digest" in record or "draw" in record:
            found.append(record)
        elif "verdict" in record:
            found.append({key: record[key] for key in ("verdict", "oracle", "message", "step",
                                                       "order", "cut")})
    return found


class Scripts(Step):
    def check(self, program, *arguments, seeds=3, search=()):
        """The script of a failing trial runs the same trial. Returns the scripts."""
        scripts = []
        for seed in range(1, seeds + 1):
            self.run_command(program, *arguments, *search, "--seed", str(seed), "-o", f"a{seed}")
            for trace in self.traces(f"a{seed}"):
                code, script = self.run_command("sennit", "show", "--script", trace)
                self.assertEqual(code, 0, script)
                self.write("trial.script", script)
                code, text = self.run_command(program, *arguments, "-o", f"b{seed}", "-s",
                                              "script:trial.script")
                again = self.traces(f"b{seed}")
                self.assertEqual((code, len(again)), (1, 1), text)
                self.assertEqual(decisions(self.read(again[0])), decisions(self.read(trace)))
                scripts.append(script)
        self.assertTrue(scripts)
        return scripts

    def test_of_the_atm_is_the_same_trial(self):
        scripts = self.check(ATM)
        self.assertNotIn(" id ", scripts[0])

    def test_of_the_extent_manager_is_the_same_trial(self):
        scripts = self.check(EXTENT, "--bug", "stale-report", "-f", "repair")
        self.assertIn("\nfair\n", scripts[0])

    def test_of_a_strategy_of_the_programs_own_is_the_same_trial(self):
        self.check(SHOP, search=("-s", "oldest_first:2"))

    def test_of_faults_is_the_same_trial(self):
        scripts = self.check(STEP, "-f", "faults", seeds=10)
        self.assertIn("\nfault ", "".join(scripts))

    def test_of_a_session_is_the_same_trial(self):
        self.step(ATM, BUG_OF_THE_ATM)
        trace = self.traces("sennit-out")[0]
        _, script = self.run_command("sennit", "show", "--script", trace)
        self.assertEqual([line.split("  #")[0] for line in script.split("\n")[2:-1]],
                         ["start Account", "start Atm", "start Atm#2",
                          *("deliver " + text for text in BUG_OF_THE_ATM[3:])])

    def test_a_script_that_is_malformed_exits_2_with_file_line_and_cause(self):
        self.write("bad.script", "start Account\nstrat Atm\n")
        code, text = self.run_command(ATM, "-s", "script:bad.script")
        self.assertEqual((code, text), (2, "atm/withdraw_twice: strategy script: bad.script:2: a "
                                           "line cannot begin with \"strat\"\n"))

    def test_a_script_of_a_range_ends_there_but_begins_at_the_beginning(self):
        self.step(ATM, BUG_OF_THE_ATM)
        trace = self.traces("sennit-out")[0]
        _, script = self.run_command("sennit", "show", "--script", "--to", "2", trace)
        self.assertEqual(script.split("\n")[2:], ["start Account", "start Atm  # account=Account",
                                                  ""])
        code, text = self.run_command("sennit", "show", "--script", "--from", "2", trace)
        self.assertEqual((code, text), (2, "sennit: a script begins with the first step: --from "
                                           "does not go with it\n"))
        code, text = self.run_command("sennit", "show", "--script", "--dot", trace)
        self.assertEqual((code, text), (2, "sennit: give one of --lanes, --json, --dot, "
                                           "--shiviz, --mermaid, --perfetto and --script\n"))


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    tap.main()
