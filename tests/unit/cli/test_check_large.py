#!/usr/bin/env python3
"""test_check_large - `sennit check` with a large history: test_check_large.py BUILD MEGABYTES

The history goes through a pipe, so that it takes no room anywhere. SPDX-License-Identifier: MIT
"""

import os
import re
import subprocess
import sys
import unittest

import tap

BUILD = ""
MEGABYTES = 0
BYTES_OF_AN_OPERATION = 64
BYTES_BESIDES = 24 << 20  # the command itself, buffers, the texts of keys

OPERATION = """\
{{:process {0}, :type :invoke, :f :write, :value ["key-{1}" {2}], :time {2}, :index {3}}}
{{:process {0}, :type :ok, :f :write, :value ["key-{1}" {2}], :time {2}, :index {4}, :node "n1"}}
"""


def pieces(megabytes):
    """Pieces of a legal history of so many megabytes, each with the number of its operations."""
    size = 0
    n = 0
    while size < megabytes << 20:
        text = "".join(OPERATION.format(i % 16, i % 1000, i, 2 * i, 2 * i + 1)
                       for i in range(n, n + 10000)).encode()
        n += 10000
        size += len(text)
        yield text, n


def check(*last):
    """The exit code, what was printed, the number of operations and the largest resident size."""
    # pylint: disable=consider-using-with
    process = subprocess.Popen([os.path.join(BUILD, "sennit"), "check", "-", "-m", "map"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    n = 0
    for text, n in pieces(MEGABYTES):
        process.stdin.write(text)
    for text in last:
        process.stdin.write(text)
    process.stdin.close()
    said = process.stdout.read().decode()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, said, n, usage.ru_maxrss << 10


class Large(unittest.TestCase):
    def test_a_large_history_is_judged(self):
        code, said, n, _ = check()
        self.assertEqual(code, 0, said)
        self.assertTrue(re.match(rf"-: linearizable \({n} operations, 1000 keys, ", said), said)

    def test_reading_a_large_history_keeps_its_operations_only(self):
        code, said, n, resident = check(b"{:process 0, :type :ok, :f :write, :value nil}\n")
        self.assertEqual(code, 2, said)
        self.assertEqual(said, f"sennit: standard input:{2 * n + 1}: process 0 completes an "
                               "operation, but has invoked none\n")
        self.assertLess(resident, n * BYTES_OF_AN_OPERATION + BYTES_BESIDES)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    MEGABYTES = int(sys.argv.pop(1))
    tap.main()
