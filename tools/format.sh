#!/bin/sh
# format.sh - brings C files into the layout that tools/tidy asks for: format.sh [FILE...]
#
# Without files, all of the project's. Comments are wrapped only here, where a line is too wide: the
# checked-in .clang-format leaves them alone, so that tables and drawings stay as they were made.
# SPDX-License-Identifier: MIT
set -eu

cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046 # no file of ours has a space in its name
    set -- $(find include src systems examples bench tests -name '*.[ch]')
fi
style=$(mktemp)
trap 'rm -f "$style"' EXIT
sed 's/^ReflowComments: false/ReflowComments: true/' .clang-format >"$style"

# A ruled heading that is too wide loses dashes, and the licence at the end of a wide line gets one
# of its own, so that it is not torn apart; the rest is clang-format's.
sed -E -i ':again; /^.{101}/s|^(/\* ---- .*-)-( \*/)$|\1\2|; t again
    /^.{101}/s|^( \* .*[^ ]) +(SPDX-License-Identifier: .*)$|\1\n * \2|' "$@"
for file in "$@"; do
    if grep -qE '^.{101}' "$file"; then
        clang-format -i --style="file:$style" "$file"
    fi
done
clang-format -i "$@"
