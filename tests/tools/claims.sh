# claims.sh - what shell tests of commands share: sourced by them, prints TAP.
#
# A test sources it after `set -u`. SPDX-License-Identifier: MIT
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
failures=0

# run COMMAND...: leaves $out, $err and $code.
run()
{
    "$@" >"$work/.out" 2>"$work/.err" </dev/null
    code=$?
    out=$(cat "$work/.out")
    err=$(cat "$work/.err")
}

# verify CLAIM CONDITION...: prints the result of a test of the last run.
verify()
{
    claim=$1
    shift
    n=$((n + 1))
    if "$@"; then
        echo "ok $n - $claim"
    else
        failures=$((failures + 1))
        echo "not ok $n - $claim"
        printf '%s\n' "code $code" "out: $out" "err: $err" | sed 's/^/# /'
    fi
}
