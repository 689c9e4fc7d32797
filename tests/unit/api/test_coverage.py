#!/usr/bin/env python3
"""test_coverage - what a run says of what it has covered: test_coverage.py BUILD

SPDX-License-Identifier: MIT
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import tap
import tap14

BUILD = ""
DEADLINE_S = 300


def path(name):
    return os.path.join(BUILD, name)


class Case(unittest.TestCase):
    """A directory of its own, and an environment that asks for nothing."""

    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_command(self, *command, **variables):
        env = {name: value for name, value in os.environ.items()
               if not name.startswith(("SENNIT_", "GITHUB_"))}
        env["SENNIT_DEFAULT_STRATEGY"] = "random"
        return subprocess.run(command, cwd=self.folder, env={**env, **variables}, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              errors="replace", timeout=DEADLINE_S)

    def meet(self, *arguments, **variables):
        return self.run_command(path("tests/unit/api/sometimes_main"), "-i", "20", *arguments,
                                **variables)

    def races(self, *arguments, **variables):
        return self.run_command(path("tests/unit/api/races_main"), *arguments, **variables)

    def load(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return json.load(file)


class Sometimes(Case):
    """Places that must be met in some trial."""

    UNMET = {"three come", "Second comes a third time", "in a shared object"}
    MET = {"First comes last", "the monitor is told", "in a header"}

    def sites(self):
        return {site["name"]: site for site in self.load("sennit-out/summary.json")["sometimes"]}

    def assert_found(self):
        sites = self.sites()
        self.assertEqual({name for name, site in sites.items() if not site["held"]}, self.UNMET)
        self.assertEqual({name for name, site in sites.items() if site["held"]}, self.MET)

    def test_a_place_that_no_trial_gets_to_is_reported(self):
        done = self.meet()
        self.assertEqual(done.returncode, 0)
        self.assertIn("meeting: 3 of 6 places that must be met in some trial were not\n",
                      done.stdout)
        self.assertRegex(done.stdout, r'sn_reachable "Second comes a third time" '
                         r'\(sometimes_main.c:\d+\): no trial gets there')
        self.assertFalse(self.sites()["Second comes a third time"]["reached"])

    def test_a_condition_that_never_holds_is_told_from_a_place_that_is_not_reached(self):
        done = self.meet()
        self.assertRegex(done.stdout, r'sn_sometimes "three come" \(sometimes_main.c:\d+: '
                         r'receiver->came == 3\): no trial in which it holds')
        self.assertTrue(self.sites()["three come"]["reached"])

    def test_what_is_met_is_told_with_its_first_trial_if_asked(self):
        done = self.meet("-v")
        self.assertRegex(done.stdout, r'sn_reachable "the monitor is told" '
                         r'\(sometimes_main.c:\d+\): first in race, trial 0\n')
        self.assertNotIn("the monitor is told", self.meet().stdout)

    def test_places_of_shared_objects_headers_and_monitors_count(self):
        self.meet()
        self.assert_found()

    def test_what_a_trial_in_a_process_of_its_own_has_shown_was_shown(self):
        self.meet("--isolate=fork")
        self.assert_found()

    def test_what_a_trial_has_shown_is_not_rolled_back(self):
        self.meet("-f", "restored")
        self.assert_found()
        self.meet("-f", "restored", "-s", "dfs")
        self.assert_found()

    def test_the_first_trial_that_meets_a_place_is_the_one_that_is_told(self):
        self.meet("-f", "restored")
        self.assertEqual(self.sites()["the monitor is told"]["trial"], 0)
        self.assertGreater(self.sites()["First comes last"]["trial"], 0)

    def test_what_is_met_and_when_does_not_depend_on_the_number_of_workers(self):
        self.meet()
        alone = self.sites()
        self.meet("-j", "3")
        self.assertEqual(self.sites(), alone)

    def test_strict_makes_it_a_failure_of_the_run(self):
        done = self.meet("--strict")
        self.assertEqual(done.returncode, 1)
        self.assertIn("meeting: FAILED: 3 of 6 places that must be met in some trial were not "
                      "(--strict)\n", done.stdout)
        self.assertEqual(self.load("sennit-out/summary.json")["verdict"], "failed")
        self.assertEqual(self.meet(SENNIT_STRICT="1").returncode, 1)

    def test_strict_says_why_even_if_it_is_to_be_quiet(self):
        self.assertIn("FAILED: 3 of 6", self.meet("--strict", "-q").stdout)
        self.assertEqual(self.meet("-q").stdout, "")

    def test_in_tap_they_are_a_test_of_their_own(self):
        for arguments, failed in (("--strict",), 1), ((), 0):
            done = self.meet("--tap", *arguments)
            parsed = tap14.read(done.stdout)
            self.assertEqual(len(parsed.points), 4)
            self.assertEqual(parsed.points[3].name,
                             "meeting/sometimes")
            self.assertFalse(parsed.points[3].is_ok)
            self.assertEqual(done.returncode, failed)
        self.assertIn("not ok 4 - meeting/sometimes # TO" + "DO ", done.stdout)

    def test_in_junit_they_are_a_case_of_their_own(self):
        self.meet("--strict", "--xml", "x.xml")
        suite = xml.etree.ElementTree.parse(os.path.join(self.folder, "x.xml")).getroot()[0]
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("4", "1"))
        case = suite.findall("testcase")[3]
        self.assertIn("3 of 6 places", case.find("failure").get("message"))
        self.assertIn("three come", case.find("system-out").text)
        self.meet("--xml", "x.xml")
        suite = xml.etree.ElementTree.parse(os.path.join(self.folder, "x.xml")).getroot()[0]
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("4", "0"))

    def test_on_github_they_are_annotations(self):
        done = self.meet(GITHUB_ACTIONS="true")
        self.assertRegex(done.stderr, r"::warning file=.*sometimes_main.c,line=\d+,title=meeting ")


class Next(Case):
    """What is said about the next trial, and the curve."""

    def figures(self, *arguments):
        self.races("-f", "two_senders", *arguments)
        test = self.load("sennit-out/summary.json")["tests"][0]
        return test["next"], test["discovery"]

    def test_what_is_said_does_not_depend_on_the_number_of_workers(self):
        for strategy in "random", "pct:2", "portfolio":
            alone = self.figures("-i", "700", "-s", strategy)
            self.assertEqual(self.figures("-i", "700", "-s", strategy, "-j", "3"), alone)

    def test_the_curve_goes_from_the_first_trial_to_the_last(self):
        _, curve = self.figures("-i", "1000")
        self.assertEqual((curve[0][0], curve[-1]), (16, [1000, 2]))
        self.assertEqual(curve, sorted(curve))
        _, curve = self.figures("-i", "3")
        self.assertEqual([trials for trials, _ in curve], [1, 2, 3])

    def test_each_arm_of_a_portfolio_is_counted_for_itself(self):
        arms, _ = self.figures("-i", "1000", "-s", "portfolio")
        self.assertEqual([arm["strategy"] for arm in arms],
                         ["random", "pos", "posr", "pct:2", "pct:3"])
        self.assertEqual({arm["orders"] for arm in arms}, {2})
        self.assertLess(arms[4]["trials"], 1000)

    def test_it_is_said_in_one_sentence_with_no_bug_found(self):
        done = self.races("-f", "two_senders", "-i", "200")
        self.assertIn("\n    the next trial shows a new order with a probability of about 0 % "
                      "(0 to 1.8 %)\n", done.stdout)
        done = self.races("-f", "two_senders", "-i", "99")
        self.assertIn("\n    too few trials to say how likely the next one is to show a new "
                      "order\n", done.stdout)
        done = self.races("-f", "two_senders", "-s", "dfs")
        self.assertNotIn("the next", done.stdout)


class Races(Case):
    """Events that could come in either order."""

    def found(self, test, *arguments):
        """(machine, event, event) of each race: the orders in which they came."""
        self.races("-f", test, *arguments)
        races = self.load(f"sennit-out/races-{test}.coverage.json")["races"]
        return {(race["machine"], race["first"], race["second"]): (race["forth"], race["back"])
                for race in races}

    def test_events_of_two_senders_race_and_both_orders_are_seen(self):
        self.assertEqual(self.found("two_senders", "-i", "20"),
                         {("Sink", "Ping", "Pong"): (True, True)})

    def test_a_race_that_came_in_one_order_only_is_named(self):
        self.assertEqual(self.found("two_senders", "-i", "1"),
                         {("Sink", "Ping", "Pong"): (True, False)})
        done = self.races("-f", "two_senders", "-i", "1", "-v")
        self.assertIn("    only in this order: Ping, then Pong of Sink\n", done.stdout)
        self.assertIn("1 of 1 races in one order only (in 1 trial looked at)\n", done.stdout)

    def test_what_one_queue_keeps_in_order_does_not_race(self):
        self.assertEqual(self.found("one_sender", "-i", "20"), {})

    def test_what_one_sender_sends_on_an_unordered_link_does(self):
        self.assertEqual(self.found("unordered", "-i", "20"),
                         {("Sink", "Ping", "Pong"): (True, True)})

    def test_what_depends_on_an_event_does_not_race_with_it(self):
        self.assertEqual(self.found("cause", "-i", "50"), {})

    def test_what_has_to_wait_for_time_to_pass_does_not_race_with_what_was_before(self):
        self.assertEqual(self.found("time", "-i", "50"), {})
        self.assertEqual(self.found("any_time", "-i", "50"),
                         {("Sink", "Ping", "Pong"): (True, True)})

    def test_states_between_steps_are_counted(self):
        self.races("-f", "two_senders", "-i", "30")
        survey = self.load("sennit-out/races-two_senders.coverage.json")["survey"]
        self.assertEqual((survey["states"], survey["trials"]), (4, 30))

    def test_states_are_not_counted_if_a_machine_cannot_tell_its_own(self):
        self.races("-f", "any_time", "-i", "30")
        survey = self.load("sennit-out/races-any_time.coverage.json")["survey"]
        self.assertIsNone(survey["states"])

    def test_some_of_the_later_trials_are_looked_at_too(self):
        self.races("-f", "two_senders", "-i", "1000")
        survey = self.load("sennit-out/races-two_senders.coverage.json")["survey"]
        self.assertEqual(survey["trials"], 32 + 3)

    def test_the_file_is_the_same_with_any_number_of_workers(self):
        for arguments in (("-i", "400"), ("-i", "400", "-s", "pct:2"),
                          ("-i", "40", "--isolate=fork")):
            files = []
            for jobs in "1", "3":
                self.races("-f", "two_senders", "-j", jobs, *arguments)
                files.append(self.load("sennit-out/races-two_senders.coverage.json"))
            self.assertEqual(files[0], files[1])

    def test_a_search_that_tries_everything_is_looked_at_too(self):
        self.assertEqual(self.found("two_senders", "-s", "dfs"),
                         {("Sink", "Ping", "Pong"): (True, True)})
        survey = self.load("sennit-out/races-two_senders.coverage.json")["survey"]
        self.assertEqual((survey["states"], survey["trials"]), (4, 2))

    def letters(self, *arguments):
        """What a search of 2520 schedules, of 6 steps each, has covered."""
        done = self.run_command(path("tests/unit/api/letters_main"), "--letters", "6", "-s", "dfs",
                                *arguments)
        return done.stdout, self.load("sennit-out/post-letters.coverage.json")

    def test_some_trials_of_a_large_search_are_looked_at_whoever_runs_them(self):
        files = [self.letters("-j", jobs)[1] for jobs in ("1", "2", "3")]
        self.assertEqual(files[0]["trials"], 2520)
        self.assertTrue(64 <= files[0]["survey"]["trials"] <= 128, files[0]["survey"])
        self.assertEqual(files[0], files[1])
        self.assertEqual(files[0], files[2])

    def test_a_search_that_was_stopped_says_that_it_knows_nothing_of_states_and_races(self):
        text, file = self.letters("-i", "1000", "-v")
        self.assertEqual(file["survey"], {"trials": 0, "complete": True, "states": None,
                                          "least": False})
        self.assertIn("states and races are not known: they are counted once a search has run "
                      "every schedule\n", text)

    def test_events_that_never_came_are_named(self):
        done = self.races("-f", "two_senders", "-i", "20", "-v")
        self.assertIn("    never: Later of Sink in state Sinking\n", done.stdout)


class Kinds(Case):
    """Failures that are counted by what they have in common."""

    def test_failures_are_grouped_by_oracle_and_place_or_message_without_numbers(self):
        done = self.races("-f", "kinds", "-k", "-i", "1000")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(
            done.stdout, r"    3 kinds of failures:\n"
            r"(        \d+ times, first in trial \d+: (assert at races_main.c:\d+"
            r"|usage: Ping is sent to SN_NOBODY .*)\n){3}")
        test = self.load("sennit-out/summary.json")["tests"][0]
        self.assertEqual(test["kinds"], 3)
        self.assertEqual(sum(failure["count"] for failure in test["failures"]), test["failed"])
        self.assertEqual(len({failure["signature"] for failure in test["failures"]}), 3)

    def test_numbers_in_messages_make_no_kinds(self):
        self.races("-f", "kinds", "-k", "-i", "1000")
        failures = self.load("sennit-out/summary.json")["tests"][0]["failures"]
        self.assertEqual(sum("apples" in failure["message"] for failure in failures), 1)

    def test_each_kind_has_one_example_that_can_be_replayed(self):
        self.races("-f", "kinds", "-k", "-i", "1000")
        for failure in self.load("sennit-out/summary.json")["tests"][0]["failures"]:
            done = self.run_command(path("tests/unit/api/races_main"), "--replay",
                                    failure["trace"])
            self.assertEqual(done.returncode, 1)

    def test_without_keep_going_there_is_one_failure_and_no_kinds(self):
        self.assertNotIn("of failures", self.races("-f", "kinds", "-i", "1000").stdout)


class Together(Case):
    """What several runs have shown."""

    NAME = "races-two_senders.coverage.json"

    def run_to(self, outdir, *arguments, test="two_senders"):
        self.races("-f", test, "-o", outdir, *arguments)

    def take(self, *arguments):
        return self.run_command(path("sennit"), "coverage", *arguments)

    def taken(self, *arguments):
        done = self.take("-o", "sum", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.load("sum/" + self.NAME)

    def test_trials_add_up_and_what_one_has_seen_counts(self):
        self.run_to("a", "-i", "1")
        self.run_to("b", "-i", "1", "--seed", "2")
        a, b = self.load("a/" + self.NAME), self.load("b/" + self.NAME)
        self.assertNotEqual(a["orders"]["seen"], b["orders"]["seen"])
        both = self.taken("a", "b")
        self.assertEqual((both["trials"], both["orders"]["distinct"]), (2, 2))
        self.assertEqual([(race["forth"], race["back"]) for race in both["races"]],
                         [(True, True)])
        self.assertEqual(len(both["runs"]), 2)

    def test_how_often_an_order_came_adds_up(self):
        self.run_to("a", "-i", "1")
        self.run_to("b", "-i", "1", "--seed", "3")
        self.run_to("c", "-i", "1", "--seed", "2")
        arm = self.taken("a", "b", "c")["next"][0]
        self.assertEqual((arm["trials"], arm["orders"], arm["once"], arm["twice"]), (3, 2, 1, 1))

    def test_shards_together_are_the_whole(self):
        self.run_to("whole", "-i", "480")
        self.run_to("a", "-i", "480", "--shard", "1/2")
        self.run_to("b", "-i", "480", "--shard", "2/2")
        whole = self.load("whole/" + self.NAME)
        both = self.taken("a", "b")
        for key in "trials", "steps", "failed", "orders", "came", "machines":
            self.assertEqual(both[key], whole[key], key)
        self.assertEqual(both["next"], whole["next"])

    def test_runs_that_go_on_are_one_run(self):
        self.run_to("whole", "-i", "300")
        self.run_to("a", "-i", "100")
        os.rename(os.path.join(self.folder, "a", self.NAME),
                  os.path.join(self.folder, "first.json"))
        self.run_to("a", "-i", "200", "--resume")
        both = self.taken("first.json", "a")
        whole = self.load("whole/" + self.NAME)
        self.assertEqual((both["trials"], both["next"]), (300, whole["next"]))

    def test_the_same_trials_count_once(self):
        self.run_to("a", "-i", "300")
        self.run_to("b", "-i", "100")
        one = self.load("a/" + self.NAME)
        for paths in ("a", "a"), ("a", "b"), ("b", "a"), ("b", "a", "b", "a"):
            done = self.take("-o", "sum", *paths)
            self.assertEqual(done.returncode, 0)
            self.assertIn("count once", done.stderr)
            self.assertEqual(self.load("sum/" + self.NAME), one)

    def test_what_was_taken_together_can_be_again(self):
        self.run_to("a", "-i", "100")
        self.run_to("b", "-i", "100", "--seed", "2")
        self.run_to("c", "-i", "100", "--seed", "3")
        all_at_once = self.taken("a", "b", "c")
        self.taken("a", "b")
        os.rename(os.path.join(self.folder, "sum"), os.path.join(self.folder, "two"))
        self.assertEqual(self.taken("two", "c"), all_at_once)
        self.assertIn("count once", self.take("two", "b").stderr)

    def test_trials_that_are_partly_the_same_are_refused(self):
        self.run_to("a", "-i", "100")
        self.run_to("b", "-i", "100", "--seed", "2")
        self.taken("a", "b")
        self.run_to("c", "-i", "200")
        done = self.take("sum", "c")
        self.assertEqual(done.returncode, 2)
        self.assertIn("some trials are in both, and others in one only", done.stderr)

    def test_another_strategy_is_another_arm(self):
        self.run_to("a", "-i", "300")
        self.run_to("b", "-i", "300", "-s", "pos")
        both = self.taken("a", "b")
        self.assertEqual([(arm["strategy"], arm["trials"]) for arm in both["next"]],
                         [("random", 300), ("pos", 300)])

    def test_trials_that_must_keep_to_an_order_are_others(self):
        self.run_to("a", "-i", "300")
        self.run_to("b", "-i", "300", "--require",
                    "deliver Ping to Sink before deliver Pong to Sink")
        both = self.taken("a", "b")
        self.assertEqual((both["trials"], both["next"]), (600, []))

    def test_runs_of_different_builds_are_taken_together_only_if_asked(self):
        self.run_to("a", "-i", "300")
        self.run_to("b", "-i", "300", "--seed", "2")
        other = self.load("b/" + self.NAME)
        other["runs"][0]["build"] = "abc"
        self.store("b/" + self.NAME, other)
        done = self.take("a", "b")
        self.assertEqual(done.returncode, 2)
        self.assertIn("different builds", done.stderr)
        both = self.taken("--any-build", "a", "b")
        self.assertEqual((both["trials"], both["next"]), (600, []))

    def test_tests_are_told_apart(self):
        self.races("-o", "a", "-i", "20")
        done = self.take("a")
        self.assertEqual(done.returncode, 0)
        self.assertEqual([line for line in done.stdout.splitlines() if line[0] != " "],
                         ["races/any_time", "races/cause", "races/kinds", "races/one_sender",
                          "races/time", "races/two_senders", "races/unordered"])

    def store(self, name, value):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            json.dump(value, file)

    def test_a_file_that_makes_no_sense_is_refused_with_a_reason(self):
        self.run_to("a", "-i", "50")
        good = self.load("a/" + self.NAME)

        def change(key, value):
            return {**good, key: value}

        seen = good["orders"]["seen"]
        arm = good["next"][0]
        bad = {
            "this is no file of coverage": {},
            "a newer version of Sennit": change("version", 3),
            "an older version of Sennit": change("version", 1),
            '"test" is missing': {key: good[key] for key in good if key != "test"},
            '"suite" is too long': change("suite", "x" * 1000),
            '"trials" is not what it should be': change("trials", "many"),
            '"runs" does not add up': change("trials", 51),
            '"runs" has more trials': change("runs", [{**good["runs"][0], "first": 2**64 - 1}]),
            '"runs" is too long': change("runs", good["runs"] * 300),
            '"stream" has not sixteen digits': change("runs", [{**good["runs"][0],
                                                                "stream": "1"}]),
            '"seen" is not sorted': change("orders", {**good["orders"],
                                                      "seen": seen[16:] + seen[:16]}),
            '"seen" is not hexadecimal': change("orders", {**good["orders"],
                                                           "seen": "x" + seen[1:]}),
            '"seen" is no list of orders': change("orders", {**good["orders"],
                                                             "seen": seen[1:]}),
            '"distinct" is more than are listed': change("orders", {**good["orders"],
                                                                    "distinct": 9}),
            '"sketch" has another length': change("orders", {**good["orders"], "exact": False}),
            '"counts" are not numbers': change("next", [{**arm, "counts": "9" * 2}]),
            '"counts" are not those': change("next", [{**arm, "counts": "1"}]),
            '"runs" has the same trials twice': {**good, "runs": good["runs"] * 2, "trials": 100},
            '"next" has more trials than there were': change("next", [{**arm, "trials": 51}]),
            '"next" has figures that cannot be': change("next", [{**arm, "counts": "",
                                                                  "once": 2, "twice": 1}]),
            '"next" is too long': change("next", [arm] * 9),
            '"discovery" is no list of pairs': change("discovery", [[1]]),
            '"states" is no number': change("survey", {**good["survey"], "states": "4"}),
            '"races" is not sorted': change("races", good["races"] * 2),
            '"came" is no list of names': change("machines", {"A": {"B": {"came": [1],
                                                                          "never": []}}}),
            '"machines" is not what it should be': change("machines", {"A": 1}),
        }
        for reason, value in bad.items():
            self.store("bad.json", value)
            done = self.take("bad.json")
            self.assertEqual((done.returncode, done.stdout), (2, ""), reason)
            self.assertIn("sennit: bad.json: ", done.stderr)
            self.assertIn(reason, done.stderr)

    def test_what_is_no_json_is_refused_with_its_place(self):
        tap.write(os.path.join(self.folder, "bad.json"), '{"sennit": "coverage",')
        done = self.take("bad.json")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^sennit: bad.json: byte \d+: ")

    def test_no_beginning_of_a_file_is_taken_for_one(self):
        self.run_to("a", "-i", "20")
        with open(os.path.join(self.folder, "a", self.NAME), encoding="utf-8") as file:
            text = file.read()
        for n in range(0, len(text) - 2, 97):
            tap.write(os.path.join(self.folder, "bad.json"), text[:n])
            self.assertEqual(self.take("bad.json").returncode, 2, n)

    def test_a_path_that_is_not_there_or_has_nothing_is_refused(self):
        os.mkdir(os.path.join(self.folder, "empty"))
        self.assertEqual(self.take("nowhere").returncode, 2)
        done = self.take("empty")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no file that ends in .coverage.json", done.stderr)
        self.assertEqual(self.take().returncode, 2)
        self.assertEqual(self.take("--help").returncode, 0)


def main():
    global BUILD
    BUILD = os.path.abspath(sys.argv[1])
    tap.main()


if __name__ == "__main__":
    main()
