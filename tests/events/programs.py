"""programs - event programs drawn at random, with a meaning of which all claims are known.

A replica is a set of three elements, a log and a counter. Whether two events are independent, or
some of them fail, is found by trying it in every state that can be reached: so constraints are true
by construction, and what a pruning must not lose can be told. SPDX-License-Identifier: MIT
"""

import itertools

from brute import APPLIED, PRUNINGS, Constraints, Options, flat, order_of

ELEMENTS = 3
FAIL = "fail"

UPDATES = ("add", "add", "remove", "remove", "put", "drop", "append", "count", "count_back", "swap")
EXECUTIONS = ("merge", "merge", "replace", "merge_new", "join")
QUERIES = ("has", "all", "log")
REQUESTS = ("snapshot", "snapshot", "take")


STYLES = (
    # Weights of the five kinds, names of the updates, and how many replicas there may be.
    ((4, 2, 2, 2, 2), UPDATES, (2, 2, 3)),
    ((3, 2, 3, 3, 0), UPDATES, (2, 3, 3)),
    ((2, 2, 0, 0, 4), ("add", "remove", "put", "append"), (2, 2, 3)),
    ((6, 1, 0, 0, 1), ("add", "remove", "remove", "swap"), (1, 1, 2)),
)


def draw_recording(random, events_max):
    """A recording of 2 to events_max events on up to 3 replicas."""
    weights, updates, replica_counts = random.choice(STYLES)
    replicas = ["A", "B", "C"][:random.choice(replica_counts)]
    n = max(random.randint(2, events_max), random.randint(2, events_max))
    elements = random.choice((1, 2, 2, 3))
    events = []
    while len(events) < n:
        kind = random.choices(("update", "query", "request", "execute", "deliver"), weights)[0]
        event = draw_event(random, events, kind, replicas)
        if event:
            event["args"][0] %= elements
            if kind == "update":
                event["op"] = random.choice(updates)
            events.append(event)
    return {"replicas": replicas, "can_restore": True, "events": events,
            "states": {}, "initially": [random.randrange(1 << elements) for _ in replicas]}


def draw_event(random, events, kind, replicas):
    """One event that can come behind these, or None."""
    replica = random.choice(replicas)
    event = {"kind": kind, "replica": replica, "args": [random.randrange(ELEMENTS)], "result": None}
    if kind == "update":
        event["args"].append(random.choice(("always", "success")))
    elif kind == "query":
        event["op"] = random.choice(QUERIES)
    elif len(replicas) == 1:
        return None
    elif kind == "request":
        event["op"] = random.choice(REQUESTS)
        event["to"] = random.choice([name for name in replicas if name != replica])
    else:
        source = "request" if kind == "execute" else "update"
        of = [i for i, ev in enumerate(events) if ev["kind"] == source]
        if not of:
            return None
        event["of"] = random.choice(of)
        event["from"] = events[event["of"]]["replica"]
        event["op"] = random.choice(EXECUTIONS) if kind == "execute" else "apply"
        event["replica"] = events[event["of"]]["to"] if kind == "execute" else \
            random.choice([name for name in replicas if name != event["from"]])
    if kind not in APPLIED and random.random() < 0.15:
        event["free"] = True
    return event


# What events do. A state is (replicas, messages): (set, log, counter) of each replica, and by the
# number of the event that made it, None before it did.


class Meaning:
    def __init__(self, recording):
        self.events = recording["events"]
        self.place = {name: i for i, name in enumerate(recording["replicas"])}
        self.first = (tuple((elements, (), 0) for elements in recording["initially"]),
                      (None,) * len(self.events))
        self.sent = {event["of"] for event in self.events if event["kind"] in APPLIED}
        self.memo = {}

    def perform(self, state, number):
        """The next state, and the result."""
        key = state, number
        if key not in self.memo:
            self.memo[key] = self.compute(state, number)
        return self.memo[key]

    def compute(self, state, number):
        replicas, messages = state
        event = self.events[number]
        place = self.place[event["replica"]]
        replica, message, result = self.react(replicas[place], messages, event)
        if message is not None and number in self.sent:
            messages = (*messages[:number], message, *messages[number + 1:])
        return ((*replicas[:place], replica, *replicas[place + 1:]), messages), result

    def react(self, replica, messages, event):
        """The replica's next state, the message that is made or None, and the result."""
        kind, x = event["kind"], event["args"][0]
        if kind == "query":
            return replica, None, ask(replica, event["op"], x)
        if kind == "request":
            after = (replica[0], replica[1], 0) if event["op"] == "take" else replica
            return after, replica, None
        if kind == "update":
            after, result = change(replica, event["op"], x)
            is_sent = event["args"][1] == "always" or result != FAIL
            return after, ((event["op"], x) if is_sent else None), result
        message = messages[event["of"]]
        if message is None:
            return replica, None, None
        if kind == "deliver":
            after, result = change(replica, *message)
        else:
            after, result = merge(replica, message, event["op"])
        return after, None, result


