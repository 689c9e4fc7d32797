/* test_processes.c - random small programs of processes: the engine against brute force.
 *
 * A program is a list of calls for each of two to four processes. The engine runs it with every
 * strategy that claims to have seen everything; model.c runs it by its own rules, along every
 * interleaving, with its own notion of which steps depend on each other. What processes saw must be
 * the same sets, and there must be as many partial orders; no strategy may miss one.
 *
 *     test_processes PROGRAMS SEED
 *
 * SPDX-License-Identifier: MIT
 */
#include "process_model.h"

#include <sennit/sennit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t programs_wanted = 100;
static uint64_t seed = 1;

/* ---- The program as processes --------------------------------------------------------------- */

static const struct sn_event events[EVENTS] = {{.name = "a"}, {.name = "b"}};
static const char *const reasons[] = {SN_NORMAL, "x", SN_KILL};
static const char *const names[] = {"n0", "n1"};

static struct program program;

/* What each process saw, in the trial's memory. */
struct logs {
    char text[PROCESSES][LOG_SIZE];
    sn_ref refs[PROCESSES][REFS];
    uint32_t n_refs[PROCESSES];
    sn_id requester[PROCESSES];
    sn_ref request[PROCESSES];
};

static struct logs *logs;

static void note(uint32_t self, const char *text)
{
    strncat(logs->text[self], text, LOG_SIZE - 1 - strlen(logs->text[self]));
}

static void note_id(uint32_t self, char what, uint32_t value)
{
    char text[8];

    (void)snprintf(text, sizeof(text), "%c%u", what, value);
    note(self, text);
}

static char reason_letter(const char *reason)
{
    return strcmp(reason, SN_KILLED) == 0   ? 'k'
           : strcmp(reason, SN_NOPROC) == 0 ? 'p'
           : strcmp(reason, SN_NORMAL) == 0 ? 'n'
                                            : 'x';
}

static void note_message(uint32_t self, const struct sn_message *m)
{
    char text[8];

    if (m == NULL) {
        note(self, "-");
        return;
    }
    if (m->event == &sn_down) {
        const struct sn_down_signal *down = m->payload;

        (void)snprintf(text, sizeof(text), "D%u%c", down->process, reason_letter(down->reason));
    } else if (m->event == &sn_exited) {
        const struct sn_exit_signal *signal = m->payload;

        (void)snprintf(text, sizeof(text), "E%u%c", signal->process, reason_letter(signal->reason));
    } else {
        (void)snprintf(text, sizeof(text), "%s%u", m->event->name, m->from);
        if (m->call != 0) {
            logs->requester[self] = m->from;
            logs->request[self] = m->call;
        }
    }
    note(self, text);
}

static void do_call(uint32_t self, const struct call *c)
{
    enum sn_call_result how;
    const struct sn_message *m =
        sn_call(c->whom, &events[c->event], NULL, c->timeout == 0 ? SN_FOREVER : c->timeout, &how);

    if (how == SN_CALL_ANSWERED)
        note_id(self, 'A', m->from);
    else
        note(self, how == SN_CALL_DOWN ? "AD" : "AT");
}

static void do_monitor(uint32_t self, sn_ref ref)
{
    if (logs->n_refs[self] < REFS)
        logs->refs[self][logs->n_refs[self]++] = ref;
}

/* Calls that end, watch or name. */
static void do_other(uint32_t self, const struct call *c)
{
    uint32_t n;

    switch (c->kind) {
    case CALL_MONITOR:
        do_monitor(self, sn_monitor_process(c->whom));
        break;
    case CALL_MONITOR_NAME:
        do_monitor(self, sn_monitor_name(SN_NO_NODE, names[c->name]));
        break;
    case CALL_DEMONITOR:
        n = logs->n_refs[self];
        if (n > 0)
            note_id(self, 'M', sn_demonitor(logs->refs[self][n - 1], c->flag));
        break;
    case CALL_REGISTER:
        note_id(self, 'R', sn_register(names[c->name], c->whom));
        break;
    case CALL_UNREGISTER:
        note_id(self, 'U', sn_unregister(names[c->name]));
        break;
    case CALL_WHEREIS:
        note_id(self, 'W', sn_whereis(names[c->name]));
        break;
    case CALL_SEND_NAME:
        sn_send_name(names[c->name], &events[c->event], NULL);
        break;
    case CALL_CALL:
        do_call(self, c);
        break;
    case CALL_REPLY:
        if (logs->request[self] != 0)
            sn_answer(logs->requester[self], logs->request[self], &events[c->event], NULL);
        break;
    default:
        break;
    }
}

