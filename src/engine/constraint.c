/* constraint.c - see constraint.h. SPDX-License-Identifier: MIT */
#include "engine/constraint.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <string.h>

bool constraints_add(struct constraints *c, const struct constraint *added)
{
    for (uint32_t i = 0; i < c->n; i++) {
        if (memcmp(&c->all[i], added, sizeof(*added)) == 0)
            return true;
    }
    if (c->n == CONSTRAINTS_MAX)
        return false;
    c->all[c->n++] = *added;
    return true;
}

static bool read_constraint(struct opname_reader *r, struct constraint *out)
{
    if (opname_accept(r, "draw")) {
        out->kind = CONSTRAINT_DRAW;
        out->first = opname_read_draw(r);
        if (out->first == 0)
            return false;
        if (!opname_accept(r, "=") || !opname_read_number(r, &out->value))
            r->expected = "draw LABEL [of MACHINE] [number N] = VALUE";
    } else {
        out->kind = CONSTRAINT_BEFORE;
        out->first = opname_read(r);
        if (out->first == 0)
            return false;
        if (!opname_accept(r, "before"))
            r->expected = "\"before\" and an operation";
        else
            out->later = opname_read(r);
    }
    if (r->expected == NULL && r->at != r->n)
        r->expected = "nothing more";
    if (r->expected == NULL && out->first == out->later)
        r->expected = "two different operations";
    return r->expected == NULL;
}

int constraints_read(struct constraints *c, struct opnames *names, const char *text,
                     struct err *why)
{
    struct opname_reader r;
    struct constraint read;
    struct err cause = {""};
    int rc = opname_reader_init(&r, names, text, &cause);

    memset(&read, 0, sizeof(read)); /* padding too: constraints are compared */
    c->names = names;
    if (rc < 0)
        return err_set(why, rc, "\"%.200s\": %.200s", text, cause.text);
    if (!read_constraint(&r, &read))
        return err_set(why, SN_EFORMAT, "\"%.200s\": expected %s%s%.60s%s", text, r.expected,
                       r.at < r.n ? ", before \"" : ", at its end",
                       r.at < r.n ? r.words[r.at].text : "", r.at < r.n ? "\"" : "");
    if (!constraints_add(c, &read))
        return err_set(why, SN_ENOMEM, "there can be at most %d constraints", CONSTRAINTS_MAX);
    return 0;
}

void constraint_put(struct sn_text *out, const struct opnames *names,
                    const struct constraint *constraint)
{
    opname_put(out, names, constraint->first);
    if (constraint->kind == CONSTRAINT_DRAW) {
        text_print(out, " = %" PRIu64, constraint->value);
        return;
    }
    text_puts(out, " before ");
    opname_put(out, names, constraint->later);
}
