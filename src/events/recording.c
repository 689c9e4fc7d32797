/* recording.c - see recording.h. SPDX-License-Identifier: MIT */
#include "events/recording.h"

#include <sennit/test.h>
#include <string.h>

static int check_message(const struct recording *r, uint32_t number, struct err *why)
{
    const struct recorded *e = &r->events[number];
    const struct recorded *of = &r->events[e->of];
    bool is_execution = e->kind == SN_EVENT_EXECUTE;

    if (e->of >= number)
        return err_set(why, SN_EINVAL, "event %u applies what event %u makes, which comes later",
                       number, e->of);
    if (of->kind != (is_execution ? SN_EVENT_REQUEST : SN_EVENT_UPDATE))
        return err_set(why, SN_EINVAL, "event %u applies what event %u makes, which is no %s",
                       number, e->of, is_execution ? "request" : "update");
    if (e->peer != of->replica)
        return err_set(why, SN_EINVAL,
                       "event %u applies what event %u makes, but not on the way from %s to %s",
                       number, e->of, r->replicas[e->peer], r->replicas[e->replica]);
    return 0;
}

static int check_event(const struct recording *r, uint32_t number, struct err *why)
{
    const struct recorded *e = &r->events[number];

    if (e->kind < SN_EVENT_UPDATE || e->kind > SN_EVENT_DELIVER)
        return err_set(why, SN_EINVAL, "event %u is of no kind", number);
    if (e->op[0] == '\0')
        return err_set(why, SN_EINVAL, "event %u has no name", number);
    if (e->replica >= r->n_replicas || e->peer >= r->n_replicas)
        return err_set(why, SN_EINVAL, "event %u is at a replica that there is not", number);
    if (e->kind == SN_EVENT_REQUEST && e->peer == e->replica)
        return err_set(why, SN_EINVAL, "event %u is a request of %s for itself", number,
                       r->replicas[e->replica]);
    return recorded_is_applied(e) ? check_message(r, number, why) : 0;
}

int recording_settle(struct recording *r, struct err *why)
{
    uint32_t stamps[RECORDING_REPLICAS_MAX] = {0};

    if (r->n == 0)
        return err_set(why, SN_EINVAL, "no events were recorded");
    for (uint32_t i = 0; i < r->n_replicas; i++) {
        if (r->replicas[i][0] == '\0' || recording_replica(r, r->replicas[i]) != (int)i)
            return err_set(why, SN_EINVAL, "replica %u has no name of its own", i);
    }
    for (uint32_t i = 0; i < r->n; i++) {
        struct recorded *e = &r->events[i];
        int rc = check_event(r, i, why);
        uint32_t stamp;

        if (rc < 0)
            return rc;
        stamp = stamps[e->replica];
        if (recorded_is_applied(e) && r->events[e->of].lamport > stamp)
            stamp = r->events[e->of].lamport;
        e->lamport = stamps[e->replica] = stamp + 1;
    }
    return 0;
}

int recording_replica(const struct recording *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_replicas; i++) {
        if (strcmp(r->replicas[i], name) == 0)
            return (int)i;
    }
    return -1;
}

void recording_print_event(const struct recording *r, uint32_t event, struct sn_text *out)
{
    const struct recorded *e = &r->events[event];

    text_print(out, "%s(%s)", e->op, e->args);
    if (e->kind == SN_EVENT_REQUEST)
        text_print(out, " for %s", r->replicas[e->peer]);
    else if (recorded_is_applied(e))
        text_print(out, " from %s", r->replicas[e->peer]);
    text_print(out, " at %s", r->replicas[e->replica]);
}

void recording_print_order(const uint8_t *order, uint32_t n, struct sn_text *out)
{
    for (uint32_t i = 0; i < n; i++)
        text_print(out, "%s%u", i > 0 ? " " : "", order[i]);
}
