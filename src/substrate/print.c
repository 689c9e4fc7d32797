/* print.c - payloads as text: only while a trace is recorded. SPDX-License-Identifier: MIT */
#include "substrate/print.h"

#include "engine/here.h"
#include "substrate/machine.h"

#include <inttypes.h>
#include <string.h>

enum { BYTES_SHOWN = 64 };

void sn_print(struct sn_text *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vprint(out, format, args);
    va_end(args);
}

void sn_print_id(struct sn_text *out, sn_id machine)
{
    struct trial *t = trial_here();
    char name[128];

    if (machine == SN_NOBODY)
        text_puts(out, "nobody");
    else if (t == NULL || machine >= t->now.n_tasks)
        text_print(out, "machine %" PRIu32 "?", machine);
    else
        text_puts(out, machine_name(t, &t->machines->all[machine], name, sizeof(name)));
}

static void print_bytes(struct sn_text *out, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n && i < BYTES_SHOWN; i++)
        text_print(out, "%02x", bytes[i]);
    if (n > BYTES_SHOWN)
        text_print(out, "... (%zu bytes)", n);
}

static uint64_t load_unsigned(const void *at, size_t size)
{
    uint8_t v8;
    uint16_t v16;
    uint32_t v32;
    uint64_t v64;

    switch (size) {
    case 1:
        memcpy(&v8, at, 1);
        return v8;
    case 2:
        memcpy(&v16, at, 2);
        return v16;
    case 4:
        memcpy(&v32, at, 4);
        return v32;
    case 8:
        memcpy(&v64, at, 8);
        return v64;
    default:
        return 0;
    }
}

static int64_t sign_extend(uint64_t value, size_t size)
{
    int shift = 64 - 8 * (int)size;

    return (int64_t)(value << shift) >> shift;
}

static void print_enum(struct sn_text *out, const struct sn_field *field, uint64_t value)
{
    for (uint64_t i = 0; field->names != NULL && field->names[i] != NULL; i++) {
        if (i == value) {
            text_puts(out, field->names[i]);
            return;
        }
    }
    text_print(out, "%" PRIu64, value);
}

static void print_set(struct sn_text *out, uint64_t value)
{
    const char *separator = "";

    text_putc(out, '{');
    for (int i = 0; i < 64; i++) {
        if ((value >> i & 1) != 0) {
            text_print(out, "%s%d", separator, i);
            separator = ",";
        }
    }
    text_putc(out, '}');
}

static void print_value(struct sn_text *out, const struct sn_field *field, const char *at)
{
    uint64_t value = load_unsigned(at, field->size);
    bool is_integer = field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;

    if (field->type == SN_TEXT) {
        text_add(out, at, strnlen(at, field->size));
        return;
    }
    if (field->type == SN_BYTES || !is_integer) {
        print_bytes(out, (const unsigned char *)at, field->size);
        return;
    }
    switch (field->type) {
    case SN_INT:
        text_print(out, "%" PRId64, sign_extend(value, field->size));
        break;
    case SN_HEX:
        text_print(out, "0x%" PRIx64, value);
        break;
    case SN_BOOL:
        text_puts(out, value != 0 ? "true" : "false");
        break;
    case SN_MACHINE:
        sn_print_id(out, (sn_id)value);
        break;
    case SN_ENUM:
        print_enum(out, field, value);
        break;
    case SN_SET:
        print_set(out, value);
        break;
    case SN_UINT:
    case SN_TEXT:
    case SN_BYTES:
        text_print(out, "%" PRIu64, value);
        break;
    }
}

static void print_field(struct sn_text *out, const struct sn_field *field, const char *payload)
{
    const char *at = payload + field->offset;
    uint32_t count = field->count;

    text_print(out, "%s=", field->name);
    if (count == 0) {
        print_value(out, field, at);
        return;
    }
    text_putc(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            text_putc(out, ' ');
        print_value(out, field, at + (size_t)i * field->size);
    }
    text_putc(out, ']');
}

static void print_fields(struct sn_text *out, const struct sn_field *fields, const void *from)
{
    for (const struct sn_field *field = fields; field->name != NULL; field++) {
        if (field != fields)
            text_putc(out, ' ');
        print_field(out, field, from);
    }
}

bool print_memory(struct sn_text *out, const struct sn_machine *type, const void *self)
{
    if (self == NULL || (type->fields == NULL && type->print == NULL))
        return false;
    if (type->print != NULL)
        type->print(out, self);
    else
        print_fields(out, type->fields, self);
    return true;
}

void print_payload(struct sn_text *out, const struct sn_event *event, const void *payload,
                   size_t size)
{
    if (payload == NULL || size == 0)
        return;
    if (event == NULL || (event->fields == NULL && event->print == NULL)) {
        print_bytes(out, payload, size);
        return;
    }
    if (event->print != NULL) {
        event->print(out, payload);
        return;
    }
    print_fields(out, event->fields, payload);
}

void print_op(struct sn_text *out, struct trial *t, const struct sn_op *op, const void *payload)
{
    const struct sn_machine *type = t->machines->all[op->task].type;
    uint64_t tag;

    if (op->kind == SN_OP_TIMER && op->what == NULL) {
        memcpy(&tag, payload, sizeof(tag));
        text_print(out, "tag=%" PRIu64, tag);
    } else if (op->what == NULL && type->print_message != NULL && op->size > 0) {
        type->print_message(out, payload, op->size);
    } else {
        print_payload(out, op->what, payload, op->size);
    }
}
