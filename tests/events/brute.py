"""brute - which interleavings of recorded events are kept, decided as docs/events.md says it.

This is the page once more, one function per sentence, with no thought of speed and apart from the
code that it judges. An interleaving is kept if none of its prefixes is left out. Recordings and
constraints are read as docs/protocol.md and docs/events.md describe them.

A Space takes the name of a mutant, a definition that is wrong on purpose. Each of them loses
outcomes; they show that tests would notice. SPDX-License-Identifier: MIT
"""

import itertools

PRUNINGS = ("groups", "replicas", "independence", "failed")
OWN = ("update", "query", "request")
APPLIED = ("execute", "deliver")

# What a mutant gets wrong, under the pruning that it belongs to.
MUTANTS = {
    "groups": ("judged_by_first_event", "rest_of_unit_is_ignored"),
    "independence": ("only_the_ends_commute", "order_is_ignored", "messages_are_ignored"),
    "replicas": ("requests_are_ignored", "updates_are_ignored", "one_hop_only",
                 "queries_are_ignored", "seen_too_late"),
    "failed": ("others_may_come_between", "one_p_suffices", "replica_does_not_matter"),
}


class Refused(Exception):
    """What was asked for cannot be respected, or makes no sense."""


class Constraints:
    """What the files of a constraint directory say, taken together."""

    def __init__(self, items=()):
        self.before, self.groups, self.independent, self.failed = [], [], [], []
        self.replicas_are_independent = False
        for item in items:
            self.add(item)

    def add(self, item):
        for key, value in item.items():
            if key == "before":
                self.before.append(tuple(value))
            elif key == "group":
                self.groups.append(tuple(value))
            elif key == "independent" and value == "replicas":
                self.replicas_are_independent = True
            elif key == "independent":
                self.independent.append(tuple(value))
            elif key == "failed":
                self.failed.append((tuple(value["after"]), tuple(value["events"])))
            else:
                raise Refused(f"unknown constraint {key}")


class Options:
    """The command line: order, fifo, prunings in use, those of them as published, what is watched
    (by replica: whether its queries only), and whether convergence is expected."""

    converges = False

    def __init__(self, order="causal", fifo=False, prune=PRUNINGS, watch=None, paper=()):
        self.order, self.fifo, self.prune = order, fifo, frozenset(prune)
        self.watch = dict(watch or {})
        self.paper_groups, self.paper_replicas = "groups" in paper, "replicas" in paper

    def pruning_list(self):
        paper = {"groups": self.paper_groups, "replicas": self.paper_replicas}
        return ",".join(name + (":paper" if paper.get(name) else "")
                        for name in PRUNINGS if name in self.prune) or "none"

    def watch_list(self):
        return ",".join(name + (":queries" if only else "")
                        for name, only in sorted(self.watch.items()))

    def arguments(self):
        """The same for the command."""
        arguments = ["--order", self.order, "--prune", self.pruning_list(), "--expect",
                     "convergence" if self.converges else "none"]
        if self.fifo:
            arguments.append("--fifo")
        if self.watch:
            arguments += ["--watch", self.watch_list()]
        return arguments


# Which events must come before which.


def order_of(events, constraints, options):
    """Pairs (a, b): a comes before b in every interleaving. Not closed under transitivity."""
    pairs = set(constraints.before)
    if options.order == "causal":
        pairs |= {(ev["of"], b) for b, ev in enumerate(events) if ev["kind"] in APPLIED}
        pairs |= {(a, b) for a, b in itertools.combinations(range(len(events)), 2)
                  if events[a]["kind"] in OWN and events[b]["kind"] in OWN
                  and events[a]["replica"] == events[b]["replica"]
                  and not events[a].get("free") and not events[b].get("free")}
    if options.fifo:
        pairs |= {(a, b) for a, b in itertools.permutations(range(len(events)), 2)
                  if events[a]["kind"] in APPLIED and events[b]["kind"] in APPLIED
                  and link_of(events[a]) == link_of(events[b])
                  and events[a]["of"] < events[b]["of"]}
    return pairs


def link_of(event):
    """The link of an event that sends or applies a message: from, to."""
    if event["kind"] == "request":
        return event["replica"], event["to"]
    return event["from"], event["replica"]


def has_circle(nodes, pairs):
    """Takes away what nothing comes before, again and again."""
    left = set(nodes)
    while left:
        first = {b for b in left if not any((a, b) in pairs for a in left)}
        if not first:
            return True
        left -= first
    return False


# Units.


def groups_of(events, constraints, options):
    """The groups in use: tuples of events in the group's order."""
    if "groups" not in options.prune:
        return []
    groups = list(constraints.groups)
    if options.paper_groups:
        groups += paper_groups(events, {event for group in groups for event in group})
    return groups


