/* test_culprit.c - a trial that is not under control says which call of the program made it so.
 * SPDX-License-Identifier: MIT
 */
#include "../observe.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NOINLINE __attribute__((noinline))

static volatile int sink;
static int old_file = -1; /* open before the trial */
static int spare = -1;

/* ---- What programs do ----------------------------------------------------------------------- */

static void *do_nothing(void *unused)
{
    return unused;
}

NOINLINE static void start_thread(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, do_nothing, NULL) == 0)
        (void)pthread_join(thread, NULL);
    sink++;
}

NOINLINE static void open_and_close(void)
{
    int ends[2];
    int fd = open("/dev/null", O_RDONLY);

    (void)close(fd);
    (void)!pipe(ends);
    (void)close(ends[0]);
    (void)close(ends[1]);
    sink++;
}

NOINLINE static void leave_open(void)
{
    open_and_close();
    sink = dup(old_file);
    sink++;
}

NOINLINE static void leave_pipe(void)
{
    int ends[2];

    open_and_close();
    (void)!pipe(ends);
    sink++;
}

NOINLINE static void close_old(void)
{
    open_and_close();
    (void)close(old_file);
    sink++;
}

NOINLINE static void replace_old(void)
{
    open_and_close();
    (void)dup2(spare, old_file);
    sink++;
}

NOINLINE static void read_old(void)
{
    char byte = 0;

    open_and_close();
    (void)!read(old_file, &byte, 1);
    sink += byte;
}

NOINLINE static void map_and_unmap(void)
{
    void *map = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)munmap(map, 65536);
    sink++;
}

NOINLINE static void leave_mapping(void)
{
    map_and_unmap();
    (void)mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sink++;
}

/* ---- Trials --------------------------------------------------------------------------------- */

typedef void culprit(void);

static const struct sn_event birth = {.name = "Birth", .size = sizeof(culprit *)};

static void on_start(void *self, const void *payload)
{
    (void)self;
    (*(culprit *const *)payload)();
    sink++;
}

static void on_message(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    (void)bytes;
    (void)n;
}

static const struct sn_machine node = {
    .name = "Node", .birth = &birth, .on_start = on_start, .on_message = on_message};

static culprit *chosen;

static void create_node(void)
{
    (void)sn_create(&node, &chosen);
}

/* In a process of its own, since what is left behind would be left to the other tests. */
static struct sn_result run_culprit(culprit *function)
{
    const struct sn_test test = {.name = "culprit", .run = create_node};
    struct sn_result *result =
        mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct sn_result copy;
    int status = -1;
    pid_t pid;

    assert_ptr_not_equal(result, MAP_FAILED);
    chosen = function;
    pid = fork();
    if (pid == 0) {
        *result = run_test_once(&test);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    copy = *result;
    (void)munmap(result, sizeof(*result));
    if (strncmp(copy.world, "memory is restored", 18) == 0)
        return copy;
    print_message("# %s: nothing is left behind\n", copy.world);
    skip();
    return copy;
}

/* The functions of the stack, without files and lines. */
static const char *functions_of(const struct sn_result *r)
{
    static char text[sizeof(r->stack)];
    size_t n = 0;
    bool is_name = true;

    for (const char *at = r->stack; *at != '\0'; at++) {
        is_name = *at == '\n' || (is_name && *at != ' ');
        if (is_name)
            text[n++] = *at == '\n' ? ' ' : *at;
    }
    text[n] = '\0';
    return text;
}

static void assert_culprit(const struct sn_result *r, const char *sentence, const char *functions)
{
    assert_int_equal(r->verdict, SN_UNCONTROLLED);
    assert_non_null(strstr(r->failure, sentence));
    if (strstr(functions_of(r), functions) == NULL)
        assert_string_equal(functions_of(r), functions);
    assert_null(strstr(functions_of(r), "_and_")); /* those have undone what they did */
}

/* ---- Claims --------------------------------------------------------------------------------- */

static int set_up(void **unused)
{
    char path[] = "/tmp/sennit-culprit-XXXXXX";
    int fd = mkstemp(path);

    (void)unused;
    if (fd < 0 || write(fd, "text", 4) != 4)
        return -1;
    (void)close(fd);
    old_file = open(path, O_RDONLY | O_CLOEXEC);
    spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)unlink(path);
    return old_file < 0 || spare < 0;
}

static void a_thread_is_shown_where_it_was_started(void **unused)
{
    struct sn_result r = run_culprit(start_thread);

    (void)unused;
    assert_culprit(&r, "the trial started a thread", "start_thread on_start ");
}

