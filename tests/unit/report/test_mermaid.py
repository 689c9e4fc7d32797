#!/usr/bin/env python3
"""test_mermaid - Mermaid reads the diagrams of `sennit show --mermaid`, and finds in them what the
trace says: test_mermaid.py BUILD PACKAGES

Mermaid itself is fetched by npm into PACKAGES, once; without it the tests are skipped, and say why.
SPDX-License-Identifier: MIT
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap
import traces

BUILD = ""
PACKAGES = ""
HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = range(1, 21)


def show(*args):
    return subprocess.run([os.path.join(BUILD, "sennit"), "show", *args], check=True,
                          capture_output=True).stdout


def why_not():
    """Why Mermaid cannot be had; "" if it can."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "there is no node or no npm"
    install = os.path.join(tap.ROOT, "tests/events/js/packages.mjs")
    done = subprocess.run(["node", install, "mermaid", PACKAGES], check=False, capture_output=True,
                          text=True)
    return done.stderr.strip() if done.returncode != 0 else ""


class Mermaid(unittest.TestCase):
    folder = None
    missing = None

    def setUp(self):
        if Mermaid.folder is None:
            # pylint: disable=consider-using-with
            Mermaid.folder = tempfile.TemporaryDirectory()
            Mermaid.missing = why_not()
        if Mermaid.missing:
            self.skipTest(Mermaid.missing)

    def diagrams(self, paths, *options):
        """What Mermaid finds in the diagrams of traces, in one process: it takes long to load."""
        files = []
        for path in paths:
            files.append(os.path.join(self.folder.name, f"{len(os.listdir(self.folder.name))}.mmd"))
            with open(files[-1], "wb") as file:
                file.write(show("--mermaid", *options, path))
        done = subprocess.run(["node", "read.mjs", *files], cwd=PACKAGES, check=True,
                              capture_output=True, text=True)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        for one in found:
            self.assertNotIn("error", one)
            self.assertEqual(one["type"], "sequence")
        return found

    def hostile(self, seed):
        path = os.path.join(self.folder.name, f"hostile-{seed}.trace")
        with open(path, "wb") as file:
            file.write(traces.text_of(traces.hostile(seed)))
        return path

    def check(self, path, diagram):
        """Participants are the machines, and the text of each step is found, in order."""
        steps = json.loads(show("--json", path))["steps"]
        machines = []
        for step in steps[1:]:
            sender = step.get("from")
            if sender is None and step["op"] == "do" and step.get("sent"):
                sender = steps[step["sent"]]["task"]
            if sender is None and step["op"] == "start" and step["cause"]:
                sender = steps[step["cause"]]["task"]
            machines += [name for name in (sender, step["task"]) if name is not None]
        wanted = [traces.visible(name) if name else "(no name)" for name in dict.fromkeys(machines)]
        actors = [name for number, name in diagram["actors"] if number != "m0"]
        self.assertEqual([name.strip() for name in actors], [name.strip() for name in wanted])
        texts = iter(text for _, _, _, text in diagram["messages"])
        for step in steps[1:]:
            text = f"{step['step']} {'start' if step['op'] == 'start' else step['event']}"
            text = traces.visible(text) + (" (timer)" if step["op"] == "timer" else "")
            if "payload" in step:
                text += " " + traces.visible(step["payload"])
            self.assertIn(text.strip(), texts, f"step {step['step']} of {path}")

    def test_mermaid_reads_diagrams_of_systems(self):
        paths = [*traces.of_systems(BUILD, self.folder.name).values(), *traces.of_files().values()]

        for path, diagram in zip(paths, self.diagrams(paths, "--wide"), strict=True):
            self.check(path, diagram)

    def test_mermaid_gives_back_any_name_and_payload(self):
        paths = [self.hostile(seed) for seed in SEEDS]

        for path, diagram in zip(paths, self.diagrams(paths, "--wide"), strict=True):
            self.check(path, diagram)

    def test_mermaid_reads_hostile_diagrams_with_all_details(self):
        paths = [self.hostile(seed) for seed in SEEDS]

        self.diagrams(paths, "-v", "--from", "5")

    def test_mermaid_finds_arrows_from_senders_to_receivers(self):
        path, = [path for path in traces.of_systems(BUILD, self.folder.name).values()
                 if "atm" in path]

        diagram, = self.diagrams([path])

        solid = diagram["arrows"][0]
        self.assertEqual([message for message in diagram["messages"] if message[0] == solid],
                         [[solid, "m1", "m2", "3 GetBalance"],
                          [solid, "m2", "m1", "4 Balance value=100"],
                          [solid, "m3", "m2", "6 GetBalance"],
                          [solid, "m2", "m3", "7 Balance value=100"]])
        self.assertEqual(diagram["messages"][-2][3], "FAILED (assert) 140 was paid out of 100 "
                         "(auditor->cash <= DEPOSIT)")


def main():
    global BUILD, PACKAGES
    BUILD = os.path.abspath(sys.argv[1])
    PACKAGES = os.path.abspath(sys.argv[2])
    tap.main()


if __name__ == "__main__":
    main()
