"""cases_install - `make install`, and how other build systems find what it has installed.

SPDX-License-Identifier: MIT
"""

import os
import pwd
import re
import shutil

import place

HEADERS = ["dependence.h", "environment.h", "history.h", "machine.h", "oracles.h",
           "process.h", "record.h", "sennit.h", "sometimes.h", "strategy.h", "test.h"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def snippet(kind):
    """The block of this kind in docs/starting.md."""
    return re.search(rf"^```{kind}\n(.*?)^```$", place.read("docs", "starting.md"),
                     re.MULTILINE | re.DOTALL).group(1)


class Install(place.Case):
    def test_installs_headers_libraries_command_manual_and_completion(self):
        installed = self.sennit.files()
        libdir = os.path.relpath(self.sennit.libdir, self.sennit.prefix)
        for path in [f"include/sennit/{name}" for name in HEADERS] + [
                f"{libdir}/libsennit.so", f"{libdir}/libsennit.so.0", f"{libdir}/libsennit.a",
                f"{libdir}/pkgconfig/sennit.pc", f"{libdir}/cmake/Sennit/SennitConfig.cmake",
                f"{libdir}/cmake/Sennit/SennitConfigVersion.cmake", "bin/sennit",
                "share/man/man1/sennit.1", "share/man/man3/sennit.3", "share/man/man3/sn_send.3",
                "share/bash-completion/completions/sennit", "share/zsh/site-functions/_sennit",
                "share/fish/vendor_completions.d/sennit.fish", "share/doc/sennit/starting.md"]:
            self.assertIn(path, installed)

    def test_every_public_header_is_installed(self):
        source = sorted(name for name in os.listdir(os.path.join(place.tap.ROOT, "include/sennit")))
        self.assertEqual(sorted(os.listdir(self.sennit.prefix + "/include/sennit")), source)

    def test_says_what_to_put_into_the_environment(self):
        self.assertIn(f"export PATH={self.sennit.prefix}/bin:$PATH", self.sennit.said)
        self.assertIn(f"export PKG_CONFIG_PATH={self.sennit.pkgconfig}", self.sennit.said)

    def test_destdir_gets_the_same_files_and_uninstall_takes_them_away(self):
        before = self.sennit.files()
        stage = self.path("stage")

        said = place.make_install(self.sennit.build, PREFIX=self.sennit.prefix, DESTDIR=stage)
        self.assertEqual(self.sennit.files(stage + self.sennit.prefix), before)
        self.assertNotIn("export", said)

        self.succeed(".", "make", "-C", place.tap.ROOT, "uninstall", f"B={self.sennit.build}")
        self.assertEqual(self.sennit.files(stage), [])
        self.assertEqual(self.sennit.files(), before)

    def test_libraries_are_where_every_system_looks_unless_told_otherwise(self):
        self.assertEqual(self.sennit.libdir, os.path.join(self.sennit.prefix, "lib"))

        place.make_install(self.sennit.build, PREFIX=self.path("p"), LIBDIR="lib/x-linux-gnu")

        self.assertTrue(os.path.exists(self.path("p/lib/x-linux-gnu/libsennit.a")))
        with open(self.path("p/lib/x-linux-gnu/pkgconfig/sennit.pc"), encoding="utf-8") as file:
            self.assertIn("libdir=${prefix}/lib/x-linux-gnu\n", file.read())

    def test_root_who_installs_from_a_users_tree_leaves_nothing_of_root_there(self):
        user = ["runuser", "-u", "nobody", "--", "test", "-x",
                os.path.join(place.tap.ROOT, "tools", "compile.sh")]
        self.need("runuser")
        os.chmod(self.sennit.top, 0o755)
        if os.getuid() != 0 or place.run(user).returncode != 0:
            self.skipTest("this needs root, and a source tree that others may read")
        place.make_install(self.sennit.build, PREFIX=self.sennit.prefix)
        build = [os.path.join(folder, name) for folder, folders, files in
                 os.walk(self.sennit.build) for name in folders + files] + [self.sennit.build]
        nobody = pwd.getpwnam("nobody").pw_uid
        for path in build:
            os.chown(path, nobody, -1, follow_symlinks=False)
        os.unlink(os.path.join(self.sennit.build, "setup.log"))  # written by each build
        os.unlink(os.path.join(self.sennit.build, "meson-logs", "install-log.txt"))

        place.make_install(self.sennit.build, PREFIX=self.sennit.prefix)

        owners = {path: os.lstat(path).st_uid for path in build}
        self.assertEqual([path for path, owner in owners.items() if owner != nobody], [])
        for path in build:
            os.chown(path, 0, -1, follow_symlinks=False)

    def test_another_prefix_compiles_nothing_again(self):
        built = os.path.join(self.sennit.build, "src", "libsennit.a")
        before = os.stat(built).st_mtime_ns

        place.make_install(self.sennit.build, PREFIX=self.path("other"))

        self.assertEqual(os.stat(built).st_mtime_ns, before)
        self.assertEqual(self.sennit.files(self.path("other")), self.sennit.files())
        with open(self.path("other/share/man/man1/sennit.1"), encoding="utf-8") as file:
            self.assertIn(self.path("other/share/doc/sennit").replace("-", "\\-"), file.read())

    def test_a_tilde_in_the_prefix_is_the_home_of_the_user(self):
        done = place.run(["make", "-C", place.tap.ROOT, "-pn", "PREFIX=~/x"],
                         env=place.environment(HOME="/nobody/home"))
        self.assertIn("PREFIX := /nobody/home/x\n", done.stdout)


class Headers(place.Case):
    def compile_each(self, compiler, *flags):
        self.need(compiler)
        for name in HEADERS:
            source = self.path(name + (".cc" if "++" in compiler else ".c"))
            with open(source, "w", encoding="utf-8") as file:
                file.write(f"#include <sennit/{name}>\n#include <sennit/{name}>\nint only_this;\n")
            self.succeed(".", compiler, *flags, *WARNINGS, "-fsyntax-only",
                         f"-I{self.sennit.prefix}/include", source)

    def test_each_header_compiles_alone_as_c11(self):
        self.compile_each("gcc", "-std=c11")

    def test_each_header_compiles_alone_as_cxx17_with_gcc(self):
        self.compile_each("g++", "-std=c++17")

    def test_each_header_compiles_alone_as_cxx17_with_clang(self):
        self.compile_each("clang++", "-std=c++17")

    def test_each_header_compiles_alone_as_cxx20_with_gcc(self):
        self.compile_each("g++", "-std=c++20")


class BuildSystems(place.Case):
    """The blocks of docs/starting.md, with the test of a new project."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("p"))
        shutil.copy(os.path.join(place.tap.ROOT, "src/cli/init/c/bank.c"), self.path("p"))

    def write(self, name, text):
        with open(self.path("p", name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_pkg_config_links_the_shared_library(self):
        self.succeed("p", "gcc", *WARNINGS, "bank.c", "-o", "bank", *self.sennit.flags())
        self.fail_with("p", 1, "but 20 is booked", "./bank")
        self.succeed("p", "ldd", "bank")
        self.assertIn(os.path.join(self.sennit.libdir, "libsennit.so.0"), self.said)

    def test_make_users_find_the_bug_with_what_the_page_says(self):
        self.write("Makefile", snippet("make"))
        self.fail_with("p", 2, "but 20 is booked", "make")

    def test_cmake_users_find_the_bug_with_what_the_page_says(self):
        self.need("cmake")
        self.write("CMakeLists.txt", snippet("cmake"))
        self.succeed("p", "cmake", "-S", ".", "-B", "b",
                     f"-DCMAKE_PREFIX_PATH={self.sennit.prefix}")
        self.succeed("p", "cmake", "--build", "b")
        self.fail_with("p", 8, "but 20 is booked", "ctest", "--test-dir", "b",
                       "--output-on-failure")
        self.assertTrue(os.path.exists(self.path("p/b/traces/bank-book_once-0.trace")))
        self.succeed("p", "ldd", "b/bank")
        self.assertNotIn("sennit.so", self.said)

    def test_meson_users_find_the_bug_with_what_the_page_says(self):
        self.write("meson.build", snippet("meson"))
        self.succeed("p", "meson", "setup", "b")
        self.fail_with("p", 1, "but 20 is booked", "meson", "test", "-C", "b", "--print-errorlogs")
        self.assertTrue(os.path.exists(self.path("p/b/traces/bank-book_once-0.trace")))

    def configure(self, version):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(p C)\n"
                   f"find_package(Sennit {version} REQUIRED)\n"
                   "add_executable(bank bank.c)\ntarget_link_libraries(bank Sennit::sennit)\n")
        return self.run_in("p", "cmake", "-S", ".", "-B", "b" + version,
                           f"-DCMAKE_PREFIX_PATH={self.sennit.prefix}")

    def test_cmake_takes_no_other_minor_version(self):
        self.need("cmake")
        self.assertEqual(self.configure("0.1"), 0, self.said)
        self.assertNotEqual(self.configure("0.2"), 0)
        self.assertNotEqual(self.configure("0.0"), 0)
        self.assertNotEqual(self.configure("1.0"), 0)

    def test_cmake_finds_an_installation_that_was_moved(self):
        self.need("cmake")
        shutil.copytree(self.sennit.prefix, self.path("moved"), symlinks=True)
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(p C)\n"
                   "find_package(Sennit REQUIRED)\n"
                   "add_executable(bank bank.c)\ntarget_link_libraries(bank Sennit::sennit)\n")
        self.succeed("p", "cmake", "-S", ".", "-B", "b",
                     f"-DCMAKE_PREFIX_PATH={self.path('moved')}")
        self.succeed("p", "cmake", "--build", "b")
        self.succeed("p", "ldd", "b/bank")
        self.assertIn(self.path("moved"), self.said)
        self.assertNotIn(self.sennit.prefix + "/", self.said)


class Examples(place.Case):
    """The programs of examples/, as somebody who has only what is installed compiles them."""

    def build(self, name, *command):
        shutil.copy(os.path.join(place.tap.ROOT, "examples", name), self.folder)
        self.succeed(".", *command, *WARNINGS, "-g", name, "-o", "program",
                     *self.sennit.flags(*self.packages))

    packages = ()

    def need_package(self, name):
        if place.run(["pkg-config", "--exists", name]).returncode != 0:
            self.skipTest(f"{name} is not installed")
        self.packages = (name,)

    def test_cmocka_users_run_tests_of_sennit(self):
        self.need_package("cmocka")
        self.build("with_cmocka.c", "gcc")
        self.succeed(".", "./program")
        self.assertIn("3 test(s).\n", self.said)

    def test_criterion_users_run_tests_of_sennit(self):
        self.need_package("criterion")
        self.build("with_criterion.c", "gcc")
        self.succeed(".", "./program", "--tap")
        self.assertEqual(self.said.count("\nok - "), 2, self.said)

    def check_cpp17(self, compiler):
        self.need(compiler)
        self.build("with_cpp17.cc", compiler, "-std=c++17")
        self.succeed(".", "./program", "-s", "dfs")
        self.assertIn("every schedule of this test was run", self.said)
        self.fail_with(".", 1, "when the switch meant to toggle it", "./program", "--bug", "lazy")

    def check_history_in_cpp17(self, compiler):
        self.need(compiler)
        self.build("check_history.cc", compiler, "-std=c++17", "-pthread")
        self.succeed(".", "./program")
        self.assertEqual(self.said, "800 operations: linearizable\n")
        self.fail_with(".", 1, "take -> ", "./program", "racy")

    def test_cxx17_users_check_a_history_with_gcc(self):
        self.check_history_in_cpp17("g++")

    def test_cxx17_users_check_a_history_with_clang(self):
        self.check_history_in_cpp17("clang++")

    def test_cxx17_users_find_a_bug_with_gcc(self):
        self.check_cpp17("g++")

    def test_cxx17_users_find_a_bug_with_clang(self):
        self.check_cpp17("clang++")
