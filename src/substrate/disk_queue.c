/* disk_queue.c - disk operations that are performed later, and told later still.
 *
 * The queue is a machine on the node of the component. What is submitted is a message to it, so
 * that a crash of the node loses what was not performed; what it answers is a callback. Bytes are
 * the component's, and are read and written when an operation is performed: such a step conflicts
 * with those of the component. SPDX-License-Identifier: MIT
 */
#include "engine/here.h"
#include "engine/trial.h"
#include "substrate/task.h"

#include <sennit/wrap.h>
#include <stdio.h>

enum { NAME_MAX_ = 64 };

struct request {
    enum sn_disk_verb verb;
    bool has_file;
    char file[NAME_MAX_];
    char to[NAME_MAX_];
    uint64_t offset;
    uint64_t n;
    void *bytes;
    sn_callback *done;
    void *argument;
};

static const char *const verbs[] = {"",       "write", "append", "truncate", "rename",
                                    "remove", "sync",  "read",   NULL};
static const struct sn_field request_fields[] = {
    SN_FIELD_ENUM(struct request, verb, verbs), SN_FIELD(struct request, file, SN_TEXT),
    SN_FIELD(struct request, to, SN_TEXT),      SN_FIELD(struct request, offset, SN_UINT),
    SN_FIELD(struct request, n, SN_UINT),       {0}};
static const struct sn_event request_event = {
    .name = "Disk", .size = sizeof(struct request), .fields = request_fields};

struct queue {
    sn_id owner;
    sn_id component; /* whose memory it works in: the owner, or what that is a task of */
};

static const struct sn_field queue_fields[] = {SN_FIELD(struct queue, owner, SN_MACHINE), {0}};
static const struct sn_event birth = {
    .name = "Queue", .size = sizeof(struct queue), .fields = queue_fields};

static void begin(void *self, const void *payload)
{
    *(struct queue *)self = *(const struct queue *)payload;
}

static int64_t perform(const struct request *r)
{
    const char *file = r->has_file ? r->file : NULL;

    switch (r->verb) {
    case SN_DISK_WRITE:
        return sn_disk_write(file, r->offset, r->bytes, r->n);
    case SN_DISK_APPEND:
        return sn_disk_append(file, r->bytes, r->n);
    case SN_DISK_TRUNCATE:
        return sn_disk_truncate(file, r->offset);
    case SN_DISK_RENAME:
        return sn_disk_rename(file, r->to);
    case SN_DISK_REMOVE:
        return sn_disk_remove(file);
    case SN_DISK_SYNC:
        return sn_disk_sync(file);
    case SN_DISK_READ:
        return sn_disk_read(file, r->offset, r->bytes, r->n);
    }
    return 0;
}

static void on_request(void *self, const void *payload)
{
    const struct request *r = payload;
    const struct queue *queue = self;
    sn_id owner = queue->owner;
    int64_t result;

    trial_touch_task(trial_here(), owner);
    if (queue->component != owner)
        trial_touch_task(trial_here(), queue->component);
    result = perform(r);
    if (r->done != NULL)
        sn_post(owner, verbs[r->verb], r->done, r->argument, result);
}

static const struct sn_state serving = {
    .name = "Serving",
    .entry = begin,
    .on = (const struct sn_on[]){{.event = &request_event, .run = on_request}, {0}},
};

static const struct sn_machine queue_machine = {
    .name = "disk", .size = sizeof(struct queue), .start = &serving, .birth = &birth};

sn_id sn_disk_queue_new(bool keeps_order)
{
    struct queue queue = {.owner = sn_self()};
    sn_id id;

    sn_assertf(queue.owner != SN_NOBODY, "sn_disk_queue_new is for machines and processes");
    queue.component = task_owner(trial_here());
    id = sn_create(&queue_machine, &queue);
    if (!keeps_order) {
        sn_link_order(queue.owner, id, SN_UNORDERED);
        sn_link_order(id, queue.owner, SN_UNORDERED);
    }
    return id;
}

static void copy_name(char *to, const char *name)
{
    int n = snprintf(to, NAME_MAX_, "%s", name);

    sn_assertf(n < NAME_MAX_, "the name of a file is longer than %d bytes: %s", NAME_MAX_ - 1,
               name);
}

void sn_disk_submit(sn_id queue, const struct sn_disk_io *io)
{
    struct request request = {.verb = io->verb,
                              .has_file = io->file != NULL,
                              .offset = io->offset,
                              .n = io->n,
                              .bytes = io->bytes,
                              .done = io->done,
                              .argument = io->argument};

    sn_assertf(io->verb >= SN_DISK_WRITE && io->verb <= SN_DISK_READ,
               "sn_disk_submit: there is no operation %d", (int)io->verb);
    if (io->file != NULL)
        copy_name(request.file, io->file);
    if (io->to != NULL)
        copy_name(request.to, io->to);
    sn_send(queue, &request_event, &request);
}
