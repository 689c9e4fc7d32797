/* own_options.c - see own_options.h. SPDX-License-Identifier: MIT */
#include "api/own_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMN = 23 }; /* as options.c has it */

int own_options_count(const struct own_options *own)
{
    int n = 0;

    while (own->table != NULL && own->table[n].name != NULL)
        n++;
    return n;
}

int own_options_check(const struct own_options *own, struct err *why)
{
    int n = own_options_count(own);

    if (n > OWN_OPTIONS_MAX)
        return err_set(why, SN_EINVAL, "the program has more than %d options of its own",
                       OWN_OPTIONS_MAX);
    for (int i = 0; i < n; i++) {
        const struct sn_option *option = &own->table[i];

        if (strlen(option->name) + sizeof("--") > OWN_OPTIONS_NAME)
            return err_set(why, SN_EINVAL, "the name of the option --%.60s is too long",
                           option->name);
        if ((option->number != NULL) == (option->word != NULL))
            return err_set(why, SN_EINVAL, "the option --%s needs either a number or a word",
                           option->name);
    }
    return 0;
}

bool own_options_give(struct own_options *own, const char *name, const char *value)
{
    for (int i = 0; i < own_options_count(own); i++) {
        if (strcmp(own->table[i].name, name) != 0)
            continue;
        own->values[i] = value;
        return true;
    }
    return false;
}

static int apply_number(const struct sn_option *option, const char *value, struct err *why)
{
    uint64_t max = option->max != 0 ? option->max : UINT64_MAX;
    uint64_t number;
    char *end;

    errno = 0;
    number = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || number < option->min ||
        number > max)
        return err_set(why, SN_EINVAL,
                       "--%s needs a whole number from %" PRIu64 " to %" PRIu64 ", not \"%.60s\"",
                       option->name, option->min, max, value);
    *option->number = number;
    return 0;
}

/* «a, b or c»; of more than there is room for, the first ones: «a, b, ...». */
static void list_words(const char *const *words, char *out, size_t size)
{
    static const char more[] = ", ...";
    size_t used = 0;

    for (const char *const *word = words; *word != NULL; word++) {
        const char *between = word == words ? "" : word[1] == NULL ? " or " : ", ";
        size_t left = size - used;
        int n = snprintf(out + used, left, "%s%s", between, *word);

        if (n < 0 || (size_t)n + sizeof(more) > left) {
            (void)snprintf(out + used, left, "%s", more);
            return;
        }
        used += (size_t)n;
    }
}

/* The word itself is the table's: what was given may be gone when it is looked at. */
static int apply_word(const struct sn_option *option, const char *value, struct err *why)
{
    char choices[400];

    if (option->words == NULL) {
        *option->word = value;
        return 0;
    }
    for (const char *const *word = option->words; *word != NULL; word++) {
        if (strcmp(*word, value) == 0) {
            *option->word = *word;
            return 0;
        }
    }
    list_words(option->words, choices, sizeof(choices));
    return err_set(why, SN_EINVAL, "--%s can be %s, not \"%.60s\"", option->name, choices, value);
}

int own_options_apply(struct own_options *own, const char **args, size_t *n_args, struct err *why)
{
    for (int i = 0; i < own_options_count(own); i++) {
        const struct sn_option *option = &own->table[i];
        int rc;

        if (own->values[i] == NULL)
            continue;
        rc = option->number != NULL ? apply_number(option, own->values[i], why)
                                    : apply_word(option, own->values[i], why);
        if (rc < 0)
            return rc;
        (void)snprintf(own->dashed[i], sizeof(own->dashed[i]), "--%s", option->name);
        args[(*n_args)++] = own->dashed[i];
        args[(*n_args)++] = own->values[i];
    }
    return 0;
}

void own_options_print_help(const struct sn_option *table, struct sn_text *out)
{
    if (table == NULL || table->name == NULL)
        return;
    text_puts(out, "\nOf this program alone:\n");
    for (const struct sn_option *option = table; option->name != NULL; option++) {
        char left[64];
        int n = snprintf(left, sizeof(left), "      --%.30s %s", option->name,
                         option->number != NULL ? "N" : "WORD");

        text_print(out, "%s%s%*s%s\n", left, n > HELP_COLUMN - 2 ? "\n" : "",
                   n > HELP_COLUMN - 2 ? HELP_COLUMN : HELP_COLUMN - n, "",
                   option->about != NULL ? option->about : "");
    }
}
