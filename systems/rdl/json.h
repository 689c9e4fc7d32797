/* json.h - JSON text, written into a buffer that may be too small. SPDX-License-Identifier: MIT */
#ifndef RDL_JSON_H
#define RDL_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text so far. What does not fit is counted and left out; there is always a terminating zero
 * unless size is 0. */
struct rdl_json {
    char *out;
    size_t size;   /* of out */
    size_t length; /* of the whole text, as if everything had fitted */
    bool is_open;  /* it ends with an opening bracket or brace */
};

void rdl_json_init(struct rdl_json *json, char *out, size_t size);

/* Appends text as it is: brackets, keys, literals. */
void rdl_json_raw(struct rdl_json *json, const char *text);

/* Appends a string of JSON, quoted and escaped. */
void rdl_json_string(struct rdl_json *json, const char *text);

void rdl_json_number(struct rdl_json *json, uint64_t number);

/* Appends a comma, unless the text ends with an opening bracket or brace. */
void rdl_json_next(struct rdl_json *json);

#endif
