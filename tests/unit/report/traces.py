"""traces - traces for tests of what `sennit show` makes of them: of real systems, and hostile ones.

SPDX-License-Identifier: MIT
"""

import glob
import json
import os
import random
import subprocess
import unicodedata

import tap

# What DOT, Mermaid, ShiViz, JSON, HTML, TeX, regular expressions and terminals are known to act on.
PIECES = ["#", "#35;", "ﬂ°°60¶ß", ";", "%%", "%%{init: {}}%%", "---", "-->", "->>", "--x", "end",
          "wrap:", "nowrap:", ":", "::", "<br/>", "<script>", "&lt;", "&", '"', "'", "`", "\\",
          "\\n", "\\\"", "{", "}", "{}", ' {"a":1}', "[", "]", "(", ")", "$$x$$", "@{",
          "style x:#a;", "classDef", "participant", "Note over", "sequenceDiagram", "rect", "\n",
          "\r", "\r\n", "\t",
          "\x01", "\x07", "\x1b[31m", "\x1b]0;x\x07", "\x7f", "\x85", "\x9b", "\u2028", "\u2029",
          "\u202e", "\u200b", "\ufeff", "\u00a0", "\u3000", "\ufffd", "\ufffe", "é",
          "漢字", "🐛", "✅", "⚡", " ", "  ",
          "a", "Node", "digraph", "//", "/*", "*/", "|", "!", "=", ",", ".", "__proto__",
          "constructor", "0", "1e9"]
NAMES_OF_OBJECTS = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "(test)",
                    "%28test)", "a b", "a%20b", "a_b", "", "%"]
KINDS = ["lost", "cut-off", "delayed", "crash", "cut", "heal"]


def word(dice, n=8):
    return "".join(dice.choice(PIECES) for _ in range(dice.randrange(1, n)))


