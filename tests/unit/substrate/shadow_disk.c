/* shadow_disk.c - see shadow_disk.h. SPDX-License-Identifier: MIT */
#include "shadow_disk.h"

#include <assert.h>
#include <string.h>

static bool is_naming(const struct shadow_event *e)
{
    return e->kind == SHADOW_CREATE || e->kind == SHADOW_RENAME || e->kind == SHADOW_REMOVE;
}

unsigned char shadow_byte(unsigned char fill, int index)
{
    return (unsigned char)(fill * 37 + index * 11);
}

int shadow_find(const struct shadow *s, int name)
{
    int owner = -1;

    for (int i = 0; i < s->n_events; i++) {
        const struct shadow_event *e = &s->events[i];

        if (!is_naming(e))
            continue;
        if (e->file == owner)
            owner = -1; /* whatever it is called now, this name is gone unless it is given anew */
        if (e->kind != SHADOW_REMOVE && e->name == name)
            owner = e->file;
    }
    return owner;
}

int shadow_contents(const struct shadow *s, int name, unsigned char bytes[SHADOW_SIZE_MAX])
{
    int file = shadow_find(s, name);
    int size = 0;

    memset(bytes, 0, SHADOW_SIZE_MAX);
    if (file < 0)
        return -1;
    for (int i = 0; i < s->n_events; i++) {
        const struct shadow_event *e = &s->events[i];

        if (e->file != file || is_naming(e))
            continue;
        if (e->kind == SHADOW_TRUNCATE) {
            memset(bytes + e->offset, 0, (size_t)(SHADOW_SIZE_MAX - e->offset));
            size = e->offset;
        } else {
            for (int k = 0; k < e->n; k++)
                bytes[e->offset + k] = shadow_byte(e->fill, k);
            size = e->offset + e->n > size ? e->offset + e->n : size;
        }
    }
    return size;
}

/* ---- What machines do ------------------------------------------------------------------------ */

static void add(struct shadow *s, struct shadow_event event)
{
    assert(s->n_events < SHADOW_EVENTS_MAX);
    s->events[s->n_events++] = event;
}

static int find_or_create(struct shadow *s, int name)
{
    int file = shadow_find(s, name);

    if (file < 0) {
        file = s->n_files++;
        add(s, (struct shadow_event){.kind = SHADOW_CREATE, .file = file, .name = name});
    }
    return file;
}

void shadow_write(struct shadow *s, int name, int offset, int n, unsigned char fill)
{
    int file = find_or_create(s, name);

    assert(offset + n <= SHADOW_SIZE_MAX);
    if (n == 0)
        return;
    add(s, (struct shadow_event){
               .kind = SHADOW_WRITE, .file = file, .offset = offset, .n = n, .fill = fill});
}

void shadow_truncate(struct shadow *s, int name, int size)
{
    int file = find_or_create(s, name);

    add(s, (struct shadow_event){.kind = SHADOW_TRUNCATE, .file = file, .offset = size});
}

void shadow_rename(struct shadow *s, int name, int to)
{
    if (name != to)
        add(s,
            (struct shadow_event){.kind = SHADOW_RENAME, .file = shadow_find(s, name), .name = to});
}

void shadow_remove(struct shadow *s, int name)
{
    add(s, (struct shadow_event){.kind = SHADOW_REMOVE, .file = shadow_find(s, name)});
}

void shadow_sync(struct shadow *s, int name)
{
    int file = shadow_find(s, name);
    int last = -1; /* event that gave the file its name */

    for (int i = 0; i < s->n_events; i++) {
        if (is_naming(&s->events[i]) && s->events[i].file == file)
            last = i;
    }
    for (int i = 0; i < s->n_events; i++) {
        if (is_naming(&s->events[i]) ? i <= last : s->events[i].file == file)
            s->events[i].is_safe = true;
    }
}

void shadow_sync_all(struct shadow *s)
{
    for (int i = 0; i < s->n_events; i++)
        s->events[i].is_safe = true;
}

/* ---- Crashes --------------------------------------------------------------------------------- */

/* In how many ways a write can survive, in part or as a whole: once per sector that it meets. */
static int ways(const struct shadow_event *e)
{
    int n = 0;

    if (e->kind == SHADOW_TRUNCATE)
        return 1;
    for (int i = 0; i < e->n; i++)
        n += i == 0 || (e->offset + i) % 512 == 0;
    return n;
}

/* What is left of a write of which this many sectors survive. */
static int length(const struct shadow_event *e, int sectors)
{
    int n = 0;
    int begun = 0;

    for (int i = 0; i < e->n; i++) {
        begun += i == 0 || (e->offset + i) % 512 == 0;
        if (begun <= sectors)
            n++;
    }
    return n;
}

double shadow_outcomes(const struct shadow *s)
{
    double product = 1;
    int names = 1;

    for (int i = 0; i < s->n_events; i++) {
        if (s->events[i].is_safe)
            continue;
        if (is_naming(&s->events[i]))
            names++;
        else
            product *= 1 + ways(&s->events[i]);
    }
    return product * names;
}

/* The history without what is lost: namings after the first n_names that are not safe, and what the
 * choices (one per unsafe write, in order) say. */
static void cut_history(const struct shadow *s, int n_names, const int *choices,
                        struct shadow *left)
{
    bool exists[SHADOW_EVENTS_MAX] = {false};
    int next = 0;

    *left = (struct shadow){.n_files = s->n_files};
    for (int i = 0; i < s->n_events; i++) {
        struct shadow_event e = s->events[i];
        bool is_kept = e.is_safe;

        if (!e.is_safe && is_naming(&e)) {
            is_kept = n_names > 0;
            n_names--;
        } else if (!e.is_safe) {
            is_kept = choices[next] > 0;
            if (e.kind == SHADOW_WRITE)
                e.n = length(&e, choices[next]);
            next++;
        }
        if (e.kind == SHADOW_CREATE)
            exists[e.file] = is_kept;
        if (!is_kept || !exists[e.file])
            continue;
        e.is_safe = true;
        add(left, e);
    }
}

/* Counts on: the first choice that can grow does, and those before it start anew. False: all have
 * been through. */
static bool count_on(int *choices, const int *limits, int n)
{
    for (int i = 0; i < n; i++) {
        if (choices[i] < limits[i]) {
            choices[i]++;
            return true;
        }
        choices[i] = 0;
    }
    return false;
}

void shadow_crash(const struct shadow *s, void (*each)(void *self, const struct shadow *left),
                  void *self)
{
    int choices[SHADOW_CHOICES_MAX] = {0};
    int limits[SHADOW_CHOICES_MAX] = {0};
    int n = 0;
    int n_names = 0;

    for (int i = 0; i < s->n_events; i++) {
        const struct shadow_event *e = &s->events[i];

        if (!e->is_safe && is_naming(e))
            n_names++;
        else if (!e->is_safe)
            limits[n++] = ways(e);
        assert(n < SHADOW_CHOICES_MAX);
    }
    do {
        for (int k = 0; k <= n_names; k++) {
            struct shadow left;

            cut_history(s, k, choices, &left);
            each(self, &left);
        }
    } while (count_on(choices, limits, n));
}
