/* test_services_plugin.c - who is served: somebody else's library, but not who helps himself.
 *
 * The program calls none of the functions that Sennit replaces, and defines one itself; argv[1] is
 * a library that calls some, and is loaded when the program runs. SPDX-License-Identifier: MIT
 */
#include "../observe.h"

#include <dlfcn.h>
#include <unistd.h>

static void *plugin;

int usleep(useconds_t microseconds)
{
    (void)microseconds;
    return 42;
}

/* Calls a function of the library by its name. */
static long long call(const char *name)
{
    void *address = dlsym(plugin, name);
    long long (*function)(void);

    sn_assertf(address != NULL, "%s is not there", name);
    memcpy(&function, &address, sizeof(function));
    return function();
}

static void on_start(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("%lld %lld", call("plugin_time"), call("plugin_random"));
    seen->count[2] = (uint64_t)usleep(1);
}

static void no_message(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    (void)bytes;
    (void)n;
}

static const struct sn_machine user = {
    .name = "User", .on_start = on_start, .on_message = no_message};

static void run(void)
{
    (void)sn_create(&user, NULL);
}

/* What was drawn last goes into seen->count. */
static void watch(void *self, const struct sn_trial_view *trial)
{
    struct observed *out = self;

    out->count[0] = trial->decisions;
    out->count[1] = trial->decisions > 1 ? trial->log[1] : 0;
}

static bool is_run(void)
{
    const struct sn_test test = {.name = "plugin", .run = run};
    struct sn_options options = {.iterations = 1, .watch = watch, .watch_self = seen};
    struct sn_result r;

    return plugin != NULL && sn_run(&test, &options, &r) == 0 && r.failures == 0;
}

static bool library_is_served(void)
{
    char expected[64];

    if (seen->count[0] != 2)
        return false;
    (void)snprintf(expected, sizeof(expected), "1767225600 %llu",
                   (unsigned long long)seen->count[1]);
    return strcmp(seen->text, expected) == 0;
}

static void report(int number, bool ok, const char *claim)
{
    printf("%sok %d - %s\n", ok ? "" : "not ", number, claim);
    if (!ok)
        printf("# %s; %llu decisions, %llu returned\n", seen->text,
               (unsigned long long)seen->count[0], (unsigned long long)seen->count[2]);
}

int main(int argc, char **argv)
{
    bool served;
    bool own;

    observe_clear();
    plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    served = is_run() && library_is_served();
    own = seen->count[2] == 42;
    printf("1..2\n");
    report(1, served, "a_library_is_served_although_the_program_calls_nothing_itself");
    report(2, own, "what_the_program_defines_itself_is_left_alone");
    return !served || !own;
}
