#!/bin/sh
# coverage.sh - what a trial covered stays counted although its memory is put back.
#
#   coverage.sh SOURCE-ROOT LIBRARY
#
# Compiles covered.c in each way to count, runs it, and reads how often the marked line
# was run. Prints TAP. SPDX-License-Identifier: MIT
set -u

root=$1
library=$(realpath "$2")
here=$root/tests/world
line=$(grep -n COUNTED "$here/covered.c" | cut -d: -f1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
number=0

# result CLAIM COUNT: the line ran five times.
result()
{
    number=$((number + 1))
    if [ "$2" = 5 ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        echo "# the line counts '$2', not 5"
    fi
}

skipped()
{
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

# build COMPILER FLAG...
build()
{
    "$@" -std=gnu17 -D_GNU_SOURCE -g -I"$root/src" -I"$root/include" -o covered "$here/covered.c" \
        "$library" 2>log || cat log >&2
}

# count_gcov COMMAND...: the count of the line, as in "        5:   17:    value++;".
count_gcov()
{
    ./covered || echo "# exit $?"
    "$@" ./*.gcno >log 2>&1
    sed -n "s/^ *\([^:]*\): *$line:.*/\1/p" covered.c.gcov
}

echo 1..4

build gcc --coverage
result gcc_counts_lines_of_trials "$(count_gcov gcov)"
rm -f ./*.gc* covered

build gcc --coverage -static
result gcc_counts_lines_of_trials_in_a_static_program "$(count_gcov gcov)"
rm -f ./*.gc* covered

if ! command -v clang >/dev/null || ! command -v llvm-cov >/dev/null; then
    skipped clang_counts_lines_of_trials "there is no clang or no llvm-cov"
    skipped clang_profiles_trials "there is no clang or no llvm-cov"
    exit
fi
build clang --coverage
result clang_counts_lines_of_trials "$(count_gcov llvm-cov gcov)"
rm -f ./*.gc* covered

build clang -fprofile-instr-generate -fcoverage-mapping
./covered
llvm-profdata merge -o profile default.profraw
result clang_profiles_trials "$(llvm-cov show ./covered -instr-profile=profile "$here/covered.c" |
    sed -n "s/^ *$line| *\([0-9]*\)|.*/\1/p")"
