/* letters_main.c - a search whose size is known: letters reach a box in any order.
 *
 * With N letters, and a value below V + 1 that is drawn when letter V comes first, there are
 * (N - 1)! N (N + 1) / 2 schedules, unevenly divided; with `--draws no` there are N!. What ends in
 * a certain way can go wrong, or wait at a gate until somebody opens it. There is also a strategy
 * whose state is too much to be saved. SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <sennit/sennit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LETTERS_MAX = 12 };

static uint64_t n_letters = 7;
static uint64_t bad_first = 0;
static uint64_t bad_last = 0;
static const char *way = "none";
static const char *draws = "yes";

struct box {
    uint64_t first;
    uint64_t n;
    uint64_t value;
};

static const struct sn_event letter = {.name = "Letter", .size = sizeof(uint64_t)};

/* Tells who is here, and waits while there is a gate, a pipe, for a byte from it. */
static void wait_at_gate(void)
{
    char name[64];
    int fd;

    (void)snprintf(name, sizeof(name), "here-%d", (int)getpid());
    fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0)
        (void)close(fd);
    fd = open("gate", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!read(fd, name, 1);
    (void)close(fd);
}

static void go_wrong(const struct box *box)
{
    if (strcmp(way, "assert") == 0)
        sn_assertf(box->n != n_letters, "letter %d was the last, and the value %d", (int)bad_last,
                   (int)box->value);
    if (strcmp(way, "two") == 0) {
        sn_assertf(box->value % 2 == 0, "the value is odd");
        sn_assertf(box->value % 2 == 1, "the value is even");
    }
    if (strcmp(way, "crash") == 0)
        abort();
    if (strcmp(way, "gate") == 0)
        wait_at_gate();
}

/* The first letter brings another one, but while there is a file `fickle` only in some trials. */
static void be_fickle(const struct box *box)
{
    static uint64_t n_trials;

    if (box->n > 0)
        return;
    n_trials++;
    if (n_trials < 12 || n_trials % 2 == 0 || access("fickle", F_OK) != 0)
        sn_send(sn_self(), &letter, &n_letters);
}

static void on_letter(void *self, const void *payload)
{
    struct box *box = self;
    uint64_t number = *(const uint64_t *)payload;

    if (strcmp(way, "fickle") == 0)
        be_fickle(box);
    if (box->n++ == 0) {
        box->first = number;
        if (strcmp(draws, "yes") == 0)
            box->value = sn_choose("value", number + 1);
    }
    if (box->n == n_letters && strcmp(way, "gates") == 0)
        wait_at_gate();
    if (box->n == n_letters && box->first == bad_first && number == bad_last)
        go_wrong(box);
}

static const struct sn_state opened = {
    .name = "Open", .on = (const struct sn_on[]){{.event = &letter, .run = on_letter}, {0}}};
static uint64_t fingerprint(const void *self)
{
    const struct box *box = self;

    return (box->first << 16 | box->n) << 16 | box->value;
}

static const struct sn_machine box_type = {
    .name = "Box", .size = sizeof(struct box), .start = &opened, .fingerprint = fingerprint};

static void send_letters(void)
{
    sn_id box = sn_create(&box_type, NULL);

    for (uint64_t i = 0; i < n_letters; i++)
        sn_send(box, &letter, &i);
}

static const struct sn_test tests[] = {
    {.name = "letters",
     .run = send_letters,
     .world = SN_WORLD_TRIAL,
     .links = SN_UNORDERED,
     .starts_first = true},
    {0},
};

static const char *const ways[] = {"none", "assert", "two",    "crash",
                                   "gate", "gates",  "fickle", NULL};
static const char *const yes_or_no[] = {"yes", "no", NULL};

static const struct sn_option options[] = {
    {.name = "letters",
     .about = "how many there are (7)",
     .number = &n_letters,
     .min = 1,
     .max = LETTERS_MAX},
    {.name = "first",
     .about = "what goes wrong has this letter first (0) ...",
     .number = &bad_first},
    {.name = "last", .about = "... and this one last (0)", .number = &bad_last},
    {.name = "way",
     .about = "how it goes wrong: none, assert, two, crash, gate, gates, fickle (none)",
     .word = &way,
     .words = ways},
    {.name = "draws",
     .about = "whether a value is drawn: yes, no (yes)",
     .word = &draws,
     .words = yes_or_no},
    {0},
};

static const struct sn_suite suite = {.name = "post", .tests = tests, .options = options};

/* ---- A strategy that has too much to be saved ----------------------------------------------- */

static bool heavy_begin(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    (void)keep;
    return trial < 3;
}

static uint32_t heavy_pick(void *self, const struct sn_pending *pending)
{
    (void)self;
    (void)pending;
    return 0;
}

static size_t heavy_save(const void *self, void *bytes, size_t room)
{
    (void)self;
    (void)bytes;
    (void)room;
    return SIZE_MAX / 2;
}

static int heavy_load(void *self, const void *bytes, size_t n)
{
    (void)self;
    (void)bytes;
    (void)n;
    return -1;
}

static const struct sn_strategy heavy = {.name = "heavy",
                                         .about = "the same three times, of which much is kept",
                                         .begin = heavy_begin,
                                         .pick = heavy_pick,
                                         .save = heavy_save,
                                         .load = heavy_load};

int main(int argc, char **argv)
{
    if (sn_strategy_register(&heavy) < 0)
        return 99;
    return sn_main(argc, argv, &suite);
}