def change(replica, op, x):
    elements, log, counter = replica
    bit = 1 << x
    other = 1 << (x + 1) % ELEMENTS
    if op == "add":
        return (replica, FAIL) if elements & bit else ((elements | bit, log, counter), None)
    if op == "remove":
        return ((elements & ~bit, log, counter), None) if elements & bit else (replica, FAIL)
    if op == "swap":
        if elements & bit and not elements & other:
            return (elements & ~bit | other, log, counter), None
        return replica, FAIL
    return {
        "put": lambda: ((elements | bit, log, counter), None),
        "drop": lambda: ((elements & ~bit, log, counter), None),
        "append": lambda: ((elements, (*log, x), counter), None),
        "count": lambda: ((elements, log, counter + 1), None),
        "count_back": lambda: ((elements, log, counter + 1), counter + 1),
    }[op]()


def merge(replica, message, op):
    elements, log, counter = replica
    if op == "replace":
        return message, None
    if op == "join":
        new = [x for x in message[1] if x not in log]
        return (elements, (*log, *new), counter + message[2]), None
    if op == "merge_new" and not message[0] & ~elements:
        return replica, FAIL
    return (elements | message[0], log, counter), None


def ask(replica, op, x):
    return {"has": bool(replica[0] >> x & 1), "all": replica, "log": replica[1]}[op]


# What is true of a program.


def reachable(meaning, pairs):
    """All (events performed, state) that can be reached, and which events can come next."""
    n = len(meaning.events)
    before = [0] * n
    for a, b in pairs:
        before[b] |= 1 << a
    level, found = {(0, meaning.first)}, []
    while level:
        following = set()
        for done, state in level:
            ready = [b for b in range(n) if not done >> b & 1 and not before[b] & ~done]
            found.append((done, state, ready))
            following |= {(done | 1 << b, meaning.perform(state, b)[0]) for b in ready}
        level = following
    return found


def are_independent(meaning, states, a, b):
    """In every state in which both can come next, either order gives the same."""
    for _, state, ready in states:
        if a in ready and b in ready:
            middle, first = meaning.perform(state, a)
            end, second = meaning.perform(middle, b)
            other_middle, other_second = meaning.perform(state, b)
            other_end, other_first = meaning.perform(other_middle, a)
            if (end, first, second) != (other_end, other_first, other_second):
                return False
    return True


def failing(meaning, pairs, after, is_lenient=False):
    """The most events that can be said to fail once all of `after` have been performed. A lenient
    reader says that of anything without effect, whatever its result."""
    members = {s for s in set(range(len(meaning.events))) - set(after)
               if not not_failing(meaning, pairs, after, {s}, is_lenient)}
    while True:
        wrong = not_failing(meaning, pairs, after, members, is_lenient)
        if not wrong:
            return sorted(members)
        members -= wrong


def not_failing(meaning, pairs, after, members, is_lenient):
    """Those of members that have an effect although only members have happened at their replica
    since the last of `after`."""
    n = len(meaning.events)
    before = [0] * n
    for a, b in pairs:
        before[b] |= 1 << a
    wanted = sum(1 << p for p in after)
    wrong, level = set(), {(0, meaning.first, frozenset())}
    while level:
        following = set()
        for done, state, spoilt in level:
            for b in range(n):
                if done >> b & 1 or before[b] & ~done:
                    continue
                place = meaning.events[b]["replica"]
                following_state, result = meaning.perform(state, b)
                if not wanted & ~done and b in members and place not in spoilt and \
                        (following_state != state or (result != FAIL and not is_lenient)):
                    wrong.add(b)
                is_behind = not wanted & ~done
                now = spoilt | {place} if is_behind and b not in members else spoilt
                following.add((done | 1 << b, following_state, now))
        level = following
    return wrong


# Outcomes.


def outcome_of(meaning, options, state, results):
    """What counts at the end: everything, or what is watched if that pruning is in use."""
    if "replicas" not in options.prune or not options.watch:
        return state[0], results
    states = tuple((name, state[0][meaning.place[name]]) for name, only in
                   sorted(options.watch.items()) if not only)
    answers = tuple((i, result) for i, result in enumerate(results)
                    if meaning.events[i]["kind"] == "query"
                    and meaning.events[i]["replica"] in options.watch)
    return states, answers


