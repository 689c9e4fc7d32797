#!/usr/bin/env python3
"""dropbox.py - the surprises of "Mysteries of Dropbox" in systems/sync, beside the paper's figures.

    build/bench/dropbox [--limit N] [--seed N] [--strategy S] [--trials N] [--only TEXT] [--tables]

Finds each surprise with the default strategy within N trials (100000), shrinks it, and prints how
many calls the paper's counterexample has, how many the trial had that was found, and how many are
left up to the one that cannot be explained. Calls are reads, writes and stabilizations; sleeps do
not count, as in the paper. Sets are those of possible states, in the trial that was found; then
come those in trials of the correct one. The paper has seen more than 1,000 states "almost never".
With --tables the shrunk observations are printed, too.
SPDX-License-Identifier: MIT
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

SHRINK_TRIALS = 50000
SHRINK_SECONDS = 600
HERE = os.path.dirname(os.path.abspath(__file__))

# The name in the paper's order, and the calls of what is printed there. Of O1 nothing is: it was
# met by the authors' own preparations.
PAPER = [
    ("D1", "apply-old-delete", 5),
    ("D2", "reupload-after-delete", 3),
    ("D3", "delete-vs-metadata-update", 4),
    ("D4", "mtime-size-check", 4),
    ("O1", "directory-reorder", None),
    ("O2", "upload-mtime-check", 4),
]


def program(*parts):
    return os.path.join(HERE, "..", *parts)


def show(path):
    return subprocess.run([program("sennit"), "show", path], capture_output=True, text=True,
                          check=True).stdout


def figures(shown):
    """Of what a trace shows: calls up to the bad one, all calls, the largest and the mean set."""
    found = re.search(r"note: call (\d+) of (\d+) cannot be; possible states: at most (\d+), "
                      r"mean ([\d.]+)", shown)
    return (*map(int, found.groups()[:3]), float(found.group(4)))


def table(shown):
    """The lines of the observation."""
    lines = [re.sub(r"^ *note: ", "", line) for line in shown.splitlines()]
    first = next(i for i, line in enumerate(lines) if line.lstrip().startswith("node 1"))
    last = next(i for i, line in enumerate(lines) if i > first and "STABILIZE" in line) + 1
    return [line.rstrip() for line in lines[first:last]]


def run(*arguments):
    """Runs the system; says what went wrong if it finds nothing else than that."""
    done = subprocess.run([program("systems", "sync"), *arguments], capture_output=True, text=True,
                          check=False)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done


def measure(bug, options):
    """Tests until a bug was found, figures before and after shrinking, what is left; None: it was
    not found. As much is tried on every machine, however long that takes."""
    with tempfile.TemporaryDirectory() as folder:
        done = run("--bug", bug, "-i", str(options.limit), "--seed", str(options.seed), "-o",
                   folder, "--no-shrink", *(["-s", options.strategy] if options.strategy else []))
        found = re.search(r"FAILED in trial (\d+),", done.stdout)
        if not found:
            return None
        whole = glob.glob(os.path.join(folder, "*.trace"))[0]
        small = os.path.join(folder, "small")
        run("--bug", bug, "--shrink", whole, "--shrunk", small, "-i", str(SHRINK_TRIALS), "-t",
            str(SHRINK_SECONDS))
        before, after = show(whole), show(small)
    return int(found.group(1)) + 1, figures(before), figures(after), table(after)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--limit", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strategy", default="")
    parser.add_argument("--trials", type=int, default=10000, help="of the correct one")
    parser.add_argument("--only", default="", help="surprises whose name contains this")
    parser.add_argument("--tables", action="store_true")
    options = parser.parse_args()

    row("surprise", "bug", "paper's calls", "tests", "calls found", "calls shrunk", "largest set",
        "mean set")
    row(*["---"] * 8)
    tables = []
    for name, bug, calls in PAPER:
        if options.only not in bug:
            continue
        found = measure(bug, options)
        if found is None:
            row(name, f"`{bug}`", calls or "none printed", f">{options.limit}", *[""] * 4)
            continue
        tests, before, after, lines = found
        row(name, f"`{bug}`", calls or "none printed", tests, before[1], after[0], before[2],
            before[3])
        tables.append((name, lines))
    if options.tables:
        for name, lines in tables:
            print(f"\n{name}\n" + "\n".join(lines))
    print(flush=True)
    sys.exit(subprocess.run([program("bench", "dropbox_sets"), str(options.trials)],
                            check=False).returncode)


if __name__ == "__main__":
    main()
