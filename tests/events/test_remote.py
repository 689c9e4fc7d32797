#!/usr/bin/env python3
"""test_remote - `sennit events` and the programs that it speaks with: test_remote.py BUILD

The client is client.py, which is wrong, or misbehaves, as it is told. What prunings keep is the
matter of test_prunings.py. SPDX-License-Identifier: MIT
"""

import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import tap

import client

BUILD = ""
TIMEOUT_S = 100
CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "client.py")
EXPECTATIONS = {
    "convergence": ("convergence", "A and B have got the same updates"),
    "idempotence": ("idempotence", "if each message is applied twice in a row"),
    "no-lost-update": ("lost-update", "had never happened"),
    "no-throws": ("throws", "nothing to merge with"),
    "same-states": ("same-states", "as recorded it was"),
    "same-results": ("same-results", "look at A (event 6) returned"),
    "no-duplicates": ("no-duplicates", "twice: ["),
    "unique-results": ("unique-results", "add returned 1 twice"),
}
MISCONCEPTIONS = {"causal-delivery": "same-states", "list-order": "convergence",
                  "move": "no-duplicates", "sequential-ids": "unique-results",
                  "coordination": "same-results"}


def interleavings():
    """All of the client's, as the definition has it."""
    events = client.EVENTS
    program = [[i for i, e in enumerate(events) if e["replica"] == name and "of" not in e]
               for name in "AB"]
    before = [pair for chain in program for pair in zip(chain, chain[1:])]
    before += [(e["of"], i) for i, e in enumerate(events) if "of" in e]
    return [order for order in itertools.permutations(range(len(events)))
            if all(order.index(a) < order.index(b) for a, b in before)]


ALL = [" ".join(map(str, order)) for order in interleavings()]


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sennit-remote-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def lines(self, name):
        if not os.path.exists(self.path(name)):
            return []
        with open(self.path(name), encoding="utf-8") as file:
            return file.read().splitlines()

    def words(self, how, *options):
        program = f"exec {sys.executable} -S -E {CLIENT} {how}"
        return [os.path.join(BUILD, "sennit"), "events", "--exec", program, *options]

    def environment(self, **more):
        return os.environ | {"SENNIT_NO_SHRINK": "1", "LC_ALL": "C", "TERM": "dumb"} | more

    def run_words(self, words, **more):
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_S,
                              env=self.environment(**more))

    def events(self, how, *options, **more):
        return self.run_words(self.words(how, *options), **more)

    def start(self, how, *options):
        return subprocess.Popen(self.words(how, *options), cwd=self.folder, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.environment())

    def wait_until(self, holds):
        """Waits for a condition; that it takes long is no failure, that it never holds is one."""
        deadline = time.monotonic() + TIMEOUT_S
        while not holds():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)

    def assert_ends(self, done, code, *sentences):
        told = done.stdout + done.stderr
        self.assertEqual(done.returncode, code, told)
        for sentence in sentences:
            self.assertIn(sentence, told)

    def rows(self, sql, name="db"):
        with sqlite3.connect(self.path(name)) as db:
            return db.execute(sql).fetchall()


class Looking(Case):
    def test_what_was_recorded_is_listed_and_counted(self):
        listed = self.events("", "--list")
        counted = self.events("", "--count")
        self.assertEqual(listed.stdout.splitlines(), ALL)
        self.assertIn("orders of the events\t5040\n", counted.stdout)
        self.assertIn(f"constraints\t{len(ALL)}\t", counted.stdout)

    def test_a_value_that_an_option_cannot_have_is_refused_before_anything_runs(self):
        self.assert_ends(self.events("", "--list", "--order", "fre"), 2, '--order cannot be "fre"')
        self.assert_ends(self.events("", "--order", "fre"), 2, "fre")
        self.assert_ends(self.events("", "--expect", "nothing"), 2,
                         'nothing called "nothing" can be expected')
        self.assert_ends(self.events("", "--watch", "C"), 2, 'no replica "C" to be watched')
        self.assert_ends(self.events("", "--prune", "x"), 2, 'no pruning "x"')
        self.assert_ends(self.events("", "--fd", "3,4"), 2, "it takes --exec PROGRAM (or --fd")

    def test_every_interleaving_is_run_once(self):
        done = self.events("told=told")
        self.assert_ends(done, 0, f"{len(ALL)} trials")
        walked = self.lines("told")
        # Some are run once more to look at them closely.
        self.assertEqual(sorted(set(walked)), ALL)


