#!/usr/bin/env python3
"""man1 - makes the page of the command from what the command says with --help.

    man1.py --version V --docdir DIR --output FILE SENNIT

SPDX-License-Identifier: MIT
"""

import argparse
import sys

import help_text
import roff


def option_entry(option):
    names = [name for name in (option.short, option.long) if name]
    words = ", ".join("\\fB" + roff.escape(name) + "\\fR" for name in names)
    if option.value.isupper():
        words += " \\fI" + option.value + "\\fR"
    elif option.value:
        words += "=" + "\\fB" + option.value + "\\fR"
    return f".TP\n{words}\n{roff.fill(option.about)}"


def verb_section(verb):
    parts = [f".SS sennit {verb.name} {roff.escape(verb.usage)}"]
    parts += ["\n.PP\n".join(roff.fill(p) for p in verb.intro)]
    parts += [option_entry(option) for option in verb.options]
    parts += [".PP\n" + roff.fill(p) for p in verb.rest]
    return "\n".join(parts)


def page(version, docdir, command):
    verbs = help_text.verbs(command)
    lines = help_text.say(command).split("\n\n")
    synopsis = [f"\\fBsennit {verb.name}\\fR {roff.escape(verb.usage)}" for verb in verbs]
    synopsis += ["\\fBsennit\\fR {\\fB\\-\\-help\\fR|\\fB\\-\\-version\\fR}"]
    about = lines[0].split("\n", 1)[1].replace("\n", " ")
    codes = lines[-1].replace("\n", " ").split("Exit codes: ")[1]
    return "\n".join([
        roff.title("sennit", 1, version),
        ".SH NAME\nsennit \\- finds and replays the bugs of interleavings",
        ".SH SYNOPSIS\n" + "\n.br\n".join(synopsis),
        ".SH DESCRIPTION\n" + roff.fill(about + " A test is a program that links libsennit and is "
                                        "its own runner; the command starts it, and looks at the "
                                        "traces that it writes."),
        ".SH VERBS",
        *[verb_section(verb) for verb in verbs],
        ".SH EXIT STATUS\n" + roff.fill(codes[0].upper() + codes[1:]),
        ".SH EXAMPLES\n" + roff.fill("A project that finds a bug, and what the bug is:") +
        "\n.PP\n" + roff.verbatim("sennit init bank\ncd bank\nmake\n"
                      "sennit show sennit-out/*.shrunk.trace", 4),
        f".SH FILES\n.TP\n.I {roff.escape(docdir)}\nThe documentation.\n"
        ".TP\n.I sennit\\-out/\nWhere a test program writes traces, unless told otherwise.",
        ".SH SEE ALSO\n.BR sennit (3)",
    ]) + "\n"


def main():
    parser = argparse.ArgumentParser()
    for name in ("version", "docdir", "output"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("command")
    arguments = parser.parse_args()
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(page(arguments.version, arguments.docdir, arguments.command))
    return 0


if __name__ == "__main__":
    sys.exit(main())
