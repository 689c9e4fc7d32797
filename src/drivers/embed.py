#!/usr/bin/env python3
"""embed - turns scripts into a table in C: embed.py OUTPUT FILE...

Each is known by the name of its file. SPDX-License-Identifier: MIT
"""

import os
import sys


def main():
    output, *paths = sys.argv[1:]
    arrays = []
    entries = []
    for i, path in enumerate(paths):
        with open(path, "rb") as file:
            data = file.read()
        rows = [", ".join(str(byte) for byte in data[k:k + 20]) for k in range(0, len(data), 20)]
        arrays.append(f"static const unsigned char text_{i}[] = {{\n    " + ",\n    ".join(rows) +
                      "\n};\n")
        entries.append(f'    {{"{os.path.basename(path)}", text_{i}, sizeof(text_{i})}},\n')
    with open(output, "w", encoding="utf-8") as file:
        file.write('/* Made by src/drivers/embed.py. */\n#include "drivers/builtin.h"\n\n')
        file.write("\n".join(arrays))
        file.write("\nconst struct builtin builtins[] = {\n" + "".join(entries) +
                   "    {0, 0, 0},\n};\n")


if __name__ == "__main__":
    main()
