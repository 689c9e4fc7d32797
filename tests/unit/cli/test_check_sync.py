#!/usr/bin/env python3
"""test_check_sync - `sennit check --model sync` with observations of synchronisers:
test_check_sync.py BUILD

SPDX-License-Identifier: MIT
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""

# Node 1's change is nowhere when all has calmed down.
LOST = [{"op": "write", "node": 1, "value": "a", "old": None},
        {"op": "write", "node": 2, "value": "b", "old": "a"},
        {"op": "write", "node": 1, "value": "c", "old": "a"},
        {"op": "stabilize", "value": "b", "conflicts": []}]
KEPT = LOST[:3] + [{"op": "stabilize", "value": "b", "conflicts": ["c"]}]
HEAD = {"model": "sync", "nodes": 2, "rules": "fixed"}


def jsonl(*lines):
    return "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)


class CheckSync(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        self.folder = tempfile.TemporaryDirectory(prefix="sennit-check-sync-")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, *lines):
        place = os.path.join(self.folder.name, name)
        with open(place, "w", encoding="utf-8") as f:
            f.write(jsonl(*lines))
        return place

    def run_check(self, *args, text=None):
        return subprocess.run([os.path.join(BUILD, "sennit"), "check", "--model", "sync", *args],
                              input=text, capture_output=True, text=True, check=False)

    def check(self, *lines, args=()):
        return self.run_check("-", *args, text=jsonl(*lines))

    def refused(self, line, cause, *lines, args=()):
        result = self.check(*lines, args=args)
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn(f"-:{line}: ", result.stderr)
        self.assertIn(cause, result.stderr)
        self.assertEqual(result.stdout, "")

    def test_an_observation_that_fits_exits_0(self):
        result = self.check(HEAD, *KEPT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(result.stdout.startswith("-: explained (4 events, 2 nodes, 1 file, "))
        self.assertEqual(len(result.stdout.splitlines()), 1)

    def test_one_that_does_not_exits_1_with_a_column_for_each_node(self):
        result = self.check(HEAD, *LOST)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.splitlines()[1:8], [
            "  line 5, STABILIZE -> ('b', {}), cannot be explained",
            "  node 1              node 2",
            "  WRITE 'a' -> none",
            "                      WRITE 'b' -> 'a'",
            "  WRITE 'c' -> 'a'",
            "  STABILIZE -> ('b', {})   <- cannot be explained",
            "  before event 4, 7 states were possible:"])

    def test_every_state_says_why_it_refuses(self):
        lines = self.check(HEAD, *LOST).stdout.splitlines()[8:]
        self.assertEqual(len(lines), 14)
        self.assertTrue(all(line.startswith("    server ") for line in lines[0::2]), lines)
        self.assertTrue(all(line.startswith("      ") for line in lines[1::2]), lines)
        self.assertIn("    server 'b' {'c'}; 1 'b'; 2 'b'", lines)
        self.assertIn("      at rest, node 1 has 'b' and conflicts {'c'}", lines)

    def test_three_nodes_have_three_columns(self):
        result = self.check({"nodes": 3}, {"op": "read", "node": 3, "value": "x"})
        self.assertEqual(result.returncode, 1)
        self.assertIn("  node 1   node 2   node 3\n", result.stdout)
        self.assertIn("\n                    READ -> 'x'   <- cannot be explained\n", result.stdout)

    def test_explain_prints_a_shortest_explanation(self):
        result = self.check(HEAD, {"op": "write", "node": 1, "value": "a", "old": None},
                            {"op": "read", "node": 2, "value": "a"}, args=["--explain"])
        self.assertEqual(result.stdout.splitlines()[1:], [
            "  node 1              node 2",
            "  WRITE 'a' -> none",
            "  (up)",
            "                      (down)",
            "                      READ -> 'a'"])

    def test_json_has_the_same(self):
        result = self.check(HEAD, *LOST, args=["--json"])
        self.assertEqual(result.returncode, 1)
        found = json.loads(result.stdout)
        self.assertEqual(found["verdict"], "not explained")
        self.assertEqual(found["explained"], 3)
        self.assertEqual(found["stuck"]["line"], 5)
        self.assertEqual(found["possible"], 7)
        self.assertEqual(len(found["states"]), 7)
        self.assertTrue(all(state["why"] for state in found["states"]))
        self.assertEqual(found["hidden"], len(found["explanation"]))
        fits = json.loads(self.check(HEAD, *KEPT, args=["--json"]).stdout)
        self.assertEqual((fits["verdict"], fits["explained"]), ("explained", 4))
        self.assertNotIn("stuck", fits)
        bad = json.loads(self.check("{", args=["--json"]).stdout)
        self.assertEqual(bad["verdict"], "malformed")
        self.assertIn("-:1:", bad["why"])

    def test_flags_outdo_the_first_line(self):
        late = [{"op": "write", "node": 1, "value": "a", "old": None},
                {"op": "write", "node": 2, "value": "a", "old": None},
                {"op": "stabilize", "value": "a"}]
        self.assertEqual(self.check(HEAD, *late).returncode, 0)
        self.assertEqual(self.check(HEAD, *late, args=["--rules", "v1"]).returncode, 1)
        self.assertEqual(self.check({**HEAD, "rules": "v1"}, *late).returncode, 1)
        result = self.check(HEAD, *late, args=["--nodes", "4"])
        self.assertIn("4 nodes", result.stdout)

    def test_nodes_are_counted_if_nobody_says_how_many(self):
        result = self.check(*LOST)
        self.assertEqual(result.returncode, 1)
        self.assertIn("2 nodes", result.stdout)

    def test_stabilize_may_say_what_each_node_has(self):
        writes = [{"op": "write", "node": 1, "value": "a", "old": None},
                  {"op": "write", "node": 2, "value": "b", "old": None}]
        apart = {"op": "stabilize", "nodes": [{"value": "a"}, {"value": "b"}]}
        self.assertEqual(self.check(*writes, apart).returncode, 1)
        self.assertEqual(self.check(*writes, apart, args=["--rules", "skip"]).returncode, 0)

    def test_files_directories_numbers_and_deletions_are_understood(self):
        result = self.check(
            {"op": "write", "node": 1, "file": "d", "value": {"directory": True}, "old": None},
            {"op": "delete", "node": 2, "file": "d", "old": {"directory": True}},
            {"op": "write", "node": 2, "file": "n", "value": 7, "old": None, "time": 12},
            {"op": "read", "node": 1, "file": "n", "value": "7", "note": "the same"},
            {"op": "read", "node": 1, "file": "d", "value": None}, args=["--explain"])
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("WRITE d none -> DIR", result.stdout)
        self.assertIn("2 files", result.stdout)

    def test_the_limit_of_states_makes_it_unknown(self):
        result = self.check(HEAD, *KEPT, args=["--states", "3"])
        self.assertEqual(result.returncode, 3)
        self.assertIn("unknown within the budget", result.stdout)
        self.assertIn("needs more than the budget allows", result.stdout)
        found = json.loads(self.check(HEAD, *KEPT, args=["--states", "3", "--json"]).stdout)
        self.assertEqual(found["verdict"], "unknown")

    def test_more_values_than_the_model_has_are_unknown(self):
        lines = [{"op": "read", "node": 1, "value": f"v{i}"} for i in range(63)]
        result = self.check(*lines)
        self.assertEqual(result.returncode, 3)
        self.assertIn("-:63: there are more than 62 different values", result.stderr)

    def test_malformed_lines_are_named_with_their_cause(self):
        read = {"op": "read", "node": 1, "value": "a"}
        self.refused(2, "a string is not closed", HEAD, '{"op')
        self.refused(1, "an event is an object", "[]")
        self.refused(2, '"op" is missing', HEAD, HEAD)
        self.refused(1, '"op" is read, write, delete or stabilize, not "move"', {"op": "move"})
        self.refused(1, '"node" is a number from 1', {"op": "read", "node": 0, "value": "a"})
        self.refused(1, '"node" is a number from 1', {"op": "read", "value": "a"})
        self.refused(2, "there is no node 3 among 2", HEAD, {**read, "node": 3})
        self.refused(1, "there is no node 6 among 5", {**read, "node": 6})
        self.refused(1, '"value" is missing', {"op": "read", "node": 1})
        self.refused(1, '"old" is missing', {"op": "write", "node": 1, "value": "a"})
        self.refused(1, '"value" is a string', {**read, "value": ["a"]})
        self.refused(1, '"file" is a string', {**read, "file": 1})
        self.refused(1, '"valeu" is none of the members', {**read, "valeu": 1})
        self.refused(1, '"conflicts" is an array', {"op": "stabilize", "value": 1, "conflicts": 1})
        self.refused(1, "no value", {"op": "stabilize", "value": 1, "conflicts": [None]})
        self.refused(1, '"nodes" is an array', {"op": "stabilize", "nodes": []})
        self.refused(1, "a node is an object", {"op": "stabilize", "nodes": [1]})
        self.refused(2, '"nodes" has 1 entries, and there are 2 nodes', HEAD,
                     {"op": "stabilize", "nodes": [{"value": None}]})
        self.refused(1, '"nodes" is a number from 1 to 5', {"nodes": 6})
        self.refused(1, '"rules" is the name of rules', {"rules": "odd"})
        self.refused(1, '"model" is "sync"', {"model": "register"})

    def test_a_file_without_events_is_malformed(self):
        result = self.check(HEAD)
        self.assertEqual(result.returncode, 2)
        self.assertIn("there is no event", result.stderr)

    def test_more_than_8_files_are_unknown(self):
        result = self.check(*[{"op": "read", "node": 1, "file": str(i), "value": None}
                              for i in range(9)])
        self.assertEqual(result.returncode, 3)
        self.assertIn("-:9: there are more than 8 files", result.stderr)

    def test_several_files_have_one_exit_code_and_a_total(self):
        good = self.write("good.jsonl", HEAD, *KEPT)
        self.write("lost.jsonl", HEAD, *LOST)
        with gzip.open(os.path.join(self.folder.name, "more.jsonl.gz"), "wt") as f:
            f.write(jsonl(HEAD, *KEPT))
        result = self.run_check(self.folder.name)
        self.assertEqual(result.returncode, 1)
        self.assertIn("3 files: 2 explained, 1 not\n", result.stdout)
        self.assertEqual(self.run_check(good).returncode, 0)
        self.assertEqual(self.run_check(os.path.join(self.folder.name, "none")).returncode, 2)

    def test_the_order_judges_as_well(self):
        result = self.check(HEAD, *LOST, args=["--algorithm", "order"])
        self.assertEqual(result.returncode, 1)
        self.assertIn("line 5, STABILIZE -> ('b', {}), fits no order", result.stdout)
        self.assertEqual(self.check(HEAD, *KEPT, args=["--algorithm", "order"]).returncode, 0)

    def test_options_of_other_models_are_refused(self):
        for args in (["--init", "1"], ["--jobs", "2"], ["--rules", "odd"], ["--format", "edn"],
                     ["--algorithm", "queue"], ["--nodes", "6"], ["--states", "0"]):
            result = self.check(HEAD, *KEPT, args=args)
            self.assertEqual(result.returncode, 2, args)
            self.assertIn("sennit: ", result.stderr)
        result = subprocess.run([os.path.join(BUILD, "sennit"), "check", "-", "--model",
                                 "register", "--rules", "v1"], input="", capture_output=True,
                                text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("are for the model sync", result.stderr)

    def test_odd_contents_do_not_disturb_the_table(self):
        result = self.check({"op": "read", "node": 1, "value": "x\n\x1b[31m" + "y" * 100})
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("\x1b", result.stdout)
        self.assertIn("#1'", result.stdout)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    tap.main()
