/* revisit_saved.c - what is left of a receive-revisit search: as bytes, and in two halves.
 *
 * Both are about the list of open subproblems: the roots that were handed over, and each choice of
 * each frame. Nothing that a subproblem leads to depends on another one, so any division will do.
 * SPDX-License-Identifier: MIT
 */
#include "base/bytes.h"
#include "base/rng.h"
#include "strategy/revisit.h"

#include <string.h>

static const uint64_t revisit_tag = UINT64_C(0x3174697369766572); /* "revisit1" */

enum {
    HEADER_WORDS = 4, /* tag, flags, part that is done, number of subproblems */
    ROOT_WORDS = 5,   /* mass, lengths, send, choice (two) */
    READ_WORDS = 3,
    FLAG_BEGUN = 1,
    FLAG_INCOMPLETE = 2,
    FLAG_DIVIDED = 4,
    FLAGS_ALL = 7,
};

/* A subproblem where it lies. */
struct subproblem {
    struct revisit_root root;
    struct revisit_script script;
    bool has_read; /* the choice is what one more receive reads */
};

static struct subproblem subproblem_of_root(const struct revisit *s, uint32_t i)
{
    const struct revisit_root *root = &s->roots[i];

    return (struct subproblem){.root = *root,
                               .script = revisit_script_at(s->root_scripts + root->at, root->n)};
}

static struct subproblem subproblem_of_choice(const struct revisit *s,
                                              const struct revisit_frame *frame, uint32_t i)
{
    return (struct subproblem){.root = {.mass = frame->share,
                                        .n = frame->n,
                                        .n_order = frame->n_order,
                                        .send = frame->send,
                                        .choice = s->choices[frame->first + i]},
                               .script = revisit_script_of(s, frame->level),
                               .has_read = frame->send.send == 0};
}

static uint32_t count_open(const struct revisit *s)
{
    return s->n_roots + s->n_choices;
}

/* ---- As bytes ------------------------------------------------------------------------------- */

/* Bytes that grow, or are only counted. */
static void put_two(struct bytes_writer *w, uint32_t low, uint32_t high)
{
    bytes_write(w, (uint64_t)high << 32 | low);
}

static void put_read(struct bytes_writer *w, const struct graph_read *read)
{
    bytes_write(w, read->id);
    put_two(w, read->sender, read->k);
    bytes_write(w, read->before);
}

/* The choice of a receive is written as the end of the script. */
static void put_subproblem(struct bytes_writer *w, const struct subproblem *p)
{
    const struct revisit_root *root = &p->root;
    const struct revisit_choice choice = p->has_read ? (struct revisit_choice){0} : root->choice;
    uint32_t more = p->has_read ? 1 : 0;

    bytes_write(w, root->mass);
    put_two(w, root->n + more, root->n_order + more);
    put_two(w, root->send.receive, root->send.send);
    bytes_write(w, choice.id);
    put_two(w, choice.at, choice.k);
    for (uint32_t i = 1; i <= root->n; i++)
        put_read(w, &p->script.reads[i]);
    if (p->has_read)
        put_read(w, &(struct graph_read){root->choice.id, root->choice.at, root->choice.k, 0});
    for (uint32_t i = 0; i < root->n_order; i++)
        put_two(w, p->script.order[i].receive, p->script.order[i].send);
    if (p->has_read)
        put_two(w, root->n + 1, 0);
}

static void put_state(struct bytes_writer *w, const struct revisit *s)
{
    bool is_incomplete = s->is_incomplete || s->is_stepping;

    bytes_write(w, revisit_tag);
    bytes_write(w, (s->is_begun ? FLAG_BEGUN : 0) | (is_incomplete ? FLAG_INCOMPLETE : 0) |
                       (s->is_divided ? FLAG_DIVIDED : 0));
    bytes_write(w, revisit_done(s));
    bytes_write(w, count_open(s));
    for (uint32_t i = 0; i < s->n_roots; i++) {
        struct subproblem p = subproblem_of_root(s, i);

        put_subproblem(w, &p);
    }
    for (uint32_t f = 0; f < s->n_frames; f++) {
        for (uint32_t i = 0; i < s->frames[f].n_left; i++) {
            struct subproblem p = subproblem_of_choice(s, &s->frames[f], i);

            put_subproblem(w, &p);
        }
    }
    bytes_write(w, w->sum);
}

size_t revisit_save(const void *self, void *bytes, size_t room)
{
    struct bytes_writer counter = {.to = NULL};
    struct bytes_writer writer = {.to = bytes};

    put_state(&counter, self);
    if (room >= counter.n)
        put_state(&writer, self);
    return counter.n;
}

