#!/usr/bin/env python3
"""test_tidy - every rule of tools/tidy finds what it is there for, and nothing in good code.

Each test makes a small tree with one thing wrong in it. SPDX-License-Identifier: MIT
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

import tap

TIDY = os.path.join(tap.ROOT, "tools", "tidy")
HEAD = "/* {} - a part. SPDX-License-Identifier: MIT */\n"


class Tidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        shutil.copy(os.path.join(tap.ROOT, ".clang-format"), self.root)

    def file(self, path, text):
        tap.write(os.path.join(self.root, path), text)

    def c(self, path, body):
        """A C file with a good header."""
        self.file(path, HEAD.format(os.path.basename(path)) + body)

    def build(self, *paths, flags=()):
        """Compiles files of src/ into the libraries that Meson would make."""
        folder = os.path.join(self.root, "build", "src")
        os.makedirs(folder, exist_ok=True)
        objects = []
        for path in paths:
            objects.append(os.path.join(folder, path[len("src/"):].replace("/", "_") + ".o"))
            subprocess.run(["gcc", "-fPIC", "-O2", "-c", os.path.join(self.root, path),
                            "-o", objects[-1], *flags], check=True)
        subprocess.run(["ar", "rcs", os.path.join(folder, "libsennit.a"), *objects], check=True)
        subprocess.run(["gcc", "-shared", "-o", os.path.join(folder, "libsennit.so"), *objects],
                       check=True)

    def tidy(self, *arguments):
        build = os.path.join(self.root, "build")
        extra = ["--build", build] if os.path.isdir(build) else []
        result = subprocess.run([TIDY, "--root", self.root, *extra, *arguments],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.stderr.count("Traceback"), 0, result.stderr)
        self.findings = result.stdout.splitlines()
        self.status = result.returncode
        return result

    def finds(self, pattern, *arguments):
        """One finding, which matches."""
        self.tidy(*arguments)
        self.assertEqual(len(self.findings), 1, self.findings)
        self.assertRegex(self.findings[0], pattern)
        self.assertEqual(self.status, 1)

    def finds_nothing(self, *arguments):
        self.tidy(*arguments)
        self.assertEqual((self.findings, self.status), ([], 0))

    # ---- layers

    def test_good_code_has_no_findings(self):
        self.c("include/sennit/x.h", "#ifndef SENNIT_X_H\n#define SENNIT_X_H\n\n"
               "/* Does x. */\nint sn_x(void);\n\n#endif\n")
        self.c("src/base/y.h", "#ifndef BASE_Y_H\n#define BASE_Y_H\n\n"
               "int y(const char *text);\n\n#endif\n")
        self.c("src/engine/x.c", '#include "base/y.h"\n#include "engine/z/w.h"\n\n'
               "#include <sennit/x.h>\n#include <stdlib.h>\n\n"
               "int sn_x(void)\n{\n    return y(\"free(1); \\\" TO\" /* malloc(2) */);\n}\n")
        self.finds_nothing()

    def test_a_layer_that_includes_one_above_it_is_found(self):
        self.c("src/base/x.c", '#include "engine/log.h"\n')
        self.finds(r"^src/base/x\.c:2: layers: base may not include engine")

    def test_layers_beside_each_other_are_kept_apart(self):
        self.c("src/strategy/x.c", '#include "oracle/linear.h"\n')
        self.finds("layers: strategy may not include oracle")

    def test_the_command_may_not_be_included(self):
        self.c("src/api/x.c", '#include "cli/verbs.h"\n')
        self.finds("layers: api may not include cli")

    def test_an_include_without_its_layer_is_found(self):
        self.c("src/engine/x.c", '#include "log.h"\n')
        self.finds(r"layers: .log\.h. does not begin with a layer")

    def test_a_layer_in_angle_brackets_is_found(self):
        self.c("src/base/x.c", "#include <engine/log.h>\n")
        self.finds("layers: <engine/log.h> is no system header")

    def test_a_public_header_that_includes_a_private_one_is_found(self):
        self.c("include/sennit/x.h", '#ifndef SENNIT_X_H\n#define SENNIT_X_H\n\n'
               '#include "base/err.h"\n\n#endif\n')
        self.finds("layers: a public header includes")

    def test_systems_may_not_reach_into_the_library(self):
        self.c("src/engine/log.h", "#ifndef ENGINE_LOG_H\n#define ENGINE_LOG_H\n#endif\n")
        self.c("systems/raft/x.c", '#include "engine/log.h"\n')
        self.finds(r"^systems/raft/x\.c:2: layers: ")

    def test_benchmarks_may_measure_systems(self):
        self.c("systems/y/y.h", "#ifndef Y_H\n#define Y_H\n#endif\n")
        self.c("bench/x.c", '#include "../systems/y/y.h"\n')
        self.finds_nothing()

    def test_benchmarks_may_not_reach_into_the_library_by_a_path(self):
        self.c("src/engine/log.h", "#ifndef ENGINE_LOG_H\n#define ENGINE_LOG_H\n#endif\n")
        self.c("bench/x.c", '#include "../src/engine/log.h"\n')
        self.finds(r"^bench/x\.c:2: layers: ")

    def test_systems_may_include_their_own_headers(self):
        self.c("systems/raft/raft.h", "#ifndef RAFT_H\n#define RAFT_H\n#endif\n")
        self.c("systems/raft/x.c", '#include "raft.h"\n')
        self.finds_nothing()

    # ---- calls and state

    def call(self, path, text):
        self.c(path, f"int f(void)\n{{\n    {text}\n}}\n")

    def test_an_unbounded_copy_is_found_anywhere(self):
        self.call("src/cli/x.c", "return strcpy(a, b);")
        self.finds(r"^src/cli/x\.c:4: calls: strcpy: ")

    def test_the_heap_is_banned_where_the_world_rolls_it_back(self):
        self.call("src/trace/x.c", "return malloc(1);")
        self.finds(r"calls: malloc: ")

    def test_the_world_may_serve_the_heap(self):
        self.call("src/engine/world/x.c", "return malloc(1);")
        self.finds_nothing()

    def test_the_command_may_use_the_heap_and_print(self):
        self.call("src/cli/x.c", "return printf(malloc(1));")
        self.finds_nothing()

    def test_the_real_clock_is_banned_where_replay_needs_it(self):
        self.call("src/substrate/x.c", "return time(NULL);")
        self.finds("calls: time: ")

    def test_the_real_clock_may_be_read_elsewhere(self):
        self.call("src/report/x.c", "return time(NULL);")
        self.finds_nothing()

    def test_printing_is_banned_in_the_library(self):
        self.call("src/report/x.c", "return fprintf(stderr, \"x\");")
        self.finds("calls: fprintf: ")

    def test_ending_the_process_is_banned_in_the_library(self):
        self.call("src/oracle/x.c", "_exit(1);")
        self.finds("calls: _exit: ")

    def test_a_banned_call_in_a_macro_is_found(self):
        self.c("src/base/x.c", "#define DROP(p_) \\\n    free(p_)\n")
        self.finds(r"^src/base/x\.c:3: calls: free: ", "--rule", "calls")

    def test_a_banned_call_in_a_public_inline_function_is_found(self):
        self.c("include/sennit/x.h", "#ifndef SENNIT_X_H\n#define SENNIT_X_H\n\nextern \"C\" {\n"
               "/* Does x. */\nstatic inline int sn_x(void)\n{\n    return atoi(\"\");\n}\n}\n\n"
               "#endif\n")
        self.finds(r"^include/sennit/x\.h:9: calls: atoi: ", "--rule", "calls")

    def test_members_declarations_and_longer_names_are_no_calls(self):
        self.c("src/engine/x.c", "void free(void *p);\n\nint f(struct ops *o)\n{\n"
               "    o->free(o);\n    o[0].time(o);\n    log_free(o);\n"
               "    return real_time(o);\n}\n")
        self.finds_nothing()

    def test_a_public_declaration_is_no_call(self):
        self.c("include/sennit/x.h", "#ifndef SENNIT_X_H\n#define SENNIT_X_H\n\nextern \"C\" {\n"
               "void free(void *p);\n}\n\n#endif\n")
        self.finds_nothing("--rule", "calls")

    def test_a_listed_exception_is_allowed(self):
        self.call("src/base/x.c", "abort();")
        self.file("tools/tidy.allow", "# why\nsrc/base/x.c: abort: because\n")
        self.finds_nothing()

    def test_an_exception_is_for_one_call_in_one_file(self):
        self.call("src/base/x.c", "abort();")
        self.file("tools/tidy.allow", "src/base/y.c: abort: because\nsrc/base/x.c: exit: because\n")
        self.finds("src/base/x.c:4: calls: abort: ", "--rule", "calls")

    def test_an_exception_no_longer_needed_is_found(self):
        self.c("src/base/x.c", "int f(void);\n")
        self.build("src/base/x.c")
        self.file("tools/tidy.allow", "src/base/x.c: abort: because\n")
        self.finds(r"^tools/tidy\.allow:1: exceptions: .*no longer needed")

    def test_an_exception_without_a_reason_is_found(self):
        self.c("src/base/x.c", "int f(void);\n")
        self.build("src/base/x.c")
        self.file("tools/tidy.allow", "src/base/x.c: abort\n")
        self.finds(r"^tools/tidy\.allow:1: exceptions: not `path: name: reason`")

    def object(self, declarations):
        self.c("src/engine/x.c", declarations)
        self.build("src/engine/x.c", flags=["-fvisibility=hidden"])

    def test_a_mutable_static_is_found(self):
        self.object("static int seen = 3;\n\nint f(void)\n{\n    return seen++;\n}\n")
        self.finds(r"^src/engine/x\.c:2: state: seen in \.data is mutable state")

    def test_a_zeroed_global_is_found(self):
        self.object("int seen;\n")
        self.finds(r"^src/engine/x\.c:2: state: seen in \.bss is mutable state")

    def test_a_static_inside_a_function_is_found(self):
        self.object("int f(void)\n{\n    static int seen;\n    return seen++;\n}\n")
        self.finds(r"^src/engine/x\.c:4: state: seen in \.bss is mutable state")

    def test_a_thread_local_variable_is_found(self):
        self.object("_Thread_local int seen;\n")
        self.finds(r"state: seen in \.tbss is mutable state")

    def test_constant_tables_of_pointers_are_no_state(self):
        self.object("int f(void);\n\nconst char *const names[] = {\"a\", \"b\"};\n"
                    "int (*const calls[])(void) = {f};\nconst int numbers[] = {1, 2};\n"
                    "int f(void)\n{\n    return 1;\n}\n")
        self.finds_nothing("--rule", "state")

    def test_listed_state_is_allowed(self):
        self.object("int seen;\n")
        self.file("tools/tidy.allow", "src/engine/x.c: seen: the current trial\n")
        self.finds_nothing()

    def test_a_foreign_name_exported_is_found(self):
        self.c("src/base/x.c", "int helper(void)\n{\n    return 1;\n}\n\n"
               "int sn_x(void)\n{\n    return 1;\n}\n\nvoid free(void *p)\n{\n    (void)p;\n}\n")
        self.build("src/base/x.c")
        self.finds(r"^libsennit\.so:0: exports: exports helper$")

    def test_rules_about_the_library_are_skipped_with_a_reason_without_one(self):
        self.c("src/base/x.c", "int f(void);\n")
        result = self.tidy()
        self.assertEqual(self.status, 0)
        self.assertIn("state: skipped: no --build directory", result.stderr)
        self.assertIn("exports: skipped: no --build directory", result.stderr)

    # ---- layout

    def test_a_line_too_wide_is_found(self):
        self.c("src/base/x.c", "/* " + "«" * 95 + " */\n")
        self.finds(r"^src/base/x\.c:2: width: 101 columns")

    def test_columns_are_characters_not_bytes(self):
        self.c("src/base/x.c", "/* " + "«" * 94 + " */\n")
        self.finds_nothing()

    def test_a_tab_is_found(self):
        self.c("src/base/x.c", "int f(void); /*\there */\n")
        self.finds(r"^src/base/x\.c:2: width: a tab")

    def function(self, lines):
        body = "    x += 1;\n" * (lines - 3)
        self.c("src/base/x.c", f"int f(int x, char c)\n{{\n{body}}}\n")

    def test_a_function_of_seventy_lines_is_not_too_long(self):
        self.function(70)
        self.finds_nothing()

    def test_a_function_too_long_is_found(self):
        self.function(71)
        self.finds(r"^src/base/x\.c:2: length: f has 71 lines")

    def test_a_listed_function_may_be_long(self):
        self.function(90)
        self.file("tools/tidy.long", "src/base/x.c: f: 90\n")
        self.finds_nothing()

    def test_a_listed_function_may_not_grow(self):
        self.function(91)
        self.file("tools/tidy.long", "src/base/x.c: f: 90\n")
        self.finds(r"^src/base/x\.c:2: length: f has 91 lines")

    def test_the_list_follows_a_function_that_shrinks(self):
        self.function(80)
        self.file("tools/tidy.long", "# list\nsrc/base/x.c: f: 90\n")
        self.finds(r"^tools/tidy\.long:2: length: f has 80 lines: lower 90")

    def test_a_listed_function_short_enough_is_found(self):
        self.function(60)
        self.file("tools/tidy.long", "src/base/x.c: f: 90\n")
        self.finds(r"^tools/tidy\.long:1: length: f has 60 lines: remove it here")

    def test_a_listed_function_that_is_gone_is_found(self):
        self.function(60)
        self.file("tools/tidy.long", "src/base/x.c: g: 90\n")
        self.finds(r"^tools/tidy\.long:1: length: src/base/x\.c has no function g")

    def test_a_file_that_does_not_say_what_it_is_is_found(self):
        self.file("src/base/x.c", HEAD.format("y.c") + "int f(void);\n")
        self.finds(r"^src/base/x\.c:1: header: does not begin with `/\* x\.c - what it is`")

    def test_a_file_without_a_licence_is_found(self):
        self.file("src/base/x.c", "/* x.c - a part. */\nint f(void);\n")
        self.finds(r"^src/base/x\.c:1: header: no `SPDX")

    def test_a_wrong_include_guard_is_found(self):
        self.c("src/base/x.h", "#ifndef X_H\n#define X_H\n#endif\n")
        self.finds(r"^src/base/x\.h:2: header: the guard is X_H, not BASE_X_H")

    def test_a_missing_include_guard_is_found(self):
        self.c("src/engine/world/x.h", "int f(void);\n")
        self.finds(r"header: no include guard ENGINE_WORLD_X_H")

    def public(self, text):
        self.c("include/sennit/x.h", f"#ifndef SENNIT_X_H\n#define SENNIT_X_H\n\n{text}\n#endif\n")

    def test_a_public_function_without_a_comment_is_found(self):
        self.public("/* About x. */\nint sn_x(void);\n\nint sn_y(void);\n")
        self.finds(r"^include/sennit/x\.h:8: documented: sn_y has no comment above it")

    def test_a_comment_after_a_declaration_is_not_one_above(self):
        self.public("struct x; /* about x */\nint sn_y(void);\n")
        self.finds("documented: sn_y has no comment above it", "--rule", "documented")

    def test_a_public_declaration_over_two_lines_is_seen(self):
        self.public("struct x;\n\nint sn_x(const char *format, ...)\n"
                    "    __attribute__((format(printf, 1, 2)));\n")
        self.finds(r"^include/sennit/x\.h:7: documented: sn_x ", "--rule", "documented")

    def test_a_group_of_declarations_shares_a_comment(self):
        self.public("/* About both. */\nint sn_x(void); /* one */\nint sn_y(void);\n")
        self.finds_nothing()

    # ---- words and format

    def test_a_note_for_later_is_found(self):
        self.file("docs/x.md", "fine\nFIX" + "ME: not fine\n")
        self.finds(r"^docs/x\.md:2: words: FIX")

    def test_a_path_of_one_machine_is_found(self):
        self.file("tools/x.sh", "cd /hom" + "e/me\n")
        self.finds(r"^tools/x\.sh:1: words: /hom")

    def test_templates_of_temporary_names_are_no_notes(self):
        self.file("tools/x.sh", "mktemp x.XXXXXX; cat a/work/b\n")
        self.finds_nothing()

    def test_layout_other_than_clang_formats_is_found(self):
        if not shutil.which("clang-format"):
            self.skipTest("clang-format is not installed")
        self.c("src/base/x.c", "int  f(void);\n")
        self.finds(r"^src/base/x\.c:2: layout: ")

    def test_builds_are_not_looked_at(self):
        self.file("build-asan/x.md", "FIX" + "ME\n")
        self.finds_nothing()

    # ---- scripts

    def test_a_script_that_cannot_be_run_is_found(self):
        self.file("bench/x.py", "#!/usr/bin/env python3\n")
        self.finds(r"^bench/x\.py:1: scripts: begins with #! but is not executable$")

    def test_a_tool_without_a_suffix_that_cannot_be_run_is_found(self):
        self.file("tools/x", "#!/bin/sh\n")
        self.finds(r"^tools/x:1: scripts: ")

    def test_a_script_that_can_be_run_is_not_a_finding(self):
        tap.write(os.path.join(self.root, "tools/x.sh"), "#!/bin/sh\n", 0o755)
        self.finds_nothing()

    def test_what_is_no_script_need_not_be_executable(self):
        self.file("tools/x.py", "import os\n")
        self.finds_nothing()

    def test_scripts_that_only_tests_run_need_not_be_executable(self):
        self.file("tests/tools/x.py", "#!/usr/bin/env python3\n")
        self.finds_nothing()

    # ---- the command

    def test_tap_has_one_test_for_each_rule(self):
        self.call("src/cli/x.c", "return strcpy(a, b);")
        result = self.tidy("--tap")
        self.assertEqual(self.findings[0], "1..12")
        self.assertEqual(len(re.findall(r"^ok \d+ - \w+", result.stdout, re.MULTILINE)), 11)
        self.assertIn("not ok 2 - the_library_makes_no_banned_call\n"
                      "# src/cli/x.c:4: calls: strcpy", result.stdout)
        self.assertRegex(result.stdout, r"ok 3 - \w+ # SKIP no --build directory was given\n")


if __name__ == "__main__":
    tap.main()
