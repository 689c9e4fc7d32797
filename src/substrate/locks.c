/* locks.c - which task has which lock, what locks are called, and who waits for them.
 *
 * A lock is found by its address, which is the same for as long as a trial lasts. What it is known
 * by in other trials is another thing: where it lies in its file if it is a variable, otherwise
 * which task has used it first, and as which of its locks. SPDX-License-Identifier: MIT
 */
#include "substrate/locks.h"

#include "base/elf.h"
#include "base/hash.h"
#include "substrate/environment.h"

#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <time.h>

/* Above the ids of other objects. */
#define LOCK_OBJECT UINT64_C(0x6b636f6c)

#define NS_PER_S UINT64_C(1000000000)

/* ---- What they are called ------------------------------------------------------------------- */

/* What is loaded at an address. */
struct place {
    uint64_t address;
    uint64_t offset; /* as the file has it */
    const char *path;
};

static int look_at_object(struct dl_phdr_info *info, size_t size, void *self)
{
    struct place *place = self;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uint64_t offset = place->address - info->dlpi_addr;

        if (part->p_type != PT_LOAD || offset < part->p_vaddr ||
            offset - part->p_vaddr >= part->p_memsz)
            continue;
        place->offset = offset;
        place->path = info->dlpi_name != NULL && info->dlpi_name[0] != '\0' ? info->dlpi_name
                                                                            : "/proc/self/exe";
        return 1;
    }
    return 0;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* A variable: its symbol, or how far it is from the beginning of its file. */
static void name_variable(const struct place *place, struct lock_name *name)
{
    struct elf_symbol symbol;
    const char *file = base_of(place->path);

    name->key = mix_pair(hash_add(HASH_START, file, strlen(file)), place->offset);
    if (!elf_find(place->path, ELF_VARIABLE, place->offset, &symbol, NULL))
        (void)snprintf(name->text, sizeof(name->text), "%.24s+0x%" PRIx64, file, place->offset);
    else if (place->offset == symbol.start)
        (void)snprintf(name->text, sizeof(name->text), "%.40s", symbol.name);
    else
        (void)snprintf(name->text, sizeof(name->text), "%.26s+%" PRIu64, symbol.name,
                       place->offset - symbol.start);
}

/* What is known of an address; nothing if no variable can be there. */
static const struct lock_name *name_at(struct trial *t, const void *at)
{
    struct lock_name *name = &t->processes->lock_names[mix64((uintptr_t)at) % LOCK_NAMES];
    struct place place = {.address = (uintptr_t)at};

    if (name->at == at)
        return name;
    *name = (struct lock_name){.at = at};
    if (dl_iterate_phdr(look_at_object, &place) != 0)
        name_variable(&place, name);
    return name;
}

static const char *const kinds[] = {[LOCK_MUTEX] = "mutex",
                                    [LOCK_CONDITION] = "condition",
                                    [LOCK_RWLOCK] = "rwlock",
                                    [LOCK_SEMAPHORE] = "semaphore",
                                    [LOCK_SPIN] = "spinlock"};

static const char *task_name(const struct trial *t, uint32_t task)
{
    (void)t;
    return task != 0 ? sn_name(task) : "the test";
}

const char *lock_user(const struct trial *t)
{
    return task_name(t, t->now.task);
}

/* ---- Finding them --------------------------------------------------------------------------- */

static uint32_t count_of(const struct trial *t, uint32_t task)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->now.n_own[OWN_LOCKS]; i++)
        n += t->processes->locks[i].number != 0 && t->processes->locks[i].creator == task;
    return n;
}

/* What it was before the trial began, or was just made as: libc knows. */
static void look_at_bytes(struct trial *t, struct lock *lock)
{
    void *at = (void *)(uintptr_t)lock->at;
    int value = 0;

    if (lock->kind == LOCK_SEMAPHORE) {
        (void)LOCK_REAL(SERVICE_SEM_GETVALUE, sem_getvalue, at, &value);
        lock->count = (uint32_t)value;
    }
    if (lock->kind != LOCK_MUTEX)
        return;
    if (LOCK_REAL(SERVICE_MUTEX_TRYLOCK, pthread_mutex_trylock, at) == EBUSY)
        trial_lose_control(t, "lock", "%s was locked before the trial began", lock->name);
    (void)LOCK_REAL(SERVICE_MUTEX_UNLOCK, pthread_mutex_unlock, at);
}

