#!/usr/bin/env python3
"""cost.py - what trials of other strategies cost beside those of `random`.

    build/bench/cost [--trials N] [--rounds N] [--noise N ...] [--strategies A B ...] [--only TEXT]

Runs N trials (10000) of the tests of each system, correct and with one worker, with `random` and
with each strategy in turn, round after round (5), and prints NAME<TAB>VALUE<TAB>UNIT: the processor
time of the strategy divided by that of `random`, both the least of all rounds, because other work
on the machine can only add to it. Of those with conflict analysis (+ca) also what they cost beside
the same without. The geometric means of all systems come last. Systems without an option --noise
are measured without noise only. It takes half an hour, most of it for Raft. Tests of ds2 that fail
on purpose go on.
SPDX-License-Identifier: MIT
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile

from bugs import seconds_of_children, systems

STRATEGIES = ["random+ca", "pos", "pos+ca", "posr", "posr+ca", "pct:3", "pct+ca:3", "urw", "surw",
              "fest", "portfolio:random+ca/pos+ca", "portfolio:random+ca/surw/fest"]


def programs(build):
    """What strategies are compared on, by name and path: see search.py."""
    libraft = os.path.join(build, "systems", "libraft")
    return [*systems(build), *([("libraft", libraft)] if os.path.exists(libraft) else [])]


def has_noise(path):
    told = subprocess.run([path, "--help"], capture_output=True, text=True, check=False).stdout
    return "--noise N" in told


def seconds_of(path, strategy, noise, options):
    before = seconds_of_children()
    with tempfile.TemporaryDirectory() as outdir:
        done = subprocess.run(
            [path, "-j", "1", "-s", strategy, "-i", str(options.trials), "-o", outdir, "-q", "-k",
             "--no-shrink", *(["--noise", str(noise)] if noise else [])],
            capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{path} -s {strategy} --noise {noise}: {done.stderr or done.stdout}")
    return seconds_of_children() - before


def measure(name, path, noise, options, ratios):
    best = {}
    for _ in range(options.rounds):
        for strategy in ["random", *options.strategies]:
            seconds = seconds_of(path, strategy, noise, options)
            best[strategy] = min(best.get(strategy, seconds), seconds)
    found = {strategy: best[strategy] / best["random"] for strategy in options.strategies}
    for strategy in options.strategies:
        plain = strategy.replace("+ca", "")
        if plain != strategy and plain in best and plain != "random":
            found[f"{strategy}_beside_{plain}"] = best[strategy] / best[plain]
    for what, ratio in found.items():
        ratios.setdefault(what, []).append(ratio)
        print(f"{name}_noise{noise}_{what}\t{ratio:.3f}\tratio", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--trials", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--noise", type=int, nargs="+", default=[0, 1000])
    parser.add_argument("--strategies", nargs="+", default=STRATEGIES)
    parser.add_argument("--only", default="", help="systems whose name contains this")
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--build", default=os.path.dirname(here))
    options = parser.parse_args()
    ratios = {}

    for name, path in programs(options.build):
        if options.only not in name:
            continue
        for noise in options.noise if has_noise(path) else [0]:
            measure(name, path, noise, options, ratios)
    for strategy, all_of_it in ratios.items():
        mean = math.exp(sum(map(math.log, all_of_it)) / len(all_of_it))
        print(f"mean_{strategy}\t{mean:.3f}\tratio")


if __name__ == "__main__":
    main()
