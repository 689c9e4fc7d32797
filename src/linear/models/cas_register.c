/* cas_register.c - one value that is read, written, and compared and set; and a map of those.
 *
 * A compare-and-set that failed has the result 0 and tells that the value was another one. Where it
 * is known which one, record a read of it instead: that says more. SPDX-License-Identifier: MIT
 */
#include "linear/models/models.h"

static enum sn_step compare_and_set(sn_value *value, const struct sn_operation *op)
{
    bool is_expected = *value == op->argument[0];

    if (is_completed(op) && is_expected != has_succeeded(op))
        return SN_STEP_REFUSED;
    if (is_expected)
        *value = op->argument[1];
    return SN_STEP_TAKEN;
}

static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    sn_value *value = state;

    (void)choice;
    switch (op->function) {
    case REGISTER_CAS:
        return compare_and_set(value, op);
    case REGISTER_WRITE:
    case MAP_PUT:
        *value = op->argument[0];
        return SN_STEP_TAKEN;
    case MAP_DELETE:
        *value = SN_VALUE_NIL;
        return SN_STEP_TAKEN;
    default:
        return !is_completed(op) || op->result == *value ? SN_STEP_TAKEN : SN_STEP_REFUSED;
    }
}

static bool observes(const struct sn_operation *op)
{
    return op->function == REGISTER_CAS && !has_succeeded(op);
}

static bool is_write(const struct sn_operation *op)
{
    return op->function == REGISTER_WRITE || op->function == MAP_PUT || op->function == MAP_DELETE;
}

static bool hides(const struct sn_operation *earlier, const struct sn_operation *later)
{
    return is_write(earlier) && is_write(later);
}

const struct sn_model sn_model_cas_register = {
    .name = "cas-register",
    .about = "one value: read, write, cas",
    .functions =
        (const struct sn_function[]){{"read", true}, {"write", false}, {"cas", false}, {0}},
    .state_size = sizeof(sn_value),
    .init = value_init,
    .step = step,
    .is_partitioned = true,
    .print = value_print,
    .observes = observes,
    .hides = hides,
};

const struct sn_model sn_model_map = {
    .name = "map",
    .about = "a value for each key: read or get, write or put, cas, delete",
    .functions = (const struct sn_function[]){{"read", true},
                                              {"write", false},
                                              {"cas", false},
                                              {"get", true},
                                              {"put", false},
                                              {"delete", false},
                                              {0}},
    .state_size = sizeof(sn_value),
    .init = value_init,
    .step = step,
    .is_partitioned = true,
    .print = value_print,
    .observes = observes,
    .hides = hides,
};
