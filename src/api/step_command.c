/* step_command.c - the lines of a session: commands, and which operation an answer means.
 * SPDX-License-Identifier: MIT
 */
#include "api/step_own.h"
#include "engine/op.h"
#include "report/show.h"
#include "strategy/oldest.h"
#include "strategy/script.h"
#include "substrate/environment.h"
#include "substrate/machine.h"
#include "substrate/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Reading lines -------------------------------------------------------------------------- */

static bool fill(struct step *s)
{
    ssize_t n;

    if (s->in_is_over)
        return false;
    do
        n = read(s->in, s->in_buffer, sizeof(s->in_buffer));
    while (n < 0 && errno == EINTR);
    s->in_at = 0;
    s->in_end = n > 0 ? (size_t)n : 0;
    s->in_is_over = n <= 0;
    return n > 0;
}

/* Takes a line of any length, of which only so much is kept. False: there is none. */
static bool take_line(struct step *s, size_t *length)
{
    *length = 0;
    for (;;) {
        char c;

        if (s->in_at == s->in_end && !fill(s))
            return *length > 0;
        c = s->in_buffer[s->in_at++];
        if (c == '\n')
            return true;
        if (*length < sizeof(s->line))
            s->line[*length] = c;
        ++*length;
    }
}

/* Without the blanks around it. */
static char *trim(char *line)
{
    size_t n;

    line += strspn(line, " \t\r");
    n = strlen(line);
    while (n > 0 && strchr(" \t\r", line[n - 1]) != NULL)
        line[--n] = '\0';
    return line;
}

char *step_read_line(struct step *s)
{
    for (;;) {
        size_t length;
        char *line;

        s->view->invite(s);
        if (!take_line(s, &length))
            return NULL;
        if (length >= sizeof(s->line) || memchr(s->line, '\0', length) != NULL) {
            s->view->complain(s, length >= sizeof(s->line) ? "the line is too long"
                                                           : "there is a zero byte in the line");
            continue;
        }
        s->line[length] = '\0';
        s->view->echo(s);
        line = trim(s->line);
        if (line[0] != '\0')
            return line;
        s->view->complain(s, "say what runs next; help lists the commands");
    }
}

/* ---- Operations ----------------------------------------------------------------------------- */

const struct sn_op *step_pending_op(const struct step *s, uint32_t n)
{
    return oldest_op(s->t, s->pending[n]);
}

const char *step_payload(struct step *s, const struct sn_op *op)
{
    const void *payload = op_payload(s->t, op);
    struct sn_text out;

    text_init(&out, s->payload, sizeof(s->payload));
    if (payload != NULL)
        print_op(&out, s->t, op, payload);
    return s->payload;
}

const char *step_operation(struct step *s, const struct sn_op *op)
{
    const char *payload = step_payload(s, op);
    struct sn_text out;

    text_init(&out, s->operation, sizeof(s->operation));
    script_put_op(&out, s->t, op);
    if (payload[0] != '\0') {
        text_puts(&out, "  ");
        (void)show_put(&out, trace_text_of(payload), SIZE_MAX);
    }
    return s->operation;
}

/* How well a line names an operation. */
enum fit {
    FIT_NOT = 0,
    FIT_PART,  /* somewhere in its text */
    FIT_WORDS, /* the same, as whole words */
    FIT_WHOLE, /* its line in a script */
};

static bool is_edge(char c)
{
    return c == '\0' || c == ' ' || c == '"';
}

static enum fit fit_of(const char *text, size_t line_length, const char *part)
{
    size_t n = strlen(part);
    enum fit best = FIT_NOT;

    if (line_length == n && memcmp(text, part, n) == 0)
        return FIT_WHOLE;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        if ((at == text || is_edge(at[-1])) && is_edge(at[n]))
            return FIT_WORDS;
        best = FIT_PART;
    }
    return best;
}

static uint32_t find_text(struct step *s, const char *part)
{
    enum fit best = FIT_NOT;
    uint32_t found = UINT32_MAX;
    uint32_t n_found = 0;
    char sentence[128];

    for (uint32_t i = 0; i < s->n_pending; i++) {
        const struct sn_op *op = step_pending_op(s, i);
        const char *text = step_operation(s, op);
        const char *payload = strstr(text, "  ");
        enum fit fit =
            fit_of(text, payload != NULL ? (size_t)(payload - text) : strlen(text), part);

        if (fit > best)
            n_found = 0;
        if (fit == FIT_NOT || fit < best)
            continue;
        best = fit;
        n_found++;
        found = i;
    }
    if (n_found == 1)
        return found;
    (void)snprintf(sentence, sizeof(sentence),
                   n_found == 0 ? "no operation that can run has this in its text; help lists the "
                                  "commands"
                                : "%u operations have this in their text: give a number",
                   n_found);
    s->view->complain(s, sentence);
    return UINT32_MAX;
}

uint32_t step_answer(struct step *s, const char *line)
{
    char sentence[64];
    char *end;
    unsigned long long number;

    if (line[strspn(line, "0123456789")] != '\0')
        return find_text(s, line);
    errno = 0;
    number = strtoull(line, &end, 10);
    if (errno == 0 && number >= 1 && number <= s->n_pending)
        return (uint32_t)number - 1;
    (void)snprintf(sentence, sizeof(sentence), "the numbers go from 1 to %u", s->n_pending);
    s->view->complain(s, sentence);
    return UINT32_MAX;
}

