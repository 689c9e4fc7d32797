/* usual_main.c - two tests, of which one says how it is to be run. SPDX-License-Identifier: MIT */
#include <sennit/sennit.h>

static const struct sn_event knock = {.name = "Knock"};

static void ignore(void *self, const void *payload)
{
    (void)self;
    (void)payload;
}

static const struct sn_state open = {
    .name = "Open", .on = (const struct sn_on[]){{.event = &knock, .run = ignore}, {0}}};
static const struct sn_machine door = {.name = "Door", .start = &open};

static void run(void)
{
    sn_send(sn_create(&door, NULL), &knock, NULL);
}

static const struct sn_test tests[] = {
    {.name = "plain", .run = run},
    {.name = "particular", .run = run, .strategy = "dfs"},
    {0},
};
static const struct sn_suite suite = {.name = "usual", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
