/* claims_program.c - a program's own state comes back: variables and heap.
 * SPDX-License-Identifier: MIT
 */
#include "claims.h"
#include "third.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *left;
    struct node *right;
    int value;
};

static int initialised = 41;
static int zeroed;
static char text[100] = "before";
static _Thread_local int of_thread = 7;
static struct node *tree;
static const char *handle = "in a global";

static int next_number(void)
{
    static int number = 10;

    return number++;
}

static const char *globals_come_back(void)
{
    uint32_t m;

    escape(&initialised);
    escape(&zeroed);
    escape(text);
    m = shim_save();
    initialised = 1;
    zeroed = 2;
    strcpy(text, "after");
    shim_restore(m);

    HOLDS(initialised == 41);
    HOLDS(zeroed == 0);
    HOLDS(strcmp(text, "before") == 0);
    return NULL;
}

static const char *function_statics_come_back(void)
{
    uint32_t m = shim_save();
    int first = next_number();
    int second = next_number();

    shim_restore(m);

    HOLDS(second == first + 1);
    HOLDS(next_number() == first);
    return NULL;
}

static const char *thread_locals_come_back(void)
{
    uint32_t m;

    escape(&of_thread);
    m = shim_save();
    of_thread = 99;
    errno = ERANGE;
    shim_restore(m);

    HOLDS(of_thread == 7);
    HOLDS(errno != ERANGE);
    return NULL;
}

static struct node *node_new(int value, struct node *left, struct node *right)
{
    struct node *n = escape(malloc(sizeof(*n)));

    *n = (struct node){.left = left, .right = right, .value = value};
    return n;
}

static int node_sum(const struct node *n)
{
    return n == NULL ? 0 : n->value + node_sum(n->left) + node_sum(n->right);
}

static const char *heap_graph_comes_back(void)
{
    struct node *old_left;
    uint32_t m;

    escape(&tree);
    tree = node_new(1, node_new(2, NULL, NULL), node_new(3, node_new(4, NULL, NULL), NULL));
    old_left = tree->left;
    m = shim_save();
    free(tree->left);
    tree->left = NULL;
    tree->right->value = 1000;
    tree->right->right = node_new(77, NULL, NULL);
    tree = node_new(5, tree, tree);
    shim_restore(m);

    HOLDS(node_sum(tree) == 10);
    HOLDS(tree->left == old_left);
    return NULL;
}

static const char *block_freed_in_trial_is_back_each_time(void)
{
    char *p = strdup("kept");
    uint32_t m = shim_save();

    for (int i = 0; i < 3; i++) {
        HOLDS(strcmp(p, "kept") == 0);
        free(escape(p));
        memset(escape(malloc(5)), 'x', 5);
        shim_restore(m);
    }
    HOLDS(strcmp(p, "kept") == 0);
    free(p);
    return NULL;
}

static const char *realloc_is_undone(void)
{
    char *p = malloc(10);
    uint32_t m;

    memcpy(p, "123456789", 10);
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        char *q = realloc(escape(p), 100000);

        HOLDS(memcmp(q, "123456789", 10) == 0);
        memset(escape(q), 'y', 100000);
        shim_restore(m);
        HOLDS(memcmp(p, "123456789", 10) == 0);
    }
    return NULL;
}

static const char *third_party_state_comes_back(void)
{
    uint32_t m;

    third_count();
    third_word('a');
    third_count_of_thread();
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        HOLDS(third_count() == 2);
        HOLDS(third_count() == 3);
        HOLDS(strcmp(third_word('b'), "ab") == 0);
        HOLDS(third_count_of_thread() == 2);
        shim_restore(m);
    }
    return NULL;
}

static const char *a_handle_in_a_global_does_not_harm(void)
{
    uint32_t m;
    uint32_t n;

    escape(&handle);
    m = shim_save();
    handle = "changed";
    n = shim_save();
    handle = "changed again";
    shim_restore(n);
    HOLDS(strcmp(handle, "changed") == 0);
    shim_restore(m);
    HOLDS(strcmp(handle, "in a global") == 0);
    return NULL;
}

static const char *scribbling_over_the_heap_is_undone(void)
{
    char *mine = strdup("mine");
    char *others;
    uint32_t m;

    shim_enter(1);
    others = strdup("others");
    shim_enter(0);
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        memset((char *)escape(mine) - (512 << 10), 0xee, 1 << 20);
        memset((char *)escape(others) - (512 << 10), 0xee, 1 << 20);
        shim_restore(m);
        HOLDS(strcmp(mine, "mine") == 0);
        HOLDS(strcmp(others, "others") == 0);
        shim_enter(1);
        free(escape(others));
        shim_enter(0);
        free(escape(mine));
        for (int k = 0; k < 1000; k++)
            memset(escape(malloc((size_t)k)), 1, (size_t)k);
        shim_enter(2); /* an arena that the scribbling has met before it was used */
        strcpy(escape(malloc(100)), "new");
        shim_enter(0);
        shim_restore(m);
    }
    return NULL;
}