/* ---- And back ------------------------------------------------------------------------------- */

struct reader {
    const unsigned char *from;
    uint64_t n_words; /* that are left */
};

static uint64_t get(struct reader *r)
{
    uint64_t word = bytes_get(r->from);

    r->from += 8;
    r->n_words--;
    return word;
}

static void get_two(struct reader *r, uint32_t *low, uint32_t *high)
{
    uint64_t word = get(r);

    *low = (uint32_t)word;
    *high = (uint32_t)(word >> 32);
}

/* The head of a subproblem. False: this is none. */
static bool get_root(struct reader *r, struct revisit_root *root)
{
    if (r->n_words < ROOT_WORDS)
        return false;
    root->mass = get(r);
    get_two(r, &root->n, &root->n_order);
    get_two(r, &root->send.receive, &root->send.send);
    root->choice.id = get(r);
    get_two(r, &root->choice.at, &root->choice.k);
    if (root->n == 0 || root->n >= GRAPH_RECEIVES_MAX || root->n_order >= GRAPH_ORDER_MAX)
        return false;
    if (r->n_words < (uint64_t)root->n * READ_WORDS + root->n_order)
        return false;
    if (root->send.send == 0)
        return true;
    return root->send.send <= GRAPH_SENDS_MAX && root->send.receive > 0 &&
           root->send.receive <= root->n && root->choice.at > 0 && root->choice.at <= root->n;
}

static bool check_script(struct reader *r, const struct revisit_root *root)
{
    bool is_good = true;

    for (uint32_t i = 1; i <= root->n; i++) {
        uint32_t sender;
        uint32_t k;

        (void)get(r);
        get_two(r, &sender, &k);
        is_good &= sender < i && k < GRAPH_SENDS_MAX && get(r) < i;
    }
    for (uint32_t i = 0; i < root->n_order; i++) {
        uint32_t receive;
        uint32_t send;

        get_two(r, &receive, &send);
        is_good &= receive > 0 && receive <= root->n && send <= GRAPH_SENDS_MAX;
    }
    return is_good;
}

static bool check_bytes(const unsigned char *bytes, size_t n)
{
    struct reader r = {bytes, n / 8};
    uint64_t sum = 0;
    uint64_t size = 0;
    uint64_t flags;
    uint64_t n_roots;

    if (n % 8 != 0 || r.n_words < HEADER_WORDS + 1 || get(&r) != revisit_tag)
        return false;
    for (uint64_t i = 0; i + 1 < n / 8; i++)
        sum = mix_pair(sum, bytes_get(bytes + 8 * i));
    if (bytes_get(bytes + n - 8) != sum)
        return false;
    flags = get(&r);
    (void)get(&r);
    n_roots = get(&r);
    if (flags > FLAGS_ALL || n_roots > REVISIT_ROOTS_MAX)
        return false;
    if ((flags & FLAG_BEGUN) == 0 && n_roots > 0)
        return false;
    for (uint64_t i = 0; i < n_roots; i++) {
        struct revisit_root root;

        if (!get_root(&r, &root) || !check_script(&r, &root))
            return false;
        size += revisit_script_bytes(root.n, root.n_order);
    }
    return size <= REVISIT_STORE_BYTES && r.n_words == 1;
}

/* Where the script of a new root goes. */
static void place_root(struct revisit *s, struct revisit_root *root, struct graph_read **reads,
                       struct graph_place **order)
{
    root->at = s->root_bytes;
    *reads = (struct graph_read *)(void *)(s->root_scripts + root->at);
    *order = (struct graph_place *)(void *)(*reads + root->n + 1);
    (*reads)[0] = (struct graph_read){0};
    s->root_bytes += revisit_script_bytes(root->n, root->n_order);
    s->roots[s->n_roots++] = *root;
}

static void load_root(struct revisit *s, struct reader *r)
{
    struct revisit_root root;
    struct graph_read *reads;
    struct graph_place *order;

    (void)get_root(r, &root);
    place_root(s, &root, &reads, &order);
    for (uint32_t i = 1; i <= root.n; i++) {
        reads[i].id = get(r);
        get_two(r, &reads[i].sender, &reads[i].k);
        reads[i].before = (uint32_t)get(r);
    }
    for (uint32_t i = 0; i < root.n_order; i++)
        get_two(r, &order[i].receive, &order[i].send);
}

