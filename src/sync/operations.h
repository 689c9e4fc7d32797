/* operations.h - what is done to a synchroniser in one trial, as drawn.
 *
 * All is drawn before anything is performed, so what is drawn does not depend on what a system that
 * is not under control happens to do: the same decisions are the same commands. Each command is
 * there or not by a draw of its own, under labels of its own, so that leaving one out leaves the
 * others as they are; and smaller draws are simpler commands. SPDX-License-Identifier: MIT
 */
#ifndef SYNC_OPERATIONS_H
#define SYNC_OPERATIONS_H

#include <sennit/sync.h>

enum command_kind {
    COMMAND_READ = 0, /* what everything shrinks to */
    COMMAND_WRITE,
    COMMAND_DELETE,
    COMMAND_SLEEP,
    COMMAND_STABILIZE,
    COMMAND_WAIT, /* until a value appears, and then something else */
    COMMAND_RENAME,
    COMMAND_DIRECTORY,
    COMMAND_KILL,
    COMMAND_RESTART,
};

struct command {
    enum command_kind kind;
    enum command_kind then; /* of COMMAND_WAIT: READ, WRITE or DELETE */
    uint32_t node;
    uint32_t file;
    uint32_t to;    /* of COMMAND_RENAME: the file that it becomes */
    uint32_t value; /* to be written */
    uint32_t which; /* of COMMAND_WAIT: which of the values that may appear, modulo their number */
    uint64_t ns;    /* of COMMAND_SLEEP */
};

/* Draws commands: at most n_max, in memory of the trial. Returns how many there are. */
uint32_t operations_draw(const struct sn_sync_options *options, const struct sn_sync_driver *driver,
                         struct command **out);

#endif
