/* lease.c - something that one owner has at a time, and loses when it does not renew it in time.
 *
 * The model knows no clock. Whoever records the history adds, for each lease that was granted, an
 * operation `expire OWNER` whose return is not known, called at the moment from which on the lease
 * may run out: from then on the owner may lose it at any time, or keep it. An expire that is known
 * to have returned says that the owner has lost it by then. An expire without an argument is about
 * whoever has the lease.
 *
 *     acquire OWNER [1 or nil]  nobody else has it; OWNER has it then   [0]  somebody else has it
 *     renew OWNER   [1 or nil]  OWNER has it                            [0]  OWNER has not
 *     release OWNER [1 or nil]  OWNER has it; nobody has it then        [0]  OWNER has not
 *     expire OWNER  [anything]  OWNER has not, from then on
 *
 * SPDX-License-Identifier: MIT
 */
#include "linear/models/models.h"

enum { ACQUIRE, RENEW, RELEASE, EXPIRE };

static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    sn_value *holder = state;
    bool is_holder = *holder == op->argument[0];
    bool is_possible = is_holder || (op->function == ACQUIRE && *holder == SN_VALUE_NIL);

    (void)choice;
    if (op->function == EXPIRE) {
        if (is_holder || op->argument[0] == SN_VALUE_NIL)
            *holder = SN_VALUE_NIL;
        return SN_STEP_TAKEN;
    }
    if (is_completed(op) && is_possible != has_succeeded(op))
        return SN_STEP_REFUSED;
    if (is_possible && op->function == ACQUIRE)
        *holder = op->argument[0];
    if (is_possible && op->function == RELEASE)
        *holder = SN_VALUE_NIL;
    return SN_STEP_TAKEN;
}

static bool observes(const struct sn_operation *op)
{
    return op->function != EXPIRE && !has_succeeded(op);
}

const struct sn_model sn_model_lease = {
    .name = "lease",
    .about = "one owner at a time: acquire, renew, release, expire",
    .functions =
        (const struct sn_function[]){
            {"acquire", false}, {"renew", true}, {"release", false}, {"expire", false}, {0}},
    .state_size = sizeof(sn_value),
    .init = value_init,
    .step = step,
    .is_partitioned = true,
    .print = value_print,
    .observes = observes,
};
