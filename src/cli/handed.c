/* handed.c - see handed.h. SPDX-License-Identifier: MIT */
#include "cli/handed.h"

#include "base/err.h"
#include "cli/cli.h"

#include <getopt.h>
#include <string.h>

enum {
    OPTIONS_MAX = 16,
    LONG_ONLY = 256, /* what getopt_long returns for option i */
};

/* The table as getopt_long wants it, with --help. */
static void describe(const struct handed_option *options, bool is_anywhere,
                     struct option longs[OPTIONS_MAX + 2], char shorts[2 * OPTIONS_MAX + 4])
{
    char *end = shorts;
    int n = 0;

    if (!is_anywhere)
        *end++ = '+';
    *end++ = ':';
    *end++ = 'h';
    for (; options[n].name != NULL; n++) {
        sn_check(n < OPTIONS_MAX);
        longs[n] =
            (struct option){options[n].name, options[n].has_value ? required_argument : no_argument,
                            NULL, LONG_ONLY + n};
        if (options[n].letter == 0)
            continue;
        *end++ = options[n].letter;
        if (options[n].has_value)
            *end++ = ':';
    }
    *end = '\0';
    longs[n] = (struct option){"help", no_argument, NULL, 'h'};
    longs[n + 1] = (struct option){0};
}

static const struct handed_option *find(const struct handed_option *options, int found)
{
    for (int i = 0; options[i].name != NULL; i++) {
        if (found == LONG_ONLY + i || (options[i].letter != 0 && found == options[i].letter))
            return &options[i];
    }
    return NULL;
}

static int refuse(const char *verb, const char *word, int found)
{
    if (found == ':')
        (void)cli_fail("%s needs a value", word);
    else
        (void)cli_fail("%s does not know %s; `sennit %s --help` says more", verb, word, verb);
    return -1;
}

int handed_parse(struct handed *out, const struct handed_option *options, bool is_anywhere,
                 int argc, char **argv)
{
    struct option longs[OPTIONS_MAX + 2];
    char shorts[2 * OPTIONS_MAX + 4];
    int found;

    *out = (struct handed){.n = 0};
    describe(options, is_anywhere, longs, shorts);
    optind = 1;
    opterr = 0;
    while ((found = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const struct handed_option *option = find(options, found);

        out->is_help |= found == 'h';
        if (out->is_help)
            return optind;
        if (option == NULL)
            return refuse(argv[0], argv[optind - 1], found);
        if (out->n + 2 > HANDED_MAX) {
            (void)cli_fail("there are too many options, from %s on", option->as);
            return -1;
        }
        out->words[out->n++] = option->as;
        if (option->has_value)
            out->words[out->n++] = optarg;
    }
    return optind;
}

bool handed_has(const struct handed *handed, const char *as)
{
    for (int i = 0; i < handed->n; i++) {
        if (strcmp(handed->words[i], as) == 0)
            return true;
    }
    return false;
}
