#!/bin/sh
# test_corpus.sh - traces of old bugs are kept and run first:
# test_corpus.sh RACE_MAIN RACE_CHANGED SENNIT ORIGINAL MESSAGE_ADDED REPAIRED TWO_PHASE_COMMIT
# Prints TAP. SPDX-License-Identifier: MIT
set -u

race=$(realpath "$1")
changed=$(realpath "$2")
sennit=$(realpath "$3")
original=$(realpath "$4")
message_added=$(realpath "$5")
repaired=$(realpath "$6")
commit=$(realpath "$7")
. "$(dirname "$0")/../../tools/claims.sh"
cd "$work" || exit 1

# holds TEXT PART...: each part is in the text, in this order.
holds()
{
    text=$1
    shift
    for part in "$@"; do
        case "$text" in
        *"$part"*) text=${text#*"$part"} ;;
        *) return 1 ;;
        esac
    done
}

says()
{
    [ "$code" -eq "$1" ] || return 1
    shift
    holds "$out" "$@"
}

# seal FILE TRACE: a trace that was edited, with the check of what it has become.
seal()
{
    python3 - "$1" "$2" <<'EOF'
import sys
lines = open(sys.argv[1], "rb").read().split(b"\n")
check = 0xcbf29ce484222325
for byte in b"\n".join(lines[:-2]) + b"\n":
    check = (check ^ byte) * 0x100000001b3 & (1 << 64) - 1
head, _ = lines[-2].split(b'"check":"')
lines[-2] = head + b'"check":"%016x"}' % check
open(sys.argv[2], "wb").write(b"\n".join(lines))
EOF
}

lacks()
{
    case "$out" in *"$1"*) false ;; *) true ;; esac
}

run "$race" -f race --corpus kept
verify "a_failure_is_kept_in_the_corpus" says 1 "FAILED in trial 1, step " \
    "race/race: corpus: kept as kept/race-race-assert-"
