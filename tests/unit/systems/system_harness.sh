# system_harness.sh - what the tests of the systems' suites have in common. To be sourced by
#   test_NAME_harness.sh PROGRAM FOLDER
# where FOLDER has the source of the system. Prints TAP. SPDX-License-Identifier: MIT
set -u

program=$(realpath "$1")
folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
failures=0

# judge CLAIM OK TEXT: prints one result, with a text that explains a failure.
judge()
{
    n=$((n + 1))
    if [ "$2" -eq 1 ]; then
        echo "ok $n - $1"
    else
        failures=$((failures + 1))
        echo "not ok $n - $1"
        printf '%s\n' "$3" | sed 's/^/# /'
    fi
}

# verify CLAIM CODE TEXT ARGUMENT...: a run with these arguments exits with CODE and prints TEXT.
verify()
{
    claim=$1
    wanted_code=$2
    wanted_text=$3
    shift 3
    out=$("$program" "$@" --outdir "$work" 2>&1 </dev/null)
    code=$?
    case $out in *"$wanted_text"*) has_text=1 ;; *) has_text=0 ;; esac
    [ "$code" -eq "$wanted_code" ] || has_text=0
    judge "$claim" "$has_text" "code $code, wanted $wanted_code: $wanted_text
$out"
}

# passes CLAIM TEST TRIALS: the correct version passes that many trials.
passes()
{
    verify "$1" 0 "no bug found" -f "$2" -i "$3"
}

# finds BUG TRIALS TEXT: the bug is found within that many trials, fails with TEXT, its trace fails
# in the same way, and its switch is used in at most five lines of the component: each of them
# guards one statement, so that the bug is at most ten lines away from the correct version.
finds()
{
    rm -f "$work"/*.trace
    verify "$1 is found" 1 "$3" --bug "$1" -i "$2"
    verify "the trace of $1 fails again" 1 "$3" --bug "$1" --replay "$(ls "$work"/*.trace)"
    variable=bug_$(echo "$1" | tr - _)
    field=$(grep -ho "\.[a-z_]* = $variable\>" "$folder"/*_machine.c | sed 's/^\.//; s/ .*//')
    lines=$(cat "$folder"/*.c | grep -c "config\(\.\|->\)$field\>")
    [ -n "$field" ] && [ "$lines" -ge 1 ] && [ "$lines" -le 5 ]
    judge "$1 is at most ten lines long" "$((! $?))" "$field is used in $lines lines"
}

finish()
{
    echo "1..$n"
    [ "$failures" -eq 0 ]
}
