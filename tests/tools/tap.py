"""tap - unittest that speaks TAP, and what the tests of the tools share.

SPDX-License-Identifier: MIT
"""

import os
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))


def write(path, text, mode=0o644):
    """Makes a file and the folders above it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def main():
    """Runs the test methods of the calling module; a method test_x makes the claim x."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    tests = [test for group in suite for test in group]
    print(f"1..{len(tests)}", flush=True)
    is_good = True
    for number, test in enumerate(tests, 1):
        result = unittest.TestResult()
        test.run(result)
        problems = result.failures + result.errors
        name = test.id().split(".")[-1].removeprefix("test_")
        skip = f" # SKIP {result.skipped[0][1]}" if result.skipped else ""
        print(f"{'not ok' if problems else 'ok'} {number} - {name}{skip}")
        for _, text in problems:
            print("\n".join("# " + line for line in text.splitlines()))
        sys.stdout.flush()
        is_good = is_good and not problems
    sys.exit(0 if is_good else 1)
