#!/usr/bin/env python3
"""test_exports - what `sennit show` makes of traces for other programs is what these read:
test_exports.py BUILD [large] [--update]

Traces of real systems, and hostile ones whose every name and text tries to break out of its place.
Graphs are read by Graphviz if it is there; logs for ShiViz and traces for Perfetto by readers
written here from what the two document. test_mermaid.py has the diagrams of Mermaid. Some pictures
are compared with files in tests/data/pictures, which --update writes anew: look at them before you
commit them.
SPDX-License-Identifier: MIT
"""

import collections
import decimal
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap
import traces

BUILD = ""
IS_LARGE = False
SEEDS = range(1, 13)
OTHER_SEEDS = (3, 17)
IS_UPDATING = False
PICTURES = (["--shiviz"], ["--shiviz", "--wide", "-v"], ["--mermaid"],
            ["--mermaid", "--wide", "-v"], ["--perfetto"], ["--perfetto", "-v"],
            ["--lanes"], ["--lanes", "--wide", "-v"],
            ["--lanes", "--from", "3"], ["--dot"], ["--dot", "--wide", "--from", "2"])
FORMS = ["--lanes", "--json", "--dot", "--shiviz", "--mermaid", "--perfetto"]


def run_show(*args, check=True):
    done = subprocess.run([os.path.join(BUILD, "sennit"), "show", *args], check=False,
                          capture_output=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
    if check and done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done


def show(*args):
    return run_show(*args).stdout.decode("utf-8")


class Traces(unittest.TestCase):
    """Has a folder with traces of systems, made once."""
    folder = None
    systems = {}
    others = {}

    @classmethod
    def made(cls):
        if Traces.folder is None:
            # pylint: disable=consider-using-with
            Traces.folder = tempfile.TemporaryDirectory()
            Traces.systems = traces.of_systems(BUILD, Traces.folder.name)
            for seed in OTHER_SEEDS:
                made = traces.of_systems(BUILD, Traces.folder.name, traces.MORE_SYSTEMS, seed)
                Traces.others.update(((name, seed), path) for name, path in made.items())
        return Traces.systems

    @classmethod
    def all(cls):
        """Paths of traces that have steps: of files, of systems with other seeds than in any other
        test, and hostile ones."""
        found = {**traces.of_files(), **cls.made()}
        found.update((f"{name} {seed}", path) for (name, seed), path in Traces.others.items())
        for seed in SEEDS:
            found[f"hostile {seed}"] = cls.write(traces.hostile(seed))
        # What a process gets from the very first step, which is neither what announced its step nor
        # its own.
        found["first sends"] = cls.write([traces.header(), traces.step(1),
                                          traces.step(2, "P", op="do"),
                                          traces.step(3, "P", op="do", cause=2, sent=1),
                                          traces.verdict(3)])
        del found["empty_trial.trace"]
        return found

    @classmethod
    def write(cls, lines, name="some.trace"):
        cls.made()
        number = len(os.listdir(Traces.folder.name))
        path = os.path.join(Traces.folder.name, f"{number}-{name}")
        with open(path, "wb") as file:
            file.write(traces.text_of(lines))
        return path

    def setUp(self):
        self.made()


def check_same(found, wanted):
    """As assertEqual, of what is by number or name, and without a comparison of all of it, which
    takes minutes."""
    for key in sorted({*found, *wanted}):
        if found.get(key) != wanted.get(key):
            raise AssertionError(f"{key}: {found.get(key)}, not {wanted.get(key)}")


def read(path):
    """Steps of a trace, the set-up first, each with its details."""
    return json.loads(show("--json", path))


# ---- ShiViz --------------------------------------------------------------------------------------

EXPRESSION = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})"


class BadLog(Exception):
    pass


def read_shiviz(text):
    """[(event, host, clock)] of a file that ShiViz loads: its first line is the expression that
    reads the rest, the second one would tell executions apart."""
    expression, delimiter, log = text.split("\n", 2)
    if (expression, delimiter) != (EXPRESSION, ""):
        raise BadLog(f"begins with {expression!r} and {delimiter!r}")
    if any(char in log for char in "\r\u2028\u2029"):
        raise BadLog("a dot of JavaScript does not match what ends lines there")
    pattern = re.compile(expression.replace("(?<", "(?P<"))
    events = []
    end = 0
    for match in pattern.finditer(log):
        if match.start() != end:
            raise BadLog(f"not read: {log[end:match.start()]!r}")
        end = match.end() + 1
        events.append((match["event"], match["host"], json.loads(match["clock"])))
    if end != len(log):
        raise BadLog(f"not read: {log[end:]!r}")
    return events


