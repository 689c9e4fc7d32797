/* echo.c - sn_send_bytes, sn_timer_start_tag and sn_print: plain nodes that get bytes and tags.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

struct node {
    sn_id peer; /* SN_NOBODY: answers only */
    bool has_answer;
};

static const struct sn_event birth = {.name = "Birth", .size = sizeof(struct node)};

enum { TAG_AGAIN = 1 };

static void on_start(void *self, const void *payload)
{
    struct node *node = self;

    *node = *(const struct node *)payload;
    if (node->peer != SN_NOBODY)
        sn_timer_start_tag(TAG_AGAIN, 1000000);
}

static void on_timer(void *self, uint64_t tag)
{
    struct node *node = self;

    sn_assert(tag == TAG_AGAIN);
    sn_send_bytes(node->peer, "hello", 5);
}

static void on_message(void *self, sn_id from, const void *bytes, size_t n)
{
    struct node *node = self;

    if (node->peer == SN_NOBODY)
        sn_send_bytes(from, bytes, n);
    else
        node->has_answer = true;
}

/* What a trace shows of a message. */
static void print_message(struct sn_text *out, const void *bytes, size_t n)
{
    sn_print(out, "\"%.*s\"", (int)n, (const char *)bytes);
}

static const struct sn_machine node = {
    .name = "Node",
    .size = sizeof(struct node),
    .birth = &birth,
    .on_start = on_start,
    .on_message = on_message,
    .on_timer = on_timer,
    .print_message = print_message,
};

static void run(void)
{
    struct node server = {.peer = SN_NOBODY};
    struct node client = {.peer = sn_create(&node, &server)};

    sn_create(&node, &client);
}

static const struct sn_test tests[] = {{.name = "echo", .run = run}, {0}};
static const struct sn_suite suite = {.name = "echo", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
