/* deadlock.c - processes that wait for ever: who they are, what for, and what they have instead.
 *
 * Servers that may wait for ever are no deadlock. If there is one, those of them that have messages
 * which they do not take are told of, too: what another one waits for may be among these. They
 * stand in brackets, which are no part of what tells one failure from another.
 *
 * What a failure is called has room for a few of them. If there are more, all are in the trace, as
 * notes behind its last step. SPDX-License-Identifier: MIT
 */
#include "substrate/post.h"
#include "substrate/process.h"

#include <stdio.h>

enum {
    WAITING_MAX = 400,  /* bytes of a failure for those that wait, for ... */
    SERVERS_MAX = 200,  /* ... servers that have messages, ... */
    MORE_MAX = 24,      /* ... and for how many others there are, also in a mailbox */
    NOTE_MAX = 8 << 10, /* bytes of a note */
};

static bool is_stuck(const struct process *p)
{
    bool is_stuck = p->wait != NULL ? p->wait->until_ns == SN_FOREVER && !p->wait->may_be_ever
                                    : p->is_receiving && p->found == 0 && !p->is_timed;

    return p->life == PROCESS_ALIVE && is_stuck;
}

/* Which of those that are stuck are told of. */
typedef bool which(const struct process *p);

static bool waits_for_ever(const struct process *p)
{
    return is_stuck(p) && !p->type->may_wait;
}

static bool leaves_messages(const struct process *p)
{
    return is_stuck(p) && p->type->may_wait && p->first != 0;
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
        return (p->first == 0 || put_mailbox(out, t, p)) && !out->cut;
    }
    if (p->wanted != NULL)
        text_print(out, " for %s", p->wanted->name);
    else if (!calls_describe(t, p, out))
        text_puts(out, p->match != NULL ? " for a message that it would take" : " for a message");
    return put_mailbox(out, t, p) && !out->cut;
}

/* The first is named in any case, the others if there is room for all of what is said of them.
 * Returns how many are not; *is_whole: all is said of the first. */
static uint32_t put_all(struct sn_text *out, struct trial *t, which *is_told, bool *is_whole)
{
    uint32_t n_left = 0;

    for (uint32_t i = 1; i < t->now.n_own[OWN_PROCESSES]; i++) {
        const struct process *p = &t->processes->all[i];
        char buffer[WAITING_MAX];
        struct sn_text one;
        bool has_room;

        if (!is_told(p))
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
static void note_all(struct trial *t, which *is_told, const char *words)
{
    char buffer[NOTE_MAX];
    struct sn_text out;

    for (uint32_t i = 1; i < t->now.n_own[OWN_PROCESSES]; i++) {
        if (!is_told(&t->processes->all[i]))
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

/* Writes down some of those that are stuck, and how many others there are; all into the trace if
 * something has no room. False: there are none. */
static bool tell(struct trial *t, which *is_told, const char *words, char *buffer, size_t size)
{
    bool is_whole = true;
    struct sn_text out;
    uint32_t n_left;

    text_init(&out, buffer, size - MORE_MAX);
    n_left = put_all(&out, t, is_told, &is_whole);
    if (t->recorder != NULL && (n_left > 0 || !is_whole))
        note_all(t, is_told, words);
    if (n_left > 0)
        (void)snprintf(buffer + out.used, size - out.used, ", and %u more", n_left);
    return out.used > 0;
}

void process_judge(struct trial *t, bool at_limit)
{
    char waiting[WAITING_MAX] = "";
    char servers[SERVERS_MAX] = "";
    bool has_servers;

    if (!processes_are_used(t) || (at_limit && !is_at_time_limit(t)))
        return;
    posts_judge(t);
    if (!tell(t, waits_for_ever, "deadlock: ", waiting, sizeof(waiting)))
        return;
    has_servers = tell(t, leaves_messages, "may wait: ", servers, sizeof(servers));
    trial_fail(t, "deadlock", NULL, "%s, but %s%s%s%s",
               at_limit ? "time is at its limit" : "nothing can happen any more", waiting,
               has_servers ? " (and of those that may wait, " : "", servers,
               has_servers ? ")" : "");
}