def paper_groups(events, taken):
    """As the publication glues them; taken events stay where they are."""
    found = []
    links = {link_of(ev) for ev in events if ev["kind"] in ("request", "execute")}
    for link in sorted(links):
        requests = [i for i, ev in enumerate(events)
                    if ev["kind"] == "request" and link_of(ev) == link]
        executions = [i for i, ev in enumerate(events)
                      if ev["kind"] == "execute" and link_of(ev) == link]
        found += zip(requests, executions)
    for i, event in enumerate(events):
        deliveries = [j for j, ev in enumerate(events) if ev["kind"] == "deliver" and ev["of"] == i]
        if event["kind"] == "update" and deliveries:
            found.append((i, deliveries[0]))
    return [group for group in found if not taken & set(group)]


class Space:
    """The interleavings of a recording under constraints and options. Units are tuples of events;
    Q and prefixes are lists of units."""

    def __init__(self, recording, constraints, options, mutant=None):
        self.events = recording["events"]
        self.constraints, self.options, self.mutant = constraints, options, mutant
        self.pairs = order_of(self.events, constraints, options)
        self.units = self.make_units(groups_of(self.events, constraints, options))
        self.unit_pairs = self.order_units()
        self.watched_state = {name for name, only in options.watch.items() if not only}
        self.watched_queries = {name for name, only in options.watch.items() if only}
        self.uses_replicas = "replicas" in options.prune and bool(options.watch)
        self.memo = {}

    def make_units(self, groups):
        grouped = [event for group in groups for event in group]
        if len(grouped) != len(set(grouped)):
            raise Refused("an event is in two groups")
        alone = [(event,) for event in range(len(self.events)) if event not in set(grouped)]
        return sorted([*groups, *alone], key=lambda unit: unit[0])

    def order_units(self):
        if has_circle(range(len(self.events)), self.pairs):
            raise Refused("the order goes in a circle")
        unit_of = {event: unit for unit in self.units for event in unit}
        pairs = set()
        for a, b in self.pairs:
            if unit_of[a] != unit_of[b]:
                pairs.add((unit_of[a], unit_of[b]))
            elif unit_of[a].index(a) > unit_of[a].index(b):
                raise Refused("the order of a group is contradicted")
        if has_circle(self.units, pairs):
            raise Refused("groups cannot all be respected")
        return pairs

    def replicas_of(self, unit):
        return {self.events[event]["replica"] for event in unit}

    # Interleavings.

    def respects(self, units):
        """Nothing comes before what must come before it."""
        return not any((units[j], units[i]) in self.unit_pairs
                       for i, j in itertools.combinations(range(len(units)), 2))

    def interleavings(self):
        """All orders of the units that respect the constraints, ascending: brute force."""
        return (units for units in itertools.permutations(self.units) if self.respects(units))

    def is_kept(self, units):
        """No prefix of this interleaving is left out."""
        return not any(self.is_left_out(list(units[:n])) for n in range(1, len(units) + 1))

    def kept_literally(self):
        return [units for units in self.interleavings() if self.is_kept(units)]

    def kept(self):
        """The same as kept_literally, for it does not extend what is left out."""
        found = []

        def extend(prefix, left):
            if not left:
                found.append(tuple(prefix))
            for unit in left:
                if any((other, unit) in self.unit_pairs for other in left):
                    continue
                prefix.append(unit)
                if not self.is_left_out(prefix):
                    extend(prefix, [other for other in left if other != unit])
                prefix.pop()

        extend([], self.units)
        return found

    # Moving left.

    def is_left_out(self, prefix):
        q, a = prefix[:-1], prefix[-1]
        return any(a[0] < q[i][0] and self.can_move(q, a, i) for i in range(len(q))) or \
            self.uses_replicas and self.leaves_the_smallest_tail(q, a)

    def can_move(self, q, a, i):
        """From the end of Q to place i."""
        places = range(i, len(q))
        if self.mutant == "only_the_ends_commute":
            places = sorted({i, len(q) - 1})
        return all(self.may_swap(q[j], a) and self.commute(q, a, j) for j in places)

    def may_swap(self, other, a):
        return (other, a) not in self.unit_pairs or self.mutant == "order_is_ignored"

    def commute(self, q, a, j):
        """Q[j] and a do, at place j."""
        prune = self.options.prune
        return ("independence" in prune and self.are_independent(q[j], a)) or \
            ("failed" in prune and self.commute_by_failing(q, a, j)) or \
            (self.uses_replicas and not self.options.paper_replicas
             and self.commute_unseen(q, a, j))

    # Independence.

    def are_independent(self, left, right):
        if self.mutant == "judged_by_first_event":
            return self.events_are_independent(left[0], right[0])
        return all(self.events_are_independent(a, b) for a in left for b in right)

    def events_are_independent(self, a, b):
        if self.is_message_of(a, b):
            return False
        if self.options.converges and (self.carries(a, b) or self.carries(b, a)):
            return False
        return any(a in some and b in some for some in self.constraints.independent) or \
            (self.constraints.replicas_are_independent
             and self.events[a]["replica"] != self.events[b]["replica"])

    def carries(self, request, other):
        """Which updates the request carries depends on the order."""
        first, second = self.events[request], self.events[other]
        return first["kind"] == "request" and first["replica"] == second["replica"] and \
            second["kind"] not in ("request", "query")

    def is_message_of(self, a, b):
        """One applies the message of the other."""
        return self.mutant != "messages_are_ignored" and any(
            self.events[late]["kind"] in APPLIED and self.events[late]["of"] == early
            for late, early in ((a, b), (b, a)))

    # Failing.

    def commute_by_failing(self, q, a, j):
        if any(self.is_message_of(left, right) for left in q[j] for right in a):
            return False
        fails_left, fails_right = self.fails(q, j, q[j]), self.fails(q, j, a)
        if fails_left and fails_right:
            return True
        return (fails_left or fails_right) and \
            (not self.replicas_of(q[j]) & self.replicas_of(a)
             or self.mutant == "replica_does_not_matter")

    def fails(self, q, j, unit):
        """A unit does at place j, by one of the lists."""
        return any(set(unit) <= set(members) and self.fails_by(q[:j], unit, after, members)
                   for after, members in self.constraints.failed)

    def fails_by(self, done, unit, after, members):
        are_done = [p in flat(done) for p in after]
        if not all(are_done) and not (self.mutant == "one_p_suffices" and any(are_done)):
            return False
        last = max((k for k, other in enumerate(done) if set(other) & set(after)), default=0)
        if self.mutant == "rest_of_unit_is_ignored" and after:
            last += 1
        return self.mutant == "others_may_come_between" or all(
            set(other) <= set(members) or set(other) <= set(after)
            for other in done[last:] if self.replicas_of(other) & self.replicas_of(unit))

    # Replicas.

    def commute_unseen(self, q, a, j):
        place = j + 1 if self.mutant == "seen_too_late" else j
        return self.is_without_influence(q[:place], q[j]) or self.is_without_influence(q[:place], a)

    def is_without_influence(self, q, unit):
        return not self.replicas_of(unit) & self.seen_after(q)

    def seen_after(self, q):
        """The replicas that can be seen from R on, R being what is not in Q."""
        left = frozenset(self.units) - frozenset(q)
        if left not in self.memo:
            self.memo[left] = self.seen_from({event for unit in left for event in unit})
        return self.memo[left]

    def seen_from(self, left):
        seen = set(self.watched_state)
        if self.mutant != "queries_are_ignored":
            seen |= {self.events[event]["replica"] for event in left
                     if self.events[event]["kind"] == "query"} & self.watched_queries
        while True:
            more = {self.events[event]["replica"] for event in left
                    if self.reaches(event, left, seen)}
            if more <= seen:
                return seen
            seen |= more
            if self.mutant == "one_hop_only":
                return seen

    def reaches(self, event, left, seen):
        """Its message can get to a replica that is seen."""
        kind = self.events[event]["kind"]
        if kind == "request" and self.mutant != "requests_are_ignored":
            return self.events[event]["to"] in seen
        return kind == "update" and self.mutant != "updates_are_ignored" and any(
            self.events[other]["kind"] == "deliver" and self.events[other]["of"] == event
            and self.events[other]["replica"] in seen for other in left)

    def leaves_the_smallest_tail(self, q, a):
        """Nothing that is left behind some beginning of Q has influence, and Q·a goes on otherwise
        than with the smallest."""
        for n in range(len(q) + 1):
            left = [unit for unit in self.units if unit not in q[:n]]
            if self.merges_after(q[:n]) and \
                    all(self.is_without_influence(q[:n], unit) for unit in left) and \
                    [*q, a][n:] != self.smallest(left)[:len(q) + 1 - n]:
                return True
        return False

    def merges_after(self, q):
        """With replicas:paper and :queries, only if nothing but watched queries was performed."""
        return not (self.options.paper_replicas and self.watched_queries) or all(
            self.events[event]["kind"] == "query"
            and self.events[event]["replica"] in self.options.watch for event in flat(q))

    def smallest(self, left):
        """The smallest order of these units that respects the constraints."""
        order, left = [], list(left)
        while left:
            unit = next(unit for unit in left
                        if not any((other, unit) in self.unit_pairs for other in left))
            order.append(unit)
            left.remove(unit)
        return order


def flat(units):
    """The events of a sequence of units."""
    return tuple(event for unit in units for event in unit)
