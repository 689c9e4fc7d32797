"""headers - what the public headers declare, and what their comments say of it.

Reads the layout that clang-format and tools/tidy hold the headers to: a declaration begins in the
first column; the comment above it speaks of it and of what follows without a blank line; a comment
behind it is about it alone; `/* ---- Title ---- */` begins a section, and a comment that a blank
line follows there is about all of the section. SPDX-License-Identifier: MIT
"""

import os
import re
from dataclasses import dataclass, field

RULE = re.compile(r"/\* -{3,} (.*?) -+ \*/")


@dataclass
class Item:
    """One declaration."""

    name: str
    kind: str  # function, macro, constant, type, object
    code: str  # as it is written, without the comment behind it
    about: str  # the comment above it, with newlines
    remark: str  # the comment behind it
    section: "Section"

    @property
    def is_void(self):
        return self.kind != "function" or self.code.startswith("void sn_")

    @property
    def text(self):
        """What the comments say of it, in the words of both."""
        return "\n\n".join(part for part in (self.remark and sentence(self.remark), self.about)
                           if part)

    @property
    def summary(self):
        """The line of a list: the first clause of what is said of it."""
        text = self.remark or self.about
        if not text:
            return f"a {self.kind} of <sennit/{self.section.header.name}>"
        first = re.split(r"(?<!e\.g)[.:;](?:\s|$)|\n\n", text, maxsplit=1)[0]
        first = re.sub(r"\s+", " ", first).strip().replace("`", "")
        is_word = re.match(r"[A-Z][a-z']*\b", first)
        return first[0].lower() + first[1:] if is_word else first


@dataclass
class Section:
    header: "Header"
    title: str
    about: str = ""
    items: list = field(default_factory=list)


@dataclass
class Header:
    """One file of include/sennit/."""

    name: str
    about: str = ""
    sections: list = field(default_factory=list)

    @property
    def items(self):
        return [item for section in self.sections for item in section.items]

    @property
    def rule(self):
        """The paragraph that says from where the functions may be called; "" if there is none."""
        for paragraph in self.about.split("\n\n"):
            match = re.search(r"Unless a comment says otherwise.*", paragraph, re.DOTALL)
            if match:
                return match.group()
        return ""


def sentence(text):
    text = text[0].upper() + text[1:] if not text.startswith("sn_") else text
    return text if text.endswith((".", "?")) else text + "."


def uncomment(text):
    """The words of a comment, line by line; what is indented further stays so."""
    text = text.strip().removeprefix("/*").removesuffix("*/")
    lines = [re.sub(r"^ \* ?", "", line).rstrip() for line in text.split("\n")]
    lines[0] = lines[0].strip()
    return "\n".join(lines).strip()


def is_complete(code):
    """Whether a declaration ends here."""
    if code.startswith("#"):
        return not code.endswith("\\")
    bare = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL).rstrip()
    return "/*" not in bare and bare.endswith(";") and bare.count("{") == bare.count("}")


def classify(code):
    """(name, kind) of a declaration, or None for one that says nothing new."""
    patterns = [
        (r"#define (\w+)\(", "macro"),
        (r"#define (\w+) +\S", "constant"),
        (r"typedef .*?(\w+)(?:\(|;)", "type"),
        (r"(?:struct|enum) (\w+) \{", "type"),
        (r"struct (\w+);", "type"),
        (r"enum \{ (\w+)", "constant"),
        (r"extern .*?(\w+);", "object"),
        (r"[a-z][^;{}]*?\b(sn_\w+)\(", "function"),
    ]
    for pattern, kind in patterns:
        match = re.match(pattern, code, re.DOTALL)
        if match:
            return match.group(1), kind
    return None


def split_remark(code):
    """A declaration and the comment behind it, if it is of one line."""
    match = re.fullmatch(r"(.*;)\s*(/\*.*\*/)\s*", code, re.DOTALL)
    if match and "\n" not in match.group(1):
        return match.group(1), re.sub(r"\s+", " ", uncomment(match.group(2)))
    return code, ""


class Reader:
    """Goes through the lines of a header once."""

    def __init__(self, path):
        self.header = Header(os.path.basename(path))
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.at = 0
        self.about = ""  # the comment that speaks of what comes next
        self.begin_section("")

    def begin_section(self, title):
        self.section = Section(self.header, title)
        self.header.sections.append(self.section)

    def take(self, is_end):
        """The lines from here to the one at which all of them are complete."""
        text = self.lines[self.at]
        while not is_end(text):
            self.at += 1
            text += "\n" + self.lines[self.at]
        self.at += 1
        return text

    def read(self):
        self.header.about = uncomment(self.take(lambda text: text.rstrip().endswith("*/")))
        self.header.about = self.header.about.replace("SPDX-License-Identifier: MIT", "").strip()
        while "visibility push" not in self.lines[self.at]:
            self.at += 1
            if self.at == len(self.lines):
                return self.header  # one that only includes others
        self.at += 1
        while "visibility pop" not in self.lines[self.at]:
            self.read_one()
        return self.header

    def read_one(self):
        line = self.lines[self.at]
        if not line:
            self.about = ""
            self.at += 1
        elif RULE.fullmatch(line):
            self.begin_section(RULE.fullmatch(line).group(1))
            self.at += 1
        elif line.startswith("/*"):
            self.about = uncomment(self.take(lambda text: text.rstrip().endswith("*/")))
            if not self.lines[self.at] and not self.section.items:
                self.section.about = self.about
        elif line == "#ifdef __cplusplus":
            while self.lines[self.at] != "#else":  # the same again, as C++ wants it
                self.at += 1
            self.at += 1
        elif line.startswith("#") and not line.startswith("#define"):
            self.at += 1
        else:
            self.read_declaration()

    def read_declaration(self):
        code, remark = split_remark(self.take(is_complete))
        found = classify(code)
        is_forward = re.fullmatch(r"struct \w+;", code) and not self.about
        if found is None:
            raise ValueError(f"{self.header.name}: not understood: {code}")
        is_internal = found[0].endswith("_")
        if not is_forward and not is_internal:
            self.section.items.append(Item(*found, code, self.about, remark, self.section))


def read(paths):
    """The headers of these paths that declare something."""
    return [header for header in (Reader(path).read() for path in paths) if header.items]
