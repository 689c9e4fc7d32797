#!/bin/sh
# demo.sh - finds the bug of the Azure extent manager, replays it twice, shows it, and runs the
# repaired version 100,000 times. Called by `make demo` with the build directory.
# SPDX-License-Identifier: MIT
set -u
build=${1:-build}
suite=$build/systems/extent_manager
out=$build/demo
rm -rf "$out"

fail() {
    echo "demo: $*" >&2
    exit 1
}

say() {
    printf '\n== %s\n' "$*"
}

say "An extent must have three replicas. One node fails, a new one starts: is it ever repaired?"
echo "\$ $suite --bug stale-report --filter repair --outdir $out"
"$suite" --bug stale-report --filter repair --iterations 100000 --outdir "$out"
[ $? -eq 1 ] || fail "the bug was not found"
trace=$(ls "$out"/*.trace) || fail "there is no trace"

for time in first second; do
    say "The same trial again, for the $time time"
    echo "\$ $build/sennit replay $trace"
    "$build/sennit" replay "$trace"
    [ $? -eq 1 ] || fail "the replay did not fail in the same way"
done

say "What happened: the steps that changed something"
echo "\$ $build/sennit show --brief $trace"
"$build/sennit" show --brief "$trace" || fail "the trace cannot be shown"
cat <<TEXT

The node fails, is given up, and then its last report, long under way, is delivered. The manager
believes in three replicas again and never repairs. All steps: $build/sennit show $trace
TEXT

say "The repaired version, which ignores such reports: 100,000 trials of each test"
echo "\$ $suite --iterations 100000"
"$suite" --iterations 100000 || fail "the repaired version failed"
