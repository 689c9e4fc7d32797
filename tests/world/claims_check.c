/* claims_check.c - what no restore undoes is found and named; what breaks the heap is found.
 * SPDX-License-Identifier: MIT
 */
#include "claims.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static bool says(const char *why, const char *part)
{
    return why != NULL && strstr(why, part) != NULL;
}

static const char *nothing_is_reported_of_a_clean_trial(void)
{
    uint32_t m = shim_save();

    for (int i = 0; i < 5; i++) {
        FILE *f = fopen("/dev/null", "w");

        fprintf(f, "%d", i);
        fclose(f);
        free(malloc(3 << 20));
        HOLDS(shim_check(true) == NULL);
        HOLDS(shim_check(false) == NULL);
        shim_restore(m);
    }
    return NULL;
}

static const char *a_heap_that_grows_is_not_reported(void)
{
    uint32_t m = shim_save();

    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 30; k++)
            memset(escape(malloc(100 << 10)), 1, 100 << 10);
        memset(escape(malloc(4 << 20)), 1, 4 << 20);
        (void)shim_save();
        HOLDS(shim_check(false) == NULL);
        shim_restore(m);
    }
    return NULL;
}

static const char *a_descriptor_left_open_is_reported(void)
{
    uint32_t m = shim_save();
    FILE *f = fopen("/dev/null", "w");
    int fd = fileno(f);

    HOLDS(says(shim_check(false), "/dev/null"));
    shim_restore(m);
    close(fd);
    HOLDS(shim_check(false) == NULL);
    return NULL;
}

static const char *a_directory_left_open_is_reported(void)
{
    uint32_t m = shim_save();
    DIR *d = opendir("/proc");
    int fd = dirfd(d);

    HOLDS(says(shim_check(false), "/proc"));
    shim_restore(m);
    close(fd);
    return NULL;
}

static const char *reading_on_in_an_open_file_is_reported(void)
{
    FILE *f = fopen("/proc/self/exe", "r");
    uint32_t m = shim_save();

    HOLDS(fgetc(f) == 0x7f);
    HOLDS(says(shim_check(false), "offset"));
    shim_restore(m);
    fclose(f);
    return NULL;
}

static const char *a_closed_descriptor_is_reported(void)
{
    int fd = open("/dev/null", O_RDONLY);
    uint32_t m = shim_save();

    close(fd);
    HOLDS(says(shim_check(false), "closed"));
    shim_restore(m);
    return NULL;
}

static const char *a_mapping_left_behind_is_reported(void)
{
    uint32_t m = shim_save();
    /* With a hole above, so that the kernel cannot join it to a neighbour. */
    char *p = mmap(NULL, 3 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    munmap(p, 1 << 20);
    munmap(p + (2 << 20), 1 << 20);
    HOLDS(says(shim_check(false), "mapping"));
    shim_restore(m);
    munmap(p + (1 << 20), 1 << 20);
    HOLDS(shim_check(false) == NULL);
    return NULL;
}

static void *do_nothing(void *argument)
{
    return argument;
}

/* In a child, because a process that had a thread once is not the same any more. */
static int in_child(int (*body)(void))
{
    int status = 0;
    pid_t child = fork();

    if (child == 0)
        _exit(body());
    return waitpid(child, &status, 0) == child ? status : -1;
}

static int start_a_thread(void)
{
    pthread_t thread;

    (void)shim_save();
    pthread_create(&thread, NULL, do_nothing, NULL);
    pthread_join(thread, NULL);
    return says(shim_check(true), "thread") ? 0 : 1;
}

static const char *a_thread_is_reported(void)
{
    HOLDS(in_child(start_a_thread) == 0);
    return NULL;
}

static int open_with_a_thread(void)
{
    pthread_t thread;
    pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

    shim_close();
    pthread_mutex_lock(&held);
    pthread_create(&thread, NULL, (void *(*)(void *))(void (*)(void))pthread_mutex_lock, &held);
    return says(shim_open(), "2 threads") ? 0 : 1;
}

static const char *a_program_with_threads_is_refused(void)
{
    HOLDS(in_child(open_with_a_thread) == 0);
    return NULL;
}

#ifdef PLUGIN /* not in a static program, which cannot load anything */

static const char *an_object_loaded_in_setup_goes_back(void)
{
    int (*count)(void);
    int (*count_of_thread)(void);
    void *object;
    void *found;
    uint32_t m;

    object = dlopen(PLUGIN, RTLD_NOW);
    HOLDS(object != NULL);
    found = dlsym(object, "third_count");
    memcpy(&count, &found, sizeof(count));
    found = dlsym(object, "third_count_of_thread");
    memcpy(&count_of_thread, &found, sizeof(count_of_thread));
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        HOLDS(count() == 1);
        HOLDS(count_of_thread() == 1);
        HOLDS(shim_check(true) == NULL);
        shim_restore(m);
    }
    HOLDS(dlclose(object) == 0);
    return NULL;
}

