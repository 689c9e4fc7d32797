/* bank.cc - a bank that should book each deposit once, and a test that finds out that it does not.
 *
 * A client asks the bank to book deposits, one after the other. When no answer comes in time it
 * asks again. If the answer was only late, the bank gets the same request twice.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

/* What a machine keeps in `self` begins as zeroed bytes and is never constructed or destroyed: plain
 * data. Designated initialisers are of C++20. Tables refer to each other in the order of the file.
 */
namespace {

enum { DEPOSITS = 3, TRIES = 2, AMOUNT = 10 };

constexpr uint64_t TIMEOUT_NS = 1000000;

/* What tables leave out is 0, and means the default. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* ---- What is said: events and how traces show them ------------------------------------------ */

struct Deposit {
    uint32_t number; /* the same when the client asks again */
    int amount;
};

const sn_field deposit_fields[] = {
    SN_FIELD(Deposit, number, SN_UINT),
    SN_FIELD(Deposit, amount, SN_INT),
    {},
};

constexpr sn_event deposit_event(const char *name)
{
    return {.name = name, .size = sizeof(Deposit), .fields = deposit_fields};
}

const sn_event asked = deposit_event("Asked");     /* to the auditor */
const sn_event booked = deposit_event("Booked");   /* to the auditor */
const sn_event deposit = deposit_event("Deposit"); /* from client to bank */
const sn_event done = deposit_event("Done");       /* from bank to client */
const sn_event timeout = {.name = "Timeout"};      /* from a timer */

/* ---- What is right: never more money than was paid in --------------------------------------- */

/* A monitor is a machine that is told what happens and asserts that it may. */
struct Auditor {
    int asked;
    int booked;
};

void on_asked(void *self, const void *payload)
{
    auto *auditor = static_cast<Auditor *>(self);
    const auto *it = static_cast<const Deposit *>(payload);

    auditor->asked += it->amount;
}

void on_booked(void *self, const void *payload)
{
    auto *auditor = static_cast<Auditor *>(self);
    const auto *it = static_cast<const Deposit *>(payload);

    auditor->booked += it->amount;
    sn_assertf(auditor->booked <= auditor->asked, "%d was paid in, but %d is booked",
               auditor->asked, auditor->booked);
}

const sn_on auditor_table[] = {
    {.event = &asked, .run = on_asked},
    {.event = &booked, .run = on_booked},
    {},
};
const sn_state auditing = {.name = "Auditing", .on = auditor_table};
const sn_machine auditor = {
    .name = "Auditor",
    .size = sizeof(Auditor),
    .start = &auditing,
};

/* ---- The bank ------------------------------------------------------------------------------- */

struct Bank {
    uint32_t last; /* the number of the deposit that was booked last */
    int balance;
};

void on_deposit(void *self, const void *payload)
{
    auto *bank = static_cast<Bank *>(self);
    const auto *it = static_cast<const Deposit *>(payload);
    /* To repair the bug, replace `false` by `it->number <= bank->last`. */
    bool is_repeated = false; /* BUG: what is asked for twice is booked twice */

    if (!is_repeated) {
        bank->last = it->number;
        bank->balance += it->amount;
        sn_monitor(&auditor, &booked, it);
    }
    sn_send(sn_sender(), &done, it);
}

const sn_on bank_table[] = {{.event = &deposit, .run = on_deposit}, {}};
const sn_state bank_open = {.name = "Open", .on = bank_table};
const sn_machine bank = {
    .name = "Bank",
    .size = sizeof(Bank),
    .start = &bank_open,
};

/* ---- The client ----------------------------------------------------------------------------- */

struct Client {
    sn_id bank;
    Deposit now; /* what it waits for */
    int tries;
    sn_timer timer;
};

const sn_field client_fields[] = {SN_FIELD(Client, bank, SN_MACHINE), {}};
const sn_event client_birth = {
    .name = "Birth", .size = sizeof(Client), .fields = client_fields};

void ask(Client *client)
{
    client->tries++;
    sn_send(client->bank, &deposit, &client->now);
    if (client->tries < TRIES)
        client->timer = sn_timer_start(&timeout, TIMEOUT_NS, nullptr);
}

void ask_for_next(Client *client)
{
    client->now.number++;
    client->now.amount = AMOUNT;
    client->tries = 0;
    sn_monitor(&auditor, &asked, &client->now);
    ask(client);
}

void begin(void *self, const void *payload)
{
    auto *client = static_cast<Client *>(self);

    *client = *static_cast<const Client *>(payload);
    ask_for_next(client);
}

void on_timeout(void *self, const void *)
{
    ask(static_cast<Client *>(self));
}

void on_done(void *self, const void *payload)
{
    auto *client = static_cast<Client *>(self);
    const auto *it = static_cast<const Deposit *>(payload);

    if (it->number != client->now.number)
        return; /* the second answer to what was asked for twice */
    sn_timer_cancel(client->timer);
    if (client->now.number < DEPOSITS)
        ask_for_next(client);
    else
        sn_halt();
}

const sn_on client_table[] = {
    {.event = &done, .run = on_done},
    {.event = &timeout, .run = on_timeout},
    {},
};
const sn_state waiting = {
    .name = "Waiting",
    .entry = begin,
    .on = client_table,
    .must_leave = true, /* a client that waits for ever is a bug too */
};
const sn_machine client = {
    .name = "Client",
    .size = sizeof(Client),
    .start = &waiting,
    .birth = &client_birth,
};

/* ---- The test ------------------------------------------------------------------------------- */

void book_once()
{
    Client birth = {.bank = sn_create(&bank, nullptr)};

    sn_create(&client, &birth);
}

const sn_machine *const monitors[] = {&auditor, nullptr};

const sn_test tests[] = {
    {
        .name = "book_once",
        .run = book_once,
        .about = "a client that asks again when an answer is late",
        .monitors = monitors,
        .timers = SN_TIMERS_ANY, /* an answer may take longer than any timeout */
    },
    {},
};

const sn_suite suite = {.name = "bank", .tests = tests};

} // namespace

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
