/* store.c - see store.h. SPDX-License-Identifier: MIT */
#include "store/store.h"

#include "base/json.h"

#include <sennit/test.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20 };

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS campaign (id INTEGER PRIMARY KEY CHECK (id = 1),"
    " format INTEGER NOT NULL, name TEXT NOT NULL, program TEXT NOT NULL, rules TEXT NOT NULL,"
    " finished INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE IF NOT EXISTS replica (number INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS event (number INTEGER PRIMARY KEY, replica INTEGER NOT NULL"
    " REFERENCES replica, kind TEXT NOT NULL, op TEXT NOT NULL, args TEXT NOT NULL,"
    " result TEXT NOT NULL, peer INTEGER REFERENCES replica, of INTEGER REFERENCES event,"
    " lamport INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS outcome (id INTEGER PRIMARY KEY, results TEXT NOT NULL,"
    " states TEXT NOT NULL, UNIQUE (results, states));"
    "CREATE TABLE IF NOT EXISTS interleaving (events TEXT PRIMARY KEY, place BLOB NOT NULL UNIQUE,"
    " outcome INTEGER NOT NULL REFERENCES outcome, oracle TEXT, message TEXT, place_in_code TEXT)"
    " WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS interleaving_oracle ON interleaving (oracle)"
    " WHERE oracle IS NOT NULL;"
    "CREATE TABLE IF NOT EXISTS constraints (id INTEGER PRIMARY KEY, file TEXT NOT NULL,"
    " text TEXT NOT NULL, behind TEXT, refused TEXT);"
    "CREATE VIEW IF NOT EXISTS finding AS SELECT oracle, place_in_code, count(*) AS interleavings,"
    " min(events) AS example, min(message) AS message FROM interleaving WHERE oracle IS NOT NULL"
    " GROUP BY oracle, place_in_code;";

static const char *const kinds[] = {"", "update", "query", "request", "execute", "deliver"};

enum { FORMAT = 1 };

struct store {
    sqlite3 *db;
    sqlite3_stmt *add;
    sqlite3_stmt *add_outcome;
    sqlite3_stmt *find_outcome;
    uint32_t n_events;
    uint32_t n_replicas;
    char (*replicas)[RECORDING_NAME_MAX];
    char *text; /* TEXT_MAX bytes */
    char *path;
};

/* ---- Small steps ---------------------------------------------------------------------------- */

static int fail(struct store *s, struct err *why)
{
    return err_set(why, SN_EIO, "%s: %s", s->path, sqlite3_errmsg(s->db));
}

static int run(struct store *s, const char *sql, struct err *why)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail(s, why);
}

static int bind(sqlite3_stmt *statement, int place, const char *text)
{
    return text != NULL ? sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT)
                        : sqlite3_bind_null(statement, place);
}

/* Runs a statement that was bound, to its end. */
static int step(struct store *s, sqlite3_stmt *statement, struct err *why)
{
    int rc = sqlite3_step(statement);

    (void)sqlite3_reset(statement);
    return rc == SQLITE_DONE || rc == SQLITE_ROW ? 0 : fail(s, why);
}

static int prepare(struct store *s, const char *sql, sqlite3_stmt **out, struct err *why)
{
    return sqlite3_prepare_v2(s->db, sql, -1, out, NULL) == SQLITE_OK ? 0 : fail(s, why);
}

int store_begin(struct store *s, struct err *why)
{
    return run(s, "BEGIN IMMEDIATE", why);
}

int store_commit(struct store *s, struct err *why)
{
    return run(s, "COMMIT", why);
}

/* ---- The campaign --------------------------------------------------------------------------- */