def check_clocks(events):
    """What ShiViz asks of clocks, and what makes them clocks of an order at all."""
    seen = {}
    count = collections.Counter()
    for event, host, clock in events:
        count[host] += 1
        if clock.get(host) != count[host]:
            raise BadLog(f"{event}: {host} is at {clock.get(host)}, not at {count[host]}")
        if any(value < 1 for value in clock.values()):
            raise BadLog(f"{event}: an entry of 0")
        before = [seen[other, value] for other, value in clock.items() if other != host
                  and (other, value) in seen]
        if len(before) != len(clock) - 1:
            raise BadLog(f"{event}: refers to an event that is not before it")
        if count[host] > 1:
            before.append(seen[host, count[host] - 1])
        for other in before:
            if any(clock.get(name, 0) < value for name, value in other.items()):
                raise BadLog(f"{event}: does not know what its past knows")
        seen[host, count[host]] = clock


def pasts(steps):
    """By step: the set of steps that happened before it, by what the trace says."""
    found = {}
    last = {}
    for step in steps:
        number = step["step"]
        before = set() if number == 0 else {step["cause"]}
        before |= {last[step["task"]]} if step.get("task") in last else set()
        before |= {step["sent"]} if step.get("sent") else set()
        before &= found.keys()
        found[number] = before.union(*(found[other] for other in before))
        last[step.get("task")] = number
    return found


def orders_of(events):
    """By step: those that happened before it, by what the clocks say."""
    place = {}
    count = collections.Counter()
    numbers = [int(re.match(r"step (\d+)", event)[1]) for event, _, _ in events]
    for number, (_, host, _) in zip(numbers, events):
        count[host] += 1
        place[number] = (host, count[host])
    return {number: {other for other in numbers if other != number and
                     place[other][1] <= clock.get(place[other][0], 0)}
            for number, (_, _, clock) in zip(numbers, events)}


class Shiviz(Traces):
    def test_shiviz_reads_every_log_and_accepts_its_clocks(self):
        for name, path in self.all().items():
            with self.subTest(name):
                events = read_shiviz(show("--shiviz", path))

                self.assertEqual(len(events), len(read(path)["steps"]))
                check_clocks(events)

    def test_shiviz_clocks_say_what_happened_before_what(self):
        for name, path in self.all().items():
            with self.subTest(name):
                check_same(orders_of(read_shiviz(show("--shiviz", path))),
                           pasts(read(path)["steps"]))

    def test_shiviz_clocks_of_a_range_are_those_of_its_own_steps(self):
        for name, path in self.all().items():
            first, last = 3, len(read(path)["steps"]) - 2
            if last < first:
                continue
            with self.subTest(name):
                options = ["--from", str(first), "--to", str(last)]
                events = read_shiviz(show("--shiviz", *options, path))

                check_clocks(events)
                steps = json.loads(show("--json", *options, path))["steps"]
                check_same(orders_of(events), pasts(steps))

    def test_shiviz_hosts_are_as_different_as_machines(self):
        machines = traces.NAMES_OF_OBJECTS + [traces.word(traces.random.Random(seed))
                                              for seed in range(500)]
        machines = list(dict.fromkeys(machines))
        path = self.write([traces.header()] + [traces.step(i, name) for i, name in
                                               enumerate(machines, 1)] + [traces.verdict(1)])

        events = read_shiviz(show("--shiviz", path))

        hosts = [host for _, host, _ in events]
        self.assertEqual(len(set(hosts)), len(machines) + 1)
        for host in hosts:
            self.assertNotIn(host, ("__proto__", "constructor", "toString", "hasOwnProperty"))
            self.assertTrue(host.isprintable() and not re.search(r"[\s\"<>&'`\\]", host), host)

    def test_shiviz_event_of_the_failure_says_so(self):
        event, host, _ = read_shiviz(show("--shiviz", Traces.systems["atm"]))[-1]

        self.assertEqual(host, "Atm#2")
        self.assertIn("Balance <- Account  value=100", event)
        self.assertIn("FAILED (assert): 140 was paid out of 100", event)

    def test_a_log_that_shiviz_could_not_hold_is_refused_in_words(self):
        if not IS_LARGE:
            self.skipTest("takes seconds: only in a plain build")
        path = os.path.join(Traces.folder.name, "dense.trace")
        make_large(path, 150000, 1000)

        with open(path + ".log", "wb") as out:
            done = subprocess.run([os.path.join(BUILD, "sennit"), "show", "--shiviz", path],
                                  check=False, stdout=out, stderr=subprocess.PIPE)
        part = run_show("--shiviz", "--to", "3000", path)

        self.assertEqual((done.returncode, os.path.getsize(path + ".log")), (2, 0))
        self.assertRegex(done.stderr.decode(), r"at most 134217728 entries of vector clocks, and "
                         r"step \d+ is beyond that: choose steps by --from and --to\n")
        self.assertEqual(part.stdout.count(b"\nstep "), 3001)

    def test_the_reader_of_logs_refuses_what_shiviz_does(self):
        good = ["step 1", "a {\"a\":1}", "step 2", "b {\"b\":1,\"a\":1}", "step 3",
                "a {\"a\":2}"]
        bad = {"a {\"a\":2}": "a {\"a\":3}", "b {\"b\":1,\"a\":1}": "b {\"b\":1,\"a\":2}",
               "a {\"a\":1}": "a {\"b\":1}", "step 3": "step 3\nx"}

        check_clocks(read_shiviz("\n".join([EXPRESSION, "", *good, ""])))
        for line, other in bad.items():
            text = "\n".join([EXPRESSION, "", *good, ""]).replace(line, other)
            with self.assertRaises(BadLog):
                check_clocks(read_shiviz(text))


