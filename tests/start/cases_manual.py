"""cases_manual - the pages of the manual: complete, well-formed, with examples that compile.

What there must be a page for is read from the library and by the compiler, not by the reader of
headers that the pages are made with. SPDX-License-Identifier: MIT
"""

import functools
import os
import re
import textwrap

import place

WARNINGS = ["-std=gnu17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


@functools.cache
def symbols():
    """The names that libsennit.so exports as its own: functions, objects. What only macros call
    ends in an underscore."""
    sennit = place.installation()
    lines = place.run(["nm", "-D", "--defined-only",
                       os.path.join(sennit.libdir, "libsennit.so")]).stdout.splitlines()
    kinds = {line.split()[2]: line.split()[1] for line in lines
             if " sn_" in line and not line.endswith("_")}
    return ([name for name, kind in kinds.items() if kind == "T"],
            [name for name, kind in kinds.items() if kind != "T"])


@functools.cache
def preprocessed():
    """The public headers as the compiler sees them, and the macros they define."""
    include = f"-I{place.installation().prefix}/include"
    command = ["gcc", "-E", include, "-include", "sennit/sennit.h", "-xc", "/dev/null"]
    code = place.run(command + ["-P"]).stdout
    macros = place.run(command + ["-dM"]).stdout
    return code, re.findall(r"^#define ((?:sn|SN)_\w*[A-Za-z0-9])(?=[ (])", macros, re.MULTILINE)


@functools.cache
def page(name, section=3):
    """The source of a page."""
    path = os.path.join(place.installation().man, f"man{section}", f"{name}.{section}")
    with open(path, encoding="utf-8") as file:
        return file.read()


def pages():
    folder = os.path.join(place.installation().man, "man3")
    return sorted(name.removesuffix(".3") for name in os.listdir(folder))


def render(name, section=3):
    """A page as text."""
    path = os.path.join(place.installation().man, f"man{section}", f"{name}.{section}")
    text = place.run(["mandoc", "-Tascii", "-Owidth=200", path]).stdout
    return re.sub(r".\x08", "", text)


def section_of(text, title):
    match = re.search(rf"^{title}\n(.*?)(?=^\S)", text, re.MULTILINE | re.DOTALL)
    return textwrap.dedent(match.group(1)) if match else ""


class Manual(place.Case):
    def test_every_function_has_a_page(self):
        functions, _ = symbols()
        self.assertGreater(len(functions), 50)
        self.assertEqual(set(functions) - set(pages()), set())

    def test_every_object_has_a_page(self):
        _, objects = symbols()
        self.assertGreater(len(objects), 10)
        self.assertEqual(set(objects) - set(pages()), set())

    def test_every_type_has_a_page(self):
        code, _ = preprocessed()
        types = re.findall(r"\b(?:struct|enum) (sn_\w+)", code)
        types += re.findall(r"^typedef [^;]*?\b(sn_\w+)(?:\(|;)", code, re.MULTILINE)
        self.assertIn("sn_id", types)
        self.assertEqual(set(types) - set(pages()), set())

    def test_every_macro_has_a_page(self):
        _, macros = preprocessed()
        self.assertIn("SN_FIELD", macros)
        self.assertEqual(set(macros) - set(pages()), set())

    def test_no_page_is_about_what_there_is_not(self):
        functions, objects = symbols()
        code, macros = preprocessed()
        known = set(functions) | set(objects) | set(macros) | set(re.findall(r"\b\w+\b", code))
        self.assertEqual(set(pages()) - known, {"sennit"})

    def test_every_page_of_a_function_has_all_parts(self):
        functions, _ = symbols()
        for name in functions:
            parts = re.findall(r"^\.SH (.*)$", page(name), re.MULTILINE)
            wanted = ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "SEE ALSO"]
            self.assertEqual([part for part in wanted if part not in parts], [], name)

    def test_every_macro_with_arguments_has_an_example(self):
        _, macros = preprocessed()
        for name in macros:
            if re.search(rf"^{name}\(", page(name), re.MULTILINE):
                self.assertIn(".SH EXAMPLES", page(name))

    def test_every_function_that_returns_something_says_what(self):
        functions, _ = symbols()
        code, _ = preprocessed()
        for name in functions:
            result = re.search(rf"^(.*?)\b{name}\(", code, re.MULTILINE).group(1).strip()
            has_part = ".SH RETURN VALUE\n" in page(name)
            self.assertEqual(has_part, result != "void", f"{result} {name}")

    def test_every_synopsis_is_the_declaration(self):
        functions, _ = symbols()
        self.need("mandoc")
        for name in functions:
            source = section_of(render(name), "SYNOPSIS")
            with open(self.path(name + ".c"), "w", encoding="utf-8") as file:
                file.write(source)  # the same declaration again: any difference is an error
        self.succeed(".", "gcc", *WARNINGS, "-fsyntax-only", f"-I{self.sennit.prefix}/include",
                     *[self.path(name + ".c") for name in functions])

    def test_every_example_compiles_as_the_page_shows_it_and_passes(self):
        self.need("mandoc")
        examples = {}
        for name in pages():
            if ".SH EXAMPLES" in page(name):
                code = section_of(render(name), "EXAMPLES").split("\n", 1)[1]
                self.assertRegex(code, rf"\b{name}\b")
                examples.setdefault(textwrap.dedent(code), name)
        self.assertGreater(len(examples), 10)
        for code, name in examples.items():
            with open(self.path(name + ".c"), "w", encoding="utf-8") as file:
                file.write(code)
            self.succeed(".", "gcc", *WARNINGS, name + ".c", "-o", name, *self.sennit.flags())
            self.succeed(".", "./" + name)

    def test_see_also_names_pages_that_exist(self):
        known = set(pages())
        for name in pages():
            part = page(name).split(".SH SEE ALSO\n")[1]
            for other in re.findall(r"^\.BR (\S+) \(3\)", part, re.MULTILINE):
                self.assertIn(other.replace("\\-", "-"), known, name)

    def test_man_finds_a_page_by_the_name_of_a_function(self):
        self.need("man")
        done = place.run(["man", "-M", self.sennit.man, "sn_timer_start"],
                         env=place.environment(MANPAGER="cat", MANWIDTH="80"))
        text = re.sub(r"\s+", " ", re.sub(r".\x08", "", done.stdout))
        self.assertIn("NAME sn_timer_start - ", text)

    def files(self):
        return [os.path.join(self.sennit.man, f"man{section}", name) for section in (1, 3)
                for name in sorted(os.listdir(os.path.join(self.sennit.man, f"man{section}")))]

    def test_mandoc_has_no_warning(self):
        # There is no date on the pages: they are as old as the headers that they are made from.
        self.need("mandoc")
        done = place.run(["mandoc", "-Tlint", "-Wwarning", *self.files()])
        lines = [line for line in done.stdout.splitlines() if "missing date" not in line]
        self.assertEqual(lines, [])

    def test_groff_has_no_warning(self):
        self.need("groff")
        done = place.run(["groff", "-man", "-ww", "-z", "-Tutf8", *self.files()])
        # Lines that are not filled may be longer than the page of a test.
        lines = [line for line in done.stdout.splitlines() if "can't break line" not in line]
        self.assertEqual(lines, [])

    def test_the_page_of_the_command_names_every_verb_and_every_flag(self):
        self.need("mandoc")
        text = render("sennit", 1)
        verbs = re.findall(r"^  sennit (\w+) ", self.sennit.help(), re.MULTILINE)
        self.assertIn("init", verbs)
        for verb in verbs:
            part = re.search(rf"^   sennit {verb} .*?(?=^   sennit |^\S)", text,
                             re.MULTILINE | re.DOTALL).group()
            flags = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", self.sennit.help(verb)))
            self.assertEqual(flags - set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", part)), set())
