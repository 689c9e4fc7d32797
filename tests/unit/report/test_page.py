#!/usr/bin/env python3
"""test_page - reports as files: what is in them, and what becomes of bad input:
test_page.py BUILD [--slow]

With --slow, each trial is a process: then nothing is explained.
What a browser makes of them is tested elsewhere; here they are read as bytes and as data.
SPDX-License-Identifier: MIT
"""

import base64
import hashlib
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
IS_SLOW = False
PROGRAM = "tests/unit/report/page_main"


class Elements(html.parser.HTMLParser):
    """The elements of a page, and the text within scripts and styles."""

    def __init__(self):
        super().__init__()
        self.tags = []
        self.texts = {}
        self.is_open = False

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.texts.setdefault(len(self.tags), "")

        self.is_open = True

    def handle_endtag(self, tag):
        self.is_open = False

    def handle_data(self, data):
        if self.is_open:
            self.texts[len(self.tags)] += data


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, *command, **variables):
        env = dict(os.environ, SENNIT_NO_REPORT="0", **variables)
        return subprocess.run(command, cwd=self.folder, check=False, capture_output=True, env=env,
                              encoding="utf-8", stdin=subprocess.DEVNULL, timeout=600)

    def run_program(self, *arguments, **variables):
        return self.start(os.path.join(BUILD, PROGRAM), *arguments, **variables)

    def sennit(self, *arguments):
        return self.start(os.path.join(BUILD, "sennit"), *arguments)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def elements(self, name="report.html"):
        parser = Elements()
        parser.feed(self.read(name))
        return parser

    def data(self, name="report.html"):
        parser = self.elements(name)
        for i, (tag, attributes) in enumerate(parser.tags):
            if tag == "script" and attributes.get("id") == "data":
                return json.loads(parser.texts[i + 1])
        raise AssertionError("there is no data")

    def fail_once(self, test="remember", *more):
        done = self.run_program("-f", test, "-o", "out", *more)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        names = sorted(name for name in os.listdir(self.path("out")) if name.endswith(".trace"))
        return os.path.join("out", names[-1])

    def report(self, *inputs):
        done = self.sennit("report", *inputs)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "report.html\n")
        return self.data()

    def assert_refused(self, sentence, *inputs):
        done = self.sennit("report", *inputs)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(done.stderr, f"sennit: {sentence}\n")
        self.assertEqual(done.stdout, "")


