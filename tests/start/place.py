"""place - an installation of Sennit in a place of its own, and a folder outside of the source tree.

SPDX-License-Identifier: MIT
"""

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
import unittest

import tap

TIMEOUT_S = 120
# What a new user has, if that has all that is needed; a PATH of one's own may lead to places that
# other users cannot read.
SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NEEDED = ("gcc", "make", "meson", "ninja", "pkg-config", "python3")
PATH = SYSTEM if all(shutil.which(c, path=SYSTEM) for c in NEEDED) else os.environ["PATH"]


def environment(**more):
    """One in which nothing of the surrounding make, and no other Sennit, is known."""
    env = dict(os.environ, LC_ALL="C.UTF-8", TERM="dumb") | {"PATH": PATH} | more
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "B", "PREFIX", "LIBDIR", "DESTDIR",
                 "TARGETS", "CC", "CFLAGS", "CXXFLAGS", "LD_LIBRARY_PATH", "CMOCKA_MESSAGE_OUTPUT"):
        if name not in more:
            env.pop(name, None)
    return env


def run(command, cwd=None, env=None, **more):
    """The finished command, with both outputs in stdout."""
    return subprocess.run(command, cwd=cwd, env=env or environment(), check=False, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=TIMEOUT_S, **more)


def make_install(build, **more):
    """`make install` as a user types it, in the source tree; compiled without much ado."""
    words = [f"{name}={value}" for name, value in more.items()]
    done = run(["make", "-C", tap.ROOT, "install", f"B={build}", *words],
               env=environment(CFLAGS="-O0"))
    if done.returncode != 0:
        raise AssertionError("make install fails:\n" + done.stdout)
    return done.stdout


class Installation:
    """What `make install PREFIX=...` has made."""

    def __init__(self):
        self.top = os.path.realpath(tempfile.mkdtemp(prefix="sennit-start-"))
        atexit.register(shutil.rmtree, self.top, ignore_errors=True)
        self.build = os.path.join(self.top, "build")
        self.prefix = os.path.join(self.top, "prefix")
        self.said = make_install(self.build, PREFIX=self.prefix)
        self.command = os.path.join(self.prefix, "bin", "sennit")
        found = [folder for folder, _, files in os.walk(self.prefix) if "sennit.pc" in files]
        self.pkgconfig = found[0] if found else "not installed"
        self.libdir = os.path.dirname(self.pkgconfig)
        self.man = os.path.join(self.prefix, "share", "man")

    def environment(self, **more):
        path = os.path.dirname(self.command) + ":" + PATH
        return environment(PATH=path, PKG_CONFIG_PATH=self.pkgconfig, **more)

    def files(self, below=None):
        """All of them, relative to the prefix."""
        top = below or self.prefix
        return sorted(os.path.relpath(os.path.join(folder, name), top)
                      for folder, _, names in os.walk(top) for name in names)

    def flags(self, *packages):
        """What a program is compiled and linked with."""
        done = run(["pkg-config", "--cflags", "--libs", "sennit", *packages],
                   env=self.environment())
        return done.stdout.split() + [f"-Wl,-rpath,{self.libdir}"]

    def help(self, *verb):
        return run([self.command, *verb, "--help"]).stdout


@functools.cache
def installation():
    return Installation()


class Case(unittest.TestCase):
    """A test in an empty folder outside of the source tree, with Sennit installed."""

    maxDiff = None

    def setUp(self):
        self.sennit = installation()
        self.folder = tempfile.mkdtemp(prefix="case-", dir=self.sennit.top)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_in(self, folder, *command, **more):
        """Runs a command there; leaves its status and output."""
        done = run(list(command), cwd=self.path(folder), env=self.sennit.environment(**more))
        self.status, self.said = done.returncode, done.stdout
        return done.returncode

    def succeed(self, folder, *command, **more):
        self.assertEqual(self.run_in(folder, *command, **more), 0, f"{command}:\n{self.said}")

    def fail_with(self, folder, status, text, *command):
        self.assertEqual(self.run_in(folder, *command), status, f"{command}:\n{self.said}")
        self.assertIn(text, self.said)

    def need(self, command):
        if shutil.which(command, path=PATH) is None:
            self.skipTest(f"there is no {command}")


def read(*names):
    with open(os.path.join(tap.ROOT, *names), encoding="utf-8") as file:
        return file.read()