class Finding(Case):
    def test_a_failing_assertion_is_shrunk_replayed_and_explained(self):
        done = self.events("wrong=assert", "-o", "out", SENNIT_NO_SHRINK="0")
        self.assert_ends(done, 1, "assert: client.py:1: look has not seen both", "shrunk:")
        trace = next(self.path("out/" + name) for name in os.listdir(self.path("out"))
                     if name.endswith(".shrunk.trace"))
        sennit = os.path.join(BUILD, "sennit")
        again = self.run_words([sennit, "replay", trace])
        self.assert_ends(again, 1, "look has not seen both")
        explained = self.run_words([sennit, "explain", trace])
        self.assert_ends(explained, 0, "look")
        told = json.loads(self.run_words([sennit, "explain", "--json", trace]).stdout)
        self.assertIsInstance(told, dict)

    def test_a_trial_of_a_client_that_is_mended_does_not_fail_again(self):
        tap.write(self.path("wrong"), "convergence")
        self.assert_ends(self.events("wrong=@wrong", "-o", "out"), 1)
        trace = next(self.path("out/" + name) for name in os.listdir(self.path("out"))
                     if name.endswith(".trace"))
        self.assert_ends(self.events("wrong=@wrong", "--replay", trace), 1)
        tap.write(self.path("wrong"), "")
        self.assert_ends(self.events("wrong=@wrong", "--replay", trace), 0)

    def test_results_can_be_had_as_tap(self):
        done = self.events("wrong=convergence", "--tap", "--db", "db")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith("TAP version 14\n"), done.stdout)
        self.assertIn("not ok 1 - events/interleavings", done.stdout)
        self.assertNotIn("db: ", done.stdout)
        self.assertIn("db: ", done.stderr)

    def test_each_expectation_fails_where_it_is_not_met_and_nowhere_else(self):
        for name, (oracle, sentence) in EXPECTATIONS.items():
            with self.subTest(name):
                self.assert_ends(self.events(f"wrong={name}", "--expect", name), 1,
                                 f": {oracle}: ", sentence)
                self.assert_ends(self.events(f"wrong={name}", "--expect", "none"), 0)
        self.assert_ends(self.events("", "--expect", ",".join(EXPECTATIONS)), 0)

    def test_each_misconception_is_known_by_its_name(self):
        for name, expectation in MISCONCEPTIONS.items():
            with self.subTest(name):
                oracle, sentence = EXPECTATIONS[expectation]
                self.assert_ends(self.events(f"wrong={expectation}", "--expect", name), 1,
                                 f": {oracle}: ", sentence)
        self.assert_ends(self.events("", "--expect", ",".join(MISCONCEPTIONS)), 0)

    def test_what_is_left_out_is_no_reason_to_differ_from_what_was_recorded(self):
        for name in ("same-states", "same-results"):
            done = self.events(f"wrong={name}", "--expect", name, SENNIT_NO_SHRINK="0")
            self.assert_ends(done, 1)
            self.assertNotIn("-> 1 step", done.stdout)

    def test_a_failing_run_writes_its_report(self):
        done = self.events("wrong=no-throws", SENNIT_NO_REPORT="0")
        self.assert_ends(done, 1, "report: sennit-out/report.html")
        with open(self.path("sennit-out/report.html"), encoding="utf-8") as file:
            self.assertIn("throws", file.read())

    def test_other_strategies_find_it_too(self):
        for strategy in ("random", "dfs", "pct:2"):
            self.assert_ends(self.events("wrong=no-throws", "-s", strategy), 1, "throws")


