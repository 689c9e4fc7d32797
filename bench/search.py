#!/usr/bin/env python3
"""search.py - how often the trials of each strategy show each seeded bug of the systems, also when
much else is going on.

    build/bench/search [--trials N] [--noise N ...] [--strategies A B ...] [--only TEXT ...]
                       [--seconds N] [--keep FILE] [--held-out BUG ...] [--portfolios N]
                       [--costs FILE] [--markdown]

Compares the strategies on every bug of every system (--bugs lists them), at each of these amounts
of noise, and prints NAME<TAB>VALUE<TAB>UNIT: the share of trials that show the bug, and for each
strategy the geometric mean of its shares. A strategy that has shown a bug in none of N trials
counts with half a trial: 0.5 / N. Systems, bugs and strategies that there are not are left out,
with a reason. Systems without an option --noise are compared without noise only, and count in
`times random`, but not in means of more than one amount of noise. The bugs of libraft are what was
found in it (systems/libraft/findings.tsv), one at a time.

Means are told of all bugs, of those by which strategies may be chosen and tuned, and of those that
are held out: a strategy that was chosen by the first half is believed only as far as the second
confirms it. The halves were drawn by a hash of the bugs' names before anything was measured, and
stay as they are; --held-out replaces the list. `decay` is the mean at some noise divided by that
without.

--portfolios N tells which strategies, and which portfolios of up to N of those that were measured,
would have shown the bugs most often if each arm had an equal part of the trials: the best by the
bugs that were chosen by, with how they do on those held out; and what choosing among all of them in
this way is worth: for each system, how the best on all others does on it.

--costs FILE takes what bench/cost has printed, with the same noise and trials, and tells as well
how many times as often as with `random` a second shows the bugs, if what a system itself does takes
so little time as in these: strategies whose costs are not there are left out of that.

The whole matrix takes half an hour of two cores. --seconds ends it earlier: what was not
measured is named, and means are of the bugs that were measured with everything. --keep FILE writes
what is known to FILE after each comparison, and does not measure again what is there already.
SPDX-License-Identifier: MIT
"""

import argparse
import hashlib
import itertools
import json
import math
import os
import re
import subprocess
import sys
import time

from bugs import bugs_of, systems

STRATEGIES = ["random", "random+ca", "pos", "pos+ca", "posr", "posr+ca", "pct:3", "pct+ca:3",
              "pct:10", "pctcp:3", "tapct:3", "sr", "urw", "surw", "ql", "fest", "portfolio",
              "portfolio:random+ca/pos+ca", "portfolio:random+ca/surw/fest"]
NOISE = [0, 100, 1000]

# ---- Measuring -----------------------------------------------------------------------------------


class Results:
    """Shares by (bug, strategy, noise), kept in a file if there is one."""

    def __init__(self, path):
        self.path = path
        self.known = {}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.known = {tuple(key): tuple(value) for key, value in json.load(file)}

    def add(self, key, failed, trials):
        self.known[key] = (failed, trials)

    def keep(self):
        if not self.path:
            return
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump([[list(key), list(value)] for key, value in sorted(self.known.items())], file)
        os.replace(self.path + ".new", self.path)

    def share(self, key):
        """With half a trial for none. A tuple of strategies divides the trials equally."""
        name, strategy, noise = key
        arms = strategy if isinstance(strategy, tuple) else (strategy,)
        shares = [self.known[name, arm, noise] for arm in arms]
        failed = sum(failed for failed, _ in shares) / len(arms)
        return max(failed, 0.5) / shares[0][1]


def has_noise(path):
    told = subprocess.run([path, "--help"], capture_output=True, text=True, check=False).stdout
    return "--noise N" in told


def findings(build):
    """What was found in libraft, as (name, path, words), if that is built."""
    path = os.path.join(build, "systems", "libraft")
    if not os.path.exists(path):
        return
    with open(os.path.join(build, "systems", "libraft_findings.tsv"), encoding="utf-8") as file:
        for line in file:
            finding, test = line.split()
            yield f"libraft/{finding}", path, ["--finding", finding, "-f", test]


