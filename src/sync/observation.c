/* observation.c - see observation.h. SPDX-License-Identifier: MIT */
#include "sync/observation.h"

#include "base/json.h"

#include <sennit/test.h>

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum {
    SCRATCH_MAX = 1 << 24, /* bytes that one line may take while it is read */
    NAME_MAX_BYTES = 40,   /* of a file or of contents, as they are printed */
    DIRECTORY = SN_SYNC_DIRECTORY,
};

/* A line that is being read. */
struct line {
    struct observation *to;
    uint64_t number;
    struct err *why;
};

static int fail(const struct line *line, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(const struct line *line, int code, const char *format, ...)
{
    char cause[256];
    struct sn_text out;
    va_list args;

    text_init(&out, cause, sizeof(cause));
    va_start(args, format);
    text_vprint(&out, format, args);
    va_end(args);
    return err_set_at(line->why, code, line->to->name, line->number, "%s", cause);
}

static int fail_memory(const struct line *line)
{
    return fail(line, SN_ENOMEM, "the observation does not fit into memory");
}

void observation_init(struct observation *observation, const char *name, size_t memory_max)
{
    *observation = (struct observation){.name = name, .n_values = 1};
    arena_init(&observation->arena, memory_max);
    arena_init(&observation->scratch, SCRATCH_MAX);
}

void observation_done(struct observation *observation)
{
    arena_done(&observation->arena);
    arena_done(&observation->scratch);
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* A name that can be printed in a table. What is long or odd is cut, and told from others by its
 * number. NULL: no memory. */
static const char *make_name(struct observation *to, const char *text, size_t n, uint32_t number)
{
    char name[NAME_MAX_BYTES + 16];
    struct sn_text out;
    bool is_changed = n > NAME_MAX_BYTES;

    text_init(&out, name, sizeof(name));
    for (size_t i = 0; i < n && i < NAME_MAX_BYTES; i++) {
        unsigned char c = (unsigned char)text[i];
        /* A cut in the middle of a character would leave bytes that are none. */
        bool is_plain = c >= ' ' && c != 0x7f && c != '\'' && (c < 0x80 || n <= NAME_MAX_BYTES);

        text_putc(&out, is_plain ? (char)c : '.');
        is_changed |= !is_plain;
    }
    if (is_changed)
        text_print(&out, "#%u", number);
    return arena_copy(&to->arena, name, out.used);
}

static int find_file(const struct line *line, const struct json_value *value, uint32_t *file)
{
    struct observation *to = line->to;
    const char *text = "";

    if (value != NULL && value->type != JSON_STRING)
        return fail(line, SN_EFORMAT, "\"file\" is a string");
    if (value != NULL)
        text = value->string;
    for (*file = 0; *file < to->n_files; ++*file)
        if (strcmp(to->names.files[*file], text) == 0)
            return 0;
    if (to->n_files == SN_SYNC_FILES_MAX)
        return fail(line, SN_ENOMEM, "there are more than %d files", SN_SYNC_FILES_MAX);
    to->names.files[*file] = arena_copy(&to->arena, text, strlen(text));
    if (to->names.files[*file] == NULL)
        return fail_memory(line);
    to->n_files++;
    return 0;
}

/* ---- Values --------------------------------------------------------------------------------- */

static int find_contents(const struct line *line, const char *text, size_t n, uint32_t *out)
{
    struct observation *to = line->to;

    for (*out = 1; *out < to->n_values; ++*out)
        if (strcmp(to->contents[*out], text) == 0)
            return 0;
    if (to->n_values == DIRECTORY)
        return fail(line, SN_ENOMEM, "there are more than %d different values", DIRECTORY - 1);
    to->contents[*out] = arena_copy(&to->arena, text, n);
    to->names.values[*out] = make_name(to, text, n, *out);
    if (to->contents[*out] == NULL || to->names.values[*out] == NULL)
        return fail_memory(line);
    to->n_values++;
    return 0;
}

static bool is_directory(const struct json_value *value)
{
    const struct json_value *member =
        value->type == JSON_OBJECT && value->n == 1 ? json_member(value, "directory") : NULL;

    return member != NULL && member->type == JSON_BOOL && member->number == 1;
}

/* A number is the same value as the text of its digits. */
static int find_number(const struct line *line, const struct json_value *value, uint32_t *out)
{
    char text[32];
    struct sn_text printed;

    text_init(&printed, text, sizeof(text));
    if (value->type == JSON_UINT)
        text_print(&printed, "%" PRIu64, value->number);
    else
        text_print(&printed, "%" PRId64, (int64_t)value->number);
    return find_contents(line, text, printed.used, out);
}

static int read_value(const struct line *line, const struct json_value *object, const char *key,
                      uint32_t *out)
{
    const struct json_value *value = json_member(object, key);

    *out = 0;
    if (value == NULL)
        return fail(line, SN_EFORMAT, "\"%s\" is missing", key);
    if (value->type == JSON_NULL)
        return 0;
    if (value->type == JSON_STRING)
        return find_contents(line, value->string, value->n, out);
    if (value->type == JSON_UINT || value->type == JSON_INT)
        return find_number(line, value, out);
    if (!is_directory(value))
        return fail(line, SN_EFORMAT,
                    "\"%s\" is a string, an integer, null or {\"directory\":true}", key);
    *out = DIRECTORY;
    return 0;
}

static int read_conflicts(const struct line *line, const struct json_value *object, uint64_t *out)
{
    const struct json_value *list = json_member(object, "conflicts");

    *out = 0;
    if (list == NULL)
        return 0;
    if (list->type != JSON_ARRAY)
        return fail(line, SN_EFORMAT, "\"conflicts\" is an array of values");
    for (const struct json_value *value = list->first; value != NULL; value = value->next) {
        uint32_t conflict = DIRECTORY;
        int rc = 0;

        if (value->type == JSON_STRING)
            rc = find_contents(line, value->string, value->n, &conflict);
        else if (value->type == JSON_UINT || value->type == JSON_INT)
            rc = find_number(line, value, &conflict);
        else if (!is_directory(value))
            rc = fail(line, SN_EFORMAT, "\"conflicts\" has something that is no value");
        if (rc < 0)
            return rc;
        *out |= UINT64_C(1) << conflict;
    }
    return 0;
}

/* ---- Events --------------------------------------------------------------------------------- */

/* Refuses what nobody knows, so that a slip of the pen does not change a verdict. */
static int refuse_members(const struct line *line, const struct json_value *object,
                          const char *const *known)
{
    for (const struct json_value *member = object->first; member != NULL; member = member->next) {
        size_t i = 0;

        while (known[i] != NULL && strcmp(known[i], member->key) != 0)
            i++;
        if (known[i] == NULL)
            return fail(line, SN_EFORMAT, "\"%.40s\" is none of the members that belong here",
                        member->key);
    }
    return 0;
}

static int read_node(const struct line *line, const struct json_value *object, uint32_t *out)
{
    struct observation *to = line->to;
    const struct json_value *value = json_member(object, "node");

    if (value == NULL || value->type != JSON_UINT || value->number == 0)
        return fail(line, SN_EFORMAT, "\"node\" is a number from 1");
    if (value->number > SN_SYNC_NODES_MAX || (to->n_nodes > 0 && value->number > to->n_nodes))
        return fail(line, SN_EFORMAT, "there is no node %" PRIu64 " among %u", value->number,
                    to->n_nodes > 0 ? to->n_nodes : SN_SYNC_NODES_MAX);
    if (value->number > to->nodes_seen)
        to->nodes_seen = (uint32_t)value->number;
    *out = (uint32_t)value->number - 1;
    return 0;
}

static int read_seen(const struct line *line, const struct json_value *object,
                     struct sn_sync_seen *seen)
{
    int rc = read_value(line, object, "value", &seen->value);

    return rc < 0 ? rc : read_conflicts(line, object, &seen->conflicts);
}

static int read_seen_nodes(const struct line *line, const struct json_value *list,
                           struct sn_sync_event *event, uint32_t *n)
{
    static const char *const known[] = {"value", "conflicts", NULL};

    if (list->type != JSON_ARRAY || list->n == 0 || list->n > SN_SYNC_NODES_MAX)
        return fail(line, SN_EFORMAT,
                    "\"nodes\" is an array with an object for each of up to %d "
                    "nodes",
                    SN_SYNC_NODES_MAX);
    for (const struct json_value *value = list->first; value != NULL; value = value->next) {
        int rc = value->type == JSON_OBJECT ? refuse_members(line, value, known)
                                            : fail(line, SN_EFORMAT, "a node is an object");

        if (rc == 0)
            rc = read_seen(line, value, &event->seen[*n]);
        if (rc < 0)
            return rc;
        ++*n;
    }
    if (*n > line->to->nodes_seen)
        line->to->nodes_seen = *n;
    return 0;
}

static int read_stabilize(const struct line *line, const struct json_value *object,
                          struct sn_sync_event *event, uint32_t *n_seen)
{
    static const char *const alike[] = {"op", "file", "value", "conflicts", "time", "note", NULL};
    static const char *const apart[] = {"op", "file", "nodes", "time", "note", NULL};
    const struct json_value *nodes = json_member(object, "nodes");
    int rc = refuse_members(line, object, nodes != NULL ? apart : alike);

    *n_seen = 0;
    if (rc < 0)
        return rc;
    if (nodes != NULL)
        return read_seen_nodes(line, nodes, event, n_seen);
    rc = read_seen(line, object, &event->seen[0]);
    for (uint32_t node = 1; node < SN_SYNC_NODES_MAX; node++)
        event->seen[node] = event->seen[0];
    return rc;
}

static int read_local(const struct line *line, const struct json_value *object, const char *op,
                      struct sn_sync_event *event)
{
    static const char *const of_read[] = {"op", "node", "file", "value", "time", "note", NULL};
    static const char *const of_delete[] = {"op", "node", "file", "old", "time", "note", NULL};
    static const char *const of_write[] = {"op",  "node", "file", "value",
                                           "old", "time", "note", NULL};
    bool is_read = strcmp(op, "read") == 0;
    bool is_write = strcmp(op, "write") == 0;
    int rc;

    if (!is_read && !is_write && strcmp(op, "delete") != 0)
        return fail(line, SN_EFORMAT, "\"op\" is read, write, delete or stabilize, not \"%.40s\"",
                    op);
    event->kind = is_read ? SN_SYNC_READ : SN_SYNC_WRITE;
    rc = refuse_members(line, object, is_read ? of_read : is_write ? of_write : of_delete);
    if (rc == 0)
        rc = read_node(line, object, &event->node);
    if (rc == 0 && (is_read || is_write))
        rc = read_value(line, object, "value", &event->value);
    if (rc == 0 && !is_read)
        rc = read_value(line, object, "old", &event->old);
    return rc;
}

/* Room for one more event. */
static bool reserve(struct observation *to)
{
    size_t room = to->room == 0 ? 64 : 2 * to->room;
    struct sn_sync_event *events;
    uint64_t *lines;
    uint32_t *n_seen;

    if (to->n < to->room)
        return true;
    events = arena_array(&to->arena, room, sizeof(*events));
    lines = arena_array(&to->arena, room, sizeof(*lines));
    n_seen = arena_array(&to->arena, room, sizeof(*n_seen));
    if (events == NULL || lines == NULL || n_seen == NULL)
        return false;
    if (to->n > 0) {
        memcpy(events, to->events, to->n * sizeof(*events));
        memcpy(lines, to->lines, to->n * sizeof(*lines));
        memcpy(n_seen, to->n_seen, to->n * sizeof(*n_seen));
    }
    to->events = events;
    to->lines = lines;
    to->n_seen = n_seen;
    to->room = room;
    return true;
}

static int read_event(const struct line *line, const struct json_value *object)
{
    struct observation *to = line->to;
    const struct json_value *op = json_member(object, "op");
    struct sn_sync_event event = {.kind = SN_SYNC_STABILIZE};
    uint32_t n_seen = 0;
    int rc;

    if (op == NULL || op->type != JSON_STRING)
        return fail(line, SN_EFORMAT, "\"op\" is missing");
    rc = find_file(line, json_member(object, "file"), &event.file);
    if (rc < 0)
        return rc;
    if (strcmp(op->string, "stabilize") == 0)
        rc = read_stabilize(line, object, &event, &n_seen);
    else
        rc = read_local(line, object, op->string, &event);
    if (rc < 0)
        return rc;
    if (!reserve(to))
        return fail_memory(line);
    to->events[to->n] = event;
    to->lines[to->n] = line->number;
    to->n_seen[to->n++] = n_seen;
    return 0;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static int read_head(const struct line *line, const struct json_value *object)
{
    static const char *const known[] = {"model", "nodes", "rules", "time", "note", NULL};
    struct observation *to = line->to;
    const struct json_value *model = json_member(object, "model");
    const struct json_value *nodes = json_member(object, "nodes");
    const struct json_value *rules = json_member(object, "rules");
    int rc = refuse_members(line, object, known);

    if (rc < 0)
        return rc;
    if (model != NULL && (model->type != JSON_STRING || strcmp(model->string, "sync") != 0))
        return fail(line, SN_EFORMAT, "\"model\" is \"sync\"");
    if (nodes != NULL &&
        (nodes->type != JSON_UINT || nodes->number == 0 || nodes->number > SN_SYNC_NODES_MAX))
        return fail(line, SN_EFORMAT, "\"nodes\" is a number from 1 to %d", SN_SYNC_NODES_MAX);
    if (rules != NULL && (rules->type != JSON_STRING || sn_sync_rules_find(rules->string) == NULL))
        return fail(line, SN_EFORMAT, "\"rules\" is the name of rules that are there");
    if (nodes != NULL && to->n_nodes == 0)
        to->n_nodes = (uint32_t)nodes->number;
    if (rules != NULL)
        to->rules = sn_sync_rules_find(rules->string)->name;
    return 0;
}

int observation_line(struct observation *observation, const char *text, size_t n, uint64_t number,
                     struct err *why)
{
    struct line line = {observation, number, why};
    const struct json_value *object;
    struct json_error error;
    bool is_first = !observation->has_begun;

    if (strspn(text, " \t\r") == n)
        return 0;
    arena_clear(&observation->scratch);
    object = json_parse(&observation->scratch, text, n, &error);
    if (object == NULL && error.why == NULL)
        return fail(&line, SN_EFORMAT, "the line is too large");
    if (object == NULL)
        return fail(&line, SN_EFORMAT, "column %zu: %s", error.column, error.why);
    if (object->type != JSON_OBJECT)
        return fail(&line, SN_EFORMAT, "an event is an object");
    observation->has_begun = true;
    if (is_first && json_member(object, "op") == NULL)
        return read_head(&line, object);
    return read_event(&line, object);
}

int observation_end(struct observation *observation, struct err *why)
{
    struct line line = {observation, 0, why};

    if (observation->n == 0)
        return fail(&line, SN_EFORMAT, "there is no event");
    if (observation->n_nodes == 0)
        observation->n_nodes = observation->nodes_seen > 0 ? observation->nodes_seen : 1;
    for (size_t i = 0; i < observation->n; i++) {
        line.number = observation->lines[i];
        if (observation->n_seen[i] != 0 && observation->n_seen[i] != observation->n_nodes)
            return fail(&line, SN_EFORMAT, "\"nodes\" has %u entries, and there are %u nodes",
                        observation->n_seen[i], observation->n_nodes);
    }
    for (uint32_t file = 0; file < observation->n_files; file++) {
        const char *name = observation->names.files[file];

        observation->names.files[file] =
            make_name(observation, name[0] == '\0' ? "file" : name,
                      name[0] == '\0' ? strlen("file") : strlen(name), file + 1);
        if (observation->names.files[file] == NULL)
            return fail_memory(&line);
    }
    return 0;
}
