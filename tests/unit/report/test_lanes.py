#!/usr/bin/env python3
"""test_lanes - the drawing of `sennit show --lanes` says what the trace says, and fits:
test_lanes.py BUILD [--update]

Drawings are taken from a terminal of a given width. Some are compared with files in
tests/data/lanes, which --update writes anew: look at them before you commit them.
SPDX-License-Identifier: MIT
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap
import terminal
import traces

BUILD = ""
IS_UPDATING = False
DATA = os.path.join(tap.ROOT, "tests/data/lanes")
WIDTHS = (60, 80, 100, 140, 200)
MARKS = "●◆○×•■✗"
ESCAPES = re.compile("\033\\[[0-9;]*m")


def draw(path, columns, *options, locale="C.UTF-8"):
    """What is printed on a terminal that is so wide."""
    command = [os.path.join(BUILD, "sennit"), "show", "--lanes", *options, os.path.basename(path)]
    data, code = terminal.show(command, "stdout", columns=columns, cwd=os.path.dirname(path),
                               env=dict(os.environ, LC_ALL=locale))
    if code != 0:
        raise AssertionError(f"exit {code}")
    return data.decode("utf-8").replace("\r\n", "\n")


def plain(path, columns, *options, **more):
    return draw(path, columns, "--color", "never", *options, **more)


def drawing(text):
    """The lines between the head and the foot."""
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("strategy")) + 2
    feet = [i for i, line in enumerate(lines) if re.match("failed in|passed after|uncontr", line)]
    if not feet:
        raise AssertionError(f"no foot: {len(text)} characters, the last of them {text[-500:]!r}")
    return lines[first:feet[-1] - 1]


def lane_places(lines):
    """The columns of lanes, by name, from a head that is one line."""
    return {match[0]: match.start() for match in re.finditer(r"\S+", lines[0])}


class Lanes(unittest.TestCase):
    folder = None

    def setUp(self):
        if Lanes.folder is None:
            # pylint: disable=consider-using-with
            Lanes.folder = tempfile.TemporaryDirectory()

    def write(self, lines):
        path = os.path.join(self.folder.name, f"{len(os.listdir(self.folder.name))}.trace")
        with open(path, "wb") as file:
            file.write(traces.text_of(lines))
        return path

    def test_lanes_look_as_they_did(self):
        for name, columns, locale in (("atm", 80, "C.UTF-8"), ("atm", 80, "C"),
                                      ("chain", 80, "C.UTF-8"), ("raft", 140, "C.UTF-8")):
            kind = "ascii" if locale == "C" else "unicode"
            path = os.path.join(DATA, f"{name}.{columns}.{kind}.txt")
            found = plain(os.path.join(DATA, name + ".trace"), columns, locale=locale)
            if IS_UPDATING:
                tap.write(path, found)
            with self.subTest(path), open(path, encoding="utf-8") as file:
                self.assertEqual(found, file.read())

    def test_lanes_fit_the_terminal_whatever_a_trace_holds(self):
        paths = [os.path.join(DATA, name + ".trace") for name in ("atm", "chain", "raft")]
        paths += [self.write(traces.hostile(seed)) for seed in range(1, 9)]
        paths += [self.write(traces.hostile(9, 40, 100))]
        for path in paths:
            for columns in WIDTHS:
                for options in ([], ["-v"], ["--brief"]):
                    for line in drawing(plain(path, columns, *options)):
                        if not line.startswith(("and ", "on their", *"0123456789")):
                            self.assertLessEqual(traces.columns(line), columns, (path, line))
                            self.assertNotRegex(line, "[\x00-\x1f\x7f-\x9f\u2028-\u202e\ufeff]")

    def test_arrows_lead_from_who_sent_to_who_got(self):
        for name in ("atm", "chain", "raft"):
            path = os.path.join(DATA, name + ".trace")
            lines = drawing(plain(path, 80, "--wide"))
            places = lane_places(lines)
            shown = {int(line.split()[0]): line for line in lines if re.match(r" *\d+  ", line)}
            with open(path, encoding="utf-8") as file:
                steps = [record for record in map(json.loads, file) if "op" in record]

            self.assertEqual(len(shown), len(steps))
            for step in steps:
                line = shown[step["step"]]
                to = places[step["task"]]
                self.assertIn(line[to], MARKS, line)
                if "from" not in step:
                    continue
                at = places[step["from"]]
                between = line[min(at, to) + 1:max(at, to)]
                self.assertEqual(line[at], "├" if at < to else "┤", line)
                self.assertEqual(between[-1 if at < to else 0], "▶" if at < to else "◀", line)
                label = re.sub("[─╌┼▶◀ ]", "", between)
                self.assertIn(label, (step["event"], "start"), line)

    def test_a_step_of_the_failure_has_a_mark_of_its_own(self):
        lines = drawing(plain(os.path.join(DATA, "raft.trace"), 80))

        marked = [line for line in lines if "✗" in line]
        self.assertEqual([line.split()[0] for line in marked], ["68"])

    def test_marks_tell_starts_timers_faults_and_halts(self):
        halt = {"state": "S", "how": "halt", "task": "B"}
        path = self.write([traces.header(), traces.step(1, op="start"),
                           traces.step(2, "B", op="start", cause=1), traces.step(3, op="timer"),
                           traces.step(4, "faults", op="fault"), traces.step(5, "B"), halt,
                           traces.step(6), traces.verdict(6, "passed")])

        found = [re.sub(" +", " ", line) for line in drawing(plain(path, 80))]

        self.assertEqual(found, [
            " A B faults", " 1 ◆ start │", " 2 ├╌ start ▶◆ │".replace("start ▶", "start ╌▶"),
            " 3 ○ E │ │", " 4 │ │ × E", " 5 │ ■ E │ S -> halted", " 6 ● E │"])

    def test_a_crash_is_marked_where_its_node_runs_and_the_lane_is_broken(self):
        lines = drawing(plain(os.path.join(DATA, "chain.trace"), 100, "--wide"))
        at = lane_places(lines)["Server#2"]

        crash = next(i for i, line in enumerate(lines) if "server 2 crashes" in line)
        restart = next(i for i, line in enumerate(lines) if "server 2 starts again" in line)
        self.assertEqual(lines[crash][at], "×")
        self.assertLessEqual({line[at:at + 1] for line in lines[crash + 1:restart]},
                             set("┊├┤─ ╌┼"))
        self.assertIn("┊", {line[at:at + 1] for line in lines[crash + 1:restart]})

    def test_messages_that_nobody_got_are_drawn_at_the_end(self):
        lines = drawing(plain(os.path.join(DATA, "atm.trace"), 80))

        self.assertEqual(lines[-2], "on their way:")
        self.assertRegex(lines[-1], r"├╌ SetBalance ╌…│ +│ +sent in step 4$")

    def test_a_message_that_is_late_or_doubled_is_on_its_way_until_it_comes(self):
        def fault(what, event, identity):
            return {"fault": what, "event": event, "from": "A", "to": "B", "id": identity}
        sends = [{"send": event, "to": "B", "id": f"{10 + i:016x}"} for i, event in
                 enumerate(["One", "Late", "Gone", "Twin", "Came"])]
        path = self.write([traces.header(), traces.step(1), *sends,
                           fault("delayed", "Late", f"{11:016x}"),
                           fault("lost", "Gone", f"{12:016x}"),
                           fault("duplicated", "Twin", f"{77:016x}"),
                           fault("cut-off", "Never", f"{78:016x}"),
                           traces.step(2, "B", "Came", cause=1,
                                       **{"from": "A", "id": f"{14:016x}"}),
                           traces.verdict(2)])

        lines = drawing(plain(path, 100))

        ends = lines[lines.index("on their way:") + 1:]
        self.assertEqual([re.search(r"├╌+ (\w+) ╌*…(\S).* sent in step (\d)$", line).groups()
                          for line in ends],
                         [(event, "│", "1") for event in ("One", "Late", "Twin", "Twin")])

    def test_a_lane_is_broken_from_the_start_if_its_node_is_down_then(self):
        path = os.path.join(DATA, "chain.trace")
        whole = drawing(plain(path, 100, "--wide"))
        at = lane_places(whole)["Server#2"]
        crash = next(i for i, line in enumerate(whole) if "server 2 crashes" in line)
        numbers = [int(line[:6]) for line in whole[crash + 1:] if re.match(r" +\d+  ", line)]

        part = drawing(plain(path, 100, "--wide", "--from", str(numbers[0])))

        place = lane_places(part)["Server#2"]
        self.assertEqual(whole[crash + 1][at], "┊")
        self.assertEqual(part[1][place], "┊")

    def test_a_lane_of_a_machine_that_has_halted_is_empty_from_the_start(self):
        halt = {"state": "S", "how": "halt", "task": "A"}
        path = self.write([traces.header(), traces.step(1, "A"), halt, traces.step(2, "B"),
                           traces.step(3, "B", cause=1, **{"from": "A"}), traces.step(4, "B"),
                           traces.verdict(4)])

        lines = drawing(plain(path, 80, "--from", "2"))

        at = lane_places(lines)["A"]
        self.assertEqual([(line + " " * 80)[at] for line in lines[1:]], [" ", "┤", " "])

    def test_machines_beyond_the_width_have_no_lane_and_are_named(self):
        machines = [f"Node#{i}" for i in range(40)]
        steps = [traces.step(i + 1, name, op="start") for i, name in enumerate(machines)]
        steps += [traces.step(41, "Node#2", cause=40, **{"from": "Node#39"}),
                  traces.step(42, "Node#39", cause=41, **{"from": "Node#2"})]
        path = self.write([traces.header(), *steps, traces.verdict(42, kind="passed")])

        lines = drawing(plain(path, 80))

        self.assertRegex(lines[0], r"^26 of 40 machines have no lane: Node#14, Node#15, .*, \.\.\. "
                         r"\(--wide shows all\)$")
        self.assertRegex(lines[-2], r"  41  │  │  ●◀─┼──.*┼──── E <- Node#39$")
        self.assertRegex(lines[-1], r"  42  │  │  ├──┼──.*┼──▶  Node#39: E$")

    def test_who_failed_and_what_that_depends_on_have_lanes_before_others(self):
        machines = [f"Node#{i}" for i in range(40)]
        steps = [traces.step(1, "faults", op="fault", event="crash")]
        steps += [traces.step(i + 2, name, op="start") for i, name in enumerate(machines)]
        steps += [traces.step(42, "Node#39", cause=39, **{"from": "Node#37"})]
        path = self.write([traces.header(), *steps, traces.verdict(42)])

        text = plain(path, 80)

        self.assertRegex(text, r"27 of 41 machines have no lane: faults, Node#12, Node#13, ")
        stairs = re.findall(r"^ *(?:│  )*(Node#\d+)$", text, re.MULTILINE)
        self.assertEqual(stairs, [*machines[:12], "Node#37", "Node#39"])

    def test_without_a_terminal_lanes_are_as_wide_as_is_asked_for(self):
        path = os.path.join(DATA, "raft.trace")

        for columns, most in (("60", 60), ("120", 120), ("", 100), ("many", 100)):
            done = subprocess.run([os.path.join(BUILD, "sennit"), "show", "--lanes", path],
                                  env=dict(os.environ, LC_ALL="C.UTF-8", COLUMNS=columns),
                                  capture_output=True, text=True, check=True)
            widths = [len(line) for line in drawing(done.stdout) if re.match(r" *\d+  ", line)]
            self.assertTrue(most - 15 < max(widths) <= most, f"{columns}: {max(widths)}")

    def test_wide_gives_every_machine_a_lane(self):
        steps = [traces.step(i, f"Node#{i}", op="start") for i in range(1, 101)]
        path = self.write([traces.header(), *steps, traces.verdict(100)])

        lines = drawing(plain(path, 80, "--wide"))

        self.assertIn("Node#100", "\n".join(lines))
        self.assertEqual(lines[-1].count("│") + lines[-1].count("✗"), 100)

    def test_lanes_are_drawn_in_ascii_where_the_locale_is_not_utf8(self):
        for locale, is_ascii in (("C", True), ("C.UTF-8", False), ("no_SUCH", True)):
            text = plain(os.path.join(DATA, "raft.trace"), 100, locale=locale)
            self.assertEqual(text.isascii(), is_ascii, locale)

    def test_colours_change_nothing_but_the_colour(self):
        for name in ("atm", "chain", "raft"):
            path = os.path.join(DATA, name + ".trace")
            coloured = draw(path, 100, "--color", "always")

            self.assertEqual(ESCAPES.sub("", coloured), plain(path, 100))
            self.assertEqual(coloured, draw(path, 100))
            for line in coloured.split("\n"):
                self.assertIn((["\033[0m"] + ESCAPES.findall(line))[-1], "\033[0m")

    def test_steps_before_and_behind_a_range_are_not_drawn(self):
        lines = drawing(plain(os.path.join(DATA, "raft.trace"), 100, "--from", "20", "--to", "30"))

        self.assertEqual([int(line[:6]) for line in lines if re.match(r" +\d+  ", line)],
                         list(range(20, 31)))


def main():
    global BUILD, IS_UPDATING
    BUILD = os.path.abspath(sys.argv[1])
    IS_UPDATING = "--update" in sys.argv[2:]
    tap.main()


if __name__ == "__main__":
    main()