class Files(Case):
    def test_one_file_needs_no_other(self):
        self.report(self.fail_once())
        for _, attributes in self.elements().tags:
            self.assertFalse({"src", "href", "srcset", "action"} & attributes.keys())
        reaches = re.search(r"@import|url\((?!#)|\bfetch\(|XMLHttpRequest|WebSocket|import\(",
                            self.read("report.html"))
        self.assertIsNone(reaches)

    def test_the_policy_allows_the_script_and_the_style_by_their_hashes_and_nothing_else(self):
        self.report(self.fail_once())
        parser = self.elements()
        allowed = {}
        for i, (tag, attributes) in enumerate(parser.tags):
            if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy":
                policy = attributes["content"]
            if tag == "style" or (tag == "script" and "id" not in attributes):
                digest = hashlib.sha256(parser.texts[i + 1].encode()).digest()
                allowed[tag] = f"'sha256-{base64.b64encode(digest).decode()}'"
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        self.assertEqual(rules["default-src"], "'none'")
        self.assertEqual(rules["script-src"], allowed["script"])
        self.assertEqual(rules["style-src"], allowed["style"])
        self.assertEqual([tag for tag, _ in parser.tags].count("script"), 2)

    def test_no_script_makes_markup_of_strings(self):
        self.report(self.fail_once())
        parser = self.elements()
        script = next(parser.texts[i + 1] for i, (tag, attributes) in enumerate(parser.tags)
                      if tag == "script" and "id" not in attributes)
        makes = re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|"
                          r"new Function|createContextualFragment|DOMParser", script)
        self.assertIsNone(makes)

    def test_the_data_of_a_trial_is_the_document_of_show(self):
        trace = self.fail_once()
        shown = self.sennit("show", "--json", trace)
        data = self.report(trace)
        self.assertEqual(data["format"], "sennit-report")
        self.assertEqual(data["trials"][0]["trace"], json.loads(shown.stdout))

    def test_nothing_in_a_trace_ends_the_element_that_holds_it(self):
        self.report(self.fail_once("hostile"))
        text = self.read("report.html")
        data = text.split('id="data">', 1)[1].split("</script>", 1)[0]
        self.assertNotIn("<", data)
        step = json.loads(data)["trials"][0]["trace"]["steps"][-1]
        self.assertEqual(step["event"], "</script><script>alert(1)</script>")
        self.assertEqual(step["payload"].split(" &lt;")[0], "text=</SCRIPT ><iframe srcdoc=x>")
        self.assertEqual(step["task"], "<svg onload=alert(3)>")

    def test_any_trace_of_a_trial_stands_for_all_its_files(self):
        trace = self.fail_once()
        self.assertTrue(self.run_program("--shrink", trace).returncode in (0, 3))
        base = trace[:-len(".trace")]
        for name in (base + ".trace", base + ".shrunk.trace"):
            trial, = self.report(name)["trials"]
            self.assertEqual(trial["path"], base + ".shrunk.trace")
            self.assertEqual(trial["original_path"], base + ".trace")
            self.assertIsNotNone(trial["original"])
            self.assertIsNone(trial["explanation"])
        self.assertEqual(len(self.report(base + ".trace", base + ".shrunk.trace")["trials"]), 1)

    def test_a_directory_stands_for_its_run(self):
        self.fail_once("remember", "-k", "-i", "500")
        data = self.report("out")
        run, = data["runs"]
        self.assertEqual(run["path"], "out")
        self.assertEqual(run["summary"], json.loads(self.read("out/summary.json")))
        self.assertEqual(run["coverages"][0]["test"], "remember")
        self.assertEqual(run["coverages"][0]["trials"], 500)
        self.assertEqual(len(data["trials"]), 1)

    def test_orders_are_left_out_of_what_was_covered(self):
        self.fail_once("remember", "-k", "-i", "500")
        run, = self.report("out")["runs"]
        self.assertGreater(run["coverages"][0]["orders"]["distinct"], 1)
        self.assertEqual(run["coverages"][0]["orders"]["seen"], "")


