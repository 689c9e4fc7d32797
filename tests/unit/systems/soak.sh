#!/bin/sh
# soak.sh - the correct version of a system survives many trials of every strategy:
#   soak.sh SYSTEM TRIALS [ARGUMENT...]
# Each time with another seed, which is part of the claim: a failure can be had again by it.
# Prints TAP. SPDX-License-Identifier: MIT
set -u

program=$(realpath "$1")
trials=$2
shift 2
arguments=$*
seed=${SENNIT_SOAK_SEED:-$(date +%s)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
n=0

set -- random pos posr pct:2 pct:3 pct:5 sr portfolio
echo "1..$#"
for strategy in "$@"; do
    n=$((n + 1))
    claim="the correct version survives $trials trials of $strategy with seed $seed"
    # shellcheck disable=SC2086 # a list of arguments
    if out=$("$program" $arguments -s "$strategy" -i "$trials" --seed "$seed" -o "$work" \
        2>&1 </dev/null); then
        echo "ok $n - $claim"
    else
        failures=$((failures + 1))
        echo "not ok $n - $claim"
        printf '%s\n' "$out" | sed 's/^/# /'
    fi
done
[ "$failures" -eq 0 ]
