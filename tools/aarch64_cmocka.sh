#!/bin/sh
# aarch64_cmocka.sh - puts Debian's cmocka for 64-bit ARM into a directory: aarch64_cmocka.sh DIR
#
# The unit tests need it, and Debian has no cross package of it. Nothing is installed: apt fetches
# (and authenticates) the two packages with lists of its own, so no foreign architecture is added to
# the machine. Leaves DIR/cmocka.pc for pkg-config, or fails. SPDX-License-Identifier: MIT
set -eu

mkdir -p "$1"
dir=$(cd "$1" && pwd)
[ -f "$dir/cmocka.pc" ] && exit 0

# The empty file takes the place of the machine's apt configuration and of its list of packages.
mkdir -p "$dir/apt/lists/partial" "$dir/apt/archives/partial"
: >"$dir/apt/status"
apt()
{
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$dir/apt" \
        -o Dir::State::lists="$dir/apt/lists" -o Dir::State::status="$dir/apt/status" \
        -o Dir::Cache="$dir/apt" -o Dir::Cache::archives="$dir/apt/archives" \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none "$@"
}
apt update || true # a source without arm64 is no matter; the download decides
(cd "$dir/apt" && apt download libcmocka0 libcmocka-dev)
for package in "$dir"/apt/libcmocka*.deb; do
    dpkg-deb -x "$package" "$dir"
done
rm -rf "$dir/apt"

version=$(sed -n 's/^Version: *//p' "$dir/usr/lib/aarch64-linux-gnu/pkgconfig/cmocka.pc")
cat >"$dir/cmocka.pc" <<END
Name: cmocka
Description: unit tests in C, for aarch64
Version: $version
Libs: -L$dir/usr/lib/aarch64-linux-gnu -lcmocka
Cflags: -I$dir/usr/include
END