/* ---- Commands ------------------------------------------------------------------------------- */

struct command {
    const char *name;
    void (*run)(struct step *s, const char *argument);
};

static void do_help(struct step *s, const char *argument)
{
    (void)argument;
    s->view->help(s);
}

static void do_pending(struct step *s, const char *argument)
{
    (void)argument;
    if (s->question == STEP_ASKS_OPERATION)
        s->view->ask_operation(s, true);
    else if (s->question == STEP_ASKS_VALUE)
        s->view->ask_value(s);
    else
        s->view->complain(s, "the trial has ended");
}

static void do_state(struct step *s, const char *argument)
{
    (void)argument;
    s->view->machines(s);
}

static void do_log(struct step *s, const char *argument)
{
    (void)argument;
    s->request = STEP_LOG;
}

static void do_quit(struct step *s, const char *argument)
{
    (void)argument;
    s->request = STEP_QUIT;
}

static void do_back(struct step *s, const char *argument)
{
    uint64_t n = s->t->log.n;
    uint64_t wanted = 1;
    char sentence[96];
    char *end;

    if (strcmp(argument, "all") == 0) {
        wanted = n;
    } else if (argument[0] != '\0') {
        errno = 0;
        wanted = strtoull(argument, &end, 10);
        if (argument[0] < '0' || argument[0] > '9' || *end != '\0' || errno != 0 || wanted == 0) {
            s->view->complain(s, "back goes with a number of decisions, or all");
            return;
        }
    }
    if (wanted > n || n == 0) {
        (void)snprintf(sentence, sizeof(sentence), "only %llu decisions have been taken",
                       (unsigned long long)n);
        s->view->complain(s, sentence);
        return;
    }
    s->keep = n - wanted;
    s->request = STEP_BACK;
}

static void do_undo(struct step *s, const char *argument)
{
    (void)argument;
    do_back(s, "");
}

static void do_save(struct step *s, const char *argument)
{
    if (argument[0] == '\0') {
        s->view->complain(s, "save goes with the name of a file");
    } else if (s->question == STEP_ASKS_VALUE) {
        s->view->complain(s, "a trial can be saved between two steps: give the value first");
    } else if (s->question == STEP_ASKS_NEXT && s->t->verdict.verdict == SN_UNCONTROLLED) {
        s->view->complain(s, "control over this trial was lost: go back first");
    } else {
        (void)snprintf(s->argument, sizeof(s->argument), "%s", argument);
        s->request = STEP_SAVE;
    }
}

static void do_run(struct step *s, const char *argument)
{
    const char *by_default = s->joins.strategy != NULL ? s->joins.strategy : "oldest";

    if (s->question == STEP_ASKS_NEXT) {
        s->view->complain(s, "the trial has ended: go back first");
        return;
    }
    if (s->question == STEP_ASKS_VALUE) {
        s->view->complain(s, "give the value first");
        return;
    }
    /* "run @20" is the default up to there. */
    (void)snprintf(s->argument, sizeof(s->argument), "%s%s",
                   argument[0] == '\0' || argument[0] == '@' ? by_default : "", argument);
    s->request = STEP_RUN;
}

bool step_command(struct step *s, char *line)
{
    static const struct command commands[] = {
        {"help", do_help}, {"pending", do_pending}, {"state", do_state},
        {"log", do_log},   {"back", do_back},       {"undo", do_undo},
        {"save", do_save}, {"run", do_run},         {"quit", do_quit},
    };
    size_t n = strcspn(line, " \t");

    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strlen(commands[i].name) == n && memcmp(commands[i].name, line, n) == 0) {
            commands[i].run(s, line + n + strspn(line + n, " \t"));
            return true;
        }
    }
    return false;
}

/* ---- Machines ------------------------------------------------------------------------------- */

bool step_machine(struct step *s, uint32_t i, struct step_machine *out)
{
    static const char *const temperatures[] = {
        [SN_PLAIN] = NULL, [SN_HOT] = "hot", [SN_COLD] = "cold"};
    struct trial *t = s->t;
    uint32_t n_machines = t->now.n_tasks - 1;
    const struct machine *m = &t->machines->all[i + 1];

    *out = (struct step_machine){.is = "running"};
    if (i >= n_machines + t->now.n_own[OWN_MONITORS])
        return false;
    if (i >= n_machines) {
        m = &t->machines->monitors[i - n_machines];
        out->name = m->type->name;
        out->is_monitor = true;
        out->temperature = m->state != NULL ? temperatures[m->state->temperature] : NULL;
    } else if (!environment_is_used(t) || i + 1 != t->environment->now.fault_task) {
        out->name = names_get(&s->joins.listener->names, i + 1);
        if (m->node != 0) {
            out->node = t->environment->nodes[m->node].name;
            out->is_down = t->environment->nodes[m->node].is_down;
        }
    }
    out->type = m->type->name;
    if (m->is_halted)
        out->is = "halted";
    else if (!m->is_started)
        out->is = "not started";
    if (m->is_started && m->state != NULL)
        out->state = m->state->name;
    return true;
}
