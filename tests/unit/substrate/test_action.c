/* test_action.c - on a replay it is known beforehand which function a step calls first.
 *
 * Every function notes that it was called; this file's sn_debug_break, which takes the place of the
 * library's, notes what was announced. SPDX-License-Identifier: MIT
 */
#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS_MAX = 32 };

typedef void any_function(void);

struct notes {
    uint64_t step;
    any_function *announced[STEPS_MAX];
    any_function *called[STEPS_MAX]; /* first in the step */
    char failure[128];
};

static struct notes *notes;

void sn_debug_break(uint64_t step, const char *why, void (*handler)(void))
{
    if (why != NULL) {
        (void)snprintf(notes->failure, sizeof(notes->failure), "%s", why);
        return;
    }
    notes->step = step;
    notes->announced[step] = handler;
    notes->called[step] = NULL;
}

static void note(any_function *function)
{
    if (notes->called[notes->step] == NULL)
        notes->called[notes->step] = function;
}

#define ACTION(name_)                                                                              \
    static void name_(void *self, const void *payload)                                             \
    {                                                                                              \
        (void)self;                                                                                \
        (void)payload;                                                                             \
        note((any_function *)name_);                                                               \
    }
#define EXIT(name_)                                                                                \
    static void name_(void *self)                                                                  \
    {                                                                                              \
        (void)self;                                                                                \
        note((any_function *)name_);                                                               \
    }
#define EVENT(name_) static const struct sn_event name_ = {.name = #name_}

EVENT(run);
EVENT(push_p);
EVENT(pop_p);
EVENT(go_b);
EVENT(go_a);
EVENT(nothing);
EVENT(go_c);
EVENT(go_d);
EVENT(push_q);
EVENT(push_r);
EVENT(tick);
EVENT(stop);

/* ---- A state machine ------------------------------------------------------------------------ */

ACTION(a_run)
EXIT(a_exit)
ACTION(p_entry)
ACTION(b_run)
ACTION(c_entry)
ACTION(d_entry)
ACTION(d_tick)
ACTION(q_entry)
EXIT(q_exit)
ACTION(r_entry)

static const struct sn_event *const course[] = {
    &run,     &push_p, &run,  &pop_p, &push_p, &go_b,   &go_a,
    &nothing, &go_c,   &go_d, &tick,  &push_q, &push_r, &stop,
};

static void a_entry(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    note((any_function *)a_entry);
    if (sn_sender() != SN_NOBODY)
        return;
    for (size_t i = 0; i < sizeof(course) / sizeof(course[0]); i++)
        sn_send(sn_self(), course[i], NULL);
}

static const struct sn_state state_p = {
    .name = "P",
    .entry = p_entry,
    .on = (const struct sn_on[]){{.event = &pop_p, .pop = true}, {0}},
};
static const struct sn_state state_q = {.name = "Q", .entry = q_entry, .exit = q_exit};
static const struct sn_state state_r = {.name = "R", .entry = r_entry};
static const struct sn_state state_d = {
    .name = "D",
    .entry = d_entry,
    .on = (const struct sn_on[]){{.event = &tick, .run = d_tick},
                                 {.event = &push_q, .push = &state_q},
                                 {.event = &push_r, .push = &state_r},
                                 {.event = &stop, .halt = true},
                                 {0}},
};
static const struct sn_state state_c = {
    .name = "C",
    .entry = c_entry,
    .on = (const struct sn_on[]){{.event = &go_d, .go_to = &state_d}, {0}},
};
static const struct sn_state state_a;
static const struct sn_state state_b = {
    .name = "B",
    .on = (const struct sn_on[]){{.event = &go_a, .run = b_run, .go_to = &state_a}, {0}},
};
static const struct sn_state state_a = {
    .name = "A",
    .entry = a_entry,
    .exit = a_exit,
    .on = (const struct sn_on[]){{.event = &run, .run = a_run},
                                 {.event = &push_p, .push = &state_p},
                                 {.event = &go_b, .go_to = &state_b},
                                 {.event = &nothing, .ignore = true},
                                 {.event = &go_c, .go_to = &state_c},
                                 {0}},
};
static const struct sn_machine walker = {.name = "Walker", .start = &state_a};

/* ---- A plain node --------------------------------------------------------------------------- */

static void on_start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    note((any_function *)on_start);
    sn_send_bytes(sn_self(), "x", 1);
    (void)sn_timer_start_tag(1, 1000);
}

static void on_message(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    (void)bytes;
    (void)n;
    note((any_function *)on_message);
}

static void on_timer(void *self, uint64_t tag)
{
    (void)self;
    (void)tag;
    note((any_function *)on_timer);
    sn_assertf(false, "the end");
}

static const struct sn_machine node = {
    .name = "Node", .on_start = on_start, .on_message = on_message, .on_timer = on_timer};

/* ---- Claims --------------------------------------------------------------------------------- */

static void create_both(void)
{
    (void)sn_create(&walker, NULL);
    (void)sn_create(&node, NULL);
}

static const struct sn_test test = {.name = "walk", .run = create_both, .world = SN_WORLD_TRIAL};

static int replay_all(void **state)
{
    char directory[] = "/tmp/sennit-action-XXXXXX";
    struct sn_options options = {
        .iterations = 1, .strategy = "oldest", .outdir = mkdtemp(directory)};
    struct sn_result result;
    int rc;

    (void)state;
    notes = mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (notes == MAP_FAILED || sn_run(&test, &options, &result) < 0 || result.failures != 1)
        return -1;
    memset(notes, 0, sizeof(*notes));
    rc = sn_replay(&test, result.trace, &result);
    (void)unlink(result.trace);
    (void)rmdir(directory);
    return rc;
}

/* The step in which a function was called first. */
static uint64_t step_of(any_function *function)
{
    uint64_t step = 1;

    while (step < STEPS_MAX - 1 && notes->called[step] != function)
        step++;
    return step;
}

static void every_step_calls_first_what_was_announced(void **state)
{
    (void)state;

    assert_int_equal(notes->step, 18);
    assert_memory_equal(notes->announced, notes->called, sizeof(notes->called));
}

static void every_kind_of_action_was_among_them(void **state)
{
    (void)state;

    assert_in_range(step_of((any_function *)a_entry), 1, 18);
    assert_in_range(step_of((any_function *)a_run), 1, 18);
    assert_in_range(step_of((any_function *)p_entry), 1, 18);
    assert_in_range(step_of((any_function *)a_exit), 1, 18);
    assert_in_range(step_of((any_function *)b_run), 1, 18);
    assert_in_range(step_of((any_function *)d_entry), 1, 18);
    assert_in_range(step_of((any_function *)d_tick), 1, 18);
    assert_in_range(step_of((any_function *)q_entry), 1, 18);
    assert_in_range(step_of((any_function *)q_exit), 1, 18);
    assert_in_range(step_of((any_function *)on_start), 1, 18);
    assert_in_range(step_of((any_function *)on_message), 1, 18);
    assert_in_range(step_of((any_function *)on_timer), 1, 18);
    assert_in_range(step_of(NULL), 1, 18);
}

static void the_failure_is_told_where_it_happens(void **state)
{
    (void)state;

    assert_string_equal(notes->failure, "the end (false)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_calls_first_what_was_announced),
        cmocka_unit_test(every_kind_of_action_was_among_them),
        cmocka_unit_test(the_failure_is_told_where_it_happens),
    };

    return cmocka_run_group_tests(tests, replay_all, NULL);
}
