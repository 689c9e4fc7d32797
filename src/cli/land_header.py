"""land_header - land.py as one command of gdb, in a header: land_header.py LAND.PY LAND.H

gdb takes it as an argument, so no file has to be found or left behind. SPDX-License-Identifier: MIT
"""

import json
import sys

with open(sys.argv[1], encoding="ascii") as file:
    script = file.read()
command = "python exec(" + json.dumps(script) + ")"
lines = [command[i:i + 80] for i in range(0, len(command), 80)]
with open(sys.argv[2], "w", encoding="ascii") as file:
    file.write("/* land.h - made from land.py. SPDX-License-Identifier: MIT */\n")
    file.write("static const char land_command[] =\n")
    file.write("\n".join("    " + json.dumps(line) for line in lines) + ";\n")
