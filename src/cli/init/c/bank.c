/* bank.c - a bank that should book each deposit once, and a test that finds out that it does not.
 *
 * A client asks the bank to book deposits, one after the other. When no answer comes in time it
 * asks again. If the answer was only late, the bank gets the same request twice.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

enum { DEPOSITS = 3, TRIES = 2, AMOUNT = 10 };

#define TIMEOUT_NS UINT64_C(1000000)

/* ---- What is said: events and how traces show them ------------------------------------------ */

struct deposit {
    uint32_t number; /* the same when the client asks again */
    int amount;
};

static const struct sn_field deposit_fields[] = {
    SN_FIELD(struct deposit, number, SN_UINT),
    SN_FIELD(struct deposit, amount, SN_INT),
    {0},
};

#define DEPOSIT_EVENT(name_)                                                                       \
    {                                                                                              \
        .name = name_, .size = sizeof(struct deposit), .fields = deposit_fields                    \
    }

static const struct sn_event asked = DEPOSIT_EVENT("Asked");     /* to the auditor */
static const struct sn_event booked = DEPOSIT_EVENT("Booked");   /* to the auditor */
static const struct sn_event deposit = DEPOSIT_EVENT("Deposit"); /* from client to bank */
static const struct sn_event done = DEPOSIT_EVENT("Done");       /* from bank to client */
static const struct sn_event timeout = {.name = "Timeout"};      /* from a timer */

/* ---- What is right: never more money than was paid in --------------------------------------- */

/* A monitor is a machine that is told what happens and asserts that it may. */
struct auditor {
    int asked;
    int booked;
};

static void on_asked(void *self, const void *payload)
{
    struct auditor *auditor = self;
    const struct deposit *it = payload;

    auditor->asked += it->amount;
}

static void on_booked(void *self, const void *payload)
{
    struct auditor *auditor = self;
    const struct deposit *it = payload;

    auditor->booked += it->amount;
    sn_assertf(auditor->booked <= auditor->asked, "%d was paid in, but %d is booked",
               auditor->asked, auditor->booked);
}

static const struct sn_on auditor_table[] = {
    {.event = &asked, .run = on_asked},
    {.event = &booked, .run = on_booked},
    {0},
};
static const struct sn_state auditing = {.name = "Auditing", .on = auditor_table};
static const struct sn_machine auditor = {
    .name = "Auditor",
    .size = sizeof(struct auditor),
    .start = &auditing,
};

/* ---- The bank ------------------------------------------------------------------------------- */

struct bank {
    uint32_t last; /* the number of the deposit that was booked last */
    int balance;
};

static void on_deposit(void *self, const void *payload)
{
    struct bank *bank = self;
    const struct deposit *it = payload;
    /* To repair the bug, replace `false` by `it->number <= bank->last`. */
    bool is_repeated = false; /* BUG: what is asked for twice is booked twice */

    if (!is_repeated) {
        bank->last = it->number;
        bank->balance += it->amount;
        sn_monitor(&auditor, &booked, it);
    }
    sn_send(sn_sender(), &done, it);
}

static const struct sn_on bank_table[] = {{.event = &deposit, .run = on_deposit}, {0}};
static const struct sn_state bank_open = {.name = "Open", .on = bank_table};
static const struct sn_machine bank = {
    .name = "Bank",
    .size = sizeof(struct bank),
    .start = &bank_open,
};

/* ---- The client ----------------------------------------------------------------------------- */

struct client {
    sn_id bank;
    struct deposit now; /* what it waits for */
    int tries;
    sn_timer timer;
};

static const struct sn_field client_fields[] = {SN_FIELD(struct client, bank, SN_MACHINE), {0}};
static const struct sn_event client_birth = {
    .name = "Birth", .size = sizeof(struct client), .fields = client_fields};

static void ask(struct client *client)
{
    client->tries++;
    sn_send(client->bank, &deposit, &client->now);
    if (client->tries < TRIES)
        client->timer = sn_timer_start(&timeout, TIMEOUT_NS, NULL);
}

static void ask_for_next(struct client *client)
{
    client->now.number++;
    client->now.amount = AMOUNT;
    client->tries = 0;
    sn_monitor(&auditor, &asked, &client->now);
    ask(client);
}

static void begin(void *self, const void *payload)
{
    struct client *client = self;

    *client = *(const struct client *)payload;
    ask_for_next(client);
}

static void on_timeout(void *self, const void *payload)
{
    (void)payload;
    ask(self);
}

static void on_done(void *self, const void *payload)
{
    struct client *client = self;
    const struct deposit *it = payload;

    if (it->number != client->now.number)
        return; /* the second answer to what was asked for twice */
    (void)sn_timer_cancel(client->timer);
    if (client->now.number < DEPOSITS)
        ask_for_next(client);
    else
        sn_halt();
}

static const struct sn_on client_table[] = {
    {.event = &done, .run = on_done},
    {.event = &timeout, .run = on_timeout},
    {0},
};
static const struct sn_state waiting = {
    .name = "Waiting",
    .entry = begin,
    .on = client_table,
    .must_leave = true, /* a client that waits for ever is a bug too */
};
static const struct sn_machine client = {
    .name = "Client",
    .size = sizeof(struct client),
    .start = &waiting,
    .birth = &client_birth,
};

/* ---- The test ------------------------------------------------------------------------------- */

static void book_once(void)
{
    struct client birth = {.bank = sn_create(&bank, NULL)};

    sn_create(&client, &birth);
}

static const struct sn_machine *const monitors[] = {&auditor, NULL};

static const struct sn_test tests[] = {
    {
        .name = "book_once",
        .run = book_once,
        .about = "a client that asks again when an answer is late",
        .monitors = monitors,
        .timers = SN_TIMERS_ANY, /* an answer may take longer than any timeout */
    },
    {0},
};

static const struct sn_suite suite = {.name = "bank", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
