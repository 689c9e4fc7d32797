#!/usr/bin/env python3
"""test_check_html - `sennit check --html`, and cores in traces: test_check_html.py BUILD

The page itself is looked at in a browser by tests/report. SPDX-License-Identifier: MIT
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
HISTORIES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../data/histories")
EVIL = '</script><script>alert(1)</script><!--'


def data_of(page):
    """The data of a page. There must be one way to read it: no element inside ends it."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    found = re.search(r'<script type="application/json" id="data">\n(.*?)</script>', text, re.S)
    return json.loads(found.group(1))


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        self.folder = tempfile.TemporaryDirectory(prefix="sennit-check-html-")

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_command(self, *arguments, code=0):
        done = subprocess.run([os.path.join(BUILD, "sennit"), *arguments], cwd=self.folder.name,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, code, done.stdout.decode())
        return done.stdout.decode()

    def check(self, *arguments, code=0):
        """Checks histories with a page, whose data it gives."""
        self.run_command("check", *arguments, "--html", "page.html", code=code)
        return data_of(self.path("page.html"))


class Pages(Case):
    def test_check_html_writes_the_history_with_its_core(self):
        data = self.check(f"{HISTORIES}/stale.edn", "--model", "map", code=1)
        [history] = data["histories"]
        self.assertEqual(data["format"], "sennit-report")
        self.assertEqual(history["format"], "sennit-history")
        self.assertEqual(history["verdict"], "not linearizable")
        self.assertEqual([(op["text"], op["process"], op["key"]) for op in history["operations"]],
                         [("write(:x, 1)", "0", ":x"), ("write(:x, 2)", "1", ":x"),
                          ("read(:x) = 1", "0", ":x")])
        self.assertEqual([op["index"] for op in history["core"]["operations"]], [0, 1, 2])
        self.assertEqual(history["core"]["order"], [0, 1])
        self.assertEqual(history["core"]["states"], ["1", "2"])
        self.assertEqual(history["core"]["candidates"],
                         [{"index": 2, "refused": False, "allowed": ["2"]}])

    def test_several_histories_are_in_one_page_in_their_order(self):
        self.write("broken.edn", "{:process 0, :type :nonsense, :f :read}\n")
        data = self.check(f"{HISTORIES}/queue.log", "broken.edn", f"{HISTORIES}/queue.log",
                          "--model", "queue", code=2)
        self.assertEqual([history["verdict"] for history in data["histories"]],
                         ["linearizable", "malformed", "linearizable"])
        self.assertIn("broken.edn:1:", data["histories"][1]["why"])
        self.assertEqual(data["histories"][1]["operations"], [])
        self.assertEqual(data["title"], "Histories")

    def test_html_says_the_same_on_standard_output_as_without(self):
        arguments = ["check", f"{HISTORIES}/stale.edn", "--model", "map", "--json"]
        without = json.loads(self.run_command(*arguments, code=1))
        with_html = json.loads(self.run_command(*arguments, "--html", "page.html", code=1))
        without.pop("seconds")
        with_html.pop("seconds")
        self.assertEqual(without, with_html)

    def test_times_of_a_file_are_told_from_the_first_call_on(self):
        data = self.check(f"{HISTORIES}/shop.jsonl", "--model", "map")
        [history] = data["histories"]
        self.assertEqual((history["clock"], history["origin"]), ("time", "100"))
        self.assertEqual((history["operations"][0]["call"], history["operations"][0]["return"]),
                         (0, 50))

    def test_a_budget_that_is_used_up_is_in_the_page(self):
        self.write("hard.edn", "".join(
            [f"{{:process {i}, :type :invoke, :f :enqueue, :value {i}}}\n" for i in range(60)] +
            [f"{{:process {i}, :type :ok, :f :enqueue, :value {i}}}\n" for i in range(60)] +
            ["{:process 0, :type :invoke, :f :dequeue}\n"
             "{:process 0, :type :ok, :f :dequeue, :value 99}\n"]))
        data = self.check("hard.edn", "--model", "queue", "--algorithm", "search", "--time",
                          "0.01", code=3)
        [history] = data["histories"]
        self.assertEqual(history["verdict"], "unknown")
        self.assertTrue(history["why"])
        self.assertEqual(len(history["operations"]), 61)

    def test_nothing_in_a_history_ends_the_element_that_holds_it(self):
        self.write("evil.edn",
                   f'{{:process 0, :type :invoke, :f :write, :value "{EVIL}"}}\n'
                   f'{{:process 0, :type :ok, :f :write, :value "{EVIL}"}}\n'
                   '{:process 1, :type :invoke, :f :read}\n'
                   f'{{:process 1, :type :ok, :f :read, :value "other {EVIL}"}}\n')
        data = self.check("evil.edn", "--model", "register", code=1)
        self.assertIn(EVIL, data["histories"][0]["operations"][0]["text"])
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertNotIn("<script>alert", file.read())

    def test_a_page_that_cannot_be_written_is_said_before_anything_is_checked(self):
        said = self.run_command("check", f"{HISTORIES}/stale.edn", "--model", "map", "--html",
                                "nowhere/page.html", code=2)
        self.assertIn("nowhere/page.html", said)
        self.assertNotIn("linearizable", said)

    def test_synchronisers_have_no_page(self):
        self.write("observed.jsonl", "{}\n")
        said = self.run_command("check", "observed.jsonl", "--model", "sync", "--html",
                                "page.html", code=2)
        self.assertIn("--html", said)

    def test_a_hundred_thousand_operations_fit_a_page(self):
        lines = []
        for i in range(100000):
            value = 1 if i == 50000 else i
            lines.append(f"{{:process 0, :type :invoke, :f :write, :value {i}}}\n"
                         f"{{:process 0, :type :ok, :f :write, :value {i}}}\n" if i % 2 == 1 else
                         "{:process 1, :type :invoke, :f :read}\n"
                         f"{{:process 1, :type :ok, :f :read, :value "
                         f"{'nil' if i == 0 else value if value == 1 else i - 1}}}\n")
        self.write("long.edn", "".join(lines))
        [history] = self.check("long.edn", "--model", "register", code=1)["histories"]
        self.assertEqual((history["total"], len(history["operations"])), (100000, 100000))
        self.assertIn(50000, [op["index"] for op in history["core"]["operations"]])


