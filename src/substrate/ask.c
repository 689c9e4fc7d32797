/* ask.c - what any code of a test may ask for: values, memory, remarks, and the end of the trial.
 * SPDX-License-Identifier: MIT
 */
#include "engine/here.h"
#include "substrate/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t sn_choose(const char *label, uint64_t n)
{
    struct trial *t = machine_trial("sn_choose");

    machine_refuse_in_segment(t, "sn_choose");
    if (n == 0)
        trial_fail(t, "usage", NULL, "sn_choose(\"%s\", 0): there is nothing to choose from",
                   label);
    return trial_draw(t, label, n);
}

bool sn_maybe(const char *label)
{
    return sn_choose(label, 2) != 0;
}

void *sn_alloc(size_t n)
{
    return trial_alloc(machine_trial("sn_alloc"), n > 0 ? n : 1);
}

void sn_note(const char *format, ...)
{
    struct trial *t = machine_trial("sn_note");
    char text[512];
    va_list args;

    if (t->recorder == NULL)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    trial_record(t, note, text);
}

bool sn_in_trial(void)
{
    struct trial *t = trial_here();

    return t != NULL && t->running;
}

/* Outside a trial an assertion ends the program, as C's does. */
static void die(const char *at, const char *expression)
{
    char text[512];
    int n = snprintf(text, sizeof(text), "%s: assertion failed: %s\n", at, expression);

    if (n > 0)
        (void)!write(STDERR_FILENO, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
    abort();
}

/* The last part of a path: where the program was compiled is nobody's business. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static void fail_assertion(const char *file, int line, const char *expression, const char *message)
    __attribute__((noreturn));

static void fail_assertion(const char *file, int line, const char *expression, const char *message)
{
    struct trial *t = trial_here();
    char at[256];

    (void)snprintf(at, sizeof(at), "%s:%d", base_name(file), line);
    if (t == NULL || !t->running)
        die(at, expression);
    if (message != NULL)
        trial_fail(t, "assert", at, "%s (%s)", message, expression);
    else
        trial_fail(t, "assert", at, "%s", expression);
    abort(); /* trial_fail does not return while a trial is running */
}

void sn_assert_failed(const char *file, int line, const char *expression, const char *format, ...)
{
    char message[400];
    va_list args;

    if (format == NULL)
        fail_assertion(file, line, expression, NULL);
    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    fail_assertion(file, line, expression, message);
}

/* What C's assert() calls: replaces libc's. */
void __assert_fail(const char *expression, const char *file, unsigned int line,
                   const char *function) __attribute__((noreturn, visibility("default")));

void __assert_fail(const char *expression, const char *file, unsigned int line,
                   const char *function)
{
    (void)function;
    fail_assertion(file, (int)line, expression, NULL);
}
