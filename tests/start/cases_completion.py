"""cases_completion - what shells complete is what `--help` lists, flag by flag.

The shells are asked themselves. SPDX-License-Identifier: MIT
"""

import os
import pty
import re
import select
import shutil
import signal
import time

import place

DEADLINE_S = 60
# bash: fills in what the shell would, calls the function, prints the answers.
BASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
compopt() { :; }
_sennit
printf '%s\\n' "${COMPREPLY[@]}"
"""
# zsh: completes on the line of a real terminal. What is typed before the editor of lines has begun
# would be edited by the terminal itself, so it says when it has; ^T empties the line and says so.
ZSH_START = """
PS1=; unsetopt zle_bracketed_paste 2>/dev/null
fpath=("$SITE" $fpath)
autoload -Uz compinit && compinit -u -d "$DUMP"
compadd() {
    # Calls of completion functions that only ask, or print nothing, go their way.
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
    local -a found
    builtin compadd -O found "$@"
    print -l -- $found >>$ANSWERS
    builtin compadd "$@"
}
zle-line-init() { print -n "<EDI""TING>" >/dev/tty; }
zle -N zle-line-init
empty-line() { BUFFER=; print -n "<EM""PTY>" >/dev/tty; }
zle -N empty-line
bindkey '^T' empty-line
"""


def flags_of(text):
    """The flags that a help text describes: those at the beginning of a line, and a second one
    behind ";  "."""
    found = set()
    for line in re.findall(r"^ +(-.*)$", text, re.MULTILINE):
        for piece in re.split(r";\s+(?=-)", line):
            head = re.match(r"((?:-\w, )?--[a-z-]+)", piece)
            if head:
                found |= set(head.group(1).split(", "))
    return found


class Completion(place.Case):
    def setUp(self):
        super().setUp()
        self.share = os.path.join(self.sennit.prefix, "share")
        self.verbs = re.findall(r"^  sennit (\w+) ", self.sennit.help(), re.MULTILINE)

    def expected(self, verb):
        """What follows a verb: its flags, those of the program that it starts, and help."""
        found = flags_of(self.sennit.help(verb)) | {"-h", "--help"}
        if re.search(rf"^usage: sennit {verb} PROGRAM", self.sennit.help(verb)):
            found |= flags_of(self.sennit.help("test"))
        return found

    def test_the_flags_of_a_test_program_are_those_of_the_verb_test(self):
        source = os.path.join(place.tap.ROOT, "examples", "man", "ping.c")
        self.succeed(".", "gcc", source, "-o", "ping", *self.sennit.flags())
        self.succeed(".", "./ping", "--help")
        self.assertGreater(len(flags_of(self.said)), 20)
        self.assertEqual(flags_of(self.said), flags_of(self.sennit.help("test")))

    # ---- bash -----------------------------------------------------------------------------------

    def bash(self, *words):
        script = os.path.join(self.share, "bash-completion", "completions", "sennit")
        done = place.run(["bash", "-c", BASK, "bash", script, "sennit", *words], cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stdout)
        return set(done.stdout.split())

    def test_bash_completes_every_verb(self):
        self.assertEqual(self.bash(""), set(self.verbs) | {"--help", "--version"})

    def test_bash_completes_every_flag_of_every_verb(self):
        for verb in self.verbs:
            self.assertEqual(self.bash(verb, "x", "-"), self.expected(verb), verb)

    def test_bash_completes_values_files_and_directories(self):
        os.mkdir(self.path("folder"))
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        self.assertEqual(self.bash("test", "x", "--timers", ""), {"any", "ideal"})
        self.assertEqual(self.bash("test", "x", "--isolate", "=", "f"), {"fork"})
        self.assertEqual(self.bash("show", "--color", "a"), {"auto", "always"})
        self.assertEqual(self.bash("test", "x", "--replay", "f"), {"file", "folder"})
        self.assertEqual(self.bash("test", "x", "-o", "f"), {"folder"})
        self.assertEqual(self.bash("test", "x", "--seed", ""), set())
        self.assertEqual(self.bash("init", "f"), {"folder"})
        self.assertEqual(self.bash("show", "f"), {"file", "folder"})

    def test_every_value_that_is_completed_is_accepted(self):
        source = os.path.join(place.tap.ROOT, "examples", "man", "ping.c")
        self.succeed(".", "gcc", source, "-o", "ping", *self.sennit.flags())
        for flag in ("--timers", "--isolate"):
            values = self.bash("test", "x", flag, "")
            self.assertTrue(values)
            for value in values:
                self.succeed(".", "./ping", "-i", "2", flag, value)
        for value in self.bash("init", "--language", ""):
            self.succeed(".", "sennit", "init", "--language", value, "in-" + value)

    # ---- fish -----------------------------------------------------------------------------------

    def fish(self, line):
        script = os.path.join(self.share, "fish", "vendor_completions.d", "sennit.fish")
        done = place.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"],
                         cwd=self.folder, env=place.environment(HOME=self.folder))
        return {entry.split("\t")[0] for entry in done.stdout.splitlines()}

    def test_fish_completes_every_verb_and_every_flag(self):
        self.need("fish")
        self.assertEqual(self.fish("sennit "), set(self.verbs))
        for verb in self.verbs:
            found = self.fish(f"sennit {verb} x -") | self.fish(f"sennit {verb} x --")
            self.assertEqual({flag.rstrip("=") for flag in found}, self.expected(verb), verb)

    # ---- zsh ------------------------------------------------------------------------------------

    def zsh(self, *lines):
        """What zsh offers at the end of each line."""
        env = place.environment(SITE=os.path.join(self.share, "zsh", "site-functions"),
                                DUMP=self.path("dump"), ANSWERS=self.path("answers"),
                                HOME=self.folder)
        with open(self.path("start"), "w", encoding="utf-8") as file:
            file.write(ZSH_START)
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execve(shutil.which("zsh"), ["zsh", "-f", "-i"], env)
        try:
            return [self.offered(terminal, line, is_first=i == 0) for i, line in enumerate(lines)]
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(terminal)

    def wait_for(self, terminal, mark):
        seen = b""
        end = time.monotonic() + DEADLINE_S
        while mark not in seen:
            ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, f"zsh does not say {mark}: {seen}")
            seen += os.read(terminal, 65536)

    def offered(self, terminal, line, is_first):
        if is_first:
            os.write(terminal, b"source ./start\n")
            self.wait_for(terminal, b"<EDITING>")
        with open(self.path("answers"), "w", encoding="utf-8"):
            pass
        os.write(terminal, line.encode() + b"\t\x14")
        self.wait_for(terminal, b"<EMPTY>")
        with open(self.path("answers"), encoding="utf-8") as file:
            return set(file.read().split())

    def test_zsh_completes_every_verb_and_every_flag(self):
        self.need("zsh")
        first, *rest = self.zsh("sennit ", *[f"sennit {verb} -" for verb in self.verbs])
        self.assertEqual(first & set(self.verbs), set(self.verbs))
        for verb, found in zip(self.verbs, rest):
            self.assertEqual({flag.rstrip("=") for flag in found}, self.expected(verb), verb)
