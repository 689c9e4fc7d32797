/* pupil.h - a strategy that learns from every step of every trial, one that does not wait until it
 * may, and what they are to decide. SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_API_PUPIL_H
#define TESTS_UNIT_API_PUPIL_H

#include <sennit/sennit.h>

/* Picks by a hash of what it has learned. What it learns depends on the order of the lessons, and
 * on each of their bytes. */
extern const struct sn_strategy pupil;

/* The mutant: what a trial has taught counts at once, in the process that ran it. */
extern const struct sn_strategy hasty;

/* Five machines write to one; a few orders of that are a failure. */
extern const struct sn_test pupils_test;

/* Like it, but what fails takes its process along. */
extern const struct sn_test pupils_crash_test;

#endif
