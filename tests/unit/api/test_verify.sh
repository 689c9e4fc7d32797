#!/bin/sh
# test_verify.sh - programs that are not the same twice are found out: test_verify.sh FICKLE RACE
# Prints TAP. SPDX-License-Identifier: MIT
set -u

fickle=$(realpath "$1")
race=$(realpath "$2")
. "$(dirname "$0")/../../tools/claims.sh"
cd "$work" || exit 1
sanitized=no
nm "$fickle" | grep -q 'U __asan_init' && sanitized=yes

# For what is about Sennit's own heap.
verify_heap()
{
    if [ "$sanitized" = yes ]; then
        n=$((n + 1))
        echo "ok $n - $1 # SKIP malloc is the sanitizer's"
    else
        verify "$@"
    fi
}

# says CODE PART...: each part is printed, in this order.
says()
{
    [ "$code" -eq "$1" ] || return 1
    shift
    text=$out
    for part in "$@"; do
        case "$text" in
        *"$part"*) text=${text#*"$part"} ;;
        *) return 1 ;;
        esac
    done
}

# A test of the program, verified.
try()
{
    run "$fickle" -f "$1" -i 20 --verify-determinism
}

run "$fickle" -i 20
verify "trials_in_one_process_do_not_show_it" says 0 "by_address: no bug found"

try by_address
verify_heap "a_table_in_order_of_addresses_is_found_out" says 4 \
    "fickle/by_address: NOT DETERMINISTIC in trial 0, step 6: expected was Number of Listener#5 " \
    "(value=" "but in another process came Number of Listener#5 (value=" \
    "; likely cause: address order"
verify_heap "and_nothing_else_is_blamed_for_it" eval '! says 4 "and "'
try by_heap
verify_heap "unwritten_memory_of_the_heap_is_found_out" says 4 "in trial 0, step 3: expected was " \
    "Number of Listener (value=1)" "came Number of Listener (value=2)" \
    "; likely cause: uninitialised memory"
verify_heap "which_alone_is_to_blame" eval '! says 4 "and "'
try by_stack
verify_heap "unwritten_memory_of_the_stack_is_found_out" says 4 "step 3: " \
    "; likely cause: uninitialised memory"
try by_clock
verify "a_clock_read_around_libc_is_found_out" says 4 "step 3: expected was Number of Listener " \
    "(value=21)" "; likely cause: the real clock"
try by_process
verify "a_process_id_is_found_out" says 4 "step 3: " "; likely cause: a hidden thread or other " \
    "(a process id, a file)"
try by_thread
verify "a_hidden_thread_is_found_out" says 4 "step 3: " "; likely cause: a hidden thread"
try by_memory
verify "memory_of_earlier_trials_is_found_out" says 4 "in trial 1, step 3: " \
    "; likely cause: memory that is not put back between trials"
try by_foreign_code
verify "what_foreign_code_returns_is_checked" says 4 "fickle/by_foreign_code: NOT DETERMINISTIC " \
    "in trial 0, step 3" "; likely cause: a hidden thread or other"
try by_death
verify_heap "a_process_that_dies_is_found_out" says 4 "in trial 0, step 3: expected was the end" \
    "in another process it died of signal 6" "; likely cause: uninitialised memory"

run "$fickle" -f steadily -i 50 --verify-determinism
verify "a_program_that_is_the_same_twice_passes" says 0 "steadily: no bug found" "50 trials" \
    "steadily_in_processes: no bug found" "50 trials"
run "$race" -f fixed -s dfs -i 100
first=$(printf '%s\n' "$out" | sed 's/[0-9.]* s$//')
run "$race" -f fixed -s dfs -i 100 --verify-determinism
verify "verified_trials_are_the_same_trials" \
    [ "$first" = "$(printf '%s\n' "$out" | sed 's/[0-9.]* s$//')" ]
run "$race" -f race --verify-determinism
verify "a_bug_is_still_a_bug" says 1 "race/race: FAILED in trial 1, step 17: assert"
run "$race" -f late --bug hasty --verify-determinism
verify "the_other_process_has_the_same_bugs_switched_on" \
    says 1 "race/late: FAILED in trial 0, step 2:"

run "$fickle" -f greedily -i 20 --memory 4 --verify-determinism
verify_heap "the_other_process_has_the_same_limits" says 1 "FAILED in trial 0, step 1: memory: "
run "$fickle" -f by_heap -i 20 -j 4 --verify-determinism
verify_heap "each_of_several_workers_has_one" says 4 "NOT DETERMINISTIC in trial 0, step 3: "

echo "1..$n"
[ "$failures" -eq 0 ]
