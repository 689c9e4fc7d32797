#!/usr/bin/env -S python3 -SE
"""driver - a synchroniser that is right, or wrong in the way that $SENNIT_TEST_MODE says.

Nothing happens but at `sync`: then each file that has changed on one node is taken to the others;
where several have changed it, the first that has not deleted it wins, and what the others have
becomes a conflict file on all nodes.
SPDX-License-Identifier: MIT
"""

import os
import subprocess
import sys
import time

MODE, _, WHAT = os.environ.get("SENNIT_TEST_MODE", "").partition(":")
ABOUT = """# what it is
rules fixed
nodes 1-5
settle 100
conflict %f (conflict *)
kill yes
"""


def read(path):
    if os.path.isdir(path):
        return "DIR"
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def put(path, contents):
    """Replaces what is there."""
    if read(path) == contents:
        return
    if os.path.isdir(path):
        os.rmdir(path)
    elif contents in ("", "DIR") and os.path.exists(path):
        os.unlink(path)
    if contents == "DIR":
        os.mkdir(path)
    elif contents != "":
        with open(path, "w", encoding="ascii") as file:
            file.write(contents)


def keep_conflict(roots, state, name, contents):
    number = len(os.listdir(state))
    pattern = f"{name} (conflict {number})" if MODE != "misname" else f"conflict-{number}-{name}"
    put(os.path.join(state, f"{name}-{number}"), contents)
    for root in roots:
        put(os.path.join(root, pattern), contents)


def sync(directory, nodes):
    roots = [os.path.join(directory, str(i + 1)) for i in range(nodes)]
    state = os.path.join(directory, "state")
    names = {n for root in roots for n in os.listdir(root) if "conflict" not in n}
    for name in sorted(names | {n for n in os.listdir(state) if "-" not in n}):
        base = read(os.path.join(state, name))
        found = [read(os.path.join(root, name)) for root in roots]
        changed = [c for c in found if c != base]
        written = [c for c in changed if c != ""]
        winner = (written or changed or [base])[0]
        for other in written[1:]:
            if other != winner and MODE != "lose":
                keep_conflict(roots, state, name, other)
        for root in roots:
            put(os.path.join(root, name), winner)
        put(os.path.join(state, name), winner)


def count():
    """How often it was started before, in all runs."""
    path = os.environ["SENNIT_TEST_COUNTER"]
    n = int(read(path) or 0)
    with open(path, "w", encoding="ascii") as file:
        file.write(str(n + 1))
    return n


def start_daemon(directory, nodes):
    """One that has nothing to do with whoever has started it any more."""
    subprocess.Popen([sys.argv[0], "daemon", directory, str(nodes)], start_new_session=True)


def start(directory, nodes):
    if MODE == "process":
        start_daemon(directory, nodes)
    if MODE == "third":
        put(os.path.join(directory, "state", "wrong-"), "yes" if count() % 3 == 2 else "no")


def stop(directory):
    if MODE == "stray":
        put(os.path.join(directory, "1", "stray.part"), "x")
    if MODE == "temporary":
        put(os.path.join(os.environ["TMPDIR"], "scratch"), "x")


def main():
    verb, directory = sys.argv[1:3]
    nodes = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    if os.environ.get("SENNIT_TEST_CALLS"):
        with open(os.environ["SENNIT_TEST_CALLS"], "a", encoding="ascii") as file:
            file.write(f"{verb} {os.path.basename(directory)} {' '.join(sys.argv[3:])}\n")
    if MODE == "hang" and verb == WHAT:
        time.sleep(1000)
    if MODE == "exit" and verb == WHAT:
        print("there is no more ink", file=sys.stderr)
        return 3
    if verb == "about":
        print(WHAT.replace(";", "\n") if MODE == "about" else ABOUT)
    elif verb == "start":
        start(directory, nodes)
    elif verb == "sync":
        sync(directory, nodes)
        if MODE == "third" and read(os.path.join(directory, "state", "wrong-")) == "yes":
            for node in range(nodes):
                put(os.path.join(directory, str(node + 1), "f1"), "y\n")
    elif verb == "status":
        return 1 if MODE == "die" else 0
    elif verb == "stop":
        stop(directory)
    elif verb == "daemon":
        time.sleep(1000)
    return 0


if __name__ == "__main__":
    sys.exit(main())