static int write_recording(struct store *s, const struct recording *r, struct err *why)
{
    sqlite3_stmt *replica = NULL;
    sqlite3_stmt *event = NULL;
    int rc = prepare(s, "INSERT INTO replica VALUES (?, ?)", &replica, why);

    if (rc == 0)
        rc = prepare(s, "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", &event, why);
    for (uint32_t i = 0; i < r->n_replicas && rc == 0; i++) {
        (void)sqlite3_bind_int(replica, 1, (int)i);
        (void)bind(replica, 2, r->replicas[i]);
        rc = step(s, replica, why);
    }
    for (uint32_t i = 0; i < r->n && rc == 0; i++) {
        const struct recorded *e = &r->events[i];

        (void)sqlite3_bind_int(event, 1, (int)i);
        (void)sqlite3_bind_int(event, 2, e->replica);
        (void)bind(event, 3, kinds[e->kind]);
        (void)bind(event, 4, e->op);
        (void)bind(event, 5, e->args);
        (void)bind(event, 6, e->result);
        (void)sqlite3_bind_null(event, 7);
        (void)sqlite3_bind_null(event, 8);
        if (e->kind == SN_EVENT_REQUEST || recorded_is_applied(e))
            (void)sqlite3_bind_int(event, 7, e->peer);
        if (recorded_is_applied(e))
            (void)sqlite3_bind_int(event, 8, e->of);
        (void)sqlite3_bind_int64(event, 9, e->lamport);
        rc = step(s, event, why);
    }
    (void)sqlite3_finalize(replica);
    (void)sqlite3_finalize(event);
    return rc;
}

static int write_campaign(struct store *s, const struct store_campaign *c, struct err *why)
{
    sqlite3_stmt *statement = NULL;
    int rc = prepare(s, "INSERT INTO campaign VALUES (1, ?, ?, ?, ?, 0)", &statement, why);

    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int(statement, 1, FORMAT);
    (void)bind(statement, 2, c->recording->name);
    (void)bind(statement, 3, c->program);
    (void)bind(statement, 4, c->rules);
    rc = step(s, statement, why);
    (void)sqlite3_finalize(statement);
    return rc == 0 ? write_recording(s, c->recording, why) : rc;
}

/* What was recorded, as one text. */
static int describe(struct store *s, char **out, struct err *why)
{
    sqlite3_stmt *statement = NULL;
    int rc = prepare(s,
                     "SELECT group_concat(replica || kind || op || '(' || args || ')' || result ||"
                     " ifnull(peer, '') || ifnull(of, ''), char(10)) FROM"
                     " (SELECT * FROM event ORDER BY number)",
                     &statement, why);

    if (rc < 0)
        return rc;
    *out = NULL;
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != NULL)
        *out = strdup((const char *)sqlite3_column_text(statement, 0));
    (void)sqlite3_finalize(statement);
    return *out != NULL ? 0 : err_set(why, SN_EFORMAT, "%s has no events", s->path);
}

/* The same of a campaign that is to be run. */
static char *describe_new(const struct recording *r)
{
    char *text = malloc(TEXT_MAX);
    struct sn_text out;

    if (text == NULL)
        return NULL;
    text_init(&out, text, TEXT_MAX);
    for (uint32_t i = 0; i < r->n; i++) {
        const struct recorded *e = &r->events[i];

        text_print(&out, "%s%u%s%s(%s)%s", i > 0 ? "\n" : "", e->replica, kinds[e->kind], e->op,
                   e->args, e->result);
        if (e->kind == SN_EVENT_REQUEST || recorded_is_applied(e))
            text_print(&out, "%u", e->peer);
        if (recorded_is_applied(e))
            text_print(&out, "%u", e->of);
    }
    return text;
}

static int compare(struct store *s, const struct store_campaign *c, sqlite3_stmt *row,
                   struct err *why)
{
    char *is = describe_new(c->recording);
    char *was = NULL;
    const char *rules = (const char *)sqlite3_column_text(row, 1);
    int rc = is != NULL ? describe(s, &was, why) : err_set(why, SN_ENOMEM, "there is no memory");

    if (rc == 0 && sqlite3_column_int(row, 0) != FORMAT)
        rc = err_set(why, SN_EVERSION, "%s has format %d, not %d", s->path,
                     sqlite3_column_int(row, 0), FORMAT);
    else if (rc == 0 && strcmp(is, was) != 0)
        rc = err_set(why, SN_EINVAL, "%s is of a campaign with other events: take another file",
                     s->path);
    else if (rc == 0 && strcmp(c->rules, rules != NULL ? rules : "") != 0)
        rc = err_set(why, SN_EINVAL,
                     "%s is of a campaign with other options (%.200s): take "
                     "another file",
                     s->path, rules != NULL ? rules : "");
    free(is);
    free(was);
    return rc;
}

