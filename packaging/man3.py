#!/usr/bin/env python3
"""man3 - makes the pages of section 3 from the public headers, one for each name they declare.

    man3.py --version V --docdir DIR --examples DIR --depfile FILE --output DIR HEADER...

What a page says is what the comments of the header say, so that it is as true as they are. Its
example is the file of examples/man/ whose first comment names it. SPDX-License-Identifier: MIT
"""

import argparse
import os
import re
import shutil
import sys

import headers
import roff

# How the comment of a function begins that tells what it is, rather than what it does.
NOUN = re.compile(r"(A|An|The|Where|Whether|How|True|Zeroed|Virtual)\b")
SEE_MAX = 12


# ---- What a page says ----------------------------------------------------------------------------


def sentences(text):
    text = re.sub(r"\s+", " ", text)
    return re.split(r"(?<=[.?]) (?=[A-Z`]|docs/)", text)


def return_value(item):
    """The sentences that tell what a function returns; "" if none does."""
    said = [s for s in sentences(item.text) if re.search(r"\b[Rr]eturns?\b(?!s? with)", s)]
    said = [s for s in said if not re.match(r"When it returns|The following", s)]
    all_of_it = sentences(item.text)
    if not said and NOUN.match(all_of_it[0]):
        said = all_of_it[:1]
    if not said:
        said = [s for s in all_of_it if s.startswith(("True ", "False "))]
    if not said:
        said = [s for s in sentences(item.section.about) if re.search(r"\breturn\b", s)]
    return " ".join(said)


class Examples:
    """The files of a folder, found by the names that their first comments mention."""

    def __init__(self, folder):
        self.paths = sorted(os.path.join(folder, name) for name in os.listdir(folder)
                            if name.endswith(".c"))
        self.of = {}
        for path in self.paths:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            comment, code = re.fullmatch(r"(/\*.*?\*/)\n(.*)", text, re.DOTALL).groups()
            for name in re.findall(r"\b(?:sn|SN)_\w+", comment):
                if not re.search(rf"\b{name}\b", code):
                    raise ValueError(f"{path} does not use {name}, which it promises to show")
                self.of[name] = code


def mentioned(item, known):
    """The names that a page refers to, nearest first."""
    text = item.text + " " + item.code
    names = re.findall(r"\bsn_\w+|\bSN_\w+", text)
    names += [other.name for other in item.section.items]
    found = []
    for name in names:
        if name in known and name != item.name and name not in found:
            found.append(name)
    return found[:SEE_MAX]


# ---- The layout of a page ------------------------------------------------------------------------


