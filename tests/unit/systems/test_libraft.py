#!/usr/bin/env python3
"""test_libraft - the Raft library of Debian under Sennit:
test_libraft.py BUILD SOURCE TRIALS [--soak]

TRIALS is how many each test has to survive when known findings are kept from happening; below 100,
trials are taken to be slow. With --soak only the campaign is run.
SPDX-License-Identifier: MIT
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
SOURCE = ""
TRIALS = 300
IS_SLOW = False
DEADLINE_S = 600

# What each of the program's tests is about.
TESTS = {
    "steady": "commands_are_replicated_while_nothing_goes_wrong",
    "crashes": "servers_crash_and_start_again_from_what_was_persisted",
    "partitions": "the_network_is_cut",
    "connections": "messages_are_lost_and_late",
    "late_sends": "that_a_message_has_left_is_an_operation",
    "pre_vote": "candidates_ask_first",
    "impatient": "ticks_come_whenever_they_please",
    "snapshots": "who_is_behind_gets_a_snapshot",
    "async_snapshots": "snapshots_are_taken_by_asynchronous_work",
    "diverged": "logs_differ_from_the_start",
    "transfer": "leadership_is_transferred",
    "membership": "servers_are_added_assigned_and_removed",
    "changing_snapshots": "members_change_and_are_in_snapshots",
    "coming_and_going": "two_of_five_servers_come_and_go",
    "closing": "servers_are_closed_and_come_back",
    "all": "everything_happens_at_once",
    # More than the library's own network does.
    "datagrams": "messages_are_doubled_and_overtaken",
    "chaos": "they_are_while_members_change_and_snapshots_are_taken",
    "disks": "operations_of_disks_fail",
}

# What must have happened in some of the trials that pass, so that these say something.
RESTART = "a server starts from what it has written"
SNAPSHOT = "a snapshot is installed"
CHANGES = ("a server is added", "a server gets another role", "a server is removed")
DROP = "a follower drops entries"
HAPPENS = {
    "crashes": (RESTART,),
    "partitions": (DROP,),
    "pre_vote": (DROP, RESTART),
    "impatient": (DROP, RESTART),
    "snapshots": (SNAPSHOT, RESTART),
    "async_snapshots": (SNAPSHOT,),
    "diverged": (SNAPSHOT, DROP, RESTART),
    "transfer": ("leadership is transferred",),
    "membership": CHANGES,
    "coming_and_going": (*CHANGES, SNAPSHOT, RESTART),
    "closing": ("a server is closed and comes back",),
    "disks": ("a write fails",),
    "changing_snapshots": (*CHANGES, SNAPSHOT, RESTART),
    "all": (*CHANGES, SNAPSHOT, RESTART, "leadership is transferred",
            "a server is closed and comes back"),
}

# Of each finding: what the oracle says. systems/libraft/findings.tsv has the test that shows it
# soonest.
LEADS = r"committed in term {}, and server \d leads term"
STUCK = r"hot: monitor Progress is still hot"
LEADS_BY = r"majorities\.c:\d+: server \d leads term \d+ by the votes of {} voters"
USES = r"configurations\.c:\d+: server \d uses the configuration of entry \d+"
FINDINGS = {
    "counted-leftovers":
        r"leader_completeness\.c:\d+: entry \d+ of term (\d+) was " + LEADS.format(r"\1"),
    "counted-old-entries":
        r"leader_completeness\.c:\d+: entry \d+ of term \d+ was " + LEADS.format(r"\d+"),
    "leader-without-election":
        r"one_leader\.c:\d+: S\d and S\d are both leader|" + LEADS_BY.format("0 of 1"),
    "failed-write-reuses-index": r"log_matching\.c:\d+: entry \d+ of term \d+ is not the same",
    "follower-keeps-unwritten": r"durability\.c:\d+: server \d takes entry \d+",
    "entries-before-snapshot": r"heap: free or realloc|crash: the code under test",
    "rollback-to-snapshot": r"died of signal 11 .* at address 0x10",
    "two-failed-writes": r"crash: the code under test died of signal 11",
    "reply-to-nobody": r"addressees\.c:\d+: server \d sends a message to server 0",
    "leak-of-install": r"no_leak\.c:\d+: server \d is closed and has \d blocks?",
    "vote-for-transferee": r"one_vote\.c:\d+: server \d votes for server",
    "uncommitted-in-snapshot":
        r"configurations\.c:\d+: server \d puts into a snapshot the configuration of entry \d+",
    "uncommitted-after-restart": USES,
    "uncommitted-after-install": USES,
    "candidate-misses-configuration":
        USES + ", and it is another|" + LEADS_BY.format(r"\d of \d"),
    "nonvoter-blocks": STUCK,
    "pre-vote-hides-term": STUCK,
    "snapshot-not-installed":
        r"durability\.c:\d+: server \d says that it has a snapshot up to entry \d+ of term \d+",
}

# What a finding leads to, where that may be noticed first, with another seed.
CONSEQUENCES = {
    # A leader that has executed what it had counted may crash before the oracles are told of it.
    "counted-leftovers": r"state_machine_safety\.c:\d+: the \d+\. command that server \d",
    "leader-without-election": r"log_matching\.c:\d+: entry|died of signal 11",
    # Entries in places of others on the disk are executed after a restart; and what is in memory
    # alone may lie behind the end of the log that is to be cut.
    "follower-keeps-unwritten":
        r"(log_matching|leader_completeness)\.c:\d+: entry|io\.c:\d+: server \d truncates its log"
        r"|state_machine_safety\.c:\d+: the \d+\. command that server \d",
    "rollback-to-snapshot": r"died of signal 11",
    "entries-before-snapshot": STUCK + r"|[a-z_]+\.c:\d+: ",
}

# Of each finding: how many steps its trace has at most. Where nobody is elected any more, a
# thousand of them are free of faults.
STEPS = {
    "counted-leftovers": 39,
    "counted-old-entries": 65,
    "leader-without-election": 93,
    "failed-write-reuses-index": 26,
    "follower-keeps-unwritten": 43,
    "entries-before-snapshot": 91,
    "rollback-to-snapshot": 119,
    "two-failed-writes": 39,
    "reply-to-nobody": 25,
    "leak-of-install": 184,
    "vote-for-transferee": 46,
    "uncommitted-in-snapshot": 38,
    "uncommitted-after-restart": 76,
    "uncommitted-after-install": 101,
    "candidate-misses-configuration": 57,
    "nonvoter-blocks": 1053,
    "pre-vote-hides-term": 1128,
    "snapshot-not-installed": 46,
}

# Of each finding: how many things its stand-alone program shows, if more than one.
SHOWN = {"counted-leftovers": 2, "counted-old-entries": 2, "nonvoter-blocks": 3,
         "snapshot-not-installed": 2}

# Those of which an election by a minority comes, and the test that shows it.
MINORITIES = {"uncommitted-after-restart": "coming_and_going"}

# Those that another strategy finds in far fewer trials than chance does.
STRATEGIES = {"counted-old-entries": "pct:10", "entries-before-snapshot": "pct:10",
              "leak-of-install": "pos", "vote-for-transferee": "pct:10"}

# Of findings whose repair shows before the end of the trace: what comes instead of what the trace
# has, the first time. Otherwise a run without the finding takes each decision of its trace.
AVERTED = {
    # An operator is refused what would leave one voter.
    "leader-without-election": r"but Reply of O\d from S\d came",
    # A server whose write has failed has ended, and starts again.
    "follower-keeps-unwritten": r"but Reopen of S\d came",
    # An operator is refused what would leave a leader without its vote.
    "nonvoter-blocks": r"but Reply of O\d from S\d came",
    # Who was told of a later term does not ask for a pre-vote in its own again.
    "pre-vote-hides-term": r"expected was RequestVote of S\d from S\d, but",
}

# Of each way to break the harness: what notices it.
BUGS = {
    "deliver-twice": r"heap: free or realloc of a block that is free already",
    "complete-lost-write": r"durability\.c:\d+: server \d takes entry \d+ for stored",
    "forget-vote": r"one_vote\.c:\d+: server \d votes for server \d",
    "forget-term": r"one_vote\.c:\d+: server \d votes for server \d|io\.c:\d+: server \d goes back",
    "ignore-truncate": r"durability\.c:\d+: server \d takes entry",
    "call-back-twice": r"crash: the code under test died of signal|heap: |callbacks\.c",
    "wrong-address": r"addressees\.c:\d+: server \d sends a message to itself",
    "local-read": r"linear: .* the history is not linearizable to the model map",
    "skip-apply": r"linear: .* the history is not linearizable to the model map",
    "keep-buffers": r"no_leak\.c:\d+: server \d is closed and has \d+ blocks",
    "lose-snapshot": r"durability\.c:\d+: server \d starts with a snapshot up to entry",
    "lose-own-snapshot": r"durability\.c:\d+: server \d starts with a snapshot up to entry",
    "keep-vote": r"one_vote\.c:\d+: server \d starts with a vote for server \d",
    "report-out-of-order": r"io\.c:\d+: server \d has changed entries|durability\.c|heap: |crash: ",
    "deaf-server": STUCK,
    "count-vote-twice": r"majorities\.c:\d+: server \d leads term 2 by the votes of \d of 5 voters",
    "garble-barrier": r"log_matching\.c:\d+: entry \d+ of term \d+ is not the same",
    "skip-sync": r"leader_completeness\.c:\d+: entry \d+ of term \d+ was committed in term",
    "restore-part": r"state_machine_safety\.c:\d+: the state of server \d after command",
    "submit-twice": r"exactly_once\.c:\d+: server \d executes command \d+ as the",
    "ask-twice": r"callbacks\.c:\d+: server \d calls back request \d+ a second time",
    "forget-answer": r"callbacks\.c:\d+: server \d is closed and has never called back request",
    "misread-configuration": r"configurations\.c:\d+: server \d uses the configuration of entry 1,",
    "backdate-snapshot": r"durability\.c:\d+: server \d says that it has a snapshot up to entry",
}

# Of each oracle: its word of --without, how its failures begin, and a way to break the harness that
# no other one notices, in these trials (a thousand unless said otherwise). Lost writes have
# consequences: nothing else goes wrong in those trials. Two leaders are such a consequence: that
# one of them has no majority is noticed before.
ORACLES = {
    "elections_by_majorities": ("majorities", "assert at majorities.c", "count-vote-twice",
                                "--max-steps", "20", "-s", "pos"),
    "one_vote": ("one-vote", "assert at one_vote.c", "keep-vote"),
    "log_matching": ("log-matching", "assert at log_matching.c", "garble-barrier"),
    "leader_completeness": ("leader-completeness", "assert at leader_completeness.c", "skip-sync"),
    "state_machine_safety": ("state-machine-safety", "assert at state_machine_safety.c",
                             "restore-part"),
    "exactly_once": ("exactly-once", "assert at exactly_once.c", "submit-twice"),
    "durability": ("durability", "assert at durability.c", "complete-lost-write", "-f", "steady"),
    "confirmed_snapshots": ("durability", "assert at durability.c", "backdate-snapshot"),
    "no_callback_twice": ("callbacks", "assert at callbacks.c", "ask-twice"),
    "no_callback_forgotten": ("callbacks", "assert at callbacks.c", "forget-answer"),
    "known_destination": ("addressees", "assert at addressees.c", "wrong-address"),
    "configurations": ("configurations", "assert at configurations.c", "misread-configuration"),
    "no_leak": ("no-leak", "assert at no_leak.c", "keep-buffers"),
    "progress": ("progress", "hot: monitor Progress", "deaf-server", "-i", "50"),
    # Histories are judged last: if another oracle noticed it, that would be the failure.
    "linearizability": ("none", "linear: ", "skip-apply"),
}


def find_words(name):
    """How to look for a finding; the last strategy that is given counts."""
    with open(os.path.join(SOURCE, "systems/libraft/findings.tsv"), encoding="utf-8") as file:
        tests = dict(line.split() for line in file)
    return ("--finding", name, "-f", tests[name], "-s", STRATEGIES.get(name, "random"))


def program(name):
    return os.path.join(BUILD, "systems", name)


def trace_of(name):
    return os.path.join(SOURCE, "systems/libraft/corpus", name + ".trace")


class Case(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_words(self, *words):
        # What the stand-alone programs leave behind when they end is no finding.
        os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
        done = subprocess.run(words, cwd=self.folder, check=False, stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", timeout=DEADLINE_S)
        return done.returncode, done.stdout + done.stderr

    def run_libraft(self, *words):
        return self.run_words(program("libraft"), "-s", "random", "--no-shrink", "-o", "out",
                              *words)

    def summary(self):
        with open(os.path.join(self.folder, "out", "summary.json"), encoding="utf-8") as file:
            return json.load(file)["tests"]

    def assert_quiet(self, trials, *words):
        """No test named in the words finds anything, when what is known cannot happen."""
        code, out = self.run_libraft("--finding", "none", "-i", str(trials), *words)
        self.assertEqual(code, 0, out)


class Fate:
    """What became of the messages of a trial: faults that have struck, and how many messages came
    before one that their sender had sent to the same machine earlier."""

    def __init__(self, steps):
        self.faults = set()
        self.overtaken = 0
        sent = {}
        last = {}
        for step in steps:
            pair = (step.get("from"), step.get("task"))
            if step.get("op") == "deliver" and pair[0] != pair[1] and step["id"] in sent:
                self.overtaken += sent[step["id"]] < last.get(pair, 0)
                last[pair] = max(sent[step["id"]], last.get(pair, 0))
            for detail in step["details"]:
                self.faults.add(detail.get("fault"))
                if "send" in detail:
                    sent[detail["id"]] = len(sent)


class Harness(Case):
    def check(self, test):
        """Nothing is found, not because nothing happens, and all clients have what they want."""
        self.assert_quiet(TRIALS, "--filter", test)
        ran = next(one for one in self.summary() if one["name"] == test)
        self.assertEqual(ran["cut"], 0)
        classes = {row["value"]: row["trials"] for row in ran["classes"]}
        for name in () if IS_SLOW else HAPPENS.get(test, ()):
            self.assertGreater(classes.get(name, 0), 0, name)

    def test_every_test_of_the_program_has_a_claim_here(self):
        _, out = self.run_libraft("--list")
        self.assertEqual(sorted(TESTS), sorted(line.split("\t")[0] for line in out.splitlines()))

    def test_nothing_is_wrong_while_nothing_goes_wrong(self):
        code, out = self.run_libraft("-f", "steady", "-i", str(TRIALS))
        self.assertEqual(code, 0, out)

    def test_every_trial_repeats_itself_in_another_process(self):
        if IS_SLOW:
            self.skipTest("a process per trial repeats itself anyway, and takes long")
        for test in ("snapshots", "membership"):
            self.assert_quiet(TRIALS // 4, "-f", test, "--verify-determinism")

    def failing_trial(self, *words):
        """What is left of the first trial that fails: the path of its trace."""
        folder = tempfile.mkdtemp(dir=self.folder)
        code, out = self.run_libraft("--finding", "none", "-o", folder, *words)
        self.assertEqual(code, 1, out)
        return glob.glob(os.path.join(folder, "*.trace"))[0]

    def test_traces_of_a_trial_are_the_same_byte_for_byte(self):
        for words in (("--bug", "keep-buffers", "-f", "all"),
                      ("--bug", "lose-own-snapshot", "-f", "changing_snapshots"),
                      ("--bug", "deaf-server", "-f", "steady")):
            traces = []
            for _ in range(2):
                with open(self.failing_trial("-i", "100", *words), encoding="utf-8") as file:
                    traces.append(file.readlines())
            self.assertEqual([pair for pair in zip(*traces) if pair[0] != pair[1]], [])

    def steps(self, trace):
        code, out = self.run_words(os.path.join(BUILD, "sennit"), "show", "--json", trace)
        self.assertEqual(code, 0, out)
        return json.loads(out)["steps"]

    def test_every_message_tick_completion_and_request_is_an_operation(self):
        seen = set()
        for seed in range(1, 9):
            trace = self.failing_trial("--bug", "keep-buffers", "-f", "all", "-i", "1", "--seed",
                                       str(seed))
            seen |= {(step.get("op"), step.get("event")) for step in self.steps(trace)}
        self.assertLessEqual({("deliver", name) for name in (
            "RequestVote", "RequestVoteResult", "AppendEntries", "AppendEntriesResult",
            "InstallSnapshot", "TimeoutNow", "LogWritten", "SnapshotWritten", "SnapshotRead",
            "Request", "Reply")}, seen)
        self.assertIn(("timer", "Tick"), seen)

    def test_messages_are_cut_off_lost_and_late_but_in_order_and_once_on_connections(self):
        trace = self.failing_trial("--bug", "deaf-server", "-f", "connections", "-i", "1")
        fate = Fate(self.steps(trace))
        self.assertLessEqual({"cut-off", "lost", "delayed", "crash", "restart"}, fate.faults)
        self.assertNotIn("duplicated", fate.faults)
        self.assertEqual(fate.overtaken, 0)

    def test_messages_are_lost_late_doubled_and_overtaken_as_datagrams(self):
        for test in ("datagrams", "chaos"):
            trace = self.failing_trial("--bug", "deaf-server", "-f", test, "-i", "1")
            fate = Fate(self.steps(trace))
            self.assertLessEqual({"lost", "delayed", "duplicated"}, fate.faults)
            self.assertGreater(fate.overtaken, 0)

    def test_a_strategy_may_keep_a_disk_waiting_for_as_long_as_it_likes(self):
        # surw does: more than sixty requests wait in one of a hundred of these trials.
        self.assert_quiet(TRIALS * 3, "-f", "impatient", "-s", "surw")

    def test_no_monitor_is_told_in_vain(self):
        _, out = self.run_libraft("--finding", "none", "-i", "1")
        self.assertIn("libraft/all: no bug found", out)
        self.assertNotIn("is not among the test's monitors", out)

    def test_history_of_the_clients_is_checked(self):
        self.assert_quiet(1, "-f", "steady", "-v")
        code, out = self.run_libraft("--bug", "skip-apply", "-i", "2000", "--finding", "none")
        self.assertEqual(code, 1, out)
        self.assertIn("the history is not linearizable to the model map", out)

    def test_the_library_is_the_packaged_one(self):
        _, out = self.run_words("ldd", program("libraft"))
        self.assertRegex(out, r"libraft\.so\.\d+ => /(usr/)?lib/")


for _test, _about in TESTS.items():
    def _quiet(self, test=_test):
        self.check(test)
    setattr(Harness, f"test_no_new_bug_when_{_about}", _quiet)


class Broken(Case):
    """A harness that does not do what the library relies on is noticed."""

    def check(self, bug):
        words = ("--bug", bug, "--finding", "none", "-i", "100" if IS_SLOW else "30000")
        code, out = self.run_libraft(*words)
        if IS_SLOW and code == 0:
            self.skipTest("too few trials, where each is a process")
        self.assertEqual(code, 1, out)
        # A sanitizer sees wrong uses of memory before the heap does.
        self.assertRegex(out, BUGS[bug] + ("|crash: |AddressSanitizer" if IS_SLOW else ""))

    def test_every_way_to_break_it_is_listed_here(self):
        _, out = self.run_libraft("--bugs")
        self.assertEqual(sorted(BUGS), sorted(line.split("\t")[0] for line in out.splitlines()))

    def test_each_way_is_one_condition_of_the_harness(self):
        for bug in BUGS:
            uses = 0
            for path in glob.glob(os.path.join(SOURCE, "systems/libraft/*.c")):
                with open(path, encoding="utf-8") as file:
                    if not path.endswith("main.c"):
                        uses += file.read().count("bugs_wanted." + bug.replace("-", "_"))
            self.assertEqual(uses, 1, bug)


for _bug in BUGS:
    def _notice(self, bug=_bug):
        self.check(bug)
    setattr(Broken, f"test_{_bug.replace('-', '_')}_is_noticed", _notice)


class Oracles(Case):
    """Each oracle notices what no other one does. That is so in every build, and needs a thousand
    trials: one build is enough."""

    def signatures(self, bug, *words):
        self.run_libraft("--bug", bug, "--finding", "none", "-i", "1000", "--keep-going", *words)
        found = {failure["signature"] for test in self.summary() for failure in test["failures"]}
        # No client has what it wants in a trial that is cut short.
        return {one for one in found if "--max-steps" not in words or not one.startswith("hot: ")}

    def check(self, oracle):
        without, signature, *words = ORACLES[oracle]
        found = self.signatures(*words)
        self.assertGreater(len(found), 0)
        self.assertEqual([one for one in found if not one.startswith(signature)], [])
        if without != "none":
            self.assertEqual(self.signatures(*words, "--without", without), set())

    def test_every_oracle_is_in_this_list(self):
        _, out = self.run_libraft("--without", "nothing")
        words = re.split(", | or ", re.search("can be (.*), not", out)[1])
        known = {row[0] for row in ORACLES.values()} | {"one-leader"}
        self.assertEqual(sorted(words), sorted(known))

    def test_two_leaders_are_noticed_when_elections_are_not_judged(self):
        found = self.signatures("count-vote-twice", "--max-steps", "40", "--without", "majorities")
        self.assertEqual({one.split(":")[0] for one in found}, {"assert at one_leader.c"})


for _oracle in ORACLES:
    def _only(self, oracle=_oracle):
        self.check(oracle)
    setattr(Oracles, f"test_{_oracle}_alone_notices_something", _only)


class Findings(Case):
    """What is wrong with the library is found, replayed, and shown without Sennit."""

    def test_every_finding_has_a_page_a_trace_and_a_program(self):
        with open(os.path.join(SOURCE, "systems/libraft/repairs.c"), encoding="utf-8") as file:
            names = re.findall(r'^    "([a-z]+(?:-[a-z]+)+)",$', file.read(), re.MULTILINE)
        self.assertEqual(sorted(names), sorted(FINDINGS))
        with open(os.path.join(SOURCE, "docs/findings/README.md"), encoding="utf-8") as file:
            index = file.read()
        for name in FINDINGS:
            self.assertIn(f"({name}.md)", index)
            self.assertTrue(os.path.exists(os.path.join(SOURCE, f"docs/findings/{name}.md")), name)
            self.assertTrue(os.path.exists(trace_of(name)), name)
            self.assertTrue(os.path.exists(self.standalone(name)), name)

    def test_traces_name_the_program_as_it_is_from_the_root_of_the_repository(self):
        for name in FINDINGS:
            with open(trace_of(name), encoding="utf-8") as file:
                self.assertEqual(json.loads(file.readline())["program"], "build/systems/libraft")

    def test_a_report_shows_every_finding(self):
        code, out = self.run_words(os.path.join(BUILD, "sennit"), "report", "-o", "all.html",
                                   *map(trace_of, sorted(FINDINGS)))
        self.assertEqual((code, out), (0, "all.html\n"))
        with open(os.path.join(self.folder, "all.html"), encoding="utf-8") as file:
            page = file.read()
        data = json.loads(page.split('id="data">', 1)[1].split("</script>", 1)[0])
        self.assertEqual([trial["name"] for trial in data["trials"]], sorted(FINDINGS))

    def test_links_of_the_pages_lead_somewhere(self):
        for page in ("systems/libraft/README.md", *("docs/findings/" + name for name in
                                                    os.listdir(SOURCE + "/docs/findings"))):
            with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
                links = re.findall(r"\]\((?!https:)([^)#]+)", file.read())
            for link in links:
                path = os.path.join(SOURCE, os.path.dirname(page), link)
                self.assertTrue(os.path.exists(path), f"{page}: {link}")

    def test_every_finding_is_found_when_only_it_can_happen(self):
        if IS_SLOW:
            self.skipTest("needs thousands of trials, and each is a process here")
        for name, text in FINDINGS.items():
            code, out = self.run_libraft("-i", "20000", *find_words(name))
            self.assertEqual(code, 1, name + ": " + out)
            self.assertRegex(out, text)

    @staticmethod
    def standalone(name):
        return program("libraft_" + name.replace("-", "_"))

    def trace_without(self, name, finding=None):
        """The trace, as of a program in which nothing that is known can happen."""
        with open(trace_of(name), "rb") as file:
            *lines, end = file.read().splitlines(keepends=True)
        lines[0] = lines[0].replace(b'"--finding","%s"' % (finding or name).encode(),
                                    b'"--finding","none"')
        check = 0xcbf29ce484222325
        for byte in b"".join(lines):
            check = (check ^ byte) * 0x100000001b3 % 2**64
        end = re.sub(rb'"check":"[0-9a-f]*"', b'"check":"%016x"' % check, end)
        path = os.path.join(self.folder, name + ".trace")
        with open(path, "wb") as file:
            file.writelines([*lines, end])
        return path

    def check(self, name):
        """What `sennit show` says reproduces it does. With sanitizers some crash in another way."""
        words = ("--tolerant",) if IS_SLOW else ()
        code, out = self.run_words(program("libraft"), "--replay", trace_of(name), *words)
        self.assertEqual(code, 1, out)
        self.assertRegex(out, FINDINGS[name])
        if not IS_SLOW:
            self.assertLessEqual(int(re.search(r"failed again in step (\d+)", out)[1]), STEPS[name])

    def test_every_page_says_why(self):
        for name in FINDINGS:
            with open(os.path.join(SOURCE, f"docs/findings/{name}.md"), encoding="utf-8") as file:
                self.assertIn("\nWHY    In", file.read(), name)

    def test_a_server_that_leads_from_its_start_on_is_judged(self):
        if IS_SLOW:
            self.skipTest("needs hundreds of trials, and each is a process here")
        code, out = self.run_libraft("--finding", "leader-without-election", "-f", "membership",
                                     "-i", "300")
        self.assertEqual(code, 1, out)
        self.assertRegex(out, LEADS_BY.format("0 of 1"))
        trace = re.search(r"\S+\.trace", out)[0]
        _, shown = self.run_words(os.path.join(BUILD, "sennit"), "show", trace)
        last = re.findall(r"^ *\d+ .*", shown, re.MULTILINE)[-1]
        self.assertRegex(last, r" S\d +start ")

    def test_elections_by_a_minority_come_of_wrong_configurations(self):
        if IS_SLOW:
            self.skipTest("needs thousands of trials, and each is a process here")
        for name, test in MINORITIES.items():
            code, out = self.run_libraft("--finding", name, "--without", "configurations",
                                         "-i", "5000", "--filter", test)
            self.assertEqual(code, 1, name + ": " + out)
            self.assertRegex(out, LEADS_BY.format(r"\d of \d"))

    def test_nothing_but_elections_goes_wrong_when_leaders_lose_their_votes(self):
        for test in ("membership", "changing_snapshots", "all"):
            code, out = self.run_libraft("--finding", "nonvoter-blocks", "--without", "progress",
                                         "-i", str(TRIALS), "--filter", test)
            self.assertEqual(code, 0, out)

    def check_repaired(self, name):
        """It passes, and not because it went another way than the trace: it has come to where that
        fails, or the first thing that is not as there is what the repair does."""
        code, out = self.run_words(program("libraft"), "--replay", self.trace_without(name),
                                   "--tolerant")
        self.assertEqual(code, 0, out)
        last = int(re.search(r"the trace says: step (\d+), ", out)[1])
        drift = re.search(r"first drift in step (\d+): (.*)", out)
        if name in AVERTED:
            self.assertLess(int(drift[1]), last, out)
            self.assertRegex(drift[2], AVERTED[name])
        else:
            self.assertGreaterEqual(int(re.search(r"did not fail in (\d+) steps", out)[1]), last)
            self.assertGreaterEqual(int(drift[1]) if drift else last, last, out)

    def check_alone(self, name):
        code, out = self.run_words(self.standalone(name))
        self.assertEqual(code, 0, out)
        self.assertTrue(out.startswith("shown: "), out)
        self.assertEqual(len(out.splitlines()), SHOWN.get(name, 1), out)

    def replay_other_way(self, name, finding):
        """What is said of a trace with another way into a finding when that cannot happen."""
        words = ("--tolerant",) if IS_SLOW else ()
        code, out = self.run_words(program("libraft"), "--replay", trace_of(name), *words)
        self.assertEqual(code, 1, out)
        self.assertRegex(out, FINDINGS[finding])
        code, out = self.run_words(program("libraft"), "--replay",
                                   self.trace_without(name, finding), "--tolerant")
        self.assertEqual(code, 0, out)
        return out

    def test_the_repair_of_counted_leftovers_covers_writes_that_end_late(self):
        out = self.replay_other_way("counted-leftovers-late-write", "counted-leftovers")
        # All goes as it went, but for what is counted.
        self.assertIn(" 0 skipped, 0 invented", out)

    def test_the_repair_of_counted_old_entries_covers_those_before_one_of_this_term(self):
        out = self.replay_other_way("counted-old-entries-behind-another", "counted-old-entries")
        self.assertIn(" 0 skipped, 0 invented", out)

    def test_the_repair_of_nonvoter_blocks_covers_leaders_that_are_known_for_ever(self):
        out = self.replay_other_way("nonvoter-blocks-known-leader", "nonvoter-blocks")
        # It goes astray where there is a leader.
        self.assertRegex(out, r"but AppendEntries of S1 from S3 came, which the trace does not")


for _name in FINDINGS:
    def _replay(self, name=_name):
        self.check(name)

    def _repaired(self, name=_name):
        self.check_repaired(name)

    def _alone(self, name=_name):
        self.check_alone(name)
    _claim = _name.replace("-", "_")
    setattr(Findings, f"test_trace_of_{_claim}_fails_again", _replay)
    setattr(Findings, f"test_trace_of_{_claim}_passes_when_it_cannot_happen", _repaired)
    setattr(Findings, f"test_{_claim}_shows_without_sennit", _alone)


class Bench(Case):
    def check(self, trials):
        if IS_SLOW:
            self.skipTest("trials have processes of their own here")
        code, out = self.run_words(os.path.join(BUILD, "bench", "libraft"), str(trials))
        self.assertEqual(code, 0, out)
        figures = {name: float(value) for name, value, _ in
                   (line.split("\t") for line in out.splitlines())}
        self.assertEqual(figures["libraft.short_trials"], trials)
        self.assertLessEqual(figures["libraft.resident_after_all_trials"],
                             figures["libraft.resident_after_1000_trials"] + 256)


class Figures(Bench):
    def test_memory_stays_the_same_over_many_trials(self):
        self.check(20000)


class Million(Bench):
    def test_memory_stays_the_same_over_a_million_trials(self):
        self.check(1000000)


class Campaign(Case):
    def test_no_new_finding_in_many_trials_of_every_strategy(self):
        seed = os.environ.get("SENNIT_SOAK_SEED", str(os.getpid()))
        for strategy in ("random", "pos", "pct:3", "surw", "portfolio"):
            code, out = self.run_words(program("libraft"), "-s", strategy, "--finding", "none",
                                       "-i", str(TRIALS), "--seed", seed, "-o", "out")
            self.assertEqual(code, 0, f"seed {seed}: {out}")

    def test_every_finding_is_found_anew_with_any_seed(self):
        if IS_SLOW:
            self.skipTest("needs thousands of trials, and each is a process here")
        seed = os.environ.get("SENNIT_SOAK_SEED", str(os.getpid()))
        for name, text in FINDINGS.items():
            code, out = self.run_libraft("-i", "100000", "--seed", seed, *find_words(name))
            self.assertEqual(code, 1, f"{name}, seed {seed}: {out}")
            self.assertRegex(out, f"{text}|{CONSEQUENCES.get(name, text)}")


if __name__ == "__main__":
    BUILD, SOURCE, TRIALS = sys.argv[1], sys.argv[2], int(sys.argv[3])
    IS_SLOW = TRIALS < 100
    if sys.argv[4:] == ["--soak"]:
        del Harness, Broken, Oracles, Findings, Figures
    else:
        del Campaign, Million
        if IS_SLOW:
            del Oracles
    tap.main()
