/* json.c - JSON text, written into a buffer that may be too small. SPDX-License-Identifier: MIT */
#include "json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void append(struct rdl_json *json, char c);

void rdl_json_init(struct rdl_json *json, char *out, size_t size)
{
    *json = (struct rdl_json){.out = out, .size = size};
    if (size > 0)
        out[0] = '\0';
}

void rdl_json_raw(struct rdl_json *json, const char *text)
{
    for (; *text; text++)
        append(json, *text);
}

void rdl_json_string(struct rdl_json *json, const char *text)
{
    append(json, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        char escaped[8];

        if (c == '"' || c == '\\')
            append(json, '\\');
        if (c >= 0x20) {
            append(json, *text);
            continue;
        }
        (void)snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned)c);
        rdl_json_raw(json, escaped);
    }
    append(json, '"');
}

void rdl_json_number(struct rdl_json *json, uint64_t number)
{
    char digits[24];

    (void)snprintf(digits, sizeof(digits), "%" PRIu64, number);
    rdl_json_raw(json, digits);
}

void rdl_json_next(struct rdl_json *json)
{
    if (!json->is_open)
        append(json, ',');
}

static void append(struct rdl_json *json, char c)
{
    json->is_open = c == '[' || c == '{';
    if (json->length + 1 < json->size) {
        json->out[json->length] = c;
        json->out[json->length + 1] = '\0';
    }
    json->length++;
}
