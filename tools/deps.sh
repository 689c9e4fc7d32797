#!/bin/sh
# deps.sh - sees to it that what the build and the tests need is on this machine.
#
#   tools/deps.sh install      what the library and the command cannot be built without
#   tools/deps.sh build        and the tests
#   tools/deps.sh build test   and what the tests use if it is there
#
# Missing Debian packages are installed when this runs as root; otherwise the command that installs
# them is printed, and only a missing package of the first kind is an error. Looks at files and
# commands instead of asking dpkg: it runs before every make, and other systems have no dpkg.
# SPDX-License-Identifier: MIT
set -u

has_command()
{
    command -v "$1" >/dev/null 2>&1
}

# True if one of the files exists; the arguments may be patterns that matched nothing.
has_file()
{
    for file in "$@"; do
        [ -e "$file" ] && return 0
    done
    return 1
}

# Sets `required`, `useful` (parts are left out without them) and `wanted` to the packages that are
# missing.
look()
{
    required=
    useful=
    wanted=
    has_command gcc || required="$required gcc"
    has_file /usr/include/stdlib.h || required="$required libc6-dev"
    has_command meson || required="$required meson"
    has_command ninja || required="$required ninja-build"
    has_command pkg-config || required="$required pkg-config"
    has_command python3 || required="$required python3"
    has_command pkg-config && pkg-config --exists jansson || useful="$useful libjansson-dev"
    has_command pkg-config && pkg-config --exists sqlite3 || useful="$useful libsqlite3-dev"
    case " $* " in
    *" install "*) ;;
    *) has_command pkg-config && pkg-config --exists cmocka || required="$required libcmocka-dev" ;;
    esac
    case " $* " in
    *" test "*) look_for_tests ;;
    esac
}

look_for_tests()
{
    has_command clang || wanted="$wanted clang"
    has_command clang-format || wanted="$wanted clang-format"
    has_file /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.asan-*.a ||
        wanted="$wanted $(clang_runtime)"
    has_command valgrind || wanted="$wanted valgrind"
    has_command aarch64-linux-gnu-gcc || wanted="$wanted gcc-aarch64-linux-gnu"
    has_file /usr/aarch64-linux-gnu/include/stdlib.h || wanted="$wanted libc6-dev-arm64-cross"
    has_command qemu-aarch64 || wanted="$wanted qemu-user"
    has_command cmake || wanted="$wanted cmake"
    has_command g++ || wanted="$wanted g++"
    pkg-config --exists criterion 2>/dev/null || wanted="$wanted libcriterion-dev"
    pkg-config --exists raft 2>/dev/null || wanted="$wanted libraft-dev"
    pkg-config --exists hiredis 2>/dev/null || wanted="$wanted libhiredis-dev"
    has_command mandoc || wanted="$wanted mandoc"
    has_command groff || wanted="$wanted groff-base"
    has_command man || wanted="$wanted man-db"
    has_command dot || wanted="$wanted graphviz"
    has_command unison || wanted="$wanted unison"
    has_command zsh || wanted="$wanted zsh"
    has_command fish || wanted="$wanted fish"
    has_command chromium || wanted="$wanted chromium"
}

# The package with the sanitizers of the clang that is there, or that Debian 12 would install.
clang_runtime()
{
    version=$(clang -dumpversion 2>/dev/null)
    version=${version:-14}
    echo "libclang-rt-${version%%.*}-dev"
}

# Installs packages. Quiet unless it fails.
install()
{
    echo "deps: installing $*" >&2
    log=$(mktemp) || return 1
    export DEBIAN_FRONTEND=noninteractive
    # A list that cannot be fetched may not be one that is needed: the installation decides.
    apt-get update -qq >"$log" 2>&1
    if apt-get install -y -qq --no-install-recommends "$@" >>"$log" 2>&1; then
        rm -f "$log"
        return 0
    fi
    cat "$log" >&2
    rm -f "$log"
    return 1
}

look "$@"
if [ -n "$required$useful$wanted" ] && [ "$(id -u)" = 0 ] && has_command apt-get; then
    # shellcheck disable=SC2086 # a list of names
    install $required $useful $wanted
    look "$@"
fi
if [ -n "$useful" ]; then
    echo "deps: \`sennit events\` will be left out; for it: sudo apt-get install$useful" >&2
fi
if [ -n "$wanted" ]; then
    echo "deps: some tests will be skipped; for all of them: sudo apt-get install$wanted" >&2
fi
if [ -n "$required" ]; then
    echo "deps: missing, needed to build: sudo apt-get install$required" >&2
    exit 1
fi
exit 0
