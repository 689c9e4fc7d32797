#!/bin/sh
# compile.sh - brings one build directory up to date: compile.sh DIRECTORY [MESON-OPTION...]
#
# A directory that was set up with other options is made anew, so that what is tested is what the
# options say. Warnings are errors. Meson is heard only if it fails. SPDX-License-Identifier: MIT
set -eu

dir=$1
shift
set -- --buildtype=debugoptimized -Dwerror=true "$@"
stamp="CC=${CC-} CFLAGS=${CFLAGS-} LDFLAGS=${LDFLAGS-} $*"

if [ ! -f "$dir/build.ninja" ] || [ "$(cat "$dir/.sennit-setup" 2>/dev/null)" != "$stamp" ]; then
    echo "building in $dir: a minute or two" >&2
    rm -rf "$dir"
    mkdir -p "$dir"
    if ! meson setup "$dir" "$@" >"$dir/setup.log" 2>&1; then
        cat "$dir/setup.log" >&2
        exit 1
    fi
    printf '%s\n' "$stamp" >"$dir/.sennit-setup"
fi
# Meson again, if a meson.build has changed.
if ! ninja -C "$dir" build.ninja >"$dir/setup.log" 2>&1; then
    cat "$dir/setup.log" >&2
    exit 1
fi
exec ninja -C "$dir" --quiet
