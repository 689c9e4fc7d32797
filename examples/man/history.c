/* history.c - sn_check_history, sn_explain_history, sn_model_at, sn_model_find and sn_list_value: a
 * history that a program has made itself. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <stdio.h>

#define NIL SN_VALUE_NIL
#define APPEND(value_) .function = 0, .argument = {(value_), NIL}, .result = NIL
#define READ(result_) .function = 3, .argument = {NIL, NIL}, .result = (result_)

int main(void)
{
    const sn_value both[] = {1, 2};
    const struct sn_operation operations[] = {
        {.process = 1, APPEND(1), .call = 1, .ret = 4},
        {.process = 2, APPEND(2), .call = 2, .ret = 3},
        {.process = 2, READ(sn_list_value(both, 2)), .call = 5, .ret = 6},
        {.process = 1, READ(sn_list_value(both, 1)), .call = 7, .ret = 8}, /* where is the 2? */
    };
    struct sn_check_result result;
    char why[2000];

    for (size_t i = 0; sn_model_at(i) != NULL; i++)
        printf("%-15s %s\n", sn_model_at(i)->name, sn_model_at(i)->about);
    if (sn_check_history(sn_model_find("list"), operations, 3, NULL, &result) < 0)
        return 2;
    if (result.verdict != SN_LINEAR_YES)
        return 1;
    if (sn_check_history(sn_model_find("list"), operations, 4, NULL, &result) < 0)
        return 2;
    if (sn_explain_history(sn_model_find("list"), operations, 4, NULL, SN_EXPLANATION_TEXT, why,
                           sizeof(why)) < 0)
        return 2;
    printf("%s\n%s", result.why, why);
    return result.verdict == SN_LINEAR_NO ? 0 : 1;
}
