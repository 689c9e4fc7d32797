"""help_text - what the command says of itself with --help, in pieces.

The help of the command lists verbs, two spaces indented: `sennit VERB USAGE   ABOUT`. The help of a
verb has an option on a line, indented, with what it does two spaces or more behind it, and further
lines indented to the same column; a second option may follow behind ";  ".
SPDX-License-Identifier: MIT
"""

import re
import subprocess
from dataclasses import dataclass, field

# -s, --long VALUE, --long=VALUE, --long[=VALUE], or --long=word for a value that is a word.
OPTION = re.compile(r"(?:(-\w), )?(--[a-z][a-z-]*)(?:\[?[ =]([A-Z][A-Z/:]*)\]?|\[?=([a-z|]+)\]?)?")


@dataclass
class Option:
    """-s, --long VALUE: about."""

    short: str  # "" if there is none
    long: str
    value: str  # what stands for its value; "" if it has none
    about: str


@dataclass
class Verb:
    name: str
    usage: str
    about: str
    help: str
    options: list = field(default_factory=list)

    @property
    def intro(self):
        """The sentences between the usage and the options."""
        return split(self.help)[0]

    @property
    def rest(self):
        """The paragraphs behind the options."""
        return split(self.help)[1]


def say(command, *arguments):
    return subprocess.run([command, *arguments, "--help"], check=True, capture_output=True,
                          text=True, stdin=subprocess.DEVNULL).stdout


def is_option_line(line):
    return re.match(r"\s+(-\w\b|--[a-z])", line) is not None


def split(text):
    """What comes before the options, and what comes after them, as lists of paragraphs."""
    lines = text.split("\n")
    lines = lines[1:] if lines[0].startswith("usage:") else lines
    first = next((i for i, line in enumerate(lines) if is_option_line(line)), len(lines))
    last = first
    while last < len(lines) and lines[last].startswith(" "):
        last += 1
    paragraphs = [[p.replace("\n", " ").strip() for p in "\n".join(part).split("\n\n")]
                  for part in (lines[:first], lines[last:])]
    return [[p for p in part if p] for part in paragraphs]


def parse_piece(piece, about):
    """An option out of `-s, --strategy NAME`, with what it does."""
    match = OPTION.match(piece)
    short, long, value, literal = match.groups()
    if not about:
        about = {"--version": "print the version"}.get(long, long[2:].replace("-", " "))
    return Option(short or "", long, literal or value or "", about)


def options(text):
    """The options of a help text."""
    found = []
    for line in text.split("\n"):
        if is_option_line(line):
            piece, about = re.match(r"\s+(.*?)(?:\s{2,}(.*))?$", line).groups(default="")
            about, *more = re.split(r";\s+(?=(?:-\w, )?--[a-z])", about)
            found.append(parse_piece(piece, about))
            for other in more:
                option = OPTION.match(other)
                found.append(parse_piece(other, other[option.end():].lstrip(": ")))
        elif found and re.match(r"\s{10,}\S", line):
            found[-1].about += " " + line.strip()
    return found


def verbs(command):
    """All verbs of the command."""
    text = say(command)
    found = []
    for name, rest in re.findall(r"^  sennit (\w+) +(.*)$", text, re.MULTILINE):
        usage, about = re.split(r"\s{2,}", rest, maxsplit=1)
        own = say(command, name)
        found.append(Verb(name, usage, about, own, options(own)))
    return found
