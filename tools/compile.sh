#!/bin/sh
# compile.sh - brings one build directory up to date: compile.sh DIRECTORY [MESON-OPTION...]
#
# A directory that was set up with other options is made anew, so that what is tested is what the
# options say; another --prefix or --libdir changes nothing but where things are installed, and a
# library that has been installed since is looked for again. Warnings are errors. Meson is heard
# only if it fails. TARGETS in the environment are all that is built.
# SPDX-License-Identifier: MIT
set -eu

dir=$1
shift
set -- --buildtype=debugoptimized -Dwerror=true "$@"
places=
others=
for option in "$@"; do
    case $option in
    --prefix=* | --libdir=*) places="$places -D${option#--}" ;;
    *) others="$others $option" ;;
    esac
done
stamp="CC=${CC-} CFLAGS=${CFLAGS-} LDFLAGS=${LDFLAGS-}$others"

# try COMMAND...: says what it said only if it fails.
try()
{
    if ! "$@" >"$dir/setup.log" 2>&1; then
        cat "$dir/setup.log" >&2
        exit 1
    fi
}

# What parts are left out without: Meson asks once, and someone who has made the demo may install
# the rest later. No pkg-config knows of valgrind.
libraries()
{
    for library in hiredis jansson raft sqlite3; do
        ! pkg-config --exists "$library" 2>/dev/null || printf '%s ' "$library"
    done
    ! command -v valgrind >/dev/null || printf 'valgrind '
}
libraries=$(libraries)

if [ ! -f "$dir/build.ninja" ] || [ "$(cat "$dir/.sennit-setup" 2>/dev/null)" != "$stamp" ]; then
    rm -rf "$dir"
    mkdir -p "$dir"
    try meson setup "$dir" "$@"
    printf '%s\n' "$stamp" >"$dir/.sennit-setup"
    printf '%s\n' "$places" >"$dir/.sennit-places"
    printf '%s\n' "$libraries" >"$dir/.sennit-libraries"
fi
if [ "$(cat "$dir/.sennit-libraries" 2>/dev/null)" != "$libraries" ]; then
    try meson setup --reconfigure "$dir"
    printf '%s\n' "$libraries" >"$dir/.sennit-libraries"
fi
if [ "$(cat "$dir/.sennit-places" 2>/dev/null)" != "$places" ]; then
    # shellcheck disable=SC2086 # a list of options
    try meson configure "$dir" $places
    printf '%s\n' "$places" >"$dir/.sennit-places"
fi
# Meson again, if a meson.build has changed.
try ninja -C "$dir" build.ninja
# Stacks are told by the folder that the library was compiled in: objects that a ccache has kept of
# another folder would be wrong, whatever its configuration says of that.
export CCACHE_HASHDIR=true CCACHE_BASEDIR=
[ -e "$dir/sennit" ] || echo "building in $dir: a minute or two" >&2
# shellcheck disable=SC2086 # a list of targets
exec ninja -C "$dir" --quiet ${TARGETS-}
