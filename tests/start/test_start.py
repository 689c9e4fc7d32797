#!/usr/bin/env python3
"""test_start - Sennit as a new user meets it: installed, outside of its source tree.

    test_start.py [NAME...]   only the tests whose names contain one of these

One installation serves all tests; each works in a folder of its own. SPDX-License-Identifier: MIT
"""

import sys

import tap
# tap.main runs the cases that are found in this module.
# pylint: disable=unused-wildcard-import,wildcard-import
from cases_completion import *
from cases_init import *
from cases_install import *
from cases_manual import *



def keep_only(words):
    for case in [c for c in globals().values() if isinstance(c, type)]:
        for name in [n for n in vars(case) if n.startswith("test_")]:
            if not any(word in name for word in words):
                delattr(case, name)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        keep_only(sys.argv[1:])
    tap.main()
