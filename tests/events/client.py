"""client - a client of recorded events for the tests: client.py [NAME=VALUE...]

Two replicas of a set exchange what they have. A word of the command line makes the library wrong in
one way (`wrong=`), or the client itself (`does=`, behind `at=` questions that are `asked=`).
Everything else is as docs/protocol.md says. SPDX-License-Identifier: MIT
"""

import json
import os
import signal
import sys
import time

EVENTS = [
    {"kind": "update", "replica": "A", "op": "add", "args": ["x"]},
    {"kind": "request", "replica": "A", "to": "B", "op": "sync", "args": []},
    {"kind": "update", "replica": "B", "op": "add", "args": ["y"]},
    {"kind": "request", "replica": "B", "to": "A", "op": "sync", "args": []},
    {"kind": "execute", "replica": "B", "from": "A", "of": 1, "op": "sync", "args": []},
    {"kind": "execute", "replica": "A", "from": "B", "of": 3, "op": "sync", "args": []},
    {"kind": "query", "replica": "A", "op": "look", "args": []},
]


class Set:
    """A replica. What is wrong with it, if anything, is said by `wrong`."""

    def __init__(self, wrong):
        self.wrong = wrong
        self.items = []
        self.count = 0

    def add(self, item):
        if self.wrong == "same-states" and self.items:
            return None
        if self.wrong == "no-duplicates" or item not in self.items:
            self.items.append(item)
        self.count += 1
        return len(self.items) if self.wrong == "unique-results" else None

    def make(self):
        return list(self.items), self.count

    def apply(self, message):
        items, count = message
        if self.wrong == "no-throws" and not self.items:
            raise ValueError("nothing to merge with")
        if self.wrong == "no-lost-update":
            self.items = list(items)
            return
        for item in items:
            if self.wrong == "no-duplicates" or item not in self.items:
                self.items.append(item)
        self.count += count

    def look(self):
        return len(self.items) if self.wrong in ("same-results", "assert") else "x" in self.items

    def state(self):
        if self.wrong == "idempotence":
            return self.count
        if self.wrong in ("convergence", "no-duplicates"):
            return self.items
        return sorted(self.items)


