/* fuzz_history.c - a libFuzzer target: any bytes as a history, in every format.
 *
 * What is refused must be refused with the file's name. What is taken must be operations that the
 * model has, and every text of it, which is EDN, must mean the same value when it is read again.
 * SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "history/history.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at_operations(const struct history *history)
{
    const struct sn_operation *operations = history_operations(history);
    char buffer[256];
    struct sn_text out;

    for (size_t i = 0; i < history->n; i++) {
        sn_check(operations[i].function < 6);
        sn_check(operations[i].call <= operations[i].ret);
        sn_check(operations[i].line > 0);
        text_init(&out, buffer, sizeof(buffer));
        history_print_operation(history, &operations[i], &out);
        sn_check(out.used > 0);
    }
}

/* What is known of a whole set or list is what its value stands for. */
static void look_at_wholes(struct history *history)
{
    const struct whole *wholes = history->wholes.entries.base;

    for (uint32_t i = 0; i < history->wholes.n; i++) {
        size_t n;
        const sn_value *elements = history_elements(history, wholes[i].value, &n);

        sn_check(elements != NULL && n == wholes[i].n);
        sn_check((wholes[i].is_set ? sn_set_value(elements, n) : sn_list_value(elements, n)) ==
                 wholes[i].value);
    }
}

/* Values that are equal have equal texts, so reading a text must lead to its number. */
static void read_texts_again(struct history *history)
{
    uint32_t n = history->texts.n;

    for (uint32_t i = 0; i < n && i < 64; i++) {
        struct err why = {""};
        sn_value value = 0;

        if (history_value(history, texts_at(&history->texts, i)->bytes, &value, &why) < 0)
            sn_check(strlen(texts_at(&history->texts, i)->bytes) !=
                     texts_at(&history->texts, i)->n);
        else
            sn_check(value == SN_VALUE_TEXTS + (sn_value)i);
    }
    sn_check(history->texts.n == n);
}

static void read_as(const struct history_options *options, const uint8_t *data, size_t size)
{
    struct history history;
    struct err why = {""};

    if (history_parse(&history, "fuzz", (const char *)data, size, options, &why) < 0) {
        sn_check(strncmp(why.text, "fuzz:", 5) == 0);
    } else {
        look_at_operations(&history);
        look_at_wholes(&history);
        read_texts_again(&history);
    }
    history_done(&history);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const models[] = {"map", "cas-register", "list", "set", "queue"};
    struct history_options options = {0};

    for (enum history_format format = HISTORY_DETECT; format <= HISTORY_JSONL; format++) {
        options.model = sn_model_find(models[(size + format) % 5]);
        options.format = format;
        options.has_failed_cas_seen = size % 8 == 3;
        options.is_independent = size % 16 == 5;
        read_as(&options, data, size);
    }
    return 0;
}
