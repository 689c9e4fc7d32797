#!/bin/sh
# test_cli.sh - what the command prints, and its exit codes: test_cli.sh SENNIT DATA
# Prints TAP. SPDX-License-Identifier: MIT
set -u

sennit=$(realpath "$1")
data=$2
. "$(dirname "$0")/../../tools/claims.sh"

# The last run printed nothing to stdout and one sentence, this one, to stderr.
failed_with()
{
    [ "$code" -eq 2 ] && [ -z "$out" ] && [ "$err" = "sennit: $1" ]
}

succeeded()
{
    [ "$code" -eq 0 ] && [ -z "$err" ] && [ -n "$out" ]
}

has()
{
    case $out in *"$1"*) return 0 ;; *) return 1 ;; esac
}

is_json()
{
    succeeded && printf '%s' "$out" |
        python3 -c 'import json, sys; assert len(json.load(sys.stdin)["steps"]) == 5'
}

echo 1..39

run "$sennit" show "$data/all_kinds.trace"
verify show_prints_a_trace succeeded
verify show_says_how_to_repeat_it has "reproduce  sennit replay $data/all_kinds.trace"
run "$sennit" show --json "$data/all_kinds.trace"
verify show_json_is_json is_json
run "$sennit" show --dot "$data/all_kinds.trace"
verify show_dot_prints_a_graph has "digraph trace {"
if command -v dot >/dev/null; then
    printf '%s' "$out" | dot -Tsvg >"$work/svg" 2>"$work/err"
    code=$?
    verify graphviz_takes_the_graph grep -q "</svg>" "$work/svg"
else
    n=$((n + 1))
    echo "ok $n # SKIP graphviz is not installed"
fi
out=$("$sennit" show - <"$data/all_kinds.trace" 2>&1)
verify show_reads_standard_input has "failed in step 4 of 4"
run "$sennit" show --color always "$data/all_kinds.trace"
verify color_can_be_asked_for has "$(printf '\033[31mfailed')"
run "$sennit" show --from 9 "$data/all_kinds.trace"
verify a_range_beyond_the_trace_is_an_error \
    failed_with "$data/all_kinds.trace has 4 steps, there is no step 9"
run "$sennit" show --from 3 --to 2 "$data/all_kinds.trace"
verify an_empty_range_is_an_error failed_with "--from 3 comes after --to 2"
run "$sennit" show --from x "$data/all_kinds.trace"
verify a_range_must_be_numbers failed_with '--from needs the number of a step, from 1 on, not "x"'
run "$sennit" show
verify show_needs_a_trace failed_with 'show needs one trace; `sennit show --help` says more'
head -c 500 "$data/all_kinds.trace" >"$work/cut.trace"
run "$sennit" show "$work/cut.trace"
verify a_truncated_trace_is_an_error \
    failed_with "$work/cut.trace:5: truncated: the last line is cut"
run "$sennit" show "$work/none.trace"
verify a_missing_trace_is_an_error \
    failed_with "$work/none.trace: cannot be opened: No such file or directory"
"$sennit" show "$data/all_kinds.trace" >/dev/full 2>"$work/err"
code=$?
out=
err=$(cat "$work/err")
verify a_full_device_is_an_error \
    failed_with "cannot write to standard output: No space left on device"

cat >"$work/suite" <<'END'
#!/bin/sh
printf '%s|' "$@"
exit 1
END
chmod +x "$work/suite"
here=$PWD
cp "$data/all_kinds.trace" "$work/bug.trace"
cd "$work" || exit 99
run "$sennit" replay bug.trace -v
verify replay_runs_the_program_of_the_trace \
    [ "$code $out" = "1 --replay|bug.trace|--bug|stale-report|-v|" ]
run "$sennit" test ./suite --seed 3
verify test_runs_the_program [ "$code $out" = "1 --seed|3|" ]
for jobs in "-j1" "-j 1" "--jobs 1" "--jobs=1"; do
    # shellcheck disable=SC2086 # two words, or one
    run "$sennit" explain $jobs bug.trace -j2
    verify "explain_takes_its_jobs_as_$(echo "$jobs" | tr -c 'a-z0-9\n' _)" \
        [ "$code $out" = "1 --explain|bug.trace|--jobs|1|-j2|" ]
    # shellcheck disable=SC2086
    run "$sennit" shrink bug.trace $jobs
    verify "shrink_takes_its_jobs_as_$(echo "$jobs" | tr -c 'a-z0-9\n' _)" \
        [ "$code $out" = "1 --shrink|bug.trace|--jobs|1|--bug|stale-report|" ]
done
run "$sennit" explain -vi9 --json bug.trace
verify explain_uses_all_processors_unless_it_is_told \
    [ "$code $out" = "1 --explain|bug.trace|-j0|--verbose|--iterations|9|--json|" ]
run "$sennit" shrink --output=x.trace bug.trace --any-failure
verify shrink_takes_options_before_and_behind_the_trace \
    [ "$code $out" = "1 --shrink|bug.trace|--shrunk|x.trace|--any-failure|--bug|stale-report|" ]
run "$sennit" explain --frobnicate bug.trace
verify an_unknown_option_of_explain_is_an_error \
    failed_with 'explain does not know --frobnicate; `sennit explain --help` says more'
run "$sennit" explain -j
verify an_option_of_explain_needs_its_value failed_with "-j needs a value"
run "$sennit" shrink bug.trace other.trace
verify shrink_takes_one_trace \
    failed_with 'shrink does not know other.trace; `sennit shrink --help` says more'
rm suite
run "$sennit" replay bug.trace
verify replay_without_the_program_is_an_error \
    failed_with "cannot run ./suite: No such file or directory"
run "$sennit" test ./suite
verify test_without_the_program_is_an_error \
    failed_with "cannot run ./suite: No such file or directory"
cd "$here" || exit 99
run "$sennit" replay "$work/cut.trace"
verify replay_of_a_truncated_trace_is_an_error \
    failed_with "$work/cut.trace:5: truncated: the last line is cut"

none="is no test program: neither it nor its libraries have sn_main"
run "$sennit" test /bin/true
verify test_refuses_a_binary_that_is_no_test_program failed_with "/bin/true $none"
run "$sennit" test sleep -i 100
verify so_it_does_with_one_that_is_found_in_path_and_would_hang failed_with "sleep $none"
run "$sennit" step /bin/true
verify step_refuses_a_binary_that_is_no_test_program failed_with "/bin/true $none"
printf '#!/bin/sh\necho "$@"\n' >"$work/script" && chmod +x "$work/script"
run "$sennit" test "$work/script" -i 5
verify a_script_is_run_because_nobody_can_tell has "-i 5"

run "$sennit" --version
verify version_is_printed succeeded
run "$sennit" --help
verify help_lists_the_verbs has "sennit show"
run "$sennit" frobnicate
verify an_unknown_verb_is_an_error \
    failed_with 'there is no verb frobnicate; `sennit --help` lists them'

[ "$failures" -eq 0 ]
