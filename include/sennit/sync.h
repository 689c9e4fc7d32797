/* sennit/sync.h - observations of file synchronisers: what they are, and whether they can be
 * explained.
 *
 * A synchroniser keeps the same files on several nodes. It can be seen only from outside: by what
 * is read and written on a node, and by what all nodes have when everything has calmed down. What
 * was observed is accepted if hidden uploads and downloads explain it (sennit/conjecture.h); the
 * model is that of "Mysteries of Dropbox" (Hughes, Pierce, Arts, Norell, 2016). A driver performs
 * operations on a synchroniser, a real one in directories or a simulated one, so that it can be
 * tested. docs/conjecture.md has the model and the rules.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_SYNC_H
#define SENNIT_SYNC_H

#include <sennit/conjecture.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Observations --------------------------------------------------------------------------- */

#define SN_SYNC_NODES_MAX 5
#define SN_SYNC_FILES_MAX 8
#define SN_SYNC_VALUES_MAX 63 /* contents are numbers from 1 to this one; 0: there is no file */
#define SN_SYNC_DIRECTORY 63  /* the "contents" of a directory */

enum sn_sync_kind {
    SN_SYNC_READ = 0,
    SN_SYNC_WRITE, /* also deletes: writes 0 */
    SN_SYNC_STABILIZE,
};

/* What one node has of one file. */
struct sn_sync_seen {
    uint32_t value;
    uint64_t conflicts; /* bit v: value v is in a conflict file of this file */
};

/* One observed event. A rename is two of them, a write of 0 and a write. To kill or restart a
 * daemon or to sleep is none: the model allows for any delay. */
struct sn_sync_event {
    enum sn_sync_kind kind;
    uint32_t node;  /* from 0; not of STABILIZE */
    uint32_t file;  /* from 0 */
    uint32_t value; /* read or written; not of STABILIZE */
    uint32_t old;   /* of WRITE: what was there before */
    /* Of STABILIZE, by node: what each has after the longest wait. Unless the rules let nodes
     * differ for good, it has failed if they do. */
    struct sn_sync_seen seen[SN_SYNC_NODES_MAX];
};

/* ---- Rules ---------------------------------------------------------------------------------- */

/* Who wins when a node uploads a value although it has not seen what the server has by then. */
enum sn_sync_winner {
    SN_SYNC_FIRST = 0, /* what the server has */
    SN_SYNC_LAST,      /* what is uploaded */
    SN_SYNC_NEWEST,    /* what was written later */
    SN_SYNC_EITHER,    /* one of the two, nobody knows which */
    SN_SYNC_NEITHER,   /* nothing is uploaded: both keep their own until they are equal again */
};

/* What happens when one of the two is that the file is gone. */
enum sn_sync_deletion {
    SN_SYNC_WRITE_WINS = 0,  /* whoever came first; the deletion is forgotten */
    SN_SYNC_FORGETS,         /* a late deletion is forgotten, a late write is like any other */
    SN_SYNC_DELETE_IS_WRITE, /* as if it were contents like others */
};

/* How a synchroniser decides where nodes disagree; the core of the model is the same for all. */
struct sn_sync_rules {
    const char *name;
    const char *about; /* one line for --help */
    enum sn_sync_winner winner;
    enum sn_sync_deletion deletion;
    bool is_loser_kept;      /* in a conflict file; otherwise what loses is lost */
    bool is_same_a_conflict; /* also if both have the same value */
};

/* The rules of that name; NULL: "fixed". Returns NULL if there are none. */
const struct sn_sync_rules *sn_sync_rules_find(const char *name);

/* Returns the i-th of them; NULL: there are fewer. */
const struct sn_sync_rules *sn_sync_rules_at(size_t i);

/* ---- Judging -------------------------------------------------------------------------------- */

/* Zeros are the defaults. */
struct sn_sync_limits {
    uint64_t states;    /* at most so many at a time; 0: 2^32 */
    uint64_t memory_mb; /* 0: 1024 */
    bool is_joint;      /* follows all files together instead of each of them: for comparing */
    void *memory; /* of a watch: takes no other memory than this, aligned to 16, which may come
                   * from sn_alloc: in a trial that may be put back to an earlier step. NULL:
                   * mappings of its own */
    size_t memory_size; /* of `memory` */
};

