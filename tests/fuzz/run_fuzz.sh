#!/bin/sh
# run_fuzz.sh - builds a fuzz target and runs it (trace, script, history, coverage, rules, client,
# observation):
#   run_fuzz.sh TARGET RUNS [DIRECTORY]
# Prints TAP. Works in DIRECTORY (a temporary one by default) and leaves there what crashed.
# The random seed is fixed, so a failure can be had again. SPDX-License-Identifier: MIT
set -u

target=${1:?usage: run_fuzz.sh TARGET RUNS [DIRECTORY]}
runs=${2:?usage: run_fuzz.sh TARGET RUNS [DIRECTORY]}
root=$(cd "$(dirname "$0")/../.." && pwd)
clang=${CLANG:-clang}
flags="-std=gnu17 -D_GNU_SOURCE -g1 -O1 -fsanitize=fuzzer,address,undefined"
flags="$flags -fno-sanitize-recover=all -I$root/src -I$root/include"

if [ $# -ge 3 ]; then
    work=$3
    mkdir -p "$work"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

echo 1..1
if ! command -v "$clang" >/dev/null 2>&1; then
    echo "ok 1 # SKIP $clang is not installed"
    exit 0
fi
printf 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n);
int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return n > 9 && d[0]; }\n' \
    >"$work/probe.c"
if ! "$clang" -fsanitize=fuzzer,address,undefined "$work/probe.c" -o "$work/probe" \
    >"$work/probe.log" 2>&1; then
    echo "ok 1 # SKIP $clang has no fuzzer runtime"
    exit 0
fi

base="$root/src/base/arena.c $root/src/base/err.c $root/src/base/json.c $root/src/base/text.c"
base="$base $root/src/base/utf8.c $root/src/base/word.c"
trace="$root/src/trace/schema.c $root/src/trace/trace_read.c $root/src/trace/trace_write.c"
report="$root/src/report/show*.c $root/src/report/canvas.c $root/src/report/roster.c"
report="$report $root/src/report/words.c"
seeds=$root/tests/data/${target}s
more=
libraries=
length=16384
case $target in
history)
    sources="$base $root/src/history/*.c $root/src/linear/models/*.c"
    # Models print states with it, which no history leads to.
    printf '#include <sennit/machine.h>
void sn_print(struct sn_text *out, const char *format, ...) { (void)out, (void)format; }\n' \
        >"$work/print.c"
    sources="$sources $work/print.c"
    seeds=$root/tests/data/histories
    ;;
trace) sources="$base $trace $report" ;;
script)
    # Of the engine the reader needs one name only, which no line of a script leads to.
    printf '#include "engine/op.h"
const char *op_event_name(const struct sn_op *op) { return op->what != 0 ? "" : "bytes"; }\n' \
        >"$work/names.c"
    sources="$base $root/src/strategy/script_read.c $work/names.c"
    ;;
coverage)
    sources="$base $root/src/base/estimate.c $root/src/base/file.c $root/src/base/rng.c"
    sources="$sources $root/src/engine/discovery.c $root/src/engine/distinct.c"
    sources="$sources $root/src/engine/mem.c $root/src/substrate/coverage.c"
    sources="$sources $root/src/report/coverage_*.c $root/src/report/run_coverage.c"
    # The header of places makes those of each file known, of which these have none.
    printf '#include <sennit/sometimes.h>
void sn_sites_load_(struct sn_site **first, struct sn_site **end) { (void)first, (void)end; }
void sn_sites_unload_(struct sn_site **first, struct sn_site **end) { (void)first, (void)end; }\n' \
        >"$work/places.c"
    sources="$sources $work/places.c"
    # One more seed, whose orders are too many to be listed: all registers are 0.
    more=$work/more
    mkdir -p "$more"
    sed -e 's/"exact": true, "seen": "[^"]*"/"exact": false, "seen": ""/' \
        -e 's/"sketch": ""/"sketch": "'"$(printf '%032768d' 0)"'"/' \
        -e 's/"counts": "[^"]*"/"counts": ""/' "$seeds/sampled.json" >"$more/sketch.json"
    length=65536
    ;;
rules)
    sources="$base $root/src/base/rng.c $root/src/engine/mem.c $root/src/events/recording.c"
    sources="$sources $root/src/events/rules.c $root/src/events/rules_read.c"
    sources="$sources $root/src/events/units.c $root/src/events/interleave.c"
    seeds=$root/tests/data/rules
    ;;
observation)
    sources="$base $root/src/oracle/conjecture*.c $root/src/oracle/possible.c"
    sources="$sources $root/src/oracle/states.c $root/src/linear/pool.c"
    for name in json judge model observation order rules table watch words; do
        sources="$sources $root/src/sync/$name.c"
    done
    ;;
client)
    sources="$base $root/src/events/recording.c $root/src/events/checks.c"
    sources="$sources $root/src/remote/client_read.c"
    libraries=-ljansson
    ;;
*)
    echo "not ok 1 - there is a target called $target"
    exit 1
    ;;
esac
# The lists of flags and files are split into words on purpose.
# shellcheck disable=SC2086
if ! "$clang" $flags "$root/tests/fuzz/fuzz_$target.c" $sources $libraries \
    -o "$work/fuzz_$target" >"$work/build.log" 2>&1; then
    sed 's/^/# /' "$work/build.log"
    echo "not ok 1 - the fuzz target builds"
    exit 1
fi

# New inputs go to a corpus of this run; the seeds stay as they are.
mkdir -p "$work/corpus"
if "$work/fuzz_$target" -runs="$runs" -seed=1 -max_len="$length" -timeout=60 -rss_limit_mb=2048 \
    -artifact_prefix="$work/" -dict="$root/tests/fuzz/$target.dict" \
    "$work/corpus" "$seeds" ${more:+"$more"} >"$work/run.log" 2>&1; then
    grep -E '^(Done|#[0-9]+.DONE)' "$work/run.log" | sed 's/^/# /'
    echo "ok 1 - $runs runs of fuzz_$target find nothing"
else
    tail -60 "$work/run.log" | sed 's/^/# /'
    echo "not ok 1 - $runs runs of fuzz_$target find nothing"
    exit 1
fi
