#!/bin/sh
# test_chain_replication_harness.sh - the correct chain passes, the defective ones are caught:
#   test_chain_replication_harness.sh PROGRAM FOLDER
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/system_harness.sh"

hot="hot: monitor Answers is still hot (state Waiting)"

passes "no update is lost and no query sees an old state in any trial" consistent 2000
passes "every request is answered in every trial" answers 2000
finds no-resend 20000 "assert: chain_monitor.c"
finds silent-tail 60000 "$hot"
finds applied-twice 20000 "assert: chain_monitor.c"
finds no-lease 20000 "assert: order_monitor.c"
finds old-tail 60000 "assert: order_monitor.c"
finish
