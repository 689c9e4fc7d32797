#!/usr/bin/env python3
"""embed - turns the files of a new project into a table in C: embed.py OUTPUT LANGUAGE:PATH=FILE...

LANGUAGE is empty for files that projects of any language have; PATH is where the file goes in the
project. SPDX-License-Identifier: MIT
"""

import re
import sys


def literal(text):
    """A string of C."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def array(name, data):
    """An array of bytes: compilers need not accept a string of this length."""
    rows = [", ".join(str(byte) for byte in data[i:i + 20]) for i in range(0, len(data), 20)]
    return f"static const unsigned char {name}[] = {{\n    " + ",\n    ".join(rows) + "\n};\n"


def main():
    output, *pairs = sys.argv[1:]
    arrays = []
    entries = []
    for i, pair in enumerate(pairs):
        language, path, source = re.fullmatch(r"(.*?):(.*?)=(.*)", pair).groups()
        with open(source, "rb") as file:
            arrays.append(array(f"file_{i}", file.read()))
        names = f"{literal(language)}, {literal(path)}"
        entries.append(f"    {{{names}, file_{i}, sizeof(file_{i})}},\n")
    with open(output, "w", encoding="utf-8") as file:
        file.write('/* Made by src/cli/embed.py. */\n#include "cli/init_files.h"\n\n')
        file.write("\n".join(arrays))
        file.write("\nconst struct init_file init_files[] = {\n" + "".join(entries) +
                   "    {0, 0, 0, 0},\n};\n")


if __name__ == "__main__":
    main()