class Nonsense(Case):
    ANSWERS = {
        "no-json": "it is no JSON object: ",
        "no-object": 'it is no JSON object: "[1]"',
        "bytes": "it is no JSON object: ",
        "deep": "it is no JSON object: ",
        "wrong-id": "it must have the id of the question",
        "no-outcomes": '"outcomes" is no array with one for each of',
        "few-outcomes": '"outcomes" is no array with one for each of',
        "undescribed": 'outcome 0 of "outcomes" was never described',
        "negative": 'outcome 0 of "outcomes" was never described',
        "few-results": '"results" is no array with a result for each of 7 events',
        "bad-new": 'what is in "new" has no number as "outcome"',
        "no-message": '"failed" has no "message"',
        "long-line": "the line has more than 16777216 bytes",
        "endless": "the line has more than 16777216 bytes",
    }
    RECORDINGS = {
        "no-version": (1, 'it must tell the version of the protocol as "sennit"'),
        "wrong-version": (1, "version 7 of the protocol is not known here"),
        "no-events": (2, '"events" is no array of 1 to 64 events'),
        "many-events": (2, '"events" is no array of 1 to 64 events'),
        "no-replicas": (2, '"replicas" is no array of 1 to 16 names'),
        "same-replicas": (2, "two replicas are called A"),
        "bad-kind": (2, '"kind" of event 2 is not update, query, request, execute or deliver'),
        "bad-replica": (2, '"replica" of event 2 is no replica'),
        "bad-of": (2, '"of" of event 4 is no earlier event'),
        "of-update": (2, "event 4 applies what event 0 makes, which is no request"),
        "bad-from": (2, "event 4 applies what event 1 makes, but not on the way from B to B"),
        "bad-way": (2, "event 4 executes a request that is for another replica"),
        "bad-op": (2, '"op" of event 0 is no name of 1 to 63 bytes'),
        "bad-args": (2, '"args" of event 0 is no array'),
        "bad-states": (2, '"states" is no object'),
    }

    def test_an_answer_that_makes_no_sense_ends_the_campaign_with_its_line(self):
        for name, sentence in self.ANSWERS.items():
            with self.subTest(name):
                done = self.events(f"does={name}")
                self.assert_ends(done, 2, "line 3 of the client: " + sentence)

    def test_also_while_a_trial_is_looked_at_closely(self):
        for how in ("at=1", "asked=begin", "asked=event", "asked=event at=5"):
            with self.subTest(how):
                self.assert_ends(self.events(f"does=no-json {how}"), 2,
                                 "of the client: it is no JSON object")

    def test_what_was_found_before_is_not_lost(self):
        done = self.events("does=no-json wrong=convergence at=6", "-k")
        self.assert_ends(done, 1, "convergence: A and B have got", "it is no JSON object")

    def test_a_recording_that_makes_no_sense_is_refused_with_its_line(self):
        for name, (line, sentence) in self.RECORDINGS.items():
            with self.subTest(name):
                done = self.events(f"does={name} told=told")
                self.assert_ends(done, 2, f"line {line} of the client: {sentence}")
        self.assertEqual(self.lines("told"), ["version 7 of the protocol is not known here"])

    def test_a_client_may_say_that_it_cannot(self):
        self.assert_ends(self.events("does=cannot"), 2, "the client says: I am tired")
        self.assert_ends(self.events("does=cannot-record"), 2,
                         "the client cannot record: the test has thrown")

    def test_a_client_that_ends_before_it_speaks_is_told(self):
        self.assert_ends(self.events("does=exit-first"), 2, "the client has ended with exit code 5")
        self.assert_ends(self.run_words([os.path.join(BUILD, "sennit"), "events", "--exec",
                                         "/nowhere/to/be/found"]), 2, "exit code 127")

    def test_a_client_that_records_something_else_the_next_time_is_told(self):
        self.assert_ends(self.events("does=differ"), 2, "line 2 of the client: event 0 is add(",
                         "when it was recorded before: the test is not deterministic")


