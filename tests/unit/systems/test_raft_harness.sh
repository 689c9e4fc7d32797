#!/bin/sh
# test_raft_harness.sh - the correct Raft passes, each seeded bug is caught by the right oracle:
#   test_raft_harness.sh RAFT SOURCE_FOLDER
# Seeds are such that each bug is found early. The limits are far above the medians of README.md, so
# that a change of the engine, which gives every seed other trials, does not break the test.
# Prints TAP. SPDX-License-Identifier: MIT
set -u

program=$(realpath "$1")
sources=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
failures=0

# judge CLAIM DETAILS: the result of the command before, as a line of TAP.
judge()
{
    passed=$?
    n=$((n + 1))
    if [ "$passed" -eq 0 ]; then
        echo "ok $n - $1"
    else
        failures=$((failures + 1))
        echo "not ok $n - $1"
        printf '%s\n' "$2" | sed 's/^/# /'
    fi
}

# run CODE TEXT ARGUMENT...: whether a run with these arguments exits with CODE and prints TEXT.
run()
{
    wanted_code=$1
    wanted_text=$2
    shift 2
    out=$("$program" "$@" --outdir "$work" 2>&1 </dev/null)
    code=$?
    case $out in *"$wanted_text"*) [ "$code" -eq "$wanted_code" ] ;; *) false ;; esac
}

# passes TEST: the correct version survives a number of trials.
passes()
{
    run 0 "raft/$1: no bug found" -f "$1" -i 300
    judge "the correct version passes $1" "$out"
}

# finds BUG SEED ORACLE: the bug is found, and what reports it says ORACLE.
finds()
{
    run 1 "$3" --bug "$1" --seed "$2" -i 60000
    judge "$1 is found" "$out"
}

# differs_little BUG: the component asks for the bug's flag in one place.
differs_little()
{
    flag=$(echo "$1" | tr - _)
    places=$(grep -c "bugs\.$flag" "$sources"/*.c | grep -v ':0$' | grep -v main.c)
    [ "$(echo "$places" | grep -c ':1$')" -eq 1 ] && [ "$(echo "$places" | wc -l)" -eq 1 ]
    judge "$1 is one condition" "$places"
}

tests="election replication partitions restart disks snapshot membership reads all progress"
bugs=$("$program" --bugs | cut -f 1)

echo 1..$((10 + 2 * $(echo "$bugs" | wc -l) + 1))
for test in $tests; do
    passes "$test"
done
finds forget-vote 1 "are both leader of term"
finds one-shot-candidate 1 "monitor Progress is still hot (state Owing)"
finds compare-lengths 1 "log_matching.c"
finds truncate-always 1 "leader_completeness.c"
finds commit-unverified 6 "leader_completeness.c"
finds count-old-term 4 "leader_completeness.c"
finds double-apply 1 "exactly_once.c"
finds stale-read 1 "fresh_reads.c"
finds early-read 3 "fresh_reads.c"
finds ack-before-sync 1 "leader_completeness.c"
finds trust-unsynced 6 "leader_completeness.c"
finds stale-snapshot 1 "state_machine_safety.c"
finds snapshot-forgets-sessions 1 "exactly_once.c"
finds overlapping-changes 4 "assert: "
for bug in $bugs; do
    differs_little "$bug"
done
run 1 "fresh_reads.c" --bug stale-read --replay "$(ls "$work"/raft-reads-*.trace | head -n 1)"
judge "a trace fails again" "$out"
[ "$failures" -eq 0 ]
