#!/usr/bin/env python3
"""test_check - `sennit check` with histories as Jepsen and others write them: test_check.py BUILD

SPDX-License-Identifier: MIT
"""

import gzip
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""

# Two clients and the nemesis; the read overlaps the second write.
REGISTER = """\
{:type :invoke, :f :write, :value 3, :process 0, :time 1021, :index 0}
{:type :ok, :f :write, :value 3, :process 0, :time 2017, :index 1}
{:type :info, :f :start, :value nil, :process :nemesis, :time 2400, :index 2}
{:type :invoke, :f :write, :value 4, :process 0, :time 3100, :index 3}
{:type :invoke, :f :read, :value nil, :process 1, :time 3300, :index 4}
{:type :ok, :f :read, :value 3, :process 1, :time 3900, :index 5}
{:type :ok, :f :write, :value 4, :process 0, :time 4100, :index 6}
{:type :info, :f :start, :value "partitioned", :process :nemesis, :time 4400, :index 7}
"""
STALE = REGISTER + """\
{:type :invoke, :f :read, :value nil, :process 1, :time 5300, :index 8}
{:type :ok, :f :read, :value 3, :process 1, :time 5900, :index 9}
"""


def path(name):
    return os.path.join(BUILD, name)


def edn(*events):
    """Events, each "PROCESS TYPE F VALUE", as maps of EDN."""
    lines = []
    for event in events:
        process, kind, function, value = event.split(" ", 3)
        lines.append(f"{{:process {process}, :type :{kind}, :f :{function}, :value {value}}}\n")
    return "".join(lines)


def log(*events):
    """The same as lines of a log."""
    return "".join("INFO  jepsen.util - {}\t:{}\t:{}\t{}\n".format(*event.split(" ", 3))
                   for event in events)


def jsonl(*events):
    return "".join(json.dumps(event) + "\n" for event in events)


def event(process, kind, function, **more):
    return {"process": process, "type": kind, "f": function, **more}


# Nobody has put 99 into the queue, but there are many sets to try before that is certain.
HARD = edn(*[f"{i} invoke enqueue {i}" for i in range(60)],
           *[f"{i} ok enqueue {i}" for i in range(60)],
           "0 invoke dequeue nil", "0 ok dequeue 99")