class Client:
    def __init__(self, words):
        given = dict(word.split("=", 1) for word in words)
        self.wrong = given.pop("wrong", "")
        if self.wrong.startswith("@"):  # a file that says it
            with open(self.wrong[1:], encoding="utf-8") as file:
                self.wrong = file.read()
        self.does = given.pop("does", "")
        self.at = int(given.pop("at", "0"))
        self.asked = given.pop("asked", "run")  # which questions
        self.gate = given.pop("gate", "")  # a file without which no question is answered
        self.told = given.pop("told", "")  # a file that gets a line for each interleaving
        self.starts = given.pop("starts", "")  # one that gets a line for each start
        self.long = int(given.pop("long", "0"))  # bytes that the last result has more
        self.can_restore = given.pop("restore", "yes") == "yes"
        self.hidden = given.pop("hidden", "")  # a replica that shows no state
        assert not given, given
        where = os.environ["SENNIT_EVENTS"].removeprefix("fd:").split(",")
        self.input = os.fdopen(int(where[0]), "rb")
        self.output = os.fdopen(int(where[1]), "wb", buffering=0)
        self.outcomes = {}
        self.described = set()
        self.questions = 0

    # ---- Lines -----------------------------------------------------------------------------------

    def say(self, value):
        self.write(json.dumps(value).encode())

    def write(self, line):
        line += b"\n"
        while line:
            line = line[self.output.write(line):]

    def hear(self):
        line = self.input.readline()
        if not line:
            sys.exit(0)
        return json.loads(line)

    # ---- The library -----------------------------------------------------------------------------

    def begin(self):
        self.replicas = {"A": Set(self.wrong), "B": Set(self.wrong)}
        self.messages = {}
        self.results = [None] * len(EVENTS)
        self.order = []

    def perform(self, number):
        event = EVENTS[number]
        replica = self.replicas[event["replica"]]
        self.misbehave_in(number)
        result = None
        try:
            if event["op"] == "add":
                result = replica.add(*event["args"])
            elif event["kind"] == "request":
                self.messages[number] = replica.make()
            elif event["kind"] == "query":
                result = replica.look()
            elif event["of"] in self.messages:
                replica.apply(self.messages[event["of"]])
        except ValueError as error:
            result = {"throws": str(error)}
        if number not in self.order:
            self.results[number] = result
        self.order.append(number)
        return result

    def states(self):
        return {name: replica.state() for name, replica in self.replicas.items()
                if name != self.hidden}

    def failure(self):
        if self.wrong == "assert" and self.results[6] not in (None, 2):
            return {"message": "look has not seen both", "at": "client.py:1"}
        return None

    def misbehave_in(self, number):
        """In event 4, if 5 has happened already; and with once-, only in a batch."""
        if number != 4 or 5 not in self.order:
            return
        if self.does in ("exit", "exit-in-batch") and (self.does == "exit" or self.is_batch):
            os._exit(7)
        elif self.does == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.does == "hang":
            while True:
                time.sleep(1000)

    # ---- The protocol ----------------------------------------------------------------------------

    def record(self):
        self.begin()
        self.is_batch = False
        events = []
        for number, event in enumerate(EVENTS):
            result = self.perform(number)
            if number == 6 and self.long:
                result = "l" * self.long
            if self.heard["results"] is not None:
                result = self.heard["results"][number]
            events.append(dict(event, result=result))
        recording = {"replicas": ["A", "B"], "can_restore": self.can_restore, "events": events,
                     "states": self.states()}
        if self.does == "differ":
            events[0]["args"] = [os.getpid()]
        self.say({"recording": self.bad_recording(recording)})

    def bad_recording(self, recording):
        events = recording["events"]
        if self.does == "no-events":
            recording["events"] = []
        elif self.does == "many-events":
            recording["events"] = [events[0]] * 65
        elif self.does == "no-replicas":
            del recording["replicas"]
        elif self.does == "same-replicas":
            recording["replicas"] = ["A", "B", "A"]
        elif self.does == "bad-kind":
            events[2]["kind"] = "upd"
        elif self.does == "bad-replica":
            events[2]["replica"] = "C"
        elif self.does == "bad-of":
            events[4]["of"] = 4
        elif self.does == "of-update":
            events[4]["of"] = 0
        elif self.does == "bad-from":
            events[4]["from"] = "B"
        elif self.does == "bad-way":
            events[4]["replica"] = "A"
        elif self.does == "bad-op":
            del events[0]["op"]
        elif self.does == "bad-args":
            events[0]["args"] = {}
        elif self.does == "bad-states":
            recording["states"] = []
        return recording

    def run(self, question):
        numbers = []
        new = []
        self.is_batch = len(question["interleavings"]) > 1
        if question.get("fresh"):
            self.described = set()
        for order in question["interleavings"]:
            self.begin()
            for number in order:
                self.perform(number)
            found = {"results": self.results, "states": self.states()}
            failed = self.failure() if question.get("check") is not False else None
            if failed:
                found["failed"] = failed
            key = json.dumps(found, sort_keys=True)
            number = self.outcomes.setdefault(key, len(self.outcomes))
            numbers.append(number)
            if number not in self.described:
                self.described.add(number)
                new.append(dict(found, outcome=number))
            if self.told:
                self.tell(self.told, " ".join(map(str, order)))
        return {"outcomes": numbers, "new": new}

    def answer(self, question):
        what = question["do"]
        if what == "run":
            return self.run(question)
        if what == "begin":
            self.begin()
            return {"ok": True}
        if what == "event":
            return {"result": self.perform(question["event"]), "states": self.states()}
        failed = self.failure()
        return {"failed": failed} if failed else {}

    def nonsense(self, question, answer):
        """Answers wrongly; false: nothing was answered."""
        if self.does == "no-json":
            self.write(b"{\"id\": oh")
        elif self.does == "no-object":
            self.write(b"[1]")
        elif self.does == "bytes":
            self.write(b"{\"id\": \"\xff\xfe\0\"}")
        elif self.does == "deep":
            self.write(b"[" * 100000)
        elif self.does == "wrong-id":
            self.say(dict(answer, id=question["id"] + 1))
        elif self.does == "no-outcomes":
            self.say({"id": question["id"]})
        elif self.does == "few-outcomes":
            self.say(dict(answer, outcomes=answer["outcomes"][1:]))
        elif self.does == "undescribed":
            self.say(dict(answer, outcomes=[4000000000] * len(answer["outcomes"])))
        elif self.does == "negative":
            self.say(dict(answer, outcomes=[-1] * len(answer["outcomes"])))
        elif self.does == "few-results":
            self.say(dict(answer, new=[dict(answer["new"][0], results=[])]))
        elif self.does == "bad-new":
            self.say(dict(answer, new=[7]))
        elif self.does == "no-message":
            self.say(dict(answer, new=[dict(answer["new"][0], failed={})]))
        elif self.does == "long-line":
            self.write(b"\"" + b"x" * (16 << 20) + b"\"")
        elif self.does == "endless":
            while True:
                self.output.write(b"x" * 65536)
        elif self.does == "cannot":
            self.say({"id": question["id"], "error": "I am tired"})
        elif self.does == "silence":
            while True:
                time.sleep(1000)
        else:
            return False
        return True

    def tell(self, path, line):
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")

    def converse(self):
        if self.starts:
            self.tell(self.starts, str(os.getpid()))
        if self.does == "exit-first":
            sys.exit(5)
        if self.does == "no-version":
            self.say({"name": "set"})
        else:
            self.say({"sennit": 7 if self.does == "wrong-version" else 1, "binding": "test",
                      "name": "set", "unknown": [1]})
        self.heard = self.hear()
        if "error" in self.heard:
            self.tell(self.told, self.heard["error"])
            sys.exit(0)
        if self.does == "cannot-record":
            self.say({"error": "the test has thrown"})
            return
        self.record()
        while True:
            question = self.hear()
            if question["do"] == "bye":
                if self.told and "summary" in question:
                    self.tell(self.told, json.dumps(question["summary"]))
                return
            self.questions += question["do"] == self.asked
            while self.gate and not os.path.exists(self.gate):
                time.sleep(0.001)
            answer = dict(self.answer(question), id=question["id"])
            is_good = self.questions <= self.at or question["do"] != self.asked
            if is_good or not self.nonsense(question, answer):
                self.say(answer)


if __name__ == "__main__":
    Client(sys.argv[1:]).converse()
