/* atm_racy.c - two cash machines and one account: together they may pay out too much.
 *
 * The first version of the tutorial in README.md; atm.c is the repaired one.
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

static const struct sn_event get_balance = {.name = "GetBalance"};
static const struct sn_event balance = {
    .name = "Balance", .size = sizeof(struct amount), .fields = amount_fields};
static const struct sn_event set_balance = {
    .name = "SetBalance", .size = sizeof(struct amount), .fields = amount_fields};

struct account {
    struct amount balance;
};

static void open_account(void *self, const void *payload)
{
    struct account *account = self;

    (void)payload;
    account->balance.value = DEPOSIT;
}

static void on_get_balance(void *self, const void *payload)
{
    struct account *account = self;

    (void)payload;
    sn_send(sn_sender(), &balance, &account->balance);
}

static void on_set_balance(void *self, const void *payload)
{
    struct account *account = self;
    const struct amount *amount = payload;

    account->balance = *amount;
}

static const struct sn_state account_open = {
    .name = "Open",
    .entry = open_account,
    .on =
        (const struct sn_on[]){
            {.event = &get_balance, .run = on_get_balance},
            {.event = &set_balance, .run = on_set_balance},
            {0},
        },
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

static void ask(void *self, const void *payload)
{
    struct atm *atm = self;

    *atm = *(const struct atm *)payload;
    sn_send(atm->account, &get_balance, NULL);
}

static void on_balance(void *self, const void *payload)
{
    struct atm *atm = self;
    const struct amount *amount = payload;
    struct amount cash = {.value = WISH};
    struct amount rest = {.value = amount->value - WISH};

    if (rest.value >= 0) {
        sn_monitor(&auditor, &paid_out, &cash);
        sn_send(atm->account, &set_balance, &rest);
    }
    sn_halt();
}

static const struct sn_state asking = {
    .name = "Asking",
    .entry = ask,
    .on = (const struct sn_on[]){{.event = &balance, .run = on_balance}, {0}},
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