static struct lock *add(struct trial *t, const void *at, enum lock_kind kind)
{
    const struct lock_name *name = name_at(t, at);
    uint32_t task = t->now.task;
    struct lock *lock;

    if (t->now.n_own[OWN_LOCKS] == LOCKS_MAX)
        op_too_many(t, "locks");
    lock = &t->processes->locks[t->now.n_own[OWN_LOCKS]];
    *lock = (struct lock){.at = at, .kind = (uint8_t)kind, .creator = task};
    if (name->text[0] != '\0') {
        lock->object.id = mix_pair(LOCK_OBJECT, name->key);
        (void)snprintf(lock->name, sizeof(lock->name), "%s %s", kinds[kind], name->text);
    } else {
        lock->number = count_of(t, task) + 1;
        lock->object.id =
            mix_pair(LOCK_OBJECT, mix_pair(task != 0 ? trial_who(t, task) : 0, lock->number));
        (void)snprintf(lock->name, sizeof(lock->name), "%s %" PRIu32 " of %.32s", kinds[kind],
                       lock->number, task_name(t, task));
    }
    t->now.n_own[OWN_LOCKS]++;
    return lock;
}

/* The memory is used for another one. */
static void become(struct lock *lock, enum lock_kind kind)
{
    const char *name = strchr(lock->name, ' ');
    char text[sizeof(lock->name)];

    (void)snprintf(text, sizeof(text), "%s%.50s", kinds[kind], name != NULL ? name : "");
    memcpy(lock->name, text, sizeof(text));
    lock->kind = (uint8_t)kind;
}

static void reset(struct trial *t, struct lock *lock)
{
    lock_give(lock);
    lock->n_readers = 0;
    look_at_bytes(t, lock);
}

struct lock *lock_find(struct trial *t, const void *at, enum lock_kind kind)
{
    uint16_t *slot = &t->processes->lock_slots[mix64((uintptr_t)at) % LOCK_NAMES];
    struct lock *all = t->processes->locks;
    uint32_t n = t->now.n_own[OWN_LOCKS];
    uint32_t i = *slot;

    if (i >= n || all[i].at != at) {
        for (i = 0; i < n && all[i].at != at; i++)
            continue;
        if (i == n)
            look_at_bytes(t, add(t, at, kind));
        *slot = (uint16_t)i;
    }
    if (unlikely(all[i].kind != kind)) {
        become(&all[i], kind);
        reset(t, &all[i]);
    }
    return &all[i];
}

void lock_clear(struct trial *t, const void *at, enum lock_kind kind)
{
    struct lock *lock = lock_find(t, at, kind);

    trial_write(t, &lock->object);
    reset(t, lock);
    lock_wake(t);
}

/* ---- Having them ---------------------------------------------------------------------------- */

bool lock_is_free(struct trial *t, const void *self)
{
    const struct lock *lock = self;

    (void)t;
    return !lock->is_held && lock->n_readers == 0;
}

void lock_take(struct trial *t, struct lock *lock)
{
    lock->is_held = true;
    lock->holder = t->now.task;
    lock->depth = 1;
    lock_calm(t);
}

void lock_give(struct lock *lock)
{
    lock->is_held = false;
    lock->holder = lock->depth = 0;
}

void lock_remove_reader(struct lock *lock, uint32_t index)
{
    lock->n_readers--;
    for (uint32_t i = index; i < lock->n_readers && i + 1 < LOCK_READERS; i++)
        lock->readers[i] = lock->readers[i + 1];
}

void lock_announce(struct trial *t, struct process *p, enum process_verb verb,
                   const struct lock *lock)
{
    if (p != NULL)
        process_announce(t, p, process_phrase_text(t, verb, lock->name), NULL);
}