class Refusals(Case):
    def test_what_is_not_there_is_named(self):
        self.assert_refused("none.trace: cannot be opened: No such file or directory", "none.trace")

    def test_an_empty_directory_is_refused(self):
        os.mkdir(self.path("empty"))
        self.assert_refused("empty: there is neither a trace nor a summary.json in it", "empty")

    def test_an_empty_directory_is_refused_beside_a_trace(self):
        trace = self.fail_once()
        os.mkdir(self.path("empty"))
        self.assert_refused("empty: there is neither a trace nor a summary.json in it", trace,
                            "empty")

    def test_a_directory_may_have_any_number_of_traces(self):
        trace = self.fail_once()
        os.mkdir(self.path("many"))
        for i in range(5000):
            os.link(self.path(trace), self.path(f"many/{i:04}.trace"))

        trials = self.report("many")["trials"]

        self.assertEqual([trial["path"] for trial in trials],
                         [f"many/{i:04}.trace" for i in range(5000)])

    def test_an_explanation_that_ends_in_a_backslash_is_refused_whatever_its_size(self):
        trace = self.fail_once()
        for size in (4095, 4096, 65536):
            base = trace.removesuffix(".trace").removesuffix(".shrunk")
            self.write(base + ".explained.json", "[\n\"" + "a" * (size - 4) + "\\")
            self.assert_refused(f"{base}.explained.json:2: a string is not closed", trace)

    def test_a_malformed_trace_is_refused_with_its_line(self):
        self.write("bad.trace", '{"sennit":"trace","version":9}\n')
        self.assert_refused("bad.trace:1: the trace has format version 9, "
                            "this Sennit reads version 1", "bad.trace")

    def test_a_malformed_explanation_is_refused_with_its_line(self):
        trace = self.fail_once()
        self.write(trace[:-len(".trace")] + ".explained.json", '{"a":\n1,\n}')
        done = self.sennit("report", trace)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr,
                         r"^sennit: out/\S+\.explained\.json:3: a member needs a key\n$")

    def test_a_malformed_coverage_is_refused(self):
        self.fail_once()
        self.write("out/x.coverage.json", "{}")
        done = self.sennit("report", "out")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^sennit: out/x\.coverage\.json")

    def test_what_was_there_before_stays_if_the_report_cannot_be_made(self):
        self.write("report.html", "old")
        self.write("bad.trace", "{}")
        self.assertEqual(self.sennit("report", "bad.trace").returncode, 2)
        self.assertEqual(self.read("report.html"), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.trace", "report.html"])

    def test_a_place_that_cannot_be_written_to_is_named(self):
        trace = self.fail_once()
        done = self.sennit("report", "-o", "none/report.html", trace)
        self.assertEqual(done.returncode, 2)
        self.assertIn("none/report.html: cannot be written", done.stderr)

    def test_usage_is_told(self):
        self.assertEqual(self.sennit("report").returncode, 2)
        self.assertEqual(self.sennit("report", "--none").returncode, 2)
        self.assertEqual(self.sennit("report", "--help").returncode, 0)


class Runs(Case):
    def test_a_failing_run_writes_its_report_and_prints_where_it_is(self):
        done = self.run_program("-f", "remember", "-o", "out")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines()[-1], "report: out/report.html")
        data = self.data("out/report.html")
        self.assertEqual(data["runs"][0]["summary"], json.loads(self.read("out/summary.json")))
        self.assertTrue(data["runs"][0]["summary"]["complete"])
        self.assertEqual(data["trials"][0]["trace"]["header"]["test"], "remember")

    def test_a_shrunk_trial_is_shown_beside_the_one_that_was_found(self):
        self.run_program("-f", "remember", "-o", "out", SENNIT_NO_SHRINK="0")
        trial, = self.data("out/report.html")["trials"]
        self.assertRegex(trial["path"], r"\.shrunk\.trace$")
        self.assertIsNotNone(trial["original"])

    def test_a_run_without_failures_writes_none(self):
        done = self.run_program("-f", "pass", "-i", "50", "-o", "out")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("report", done.stdout)
        self.assertFalse(os.path.exists(self.path("out/report.html")))

    def test_no_report_is_written_if_none_is_wanted(self):
        done = self.run_program("-f", "remember", "-o", "out", "--no-report")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("report:", done.stdout)
        self.assertFalse(os.path.exists(self.path("out/report.html")))

    def test_tap_tells_where_the_report_is_as_a_comment(self):
        done = self.run_program("-f", "remember", "-o", "out", "--tap")
        self.assertEqual(done.stdout.splitlines()[-1], "# report: out/report.html")

    def test_a_report_shows_this_run_and_not_what_was_left_before(self):
        self.run_program("-f", "hostile", "-o", "out")
        self.run_program("-f", "remember", "-o", "out")
        names = [trial["trace"]["header"]["test"]
                 for trial in self.data("out/report.html")["trials"]]
        self.assertEqual(names, ["remember"])

    def test_the_report_can_be_read_again_as_data_whatever_failed(self):
        done = self.run_program("-i", "50", "-o", "out")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(self.data("out/report.html")["trials"]), 2)


