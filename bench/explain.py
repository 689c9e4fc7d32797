#!/usr/bin/env python3
"""explain.py - what explaining each seeded bug of the systems takes and gives.

    build/bench/explain [--limit TRIALS] [--seconds N | --trials N] [--jobs N] [--only TEXT]
                        [--markdown | --text]

Finds every bug of every system (--bugs lists them), explains the trial that was found, and prints
NAME<TAB>VALUE<TAB>UNIT: steps before and after shrinking, exceptions to the default schedule,
constraints (those that only let others come about are not counted), the step from which on they
are enough (0: the start), how often trials fail with and without them, how many of the failing
trials found independently they cover, the step with which the trial was lost, trials, and seconds
of the clock and of all processors. --text prints the explanations themselves, --markdown the table
of docs/results.md. SPDX-License-Identifier: MIT
"""

import argparse
import json
import os
import subprocess
import tempfile
import time

from bugs import bugs_of, seconds_of_children, systems

STRATEGIES = ["random", "pos", "pct:3"]


def find(path, bug, folder, limit):
    """The trace of a trial that fails, or None."""
    for strategy in STRATEGIES:
        subprocess.run([path, "--bug", bug, "-s", strategy, "-i", str(limit), "-o", folder,
                        "--no-shrink"], capture_output=True, check=False)
        traces = sorted(name for name in os.listdir(folder) if name.endswith(".trace"))
        if traces:
            return os.path.join(folder, traces[0])
    return None


def explain(path, trace, options, form):
    """How it ended, and the seconds: of the clock, and of the processors."""
    budget = ["-i", str(options.trials)] if options.trials else ["-t", str(options.seconds)]
    start = time.monotonic()
    before = seconds_of_children()
    done = subprocess.run([path, "--explain", trace, *budget, "-j", str(options.jobs), *form],
                          capture_output=True, text=True, check=False)
    return done, (time.monotonic() - start, seconds_of_children() - before)


def share(answer):
    return f"{answer['failed']}/{answer['trials']}" if answer else "-"


def figures(told, seconds):
    cause = told["causes"][0] if told["causes"] else None
    kinds = [one["kind"] for one in cause["constraints"]
             if one.get("label") != "enabling"] if cause else []
    grouped = sum(bool(one.get("group")) for one in cause["constraints"]) if cause else 0
    lost = told["lost"]
    return {
        "steps before": told["trial"]["steps_before"],
        "steps": told["trial"]["steps"],
        "exceptions": told["trial"]["exceptions"],
        "orders": kinds.count("order") - (grouped - 1 if grouped else 0)
                  + kinds.count("no other fault"),
        "values": kinds.count("value"),
        "is enough": "yes" if cause and cause["sufficient"] else "no",
        "fails with them": share(cause["verified"]) if cause else "-",
        "from step": (cause["from"] or 0) if cause else 0,
        "fails without": share(cause["base"] or told["base"]) if cause else "-",
        "covers": "-" if not cause or cause["covers"] is None
                  else f"{cause['covers']}/{told['pool']}",
        "causes": len(told["causes"]),
        "lost after": f"{lost['step']}: {lost['operation']}" if lost["found"] else "-",
        "trials": told["executions"],
        "seconds": f"{seconds[0]:.1f}",
        "processor seconds": f"{seconds[1]:.1f}",
    }


def print_bug(name, path, bug, options):
    with tempfile.TemporaryDirectory() as folder:
        trace = find(path, bug, folder, options.limit)
        if trace is None:
            print(f"{name}\tnot found\t", flush=True)
            return
        done, seconds = explain(path, trace, options, [] if options.text else ["--json"])
    if done.returncode not in (0, 3):
        print(f"{name}\t{done.stderr.strip()}\tcomplaint", flush=True)
    elif options.text:
        print(f"---- {name} ({seconds[0]:.1f} s)\n{done.stdout}", flush=True)
    else:
        row = figures(json.loads(done.stdout), seconds)
        if options.markdown:
            print(f"| {name} | " + " | ".join(str(value) for value in row.values()) + " |",
                  flush=True)
        else:
            for unit, value in row.items():
                print(f"{name}\t{value}\t{unit}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--limit", type=int, default=100000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--trials", type=int, default=0, help="instead of seconds")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--only", default="", help="systems or bugs with this in system/bug")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--text", action="store_true")
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--build", default=os.path.dirname(here))
    options = parser.parse_args()

    if options.markdown:
        print("| bug | steps | shrunk | exceptions | orders | values | enough | fails with "
              "| from step | without | covers | causes | lost after | trials | seconds "
              "| processor seconds |")
        print("|---|" + "---|" * 15)
    for system, path in systems(options.build):
        for bug in bugs_of(path):
            if options.only in f"{system}/{bug}":
                print_bug(f"{system}/{bug}", path, bug, options)


if __name__ == "__main__":
    main()
