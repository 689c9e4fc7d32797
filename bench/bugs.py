#!/usr/bin/env python3
"""bugs.py - how many trials each strategy needs for each seeded bug of the systems.

    build/bench/bugs [--seeds N] [--limit TRIALS] [--strategies A B ...] [--only TEXT] [--markdown]

Runs every system with each of its bugs (--bugs lists them), once per strategy and seed, until the
bug is found or the limit is reached, and prints the medians: NAME<TAB>VALUE<TAB>UNIT. A median at
the limit means that most runs did not find it; it is printed as ">LIMIT". Where a paper has figures
for the same bug they are printed first. --markdown prints the tables of docs/results.md instead.
SPDX-License-Identifier: MIT
"""

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

STRATEGIES = ["random", "pos", "posr", "pct:2", "pct:3", "pct:5", "sr", "portfolio"]

# What papers report, as (strategy, figure). P#: Deligiannis and others, FAST 2016, Table 2.
PAPERS = {
    "extent_manager/stale-report": [
        ("P# random", "found; 9.83 s, 9,000 steps"),
        ("P# PCT", "not found; 100,000 executions, no fair tail"),
    ],
}


# Programs of others under Sennit: what can be switched on there is in the harness, not in them.
OTHERS = ("libraft", "redis_client")


def systems(build):
    """The case studies of our own, by name and path."""
    folder = os.path.join(build, "systems")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK) and not name.startswith(OTHERS):
            yield name, path


def bugs_of(path):
    listed = subprocess.run([path, "--bugs"], capture_output=True, text=True, check=True).stdout
    return [line.split("\t")[0] for line in listed.splitlines()]


def seconds_of_children():
    """User and system time together: the kernel measures the sum, but only samples how to divide
    it, so that a short program may have no user time at all."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def find(path, bug, strategy, seed, limit):
    """Trials until the bug was found (None: it was not), and seconds of processor time."""
    with tempfile.TemporaryDirectory() as outdir:
        before = seconds_of_children()
        done = subprocess.run(
            [path, "--bug", bug, "-s", strategy, "--seed", str(seed), "-i", str(limit),
             "-o", outdir],
            capture_output=True, text=True, check=False)
        seconds = seconds_of_children() - before
    if done.returncode not in (0, 1):
        sys.exit(f"{path} --bug {bug} -s {strategy}: {done.stderr or done.stdout}")
    found = re.search(r"FAILED in trial (\d+)", done.stdout)
    return (int(found.group(1)) + 1 if found else None), seconds


def measure(path, bug, strategy, options):
    runs = [find(path, bug, strategy, seed, options.limit) for seed in range(1, options.seeds + 1)]
    trials = statistics.median(t if t is not None else options.limit + 1 for t, _ in runs)
    seconds = statistics.median(s for _, s in runs)
    return trials, seconds, sum(t is not None for t, _ in runs)


def shown(trials, options):
    return f">{options.limit}" if trials > options.limit else f"{trials:g}"


def print_papers(names, options):
    """What papers say of these bugs, before what is measured here."""
    rows = [(name, *row) for name in names for row in PAPERS.get(name, [])]
    if not options.markdown:
        for name, strategy, figure in rows:
            print(f"{name}/{strategy}\t{figure}\tin the paper", flush=True)
    elif rows:
        print("| bug | in a paper | |\n|---|---|---|")
        for name, strategy, figure in rows:
            print(f"| {name} | {strategy} | {figure} |")
        print()


def print_bug(name, path, bug, options):
    cells = []
    for strategy in options.strategies:
        trials, seconds, found = measure(path, bug, strategy, options)
        cells.append(f"{shown(trials, options)} ({seconds:.2f} s)")
        if not options.markdown:
            print(f"{name}/{strategy}\t{shown(trials, options)}\ttrials")
            print(f"{name}/{strategy}\t{seconds:.3f}\tseconds")
            print(f"{name}/{strategy}\t{found}/{options.seeds}\truns that found it", flush=True)
    if options.markdown:
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=7)
    parser.add_argument("--limit", type=int, default=20000)
    parser.add_argument("--strategies", nargs="*", default=STRATEGIES)
    parser.add_argument("--only", default="", help="systems or bugs with this in system/bug")
    parser.add_argument("--markdown", action="store_true")
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--build", default=os.path.dirname(here))
    options = parser.parse_args()

    chosen = [(f"{system}/{bug}", path, bug) for system, path in systems(options.build)
              for bug in bugs_of(path) if options.only in f"{system}/{bug}"]
    print_papers([name for name, _, _ in chosen], options)
    if options.markdown:
        print("| bug | " + " | ".join(options.strategies) + " |")
        print("|---|" + "---|" * len(options.strategies))
    for name, path, bug in chosen:
        print_bug(name, path, bug, options)


if __name__ == "__main__":
    main()