class Check(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        self.folder = tempfile.TemporaryDirectory(prefix="sennit-check-")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        place = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def check(self, *arguments, said=b""):
        """The exit code and what was printed, times taken out."""
        done = subprocess.run([path("sennit"), "check", *arguments], cwd=self.folder.name,
                              check=False, input=said, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        text = done.stdout.decode()
        return done.returncode, re.sub(r"[\d.]+ m?s\)", "TIME)", text)

    def verdict(self, text, *arguments):
        """The exit code and the verdict on one history."""
        self.write("history", text)
        code, said = self.check("history", *arguments)
        return code, said.removeprefix("history: ").split(" (")[0].strip()

    def legal(self, text, *arguments):
        self.assertEqual(self.verdict(text, *arguments), (0, "linearizable"))

    def illegal(self, text, *arguments):
        self.assertEqual(self.verdict(text, *arguments), (1, "not linearizable"))

    def refused(self, text, cause, *arguments):
        """It is refused with this sentence, which begins with the line."""
        self.write("history", text)
        self.assertEqual(self.check("history", *arguments), (2, f"sennit: history:{cause}\n"))


# ---- Verdicts ------------------------------------------------------------------------------------


class Verdicts(Check):
    def test_a_linearizable_history_exits_0_with_one_line(self):
        self.write("a.edn", REGISTER)
        code, text = self.check("a.edn", "--model", "register", "--algorithm", "search")
        self.assertEqual(code, 0, text)
        self.assertEqual(text, "a.edn: linearizable (3 operations, 1 key, search algorithm, "
                               "TIME)\n")

    def test_a_stale_read_exits_1_and_is_named_with_its_line(self):
        self.write("a.edn", STALE)
        code, text = self.check("a.edn", "--model", "register")
        self.assertEqual(code, 1, text)
        self.assertIn("a.edn: not linearizable (4 operations, 1 key, ", text)
        self.assertIn("process 1 read -> 3 (line 9)", text)

    def test_a_budget_that_is_used_up_exits_3(self):
        self.write("a.edn", HARD)
        code, text = self.check("a.edn", "--model", "priority-queue", "--time", "0.05")
        self.assertEqual(code, 3, text)
        self.assertIn("a.edn: unknown within the budget (", text)

    def test_several_files_have_a_line_each_and_one_for_all(self):
        self.write("a.edn", REGISTER)
        self.write("b.edn", STALE)
        self.write("c.edn", "{:process")
        code, text = self.check("a.edn", "b.edn", "c.edn", "-m", "register")
        self.assertEqual(code, 2)
        self.assertIn("a.edn: linearizable (", text)
        self.assertIn("b.edn: not linearizable (", text)
        self.assertIn("sennit: c.edn:1: the file ends within a form that begins in line 1\n", text)
        self.assertIn("3 files: 1 linearizable, 1 not, 1 not read\n", text)
        self.assertEqual(self.check("a.edn", "b.edn", "-m", "register")[0], 1)

    def test_json_has_one_object_a_file(self):
        self.write("a.edn", REGISTER)
        self.write("b.edn", STALE)
        self.write("c.edn", "{:process")
        code, text = self.check("a.edn", "b.edn", "c.edn", "-m", "register", "--json")
        a, b, c = (json.loads(line) for line in text.splitlines())
        self.assertEqual(code, 2)
        self.assertEqual((a["file"], a["verdict"], a["operations"], a["keys"]),
                         ("a.edn", "linearizable", 3, 1))
        self.assertGreaterEqual(a["seconds"], 0)
        self.assertEqual((b["verdict"], b["stuck"]["line"], b["stuck"]["f"]),
                         ("not linearizable", 9, "read"))
        self.assertEqual((c["verdict"], c["why"]),
                         ("malformed", "c.edn:1: the file ends within a form that begins in line "
                                       "1"))

    def test_sequential_consistency_ignores_real_time_between_processes(self):
        stale = edn("0 invoke write 1", "0 ok write 1", "1 invoke read nil", "1 ok read nil")
        self.illegal(stale, "-m", "register")
        self.assertEqual(self.verdict(stale, "-m", "register", "--consistency", "sequential"),
                         (0, "sequentially consistent"))
        own = edn("0 invoke write 1", "0 ok write 1", "0 invoke read nil", "0 ok read nil")
        self.assertEqual(self.verdict(own, "-m", "register", "--consistency", "sequential")[0], 1)

    def test_sequential_consistency_of_each_key_is_not_that_of_all(self):
        both = edn("0 invoke write [:x 1]", "0 ok write [:x 1]", "0 invoke read [:y nil]",
                   "0 ok read [:y nil]", "1 invoke write [:y 1]", "1 ok write [:y 1]",
                   "1 invoke read [:x nil]", "1 ok read [:x nil]")
        self.assertEqual(self.verdict(both, "-m", "map", "--consistency", "sequential"),
                         (1, "not sequentially consistent"))

    def test_what_is_not_sequentially_consistent_has_a_core_that_may_have_several_keys(self):
        self.write("a.edn", edn(
            "0 invoke write [:x 1]", "0 ok write [:x 1]", "0 invoke read [:y nil]",
            "0 ok read [:y nil]", "1 invoke write [:y 1]", "1 ok write [:y 1]",
            "1 invoke read [:x nil]", "1 ok read [:x nil]", "2 invoke write [:z 7]",
            "2 ok write [:z 7]"))
        arguments = ("a.edn", "-m", "map", "--consistency", "sequential")
        code, text = self.check(*arguments)
        self.assertEqual(code, 1, text)
        self.assertIn("4 operations are enough to see that the history is not sequentially "
                      "consistent:\n", text)
        self.assertIn("then the state is :x = 1, :y = 1, and\n", text)
        core = json.loads(self.check(*arguments, "--json")[1])["core"]
        self.assertEqual((core["sequential"], core["minimal"], core["key"]), (True, True, None))
        self.assertEqual([operation["index"] for operation in core["operations"]], [0, 1, 2, 3])

    def test_a_terminal_shows_what_the_search_is_stuck_on(self):
        self.write("a.edn", HARD)
        terminal, end = pty.openpty()
        # pylint: disable=consider-using-with
        process = subprocess.Popen([path("sennit"), "check", "a.edn", "-m",
                                    "priority-queue", "--memory", "256"], stderr=end,
                                   cwd=self.folder.name, stdout=subprocess.DEVNULL)
        os.close(end)
        said = b""
        try:
            while b"stuck at process " not in said:
                said += os.read(terminal, 4096)
        except OSError:  # it has ended
            pass
        finally:
            process.kill()
            process.wait()
            os.close(terminal)
        self.assertRegex(said.decode(errors="replace"),
                         r"\ra.edn: \d+ s, checking 61 operations, stuck at process \d+ ")

    def test_the_core_says_why_in_the_words_of_the_file(self):
        self.write("a.edn", STALE.replace(":value 4", ':value "four"'))
        code, text = self.check("a.edn", "-m", "register")
        self.assertEqual(code, 1, text)
        self.assertIn('write("four")', text)
        self.assertRegex(text, r"operations? (is|are) enough to see")
        core = json.loads(self.check("a.edn", "-m", "register", "--json")[1])["core"]
        self.assertTrue(core["minimal"])
        self.assertIn('write("four")', [operation["text"] for operation in core["operations"]])

    def test_keys_may_be_checked_by_several_processes(self):
        events = []
        for i in range(40):
            events += [f"0 invoke write [{i} 1]", f"0 ok write [{i} 1]", f"0 invoke read [{i} nil]",
                       f"0 ok read [{i} {2 if i == 33 else 1}]"]
        self.write("a.edn", edn(*events))
        code, text = self.check("a.edn", "-m", "map", "--jobs", "2")
        self.assertEqual(code, 1, text)
        self.assertIn("(80 operations, 40 keys, ", text)
        self.assertIn("(line 135) of key 33\n", text)

    def test_the_initial_value_may_be_given(self):
        reads = edn("0 invoke read nil", "0 ok read 7")
        self.illegal(reads, "-m", "register")
        self.legal(reads, "-m", "register", "--init", "7")
        self.legal(edn("0 invoke read nil", '0 ok read "a b"'), "-m", "register", "--init",
                   '"a b"')
        self.legal(jsonl(event(0, "invoke", "read"), event(0, "ok", "read", value="a")), "-m",
                   "register", "--init", "a")

    def test_options_that_make_no_sense_exit_2(self):
        self.write("a.edn", REGISTER)
        self.assertEqual(self.check("a.edn"),
                         (2, "sennit: check needs --model NAME; `sennit check --list-models` lists "
                             "them\n"))
        self.assertEqual(self.check("-m", "register"),
                         (2, "sennit: check needs a history; `sennit check --help` says more\n"))
        self.assertEqual(self.check("a.edn", "-m", "regsiter"),
                         (2, "sennit: there is no model regsiter; `sennit check --list-models` "
                             "lists them\n"))
        self.assertEqual(self.check("a.edn", "-m", "register", "--time", "soon"),
                         (2, "sennit: --time needs a number of seconds above 0, not \"soon\"\n"))
        self.assertEqual(self.check("a.edn", "-m", "register", "--format", "xml"),
                         (2, "sennit: --format is edn, log or jsonl, not \"xml\"\n"))
        self.assertEqual(self.check("a.edn", "-m", "register", "--init", "1 2"),
                         (2, "sennit: \"1 2\" is not one value\n"))
        self.assertEqual(self.check("nowhere.edn", "-m", "register"),
                         (2, "sennit: nowhere.edn: cannot be opened: No such file or directory\n"))

    def test_models_are_listed(self):
        code, text = self.check("--list-models")
        self.assertEqual(code, 0)
        names = [line.split()[0] for line in text.splitlines()]
        for name in ("register", "cas-register", "map", "set", "counter", "fetch-add", "queue",
                     "priority-queue", "stack", "mutex", "lease", "list"):
            self.assertIn(name, names)

    def test_a_model_of_the_user_is_loaded_from_a_shared_object(self):
        self.write("mine.c", """\
#include <sennit/history.h>

/* A light that is on or off; toggle tells what it was. */
static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    sn_value *light = state;
    sn_value was = *light;

    (void)choice;
    *light = !was;
    return op->ret == SN_TIME_NEVER || op->result == was ? SN_STEP_TAKEN : SN_STEP_REFUSED;
}

static void print(const void *state, struct sn_text *out)
{
    sn_print(out, "%s", *(const sn_value *)state ? "on" : "off");
}

const struct sn_model sn_model = {
    .name = "light",
    .functions = (const struct sn_function[]){{"toggle", false}, {0}},
    .state_size = sizeof(sn_value),
    .step = step,
    .print = print,
};
""")
        subprocess.run(["cc", "-shared", "-fPIC", "-I" + os.path.join(tap.ROOT, "include"), "-o",
                        "mine.so", "mine.c"], cwd=self.folder.name, check=True)
        twice = edn("0 invoke toggle nil", "0 ok toggle 0", "0 invoke toggle nil")
        self.legal(twice + edn("0 ok toggle 1"), "-m", "./mine.so")
        self.legal(twice + edn("0 ok toggle 1"), "-m", "mine.so")
        self.illegal(twice + edn("0 ok toggle 0"), "-m", "./mine.so")
        keys = edn("0 invoke toggle [:a nil]", "0 ok toggle [:a 0]", "0 invoke toggle [:b nil]",
                   "0 ok toggle [:b 0]")
        self.legal(keys, "-m", "./mine.so", "--independent")

    def test_a_shared_object_without_a_model_is_refused(self):
        self.write("a.edn", REGISTER)
        self.write("none.c", "int sn_something;\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "none.so", "none.c"],
                       cwd=self.folder.name, check=True)
        self.assertEqual(self.check("a.edn", "-m", "./none.so"),
                         (2, "sennit: ./none.so does not define `const struct sn_model "
                             "sn_model`\n"))
        self.assertIn("the model cannot be loaded: ./nowhere.so: ",
                      self.check("a.edn", "-m", "./nowhere.so")[1])


# ---- EDN -----------------------------------------------------------------------------------------


class Edn(Check):
    def test_events_may_stand_in_one_vector_or_list(self):
        self.illegal("[" + STALE + "]", "-m", "register")
        self.legal("[" + REGISTER.replace("\n", " ") + "]\n", "-m", "register")
        self.legal("(" + REGISTER + ")", "-m", "register")

    def test_tagged_operations_are_read(self):
        tagged = STALE.replace("{:type", "#jepsen.history.Op{:type")
        self.illegal(tagged, "-m", "register")
        self.legal(tagged.replace(":value 3, :process 1, :time 5900",
                                  ":value #my/tag 4, :process 1, :time 5900")
                   .replace(":value 4, :process 0", ":value #my/tag 4, :process 0"),
                   "-m", "register")

    def test_the_nemesis_and_others_that_are_no_clients_are_skipped(self):
        self.legal(edn(":nemesis info kill {:n1 :killed}", ":nemesis info kill nil",
                       "0 invoke write 1", ":generator info log [1 2", "0 ok write 1")
                   .replace("[1 2}", "[1 2]}"), "-m", "register")

    def test_comments_and_discarded_forms_are_skipped(self):
        self.illegal("; written by hand\n#_ {:process 0 :type :nonsense}\n#_ #_ 1 [2 {}]\n" +
                     STALE.replace(":time 5900,", "#_ :time #_ #_ 5900 {:a #_ b 1} ; late,\n"),
                     "-m", "register")

    def test_values_of_every_kind_are_compared(self):
        for one, other in (('"a\\n\\u00e9"', '"a\\ne"'), ("\\a", "\\b"), ("\\newline", "\\space"),
                           ("1/3", "2/3"), ("1.5e3", "1.5e4"), ("12345678901234567890", "1"),
                           (":a/b", ":a"), ("sym", ":sym"), ("##Inf", "##NaN"), ('"1"', "1"),
                           ("#inst \"2020-01-01\"", "#inst \"2020-01-02\""), ("\\(", "\\)")):
            history = edn(f"0 invoke write {one}", f"0 ok write {one}", "1 invoke read nil")
            self.legal(history + edn(f"1 ok read {one}"), "-m", "register")
            self.illegal(history + edn(f"1 ok read {other}"), "-m", "register")

    def test_sets_and_maps_are_equal_in_any_order_and_lists_to_vectors(self):
        wrote = edn("0 invoke write {:a #{1 2 3}, :b [1 (2)]}", "0 ok write nil",
                    "1 invoke read nil")
        self.legal(wrote + edn("1 ok read {:b (1 [2]), :a #{3 1 2}}"), "-m", "register")
        self.illegal(wrote + edn("1 ok read {:b (2 [1]), :a #{3 1 2}}"), "-m", "register")

    def test_pairs_of_a_key_and_a_value_are_objects_of_their_own(self):
        events = ("0 invoke write [:x 1]", "0 ok write [:x 1]", "1 invoke read [:y nil]",
                  "1 ok read [:y nil]", "1 invoke cas [:x [1 2]]", "1 ok cas [:x [1 2]]",
                  "0 invoke read [:x nil]")
        for model in (("cas-register", "--independent"), ("map",)):
            self.legal(edn(*events, "0 ok read [:x 2]"), "-m", *model)
            self.illegal(edn(*events, "0 ok read [:x 1]"), "-m", *model)
        tuples = edn(*events, "0 ok read [:x 2]").replace("[:x", "#jepsen/tuple [:x")
        self.legal(tuples, "-m", "map")

    def test_an_operation_of_a_map_without_a_key_is_refused(self):
        self.refused(edn("0 invoke write 3"),
                     "1: each operation of a map has a key, so the value must be [key value]",
                     "-m", "map")
        self.refused(edn("0 invoke write 3"),
                     "1: --independent is given, so the value must be [key value]",
                     "-m", "register", "--independent")
        self.refused(edn("0 invoke write [1 3]", "0 ok write [2 3]"),
                     "2: the operation was invoked with another key in line 1", "-m", "map")

    def test_an_exception_in_an_event_does_not_matter(self):
        self.legal('{:process 0, :type :invoke, :f :write, :value 1}\n'
                   '{:process 0, :type :info, :f :write, :value 1, :error #error {:cause "gone", '
                   ':via [{:type java.net.ConnectException, :at [java.net.Socket connect '
                   '"Socket.java" 589]}], :object #object[foo$bar__12 0x3f1c "a@b"]}}\n',
                   "-m", "register")

    def test_what_is_no_edn_is_refused_with_its_line(self):
        model = ("-m", "register", "--format", "edn")
        self.refused("\n{:a 1]", "2: ] closes what was opened in line 2, where } is due", *model)
        self.refused("{:a}", "1: the last key of a map has no value", *model)
        self.refused("[{:a \"x}\n\n", "3: the string that begins in line 1 is not closed", *model)
        self.refused("[\n\n", "3: the file ends where ] is due", *model)
        self.refused("{:a #}", "1: what follows # is neither a tag nor a set, nor _", *model)
        self.refused("{:a #_}", "1: #_ stands before }, where there is nothing to discard", *model)
        self.refused("{:a #b}", "1: the tag #b stands before }, not before a form", *model)
        self.refused("{:a 12x}", "1: 12x is no number", *model)
        self.refused("{:a \"\\q\"}", "1: a string has an escape that is none", *model)
        self.refused("{:a \"\\ud800\"}", "1: half of a surrogate pair is missing", *model)
        self.refused("{:a ^b}", "1: ^ is no EDN", *model)
        self.refused("12", "1: an event must be a map: {:process 0, :type :invoke, ...}", *model)
        self.refused("]", "1: ] closes what was not opened", *model)
        self.refused("{:a \x01}", "1: there is a byte of value 1 where no such byte can be", *model)

    def test_depth_and_size_of_a_form_are_bounded(self):
        self.refused("{:a " + "[" * 100000, "1: forms are nested more than 32 deep", "-m",
                     "register")
        self.refused("{:a " + "#_ " * 600000, "1: a form is longer than 1048576 bytes", "-m",
                     "register")
        self.refused("{:a \"" + "x" * 2000000 + "\"}", "1: a form is longer than 1048576 bytes",
                     "-m", "register")


# ---- Logs, JSON Lines ----------------------------------------------------------------------------


class Log(Check):
    def test_lines_of_a_log_are_read_and_others_skipped(self):
        events = ("0 invoke write 3", "0 ok write 3", "1 invoke read nil")
        noise = "INFO  jepsen.core - Worker 0 starting\nWARN  jepsen.core - boo { \" [\n\n"
        self.legal(noise + log(*events) + noise + log("1 ok read 3"), "-m", "register")
        self.illegal(noise + log(*events) + noise + log("1 ok read 4"), "-m", "register")

    def test_lines_with_a_date_and_an_error_behind_the_value_are_read(self):
        self.legal("INFO [2021-03-04 10:00:00,123] jepsen worker 0 - jepsen.util 0\t:invoke\t"
                   ":cas\t[1 2]\n"
                   "INFO [2021-03-04 10:00:00,124] jepsen worker 0 - jepsen.util 0\t:fail\t:cas\t"
                   "[1 2]\t[:timeout \"gone\"]\n", "-m", "cas-register")

    def test_history_txt_is_read(self):
        text = ("0         :invoke   :write    3\n:nemesis  :info     :start    nil\n"
                "0         :ok       :write    3\n1         :invoke   :read     nil\n")
        self.legal(text + "1         :ok       :read     3\n", "-m", "register")
        self.illegal(text + "1         :ok       :read     nil\n", "-m", "register")

    def test_a_write_that_timed_out_may_have_happened(self):
        text = log("0 invoke write 3", "0 info write :timed-out", "1 invoke read nil")
        self.legal(text + log("1 ok read nil"), "-m", "register")
        self.legal(text + log("1 ok read 3"), "-m", "register")
        self.illegal(text + log("1 ok read 4"), "-m", "register")

    def test_a_line_that_makes_no_sense_is_refused(self):
        self.refused(log("0 invoke write 3", "0 done write 3"),
                     "2: the type is :done, but must be :invoke, :ok, :fail or :info", "-m",
                     "register")
        self.refused(log("0 invoke write [3"), "1: the file ends within a form that begins in line "
                                               "1", "-m", "register")
        self.refused("INFO  jepsen.util - 0\t:invoke\twrite\n",
                     "1: the event does not name a function", "-m", "register")


class JsonLines(Check):
    def test_our_own_lines_are_read(self):
        events = [event(0, "invoke", "write", value=3, key="x"),
                  event(0, "ok", "write", key="x"),
                  event("nemesis", "info", "kill"),
                  event(1, "invoke", "read", key="x")]
        self.legal(jsonl(*events, event(1, "ok", "read", value=3)), "-m", "map")
        self.illegal(jsonl(*events, event(1, "ok", "read", value=[3, {"a": None}])), "-m", "map")

    def test_times_count_if_there_are_any_and_calls_come_before_returns(self):
        late = [event(1, "invoke", "read", time=30), event(1, "ok", "read", time=40),
                event(0, "invoke", "write", value=1, time=5)]
        self.illegal(jsonl(*late, event(0, "ok", "write", time=29)), "-m", "register")
        self.legal(jsonl(*late, event(0, "ok", "write", time=30)), "-m", "register")

    def test_results_may_be_told_apart_from_arguments(self):
        first = [event(0, "invoke", "fetch-add", value=2),
                 event(0, "ok", "fetch-add", value=2, result=0),
                 event(0, "invoke", "fetch-add", value=2)]
        self.legal(jsonl(*first, event(0, "ok", "fetch-add", value=2, result=2)), "-m", "fetch-add")
        self.illegal(jsonl(*first, event(0, "ok", "fetch-add", value=2, result=3)), "-m",
                     "fetch-add")

    def test_lines_that_make_no_sense_are_refused(self):
        model = ("-m", "register")
        self.refused(jsonl(event(0, "invoke", "read", time=1), event(0, "ok", "read")),
                     "2: there is no time here, but in lines before", *model)
        self.refused(jsonl(event(0, "invoke", "read"), event(0, "ok", "read", time=1)),
                     "2: there is a time here, but not in lines before", *model)
        self.refused(jsonl(event(0, "invoke", "read", key=1), event(1, "invoke", "read")),
                     "2: there is no key here, but in lines before", *model)
        self.refused(jsonl(event(0, "invoke", "read", time=9), event(0, "ok", "read", time=8)),
                     "2: it completes before it was invoked in line 1", *model)
        self.refused(jsonl(event(-1, "invoke", "read")),
                     "1: \"process\" must be a number below 2^32 - 1, or a name if it is no client",
                     *model)
        self.refused(jsonl(event(0, "begin", "read")),
                     "1: \"type\" is begin, but must be invoke, ok, fail or info", *model)
        self.refused(jsonl({"process": 0, "type": "ok"}),
                     "1: \"f\" must be the name of a function", *model)
        self.refused('{"process":0}\n[1]\n', "1: \"type\" must be invoke, ok, fail or info", *model)
        self.refused(jsonl(event(0, "invoke", "read"), [1]),
                     "2: an event must be an object: {\"process\":0, ...}", *model)
        code, text = self.verdict('{"process":0,"type":\n', *model)
        self.assertEqual(code, 2)
        self.assertIn("sennit: history:1: column ", text)


# ---- Files ---------------------------------------------------------------------------------------


class Files(Check):
    def test_a_compressed_file_is_read(self):
        self.write("a.edn.gz", gzip.compress(STALE.encode()))
        code, text = self.check("a.edn.gz", "-m", "register")
        self.assertEqual(code, 1, text)
        self.assertIn("a.edn.gz: not linearizable (4 operations", text)

    def test_a_compressed_file_that_is_cut_short_is_refused(self):
        self.write("a.edn.gz", gzip.compress(STALE.encode())[:-20])
        code, text = self.check("a.edn.gz", "-m", "register")
        self.assertEqual(code, 2, text)
        self.assertIn("it is compressed, but damaged or cut short\n", text)

    def test_standard_input_is_read_compressed_or_not(self):
        code, text = self.check("-", "-m", "register", said=STALE.encode())
        self.assertEqual(code, 1, text)
        self.assertIn("-: not linearizable (4 operations", text)
        code, text = self.check("-", "-m", "register", said=gzip.compress(STALE.encode()))
        self.assertEqual(code, 1, text)

    def test_all_histories_in_a_directory_are_checked(self):
        self.write("store/b.edn", STALE)
        self.write("store/a.jsonl.gz", gzip.compress(jsonl(event(0, "invoke", "read")).encode()))
        self.write("store/notes.txt", "nothing")
        self.write("store/run/history.edn", REGISTER)
        self.write("store/run/jepsen.log", "nothing")
        self.write("store/run/results.edn", "{:valid? true}")
        code, text = self.check("store", "-m", "register")
        self.assertEqual(code, 1, text)
        self.assertEqual([line.split(" (")[0] for line in text.splitlines()
                          if line.startswith("store")],
                         ["store/a.jsonl.gz: linearizable", "store/b.edn: not linearizable",
                          "store/run/history.edn: linearizable"])
        self.assertIn("3 files: 2 linearizable, 1 not\n", text)

    def test_a_directory_without_histories_is_refused(self):
        os.mkdir(os.path.join(self.folder.name, "empty"))
        self.assertEqual(self.check("empty", "-m", "register"),
                         (2, "sennit: empty: there is no history in this directory (*.edn, "
                             "*.jsonl, *.log, or these with .gz)\n"))

    def test_a_file_without_operations_is_refused(self):
        self.refused("", " there is no operation of a client in it", "-m", "register")
        self.refused("; nothing\n", " there is no operation of a client in it", "-m", "register")
        self.refused("[]", " there is no operation of a client in it", "-m", "register")

    def test_a_format_that_cannot_be_told_is_refused_and_can_be_forced(self):
        self.refused("Hello\n", "1: this begins like no history: not EDN, no log of Jepsen, no "
                                "JSON Lines; --format says what it is", "-m", "register")
        self.refused("Hello\n", " there is no operation of a client in it", "-m", "register",
                     "--format", "log")
        self.refused("Hello\n", "1: an event must be a map: {:process 0, :type :invoke, ...}",
                     "-m", "register", "--format", "edn")


# ---- What operations mean ------------------------------------------------------------------------


class Operations(Check):
    def test_an_operation_that_failed_had_no_effect(self):
        text = edn("0 invoke write 3", "0 fail write 3", "1 invoke read nil")
        self.illegal(text + edn("1 ok read 3"), "-m", "register")
        self.legal(text + edn("1 ok read nil"), "-m", "register")

    def test_an_operation_that_is_unknown_may_take_effect_later_or_never(self):
        text = edn("0 invoke write 3", "0 info write 3", "1 invoke read nil", "1 ok read nil",
                   "1 invoke read nil")
        self.legal(text + edn("1 ok read 3"), "-m", "register")
        self.legal(text + edn("1 ok read nil"), "-m", "register")
        self.illegal(text + edn("1 ok read 3", "1 invoke read nil", "1 ok read nil"), "-m",
                     "register")

    def test_an_operation_that_never_completes_is_unknown(self):
        text = edn("0 invoke write 3", "1 invoke read nil")
        self.legal(text + edn("1 ok read 3"), "-m", "register")
        self.legal(text + edn("1 ok read nil"), "-m", "register")

    def test_a_failed_cas_tells_nothing_unless_it_is_said_to(self):
        text = edn("0 invoke write 1", "0 ok write 1", "0 invoke cas [1 2]", "0 fail cas [1 2]")
        self.legal(text, "-m", "cas-register")
        self.illegal(text, "-m", "cas-register", "--failed-cas", "see")
        other = edn("0 invoke write 3", "0 ok write 3", "0 invoke cas [1 2]", "0 fail cas [1 2]")
        self.legal(other, "-m", "cas-register", "--failed-cas", "see")

    def test_a_failed_cas_that_tells_what_it_saw_is_a_read(self):
        def saw(value):
            return jsonl(event(0, "invoke", "write", value=1), event(0, "ok", "write"),
                         event(0, "invoke", "cas", value=[4, 5]),
                         event(0, "fail", "cas", value=[4, 5], result=value))

        self.legal(saw(1), "-m", "cas-register")
        self.illegal(saw(2), "-m", "cas-register")
        self.illegal(edn("0 invoke cas [1 2]") +
                     "{:process 0, :type :fail, :f :cas, :value [1 2], :result 7}\n", "-m",
                     "cas-register")

    def test_a_write_without_a_value_takes_that_of_its_completion(self):
        text = edn("0 invoke write nil", "0 ok write 3", "1 invoke read nil")
        self.legal(text + edn("1 ok read 3"), "-m", "register")
        self.illegal(text + edn("1 ok read nil"), "-m", "register")

    def test_adding_to_a_set_may_or_may_not_tell_whether_it_changed(self):
        def history(first, second):
            return edn("0 invoke add 1", f"0 ok add {first}", "0 invoke add 1",
                       f"0 ok add {second}", "0 invoke contains 1", "0 ok contains true")

        self.legal(history("1", "1"), "-m", "set")
        self.legal(history("true", "false"), "-m", "set")
        self.illegal(history("true", "true"), "-m", "set")

    def test_a_whole_list_may_be_read(self):
        text = edn("0 invoke append 7", "0 ok append 7", '0 invoke append "b"', '0 ok append "b"',
                   "0 invoke read nil")
        self.legal(text + edn('0 ok read [7 "b"]'), "-m", "list")
        self.illegal(text + edn('0 ok read ["b" 7]'), "-m", "list")

    def test_queues_stacks_counters_and_locks_are_read_as_jepsen_writes_them(self):
        self.legal(edn("0 invoke enqueue 1", "0 ok enqueue 1", "1 invoke dequeue nil",
                       "1 ok dequeue 1"), "-m", "queue")
        self.illegal(edn("0 invoke push 1", "0 ok push 1", "1 invoke pop nil", "1 ok pop nil"),
                     "-m", "stack")
        self.legal(edn("0 invoke add 2", "0 ok add 2", "1 invoke read nil", "1 ok read 2"), "-m",
                   "counter")
        self.illegal(edn("0 invoke acquire nil", "0 ok acquire nil", "1 invoke acquire nil",
                         "1 ok acquire nil"), "-m", "mutex")

    def test_transactions_are_refused_with_the_reason(self):
        self.refused(edn("0 invoke txn [[:append 3 1] [:r 3 nil]]"),
                     "1: txn is a transaction of several reads and writes, and linearizability is "
                     "about operations on one object: check it with a checker of transactions, "
                     "such as Elle", "-m", "register")

    def test_a_function_that_the_model_lacks_is_refused(self):
        self.refused(edn("0 invoke cas [1 2]"), "1: the model register has no function cas; it has "
                                                "read, write", "-m", "register")
        self.refused(edn("0 invoke cas 3"), "1: the value of cas must be [expected new]", "-m",
                     "cas-register")

    def test_a_process_that_invokes_twice_is_refused(self):
        self.refused(edn("0 invoke read nil", "1 invoke read nil", "0 invoke write 1"),
                     "3: process 0 invokes again, but its operation of line 1 has not completed",
                     "-m", "register")

    def test_a_process_that_goes_on_after_an_unknown_outcome_is_refused(self):
        self.refused(edn("4 invoke write 1", "4 info write 1", "4 invoke write 1"),
                     "3: process 4 goes on, but what became of its operation of line 1 is unknown: "
                     "from there on it must be another process", "-m", "register")

    def test_a_completion_without_an_invocation_is_refused(self):
        self.refused(edn("0 ok read 1"), "1: process 0 completes an operation, but has invoked "
                                         "none", "-m", "register")
        self.refused(edn("0 invoke write 1", "0 ok write 1", "0 ok write 1"),
                     "3: process 0 completes an operation, but has invoked none", "-m", "register")
        self.refused(edn("0 invoke write 1", "0 ok read 1"),
                     "2: process 0 completes read, but has invoked write in line 1", "-m",
                     "register")
        self.refused(edn("0 invoke write 1", "0 ok write 2"),
                     "2: write completes with another value than it was invoked with in line 1",
                     "-m", "register")

    def test_nonsense_in_an_event_is_refused(self):
        model = ("-m", "register")
        self.refused(edn("0 begin read nil"),
                     "1: :type is begin, but must be :invoke, :ok, :fail or :info", *model)
        self.refused("{:process 0, :f :read}", "1: an event has no :type", *model)
        self.refused("{:process 0, :type :ok}", "1: an event has no :f", *model)
        self.refused("{:type :ok}", "1: an event has no :process", *model)
        self.refused("{:process -1}", "1: there can be no process -1", *model)
        self.refused("{:process 0, :process 1}", "1: an event has :process twice", *model)

    def test_an_index_that_is_there_twice_is_refused(self):
        self.refused(REGISTER.replace(":index 1}", ":index 0}"), "2: :index 0 is there twice", "-m",
                     "register")
        self.refused(REGISTER.replace(":index 5}", ":index 1}"),
                     "6: :index 1 comes after 4: the history is not in its order, or has it twice",
                     "-m", "register")


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    tap.main()
