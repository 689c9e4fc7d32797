/* atm.c - two cash machines and one account, which decides alone what is paid out.
 *
 * The last version of the tutorial in README.md; atm_racy.c is the first one, with the bug.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

enum { DEPOSIT = 100, WISH = 70 };

struct amount {
    int value;
};

static const struct sn_field amount_fields[] = {SN_FIELD(struct amount, value, SN_INT), {0}};

static const struct sn_event paid_out = {
    .name = "PaidOut", .size = sizeof(struct amount), .fields = amount_fields};

/* ---- What is right: never more cash than there was money ------------------------------------ */

struct auditor {
    int cash;
};

static void on_paid_out(void *self, const void *payload)
{
    struct auditor *auditor = self;
    const struct amount *amount = payload;

    auditor->cash += amount->value;
    sn_assertf(auditor->cash <= DEPOSIT, "%d was paid out of %d", auditor->cash, DEPOSIT);
}

static const struct sn_state auditing = {
    .name = "Auditing",
    .on = (const struct sn_on[]){{.event = &paid_out, .run = on_paid_out}, {0}},
};

static const struct sn_machine auditor = {
    .name = "Auditor",
    .size = sizeof(struct auditor),
    .start = &auditing,
};

/* ---- The account ---------------------------------------------------------------------------- */

static const struct sn_event withdraw = {
    .name = "Withdraw", .size = sizeof(struct amount), .fields = amount_fields};
static const struct sn_event granted = {.name = "Granted"};
static const struct sn_event refused = {.name = "Refused"};

struct account {
    int balance;
};

static void open_account(void *self, const void *payload)
{
    struct account *account = self;

    (void)payload;
    account->balance = DEPOSIT;
}

static void on_withdraw(void *self, const void *payload)
{
    struct account *account = self;
    const struct amount *amount = payload;

    if (amount->value > account->balance) {
        sn_send(sn_sender(), &refused, NULL);
        return;
    }
    account->balance -= amount->value;
    sn_send(sn_sender(), &granted, NULL);
}

static const struct sn_state account_open = {
    .name = "Open",
    .entry = open_account,
    .on = (const struct sn_on[]){{.event = &withdraw, .run = on_withdraw}, {0}},
};

static const struct sn_machine account = {
    .name = "Account",
    .size = sizeof(struct account),
    .start = &account_open,
};

/* ---- The cash machines ---------------------------------------------------------------------- */

struct atm {
    sn_id account;
};

static const struct sn_field atm_fields[] = {SN_FIELD(struct atm, account, SN_MACHINE), {0}};
static const struct sn_event atm_birth = {
    .name = "Birth", .size = sizeof(struct atm), .fields = atm_fields};

static const struct amount wish = {.value = WISH};

static void ask(void *self, const void *payload)
{
    struct atm *atm = self;

    *atm = *(const struct atm *)payload;
    sn_send(atm->account, &withdraw, &wish);
}

static void on_granted(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_monitor(&auditor, &paid_out, &wish);
    sn_halt();
}

static const struct sn_state asking = {
    .name = "Asking",
    .entry = ask,
    .on =
        (const struct sn_on[]){
            {.event = &granted, .run = on_granted},
            {.event = &refused, .halt = true},
            {0},
        },
};

static const struct sn_machine atm = {
    .name = "Atm",
    .size = sizeof(struct atm),
    .start = &asking,
    .birth = &atm_birth,
};

/* ---- The test ------------------------------------------------------------------------------- */

static void withdraw_twice(void)
{
    struct atm birth = {.account = sn_create(&account, NULL)};

    sn_create(&atm, &birth);
    sn_create(&atm, &birth);
}

static const struct sn_test tests[] = {
    {
        .name = "withdraw_twice",
        .run = withdraw_twice,
        .about = "two cash machines, one account, money for one of them",
        .monitors = (const struct sn_machine *const[]){&auditor, NULL},
    },
    {0},
};

static const struct sn_suite suite = {.name = "atm", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
