#!/bin/sh
# test_ds2_harness.sh - DS2's objects in their suite: what is found, counted, passed on to a replay:
#   test_ds2_harness.sh PROGRAM FOLDER
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/system_harness.sh"

# exhausts CLAIM CODE N ARGUMENT...: every schedule is run, and there are N.
exhausts()
{
    claim=$1
    shift
    wanted_code=$1
    wanted=$2
    shift 2
    verify "$claim" "$wanted_code" "    every schedule of this test was run
    schedules: $wanted" -s dfs -k -i 100000 "$@"
}

# finds_seeded BUG FILE TRIALS: the bug is found, its trace fails again, and it is a few lines long.
finds_seeded()
{
    rm -f "$work"/*.trace
    verify "$1 is found" 1 "linear: read()" --bug "$1" -i "$3"
    verify "the trace of $1 fails again" 1 "failed again" --replay "$(ls "$work"/*.trace)"
    lines=$(grep -c "has_bug" "$folder/$2")
    [ "$lines" -eq 1 ]
    judge "$1 is one condition" "$((! $?))" "has_bug is used in $lines lines"
}

exhausts "the register has 4200 schedules" 0 4200 -f register
exhausts "as published it has as many" 0 4200 -f register --variant asis
exhausts "the erroneous register has 252 schedules, and fails" 1 252 -f erroneous
exhausts "another register has 1680 schedules" 0 1680 -f another
exhausts "chord has 18396 schedules, and fails" 1 18396 -f chord
exhausts "another number of reads makes another number of schedules" 0 35 -f register --reads 1
exhausts "of writes too" 0 11550 -f register --reads 1 --writes 2
exhausts "of agents too" 1 720 -f erroneous --agents 4 --reads 1
exhausts "variant is accepted by objects that have none" 1 252 -f erroneous --variant asis
passes "paxos passes" paxos 20000
passes "zab passes" zab 20000
passes "raft passes" raft 20000
verify "another number of agents and timeouts passes" 0 "no bug found" \
    -f raft --agents 5 --timeouts 4 --writes 2 -i 5000
verify "the erroneous register is found out by random" 1 "linear: read() = 0" -f erroneous
verify "chord is found out by random" 1 "linear: read(1) = nil" -f chord
finds_seeded raft-second-vote raft.c 100000
finds_seeded zab-own-history zab.c 100000

rm -f "$work"/*.trace
"$program" -f erroneous --agents 4 --reads 3 -o "$work" >/dev/null 2>&1
verify "a trace remembers the options of the program" 1 "failed again" \
    --replay "$(ls "$work"/*.trace)"
verify "how to reproduce it names them" 1 "reproduce: $program --reads 3 --agents 4 --replay" \
    -f erroneous --agents 4 --reads 3
verify "too many agents are refused" 2 "--agents needs a whole number from 2 to 7, not \"8\"" \
    -f register --agents 8
verify "an unknown variant is refused" 2 "--variant can be fixed or asis, not \"new\"" \
    -f register --variant new
verify "help tells of the options" 0 "--reads N        how many operations of clients read" --help
finish
