/* claims_libc.c - libc goes back together with the program.
 *
 * Each of these once broke a world that restored the program's memory alone. The functions are the
 * ones that keep state, so none of them could be replaced by a better one.
 * SPDX-License-Identifier: MIT
 */
#include "claims.h"

#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *strtok_goes_back(void)
{
    char words[] = "one two three four";
    char *kept = strdup(words);
    uint32_t m;

    HOLDS(strcmp(strtok(kept, " "), "one") == 0);
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        HOLDS(strcmp(strtok(NULL, " "), "two") == 0);
        HOLDS(strcmp(strtok(NULL, " "), "three") == 0);
        shim_restore(m);
    }
    return NULL;
}

static const char *random_numbers_go_back(void)
{
    uint32_t m;
    long a[3];

    srand(5);
    srand48(6);
    m = shim_save();
    a[0] = rand();
    a[1] = lrand48();
    a[2] = random();
    for (int i = 0; i < 3; i++) {
        shim_restore(m);
        HOLDS(rand() == a[0]);
        HOLDS(lrand48() == a[1]);
        HOLDS(random() == a[2]);
    }
    return NULL;
}

static const char *environment_goes_back(void)
{
    uint32_t m;

    setenv("WORLD_OLD", "old", 1);
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        setenv("WORLD_OLD", "a new value that is longer", 1);
        setenv("WORLD_NEW", "new", 1);
        HOLDS(strcmp(getenv("WORLD_NEW"), "new") == 0);
        shim_restore(m);
        HOLDS(getenv("WORLD_NEW") == NULL);
        HOLDS(strcmp(getenv("WORLD_OLD"), "old") == 0);
    }
    unsetenv("WORLD_OLD");
    return NULL;
}

static const char *locale_goes_back(void)
{
    uint32_t m = shim_save();

    for (int i = 0; i < 3; i++) {
        HOLDS(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
        HOLDS(setlocale(LC_ALL, "C.UTF-8") != NULL);
        HOLDS(strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
        shim_restore(m);
        HOLDS(strcmp(nl_langinfo(CODESET), "UTF-8") != 0);
    }
    return NULL;
}

static int exit_pipe;

static void at_exit(void)
{
    (void)!write(exit_pipe, "x", 1);
}

/* Runs `body` in a child that ends by exit, and returns how often at_exit was called there. */
static int exits(void (*body)(void))
{
    int ends[2];
    int status = 0;
    int n = 0;
    char byte;
    pid_t child;

    if (pipe(ends) != 0)
        return -1;
    child = fork();
    if (child == 0) {
        exit_pipe = ends[1];
        body();
        exit(0);
    }
    close(ends[1]);
    while (read(ends[0], &byte, 1) == 1)
        n++;
    close(ends[0]);
    waitpid(child, &status, 0);
    return status == 0 ? n : -1;
}

static void register_and_go_back(void)
{
    uint32_t m = shim_save();

    for (int i = 0; i < 100; i++)
        atexit(at_exit);
    shim_restore(m);
}

static void go_back_and_register(void)
{
    register_and_go_back();
    atexit(at_exit);
}

static const char *atexit_goes_back(void)
{
    HOLDS(exits(register_and_go_back) == 0);
    HOLDS(exits(go_back_and_register) == 1);
    return NULL;
}

static const char *blocks_from_libc_go_back(void)
{
    char *duplicate = strdup("duplicate");
    char *printed = NULL;
    char *line = NULL;
    size_t room = 0;
    FILE *in = tmpfile();
    uint32_t m;

    HOLDS(asprintf(&printed, "%d and %d", 1, 2) == 7);
    fputs("first line\n", in);
    rewind(in);
    HOLDS(getline(&line, &room, in) == 11);
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        HOLDS(strcmp(duplicate, "duplicate") == 0);
        HOLDS(strcmp(printed, "1 and 2") == 0);
        HOLDS(strcmp(line, "first line\n") == 0);
        free(escape(duplicate));
        free(escape(printed));
        free(escape(line));
        free(strdup("something else"));
        shim_restore(m);
    }
    free(duplicate);
    free(printed);
    free(line);
    fclose(in);
    return NULL;
}

static const char *blocks_from_libc_in_a_trial_are_given_back(void)
{
    uint32_t m = shim_save();

    for (int i = 0; i < 3; i++) {
        char *s = strdup("a");
        char *p = NULL;

        HOLDS(asprintf(&p, "%s%s", s, s) == 2);
        HOLDS(shim_in_region(s) && shim_in_region(p));
        if (i == 1)
            free(s);
        shim_restore(m);
    }
    return NULL;
}

static long bytes_in(FILE *file)
{
    long n;

    fseek(file, 0, SEEK_END);
    n = ftell(file);
    rewind(file);
    return n;
}

static const char *a_files_buffer_may_be_allocated_in_a_trial(void)
{
    FILE *out = tmpfile();
    FILE *look = NULL;
    char path[64];
    uint32_t m = shim_save();

    for (int i = 0; i < 3; i++) {
        fprintf(out, "trial %d, which is never written\n", i);
        shim_restore(m);
    }
    fputs("the end\n", out);
    HOLDS(fflush(out) == 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(out));
    look = fopen(path, "r");
    HOLDS(bytes_in(look) == 8);
    fclose(look);
    fclose(out);
    return NULL;
}

static const char *output_pending_at_a_save_is_written_once(void)
{
    int ends[2];
    char text[100] = "";
    FILE *out;
    uint32_t m;

    HOLDS(pipe(ends) == 0);
    out = fdopen(ends[1], "w");
    fputs("before ", out);
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        fputs("written ", out);
        fflush(out);
        fputs("lost ", out);
        shim_restore(m);
    }
    fputs("after", out);
    fclose(out);
    HOLDS(read(ends[0], text, sizeof(text) - 1) > 0);
    HOLDS(strcmp(text, "before written written written after") == 0);
    close(ends[0]);
    return NULL;
}

