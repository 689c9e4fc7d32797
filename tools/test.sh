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
# shellcheck disable=SC2207 # a list of options
asan_options=($(tools/flags.sh asan))
# Debug information is not read by any test there.
aarch64_options=(--cross-file tools/aarch64.ini -Ddebug=false
    "-Dpkg_config_path=$(realpath -m "$B-aarch64-cmocka")")
results=()
builds=()
broken=

# Beside the first build, because Meson keeps one processor busy and a download none. What goes
# wrong is told when the build is made.
prepare()
{
    local -x TARGETS=build.ninja
    tools/compile.sh "$B-asan" "${asan_options[@]}"
    has_clang && CC=clang tools/compile.sh "$B-clang"
    [ -z "$(why_not_aarch64)" ] && tools/compile.sh "$B-aarch64" "${aarch64_options[@]}"
}

has_clang()
{
    command -v clang >/dev/null
}

why_not_aarch64()
{
    local log
    if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
        echo "there is no aarch64-linux-gnu-gcc"
    elif ! command -v qemu-aarch64 >/dev/null; then
        echo "there is no emulator (qemu-aarch64)"
    elif ! log=$(tools/aarch64_cmocka.sh "$B-aarch64-cmocka" 2>&1); then
        echo "cmocka for aarch64 cannot be fetched: ${log##*$'\n'}"
    fi
}

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

prepare >/dev/null 2>&1 &
make_build compiles_with_gcc_without_warnings "$B:-soak" \
    --prefix="${PREFIX:-/usr/local}" --libdir="${LIBDIR:-lib}"
wait
make_build compiles_with_sanitizers "$B-asan:-tools,-soak:3" "${asan_options[@]}"
if has_clang; then
    CC=clang make_build compiles_with_clang_without_warnings "$B-clang:unit"
else
    skip_build compiles_with_clang_without_warnings "there is no clang"
fi
missing=$(why_not_aarch64)
if [ -n "$missing" ]; then
    skip_build compiles_for_aarch64 "$missing"
else
    # Of the tests no others: they would be compiled and never run.
    portable=$(TARGETS=build.ninja tools/compile.sh "$B-aarch64" "${aarch64_options[@]}" >&2 &&
        tools/run_tests --targets "$B-aarch64:portable" | tr '\n' ' ')
    TARGETS=$portable make_build compiles_for_aarch64 "$B-aarch64:portable:5:$qemu" \
        "${aarch64_options[@]}"
fi

exec tools/run_tests "${results[@]}" "$@" "${builds[@]}"
