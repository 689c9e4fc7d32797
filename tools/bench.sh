#!/bin/sh
# bench.sh - runs every benchmark of a build directory, one after the other, alone.
# SPDX-License-Identifier: MIT
set -u

status=0
ran=0
for bench in "${1:-build}"/bench/*; do
    [ -f "$bench" ] && [ -x "$bench" ] || continue
    ran=$((ran + 1))
    echo "== ${bench##*/}"
    "$bench" || status=1
done
echo "$ran benchmarks ran"
[ "$ran" -gt 0 ] && exit "$status"
exit 1
