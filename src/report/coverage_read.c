/* coverage_read.c - reads files of coverage, which anyone may have written: see coverage_file.h.
 *
 * Each function takes one member and says no to what is not of its shape; the first complaint is
 * kept, and everything after it is nothing. What can be worked out of other members is not believed
 * but worked out. SPDX-License-Identifier: MIT
 */
#include "report/coverage_file.h"

#include "base/json.h"
#include "engine/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 64 << 20, VALUES_MAX = 1 << 20, REGISTER_MAX = 51 };

struct reading {
    struct run_coverage *c;
    const char *path;
    struct err *why;
    int rc; /* of the first complaint */
};

static void refuse(struct reading *r, const char *what, const char *key)
{
    if (r->rc == 0)
        r->rc = err_set(r->why, SN_EFORMAT, "%.300s: \"%s\" %s", r->path, key, what);
}

/* ---- Members -------------------------------------------------------------------------------- */

static const struct json_value *member(struct reading *r, const struct json_value *object,
                                       const char *key, enum json_type type)
{
    const struct json_value *v =
        object != NULL && object->type == JSON_OBJECT ? json_member(object, key) : NULL;

    if (v == NULL || v->type != type) {
        refuse(r, v == NULL ? "is missing" : "is not what it should be", key);
        return NULL;
    }
    return v;
}

static uint64_t number(struct reading *r, const struct json_value *object, const char *key)
{
    const struct json_value *v = member(r, object, key, JSON_UINT);

    return v != NULL ? v->number : 0;
}

static bool truth(struct reading *r, const struct json_value *object, const char *key)
{
    const struct json_value *v = member(r, object, key, JSON_BOOL);

    return v != NULL && v->number != 0;
}

