/* whole_set.c - sn_set_value: a set that is read as a whole. SPDX-License-Identifier: MIT */
#include <sennit/sennit.h>
#include <stdio.h>

#define NIL SN_VALUE_NIL
#define ADD(value_) .function = 0, .argument = {(value_), NIL}, .result = NIL
#define READ(result_) .function = 3, .argument = {NIL, NIL}, .result = (result_)

static const sn_value seen[] = {2, 7};

/* Knowing what was seen, the checker need not try which of the unknown values it was. */
static const sn_value *elements(void *self, sn_value whole, size_t *n)
{
    (void)self;
    *n = whole == sn_set_value(seen, 2) ? 2 : 0;
    return *n > 0 ? seen : NULL;
}

int main(void)
{
    const struct sn_operation operations[] = {
        {.process = 1, ADD(7), .call = 1, .ret = 2},
        {.process = 2, ADD(2), .call = 3, .ret = SN_TIME_NEVER},
        {.process = 3, ADD(5), .call = 4, .ret = SN_TIME_NEVER},
        {.process = 1, READ(sn_set_value(seen, 2)), .call = 5, .ret = 6},
    };
    const struct sn_check_options options = {.elements = elements};
    struct sn_check_result result;

    if (sn_check_history(sn_model_find("set"), operations, 4, &options, &result) < 0)
        return 2;
    printf("%s\n", result.verdict == SN_LINEAR_YES ? "linearizable" : result.why);
    return result.verdict == SN_LINEAR_YES ? 0 : 1;
}
