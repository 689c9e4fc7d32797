#!/usr/bin/env python3
"""test_check_claims - what docs/histories.md says of formats, values, models and options, one test
for each claim that test_check does not prove: test_check_claims.py BUILD

SPDX-License-Identifier: MIT
"""

import gzip
import json
import os
import pty
import subprocess
import sys

import tap
import test_check
from test_check import edn, event, jsonl, log


def calls(*operations):
    """Operations one after the other of process 0, each "F ARGUMENT RESULT", without blanks."""
    events = []
    for operation in operations:
        function, argument, result = operation.split(" ")
        events += [f"0 invoke {function} {argument}", f"0 ok {function} {result}"]
    return edn(*events)


# ---- Output and options --------------------------------------------------------------------------


class Output(test_check.Check):
    def test_1_counts_more_than_3(self):
        self.write("a.edn", test_check.HARD)
        self.write("b.edn", calls("enqueue 1 1", "dequeue nil 2"))
        code, text = self.check("a.edn", "b.edn", "-m", "priority-queue", "--time", "0.05")
        self.assertEqual(code, 1, text)
        self.assertIn("2 files: 0 linearizable, 1 not, 1 unknown\n", text)

    def test_a_terminal_shows_how_much_has_been_read(self):
        terminal, end = pty.openpty()
        # pylint: disable=consider-using-with
        process = subprocess.Popen([test_check.path("sennit"), "check", "-", "-m", "register"],
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=end)
        os.close(end)
        said = b""
        process.stdin.write(calls(*["write 1 1"] * 20000).encode())
        process.stdin.flush()
        try:
            while b" operations" not in said or b" 0 operations" in said[said.rfind(b"\r"):]:
                said += os.read(terminal, 4096)
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
            os.close(terminal)
        self.assertRegex(said.decode(), r"\r-: \d+ s, \d+ MB read, [1-9]\d* operations")

    def test_json_says_why_it_is_unknown_and_how_far_the_search_got(self):
        self.write("a.edn", test_check.HARD)
        code, text = self.check("a.edn", "-m", "priority-queue", "--time", "0.05", "--json")
        said = json.loads(text)
        self.assertEqual((code, said["verdict"], said["algorithm"]), (3, "unknown", "search"))
        self.assertEqual(said["why"], "not decided within 0.05 seconds")
        self.assertGreater(said["configurations"], 0)
        self.assertIn("line", said["stuck"])

    def test_json_names_the_key_if_there_are_keys(self):
        self.write("a.edn", calls('write ["x",1] ["x",1]', 'read ["x",nil] ["x",2]'))
        said = json.loads(self.check("a.edn", "-m", "map", "--json")[1])
        self.assertEqual((said["stuck"]["key"], said["stuck"]["process"], said["stuck"]["f"]),
                         ('"x"', 0, "read"))
        self.assertEqual(said["stuck"]["text"], "process 0 read -> 2 (line 3)")
        self.assertEqual(said["core"]["key"], '"x"')

    def test_json_has_verdicts_of_sequential_consistency(self):
        self.write("a.edn", edn("0 invoke write 1", "0 ok write 1", "1 invoke read nil",
                                "1 ok read nil"))
        self.write("b.edn", calls("write 1 1", "read nil nil"))
        _, text = self.check("a.edn", "b.edn", "-m", "register", "--consistency", "sequential",
                             "--json")
        self.assertEqual([json.loads(line)["verdict"] for line in text.splitlines()],
                         ["sequentially consistent", "not sequentially consistent"])

    def test_memory_that_is_used_up_exits_3(self):
        self.write("a.edn", calls(*[f'write "{i:060}" "{i:060}"' for i in range(20000)]))
        code, text = self.check("a.edn", "-m", "register", "--memory", "1")
        self.assertEqual(code, 3, text)
        self.assertRegex(text, r"^sennit: a.edn:\d+: the operations so far need more than 1 MB\n$")
        said = json.loads(self.check("a.edn", "-m", "register", "--memory", "1", "--json")[1])
        self.assertEqual(said["verdict"], "unknown")
        self.assertIn("need more than 1 MB", said["why"])

    def test_an_algorithm_may_be_forced(self):
        self.write("a.edn", test_check.STALE)
        code, text = self.check("a.edn", "-m", "register", "--algorithm", "register")
        self.assertEqual(code, 1, text)
        self.assertIn("register algorithm", text)
        self.assertEqual(self.check("a.edn", "-m", "register", "--algorithm", "queue"),
                         (2, "sennit: a.edn: the algorithm queue is not for register\n"))
        self.write("b.edn", calls("write 1 1", "write 1 1"))
        self.assertEqual(self.check("b.edn", "-m", "register", "--algorithm", "register"),
                         (2, "sennit: b.edn: the algorithm register does not apply to these "
                             "operations\n"))

    def test_every_algorithm_names_the_operation_at_whose_return_it_becomes_illegal(self):
        # The first read is wrong already, the second one only makes it worse.
        self.write("a.edn", edn("0 invoke write 1", "0 ok write 1", "1 invoke write 2",
                                "1 ok write 2", "2 invoke read nil", "2 ok read 1",
                                "3 invoke read nil", "3 ok read 7"))
        for algorithm in ("register", "search"):
            code, text = self.check("a.edn", "-m", "register", "--algorithm", algorithm)
            self.assertEqual(code, 1, text)
            self.assertIn("  no order allows process 2 read -> 1 (line 5)\n", text)

    def test_the_state_is_told_in_the_words_of_the_file(self):
        self.write("a.edn", calls('write "a" "a"', 'write "b" "b"', 'read nil "a"'))
        self.assertIn('  then the state is "b", and\n', self.check("a.edn", "-m", "register")[1])
        said = json.loads(self.check("a.edn", "-m", "register", "--json")[1])
        self.assertEqual(said["core"]["state"], '"b"')

    def test_long_values_are_shortened(self):
        self.write("a.edn", calls('write "' + "x" * 100000 + '" nil', "read nil nil"))
        code, text = self.check("a.edn", "-m", "register")
        self.assertEqual(code, 1)
        self.assertIn("xxx... (100002 bytes)", text)
        self.assertLess(len(text), 2000)

    def test_long_values_are_not_cut_within_a_character(self):
        for n in range(4):
            text = "x" * n + "\u20ac" * 1000
            self.write("a.edn", calls(f'write "{text}" nil', "read nil nil"))
            self.assertIn("\u20ac... (", self.check("a.edn", "-m", "register")[1])