# ---- Traces --------------------------------------------------------------------------------------


class Traces(Case):
    def records_of(self, trace):
        document = json.loads(self.run_command("show", "--json", trace))
        return [record for step in document["steps"] for record in step["details"]]

    def record(self):
        done = subprocess.run([os.path.join(BUILD, "systems/ds2"), "-f", "erroneous", "-o", "out"],
                              cwd=self.folder.name, check=False, stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        return next(f"out/{name}" for name in sorted(os.listdir(self.path("out")))
                    if name.endswith(".trace"))

    def test_the_trace_of_an_illegal_history_has_its_core_as_data(self):
        records = self.records_of(self.record())
        calls = {r["number"] for r in records if r.get("operation") == "call"}
        core = [r for r in records if "core" in r]
        [illegal] = [r for r in records if "illegal" in r]
        self.assertEqual(illegal["illegal"], "register")
        self.assertIn(illegal["stuck"], calls)
        self.assertTrue(core)
        self.assertLessEqual({r["core"] for r in core}, calls)
        # The longest order is numbered from 1, and each place in it tells its state.
        places = sorted(r["place"] for r in core if "place" in r)
        self.assertEqual(places, list(range(1, len(places) + 1)))
        last = [r for r in core if r.get("place") == len(places)]
        self.assertEqual([r["state"] for r in last], [illegal["state"]] if places else [])
        refused = [r for r in core if "why" in r]
        self.assertTrue(refused)
        self.assertTrue(all("place" not in r for r in refused))
        self.assertRegex(refused[0]["why"], r"^its result would be \d")

    def test_the_core_as_data_says_what_the_notes_say(self):
        trace = self.record()
        shown = self.run_command("show", trace)
        records = self.records_of(trace)
        core = [r for r in records if "core" in r]
        texts = {r["number"]: r["text"] for r in records if r.get("operation") == "return"}
        order = sorted((r["place"], texts[r["core"]]) for r in core if "place" in r)
        self.assertIn("note:   " + "; ".join(text for _, text in order), shown)
        for refused in (r for r in core if "why" in r):
            self.assertRegex(shown, re.escape(texts[refused["core"]]) + r" of \S+ cannot be next: "
                             + re.escape(refused["why"]))

    def test_show_prints_records_of_a_core_as_notes_only(self):
        trace = self.record()
        self.assertNotIn("illegal", self.run_command("show", "-v", trace))

    def test_a_trial_with_a_core_is_replayed(self):
        trace = self.record()
        self.assertIn("failed again", self.run_command("replay", trace, code=1))


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    tap.main()
