"""ds2_brute - DS2's objects written a second time, and every order of receives tried by force.

Nothing is shared with the objects under test or the engine: agents are dictionaries, handlers are
functions that return what was sent and answered, and each step works on a copy of everything. A
message is (kind, to, from, fields); a client's operation has from 0.

SPDX-License-Identifier: MIT
"""

import hashlib
import itertools
import pickle

NOTHING = None


# ---- The objects --------------------------------------------------------------------------------


def others(me, agents):
    return [i for i in range(1, agents + 1) if i != me]


class Register:
    """One leads, the others have copies."""

    initial = 0
    has_keys = False

    def __init__(self, agents, as_published):
        self.agents = agents
        self.as_published = as_published

    def start(self):
        return {i: {"value": 0, "writes": {}, "reads": {}} for i in range(1, self.agents + 1)}, []

    def receive(self, agent, me, message):
        kind, _, sender, fields = message
        return getattr(self, "on_" + kind)(agent, me, sender, dict(fields))

    def pass_on(self, kind, me, fields):
        return [(kind, 1, me, fields)], []

    def replicate(self, kind, me, fields):
        return [(kind, peer, me, fields) for peer in others(me, self.agents)]

    @staticmethod
    def track(value):
        return {"received": 1, "same": 1, "value": value, "round": 0}

    def on_write(self, agent, me, sender, fields):
        if me != 1:
            return self.pass_on("write", me, fields)
        agent["value"] = fields["value"]
        agent["writes"][fields["client"]] = self.track(fields["value"])
        client = sender * -1 if self.as_published and sender else fields["client"]
        return self.replicate("copy", me, {"client": client, "value": fields["value"]}), []

    def on_read(self, agent, me, _, fields):
        if me != 1:
            return self.pass_on("read", me, fields)
        agent["reads"][fields["client"]] = self.track(agent["value"])
        return self.replicate("ask", me, {"client": fields["client"]}), []

    @staticmethod
    def on_copy(agent, me, sender, fields):
        agent["value"] = fields["value"]
        return [("copied", sender, me, fields)], []

    @staticmethod
    def on_ask(agent, me, sender, fields):
        return [("asked", sender, me, {**fields, "value": agent["value"]})], []

    @staticmethod
    def count(tracker, value):
        tracker["received"] += 1
        tracker["same"] += value == tracker["value"]
        return tracker["same"] > tracker["received"] // 2

    def on_copied(self, agent, _me, _sender, fields):
        tracker = agent["writes"].get(fields["client"])
        if tracker is None or not self.count(tracker, fields["value"]):
            return [], []
        del agent["writes"][fields["client"]]
        return [], [(fields["client"], NOTHING)]

    def on_asked(self, agent, _me, _sender, fields):
        tracker = agent["reads"].get(fields["client"])
        if tracker is None:
            return [], []
        is_enough = self.count(tracker, fields["value"])
        if not self.as_published and tracker["received"] == self.agents:
            is_enough = True
        if not is_enough:
            return [], []
        del agent["reads"][fields["client"]]
        return [], [(fields["client"], tracker["value"])]


class Erroneous(Register):
    """Acknowledges too early, and reads any copy."""

    def on_write(self, agent, me, sender, fields):
        if me != 1:
            return self.pass_on("write", me, fields)
        agent["value"] = fields["value"]
        agent["writes"][fields["client"]] = True
        return self.replicate("copy", me, fields), []

    def on_read(self, agent, me, _, fields):
        return [], [(fields["client"], agent["value"])]

    def on_copied(self, agent, _me, _sender, fields):
        if agent["writes"].pop(fields["client"], None) is None:
            return [], []
        return [], [(fields["client"], NOTHING)]


