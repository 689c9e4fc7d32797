/* print.h - payloads as text. SPDX-License-Identifier: MIT */
#ifndef SUBSTRATE_PRINT_H
#define SUBSTRATE_PRINT_H

#include "base/text.h"
#include "engine/trial.h"

/* Prints the payload of an event, by its fields, its printer, or in hexadecimal. */
void print_payload(struct sn_text *out, const struct sn_event *event, const void *payload,
                   size_t size);

/* Prints what an operation carries: an event's payload, or the bytes or tag of a plain node. */
void print_op(struct sn_text *out, struct trial *t, const struct sn_op *op, const void *payload);

/* Prints what a machine or a monitor remembers, by its type's fields or printer. False: its type
 * has neither, or there is nothing to print. */
bool print_memory(struct sn_text *out, const struct sn_machine *type, const void *self);

#endif