struct sn_sync_result {
    enum sn_conjectured verdict;
    size_t explained; /* length of the longest explained prefix; the event behind it is the one that
                       * cannot be explained */
    uint64_t hidden;  /* uploads and downloads of a shortest explanation of that prefix */
    uint64_t states;  /* different ones that were possible at any time */
    size_t set_max;   /* states of the largest set */
    double set_mean;
    char why[256]; /* one line; "" if it is explained */
};

/* Judges an observation. Returns the verdict, which result has, too; SN_CONJECTURED_UNKNOWN with a
 * sentence in result->why if there are no such rules or an event makes no sense. NULL for limits:
 * defaults. Keeps no memory; may be called in a trial and outside. */
enum sn_conjectured sn_sync_judge(const char *rules, uint32_t n_nodes,
                                  const struct sn_sync_event *events, size_t n,
                                  const struct sn_sync_limits *limits,
                                  struct sn_sync_result *result);

/* Judges by the specification that the authors tried first (section VII): writes are ordered by
 * what came before them on their node and by who wrote what was read. Rejects less: nothing that
 * sn_sync_judge accepts by the rules "v1", "v2", "final" and "fixed" if no value is written to a
 * file twice. Returns the verdict, as sn_sync_judge does. */
enum sn_conjectured sn_sync_judge_order(uint32_t n_nodes, const struct sn_sync_event *events,
                                        size_t n, struct sn_sync_result *result);

/* ---- Following ------------------------------------------------------------------------------ */

/* The same, event by event, while a synchroniser is being tested. */
struct sn_sync_watch;

/* Begins with nothing observed, no file anywhere. Returns NULL if there are no such rules, too many
 * nodes or files, or no memory. */
struct sn_sync_watch *sn_sync_watch_new(const char *rules, uint32_t n_nodes, uint32_t n_files,
                                        const struct sn_sync_limits *limits);
/* Forgets it. NULL is fine. */
void sn_sync_watch_free(struct sn_sync_watch *watch);

/* Adds an event. Returns whether all so far can be explained; once it cannot, it stays so. */
enum sn_conjectured sn_sync_watch_feed(struct sn_sync_watch *watch,
                                       const struct sn_sync_event *event);

/* Returns what sn_sync_watch_feed would return, and adds nothing. */
enum sn_conjectured sn_sync_watch_would(struct sn_sync_watch *watch,
                                        const struct sn_sync_event *event);

/* Returns which values a node may have of a file now or, if nothing else is written, later: bit v
 * for value v. 0: not known within the limits. */
uint64_t sn_sync_watch_values(struct sn_sync_watch *watch, uint32_t node, uint32_t file);

/* How many states were possible so far, and more of the kind. */
void sn_sync_watch_figures(const struct sn_sync_watch *watch,
                           struct sn_conjecture_figures *figures);

/* ---- For people ----------------------------------------------------------------------------- */

/* What files and values are called. NULL for one of them: files are f1, f2, ..., values 'a', 'b',
 * ..., and a directory is DIR. */
struct sn_sync_names {
    const char *files[SN_SYNC_FILES_MAX];
    const char *values[SN_SYNC_VALUES_MAX + 1];
};

enum sn_sync_form {
    SN_SYNC_TABLE = 0, /* what was observed: a column for each node, time runs downward */
    SN_SYNC_EXPLAINED, /* the same with the hidden events of a shortest explanation, as far as
                        * there is one */
    SN_SYNC_REJECTED,  /* SN_SYNC_TABLE, the event that cannot be explained, the states that were
                        * possible before it, and why each refuses it */
};

/* Writes an observation as people read it. Returns the length of the text, the final 0 excluded; or
 * a negative SN_E*: SN_EINVAL if an event makes no sense, SN_ENOMEM if it does not fit. NULL for
 * names: zeros. */
long sn_sync_print(const char *rules, uint32_t n_nodes, const struct sn_sync_event *events,
                   size_t n, const struct sn_sync_names *names, enum sn_sync_form form, char *text,
                   size_t size);

