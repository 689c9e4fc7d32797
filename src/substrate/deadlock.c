/* deadlock.c - processes that wait for ever: who they are, what for, and what they have instead.
 *
 * What a failure is called has room for a few of them. If there are more, all are in the trace, as
 * notes behind its last step. SPDX-License-Identifier: MIT
 */
#include "substrate/post.h"
#include "substrate/process.h"

#include <stdio.h>

enum {
    WAITING_MAX = 400,  /* bytes of a failure for those that wait, ... */
    MORE_MAX = 24,      /* ... and for how many others there are, also in a mailbox */
    NOTE_MAX = 8 << 10, /* bytes of a note */
};

static bool waits_for_ever(const struct process *p)
{
    bool is_stuck = p->wait != NULL ? p->wait->until_ns == SN_FOREVER && !p->wait->may_be_ever
                                    : p->is_receiving && p->found == 0 && !p->is_timed;

    return p->life == PROCESS_ALIVE && is_stuck && !p->type->may_wait;
}

static uint32_t count_from(const struct trial *t, uint32_t i)
{
    uint32_t n = 0;

    for (; i != 0; i = t->ops[i].next)
        n++;
    return n;
}

/* Returns false if there is no room for the names of all messages. */
static bool put_mailbox(struct sn_text *out, const struct trial *t, const struct process *p)
{
    uint32_t i = p->first;

    if (i == 0) {
        text_puts(out, " (its mailbox is empty)");
        return true;
    }
    text_puts(out, " (in its mailbox: ");
    for (; i != 0; i = t->ops[i].next) {
        const struct sn_event *event = t->ops[i].what;
        const char *name = event != NULL ? event->name : "bytes";

        if (out->size - out->used < strlen(name) + 2 * MORE_MAX)
            break;
        text_print(out, "%s%s", i != p->first ? ", " : "", name);
    }
    if (i != 0)
        text_print(out, "%s... and %u more", i != p->first ? ", " : "", count_from(t, i));
    text_puts(out, ")");
    return i == 0;
}

/* Returns false if something has no room. */
static bool put_waiting(struct sn_text *out, struct trial *t, const struct process *p)
{
    char name[128];

    text_print(out, "%s waits", machine_name(t, &t->machines->all[p->task], name, sizeof(name)));
    if (p->wait != NULL) {
        text_puts(out, " for ");
        if (p->wait->describe != NULL)
            p->wait->describe(t, p->wait->self, out);
        else
            text_puts(out, p->wait->what);
        return !out->cut;
    }
    if (p->wanted != NULL)
        text_print(out, " for %s", p->wanted->name);
    else if (!calls_describe(t, p, out))
        text_puts(out, p->match != NULL ? " for a message that it would take" : " for a message");
    return put_mailbox(out, t, p) && !out->cut;
}

/* The first is named in any case, the others if there is room for all of what is said of them.
 * Returns how many are not; *is_whole: all is said of the first. */
static uint32_t put_all(struct sn_text *out, struct trial *t, bool *is_whole)
{
    uint32_t n_left = 0;

    for (uint32_t i = 1; i < t->now.n_own[OWN_PROCESSES]; i++) {
        const struct process *p = &t->processes->all[i];
        char buffer[WAITING_MAX];
        struct sn_text one;
        bool has_room;

        if (!waits_for_ever(p))
            continue;
        text_init(&one, buffer, sizeof(buffer) - MORE_MAX);
        text_puts(&one, out->used > 0 ? ", " : "");
        has_room = put_waiting(&one, t, p);
        if (out->used == 0)
            *is_whole = has_room;
        if (out->used == 0 || (n_left == 0 && has_room && one.used < out->size - out->used))
            text_puts(out, buffer);
        else
            n_left++;
    }
    return n_left;
}

/* For a trace, if one is written. */
static void note_all(struct trial *t)
{
    static const char *const words = "deadlock: ";
    char buffer[NOTE_MAX];
    struct sn_text out;

    for (uint32_t i = 1; i < t->now.n_own[OWN_PROCESSES]; i++) {
        if (!waits_for_ever(&t->processes->all[i]))
            continue;
        text_init(&out, buffer, sizeof(buffer));
        text_puts(&out, words);
        (void)put_waiting(&out, t, &t->processes->all[i]);
        trial_record(t, note, buffer);
    }
}

/* When virtual time has come to its limit, those that do not wait for time wait for ever as well.
 */
static bool is_at_time_limit(const struct trial *t)
{
    return t->now.steps < t->steps_max && t->now.n_enabled <= t->now.n_faults;
}

void process_judge(struct trial *t, bool at_limit)
{
    char buffer[WAITING_MAX] = "";
    char more[MORE_MAX] = "";
    struct sn_text waiting;
    bool is_whole = true;
    uint32_t n_left;

    if (!processes_are_used(t) || (at_limit && !is_at_time_limit(t)))
        return;
    posts_judge(t);
    text_init(&waiting, buffer, sizeof(buffer) - MORE_MAX);
    n_left = put_all(&waiting, t, &is_whole);
    if (waiting.used == 0)
        return;
    if (n_left > 0)
        (void)snprintf(more, sizeof(more), ", and %u more", n_left);
    if (t->recorder != NULL && (n_left > 0 || !is_whole))
        note_all(t);
    trial_fail(t, "deadlock", NULL, "%s, but %s%s",
               at_limit ? "time is at its limit" : "nothing can happen any more", buffer, more);
}
