#!/usr/bin/env python3
"""test_wrap - `sennit events --wrap` writes wrappers that compile and record: test_wrap.py BUILD

What is compiled is compiled with the warnings of the project, by the compiler CC.
SPDX-License-Identifier: MIT
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = ""
TIMEOUT_S = 100
WARNINGS = ("-std=gnu17 -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wstrict-prototypes "
            "-Wmissing-prototypes -Wvla -Wundef -Wwrite-strings -Wpointer-arith").split()

HEADER = """
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
enum color { RED, GREEN };
struct set { unsigned items; };
struct message { unsigned items; };
void set_add(struct set *a, uint32_t item);
bool set_has(const struct set *set, unsigned int item);
int64_t set_size(struct set *set);
const char *set_name(struct set *args);
struct message *set_make(struct set *set);
void set_apply(struct set *set, const struct message *message);
size_t set_paint(struct set *set, enum color color, char letter, const char *text, void *more);
struct message *set_put(struct set *set, unsigned long long item);
void set_take(struct set *set, struct message *message, bool twice);
"""

LISTED = """# The functions of a library.
include "set.h"

update  void set_add(struct set *a, uint32_t item);
query   bool set_has(const struct set *set, unsigned int item)
query\tint64_t set_size(struct set *set);
query   const char *set_name(struct set *args);
request struct message *set_make(struct set *set);
execute void set_apply(struct set *set, const struct message *message);
update size_t set_paint(struct set *set,enum color color,char letter,const char *text,void *more);
update  struct message *set_put(struct set *set, unsigned long long item);
deliver void set_take(struct set *set, struct message *message, bool twice);
"""

LIBRARY = """
#include "set.h"
#include <stdlib.h>
void set_add(struct set *a, uint32_t item) { a->items |= 1U << item; }
bool set_has(const struct set *set, unsigned int item) { return (set->items >> item & 1) != 0; }
int64_t set_size(struct set *set) { return -__builtin_popcount(set->items); }
const char *set_name(struct set *args) { return args->items != 0 ? "some" : NULL; }
struct message *set_make(struct set *set)
{
    struct message *message = malloc(sizeof(*message));

