/* learned.c - see learned.h.
 *
 * Numbers are 64 bits, the lowest byte first: a tag, the version, seed, trials, two flags, the
 * length of the strategy's name, the name; then the number of phases and for each the length of its
 * state and the state; last a hash of all that. SPDX-License-Identifier: MIT
 */
#include "api/learned.h"

#include "base/file.h"
#include "base/rng.h"
#include "engine/mem.h"
#include "strategy/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t learned_tag = UINT64_C(0x6e7261656c6e7364); /* "dsnlearn" */

enum { VERSION = 1, HEAD_BYTES = 7 * 8 };

#define BYTES_MAX ((size_t)(256 << 20 >> MEM_SAVING_SHIFT))

static uint64_t hash_of(const unsigned char *bytes, size_t n)
{
    uint64_t hash = n;

    for (size_t i = 0; i < n; i++)
        hash = mix_pair(hash, bytes[i]);
    return hash;
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Appends a state with its length. False: it does not fit. */
static bool put_state(unsigned char *bytes, size_t *n, const struct explore_phase *phase)
{
    const struct sn_strategy *strategy = phase->entry->strategy;
    size_t room = BYTES_MAX - *n - 16;
    size_t size = strategy->save != NULL ? strategy->save(phase->self, bytes + *n + 8, room) : 0;

    if (size > room)
        return false;
    bytes_put(bytes + *n, size);
    *n += 8 + size;
    return true;
}

static size_t put_head(unsigned char *bytes, const struct learned *l)
{
    size_t n = strlen(l->strategy);

    bytes_put(bytes, learned_tag);
    bytes_put(bytes + 8, VERSION);
    bytes_put(bytes + 16, l->seed);
    bytes_put(bytes + 24, l->trials);
    bytes_put(bytes + 32, l->was_cut);
    bytes_put(bytes + 40, l->has_left_phase);
    bytes_put(bytes + 48, n);
    memcpy(bytes + HEAD_BYTES, l->strategy, n);
    return HEAD_BYTES + n;
}

int learned_write(const char *path, const struct learned *l, const struct explore_phase *phases,
                  uint32_t n_phases, struct err *why)
{
    unsigned char *bytes = mem_reserve_shared(BYTES_MAX, why);
    bool fits = true;
    size_t n;
    int rc;

    if (bytes == NULL)
        return SN_ENOMEM;
    n = put_head(bytes, l);
    bytes_put(bytes + n, n_phases);
    n += 8;
    for (uint32_t i = 0; i < n_phases && fits; i++)
        fits = put_state(bytes, &n, &phases[i]);
    bytes_put(bytes + n, hash_of(bytes, n));
    rc = fits ? file_replace(path, &(struct file_part){(const char *)bytes, n + 8}, 1, why)
              : err_set(why, SN_ENOMEM, "%s: what was learned is too much to be kept", path);
    mem_release(bytes, BYTES_MAX);
    return rc;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static int refuse(const char *path, const char *what, struct err *why)
{
    return err_set(why, SN_EFORMAT, "%s: %s", path, what);
}

static int read_head(struct learned_file *file, const char *path, struct err *why)
{
    const unsigned char *bytes = file->bytes;
    struct learned *l = &file->learned;
    uint64_t name;

    if (file->size < HEAD_BYTES + 16 || bytes_get(bytes) != learned_tag)
        return refuse(path, "this is not what a run has learned", why);
    if (bytes_get(bytes + 8) != VERSION)
        return refuse(path, "another version of Sennit wrote this", why);
    if (bytes_get(bytes + file->size - 8) != hash_of(bytes, file->size - 8))
        return refuse(path, "the file is damaged: its check does not fit", why);
    name = bytes_get(bytes + 48);
    if (name >= LEARNED_NAME || name > file->size - HEAD_BYTES - 16)
        return refuse(path, "the name of the strategy is too long", why);
    l->seed = bytes_get(bytes + 16);
    l->trials = bytes_get(bytes + 24);
    l->was_cut = bytes_get(bytes + 32) != 0;
    l->has_left_phase = bytes_get(bytes + 40) != 0;
    memcpy(l->strategy, bytes + HEAD_BYTES, name);
    l->strategy[name] = '\0';
    file->states = HEAD_BYTES + name;
    return 0;
}

/* Reads a whole file, which may be longer or shorter than it says. */
static int read_bytes(struct learned_file *file, int fd, const char *path, struct err *why)
{
    while (file->size < BYTES_MAX) {
        ssize_t n = read(fd, file->bytes + file->size, BYTES_MAX - file->size);

        if (n < 0)
            return err_set(why, SN_EIO, "%s: cannot be read (errno %d)", path, errno);
        if (n == 0)
            return 0;
        file->size += (size_t)n;
    }
    return refuse(path, "the file is too long", why);
}

int learned_read(struct learned_file *file, const char *path, struct err *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int rc;

    *file = (struct learned_file){.bytes = NULL};
    if (fd < 0 && errno == ENOENT)
        return SN_ENOTFOUND;
    if (fd < 0)
        return err_set(why, SN_EIO, "%s: cannot be read (errno %d)", path, errno);
    file->bytes = mem_reserve_shared(BYTES_MAX, why);
    rc = file->bytes != NULL ? read_bytes(file, fd, path, why) : SN_ENOMEM;
    (void)close(fd);
    if (rc == 0)
        rc = read_head(file, path, why);
    if (rc < 0)
        learned_done(file);
    return rc;
}

int learned_load(const struct learned_file *file, struct explore_phase *phases, uint32_t n_phases,
                 struct err *why)
{
    const unsigned char *at = file->bytes + file->states;
    size_t left = file->size - 8 - file->states;

    if (left < 8 || bytes_get(at) != n_phases)
        return err_set(why, SN_EFORMAT, "what was learned is of other phases of a trial");
    at += 8;
    left -= 8;
    for (uint32_t i = 0; i < n_phases; i++) {
        const struct sn_strategy *strategy = phases[i].entry->strategy;
        uint64_t n = left >= 8 ? bytes_get(at) : UINT64_MAX;

        if (left < 8 || n > left - 8)
            return err_set(why, SN_EFORMAT, "what was learned is not whole");
        if (n == 0 && strategy->seek == NULL)
            return err_set(why, SN_EFORMAT, "strategy %s cannot be saved, so no run can go on",
                           strategy->name);
        if (n > 0 && (strategy->load == NULL || strategy->load(phases[i].self, at + 8, n) != 0))
            return err_set(why, SN_EFORMAT, "strategy %s cannot go on with what was learned",
                           strategy->name);
        at += 8 + n;
        left -= 8 + (size_t)n;
    }
    return 0;
}

void learned_done(struct learned_file *file)
{
    mem_release(file->bytes, BYTES_MAX);
    file->bytes = NULL;
}
