/* counters.c - see counters.h. SPDX-License-Identifier: MIT */
#include "engine/world/counters.h"

#include <link.h>
#include <string.h>

static int collect(struct dl_phdr_info *object, size_t size, void *self)
{
    const char *name = object->dlpi_name == NULL ? "" : object->dlpi_name;

    (void)size;
    return profile_holes(object, name[0] == '\0' ? "/proc/self/exe" : name, self) ? 0 : 1;
}

void counters_open(struct counters *c)
{
    *c = (struct counters){.bytes = 0};
    if (!spans_init(&c->spans))
        return;
    if (dl_iterate_phdr(collect, &c->spans) != 0)
        c->spans.count = 0;
    for (size_t i = 0; i < c->spans.count; i++)
        c->bytes += c->spans.at[i].size;
}

void counters_close(struct counters *c)
{
    spans_done(&c->spans);
}

void counters_copy(const struct counters *c, unsigned char *to)
{
    for (size_t i = 0; i < c->spans.count; i++) {
        memcpy(to, c->spans.at[i].start, c->spans.at[i].size);
        to += c->spans.at[i].size;
    }
}

void counters_return(const struct counters *c, const unsigned char *from)
{
    for (size_t i = 0; i < c->spans.count; i++) {
        memcpy(c->spans.at[i].start, from, c->spans.at[i].size);
        from += c->spans.at[i].size;
    }
}

/* Counters are words. What else lies among them (names, pointers) does not change. */
static void add_span(const struct span *span, const unsigned char *before,
                     const unsigned char *after)
{
    for (size_t at = 0; at + sizeof(uint64_t) <= span->size; at += sizeof(uint64_t)) {
        uint64_t was;
        uint64_t is;
        uint64_t here;

        memcpy(&was, before + at, sizeof(was));
        memcpy(&is, after + at, sizeof(is));
        if (was == is)
            continue;
        memcpy(&here, span->start + at, sizeof(here));
        here += is - was;
        memcpy(span->start + at, &here, sizeof(here));
    }
}

void counters_add(const struct counters *c, const unsigned char *before, const unsigned char *after)
{
    for (size_t i = 0; i < c->spans.count; i++) {
        size_t size = c->spans.at[i].size;

        add_span(&c->spans.at[i], before, after);
        before += size;
        after += size;
    }
}