# ---- Files and formats ---------------------------------------------------------------------------


class Formats(test_check.Check):
    def test_a_compressed_file_may_have_any_name(self):
        self.write("a.edn", gzip.compress(test_check.STALE.encode()))
        self.assertEqual(self.check("a.edn", "-m", "register")[0], 1)

    def test_of_a_store_of_jepsen_each_run_is_checked_once(self):
        self.write("store/etcd/1/history.edn", test_check.STALE)
        self.write("store/etcd/1/jepsen.log", log("0 invoke read nil"))
        self.write("store/etcd/1/independent/3/history.edn", test_check.STALE)
        self.write("store/etcd/2/history.edn.gz", gzip.compress(test_check.REGISTER.encode()))
        os.symlink("1", os.path.join(self.folder.name, "store/etcd/latest"))
        os.symlink("etcd/1", os.path.join(self.folder.name, "store/current"))
        code, text = self.check("store", "-m", "register")
        self.assertEqual(code, 1, text)
        self.assertEqual([line.split(" (")[0] for line in text.splitlines()
                          if line.startswith("store")],
                         ["store/etcd/1/history.edn: not linearizable",
                          "store/etcd/2/history.edn.gz: linearizable"])
        code, text = self.check("store/current", "-m", "register")
        self.assertIn("store/current/history.edn: not linearizable (", text)

    def test_a_mark_at_the_beginning_is_skipped(self):
        mark = "\ufeff"
        self.legal(mark + calls("write 1 1"), "-m", "register")
        self.legal(mark + log("0 invoke write 1", "0 ok write 1"), "-m", "register")
        self.legal(mark + jsonl(event(0, "invoke", "write", value=1), event(0, "ok", "write")),
                   "-m", "register")

    def test_lines_may_end_with_two_bytes(self):
        self.illegal(test_check.STALE.replace("\n", "\r\n"), "-m", "register")
        for end in ("1", "2"):
            check = self.legal if end == "1" else self.illegal
            check(log("0 invoke write 1", "0 ok write 1", "0 invoke read nil", f"0 ok read {end}")
                  .replace("\n", "\r\n"), "-m", "register")
            check(jsonl(event(0, "invoke", "write", value="1"), event(0, "ok", "write"),
                        event(0, "invoke", "read"), event(0, "ok", "read", value=end))
                  .replace("\n", "\r\n"), "-m", "register")

    def test_the_order_of_events_counts_and_not_the_times_of_jepsen(self):
        times = ('{{:process 0, :type :invoke, :f :write, :value 1, :time {}}}\n'
                 '{{:process 0, :type :ok, :f :write, :value 1, :time {}}}\n'
                 '{{:process 1, :type :invoke, :f :read, :time {}}}\n'
                 '{{:process 1, :type :ok, :f :read, :value nil, :time {}}}\n')
        self.illegal(times.format(10, 20, 11, 12), "-m", "register")
        self.illegal(times.format("#inst \"2020-01-01\"", '"soon"', "nil", "-3"), "-m", "register")

    def test_logs_of_newer_versions_are_read(self):
        line = "2021-02-26 23:39:01,300{{GMT}}\tINFO\t[jepsen worker 1] jepsen.util: {}\n"
        noise = "2021-02-26 23:39:01,300{GMT}\tINFO\t[jepsen test runner] jepsen.core: Run\n"
        text = noise + "".join(line.format(said) for said in (
            "1\t:invoke\t:write\t[0 2]", "1\t:ok\t:write\t[0 2]", "0\t:invoke\t:read\t[0 nil]"))
        self.legal(text + line.format("0\t:ok\t:read\t[0 2]"), "-m", "map")
        self.illegal(text + line.format("0\t:ok\t:read\t[0 3]"), "-m", "map")

    def test_a_line_of_json_may_have_500000_values_and_objects_128_members(self):
        read = [event(0, "invoke", "append", value=0), event(0, "ok", "append"),
                event(0, "invoke", "read")]
        self.legal(jsonl(*read, event(0, "ok", "read", value=[0])), "-m", "list")
        self.illegal(jsonl(*read, event(0, "ok", "read", value=[0] * 300000)), "-m", "list")
        many = '{"process":0,"type":"ok","f":"read","value":[' + "1," * 500000 + "1]}\n"
        code, text = self.verdict(jsonl(*read) + many, "-m", "list")
        self.assertEqual(code, 2)
        self.assertIn("history:4: column ", text)
        self.assertIn(": there are too many values", text)
        wide = {str(i): i for i in range(128)}
        self.legal(jsonl(event(0, "invoke", "write", value=wide)), "-m", "register")
        wide["more"] = 1
        self.assertEqual(self.verdict(jsonl(event(0, "invoke", "write", value=wide)), "-m",
                                      "register")[0], 2)

    def test_a_line_of_json_may_have_16_levels_and_1_mib(self):
        def nested(levels):
            return jsonl(event(0, "invoke", "write", value=json.loads("[" * levels + "]" * levels)))

        self.legal(nested(15), "-m", "register")
        self.assertIn("values are nested too deeply", self.verdict(nested(16), "-m",
                                                                   "register")[1])
        self.refused(jsonl(event(0, "invoke", "write", value="x" * (1 << 20))),
                     "1: a line is longer than 1048576 bytes", "-m", "register")

    def test_numbers_of_json_must_be_integers(self):
        code, text = self.verdict(jsonl(event(0, "invoke", "write", value=1.5)), "-m", "register")
        self.assertEqual(code, 2)
        self.assertIn("history:1: column ", text)
        self.assertIn("a number is not an integer", text)

    def test_times_of_json_must_be_integers_from_0(self):
        self.refused(jsonl(event(0, "invoke", "read", time=-1)),
                     "1: \"time\" must be an integer from 0", "-m", "register")

    def test_an_index_of_json_must_grow(self):
        self.refused(jsonl(event(0, "invoke", "read", index=4), event(0, "ok", "read", index=4)),
                     "2: :index 4 is there twice", "-m", "register")

    def test_other_members_are_ignored(self):
        self.legal(jsonl(event(0, "invoke", "read", node="n1", error=[1, {"a": None}])), "-m",
                   "register")
        self.legal('{:process 0, :type :invoke, :f :read, :node "n1", :a {:b #{1}}}', "-m",
                   "register")

    def test_a_compare_and_set_of_a_key_may_be_one_vector(self):
        first = ('write ["k",1] ["k",1]', 'cas ["k",1,2] ["k",1,2]')
        for model in (("map",), ("cas-register", "--independent")):
            self.legal(calls(*first, 'read ["k",nil] ["k",2]'), "-m", *model)
            self.illegal(calls(*first, 'read ["k",nil] ["k",1]'), "-m", *model)

    def test_a_read_of_a_key_where_no_keys_are_asked_for_is_refused(self):
        self.refused(edn("0 invoke read [3 nil]"),
                     "1: read takes no value, and this one looks like [key value]: --independent "
                     "says that each key is an object of its own", "-m", "register")


