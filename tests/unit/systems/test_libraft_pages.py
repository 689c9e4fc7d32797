#!/usr/bin/env python3
"""test_libraft_pages - what the pages of libraft's findings quote of runs is what these print:
test_libraft_pages.py BUILD SOURCE [--update]

With --update it is written into the pages instead. Nothing of it depends on how long a run takes,
or on how many of its trials run at a time; all of it takes half an hour.
SPDX-License-Identifier: MIT
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
SOURCE = ""
DEADLINE_S = 3600

EXPLAINS = re.compile(r"(`(build/systems/libraft --explain systems/libraft/corpus/\S+ [^`]*)`:"
                      r"\n\n```text\n)(.*?)(```\n)", re.DOTALL)
FOUND = re.compile(r"(\| found by \| `(\w+)`: )(\d+)( of 10,000 trials of `random`)")
ANEW = re.compile(r"(\| found anew by \| `(build/systems/libraft [^`]*)N`: trials )([\d, ]+)"
                  r"( for N from 1 to 5 \|)")


def names():
    with open(os.path.join(SOURCE, "systems/libraft/findings.tsv"), encoding="utf-8") as file:
        return [line.split()[0] for line in file]


def path_of(name):
    return os.path.join(SOURCE, f"docs/findings/{name}.md")


def read(name):
    with open(path_of(name), encoding="utf-8") as file:
        return file.read()


class Folder:
    """Runs the commands of pages where files that they leave disturb nobody."""

    def __enter__(self):
        self.path = tempfile.mkdtemp()
        shutil.copytree(os.path.join(SOURCE, "systems/libraft/corpus"),
                        os.path.join(self.path, "systems/libraft/corpus"))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def run(self, command):
        words = shlex.split(command)
        words[0] = os.path.join(BUILD, words[0].removeprefix("build/"))
        done = subprocess.run([*words, "-o", "out"], cwd=self.path, check=False, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE_S)
        return done.stdout + done.stderr

    def summary(self):
        with open(os.path.join(self.path, "out", "summary.json"), encoding="utf-8") as file:
            return json.load(file)["tests"][0]


def explanation(page):
    """What is said of why, and of where the trial was lost."""
    with Folder() as folder:
        out = folder.run(EXPLAINS.search(page)[2])
    return re.search(r"^WHY .*?(?=^TRIAL)", out, re.DOTALL | re.MULTILINE)[0]


def share(page, name):
    with Folder() as folder:
        folder.run(f"build/systems/libraft --finding {name} -f {FOUND.search(page)[2]} -s random "
                   "-k -i 10000 --no-shrink --no-report")
        return str(folder.summary()["failed"])


def trials(page):
    with Folder() as folder:
        found = [re.search(r"FAILED in trial (\d+)", folder.run(ANEW.search(page)[2] + str(seed)))
                 for seed in range(1, 6)]
    return ", ".join(one[1] for one in found)


class Pages(unittest.TestCase):
    """Each claim is about every page."""

    def test_pages_show_what_is_explained_of_their_traces(self):
        for name in names():
            page = read(name)
            self.assertEqual(EXPLAINS.search(page)[3], explanation(page), name)

    def test_pages_tell_how_often_their_findings_are_found(self):
        for name in names():
            page = read(name)
            self.assertEqual(FOUND.search(page)[3], share(page, name), name)

    def test_pages_tell_when_rare_findings_are_found_anew(self):
        rare = [name for name in names() if ANEW.search(read(name))]
        self.assertGreater(len(rare), 0)
        for name in rare:
            page = read(name)
            self.assertEqual(ANEW.search(page)[3], trials(page), name)


def update():
    for name in names():
        page = read(name)
        new = EXPLAINS.sub(lambda m, page=page: m[1] + explanation(page) + m[4], page)
        new = FOUND.sub(lambda m, page=page, name=name: m[1] + share(page, name) + m[4], new)
        new = ANEW.sub(lambda m, page=page: m[1] + trials(page) + m[4], new)
        with open(path_of(name), "w", encoding="utf-8") as file:
            file.write(new)


if __name__ == "__main__":
    BUILD, SOURCE = map(os.path.abspath, sys.argv[1:3])
    if sys.argv[3:] == ["--update"]:
        update()
    else:
        tap.main()
