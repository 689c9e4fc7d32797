#!/bin/sh
# install.sh - builds what is installed, installs it, and says what to put into the environment if
# it will not be found by itself: install.sh DIRECTORY PREFIX LIBDIR, with DESTDIR from outside.
#
# `sudo make install` in a user's own tree must not leave files there that the user cannot change:
# building is done by the user then, and only installing by root. SPDX-License-Identifier: MIT
set -eu

build=$1
prefix=$2
libdir=$3

# Who the build belongs to: to whom it does already, or who owns the folder that it will be made in.
place=$build
[ -e "$place" ] || place=$(dirname "$build")
owner=$(stat -c %U "$place")

set -- tools/compile.sh "$build" --prefix="$prefix" --libdir="$libdir"
if [ "$(id -u)" = 0 ] && [ "$owner" != root ] && [ "$owner" != UNKNOWN ] &&
    command -v runuser >/dev/null; then
    runuser -u "$owner" -- env TARGETS=installed "$@"
else
    TARGETS=installed "$@"
fi
meson install -C "$build" --no-rebuild --quiet
[ "$(id -u)" != 0 ] || chown -h "$owner" "$build/meson-logs/install-log.txt" 2>/dev/null || true
[ -z "${DESTDIR-}" ] || exit 0

# The loader learns of a new library of the system only so.
case $prefix in
/usr | /usr/local)
    if [ "$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then
        ldconfig
    fi
    ;;
esac

echo "Sennit is in $prefix. Begin with: sennit init DIR"
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "    export PATH=$prefix/bin:\$PATH" ;;
esac
if ! pkg-config --exists sennit 2>/dev/null; then
    echo "    export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig"
fi
