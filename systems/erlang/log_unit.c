/* log_unit.c - a server of a shared log: epochs, and places written once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "log_unit.h"

static enum log_result check_epoch(struct log_unit *unit, uint32_t epoch)
{
    if (epoch < unit->epoch)
        return LOG_BAD_EPOCH;
    if (epoch > unit->epoch)
        unit->has_layout = false;
    return unit->has_layout ? LOG_OK : LOG_WEDGED;
}

void log_unit_init(struct log_unit *unit, uint32_t epoch, bool has_layout)
{
    *unit = (struct log_unit){.epoch = epoch, .has_layout = has_layout};
}

enum log_result log_unit_write(struct log_unit *unit, uint32_t epoch, uint32_t value,
                               bool is_clobbering)
{
    enum log_result result = check_epoch(unit, epoch);

    if (result != LOG_OK)
        return result;
    if (unit->value != 0 && !is_clobbering)
        return LOG_WRITTEN;
    unit->value = value;
    return LOG_OK;
}

enum log_result log_unit_read(struct log_unit *unit, uint32_t epoch, uint32_t *value)
{
    enum log_result result = check_epoch(unit, epoch);

    if (result != LOG_OK)
        return result;
    *value = unit->value;
    return unit->value != 0 ? LOG_OK : LOG_NOT_WRITTEN;
}

enum log_result log_unit_set_layout(struct log_unit *unit, uint32_t epoch)
{
    if (epoch <= unit->epoch)
        return LOG_BAD_EPOCH;
    unit->epoch = epoch;
    unit->has_layout = true;
    return LOG_OK;
}