# ---- Values and models ---------------------------------------------------------------------------


class Values(test_check.Check):
    def test_true_is_1_and_false_is_0(self):
        self.legal(calls("write true true", "read nil 1", "write 0 0", "read nil false"), "-m",
                   "register")
        self.illegal(calls("write true true", "read nil 0"), "-m", "register")

    def test_a_string_is_not_a_keyword(self):
        self.illegal(calls('write "a" "a"', "read nil :a"), "-m", "register")

    def test_a_register_is_read_and_written(self):
        self.legal(calls("read nil nil", "write 3 3", "read nil 3"), "-m", "register")
        self.illegal(calls("write 3 3", "read nil nil"), "-m", "register")

    def test_a_compare_and_set_tells_by_ok_or_false_whether_it_was_done(self):
        self.legal(calls("write 1 1", "cas [1,2] [1,2]", "cas [1,3] false", "read nil 2"), "-m",
                   "cas-register")
        self.illegal(calls("write 1 1", "cas [1,2] false"), "-m", "cas-register")
        self.illegal(calls("write 1 1", "cas [2,3] [2,3]"), "-m", "cas-register")

    def test_a_map_is_read_and_written_under_two_names_and_forgets(self):
        self.legal(calls("put [:x,1] [:x,1]", "get [:x,nil] [:x,1]", "read [:x,nil] [:x,1]",
                         "delete [:x,nil] [:x,nil]", "get [:x,nil] [:x,nil]",
                         "write [:y,2] [:y,2]", "get [:y,nil] [:y,2]"), "-m", "map")
        self.illegal(calls("put [:x,1] [:x,1]", "delete [:x,nil] [:x,nil]",
                           "get [:x,nil] [:x,1]"), "-m", "map")

    def test_a_set_tells_what_is_in_it(self):
        self.legal(calls("add 1 1", "contains 1 true", "remove 1 true", "contains 1 false",
                         "remove 1 false", "add 1 true", "add 1 false"), "-m", "set")
        self.illegal(calls("add 1 1", "contains 1 false"), "-m", "set")
        self.illegal(calls("add 1 1", "remove 1 false"), "-m", "set")

    def test_a_whole_set_may_be_read_in_any_order(self):
        added = ("add 3 3", 'add "b" "b"')
        for shown in ('#{3,"b"}', '#{"b",3}', '["b",3]', '(3,"b")'):
            self.legal(calls(*added, f"read nil {shown}"), "-m", "set")
        for shown in ("#{3}", '#{3,"b",4}', "nil", '[3,"b",3]', "#{}"):
            self.illegal(calls(*added, f"read nil {shown}"), "-m", "set")
        self.legal(calls("read nil nil", "read nil #{}"), "-m", "set")
        self.legal(calls("add 1 true", "remove 1 true", "add 2 2", "read nil #{2}"), "-m", "set")
        self.illegal(calls("add 1 true", "remove 1 true", "add 2 2", "read nil #{1,2}"), "-m",
                     "set")
        self.refused(calls("add 1 1", "read nil 1"), "4: a whole set was read, but the value is "
                                                     "none", "-m", "set")

    def test_two_whole_reads_must_go_together(self):
        text = edn("0 invoke add 1", "1 invoke add 2", "2 invoke read nil", "3 invoke read nil",
                   "2 ok read #{1}")
        self.legal(text + edn("3 ok read #{1 2}"), "-m", "set")
        self.illegal(text + edn("3 ok read #{2}"), "-m", "set")

    def test_a_whole_read_tells_which_unknown_additions_took_place(self):
        adds = edn(*[f"{i} invoke add {i}" for i in range(100)],
                   *[f"{i} info add {i}" for i in range(100)], "100 invoke read nil")
        half = " ".join(str(i) for i in range(0, 100, 2))
        self.legal(adds + edn(f"100 ok read #{{{half}}}", "100 invoke read nil",
                              f"100 ok read #{{{half} 1}}"), "-m", "set")
        self.illegal(adds + edn(f"100 ok read #{{{half} 1}}", "100 invoke read nil",
                                f"100 ok read #{{{half}}}"), "-m", "set")

    def test_a_whole_list_tells_the_order_of_what_was_appended(self):
        appends = edn(*[f"{i} invoke append {i}" for i in range(100)],
                      *[f"{i} {'ok' if i < 50 else 'info'} append {i}" for i in range(100)],
                      "100 invoke read nil")
        shown = " ".join(str(i) for i in range(59, -1, -1))
        self.legal(appends + edn(f"100 ok read [{shown}]", "100 invoke read nil",
                                 f"100 ok read [{shown} 99]"), "-m", "list")
        self.illegal(appends + edn(f"100 ok read [{shown}]", "100 invoke read nil",
                                   f"100 ok read [99 {shown}]"), "-m", "list")

    def test_whole_sets_of_keys_are_independent(self):
        self.legal(calls("add [:x,1] [:x,1]", "add [:y,2] [:y,2]", "read [:x,nil] [:x,#{1}]",
                         "contains [:y,2] [:y,true]"), "-m", "set", "--independent")
        self.illegal(calls("add [:x,1] [:x,1]", "add [:y,2] [:y,2]", "read [:x,nil] [:x,#{1,2}]"),
                     "-m", "set", "--independent")

    def test_whole_sets_and_lists_are_shown_with_their_elements(self):
        self.write("a.edn", calls("add 1 1", 'add "b" "b"', 'read nil #{"b"}'))
        self.assertIn('process 0 read -> #{"b"} (line 5)', self.check("a.edn", "-m", "set")[1])
        self.write("a.edn", calls("append 1 1", "read nil [2,1]"))
        self.assertIn("process 0 read -> [2 1] (line 3)", self.check("a.edn", "-m", "list")[1])
        many = ",".join(str(i) for i in range(100))
        self.write("a.edn", calls(f"read nil [{many}]"))
        self.assertIn("read() = [0 1 2 3 4 5 6 7 ... 98 99] (100 values)",
                      self.check("a.edn", "-m", "list")[1])
        self.assertIn("read() = #{0 1 2 3 4 5 6 7 ... 98 99} (100 values)",
                      self.check("a.edn", "-m", "set")[1])

    def test_what_is_counted_or_compared_by_size_must_be_integers(self):
        why = "values of the model {} must be integers, not {}"
        self.refused(calls("add 1.5 1.5"), "1: " + why.format("counter", "1.5"), "-m", "counter")
        self.refused(calls("inc nil nil", 'get nil "1"'), "4: " + why.format("counter", '"1"'),
                     "-m", "counter")
        self.refused(calls("fetch-add 1 :none"), "2: " + why.format("fetch-add", ":none"), "-m",
                     "fetch-add")
        self.refused(calls('enqueue "b" "b"'), "1: " + why.format("priority-queue", '"b"'), "-m",
                     "priority-queue")
        self.refused(calls("enqueue 1 1", "drain nil [1,:a]"),
                     "4: " + why.format("priority-queue", ":a"), "-m", "priority-queue")
        self.write("a.edn", calls("read nil 1"))
        self.assertEqual(self.check("a.edn", "-m", "counter", "--init", "1.5"),
                         (2, "sennit: " + why.format("counter", "1.5") + "\n"))

    def test_an_initial_value_of_what_begins_empty_is_refused(self):
        self.write("a.edn", calls("contains 1 true"))
        self.assertEqual(self.check("a.edn", "-m", "set", "--init", "#{1}"),
                         (2, "sennit: --init makes no sense for the model set: it always begins in "
                             "the same way\n"))

    def test_a_counter_counts_in_ones_and_by_amounts(self):
        self.legal(calls("inc nil nil", "get nil 1", "add 5 5", "read nil 6", "add -2 -2",
                         "get nil 4"), "-m", "counter")
        self.illegal(calls("inc nil nil", "get nil 2"), "-m", "counter")
        self.legal(calls("read nil 7"), "-m", "counter", "--init", "7")
        self.legal(calls("read nil 0"), "-m", "counter")

    def test_fetch_and_add_tells_the_count_before(self):
        self.legal(calls("fetch-add 2 0", "fetch-add 1 2", "read nil 3"), "-m", "fetch-add")
        self.illegal(calls("fetch-add 2 0", "fetch-add 1 3"), "-m", "fetch-add")

    def test_queues_give_back_the_first_or_the_smallest_or_nil(self):
        puts = ("enqueue 2 2", "enqueue 1 1")
        self.legal(calls(*puts, "dequeue nil 2", "dequeue nil 1", "dequeue nil nil"), "-m", "queue")
        self.illegal(calls(*puts, "dequeue nil 1"), "-m", "queue")
        self.legal(calls(*puts, "dequeue nil 1", "dequeue nil 2", "dequeue nil nil"), "-m",
                   "priority-queue")
        self.illegal(calls(*puts, "dequeue nil 2"), "-m", "priority-queue")

    def test_a_stack_gives_back_the_last_or_nil(self):
        self.legal(calls("push 1 1", "push 2 2", "pop nil 2", "pop nil 1", "pop nil nil"), "-m",
                   "stack")
        self.illegal(calls("push 1 1", "push 2 2", "pop nil 1"), "-m", "stack")

    def test_a_mutex_is_had_by_one_at_a_time(self):
        self.legal(calls("acquire nil nil", "release nil nil", "acquire nil nil",
                         "acquire nil false"), "-m", "mutex")
        self.illegal(calls("acquire nil nil", "acquire nil nil"), "-m", "mutex")
        self.illegal(calls("release nil nil"), "-m", "mutex")

    def test_a_lease_has_an_owner_until_it_expires(self):
        self.legal(calls("acquire :a :a", "renew :a :a", "acquire :b false", "expire :a nil",
                         "acquire :b :b", "renew :a false", "release :b :b"), "-m", "lease")
        self.illegal(calls("acquire :a :a", "acquire :b :b"), "-m", "lease")
        self.illegal(calls("acquire :a :a", "expire :a nil", "renew :a :a"), "-m", "lease")

    def test_a_list_is_looked_at_by_place_by_size_and_as_a_whole(self):
        self.legal(calls("append 7 7", "append 8 8", "get 1 8", "get 2 nil", "size nil 2",
                         "read nil [7,8]"), "-m", "list")
        self.illegal(calls("append 7 7", "size nil 2"), "-m", "list")
        self.illegal(calls("append 7 7", "get 0 8"), "-m", "list")


