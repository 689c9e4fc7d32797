/* chord.c - a distributed hash table on a ring, as Open Chord has it.
 *
 * Keys and nodes have places on the ring, their SHA-1 hashes compared from the last byte on. A key
 * belongs to the node behind it. Node 1 is there from the start, the others join through it.
 *
 * The bug: a node that has not joined yet takes the whole ring for its own, and answers from its
 * empty table; and what was stored before somebody joined is not handed over.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chord.h"
#include "sha1.h"

#include <stdio.h>
#include <string.h>

enum { FIRST = 1, NOBODY = 0 };

/* A place on the ring, with the byte that counts most first. */
struct place_on_ring {
    uint8_t bytes[SHA1_BYTES];
};

struct chord_agent {
    struct ds2_place place;
    struct place_on_ring nodes[DS2_AGENTS_MAX + 1];
    struct place_on_ring keys[DS2_KEYS_MAX + 1];
    bool knows[DS2_AGENTS_MAX + 1]; /* other nodes: its fingers and successors */
    uint32_t predecessor;           /* itself: it knows of none */
    int64_t values[DS2_KEYS_MAX + 1];
};

/* ---- The ring ------------------------------------------------------------------------------- */

static struct place_on_ring place_of(const char *format, uint32_t number)
{
    struct place_on_ring place;
    uint8_t digest[SHA1_BYTES];
    char text[16];

    (void)snprintf(text, sizeof(text), format, number);
    sha1_text(text, digest);
    for (int i = 0; i < SHA1_BYTES; i++)
        place.bytes[i] = digest[SHA1_BYTES - 1 - i];
    return place;
}

static int compare(const struct place_on_ring *a, const struct place_on_ring *b)
{
    return memcmp(a->bytes, b->bytes, SHA1_BYTES);
}

/* Whether x lies between from and to, in the direction of the ring; neither of them does. */
static bool is_between(const struct place_on_ring *x, const struct place_on_ring *from,
                       const struct place_on_ring *to)
{
    bool is_behind = compare(x, from) > 0;
    bool is_before = compare(x, to) < 0;

    if (compare(from, to) == 0)
        return compare(x, from) != 0;
    return compare(from, to) < 0 ? is_behind && is_before : is_behind || is_before;
}

static const struct place_on_ring *here(const struct chord_agent *a)
{
    return &a->nodes[a->place.agent];
}

/* The next node on the ring that this one knows; NOBODY: it is alone. */
static uint32_t successor(const struct chord_agent *a)
{
    uint32_t found = NOBODY;

    for (uint32_t i = 1; i <= a->place.agents; i++) {
        if (a->knows[i] && (found == NOBODY || is_between(&a->nodes[i], here(a), &a->nodes[found])))
            found = i;
    }
    return found;
}

/* The last node before a place that this one knows; NOBODY: there is none between. */
static uint32_t closest_preceding(const struct chord_agent *a, const struct place_on_ring *x)
{
    uint32_t found = NOBODY;

    for (uint32_t i = 1; i <= a->place.agents; i++) {
        if (a->knows[i] && is_between(&a->nodes[i], here(a), x) &&
            (found == NOBODY || is_between(&a->nodes[i], &a->nodes[found], x)))
            found = i;
    }
    return found;
}

/* Who is alone owns the whole ring. */
static bool owns(const struct chord_agent *a, const struct place_on_ring *key)
{
    return is_between(key, &a->nodes[a->predecessor], here(a));
}

/* ---- Joining -------------------------------------------------------------------------------- */

static void update_predecessor(struct chord_agent *a, uint32_t node)
{
    if (a->predecessor == a->place.agent ||
        is_between(&a->nodes[node], &a->nodes[a->predecessor], here(a)))
        a->predecessor = node;
}

static void add_reference(struct chord_agent *a, uint32_t node)
{
    if (node == a->place.agent)
        return;
    update_predecessor(a, node);
    a->knows[node] = true;
}

static void tell(const struct chord_agent *a, uint32_t to, uint32_t kind, uint32_t node)
{
    ds2_send(&a->place, to, (struct ds2_message){.kind = kind, .agent = node});
}

