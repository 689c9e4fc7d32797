#!/usr/bin/env python3
"""completion - makes what bash, zsh and fish complete from what the command says with --help.

    completion.py --output DIR SENNIT

A verb that starts a program completes the program, then the options of test programs, which `sennit
test --help` lists. SPDX-License-Identifier: MIT
"""

import argparse
import os
import re
import sys

import help_text

# What a value can be, where the help has one word for it. Otherwise a value in capitals is free,
# except that these are looked for among files.
CHOICES = {
    "--color": ["auto", "always", "never"],
    "--isolate": ["fork", "none"],
    "--language": ["c", "c++"],
    "--timers": ["any", "ideal"],
}
FILES = {"DIR": "directory", "FILE": "file", "TRACE": "file"}


def kind(option):
    """How a value is completed: none, file, directory, free, or a list of words."""
    if option.long in CHOICES:
        return CHOICES[option.long]
    if not option.value:
        return "none"
    return FILES.get(option.value, "free")


def brief(option):
    """What an option does, in a line that fits beside it."""
    text = re.split(r"; | \(", option.about)[0]
    return text if len(text) <= 64 else text[:60].rsplit(" ", 1)[0].rstrip(",:") + " ..."


def takes_program(verb):
    return verb.usage.startswith("PROGRAM")


def options_of(verb, verbs):
    """A program that is stepped through takes what a program that is run does, besides."""
    found = list(verb.options)
    if takes_program(verb):
        known = {option.long for option in found}
        for other in verbs:
            if takes_program(other):
                found += [o for o in other.options if o.long not in known]
                known |= {o.long for o in other.options}
    if "--help" not in [option.long for option in found]:
        found.append(help_text.Option("-h", "--help", "", "this text"))
    return found


# ---- bash ----------------------------------------------------------------------------------------

BASH = """\
# sennit - completion for bash, made from what `sennit --help` says. SPDX-License-Identifier: MIT

_sennit_complete()
{
    COMPREPLY=($(compgen "$@" -- "$cur"))
}

_sennit()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev= verb=${COMP_WORDS[1]} IFS=$'\\n'
    COMPREPLY=()
    ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
    # A word with = in it comes in three pieces.
    if [[ $cur == "=" ]]; then
        cur=
    elif [[ $prev == "=" ]] && ((COMP_CWORD > 1)); then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
        _sennit_complete -W @VERBS@
        return
    fi
    case $verb:$prev in
@VALUES@
    esac
    case $verb in
@OPTIONS@
    esac
}

complete -F _sennit sennit
"""


def words(names):
    """A list for compgen -W, whose words are apart by newlines."""
    return "$'" + "\\n".join(names) + "'"


def bash_value(how):
    if how == "file":
        return "compopt -o filenames 2>/dev/null\n        _sennit_complete -f"
    if how == "directory":
        return "compopt -o filenames 2>/dev/null\n        _sennit_complete -d"
    if how == "free":
        return ":"
    return "_sennit_complete -W " + words(how)


def bash(verbs):
    values = []
    options = []
    for verb in verbs:
        names = []
        for option in options_of(verb, verbs):
            own = [name for name in (option.short, option.long) if name]
            names += own
            how = kind(option)
            if how != "none":
                patterns = " | ".join(f"{verb.name}:{name}" for name in own)
                values.append(f"    {patterns})\n        {bash_value(how)}\n        return ;;")
        other = "-d" if verb.usage.endswith("DIR") else "-f"
        options.append(
            f"    {verb.name})\n        if [[ $cur == -* ]]; then\n"
            f"            _sennit_complete -W {words(names)}\n        else\n"
            f"            compopt -o filenames 2>/dev/null\n"
            f"            _sennit_complete {other}\n        fi ;;")
    top = [verb.name for verb in verbs] + ["--help", "--version"]
    return BASH.replace("@VERBS@", words(top)).replace("@VALUES@", "\n".join(values)).replace(
        "@OPTIONS@", "\n".join(options))


# ---- zsh -----------------------------------------------------------------------------------------

