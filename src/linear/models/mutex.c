/* mutex.c - something that one has at a time. Who has it is not looked at: a release by somebody
 * else is as good. SPDX-License-Identifier: MIT
 */
#include "linear/models/models.h"

enum { ACQUIRE, RELEASE };

static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    unsigned char *is_taken = state;
    bool is_possible = op->function == ACQUIRE ? *is_taken == 0 : *is_taken != 0;

    (void)choice;
    if (is_completed(op) && is_possible != has_succeeded(op))
        return SN_STEP_REFUSED;
    if (is_possible)
        *is_taken = op->function == ACQUIRE;
    return SN_STEP_TAKEN;
}

static bool observes(const struct sn_operation *op)
{
    return !has_succeeded(op);
}

static void print(const void *state, struct sn_text *out)
{
    sn_print(out, "%s", *(const unsigned char *)state != 0 ? "taken" : "free");
}

const struct sn_model sn_model_mutex = {
    .name = "mutex",
    .about = "one at a time: acquire, release",
    .functions = (const struct sn_function[]){{"acquire", false}, {"release", false}, {0}},
    .state_size = 1,
    .step = step,
    .is_partitioned = true,
    .print = print,
    .observes = observes,
};