/* ---- Drivers -------------------------------------------------------------------------------- */

/* Who performs operations on a synchroniser. All return 0, or -1 when the synchroniser has failed
 * as such: it hangs, has died, has left files behind. */
struct sn_sync_driver {
    const char *name;
    const char *rules; /* by name; NULL: "fixed" */

    /* A fresh world in which there is no file. */
    int (*start)(void *self, uint32_t n_nodes);
    int (*stop)(void *self);

    int (*read)(void *self, uint32_t node, uint32_t file, uint32_t *value);
    int (*write)(void *self, uint32_t node, uint32_t file, uint32_t value, uint32_t *old);

    /* What a node has of a file, conflict files included. */
    int (*look)(void *self, uint32_t node, uint32_t file, struct sn_sync_seen *seen);

    int (*sleep)(void *self, uint64_t ns);

    /* Waits until nothing seems left to do, at most ns_max. */
    int (*settle)(void *self, uint64_t ns_max, bool *is_idle);

    int (*kill)(void *self, uint32_t node);    /* NULL: cannot be done */
    int (*restart)(void *self, uint32_t node); /* NULL: cannot be done */

    /* A sentence about what failed last. */
    const char *(*error)(void *self);

    /* Moves what a node has as one file to another name, at once. If there is nothing, *value is 0
     * and nothing happens; if something is in the way, it is deleted before, and *old is what it
     * was. NULL: the contents are written there and then removed here. */
    int (*rename)(void *self, uint32_t node, uint32_t from, uint32_t to, uint32_t *value,
                  uint32_t *old);

    /* Waits until a node has `wanted` as a file, at most ns_max; *value is what it has then. NULL:
     * it is read every millisecond. */
    int (*wait)(void *self, uint32_t node, uint32_t file, uint32_t wanted, uint64_t ns_max,
                uint32_t *value);
};

/* ---- Testing -------------------------------------------------------------------------------- */

/* What is done to a synchroniser. Zeros are the defaults. */
struct sn_sync_options {
    uint32_t n_nodes;                  /* 0: 2 */
    uint32_t n_files;                  /* 0: 1 */
    uint32_t n_values;                 /* that are written; 0: 3 */
    uint32_t n_commands;               /* at most; a trial draws about half of them; 0: 12 */
    uint64_t sleep_max_ns;             /* of a sleep; 0: a second */
    uint64_t settle_ns;                /* that a stabilization may take; 0: 30 seconds */
    uint64_t wait_ns;                  /* that a value is waited for; 0: 2 seconds */
    const char *rules;                 /* by name; NULL: the driver's */
    bool renames;                      /* also renames files, if there are several; ... */
    bool directories;                  /* ... makes directories (deletions remove them, too); ... */
    bool kills;                        /* ... kills and restarts daemons, if the driver can; ... */
    bool no_triggers;                  /* ... never waits for a value that may appear */
    const struct sn_sync_names *names; /* for what is said; NULL: zeros */
    /* Is told what was observed and how it was judged, before the trial passes or fails; in the
     * trial. NULL: nobody. */
    void (*judged)(const struct sn_sync_event *events, size_t n,
                   const struct sn_sync_result *result);
};

/* Tests a synchroniser once: draws commands (reads, writes, deletions, sleeps, stabilizations, and
 * waits until a value that may appear on a node does, followed by a read, a write or a deletion at
 * once), has the driver perform them, and fails the trial if what was observed cannot be explained,
 * or if the driver has failed. The last command is a stabilization: it is tried again until it can
 * be explained, and what was seen at last counts. To be called in a trial, by the test's `run` or
 * by a process; `self` is given to the driver's functions. NULL for options: zeros.
 *
 * A failure says what kind it is: "value", a file had contents that it cannot have; "stabilize",
 * all nodes agree on what cannot be; "disagreement", nodes differ for good. The trace has the
 * observation as a table, and why it is rejected. */
void sn_sync_test(const struct sn_sync_driver *driver, void *self,
                  const struct sn_sync_options *options);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
