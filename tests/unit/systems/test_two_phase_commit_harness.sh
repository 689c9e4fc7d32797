#!/bin/sh
# test_two_phase_commit_harness.sh - the correct protocol passes, the defective ones are caught:
#   test_two_phase_commit_harness.sh PROGRAM FOLDER
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/system_harness.sh"

passes "all sites decide the same in every trial" atomic 2000
passes "nobody stays in doubt in any trial" terminates 2000
finds early-commit 20000 "assert: atomicity_monitor.c"
finds counted-acks 20000 "assert: atomicity_monitor.c"
finds impatient 20000 "assert: atomicity_monitor.c"
finds forgotten-promise 20000 "assert: atomicity_monitor.c"
finds second-vote 20000 "assert: atomicity_monitor.c"
finds forgotten-refusal 20000 "assert: atomicity_monitor.c"
finish