# ---- Perfetto ------------------------------------------------------------------------------------

# What events of a phase have, and what they may have besides.
MEMBERS = {
    "M": ({"ph", "pid", "tid", "name", "args"}, set()),
    "X": ({"ph", "pid", "tid", "ts", "cat", "name", "dur", "args"}, {"cname"}),
    "i": ({"ph", "pid", "tid", "ts", "cat", "name", "s"}, {"args"}),
    "s": ({"ph", "pid", "tid", "ts", "cat", "name", "id"}, set()),
    "f": ({"ph", "pid", "tid", "ts", "cat", "name", "id", "bp"}, set()),
    "b": ({"ph", "pid", "tid", "ts", "cat", "name", "id"}, {"args"}),
    "e": ({"ph", "pid", "tid", "ts", "cat", "name", "id"}, {"args"}),
}
METADATA = {"process_name": "name", "process_sort_index": "sort_index", "process_labels": "labels",
            "thread_name": "name", "thread_sort_index": "sort_index"}


def check_event(test, event):
    """What the trace event format asks of one event."""
    needed, more = MEMBERS[event["ph"]]
    test.assertLessEqual(needed, event.keys())
    test.assertLessEqual(event.keys(), needed | more)
    for key in ("pid", "tid"):
        test.assertGreater(event[key], 0)
    test.assertIsInstance(event["name"], str)
    if event["ph"] == "M":
        test.assertEqual([METADATA[event["name"]]], list(event["args"]))
        return
    test.assertGreaterEqual(event["ts"], 0)
    test.assertRegex(event["cat"], r"^[a-z-]+$")
    test.assertGreater(event.get("dur", 1), 0)
    test.assertIn(event.get("s", "t"), ("t", "p", "g"))
    test.assertEqual(event.get("bp", "e"), "e")
    test.assertEqual(event.get("cname", "terrible"), "terrible")
    test.assertIsInstance(event.get("id", 0), int)


def slices_by_track(events):
    found = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            found[event["pid"], event["tid"]].append(event)
    return found


