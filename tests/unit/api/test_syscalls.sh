#!/bin/sh
# test_syscalls.sh - a run makes no system call per step: test_syscalls.sh PROGRAM
# Prints TAP. SPDX-License-Identifier: MIT
set -u

program=$1
claim="no_system_call_is_made_per_step_or_trial_once_warm"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "1..1"
if ! command -v strace >/dev/null; then
    echo "ok 1 - $claim # SKIP strace is not installed"
    exit 0
fi

# The number of system calls of a run with so many trials.
count()
{
    strace -f -o "$work/calls" "$program" -i "$1" -q >/dev/null || return 1
    wc -l <"$work/calls"
}

few=$(count 1000) && many=$(count 21000) || {
    echo "not ok 1 - $claim"
    echo "# the program cannot be run under strace"
    exit 1
}
# Files and mappings are looked at thoroughly every 1024 trials: some fifty calls each time.
if [ $((many - few)) -lt 2000 ]; then
    echo "ok 1 - $claim"
else
    echo "not ok 1 - $claim"
    echo "# $((many - few)) calls more for 20000 trials more"
    exit 1
fi
