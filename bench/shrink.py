#!/usr/bin/env python3
"""shrink.py - what is left of failing trials, and what it costs.

    build/bench/shrink [--only TEXT] [--seed N] [--jobs N] [--seconds S]

Finds each seeded bug of the systems, shrinks the failing trial, and prints NAME<TAB>VALUE<TAB>UNIT:
steps before and after, drawn values that are not 0, exceptions to the default schedule, trials and
seconds. The last ones are trials of Raft with 5,000 steps and more, which have a budget: how much
of it is used is printed, too. SPDX-License-Identifier: MIT
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

from bugs import bugs_of, systems

BUDGET_S = 10  # for a long trial, on two cores

# Long trials: the system, what it is given, and the least number of steps of its trial.
LONG = [
    ("raft/long-liveness", "systems/raft",
     ["--bug", "one-shot-candidate", "--max-steps", "5000"], 5000),
    ("raft/long-stale-snapshot", "bench/long/raft_long", ["--bug", "stale-snapshot"], 5000),
    ("raft/long-forgets-sessions", "bench/long/raft_long",
     ["--bug", "snapshot-forgets-sessions"], 5000),
]


def records_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def verdict_of(path):
    return [r for r in records_of(path) if "verdict" in r][-1]


def find(path, arguments, seed, steps_min, folder):
    """The trace of a failing trial that is long enough; None: there is none."""
    deadline = time.monotonic() + 300
    for number in range(seed, seed + 1000):
        if time.monotonic() > deadline:
            return None
        found = os.path.join(folder, str(number))
        done = subprocess.run(
            [path, *arguments, "--no-shrink", "--seed", str(number), "-i", "100000", "-t", "60",
             "-j", "0", "-o", found], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{path}: {done.stdout}{done.stderr}")
        for trace in glob.glob(os.path.join(found, "*.trace")):
            if verdict_of(trace)["step"] >= steps_min:
                return trace
    return None


def shrink(path, trace, given):
    """Shrinks a trace. Returns the records of the result, the seconds, and whether time was up."""
    result = os.path.join(os.path.dirname(trace), "result.trace")
    begin = time.monotonic()
    done = subprocess.run(
        [path, "--shrink", trace, "--shrunk", result, "-t", str(given.seconds),
         "-j", str(given.jobs)], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    if not os.path.exists(result):
        sys.exit(f"{path}: {done.stdout}{done.stderr}")
    is_stopped = any(words in done.stdout for words in ("its time was up", "it was stopped"))
    return records_of(result), seconds, is_stopped


def measure(name, path, arguments, given, steps_min=0):
    with tempfile.TemporaryDirectory() as folder:
        trace = find(path, arguments, given.seed, steps_min, folder)
        if trace is None:
            print(f"{name}\tnot found\t")
            return
        records, seconds, is_stopped = shrink(path, trace, given)
    shrunk = [r for r in records if "shrunk" in r][0]
    steps = [r for r in records if "verdict" in r][-1]["step"]
    fair_from = records[0]["fair_from"]
    draws = sum("draw" in r and r["value"] != 0 for r in records)
    print(f"{name}/before\t{shrunk['shrunk']}\tsteps")
    print(f"{name}/after\t{steps}\tsteps")
    if fair_from < steps:
        print(f"{name}/fair-end\t{steps - fair_from}\tsteps")
    print(f"{name}/draws-before\t{shrunk['draws']}\tvalues")
    print(f"{name}/draws-after\t{draws}\tvalues")
    if "held_steps" in shrunk:
        print(f"{name}/exceptions\t{sum('hold' in r for r in records)}\texceptions")
    print(f"{name}/executions\t{shrunk['runs']}\ttrials")
    print(f"{name}/time\t{seconds:.2f}\t{'s (stopped)' if is_stopped else 's'}")
    if steps_min > 0:
        print(f"{name}/of-budget\t{seconds / BUDGET_S:.2f}\tof {BUDGET_S} s")
    sys.stdout.flush()


def main():
    build = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=60)
    given = parser.parse_args()
    for system, path in systems(build):
        for bug in bugs_of(path):
            if given.only in f"{system}/{bug}":
                measure(f"{system}/{bug}", path, ["--bug", bug], given)
    for name, path, arguments, steps in LONG:
        if given.only in name:
            measure(name, os.path.join(build, path), arguments, given, steps)
    return 0


if __name__ == "__main__":
    sys.exit(main())
