#!/bin/sh
# demo.sh - finds the bug of the Azure extent manager, makes it small, replays it, shows and
# explains it, writes a report of it, and runs the repaired version. Called by `make demo` with the
# build directory.
# DEMO_TRIALS is how many trials the explanation may ask; the repaired version runs a third of that.
# SPDX-License-Identifier: MIT
set -u
build=${1:-build}
suite=$build/systems/extent_manager
out=$build/demo
trials=${DEMO_TRIALS:-60000}
rm -rf "$out"
export SENNIT_NO_SHRINK=0 SENNIT_NO_REPORT=0

fail() {
    echo "demo: $*" >&2
    exit 1
}

say() {
    printf '\n== %s\n' "$*"
}

say "An extent must have three replicas. One node fails, a new one starts: is it ever repaired?"
echo "\$ $suite --bug stale-report --filter repair --outdir $out"
"$suite" --bug stale-report --filter repair --outdir "$out"
[ $? -eq 1 ] || fail "the bug was not found"
trace=$(ls "$out"/*[0-9].trace) || fail "there is no trace"
shrunk=$(ls "$out"/*.shrunk.trace) || fail "it was not made small"

say "The small one again: the same failure"
echo "\$ $build/sennit replay $shrunk"
"$build/sennit" replay "$shrunk"
[ $? -eq 1 ] || fail "the replay did not fail in the same way"

say "What happens in it: the steps that change something"
echo "\$ $build/sennit show --brief $shrunk"
"$build/sennit" show --brief "$shrunk" >"$out/show.txt" || fail "the trace cannot be shown"
# What was held up is for those who want to know it exactly.
sed -e '/ until step /d' -e '/ with these exceptions /d' "$out/show.txt"

say "Why: thousands of other trials are asked"
echo "\$ $build/sennit explain -i $trials $trace"
"$build/sennit" explain -i "$trials" "$trace"
status=$?
[ $status -eq 0 ] || [ $status -eq 3 ] || fail "the failure cannot be explained"
report=$(ls "$out"/*[0-9].html) || fail "there is no report"
echo
echo "All steps: $build/sennit show $shrunk"

say "To look at: one file, for any browser, with all of this"
echo "$report"

say "The repaired version, which ignores such reports: $((trials / 3)) trials of each test"
echo "\$ $suite --iterations $((trials / 3))"
"$suite" --iterations $((trials / 3)) || fail "the repaired version failed"
