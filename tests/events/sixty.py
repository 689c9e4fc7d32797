"""sixty - a client of `sennit events` (docs/protocol.md) in sixty lines: two replicas of a set.
Its library asks for neither time nor random numbers. SPDX-License-Identifier: MIT"""
import json, os, socket  # pylint: disable=multiple-imports

EVENTS = [dict(zip(("kind", "replica", "op", "args", "from", "of"), row)) for row in (
    ("update", "A", "add", ["otb"]), ("deliver", "B", "add", ["otb"], "A", 0),
    ("update", "B", "add", ["ph"]), ("deliver", "A", "add", ["ph"], "B", 2),
    ("update", "B", "remove", ["otb"]), ("deliver", "A", "remove", ["otb"], "B", 4),
    ("query", "A", "transmit", []))]
sets, results, numbers, described = {}, {}, {}, set()

def begin(_):
    sets.update(A=set(), B=set())
    results.clear()
    return {"ok": True, "states": {"A": [], "B": []}}

def perform(question):
    event, result = EVENTS[question["event"]], None
    if event["kind"] == "query":
        result = sorted(sets[event["replica"]])
    elif event["kind"] == "update" or event["of"] in results:
        getattr(sets[event["replica"]], event["op"].replace("remove", "discard"))(*event["args"])
    results.setdefault(question["event"], result)
    return {"result": result, "states": {name: sorted(items) for name, items in sets.items()}}

def end(question):
    is_wrong = question.get("check", True) and results.get(6, ["ph"]) != ["ph"]
    return {"failed": {"message": f"transmitted {results[6]}"}} if is_wrong else {}

def run(question):
    answer = {"outcomes": [], "new": []}
    if question.get("fresh"):
        described.clear()
    for order in question["interleavings"]:
        states = [begin(None), *(perform({"event": number}) for number in order)][-1]["states"]
        outcome = {"results": [results.get(n) for n in range(7)], "states": states, **end(question)}
        number = numbers.setdefault(json.dumps(outcome), len(numbers))
        answer["outcomes"].append(number)
        answer["new"] += [] if number in described else [{"outcome": number, **outcome}]
        described.add(number)
    return answer

def say(message):
    print(json.dumps(message), file=out, flush=True)

kind, where = os.environ["SENNIT_EVENTS"].split(":", 1)
if kind == "unix":
    (channel := socket.socket(socket.AF_UNIX)).connect(where)
    where = f"{channel.fileno()},{os.dup(channel.fileno())}"
lines, out = (open(int(fd), mode, encoding="utf-8") for fd, mode in zip(where.split(","), "rw"))
say({"sennit": 1, "binding": "sixty 1", "name": "town report"})
if "error" not in json.loads(lines.readline()) and begin(None):
    recorded = [{**event, **perform({"event": n})} for n, event in enumerate(EVENTS)]
    say({"recording": {"replicas": ["A", "B"], "can_restore": True, "events": recorded,
                       "states": recorded[-1]["states"]}})
for question in map(json.loads, lines):
    if question["do"] != "bye":
        do = {"run": run, "begin": begin, "event": perform, "end": end}.get(question["do"])
        say({"id": question["id"], **(do(question) if do else {"error": "what is that?"})})