/* ---- the same in every trial ---------------------------------------------------------------- */

static uint64_t hash_of_new_blocks(size_t size)
{
    uint64_t h = 0;

    for (int i = 0; i < 20; i++) {
        unsigned char *p = escape(malloc(size));

        h = h * 31 + hash_bytes(p, size) + (uintptr_t)p;
        memset(p, i, size);
        if (i % 3 == 0)
            free(p);
    }
    return h;
}

static const char *uninitialised_heap_is_the_same_in_each_trial(void)
{
    static const size_t sizes[] = {1, 24, 100, 5000, 300000, 3 << 20};
    uint32_t m = shim_save();

    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        uint64_t first;

        shim_enter(9);
        first = hash_of_new_blocks(sizes[s]);
        for (int i = 0; i < 3; i++) {
            shim_restore(m);
            HOLDS(hash_of_new_blocks(sizes[s]) == first);
        }
        shim_enter(0);
        shim_restore(m);
    }
    return NULL;
}

static const char *snapshots_are_visited_in_any_order(void)
{
    enum { N = 20 };
    uint32_t marks[N];
    char *blocks = escape(calloc(N, 100));
    uint32_t state = 1;

    for (int i = 0; i < N; i++) {
        initialised = 100 + i;
        memset(blocks + i * 100, i + 1, 100);
        marks[i] = shim_save();
    }
    for (int at = N - 1, i = 0; i < 200; i++) {
        int go;

        state = state * 1103515245 + 12345;
        go = (int)(state >> 16) % (at + 1);
        memset(blocks, 0xff, N * 100);
        initialised = -1;
        shim_restore(marks[go]);
        HOLDS(initialised == 100 + go);
        for (int k = 0; k < N; k++)
            HOLDS(blocks[k * 100 + 99] == (k <= go ? k + 1 : 0));
        /* Up again, or the walk would end at the bottom. */
        for (at = go; at < N - 1;) {
            at++;
            initialised = 100 + at;
            memset(blocks + at * 100, at + 1, 100);
            marks[at] = shim_save();
        }
    }
    shim_drop(marks[0]);
    initialised = 41;
    return NULL;
}

static const char *memory_stays_after_a_drop(void)
{
    uint32_t m = shim_save();
    uint32_t n;

    zeroed = 5;
    n = shim_save();
    zeroed = 6;
    shim_drop(n);
    HOLDS(zeroed == 6);
    shim_restore(m);
    HOLDS(zeroed == 0);
    return NULL;
}

/* Step number `at` of a task's own little program; what it allocates, nobody else sees. */
static void private_step(void **blocks, uint32_t task, uint32_t at)
{
    uint32_t random = (task * 1000 + at) * 2654435761U;
    uint32_t i = (random >> 8) % 8;

    shim_enter(task);
    if (blocks[i] != NULL) {
        free(blocks[i]);
        blocks[i] = NULL;
    } else {
        size_t size = (random >> 16) % 200;

        blocks[i] = memset(escape(malloc(size + 1)), (int)at, size);
    }
    shim_enter(0);
}

static const char *steps_in_another_order_lead_to_the_same_bytes(void)
{
    enum { TASKS = 4, STEPS = 60, ORDERS = 200, FIRST = 70 };
    uint64_t first[TASKS] = {0};
    uint32_t m = shim_save();
    uint32_t random = 1;

    for (int order = 0; order < ORDERS; order++) {
        void *blocks[TASKS][8] = {{NULL}};
        uint32_t at[TASKS] = {0};

        for (uint32_t left = TASKS * STEPS; left > 0;) {
            uint32_t t = ((random = random * 1664525 + 1013904223) >> 16) % TASKS;

            if (at[t] == STEPS)
                continue;
            private_step(blocks[t], FIRST + t, at[t]++);
            left--;
        }
        for (uint32_t t = 0; t < TASKS; t++) {
            uint64_t h = shim_hash(FIRST + t);

            first[t] = order == 0 ? h : first[t];
            HOLDS(h == first[t]);
        }
        shim_restore(m);
    }
    return NULL;
}

const struct claim claims_program[] = {
    ENTRY(globals_come_back),
    ENTRY(function_statics_come_back),
    ENTRY(thread_locals_come_back),
    ENTRY(heap_graph_comes_back),
    ENTRY(block_freed_in_trial_is_back_each_time),
    ENTRY(realloc_is_undone),
    ENTRY(third_party_state_comes_back),
    ENTRY(a_handle_in_a_global_does_not_harm),
    ENTRY(scribbling_over_the_heap_is_undone),
    ENTRY(uninitialised_heap_is_the_same_in_each_trial),
    ENTRY(steps_in_another_order_lead_to_the_same_bytes),
    ENTRY(snapshots_are_visited_in_any_order),
    ENTRY(memory_stays_after_a_drop),
    {NULL, NULL},
};
