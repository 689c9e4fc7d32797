/* fuzz_script.c - a libFuzzer target: any bytes as a script.
 *
 * What is refused must be refused with file, line and cause. What is taken must say the same when
 * it is written and read again. SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "strategy/script.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { INPUT_MAX = 1 << 14, AGAIN_MAX = 1 << 18 };

static struct script script;
static struct script back;
static char again[AGAIN_MAX];
static char once_more[AGAIN_MAX];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All lines as they would be written. A name of escapes may be longer than what it stands for, so
 * there may be lines that are too long to be read again. */
static size_t write_script(const struct script *s, char *buffer, bool *is_readable)
{
    struct sn_text out;

    *is_readable = true;
    text_init(&out, buffer, AGAIN_MAX);
    for (uint32_t i = 0; i < s->n; i++) {
        size_t start = out.used;

        script_put_line(&out, s, &s->lines[i]);
        *is_readable &= out.used - start <= SCRIPT_LINE_BYTES_MAX;
        text_putc(&out, '\n');
    }
    sn_check(!out.cut);
    return out.used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err why = {""};
    bool is_readable;
    size_t n;

    if (size > INPUT_MAX)
        return 0;
    memcpy(script.text + 1, data, size);
    if (script_parse(&script, "fuzz.script", size, &why) < 0) {
        sn_check(strncmp(why.text, "fuzz.script:", 12) == 0);
        return 0;
    }
    n = write_script(&script, again, &is_readable);
    if (!is_readable)
        return 0;
    memcpy(back.text + 1, again, n);
    sn_check(script_parse(&back, "again.script", n, &why) == 0);
    sn_check(back.n == script.n);
    sn_check(write_script(&back, once_more, &is_readable) == n);
    sn_check(memcmp(again, once_more, n) == 0);
    return 0;
}