static const char *time_zone_goes_back(void)
{
    time_t day = 86400;
    uint32_t m;

    setenv("TZ", "AAA+3", 1);
    tzset();
    HOLDS(localtime(&day)->tm_hour == 21);
    m = shim_save();
    for (int i = 0; i < 5; i++) {
        setenv("TZ", i % 2 == 0 ? "BBB-2CCC" : ":/no/such/zone", 1);
        tzset();
        (void)localtime(&day);
        shim_restore(m);
        HOLDS(strcmp(tzname[0], "AAA") == 0);
        HOLDS(localtime(&day)->tm_hour == 21);
    }
    unsetenv("TZ");
    tzset();
    return NULL;
}

static const char *strerror_of_unknown_goes_back(void)
{
    char *first = NULL;
    uint32_t m = shim_save();

    for (int i = 0; i < 5; i++) {
        char *s = strerror(12345 + i);

        HOLDS(strncmp(s, "Unknown error 1234", 18) == 0);
        if (i == 0)
            first = s;
        HOLDS(s == first);
        shim_restore(m);
    }
    (void)strerror(99999);
    m = shim_save();
    for (int i = 0; i < 5; i++) {
        HOLDS(strcmp(strerror(54321), "Unknown error 54321") == 0);
        shim_restore(m);
    }
    return NULL;
}

static const char *values_of_threads_go_back(void)
{
    pthread_key_t keys[40];
    uint32_t m;

    for (int i = 0; i < 40; i++)
        HOLDS(pthread_key_create(&keys[i], NULL) == 0);
    pthread_setspecific(keys[0], "old");
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        pthread_setspecific(keys[0], "new");
        pthread_setspecific(keys[39], "in the second level");
        shim_restore(m);
        HOLDS(strcmp(pthread_getspecific(keys[0]), "old") == 0);
        HOLDS(pthread_getspecific(keys[39]) == NULL);
    }
    for (int i = 0; i < 40; i++)
        pthread_key_delete(keys[i]);
    return NULL;
}

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static const char *qsort_of_much_goes_back(void)
{
    enum { N = 20000 };
    int *numbers = malloc(N * sizeof(*numbers));
    uint32_t m;

    for (int i = 0; i < N; i++)
        numbers[i] = (i * 7919) % N;
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        qsort(numbers, N, sizeof(*numbers), compare_ints);
        HOLDS(numbers[N - 1] == N - 1);
        shim_restore(m);
        HOLDS(numbers[1] == 7919);
    }
    free(numbers);
    return NULL;
}

static int mappings(void)
{
    char buffer[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    int n = 0;

    while (fgets(buffer, sizeof(buffer), maps) != NULL)
        n++;
    fclose(maps);
    return n;
}

static const char *iconv_used_in_setup_costs_no_mappings_in_trials(void)
{
    uint32_t m;
    int before;

    if (getauxval(AT_BASE) == 0)
        return SKIP("a static program loads a second libc for iconv, with a malloc of its own");
    HOLDS(iconv_open("UTF-16LE", "ISO-8859-1") != (iconv_t)-1);
    m = shim_save();
    (void)mappings();
    before = mappings();
    for (int i = 0; i < 1000; i++) {
        iconv_t c = iconv_open("UTF-16LE", "ISO-8859-1");
        char text[] = "abc";
        char wide[20];
        char *in = text;
        char *out = wide;
        size_t in_left = 3;
        size_t out_left = sizeof(wide);

        HOLDS(c != (iconv_t)-1);
        HOLDS(iconv(c, &in, &in_left, &out, &out_left) == 0);
        HOLDS(wide[2] == 'b');
        shim_restore(m);
    }
    HOLDS(mappings() == before);
    return NULL;
}

const struct claim claims_libc[] = {
    ENTRY(strtok_goes_back),
    ENTRY(random_numbers_go_back),
    ENTRY(environment_goes_back),
    ENTRY(locale_goes_back),
    ENTRY(atexit_goes_back),
    ENTRY(blocks_from_libc_go_back),
    ENTRY(blocks_from_libc_in_a_trial_are_given_back),
    ENTRY(a_files_buffer_may_be_allocated_in_a_trial),
    ENTRY(output_pending_at_a_save_is_written_once),
    ENTRY(time_zone_goes_back),
    ENTRY(strerror_of_unknown_goes_back),
    ENTRY(values_of_threads_go_back),
    ENTRY(qsort_of_much_goes_back),
    ENTRY(iconv_used_in_setup_costs_no_mappings_in_trials),
    {NULL, NULL},
};
