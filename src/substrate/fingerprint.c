/* fingerprint.c - see fingerprint.h.
 *
 * The parts of a state that have no order (machines, links, timers) are added up; within a link the
 * order counts. Addresses of states and events take part: they mean the same as long as the process
 * lives, which is as long as fingerprints are compared. SPDX-License-Identifier: MIT
 */
#include "substrate/fingerprint.h"

#include "engine/op.h"
#include "substrate/environment.h"
#include "substrate/files.h"
#include "substrate/machine.h"
#include "substrate/process.h"

#include <string.h>

static struct state_key add(struct state_key h, uint64_t value)
{
    return state_add(h, value);
}

static struct state_key add_pointer(struct state_key h, const void *pointer)
{
    return state_add(h, (uintptr_t)pointer);
}

static struct state_key add_bytes(struct state_key h, const void *bytes, size_t n)
{
    const char *at = bytes;
    uint64_t word;

    for (; n >= sizeof(word); n -= sizeof(word), at += sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        h = add(h, word);
    }
    word = n;
    memcpy(&word, at, n);
    return add(h, word);
}

/* ---- Payloads ------------------------------------------------------------------------------- */

static size_t field_bytes(const struct sn_field *field)
{
    return (size_t)field->size * (field->count > 0 ? field->count : 1);
}

static size_t field_alignment(const struct sn_field *field)
{
    bool is_number = field->type != SN_TEXT && field->type != SN_BYTES;

    return is_number && field->size <= 8 ? field->size : 1;
}

/* The field that covers this byte, or else the first one behind it. */
static const struct sn_field *field_from(const struct sn_field *fields, size_t at)
{
    const struct sn_field *found = NULL;

    for (const struct sn_field *field = fields; field->name != NULL; field++) {
        if (field->offset + field_bytes(field) > at &&
            (found == NULL || field->offset < found->offset))
            found = field;
    }
    return found;
}

/* Bytes that no field names are padding, whose contents are an accident, if the member that follows
 * needs them to be well placed. Otherwise they are a member that the table leaves out. */
static struct state_key add_gaps(struct state_key h, const struct sn_field *fields,
                                 const char *payload, size_t size)
{
    size_t alignment_max = 1;
    size_t at = 0;

    while (at < size) {
        const struct sn_field *next = field_from(fields, at);
        size_t end = next != NULL ? next->offset : size;
        size_t alignment = next != NULL ? field_alignment(next) : alignment_max;

        if (end > at && end - at >= alignment)
            h = add_bytes(h, payload + at, end - at);
        if (next == NULL)
            break;
        alignment_max = alignment > alignment_max ? alignment : alignment_max;
        at = next->offset + field_bytes(next);
    }
    return h;
}

static struct state_key add_fields(struct state_key h, const struct sn_field *fields,
                                   const char *payload, size_t size)
{
    for (const struct sn_field *field = fields; field->name != NULL; field++) {
        size_t n = field_bytes(field);

        if (field->type == SN_TEXT)
            n = strnlen(payload + field->offset, n);
        h = add_bytes(h, payload + field->offset, n);
    }
    return add_gaps(h, fields, payload, size);
}

struct state_key fingerprint_content(const struct trial *t, const struct sn_op *op)
{
    const struct sn_event *event = op->what;
    struct state_key h = add(add(state_begin(op->kind), op->task), op->from);

    h = add_pointer(h, event);
    if (op->size == 0)
        return h;
    if (event != NULL && event->fields != NULL && event->size == op->size)
        return add_fields(h, event->fields, op_payload(t, op), op->size);
    return add_bytes(h, op_payload(t, op), op->size);
}

uint64_t fingerprint_op(const struct trial *t, const struct sn_op *op)
{
    return fingerprint_content(t, op).low;
}

/* ---- What is pending ------------------------------------------------------------------------ */

/* How long until the deadline. After a sleep it may be over, and of those that wait the earliest is
 * still the first. A timer that need not wait may move its machine's clock there, but not back. */
static uint64_t time_left(const struct trial *t, const struct source *source,
                          const struct sn_op *op)
{
    uint64_t clock_ns = machine_time_ns(t, op->task);

    if (source->is_waiting)
        return op->deadline - t->now.time_ns;
    return op->deadline > clock_ns ? op->deadline - clock_ns : 0;
}

static struct state_key hash_source(const struct trial *t, const struct source *source)
{
    struct state_key h = add(add(state_begin(source->from), source->to), source->is_waiting);

    for (uint32_t i = source->head; i != 0; i = t->ops[i].next) {
        h = state_join(h, fingerprint_content(t, &t->ops[i]));
        h = add(h, time_left(t, source, &t->ops[i]));
    }
    return h;
}

static struct state_key hash_pending(const struct trial *t)
{
    struct state_key sum = {0, 0};

    for (uint32_t i = 1; i < t->now.n_sources; i++) {
        const struct source *source = &t->sources[i];

        if (source->head != 0 && !source_is_free(source))
            sum = state_sum(sum, hash_source(t, source));
    }
    return sum;
}

/* ---- Machines ------------------------------------------------------------------------------- */