class Trouble(Case):
    BAD = [order for order in ALL if order.index("5") < order.index("4")]

    def assert_located(self, how, sentence, oracle="crash"):
        done = self.events(how, "-k", "--db", "db", "--event-timeout", "100")
        self.assert_ends(done, 1, f"{oracle}: {sentence} in event 4, sync() from A at B")
        self.assertNotIn("NOT DETERMINISTIC", done.stdout)
        found = self.rows("SELECT events, oracle FROM interleaving ORDER BY events")
        self.assertEqual([events for events, _ in found], ALL)
        self.assertEqual([events for events, what in found if what is not None], self.BAD)
        self.assertEqual({what for _, what in found}, {None, oracle})

    def test_a_client_that_ends_in_an_event_is_located_and_all_else_is_run(self):
        self.assert_located("does=exit", "the client has ended with exit code 7")

    def test_a_client_that_is_killed_in_an_event_is_located_and_all_else_is_run(self):
        self.assert_located("does=die", "the client was ended by signal 9 (Killed)")

    def test_a_client_that_hangs_in_an_event_is_located(self):
        done = self.events("does=hang", "--event-timeout", "60")
        self.assert_ends(done, 1, "silent: the client has not answered for 60 ms in event 4, "
                                  "sync() from A at B")

    def test_a_client_that_ends_only_in_batches_costs_nothing_but_time(self):
        done = self.events("does=exit-in-batch", "--db", "db")
        self.assert_ends(done, 0, f"{len(ALL)} trials", "all were run")

    def test_an_event_that_throws_does_not_end_its_interleaving(self):
        self.assert_ends(self.events("wrong=no-throws", "--db", "db", "-k"), 1,
                         "throws: sync() at B (event 4) throws:")
        self.assertEqual(len(self.rows("SELECT * FROM interleaving")), len(ALL))
        found = self.rows("SELECT events FROM interleaving WHERE oracle = 'throws'")
        self.assertEqual(len(found), sum(order.index("4") < order.index("2") or
                                         order.index("5") < order.index("0") for order in ALL))

    def test_a_client_that_cannot_go_back_is_started_anew_with_what_it_returned(self):
        done = self.events("restore=no starts=starts wrong=no-lost-update long=600", "-i", "8",
                           "--expect", "no-lost-update")
        self.assert_ends(done, 1, "lost-update: all states are as if event 2")
        self.assertGreater(len(self.lines("starts")), 8)

    def test_its_campaign_is_finished_by_the_last_interleaving(self):
        constraints = self.path("rules")
        tap.write(constraints + "/few.json", '{"before": [0, 1, 6, 2, 3, 5, 4]}')
        done = self.events("restore=no", "--db", "db", "--constraints", constraints)
        self.assert_ends(done, 0, "db: 1 interleavings, 0 failed, 1 outcomes; all were run")

    def test_a_client_that_has_started_us_is_told_how_it_was(self):
        program = ("import os, subprocess, sys\n"
                   "a, b = os.pipe(), os.pipe()\n"
                   "words = sys.argv[1:]\n"
                   "process = subprocess.Popen(words + ['--fd', f'{a[0]},{b[1]}'],"
                   " pass_fds=(a[0], b[1]))\n"
                   "os.close(a[0]); os.close(b[1])\n"
                   "os.environ['SENNIT_EVENTS'] = f'fd:{b[0]},{a[1]}'\n"
                   f"sys.path.insert(0, {os.path.dirname(CLIENT)!r})\n"
                   "import client\n"
                   "try:\n"
                   "    client.Client(['told=told'] + os.environ['HOW'].split()).converse()\n"
                   "finally:\n"
                   "    sys.exit(process.wait())\n")
        tap.write(self.path("starter.py"), program)
        words = [sys.executable, self.path("starter.py"), os.path.join(BUILD, "sennit"), "events"]
        self.assert_ends(self.run_words(words, HOW=""), 0, f"{len(ALL)} trials")
        self.assertEqual(json.loads(self.lines("told")[-1])["verdict"], "passed")
        self.assert_ends(self.run_words(words, HOW="wrong=convergence"), 1, "convergence: A and B")
        summary = json.loads(self.lines("told")[-1])
        self.assertEqual(summary["verdict"], "failed")
        self.assertEqual(summary["findings"][0]["oracle"], "convergence")
        self.assert_ends(self.run_words(words, HOW="does=no-json at=2"), 2, "it is no JSON object")


