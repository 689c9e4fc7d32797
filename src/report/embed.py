#!/usr/bin/env python3
"""embed - turns the assets of the report into C: embed.py OUTPUT page.html (STYLE.css|SCRIPT.js)...

The page has four marks: {{policy}}, {{style}}, {{data}} and {{script}}. Style and scripts are put
in, and the policy names their hashes, so that a browser runs these bytes and no others. What comes
before and behind the data are two arrays. SPDX-License-Identifier: MIT
"""

import base64
import hashlib
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def source(text):
    """How a content security policy names an inline element."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def array(name, data):
    """An array of bytes: compilers need not accept a string of this length."""
    rows = [",".join(str(byte) for byte in data[i:i + 24]) for i in range(0, len(data), 24)]
    return (f"const unsigned char {name}[] = {{\n" + ",\n".join(rows) + "\n};\n"
            f"const size_t {name}_size = sizeof({name});\n")


def main():
    output, page, *parts = sys.argv[1:]
    styles = "\n" + "\n".join(read(path) for path in parts if path.endswith(".css"))
    script = "\n\"use strict\";\n" + "\n".join(read(path) for path in parts
                                             if path.endswith(".js"))
    for text, tag in ((styles, "style"), (script, "script")):
        if "</" + tag in text.lower() or "<!--" in text:
            sys.exit(f"embed: what goes into <{tag}> must not end it")
    policy = (f"default-src 'none'; script-src {source(script)}; style-src {source(styles)}; "
              "img-src data:; base-uri 'none'; form-action 'none'")
    halves = read(page).split("{{data}}")
    if len(halves) != 2:
        sys.exit("embed: the page needs {{data}} once")
    marks = {"{{policy}}": policy, "{{style}}": styles, "{{script}}": script}
    filled = []
    for part in halves:
        for mark, text in marks.items():
            part = part.replace(mark, text)
        filled.append(part.encode())
    with open(output, "w", encoding="utf-8") as file:
        file.write('/* Made by src/report/embed.py. */\n#include "report/page.h"\n\n')
        file.write(array("page_before", filled[0]) + "\n" + array("page_after", filled[1]))


if __name__ == "__main__":
    main()