static void text(struct reading *r, const struct json_value *object, const char *key, char *to,
                 size_t size)
{
    const struct json_value *v = member(r, object, key, JSON_STRING);

    if (v != NULL && v->n >= size)
        refuse(r, "is too long", key);
    else if (v != NULL)
        memcpy(to, v->string, v->n + 1);
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* n hexadecimal digits. */
static uint64_t hex(struct reading *r, const char *digits, size_t n, const char *key)
{
    uint64_t value = 0;

    for (size_t i = 0; i < n; i++) {
        int d = digit(digits[i]);

        if (d < 0) {
            refuse(r, "is not hexadecimal", key);
            return 0;
        }
        value = value << 4 | (uint64_t)d;
    }
    return value;
}

static uint64_t hex_member(struct reading *r, const struct json_value *object, const char *key)
{
    const struct json_value *v = member(r, object, key, JSON_STRING);

    if (v != NULL && v->n != 16)
        refuse(r, "has not sixteen digits", key);
    return v != NULL && v->n == 16 ? hex(r, v->string, 16, key) : 0;
}

/* The first element of a list that has at most so many. */
static const struct json_value *list(struct reading *r, const struct json_value *object,
                                     const char *key, size_t max, size_t *n)
{
    const struct json_value *v = member(r, object, key, JSON_ARRAY);

    *n = 0;
    if (v == NULL)
        return NULL;
    if (v->n > max)
        refuse(r, "is too long", key);
    else
        *n = v->n;
    return v->first;
}

/* ---- Runs and orders ------------------------------------------------------------------------ */

/* Trials that are in a part before this one would count twice. */
static void check_overlap(struct reading *r, size_t i)
{
    const struct run_part *parts = r->c->parts;

    for (size_t k = 0; k < i; k++) {
        if (run_part_overlaps(&parts[k], &parts[i]))
            refuse(r, "has the same trials twice", "runs");
    }
}

static void read_parts(struct reading *r, const struct json_value *file)
{
    struct run_coverage *c = r->c;
    uint64_t sum = 0;
    size_t n;
    const struct json_value *v = list(r, file, "runs", RUN_RUNS_MAX, &n);

    for (size_t i = 0; i < n && r->rc == 0; i++, v = v->next) {
        struct run_part *part = &c->parts[i];

        part->stream = hex_member(r, v, "stream");
        part->first = number(r, v, "first");
        part->trials = number(r, v, "trials");
        part->seed = number(r, v, "seed");
        text(r, v, "strategy", part->strategy, sizeof(part->strategy));
        text(r, v, "build", part->build, sizeof(part->build));
        if (part->trials > UINT64_MAX - part->first || part->trials > UINT64_MAX - sum)
            refuse(r, "has more trials than there can be", "runs");
        else
            check_overlap(r, i);
        sum += part->trials;
    }
    c->n_parts = (uint32_t)n;
    if (n == 0 || sum != c->trials)
        refuse(r, "does not add up to the trials of the file", "runs");
}

static void read_seen(struct reading *r, const struct json_value *orders)
{
    struct run_coverage *c = r->c;
    const struct json_value *v = member(r, orders, "seen", JSON_STRING);

    if (v == NULL)
        return;
    if (v->n % 16 != 0 || v->n / 16 > DISTINCT_EXACT_MAX) {
        refuse(r, "is no list of orders", "seen");
        return;
    }
    c->n_orders = (uint32_t)(v->n / 16);
    for (uint32_t i = 0; i < c->n_orders && r->rc == 0; i++) {
        c->orders[i] = hex(r, v->string + 16 * (size_t)i, 16, "seen");
        if (c->orders[i] == 0 || (i > 0 && c->orders[i] <= c->orders[i - 1]))
            refuse(r, "is not sorted", "seen");
    }
}

static void read_sketch(struct reading *r, const struct json_value *orders)
{
    struct run_coverage *c = r->c;
    const struct json_value *v = member(r, orders, "sketch", JSON_STRING);

    if (v == NULL)
        return;
    if (v->n != (size_t)2 * DISTINCT_REGISTERS) {
        refuse(r, "has another length", "sketch");
        return;
    }
    for (size_t i = 0; i < DISTINCT_REGISTERS && r->rc == 0; i++) {
        c->sketch[i] = (uint8_t)hex(r, v->string + 2 * i, 2, "sketch");
        if (c->sketch[i] > REGISTER_MAX)
            refuse(r, "has too large a number", "sketch");
    }
}

static void read_orders(struct reading *r, const struct json_value *file)
{
    const struct json_value *orders = member(r, file, "orders", JSON_OBJECT);

    r->c->distinct = number(r, orders, "distinct");
    r->c->has_orders = truth(r, orders, "exact");
    if (r->rc < 0)
        return;
    if (r->c->has_orders)
        read_seen(r, orders);
    else
        read_sketch(r, orders);
    if (r->c->has_orders && r->c->distinct > r->c->n_orders)
        refuse(r, "is more than are listed", "distinct");
}

/* The figures follow from the counts. */
static void count_up(struct reading *r, struct run_arm *arm, const uint8_t *counts)
{
    struct discovery_arm *f = &arm->figures;
    uint64_t least = 0;

    f->orders = f->once = f->twice = 0;
    for (uint32_t i = 0; i < r->c->n_orders; i++) {
        f->orders += counts[i] > 0;
        f->once += counts[i] == 1;
        f->twice += counts[i] == 2;
        least += counts[i];
    }
    if (least > f->trials)
        refuse(r, "are more than there were trials", "counts");
}

static void read_counts(struct reading *r, const struct json_value *v, uint32_t i)
{
    struct run_coverage *c = r->c;
    struct run_arm *arm = &c->arms[i];
    const struct json_value *counts = member(r, v, "counts", JSON_STRING);

    if (counts == NULL || counts->n == 0)
        return;
    if (!c->has_orders || arm->is_full || counts->n != c->n_orders) {
        refuse(r, "are not those of the orders", "counts");
        return;
    }
    for (uint32_t k = 0; k < c->n_orders; k++) {
        if (counts->string[k] < '0' || counts->string[k] > '3') {
            refuse(r, "are not numbers from 0 to 3", "counts");
            return;
        }
        c->counts[i][k] = (uint8_t)(counts->string[k] - '0');
    }
    arm->has_counts = true;
    count_up(r, arm, c->counts[i]);
}

/* An order that came neither once nor twice came three times at least. */
static bool can_be(const struct discovery_arm *f)
{
    uint64_t again; /* trials that showed an order which another one had shown before */

    if (f->orders > f->trials || f->once > f->orders || f->twice > f->orders - f->once)
        return false;
    again = f->trials - f->orders;
    return f->twice <= again && f->orders - f->once - f->twice <= (again - f->twice) / 2;
}

static void read_arm(struct reading *r, const struct json_value *v, uint32_t i)
{
    struct run_arm *arm = &r->c->arms[i];
    struct discovery_arm *f = &arm->figures;

    text(r, v, "strategy", arm->name, sizeof(arm->name));
    f->mind = hex_member(r, v, "mind");
    f->trials = number(r, v, "trials");
    f->orders = number(r, v, "orders");
    f->once = number(r, v, "once");
    f->twice = number(r, v, "twice");
    arm->is_full = truth(r, v, "full");
    if (r->rc == 0)
        read_counts(r, v, i);
    if (r->rc == 0 && !can_be(f))
        refuse(r, "has figures that cannot be", "next");
    if (r->rc == 0)
        arm->estimate = discovery_estimate(f, arm->is_full);
}

static void read_arms(struct reading *r, const struct json_value *file)
{
    struct run_coverage *c = r->c;
    uint64_t trials = 0;
    size_t n;
    const struct json_value *v = list(r, file, "next", DISCOVERY_ARMS_MAX, &n);

    c->is_sampled = truth(r, file, "sampled");
    for (size_t i = 0; i < n && r->rc == 0; i++, v = v->next) {
        read_arm(r, v, (uint32_t)i);
        if (r->rc == 0 && c->arms[i].figures.trials > c->trials - trials)
            refuse(r, "has more trials than there were", "next");
        trials += c->arms[i].figures.trials;
    }
    c->n_arms = (uint32_t)n;
    if (n > 0 && !c->is_sampled)
        refuse(r, "is of trials that are no sample", "next");
}

static void read_curve(struct reading *r, const struct json_value *file)
{
    struct run_coverage *c = r->c;
    size_t n;
    const struct json_value *v = list(r, file, "discovery", RUN_CURVE_MAX, &n);

    for (size_t i = 0; i < n && r->rc == 0; i++, v = v->next) {
        if (v->type != JSON_ARRAY || v->n != 2 || v->first->type != JSON_UINT ||
            v->first->next->type != JSON_UINT) {
            refuse(r, "is no list of pairs of numbers", "discovery");
            return;
        }
        c->curve[i] = (struct discovery_point){v->first->number, v->first->next->number};
        if (c->curve[i].trials > c->trials ||
            (i > 0 && c->curve[i].trials <= c->curve[i - 1].trials))
            refuse(r, "is no curve", "discovery");
    }
    c->n_curve = (uint32_t)n;
}

/* ---- What was looked at --------------------------------------------------------------------- */

static void read_survey(struct reading *r, const struct json_value *file)
{
    struct run_coverage *c = r->c;
    const struct json_value *survey = member(r, file, "survey", JSON_OBJECT);
    const struct json_value *states = survey != NULL ? json_member(survey, "states") : NULL;

    c->surveyed = number(r, survey, "trials");
    c->is_survey_cut = !truth(r, survey, "complete");
    c->is_states_least = truth(r, survey, "least");
    c->has_states = states != NULL && states->type == JSON_UINT;
    if (c->has_states)
        c->states = states->number;
    else if (states == NULL || states->type != JSON_NULL)
        refuse(r, "is no number", "states");
    if (c->surveyed > c->trials)
        refuse(r, "has more trials than there were", "survey");
}

static void read_races(struct reading *r, const struct json_value *file)
{
    struct run_coverage *c = r->c;
    size_t n;
    const struct json_value *v = list(r, file, "races", RUN_RACES_MAX, &n);

    for (size_t i = 0; i < n && r->rc == 0; i++, v = v->next) {
        struct run_race *race = &c->races[i];

        text(r, v, "machine", race->machine, sizeof(race->machine));
        text(r, v, "first", race->events[0], sizeof(race->events[0]));
        text(r, v, "second", race->events[1], sizeof(race->events[1]));
        race->came[0] = truth(r, v, "forth");
        race->came[1] = truth(r, v, "back");
        if (i > 0 && r->rc == 0 && run_race_compare(race - 1, race) >= 0)
            refuse(r, "is not sorted", "races");
    }
    c->n_races = (uint32_t)n;
}

static void read_met(struct reading *r, const struct json_value *file)
{
    struct run_coverage *c = r->c;
    size_t n;
    const struct json_value *v = list(r, file, "sometimes", SITES_MAX, &n);

    for (size_t i = 0; i < n && r->rc == 0; i++, v = v->next) {
        struct run_met *met = &c->met[i];

        text(r, v, "name", met->name, sizeof(met->name));
        text(r, v, "file", met->file, sizeof(met->file));
        met->line = number(r, v, "line");
        text(r, v, "condition", met->condition, sizeof(met->condition));
        met->is_reached = truth(r, v, "reached");
        met->is_held = truth(r, v, "held");
        for (size_t k = 0; k < i && r->rc == 0; k++) {
            if (run_met_is_same(&c->met[k], met))
                refuse(r, "has a place twice", "sometimes");
        }
    }
    c->n_met = (uint32_t)n;
}

static void read_events(struct reading *r, const struct json_value *machine,
                        const struct json_value *state, bool is_covered)
{
    struct coverage *c = &r->c->machines;
    const char *key = is_covered ? "came" : "never";
    size_t n;
    const struct json_value *v = list(r, state, key, COVERAGE_MAX, &n);

    for (; n > 0 && r->rc == 0; n--, v = v->next) {
        struct coverage_pair *pair = &c->pairs[c->n];

        if (v->type != JSON_STRING || v->n >= COVERAGE_NAME ||
            strlen(machine->key) >= COVERAGE_NAME || strlen(state->key) >= COVERAGE_NAME) {
            refuse(r, "is no list of names", key);
            return;
        }
        if (c->n == COVERAGE_MAX) {
            refuse(r, "has too many events", "machines");
            return;
        }
        *pair = (struct coverage_pair){.is_covered = is_covered};
        memcpy(pair->machine_name, machine->key, strlen(machine->key) + 1);
        memcpy(pair->state_name, state->key, strlen(state->key) + 1);
        memcpy(pair->event_name, v->string, v->n + 1);
        c->n++;
    }
}

static void check_machines(struct reading *r)
{
    const struct coverage *c = &r->c->machines;

    for (uint32_t i = 1; i < c->n && r->rc == 0; i++) {
        if (coverage_compare(&c->pairs[i - 1], &c->pairs[i]) == 0)
            refuse(r, "has an event of a state twice", "machines");
    }
}

static void read_machines(struct reading *r, const struct json_value *file)
{
    const struct json_value *machines = member(r, file, "machines", JSON_OBJECT);
    const struct json_value *machine = machines != NULL ? machines->first : NULL;

    for (; machine != NULL && r->rc == 0; machine = machine->next) {
        const struct json_value *state = machine->type == JSON_OBJECT ? machine->first : NULL;

        if (machine->type != JSON_OBJECT)
            refuse(r, "is not what it should be", "machines");
        for (; state != NULL && r->rc == 0; state = state->next) {
            read_events(r, machine, state, true);
            read_events(r, machine, state, false);
        }
    }
    coverage_sort(&r->c->machines);
    check_machines(r);
}

/* ---- The file ------------------------------------------------------------------------------- */

static void read_file(struct reading *r, const struct json_value *file)
{
    struct run_coverage *c = r->c;
    const struct json_value *tag = file->type == JSON_OBJECT ? json_member(file, "sennit") : NULL;
    uint64_t version;

    if (tag == NULL || tag->type != JSON_STRING || strcmp(tag->string, "coverage") != 0) {
        r->rc = err_set(r->why, SN_EFORMAT, "%.300s: this is no file of coverage", r->path);
        return;
    }
    version = number(r, file, "version");
    if (r->rc == 0 && version != COVERAGE_VERSION)
        r->rc = err_set(r->why, SN_EVERSION, "%.300s: %s version of Sennit wrote this", r->path,
                        version > COVERAGE_VERSION ? "a newer" : "an older");
    text(r, file, "suite", c->suite, sizeof(c->suite));
    text(r, file, "test", c->test, sizeof(c->test));
    c->trials = number(r, file, "trials");
    c->steps = number(r, file, "steps");
    c->failures = number(r, file, "failed");
    c->cut = number(r, file, "cut");
    if (c->failures > c->trials || c->cut > c->trials)
        refuse(r, "is less than there were of a kind", "trials");
    if (r->rc < 0)
        return;
    read_parts(r, file);
    read_orders(r, file);
    read_arms(r, file);
    read_curve(r, file);
    read_survey(r, file);
    read_races(r, file);
    read_met(r, file);
    read_machines(r, file);
}

/* The whole file; how long it is, or SN_E*. */
static long read_bytes(char *bytes, const char *path, struct err *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    long size = 0;
    ssize_t n = 1;

    if (fd < 0)
        return err_set(why, SN_EIO, "%.300s: %s", path, strerror(errno));
    while (n > 0 && size < FILE_BYTES_MAX) {
        n = read(fd, bytes + size, (size_t)(FILE_BYTES_MAX - size));
        size += n > 0 ? n : 0;
    }
    if (n < 0)
        size = err_set(why, SN_EIO, "%.300s: %s", path, strerror(errno));
    else if (size == FILE_BYTES_MAX)
        size = err_set(why, SN_EFORMAT, "%.300s: the file is too long", path);
    (void)close(fd);
    return size;
}

int coverage_parse(struct run_coverage *c, const char *bytes, size_t n, const char *path,
                   struct err *why)
{
    struct reading r = {.c = c, .path = path, .why = why};
    const struct json_value *file;
    struct json_error error;
    struct arena arena;

    arena_init(&arena, (size_t)4 * FILE_BYTES_MAX);
    file = json_parse_long(&arena, bytes, n, VALUES_MAX, &error);
    if (file != NULL)
        read_file(&r, file);
    else if (error.why == NULL)
        r.rc = err_set(why, SN_ENOMEM, "%.300s: there is no memory for it", path);
    else
        r.rc = err_set(why, SN_EFORMAT, "%.300s: byte %zu: %s", path, error.column, error.why);
    arena_done(&arena);
    return r.rc;
}

int coverage_read(struct run_coverage *c, const char *path, struct err *why)
{
    char *bytes = mem_reserve_shared(FILE_BYTES_MAX, why);
    long size;
    int rc;

    if (bytes == NULL)
        return SN_ENOMEM;
    size = read_bytes(bytes, path, why);
    rc = size < 0 ? (int)size : coverage_parse(c, bytes, (size_t)size, path, why);
    mem_release(bytes, FILE_BYTES_MAX);
    return rc;
}
