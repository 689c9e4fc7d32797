/* tree.c - sn_deeper and sn_back: a value that contains values of its own kind.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

struct tree {
    struct tree *left;
    struct tree *right;
};

static struct tree *grow(struct sn_budget *budget)
{
    struct tree *tree;

    if (!sn_deeper("node", budget))
        return NULL;
    tree = sn_alloc(sizeof(*tree));
    tree->left = grow(budget);
    tree->right = grow(budget);
    sn_back(budget);
    return tree;
}

static int count(const struct tree *tree)
{
    return tree == NULL ? 0 : 1 + count(tree->left) + count(tree->right);
}

static void mirror(struct tree *tree)
{
    struct tree *left;

    if (tree == NULL)
        return;
    left = tree->left;
    tree->left = tree->right;
    tree->right = left;
    mirror(tree->left);
    mirror(tree->right);
}

static void a_mirror_loses_nothing(void)
{
    struct sn_budget budget = {.size = 30, .depth = 8};
    struct tree *tree = grow(&budget);
    int n = count(tree);

    mirror(tree);
    sn_assert(count(tree) == n);
}

static const struct sn_test tests[] = {SN_PROPERTY(a_mirror_loses_nothing), {0}};
static const struct sn_suite suite = {.name = "tree", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