def text_of(lines):
    """A trace file with these objects between nothing and its end record."""
    data = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
                   for line in lines).encode()
    check = 0xcbf29ce484222325
    for byte in data:
        check = (check ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    steps = sum("step" in line and "verdict" not in line for line in lines)
    end = {"end": True, "steps": steps, "lines": len(lines), "check": f"{check:016x}"}
    return data + json.dumps(end, separators=(",", ":")).encode() + b"\n"


def header(**more):
    return {"sennit": "trace", "version": 1, "suite": "s", "test": "t", "program": "./p",
            "args": [], "build": "", "seed": 1, "trial": 0, "strategy": "random",
            "max_steps": 1000, "world": "full", **more}


def step(number, task="A", event="E", op="deliver", cause=0, time_ns=0, **more):
    return {"step": number, "time_ns": time_ns, "id": f"{number:016x}", "op": op, "task": task,
            "event": event, "digest": "0" * 16, "cause": cause, **more}


def verdict(number, kind="failed", **more):
    return {"verdict": kind, "oracle": "assert", "message": "wrong", "step": number,
            "order": "0" * 16, "cut": False, **more}


def told():
    """A trace with one of each that pictures have words for."""
    def state(task, name, **more):
        return {"state": name, "how": "goto", "task": task, **more}
    return [
        header(), {"note": "ready"}, {"draw": "size", "value": 1, "of": 3, "key": "0" * 16},
        step(1, "A", op="start", payload="n=1"),
        state("A", "Idle", how="start"), {"draw": "who", "value": 2, "of": 4, "key": "0" * 16},
        {"send": "Ping", "to": "B", "id": f"{2:016x}"},
        {"send": "Gone", "to": "B", "id": f"{20:016x}"},
        {"fault": "lost", "event": "Gone", "from": "A", "to": "B", "id": f"{20:016x}"},
        {"send": "Late", "to": "B", "id": f"{21:016x}"},
        {"fault": "delayed", "event": "Late", "from": "A", "to": "B", "id": f"{21:016x}"},
        step(2, "B", "Ping", cause=1, time_ns=1500, payload="long " * 50, **{"from": "A"}),
        state("B", "Busy", was="Idle"), state("Watch", "Hot", was="Cold"),
        {"monitor": "Watch", "event": "Seen"}, {"note": "got it"}, {"output": "printed"},
        {"operation": "call", "number": 1, "process": "c1", "text": "read(0)"},
        step(3, "B", "Tick", op="timer", cause=2, time_ns=2000),
        {"operation": "return", "number": 1, "process": "c1", "text": "read(0) = 7"},
        step(4, "faults", "crash", op="fault", time_ns=2000), {"fault": "crash", "node": "n1"},
        step(5, "P", "turn", op="do", cause=0, sent=3, time_ns=2000),
        verdict(5, kind="uncontrolled", oracle="thread", message="a thread was started"),
    ]


def details(dice, machines, number):
    """Records of every kind, with hostile words wherever words may be."""
    machine = dice.choice(machines)
    return [
        {"note": word(dice)}, {"output": word(dice)},
        {"state": word(dice), "was": word(dice), "how": "goto", "task": machine},
        {"state": word(dice), "how": "halt", "task": dice.choice(machines)},
        {"monitor": word(dice), "event": word(dice), "payload": word(dice)},
        {"draw": word(dice), "value": 0, "of": 2, "key": "0" * 16},
        {"send": word(dice), "to": machine, "payload": word(dice), "id": f"{number + 7:016x}"},
        {"create": word(dice), "type": word(dice), "id": "0" * 16, "start": f"{number + 1:016x}"},
        {"timer": "start", "event": word(dice), "delay_ns": 1},
        {"ignored": word(dice)}, {"dropped": word(dice), "to": machine}, {"raise": word(dice)},
        {"fault": dice.choice(KINDS + [word(dice)]), "node": word(dice), "event": word(dice),
         "from": dice.choice(machines), "to": dice.choice(machines), "id": "0" * 16},
        {"operation": dice.choice(["call", "return", "fail"]), "number": dice.randrange(5),
         "process": word(dice, 3), "text": word(dice)},
    ]


def hostile(seed, n_steps=40, n_machines=8):
    """The objects of a trace in which everything that is text is made to break out of its place."""
    dice = random.Random(seed)
    machines = list(dict.fromkeys([dice.choice(NAMES_OF_OBJECTS)] +
                                  [word(dice) for _ in range(n_machines)]))
    lines = [header(suite=word(dice), test=word(dice), program=word(dice), args=[word(dice)],
                    strategy=word(dice))]
    lines += details(dice, machines, 0)
    time_ns = 0
    for number in range(1, n_steps + 1):
        time_ns += dice.choice([0, 0, 0, 1, 1000, 5000000])
        line = step(number, dice.choice(machines), word(dice),
                    dice.choice(["start", "deliver", "timer", "fault", "do"]),
                    dice.randrange(number), time_ns, payload=word(dice, 20))
        if dice.random() < 0.5:
            line["from"] = dice.choice(machines)
        if line["op"] == "do" and dice.random() < 0.5:
            line["sent"] = dice.randrange(number)
        lines.append(line)
        lines += dice.sample(details(dice, machines, number), 5)
    lines.append(verdict(n_steps, oracle=word(dice), message=word(dice), at=word(dice)))
    return lines


def visible(text):
    """What is shown of a text whose characters a terminal might act on."""
    shown = ""
    for char in text:
        code = ord(char)
        is_hidden = (code < 0x20 or 0x7f <= code < 0xa0 or 0x200b <= code <= 0x200f or
                     0x2028 <= code <= 0x202e or 0x2060 <= code <= 0x206f or
                     code in (0xfeff, 0x61c))
        if char in "\n\t":
            shown += "\\n" if char == "\n" else "\\t"
        elif is_hidden:
            shown += f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"
        else:
            shown += char
    return shown


def cut(text, most):
    """What is shown of a text for which there is so much room."""
    shown = ""
    pieces = [visible(char) for char in text]
    if columns("".join(pieces)) <= most:
        return "".join(pieces)
    for piece in pieces:
        if columns(shown + piece) > most - 3:
            break
        shown += piece
    return shown + "..."


def columns(line):
    """How many columns of a terminal a line takes."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" and
               unicodedata.category(char) != "Cn" else 1 for char in line)


# Of messages and faults, of a cycle, of processes, and of two clients at a bank.
SYSTEMS = {
    "raft": ["systems/raft", "--bug", "stale-read", "-f", "reads"],
    "extents": ["systems/extent_manager", "--bug", "stale-report"],
    "erlang": ["systems/erlang", "--bug", "gproc-3", "-f", "gproc-3"],
    "atm": ["examples/atm_racy"],
}
# Of timers and crashes, delays and doubled messages, sockets and tasks, recorded events, clients.
MORE_SYSTEMS = {
    "chain": ["systems/chain_replication", "--bug", "no-resend"],
    "detector": ["systems/failure_detector", "--bug", "late-answer"],
    "commit": ["systems/two_phase_commit", "--bug", "second-vote"],
    "redis": ["systems/redis_client", "--bug", "drop-unanswered"],
    "types": ["systems/rdl", "--bug", "tie"],
    "register": ["systems/ds2", "-f", "erroneous"],
    "locks": ["systems/erlang", "--bug", "locks-1", "-f", "locks-1"],
}


def of_systems(build, folder, systems=None, seed=1):
    """Traces that case studies write when they fail. Paths, by name."""
    found = {}
    env = {key: value for key, value in os.environ.items() if not key.startswith("SENNIT_")}
    env["SENNIT_NO_REPORT"] = "1"
    for name, command in (systems or SYSTEMS).items():
        if name == "redis" and not os.path.exists(os.path.join(build, command[0])):
            continue  # its library is not everywhere
        place = os.path.join(folder, f"{name}-{seed}")
        subprocess.run([os.path.join(build, command[0]), *command[1:], "--no-shrink", "-q", "-o",
                        place, "--seed", str(seed)], check=False, capture_output=True, env=env)
        found[name], = glob.glob(os.path.join(place, "*.trace"))
    return found


def of_files():
    return {os.path.basename(path): path for path in
            sorted(glob.glob(os.path.join(tap.ROOT, "tests/data/traces/*.trace")))}
