#!/usr/bin/env python3
"""test_prunings - what is kept is what docs/events.md says, and no outcome is lost:
test_prunings.py BUILD [PROGRAMS [SEED]]

The definitions are judged by programs of which every outcome is known, and the command by the
definitions (brute.py). SPDX-License-Identifier: MIT
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

import tap

import programs
from brute import MUTANTS, PRUNINGS, Constraints, Options, Refused, Space
from brute import flat, has_circle, order_of

BUILD = ""
PROGRAMS = 300
SEED = 1


def event(kind, replica, op="put", x=0, **more):
    """One of a recording; sender stands for from, which is a word of Python."""
    if "sender" in more:
        more["from"] = more.pop("sender")
    return {"kind": kind, "replica": replica, "op": op, "args": [x, "success"], "result": None,
            **more}


def recording(*events, initially=(0, 0, 0)):
    return {"replicas": ["A", "B", "C"], "can_restore": True, "events": list(events), "states": {},
            "initially": list(initially)}


def updates(replica, *ops):
    return [event("update", replica, op, x) for op, x in ops]


# The town report: A reports a bin, B a pothole, B removes the bin, A transmits.
TOWN = recording(
    event("update", "A", "add", 0), event("deliver", "B", sender="A", of=0),
    event("update", "B", "add", 1), event("deliver", "A", sender="B", of=2),
    event("update", "B", "remove", 0), event("deliver", "A", sender="B", of=4),
    event("query", "A", "all"))
AS_PUBLISHED = (0, 1, 2, 3, 4, 6, 5)

SYNC_BOTH_WAYS = recording(
    event("update", "A"), event("update", "A"),
    event("request", "A", to="B"), event("execute", "B", sender="A", of=2),
    event("update", "B"), event("update", "B"),
    event("request", "B", to="A"), event("execute", "A", sender="B", of=6))


def kept(program, options, items=(), mutant=None):
    return [flat(units) for units in
            Space(program, Constraints(items), options, mutant).kept()]


class Figures(unittest.TestCase):
    """Of the publication, by the definitions and by the command."""

    def assert_left(self, count, program, options, items=()):
        found = kept(program, options, items)
        self.assertEqual(len(found), count)
        if has_command():
            self.assertEqual(command_list(program, options, items), found)

    def test_the_motivating_example_goes_from_5040_by_24_to_19(self):
        watch = {"A": True}
        self.assert_left(math.factorial(7), TOWN, Options("free", prune=()))
        self.assert_left(24, TOWN, Options("free", prune=["groups"], paper=["groups"]))
        self.assert_left(19, TOWN, Options("free", prune=["groups", "replicas"], watch=watch,
                                           paper=["groups", "replicas"]))

    def test_16_of_the_19_are_enough_since_nothing_behind_the_report_counts(self):
        self.assert_left(16, TOWN, Options("free", prune=["groups", "replicas"], watch={"A": True},
                                           paper=["groups"]))

    def test_the_published_groups_lose_the_published_bug_and_the_default_keeps_it(self):
        self.assertIn(AS_PUBLISHED, kept(TOWN, Options()))
        self.assertIn(AS_PUBLISHED, kept(TOWN, Options(watch={"A": True})))
        self.assertNotIn(AS_PUBLISHED, kept(TOWN, Options("free", prune=["groups"],
                                                          paper=["groups"])))

    def test_two_syncs_in_eight_events_leave_720_of_40320(self):
        self.assert_left(720, SYNC_BOTH_WAYS, Options("free", prune=["groups"], paper=["groups"]))

    def test_four_events_behind_the_last_sync_leave_1_of_24(self):
        program = recording(
            event("request", "A", to="B"), event("execute", "B", sender="A", of=0),
            *updates("A", ("put", 0), ("drop", 0), ("append", 0), ("append", 1)))
        first = [{"before": [0, other]} for other in range(2, 6)] + \
            [{"before": [1, other]} for other in range(2, 6)] + [{"before": [0, 1]}]
        self.assert_left(24, program, Options("free", prune=(), watch={"B": False}), first)
        self.assert_left(1, program, Options("free", prune=["replicas"], watch={"B": False}), first)
        self.assert_left(1, program, Options("free", prune=["replicas"], watch={"B": False},
                                             paper=["replicas"]), first)

    def test_three_independent_events_leave_1_of_6(self):
        program = recording(*updates("A", ("put", 0), ("put", 1), ("put", 2)))
        self.assert_left(1, program, Options("free"), [{"independent": [0, 1, 2]}])

    def test_three_failed_events_leave_1_of_6(self):
        program = recording(*updates("A", ("put", 0), ("remove", 1), ("add", 0), ("remove", 2)))
        items = [{"before": [0, other]} for other in (1, 2, 3)]
        self.assert_left(6, program, Options("free", prune=()), items)
        self.assert_left(1, program, Options("free"),
                         [*items, {"failed": {"after": [0], "events": [1, 2, 3]}}])


# By mutant: a program, and constraints that are true of it, of which the mutant loses an outcome.
MESSAGE = [event("request", "A", "snapshot", to="B"),
           event("execute", "B", "replace", sender="A", of=1)]
CAUGHT = {
    "judged_by_first_event":
        (recording(*updates("A", ("put", 0), ("add", 1), ("add", 1))), Options("free"),
         [{"group": [0, 1]}, {"independent": [0, 2]}]),
    "rest_of_unit_is_ignored":
        (recording(*updates("A", ("remove", 0), ("add", 0), ("remove", 0), ("remove", 0)),
                   initially=(1, 0, 0)), Options("free"),
         [{"group": [0, 1]}, {"failed": {"after": [0], "events": [2, 3]}}]),
    "only_the_ends_commute":
        (recording(event("update", "A", "put", 0), event("query", "A", "all"),
                   *updates("A", ("put", 1), ("put", 2))), Options("free"),
         [{"independent": [0, 2]}, {"independent": [0, 3]}, {"independent": [2, 3]}]),
    "order_is_ignored":
        (recording(*updates("A", ("put", 0), ("put", 1))), Options("free"),
         [{"before": [1, 0]}, {"independent": [0, 1]}]),
    "messages_are_ignored":
        (recording(event("update", "A"), event("deliver", "B", sender="A", of=0)), Options("free"),
         [{"independent": "replicas"}]),
    "requests_are_ignored":
        (recording(event("update", "A", "put", 1), *MESSAGE, initially=(0, 1, 0)),
         Options("free", watch={"B": False}), []),
    "updates_are_ignored":
        (recording(*updates("A", ("put", 0), ("add", 0)), event("deliver", "B", sender="A", of=1)),
         Options("free", watch={"B": False}), []),
    "one_hop_only":
        (recording(event("update", "A", "put", 0), *MESSAGE,
                   event("request", "B", "snapshot", to="C"),
                   event("execute", "C", "replace", sender="B", of=3), initially=(4, 0, 0)),
         Options("free", watch={"C": False}), []),
    "queries_are_ignored":
        (recording(event("update", "A"), event("query", "A", "all")),
         Options("free", watch={"A": True}), []),
    "seen_too_late":
        (recording(event("update", "A"), event("query", "A", "all")),
         Options("free", watch={"A": True}), []),
    "others_may_come_between":
        (recording(*updates("A", ("add", 0), ("remove", 0), ("remove", 0))), Options("free"),
         [{"before": [0, 1]}, {"before": [0, 2]}, {"failed": {"after": [], "events": [1, 2]}}]),
    "one_p_suffices":
        (recording(*updates("A", ("remove", 0), ("remove", 1), ("remove", 1), ("remove", 1)),
                   initially=(3, 0, 0)), Options("free"),
         [{"before": [0, 2]}, {"before": [0, 3]}, {"before": [2, 1]}, {"before": [3, 1]},
          {"failed": {"after": [0, 1], "events": [2, 3]}}]),
    "replica_does_not_matter":
        (recording(*updates("A", ("add", 0), ("remove", 0))), Options("free"),
         [{"failed": {"after": [], "events": [1]}}]),
}


class Outcomes(unittest.TestCase):
    """Of the definitions, without the command."""

    def outcomes(self, program, options, items, mutant):
        """All, and those of what is kept."""
        meaning = programs.Meaning(program)
        space = Space(program, Constraints(items), options, mutant)

        def outcome(units):
            state, results = meaning.first, [None] * len(meaning.events)
            for number in flat(units):
                state, results[number] = meaning.perform(state, number)
            return programs.outcome_of(meaning, options, state, tuple(results))

        return ({outcome(units) for units in space.interleavings()},
                {outcome(units) for units in space.kept()})

    def test_none_is_lost_by_any_pruning_or_combination(self):
        lost = [line for seed in range(SEED, SEED + PROGRAMS)
                for line in lost_outcomes(random.Random(seed), 6)]
        self.assertEqual(lost, [])

    def test_each_definition_that_is_wrong_on_purpose_loses_one(self):
        self.assertEqual(sorted(CAUGHT), sorted(name for some in MUTANTS.values() for name in some))
        for mutant, (program, options, items) in CAUGHT.items():
            with self.subTest(mutant):
                every, left = self.outcomes(program, options, items, None)
                self.assertEqual(every, left)
                every, left = self.outcomes(program, options, items, mutant)
                self.assertLess(left, every)

    def test_not_extending_a_prefix_is_the_same_as_judging_whole_interleavings(self):
        for seed in range(SEED, SEED + PROGRAMS // 4):
            space = draw_space(random.Random(seed), 5)[-1]
            if space:
                self.assertEqual(space.kept(), space.kept_literally(), seed)


def lost_outcomes(source, events_max):
    """Draws a program with claims that are true of it, and tells of each outcome whose smallest
    interleaving is not kept, under both orders and all prunings."""
    program = programs.draw_recording(source, events_max)
    meaning, n = programs.Meaning(program), len(program["events"])
    before = [{"before": pair} for pair in programs.draw_order(source, n)]
    groups = programs.draw_groups(source, n)
    watch, is_fifo = programs.draw_watch(source, program["replicas"]), source.random() < 0.2
    lost = []
    for order in ("free", "causal"):
        base = Options(order, is_fifo)
        if has_circle(range(n), order_of(program["events"], Constraints(before), base)):
            continue
        items = programs.draw_true_constraints(source, meaning, base, before, groups)
        constraints, ends = Constraints(items + [{"group": group} for group in groups]), {}
        for prune, paper in programs.combinations():
            options = Options(order, is_fifo, prune, watch, paper)
            try:
                space = Space(program, constraints, options)
            except Refused:
                continue
            key = tuple(space.units)
            if key not in ends:
                ends[key] = programs.endings(meaning, space.units, space.unit_pairs)
            smallest = programs.smallest_of_each(meaning, options, ends[key])
            lost += [(program, items, groups, options.arguments(), flat(units))
                     for units in smallest.values() if not space.is_kept(units)]
    return lost


def has_command():
    return os.path.exists(os.path.join(BUILD, "sennit-events"))


def run_command(program, options, items, what="--list"):
    """Lists or counts by `sennit events`."""
    with tempfile.TemporaryDirectory(prefix="sennit-events-") as folder:
        path = os.path.join(folder, "recording.json")
        tap.write(path, json.dumps({"recording": program}) + "\n")
        tap.write(os.path.join(folder, "rules", "some.json"), json.dumps(list(items)))
        return subprocess.run([os.path.join(BUILD, "sennit"), "events", "--recording", path,
                               what, *options.arguments(), "--constraints",
                               os.path.join(folder, "rules")],
                              check=False, text=True, capture_output=True)


def command_list(program, options, items=()):
    """The interleavings that the command keeps; None: it refuses to tell."""
    done = run_command(program, options, items)
    if done.returncode == 2:
        return None
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
    return [tuple(int(number) for number in line.split()) for line in done.stdout.splitlines()]


def draw_space(source, events_max):
    """A program, constraints and options; and what they make, or None if that is refused."""
    program = programs.draw_recording(source, events_max)
    items = programs.draw_any_constraints(source, len(program["events"]))
    options = programs.draw_options(source, program["replicas"])
    try:
        return program, items, options, Space(program, Constraints(items), options)
    except Refused:
        return program, items, options, None


def counts(program, options, items):
    """All orders, those that respect the constraints, and with one pruning after the other."""
    some = Options(options.order, options.fifo, (), options.watch)
    some.paper_groups, some.paper_replicas = options.paper_groups, options.paper_replicas
    some.converges = options.converges
    found = [math.factorial(len(program["events"])), len(kept(program, some, items))]
    for name in PRUNINGS:
        some.prune |= options.prune & {name}
        found.append(len(kept(program, some, items)))
    return found


class Command(unittest.TestCase):
    """sennit events --list."""

    def setUp(self):
        if not has_command():
            self.skipTest("sennit-events is not built")

    def test_a_request_and_what_its_replica_gets_keep_their_order_if_convergence_is_expected(self):
        program = {"replicas": ["A", "B", "C"], "events": [
            {"kind": "update", "replica": "A", "op": "add", "args": ["x"]},
            {"kind": "request", "replica": "B", "to": "C", "op": "sync", "args": []},
            {"kind": "execute", "replica": "C", "from": "B", "of": 1, "op": "sync", "args": []},
            {"kind": "deliver", "replica": "B", "from": "A", "of": 0, "op": "hear", "args": []}]}
        options = Options()

        without = command_list(program, options, [{"independent": [1, 3]}])
        options.converges = True
        within = command_list(program, options, [{"independent": [1, 3]}])

        self.assertNotIn((0, 3, 1, 2), without)
        self.assertIn((0, 3, 1, 2), within)

    def test_it_lists_what_the_definitions_keep_in_ascending_order(self):
        for seed in range(SEED, SEED + PROGRAMS):
            source = random.Random(seed)
            program, items, options, space = draw_space(source, 8 if source.random() < 0.1 else 6)
            wanted = [flat(units) for units in space.kept()] if space else None
            found = command_list(program, options, items)
            self.assertEqual(found, wanted, (seed, options.arguments(), items, program["events"]))

    def test_it_counts_what_each_pruning_leaves_of_those_before_it(self):
        for seed in range(SEED, SEED + PROGRAMS // 5):
            program, items, options, space = draw_space(random.Random(seed), 6)
            if space:
                lines = run_command(program, options, items, "--count").stdout.splitlines()
                self.assertEqual([int(line.split("\t")[1]) for line in lines],
                                 counts(program, options, items), (seed, options.arguments()))

    def assert_refused(self, items, words):
        done = run_command(SYNC_BOTH_WAYS, Options(), items)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(words, done.stderr)

    def test_it_refuses_an_order_that_goes_in_a_circle(self):
        self.assert_refused([{"before": [3, 2]}], "circle")

    def test_it_refuses_groups_that_cannot_be_respected(self):
        self.assert_refused([{"group": [0, 2]}], "circle")
        self.assert_refused([{"group": [1, 0]}], "1 before 0")
        self.assert_refused([{"group": [1, 3]}, {"group": [3, 4]}], "two groups")


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    PROGRAMS = int(sys.argv[2]) if len(sys.argv) > 2 else PROGRAMS
    SEED = int(sys.argv[3]) if len(sys.argv) > 3 else SEED
    tap.main()
