#!/bin/sh
# run_tests.sh - the tests of the JavaScript binding, as TAP.
#
#   tests/events/js/run_tests.sh [NAME...]    binding, libraries, runners; all if none is named
#
# Packages that tests need are fetched by npm into SENNIT_JS_PACKAGES, else ./packages, once. Tests
# whose packages cannot be had are skipped, and say why. SPDX-License-Identifier: MIT
here=$(dirname "$0")
if ! command -v node >/dev/null; then
    echo "1..0 # SKIP there is no node"
    exit 0
fi
major=$(node -p 'process.versions.node.split(".")[0]')
if [ "$major" -lt 20 ]; then
    echo "1..0 # SKIP node is $(node --version), the tests need 20 (the binding itself 18)"
    exit 0
fi
[ $# -gt 0 ] || set -- binding libraries runners
for name; do
    shift
    set -- "$@" "$here/$name.test.mjs"
done
# Started by a test runner of its own (NODE_TEST_CONTEXT), node would speak another language.
exec env -u NODE_TEST_CONTEXT -u SENNIT_EVENTS -u SENNIT_BIN \
    node --test --test-concurrency=1 --test-reporter=tap "$@"