static void do_one(uint32_t self, const struct call *c)
{
    switch (c->kind) {
    case CALL_SEND:
        sn_send(c->whom, &events[c->event], NULL);
        break;
    case CALL_RECEIVE:
        note_message(self, sn_receive(NULL, NULL, c->timeout == 0 ? SN_FOREVER : c->timeout));
        break;
    case CALL_RECEIVE_EVENT:
        note_message(
            self, sn_receive_event(&events[c->event], c->timeout == 0 ? SN_FOREVER : c->timeout));
        break;
    case CALL_LOOK:
        note_message(self, sn_receive(NULL, NULL, 0));
        break;
    case CALL_SLEEP:
        sn_sleep_ns(c->timeout);
        break;
    case CALL_EXIT:
        sn_exit(reasons[c->reason]);
    case CALL_KILL:
        sn_kill(c->whom, reasons[c->reason]);
        break;
    case CALL_LINK:
        sn_link(c->whom);
        break;
    case CALL_UNLINK:
        sn_unlink(c->whom);
        break;
    case CALL_TRAP:
        (void)sn_trap_exit(c->flag);
        break;
    case CALL_ALIVE:
        note_id(self, 'L', sn_is_alive(c->whom));
        break;
    default:
        do_other(self, c);
        break;
    }
}

static const struct sn_event birth = {.name = "Birth", .size = sizeof(uint32_t)};

static void run_process(const void *payload)
{
    uint32_t self = *(const uint32_t *)payload;

    for (uint32_t i = 0; i < program.n_calls[self]; i++)
        do_one(self, &program.calls[self][i]);
}

static const struct sn_process process = {
    .name = "P", .run = run_process, .birth = &birth, .may_wait = true};

static void run(void)
{
    logs = sn_alloc(sizeof(*logs));
    for (uint32_t i = 0; i < program.n; i++)
        (void)sn_spawn(&process, &i);
}

/* ---- Comparing ------------------------------------------------------------------------------ */

static struct outcomes *seen; /* in a mapping that is not put back */

static void watch(void *self, const struct sn_trial_view *trial)
{
    struct outcome outcome;

    (void)trial;
    memset(&outcome, 0, sizeof(outcome));
    for (uint32_t i = 0; i < program.n; i++)
        memcpy(outcome.text[i], logs->text[i], LOG_SIZE);
    outcomes_add(self, &outcome);
}

static void describe(const char *strategy, uint64_t number)
{
    print_error("program %llu of seed %llu, %s:\n", (unsigned long long)number,
                (unsigned long long)seed, strategy);
    program_print(&program);
}

/* False: something differs. */
static bool compare(const char *strategy, uint64_t number, const struct model_result *model,
                    bool is_optimal)
{
    struct sn_test test = {.name = "brute", .run = run, .world = SN_WORLD_TRIAL};
    struct sn_options options = {.strategy = strategy,
                                 .iterations = 1000000,
                                 .keep_going = true,
                                 .watch = watch,
                                 .watch_self = seen};
    struct sn_result r;
    bool is_same;

    test.timers = program.any_timers ? SN_TIMERS_ANY : SN_TIMERS_IDEAL;
    memset(seen, 0, sizeof(*seen));
    assert_int_equal(sn_run(&test, &options, &r), 0);
    is_same = r.exhausted && r.failures == 0 && outcomes_are_same(seen, &model->outcomes) &&
              r.distinct_orders == model->orders && (!is_optimal || r.trials == model->orders);
    if (!is_same) {
        describe(strategy, number);
        print_error("exhausted %d, failure \"%s\", outcomes %u, should be %u; orders %llu, should "
                    "be %llu; trials %llu\n",
                    r.exhausted, r.failure, seen->n, model->outcomes.n,
                    (unsigned long long)r.distinct_orders, (unsigned long long)model->orders,
                    (unsigned long long)r.trials);
    }
    return is_same;
}

static struct model_result model;

static uint64_t compare_programs(bool any_timers)
{
    uint64_t n_compared = 0;
    uint64_t n_orders = 0;
    uint64_t n_wrong = 0;

    for (uint64_t i = 0; n_compared < programs_wanted; i++) {
        program_draw(&program, seed, i);
        program.any_timers = any_timers;
        if (!model_run(&program, &model))
            continue;
        if (model.why[0] != '\0')
            describe("the model", i);
        assert_string_equal(model.why, "");
        n_compared++;
        n_orders += model.orders;
        n_wrong += !compare("dfs", i, &model, false);
        n_wrong += !compare("dpor", i, &model, false);
        n_wrong += !compare("odpor:trees", i, &model, true);
        assert_int_equal(n_wrong, 0);
    }
    return n_orders;
}

static void no_strategy_misses_an_order_or_an_outcome_of_processes(void **unused)
{
    (void)unused;

    assert_true(compare_programs(false) > programs_wanted);
}

static void nor_does_one_where_timeouts_may_come_at_any_time(void **unused)
{
    (void)unused;

    assert_true(compare_programs(true) > programs_wanted);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_strategy_misses_an_order_or_an_outcome_of_processes),
        cmocka_unit_test(nor_does_one_where_timeouts_may_come_at_any_time),
    };

    if (argc > 1)
        programs_wanted = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    if (getenv("BRUTE_PROGRAMS") != NULL)
        programs_wanted = strtoull(getenv("BRUTE_PROGRAMS"), NULL, 10);
    seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