class Perfetto(Traces):
    def document(self, path, *options):
        """Times are decimal: as binary fractions they would touch and overlap by chance."""
        return json.loads(show("--perfetto", *options, path), parse_float=decimal.Decimal)

    def events(self, path, *options):
        return self.document(path, *options)["traceEvents"]

    def test_perfetto_events_are_of_the_documented_format(self):
        for name, path in self.all().items():
            with self.subTest(name):
                events = self.events(path)

                for event in events:
                    check_event(self, event)

    def test_perfetto_has_a_track_for_each_machine_in_a_process_of_its_type(self):
        events = self.events(Traces.systems["raft"])

        names = {event["pid"]: event["args"]["name"] for event in events
                 if event["name"] == "process_name"}
        tracks = {event["args"]["name"]: names[event["pid"]] for event in events
                  if event["name"] == "thread_name"}
        self.assertEqual(tracks, {"set-up": "test", "faults": "faults", "Director": "Director",
                                  "S1": "Server", "S2": "Server", "S3": "Server", "S4": "Server",
                                  "S5": "Server", "C1": "Client", "C2": "Client"})

    def test_perfetto_slices_lie_on_the_track_of_their_machine(self):
        for name, path in self.all().items():
            with self.subTest(name):
                document = read(path)
                steps = document["steps"]
                types = {detail["start"]: detail["type"] for step in steps
                         for detail in step["details"] if "create" in detail and "start" in detail}
                wanted = {step["task"]: types[step["id"]] for step in steps[1:]
                          if step["op"] == "start" and step["id"] in types}
                events = self.events(path)
                names = {(event["name"], event["pid"], event["tid"]): event["args"]["name"]
                         for event in events if event["name"] in ("process_name", "thread_name")
                         and event["ph"] == "M"}

                for event in events:
                    if event["ph"] != "X" or event["args"]["step"] == 0:
                        continue
                    task = steps[event["args"]["step"]]["task"]
                    type_name = names["process_name", event["pid"], event["pid"]]
                    self.assertEqual(names["thread_name", event["pid"], event["tid"]], task)
                    self.assertEqual(type_name, wanted.get(task, task.split("#")[0]))

    def test_perfetto_says_which_trial_it_is(self):
        data = self.document(self.write([traces.header(suite="S", test="T", seed=2**64 - 1, trial=7,
                                                       strategy="pct:3"), traces.verdict(0)]))

        self.assertEqual(data["otherData"], {"seed": "18446744073709551615", "trial": "7",
                                             "suite": "S", "test": "T", "program": "./p",
                                             "strategy": "pct:3"})

    def test_perfetto_tells_time_and_sender_of_a_step(self):
        lines = [traces.header(), traces.step(1, "A", op="start"),
                 traces.step(2, "B", op="start", cause=1, time_ns=1500),
                 traces.step(3, "B", cause=1, time_ns=2000000, **{"from": "A"}),
                 traces.step(4, "P", op="do", cause=0, sent=3, time_ns=2000001), traces.verdict(4)]

        found = [(one["args"].get("time"), one["args"].get("from")) for one in
                 self.events(self.write(lines)) if one["ph"] == "X"]

        self.assertEqual(found, [(None, None), ("0", None), ("1.5us", "A"), ("2ms", "A"),
                                 ("2.000001ms", "B")])

    def test_perfetto_instants_lie_in_the_step_that_they_belong_to(self):
        for name, path in self.all().items():
            with self.subTest(name):
                events = self.events(path)
                slices = [event for event in events if event["ph"] == "X"]
                instants = [event for event in events if event["ph"] == "i" and event["s"] == "t"]

                wanted = [(step["step"], next(iter(detail)), detail.get("note",
                          detail.get("output"))) for step in read(path)["steps"]
                          for detail in step["details"]
                          if next(iter(detail)) in ("note", "output", "fault")]
                found = []
                for event in instants:
                    inside, = [one for one in slices if one["tid"] == event["tid"] and
                               one["ts"] <= event["ts"] < one["ts"] + one["dur"]
                               and one["pid"] == event["pid"]]
                    if event["cat"] in ("note", "output", "fault"):
                        found.append((inside["args"]["step"], event["cat"],
                                      None if event["cat"] == "fault" else event["name"]))
                check_same(dict(enumerate(found)), dict(enumerate(wanted)))

    def test_perfetto_steps_keep_their_order_at_the_end_of_time(self):
        lines = [traces.header()] + [traces.step(i, "AB"[i % 2], time_ns=2**64 - 1) for i in
                                     range(1, 60)] + [traces.verdict(59)]

        slices = [event for event in self.events(self.write(lines)) if event["ph"] == "X"]

        for one, other in zip(slices, slices[1:]):
            self.assertLessEqual(one["ts"] + one["dur"], other["ts"])

    def test_perfetto_tracks_and_processes_have_names_and_numbers_of_their_own(self):
        for name, path in self.all().items():
            with self.subTest(name):
                events = self.events(path)

                processes = [event["pid"] for event in events if event["name"] == "process_name"]
                tracks = [event["tid"] for event in events if event["name"] == "thread_name"]
                self.assertEqual(len(processes + tracks), len(set(processes + tracks)))
                for event in events:
                    self.assertIn(event["pid"], processes)
                    self.assertIn(event["tid"], tracks + processes)

    def test_perfetto_slices_are_the_steps_in_their_order(self):
        for name, path in self.all().items():
            with self.subTest(name):
                slices = [event for event in self.events(path) if event["ph"] == "X"]
                steps = read(path)["steps"]

                self.assertEqual([one["args"]["step"] for one in slices],
                                 [step["step"] for step in steps])
                for one, other in zip(slices, slices[1:]):
                    self.assertLess(one["ts"], other["ts"])
                for one, step in zip(slices[1:], steps[1:]):
                    self.assertEqual(one["name"], "start" if step["op"] == "start" else
                                     step["event"])
                    self.assertEqual(one["args"].get("payload", ""), step.get("payload", ""))
                    self.assertNotIn("\n", one["args"].get("state", ""))
                for track in slices_by_track(slices).values():
                    for one, other in zip(track, track[1:]):
                        self.assertLessEqual(one["ts"] + one["dur"], other["ts"])

    def test_perfetto_steps_lie_between_their_moment_and_the_next(self):
        for name in ("raft", "extents", "atm", "erlang"):
            with self.subTest(name):
                path = Traces.systems[name]
                times = [decimal.Decimal(step.get("time_ns", 0)) / 1000
                         for step in read(path)["steps"]]
                moments = sorted(set(times))

                for one in self.events(path):
                    if one["ph"] != "X":
                        continue
                    at = times[one["args"]["step"]]
                    after = [moment for moment in moments if moment > at]
                    self.assertGreaterEqual(one["ts"], at)
                    if after:
                        self.assertLessEqual(one["ts"] + one["dur"], after[0])

    def test_perfetto_moments_too_close_for_their_steps_keep_the_order(self):
        lines = [traces.header()] + [traces.step(i, "AB"[i % 2], time_ns=i // 10) for i in
                                     range(1, 60)] + [traces.verdict(1)]
        lines[30]["time_ns"] = 2**64 - 1

        slices = [event for event in self.events(self.write(lines)) if event["ph"] == "X"]

        self.assertEqual([one["args"]["step"] for one in sorted(slices, key=lambda one: one["ts"])],
                         list(range(60)))

    def test_perfetto_arrows_lead_from_the_step_that_sent_to_the_one_that_received(self):
        for name, path in self.all().items():
            with self.subTest(name):
                events = self.events(path)
                at = {(one["pid"], one["tid"], one["ts"]): one["args"]["step"] for one in events
                      if one["ph"] == "X"}
                ends = collections.defaultdict(dict)
                for event in events:
                    if event["ph"] in "sf":
                        key = event["cat"], event["name"], event["id"]
                        self.assertNotIn(event["ph"], ends[key])
                        ends[key][event["ph"]] = at[event["pid"], event["tid"], event["ts"]]
                self.assertTrue(all(end["s"] < end["f"] for end in ends.values()))
                steps = read(path)["steps"][1:]

                wanted = [(step["cause"], step["step"]) for step in steps if step["op"] != "do"]
                wanted += [(step["sent"], step["step"]) for step in steps if step.get("sent")]
                check_same(collections.Counter((end["s"], end["f"]) for end in ends.values()),
                           collections.Counter(wanted))

    def test_perfetto_calls_of_clients_are_slices_that_nest(self):
        for name, path in self.all().items():
            with self.subTest(name):
                rows = collections.defaultdict(list)
                last = {}
                for event in self.events(path):
                    if event["ph"] == "b":
                        rows[event["id"]].append(event["name"])
                    elif event["ph"] == "e":
                        self.assertEqual(rows[event["id"]].pop(), event["name"])
                    if event["ph"] in "be":
                        self.assertGreaterEqual(event["ts"], last.get(event["id"], 0))
                        self.assertLessEqual(len(rows[event["id"]]), 2)
                        last[event["id"]] = event["ts"]
                self.assertFalse(any(rows.values()))

    def test_perfetto_calls_begin_and_end_where_their_records_are(self):
        def call(what, number, process, text):
            return {"operation": what, "number": number, "process": process, "text": text}
        lines = [traces.header(),
                 traces.step(1), call("call", 1, "c1", "read(0)"),
                 call("call", 2, "c2", "write(1)"),
                 traces.step(2), call("return", 1, "c1", "read(0) = 7"),
                 traces.step(3), call("call", 3, "c1", "read(0)"),
                 traces.step(4), call("call", 4, "c1", "late()"), call("fail", 2, "c2", "write(1)"),
                 traces.verdict(4)]

        found = [(event["ph"], event["id"], event["name"], int(event["ts"]), event.get("args"))
                 for event in self.events(self.write(lines)) if event["ph"] in "be"]

        self.assertEqual(found, [
            ("b", 1, "c1", 1, None), ("b", 1, "read(0)", 1, {"number": 1}),
            ("b", 2, "c2", 1, None), ("b", 2, "write(1)", 1, {"number": 2}),
            ("e", 1, "read(0)", 2, {"returned": "read(0) = 7"}),
            ("b", 1, "read(0)", 3, {"number": 3}),
            ("b", 3, "c1", 4, None), ("b", 3, "late()", 4, {"number": 4}),
            ("e", 2, "write(1)", 4, {"failed": "write(1)"}),
            ("e", 1, "read(0)", 5, None), ("e", 1, "c1", 5, None), ("e", 2, "c2", 5, None),
            ("e", 3, "late()", 5, None), ("e", 3, "c1", 5, None)])

    def test_perfetto_marks_faults_notes_and_the_failure(self):
        events = self.events(Traces.systems["raft"])
        instants = collections.Counter(event["cat"] for event in events if event["ph"] == "i")
        details = collections.Counter(next(iter(detail)) for step in
                                      read(Traces.systems["raft"])["steps"]
                                      for detail in step["details"])

        self.assertEqual((instants["fault"], instants["note"]),
                         (details["fault"], details["note"]))
        failure, = [event for event in events if event.get("cat") == "verdict"]
        self.assertEqual((failure["name"], failure["s"]), ("FAILED", "g"))
        self.assertIn("but version 5 was seen", failure["args"]["message"])


# ---- Graphviz ------------------------------------------------------------------------------------


def drawn(one):
    """The lines of text that Graphviz draws for a node or a cluster."""
    return [piece["text"] for piece in one.get("_ldraw_", []) if piece["op"] == "T"]


@unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
class Dot(Traces):
    def graph(self, path, *options):
        """Nodes and clusters by name, and pairs of nodes with an arrow from one to the other."""
        done = subprocess.run(["dot", "-Tjson"], input=show("--dot", *options, path).encode(),
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        graph = json.loads(done.stdout)
        names = {one["_gvid"]: one["name"] for one in graph["objects"]}
        arrows = {(names[edge["tail"]], names[edge["head"]]) for edge in graph.get("edges", [])}
        for one in graph["objects"]:
            one["nodes"] = {names[node] for node in one.get("nodes", [])}
        return {one["name"]: one for one in graph["objects"]}, arrows

    def test_graphviz_draws_every_step_and_every_label_as_it_was(self):
        for name, path in self.all().items():
            options = ["--to", "60"]
            with self.subTest(name):
                objects, _ = self.graph(path, "--wide", *options)
                steps = json.loads(show("--json", *options, path))["steps"]

                labels = {name: drawn(one) for name, one in objects.items() if not one["nodes"]}
                wanted = {"s0": ["set-up"]}
                for step in steps[1:]:
                    event = "start" if step["op"] == "start" else traces.visible(step["event"])
                    wanted[f"s{step['step']}"] = [f"{step['step']} {event}"]
                    if step.get("payload"):
                        wanted[f"s{step['step']}"].append(traces.visible(step["payload"]))
                check_same(labels, wanted)

    def test_graphviz_calls_the_graph_after_the_test_and_how_it_failed(self):
        failed = [traces.header(test="bridge"), traces.step(1, op="start", event="AtmBirth"),
                  traces.verdict(1, message='two "cars"')]
        passed = [*failed[:2], traces.verdict(1, kind="passed")]

        for lines, wanted in ((failed, ["bridge", 'two "cars"']), (passed, ["bridge"])):
            dot = show("--dot", self.write(lines))
            done = subprocess.run(["dot", "-Tjson"], input=dot.encode(), capture_output=True,
                                  check=True)
            self.assertEqual(drawn(json.loads(done.stdout)), wanted)

    def test_graphviz_draws_a_cluster_of_its_steps_for_each_machine(self):
        for name, path in self.all().items():
            with self.subTest(name):
                objects, _ = self.graph(path, "--to", "40")
                steps = json.loads(show("--json", "--to", "40", path))["steps"]

                wanted = collections.defaultdict(set)
                for step in steps[1:]:
                    wanted[traces.cut(step["task"], 40)].add(f"s{step['step']}")
                check_same({"".join(drawn(one)): one["nodes"] for one in objects.values()
                            if one["nodes"]}, wanted)

    def test_graphviz_arrows_say_what_happened_before_what(self):
        for name, path in self.all().items():
            for options in (["--to", "60"], ["--from", "3", "--to", "30"]):
                steps = json.loads(show("--json", *options[-2:], path))["steps"]
                first = int(options[1]) if len(options) == 4 else 0
                if len(steps) <= first:
                    continue
                with self.subTest((name, options)):
                    _, arrows = self.graph(path, *options)

                    before = {}
                    for step in steps[first:]:
                        ends = {int(tail[1:]) for tail, head in arrows
                                if head == f"s{step['step']}"}
                        before[step["step"]] = ends.union(*(before[end] for end in ends))
                    check_same(before, pasts(steps[first:]))

    def test_graphviz_draws_the_step_of_the_failure_in_red(self):
        for number in (0, 2, 3):
            lines = [traces.header(), traces.step(1), traces.step(2), traces.step(3),
                     traces.verdict(number)]

            objects, _ = self.graph(self.write(lines))

            self.assertEqual([name for name, one in objects.items() if one.get("color") == "red"],
                             [f"s{number}"])


# ---- All of them ---------------------------------------------------------------------------------


def make_large(path, steps, machines, *more):
    with open(path, "wb") as file:
        subprocess.run([os.path.join(BUILD, "tests/unit/report/export_main"), str(steps),
                        str(machines), *more], stdout=file, check=True)


class Forms(Traces):
    def test_pictures_look_as_they_did(self):
        for options in PICTURES:
            name = "told" + "".join(options).replace("--", ".") + ".txt"
            path = os.path.join(tap.ROOT, "tests/data/pictures", name)
            done = subprocess.run([os.path.join(BUILD, "sennit"), "show", *options, "-"],
                                  input=traces.text_of(traces.told()), check=True,
                                  capture_output=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
            if IS_UPDATING:
                tap.write(path, done.stdout.decode())
            with self.subTest(path), open(path, encoding="utf-8") as file:
                self.assertEqual(done.stdout.decode(), file.read())

    def test_the_first_step_that_a_machine_is_said_to_have_is_its_start(self):
        n_machines = collections.Counter()
        for name, path in {**self.made(), **Traces.others}.items():
            steps = json.loads(show("--json", path))["steps"]
            ops = {step["id"]: step["op"] for step in steps[1:]}
            for step in steps:
                for record in step.get("details", []):
                    if "create" in record:
                        first = ops.get(record["start"]) if "start" in record else "none"
                        self.assertIn(first, ("start", "none", None), f"{name}: {record}")
                        n_machines[first] += 1

        self.assertGreater(n_machines["start"], 10)
        self.assertGreater(n_machines["none"], 2)  # replicas, faults

    def test_long_names_are_exported_and_what_is_cut_says_so(self):
        name = "é" * 2048
        lines = [traces.header(), traces.step(1, name, name, op="start", payload="p" * 65536),
                 {"state": name, "was": name, "how": "goto", "task": name},
                 {"state": name, "was": "x" + name[1:], "how": "goto", "task": "m"},
                 {"draw": name, "value": 0, "of": 2, "key": "0" * 16},
                 {"draw": name, "value": 1, "of": 2, "key": "0" * 16},
                 {"note": name * 16}, traces.verdict(1, oracle=name, message=name)]
        path = self.write(lines)

        for form in FORMS:
            for options in ([], ["--wide"], ["-v"], ["--wide", "-v"]):
                with self.subTest((form, options)):
                    text = show(form, *options, path)
                    self.assertNotIn("\\xc3", text)
                    self.assertNotIn("\ufffd", text)
                    if form not in ("--json", "--dot"):
                        self.assertRegex(text, "é(\\.\\.\\.|…)")
        one = json.loads(show("--perfetto", path))["traceEvents"]
        state, = [event["args"] for event in one if event["ph"] == "X" and event["args"]["step"]]
        self.assertEqual(state["payload"], "p" * 65536)
        self.assertTrue(state["state"].endswith("é..."))
        self.assertTrue(state["choices"].endswith("é..."))

    def test_every_form_takes_any_range_and_tells_of_nothing_outside(self):
        for path in (self.write(traces.told()), self.write(traces.hostile(5)),
                     Traces.systems["atm"]):
            document = read(path)
            n = len(document["steps"]) - 1
            for first, last in ((1, n), (1, 1), (2, 3), (n, n), (n - 1, n + 5)):
                options = ["--from", str(first), "--to", str(last), path]
                with self.subTest(options):
                    shown = {form: show(form, *options) for form in FORMS}

                    numbers = list(range(first, min(last, n) + 1))
                    has_end = document["verdict"]["step"] in numbers
                    events = json.loads(shown["--perfetto"])["traceEvents"]
                    self.assertEqual([event["args"]["step"] for event in events
                                      if event["ph"] == "X"], numbers)
                    self.assertEqual(sum(event.get("cat") == "verdict" for event in events),
                                     has_end)
                    self.assertEqual([int(number) for number in re.findall(
                        r"^step (\d+)", shown["--shiviz"], re.MULTILINE)], numbers)
                    self.assertEqual(sorted(int(number) for number in re.findall(
                        r"^    s(\d+) \[", shown["--dot"], re.MULTILINE)), numbers)
                    self.assertEqual([step["step"] for step in
                                      json.loads(shown["--json"])["steps"]], numbers)
                    self.assertEqual("rect rgb" in shown["--mermaid"], has_end)
                    self.assertEqual([int(line[:4]) for line in shown["--lanes"].split("\n")
                                      if re.match(r" +\d+  ", line)], numbers)

    def test_no_form_has_colours_unless_they_are_asked_for_or_seen(self):
        for form in [[], *([form] for form in FORMS)]:
            with self.subTest(form):
                self.assertNotIn("\033", show(*form, Traces.systems["raft"]))
        self.assertIn("\033", show("--lanes", "--color", "always", Traces.systems["raft"]))

    def test_a_device_that_is_full_is_an_error_of_every_form(self):
        for form in FORMS:
            with self.subTest(form), open("/dev/full", "wb") as full:
                done = subprocess.run([os.path.join(BUILD, "sennit"), "show", form,
                                       Traces.systems["raft"]], check=False, stdout=full,
                                      stderr=subprocess.PIPE)
                self.assertEqual((done.returncode, done.stderr.decode()),
                                 (2, "sennit: cannot write to standard output: No space left on "
                                  "device\n"))

    def test_a_hundred_thousand_steps_of_a_thousand_machines_are_exported(self):
        path = os.path.join(Traces.folder.name, "large.trace")
        make_large(path, 100000, 1000, "chain")

        found = {form: run_show(form, path).stdout for form in FORMS}

        os.unlink(path)
        self.assertEqual(found["--shiviz"].count(b"\nstep "), 100001)
        self.assertEqual(found["--mermaid"].count(b"->>m") + found["--mermaid"].count(b"Note over"),
                         100001)
        self.assertEqual(found["--perfetto"].count(b'"ph":"X"'), 100001)
        self.assertEqual(found["--dot"].count(b"[label="), 100001)
        self.assertEqual(len(re.findall(rb"^ *\d+  ", found["--lanes"], re.MULTILINE)), 100000)

    def test_every_form_is_the_same_each_time(self):
        for form in FORMS:
            for path in (Traces.systems["raft"], self.write(traces.hostile(99))):
                with self.subTest(form):
                    self.assertEqual(run_show(form, path).stdout, run_show(form, path).stdout)

    def test_every_form_takes_a_trace_without_steps(self):
        path = traces.of_files()["empty_trial.trace"]

        json.loads(show("--perfetto", path))
        check_clocks(read_shiviz(show("--shiviz", path)))
        self.assertTrue(show("--mermaid", path).startswith("sequenceDiagram\n"))
        self.assertIn("passed after 0 steps", show("--lanes", path))

    def test_one_form_at_a_time_is_asked_for(self):
        done = run_show("--lanes", "--perfetto", Traces.systems["atm"], check=False)

        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.decode(), "sennit: give one of --lanes, --json, --dot, "
                         "--shiviz, --mermaid, --perfetto and --script\n")

    def test_a_diagram_that_mermaid_will_not_draw_is_written_with_a_warning(self):
        done = run_show("--mermaid", Traces.systems["extents"])
        part = run_show("--mermaid", "--to", "100", Traces.systems["extents"])

        self.assertIn(f"the diagram has {len(done.stdout)} bytes, and Mermaid draws 50000",
                      done.stderr.decode())
        self.assertEqual(part.stderr, b"")


def main():
    global BUILD, IS_LARGE, IS_UPDATING
    BUILD = os.path.abspath(sys.argv[1])
    IS_LARGE = "large" in sys.argv[2:]
    IS_UPDATING = "--update" in sys.argv[2:]
    tap.main()


if __name__ == "__main__":
    main()
