/* wrap_pinger.c - a component with callbacks for its I/O, put under control in twenty lines.
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <sennit/sennit.h>
#include <string.h>

/* ---- The component, as it is in production: it knows nothing of Sennit ---------------------- */

struct pinger_io {
    void (*send)(void *argument, const char *word);
    void (*set_timer)(void *argument, unsigned int ms);
    void *argument;
};

struct pinger {
    struct pinger_io io;
    bool is_waiting;
    int rounds;
    int missed;
};

static void pinger_begin(struct pinger *p)
{
    p->is_waiting = true;
    p->rounds++;
    p->io.send(p->io.argument, "ping");
    p->io.set_timer(p->io.argument, 500);
}

static void pinger_receive(struct pinger *p, const char *word, size_t n)
{
    if (n != 4 || memcmp(word, "pong", 4) != 0)
        return;
    assert(p->is_waiting);
    p->is_waiting = false;
}

static void pinger_expire(struct pinger *p)
{
    p->missed += p->is_waiting;
    if (p->rounds < 3)
        pinger_begin(p);
}

/* ---- The wrapper ---------------------------------------------------------------------------- */

static sn_id peer;

static void send_word(void *argument, const char *word)
{
    sn_send_bytes(*(const sn_id *)argument, word, strlen(word));
}

static void set_timer(void *argument, unsigned int ms)
{
    (void)argument;
    (void)sn_timer_start_tag(0, ms * UINT64_C(1000000));
}

static void on_start(void *self, const void *payload)
{
    (void)payload;
    ((struct pinger *)self)->io = (struct pinger_io){send_word, set_timer, &peer};
    pinger_begin(self);
}

static void on_message(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)from;
    pinger_receive(self, bytes, n);
}

static void on_timer(void *self, uint64_t tag)
{
    (void)tag;
    pinger_expire(self);
}

static const struct sn_machine pinger = {.name = "Pinger",
                                         .size = sizeof(struct pinger),
                                         .on_start = on_start,
                                         .on_message = on_message,
                                         .on_timer = on_timer};

/* ---- The test ------------------------------------------------------------------------------- */

static void answer(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)bytes;
    (void)n;
    sn_send_bytes(from, "pong", 4);
}

static const struct sn_machine answerer = {.name = "Peer", .on_message = answer};

static void run(void)
{
    peer = sn_create(&answerer, NULL);
    (void)sn_create(&pinger, NULL);
}

static const struct sn_test tests[] = {{.name = "ping", .run = run, .timers = SN_TIMERS_ANY}, {0}};
static const struct sn_suite suite = {.name = "wrap_pinger", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
