/* site.c - what the machines around coordinator and participants have in common.
 *
 * The component's struct tpc_io becomes events, calls of the disk, and what monitors are told.
 *
 * SPDX-License-Identifier: MIT
 */
#include "site.h"

static const char *const log_file = "log";

enum {
    COORDINATOR_TIMEOUT_MS = 1000,
    PARTICIPANT_TIMEOUT_MS = 1500,
    BOOT_MS = 100,
};

static const uint64_t ns_per_ms = 1000000;

static void io_send(void *self, uint32_t to, const struct tpc_message *message)
{
    const struct site *site = self;
    struct vote vote = {.transaction = message->transaction, .site = message->from};

    if (message->kind == TPC_YES) {
        sn_monitor(&atomicity_monitor, &vote_event, &vote);
        if (site->birth.cluster->has_termination_monitor)
            sn_monitor(&termination_monitor, &vote_event, &vote);
    }
    sn_send(site->birth.cluster->sites[to], &message_event, message);
}

static int io_append(void *self, const void *bytes, size_t n)
{
    (void)self;
    return sn_disk_append(log_file, bytes, n);
}

static int io_sync(void *self)
{
    (void)self;
    return sn_disk_sync(log_file);
}

static int64_t io_read(void *self, uint64_t offset, void *bytes, size_t n)
{
    int64_t rc = sn_disk_read(log_file, offset, bytes, n);

    (void)self;
    return rc == SN_ENOTFOUND ? 0 : rc;
}

static int io_truncate(void *self, uint64_t size)
{
    (void)self;
    return sn_disk_truncate(log_file, size);
}

static void io_start_timer(void *self, uint32_t transaction)
{
    const struct site *site = self;
    struct timeout timeout = {.transaction = transaction};
    uint64_t delay_ms =
        site->birth.site == TPC_COORDINATOR ? COORDINATOR_TIMEOUT_MS : PARTICIPANT_TIMEOUT_MS;

    sn_timer_start(&timeout_event, delay_ms * ns_per_ms, &timeout);
}

static void io_decided(void *self, uint32_t transaction, enum tpc_outcome outcome)
{
    const struct site *site = self;
    struct decision decision = {
        .transaction = transaction,
        .site = (uint32_t)site->birth.site,
        .outcome = outcome,
    };
    struct outcome answer = {.transaction = transaction, .outcome = outcome};

    site_tell_decision(site->birth.cluster, &decision);
    if (site->birth.site == TPC_COORDINATOR)
        sn_send(site->birth.cluster->client, &outcome_event, &answer);
}

const struct tpc_io site_io = {
    .send = io_send,
    .append = io_append,
    .sync = io_sync,
    .read = io_read,
    .truncate = io_truncate,
    .start_timer = io_start_timer,
    .decided = io_decided,
};

void site_tell_recovery(const struct site *site, bool is_over)
{
    struct recovery recovery = {.site = (uint32_t)site->birth.site, .is_over = is_over};

    sn_monitor(&atomicity_monitor, &recovery_event, &recovery);
}

void site_tell_decision(const struct cluster *cluster, const struct decision *decision)
{
    sn_monitor(&atomicity_monitor, &decision_event, decision);
    if (cluster->has_termination_monitor)
        sn_monitor(&termination_monitor, &decision_event, decision);
}

void site_start_later(void)
{
    sn_timer_start(&boot_event, BOOT_MS * ns_per_ms, NULL);
}

/* The cluster is a pointer, and says nothing to a reader. */
static const struct sn_field birth_fields[] = {
    SN_FIELD(struct site_birth, site, SN_UINT),
    {0},
};

const struct sn_event site_birth_event = {
    .name = "SiteBirth",
    .size = sizeof(struct site_birth),
    .fields = birth_fields,
};