/* "mutex m, which A holds". */
void lock_describe(struct trial *t, const void *self, struct sn_text *out)
{
    const struct lock *lock = self;

    text_puts(out, lock->name);
    if (lock->is_held) {
        text_print(out, ", which %s%s holds", task_name(t, lock->holder),
                   lock->holder != 0 && process_is(t, lock->holder) &&
                           process_of(t, lock->holder)->life == PROCESS_ENDED
                       ? ", which has ended,"
                       : "");
    } else if (lock->n_readers > 0) {
        text_puts(out, ", which");
        for (uint32_t i = 0; i < lock->n_readers && i < LOCK_READERS; i++)
            text_print(out, "%s %s", i > 0 ? "," : "", task_name(t, lock->readers[i]));
        if (lock->n_readers > LOCK_READERS)
            text_print(out, " and %" PRIu32 " more", lock->n_readers - LOCK_READERS);
        text_puts(out, lock->n_readers > 1 ? " hold to read" : " holds to read");
    }
}

/* What runs at once cannot wait. If it waits for itself, it would for ever. */
static void refuse(struct trial *t, const struct lock *lock)
{
    char buffer[256];
    struct sn_text out;

    text_init(&out, buffer, sizeof(buffer));
    lock_describe(t, lock, &out);
    if (lock_is_mine(t, lock))
        trial_fail(t, "deadlock", NULL, "%s waits for %s", lock_user(t), buffer);
    trial_lose_control(t, "lock", "%s waits for %s, but is no process: only those can wait",
                       lock_user(t), buffer);
}

bool lock_acquire(struct trial *t, struct process *p, enum process_verb verb, struct lock *lock,
                  bool (*is_free)(struct trial *t, const void *self), uint64_t timeout_ns)
{
    struct process_wait wait = {.is_over = is_free,
                                .self = lock,
                                .object = &lock->object,
                                .what = lock->name,
                                .is_for_one = true,
                                .describe = lock_describe};
    bool is_there;

    if (p != NULL)
        is_there = process_wait_for(t, p, process_phrase_text(t, verb, lock->name), NULL, &wait,
                                    timeout_ns);
    else
        is_there = is_free(t, lock);
    if (is_there)
        trial_write(t, &lock->object);
    else
        trial_read(t, &lock->object);
    if (p == NULL && !is_there && timeout_ns != 0)
        refuse(t, lock);
    return is_there;
}

void lock_misused(struct trial *t, const struct lock *lock, const char *verb)
{
    char buffer[256];
    struct sn_text out;

    text_init(&out, buffer, sizeof(buffer));
    lock_describe(t, lock, &out);
    trial_fail(t, "lock", NULL, "%s %s %s%s", lock_user(t), verb, buffer,
               lock->is_held || lock->n_readers > 0 ? "" : ", which nobody holds");
}

/* ---- Nodes and time ------------------------------------------------------------------------- */

static bool is_on(const struct trial *t, uint32_t task, sn_node node)
{
    return task != 0 && t->machines->all[task].node == node;
}

static void end_readers(struct trial *t, struct lock *lock, sn_node node)
{
    for (uint32_t i = 0; i < lock->n_readers && i < LOCK_READERS;) {
        if (!is_on(t, lock->readers[i], node)) {
            i++;
            continue;
        }
        trial_write(t, &lock->object);
        lock_remove_reader(lock, i);
    }
}

/* The memory of a machine is gone with it, and so are the locks in it, whoever had them. */
void locks_end_node(struct trial *t, sn_node node)
{
    for (uint32_t i = 0; i < t->now.n_own[OWN_LOCKS]; i++) {
        struct lock *lock = &t->processes->locks[i];

        end_readers(t, lock, node);
        if (!lock->is_held || !is_on(t, lock->holder, node))
            continue;
        trial_write(t, &lock->object);
        lock_give(lock);
    }
    lock_wake(t);
}

bool lock_timeout(clockid_t clock, const struct timespec *until, uint64_t *ns)
{
    struct timespec now;

    if (until->tv_nsec < 0 || (uint64_t)until->tv_nsec >= NS_PER_S ||
        clock_gettime(clock, &now) != 0)
        return false;
    *ns = 0;
    if (until->tv_sec < now.tv_sec ||
        (until->tv_sec == now.tv_sec && until->tv_nsec <= now.tv_nsec))
        return true;
    if ((uint64_t)(until->tv_sec - now.tv_sec) >= INT64_MAX / NS_PER_S) {
        *ns = INT64_MAX;
        return true;
    }
    *ns = (uint64_t)(until->tv_sec - now.tv_sec) * NS_PER_S + (uint64_t)until->tv_nsec -
          (uint64_t)now.tv_nsec;
    return true;
}
