#!/usr/bin/env python3
"""test_ds2_brute - counts of DS2's objects, against others' and against brute force of our own:
test_ds2_brute.py CENSUS

SPDX-License-Identifier: MIT
"""

import functools
import subprocess
import sys
import unittest

import ds2_brute
import tap

CENSUS = ""


def census(*arguments):
    """What the program counts: eight numbers."""
    words = [CENSUS, *map(str, arguments)]
    said = subprocess.run(words, check=True, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL).stdout
    return tuple(map(int, said.split()))


@functools.cache
def force(name, reads, writes, agents, variant):
    """The same, by brute force."""
    return ds2_brute.Census(name, reads, writes, agents, variant == "asis")


class Case(unittest.TestCase):
    def agrees(self, name, reads, writes, agents, variant="fixed"):
        forced = force(name, reads, writes, agents, variant)
        self.assertEqual(census(name, reads, writes, agents, variant), forced.numbers())
        odpor = census(name, reads, writes, agents, variant, "odpor")
        self.assertEqual((odpor[0], odpor[-1]), (len(forced.orders), len(forced.orders)))
        causal = census(name, reads, writes, agents, variant, "odpor:causal")
        self.assertEqual(causal[0], len(forced.causal_orders))

    def counts(self, name, variant, *numbers):
        """Schedules, incomplete histories, different ones, incomplete among these, those that are
        not linearizable; and different ones, where those that are alike count once."""
        self.assertEqual(census(name, 2, 1, 0, variant)[:6], numbers)


class Published(Case):
    def test_register_as_published_has_the_known_counts(self):
        self.counts("register", "asis", 4200, 1929, 170, 50, 0, 44)

    def test_register_with_both_defects_fixed_answers_everybody(self):
        self.counts("register", "fixed", 4200, 0, 120, 0, 0, 31)

    def test_erroneous_register_has_the_known_counts(self):
        self.counts("erroneous", "fixed", 252, 0, 32, 0, 12, 32)

    def test_another_register_has_the_known_counts(self):
        self.counts("another", "fixed", 1680, 887, 148, 46, 0, 35)

    def test_chord_has_the_known_counts(self):
        self.counts("chord", "fixed", 18396, 0, 165, 0, 17, 41)

    def test_variant_changes_nothing_but_the_register(self):
        self.counts("erroneous", "asis", 252, 0, 32, 0, 12, 32)
        self.counts("another", "asis", 1680, 887, 148, 46, 0, 35)
        self.counts("chord", "asis", 18396, 0, 165, 0, 17, 41)


class Forced(Case):
    """Other numbers of reads, writes and agents: the counts of every schedule; and `odpor` runs one
    of each partial order, whether or not that of calls and returns counts."""

    def test_register_as_published_agrees_with_brute_force(self):
        self.agrees("register", 2, 1, 2, "asis")

    def test_register_as_published_agrees_about_a_write_that_is_passed_on(self):
        self.agrees("register", 0, 2, 2, "asis")

    def test_register_agrees_with_brute_force(self):
        self.agrees("register", 2, 1, 2)
        self.agrees("register", 1, 2, 2)

    def test_register_of_three_agents_agrees_with_brute_force(self):
        self.agrees("register", 1, 1, 3)

    def test_register_without_writes_agrees_with_brute_force(self):
        self.agrees("register", 2, 0, 2)

    def test_erroneous_register_agrees_with_brute_force(self):
        self.agrees("erroneous", 2, 1, 3)
        self.agrees("erroneous", 3, 1, 3)
        self.agrees("erroneous", 1, 2, 2)
        self.agrees("erroneous", 2, 2, 2)

    def test_erroneous_register_agrees_about_two_writes_at_one_agent(self):
        self.agrees("erroneous", 0, 2, 3)

    def test_erroneous_register_of_four_agents_agrees_with_brute_force(self):
        self.agrees("erroneous", 1, 1, 4)

    def test_another_register_agrees_with_brute_force(self):
        self.agrees("another", 2, 1, 2)
        self.agrees("another", 1, 2, 2)
        self.agrees("another", 3, 0, 2)

    def test_another_register_of_three_agents_agrees_with_brute_force(self):
        self.agrees("another", 1, 1, 3)

    def test_chord_agrees_with_brute_force(self):
        self.agrees("chord", 1, 1, 2)
        self.agrees("chord", 2, 1, 2)
        self.agrees("chord", 1, 2, 2)

    def test_paxos_agrees_with_brute_force(self):
        self.agrees("paxos", 0, 1, 2)
        self.agrees("paxos", 1, 1, 2)
        self.agrees("paxos", 2, 0, 3)


if __name__ == "__main__":
    CENSUS = sys.argv[1]
    tap.main()