class Drains(test_check.Check):
    """Jepsen's :drain, a row of dequeues."""

    def test_a_drain_is_a_row_of_dequeues(self):
        puts = ("enqueue 1 1", "enqueue 2 2", "enqueue 3 3")
        self.legal(calls(*puts, "dequeue nil 1", "drain nil [2,3]"), "-m", "queue")
        self.legal(calls(*puts, "drain nil (1,2)", "dequeue nil 3"), "-m", "queue")
        self.illegal(calls(*puts, "drain nil [1,3,2]"), "-m", "queue")
        self.illegal(calls(*puts, "drain nil [1,2,3,3]"), "-m", "queue")
        self.legal(calls("enqueue 2 2", "enqueue 1 1", "drain nil [1,2]"), "-m", "priority-queue")
        self.legal(calls("enqueue [:a,1] [:a,1]", "drain [:a,nil] [:a,[1]]"), "-m", "queue",
                   "--independent")

    def test_a_drain_that_took_nothing_or_failed_says_nothing(self):
        self.legal(calls("enqueue 1 1", "drain nil []", "drain nil nil"), "-m", "queue")
        self.legal(edn("0 invoke drain nil", "0 fail drain nil", "0 invoke enqueue 1"), "-m",
                   "queue")

    def test_what_is_unknown_may_take_effect_during_a_drain(self):
        unknown = edn("1 invoke enqueue 2", "1 info enqueue 2", "0 invoke enqueue 1",
                      "0 ok enqueue 1", "0 invoke drain nil", "2 invoke enqueue 3")
        self.legal(unknown + edn("0 ok drain [1 2 3]"), "-m", "queue")
        self.legal(unknown + edn("0 ok drain [2 1]"), "-m", "queue")
        self.illegal(unknown + edn("0 ok drain [3 1]"), "-m", "queue")
        self.illegal(unknown + edn("0 ok drain [1 4]"), "-m", "queue")

    def test_a_drain_that_overlaps_with_something_is_refused(self):
        drain = edn("0 invoke drain nil", "1 invoke enqueue 1", "0 ok drain [1]")
        self.refused(drain + edn("1 ok enqueue 1"),
                     "1: while this drain was under way, the operation of line 2 was, too: nobody "
                     "knows what the drain took before it and after it; write dequeues instead",
                     "-m", "queue")
        self.legal(drain + edn("1 info enqueue 1"), "-m", "queue")
        both = edn("0 invoke drain nil", "1 invoke drain nil", "0 ok drain [1]", "1 ok drain [2]")
        self.assertEqual(self.verdict(both, "-m", "queue")[0], 2)
        within = edn("0 invoke drain nil", "1 invoke drain nil", "1 ok drain [2]", "0 ok drain [1]")
        self.assertEqual(self.verdict(within, "-m", "queue")[0], 2)
        self.legal(edn("2 invoke enqueue 1", "2 ok enqueue 1", "0 invoke drain nil",
                       "1 invoke drain nil", "0 ok drain [1]", "1 ok drain []"), "-m", "queue")

    def test_a_drain_that_is_unknown_is_refused(self):
        why = ("what a drain took that did not complete is not known, not even how much it was: "
               "write dequeues instead")
        self.refused(edn("0 invoke drain nil", "0 info drain nil"), f"2: {why}", "-m", "queue")
        self.refused(edn("1 invoke dequeue nil", "0 invoke drain nil"), f"2: {why}", "-m", "queue")

    def test_a_drain_with_times_is_refused(self):
        self.refused(jsonl(event(0, "invoke", "drain", time=1),
                           event(0, "ok", "drain", value=[1], time=9)),
                     "2: a drain took several values, and its times do not say when it took each "
                     "of them: write dequeues instead", "-m", "queue")

    def test_a_drain_that_completes_as_something_else_is_refused(self):
        self.refused(edn("0 invoke drain nil", "0 ok dequeue 1"),
                     "2: process 0 completes dequeue, but has invoked drain in line 1", "-m",
                     "queue")
        self.refused(edn("0 invoke dequeue nil", "0 ok drain [1]"),
                     "2: process 0 completes drain, but has invoked dequeue in line 1", "-m",
                     "queue")
        self.refused(edn("0 invoke drain nil", "0 ok drain 1"),
                     "2: the value of a drain must be the list of what it took", "-m", "queue")

    def test_only_queues_are_drained(self):
        self.refused(edn("0 invoke drain nil"), "1: the model stack has no function drain; it has "
                                                "push, pop", "-m", "stack")


if __name__ == "__main__":
    test_check.BUILD = os.path.abspath(sys.argv.pop(1))
    tap.main()