static struct state_key add_states(struct state_key h, const struct trial *t,
                                   const struct machine *m)
{
    h = add_pointer(h, m->state);
    for (uint32_t i = m->frame; i != 0; i = t->machines->frames[i].below)
        h = add_pointer(h, t->machines->frames[i].state);
    return h;
}

/* As if the machine were running: its clock is what sn_now_ns shows, but it may not act. */
static uint64_t ask_machine(struct trial *t, struct machine *m)
{
    struct machine *actor = t->machines->actor;
    uint32_t task = t->now.task;
    uint64_t order = t->now.order; /* reading the clock may count as touching it */
    uint8_t may_act = t->may_act;
    uint64_t fingerprint;

    t->machines->actor = m;
    t->now.task = m->task;
    t->may_act = ACTS_NOT;
    fingerprint = m->type->fingerprint(m->self);
    t->machines->actor = actor;
    t->now.task = task;
    t->now.order = order;
    t->may_act = may_act;
    return fingerprint;
}

uint64_t fingerprint_machine(struct trial *t, uint32_t task)
{
    struct machine *m = &t->machines->all[task];
    struct state_key h = add_states(state_begin(m->is_halted), t, m);

    if (m->type->fingerprint != NULL)
        return add(h, ask_machine(t, m)).low;
    return add_bytes(h, m->self, m->type->size).low;
}

/* A machine that has not halted; false: it cannot tell. */
static bool hash_machine(struct trial *t, struct machine *m, struct state_key *h)
{
    if ((m->type->fingerprint == NULL && m->type->size > 0) || process_is(t, m->task))
        return false;
    *h = add_states(add(add_pointer(state_begin(1), m->type), m->task), t, m);
    *h = add(*h, m->is_started);
    if (m->type->fingerprint != NULL)
        *h = add(*h, ask_machine(t, m));
    return true;
}

static bool hash_machines(struct trial *t, struct state_key *sum)
{
    for (uint32_t i = 1; i < t->now.n_tasks; i++) {
        struct machine *m = &t->machines->all[i];
        struct state_key h;

        if (m->is_halted)
            continue;
        if (!hash_machine(t, m, &h))
            return false;
        *sum = state_sum(*sum, h);
    }
    return true;
}

/* A monitor without a fingerprint is taken by its bytes: they tell at least what differs. */
static struct state_key hash_monitor(struct trial *t, uint32_t i)
{
    struct machine *m = &t->machines->monitors[i];
    struct state_key h = add_states(add(add(state_begin(2), i), m->is_halted), t, m);

    if (m->type->fingerprint != NULL)
        return add(h, ask_machine(t, m));
    return m->self != NULL ? add_bytes(h, m->self, m->type->size) : h;
}

static struct state_key hash_monitors(struct trial *t)
{
    struct state_key sum = {0, 0};

    for (uint32_t i = 0; i < t->now.n_own[OWN_MONITORS]; i++)
        sum = state_sum(sum, hash_monitor(t, i));
    return sum;
}

/* ---- The environment ------------------------------------------------------------------------ */

static struct state_key hash_node(const struct node *node)
{
    struct state_key h = add(state_begin(3), (uint64_t)node->offset_ns);

    h = add(h, (uint64_t)(int64_t)node->drift_ppm);
    h = add(add(add(h, node->is_down), node->is_down_by_fault), node->is_doomed);
    h = add(add(h, node->stops), node->never_crashes);
    h = add(add(h, node->effects_left), node->drops);
    h = add(add(h, node->duplicates), node->delays);
    return add(add(h, node->disk_errors), node->delays > 0 ? node->delay_ns : 0);
}

static struct state_key hash_environment(const struct trial *t)
{
    const struct environment *e = t->environment;
    struct state_key h = add(state_begin(4), e->now.cut);

    h = add(add(h, t->now.n_own[OWN_DUE]), t->now.n_own[OWN_RULES]);
    h = add(h, t->now.n_own[OWN_RESIDENTS]);
    for (uint32_t i = 1; i <= environment_n_nodes(t); i++)
        h = state_join(h, hash_node(&e->nodes[i]));
    return h;
}

/* ---- Disks ---------------------------------------------------------------------------------- */

static struct state_key add_name(struct state_key h, const char *name)
{
    return add_bytes(h, name, strnlen(name, FILE_NAME_MAX));
}

/* Which file of its disk this is, in order of creation: the number itself may be another one when
 * the same is done again. */
static uint64_t place_of(const struct disks *disks, const struct disk *disk, uint32_t file)
{
    uint64_t place = 1;

    for (uint32_t i = disk->first_file; i != 0 && i != file; i = disks->files[i].next)
        place++;
    return file != 0 ? place : 0;
}

static struct state_key add_writes(struct state_key h, const struct disks *disks, uint32_t first)
{
    for (uint32_t i = first; i != 0; i = disks->writes[i].next) {
        const struct disk_write *w = &disks->writes[i];

        h = add(add(h, w->kind), w->offset);
        if (w->kind == WRITE_BYTES)
            h = add_bytes(h, disks->lines[w->line], w->n);
    }
    return add(h, 5);
}

