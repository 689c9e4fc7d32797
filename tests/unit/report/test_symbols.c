/* test_symbols.c - frames get the names, files and lines that they have in the source.
 * SPDX-License-Identifier: MIT
 */
#include "report/symbols.h"

#include <dlfcn.h>
#include <sennit/sennit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define NOINLINE __attribute__((noinline))

/* In memory that no trial's end puts back. */
struct taken {
    struct stack stack;
    int line;  /* of the innermost call */
    int inner; /* of the call inside of the inlined function */
};

static struct taken *taken;
static struct modules modules;
static char text[4096];
static char expected[512];
static volatile int sink;

/* ---- Code that is walked -------------------------------------------------------------------- */

NOINLINE static void take(void)
{
    taken->line = __LINE__ + 1;
    stack_take(&taken->stack, NULL);
    sink++;
}

static inline __attribute__((always_inline)) void inlined(void)
{
    taken->inner = __LINE__ + 1;
    take();
    sink++;
}

NOINLINE static void around(void)
{
    inlined();
    sink++;
}

NOINLINE static void deep(int n)
{
    if (n == 0)
        take();
    else
        deep(n - 1);
    sink++;
}

/* As if everything above the caller had called the trial. */
NOINLINE static void describe(size_t size)
{
    modules_record(&modules);
    symbols_describe(&taken->stack, &modules, text, size);
}

static const char *expect(const char *format, int line)
{
    (void)snprintf(expected, sizeof(expected), format, line);
    return expected;
}

/* ---- Claims --------------------------------------------------------------------------------- */

static int set_up(void **state)
{
    (void)state;
    taken = mmap(NULL, sizeof(*taken), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    stack_prepare();
    return taken == MAP_FAILED ? -1 : 0;
}

/* Where no tool is installed there is nothing to compare with. */
static void need(const char *tool)
{
    char command[128];

    (void)snprintf(command, sizeof(command), "command -v %s >/dev/null", tool);
    if (system(command) == 0)
        return;
    print_message("# %s is not installed\n", tool);
    skip();
}

static void a_frame_is_a_function_a_file_and_a_line(void **state)
{
    (void)state;
    need("addr2line");

    take();
    describe(sizeof(text));

    assert_memory_equal(text, expect("take (test_symbols.c:%d)\n", taken->line), strlen(expected));
}

static void an_inlined_function_has_a_line_of_its_own(void **state)
{
    (void)state;
    need("addr2line");

    around();
    describe(sizeof(text));

    assert_non_null(strstr(text, expect("\ninlined (test_symbols.c:%d)\n", taken->inner)));
    assert_non_null(strstr(text, expect("\naround (test_symbols.c:%d)\n", taken->inner + 6)));
}

static void a_repeated_frame_is_one_line_with_a_count(void **state)
{
    (void)state;
    need("addr2line");

    deep(20);
    describe(sizeof(text));

    assert_non_null(strstr(text, "), 20 times\n"));
}

static void what_does_not_fit_is_dropped_by_lines_and_said(void **state)
{
    (void)state;
    taken->stack.n = 3;
    taken->stack.pc[0] = 1;
    taken->stack.pc[1] = 2;
    taken->stack.pc[2] = 3;

    describe(40);

    assert_string_equal(text, "0x1\n0x2\nand 1 more\n");
}

static void a_plugin_has_its_own_lines(void **state)
{
    void *plugin = dlopen(PLUGIN, RTLD_NOW);
    void (*call)(void (*back)(void));

    (void)state;
    need("addr2line");
    assert_non_null(plugin);
    call = (void (*)(void (*)(void)))(uintptr_t)dlsym(plugin, "plugin_call");
    assert_non_null(call);

    call(take);
    describe(sizeof(text));

    assert_non_null(strstr(text, "\nplugin_call (plugin.c:6)\n"));
    (void)dlclose(plugin);
}

static void a_function_without_a_symbol_does_not_get_the_name_of_another(void **state)
{
    void *stripped = dlopen(STRIPPED, RTLD_NOW);
    void (*call)(void (*back)(void));
    const char *named;

    (void)state;
    need("addr2line");
    assert_non_null(stripped);
    call = (void (*)(void (*)(void)))(uintptr_t)dlsym(stripped, "stripped_call");
    assert_non_null(call);

    call(take);
    describe(sizeof(text));

    named = strstr(text, "\nstripped_call (libsymbols_stripped.so+0x");
    assert_non_null(strstr(text, "\nlibsymbols_stripped.so+0x"));
    assert_non_null(named);
    assert_null(strstr(named + 1, "\nstripped_call ("));
    (void)dlclose(stripped);
}

static void without_a_tool_a_frame_is_a_module_and_an_offset(void **state)
{
    char *path = strdup(getenv("PATH"));
    uint64_t offset;

    (void)state;
    take();
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);

    describe(sizeof(text));

    (void)setenv("PATH", path, 1);
    free(path);
    offset = taken->stack.pc[0] - modules_find(&modules, taken->stack.pc[0])->start;
    (void)snprintf(expected, sizeof(expected), "test_symbols+0x%llx\n", (unsigned long long)offset);
    assert_memory_equal(text, expected, strlen(expected));
}

static void the_other_tool_says_the_same(void **state)
{
    char folder[] = "/tmp/sennit-symbols-XXXXXX";
    char command[256];
    char *path = strdup(getenv("PATH"));
    static char first[sizeof(text)];

    (void)state;
    need("addr2line");
    need("llvm-symbolizer");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(command, sizeof(command), "ln -s $(command -v llvm-symbolizer) %s", folder);
    assert_int_equal(system(command), 0);
    around();
    taken->stack.n = 2; /* libc's frames differ: one of them knows more of symbols' versions */
    describe(sizeof(text));
    memcpy(first, text, sizeof(first));
    assert_int_equal(setenv("PATH", folder, 1), 0);

    describe(sizeof(text));

    (void)setenv("PATH", path, 1);
    free(path);
    (void)snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    assert_string_equal(text, first);
    assert_non_null(strstr(text, "inlined"));
}

/* ---- In a trial ----------------------------------------------------------------------------- */

static void on_start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    take();
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
    .name = "Node", .on_start = on_start, .on_message = on_message};

static void create_node(void)
{
    (void)sn_create(&node, NULL);
}

static void frames_of_the_library_below_a_handler_are_left_out(void **state)
{
    const struct sn_test test = {.name = "take", .run = create_node, .world = SN_WORLD_TRIAL};
    struct sn_options options = {.iterations = 1};
    struct sn_result result;
    int line;

    (void)state;
    need("addr2line");

    assert_int_equal(sn_run(&test, &options, &result), 0);
    describe(sizeof(text));

    line = taken->line;
    assert_memory_equal(text, expect("take (test_symbols.c:%d)\non_start (test_symbols.c:", line),
                        strlen(expected));
    assert_ptr_equal(strchr(strchr(text, '\n') + 1, '\n'), text + strlen(text) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_a_function_a_file_and_a_line),
        cmocka_unit_test(an_inlined_function_has_a_line_of_its_own),
        cmocka_unit_test(a_repeated_frame_is_one_line_with_a_count),
        cmocka_unit_test(what_does_not_fit_is_dropped_by_lines_and_said),
        cmocka_unit_test(a_plugin_has_its_own_lines),
        cmocka_unit_test(a_function_without_a_symbol_does_not_get_the_name_of_another),
        cmocka_unit_test(without_a_tool_a_frame_is_a_module_and_an_offset),
        cmocka_unit_test(the_other_tool_says_the_same),
        cmocka_unit_test(frames_of_the_library_below_a_handler_are_left_out),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
