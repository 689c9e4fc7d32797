/* mutexes.c - mutexes and conditions of the code under test.
 *
 * To lock and to unlock are operations. To wait on a condition are two: one that gives the mutex up
 * and begins to wait, and one, when it was signalled and the mutex is free, that has it again. Who
 * is woken by a signal is drawn. SPDX-License-Identifier: MIT
 */
#include "substrate/locks.h"

/* What somebody waits for, on its stack. */
struct condition_wait {
    const struct lock *condition;
    const struct lock *mutex;
    uint64_t number; /* the how manyth wait for this condition it is */
    bool is_signalled;
};

/* ---- Mutexes -------------------------------------------------------------------------------- */

static int type_of(const pthread_mutex_t *m)
{
    enum { KINDS = 3 }; /* the low bits: static initialisers have them there, too */

    return m->__data.__kind & KINDS;
}

/* Whether who has a mutex is told so, rather than waits for itself. */
static bool is_checked(const pthread_mutex_t *m)
{
    return type_of(m) == PTHREAD_MUTEX_RECURSIVE || type_of(m) == PTHREAD_MUTEX_ERRORCHECK;
}

int mutex_lock(struct trial *t, struct process *p, pthread_mutex_t *m, uint64_t timeout_ns)
{
    struct lock *lock = lock_find(t, m, LOCK_MUTEX);

    if (lock_is_mine(t, lock) && type_of(m) == PTHREAD_MUTEX_ERRORCHECK)
        return EDEADLK;
    if (lock_is_mine(t, lock) && type_of(m) == PTHREAD_MUTEX_RECURSIVE)
        lock->depth++;
    else if (lock_acquire(t, p, VERB_LOCK, lock, lock_is_free, timeout_ns))
        lock_take(t, lock);
    else
        return ETIMEDOUT;
    return 0;
}

int mutex_try(struct trial *t, struct process *p, pthread_mutex_t *m)
{
    struct lock *lock = lock_find(t, m, LOCK_MUTEX);

    if (lock_is_mine(t, lock) && type_of(m) == PTHREAD_MUTEX_RECURSIVE)
        lock->depth++;
    else if (lock_acquire(t, p, VERB_TRY_LOCK, lock, lock_is_free, 0))
        lock_take(t, lock);
    else
        return EBUSY;
    return 0;
}

/* One lock less of the running task, which has it. */
static void give(struct lock *lock)
{
    if (--lock->depth == 0)
        lock_give(lock);
}

int mutex_unlock(struct trial *t, struct process *p, pthread_mutex_t *m)
{
    struct lock *lock = lock_find(t, m, LOCK_MUTEX);

    if (lock_is_mine(t, lock) && lock->depth > 1) {
        give(lock);
        return 0;
    }
    lock_announce(t, p, VERB_UNLOCK, lock);
    trial_write(t, &lock->object);
    if (!lock_is_mine(t, lock)) {
        if (is_checked(m))
            return EPERM;
        lock_misused(t, lock, "unlocks");
    }
    give(lock);
    lock_wake(t);
    return 0;
}

/* ---- Conditions ----------------------------------------------------------------------------- */

static bool is_woken(struct trial *t, const void *self)
{
    const struct condition_wait *wait = self;

    return wait->is_signalled && lock_is_free(t, wait->mutex);
}

static void describe(struct trial *t, const void *self, struct sn_text *out)
{
    const struct condition_wait *wait = self;

    if (wait->is_signalled)
        lock_describe(t, wait->mutex, out);
    else
        text_print(out, "a signal to %s", wait->condition->name);
}

/* The running process gives up the mutex and begins to wait. */
static void begin(struct trial *t, struct process *p, struct lock *condition, struct lock *mutex)
{
    lock_announce(t, p, VERB_WAIT_ON, condition);
    if (!lock_is_mine(t, mutex))
        lock_misused(t, mutex, "waits on a condition without");
    trial_write(t, &condition->object);
    trial_write(t, &mutex->object);
    give(mutex);
    lock_wake(t);
}

int condition_wait(struct trial *t, struct process *p, pthread_cond_t *c, pthread_mutex_t *m,
                   uint64_t timeout_ns)
{
    struct lock *condition = lock_find(t, c, LOCK_CONDITION);
    struct lock *mutex = lock_find(t, m, LOCK_MUTEX);
    struct condition_wait waiting = {.condition = condition, .mutex = mutex};
    struct process_wait wait = {.is_over = is_woken,
                                .self = &waiting,
                                .object = &mutex->object,
                                .what = condition->name,
                                .is_for_one = true,
                                .describe = describe};

    if (p == NULL)
        trial_lose_control(t, "lock", "%s waits on %s, but is no process: only those can wait",
                           lock_user(t), condition->name);
    begin(t, p, condition, mutex);
    waiting.number = ++condition->n_waits;
    if (process_wait_for(t, p, process_phrase_text(t, VERB_WOKEN_BY, condition->name), NULL, &wait,
                         timeout_ns)) {
        trial_read(t, &condition->object);
        trial_write(t, &mutex->object);
        lock_take(t, mutex);
        return 0;
    }
    /* Too late: but not before the mutex is free. */
    trial_write(t, &condition->object);
    (void)lock_acquire(t, p, VERB_LOCK, mutex, lock_is_free, SN_FOREVER);
    lock_take(t, mutex);
    return waiting.is_signalled ? 0 : ETIMEDOUT;
}

/* Among those that wait, the one that has waited longest of those that have waited less long than
 * `after`; NULL: there is none. */
static struct condition_wait *next_waiting(struct trial *t, const struct lock *condition,
                                           uint64_t after)
{
    const struct process *all = t->processes->all;
    struct condition_wait *next = NULL;

    if (!processes_are_used(t))
        return NULL;
    for (uint32_t i = t->processes->now.first_waiting; i != 0; i = all[i].next_waiting) {
        struct condition_wait *wait = (struct condition_wait *)(uintptr_t)all[i].wait->self;

        if (all[i].wait->is_over == is_woken && wait->condition == condition &&
            !wait->is_signalled && wait->number > after &&
            (next == NULL || wait->number < next->number))
            next = wait;
    }
    return next;
}

static void wake_one(struct trial *t, const struct lock *condition)
{
    struct condition_wait *wait = next_waiting(t, condition, 0);
    uint64_t n = 0;
    uint64_t left;

    for (const struct condition_wait *i = wait; i != NULL;
         i = next_waiting(t, condition, i->number))
        n++;
    left = n > 1 ? trial_draw(t, "who is woken", n) : 0;
    for (; left > 0; left--)
        wait = next_waiting(t, condition, wait->number);
    if (wait != NULL)
        wait->is_signalled = true;
}

void condition_signal(struct trial *t, struct process *p, pthread_cond_t *c, bool is_for_all)
{
    struct lock *condition = lock_find(t, c, LOCK_CONDITION);

    lock_announce(t, p, is_for_all ? VERB_BROADCAST : VERB_SIGNAL, condition);
    trial_write(t, &condition->object);
    if (!is_for_all)
        wake_one(t, condition);
    for (struct condition_wait *i = next_waiting(t, condition, 0); is_for_all && i != NULL;
         i = next_waiting(t, condition, i->number))
        i->is_signalled = true;
    lock_wake(t);
}
