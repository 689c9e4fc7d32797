/* xml.h - text inside XML 1.0. SPDX-License-Identifier: MIT */
#ifndef REPORT_XML_H
#define REPORT_XML_H

#include "base/text.h"

/* Appends a string as the content of an element. Whatever its bytes are, the result is well-formed:
 * what XML cannot hold (most characters below the blank, U+FFFE, U+FFFF) and what is not UTF-8
 * becomes the four characters \xHH for each byte. All else comes out of a reader as it was. */
void xml_puts(struct sn_text *out, const char *s);

/* A blank, the name, and the value in quotes, as above. */
void xml_put_attribute(struct sn_text *out, const char *name, const char *value);

#endif
