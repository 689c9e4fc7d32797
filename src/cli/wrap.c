/* wrap.c - see wrap.h.
 *
 * A line of the list is a kind of event and the function's prototype as the library's header has
 * it. It is no parser of C: types are told by their words, and what is not understood is refused.
 * SPDX-License-Identifier: MIT
 */
#include "cli/wrap.h"

#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    LINE_MAX_BYTES = 1024,
    PARAMS_MAX = 9, /* the replica, and as many arguments as an event has */
};

struct param {
    char type[256];
    char name[64];
    const char *how; /* enum sn_arg_type, as it is written; NULL: nothing */
};

struct function {
    const char *kind; /* enum sn_event_kind, as it is written */
    struct param result;
    char name[128];
    uint32_t n;
    struct param params[PARAMS_MAX];
};

static const struct {
    const char *word;
    const char *kind;
} kinds[] = {
    {"update", "SN_EVENT_UPDATE"},   {"query", "SN_EVENT_QUERY"},
    {"request", "SN_EVENT_REQUEST"}, {"execute", "SN_EVENT_EXECUTE"},
    {"deliver", "SN_EVENT_DELIVER"},
};

/* ---- Words ---------------------------------------------------------------------------------- */

static char *trim(char *text)
{
    size_t n;

    while (isspace((unsigned char)*text))
        text++;
    for (n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

static bool has_word(const char *type, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = strstr(type, word); at != NULL; at = strstr(at + 1, word)) {
        bool begins = at == type || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');

        if (begins && !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    }
    return false;
}

static const char *how_of_number(const char *type)
{
    static const char *const unsigned_words[] = {"unsigned", "size_t",   "uint8_t", "uint16_t",
                                                 "uint32_t", "uint64_t", NULL};
    static const char *const other_words[] = {"double", "float", "__int128", "_Complex", NULL};
    static const char *const signed_words[] = {"int",    "long",    "short",   "char",
                                               "int8_t", "int16_t", "int32_t", "int64_t",
                                               "enum",   "ssize_t", NULL};

    for (const char *const *word = other_words; *word != NULL; word++) {
        if (has_word(type, *word))
            return NULL;
    }
    if (has_word(type, "bool") || has_word(type, "_Bool"))
        return "SN_ARG_BOOL";
    for (const char *const *word = unsigned_words; *word != NULL; word++) {
        if (has_word(type, *word))
            return "SN_ARG_UINT";
    }
    for (const char *const *word = signed_words; *word != NULL; word++) {
        if (has_word(type, *word))
            return "SN_ARG_INT";
    }
    return NULL;
}

/* What an argument is, or a result. NULL: that is not known. */
static const char *how_of(const struct param *p, bool is_message)
{
    const char *star = strchr(p->type, '*');

    if (star == NULL)
        return how_of_number(p->type);
    if (strchr(star + 1, '*') == NULL && has_word(p->type, "char"))
        return "SN_ARG_STRING";
    return is_message ? "SN_ARG_MESSAGE" : "SN_ARG_POINTER";
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* «const char *item»: the name is the last word. */
static const char *read_param(char *text, struct param *p)
{
    size_t n;

    text = trim(text);
    n = strlen(text);
    if (strpbrk(text, "[]()") != NULL)
        return "arrays and functions cannot be recorded";
    while (n > 0 && (isalnum((unsigned char)text[n - 1]) || text[n - 1] == '_'))
        n--;
    if (n == 0 || text[n] == '\0')
        return "a parameter needs a type and a name";
    if (n >= sizeof(p->type) || strlen(text + n) >= sizeof(p->name))
        return "a parameter is too long";
    (void)snprintf(p->name, sizeof(p->name), "%s", text + n);
    (void)snprintf(p->type, sizeof(p->type), "%.*s", (int)n, text);
    return NULL;
}

static const char *read_params(char *text, struct function *f)
{
    bool is_applied =
        strcmp(f->kind, "SN_EVENT_EXECUTE") == 0 || strcmp(f->kind, "SN_EVENT_DELIVER") == 0;
    char *rest = text;
    char *one;

    while ((one = strsep(&rest, ",")) != NULL) {
        struct param *p = &f->params[f->n];
        const char *why;

        if (f->n == PARAMS_MAX)
            return "it has too many parameters";
        why = read_param(one, p);
        if (why != NULL)
            return why;
        if (f->n == 0 && strchr(p->type, '*') == NULL)
            return "the first parameter must point to the replica";
        p->how = how_of(p, is_applied);
        if (p->how == NULL)
            return "a parameter is neither a number nor a pointer: such a type cannot be recorded";
        f->n++;
    }
    return NULL;
}

static const char *read_prototype(char *text, struct function *f)
{
    char *open = strchr(text, '(');
    char *close = strrchr(text, ')');
    bool makes =
        strcmp(f->kind, "SN_EVENT_UPDATE") == 0 || strcmp(f->kind, "SN_EVENT_REQUEST") == 0;
    const char *why;

    if (open == NULL || close == NULL || close < open)
        return "a prototype is needed behind the kind";
    *open = *close = '\0';
    why = read_param(text, &f->result);
    if (why != NULL)
        return why;
    (void)snprintf(f->name, sizeof(f->name), "%s", f->result.name);
    if (!has_word(f->result.type, "void") || strchr(f->result.type, '*') != NULL) {
        f->result.how = how_of(&f->result, makes);
        if (f->result.how == NULL)
            return "it returns neither a number nor a pointer: such a type cannot be recorded";
    }
    return read_params(open + 1, f);
}

/* One line. An include is printed at once. */
static const char *read_line(char *line, struct function *f, bool *has, bool prints)
{
    char *text = trim(line);
    char *rest = text + strcspn(text, " \t");

    *has = false;
    if (*text == '\0' || *text == '#')
        return NULL;
    if (*rest != '\0')
        *rest++ = '\0';
    if (strcmp(text, "include") == 0) {
        rest = trim(rest);
        if (*rest == '\0')
            return "an include needs a header";
        if (prints)
            (void)printf("#include %s\n", rest);
        return NULL;
    }
    *f = (struct function){.kind = NULL};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].word, text) == 0)
            f->kind = kinds[i].kind;
    }
    if (f->kind == NULL)
        return "a line begins with include, update, query, request, execute or deliver";
    *has = true;
    return read_prototype(rest, f);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void print_param(const struct param *p, const char *name)
{
    size_t n = strlen(p->type);
    bool glues = n > 0 && (p->type[n - 1] == '*' || p->type[n - 1] == ' ');

    (void)printf("%s%s%s", p->type, glues ? "" : " ", name);
}