    message->items = set->items;
    return message;
}
void set_apply(struct set *set, const struct message *message) { set->items |= message->items; }
size_t set_paint(struct set *set, enum color color, char letter, const char *text, void *more)
{
    set->items |= color == GREEN && letter == 'l' && text != NULL && more == NULL ? 1U << 20 : 0;
    return sizeof(text);
}
struct message *set_put(struct set *set, unsigned long long item)
{
    set->items |= 1U << item;
    return set_make(set);
}
void set_take(struct set *set, struct message *message, bool twice)
{
    set->items |= twice ? message->items : 0;
}
"""

TEST = """
#include "set.h"
#include <sennit/sennit.h>
static struct set a;
static struct set b;
static void print_set(struct sn_text *out, const void *object)
{
    sn_print(out, "%u", ((const struct set *)object)->items);
}
static void check(void)
{
    sn_assert(a.items == (1U << 3 | 1U << 5 | 1U << 20));
    sn_assert((b.items & 1U << 5) != 0);
    WHAT_HOLDS;
}
static void run(void)
{
    struct message *message;

    sn_replica(&a, "A", print_set);
    sn_replica(&b, "B", print_set);
    sn_events_begin(NULL);
    set_add(&a, 3);
    sn_assert(set_has(&a, 3) && !set_has(&b, 3) && set_size(&a) == -1);
    sn_assert(set_name(&a) != NULL && set_name(&b) == NULL);
    sn_assert(set_paint(&a, GREEN, 'l', "text", NULL) == sizeof(char *));
    set_apply(&b, set_make(&a));
    message = set_put(&a, 5);
    set_take(&b, message, true);
    sn_events_end(check);
}
static const struct sn_test tests[] = {{.name = "set", .run = run, .strategy = "events"}, {0}};
static const struct sn_suite suite = {.name = "wrapped", .tests = tests};
int main(int argc, char **argv) { return sn_main(argc, argv, &suite); }
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sennit-wrap-")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_words(self, *words):
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)

    def wrap(self, text, option="--wrap"):
        tap.write(os.path.join(self.folder, "list"), text)
        return self.run_words(os.path.join(BUILD, "sennit"), "events", option, "list")

    def compile(self, *words):
        done = self.run_words(*shlex.split(os.environ.get("CC", "cc")), *WARNINGS,
                              "-I" + os.path.join(tap.ROOT, "include"), *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def assert_refused(self, line, cause):
        done = self.wrap(f"# a comment\n\n{line}\n")
        self.assertEqual((done.returncode, done.stderr), (2, f"sennit: list:3: {cause}\n"))


class Working(Case):
    def build(self, holds):
        for name, text in (("set.h", HEADER), ("set.c", LIBRARY), ("list", LISTED),
                           ("test.c", TEST.replace("WHAT_HOLDS", holds))):
            tap.write(os.path.join(self.folder, name), text)
        wrapped = self.wrap(LISTED)
        self.assertEqual((wrapped.returncode, wrapped.stderr), (0, ""))
        tap.write(os.path.join(self.folder, "wrapped.c"), wrapped.stdout)
        flags = self.wrap(LISTED, "--wrap-flags").stdout.split()
        archive = os.path.join(BUILD, "src/libsennit.a")
        self.compile("-c", "wrapped.c")
        self.compile("-c", "set.c")
        self.compile("test.c", "wrapped.o", "set.o", *flags, archive, "-lpthread", "-ldl", "-lm",
                     "-o", "test")

    def test_wrappers_compile_without_warnings_and_record_what_is_called(self):
        self.build("(void)0")
        done = self.run_words("./test", "--no-shrink")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("every schedule of this test", done.stdout)

    def test_what_must_hold_is_checked_when_all_events_have_happened(self):
        self.build("sn_assert((b.items & 1U << 20) != 0)")
        done = self.run_words("./test", "--no-shrink")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.build("sn_assert((b.items & 1U << 3) == 0)")
        self.assertEqual(self.run_words("./test", "--no-shrink").returncode, 1)

    def test_the_flags_name_each_function_for_the_linker(self):
        done = self.wrap(LISTED, "--wrap-flags")
        names = [line.split("(")[0].split()[-1].lstrip("*") for line in LISTED.splitlines()
                 if "(" in line]
        self.assertEqual(done.stdout.splitlines(), ["-Wl,--wrap=" + name for name in names])


class Refusals(Case):
    def test_a_line_of_no_kind_is_refused(self):
        self.assert_refused("updates void f(struct set *s);", "a line begins with include, update, "
                            "query, request, execute or deliver")

    def test_what_is_no_prototype_is_refused(self):
        self.assert_refused("update", "a prototype is needed behind the kind")
        self.assert_refused("update void f;", "a prototype is needed behind the kind")
        self.assert_refused("update void )f(", "a prototype is needed behind the kind")
        self.assert_refused("update f(struct set *s);", "a parameter needs a type and a name")
        self.assert_refused("update void f(struct set *);", "a parameter needs a type and a name")
        self.assert_refused("update void f(void);", "a parameter needs a type and a name")
        self.assert_refused("update void f(struct set *s, ...);",
                            "a parameter needs a type and a name")
        self.assert_refused("include", "an include needs a header")

    def test_a_function_without_a_replica_is_refused(self):
        self.assert_refused("update void f(int x);",
                            "the first parameter must point to the replica")

    def test_types_that_cannot_be_recorded_are_refused(self):
        number = "a parameter is neither a number nor a pointer: such a type cannot be recorded"
        result = "it returns neither a number nor a pointer: such a type cannot be recorded"
        for kind in ("double", "float", "long double", "struct point", "point_t", "__int128",
                     "unsigned __int128"):
            with self.subTest(kind):
                self.assert_refused(f"update void f(struct set *s, {kind} x);", number)
                self.assert_refused(f"update {kind} f(struct set *s);", result)
        self.assert_refused("update void f(struct set *s, int x[3]);",
                            "arrays and functions cannot be recorded")
        self.assert_refused("update void f(struct set *s, int (*x)(void));",
                            "arrays and functions cannot be recorded")

    def test_what_is_too_long_is_refused(self):
        many = ", ".join(f"int x{i}" for i in range(9))
        self.assert_refused(f"update void f(struct set *s, {many});", "it has too many parameters")
        self.assert_refused(f"update void f(struct set *{'s' * 70});", "a parameter is too long")
        self.assert_refused(f"update void f(struct set *s); {' ' * 2000}",
                            "the line is longer than 1022 bytes")

    def test_a_list_without_functions_or_that_is_not_there_is_refused(self):
        done = self.wrap("# nothing\n")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "sennit: list: no function is listed\n"))
        done = self.run_words(os.path.join(BUILD, "sennit"), "events", "--wrap", "nowhere")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "sennit: nowhere cannot be opened: No such file or directory\n"))
        done = self.run_words(os.path.join(BUILD, "sennit"), "events", "--wrap")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "sennit: --wrap needs one file, a list of functions\n"))


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    tap.main()
