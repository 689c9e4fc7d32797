"""roff - text as the macros of man(7) want it. SPDX-License-Identifier: MIT"""

import re
import textwrap


def escape(text):
    """Characters that troff would take for something else."""
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace(
        "`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")


def safe(line):
    """A line of escaped text must not begin like a request."""
    return "\\&" + line if line.startswith((".", "'")) else line


def fill(text):
    """A paragraph, of words that may be broken anywhere. A word in backquotes is literal: bold."""
    text = re.sub(r"\s+", " ", text).strip()
    parts = re.split(r"`([^`]+)`", text)
    out = ""
    for i, part in enumerate(parts):
        out += escape(part) if i % 2 == 0 else "\\fB" + escape(part) + "\\fR"
    lines = textwrap.wrap(out, 90, break_long_words=False, break_on_hyphens=False)
    return "\n".join(safe(line) for line in lines)


def verbatim(text, indent=0):
    """Lines that stay as they are."""
    lines = "\n".join(safe(escape(line)) for line in text.rstrip("\n").split("\n"))
    inner = f".nf\n{lines}\n.fi"
    return f".RS {indent}\n{inner}\n.RE" if indent else inner


def title(name, section, version):
    return (f'.\\" Made by the build of Sennit: change what it is made from.\n'
            f'.TH {name} {section} "" "Sennit {version}" "Sennit"')