class Explanations(Case):
    def setUp(self):
        super().setUp()
        if IS_SLOW:
            self.skipTest("explaining takes thousands of trials, and each is a process here")

    def explain(self, trace, *more):
        done = self.run_program("--explain", trace, "-i", "20000", *more)
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
        return done.stdout

    def test_explaining_writes_a_report_beside_the_trace(self):
        trace = self.fail_once()
        base = trace[:-len(".trace")]
        told = self.explain(trace)
        self.assertEqual(told.splitlines()[-1], f"report: {base}.html")
        trial, = self.data(base + ".html")["trials"]
        self.assertEqual(trial["explanation"]["format"], "sennit-explanation")
        self.assertEqual(trial["explained"]["verdict"]["verdict"], "failed")
        self.assertEqual(trial["nearest"]["verdict"]["verdict"], "passed")

    def test_orders_name_the_steps_of_the_trial_that_is_explained(self):
        trace = self.fail_once()
        self.explain(trace)
        trial, = self.data(trace[:-len(".trace")] + ".html")["trials"]
        orders = [one for one in trial["explanation"]["causes"][0]["constraints"]
                  if one["kind"] == "order"]
        self.assertTrue(orders)
        for order in orders:
            first = trial["explained"]["steps"][order["first_step"]]
            self.assertEqual(first["event"], "Add")
            if not order["second_never_ran"]:
                second = trial["explained"]["steps"][order["second_step"]]
                self.assertEqual(second["event"], "Look")
                self.assertLess(order["first_step"], order["second_step"])

    def test_json_alone_is_printed_if_json_is_asked_for(self):
        trace = self.fail_once()
        json.loads(self.explain(trace, "--json"))
        self.assertTrue(os.path.exists(self.path(trace[:-len(".trace")] + ".html")))

    def test_a_new_trace_forgets_what_was_found_out_about_the_old_one(self):
        trace = self.fail_once()
        self.explain(trace)
        self.fail_once()
        left = [name for name in os.listdir(self.path("out"))
                if re.search(r"explained|nearest|-\d+\.html", name)]
        self.assertEqual(left, [])

    def test_a_directory_with_explanations_has_them_in_its_report(self):
        trace = self.fail_once()
        self.explain(trace)
        trial, = self.report("out")["trials"]
        self.assertIsNotNone(trial["explanation"])
        self.assertIsNotNone(trial["nearest"])


class Traces(Case):
    def records(self, kind):
        trace, = self.report(self.fail_once())["trials"]
        return [(step["step"], record) for step in trace["trace"]["steps"]
                for record in step["details"] if kind in record]

    def test_what_a_machine_remembers_is_told_when_it_has_changed(self):
        told = [record["text"] for _, record in self.records("memory")
                if record["memory"] == "Tally"]
        self.assertEqual(told, ["n=0 is_done=false", "n=1 is_done=false", "n=2 is_done=false",
                                "n=2 is_done=true"])

    def test_a_printer_tells_what_a_monitor_remembers(self):
        told = [record["text"] for _, record in self.records("memory")
                if record["memory"] == "Watch"]
        self.assertEqual(told, ["seen 0", "seen 1"])

    def test_states_of_monitors_tell_whether_they_are_hot(self):
        told = [(record["state"], record.get("heat")) for _, record in self.records("state")
                if record["task"] == "Watch"]
        self.assertEqual(told, [("Waiting", "hot"), ("Satisfied", "cold")])

    def test_a_machine_is_on_a_node(self):
        nodes = {record["create"]: record.get("node") for _, record in self.records("create")}
        self.assertEqual(nodes["Tally"], "left")
        self.assertIsNone(nodes["Adder"])

    def test_show_tells_what_is_remembered_if_it_is_to_tell_all(self):
        trace = self.fail_once()
        self.assertIn("Tally has n=2 is_done=true", self.sennit("show", "-v", trace).stdout)
        self.assertNotIn("Tally has", self.sennit("show", trace).stdout)

    def test_a_trial_is_the_same_whether_its_machines_are_looked_at_or_not(self):
        trace = self.fail_once()
        done = self.run_program("--replay", trace)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("failed again", done.stdout)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    IS_SLOW = sys.argv[1:] == ["--slow"]
    del sys.argv[1:]
    tap.main()
