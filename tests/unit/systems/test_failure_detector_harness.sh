#!/bin/sh
# test_failure_detector_harness.sh - the correct detector passes, the defective ones are caught:
#   test_failure_detector_harness.sh PROGRAM FOLDER
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/system_harness.sh"

hot="hot: monitor Settled is still hot (state Unsettled)"

passes "a crashed node is suspected and no other, in every trial" crash 2000
passes "nodes that come back are trusted again in every trial" restart 2000
finds late-answer 20000 "assert: evidence_monitor.c"
finds kept-timer 20000 "assert: evidence_monitor.c"
finds lost-incarnation 20000 "$hot"
finds dropped-member 20000 "$hot"
finish