class Another(Register):
    """Any agent leads."""

    def on_write(self, agent, me, _, fields):
        agent["value"] = fields["value"]
        agent["writes"][fields["client"]] = self.track(fields["value"])
        return self.replicate("copy", me, fields), []

    def on_read(self, agent, me, _, fields):
        agent["reads"][fields["client"]] = self.track(agent["value"])
        return self.replicate("ask", me, {"client": fields["client"]}), []

    def on_copied(self, agent, _me, _sender, fields):
        tracker = agent["writes"][fields["client"]]
        tracker["received"] += 1
        if tracker["received"] < self.agents:
            return [], []
        return [], [(fields["client"], NOTHING)]

    def on_asked(self, agent, _me, _sender, fields):
        tracker = agent["reads"][fields["client"]]
        tracker["received"] += 1
        tracker["same"] += fields["value"] == agent["value"]
        if tracker["same"] < self.agents:
            return [], []
        return [], [(fields["client"], agent["value"])]


def place(text):
    return int.from_bytes(hashlib.sha1(text.encode()).digest(), "little")


def is_between(x, low, high):
    """On a ring, neither end included."""
    if low == high:
        return x != low
    return low < x < high if low < high else x > low or x < high


class Chord:
    """Two nodes, the second of which joins."""

    initial = NOTHING
    has_keys = True

    def __init__(self, agents, _):
        assert agents == 2
        self.agents = agents

    def start(self):
        nodes = {i: {"before": i, "after": None, "table": {}} for i in (1, 2)}
        return nodes, [("find", 1, 2, {"node": 2})]

    def receive(self, agent, me, message):
        kind, _, sender, fields = message
        return getattr(self, "on_" + kind)(agent, me, sender, dict(fields))

    @staticmethod
    def hears_before(agent, me, node):
        if agent["before"] == me:
            agent["before"] = node

    def meets(self, agent, me, node):
        self.hears_before(agent, me, node)
        agent["after"] = node

    def on_find(self, agent, me, _, fields):
        self.meets(agent, me, fields["node"])
        return [("found", fields["node"], me, {"node": me}),
                ("before", fields["node"], me, {"node": me})], []

    def on_found(self, agent, me, _, fields):
        self.meets(agent, me, fields["node"])
        return [], []

    def on_before(self, agent, me, _, fields):
        self.hears_before(agent, me, fields["node"])
        return [], []

    @staticmethod
    def leads_elsewhere(agent, me, key):
        """The node to go to; None: it is answered here."""
        before = agent["before"]
        is_mine = before != me and is_between(place(f"k{key}"), place(str(before)), place(str(me)))
        return None if is_mine else agent["after"]

    def on_write(self, agent, me, _, fields):
        to = self.leads_elsewhere(agent, me, fields["key"])
        if to is not None:
            return [("write", to, me, fields)], []
        agent["table"][fields["key"]] = fields["value"]
        return [("stored", me, me, fields)], []

    def on_read(self, agent, me, sender, fields):
        fields.setdefault("origin", me)
        to = self.leads_elsewhere(agent, me, fields["key"])
        if to is not None:
            return [("read", to, me, fields)], []
        return [("looked", fields["origin"], me,
                 {**fields, "value": agent["table"].get(fields["key"], NOTHING)})], []

    @staticmethod
    def on_stored(_agent, _me, _sender, fields):
        return [], [(fields["client"], NOTHING)]

    @staticmethod
    def on_looked(_agent, _me, _sender, fields):
        return [], [(fields["client"], fields["value"])]


