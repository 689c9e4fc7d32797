/* page_main.c - a program whose failing trials have everything in them that a report shows.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

/* ---- A tally that remembers ----------------------------------------------------------------- */

static const struct sn_event add = {.name = "Add"};
static const struct sn_event look = {.name = "Look"};
static const struct sn_event seen = {.name = "Seen"};

struct tally {
    int32_t n;
    bool is_done;
};

static const struct sn_field tally_fields[] = {
    SN_FIELD(struct tally, n, SN_INT), SN_FIELD(struct tally, is_done, SN_BOOL), {0}};

static void on_add(void *self, const void *payload)
{
    struct tally *tally = self;

    (void)payload;
    tally->n++;
}

static void on_look(void *self, const void *payload)
{
    struct tally *tally = self;

    (void)payload;
    if (tally->n == 2 && !tally->is_done) {
        tally->is_done = true;
        sn_assertf(false, "two at once");
    }
}

static const struct sn_state counting = {
    .name = "Counting",
    .on = (const struct sn_on[]){{.event = &add, .run = on_add},
                                 {.event = &look, .run = on_look},
                                 {0}},
};

static const struct sn_machine tally_machine = {
    .name = "Tally", .size = sizeof(struct tally), .start = &counting, .fields = tally_fields};

/* ---- A monitor that is hot for a while, and prints itself ------------------------------------ */

static void print_watch(struct sn_text *out, const void *self)
{
    sn_print(out, "seen %d", *(const int *)self);
}

static void on_seen(void *self, const void *payload)
{
    (void)payload;
    ++*(int *)self;
}

static const struct sn_state satisfied = {
    .name = "Satisfied",
    .temperature = SN_COLD,
    .on = (const struct sn_on[]){{.event = &seen, .ignore = true}, {0}},
};
static const struct sn_state waiting = {
    .name = "Waiting",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &seen, .run = on_seen, .go_to = &satisfied}, {0}},
};
static const struct sn_machine watch = {
    .name = "Watch", .size = sizeof(int), .start = &waiting, .print = print_watch};

/* ---- Adders and whoever looks --------------------------------------------------------------- */

static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};

static void add_one(void *self, const void *payload)
{
    (void)self;
    sn_monitor(&watch, &seen, NULL);
    sn_send(*(const sn_id *)payload, &add, NULL);
}

static void look_once(void *self, const void *payload)
{
    (void)self;
    sn_send(*(const sn_id *)payload, &look, NULL);
}

static const struct sn_state adding = {.name = "Adding", .entry = add_one};
static const struct sn_state looking = {.name = "Looking", .entry = look_once};
static const struct sn_machine adder = {.name = "Adder", .start = &adding, .birth = &birth};
static const struct sn_machine looker = {.name = "Looker", .start = &looking, .birth = &birth};

static void remember(void)
{
    sn_node node = sn_node_new("left");
    sn_id tally = sn_create_on(node, &tally_machine, NULL);

    sn_create(&adder, &tally);
    sn_create(&adder, &tally);
    sn_create(&looker, &tally);
}

static void pass(void)
{
    sn_create(&tally_machine, NULL);
}

/* ---- Text that means something to browsers -------------------------------------------------- */

struct words {
    char text[200];
};

static const struct sn_field words_fields[] = {SN_FIELD(struct words, text, SN_TEXT), {0}};
static const struct sn_event say = {.name = "</script><script>alert(1)</script>",
                                    .size = sizeof(struct words),
                                    .fields = words_fields};

static void on_say(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_note("<!-- <script> \x01\x1b[31m \xff ]]> ${x} `y` \\u003c");
    sn_assertf(false, "</script><img src=x onerror=alert(2)>");
}

static const struct sn_state listening = {
    .name = "<b>Listening</b>", .on = (const struct sn_on[]){{.event = &say, .run = on_say}, {0}}};
static const struct sn_machine listener = {.name = "<svg onload=alert(3)>", .start = &listening};

static void be_hostile(void)
{
    static const struct words words = {
        "</SCRIPT ><iframe srcdoc=x> &lt; \" ' \xc3\xa9 \xf0\x9f\x90\x9b"};

    sn_send(sn_create(&listener, NULL), &say, &words);
}

static const struct sn_machine *const monitors[] = {&watch, NULL};
static const struct sn_test tests[] = {
    {.name = "remember", .run = remember, .monitors = monitors},
    {.name = "hostile", .run = be_hostile},
    {.name = "pass", .run = pass},
    {0},
};
static const struct sn_suite suite = {.name = "page", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
