/* utf8.c - see utf8.h. SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include "base/err.h"

size_t utf8_decode(const char *bytes, size_t n, uint32_t *code)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)bytes;
    size_t length;
    uint32_t c;

    if (n == 0)
        return 0;
    if (p[0] < 0x80) {
        *code = p[0];
        return 1;
    }
    length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || n < length)
        return 0;
    c = p[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    if (c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *code = c;
    return length;
}

size_t utf8_encode(uint32_t code, char out[4])
{
    sn_check(code <= 0x10ffff);
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

unsigned utf8_columns(uint32_t code)
{
    static const struct {
        uint32_t first;
        uint32_t last;
    } wide[] = {
        {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x4dbf},   {0x4e00, 0xa4cf},
        {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
        {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
        {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
    };

    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]) && wide[i].first <= code; i++) {
        if (code <= wide[i].last)
            return 2;
    }
    return 1;
}
