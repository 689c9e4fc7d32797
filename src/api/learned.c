/* learned.c - see learned.h.
 *
 * Numbers are 64 bits, the lowest byte first: a tag, the version, seed, trials, failures, those
 * that were left by reason, flags, the lengths of the texts, the texts; then for each piece the
 * trials to skip, the length of its bytes and the bytes; last a hash of all that. The bytes of a
 * piece are the number of phases and for each the length of its state and the state, then, of one
 * that learns lessons, how many bytes those of the present epoch are, and these.
 * SPDX-License-Identifier: MIT
 */
#include "api/learned.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/rng.h"
#include "engine/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t learned_tag = UINT64_C(0x6e7261656c6e7364); /* "dsnlearn" */

enum {
    VERSION = 3,
    LEFT = 5 * 8,
    FLAGS = LEFT + 8 * LEFTS,
    LENGTHS = FLAGS + 8,
    HEAD_BYTES = LENGTHS + 8 * LEARNED_TEXTS
};

/* Flags; above them stands how many trials were stuck. */
enum { WAS_CUT = 1, HAS_LEFT_PHASE = 2, IS_INCOMPLETE = 4, STUCK_SHIFT = 8 };

#define BYTES_MAX ((size_t)(256 << 20 >> MEM_SAVING_SHIFT))

static uint64_t hash_of(const unsigned char *bytes, size_t n)
{
    uint64_t hash = n;

    for (size_t i = 0; i < n; i++)
        hash = mix_pair(hash, bytes[i]);
    return hash;
}

/* ---- States --------------------------------------------------------------------------------- */

/* Lessons behind n bytes of a state: how many bytes more that is. */
static size_t save_lessons(const struct lessons *lessons, unsigned char *bytes, size_t n,
                           size_t room)
{
    bool fits = n + 8 <= room;
    size_t size = lessons_save(lessons, fits ? bytes + n + 8 : NULL, fits ? room - n - 8 : 0);

    if (fits)
        bytes_put(bytes + n, size);
    return 8 + size;
}

size_t learned_save(const struct explore_phase *phases, uint32_t n_phases, unsigned char *bytes,
                    size_t room)
{
    size_t n = 8;

    if (room >= 8)
        bytes_put(bytes, n_phases);
    for (uint32_t i = 0; i < n_phases; i++) {
        const struct sn_strategy *strategy = phases[i].entry->strategy;
        bool fits = n + 8 <= room;
        size_t size = 0;

        if (strategy->save != NULL)
            size = strategy->save(phases[i].self, fits ? bytes + n + 8 : NULL,
                                  fits ? room - n - 8 : 0);
        if (size == 0 && strategy->seek == NULL)
            return 0;
        if (fits)
            bytes_put(bytes + n, size);
        n += 8 + size;
        if (phases[i].lessons != NULL)
            n += save_lessons(phases[i].lessons, bytes, n, room);
    }
    return n;
}

/* Loads one state, and lessons if there can be any, from what is left of the bytes. */
static int load_phase(const unsigned char **at, size_t *left, struct explore_phase *phase,
                      struct err *why)
{
    const struct sn_strategy *strategy = phase->entry->strategy;
    uint64_t size = *left >= 8 ? bytes_get(*at) : UINT64_MAX;
    const unsigned char *lessons;

    if (*left < 8 || size > *left - 8)
        return err_set(why, SN_EFORMAT, "what was learned is not whole");
    if (size == 0 && strategy->seek == NULL)
        return err_set(why, SN_EFORMAT, "strategy %s cannot be saved, so no run can go on",
                       strategy->name);
    if (size > 0 && (strategy->load == NULL || strategy->load(phase->self, *at + 8, size) != 0))
        return err_set(why, SN_EFORMAT, "strategy %s cannot go on with what was learned",
                       strategy->name);
    *at += 8 + size;
    *left -= 8 + (size_t)size;
    if (phase->lessons == NULL)
        return 0;
    lessons = *at;
    size = *left >= 8 ? bytes_get(lessons) : UINT64_MAX;
    if (*left < 8 || size > *left - 8 || lessons_load(phase->lessons, lessons + 8, size) != 0)
        return err_set(why, SN_EFORMAT, "what trials have taught strategy %s is not whole",
                       strategy->name);
    *at += 8 + size;
    *left -= 8 + (size_t)size;
    return 0;
}

