/* sennit/sennit.h - everything a test needs. SPDX-License-Identifier: MIT */
#ifndef SENNIT_SENNIT_H
#define SENNIT_SENNIT_H

#include <sennit/conjecture.h>
#include <sennit/dependence.h>
#include <sennit/environment.h>
#include <sennit/events.h>
#include <sennit/gen.h>
#include <sennit/history.h>
#include <sennit/machine.h>
#include <sennit/oracles.h>
#include <sennit/process.h>
#include <sennit/record.h>
#include <sennit/sometimes.h>
#include <sennit/strategy.h>
#include <sennit/sync.h>
#include <sennit/task.h>
#include <sennit/test.h>
#include <sennit/wrap.h>

#endif
