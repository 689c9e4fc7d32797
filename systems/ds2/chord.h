/* chord.h - the kinds of Chord's messages. SPDX-License-Identifier: MIT */
#ifndef DS2_CHORD_H
#define DS2_CHORD_H

#include "object.h"

/* A write is UploadEntry, a read is Request: in a read `agent` is the node that the client asked,
 * 0 while it is the client that asks; in the others, the node that is told of. */
enum chord_kind {
    CHORD_UPLOAD_ENTRY_RESPONSE = DS2_OWN,
    CHORD_RESPONSE,
    CHORD_FIND_SUCCESSOR,
    CHORD_SUCCESSOR_FOUND,
    CHORD_UPDATE_PREDECESSOR,
    CHORD_KINDS,
};

#endif
