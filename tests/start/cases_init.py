"""cases_init - `sennit init`: the project builds, finds its bug, and passes once it is repaired.

SPDX-License-Identifier: MIT
"""

import os
import re

import place

COMMON = {
    "README.md": "README.md",
    ".gitignore": "gitignore",
    ".github/workflows/test.yml": "test.yml",
}
LANGUAGES = {"c": ("c", "bank.c"), "c++": ("cpp", "bank.cc")}
BUILDS = ["Makefile", "CMakeLists.txt", "meson.build"]


class Init(place.Case):
    def init(self, *arguments):
        self.succeed(".", "sennit", "init", *arguments)

    def files(self, folder):
        return sorted(os.path.relpath(os.path.join(top, name), self.path(folder))
                      for top, _, names in os.walk(self.path(folder)) for name in names)

    def text(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def check_files(self, language):
        folder, program = LANGUAGES[language]
        self.init("--language", language, "p")
        wanted = {name: f"{folder}/{name}" for name in BUILDS + [program]}
        wanted |= {path: f"common/{name}" for path, name in COMMON.items()}
        self.assertEqual(self.files("p"), sorted(wanted))
        for path, source in wanted.items():
            self.assertEqual(self.text("p", path), place.read("src/cli/init", source))

    def test_writes_the_files_of_the_source_tree_for_c(self):
        self.check_files("c")

    def test_writes_the_files_of_the_source_tree_for_cxx(self):
        self.check_files("c++")

    def test_says_how_to_go_on(self):
        self.init("p")
        self.assertIn("cd p && make", self.said)

    # ---- The project ----------------------------------------------------------------------------

    def only(self, language, build):
        """A project that has been left one build file."""
        self.init("--language", language, "p")
        for name in BUILDS:
            if name != build:
                os.unlink(self.path("p", name))
        return LANGUAGES[language][1]

    def repair(self, program):
        """Does what the comment above the marked line says."""
        lines = self.text("p", program).split("\n")
        marked = [i for i, line in enumerate(lines) if "BUG" in line]
        self.assertEqual(len(marked), 1)
        old, new = re.search(r"replace `(.*)` by `(.*)`", lines[marked[0] - 1]).groups()
        self.assertEqual(lines[marked[0]].count(old), 1)
        lines[marked[0]] = lines[marked[0]].replace(old, new)
        with open(self.path("p", program), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))

    def check_make(self, language):
        program = self.only(language, "Makefile")
        self.fail_with("p", 2, "10 was paid in, but 20 is booked", "make")
        self.assertNotIn("warning", self.said)
        self.succeed("p", "sennit", "show", "sennit-out/bank-book_once-0.trace")
        self.fail_with("p", 1, "failed again", "sennit", "replay",
                       "sennit-out/bank-book_once-0.trace")
        self.repair(program)
        self.succeed("p", "make")
        self.succeed("p", "./bank", "-s", "dfs", "-i", "1000000")
        self.assertIn("every schedule of this test was run", self.said)

    def check_cmake(self, language):
        self.need("cmake")
        program = self.only(language, "CMakeLists.txt")
        test = ["ctest", "--test-dir", "build", "--output-on-failure"]
        self.succeed("p", "cmake", "-S", ".", "-B", "build",
                     f"-DCMAKE_PREFIX_PATH={self.sennit.prefix}")
        self.succeed("p", "cmake", "--build", "build")
        self.assertNotIn("warning", self.said)
        self.fail_with("p", 8, "10 was paid in, but 20 is booked", *test)
        self.repair(program)
        self.succeed("p", "cmake", "--build", "build")
        self.succeed("p", *test)

    def check_meson(self, language):
        program = self.only(language, "meson.build")
        test = ["meson", "test", "-C", "build", "--print-errorlogs"]
        self.succeed("p", "meson", "setup", "build")
        self.fail_with("p", 1, "10 was paid in, but 20 is booked", *test)
        self.assertNotIn("warning", self.said)
        self.repair(program)
        self.succeed("p", *test)

    def test_c_finds_its_bug_and_passes_once_repaired_with_make_alone(self):
        self.check_make("c")

    def test_c_finds_its_bug_and_passes_once_repaired_with_cmake_alone(self):
        self.check_cmake("c")

    def test_c_finds_its_bug_and_passes_once_repaired_with_meson_alone(self):
        self.check_meson("c")

    def test_cxx_finds_its_bug_and_passes_once_repaired_with_make_alone(self):
        self.need("g++")
        self.check_make("c++")

    def test_cxx_finds_its_bug_and_passes_once_repaired_with_cmake_alone(self):
        self.need("g++")
        self.check_cmake("c++")

    def test_cxx_finds_its_bug_and_passes_once_repaired_with_meson_alone(self):
        self.need("g++")
        self.check_meson("c++")

    def test_cxx_compiles_with_clang_without_warnings(self):
        self.need("clang++")
        self.only("c++", "Makefile")
        self.fail_with("p", 2, "10 was paid in, but 20 is booked", "make", "CXX=clang++",
                       "CXXFLAGS=-std=c++20 -Wall -Wextra -Wpedantic -Werror")

    def test_make_says_so_when_sennit_is_not_found(self):
        self.only("c", "Makefile")
        done = place.run(["make"], cwd=self.path("p"),
                         env=self.sennit.environment(PKG_CONFIG_LIBDIR="/nowhere")
                         | {"PKG_CONFIG_PATH": "/nowhere"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("pkg-config does not find Sennit", done.stdout)

    def test_what_building_leaves_is_ignored_by_git(self):
        self.need("git")
        self.only("c", "Makefile")
        self.succeed("p", "git", "init", "-q")
        before = (self.run_in("p", "git", "status", "--short"), self.said)
        self.run_in("p", "make")
        self.assertTrue(os.path.exists(self.path("p/bank")))
        self.assertEqual((self.run_in("p", "git", "status", "--short"), self.said), before)

    def test_the_workflow_does_what_was_tested_here_and_keeps_the_traces(self):
        self.init("p")
        workflow = self.text("p/.github/workflows/test.yml")
        self.assertEqual(re.findall(r"run: (.*)", workflow),
                         ["sudo make -C .sennit install", "make"])
        self.run_in("p", "make")
        kept = re.search(r"upload-artifact.*?path: (\S+)", workflow, re.DOTALL).group(1)
        self.assertTrue(os.listdir(self.path("p", kept)))
        self.assertIn(workflow, place.read("docs", "starting.md"))

    # ---- Refusals -------------------------------------------------------------------------------

    def refuses(self, sentence, *arguments):
        self.fail_with(".", 2, f"sennit: {sentence}\n", "sennit", "init", *arguments)

    def test_refuses_a_directory_that_is_not_empty_and_leaves_it_alone(self):
        os.mkdir(self.path("p"))
        with open(self.path("p/mine"), "w", encoding="utf-8"):
            pass
        self.refuses("p is not empty: init writes into a new or empty directory only", "p")
        self.assertEqual(self.files("p"), ["mine"])

    def test_takes_an_empty_directory_and_one_with_a_git_repository(self):
        os.mkdir(self.path("empty"))
        self.init("empty")
        os.makedirs(self.path("fresh/.git"))
        self.init("fresh")
        self.assertIn("bank.c", self.files("empty"))
        self.assertIn("bank.c", self.files("fresh"))

    def test_refuses_a_file(self):
        with open(self.path("p"), "w", encoding="utf-8"):
            pass
        self.refuses("cannot open the directory p: Not a directory", "p")

    def test_refuses_a_place_that_does_not_exist(self):
        self.refuses("cannot make the directory a/b: No such file or directory", "a/b")

    def test_refuses_a_language_that_it_does_not_know(self):
        self.refuses('--language is c or c++, not "cobol"', "--language", "cobol", "p")
        self.assertEqual(self.files("."), [])

    def test_needs_one_directory(self):
        self.refuses("init needs one directory; `sennit init --help` says more")
        self.refuses("init needs one directory; `sennit init --help` says more", "a", "b")
