#!/usr/bin/env python3
"""test_docs - the documentation is true: its programs run, its commands print what it shows.

    test_docs.py BUILD            checks, and prints TAP
    test_docs.py BUILD --update   runs the commands and writes what they print into the pages

A page is read from top to bottom. Comments of HTML, which readers do not see, say what a block of
code is; they stand on the line before it:

    <!-- block NAME -->                   remembered for `write`
    <!-- write FILE from NAME, NAME; equals examples/FILE -->   writes the blocks into FILE, which
                                          may, but need not, be one of examples/
    <!-- needs TOOL -->                   the commands are run only where there is such a tool, or
                                          such a program of the build: build/systems/NAME
    <!-- from FILE, all of "SECTION" -->  the block is part of this file of examples/; if a section
                                          is named, it is all that there is between the comment
                                          that begins with this name and the next one like it
    <!-- program FILE, exit N, prints "TEXT", with ARGUMENTS -->   compiled, run, and judged

Blocks of kind `console` are commands (after "$ ") and what they print. They run in one directory
per page that looks like the root of the repository with a build in build/, where commands are
found, too; a command that is not is an error, whatever a page shows. A line "..." stands for
any lines. What cannot be the same twice (times, addresses, where the directory lies) is not
compared.
SPDX-License-Identifier: MIT
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap

PAGES = ["README.md"] + sorted("docs/" + name for name in os.listdir(os.path.join(tap.ROOT, "docs"))
                               if name.endswith(".md"))
WARNINGS = ["-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow",
            "-Wundef", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wvla", "-Werror"]
PLACE = "/src/sennit"  # where the repository lies in what the pages show
TIMEOUT_S = 100
NO_COMMAND = (126, 127)  # exit codes of a shell that cannot run something: no page shows that

BUILD = ""


def read(path):
    with open(os.path.join(tap.ROOT, path), encoding="utf-8") as file:
        return file.read()


def is_there(tool):
    """True if a command, or a program of the build (build/...), can be run here."""
    if tool.startswith("build/"):
        return os.path.exists(os.path.join(BUILD, tool.removeprefix("build/")))
    return shutil.which(tool) is not None


class Block:
    """A block of a page: its kind, its directive, its lines, and the line number of the first."""

    def __init__(self, kind, directive, first):
        self.kind = kind
        self.directive = directive
        self.first = first
        self.lines = []

    @property
    def text(self):
        return "".join(line + "\n" for line in self.lines)


def blocks(page):
    """The blocks and the `write` directives of a page, in order."""
    found = []
    block = None
    directive = ""
    for number, line in enumerate(read(page).split("\n"), 1):
        if block is not None:
            if line == "```":
                found.append(block)
                block = None
            else:
                block.lines.append(line)
            continue
        match = re.fullmatch(r"<!-- (.*) -->", line)
        if line.startswith("```"):
            block = Block(line[3:], directive, number)
            directive = ""
        elif match and match.group(1).startswith("write "):
            found.append(Block("write", match.group(1), number))
        elif match:
            directive = match.group(1)
        elif line:
            directive = ""
    return found


# ---- A place that looks like the repository ------------------------------------------------------


class Place:
    """A directory with include/, examples/ and build/, and an environment that finds an installed
    Sennit only if the page installs one."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="sennit-docs-")
        for name in ("include", "examples", "docs", "Makefile", "tools"):
            os.symlink(os.path.join(tap.ROOT, name), os.path.join(self.path, name))
        os.symlink(BUILD, os.path.join(self.path, "build"))
        self.status = 0

    def remove(self):
        shutil.rmtree(self.path)

    def environment(self):
        env = dict(os.environ, LC_ALL="C", TERM="dumb")
        env.pop("CMOCKA_MESSAGE_OUTPUT", None)
        env.pop("SENNIT_DEFAULT_STRATEGY", None)
        env["PATH"] = os.path.join(self.path, "build") + ":" + env["PATH"]
        stage = os.path.join(self.path, "stage")
        config = [os.path.join(folder, "pkgconfig") for folder in self.libraries(stage)]
        env["PKG_CONFIG_PATH"] = ":".join(config)
        env["PKG_CONFIG_SYSROOT_DIR"] = stage
        env["LD_LIBRARY_PATH"] = ":".join(self.libraries(stage))
        return env

    @staticmethod
    def libraries(stage):
        return [folder for folder, folders, _ in os.walk(stage) if "pkgconfig" in folders]

    def write(self, name, text):
        with open(os.path.join(self.path, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, command):
        """What the command prints to both outputs, as lines."""
        if command == "make install":
            command = f"meson install -C build --no-rebuild --quiet --destdir {self.path}/stage"
        done = subprocess.run(["bash", "-c", f"(exit {self.status}); {command}"], cwd=self.path,
                              env=self.environment(), timeout=TIMEOUT_S, check=False, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.status = done.returncode
        if "bash: -c: line" in done.stdout:
            raise AssertionError(f"is no command: {command}\n{done.stdout}")
        text = done.stdout.replace(BUILD, PLACE + "/build")
        text = text.replace(os.path.realpath(self.path), PLACE).replace(self.path, PLACE)
        return [line.rstrip() for line in text.split("\n")[:-1]]

    def compile(self, name):
        program = name.removesuffix(".c")
        command = ["gcc", "-std=gnu17", "-g", *WARNINGS, "-Iinclude", name, "build/src/libsennit.a",
                   "-o", program]
        done = subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{name} does not compile:\n{done.stderr}")
        return "./" + program


# ---- Running a page ------------------------------------------------------------------------------


def commands(block):
    """The (command, lines it prints) of a console block."""
    found = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif not found:
            raise AssertionError(f"line {block.first + 1}: a console block begins with a command")
        elif found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line, [])
        else:
            found[-1][1].append(line.rstrip())
    return found


def comparable(line):
    line = re.sub(r"\b\d+\.\d\d s\b", "T s", line)
    line = re.sub(r"\b\d+\.\d m?s\b", "T s", line)
    line = re.sub(r"\b\d+/s$", "N/s", line)
    line = re.sub(r"#\d+ +0x", "#N 0x", line)  # of a frame: how many there are is nobody's business
    line = re.sub(r"\[process \d+\]", "[process N]", line)
    return re.sub(r"\b0x[0-9a-f]{4,}\b", "ADDRESS", line)


def agrees(shown, printed):
    """True if the lines are the same; "..." matches any number of them."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(agrees(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and comparable(shown[0]) == comparable(printed[0]) and \
        agrees(shown[1:], printed[1:])


class Page:
    """Does what a page says, in a place of its own."""

    def __init__(self, name, is_updating=False):
        self.name = name
        self.is_updating = is_updating
        self.named = {}
        self.new_lines = {}  # of console blocks, by their first line
        self.place = Place()

    def do(self):
        try:
            for block in blocks(self.name):
                if block.kind == "write":
                    self.do_write(block)
                elif block.kind == "console":
                    self.do_console(block)
                elif block.directive.startswith("block "):
                    self.named[block.directive[len("block "):]] = block.text
                elif block.directive.startswith("from "):
                    self.do_from(block)
                elif block.directive.startswith("program "):
                    self.do_program(block)
        finally:
            self.place.remove()

    def fail(self, block, text):
        raise AssertionError(f"{self.name}:{block.first}: {text}")

    def do_write(self, block):
        match = re.fullmatch(r"write (\S+) from (.+?)(?:; equals (\S+))?", block.directive)
        if not match:
            self.fail(block, f"not understood: {block.directive}")
        text = "\n".join(self.named[name] for name in match.group(2).split(", "))
        path = match.group(3)
        if path and text != re.sub(r"\A/\*.*?\*/\n", "", read(path), flags=re.DOTALL):
            self.fail(block, f"the blocks are not {match.group(3)} (without its first comment)")
        self.place.write(match.group(1), text)

    def do_from(self, block):
        match = re.fullmatch(r'from (\S+?)(?:, all of "(.*)")?', block.directive)
        if not match:
            self.fail(block, f"not understood: {block.directive}")
        path = "examples/" + match.group(1)
        if match.group(2) and block.text != section(path, match.group(2)):
            self.fail(block, f"the block is not all of the section {match.group(2)} of {path}")
        if block.text not in read(path):
            self.fail(block, f"the block is not part of {path}")

    def do_program(self, block):
        match = re.fullmatch(r'program (\S+), exit (\d+)(?:, prints "(.*?)")?(?:, with (.*))?',
                             block.directive)
        if not match:
            self.fail(block, f"not understood: {block.directive}")
        name, status, text, arguments = match.groups()
        self.place.write(name, block.text)
        program = self.place.compile(name)
        printed = "\n".join(self.place.run(f"{program} {arguments or ''}"))
        if self.place.status != int(status) or (text or "") not in printed:
            self.fail(block, f"{name} exits with {self.place.status} and prints\n{printed}")

    def do_console(self, block):
        new = []
        tool = block.directive.removeprefix("needs ")
        if tool != block.directive and not is_there(tool):
            print(f"# {self.name}:{block.first} is not run: there is no {tool}")
            return
        for command, shown in commands(block):
            printed = self.place.run(command)
            if self.place.status in NO_COMMAND:
                self.fail(block, f"$ {command}\ncannot be run:\n" + "\n".join(printed))
            new += ["$ " + command]
            is_good = agrees(shown, printed)
            new += shown if is_good else printed
            if not is_good and not self.is_updating:
                self.fail(block, f"$ {command}\nprints (exit {self.place.status})\n" +
                          "\n".join(printed) + "\nbut the page shows\n" + "\n".join(shown))
        self.new_lines[block.first] = (len(block.lines), new)

    def update(self):
        lines = read(self.name).split("\n")
        for first, (count, new) in sorted(self.new_lines.items(), reverse=True):
            lines[first:first + count] = "\n".join(new).split("\n")
        with open(os.path.join(tap.ROOT, self.name), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))


def section(path, name):
    """What a C file has in the section of this name, without blank lines around it."""
    parts = re.split(r"^/\* ---- (.*?) -+ \*/\n", read(path), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))[name].strip("\n") + "\n"


def lines_of_code(text):
    """The lines that are neither blank nor comments."""
    lines = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).split("\n")
    return [line for line in lines if line.strip()]


def anchors(path):
    """What a page's headings can be linked to by."""
    headings = re.findall(r"^#+ (.*)$", read(path), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


# ---- The claims ----------------------------------------------------------------------------------


class Documentation(unittest.TestCase):
    def test_every_c_block_is_checked(self):
        for page in PAGES:
            for block in blocks(page):
                if block.kind == "c":
                    self.assertTrue(block.directive, f"{page}:{block.first} has no directive")

    def test_a_command_that_cannot_be_run_is_an_error_even_if_the_page_shows_it(self):
        text = "```console\n$ no-such-command 2>/dev/null\n```\n"
        with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            for is_updating in False, True:
                with self.assertRaisesRegex(AssertionError, "cannot be run"):
                    Page(file.name, is_updating).do()

    def test_commands_are_found_as_programs_print_them(self):
        text = "```console\n$ command -v sennit\n/src/sennit/build/sennit\n```\n"
        with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            Page(file.name).do()

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", read(page)):
                if "://" in target:
                    continue
                path = os.path.normpath(os.path.join(os.path.dirname(page), target or
                                                     os.path.basename(page)))
                self.assertTrue(os.path.exists(os.path.join(tap.ROOT, path)),
                                f"{page} links to {target}")
                if anchor:
                    self.assertIn(anchor, anchors(path), f"{page} links to {target}#{anchor}")

    def test_every_flag_is_described_and_no_other(self):
        text = subprocess.run([os.path.join(BUILD, "examples", "atm"), "--help"], check=True,
                              capture_output=True, text=True).stdout
        flags = set(re.findall(r"--[a-z][a-z-]*", text))
        table = set(re.findall(r"--[a-z][a-z-]*", read("docs/running.md").split("## Flags")[1]
                               .split("\n## ")[0]))
        self.assertEqual(flags, table)

    def test_options_that_verbs_list_are_taken(self):
        for verb in "explain", "coverage":
            sennit = [os.path.join(BUILD, "sennit"), verb]
            text = subprocess.run([*sennit, "--help"], check=True, capture_output=True,
                                  text=True).stdout
            options = re.findall(r"^ +(?:-\w, )?(--[a-z-]+)( [A-Z]+)?", text, re.MULTILINE)
            self.assertGreater(len(options), 3, text)
            for option, value in options:
                if option == "--help":
                    continue
                done = subprocess.run([*sennit, option, *(["1"] if value else []), "nowhere"],
                                      check=False, capture_output=True, text=True)
                self.assertEqual(done.returncode, 2)
                self.assertIn("nowhere: ", done.stderr, f"{verb} {option}")

    def test_every_page_is_in_the_list_of_the_readme(self):
        for page in PAGES[1:]:
            self.assertIn(f"| [{page}]({page}) |", read("README.md"))

    def test_names_of_the_api_are_right_and_complete(self):
        names = ("machine", "conjecture", "dependence", "environment", "events", "gen", "history",
                 "oracles", "process", "record", "sometimes", "strategy", "sync", "task", "test",
                 "wrap")
        headers = "".join(read(f"include/sennit/{name}.h") for name in names)
        code = re.sub(r"/\*.*?\*/", "", headers, flags=re.DOTALL)
        text = "".join(read(page) for page in PAGES)
        for name in sorted(set(re.findall(r"\b(?:sn|SN)_\w+", text)) - {"SN_E", "sn_"}):
            self.assertTrue(re.search(rf"\b{name}\b", code), f"{name} is in the documentation only")
        internal = {"sn_assert_failed"}
        types = {"sn_handler", "sn_callback", "sn_work_run", "sn_work_after"}
        for name in sorted(set(re.findall(r"\b(sn_\w*[a-z])\(", code)) - internal - types):
            self.assertTrue(re.search(rf"\b{name}\b", text), f"{name} is not in the documentation")

    def test_the_wrapper_of_twenty_lines_is_shown_as_a_whole_and_has_so_many(self):
        page = read("docs/wrapping.md").split("\n## Twenty lines\n")[1].split("\n## ")[0]
        told = re.search(r"all of the wrapper: .* (\d+) lines and the\sbraces of (\w+) functions;.*"
                         r"\n\n<!-- from wrap_pinger.c, all of \"The wrapper\" -->\n", page,
                         re.DOTALL)
        lines = lines_of_code(section("examples/wrap_pinger.c", "The wrapper"))
        braces = [line for line in lines if line in "{}"]
        self.assertEqual(int(told[1]), len(lines) - len(braces))
        self.assertEqual((told[2], len(braces)), ("five", 2 * 5))
        self.assertAlmostEqual(int(told[1]), 20, delta=2)

    def test_the_example_of_two_hundred_lines_has_so_many(self):
        page = read("docs/wrapping.md").split("\n## Two hundred lines\n")[1].split("\n## ")[0]
        told = re.search(r"Component, wrapper and test have (\d+) lines", page)
        self.assertEqual(int(told[1]), len(lines_of_code(read("examples/wrap_store.c"))))
        self.assertAlmostEqual(int(told[1]), 200, delta=20)

    def test_architecture_names_what_exists(self):
        page = read("docs/ARCHITECTURE.md")
        sources = ""
        for folder, _, files in os.walk(os.path.join(tap.ROOT, "src")):
            for name in files:
                if name.endswith((".c", ".h")):
                    sources += read(os.path.join(folder, name))
        path = page.split("```text\n")[1].split("```")[0]
        for name in set(re.findall(r"\b[a-z]\w*_\w+\b", path)):
            self.assertTrue(re.search(rf"\b{name}\(", sources), f"{name} is no function")
        for path in set(re.findall(r"`((?:src|tests|tools|include|docs)/[a-z_/.]+)`", page)):
            self.assertTrue(os.path.exists(os.path.join(tap.ROOT, path)), f"there is no {path}")

    def test_architecture_lists_every_folder_with_the_layers_it_may_include(self):
        tidy = {}
        source = read("tools/tidy").split("LAYERS = {")[1].split("\n}")[0]
        for layer, below in re.findall(r'"(\w+)": (set\(\)|\{[^}]*\})', source):
            tidy[layer] = set(re.findall(r'"(\w+)"', below))
        rows = dict(re.findall(r"^\| `src/(\w+)/` \|.*\| (.*?) \|$", read("docs/ARCHITECTURE.md"),
                               re.MULTILINE))
        folders = {name for name in os.listdir(os.path.join(tap.ROOT, "src"))
                   if os.path.isdir(os.path.join(tap.ROOT, "src", name))}
        self.assertEqual(set(rows), folders)
        for layer, below in rows.items():
            if below != "all of these":
                self.assertEqual(set(re.findall(r"\w+", below)) - {"nothing"}, tidy[layer], layer)


def add_page(name):
    """A test of its own for each page."""
    def do(_):
        Page(name).do()
    claim = os.path.basename(name).lower().replace(".", "_")
    setattr(Documentation, f"test_{claim}_does_what_it_shows", do)


for _page in PAGES:
    add_page(_page)


def main():
    global BUILD
    BUILD = os.path.realpath(sys.argv[1])
    if "--update" not in sys.argv:
        tap.main()
    for name in PAGES:
        page = Page(name, is_updating=True)
        page.do()
        page.update()


if __name__ == "__main__":
    main()
