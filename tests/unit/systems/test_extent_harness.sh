#!/bin/sh
# test_extent_harness.sh - the correct extent manager passes, the defective one is caught:
#   test_extent_harness.sh EXTENT_MANAGER TRIALS
# TRIALS is how many the correct one must pass; those that are to find the defect are as many as it
# takes. Prints TAP. SPDX-License-Identifier: MIT
set -u

program=$(realpath "$1")
trials=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
failures=0

# verify CLAIM CODE TEXT ARGUMENT...: a run with these arguments exits with CODE and prints TEXT.
verify()
{
    claim=$1
    wanted_code=$2
    wanted_text=$3
    shift 3
    n=$((n + 1))
    out=$("$program" "$@" --outdir "$work" 2>&1 </dev/null)
    code=$?
    case $out in *"$wanted_text"*) has_text=1 ;; *) has_text=0 ;; esac
    if [ "$code" -eq "$wanted_code" ] && [ "$has_text" -eq 1 ]; then
        echo "ok $n - $claim"
    else
        failures=$((failures + 1))
        echo "not ok $n - $claim"
        printf '%s\n' "code $code, wanted $wanted_code: $wanted_text" "$out" | sed 's/^/# /'
    fi
}

hot="lasso: monitor RepairMonitor can be hot (state Repairing) for ever"
unjudged="monitor RepairMonitor was hot at the limit of 2000 steps but is not judged"

echo 1..13
verify "a correct manager replicates in every trial" 0 "no bug found" -f replicate -i "$trials"
verify "a correct manager repairs in every trial" 0 "no bug found" -f repair -i "$trials"
for strategy in pct:2 pct:3 pos posr dfs; do
    verify "a correct manager is not accused under $strategy" 0 "no bug found" -s $strategy \
        -i $((trials / 10))
done
verify "an accepted stale report is found" 1 "$hot" --bug stale-report -i 3000
verify "its trace fails again" 1 "$hot" --bug stale-report --replay "$(ls "$work"/*.trace)"
for strategy in pct:2 pct:3 pos; do
    verify "$strategy finds it" 1 "$hot" --bug stale-report -s $strategy -i 3000
done
verify "without a fair tail pct:3 does not, and the run says why" 0 "$unjudged" --bug stale-report \
    -s pct:3@1,pct:3 -i 600
[ "$failures" -eq 0 ]