static const char *an_object_loaded_in_a_trial_is_reported(void)
{
    uint32_t m = shim_save();
    void *object;

    object = dlopen(PLUGIN, RTLD_NOW);
    HOLDS(object != NULL);
    HOLDS(says(shim_check(true), "shared object"));
    shim_restore(m);
    HOLDS(dlclose(object) == 0);
    return NULL;
}

#endif

/* What the process prints to stderr before it dies of a signal; "" if it does not. */
static const char *last_words(void (*body)(void), char *out, size_t size)
{
    int ends[2];
    int status = 0;
    size_t n = 0;
    ssize_t got;
    pid_t child;

    if (pipe(ends) != 0)
        return "";
    child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(0);
    }
    close(ends[1]);
    while (n < size - 1 && (got = read(ends[0], out + n, size - 1 - n)) > 0)
        n += (size_t)got;
    out[n] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? out : "";
}

static void free_twice(void)
{
    char *p = malloc(10);

    free(escape(p));
    free(escape(p));
}

static void free_inside(void)
{
    char *p = malloc(100);

    free(escape(p + 16));
}

static int global_variable;

static void free_global(void)
{
    free(escape(&global_variable));
}

static void free_large_twice(void)
{
    char *first = malloc(2 << 20);
    char *p = malloc(2 << 20);
    char *last = escape(malloc(2 << 20));

    free(escape(p));
    free(escape(p));
    free(first);
    free(last);
}

static void underflow_into_header(void)
{
    char *p = escape(malloc(16));

    memset(escape(p - 8), 'x', 8);
    free(escape(p));
}

static const char *what_breaks_the_heap_is_found(void)
{
    char words[500];

    HOLDS(says(last_words(free_twice, words, sizeof(words)), "free already"));
    HOLDS(says(last_words(free_inside, words, sizeof(words)), "did not return"));
    HOLDS(says(last_words(free_global, words, sizeof(words)), "did not return"));
    HOLDS(says(last_words(free_large_twice, words, sizeof(words)), "did not return"));
    HOLDS(says(last_words(underflow_into_header, words, sizeof(words)), "overwritten"));
    return NULL;
}

static bool addresses(char *out, size_t size)
{
    int ends[2];
    ssize_t n;
    pid_t child;

    if (pipe(ends) != 0)
        return false;
    child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/proc/self/exe", "claims", "--addresses", (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    n = read(ends[0], out, size - 1);
    close(ends[0]);
    out[n > 0 ? n : 0] = '\0';
    return waitpid(child, NULL, 0) == child && n > 20;
}

static const char *addresses_are_the_same_in_every_process(void)
{
    char first[200];
    char second[200];

    HOLDS(addresses(first, sizeof(first)));
    HOLDS(setenv("A_LONGER_ENVIRONMENT", "than the first process had", 1) == 0);
    HOLDS(addresses(second, sizeof(second)));

    HOLDS(strncmp(first, "0x5", 3) == 0);
    HOLDS(strcmp(first, second) == 0);
    unsetenv("A_LONGER_ENVIRONMENT");
    return NULL;
}

const struct claim claims_check[] = {
    ENTRY(nothing_is_reported_of_a_clean_trial),
    ENTRY(a_heap_that_grows_is_not_reported),
    ENTRY(a_descriptor_left_open_is_reported),
    ENTRY(a_directory_left_open_is_reported),
    ENTRY(reading_on_in_an_open_file_is_reported),
    ENTRY(a_closed_descriptor_is_reported),
    ENTRY(a_mapping_left_behind_is_reported),
    ENTRY(a_thread_is_reported),
    ENTRY(a_program_with_threads_is_refused),
#ifdef PLUGIN
    ENTRY(an_object_loaded_in_setup_goes_back),
    ENTRY(an_object_loaded_in_a_trial_is_reported),
#endif
    ENTRY(what_breaks_the_heap_is_found),
    ENTRY(addresses_are_the_same_in_every_process),
    {NULL, NULL},
};
