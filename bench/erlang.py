#!/usr/bin/env python3
"""erlang.py - how often each strategy hits the races of systems/erlang, beside published figures.

    build/bench/erlang [--trials N] [--noise N ...] [--strategies A B ...] [--only TEXT] [--seed N]

Runs N trials (10000) of each bug with each strategy and each amount of noise, and prints tables of
hit ratios: trials that fail, divided by trials. What the paper on Morpheus (Yuan and Yang, ASPLOS
2020) has for the same bug comes first: Table 3; for crce-2 and crce-3, the inverse of what Table 2
has; for c6023, the 20 of 100,000 trials of its text. Its trials have 6,000 to 10,000 operations
each.
SPDX-License-Identifier: MIT
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

STRATEGIES = ["random", "pct:5", "pos", "posr"]

# Of random walk, PCT, POS, POS*, and these with conflict analysis.
COLUMNS = ["random", "pct:5", "pos", "posr", "random+ca", "pct+ca:5", "pos+ca", "posr+ca"]
PAPER = {
    "locks-1": [.0042, .0895, .1521, .1562, .0312, .1164, .2087, .2239],
    "locks-2": [.0210, .0022, .0073, .0103, .0117, .0071, .0124, .0140],
    "gproc-1": [0, .0015, .0031, .0008, .0001, .0018, .0106, .0023],
    "gproc-2": [0, .0496, .0605, .0416, .0190, .0781, .1170, .0648],
    "gproc-3": [0, .0431, .0156, .0027, .0002, .0385, .0450, .0094],
    "mnesia-1": [0, .0219, .0141, .0091, .0001, .0223, .0168, .0124],
    "mnesia-2": [0, .0075, .0117, .0104, .0008, .0078, .0253, .0254],
    "ms-1": [0, .3000, .1489, .1505, .0061, .2833, .2420, .2478],
    # Which of the two tests this is of is not known: see systems/erlang/README.md.
    "crce-2": [1 / 4.29, None, 1 / 4.39] + 5 * [None],
    "crce-3": [1 / 1351.35, None, 1 / 17.43] + 5 * [None],
    "c6023": [0, None, 20 / 100000] + 5 * [None],
}


def program():
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "systems", "erlang")


def bugs():
    listed = subprocess.run([program(), "--bugs"], capture_output=True, text=True, check=True)
    return [line.split("\t")[0] for line in listed.stdout.splitlines()]


def hits(bug, strategy, noise, options):
    with tempfile.TemporaryDirectory() as outdir:
        done = subprocess.run(
            [program(), "--bug", bug, "-s", strategy, "--noise", str(noise), "-k", "--no-shrink",
             "-i", str(options.trials), "--seed", str(options.seed), "-o", outdir],
            capture_output=True, text=True, check=False)
    ran = re.search(r"^    (\d+) trials?, .*$", done.stdout, re.MULTILINE)
    if done.returncode not in (0, 1) or ran is None or int(ran.group(1)) != options.trials:
        sys.exit(f"--bug {bug} -s {strategy} --noise {noise}: {done.stderr or done.stdout}")
    failed = re.search(r" (\d+) failed", ran.group(0))
    return int(failed.group(1)) if failed else 0


def ratio(value):
    if value is None:
        return ""
    if value == 0:
        return "0"
    return f"{value:.4f}" if value >= .001 else f"{value:.1e}"


def row(name, cells):
    print("| " + " | ".join([name, *cells]) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--trials", type=int, default=10000)
    parser.add_argument("--noise", type=int, nargs="+", default=[0, 100, 1000])
    parser.add_argument("--strategies", nargs="+", default=STRATEGIES)
    parser.add_argument("--only", default="", help="bugs whose name contains this")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wanted = [bug for bug in bugs() if options.only in bug]

    row("", options.strategies)
    row("---", ["---"] * len(options.strategies))
    for bug in wanted:
        published = dict(zip(COLUMNS, PAPER.get(bug, [])))
        figures = [published.get(strategy) for strategy in options.strategies]
        if any(figure is not None for figure in figures):
            row(f"{bug}, paper", [ratio(figure) for figure in figures])
        for noise in options.noise:
            row(f"{bug}, noise {noise}", [ratio(hits(bug, s, noise, options) / options.trials)
                                          for s in options.strategies])


if __name__ == "__main__":
    main()