class Constraints(Case):
    def test_a_file_that_makes_no_sense_at_the_beginning_is_refused(self):
        tap.write(self.path("rules/a.json"), '{"before": [0, 9]}')
        done = self.events("", "--constraints", "rules")
        self.assert_ends(done, 2, 'rules/a.json: "before": there is no event 9: they are 0 to 6')
        tap.write(self.path("rules/a.json"), '{"before": [1, 0]}')
        self.assert_ends(self.events("", "--constraints", "rules"), 2,
                         "rules/a.json: the constraints go in a circle")
        self.assert_ends(self.events("", "--constraints", "nowhere"), 2, "nowhere cannot be read")

    def begin_behind_a_gate(self):
        """A campaign whose first question is not answered before the gate opens."""
        os.makedirs(self.path("rules"), exist_ok=True)
        gate = self.path("gate")
        campaign = self.start(f"gate={gate} starts=starts", "--constraints", "rules", "--batch",
                              "4", "--db", "db")
        # One is started to record, and one to run.
        self.wait_until(lambda: len(self.lines("starts")) > 1)
        return campaign

    def end(self, campaign):
        tap.write(self.path("gate"), "")
        stdout, stderr = campaign.communicate(timeout=TIMEOUT_S)
        return stdout, stderr, campaign.returncode

    def test_a_file_that_comes_while_it_runs_prunes_what_is_left(self):
        campaign = self.begin_behind_a_gate()
        tap.write(self.path("rules/later.json"), '{"before": [2, 0]}')
        self.assertEqual(self.end(campaign)[2], 0)
        kept = [events for events, in self.rows("SELECT events FROM interleaving ORDER BY place")]
        tight = [order for order in ALL if order.index("2") < order.index("0")]
        self.assertEqual(kept[-len(tight):], tight)
        self.assertLess(len(kept) - len(tight), 10)
        self.assertEqual(kept[:len(kept) - len(tight)], ALL[:len(kept) - len(tight)])
        self.assertEqual(self.rows("SELECT text, refused FROM constraints"),
                         [('{"before": [2, 0]}', None)])

    def test_a_bad_file_that_comes_while_it_runs_is_refused_and_it_goes_on(self):
        campaign = self.begin_behind_a_gate()
        tap.write(self.path("rules/bad.json"), '{"before": [1, 0]}')
        stdout, stderr, code = self.end(campaign)
        self.assertEqual(code, 0, stdout + stderr)
        self.assertIn("events: refused: rules/bad.json: the constraints go in a circle", stderr)
        self.assertEqual(len(self.rows("SELECT * FROM interleaving")), len(ALL))
        self.assertIn("go in a circle", self.rows("SELECT refused FROM constraints")[0][0])

    def test_a_file_that_is_taken_back_holds_nobody_up(self):
        tap.write(self.path("rules/early.json"), '{"before": [4, 2]}')
        campaign = self.begin_behind_a_gate()
        os.unlink(self.path("rules/early.json"))
        stdout, stderr, code = self.end(campaign)
        self.assertEqual((code, stderr), (0, ""), stdout)
        kept = [events for events, in self.rows("SELECT events FROM interleaving ORDER BY place")]
        self.assertEqual(kept[-1], ALL[-1])

    def test_what_is_inferred_loses_no_outcome_and_runs_fewer(self):
        self.assert_ends(self.events("", "--db", "all", "--expect", "none"), 0)
        self.assert_ends(self.events("", "--db", "few", "--infer", "--expect", "none"), 0)
        outcomes = "SELECT results, states FROM outcome ORDER BY 1, 2"
        self.assertEqual(self.rows(outcomes, "few"), self.rows(outcomes, "all"))
        self.assertLess(len(self.rows("SELECT * FROM interleaving", "few")), len(ALL) // 2)

    def test_nothing_is_inferred_of_replicas_that_show_no_state(self):
        outcomes = "SELECT results FROM outcome ORDER BY 1"
        for hidden in "AB":
            how = f"wrong=same-states hidden={hidden}"
            self.assert_ends(self.events(how, "--db", hidden + "all", "--expect", "none"), 0)
            self.assert_ends(self.events(how, "--db", hidden, "--infer", "--expect", "none"), 0)
            self.assertEqual(self.rows(outcomes, hidden), self.rows(outcomes, hidden + "all"))


class Keeping(Case):
    CONTENTS = ("SELECT events, oracle, message, results, states FROM interleaving JOIN outcome"
                " ON outcome.id = outcome ORDER BY place")

    def test_a_campaign_is_kept_as_the_page_says(self):
        self.assert_ends(self.events("wrong=convergence", "-k", "--db", "db"), 1,
                         f"db: {len(ALL)} interleavings, ", "all were run")
        self.assertEqual(self.rows("SELECT finished FROM campaign"), [(1,)])
        self.assertEqual(self.rows("SELECT name FROM replica ORDER BY number"), [("A",), ("B",)])
        self.assertEqual(self.rows("SELECT number, kind, op, of FROM event ORDER BY number"),
                         [(i, e["kind"], e["op"], e.get("of")) for i, e in
                          enumerate(client.EVENTS)])
        self.assertEqual([row[0] for row in self.rows(self.CONTENTS)], ALL)
        findings = self.rows("SELECT oracle, interleavings, example FROM finding")
        failed = self.rows("SELECT events FROM interleaving WHERE oracle = 'convergence'")
        self.assertEqual(findings, [("convergence", len(failed), min(failed)[0])])

    def test_a_campaign_that_is_over_tells_again_what_it_found(self):
        self.assert_ends(self.events("", "--db", "good"), 0)
        self.assert_ends(self.events("", "--db", "good"), 0, "all were run")
        self.assert_ends(self.events("wrong=convergence", "-k", "--db", "db"), 1)
        self.assert_ends(self.events("wrong=convergence", "-k", "--db", "db"), 1, "all were run")

    def test_a_campaign_that_was_cut_goes_on_behind_its_last_interleaving(self):
        self.assert_ends(self.events("told=first", "-i", "10", "--batch", "4", "--db", "db"), 0,
                         "more are left")
        run = {row[0] for row in self.rows("SELECT events FROM interleaving")}
        self.assert_ends(self.events("told=second", "--db", "db"), 0, "all were run")
        self.assertEqual([row[0] for row in self.rows(self.CONTENTS)], ALL)
        # But for the first one that the second run looks at closely, nothing is run twice.
        self.assertLessEqual(len(run & set(self.lines("second"))), 1)

    def test_another_recording_or_other_options_need_another_file(self):
        self.assert_ends(self.events("", "-i", "1", "--db", "db"), 0)
        self.assert_ends(self.events("wrong=unique-results", "--db", "db"), 2,
                         "db is of a campaign with other events: take another file")
        self.assert_ends(self.events("", "--db", "db", "--fifo"), 2,
                         "db is of a campaign with other options", "--links any")
        tap.write(self.path("text"), "this is no database, but it is long enough to be one " * 20)
        self.assert_ends(self.events("", "--db", "text"), 2, "text: file is not a database")

    def go_on_after_kills(self, how, kill, *options):
        """Runs a campaign whose processes are killed at random moments, until it is over."""
        source = random.Random(7)
        for _ in range(40):
            rows = len(self.lines("told"))
            campaign = self.start(f"{how} told=told starts=starts", "-k", "--db", "db", "--batch",
                                  "4", *options)
            after = rows + source.randrange(1, 40)
            self.wait_until(lambda: len(self.lines("told")) >= after or
                            campaign.poll() is not None)
            kill(campaign)
            told = "".join(campaign.communicate(timeout=TIMEOUT_S))
            if campaign.returncode >= 0 and "all were run" in told:
                return campaign.returncode
        self.fail("the campaign does not come to its end")

    def assert_same_as_uninterrupted(self, how, kill, *options):
        code = self.go_on_after_kills(how, kill, *options)
        done = self.events(how, "-k", "--db", "whole", *options)
        self.assertEqual(code, done.returncode)
        self.assertEqual([row[0] for row in self.rows(self.CONTENTS)], ALL)
        return self.rows(self.CONTENTS), self.rows(self.CONTENTS, "whole")

    @staticmethod
    def kill_campaign(campaign):
        """sennit has become sennit-events, which runs trials in a child of its own."""
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(campaign.pid)], text=True,
                                capture_output=True, check=False).stdout.split()
        for pid in (campaign.pid, *map(int, listed)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def test_a_campaign_that_is_killed_again_and_again_comes_to_the_same(self):
        mine, whole = self.assert_same_as_uninterrupted("wrong=convergence", self.kill_campaign)
        self.assertEqual(mine, whole)

    def test_what_only_further_questions_show_is_not_lost_with_it(self):
        mine, whole = self.assert_same_as_uninterrupted(
            "wrong=no-lost-update", self.kill_campaign, "--expect", "no-lost-update")
        self.assertEqual(mine, whole)
        self.assertEqual({row[1] for row in mine}, {None, "lost-update"})

    def test_clients_that_are_killed_lose_no_interleaving(self):
        def kill(_):
            try:
                os.kill(int(self.lines("starts")[-1]), signal.SIGKILL)
            except ProcessLookupError:
                pass
        mine, whole = self.assert_same_as_uninterrupted("", kill)
        # One that was killed from outside is a finding: nobody can tell it from a crash.
        self.assertEqual([row[0] for row in mine], [row[0] for row in whole])


def main():
    global BUILD
    BUILD = os.path.abspath(sys.argv.pop(1))
    if not os.path.exists(os.path.join(BUILD, "sennit-events")):
        print("1..0 # SKIP this build is without sennit-events")
        return
    tap.main()


if __name__ == "__main__":
    main()
