/* events.c - see events.h. SPDX-License-Identifier: MIT */
#include "events.h"

#include <assert.h>

static_assert(sizeof(struct sync_download_reply) == 40, "no padding");
static_assert(sizeof(struct daemon_record) == 72, "no padding");
static_assert(sizeof(struct answer) == 24, "no padding");

static const struct sn_field download_fields[] = {
    SN_FIELD(struct sync_download, node, SN_UINT),
    SN_FIELD(struct sync_download, file, SN_UINT),
    SN_FIELD(struct sync_download, session, SN_UINT),
    {0},
};

static const struct sn_field download_reply_fields[] = {
    SN_FIELD(struct sync_download_reply, file, SN_UINT),
    SN_FIELD(struct sync_download_reply, value, SN_UINT),
    SN_FIELD(struct sync_download_reply, version, SN_UINT),
    SN_FIELD(struct sync_download_reply, conflicts, SN_SET),
    {0},
};

static const struct sn_field upload_fields[] = {
    SN_FIELD(struct sync_upload, node, SN_UINT),
    SN_FIELD(struct sync_upload, file, SN_UINT),
    SN_FIELD(struct sync_upload, value, SN_UINT),
    SN_FIELD(struct sync_upload, base, SN_UINT),
    {0},
};

static const struct sn_field upload_ack_fields[] = {
    SN_FIELD(struct sync_upload_ack, file, SN_UINT),
    SN_FIELD(struct sync_upload_ack, version, SN_UINT),
    SN_FIELD(struct sync_upload_ack, revision, SN_UINT),
    {0},
};

static const struct sn_field notify_fields[] = {
    SN_FIELD(struct sync_notify, file, SN_UINT),
    SN_FIELD(struct sync_notify, revision, SN_UINT),
    {0},
};

static const struct sn_field done_fields[] = {
    SN_FIELD(struct sync_done, node, SN_UINT),
    SN_FIELD(struct sync_done, file, SN_UINT),
    {0},
};

static const struct sn_field node_fields[] = {
    SN_FIELD(struct sync_node, node, SN_UINT),
    {0},
};

static const struct sn_field read_fields[] = {
    SN_FIELD(struct user_read, file, SN_UINT),
    {0},
};

static const struct sn_field write_fields[] = {
    SN_FIELD(struct user_write, file, SN_UINT),
    SN_FIELD(struct user_write, value, SN_UINT),
    {0},
};

static const struct sn_field rename_fields[] = {
    SN_FIELD(struct user_rename, from, SN_UINT),
    SN_FIELD(struct user_rename, to, SN_UINT),
    {0},
};

static const struct sn_field wait_fields[] = {
    SN_FIELD(struct user_wait, file, SN_UINT),
    SN_FIELD(struct user_wait, value, SN_UINT),
    {0},
};

static const struct sn_field answer_fields[] = {
    SN_FIELD(struct answer, value, SN_UINT),
    SN_FIELD(struct answer, conflicts, SN_SET),
    {0},
};

static const struct sn_field fs_fields[] = {
    SN_FIELD(struct daemon_event, file, SN_UINT),
    SN_FIELD(struct daemon_event, value, SN_UINT),
    SN_FIELD(struct daemon_event, old, SN_UINT),
    SN_FIELD(struct daemon_event, second, SN_UINT),
    {0},
};

static const struct sn_field record_fields[] = {
    SN_FIELD(struct daemon_record, file, SN_UINT),
    SN_FIELD(struct daemon_record, entry.value, SN_UINT),
    SN_FIELD(struct daemon_record, entry.version, SN_UINT),
    {0},
};

#define EVENT(variable_, name_, type_, fields_)                                                    \
    const struct sn_event variable_ = {.name = name_, .size = sizeof(type_), .fields = fields_}

EVENT(download_event, "Download", struct sync_download, download_fields);
EVENT(download_reply_event, "DownloadReply", struct sync_download_reply, download_reply_fields);
EVENT(upload_event, "Upload", struct sync_upload, upload_fields);
EVENT(upload_ack_event, "UploadAck", struct sync_upload_ack, upload_ack_fields);
EVENT(notify_event, "Notify", struct sync_notify, notify_fields);
EVENT(done_event, "Done", struct sync_done, done_fields);
EVENT(hello_event, "Hello", struct sync_node, node_fields);
EVENT(gone_event, "Gone", struct sync_node, node_fields);

EVENT(read_event, "Read", struct user_read, read_fields);
EVENT(write_event, "Write", struct user_write, write_fields);
EVENT(rename_event, "Rename", struct user_rename, rename_fields);
EVENT(wait_event, "Wait", struct user_wait, wait_fields);
const struct sn_event kill_event = {.name = "Kill"};
const struct sn_event restart_event = {.name = "Restart"};
EVENT(answer_event, "Answer", struct answer, answer_fields);

EVENT(fs_event, "FsEvent", struct daemon_event, fs_fields);
EVENT(record_event, "Record", struct daemon_record, record_fields);
const struct sn_event second_event = {.name = "Second"};

const struct sn_event *const sync_events[SYNC_KINDS] = {
    [SYNC_DOWNLOAD] = &download_event,
    [SYNC_UPLOAD] = &upload_event,
    [SYNC_DONE] = &done_event,
    [SYNC_HELLO] = &hello_event,
    [SYNC_GONE] = &gone_event,
    [SYNC_DOWNLOAD_REPLY] = &download_reply_event,
    [SYNC_UPLOAD_ACK] = &upload_ack_event,
    [SYNC_NOTIFY] = &notify_event,
};
