/* explain.c - the core of a history, for programs. SPDX-License-Identifier: MIT */
#include "linear/core.h"

#include <sennit/test.h>

#include <stdio.h>

long sn_explain_history(const struct sn_model *model, const struct sn_operation *operations,
                        size_t n, const struct sn_check_options *options, enum sn_explanation form,
                        char *text, size_t size)
{
    struct core_options how = {0};
    struct sn_text out;
    struct core core;
    struct err why = {""};
    int rc;

    if (options != NULL)
        how.check = *options;
    rc = linear_core(model, operations, n, &how, &core, &why);
    text_init(&out, text, size);
    if (rc == 0 && form == SN_EXPLANATION_JSON)
        core_print_json(&core, NULL, &out);
    else if (rc == 0)
        core_print(&core, NULL, "", &out);
    core_done(&core);
    if (rc == 0 && out.cut)
        rc = err_set(&why, SN_ENOMEM, "the explanation does not fit into %zu bytes", size);
    if (rc < 0) {
        (void)snprintf(text, size, "%s", why.text);
        return rc;
    }
    return (long)out.used;
}
