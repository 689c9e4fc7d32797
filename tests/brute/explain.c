/* explain.c - says what a comparison found, so that it can be understood without a debugger.
 * SPDX-License-Identifier: MIT
 */
#include "compare.h"

const char *const way_names[WAYS] = {"walking", "restoring", "rerunning", "all memory", "forking"};
const char *const wrong_names[WRONGS] = {
    "nothing",
    "the run itself",
    "the operations offered",
    "a trial that is no schedule",
    "a schedule visited twice",
    "a schedule not visited",
    "what the machines saw",
    "the sequence of visits",
    "an operation's id",
    "the order hash",
    "the process died or hung",
};

static const char *const kinds[] = {"",          "start", "deliver", "timer",
                                    "any-timer", "fault", "repair",  "any-repair"};
static const char *const offered_kinds[] = {"", "start", "deliver", "timer", "fault"};

static void print_edge(const struct tree *tree, const struct edge *edge, FILE *out)
{
    const struct row *row = &tree->rows[edge->row];

    (void)fprintf(out, " %s %d<-%d e%d (of step %d, announced as %u, id %llx)", kinds[edge->kind],
                  edge->task, edge->from, edge->event, edge->cause, row->index,
                  (unsigned long long)edge->id);
    if (edge->is_copy)
        (void)fputs(" (copy)", out);
}

static int event_number(const void *what)
{
    for (uint8_t e = 0; e < EVENTS_ALL; e++)
        if (what == interpret_event(e))
            return e;
    return -1;
}

void print_leaf(const struct tree *tree, const struct leaf *leaf, FILE *out)
{
    uint32_t at = 0;

    (void)fprintf(out, "schedule of trace %u (to searches, %u), order %llx\n", leaf->trace,
                  leaf->searched, (unsigned long long)leaf->order);
    for (int i = 0; i < leaf->n_choices; i++) {
        uint8_t choice = tree->choices[leaf->first_choice + (uint32_t)i];
        const struct edge *edge = &tree->edges[tree->nodes[at].first + choice];

        if (tree->nodes[at].kind == NODE_DRAW) {
            (void)fprintf(out, "      draw %d\n", choice);
        } else {
            print_edge(tree, edge, out);
            (void)fputs("\n", out);
        }
        at = edge->child;
    }
}

static void print_offered(const struct comparison *c, FILE *out)
{
    const struct node *node = &c->tree->nodes[c->wrong_node];

    (void)fprintf(out, "on the way to this schedule, after some steps, expected:\n");
    for (uint32_t i = 0; node->kind == NODE_PICK && i < node->n_edges; i++) {
        print_edge(c->tree, &c->tree->edges[node->first + i], out);
        (void)fputs("\n", out);
    }
    (void)fprintf(out, "offered:\n");
    for (uint32_t i = 0; i < c->n_offered; i++) {
        const struct sn_op *op = &c->offered[i];

        (void)fprintf(out, " %s %u<-%u e%d (of step %u, deadline %llu, id %llx)\n",
                      offered_kinds[op->kind], op->task, op->from, event_number(op->what),
                      op->cause, (unsigned long long)op->deadline, (unsigned long long)op->id);
    }
}

/* Two schedules that should be told apart and are not, or the other way round. */
static void print_mistaken(const struct tree *tree, FILE *out)
{
    for (uint32_t i = 0; i < tree->n_leaves; i++)
        for (uint32_t j = 0; j < i; j++) {
            const struct leaf *a = &tree->leaves[i];
            const struct leaf *b = &tree->leaves[j];

            if ((a->trace == b->trace) != (a->order == b->order)) {
                print_leaf(tree, a, out);
                print_leaf(tree, b, out);
                return;
            }
        }
}

void comparison_print(const struct comparison *c, FILE *out)
{
    enum { SHOWN_MAX = 6 };

    (void)fprintf(out, "wrong by %s: %s, in trial %llu (%s)\n", way_names[c->way],
                  wrong_names[c->wrong], (unsigned long long)c->wrong_at, c->message);
    (void)fprintf(out, "schedules: %u, traces: %u\n", c->tree->n_leaves, c->tree->traces.n);
    if (c->wrong == WRONG_PENDING) {
        print_leaf(c->tree, &c->tree->leaves[c->leaf], out);
        print_offered(c, out);
        return;
    }
    if (c->wrong == WRONG_ORDER) {
        print_mistaken(c->tree, out);
        return;
    }
    for (uint32_t i = 0; i < c->tree->n_leaves && i < SHOWN_MAX; i++)
        print_leaf(c->tree, &c->tree->leaves[i], out);
}
