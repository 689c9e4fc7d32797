#!/bin/sh
# run_tests.sh - the report in a browser, as TAP.
#
#   tests/report/run_tests.sh [page|diagram|views]    SENNIT_COMMAND is the command, or build/sennit
#
# playwright-core is fetched by npm into SENNIT_JS_PACKAGES, else ./packages, once.
# SPDX-License-Identifier: MIT
here=$(dirname "$0")
if ! command -v node >/dev/null; then
    echo "1..0 # SKIP there is no node"
    exit 0
fi
major=$(node -p 'process.versions.node.split(".")[0]')
if [ "$major" -lt 20 ]; then
    echo "1..0 # SKIP node is $(node --version), the tests need 20"
    exit 0
fi
# Started by a test runner of its own (NODE_TEST_CONTEXT), node would speak another language.
exec env -u NODE_TEST_CONTEXT \
    node --test --test-concurrency=1 --test-reporter=tap "$here/${1:-page}.test.mjs"