trace=$(ls kept/*.trace)
verify "what_is_kept_is_the_trace" cmp -s "$trace" sennit-out/race-race-1.trace
verify "nothing_else_is_left_behind" [ "$(find kept -type f | wc -l)" -eq 1 ]

run "$race" -f race --corpus kept
verify "a_kept_trace_is_run_first_and_fails_again" \
    says 1 "race/race: FAILED in trial 1, step 17: corpus: $trace fails again: assert: "
verify "then_nothing_is_searched" says 1 " 0 trials"
line=$(printf '%s\n' "$out" | sed -n 's/^    reproduce: //p')
run sh -c "$line"
verify "the_line_that_it_prints_reproduces_it" says 1 "race/race: failed again in step 17"
run "$race" -f race --corpus kept -k -i 5
verify "unless_the_run_is_to_go_on" says 1 "fails again" "5 trials, "

run "$race" -f race --corpus kept -k --seed 7 -i 50 -v
verify "the_same_failure_of_another_trial_is_not_kept_twice" \
    says 1 "50 trials" "corpus: has this as $trace"
verify "so_there_is_one_file_a_failure" [ "$(find kept -type f | wc -l)" -eq 1 ]

run "$race" -f late --corpus kept
verify "another_failure_is_kept_beside_it" says 1 "kept as kept/race-late-assert-"

run "$changed" -f race --corpus kept -i 1
verify "in_a_changed_program_a_trace_is_followed_with_tolerance" \
    says 1 "FAILED in trial 1, step 17: corpus: $trace fails again: " "--tolerant"
run "$changed" --replay "$trace" --tolerant
verify "a_tolerant_replay_says_what_it_followed" \
    says 1 "race/race: failed again in step " "    drift: 19 decisions followed " \
    "0 skipped, 0 invented"
run "$sennit" replay --tolerant "$trace"
verify "sennit_replay_can_be_tolerant" says 1 "failed again" "0 skipped, 0 invented"
run "$race" --tolerant
verify "tolerance_is_for_replays" [ "$code" -eq 2 ]

run "$original" --corpus old
mv old/*.trace old/a.trace
cp old/a.trace old/b.trace
run "$message_added" --corpus old -i 1
verify "drift_is_told_of_a_trace_that_fails" \
    says 1 "old/a.trace fails; drift: " "2 invented; first drift in step " "but Hello of Store" \
    "FAILED in trial " ": corpus: old/a.trace fails again: " "corpus: old/b.trace fails again: "
run "$repaired" --corpus old -i 1 -v
verify "traces_that_pass_are_counted" says 0 "moved/moved: 2 traces of the corpus pass" "1 trial"
verify "traces_are_run_in_order_of_their_names" \
    holds "$out" "corpus: old/a.trace passes" "corpus: old/b.trace passes"
run "$repaired" --corpus old -i 1
verify "one_by_one_only_if_asked" lacks "old/a.trace"
run "$repaired" --corpus old -i 1 -q
verify "nothing_is_said_of_them_in_a_quiet_run" [ -z "$out" ]

# A bug that is switched off is a change of the program, too.
run "$race" --bug hasty --corpus switched
run "$race" -f late -i 1 --corpus switched
verify "what_was_switched_on_for_a_trace_is_not_switched_on_for_the_run" \
    says 1 "step 5: corpus: switched/race-late-" "fails again: "
line=$(printf '%s\n' "$out" | sed -n 's/^    reproduce: //p')
run sh -c "$line"
verify "nor_by_the_line_that_reproduces_it" says 1 "race/late: failed again in step 5: "

# Options of the program's own belong to the trial, as --timers does.
run "$commit" --bug second-vote --noise 60 --no-shrink --corpus own
noisy=$(ls own/*.trace)
run "$commit" --bug second-vote --corpus own -i 1 -v
verify "a_trace_is_run_with_the_options_of_its_own_that_it_was_written_with" \
    says 1 "corpus: $noisy fails" "corpus: $noisy fails again: assert: "
verify "and_so_strictly" lacks "drift"
line=$(printf '%s\n' "$out" | sed -n 's/^    reproduce: //p')
run sh -c "$line"
verify "as_by_the_line_that_reproduces_it" says 1 "failed again in step "
run "$commit" --bug second-vote --noise 30 --corpus own -i 1
verify "whatever_options_the_run_has" says 1 "corpus: $noisy fails again: assert: "
run "$commit" --noise 30 --corpus own -i 1
verify "but_not_with_its_bugs" says 0 "1 trace of the corpus passes"
sed 's/"--noise","60"/"--noise","6000000"/' "$noisy" >torn
seal torn own/beyond.trace
rm "$noisy"
run "$commit" --corpus own -i 1
verify "options_that_the_program_does_not_take_any_more_are_told" says 2 "no bug found"
verify "with_the_file" [ "$err" = "two_phase_commit: corpus: own/beyond.trace: the program does \
not take the options it was written with" ]

run "$race" -f race --corpus kept --tap
verify "a_trace_that_fails_is_a_test_that_fails_in_every_report" \
    says 1 "not ok 1 - race/race" "message: \"corpus: $trace fails again" "verdict: \"FAILED\""
run "$race" -f segfault -i 1 --corpus crashes
run "$race" -f segfault --corpus crashes
verify "a_trace_that_crashes_does_not_take_the_runner_along" \
    says 1 "corpus: crashes/race-segfault-crash-" "fails again: crash: "

# As if another failure had been given this name.
mkdir clash
name=$(basename "$trace" .trace)
cp kept/race-late-*.trace "clash/$name.trace"
run "$race" -f race --corpus clash
verify "no_file_is_overwritten" says 1 "kept as clash/$name-2.trace"
verify "whatever_is_in_it" cmp -s "clash/$name.trace" kept/race-late-*.trace

mkdir bad
echo "junk" >bad/junk.trace
head -c 300 "$trace" >bad/torn.trace
echo "not looked at" >bad/notes.txt
echo "not looked at" >bad/.1234.part
run "$race" -f fixed -i 3 --corpus bad
verify "a_malformed_trace_exits_2_in_the_end" says 2 "race/fixed: no bug found"
verify "each_is_named_with_the_cause" \
    holds "$err" "race: corpus: bad/junk.trace: not a Sennit trace" "race: corpus: bad/torn.trace"
verify "other_files_are_left_alone" [ "$(printf '%s\n' "$err" | wc -l)" -eq 2 ]

mkdir foreign
sed 's/"suite":"race"/"suite":"chase"/' "$trace" >torn
seal torn foreign/other.trace
run "$race" -f fixed -i 3 --corpus foreign
verify "a_trace_of_another_program_is_named_and_does_no_harm" says 0 "no bug found"
verify "with_what_it_is_a_trace_of" [ "$err" = "race: corpus: foreign/other.trace: a trace of \
chase/race, which is not in this program" ]

run "$race" -f race --corpus /dev/null/x
verify "a_corpus_that_cannot_be_written_exits_2" [ "$code" -eq 2 ]
run "$race" -f fixed -i 3 --corpus empty
verify "a_corpus_that_is_not_there_is_empty" says 0 "no bug found"
verify "and_is_not_made_for_nothing" [ ! -e empty ]

echo "1..$n"
[ "$failures" -eq 0 ]
