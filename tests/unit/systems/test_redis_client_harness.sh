#!/bin/sh
# test_redis_client_harness.sh - hiredis under control: the correct client passes, mistakes of its
# users are caught, and what was written to wrap it is short:
#   test_redis_client_harness.sh PROGRAM FOLDER TRIALS
# Without arguments there is no hiredis. With few trials, in slow builds, what needs many of them is
# left out. SPDX-License-Identifier: MIT
if [ $# -lt 3 ]; then
    echo "1..0 # SKIP libhiredis-dev is not installed"
    exit 0
fi
. "$(dirname "$0")/system_harness.sh"

# catches BUG TRIALS TEXT: as finds, for bugs whose switches are fields of scores_bugs.
catches()
{
    rm -f "$work"/*.trace
    verify "$1 is found" 1 "$3" --bug "$1" -i "$2" --no-shrink
    verify "the trace of $1 fails again" 1 "$3" --bug "$1" --replay "$(ls "$work"/*.trace)"
    field=$(echo "$1" | tr - _)
    lines=$(grep -c "scores_bugs\.$field\>" "$folder"/scores.c)
    [ "$lines" -ge 1 ] && [ "$lines" -le 5 ]
    judge "$1 is at most ten lines long" "$((! $?))" "$field is used in $lines lines"
}

passes "reports of a client of hiredis survive resets in every trial" scores "$3"
catches drop-unanswered 200 "the last report that was answered is"
catches free-twice 200 "redis_client/scores: "
catches ignore-errors 200 "3 was reported and answered, but the server has"
if [ "$3" -ge 3000 ]; then
    catches plain-set 20000 "3 was reported and answered, but the server has"
fi

# Lines that are neither empty nor comments.
lines=$(cat "$folder"/loop.c "$folder"/main.c | grep -cv '^ *\(/\*.*\*/\)\?$\|^ *\*\|^/\*')
[ "$lines" -lt 150 ]
judge "hiredis is wrapped in less than 150 lines" "$((! $?))" "$lines lines"
grep -l sennit "$folder"/loop.c "$folder"/scores.c "$folder"/server.c "$folder"/*.h >"$work/names"
[ ! -s "$work/names" ]
judge "the client, its loop and the server do not know of Sennit" "$((! $?))" "$(cat "$work/names")"
finish
