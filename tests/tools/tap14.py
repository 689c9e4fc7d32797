"""tap14 - a strict reader of TAP 14: what the specification does not allow is an error.

Blocks of YAML are read by a reader of the part of YAML that Sennit writes: keys, whole numbers,
strings in double quotes, lists. SPDX-License-Identifier: MIT
"""

import re
from dataclasses import dataclass, field

VERSION = re.compile(r"TAP version (13|14)")
PLAN = re.compile(r"1\.\.(0|[1-9][0-9]*)(?: # (.*))?")
POINT = re.compile(r"(not )?ok (?P<number>[1-9][0-9]*) - (?P<rest>.*)")
DIRECTIVE = re.compile(r"(SKIP|TO[D]O)\b\S*(?:\s+(.*))?", re.IGNORECASE)
# Characters that YAML 1.2 lets stand for themselves, in one line.
PRINTABLE = re.compile("[\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
ESCAPE = re.compile(r'\\(?:(["\\nt])|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))')


class Invalid(Exception):
    """The text is not TAP 14."""


@dataclass
class Point:
    is_ok: bool
    name: str
    directive: str = ""
    reason: str = ""
    block: dict = field(default_factory=dict)


@dataclass
class Stream:
    version: int
    plan: int
    points: list
    comments: list
    plan_reason: str = ""
    bail_out: str = ""


def read(text):
    """Reads a whole stream."""
    if not text.endswith("\n"):
        raise Invalid("the last line is not ended")
    lines = text[:-1].split("\n")
    for line in lines:
        if not PRINTABLE.fullmatch(line):
            raise Invalid(f"a character that cannot be printed: {line!r}")
    version = VERSION.fullmatch(lines[0])
    if not version:
        raise Invalid(f"no version: {lines[0]!r}")
    stream = Stream(int(version.group(1)), -1, [], [])
    at = 1
    has_plan_behind = False
    while at < len(lines):
        line = lines[at]
        at += 1
        plan = PLAN.fullmatch(line)
        point = POINT.fullmatch(line)
        if stream.bail_out:
            raise Invalid(f"something after the bail-out: {line!r}")
        if plan:
            if stream.plan >= 0:
                raise Invalid("a second plan")
            stream.plan = int(plan.group(1))
            stream.plan_reason = plan.group(2) or ""
            has_plan_behind = bool(stream.points)
        elif point:
            if has_plan_behind:
                raise Invalid("a test point behind a plan that was the last line")
            if int(point.group("number")) != len(stream.points) + 1:
                raise Invalid(f"numbers are not in order: {line!r}")
            stream.points.append(Point(not point.group(1), *description(point.group("rest"))))
            if at < len(lines) and lines[at] == "  ---":
                end = lines.index("  ...", at)
                stream.points[-1].block = yaml(lines[at + 1:end])
                at = end + 1
        elif line.startswith("#"):
            stream.comments.append(line)
        elif line.startswith("Bail out!"):
            stream.bail_out = line[len("Bail out!"):].strip()
        else:
            raise Invalid(f"a line of no kind: {line!r}")
    if stream.plan != len(stream.points) and not stream.bail_out:
        raise Invalid(f"{len(stream.points)} test points, but the plan is {stream.plan}")
    return stream


def description(text):
    """The name, the directive and its reason."""
    name = ""
    at = 0
    while at < len(text):
        if text[at] == "\\":
            if text[at + 1:at + 2] not in ("\\", "#"):
                raise Invalid(f"an escape of nothing: {text!r}")
            name += text[at + 1]
            at += 2
        elif text[at] == "#":
            directive = DIRECTIVE.fullmatch(text[at + 1:].strip())
            if not directive:
                raise Invalid(f"a directive that there is not: {text!r}")
            return name[:-1], directive.group(1).upper(), directive.group(2) or ""
        else:
            name += text[at]
            at += 1
    return name, "", ""


# ---- YAML ----------------------------------------------------------------------------------------


def yaml(lines):
    """The map that the lines of a block make."""
    for line in lines:
        if not line.startswith("  "):
            raise Invalid(f"a line of YAML is not indented: {line!r}")
    value, rest = read_map([line[2:] for line in lines], 0)
    if rest:
        raise Invalid(f"YAML goes on: {rest[0]!r}")
    return value


def read_map(lines, indent):
    """The map whose keys stand at this column, and the lines behind it."""
    found = {}
    while lines:
        match = re.fullmatch(" {%d}([a-z]+):(?: (.+))?" % indent, lines[0])
        if not match:
            break
        key, text = match.groups()
        if key in found:
            raise Invalid(f"the key {key} is there twice")
        lines = lines[1:]
        if text is not None:
            found[key] = scalar(text)
        else:
            found[key], lines = read_list(lines, indent + 2)
    return found, lines


def read_list(lines, indent):
    found = []
    start = " " * indent + "- "
    while lines and lines[0].startswith(start):
        text = lines[0][len(start):]
        if text.startswith('"'):
            found.append(scalar(text))
            lines = lines[1:]
        else:
            value, lines = read_map([" " * (indent + 2) + text] + lines[1:], indent + 2)
            found.append(value)
    if not found:
        raise Invalid("a key without a value")
    return found, lines


def scalar(text):
    if re.fullmatch("0|[1-9][0-9]*", text):
        return int(text)
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        raise Invalid(f"no value: {text!r}")
    inside = text[1:-1]
    value = ""
    at = 0
    while at < len(inside):
        if inside[at] == '"':
            raise Invalid(f"a quote within quotes: {text!r}")
        if inside[at] != "\\":
            value += inside[at]
            at += 1
            continue
        escape = ESCAPE.match(inside, at)
        if not escape:
            raise Invalid(f"an escape of nothing: {text!r}")
        plain, *codes = escape.groups()
        value += {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}[plain] if plain else \
            chr(int(next(code for code in codes if code), 16))
        at = escape.end()
    return value
