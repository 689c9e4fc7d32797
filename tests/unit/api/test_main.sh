#!/bin/sh
# test_main.sh - a test program's command line: test_main.sh RACE_MAIN SENNIT
# Prints TAP. SPDX-License-Identifier: MIT
set -u

race=$(realpath "$1")
sennit=$(realpath "$2")
. "$(dirname "$0")/../../tools/claims.sh"
cd "$work" || exit 1

exits()
{
    [ "$code" -eq "$1" ]
}

says()
{
    exits "$1" && case "$out" in *"$2"*) true ;; *) false ;; esac
}

# Of one test alone something is said.
only_fails()
{
    says 1 "$1" && [ "$(printf '%s\n' "$out" | grep -c '^race/')" -eq 1 ]
}

complains()
{
    [ "$code" -eq 2 ] && [ -z "$out" ] && [ "$err" = "race: $1" ]
}

run "$race" --list
verify "list_prints_the_names_of_the_tests" says 0 "race
fixed
segfault
exit
where
unwritten
late"

run "$race" -f fixed -i 123
verify "a_program_without_a_bug_exits_0_and_says_what_was_covered" says 0 "race/fixed: no bug found
    123 trials, "

run "$race" -f race -o traces
verify "a_program_with_a_bug_exits_1_and_writes_a_trace" says 1 "race/race: FAILED in trial "
verify "outdir_receives_the_trace" test -f "$(ls traces/*.trace)"
trace=$(ls traces/*.trace)
line=$(printf '%s\n' "$out" | sed -n 's/^    reproduce: //p')
run sh -c "$line"
verify "the_line_that_a_failure_prints_reproduces_it" says 1 "race/race: failed again in step "
run "$sennit" replay "$trace"
verify "sennit_replay_runs_the_program_of_the_trace" says 1 "race/race: failed again in step "
run "$sennit" test "$race" -f fixed -i 5
verify "sennit_test_is_the_program_itself" says 0 "5 trials"

run "$race" -f race --seed 1 -q -o a
first=$out
run "$race" -f race --seed 1 -q -o a
verify "the_same_seed_finds_the_same" test "$first" = "$out"
run "$race" -f race --seed 2 -k -i 50 -o b
second=$out
run "$race" -f race --seed 3 -k -i 50 -o b
verify "another_seed_runs_other_trials" test "$second" != "$out"

# Under a sanitizer the heap is the sanitizer's.
run "$race" -f where -q -o where
first=$(printf '%s\n' "$out" | sed -n 's/.*\(memory 0x[0-9a-f]*\).*/\1/p')
run "$race" -f where -q -o where
verify "the_memory_of_a_trial_is_at_the_same_address_in_every_process" says 1 "${first:-nothing}"

run env SENNIT_HEAP_FILL=3c "$race" -f unwritten -q -o where
if nm "$race" | grep -q 'U __asan_init'; then
    n=$((n + 1))
    echo "ok $n - other_heap_contents_can_be_asked_for # SKIP malloc is the sanitizer's"
else
    verify "other_heap_contents_can_be_asked_for" says 1 "byte 3c"
fi

run "$race" -f fixed --max-steps 4 -i 10
verify "max_steps_cuts_trials" says 0 "40 steps, "
run "$race" -f fixed -s dfs -i 3
verify "dfs_says_when_not_every_schedule_was_run" says 0 "not every schedule was run"
run "$race" -f fixed --max-steps 1 -i 3
verify "a_run_in_which_every_trial_was_cut_says_so" says 0 "every trial was cut"
run "$race" -f fixed --timers sometimes
verify "timers_that_are_neither_any_nor_ideal_are_refused" \
    complains '--timers can be any or ideal, not "sometimes"'
run "$race" -f fixed --timers any -i 3
verify "timers_can_be_chosen_for_a_run" exits 0
run "$race" -f fixed -s dfs -i 10000
verify "dfs_says_when_every_schedule_was_run" says 0 "every schedule of this test was run"
verify "and_how_many_there_are" says 0 "schedules: 1620"
run "$race" -f fixed --isolate=fork -i 20 -v
verify "isolate_fork_runs_each_trial_in_a_process_of_its_own" says 0 "a process per trial"

# Not silent, whether or not the runner survives: it does where each trial is a process anyway.
dies_saying()
{
    [ "$code" -ge 1 ] && case "$out$err" in *"the code under test $1"*) true ;; *) false ;; esac
}

run "$race" -f segfault
verify "a_crash_that_takes_the_runner_along_is_not_silent" \
    eval 'dies_saying "died of signal 11" || dies_saying "ended the process with exit code 1"'
run "$race" -f exit
verify "a_call_of_exit_in_a_trial_is_not_a_silent_pass" \
    eval 'dies_saying "called exit(0)" || dies_saying "ended the process with exit code 0"'
run "$race" -f segfault --isolate=fork -o crash
verify "in_a_process_of_its_own_a_crash_has_a_trace" \
    test "$code" -eq 1 -a -f crash/race-segfault-0.trace

run "$race" -f nothing
verify "a_filter_that_matches_nothing_exits_3" exits 3
run "$race" -i none
verify "a_number_that_is_none_is_refused" complains '--iterations needs a whole number, not "none"'
run "$race" -i 0
verify "zero_iterations_are_refused" complains "--iterations must be at least 1"
run "$race" -s wishful
verify "an_unknown_strategy_exits_2" exits 2
run "$race" --frobnicate
verify "an_unknown_option_exits_2" \
    complains "--frobnicate: there is no such option; --help lists the options"
run "$race" -i
verify "an_option_without_its_value_exits_2" complains "-i: needs a value; --help lists the options"
run "$race" --bug none
verify "an_unknown_bug_exits_2" complains 'there is no bug called "none"; --bugs lists them'
run "$race" --bugs
verify "bugs_are_listed_with_the_test_that_shows_them" says 0 "hasty	fails sooner	late"
run "$race" --bug hasty
verify "a_bug_that_names_its_test_runs_that_test_alone" \
    only_fails "race/late: FAILED in trial 0, step 2:"
run "$race" --bug hasty -f fixed -i 20
verify "unless_a_filter_says_otherwise" says 0 "race/fixed: no bug found"
run env RACE_MISNAMED=1 "$race" -f fixed
verify "a_bug_that_names_no_test_is_refused" \
    complains "the bug hasty names the test later, which there is not"
run "$race" extra
verify "an_argument_that_is_no_option_exits_2" \
    complains '"extra" is not an option; --help lists them'
run "$race" -f race -o /dev/null/x
verify "a_directory_that_cannot_be_made_exits_2" exits 2
run "$race" --replay nowhere.trace
verify "a_trace_that_is_not_there_exits_2" exits 2
sed 's/"race"/"chase"/' "$trace" >foreign.trace
run "$race" --replay foreign.trace
verify "an_edited_trace_exits_2" exits 2
head -c 300 "$trace" >cut.trace
run "$race" --replay cut.trace
verify "a_truncated_trace_exits_2" exits 2
run "$race" --help
verify "help_describes_the_options" says 0 "--max-steps N"

echo "1..$n"
[ "$failures" -eq 0 ]
