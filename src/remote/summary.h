/* summary.h - what came of a campaign, for a client that waits for it (docs/protocol.md, «bye»).
 * SPDX-License-Identifier: MIT
 */
#ifndef REMOTE_SUMMARY_H
#define REMOTE_SUMMARY_H

/* Made of what the run has written to its directory, as a JSON object; the caller frees it. `code`
 * is the exit code. NULL if there is no memory. */
char *summary_make(const char *directory, int code);

#endif