int learned_load(const unsigned char *bytes, size_t n, struct explore_phase *phases,
                 uint32_t n_phases, struct err *why)
{
    const unsigned char *at = bytes + 8;
    size_t left = n - 8;

    if (n < 8 || bytes_get(bytes) != n_phases)
        return err_set(why, SN_EFORMAT, "what was learned is of other phases of a trial");
    for (uint32_t i = 0; i < n_phases; i++) {
        int rc = load_phase(&at, &left, &phases[i], why);

        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- Writing -------------------------------------------------------------------------------- */

int learned_begin(struct learned_file *file, const struct learned *l, struct err *why)
{
    unsigned char *bytes = mem_reserve_shared(BYTES_MAX, why);

    *file = (struct learned_file){.learned = *l, .bytes = bytes, .size = HEAD_BYTES};
    if (bytes == NULL)
        return SN_ENOMEM;
    bytes_put(bytes, learned_tag);
    bytes_put(bytes + 8, VERSION);
    bytes_put(bytes + 16, l->seed);
    bytes_put(bytes + 24, l->trials);
    bytes_put(bytes + 32, l->failures);
    for (size_t i = 0; i < LEFTS; i++)
        bytes_put(bytes + LEFT + 8 * i, l->left[i]);
    bytes_put(bytes + FLAGS, (l->was_cut ? WAS_CUT : 0) | (l->has_left_phase ? HAS_LEFT_PHASE : 0) |
                                 (l->is_incomplete ? IS_INCOMPLETE : 0) | l->stuck << STUCK_SHIFT);
    for (size_t i = 0; i < LEARNED_TEXTS; i++) {
        size_t n = strlen(l->texts[i]);

        bytes_put(bytes + LENGTHS + 8 * i, n);
        memcpy(bytes + file->size, l->texts[i], n);
        file->size += n;
    }
    return 0;
}

unsigned char *learned_room(struct learned_file *file, size_t *room)
{
    *room = BYTES_MAX - file->size - 24; /* for what stands before it, and for the hash */
    return file->bytes + file->size + 16;
}

void learned_add(struct learned_file *file, size_t n, uint64_t skip)
{
    size_t room;

    (void)learned_room(file, &room);
    if (file->is_too_long || n > room || room - n < 32) {
        file->is_too_long = true;
        return;
    }
    bytes_put(file->bytes + file->size, skip);
    bytes_put(file->bytes + file->size + 8, n);
    file->size += 16 + n;
}

int learned_write(struct learned_file *file, const char *path, bool is_precious, struct err *why)
{
    struct file_part all;

    if (file->is_too_long)
        return err_set(why, SN_ENOMEM, "%s: what was learned is too much to be kept", path);
    bytes_put(file->bytes + file->size, hash_of(file->bytes, file->size));
    all = (struct file_part){(const char *)file->bytes, file->size + 8};
    return is_precious ? file_replace_safely(path, &all, 1, why) : file_replace(path, &all, 1, why);
}

/* ---- Reading -------------------------------------------------------------------------------- */

static int refuse(const char *path, const char *what, struct err *why)
{
    return err_set(why, SN_EFORMAT, "%s: %s", path, what);
}

/* The texts, which begin behind the head. */
static int read_texts(struct learned_file *file, const char *path, struct err *why)
{
    file->at = HEAD_BYTES;
    for (size_t i = 0; i < LEARNED_TEXTS; i++) {
        uint64_t n = bytes_get(file->bytes + LENGTHS + 8 * i);
        char *text = file->learned.texts[i];

        if (n >= LEARNED_TEXT_BYTES || n > file->size - file->at)
            return refuse(path, "a text in it is too long", why);
        memcpy(text, file->bytes + file->at, n);
        text[n] = '\0';
        file->at += n;
    }
    return 0;
}

static int read_head(struct learned_file *file, const char *path, struct err *why)
{
    const unsigned char *bytes = file->bytes;
    struct learned *l = &file->learned;
    uint64_t flags;

    if (file->size < 16 || bytes_get(bytes) != learned_tag)
        return refuse(path, "this is not what a run has learned", why);
    if (bytes_get(bytes + 8) != VERSION)
        return refuse(path,
                      bytes_get(bytes + 8) > VERSION ? "a newer version of Sennit wrote this"
                                                     : "an older version of Sennit wrote this",
                      why);
    if (file->size < HEAD_BYTES + 8 ||
        bytes_get(bytes + file->size - 8) != hash_of(bytes, file->size - 8))
        return refuse(path, "the file is damaged: its check does not fit", why);
    file->size -= 8;
    flags = bytes_get(bytes + FLAGS);
    l->seed = bytes_get(bytes + 16);
    l->trials = bytes_get(bytes + 24);
    l->failures = bytes_get(bytes + 32);
    for (size_t i = 0; i < LEFTS; i++)
        l->left[i] = bytes_get(bytes + LEFT + 8 * i);
    l->was_cut = (flags & WAS_CUT) != 0;
    l->has_left_phase = (flags & HAS_LEFT_PHASE) != 0;
    l->is_incomplete = (flags & IS_INCOMPLETE) != 0;
    l->stuck = flags >> STUCK_SHIFT;
    return read_texts(file, path, why);
}

/* Reads a whole file, which may be longer or shorter than it says. */
static int read_bytes(struct learned_file *file, int fd, const char *path, struct err *why)
{
    while (file->size < BYTES_MAX) {
        ssize_t n = read(fd, file->bytes + file->size, BYTES_MAX - file->size);

        if (n < 0)
            return err_set(why, SN_EIO, "%s: cannot be read (%s)", path, strerrordesc_np(errno));
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
        return err_set(why, SN_EIO, "%s: cannot be read (%s)", path, strerrordesc_np(errno));
    file->bytes = mem_reserve_shared(BYTES_MAX, why);
    rc = file->bytes != NULL ? read_bytes(file, fd, path, why) : SN_ENOMEM;
    (void)close(fd);
    if (rc == 0)
        rc = read_head(file, path, why);
    if (rc < 0)
        learned_done(file);
    return rc;
}

const unsigned char *learned_next(struct learned_file *file, size_t *n, uint64_t *skip)
{
    const unsigned char *at = file->bytes + file->at;
    size_t left = file->size - file->at;

    if (left < 16 || bytes_get(at + 8) > left - 16)
        return NULL;
    *skip = bytes_get(at);
    *n = bytes_get(at + 8);
    file->at += 16 + *n;
    return at + 16;
}

bool learned_is_read(const struct learned_file *file)
{
    return file->at == file->size;
}

void learned_done(struct learned_file *file)
{
    mem_release(file->bytes, BYTES_MAX);
    file->bytes = NULL;
}
