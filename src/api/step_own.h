/* step_own.h - what the files of a session share: see step.h. SPDX-License-Identifier: MIT */
#ifndef API_STEP_OWN_H
#define API_STEP_OWN_H

#include "api/step.h"

enum {
    STEP_LINE_MAX = 4096,
    STEP_INPUT = 1 << 16,
    STEP_HAPPENED = 1 << 16,
    STEP_OPERATION = 1 << 14, /* bytes of an operation as text */
    STEP_PHASES = EXPLORE_PHASES_MAX - 2,
};

enum step_question {
    STEP_ASKS_OPERATION = 1,
    STEP_ASKS_VALUE,
    STEP_ASKS_NEXT, /* the trial has ended */
};

/* What is done between trials. */
enum step_request {
    STEP_NOTHING = 0,
    STEP_BACK,
    STEP_SAVE,
    STEP_LOG,
    STEP_RUN,
    STEP_QUIT,
};

/* How a trial ended. */
struct step_end {
    enum sn_verdict verdict;
    uint64_t steps;
    bool cut;
    const char *failure; /* one line; "" if it passed */
    const char *trace;   /* of it; "" if none was written */
};

struct step;

/* The form of questions and replies. */
struct step_view {
    void (*ask_operation)(struct step *s, bool is_whole); /* whole: however many there are */
    void (*ask_value)(struct step *s);
    void (*ask_next)(struct step *s, const struct step_end *end);
    void (*invite)(struct step *s); /* a line is about to be read */
    void (*echo)(struct step *s);   /* it has been read */
    void (*hear)(struct step *s, const struct trace_record *record);
    void (*machines)(struct step *s);
    void (*log)(struct step *s, const struct trace *trace);
    void (*saved)(struct step *s, const char *path);
    void (*help)(struct step *s);
    void (*complain)(struct step *s, const char *sentence);
    void (*done)(struct step *s, const struct sn_result *result);
};

extern const struct step_view step_text;
extern const struct step_view step_json;

/* In the engine's memory, which a trial in a process of its own shares with its parent. */
struct step {
    const struct step_view *view;
    struct step_joins joins;
    struct trial *t;

    /* The question that is open. */
    enum step_question question;
    bool is_put; /* it has been put already */
    struct sn_draw draw;
    uint32_t n_pending;
    uint32_t pending[TRIAL_SOURCES_MAX]; /* positions in the enabled set, oldest first */

    /* What was asked for. */
    enum step_request request;
    uint64_t keep; /* decisions that the next trial repeats */
    char argument[STEP_LINE_MAX];
    struct explore_phase phases[EXPLORE_PHASES_MAX]; /* the session's, then what `run` opened */
    uint32_t n_opened;

    bool is_recording;
    bool is_back;        /* what has been printed so far was printed before */
    uint64_t heard_step; /* what happens in this step is shown; UINT64_MAX: in none */
    struct sn_text happened;
    bool happened_is_cut;
    size_t n_printed;
    bool printed_is_cut;

    int in;
    bool in_is_over;
    size_t in_at;
    size_t in_end;
    struct sn_text out;

    char line[STEP_LINE_MAX];
    char in_buffer[STEP_INPUT];
    char out_buffer[STEP_INPUT];
    char happened_buffer[STEP_HAPPENED];
    char printed[RECORD_OUTPUT];
    char payload[RECORD_PAYLOAD];
    char operation[STEP_OPERATION];
    bool is_forced[LOG_ENTRIES_MAX]; /* by decision: there was nothing to decide */
};

/* Reads a line. NULL: there are no more. */
char *step_read_line(struct step *s);

/* The n-th pending operation, from 0 on, and its payload as text, "" if it has none. */
const struct sn_op *step_pending_op(const struct step *s, uint32_t n);
const char *step_payload(struct step *s, const struct sn_op *op);

/* The operation as a line of a script, and its payload behind it. */
const char *step_operation(struct step *s, const struct sn_op *op);

/* Does what a line says if it is a command, and notes in s->request what must be done between
 * trials. False: it is none. */
bool step_command(struct step *s, char *line);

/* Which pending operation a line means; UINT32_MAX, after a complaint: none. */
uint32_t step_answer(struct step *s, const char *line);

/* A machine or a monitor in words: what it is called, and what it does. */
struct step_machine {
    const char *name;
    const char *type;
    const char *state;       /* NULL: it has none, or has not started */
    const char *is;          /* "running", "not started", "halted" */
    const char *temperature; /* "hot", "cold"; NULL: it has none, or is no monitor */
    const char *node;        /* NULL: it is on none */
    bool is_monitor;
    bool is_down; /* its node is */
};

/* The i-th of them, from 0 on, machines first; without a name if it is nothing that people know of.
 * False: there are no more. */
bool step_machine(struct step *s, uint32_t i, struct step_machine *out);

#endif