class Paxos:
    """Agent 1 leads. Only for one write: then no proposal overtakes another."""

    initial = NOTHING
    has_keys = True

    def __init__(self, agents, _):
        self.agents = agents
        self.quorum = agents // 2 + 1

    def start(self):
        return {i: {"promises": 0, "accepted": 0, "learned": {}}
                for i in range(1, self.agents + 1)}, []

    def receive(self, agent, me, message):
        kind, _, sender, fields = message
        return getattr(self, "on_" + kind)(agent, me, sender, dict(fields))

    def all(self, kind, me, fields):
        return [(kind, to, me, fields) for to in range(1, self.agents + 1)]

    @staticmethod
    def on_write(_agent, me, _sender, fields):
        return [("propose", 1, me, fields)], []

    @staticmethod
    def on_read(_agent, me, _sender, fields):
        return [("look", 1, me, fields)], []

    @staticmethod
    def on_look(agent, me, sender, fields):
        value = agent["learned"].get(fields["key"])
        return [("looked", sender, me, {**fields, "value": value})], []

    @staticmethod
    def on_looked(_agent, _me, _sender, fields):
        return [], [(fields["client"], fields["value"])]

    def on_propose(self, _agent, me, _sender, fields):
        return self.all("prepare", me, fields), []

    @staticmethod
    def on_prepare(_agent, me, sender, fields):
        return [("promise", sender, me, fields)], []

    def on_promise(self, agent, me, _sender, fields):
        agent["promises"] += 1
        return (self.all("accept", me, fields) if agent["promises"] >= self.quorum else []), []

    @staticmethod
    def on_accept(_agent, me, sender, fields):
        return [("accepted", sender, me, fields)], []

    def on_accepted(self, agent, _me, _sender, fields):
        agent["accepted"] += 1
        if agent["accepted"] < self.quorum:
            return [], []
        agent["learned"][fields["key"]] = fields["value"]
        return [], [(fields["client"], NOTHING)]


OBJECTS = {"register": Register, "erroneous": Erroneous, "another": Another, "chord": Chord,
           "paxos": Paxos}


# ---- What clients want --------------------------------------------------------------------------