class Pages:
    def __init__(self, arguments):
        self.version = arguments.version
        self.docdir = arguments.docdir
        self.headers = headers.read(arguments.headers)
        self.examples = Examples(arguments.examples)
        self.known = {}
        self.types = {}  # of those that have the name of a function: C keeps the two apart
        for header in self.headers:
            for item in header.items:
                other = self.known.get(item.name)
                if other and {item.kind, other.kind} != {"type", "function"}:
                    raise ValueError(f"{item.name} is declared twice")
                if other:
                    self.types[item.name] = item if item.kind == "type" else other
                if not other or item.kind == "function":
                    self.known[item.name] = item

    def fill(self, text):
        return roff.fill(re.sub(r"\bdocs/(\w+\.md)", self.docdir + r"/\1", text))

    def prose(self, text):
        """Paragraphs; lines that are indented stay as they are."""
        out = []
        for paragraph in re.split(r"\n\n|\n(?=  )(?<!  )", text):
            lines = paragraph.split("\n")
            is_table = all(line.startswith("  ") for line in lines)
            text = roff.verbatim(paragraph, 4) if is_table else self.fill(paragraph)
            out.append(".PP\n" + text)
        return merge_tables("\n".join(out))

    def description(self, item):
        parts = [item.text or f"A {item.kind} that <sennit/{item.section.header.name}> declares."]
        if item.kind == "function" and item.section.about:
            parts.append(item.section.about)
        if item.kind in ("function", "macro") and item.section.header.rule:
            parts.append(item.section.header.rule)
        if item.name in self.types and item.kind == "function":
            parts.append(self.types[item.name].text)
        return self.prose("\n\n".join(parts))

    def page(self, item):
        code = item.code.expandtabs(4)
        if item.kind in ("macro", "constant") and code.startswith("#define"):
            code = re.match(r"#define (\w+(?:\(.*?\))?)", code).group(1)
        if item.name in self.types:
            code += "\n\n" + self.types[item.name].code.expandtabs(4)
        parts = [
            roff.title(item.name, 3, self.version),
            f".SH NAME\n{roff.escape(item.name)} \\- {roff.escape(item.summary)}",
            ".SH SYNOPSIS\n" + roff.verbatim("#include <sennit/sennit.h>\n\n" + code),
            ".SH DESCRIPTION\n" + self.description(item).removeprefix(".PP\n"),
        ]
        if not item.is_void and return_value(item):
            parts.append(".SH RETURN VALUE\n" + self.fill(return_value(item)))
        if item.name in self.examples.of:
            parts.append(".SH EXAMPLES\n" + self.fill(
                "A whole program. Link it with `-lsennit`.") + "\n.PP\n" +
                roff.verbatim(self.examples.of[item.name], 4))
        see = ["sennit(1)", "sennit(3)"] + [name + "(3)" for name in mentioned(item, self.known)]
        parts.append(".SH SEE ALSO\n" + references(see))
        return "\n".join(parts) + "\n"

    def overview(self):
        parts = [
            roff.title("sennit", 3, self.version),
            ".SH NAME\nsennit \\- finds and replays the bugs of interleavings: the C library",
            ".SH SYNOPSIS\n" + roff.verbatim("#include <sennit/sennit.h>") + "\n.PP\n" +
            roff.verbatim("cc test.c $(pkg-config --cflags --libs sennit)"),
            ".SH DESCRIPTION\n" + self.fill(
                "A test creates machines that send each other events. The library runs it many "
                "times and decides each time which pending event is delivered next and which "
                "values the test draws; a trial that fails can be run again exactly. Each name "
                "below has a page of its own."),
        ]
        for header in self.headers:
            parts.append(f".SH <SENNIT/{header.name.upper()}>\n" + self.prose(header.about)
                         .removeprefix(".PP\n"))
            for section in header.sections:
                parts += self.overview_of(section)
        parts.append(".SH FILES\n" + self.fill(f"`{self.docdir}` has the documentation."))
        parts.append(".SH SEE ALSO\n" + references(["sennit(1)"]))
        return "\n".join(parts) + "\n"

    @staticmethod
    def overview_of(section):
        parts = [f".SS {section.title or 'Types and constants'}"] if section.items else []
        for item in section.items:
            parts.append(f".TP\n.BR {roff.escape(item.name)} (3)\n{roff.escape(item.summary)}")
        return parts


def references(names):
    lines = []
    for i, name in enumerate(names):
        match = re.fullmatch(r"(\w+)\((\d)\)", name)
        comma = "," if i + 1 < len(names) else ""
        lines.append(f".BR {roff.escape(match.group(1))} ({match.group(2)}){comma}")
    return "\n".join(lines)


def merge_tables(text):
    """Lines of one table were split as paragraphs: put them together again."""
    return text.replace("\n.fi\n.RE\n.PP\n.RS 4\n.nf\n", "\n")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser()
    for name in ("version", "docdir", "examples", "depfile", "output"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("headers", nargs="+")
    arguments = parser.parse_args()

    pages = Pages(arguments)
    shutil.rmtree(arguments.output, ignore_errors=True)  # a page of what is gone must not stay
    os.makedirs(arguments.output)
    for name, item in pages.known.items():
        write(os.path.join(arguments.output, name + ".3"), pages.page(item))
    write(os.path.join(arguments.output, "sennit.3"), pages.overview())

    here = [module.__file__ for module in (headers, roff)] + [arguments.examples]
    needed = here + arguments.headers + pages.examples.paths
    write(arguments.depfile, f"{arguments.output}: {' '.join(needed)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
