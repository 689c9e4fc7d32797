#!/usr/bin/env python3
"""mutate.py - writes a copy of a source that is wrong in one thing, to test the tests with.

mutate.py SOURCE COPY OLD NEW [OLD NEW]... replaces each OLD, which must be there exactly once, so
that no mutant is left behind when the source changes. SPDX-License-Identifier: MIT
"""
import sys


def main():
    source, copy, *changes = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = file.read()
    for old, new in zip(changes[::2], changes[1::2]):
        if text.count(old) != 1:
            sys.exit(f"mutate.py: {source} has {text.count(old)} times, not once: {old}")
        text = text.replace(old, new)
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
