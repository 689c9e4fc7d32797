/* check_page.c - `sennit check --html`: histories as a page to look at.
 * SPDX-License-Identifier: MIT
 */
#include "cli/check.h"
#include "cli/cli.h"
#include "report/history_json.h"

#include <sennit/test.h>
#include <stdint.h>

int check_page_try(struct check_run *run)
{
    if (run->request->html != NULL && file_try(run->request->html, &run->why) < 0)
        return cli_fail("%s", run->why.text);
    return CLI_OK;
}

/* Only now: whoever ends the command while it checks its only file leaves nothing behind. */
static void begin(struct check_run *run)
{
    static struct page page;

    run->rc = page_begin(&page, run->request->html, run->title, &run->why);
    if (run->rc == 0)
        run->page = &page;
}

void check_add_history(struct check_run *run, const struct check_outcome *outcome)
{
    struct core_words words = check_words(outcome);
    struct history_json history = {
        .file = outcome->path,
        .model = run->request->history.model,
        .verdict = check_verdict(outcome),
        .result = &outcome->result,
        .core = outcome->has_core ? &outcome->core : NULL,
        .words = &words,
        .is_sequential = run->request->check.is_sequential,
        .has_keys = outcome->history.has_keys,
        .has_time = outcome->history.has_time,
        .seconds = outcome->seconds,
    };

    if (run->request->html == NULL || run->rc < 0)
        return;
    if (run->page == NULL)
        begin(run);
    if (run->rc < 0)
        return;
    if (outcome->rc < 0) {
        history.why = outcome->why.text;
    } else {
        history.operations = history_operations(&outcome->history);
        history.n = outcome->history.n;
        if (outcome->result.verdict == SN_LINEAR_UNKNOWN)
            history.why = outcome->result.why;
    }
    run->rc = history_json(page_next_history(run->page), &history);
    if (run->rc < 0)
        (void)err_set(&run->why, run->rc, "%.300s: there is not enough memory to write the page",
                      outcome->path);
}

int check_page_end(struct check_run *run)
{
    int rc = run->rc;

    if (run->page != NULL)
        rc = page_end(run->page, rc, &run->why);
    return rc < 0 ? cli_fail("%s", run->why.text) : CLI_OK;
}
