#!/bin/bash
# test.sh - builds everything in four ways and runs the tests of all of them.
#
#   $B          gcc, optimised          all tests, and those of the tools and of the source itself
#   $B-asan     gcc, ASan and UBSan     all tests
#   $B-clang    clang                   suite unit
#   $B-aarch64  gcc for 64-bit ARM      suite portable, under emulation
#
# A build that fails is a failed test; one that this machine cannot do is a skipped one, with the
# reason. Arguments go to tools/run_tests. SPDX-License-Identifier: MIT
set -u

B=${B:-build}
qemu="qemu-aarch64 -L /usr/aarch64-linux-gnu"
results=()
builds=()
broken=

# make_build CLAIM BUILD-TO-RUN OPTION...: the directory is what stands before the first colon.
make_build()
{
    local claim=$1 build=$2
    shift 2
    if [ -n "$broken" ]; then
        skip_build "$claim" "$broken"
    elif tools/compile.sh "${build%%:*}" "$@"; then
        results+=(--result "passed:$claim")
        builds+=("$build")
    else
        results+=(--result "failed:$claim:see above")
        [ ${#builds[@]} -gt 0 ] || broken="not tried, because the first build failed"
    fi
}

skip_build()
{
    results+=(--result "skipped:$1:$2")
}

aarch64()
{
    local claim=compiles_for_aarch64 log
    if [ -n "$broken" ]; then
        skip_build $claim "$broken"
    elif ! command -v aarch64-linux-gnu-gcc >/dev/null; then
        skip_build $claim "there is no aarch64-linux-gnu-gcc"
    elif ! command -v qemu-aarch64 >/dev/null; then
        skip_build $claim "there is no emulator (qemu-aarch64)"
    elif ! log=$(tools/aarch64_cmocka.sh "$B-aarch64-cmocka" 2>&1); then
        skip_build $claim "cmocka for aarch64 cannot be fetched: ${log##*$'\n'}"
    else
        make_build $claim "$B-aarch64:portable:5:$qemu" --cross-file tools/aarch64.ini \
            "-Dpkg_config_path=$(realpath "$B-aarch64-cmocka")"
    fi
}

make_build compiles_with_gcc_without_warnings "$B:-soak" \
    --prefix="${PREFIX:-/usr/local}" --libdir="${LIBDIR:-lib}"
# shellcheck disable=SC2046 # a list of options
make_build compiles_with_sanitizers "$B-asan:-tools,-soak:3" $(tools/flags.sh asan)
if command -v clang >/dev/null; then
    CC=clang make_build compiles_with_clang_without_warnings "$B-clang:unit"
else
    skip_build compiles_with_clang_without_warnings "there is no clang"
fi
aarch64

exec tools/run_tests "${results[@]}" "$@" "${builds[@]}"