/* A state with no subproblem, and no trial before. */
static void clear(struct revisit *s)
{
    s->is_begun = true;
    s->is_running = false;
    s->is_stepping = false;
    s->is_divided = false;
    s->is_incomplete = false;
    s->is_done = false;
    s->refusal = REVISIT_COVERED;
    s->n_frames = 0;
    s->n_choices = 0;
    s->n_levels = 0;
    s->n_roots = 0;
    s->kept_bytes = 0;
    s->root_bytes = 0;
    s->done = 0;
    s->common = 0;
    s->n_script = 0;
    graph_clear(&s->graph);
}

int revisit_load(void *self, const void *bytes, size_t n)
{
    struct revisit *s = self;
    struct reader r = {bytes, n / 8};
    uint64_t flags;
    uint64_t n_roots;

    if (!check_bytes(bytes, n))
        return -1;
    clear(s);
    (void)get(&r);
    flags = get(&r);
    s->is_begun = (flags & FLAG_BEGUN) != 0;
    s->is_divided = (flags & FLAG_DIVIDED) != 0;
    s->is_incomplete = (flags & FLAG_INCOMPLETE) != 0;
    s->done = get(&r);
    n_roots = get(&r);
    for (uint64_t i = 0; i < n_roots; i++)
        load_root(s, &r);
    return 0;
}

/* ---- In two halves -------------------------------------------------------------------------- */

/* False: there is no room. */
static bool give(struct revisit *other, const struct subproblem *p)
{
    struct revisit_root root = p->root;
    uint32_t more = p->has_read ? 1 : 0;
    struct graph_read *reads;
    struct graph_place *order;

    root.n += more;
    root.n_order += more;
    if (other->n_roots == REVISIT_ROOTS_MAX ||
        revisit_script_bytes(root.n, root.n_order) > REVISIT_STORE_BYTES - other->root_bytes)
        return false;
    place_root(other, &root, &reads, &order);
    memcpy(reads, p->script.reads, ((size_t)p->root.n + 1) * sizeof(*reads));
    if (p->root.n_order > 0)
        memcpy(order, p->script.order, (size_t)p->root.n_order * sizeof(*order));
    if (p->has_read) {
        const struct revisit_choice *choice = &p->root.choice;

        reads[root.n] = (struct graph_read){choice->id, choice->at, choice->k, 0};
        order[root.n_order - 1] = (struct graph_place){.receive = root.n};
    }
    return true;
}

/* What comes last is given away, until that is half of the mass that is left. */
struct giving {
    struct revisit *to;
    uint64_t half;
    uint64_t given;
    uint32_t n_left; /* that may be given */
    bool is_over;
};

/* False: it stays. */
static bool try_to_give(struct giving *g, const struct subproblem *p)
{
    g->is_over |= g->n_left == 0 || (g->given > 0 && p->root.mass > g->half - g->given);
    if (g->is_over || !give(g->to, p)) {
        g->is_over = true;
        return false;
    }
    g->given += p->root.mass;
    g->n_left--;
    g->is_over = g->given >= g->half;
    return true;
}

static void split_roots(struct revisit *s, struct giving *g)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n_roots; i++) {
        struct subproblem p = subproblem_of_root(s, i);

        if (!try_to_give(g, &p))
            s->roots[n++] = p.root;
    }
    s->n_roots = n;
}

static void split_frames(struct revisit *s, struct giving *g)
{
    uint32_t n_frames = 0;
    uint32_t n_choices = 0;

    for (uint32_t f = 0; f < s->n_frames; f++) {
        struct revisit_frame frame = s->frames[f];
        uint32_t first = n_choices;

        for (uint32_t i = 0; i < frame.n_left; i++) {
            struct subproblem p = subproblem_of_choice(s, &frame, i);

            if (!try_to_give(g, &p))
                s->choices[n_choices++] = p.root.choice;
        }
        frame.n_left = n_choices - first;
        frame.first = first;
        if (frame.n_left > 0)
            s->frames[n_frames++] = frame;
    }
    s->n_frames = n_frames;
    s->n_choices = n_choices;
}

bool revisit_split(void *self, void *with)
{
    struct revisit *s = self;
    struct revisit *other = with;
    struct giving giving = {
        .to = other, .half = (REVISIT_MASS - revisit_done(s)) / 2, .n_left = count_open(s) - 1};

    if (s->is_done || s->refusal != REVISIT_COVERED || count_open(s) < 2)
        return false;
    clear(other);
    other->is_incomplete = s->is_incomplete;
    split_roots(s, &giving);
    split_frames(s, &giving);
    s->is_divided = true;
    other->is_divided = true;
    s->done += giving.given;
    other->done = REVISIT_MASS - giving.given;
    return true;
}
