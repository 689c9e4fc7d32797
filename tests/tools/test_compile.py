#!/usr/bin/env python3
"""test_compile - tools/compile.sh brings a build directory up to date, whatever has changed.

Runs it on a project of its own, with packages of its own. SPDX-License-Identifier: MIT
"""

import os
import subprocess
import tempfile
import unittest

import tap

PROJECT = """project('p')
if dependency('raft', required: false).found()
  configure_file(input: 'meson.build', output: 'with_raft', copy: true)
endif

"""
OPTIONS = "option('flavour', type: 'string', value: 'plain')\n"
PACKAGE = "Name: raft\nDescription: r\nVersion: 0.15.0\n"


class Compile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = folder.name
        tap.write(self.path("meson.build"), PROJECT)
        tap.write(self.path("meson_options.txt"), OPTIONS)
        os.mkdir(self.path("packages"))

    def path(self, *names):
        return os.path.join(self.place, *names)

    def compile(self, *options):
        """Where packages are looked for is no option: it would make the directory anew."""
        subprocess.run(
            ["/bin/sh", os.path.join(tap.ROOT, "tools", "compile.sh"), "b", *options],
            cwd=self.place, check=True, capture_output=True,
            env={**os.environ, "PKG_CONFIG_LIBDIR": self.path("packages")})

    def test_a_library_that_is_installed_later_is_looked_for_again(self):
        self.compile()
        self.assertFalse(os.path.exists(self.path("b", "with_raft")))
        tap.write(self.path("packages", "raft.pc"), PACKAGE)
        self.compile()
        self.assertTrue(os.path.exists(self.path("b", "with_raft")))

    def test_other_options_make_the_directory_anew(self):
        self.compile("-Dflavour=plain")
        tap.write(self.path("b", "left"), "")
        self.compile("-Dflavour=bitter")
        self.assertFalse(os.path.exists(self.path("b", "left")))

    def test_another_prefix_keeps_what_was_built(self):
        self.compile("--prefix=/one")
        tap.write(self.path("b", "left"), "")
        self.compile("--prefix=/two")
        self.assertTrue(os.path.exists(self.path("b", "left")))


if __name__ == "__main__":
    tap.main()