def subjects(options):
    """What strategies are compared on, as (name, path, words), and what is left out. Notes which
    noise each can have."""
    found, missing = [], []
    can_be_quiet = 0 in options.noise
    for system, path in systems(options.build):
        bugs = [(f"{system}/{bug}", path, ["--bug", bug]) for bug in bugs_of(path)]
        is_noisy = has_noise(path)
        if is_noisy or can_be_quiet:
            found += bugs
        else:
            missing.append((system, "it has no option --noise"))
        if not is_noisy:
            options.quiet |= {name for name, _, _ in bugs}
    if can_be_quiet:
        found += findings(options.build)
        options.quiet |= {name for name, _, _ in findings(options.build)}
    return [one for one in found if any(text in one[0] for text in options.only)], missing


def noise_of(name, options):
    """The amounts of noise that a bug is compared with."""
    return [0] if name in options.quiet else options.noise


def known(path, strategies):
    """Those that there are, and the reasons why others are left out."""
    found = []
    missing = []
    for strategy in strategies:
        done = subprocess.run([path, "--strategies", strategy, "-i", "1", "--json"],
                              capture_output=True, text=True, check=False)
        if done.returncode == 2:
            missing.append((strategy, done.stderr.strip().split(";")[0]))
        else:
            found.append(strategy)
    return found, missing


