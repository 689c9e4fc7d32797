/* shim.h - the world as the claims see it: the same calls whether the library is linked statically
 * or is a shared object, which exports none of its insides. SPDX-License-Identifier: MIT
 */
#ifndef TESTS_WORLD_SHIM_H
#define TESTS_WORLD_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/* NULL, or why memory cannot be saved here. */
const char *shim_open(void);
void shim_close(void);

/* The number of the snapshot; aborts if it cannot be made. */
uint32_t shim_save(void);
void shim_restore(uint32_t mark);
void shim_drop(uint32_t mark);

/* NULL, or what the trial has done. */
const char *shim_check(bool quick);
size_t shim_bytes(void);
const char *shim_note(void);

/* malloc now serves this task. */
void shim_enter(uint32_t task);

/* A fiber on the stack of that task. */
void *shim_fiber(uint32_t task, void (*entry)(void *argument), void *argument);

/* From main: runs the fiber until it yields or ends; true if it can go on. */
bool shim_resume(void *fiber);

/* From the fiber that runs: back to main. */
void shim_yield(void);

/* After main took control back by longjmp. */
void shim_gone(void);

bool shim_in_region(const void *p);

/* Of all bytes of the task's heap that are in use. */
uint64_t shim_hash(uint32_t task);

#pragma GCC visibility pop

#endif
