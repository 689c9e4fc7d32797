/* weather.c - sets of faults that tests ask for by name. SPDX-License-Identifier: MIT */
#include <sennit/oracles.h>

#define SECOND UINT64_C(1000000000)

const struct sn_faults sn_lossy_network = {
    .drops = 3, .duplicates = 2, .delays = 3, .delay_ns = 2 * SECOND};

const struct sn_faults sn_split_network = {.partitions = 2, .partition_ns = 5 * SECOND};

const struct sn_faults sn_flaky_disk = {
    .crashes = 2, .disk_errors = 2, .max_down = 1, .down_ns = 5 * SECOND};

const struct sn_faults sn_rough_weather = {
    .drops = 3,
    .duplicates = 2,
    .delays = 3,
    .partitions = 1,
    .crashes = 2,
    .stops = 1,
    .disk_errors = 1,
    .max_down = 1,
    .down_ns = 5 * SECOND,
    .partition_ns = 5 * SECOND,
    .delay_ns = 2 * SECOND,
};
