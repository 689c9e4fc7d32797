/* registers.c - the state machine that is replicated: a few registers that count their writes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "registers.h"

#include <string.h>

static_assert(sizeof(struct registers) == RAFT_STATE_WORDS * sizeof(uint32_t), "fits a snapshot");

void registers_apply(struct registers *registers, const uint32_t *data, uint32_t *result)
{
    uint32_t key = data[REGISTER_KEY] % REGISTERS;

    registers->values[key] = data[REGISTER_VALUE];
    registers->versions[key]++;
    registers_query(registers, data, result);
}

void registers_query(const struct registers *registers, const uint32_t *data, uint32_t *result)
{
    uint32_t key = data[REGISTER_KEY] % REGISTERS;

    result[REGISTER_CONTENT] = registers->values[key];
    result[REGISTER_VERSION] = registers->versions[key];
}

void registers_save(const struct registers *registers, uint32_t *state)
{
    memcpy(state, registers, sizeof(*registers));
}

void registers_restore(struct registers *registers, const uint32_t *state)
{
    memcpy(registers, state, sizeof(*registers));
}
