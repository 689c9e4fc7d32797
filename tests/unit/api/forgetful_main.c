/* forgetful_main.c - a search of which a part that is run ahead fails, and whose worker then loses
 * what it knew of the files that its code comes from.
 *
 * Five letters reach a box in any order. With one of the last three in front a trial waits at a
 * gate, a pipe that has a byte for one of them now and then; what begins with 1 or 0, in this
 * order, is the part that dfs gives away first. One trial with 1 in front crashes, and those with 0
 * make the list of modules empty, as it is for a moment when a worker is started again.
 * SPDX-License-Identifier: MIT
 */
#include "engine/here.h"
#include "engine/trial.h"

#include <fcntl.h>
#include <sennit/sennit.h>
#include <unistd.h>

enum { LETTERS = 5 };

struct box {
    uint32_t order[LETTERS];
    uint32_t n;
};

static const struct sn_event letter = {.name = "Letter", .size = sizeof(uint32_t)};
static volatile int *volatile nowhere;

static void touch_file(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

    if (fd >= 0)
        (void)close(fd);
}

static void wait_at_gate(void)
{
    int fd = open("gate", O_RDWR | O_CLOEXEC);
    char byte;

    if (fd < 0)
        return;
    (void)!read(fd, &byte, 1);
    (void)close(fd);
}

static __attribute__((noinline)) void write_nowhere(void)
{
    *nowhere = 1;
}

static void forget_modules(void)
{
    trial_here()->death.modules.n = 0;
    touch_file("forgot");
}

static bool is_to_crash(const struct box *box)
{
    return box->order[0] == 1 && box->order[1] == 0 && box->order[2] == 2 && box->order[3] == 3;
}

static void on_letter(void *self, const void *payload)
{
    struct box *box = self;

    box->order[box->n++] = *(const uint32_t *)payload;
    if (box->n < LETTERS)
        return;
    if (box->order[0] > 1)
        wait_at_gate();
    else if (is_to_crash(box))
        write_nowhere();
    else if (box->order[0] == 0)
        forget_modules();
}

static const struct sn_state opened = {
    .name = "Open", .on = (const struct sn_on[]){{.event = &letter, .run = on_letter}, {0}}};
static const struct sn_machine box_type = {
    .name = "Box", .size = sizeof(struct box), .start = &opened};

static void send_letters(void)
{
    sn_id box = sn_create(&box_type, NULL);

    for (uint32_t i = 0; i < LETTERS; i++)
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
static const struct sn_suite suite = {.name = "forgetful", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