def operations(reads, writes, agents, has_keys):
    """(client, agent, kind, key, value), for each operation."""
    wanted = {"write": writes, "read": reads}
    count = {"write": 0, "read": 0}
    chosen = []
    for i, kind in enumerate(itertools.cycle(["write", "read", "read", "write"])):
        if count == wanted:
            return chosen
        if count[kind] == wanted[kind]:
            continue
        count[kind] += 1
        n = count[kind]
        if kind == "write":
            key, value = (n, 10 * n) if has_keys else (0, n)
        else:
            key, value = (1 + (n - 1) // 2 % max(writes, 1) if has_keys else 0), NOTHING
        chosen.append((len(chosen) + 1, i % agents + 1, kind, key, value))


# ---- Whether a history is linearizable ----------------------------------------------------------


def is_linearizable(history, wanted, initial):
    """By trying every order of every subset that has all that returned."""
    about = {op[0]: op for op in wanted}
    called = [c for what, c, _ in history if what == "call"]
    result = {c: value for what, c, value in history if what == "return"}
    at = {(what, c): i for i, (what, c, _) in enumerate(history)}
    never = [c for c in called if c not in result]
    for n in range(len(never) + 1):
        for extra in itertools.combinations(never, n):
            for order in itertools.permutations([c for c in called if c in result or c in extra]):
                if (respects_time(order, at)
                        and is_legal(order, about, result, initial)):
                    return True
    return False


def respects_time(order, at):
    for i, first in enumerate(order):
        for later in order[i + 1:]:
            if at.get(("return", later), len(at)) < at[("call", first)]:
                return False
    return True


def is_legal(order, about, result, initial):
    state = {}
    for client in order:
        _, _, kind, key, value = about[client]
        if kind == "write":
            state[key] = value
        elif client in result and result[client] != state.get(key, initial):
            return False
    return True


# ---- Every order --------------------------------------------------------------------------------


def form(history, wanted):
    """What makes a history different: clients are known by the agents that they reach."""
    about = {op[0]: op for op in wanted}
    number = {}
    words = []
    for what, client, value in history:
        if what == "call":
            number[client] = len(number)
            words.append(about[client][1:])
        else:
            words.append((number[client], value))
    return tuple(words)


def kind(history, wanted):
    """What histories that are alike have in common: what was called, what it returned, and which
    of all that had returned before which others were called."""
    about = {op[0]: op for op in wanted}
    called = [client for what, client, _ in history if what == "call"]
    result = {client: value for what, client, value in history if what == "return"}
    at = {(what, client): i for i, (what, client, _) in enumerate(history)}
    before = {(a, b) for a in result for b in called if at["return", a] < at["call", b]}
    alike = []
    for order in itertools.permutations(called):  # those that nobody can tell apart may be swapped
        place_of = {client: i for i, client in enumerate(order)}
        words = tuple((about[c][1:], c in result, repr(result.get(c))) for c in order)
        alike.append((repr(words), tuple(sorted((place_of[a], place_of[b]) for a, b in before))))
    return min(alike)


def order_of(events):
    """The order of receives at each agent; and which of a call and a return came first."""
    at_agent = {}
    for agent, message, _, _ in events:
        at_agent.setdefault(agent, []).append(message)
    causal = tuple(sorted((agent, tuple(messages)) for agent, messages in at_agent.items()))
    time = frozenset((first[1], second[1]) for first, second in itertools.combinations(events, 2)
                     if (first[2] and second[3]) or (first[3] and second[2]))
    return causal, time


class Census:
    """Of every order of receives."""

    def __init__(self, name, reads, writes, agents, as_published):
        self.system = OBJECTS[name](agents, as_published)
        self.wanted = operations(reads, writes, agents, self.system.has_keys)
        self.schedules = 0
        self.incomplete = 0
        self.causal_orders = set()
        self.orders = set()
        self.found = {}
        self.search()

    def search(self):
        state, sent = self.system.start()
        pending = list(enumerate(sent, 1000))
        for client, agent, what, key, value in self.wanted:
            message = (what, agent, 0, {"client": client, "key": key, "value": value})
            pending.append((client, message))
        stack = [(pickle.dumps((state, pending)), len(pending), (), ())]
        while stack:
            bytes_, n, history, events = stack.pop()
            if n == 0:
                self.end(history, events)
            for i in range(n):
                stack.append(step(self.system, bytes_, i, history, events))

    def end(self, history, events):
        is_incomplete = sum(what == "return" for what, _, _ in history) < len(self.wanted)
        causal, time = order_of(events)
        self.schedules += 1
        self.incomplete += is_incomplete
        self.causal_orders.add(hash(causal))
        self.orders.add(hash((causal, time)))
        self.found.setdefault(form(history, self.wanted), (history, is_incomplete))

    def numbers(self):
        """Schedules, incomplete ones, different histories, incomplete ones of these, those that
        are not linearizable, both where histories that are alike count once, and orders."""
        kinds = {}
        bad = 0
        for history, _ in self.found.values():
            is_bad = not is_linearizable(history, self.wanted, self.system.initial)
            bad += is_bad
            kinds[kind(history, self.wanted)] = is_bad
        return (self.schedules, self.incomplete, len(self.found),
                sum(is_incomplete for _, is_incomplete in self.found.values()), bad,
                len(kinds), sum(kinds.values()), len(self.orders))


def step(system, bytes_, i, history, events):
    """The state after the i-th pending message was received, how many are pending then, and what
    has happened up to there."""
    state, pending = pickle.loads(bytes_)
    number, message = pending.pop(i)
    is_call = message[2] == 0 and message[0] in ("read", "write")
    if is_call:
        history += (("call", message[3]["client"], None),)
    sent, answered = system.receive(state[message[1]], message[1], message)
    pending += [(hash((number, k)), new) for k, new in enumerate(sent)]
    is_return = False
    for client, value in answered:
        if ("return", client) not in [entry[:2] for entry in history]:
            history += (("return", client, value),)
            is_return = True
    events += ((message[1], number, is_call, is_return),)
    return pickle.dumps((state, pending)), len(pending), history, events
