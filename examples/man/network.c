/* network.c - sn_link_order, sn_cut and sn_heal: datagrams, and a network that is cut in two.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

struct news {
    int number;
};

static const struct sn_field news_fields[] = {SN_FIELD(struct news, number, SN_INT), {0}};
static const struct sn_event news = {
    .name = "News", .size = sizeof(struct news), .fields = news_fields};

struct reader {
    bool has_read[3];
};

static void on_news(void *self, const void *payload)
{
    struct reader *reader = self;
    const struct news *it = payload;

    sn_assertf(it->number != 1, "news 1 was sent while the network was cut");
    sn_assert(!reader->has_read[it->number]); /* in any order, but none twice */
    reader->has_read[it->number] = true;
}

static const struct sn_state reading = {
    .name = "Reading", .on = (const struct sn_on[]){{.event = &news, .run = on_news}, {0}}};
static const struct sn_machine reader = {
    .name = "Reader", .size = sizeof(struct reader), .start = &reading};

static void write(void *self, const void *payload)
{
    sn_id to = *(const sn_id *)payload;

    (void)self;
    sn_link_order(sn_self(), to, SN_UNORDERED);
    sn_send(to, &news, &(struct news){.number = 0});
    sn_send(to, &news, &(struct news){.number = 2});
}

static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};
static const struct sn_state writing = {.name = "Writing", .entry = write};
static const struct sn_machine writer = {.name = "Writer", .start = &writing, .birth = &birth};

static void write_in_vain(void *self, const void *payload)
{
    sn_id to = *(const sn_id *)payload;

    (void)self;
    sn_cut(UINT64_C(1) << (sn_node_of(to) - 1)); /* the reader's node on one side, the rest */
    sn_send(to, &news, &(struct news){.number = 1});
    sn_heal();
}

static const struct sn_state trying = {.name = "Trying", .entry = write_in_vain};
static const struct sn_machine unlucky = {.name = "Unlucky", .start = &trying, .birth = &birth};

static void run(void)
{
    sn_id it = sn_create_on(sn_node_new("left"), &reader, NULL);
    sn_node right = sn_node_new("right");

    sn_create_on(right, &writer, &it);
    sn_create_on(right, &unlucky, &it);
}

static const struct sn_test tests[] = {{.name = "network", .run = run}, {0}};
static const struct sn_suite suite = {.name = "network", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
