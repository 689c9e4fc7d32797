/* show_frame.c - what stands above and below a trace in a terminal: what was run, and how it ended.
 * SPDX-License-Identifier: MIT
 */
#include "report/show.h"

#include "report/show_shrunk.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

void show_put_head(struct sn_text *out, const struct trace *trace)
{
    const struct trace_header *h = &trace->header;

    text_puts(out, "test      ");
    words_phrase(out, "", h->suite, "/", h->test);
    text_puts(out, "\nprogram   ");
    words_name(out, h->program[0] != '\0' ? h->program : "(one that calls sn_run)");
    for (size_t i = 0; i < h->n_args; i++)
        words_phrase(out, " ", h->args[i], "", NULL);
    text_puts(out, "\nstrategy  ");
    words_name(out, h->strategy);
    text_print(out, ", seed %" PRIu64 ", trial %" PRIu64 "\n\n", h->seed, h->trial);
}

/* A path as a word of a shell's command line. */
static void put_word(struct sn_text *out, const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:=@%-";

    if (path[0] != '\0' && path[strspn(path, plain)] == '\0') {
        text_puts(out, path);
        return;
    }
    text_putc(out, '\'');
    for (; *path != '\0'; path++) {
        if (*path == '\'')
            text_puts(out, "'\\''");
        else
            text_putc(out, *path);
    }
    text_putc(out, '\'');
}

void show_put_foot(struct sn_text *out, const struct trace *trace,
                   const struct show_options *options)
{
    static const char *const words[] = {[TRACE_PASSED] = "passed",
                                        [TRACE_FAILED] = "failed",
                                        [TRACE_UNCONTROLLED] = "uncontrolled"};
    const struct trace_verdict *v = &trace->verdict;

    text_putc(out, '\n');
    if (options->is_coloured)
        text_puts(out, v->verdict == TRACE_PASSED ? "\033[32m" : "\033[31m");
    text_puts(out, words[v->verdict]);
    if (options->is_coloured)
        text_puts(out, "\033[0m");
    if (v->verdict == TRACE_PASSED)
        text_print(out, " after %" PRIu64 " steps", trace->n_steps);
    else
        text_print(out, " in step %" PRIu64 " of %" PRIu64, v->step, trace->n_steps);
    if (v->cut && v->verdict == TRACE_PASSED && v->message.bytes != NULL)
        text_puts(out, ", cut"); /* not at a limit: the message says why */
    else if (v->cut && trace->n_steps < trace->header.max_steps)
        text_puts(out, ", cut at the limit of virtual time");
    else if (v->cut)
        text_print(out, ", cut at the limit of %" PRIu64 " steps", trace->header.max_steps);
    if (v->oracle != NULL)
        words_phrase(out, " (", v->oracle, ")", "");
    if (v->message.bytes != NULL) {
        text_puts(out, ": ");
        (void)show_put(out, v->message, SIZE_MAX);
    }
    text_putc(out, '\n');
    if (v->at != NULL)
        words_phrase(out, "at         ", v->at, "\n", "");
    show_put_shrunk(out, trace);
    if (options->path != NULL) {
        text_puts(out, trace->header.program[0] != '\0' ? "reproduce  sennit replay "
                                                        : "reproduce  sn_replay with ");
        put_word(out, options->path);
        text_putc(out, '\n');
    }
}