static void print_list(const struct function *f, bool with_types)
{
    for (uint32_t i = 0; i < f->n; i++) {
        (void)printf("%s", i > 0 ? ", " : "");
        if (with_types)
            print_param(&f->params[i], f->params[i].name);
        else
            (void)printf("args_->%s", f->params[i].name);
    }
}

static void print_struct(const struct function *f)
{
    (void)printf("\nstruct args_%s {\n", f->name);
    for (uint32_t i = 0; i < f->n; i++) {
        (void)printf("    ");
        print_param(&f->params[i], f->params[i].name);
        (void)printf(";\n");
    }
    if (f->result.how != NULL) {
        (void)printf("    ");
        print_param(&f->result, "result_");
        (void)printf(";\n");
    }
    (void)printf("};\n");
}

static void print_table(const struct function *f)
{
    (void)printf("\nstatic const struct sn_arg list_%s[] = {\n", f->name);
    for (uint32_t i = 1; i < f->n; i++)
        (void)printf("    {%s, offsetof(struct args_%s, %s), sizeof(((struct args_%s *)0)->%s)},\n",
                     f->params[i].how, f->name, f->params[i].name, f->name, f->params[i].name);
    (void)printf("    {0},\n};\n\nstatic const struct sn_event_op call_%s = {\n", f->name);
    (void)printf("    .op = \"%s\",\n    .kind = %s,\n    .size = sizeof(struct args_%s),\n"
                 "    .replica = offsetof(struct args_%s, %s),\n    .args = list_%s,\n",
                 f->name, f->kind, f->name, f->name, f->params[0].name, f->name);
    if (f->result.how != NULL)
        (void)printf("    .result = {%s, offsetof(struct args_%s, result_),\n"
                     "               sizeof(((struct args_%s *)0)->result_)},\n",
                     f->result.how, f->name, f->name);
    (void)printf("    .run = run_%s,\n};\n", f->name);
}

static void print_function(const struct function *f)
{
    bool returns = f->result.how != NULL;

    print_struct(f);
    (void)printf("\n");
    print_param(&f->result, "");
    (void)printf("__real_%s(", f->name);
    print_list(f, true);
    (void)printf(");\n");
    print_param(&f->result, "");
    (void)printf("__wrap_%s(", f->name);
    print_list(f, true);
    (void)printf(");\n\nstatic void run_%s(void *all_)\n{\n    struct args_%s *args_ = all_;\n\n"
                 "    %s",
                 f->name, f->name, returns ? "args_->result_ = " : "");
    (void)printf("__real_%s(", f->name);
    print_list(f, false);
    (void)printf(");\n}\n");
    print_table(f);
    (void)printf("\n");
    print_param(&f->result, "");
    (void)printf("__wrap_%s(", f->name);
    print_list(f, true);
    (void)printf(")\n{\n    struct args_%s args_ = {", f->name);
    for (uint32_t i = 0; i < f->n; i++)
        (void)printf("%s.%s = %s", i > 0 ? ", " : "", f->params[i].name, f->params[i].name);
    (void)printf("};\n\n    sn_event_call(&call_%s, &args_);\n%s}\n", f->name,
                 returns ? "    return args_.result_;\n" : "");
}

static int print_all(FILE *file, const char *path, bool flags)
{
    char line[LINE_MAX_BYTES];
    struct function f;
    unsigned number = 0;
    unsigned n = 0;
    bool has;

    if (!flags)
        (void)printf("/* Written by `sennit events --wrap`: records calls of a library. */\n"
                     "#include <sennit/events.h>\n#include <stddef.h>\n");
    while (fgets(line, sizeof(line), file) != NULL) {
        const char *why;

        number++;
        if (strchr(line, '\n') == NULL && !feof(file))
            return cli_fail("%s:%u: the line is longer than %d bytes", path, number,
                            LINE_MAX_BYTES - 2);
        why = read_line(line, &f, &has, !flags);
        if (why != NULL)
            return cli_fail("%s:%u: %s", path, number, why);
        if (has && flags)
            (void)printf("-Wl,--wrap=%s\n", f.name);
        else if (has)
            print_function(&f);
        n += has;
    }
    if (n == 0)
        return cli_fail("%s: no function is listed", path);
    return fflush(stdout) == 0 ? CLI_OK : cli_fail("the wrappers cannot be written");
}

int wrap_print(const char *path, bool flags)
{
    FILE *file = fopen(path, "re");
    int code;

    if (file == NULL)
        return cli_fail("%s cannot be opened: %s", path, strerror(errno));
    code = print_all(file, path, flags);
    (void)fclose(file);
    return code;
}
