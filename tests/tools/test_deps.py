#!/usr/bin/env python3
"""test_deps - tools/deps.sh installs what is missing as root, and otherwise says what to install.

The machine is a folder of scripts that stands for PATH. SPDX-License-Identifier: MIT
"""

import os
import shutil
import subprocess
import tempfile
import unittest

import tap

REQUIRED = ["gcc", "meson", "ninja", "pkg-config", "python3"]
FOR_TESTS = ["clang", "clang-format", "valgrind", "aarch64-linux-gnu-gcc", "qemu-aarch64", "cmake",
             "g++", "mandoc", "groff", "man", "zsh", "fish", "chromium"]
# Stands for apt-get: notes how it was called and makes the commands that a package brings.
APT = """#!/bin/sh
echo "apt-get $*" >>"$PLACE/called"
[ -z "$APT_FAILS" ] || { echo "apt: no such luck"; exit 100; }
for package in "$@"; do
    case $package in
    ninja-build) cp "$PLACE/gcc" "$PLACE/ninja" ;;
    valgrind) cp "$PLACE/gcc" "$PLACE/valgrind" ;;
    esac
done
"""


class Deps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = folder.name
        for name in ("cat", "rm", "mktemp", "cp"):
            os.symlink(shutil.which(name), os.path.join(self.place, name))
        for name in REQUIRED + FOR_TESTS:
            self.command(name, "#!/bin/sh\nexit 0\n")
        self.command("apt-get", APT)

    def command(self, name, text):
        tap.write(os.path.join(self.place, name), text, 0o755)

    def remove(self, name):
        os.unlink(os.path.join(self.place, name))

    def run_as(self, user, *arguments, **environment):
        self.command("id", f"#!/bin/sh\necho {user}\n")
        result = subprocess.run(
            ["/bin/sh", os.path.join(tap.ROOT, "tools", "deps.sh"), *arguments],
            env={"PATH": self.place, "PLACE": self.place, **environment}, capture_output=True,
            text=True, check=False)
        self.status = result.returncode
        self.said = result.stdout + result.stderr

    def called(self):
        try:
            with open(os.path.join(self.place, "called"), encoding="utf-8") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def test_says_nothing_when_all_is_there(self):
        self.run_as(1000, "build")
        self.assertEqual((self.status, self.said, self.called()), (0, "", []))

    def test_a_user_is_told_what_to_install_and_the_build_stops(self):
        self.remove("ninja")
        self.run_as(1000, "build")
        self.assertEqual((self.status, self.called()), (1, []))
        self.assertIn("sudo apt-get install ninja-build\n", self.said)

    def test_installing_needs_no_cmocka(self):
        self.command("pkg-config", "#!/bin/sh\nexit 1\n")
        self.run_as(1000, "install")
        self.assertEqual(self.status, 0)
        self.assertNotIn("cmocka", self.said)
        self.run_as(1000, "build")
        self.assertEqual(self.status, 1)
        self.assertIn("sudo apt-get install libcmocka-dev\n", self.said)

    def test_without_jansson_and_sqlite_a_build_goes_on_and_says_what_is_left_out(self):
        self.command("pkg-config", "#!/bin/sh\n[ \"$2\" = cmocka ]\n")
        self.run_as(1000, "build")
        self.assertEqual((self.status, self.said), (
            0, "deps: `sennit events` will be left out; for it: sudo apt-get install "
               "libjansson-dev libsqlite3-dev\n"))

    def test_root_gets_it_installed_quietly(self):
        self.remove("ninja")
        self.run_as(0, "build")
        self.assertEqual((self.status, self.said), (0, "deps: installing ninja-build\n"))
        self.assertEqual(self.called(), [
            "apt-get update -qq", "apt-get install -y -qq --no-install-recommends ninja-build"])

    def test_a_failed_installation_is_shown_and_stops_the_build(self):
        self.remove("ninja")
        self.run_as(0, "build", APT_FAILS="1")
        self.assertEqual(self.status, 1)
        self.assertIn("apt: no such luck\n", self.said)

    def test_what_only_tests_use_does_not_concern_a_build(self):
        self.remove("valgrind")
        self.run_as(1000, "build")
        self.assertEqual((self.status, self.said), (0, ""))

    def test_a_user_who_tests_is_told_and_goes_on(self):
        self.remove("valgrind")
        self.run_as(1000, "build", "test")
        self.assertEqual(self.status, 0)
        self.assertRegex(self.said, "some tests will be skipped.* install.* valgrind")

    def test_root_who_tests_gets_that_installed_too(self):
        self.remove("valgrind")
        self.run_as(0, "build", "test")
        self.assertEqual(self.status, 0)
        self.assertTrue(any(" valgrind" in line for line in self.called()), self.called())


if __name__ == "__main__":
    tap.main()
