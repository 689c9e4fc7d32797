#!/usr/bin/env python3
"""workers.py - what it costs to divide the trials of a run between processes.

    build/bench/workers [--rounds N] [--trials N]

Runs the same trials with one, two and four workers, in turn, and prints the time of processors that
they took in relation to one worker (the least of all rounds): NAME<TAB>VALUE<TAB>UNIT.
SPDX-License-Identifier: MIT
"""

import argparse
import os
import subprocess
import sys
import tempfile

from bugs import seconds_of_children

RUNS = {
    "extent_manager": ["-f", "repair", "-s", "random"],
    "extent_manager_pct": ["-f", "repair", "-s", "pct:3"],
    "two_phase_commit": ["-f", "atomic", "-s", "random"],
    "raft_portfolio": ["-f", "election", "-s", "portfolio"],
}
SYSTEMS = {"extent_manager_pct": "extent_manager", "raft_portfolio": "raft"}


def cpu_s(build, name, jobs, trials):
    """Seconds that all processes of a run used."""
    program = os.path.join(build, "systems", SYSTEMS.get(name, name))
    with tempfile.TemporaryDirectory() as outdir:
        before = seconds_of_children()
        done = subprocess.run(
            [program, *RUNS[name], "-i", str(trials), "-j", str(jobs), "-o", outdir, "-q"],
            check=False, capture_output=True, text=True)
        seconds = seconds_of_children() - before
    if done.returncode != 0:
        sys.exit(f"{program}: {done.stdout}{done.stderr}")
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--trials", type=int, default=50000)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--build", default=os.path.dirname(here))
    options = parser.parse_args()
    for name in RUNS:
        least = {}
        for _ in range(options.rounds):
            for jobs in (1, 2, 4):
                seconds = cpu_s(options.build, name, jobs, options.trials)
                least[jobs] = min(seconds, least.get(jobs, seconds))
        print(f"{name}_cpu_per_trial_j1\t{least[1] / options.trials * 1e6:.2f}\tus")
        for jobs in (2, 4):
            print(f"{name}_cpu_j{jobs}_vs_j1\t{least[jobs] / least[1]:.3f}\tratio", flush=True)


if __name__ == "__main__":
    main()
