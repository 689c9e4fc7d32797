#!/usr/bin/env python3
"""events.py - how fast interleavings of recorded events are enumerated and run.

    build/bench/events [--modules DIR] [--interleavings N]

Prints NAME<TAB>VALUE<TAB>UNIT: interleavings that are only enumerated, those that are run with
replicas in the same process, and those of a yjs program that node runs, beside what node needs for
the same work in a loop that somebody has written by hand for this one program. For that one it
takes node and a directory DIR that has yjs and this binding in its node_modules (npm install in
bindings/js/subjects makes one); without them it says why it is left out.
SPDX-License-Identifier: MIT
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from bugs import seconds_of_children


def line(name, value, unit):
    print(f"{name}\t{value:.4g}\t{unit}", flush=True)


def recording(n):
    """Three replicas in turn: updates, and every fourth event is a delivery of the one before."""
    events = []
    for i in range(n):
        event = {"kind": "update", "replica": "ABC"[i % 3], "op": "add", "args": [i]}
        if i % 4 == 3:
            event = {"kind": "deliver", "replica": "ABC"[i % 3], "from": "ABC"[(i - 1) % 3],
                     "of": i - 1, "op": "hear"}
        events.append(event)
    return {"recording": {"replicas": ["A", "B", "C"], "events": events}}


def walk(build, name, n, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(recording(n), file)
        file.flush()
        told = subprocess.run([f"{build}/sennit-events", "--recording", file.name, "--walk",
                               "40000000", *options], capture_output=True, text=True, check=True)
    count, seconds, more = re.match(r"(\d+) \w+\t(\S+) [^\t]*\t(-?\d+)", told.stdout).groups()
    line(f"enumerate/{name}", int(count) / float(seconds) / 1e6, "million interleavings/s")
    line(f"enumerate/{name}/memory", int(more), "KiB more than before")


def measure_yjs(build, modules, n):
    """The same interleavings by Sennit and by hand. Time is that of the processor, of all processes
    together, since others may be at work; by Sennit it begins with starting node."""
    here = os.path.dirname(os.path.abspath(__file__))
    node = shutil.which("node")
    if node is None or not modules or not os.path.isdir(f"{modules}/node_modules/yjs"):
        print("yjs\tno node, or no yjs (--modules)\tnot measured")
        return
    shutil.copy(os.path.join(here, "events_yjs.mjs"), modules)
    command = [f"{build}/sennit-events", "--exec", f"{node} events_yjs.mjs", "--order", "free"]
    listed = subprocess.run([*command, "--list"], cwd=modules, capture_output=True, text=True,
                            check=True)
    orders = [line.split() for line in listed.stdout.splitlines()[:n]]
    with tempfile.TemporaryFile("w+") as file:  # node reads no pipe to its end at once
        file.write("".join(f"[{','.join(order)}]\n" for order in orders))
        file.seek(0)
        told = subprocess.run([node, "events_yjs.mjs", "--by-hand"], cwd=modules, text=True,
                              capture_output=True, check=True, stdin=file)
    by_hand = json.loads(told.stdout)["per_second"]
    with tempfile.TemporaryDirectory() as out:
        before = seconds_of_children()
        subprocess.run([*command, "-k", "-i", str(n), "--no-shrink", "-o", out], cwd=modules,
                       check=False, capture_output=True)
        seconds = seconds_of_children() - before
    line("yjs/by hand", by_hand, "interleavings/s")
    line("yjs/sennit events", len(orders) / seconds, "interleavings/s")
    line("yjs/sennit events", len(orders) / seconds / by_hand, "of what a loop by hand does")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--build", default=os.path.dirname(here))
    parser.add_argument("--modules", default="")
    parser.add_argument("--interleavings", type=int, default=40320)
    options = parser.parse_args()

    walk(options.build, "10 events, any order", 10, "--order", "free")
    walk(options.build, "24 events, any order", 24, "--order", "free")
    walk(options.build, "24 events, causal order", 24)
    sys.stdout.flush()
    subprocess.run([f"{options.build}/bench/events_core"], check=True)
    measure_yjs(options.build, options.modules, options.interleavings)


if __name__ == "__main__":
    main()