def compare(path, words, strategies, options):
    """The rows, or a reason why there are none."""
    done = subprocess.run(
        [path, *words, "-i", str(options.trials), "--json",
         "--seed", str(options.seed), "--strategies", ",".join(strategies)],
        capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        return None, (done.stderr.strip() or f"ended with exit code {done.returncode}")
    rows = [row for test in json.loads(done.stdout)["tests"] for row in test["strategies"]]
    problems = [row["strategy"] + ": " + row["problem"] for row in rows if row["problem"]]
    return (None, problems[0]) if problems else (rows, None)


def measure(chosen, results, options):
    """Fills in the results, the smallest noise first, and returns what could not be measured."""
    start = time.monotonic()
    missing = []
    for noise in options.noise:
        for name, path, words in chosen:
            todo = [s for s in options.strategies if (name, s, noise) not in results.known]
            if not todo or noise not in noise_of(name, options):
                continue
            if options.seconds and time.monotonic() - start > options.seconds:
                missing.append((f"{name}/noise {noise}", "there was no time left"))
                continue
            noisy = [*words, "--noise", str(noise)] if noise else words
            rows, why = compare(path, noisy, todo, options)
            if rows is None:
                missing.append((f"{name}/noise {noise}", why))
                continue
            for row in rows:
                results.add((name, row["strategy"], noise), row["failed"], row["trials"])
            results.keep()
    return missing


# ---- Means ---------------------------------------------------------------------------------------


def mean(shares):
    return math.exp(sum(math.log(share) for share in shares) / len(shares))


def complete(names, results, options):
    """The bugs that were measured with every strategy and all noise."""
    return [name for name in names
            if all((name, s, noise) in results.known
                   for s in options.strategies for noise in noise_of(name, options))]


def means(names, results, options):
    """By strategy: the mean for each noise, and that of all of them; over the bugs that have all of
    it, if there are any."""
    names = [name for name in names if noise_of(name, options) == options.noise] or names
    options = argparse.Namespace(**{**vars(options), "noise": noise_of(names[0], options)})
    table = {}
    for strategy in options.strategies:
        row = [mean([results.share((name, strategy, noise)) for name in names])
               for noise in options.noise]
        table[strategy] = row + [mean(row)]
    return table


def spread(names, results, strategy, options, by_time=False):
    """How many times as often as with `random` trials, or seconds, show a bug, and the standard
    error of the logarithm of that, over the bugs: how much it would vary with other bugs."""
    logs = [sum(math.log(results.share((name, strategy, noise)) /
                         results.share((name, options.strategies[0], noise)) /
                         (cost_of(name, strategy, noise, options) if by_time else 1))
                for noise in noise_of(name, options)) / len(noise_of(name, options))
            for name in names]
    middle = sum(logs) / len(logs)
    variance = sum((one - middle) ** 2 for one in logs) / max(1, len(logs) - 1)
    return math.exp(middle), math.sqrt(variance / len(logs))


def read_costs(path):
    """By (system, strategy, noise)."""
    costs = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, ratio, _ = line.rstrip("\n").split("\t")
            found = re.fullmatch(r"(.+)_noise(\d+)_([^_]+)", name)
            if found:
                costs[found[1], found[3], int(found[2])] = float(ratio)
    return costs


def cost_of(name, strategy, noise, options):
    """None: it is not known."""
    if strategy == options.strategies[0]:
        return 1.0
    return options.cost.get((name.split("/")[0], strategy, noise))


def has_costs(names, strategy, options):
    return bool(options.cost) and all(cost_of(name, strategy, noise, options) is not None
                                      for name in names for noise in noise_of(name, options))


def candidates(options):
    """Every strategy that was measured, and every portfolio of up to so many of them."""
    arms = [s for s in options.strategies if not s.startswith("portfolio")]
    return [*options.strategies,
            *(some for n in range(2, options.portfolios + 1)
              for some in itertools.combinations(arms, n))]


def called(strategy):
    return "portfolio:" + "/".join(strategy) if isinstance(strategy, tuple) else strategy


def left_out(names, results, options):
    """For each system: the strategy that is best on the bugs of all others, how it does there, and
    how it does on the system itself; and the same for all systems together."""
    rows, logs = [], []
    some = candidates(options)
    for system in sorted({name.split("/")[0] for name in names}):
        within = [name for name in names if name.split("/")[0] == system]
        others = [name for name in names if name not in within]
        if not others:
            continue
        best = max(some, key=lambda s: spread(others, results, s, options)[0])
        rows.append((system, called(best), spread(others, results, best, options)[0],
                     spread(within, results, best, options)[0]))
        logs += [math.log(spread([name], results, best, options)[0]) for name in within]
    middle = sum(logs) / max(1, len(logs))
    variance = sum((one - middle) ** 2 for one in logs) / max(1, len(logs) - 1)
    return rows, math.exp(middle), math.sqrt(variance / max(1, len(logs)))


def is_odd(name):
    """By a hash, so that nobody can choose."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 1


def halves(names, options):
    held_out = options.held_out
    if held_out is None:
        held_out = [name for name in names if is_odd(name)]
    return {
        "chosen by": [name for name in names if name not in held_out],
        "held out": [name for name in names if name in held_out],
        "all": names,
    }


# ---- Telling -------------------------------------------------------------------------------------


def print_shares(names, results, options):
    for name in names:
        for noise in noise_of(name, options):
            for strategy in options.strategies:
                failed, trials = results.known[name, strategy, noise]
                print(f"{name}/{strategy}/noise {noise}\t{failed / trials:.6g}\tshare")


def print_means(half, names, results, options):
    for strategy, row in means(names, results, options).items():
        name = f"{half}/{strategy}"
        for noise, value in zip(options.noise, row):
            print(f"{name}/noise {noise}\t{value:.6g}\tgeometric mean")
            if noise != options.noise[0]:
                print(f"{name}/noise {noise}\t{value / row[0]:.3f}\tdecay")
        times, error = spread(names, results, strategy, options)
        print(f"{name}\t{row[-1]:.6g}\tgeometric mean")
        print(f"{name}\t{times:.3f}\ttimes {options.strategies[0]}")
        print(f"{name}\t{error:.3f}\tstandard error of its logarithm")
        if has_costs(names, strategy, options):
            times, error = spread(names, results, strategy, options, by_time=True)
            print(f"{name}/by time\t{times:.3f}\ttimes {options.strategies[0]}")
            print(f"{name}/by time\t{error:.3f}\tstandard error of its logarithm")


def markdown_shares(names, results, options):
    for noise in options.noise:
        print(f"\nNoise {noise}, {options.trials} trials of each:\n")
        print("| bug | " + " | ".join(options.strategies) + " |")
        print("|---|" + "---|" * len(options.strategies))
        for name in (name for name in names if noise in noise_of(name, options)):
            cells = [results.known[name, s, noise] for s in options.strategies]
            print(f"| {name} | " + " | ".join(f"{f / n:.4f}" for f, n in cells) + " |")


def interval(of):
    times, error = of
    return f"{times:.2f} ({times * math.exp(-error):.2f} to {times * math.exp(error):.2f})"


def markdown_means(half, names, results, options):
    noise = [f"noise {n}" for n in options.noise]
    decay = [f"decay at {n}" for n in options.noise[1:]]
    print(f"\n{half.capitalize()}: {len(names)} bugs.\n")
    titles = [*noise, "all noise", *decay, f"times {options.strategies[0]}"]
    titles += ["by time"] if options.cost else []
    print("| strategy | " + " | ".join(titles) + " |")
    print("|---|" + "---|" * len(titles))
    table = means(names, results, options)
    for strategy in sorted(table, key=lambda s: -table[s][-1]):
        row = table[strategy]
        cells = [f"{value:.5f}" for value in row]
        cells += [f"{value / row[0]:.2f}" for value in row[1:-1]]
        cells += [interval(spread(names, results, strategy, options))]
        if has_costs(names, strategy, options):
            cells += [interval(spread(names, results, strategy, options, by_time=True))]
        elif options.cost:
            cells += [""]
        print(f"| {strategy} | " + " | ".join(cells) + " |")


def tell_left_out(names, results, options):
    rows, times, error = left_out(names, results, options)
    first = options.strategies[0]
    if not options.markdown:
        for system, best, others, own in rows:
            print(f"left out/{system}/{best}\t{own:.3f}\ttimes {first} (others: {others:.3f})")
        print(f"left out\t{interval((times, error))}\ttimes {first}")
        return
    print(f"\n| left out | best on the others | there, times {first} | on what was left out |")
    print("|---|---|---|---|")
    for system, best, others, own in rows:
        print(f"| {system} | {best} | {others:.2f} | {own:.2f} |")
    print(f"| all in turn | | | {interval((times, error))} |")


def tell_portfolios(names, results, options):
    """The best candidates by the bugs that were chosen by, and how they do on the others."""
    some = candidates(options)
    groups = [half for half in (halves(names, options)[key] for key in ("chosen by", "held out"))
              if half]
    by = {one: [spread(half, results, one, options) for half in groups] for one in some}
    best = sorted(some, key=lambda one: -by[one][0][0])[:12]
    titles = ["chosen by", "held out"] if len(groups) == 2 else ["all"]
    first = options.strategies[0]
    if options.markdown:
        print(f"\nThe best of {len(some)} candidates on paper, times {first}:\n")
        print("| candidate | " + " | ".join(titles) + " |\n|---|" + "---|" * len(titles))
    for one in best:
        cells = [interval(of) for of in by[one]]
        if options.markdown:
            print(f"| {called(one)} | " + " | ".join(cells) + " |")
            continue
        for title, cell in zip(titles, cells):
            print(f"on paper/{title}/{called(one)}\t{cell}\ttimes {first}")


def tell(names, missing, results, options):
    known = complete(names, results, options)
    for name, why in missing:
        print(f"{name}\t{why}\tnot measured", file=sys.stderr if options.markdown else sys.stdout)
    if options.markdown:
        markdown_shares(known, results, options)
    else:
        print_shares(known, results, options)
    for half, some in halves(known, options).items():
        if some and options.markdown:
            markdown_means(half, some, results, options)
        elif some:
            print_means(half, some, results, options)
    if known and options.portfolios > 1:
        tell_portfolios(known, results, options)
    if len(known) > 1:
        tell_left_out(known, results, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--trials", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--noise", type=int, nargs="+", default=NOISE)
    parser.add_argument("--strategies", nargs="+", default=STRATEGIES)
    parser.add_argument("--only", nargs="+", default=[""], metavar="TEXT",
                        help="systems or bugs with one of these in system/bug")
    parser.add_argument("--seconds", type=float, default=0, help="begin nothing after so long")
    parser.add_argument("--keep", default="", help="file of results, to be gone on with")
    parser.add_argument("--held-out", nargs="*", default=None, metavar="BUG",
                        help="bugs by which nothing was chosen (by a hash of their names)")
    parser.add_argument("--portfolios", type=int, default=0, metavar="N",
                        help="compare portfolios of up to N of the strategies on paper")
    parser.add_argument("--costs", default="", metavar="FILE", help="what bench/cost has printed")
    parser.add_argument("--markdown", action="store_true")
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--build", default=os.path.dirname(here))
    options = parser.parse_args()
    options.quiet = set()
    options.cost = read_costs(options.costs) if options.costs else {}

    chosen, missing = subjects(options)
    if chosen:
        options.strategies, unknown = known(chosen[0][1], options.strategies)
        missing += unknown
    results = Results(options.keep)
    missing += measure(chosen, results, options)
    tell([name for name, _, _ in chosen], missing, results, options)


if __name__ == "__main__":
    main()