/* Whoever has no successor becomes that of the new node. Rings of two end here; in larger ones the
 * place of the new node is looked for along the ring. */
static void on_find_successor(struct chord_agent *a, const struct ds2_message *m)
{
    uint32_t next = successor(a);
    uint32_t node = m->agent;

    if (next != NOBODY && !is_between(&a->nodes[node], here(a), &a->nodes[next])) {
        uint32_t preceding = closest_preceding(a, &a->nodes[node]);

        ds2_send(&a->place, preceding != NOBODY ? preceding : next, *m);
        return;
    }
    if (next != NOBODY)
        tell(a, next, CHORD_UPDATE_PREDECESSOR, node);
    tell(a, node, CHORD_SUCCESSOR_FOUND, next != NOBODY ? next : a->place.agent);
    tell(a, node, CHORD_UPDATE_PREDECESSOR, a->place.agent);
    add_reference(a, node);
}

/* ---- Clients -------------------------------------------------------------------------------- */

static void on_upload_entry(struct chord_agent *a, const struct ds2_message *m)
{
    const struct place_on_ring *key = &a->keys[m->key];
    uint32_t next = successor(a);
    uint32_t preceding = closest_preceding(a, key);

    if (!owns(a, key) && (preceding != NOBODY || next != NOBODY)) {
        ds2_send(&a->place, preceding != NOBODY ? preceding : next, *m);
        return;
    }
    a->values[m->key] = m->value;
    ds2_send(&a->place, a->place.agent,
             (struct ds2_message){.kind = CHORD_UPLOAD_ENTRY_RESPONSE,
                                  .client = m->client,
                                  .key = m->key,
                                  .value = m->value});
}

static void on_request(struct chord_agent *a, const struct ds2_message *m)
{
    const struct place_on_ring *key = &a->keys[m->key];
    uint32_t origin = m->agent != NOBODY ? m->agent : a->place.agent;
    uint32_t next = successor(a);
    uint32_t to = NOBODY;
    struct ds2_message request = *m;

    if (!owns(a, key)) {
        if (next == NOBODY || !is_between(key, here(a), &a->nodes[next]))
            to = closest_preceding(a, key);
        if (to == NOBODY)
            to = next;
    }
    request.agent = origin;
    if (to == NOBODY) {
        request.kind = CHORD_RESPONSE;
        request.value = a->values[m->key];
        to = origin;
    }
    ds2_send(&a->place, to, request);
}

/* ---- The agent ------------------------------------------------------------------------------ */

static void receive(void *agent, const struct ds2_message *m)
{
    struct chord_agent *a = agent;

    switch (m->kind) {
    case DS2_WRITE:
        on_upload_entry(a, m);
        break;
    case DS2_READ:
        on_request(a, m);
        break;
    case CHORD_UPLOAD_ENTRY_RESPONSE:
        ds2_respond(&a->place, m->client, DS2_NOTHING);
        break;
    case CHORD_RESPONSE:
        ds2_respond(&a->place, m->client, m->value);
        break;
    case CHORD_FIND_SUCCESSOR:
        on_find_successor(a, m);
        break;
    case CHORD_SUCCESSOR_FOUND:
        add_reference(a, m->agent);
        break;
    case CHORD_UPDATE_PREDECESSOR:
        update_predecessor(a, m->agent);
        break;
    default:
        break;
    }
}

static void init(void *agent)
{
    struct chord_agent *a = agent;

    for (uint32_t i = 1; i <= DS2_AGENTS_MAX; i++)
        a->nodes[i] = place_of("%u", i);
    for (uint32_t i = 1; i <= DS2_KEYS_MAX; i++) {
        a->keys[i] = place_of("k%u", i);
        a->values[i] = DS2_NOTHING;
    }
    a->predecessor = a->place.agent;
    if (a->place.agent != FIRST)
        tell(a, FIRST, CHORD_FIND_SUCCESSOR, a->place.agent);
}

const struct ds2_object ds2_chord = {
    .name = "chord",
    .size = sizeof(struct chord_agent),
    .message_size = sizeof(struct ds2_message),
    .init = init,
    .receive = receive,
};