ZSH = """\
#compdef sennit
# _sennit - completion for zsh, made from what `sennit --help` says. SPDX-License-Identifier: MIT

_sennit()
{
    local -a verbs
    verbs=(
@VERBS@
    )
    if ((CURRENT == 2)); then
        _describe -t verbs verb verbs
        _arguments '(-h --help)'{-h,--help}'[describe the command]' '--version[print the version]'
        return
    fi
    shift words
    ((CURRENT--))
    case $words[1] in
@OPTIONS@
    esac
}

_sennit "$@"
"""


def zsh_quote(text):
    return text.replace("'", "'\\''")


def zsh_about(text):
    return zsh_quote(re.sub(r"([\[\]:\\])", r"\\\1", text))


def zsh_value(option):
    how = kind(option)
    if how == "none":
        return ""
    what = option.value or "VALUE"
    if how == "file":
        return f":{what}:_files"
    if how == "directory":
        return f":{what}:_files -/"
    return f":{what}:" + ("" if how == "free" else f"({' '.join(how)})")


def zsh_option(option):
    about, value = zsh_about(brief(option)), zsh_value(option)
    long = option.long + ("=" if value else "")
    if not option.short:
        return f"            '{long}[{about}]{value}'"
    short = option.short + ("+" if value else "")
    return (f"            '({option.short} {option.long})'{{{short},{long}}}"
            f"'[{about}]{value}'")


def zsh(verbs):
    options = []
    for verb in verbs:
        lines = [zsh_option(option) for option in options_of(verb, verbs)]
        target = "_files -/" if verb.usage.endswith("DIR") else "_files"
        rest = "'1:program:_files -g \"*(-*)\"'" if takes_program(verb) else f"'1:file:{target}'"
        lines.append(f"            {rest}")
        if "[ARGUMENT...]" in verb.usage or takes_program(verb):
            lines.append("            '*:argument:_files'")
        options.append(f"    {verb.name})\n        _arguments \\\n" + " \\\n".join(lines) + " ;;")
    described = "\n".join(f"        '{verb.name}:{zsh_about(verb.about)}'" for verb in verbs)
    text = ZSH.replace("@VERBS@", described).replace("@OPTIONS@", "\n".join(options))
    return re.sub(r" +\n", "\n", text)


# ---- fish ----------------------------------------------------------------------------------------


def fish_quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_option(verb, option):
    how = kind(option)
    line = f"complete -c sennit -n '__fish_seen_subcommand_from {verb.name}'"
    if option.short:
        line += f" -s {option.short[1:]}"
    line += f" -l {option.long[2:]}"
    if how == "directory":
        line += " -x -a '(__fish_complete_directories)'"
    elif how == "file":
        line += " -r -F"
    elif how == "free":
        line += " -x"
    elif how != "none":
        line += f" -x -a {fish_quote(' '.join(how))}"
    return line + f" -d {fish_quote(brief(option))}"


def fish(verbs):
    names = " ".join(verb.name for verb in verbs)
    lines = ["# sennit.fish - completion for fish, made from what `sennit --help` says.",
             "# SPDX-License-Identifier: MIT"]
    none = f"complete -c sennit -n 'not __fish_seen_subcommand_from {names}'"
    lines.append(none + " -f -s h -l help -d 'describe the command'")
    lines.append(none + " -f -l version -d 'print the version'")
    for verb in verbs:
        lines.append(none + f" -f -a {verb.name} -d {fish_quote(verb.about)}")
    for verb in verbs:
        if verb.usage.endswith("DIR"):
            lines.append(f"complete -c sennit -n '__fish_seen_subcommand_from {verb.name}' -x "
                         "-a '(__fish_complete_directories)'")
        lines += [fish_option(verb, option) for option in options_of(verb, verbs)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", required=True)
    parser.add_argument("command")
    arguments = parser.parse_args()
    verbs = help_text.verbs(arguments.command)
    for name, make in (("sennit", bash), ("_sennit", zsh), ("sennit.fish", fish)):
        with open(os.path.join(arguments.output, name), "w", encoding="utf-8") as file:
            file.write(make(verbs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