def endings(meaning, units, unit_pairs):
    """Every final (state, results) with the smallest interleaving that comes to it. What comes to a
    state a second time is larger than what came to it first, in every continuation."""
    found, visited = {}, set()
    results = [None] * len(meaning.events)

    def extend(prefix, left, state, results):
        if (left, state, results) in visited:
            return
        visited.add((left, state, results))
        if not left:
            found.setdefault((state, results), tuple(prefix))
        for unit in left:
            if any((other, unit) in unit_pairs for other in left):
                continue
            now, now_results = state, list(results)
            for event in unit:
                now, now_results[event] = meaning.perform(now, event)
            extend([*prefix, unit], tuple(other for other in left if other != unit), now,
                   tuple(now_results))

    extend([], tuple(units), meaning.first, tuple(results))
    return found


def smallest_of_each(meaning, options, ends):
    """By outcome, the smallest interleaving that has it."""
    found = {}
    for (state, results), units in sorted(ends.items(), key=lambda item: flat(item[1])):
        found.setdefault(outcome_of(meaning, options, state, results), units)
    return found


# Constraints.


def draw_order(random, n):
    """Some pairs that need not be possible together with the others."""
    return [random.sample(range(n), 2) for _ in range(random.choice((0, 0, 0, 1, 2))) if n > 1]


def draw_groups(random, n):
    """Disjoint groups of two or three."""
    events = random.sample(range(n), n)
    groups = []
    while len(events) >= 2 and random.random() < 0.45:
        size = random.choice((2, 2, 3))
        groups.append([events.pop() for _ in range(min(size, len(events)))])
        if random.random() < 0.6:
            groups[-1].sort()
    return groups


def draw_true_constraints(random, meaning, options, extra, groups, is_lenient=False):
    """Claims about a program that hold in every interleaving that the order allows."""
    n = len(meaning.events)
    items = list(extra)
    pairs = order_of(meaning.events, Constraints(items), options)
    states = reachable(meaning, pairs)
    share = random.choice((0.3, 0.7, 1.0))
    if random.random() < 0.25:
        items.append({"independent": "replicas"})
    for a, b in itertools.combinations(range(n), 2):
        if random.random() < share and are_independent(meaning, states, a, b):
            items.append({"independent": [a, b]})
    for _ in range(random.choice((0, 1, 2))):
        after = random.sample(range(n), random.choice((0, 1, 1, 2)) if n > 2 else 0)
        if groups and random.random() < 0.5:
            after = [random.choice(groups)[0]]
        members = failing(meaning, pairs, after, is_lenient)
        if random.random() < 0.3:
            members = [s for s in members if random.random() < 0.7]
        if members:
            items.append({"failed": {"after": after, "events": members}})
    return items


def draw_watch(random, replicas):
    names = random.sample(replicas, min(len(replicas), random.choice((1, 1, 2))))
    return {name: random.random() < 0.5 for name in names}


def combinations():
    """All sets of prunings, each with and without what is published of them."""
    for prune in itertools.chain.from_iterable(
            itertools.combinations(PRUNINGS, k) for k in range(len(PRUNINGS) + 1)):
        variants = [name for name in ("groups", "replicas") if name in prune]
        for k in range(len(variants) + 1):
            for paper in itertools.combinations(variants, k):
                yield prune, paper


def draw_any_constraints(random, n):
    """Claims that need be neither true nor possible."""
    items = [{"before": pair} for pair in draw_order(random, n)]
    items += [{"group": group} for group in draw_groups(random, n)]
    if random.random() < 0.2:
        items.append({"independent": "replicas"})
    for _ in range(random.choice((0, 1, 2, 4))):
        items.append({"independent": random.sample(range(n), random.choice((2, 2, min(n, 3))))})
    for _ in range(random.choice((0, 1, 2))):
        events = random.sample(range(n), n)
        k = random.choice((0, 1, 1, min(2, n - 1)))
        items.append({"failed": {"after": events[:k],
                                 "events": events[k:k + random.randint(1, n - k)]}})
    return items


def draw_options(random, replicas):
    """Any order, prunings and watch."""
    prune = [name for name in PRUNINGS if random.random() < 0.65]
    paper = [name for name in ("groups", "replicas") if name in prune and random.random() < 0.25]
    watch = draw_watch(random, replicas) if random.random() < 0.7 else None
    options = Options(random.choice(("free", "causal")), random.random() < 0.2, prune, watch, paper)
    options.converges = random.random() < 0.5
    return options