static int meet_campaign(struct store *s, const struct store_campaign *c, struct err *why)
{
    sqlite3_stmt *statement = NULL;
    int rc = run(s, schema, why);

    if (rc == 0)
        rc = store_begin(s, why);
    if (rc == 0)
        rc = prepare(s, "SELECT format, rules FROM campaign", &statement, why);
    if (rc == 0 && sqlite3_step(statement) == SQLITE_ROW)
        rc = compare(s, c, statement, why);
    else if (rc == 0)
        rc = write_campaign(s, c, why);
    (void)sqlite3_finalize(statement);
    return rc == 0 ? store_commit(s, why) : rc;
}

static int open_all(struct store *s, const struct store_campaign *c, struct err *why)
{
    int rc;

    /* Without mutexes: there is one thread, and what steps of a trial lock is a part of it. That it
     * is refused once SQLite has been used is all right: then it was said before. */
    (void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    if (sqlite3_open(s->path, &s->db) != SQLITE_OK)
        return fail(s, why);
    (void)sqlite3_busy_timeout(s->db, 10000);
    rc = run(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", why);
    if (rc == 0)
        rc = meet_campaign(s, c, why);
    if (rc == 0)
        rc = prepare(s, "INSERT OR IGNORE INTO interleaving VALUES (?, ?, ?, ?, ?, ?)", &s->add,
                     why);
    if (rc == 0)
        rc = prepare(s, "INSERT OR IGNORE INTO outcome (results, states) VALUES (?, ?)",
                     &s->add_outcome, why);
    if (rc == 0)
        rc = prepare(s, "SELECT id FROM outcome WHERE results = ? AND states = ?", &s->find_outcome,
                     why);
    return rc;
}

int store_open(struct store **out, const char *path, const struct store_campaign *campaign,
               struct err *why)
{
    const struct recording *r = campaign->recording;
    struct store *s = calloc(1, sizeof(*s));
    int rc = 0;

    *out = s;
    if (s == NULL)
        return err_set(why, SN_ENOMEM, "there is no memory for a store");
    s->n_events = r->n;
    s->n_replicas = r->n_replicas;
    s->path = strdup(path);
    s->text = malloc(TEXT_MAX);
    s->replicas = malloc(sizeof(r->replicas));
    if (s->path == NULL || s->text == NULL || s->replicas == NULL)
        rc = err_set(why, SN_ENOMEM, "there is no memory for a store");
    else
        memcpy(s->replicas, r->replicas, sizeof(r->replicas));
    if (rc == 0)
        rc = open_all(s, campaign, why);
    if (rc < 0) {
        store_close(s);
        *out = NULL;
    }
    return rc;
}

void store_close(struct store *s)
{
    if (s == NULL)
        return;
    (void)sqlite3_finalize(s->add);
    (void)sqlite3_finalize(s->add_outcome);
    (void)sqlite3_finalize(s->find_outcome);
    (void)sqlite3_close(s->db);
    free(s->text);
    free(s->replicas);
    free(s->path);
    free(s);
}

/* ---- Interleavings -------------------------------------------------------------------------- */

static char *put_results(struct store *s, const char *const *results)
{
    struct sn_text out;

    text_init(&out, s->text, TEXT_MAX);
    for (uint32_t i = 0; i < s->n_events; i++)
        text_print(&out, "%s%s", i > 0 ? "," : "[", results[i] != NULL ? results[i] : "null");
    text_putc(&out, ']');
    return s->text;
}

static char *put_states(struct store *s, const char *const *states)
{
    struct sn_text out;
    const char *between = "{";

    text_init(&out, s->text, TEXT_MAX);
    for (uint32_t i = 0; i < s->n_replicas; i++) {
        if (states[i] == NULL)
            continue;
        text_puts(&out, between);
        json_put_string(&out, s->replicas[i], strlen(s->replicas[i]));
        text_print(&out, ":%s", states[i]);
        between = ",";
    }
    text_puts(&out, between[0] == '{' ? "{}" : "}");
    return s->text;
}

/* The row of an outcome, which is made if it is not there. Negative: SN_EIO. */
static sqlite3_int64 outcome_row(struct store *s, const struct store_outcome *how, struct err *why)
{
    sqlite3_int64 row = -1;
    char *results = strdup(put_results(s, how->results));
    char *states = put_states(s, how->states);

    if (results == NULL)
        return err_set(why, SN_ENOMEM, "there is no memory for an outcome");
    (void)bind(s->add_outcome, 1, results);
    (void)bind(s->add_outcome, 2, states);
    (void)bind(s->find_outcome, 1, results);
    (void)bind(s->find_outcome, 2, states);
    free(results);
    if (step(s, s->add_outcome, why) < 0)
        return SN_EIO;
    if (sqlite3_step(s->find_outcome) == SQLITE_ROW)
        row = sqlite3_column_int64(s->find_outcome, 0);
    else
        (void)fail(s, why);
    (void)sqlite3_reset(s->find_outcome);
    return row;
}

static void put_order(const uint8_t *order, uint32_t n, char *out, size_t size)
{
    struct sn_text text;

    text_init(&text, out, size);
    recording_print_order(order, n, &text);
}

int store_add(struct store *s, const uint8_t *order, uint32_t n, const struct store_outcome *how,
              struct err *why)
{
    sqlite3_int64 outcome = outcome_row(s, how, why);
    char events[4 * RECORDING_EVENTS_MAX];

    if (outcome < 0)
        return SN_EIO;
    put_order(order, n, events, sizeof(events));
    (void)bind(s->add, 1, events);
    (void)sqlite3_bind_blob(s->add, 2, order, (int)n, SQLITE_TRANSIENT);
    (void)sqlite3_bind_int64(s->add, 3, outcome);
    (void)bind(s->add, 4, how->oracle);
    (void)bind(s->add, 5, how->message);
    (void)bind(s->add, 6, how->at);
    return step(s, s->add, why);
}

bool store_last(struct store *s, uint8_t *order, uint32_t n)
{
    sqlite3_stmt *statement = NULL;
    bool has = false;

    if (prepare(s, "SELECT place FROM interleaving ORDER BY place DESC LIMIT 1", &statement, NULL) <
        0)
        return false;
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_bytes(statement, 0) == (int)n) {
        memcpy(order, sqlite3_column_blob(statement, 0), n);
        has = true;
    }
    (void)sqlite3_finalize(statement);
    return has;
}

int store_constraint(struct store *s, const char *name, const char *text, const char *refused,
                     struct err *why)
{
    sqlite3_stmt *statement = NULL;
    int rc = prepare(s,
                     "INSERT INTO constraints (file, text, behind, refused) SELECT ?1, ?2, (SELECT "
                     "events FROM interleaving ORDER BY place DESC LIMIT 1), ?3 WHERE NOT EXISTS "
                     "(SELECT 1 FROM constraints WHERE file = ?1 AND text = ?2 AND refused IS ?3)",
                     &statement, why);

    if (rc < 0)
        return rc;
    (void)bind(statement, 1, name);
    (void)bind(statement, 2, text);
    (void)bind(statement, 3, refused);
    rc = step(s, statement, why);
    (void)sqlite3_finalize(statement);
    return rc;
}

int store_finish(struct store *s, struct err *why)
{
    return run(s, "UPDATE campaign SET finished = 1", why);
}

int store_count(struct store *s, struct store_counts *counts, struct err *why)
{
    sqlite3_stmt *statement = NULL;
    int rc = prepare(s,
                     "SELECT (SELECT count(*) FROM interleaving), (SELECT count(*) FROM "
                     "interleaving WHERE oracle IS NOT NULL), (SELECT count(*) FROM outcome), "
                     "finished FROM campaign",
                     &statement, why);

    if (rc < 0)
        return rc;
    *counts = (struct store_counts){0};
    if (sqlite3_step(statement) == SQLITE_ROW) {
        counts->interleavings = (uint64_t)sqlite3_column_int64(statement, 0);
        counts->failed = (uint64_t)sqlite3_column_int64(statement, 1);
        counts->outcomes = (uint64_t)sqlite3_column_int64(statement, 2);
        counts->is_finished = sqlite3_column_int(statement, 3) != 0;
    }
    (void)sqlite3_finalize(statement);
    return 0;
}