static void a_descriptor_is_shown_where_it_was_opened(void **unused)
{
    struct sn_result r = run_culprit(leave_open);

    (void)unused;
    assert_culprit(&r, "a trial opened descriptor", "leave_open on_start ");
}

static void a_pipe_is_shown_where_it_was_made(void **unused)
{
    struct sn_result r = run_culprit(leave_pipe);

    (void)unused;
    assert_culprit(&r, "a trial opened descriptor", "leave_pipe on_start ");
}

static void a_descriptor_is_shown_where_it_was_closed(void **unused)
{
    struct sn_result r = run_culprit(close_old);

    (void)unused;
    assert_culprit(&r, "a trial closed a descriptor", "close_old on_start ");
}

static void a_descriptor_is_shown_where_it_was_replaced(void **unused)
{
    struct sn_result r = run_culprit(replace_old);

    (void)unused;
    assert_culprit(&r, "a trial replaced descriptor", "replace_old on_start ");
}

static void a_descriptor_is_shown_where_it_was_read(void **unused)
{
    struct sn_result r = run_culprit(read_old);

    (void)unused;
    assert_culprit(&r, "a trial read from descriptor", "read_old on_start ");
}

static void a_mapping_is_shown_where_it_was_made(void **unused)
{
    struct sn_result r = run_culprit(leave_mapping);

    (void)unused;
    assert_culprit(&r, "a trial made ", "leave_mapping on_start ");
}

static void what_is_undone_is_no_loss_of_control(void **unused)
{
    struct sn_result r = run_culprit(open_and_close);

    (void)unused;
    assert_string_equal(r.failure, "");
    assert_string_equal(r.stack, "");
}

/* ---- Strategies ----------------------------------------------------------------------------- */

static bool begin_once(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    (void)keep;
    return trial == 0;
}

static uint32_t pick_first(void *self, const struct sn_pending *pending)
{
    (void)self;
    (void)pending;
    return 0;
}

static uint32_t pick_none(void *self, const struct sn_pending *pending)
{
    (void)self;
    return sn_pending_count(pending);
}

static uint64_t draw_too_much(void *self, const struct sn_draw *draw)
{
    (void)self;
    return draw->n;
}

NOINLINE static void draw_one(void)
{
    sink = (int)sn_choose("number", 3);
    sink++;
}

static struct sn_result run_strategy(const char *name)
{
    const struct sn_test test = {.name = "strategy", .run = create_node, .world = SN_WORLD_TRIAL};
    struct sn_options options = {.iterations = 1, .strategy = name};
    struct sn_result r;

    chosen = draw_one;
    assert_int_equal(sn_run(&test, &options, &r), 0);
    return r;
}

static void a_draw_that_was_answered_wrongly_is_shown_where_it_was_asked(void **unused)
{
    static const struct sn_strategy strategy = {
        .name = "overdraws", .begin = begin_once, .pick = pick_first, .draw = draw_too_much};
    struct sn_result r;

    (void)unused;
    assert_int_equal(sn_strategy_register(&strategy), 0);

    r = run_strategy("overdraws");

    assert_culprit(&r, "strategy overdraws drew 3 for number", "draw_one on_start ");
}

static void a_wrong_pick_is_nobodys_and_has_no_stack(void **unused)
{
    static const struct sn_strategy strategy = {
        .name = "overpicks", .begin = begin_once, .pick = pick_none};
    struct sn_result r;

    (void)unused;
    assert_int_equal(sn_strategy_register(&strategy), 0);

    r = run_strategy("overpicks");

    assert_int_equal(r.verdict, SN_UNCONTROLLED);
    assert_string_equal(r.stack, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_is_shown_where_it_was_started),
        cmocka_unit_test(a_descriptor_is_shown_where_it_was_opened),
        cmocka_unit_test(a_pipe_is_shown_where_it_was_made),
        cmocka_unit_test(a_descriptor_is_shown_where_it_was_closed),
        cmocka_unit_test(a_descriptor_is_shown_where_it_was_replaced),
        cmocka_unit_test(a_descriptor_is_shown_where_it_was_read),
        cmocka_unit_test(a_mapping_is_shown_where_it_was_made),
        cmocka_unit_test(what_is_undone_is_no_loss_of_control),
        cmocka_unit_test(a_draw_that_was_answered_wrongly_is_shown_where_it_was_asked),
        cmocka_unit_test(a_wrong_pick_is_nobodys_and_has_no_stack),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