static struct state_key add_namings(struct state_key h, const struct disks *disks,
                                    const struct disk *disk)
{
    for (uint32_t i = disk->first_naming; i != 0; i = disks->writes[i].next) {
        const struct disk_write *w = &disks->writes[i];

        h = add(add(h, w->kind), place_of(disks, disk, w->file));
        h = add(h, place_of(disks, disk, w->replaced));
        if (w->kind != WRITE_REMOVAL)
            h = add_name(h, disks->lines[w->line]);
    }
    return h;
}

static struct state_key hash_disk(const struct disks *disks, const struct disk *disk)
{
    struct state_key h = state_begin(6);

    for (uint32_t i = disk->first_file; i != 0; i = disks->files[i].next) {
        const struct disk_file *f = &disks->files[i];

        h = add_name(add_name(h, f->name), f->durable_name);
        h = add(add(h, f->size), f->durable_size);
        h = add(add(h, f->is_visible), f->is_durable);
        h = add_bytes(h, disks->lines[f->line], f->stored);
        h = add_writes(h, disks, f->first_write);
    }
    return add_namings(h, disks, disk);
}

static struct state_key hash_disks(const struct trial *t)
{
    struct state_key sum = {0, 0};

    for (uint32_t i = 0; i < t->now.n_own[OWN_DISKS]; i++) {
        if (t->disks->all[i].object != 0)
            sum = state_sum(sum, add(hash_disk(t->disks, &t->disks->all[i]), i));
    }
    return sum;
}

bool fingerprint_state(struct trial *t, uint64_t *fingerprint)
{
    struct state_key sum = {0, 0};

    if (!hash_machines(t, &sum))
        return false;
    sum = state_sum(sum, hash_monitors(t));
    sum = state_sum(sum, hash_pending(t));
    sum = state_sum(sum, hash_disks(t));
    if (environment_is_used(t))
        sum = state_sum(sum, hash_environment(t));
    *fingerprint = sum.low;
    return true;
}

/* ---- The state itself ----------------------------------------------------------------------- */

/* Nothing is taken to be the same that the test could tell apart: times are absolute, and a monitor
 * that keeps pointers may not be taken by its bytes. */

static int refuse(const char *what, const struct machine *m, struct err *why)
{
    return err_set(why, SN_EINVAL, "%s %s has memory, but no fingerprint", what, m->type->name);
}

static int add_machines(struct trial *t, struct state_key *key, struct err *why)
{
    *key = add(*key, t->now.n_tasks);
    for (uint32_t i = 1; i < t->now.n_tasks; i++) {
        struct machine *m = &t->machines->all[i];
        struct state_key h = {0, 0};

        if (process_is(t, i))
            return err_set(why, SN_EINVAL, "process %s has a stack, which has no fingerprint",
                           m->type->name);
        if (!m->is_halted && !hash_machine(t, m, &h))
            return refuse("machine", m, why);
        *key = add(add(state_join(*key, h), m->is_halted), machine_time_ns(t, i));
        *key = add(add(*key, m->node), machine_self_is_whole(m)); /* judged at the end */
    }
    return 0;
}

static int add_monitors(struct trial *t, struct state_key *key, struct err *why)
{
    for (uint32_t i = 0; i < t->now.n_own[OWN_MONITORS]; i++) {
        const struct machine *m = &t->machines->monitors[i];

        if (m->type->fingerprint == NULL && m->type->size > 0)
            return refuse("monitor", m, why);
        *key = add(state_join(*key, hash_monitor(t, i)), t->machines->heat[i].is_heated);
    }
    return 0;
}

static struct state_key add_residents(struct state_key h, const struct trial *t)
{
    for (uint32_t i = 0; i < t->now.n_own[OWN_RESIDENTS]; i++) {
        const struct resident *r = &t->environment->residents[i];
        const struct sn_event *birth = t->machines->all[r->task].type->birth;

        h = add(add(h, r->task), r->creator);
        if (r->payload != NULL)
            h = add_bytes(h, r->payload, birth->size);
    }
    return h;
}

static struct state_key add_environment(struct state_key h, const struct trial *t)
{
    const struct environment *e = t->environment;

    h = add(state_join(h, hash_environment(t)), e->now.cuts);
    h = add(add(h, e->now.n_down), e->now.n_doomed);
    for (uint32_t i = 0; i < t->now.n_own[OWN_RULES]; i++)
        h = add(add(add(h, e->rules[i].from), e->rules[i].to), e->rules[i].order);
    for (uint32_t i = 0; i < t->now.n_own[OWN_DUE]; i++)
        h = add_pointer(add(h, e->due[i].step - t->now.steps), e->due[i].what);
    return add_residents(h, t);
}

int fingerprint_exact(struct trial *t, struct state_key *key, struct err *why)
{
    int rc = add_machines(t, key, why);

    if (rc == 0)
        rc = add_monitors(t, key, why);
    if (rc < 0)
        return rc;
    *key = add(state_join(*key, hash_disks(t)), t->now.time_ns);
    if (environment_is_used(t))
        *key = add_environment(*key, t);
    return 0;
}
