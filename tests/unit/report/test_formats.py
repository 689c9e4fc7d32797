#!/usr/bin/env python3
"""test_formats - whatever names and messages hold, strict readers get them back:
test_formats.py BUILD

report_main writes reports of runs that never took place; what it was given is compared with what
readers of TAP, XML and JSON, and a shell, find in them. SPDX-License-Identifier: MIT
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import tap
import tap14

BUILD = ""
N_RANDOM = 3000

# What formats, terminals and shells are known to stumble over.
PIECES = [b"#", b" # SKIP ", b" # TO" + b"DO", b"\\", b"\\#", b"'", b'"', b"<", b">", b"&", b"]]>",
          b"&amp;", b"&#0;", b"<!--", b"%", b"%0A", b"::error::", b":", b",", b"\n", b"\r", b"\r\n",
          b"\t", b"\x01", b"\x08", b"\x0b", b"\x1b[31m", b"\x7f", b"\xc2\x85", b"\xc2\x9b",
          b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"\xef\xbf\xbd", b"\xef\xbf\xbe",
          b"\xef\xbf\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf0\x9f\xbf\xbe",
          b"\xf0\x9f\x90\x9b", b"\xc0\xaf", b"\xff", b"\xc3", b"\xe2\x82", b" ", b"  ...", b"  ---",
          b"ok 1", b"not ok 2 - ", b"1..0", b"Bail out!", b"{", b"}", b"$(", b"`", b"$HOME", b"*",
          b"~", b"=", b"-", b"!", b";", b"a", b"test", "héé".encode(), b"|", b"- ", b"? ", b"key: "]


def random_words(seed, n=N_RANDOM):
    """Random strings of bytes, without a zero byte, that are not empty."""
    dice = random.Random(seed)
    words = []
    while len(words) < n:
        if dice.random() < 0.2:
            words.append(bytes(dice.randrange(1, 256) for _ in range(dice.randrange(1, 40))))
        else:
            words.append(b"".join(dice.choice(PIECES) for _ in range(dice.randrange(1, 12))))
    return words


def line(verdict, name=b"name", message=b"assert: file.c:1: wrong", trace=b"", stack=b""):
    return " ".join([verdict] + [field.hex() or "-" for field in (name, message, trace, stack)])


def report(kind, lines, path=None, **env):
    """What report_main prints, as bytes."""
    command = [os.path.join(BUILD, "tests/unit/report/report_main"), kind]
    done = subprocess.run(command + ([path] if path else []), check=False, capture_output=True,
                          input="".join(text + "\n" for text in lines).encode(),
                          env=dict(os.environb, **{"PLANNED": str(len(lines))}, **env))
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode(errors="replace"))
    return done.stdout


def shown(data, is_kept=lambda code: True):
    """The text of bytes: those that are no UTF-8, or that the format does not keep, as \\xHH."""
    text = ""
    for char in data.decode("utf-8", "surrogateescape"):
        code = ord(char)
        if 0xdc80 <= code <= 0xdcff:
            text += f"\\x{code - 0xdc00:02x}"
        elif is_kept(code):
            text += char
        else:
            text += "".join(f"\\x{byte:02x}" for byte in char.encode())
    return text


def is_visible(code):
    return not (code < 0x20 or 0x7f <= code < 0xa0 or code in (0x2028, 0x2029, 0xfeff) or
                code & 0xfffe == 0xfffe)


def is_xml(code):
    return code in (9, 10, 13) or (code >= 0x20 and code not in (0xfffe, 0xffff))


# ---- TAP -----------------------------------------------------------------------------------------


def stream_of(lines, **env):
    return tap14.read(report("tap", lines, **env).decode("utf-8"))


class Tap(unittest.TestCase):
    def test_tap_says_how_every_test_ended(self):
        stream = stream_of([line(verdict) for verdict in (
            "passed", "failed", "uncontrolled", "nondeterministic", "nothing", "error", "unrun")])

        self.assertEqual([(point.is_ok, point.directive) for point in stream.points],
                         [(True, ""), (False, ""), (False, ""), (False, ""), (True, "SKIP"),
                          (False, ""), (True, "SKIP")])

    def test_tap_tells_all_of_a_failure(self):
        point = stream_of([line("failed", trace=b"out/a.trace", stack=b"one\ntwo\n")]).points[0]

        self.assertEqual(point.name, "suite/name")
        self.assertEqual(point.block, {
            "message": "file.c:1: wrong", "verdict": "FAILED", "oracle": "assert", "seed": 1,
            "strategy": "random", "trial": 7, "step": 5, "count": 2, "trace": "out/a.trace",
            "repro": "./program --bug 'it'\\''s one' --replay out/a.trace",
            "stack": ["one", "two"]})

    def test_tap_tells_every_failure_of_a_test(self):
        block = stream_of([line("twice", stack=b"one")]).points[0].block
        others = block.pop("more")

        self.assertEqual(others, [block])

    def test_tap_of_an_interrupted_run_bails_out(self):
        stream = stream_of([line("passed"), line("interrupted")], STOPPED="1")

        self.assertEqual(stream.bail_out, "The run was interrupted")
        self.assertEqual(stream.points[1].reason, "interrupted after 3 trials")

    def test_tap_without_tests_is_a_plan_that_says_why(self):
        stream = stream_of([])

        self.assertEqual((stream.plan, stream.plan_reason), (0, "SKIP there are no tests"))

    def test_tap_is_of_the_version_that_its_reader_knows(self):
        self.assertEqual(stream_of([line("passed")]).version, 14)
        self.assertEqual(stream_of([line("passed")], TAP_VERSION="13").version, 13)

    def test_tap_gives_back_any_name(self):
        words = random_words(1)

        stream = stream_of([line("passed", name=word) for word in words])

        for word, point in zip(words, stream.points, strict=True):
            self.assertEqual((point.name, point.directive),
                             ("suite/" + shown(word, is_visible), ""), word)

    def test_tap_gives_back_any_message_trace_and_stack(self):
        words = random_words(2)

        stream = stream_of([line("failed", b"n", word, word, word) for word in words])

        for word, point in zip(words, stream.points, strict=True):
            self.assertEqual(point.block["message"], shown(word), word)
            self.assertEqual(point.block["trace"], shown(word), word)
            self.assertEqual(point.block["stack"], [shown(frame) for frame in
                                                    word.removesuffix(b"\n").split(b"\n")], word)

    def test_blocks_of_tap_are_yaml_for_another_reader(self):
        try:
            import yaml  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("PyYAML is not installed")
        words = random_words(3, 500)

        text = report("tap", [line("failed", b"n", word) for word in words]).decode("utf-8")

        blocks = re.findall(r"^  ---\n(.*?)^  \.\.\.$", text, re.MULTILINE | re.DOTALL)
        self.assertEqual([yaml.safe_load(block)["message"] for block in blocks],
                         [shown(word) for word in words])


# ---- JUnit ---------------------------------------------------------------------------------------


class Files(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def junit(self, lines, **env):
        report("junit", lines, self.path("j.xml"), **env)
        self.assertEqual(os.listdir(self.folder.name), ["j.xml"])
        return xml.etree.ElementTree.parse(self.path("j.xml")).getroot()

    def summary(self, lines, **env):
        report("summary", lines, self.folder.name, **env)
        self.assertEqual(os.listdir(self.folder.name), ["summary.json"])
        with open(self.path("summary.json"), encoding="utf-8") as file:
            return json.load(file)


class Junit(Files):
    def test_junit_says_how_every_test_ended(self):
        root = self.junit([line(verdict) for verdict in (
            "passed", "failed", "uncontrolled", "nondeterministic", "nothing", "error", "unrun",
            "interrupted")])

        self.assertEqual([[child.tag for child in case if child.tag in
                           ("failure", "error", "skipped")] for case in root.iter("testcase")],
                         [[], ["failure"], ["error"], ["error"], ["skipped"], ["error"],
                          ["skipped"], ["skipped"]])

    def test_junit_has_one_root_whose_counts_are_right(self):
        root = self.junit([line("passed"), line("failed"), line("failed"), line("error"),
                           line("nothing")])

        self.assertEqual((root.tag, [suite.tag for suite in root]), ("testsuites", ["testsuite"]))
        for element in (root, root[0]):
            self.assertEqual(element.attrib, {"name": "suite", "tests": "5", "failures": "2",
                                              "errors": "1", "skipped": "1", "time": "0.063"})

    def test_junit_has_properties_of_the_run_and_of_each_test(self):
        root = self.junit([line("passed")])

        self.assertEqual({p.get("name"): p.get("value") for p in root.find("testsuite/properties")},
                         {"seed": "1", "strategy": "random", "iterations": "10",
                          "program": "./program", "build": "abcdef"})
        self.assertEqual({p.get("name"): p.get("value") for p in
                          root.find("testsuite/testcase/properties")},
                         {"trials": "3", "steps": "12", "orders": "2", "cut": "0", "failed": "0"})

    def test_junit_tells_all_of_a_failure(self):
        failure = self.junit([line("failed", trace=b"a.trace", stack=b"one\ntwo")]).find(
            "testsuite/testcase/failure")

        self.assertEqual((failure.get("message"), failure.get("type")),
                         ("assert: file.c:1: wrong", "assert"))
        self.assertEqual(failure.text, "FAILED in trial 7, step 5: assert: file.c:1: wrong\n"
                         "reproduce: ./program --bug 'it'\\''s one' --replay a.trace\n"
                         "trace: a.trace\none\ntwo")

    def test_junit_has_one_element_for_several_failures(self):
        case = self.junit([line("twice")]).find("testsuite/testcase")

        self.assertEqual(len(case.findall("failure")), 1)
        self.assertEqual(case.find("failure").text.count("FAILED in trial"), 2)

    def test_junit_gives_back_any_name_and_message(self):
        words = random_words(4)

        root = self.junit([line("failed", word, word, b"", word) for word in words])

        for word, case in zip(words, root.iter("testcase"), strict=True):
            self.assertEqual(case.get("name"), shown(word, is_xml), word)
            self.assertEqual(case.find("failure").get("message"), shown(word, is_xml), word)
            self.assertTrue(case.find("failure").text.endswith("\n" + shown(word, is_xml)), word)

    def test_junit_is_not_there_until_the_run_has_ended(self):
        report("junit", [line("passed")], self.path("j.xml"), KILLED="1")

        self.assertEqual(os.listdir(self.folder.name), [])


# ---- The summary ---------------------------------------------------------------------------------


class Summary(Files):
    def test_summary_says_how_every_test_ended(self):
        found = self.summary([line(verdict) for verdict in (
            "passed", "failed", "uncontrolled", "nondeterministic", "nothing", "error", "unrun",
            "interrupted")])

        self.assertEqual([test["verdict"] for test in found["tests"]],
                         ["passed", "failed", "uncontrolled", "nondeterministic", "nothing ran",
                          "error", "not run", "interrupted"])
        self.assertEqual(found["verdict"], "error")

    def test_summary_tells_all_of_a_run(self):
        found = self.summary([line("failed", trace=b"a.trace", stack=b"one")])
        tests = found.pop("tests")

        self.assertEqual(found, {
            "format": 1, "sennit": "1.2.3", "suite": "suite", "program": "./program",
            "args": ["--bug", "it's one"], "build": "abcdef", "strategy": "random", "seed": 1,
            "iterations": 10, "shard": None, "verdict": "failed", "complete": True,
            "interrupted": False, "seconds": 0.013, "planned": 1})
        failures = tests[0].pop("failures")
        self.assertEqual(tests, [{
            "name": "name", "verdict": "failed", "seconds": 0.013, "trials": 3, "steps": 12,
            "distinct_orders": 2, "cut": 0, "stuck": 0, "draws": 0, "discarded": 0,
            "unseen": None, "failed": 1, "kinds": 1,
            "exhausted": False, "within": None,
            "schedules": None, "traces": None, "blocked": 0, "probes": 0, "estimate": None,
            "descents": 0, "estimate_error": 0, "estimate_largest": 0,
            "earlier_trials": 0, "earlier_failures": 0, "timed_out": False,
            "note": "assert: file.c:1: wrong", "world": None, "error": None, "next": [],
            "discovery": [], "classes": [], "surveyed": 0, "states": None, "never_came": 0,
            "races": 0, "races_one_sided": 0}])
        self.assertEqual(failures, [{
            "verdict": "failed", "trial": 7, "step": 5, "count": 2, "oracle": "assert",
            "trials": [7, 9],
            "signature": "assert at file.c:1",
            "message": "file.c:1: wrong", "trace": "a.trace", "stack": "one",
            "repro": "./program --bug 'it'\\''s one' --replay a.trace"}])

    def test_summary_is_there_even_if_the_run_is_killed(self):
        found = self.summary([line("passed"), line("failed")], KILLED="1")

        self.assertEqual((found["complete"], len(found["tests"])), (False, 2))

    def test_summary_of_an_interrupted_run_says_so(self):
        found = self.summary([line("passed"), line("interrupted"), line("unrun")], STOPPED="1")

        self.assertEqual((found["complete"], found["interrupted"], found["verdict"]),
                         (False, True, "interrupted"))

    def test_summary_without_tests_is_json_too(self):
        self.assertEqual(self.summary([])["tests"], [])

    def test_summary_gives_back_any_name_and_message(self):
        words = random_words(5)

        # In parts, since the whole file is written anew after each test.
        tests = []
        for first in range(0, len(words), 150):
            tests += self.summary([line("failed", word, word, word, word)
                                   for word in words[first:first + 150]])["tests"]

        for word, test in zip(words, tests, strict=True):
            self.assertEqual(test["name"], shown(word), word)
            failure = test["failures"][0]
            self.assertEqual({failure[key] for key in ("message", "trace", "stack")},
                             {shown(word)}, word)


# ---- Annotations ---------------------------------------------------------------------------------


def annotations(data):
    """(properties, message) of each command, as GitHub reads it."""
    found = []
    for text in data.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        match = re.fullmatch(r"::error ([^:]*)::(.*)", text)
        if not match:
            raise AssertionError(f"no annotation: {text!r}")
        properties = {}
        for pair in match.group(1).split(","):
            key, _, value = pair.partition("=")
            properties[key] = (value.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":")
                               .replace("%2C", ",").replace("%25", "%"))
        found.append((properties, match.group(2).replace("%0D", "\r").replace("%0A", "\n")
                      .replace("%25", "%")))
    return found


class Annotations(Files):
    def annotate(self, *lines):
        return annotations(report("github", lines, self.folder.name))

    def test_an_annotation_names_file_and_line(self):
        tap.write(self.path("src/deep/file.c"), "")

        (properties, message), = self.annotate(line("failed", trace=b"a.trace"))

        self.assertEqual(properties, {"file": "src/deep/file.c", "line": "1",
                                      "title": "suite/name FAILED"})
        self.assertEqual(message, "assert: file.c:1: wrong\nin trial 7, step 5\n"
                         "reproduce: ./program --bug 'it'\\''s one' --replay a.trace")

    def test_a_file_that_is_there_twice_is_named_as_the_failure_does(self):
        tap.write(self.path("a/file.c"), "")
        tap.write(self.path("b/file.c"), "")

        (properties, _), = self.annotate(line("failed"))

        self.assertEqual(properties["file"], "file.c")

    def test_a_file_in_a_hidden_directory_is_not_meant(self):
        tap.write(self.path(".git/file.c"), "")
        tap.write(self.path("b/file.c"), "")

        (properties, _), = self.annotate(line("failed"))

        self.assertEqual(properties["file"], "b/file.c")

    def test_a_failure_without_a_place_is_annotated_without_a_file(self):
        (properties, _), = self.annotate(line("failed", message=b"deadlock: in x: y"))

        self.assertEqual(properties, {"title": "suite/name FAILED"})

    def test_tests_that_pass_or_are_skipped_are_not_annotated(self):
        self.assertEqual(self.annotate(line("passed"), line("nothing"), line("unrun")), [])

    def test_every_failure_and_error_is_annotated(self):
        self.assertEqual(len(self.annotate(line("twice"), line("error"), line("uncontrolled"))), 4)

    def test_any_name_and_message_stays_one_annotation(self):
        words = random_words(6)

        found = self.annotate(*[line("failed", word, word) for word in words])

        for word, (properties, message) in zip(words, found, strict=True):
            text = word.decode("utf-8", "surrogateescape")
            self.assertEqual(properties["title"], f"suite/{text} FAILED", word)
            self.assertTrue(message.startswith(text + "\nin trial 7"), word)


# ---- Lines to reproduce --------------------------------------------------------------------------


class Reproduction(Files):
    def test_a_shell_reads_any_program_and_trace_as_they_are(self):
        words = random_words(7, 200)
        show = self.path("it's a program")
        tap.write(show, '#!/bin/sh\nprintf "%s\\0" "$@"\n', 0o755)

        raw = report("text", [line("failed", trace=word) for word in words], PROGRAM=show)

        commands = re.findall(rb"^    reproduce: (.*?)\n    3 trials", raw,
                              re.MULTILINE | re.DOTALL)
        self.assertEqual(len(commands), len(words))
        for word, command in zip(words, commands):
            done = subprocess.run(["sh", "-c", command], check=True, capture_output=True)
            self.assertEqual(done.stdout.split(b"\0")[:-1],
                             [b"--bug", b"it's one", b"--replay", word])


def main():
    global BUILD
    BUILD = os.path.abspath(sys.argv[1])
    tap.main()


if __name__ == "__main__":
    main()
